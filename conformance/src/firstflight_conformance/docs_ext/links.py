"""After a build: every link from one page of the site to another must lead to a page and an anchor that exist."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from sphinx.application import Sphinx
from sphinx.util import logging

_LOGGER = logging.getLogger(__name__)
_HREF = re.compile(r'<(?:a|img)\b[^>]*?\b(?:href|src)="([^"]+)"')
_ID = re.compile(r'\b(?:id|name)="([^"]+)"')
_COMMENT_OR_SCRIPT = re.compile(r"<!--.*?-->|<script\b.*?</script>", re.S)


def check_links(app: Sphinx, error: Exception | None) -> None:
    """Warn of each broken link. Does nothing after a failed build, or for other formats than HTML."""
    if error is None and app.builder.format == "html" and app.builder.name == "html":
        for page, link in broken_links(Path(app.outdir)):
            _LOGGER.warning("%s: the link %s leads nowhere", page, link)


def broken_links(root: Path) -> list[tuple[str, str]]:
    """Return page and link for each link below ``root`` without a target."""
    pages = {path.resolve(): _COMMENT_OR_SCRIPT.sub("", path.read_text("utf-8")) for path in root.rglob("*.html")}

    @cache
    def anchors(path: Path) -> set[str]:
        return set(_ID.findall(pages[path])) | {"", "top"}

    broken = []
    for page, text in sorted(pages.items()):
        for link in sorted(set(_HREF.findall(text))):
            if re.match(r"[a-z]+:", link):
                continue
            target, _, fragment = unquote(link.replace("&amp;", "&")).partition("#")
            path = (page.parent / target).resolve() if target else page
            if not path.exists() or (path in pages and fragment not in anchors(path)):
                broken.append((page.relative_to(root.resolve()).as_posix(), link))
    return broken

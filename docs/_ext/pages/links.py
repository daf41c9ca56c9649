"""Links: resolve names in docstrings without their module, and check every link after a build."""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

_LOGGER = logging.getLogger(__name__)
_HREF = re.compile(r'<(?:a|img)\b[^>]*?\b(?:href|src)="([^"]+)"')
_ID = re.compile(r'\b(?:id|name)="([^"]+)"')
_COMMENT_OR_SCRIPT = re.compile(r"<!--.*?-->|<script\b.*?</script>", re.S)


def resolve_short_name(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.TextElement
) -> nodes.reference | None:
    """Resolve the short name of a Python object of another module, if it is unique."""
    target = node.get("reftarget", "")
    if node.get("refdomain") != "py" or not target:
        return None
    python = env.domains.python_domain
    full = {name for name, entry in python.objects.items() if name.endswith(f".{target}") and not entry.aliased}
    if len(full) != 1:
        return None
    name = full.pop()
    return python.resolve_xref(env, node["refdoc"], app.builder, node["reftype"], name, node, content)


def check_links(app: Sphinx, error: Exception | None) -> None:
    """Warn of each broken link. Does nothing after a failed build, or for other formats than HTML."""
    if error is None and app.builder.format == "html" and app.builder.name == "html":
        for page, link in broken_links(Path(app.outdir), app.env.found_docs):
            _LOGGER.warning("%s: the link %s leads nowhere", page, link)


def broken_links(root: Path, documents: Iterable[str]) -> list[tuple[str, str]]:
    """Return page and link for each link without a target on the pages of ``documents``; older pages are left out."""
    paths = [root / f"{name}.html" for name in documents]
    pages = {path.resolve(): _COMMENT_OR_SCRIPT.sub("", path.read_text("utf-8")) for path in paths}

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
            is_state = "=" in fragment  # state for the script of a page, not an anchor
            if not path.exists() or (path in pages and not is_state and fragment not in anchors(path)):
                broken.append((page.relative_to(root.resolve()).as_posix(), link))
    return broken

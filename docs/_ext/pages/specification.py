"""Pages of the specification, as they are included: their links name files of the repository, and lead to pages of the site here."""

import re
from pathlib import Path

from sphinx.application import Sphinx

from pages import errata

_LINK = re.compile(r"\]\((?:\.\./)?(?:(?P<folder>[a-z-]+)/)?(?P<file>[a-z-]+)\.md(?P<rest>#[^)]*)?\)")


def lead_to_pages(app: Sphinx, path: Path, document: str, content: list[str]) -> None:
    """Change the links of a page of ``spec/`` that is being included."""
    if "spec" in path.parts:
        page = errata.with_links(content[0], path.parent.name) if path.name == "errata.md" else content[0]
        content[0] = on_the_site(page, path.parent.name)


def on_the_site(text: str, folder: str) -> str:
    """Return a page, which lies in this folder, with its links as those of the site."""

    def link(match: re.Match[str]) -> str:
        name = match["file"]
        if name in ("rules", "errata"):
            name = (match["folder"] or folder) + {"rules": "", "errata": "-errata"}[name]
        return f"]({name}.md{match['rest'] or ''})"

    return _LINK.sub(link, text)

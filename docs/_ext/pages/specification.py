"""Included pages of the specification: links to files of the repository are changed to links to pages of the site."""

import os
import re
from pathlib import Path

from sphinx.application import Sphinx

from firstflight_conformance.format.clauses import page_name
from firstflight_conformance.paths import SPEC
from pages import errata

_LINK = re.compile(r"\]\((?P<path>(?:\.\./)?(?:[a-z-]+/)?[a-z-]+\.md)(?P<rest>#[^)]*)?\)")


def lead_to_pages(app: Sphinx, path: Path, document: str, content: list[str]) -> None:
    """Rewrite the links of an included page of ``spec/``."""
    if "spec" in path.parts:
        page = errata.with_links(content[0], path.parent.name) if path.name == "errata.md" else content[0]
        content[0] = on_the_site(page, SPEC if path.parent.name == SPEC.name else SPEC / path.parent.name)


def on_the_site(text: str, folder: Path) -> str:
    """Return a page of this folder with links to pages of the site."""

    def link(match: re.Match[str]) -> str:
        path = Path(os.path.normpath(folder / match["path"]))
        return f"]({page_name(path)}.md{match['rest'] or ''})"

    return _LINK.sub(link, text)

"""Links to cited sources: RFCs with sections, drafts, repositories at a commit, files of this repository in code font."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from firstflight_conformance.paths import ROOT
from pages import beside, site

_RFC = "https://www.rfc-editor.org/rfc/rfc"
_DRAFT = "https://datatracker.ietf.org/doc/html/"
_REPOSITORY = "https://github.com/"
#: Drafts whose address differs from their name.
_DRAFTS = {
    "draft-chung-ietf-ccwg-00": f"{_REPOSITORY}Project-Faster/tcp_ss_search/blob/4f5e1d9/rfc-draft/draft-chung-ietf-ccwg-00.md",
}
_CITED = re.compile(
    r"\bRFC (?P<rfc>[1-9][0-9]{2,3})(?:,? (?:section )?(?P<section>[1-9][0-9]?(?:\.[0-9]+)+|[1-9](?![0-9.]*[0-9]))(?=[\s,;:.)]|$))?"
    r"|\b(?P<owner>[A-Za-z0-9][\w-]*)/(?P<repository>[\w.-]+) (?:@|at) (?P<commit>[0-9a-f]{7,40})\b"
    r"|\b(?P<draft>draft(?:-[a-z][a-z0-9]*){3,}(?:-[0-9]{2})?)(?![-\w])"
)
#: Paths that only look like a repository: a file in a folder.
_FILE = re.compile(r"\.(c|h|cc|go|py|rs|md)$")
#: Nodes without citations, or where links are not allowed.
_CLOSED = (nodes.reference, nodes.title, nodes.literal_block, nodes.raw, nodes.comment, nodes.image)


def addresses(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the citations in a text: beginning, end, and address."""
    for match in _CITED.finditer(text):
        if match["rfc"]:
            place = f"#section-{match['section']}" if match["section"] else ""
            yield match.start(), match.end(), f"{_RFC}{match['rfc']}{place}"
        elif match["draft"]:
            yield match.start(), match.end(), _DRAFTS.get(match["draft"], _DRAFT + match["draft"])
        elif not _FILE.search(match["repository"]):
            name = f"{match['owner']}/{match['repository']}"
            yield match.start(), match.end(), f"{_REPOSITORY}{name}/tree/{match['commit']}"


def link_sources(app: Sphinx, doctree: nodes.document, document: str) -> None:
    """Turn each citation on a page, and each path of a source file on the site, into a link."""
    for node in list(doctree.findall(nodes.Text)):
        if not _is_open(node):
            continue
        if isinstance(node.parent, nodes.literal) and (page := _shown(node.astext())):
            uri = app.builder.get_relative_uri(document, page)
            _replace(node.parent, [nodes.reference("", "", node.parent.deepcopy(), refuri=uri, internal=True)])
        elif links := list(addresses(node.astext())):
            _replace(node, list(_linked(node.astext(), links)))


def _is_open(node: nodes.Node) -> bool:
    parent = node.parent
    while parent is not None:
        if isinstance(parent, _CLOSED) or parent.tagname.startswith("desc"):
            return False
        parent = parent.parent
    return True


def _linked(text: str, links: list[tuple[int, int, str]]) -> Iterator[nodes.Node]:
    end = 0
    for start, stop, address in links:
        yield nodes.Text(text[end:start])
        yield nodes.reference("", text[start:stop], refuri=address, internal=False)
        end = stop
    yield nodes.Text(text[end:])


def _replace(node: nodes.Node, by: list[nodes.Node]) -> None:
    parent = node.parent
    place = parent.index(node)
    parent[place : place + 1] = [node for node in by if not isinstance(node, nodes.Text) or node.astext()]


def _shown(text: str) -> str | None:
    """Return the page of a source file of this repository by its path, or None."""
    if "/" not in text or " " in text or not text.endswith((".py", ".c", ".h")):
        return None
    path = ROOT / text
    return _pages().get(path)


@cache
def _pages() -> dict[Path, str]:
    return {path: site.source_page(path) for path in site.source_files()} | beside.pages()

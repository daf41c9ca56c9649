"""Citations become links, and text that only looks like a citation does not."""

import pytest
from docutils import nodes

from firstflight_conformance.paths import ROOT
from pages import sources

RFC = "https://www.rfc-editor.org/rfc/rfc"
DRAFT = "https://datatracker.ietf.org/doc/html/"
HUB = "https://github.com/"
CITED = {
    "as RFC 9002 says": [("RFC 9002", f"{RFC}9002")],
    "RFC 9002, section 7.3.1 and 7.3.2": [("RFC 9002, section 7.3.1", f"{RFC}9002#section-7.3.1")],
    "(RFC 9406, 4.2)": [("RFC 9406, 4.2", f"{RFC}9406#section-4.2")],
    "RFC 9002, appendix B.5": [("RFC 9002", f"{RFC}9002")],
    "RFC 9438, 12 vectors": [("RFC 9438", f"{RFC}9438")],
    "draft-kazuho-ccwg-rapid-start-02 of March": [("draft-kazuho-ccwg-rapid-start-02", f"{DRAFT}draft-kazuho-ccwg-rapid-start-02")],
    "draft-chung-ietf-ccwg-00": [
        ("draft-chung-ietf-ccwg-00", f"{HUB}Project-Faster/tcp_ss_search/blob/4f5e1d9/rfc-draft/draft-chung-ietf-ccwg-00.md"),
    ],
    "mozilla/neqo @ 80ca01ee, `cc/search.rs`": [("mozilla/neqo @ 80ca01ee", f"{HUB}mozilla/neqo/tree/80ca01ee")],
    "aws/s2n-quic at a33d369b": [("aws/s2n-quic at a33d369b", f"{HUB}aws/s2n-quic/tree/a33d369b")],
    "kazuho/draft-kazuho-ccwg-rapid-start @ d3b20431": [
        ("kazuho/draft-kazuho-ccwg-rapid-start @ d3b20431", f"{HUB}kazuho/draft-kazuho-ccwg-rapid-start/tree/d3b20431"),
    ],
    "picoquic/timing.c @ 0d358789": [],
    "draft-09-idle-restarts, draft-00 and draft-search-slowstart": [],
}  # fmt: skip


@pytest.mark.parametrize("text", CITED)
def test_citations_are_found(text: str) -> None:
    assert [(text[start:end], address) for start, end, address in sources.addresses(text)] == CITED[text]


class Builder:
    """A builder whose pages are all in one folder."""

    def get_relative_uri(self, document: str, page: str) -> str:
        return f"{page}.html"


class App:
    """The part of a Sphinx application that the links need."""

    builder = Builder()


def linked(*parts: nodes.Node) -> tuple[str, list[tuple[str, str]]]:
    """Return the text of a paragraph of these parts, and its links."""
    document = nodes.document("", "")  # type: ignore[arg-type]
    document += nodes.paragraph("", "", *parts)
    sources.link_sources(App(), document, "page")  # type: ignore[arg-type]
    return document.astext(), [(link.astext(), link["refuri"]) for link in document.findall(nodes.reference)]


def test_text_and_code_become_links() -> None:
    assert linked(nodes.Text("see RFC 9002.")) == ("see RFC 9002.", [("RFC 9002", f"{RFC}9002")])
    path = "reference-py/src/firstflight/hystartpp/hystartpp.py"
    assert (ROOT / path).exists()
    assert linked(nodes.literal("", path)) == (path, [(path, "_generated/source/hystartpp/hystartpp-py.html")])


def test_links_and_other_code_are_unchanged() -> None:
    assert linked(nodes.reference("", "RFC 9002", refuri="x")) == ("RFC 9002", [("RFC 9002", "x")])
    assert linked(nodes.literal("", "conformance/no_such.py")) == ("conformance/no_such.py", [])

"""An appendix as a `<section>` of RFC XML v3 (RFC 7991)."""

import re
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from pages.appendix.blocks import Block, Definitions, Listing, Outline, Paragraph, Section

_CODE = re.compile(r"`([^`]+)`")


def text(section: Section) -> str:
    """Return the section as a document with one root, to be included in `<back>`."""
    return "\n".join(_lines(section)) + "\n"


def _lines(block: Block) -> Iterator[str]:
    match block:
        case Section():
            yield f"<section anchor={quoteattr(block.anchor)}>"
            yield f"<name>{_inline(block.title)}</name>"
            for inner in block.blocks:
                yield from _lines(inner)
            yield "</section>"
        case Paragraph():
            yield f"<t>{_inline(block.text)}</t>"
        case Definitions():
            yield '<dl newline="true">'
            for term, about in block.entries:
                yield f"<dt>{_inline(term)}</dt>"
                yield f"<dd>{_inline(about)}</dd>"
            yield "</dl>"
        case Outline():
            yield from _list(block.entries)
        case Listing():
            element, kind = ("sourcecode", f" type={quoteattr(block.language)}") if block.language else ("artwork", "")
            yield f"<{element}{kind}>\n{escape(block.text)}\n</{element}>"


def _list(entries: Sequence[tuple[int, str]]) -> Iterator[str]:
    """Yield the entries of one depth, each with its deeper entries as a list of its own."""
    depth = entries[0][0]
    starts = [place for place, (own, _) in enumerate(entries) if own == depth]
    yield '<ul spacing="compact">'
    for start, end in zip(starts, [*starts[1:], len(entries)], strict=True):
        yield f"<li><t>{_inline(entries[start][1])}</t>"
        if end > start + 1:
            yield from _list(entries[start + 1 : end])
        yield "</li>"
    yield "</ul>"


def _inline(prose: str) -> str:
    return _CODE.sub(r"<tt>\1</tt>", escape(prose))

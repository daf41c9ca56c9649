"""An appendix as Markdown for kramdown-rfc, to be included after `--- back`."""

import re
from collections.abc import Iterator

from pages.appendix.blocks import Block, Definitions, Listing, Outline, Paragraph, Section

_CODE = re.compile(r"(`[^`]+`)")
#: Characters with a meaning in kramdown, outside of code.
_SPECIAL = re.compile(r"[\\`*_{}\[\]<>#|$\"'^]|-(?=-)|\.(?=\.\.)")
#: The start of a line that kramdown reads as an item of a list.
_NUMBERED = re.compile(r"^(\d+)\.(?=\s)|^([+-])(?=\s)")
_FENCE = "~~~~"


def text(section: Section) -> str:
    """Return the section with a heading of the first level."""
    return "\n\n".join(_blocks(section, 1)) + "\n"


def _blocks(block: Block, level: int) -> Iterator[str]:
    match block:
        case Section():
            yield f"{'#' * level} {_inline(block.title)} {{#{block.anchor}}}"
            for inner in block.blocks:
                yield from _blocks(inner, level + 1)
        case Paragraph():
            yield _inline(block.text)
        case Definitions():
            yield "\n\n".join(f"{_inline(term)}\n: {_inline(about)}" for term, about in block.entries)
        case Outline():
            yield "\n".join(f"{'  ' * depth}* {_inline(prose)}" for depth, prose in block.entries)
        case Listing():
            kind = f" {block.language}" if block.language else ""
            yield f"{_FENCE}{kind}\n{block.text}\n{_FENCE}"


def _inline(prose: str) -> str:
    parts = [
        piece if place % 2 else _SPECIAL.sub(lambda sign: f"\\{sign[0]}", piece)
        for place, piece in enumerate(_CODE.split(prose))
    ]
    return _NUMBERED.sub(lambda sign: f"{sign[1]}\\." if sign[1] else f"\\{sign[2]}", "".join(parts))

"""Blocks of an appendix, independent of the format. Text may contain code between backticks."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Definitions:
    """Terms with their descriptions."""

    entries: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """A nested list: the depth of each entry, from 0, and its text. The depth grows by one at a time."""

    entries: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """Lines that are shown as they are: source code in a language, or artwork without one."""

    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A section with its title, its anchor and its blocks."""

    title: str
    anchor: str
    blocks: "tuple[Block, ...]"


Block: TypeAlias = Paragraph | Definitions | Outline | Listing | Section

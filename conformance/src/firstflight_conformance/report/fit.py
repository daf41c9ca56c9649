"""Shortens a report to a number of lines: keeps the most important lines and counts the others."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum

from rich.console import Console

#: Default limit of lines in a report.
LINES = 60


class Rank(IntEnum):
    """Importance of a block of report lines, most important first: a report with a limit of lines omits the last ones.

    ``_NAMES`` has the text for each rank in the summary of the omitted lines.
    """

    FAILURE = 0
    ERROR = 1
    CHANGE = 2
    CHOICE = 3
    SKIPPED = 4
    UNSUPPORTED = 5
    EXPLANATION = 6
    LOOP = 7


_NAMES = {
    Rank.FAILURE: "on failures",
    Rank.ERROR: "on errors",
    Rank.CHANGE: "on changes",
    Rank.CHOICE: "on choices",
    Rank.SKIPPED: "on skipped adapters",
    Rank.UNSUPPORTED: "on unsupported cases",
    Rank.EXPLANATION: "on explained deviations",
    Rank.LOOP: "of the closed loop",
}


@dataclass(frozen=True, slots=True)
class Block:
    """Printed lines that belong together. ``parts``: lengths, in lines, of consecutive parts that are printed whole."""

    rank: Rank
    lines: tuple[str, ...]
    parts: tuple[int, ...]

    def cut(self, lines: int) -> tuple[str, ...]:
        """Return the first parts that fit into a number of lines."""
        count = 0
        for part in self.parts:
            if count + part > lines:
                break
            count += part
        return self.lines[:count]


class Blocks:
    """Collects the console output within :meth:`block`."""

    def __init__(self, out: Console) -> None:
        """Start without blocks."""
        self.blocks: list[Block] = []
        self._out = out

    @contextmanager
    def block(self, rank: Rank) -> Iterator[None]:
        """Collect the output within the context as a block. ``rank``: its importance.

        If the report exceeds its limit of lines, the least important blocks are cut first. The block may be cut at any
        of its lines.
        """
        with self.rows(rank):
            yield

    @contextmanager
    def rows(self, rank: Rank) -> Iterator[list[int]]:
        """Collect the output within the context as a block. Yield an empty list, to be filled with line indices.

        ``rank``: the importance of the block. A report with a limit of lines first cuts the least important blocks. It
        cuts the block only before one of the listed lines, and never before the first of them. If the list stays empty,
        the block may be cut before any line.
        """
        begins: list[int] = []
        with self._out.capture() as captured:
            yield begins
        lines = tuple(line.rstrip(" ") for line in captured.get().split("\n")[:-1])
        ends = [*begins[1:], len(lines)] if begins else range(1, len(lines) + 1)
        parts = tuple(end - begin for begin, end in zip([0, *ends], ends, strict=False))
        if lines:
            self.blocks.append(Block(rank, lines, parts))

    def fitted(self, lines: int | None) -> list[str]:
        """Return all lines, or with a limit the lines of the most important blocks and a summary of omitted lines."""
        total = sum(len(block.lines) for block in self.blocks)
        if lines is None or total <= lines:
            return [line for block in self.blocks for line in block.lines]
        remaining_lines = lines - 2  # for the summary and an empty line before it
        cuts: dict[int, tuple[str, ...]] = {}
        missing: Counter[Rank] = Counter()
        for index in sorted(range(len(self.blocks)), key=lambda index: (self.blocks[index].rank, index)):
            block = self.blocks[index]
            cuts[index] = block.cut(max(remaining_lines, 0))
            remaining_lines -= len(cuts[index])
            missing[block.rank] += len(block.lines) - len(cuts[index])
        cut_lines = [line for _, lines in sorted(cuts.items()) for line in lines]
        parts = [f"{count} {_NAMES[rank]}" for rank, count in sorted(missing.items()) if count]
        return [*cut_lines, "", f"not shown: {sum(missing.values())} lines: {', '.join(parts)}; --verbose shows them"]

"""Fits a report to a number of lines: what matters most stays, and what is left out is counted."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum

from rich.console import Console

#: The lines of a report that is not asked to be longer.
LINES = 60


class Rank(IntEnum):
    """How much a block matters, the most first. The name is what is said to be left out."""

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
    Rank.SKIPPED: "on what was skipped",
    Rank.UNSUPPORTED: "on what is not supported",
    Rank.EXPLANATION: "on explained deviations",
    Rank.LOOP: "of the closed loop",
}


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together, as they are printed. ``parts``: of how many lines each part is that is shown whole or not at all."""

    rank: Rank
    lines: tuple[str, ...]
    parts: tuple[int, ...]

    def cut(self, lines: int) -> tuple[str, ...]:
        """Return the first parts that have together no more than so many lines."""
        count = 0
        for part in self.parts:
            if count + part > lines:
                break
            count += part
        return self.lines[:count]


class Blocks:
    """Collects what is printed on a console within :meth:`block`."""

    def __init__(self, out: Console) -> None:
        """Begin with nothing."""
        self.found: list[Block] = []
        self._out = out

    @contextmanager
    def block(self, rank: Rank) -> Iterator[None]:
        """Take what is printed within; it may be cut after any line."""
        with self.rows(rank):
            yield

    @contextmanager
    def rows(self, rank: Rank) -> Iterator[list[int]]:
        """Take what is printed within; it may be cut only before the lines whose indices are put into what this yields.

        The first of them stays with what comes before it. Without any it may be cut anywhere.
        """
        begins: list[int] = []
        with self._out.capture() as captured:
            yield begins
        lines = tuple(line.rstrip(" ") for line in captured.get().split("\n")[:-1])
        ends = [*begins[1:], len(lines)] if begins else range(1, len(lines) + 1)
        parts = tuple(end - begin for begin, end in zip([0, *ends], ends, strict=False))
        if lines:
            self.found.append(Block(rank, lines, parts))

    def fitted(self, lines: int | None) -> list[str]:
        """Return the lines in their order; with a bound those of the blocks that matter most, and what is left out."""
        total = sum(len(block.lines) for block in self.found)
        if lines is None or total <= lines:
            return [line for block in self.found for line in block.lines]
        left = lines - 2  # for the line that says what is left out, and an empty one before it
        shown: dict[int, tuple[str, ...]] = {}
        missing: Counter[Rank] = Counter()
        for index in sorted(range(len(self.found)), key=lambda index: (self.found[index].rank, index)):
            block = self.found[index]
            shown[index] = block.cut(max(left, 0))
            left -= len(shown[index])
            missing[block.rank] += len(block.lines) - len(shown[index])
        kept = [line for _, lines in sorted(shown.items()) for line in lines]
        parts = [f"{count} {_NAMES[rank]}" for rank, count in sorted(missing.items()) if count]
        return [*kept, "", f"not shown: {sum(missing.values())} lines: {', '.join(parts)}; --verbose shows them"]

"""The examples of pages: commands of ``sh`` blocks, each with the shortened output in the block without a language below it."""

import re
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.M | re.S)


@dataclass(frozen=True)
class Example:
    """A command, and its output on the page, or None.

    ``block`` is the number of Python blocks above the command.
    """

    line: int
    command: str
    output: str | None
    block: int


def examples(page: Path) -> list[Example]:
    """Return the examples of a page. Raise :class:`ValueError` for an output without a command above it."""
    text = page.read_text("utf-8")
    shell_examples: list[Example] = []
    block = 0
    for match in _BLOCK.finditer(text):
        language, content = match.groups()
        line = text.count("\n", 0, match.start()) + 2
        block += language == "python"
        if language == "sh":
            commands = (
                (number, re.sub(r"(?:^|\s)#.*", "", row).strip())
                for number, row in enumerate(content.splitlines(), line)
            )
            shell_examples += [Example(number, command, None, block) for number, command in commands if command]
        elif not language:
            if not shell_examples or shell_examples[-1].output is not None:
                raise ValueError(f"{page}:{line}: output without a command")
            shell_examples[-1] = Example(shell_examples[-1].line, shell_examples[-1].command, content, block)
    return shell_examples


def first_difference(expected: str, output: str) -> str | None:
    """Return the first line of a shortened output that differs, or None.

    A line ``...`` replaces any number of lines, and ``...`` in a line any text. Empty lines and widths of columns do not count.
    """
    lines = [" ".join(line.split()) for line in output.splitlines() if line.strip()]
    skips = False
    for row in (" ".join(line.split()) for line in expected.splitlines() if line.strip()):
        if row == "...":
            skips = True
            continue
        pattern = ".*".join(map(re.escape, row.split("...")))
        matches = [place for place, line in enumerate(lines) if re.fullmatch(pattern, line)]
        if not matches or (matches[0] and not skips):
            return row
        lines = lines[matches[0] + 1 :]
        skips = False
    return None if skips or not lines else lines[0]

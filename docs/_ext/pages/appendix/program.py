"""The program of a profile with lines that fit an RFC."""

import subprocess
import sys
import textwrap
from pathlib import Path

#: Columns of artwork and source code in an RFC, after the three of its indentation (RFC 7994, section 4.3).
WIDTH = 69


#: The formatter, which `make setup` installs.
RUFF = Path(sys.executable).with_name("ruff")


def text(source: str) -> str:
    """Return a program formatted by ruff, then with its long comments and docstrings wrapped."""
    command = [str(RUFF), "format", "-q", "--isolated", "--line-length", str(WIDTH), "-"]
    formatted = subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
    return "\n".join(line for long in formatted.rstrip().splitlines() for line in _wrapped(long))


def _wrapped(line: str) -> list[str]:
    if len(line) <= WIDTH:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    later = f"{indent}# " if line.lstrip().startswith("#") else indent
    return textwrap.wrap(line, WIDTH, subsequent_indent=later, break_long_words=False, break_on_hyphens=False)

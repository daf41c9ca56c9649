"""Writes a file per process. ``parts.py FOLDER MODE``: ``right``, or each process declares its own version."""

import os
import sys
from pathlib import Path

from base import HELLO, Message, line, serve

_CASES = Path(sys.argv[1], str(os.getpid()))
_CASES.touch()


def hook(case: str, message: Message, answer: Message) -> bytes:
    """Write the case to the file of this process; return the right answer."""
    if message["op"] == "end":
        with _CASES.open("a", encoding="utf-8") as file:
            file.write(f"{case}\n")
    return line(answer)


serve(hook, HELLO | {"version": "1" if sys.argv[2] == "right" else str(os.getpid())})

"""Attacks the runner. ``attacks.py MODE WHERE``: the member for the text, or a file that remembers process ids."""

import os
import subprocess
import sys
import time
from pathlib import Path

from base import Message, line, serve

_MODE, _WHERE = sys.argv[1:3]
_TEXTS = {
    "surrogate": "\ud800",
    "escape": "\x1b[2J\x1b]0;owned\x07\nall passed",
    "long": "x" * 60_000,
}


def remember(pids: list[int]) -> None:
    """Write the ids of processes to the file."""
    Path(_WHERE).write_text(" ".join(map(str, pids)) + "\n", encoding="utf-8")


def detached() -> int:
    """Start a grandchild in its own session, whose parent has exited; return its process id."""
    code = "import subprocess, sys; p = subprocess.Popen(['sleep', '60'], start_new_session=True, stdin=-3, stdout=-3, stderr=-3); print(p.pid)"
    return int(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)


def at_event() -> None:
    """Execute the action of the mode at an event."""
    if _MODE == "hang":
        remember([os.getpid()])
        time.sleep(60)
    elif _MODE == "detach" and not Path(_WHERE).exists():
        remember([detached()])
    elif _MODE == "detach-and-hang":
        child = subprocess.Popen(["sleep", "60"])
        remember([os.getpid(), child.pid, detached()])
        time.sleep(60)
    elif _MODE == "slow-once" and not Path(_WHERE).exists():
        Path(_WHERE).write_text("crashed", encoding="utf-8")
        os._exit(3)


def at_hello() -> None:
    """Sleep after the first crash."""
    memory = Path(_WHERE)
    if _MODE == "slow-once" and memory.exists() and memory.read_text(encoding="utf-8") == "crashed":
        memory.write_text("slow", encoding="utf-8")
        time.sleep(60)


def hook(_case: str, message: Message, answer: Message) -> bytes:
    """Return the answer, with the text in its member."""
    if message["op"] == "event":
        at_event()
    if _MODE in _TEXTS and _WHERE in answer:
        answer = answer | {_WHERE: _TEXTS[_MODE]}
    return line(answer)


at_hello()
serve(hook)

"""Misbehaves as a process. ``behaves.py MODE [FILE]``: at start, or in the cases whose id has the topic ``target``."""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from base import Message, line, serve


def flood(chunk: bytes) -> None:
    """Write 100 MB."""
    for _ in range(100_000_000 // len(chunk)):
        os.write(1, chunk)


def close_output() -> None:
    """Close standard output and stay."""
    os.close(1)
    time.sleep(60)


def fork() -> None:
    """Start a child that keeps all pipes open."""
    child = os.fork()
    if child == 0:
        time.sleep(60)
        os._exit(0)
    Path(sys.argv[2]).write_text(str(child), encoding="utf-8")


def fork_and_exit() -> None:
    """Start a child and crash."""
    fork()
    os._exit(5)


AT_EVENT: dict[str, Callable[[], object]] = {
    "crash": lambda: os._exit(3),
    "abort": lambda: os.kill(os.getpid(), signal.SIGABRT),
    "hang": lambda: time.sleep(60),
    "close-output": close_output,
    "flood": lambda: flood(b"x" * 65536),
    "flood-lines": lambda: flood(b"{}\n" * 20000),
    "log": lambda: sys.stderr.write("y" * 10_000_000 + "\n"),
    "fork": fork,
    "fork-and-exit": fork_and_exit,
}


def crash_at_start() -> None:
    """Write the reason to standard error and exit."""
    sys.exit("cannot find my library")


def stubborn() -> None:
    """Ignore the end of the input."""
    serve()
    time.sleep(60)


def fail_at_end() -> None:
    """Exit with a bad code after everything was answered."""
    serve()
    sys.exit(9)


def crash_again() -> None:
    """Crash in the target case, and at every later start. The file remembers."""
    memory = Path(sys.argv[2])
    if memory.exists():
        sys.exit(4)
    sys.argv[1] = "crash"
    memory.touch()
    serve(hook)


def dribble() -> None:
    """Answer hello one byte at a time, never to the end."""
    while True:
        os.write(1, b" ")
        time.sleep(0.05)


AT_START: dict[str, Callable[[], object]] = {
    "crash-at-start": crash_at_start,
    "mute": lambda: time.sleep(60),
    "stubborn": stubborn,
    "fail-at-end": fail_at_end,
    "crash-again": crash_again,
    "dribble": dribble,
    "exit-after-case": lambda: serve(exit_after_case),
}


def exit_after_case(_case: str, message: Message, answer: Message) -> bytes:
    """Exit after each case."""
    if message["op"] == "end":
        os.write(1, line(answer))
        os._exit(0)
    return line(answer)


def hook(case: str, message: Message, answer: Message) -> bytes:
    """Misbehave before the answer to event 1."""
    if ".target." in case and message.get("i") == 1:
        AT_EVENT[sys.argv[1]]()
    return line(answer)


if sys.argv[1] in AT_START:
    AT_START[sys.argv[1]]()
else:
    serve(hook)

"""What a run has started and must not leave behind.

On Linux an adapter dies with the runner (parent-death signal), and what detaches from an adapter becomes a child of the runner
(subreaper) and is ended with the run. Elsewhere the process group of the adapter is what can be ended.
"""

import ctypes
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

_SET_DEATH_SIGNAL, _SET_SUBREAPER = 1, 36  # prctl(2)
_ROUNDS = 100  # of looking for children, against those that go on forking
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def die_with_parent() -> None:
    """In a new child, before it becomes an adapter: let it be killed when the thread that started it ends."""
    if _LIBC is not None:
        _LIBC.prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def adopt() -> None:
    """Let what loses its parent below this process become its child."""
    if _LIBC is not None:
        _LIBC.prctl(_SET_SUBREAPER, 1, 0, 0, 0)


def stay_on_one_processor(number: int) -> set[int]:
    """Bind this thread, and all processes that it starts from now on, to one of its processors; return the previous set.

    In closed loop runner and adapter never run at the same time, and waking a process on another processor costs more than an answer.
    """
    if not hasattr(os, "sched_setaffinity"):
        return set()
    processors = os.sched_getaffinity(0)
    with suppress(OSError):
        os.sched_setaffinity(0, {sorted(processors)[number % len(processors)]})
    return processors


def return_to(processors: set[int]) -> None:
    """Undo :func:`stay_on_one_processor`."""
    if processors:
        with suppress(OSError):
            os.sched_setaffinity(0, processors)


def descendants(ancestor: int) -> list[int]:
    """Return the processes below one, as far as the system tells."""
    below: dict[int, list[int]] = {}
    folders: list[Path] = []
    with suppress(OSError):  # no file may be opened any more
        folders = list(Path("/proc").glob("[0-9]*"))
    for folder in folders:
        with suppress(OSError, ValueError):
            # pid (name) state ppid ...; the name may hold anything.
            state, parent = (
                (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[:2]
            )
            if state != "Z":
                below.setdefault(int(parent), []).append(int(folder.name))
    found, parents = [], [ancestor]
    while parents:
        children = below.get(parents.pop(), [])
        found += children
        parents += children
    return found


def end_all(ancestor: int) -> None:
    """Kill every process below one, until there is none."""
    for _ in range(_ROUNDS):
        found = descendants(ancestor)
        if not found:
            return
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)

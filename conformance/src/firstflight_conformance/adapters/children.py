"""Cleanup of the processes that a run has started.

On Linux an adapter dies with the runner (parent-death signal). A process that detaches from its adapter becomes a child
of the runner (subreaper) and is killed with the run. On other systems only the process group of the adapter is killed.
"""

import ctypes
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

_SET_DEATH_SIGNAL, _SET_SUBREAPER = 1, 36  # prctl(2)
_ROUNDS = 100  # limit on searches for children, against processes that keep forking
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def die_with_parent() -> None:
    """Let the calling process be killed when the thread that started it ends; runs in a new child before exec."""
    if _LIBC is not None:
        _LIBC.prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def adopt() -> None:
    """Make this process the new parent of orphaned descendants."""
    if _LIBC is not None:
        _LIBC.prctl(_SET_SUBREAPER, 1, 0, 0, 0)


def stay_on_one_processor(number: int) -> set[int]:
    """Bind this thread, and all processes that it starts from now on, to one processor; return the previous set.

    In closed loop, runner and adapter never run at the same time.
    Waking a process on another processor costs more than an answer.
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
    """Return the ids of the descendants of a process, as far as /proc lists them."""
    below: dict[int, list[int]] = {}
    folders: list[Path] = []
    with suppress(OSError):  # the limit of open files may be reached
        folders = list(Path("/proc").glob("[0-9]*"))
    for folder in folders:
        with suppress(OSError, ValueError):
            # pid (name) state ppid ...; the name may contain any character.
            state, parent = (
                (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[:2]
            )
            if state != "Z":
                below.setdefault(int(parent), []).append(int(folder.name))
    pids, parents = [], [ancestor]
    while parents:
        children = below.get(parents.pop(), [])
        pids += children
        parents += children
    return pids


def end_all(ancestor: int) -> None:
    """Kill all descendants of a process, repeatedly until none is left."""
    for _ in range(_ROUNDS):
        pids = descendants(ancestor)
        if not pids:
            return
        for pid in pids:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)

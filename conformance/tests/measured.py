"""Runs the program in a process forked from the tests, which needs no imports, and measures its time and memory."""

import os
import sys
import tempfile
import time
from dataclasses import dataclass

from firstflight_conformance.cli import main
from firstflight_conformance.commands import run  # noqa: F401 loaded once, here
from firstflight_conformance.format.schemas import schema_error

schema_error("urn:firstflight:vector:1", {})  # loads the schemas and their validator before the fork
_PAGE_KIB = os.sysconf("SC_PAGESIZE") >> 10


@dataclass(frozen=True)
class Measured:
    """Result of a run. ``more_mib``: the largest memory in addition to the memory shared with the loaded program,
    pages of its files included."""

    code: int
    stdout: str
    stderr: str
    took_s: float
    more_mib: float


def measured(*words: object) -> Measured:
    """Run the program."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began_s, before_kib = time.monotonic(), _own_kib()
        pid = os.fork()
        if pid == 0:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
            sys.argv = ["firstflight", *map(str, words)]
            main()  # does not return
        _, status, usage = os.wait4(pid, 0)
        took_s = time.monotonic() - began_s
        out.seek(0)
        err.seek(0)
        texts = (out.read().decode(), err.read().decode())
    return Measured(os.waitstatus_to_exitcode(status), *texts, took_s, (usage.ru_maxrss - before_kib) / 1024)


def _own_kib() -> int:
    """Return the anonymous memory in KiB, which a forked process has from its start."""
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 as can be
        _, resident, shared, *_ = map(int, file.read().split())
    return (resident - shared) * _PAGE_KIB

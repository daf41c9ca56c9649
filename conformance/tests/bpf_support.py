"""Checks whether BPF programs can be built and loaded; tests that need them are skipped with the reason."""

import fcntl
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from firstflight_conformance.paths import ROOT
from studies.live.bpf.objects import BPF, MissingError, require

OUT = ROOT / "build" / "bpf"


@contextmanager
def kernel() -> Iterator[None]:
    """Skip the test if BPF programs cannot be loaded; run one test at a time, because kernel names are global."""
    try:
        require()
    except MissingError as reason:
        pytest.skip(f"needs BPF: {reason}")
    OUT.mkdir(parents=True, exist_ok=True)
    with (OUT / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def make(*arguments: str) -> None:
    """Build targets of ``reference-c/bpf``."""
    if not shutil.which("gcc"):
        pytest.skip("needs BPF: gcc is not installed")
    subprocess.run(["make", "--silent", "-C", str(BPF), *arguments], check=True)

"""Whether BPF programs can be built and loaded here; tests that need them are skipped with the reason."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from firstflight_conformance.paths import REFERENCE_C, ROOT

BPF = REFERENCE_C / "bpf"
OUT = ROOT / "build" / "bpf"


def missing(*commands: str) -> str | None:
    """Return what prevents BPF programs from being built and loaded, or None."""
    for command in ("clang", "make", *commands):
        if not shutil.which(command):
            return f"{command} is not installed"
    if not Path("/usr/include/bpf/bpf_helpers.h").exists():
        return "headers of libbpf are not installed (libbpf-dev)"
    if os.geteuid() != 0:
        return "not root"
    if not Path("/sys/kernel/btf/vmlinux").exists():
        return "the kernel has no BTF"
    return None


def make(*arguments: str) -> None:
    """Build targets of ``reference-c/bpf``; skip the test where BPF programs cannot be built or loaded."""
    if reason := missing("bpftool", "gcc"):
        pytest.skip(f"needs BPF: {reason}")
    subprocess.run(["make", "--silent", "-C", str(BPF), *arguments], check=True)

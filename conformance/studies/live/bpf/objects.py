"""Build, register and unregister the congestion controls of ``reference-c/bpf``, by make and bpftool."""

import fcntl
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from firstflight_conformance.paths import REFERENCE_C, ROOT

BPF = REFERENCE_C / "bpf"
AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
_BTF = Path("/sys/kernel/btf/vmlinux")
_JIT = Path("/proc/sys/net/core/bpf_jit_enable")
_LIBBPF = Path("/usr/include/bpf/bpf_helpers.h")
#: For the whole machine, as names in the kernel are.
_LOCK = Path("/run/firstflight-bpf-load.lock")
#: Lines of the verifier's log that an error shows: the refusal is at its end.
_LOG_LINES = 20


class MissingError(Exception):
    """BPF programs cannot be built or loaded here; the text contains the remedy."""


class BpfError(Exception):
    """The kernel or a tool refused; the text contains the reason."""


@dataclass(frozen=True)
class Object:
    """A congestion control: its name in the kernel, and its profile. ``cubic``: it runs on the kernel's CUBIC."""

    name: str
    source: str
    profile: str
    cubic: bool

    @property
    def names(self) -> tuple[str, str]:
        """Names in the kernel: its own, and the name of the programs that some objects switch to after the start."""
        return self.name, f"{self.name}_2"


def objects() -> list[Object]:
    """Return the objects with a profile, in the order of ``objects.txt``."""
    return [control for control in everything() if control.profile != "-"]


def everything() -> list[Object]:
    """Return all objects, including objects without a profile, which are used for comparison."""
    lines = (BPF / "objects.txt").read_text(encoding="utf-8").splitlines()
    words = [line.split() for line in lines if line and not line.startswith("#")]
    return [Object(name, source, profile, "ON_CUBIC" in macros) for name, source, profile, *macros in words]


def find(text: str, *, cubic: bool = False) -> Object:
    """Return the object of a profile, or with this name. Raise :class:`KeyError` if there is none."""
    for control in everything():
        if text == control.name or (text == control.profile and control.cubic == cubic):
            return control
    raise KeyError(text)


def require(*, root: bool = True) -> None:
    """Raise :class:`MissingError` with the remedy if BPF programs cannot be built, or with ``root`` loaded, here."""
    tools = {"clang": "clang", "make": "make", "bpftool": "bpftool"}
    for command, package in tools.items():
        if shutil.which(command) is None:
            raise MissingError(f"{command} is not installed; install the package {package}")
    if not _LIBBPF.exists():
        raise MissingError("headers of libbpf are not installed; install libbpf-dev (Fedora: libbpf-devel)")
    if not root:
        return
    if os.geteuid() != 0:
        raise MissingError("the kernel loads BPF programs for root only; run the command with sudo")
    if not _BTF.exists():
        raise MissingError(f"{_BTF} does not exist; use a kernel with CONFIG_DEBUG_INFO_BTF")
    with suppress(OSError):
        if _JIT.read_text(encoding="ascii").strip() == "0":
            raise MissingError("BPF JIT is off; run `sysctl net.core.bpf_jit_enable=1`")


def build(control: Object, *, allow_all: bool = False, trace: bool = False, lock: int | None = None) -> Path:
    """Return the compiled object. lock: descriptor that the compiler inherits."""
    kind = "-allow-all" if allow_all else "-trace" if trace else ""
    flags = "-DALLOW_ALL" if allow_all else "-DFIRSTFLIGHT_TRACE" if trace else ""
    out = ROOT / "build" / f"bpf{kind}"
    program = out / f"{control.name}.o"
    done = _run("make", "--silent", "-C", str(BPF), f"OUT={out}", f"FLAGS={flags}", str(program), lock=lock)
    if done.returncode:
        raise BpfError(f"{control.source}.bpf.c does not compile:\n{_tail(done.stderr)}")
    return program


def available() -> list[str]:
    """Return the names of all congestion controls that a socket can choose."""
    return AVAILABLE.read_text(encoding="ascii").split()


def registered() -> dict[str, list[str]]:
    """Return the ids of our objects in the kernel by name, also of unregistered ones whose connections still run."""
    done = _run("bpftool", "struct_ops", "list")
    names = {name for control in everything() for name in control.names}
    ids: dict[str, list[str]] = {}
    for number, name in re.findall(r"^(\d+): (\w+)", done.stdout, re.M):
        if name in names:
            ids.setdefault(name, []).append(number)
    return ids


def load(control: Object, *, allow_all: bool = False) -> None:
    """Register an object. Raise :class:`BpfError` if its name exists or the verifier refuses it."""
    with one_at_a_time() as lock:
        if not set(available()).isdisjoint(control.names):
            raise BpfError(
                f"{control.name} is loaded already; unload it first: firstflight kernel unload {control.name}"
            )
        program = build(control, allow_all=allow_all, lock=lock)
        # Without -d, which makes the log of a large program overflow and hides the reason in the kernel's answer.
        done = _run("bpftool", "struct_ops", "register", str(program), lock=lock)
    if control.name not in available():
        raise BpfError(f"{control.name} was refused; end of the log:\n{_tail(done.stdout + done.stderr)}")


def unload(control: Object) -> None:
    """Unregister an object; its connections keep it to their end. Raise :class:`BpfError` if it is not loaded."""
    loaded_names = [name for name in control.names if name in available()]
    if not loaded_names:
        raise BpfError(f"{control.name} is not loaded")
    for name in loaded_names:
        done = _run("bpftool", "struct_ops", "unregister", "name", name)
        if name in available():
            raise BpfError(f"{name} cannot be unloaded:\n{_tail(done.stderr)}")


@contextmanager
def loaded(control: Object, *, allow_all: bool = False) -> Iterator[Object]:
    """Register an object, and unregister it at the end."""
    load(control, allow_all=allow_all)
    try:
        yield control
    finally:
        unload(control)


@contextmanager
def one_at_a_time() -> Iterator[int]:
    """Let no other process check a name or build an object at the same time; yield the descriptor of the lock.

    Children inherit the descriptor: they keep the lock to their end if this process is killed.
    """
    with _LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock.fileno()


def _run(*command: str, lock: int | None = None) -> "subprocess.CompletedProcess[str]":
    inherited = () if lock is None else (lock,)
    return subprocess.run(
        command, capture_output=True, text=True, errors="replace", check=False, timeout=300, pass_fds=inherited
    )


def _tail(log: str) -> str:
    lines = [line for line in log.splitlines() if not line.startswith(("processed ", "-- END"))]
    return "\n".join(line[:300] for line in lines[-_LOG_LINES:])

"""The objects of ``reference-c/bpf`` register, carry connections and unregister; errors contain the remedy."""

import os
import socket
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bpf_support import kernel
from firstflight_conformance import exits
from firstflight_conformance.cli import main
from firstflight_conformance.records.results import ExitCode
from studies.live.bpf import objects as bpf
from studies.live.bpf.objects import BpfError, MissingError, Object

SIZE = 4_000_000


def transfer(name: str, *, size: int = SIZE) -> tuple[int, str]:
    """Send bytes over loopback; return the number of received bytes, and the congestion control of the socket."""
    arrived = 0
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())

        def receive() -> None:
            nonlocal arrived
            peer, _ = server.accept()
            with peer:
                while data := peer.recv(1 << 20):
                    arrived += len(data)

        receiver = threading.Thread(target=receive)
        receiver.start()
        with socket.socket() as sender:
            sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())
            sender.connect(server.getsockname())
            sender.sendall(bytes(size))
            used = sender.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\0").decode()
        receiver.join(30)
    return arrived, used


@pytest.mark.parametrize("bpf_object", bpf.objects(), ids=lambda bpf_object: bpf_object.name)
def test_registers_carries_connections_and_unregisters(bpf_object: Object) -> None:
    """Each object registers, carries two connections and unregisters; the second may reuse cached parameters."""
    with kernel():
        with bpf.loaded(bpf_object):
            assert bpf_object.name in bpf.registered()
            for _ in range(2):
                arrived, used = transfer(bpf_object.name)
                assert arrived == SIZE
                assert used in bpf_object.names
        assert set(bpf_object.names).isdisjoint(bpf.available())


@pytest.mark.parametrize("name", ["ff_jumpstart", "ff_resume"])
def test_a_connection_changes_its_programs_after_the_start(name: str) -> None:
    """A connection changes to the later programs, without ``min_tso_segs``, or keeps the first if they are missing."""
    bpf_object = bpf.find(name)
    with kernel(), bpf.loaded(bpf_object):
        assert transfer(name) == (SIZE, bpf_object.names[1])
        # bpftool fails where unregistered programs of this name still have connections; the name must be gone.
        subprocess.run(["bpftool", "struct_ops", "unregister", "name", bpf_object.names[1]], check=False)
        assert bpf_object.names[1] not in bpf.available()
        assert transfer(name) == (SIZE, name)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["kernel", *arguments])


def test_duplicate_load_and_missing_unload_are_refused() -> None:
    """Loading a loaded object and unloading a missing one are refused before the kernel writes to its log."""
    bpf_object = bpf.find("hystartpp/rfc-9406")
    with kernel():
        with bpf.loaded(bpf_object):
            again = run("load", bpf_object.profile)
            assert again.exit_code == exits.UNUSABLE
            assert "is loaded already; unload it first" in again.output
        gone = run("unload", bpf_object.name)
        assert gone.exit_code == exits.UNUSABLE
        assert f"{bpf_object.name} is not loaded" in gone.output


def test_unprivileged_users_need_allow_all() -> None:
    bpf_object = bpf.find("limited-slow-start/rfc-3742")
    with kernel():
        for allow_all in (False, True):
            with bpf.loaded(bpf_object, allow_all=allow_all):
                allowed = bpf.AVAILABLE.with_name("tcp_allowed_congestion_control").read_text("ascii").split()
                assert (bpf_object.name in allowed) == allow_all


def test_refused_load_reports_the_end_of_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    bpf_object = bpf.find("search/draft-09")
    with kernel():
        vectors = bpf.ROOT / "README.md"
        monkeypatch.setattr(bpf, "build", lambda *_, **__: vectors)
        with pytest.raises(BpfError, match="was refused; end of the log"):
            bpf.load(bpf_object)
        with suppress(BpfError):
            bpf.unload(bpf_object)


def test_bpftool_inherits_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """bpftool inherits the lock, so that the next load waits for it even if the command is killed."""
    bpftool, lock = tmp_path / "bpftool", tmp_path / "lock"
    bpftool.write_text(f"#!/bin/sh\nls -l /proc/self/fd > {tmp_path}/descriptors\n", encoding="ascii")
    bpftool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(bpf, "_LOCK", lock)
    monkeypatch.setattr(bpf, "build", lambda *_, **__: bpftool)
    with pytest.raises(BpfError, match="was refused"):
        bpf.load(bpf.find("search/draft-09"))
    assert str(lock) in (tmp_path / "descriptors").read_text("ascii")


def test_unknown_profile_error_lists_profiles_with_an_object() -> None:
    result = run("load", "search/none")
    assert result.exit_code == exits.UNUSABLE
    assert "choose one of search/draft-09" in result.output


@pytest.mark.parametrize(
    ("target", "value", "remedy"),
    [
        ("shutil.which", lambda name: None if name == "bpftool" else name, "install the package bpftool"),
        ("os.geteuid", lambda: 1000, "run the command with sudo"),
        ("_BTF", bpf.BPF / "none", "CONFIG_DEBUG_INFO_BTF"),
        ("_LIBBPF", bpf.BPF / "none", "install libbpf-dev"),
    ],
)
def test_missing_prerequisites_have_a_remedy(
    monkeypatch: pytest.MonkeyPatch, target: str, value: object, remedy: str
) -> None:
    """Missing prerequisites give exit code 4 and a remedy."""
    present = {"shutil.which": lambda name: name, "os.geteuid": lambda: 0, "_BTF": bpf.BPF, "_LIBBPF": bpf.BPF}
    for name, replacement in (present | {target: value}).items():
        monkeypatch.setattr(f"studies.live.bpf.objects.{name}", replacement)
    with pytest.raises(MissingError, match=remedy):
        bpf.require()
    result = run("load", "search/draft-09")
    assert result.exit_code == ExitCode.NOTHING_RUN
    assert remedy in result.output

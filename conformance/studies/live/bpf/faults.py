"""Faults: killed loads, loads at once, unloading below a transfer, many connections, a full map."""

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from studies.live.bpf.objects import BpfError, available, find, load, loaded, registered, unload

_NAME = "ff_resume"


@contextmanager
def _server(name: str) -> Iterator[int]:
    """Discard the data of clients; yield the port."""
    with socket.create_server(("0.0.0.0", 0), backlog=4096) as server:
        server.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())

        def accept() -> None:
            while True:
                try:
                    peer, _ = server.accept()
                except OSError:
                    return
                threading.Thread(target=discard, args=(peer,), daemon=True).start()

        def discard(peer: socket.socket) -> None:
            with peer:
                while peer.recv(1 << 18):
                    pass

        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1]


def _send(name: str, port: int, size: int, *, address: str = "127.0.0.1", seconds: float = 0) -> int:
    """Send a number of bytes, or for a duration; return the number of sent bytes."""
    with socket.socket() as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())
        client.connect((address, port))
        sent, end = 0, time.monotonic() + seconds
        while sent < size or time.monotonic() < end:
            chunk = min(1 << 16, size - sent) if size else 1 << 16
            client.sendall(bytes(chunk))
            sent += chunk
        return sent


def _unreclaimable_kb() -> int:
    """Return the kernel's memory once closed connections are gone, which wait for 60 s."""
    time.sleep(65)
    lines = Path("/proc/meminfo").read_text("ascii").splitlines()
    return int(next(line for line in lines if line.startswith("SUnreclaim")).split()[1])


def _kernel_lines() -> list[str]:
    return subprocess.run(["dmesg"], capture_output=True, text=True, check=True).stdout.splitlines()


def _command(*arguments: str) -> "subprocess.Popen[bytes]":
    command = [str(Path(sys.executable).with_name("firstflight")), "kernel", *arguments]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def killed_loads() -> str:
    """Kill a load at ten moments of its duration: the name is there or not, and the next load or unload works."""
    control, loads = find(_NAME), 0
    begun = time.monotonic()
    _command("load", control.profile).wait()
    duration = time.monotonic() - begun
    unload(control)
    for moment in range(10):
        process = _command("load", control.profile)
        time.sleep(duration * (moment + 1) / 10)
        process.kill()
        process.wait()
        with suppress(BpfError):  # the killed command's bpftool registers first
            load(control)
            loads -= 1
        loads += 1
        unload(control)
        assert control.name not in available()
    return f"killed at ten moments: registered all the same {loads} times; the next unload or load worked each time"


def loads_at_once() -> str:
    """Load one name from three processes: only one succeeds."""
    control = find(_NAME)
    codes = sorted(process.wait() for process in [_command("load", control.profile) for _ in range(3)])
    unload(control)
    assert codes == [0, 2, 2], codes
    return "three loads of one name at once: one succeeds, two end with exit code 2"


def unload_in_a_transfer() -> str:
    """Unload during a connection: it continues to its end."""
    control, size = find(_NAME), 400_000_000
    load(control)
    with _server(_NAME) as port, ThreadPoolExecutor() as pool:
        sending = pool.submit(_send, _NAME, port, size)
        time.sleep(0.1)
        unload(control)
        assert control.name not in available()
        assert sending.result(60) == size
    return "unload in a transfer of 400 MB: the name is gone at once, and the transfer ends"


def connections(count: int = 1000) -> str:
    """Open connections, eight at a time."""
    with loaded(find(_NAME)), _server(_NAME) as port, ThreadPoolExecutor(8) as pool:
        before = _unreclaimable_kb()
        assert sum(pool.map(lambda _: _send(_NAME, port, 200_000), range(count))) == count * 200_000
        first = _unreclaimable_kb()
        assert sum(pool.map(lambda _: _send(_NAME, port, 200_000), range(count))) == count * 200_000
        after = _unreclaimable_kb()
    return f"twice {count} connections of 200 kB: unreclaimable kernel memory {before}, {first}, {after} kB"


def parallel(count: int = 200, seconds: float = 20) -> str:
    """Keep connections busy at the same time."""
    with loaded(find(_NAME)), _server(_NAME) as port, ThreadPoolExecutor(count) as pool:
        before = _unreclaimable_kb()
        sent = sum(pool.map(lambda _: _send(_NAME, port, 0, seconds=seconds), range(count)))
    memory = f"unreclaimable kernel memory {before}, {_unreclaimable_kb()} kB"
    return f"{count} connections for {seconds:.0f} s: {sent // 10**9} GB; {memory}"


def full_map(count: int = 5000) -> str:
    """Save windows for more destinations than the map can store."""
    with loaded(find(_NAME)), _server(_NAME) as port, ThreadPoolExecutor(8) as pool:
        addresses = [f"127.1.{number // 200}.{number % 200 + 1}" for number in range(count)]
        assert (
            sum(pool.map(lambda address: _send(_NAME, port, 2_000_000, address=address), addresses))
            == count * 2_000_000
        )
        dump = subprocess.run(
            ["bpftool", "map", "dump", "name", "saved"], capture_output=True, text=True, check=False
        ).stdout
    entries = dump.count("cwnd_bytes")
    return f"{count} destinations for a map of 4096 entries: all transfers end; entries at the end: {entries}"


def faults() -> list[str]:
    """Run all faults; return a line for each, and the messages of the kernel."""
    before = len(_kernel_lines())
    lines = []
    for part in (killed_loads, loads_at_once, unload_in_a_transfer, connections, parallel, full_map):
        lines.append(part())
        print(lines[-1], flush=True)
    messages = _kernel_lines()[before:]
    assert _NAME not in available()
    print(registered())
    return [*lines, f"messages of the kernel: {messages or 'none'}"]


def results() -> list[dict[str, Any]]:
    """Return the lines as rows."""
    return [{"line": line} for line in faults()]

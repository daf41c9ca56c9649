"""An emulated path between two TCP stacks: two network namespaces, a TUN device in each, and this process between them.

The server in one namespace sends to a client in the other, so the receive window of the first flight is scaled.
Needs root.
"""

import fcntl
import os
import select
import struct
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path as File

from firstflight_conformance.simulate.scenario import Link, Scenario
from studies.live.path import Path

SERVER_IP, CLIENT_IP = "10.98.0.1", "10.98.0.2"
MSS = 1200
_MTU = MSS + 52  # IPv4, TCP and timestamps
_PORT = 4433
_SET_NAME, _TUN, _NO_INFO = 0x400454CA, 0x0001, 0x1000
_SETTINGS = (
    "net.ipv4.tcp_no_metrics_save=1",
    "net.ipv4.tcp_rmem=4096 33554432 33554432",
    "net.ipv4.tcp_wmem=4096 33554432 33554432",
)
_SERVER = """
import socket, sys
name, port, *sizes = sys.argv[1:]
server = socket.create_server(("0.0.0.0", int(port)))
server.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())
print("ready", flush=True)
for size in sizes:
    connection, _ = server.accept()
    connection.sendall(bytes(int(size)))
    connection.shutdown(socket.SHUT_WR)
    connection.recv(1)
    connection.close()
"""
_CLIENT = """
import socket, sys
address, port, count = sys.argv[1:]
for _ in range(int(count)):
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, 33, 1 << 25)  # SO_RCVBUFFORCE: the window of the first flight
    connection.connect((address, int(port)))
    while connection.recv(1 << 20):
        pass
    connection.close()
"""


@dataclass
class Transfer:
    """A connection as the path saw it. Times in ns; samples count from the first data segment."""

    first_ns: int = 0
    last_ns: int = 0
    highest: int = 0
    segments: int = 0
    dropped: int = 0
    #: Time, end of the data sent so far, end of the data acknowledged so far, segments dropped so far.
    samples: list[tuple[int, int, int, int]] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """Return the completion time."""
        return (self.last_ns - self.first_ns) / 1e9


class Relay:
    """Two TUN devices, and the path of a link between them."""

    def __init__(self, link: Link, scenario: Scenario, server: int, client: int) -> None:
        """Take the files of the devices."""
        self.path = Path(replace(scenario, link=link))
        self.server, self.client = server, client
        self.found: dict[int, Transfer] = {}
        self.acknowledged: dict[int, int] = {}
        self.first: dict[int, int] = {}
        self.connected: set[int] = set()

    def step(self, timeout_s: float) -> None:
        """Wait for packets, take them, and deliver those that are due."""
        due = self.path.next_ns()
        remaining_s = timeout_s if due is None else min(max(due - time.monotonic_ns(), 0) / 1e9, timeout_s)
        readable, _, _ = select.select([self.server, self.client], [], [], remaining_s)
        if self.server in readable:
            for packet in _packets(self.server):
                self._from_server(time.monotonic_ns(), packet)
        if self.client in readable:
            for packet in _packets(self.client):
                self._from_client(packet)
                self.path.answer(time.monotonic_ns(), packet)
        now = time.monotonic_ns()
        while (delivered := self.path.there.pop(now)) is not None:
            os.write(self.client, delivered)
            self._delivered(now, delivered)
        while (answer := self.path.back.pop(now)) is not None:
            os.write(self.server, answer)

    def _from_server(self, now: int, packet: bytes) -> None:
        size, port, seq, _ = _tcp(packet, to_client=True)
        before = self.path.bottleneck.dropped_packets
        self.path.send(now, packet)
        dropped = self.path.bottleneck.dropped_packets - before
        if not size:
            return
        first = self.first.setdefault(port, seq)
        transfer = self.found.setdefault(port, Transfer(first_ns=now))
        transfer.segments += 1
        transfer.dropped += dropped
        transfer.highest = max(transfer.highest, (seq + size - first) & 0xFFFFFFFF)
        acknowledged = self.acknowledged.get(port, 0)
        transfer.samples.append((now - transfer.first_ns, transfer.highest, acknowledged, transfer.dropped))

    def _from_client(self, packet: bytes) -> None:
        _, port, _, ack = _tcp(packet, to_client=False)
        self.connected.add(port)
        if port in self.first:
            self.acknowledged[port] = max(self.acknowledged.get(port, 0), _distance(self.first[port], ack))

    def _delivered(self, now: int, packet: bytes) -> None:
        size, port, _, _ = _tcp(packet, to_client=True)
        if size and port in self.found:
            self.found[port].last_ns = now


def transfers(
    link: Link,
    scenario: Scenario,
    congestion_control: str,
    sizes: Sequence[int],
    *,
    then: Link | None = None,
    limit_s: float = 120,
) -> list[Transfer]:
    """Run transfers from the server, one after the other; the last over another link, if given."""
    with _namespaces() as (server_space, client_space, server, client):
        relay = Relay(link, scenario, server, client)
        listener = _start(server_space, _SERVER, congestion_control, str(_PORT), *map(str, sizes))
        assert listener.stdout is not None
        listener.stdout.readline()
        fetcher = _start(client_space, _CLIENT, SERVER_IP, str(_PORT), str(len(sizes)))
        end = time.monotonic() + limit_s
        try:
            while fetcher.poll() is None and time.monotonic() < end:
                relay.step(0.05)
                if then is not None and len(relay.connected) == len(sizes):
                    relay.path = Path(replace(scenario, link=then))
                    then = None
        finally:
            for process in (fetcher, listener):
                process.kill()
                process.communicate()
    return list(relay.found.values())


@contextmanager
def _namespaces() -> Iterator[tuple[str, str, int, int]]:
    names = [f"ff-{side}-{os.getpid()}" for side in ("server", "client")]
    files: list[int] = []
    try:
        for name, address, peer in zip(names, (SERVER_IP, CLIENT_IP), (CLIENT_IP, SERVER_IP), strict=True):
            device = f"ff{os.getpid()}{name[3]}"
            _ip("netns", "add", name)
            files.append(_tun(device))
            _ip("link", "set", device, "netns", name)
            _ip("-n", name, "addr", "add", address, "peer", peer, "dev", device)
            _ip("-n", name, "link", "set", device, "mtu", str(_MTU), "txqueuelen", "10000", "up")
            _ip("netns", "exec", name, "sysctl", "-q", "-w", *_SETTINGS)
        yield names[0], names[1], files[0], files[1]
    finally:
        for file in files:
            os.close(file)
        for name in names:
            if File(f"/run/netns/{name}").exists():
                _ip("netns", "del", name)


def _tun(device: str) -> int:
    file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(file, _SET_NAME, struct.pack("16sH14x", device.encode(), _TUN | _NO_INFO))
    return file


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


def _start(namespace: str, program: str, *arguments: str) -> "subprocess.Popen[str]":
    command = ["ip", "netns", "exec", namespace, sys.executable, "-c", program, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _packets(file: int) -> Iterator[bytes]:
    for _ in range(64):
        try:
            packet = os.read(file, 65535)
        except BlockingIOError:
            return
        if packet[0] >> 4 == 4:  # the kernel also sends IPv6 router solicitations
            yield packet


def _tcp(packet: bytes, *, to_client: bool) -> tuple[int, int, int, int]:
    """Return the bytes of data, the port of the client, sequence number and acknowledgement."""
    header = (packet[0] & 15) * 4
    source, destination, seq, ack, offset = struct.unpack_from("!HHIIB", packet, header)
    return len(packet) - header - (offset >> 4) * 4, destination if to_client else source, seq, ack


def _distance(first: int, later: int) -> int:
    distance = (later - first) & 0xFFFFFFFF
    return 0 if distance > 1 << 31 else distance

"""An emulated path between two UDP programs on this machine: one thread, two sockets, only loopback.

Datagrams are scheduled by their receive times in the kernel, so a late wake-up delays one delivery but not the later
ones.
"""

import ctypes
import gc
import select
import socket
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from firstflight_conformance.simulate.scenario import Scenario
from studies.live.path import Path

LOOPBACK = "127.0.0.1"
_SO_TIMESTAMPNS = 35
_TIMESPEC = struct.Struct("qq")
_DATAGRAM_MAX_BYTES = 65535
_AT_ONCE = 64  # datagrams read before due datagrams are checked again
_SET_TIMER_SLACK = 29  # prctl(2)


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of a relay. ``late_ns``: the median, ninth decile and maximum of the lateness of datagrams."""

    there: int
    back: int
    dropped: int
    lost: int
    late_ns: tuple[int, int, int]


class Relay:
    """Relays datagrams between ``port`` and the program at ``target_port``, over the path of the scenario.

    Answers go to the address that wrote last.
    """

    def __init__(self, scenario: Scenario, target_port: int, port: int = 0) -> None:
        """Open the sockets. Raise :class:`OSError` if the port is taken."""
        self._path = Path(scenario)
        self._near, self._far = _socket(), _socket()
        self._near.bind((LOOPBACK, port))
        self._far.connect((LOOPBACK, target_port))
        self._sender: tuple[str, int] | None = None
        self.port: int = self._near.getsockname()[1]

    def run(self, seconds: int) -> None:
        """Relay for a number of seconds."""
        if sys.platform == "linux":  # sleep to the microsecond
            ctypes.CDLL(None).prctl(_SET_TIMER_SLACK, 1, 0, 0, 0)
        gc.freeze()
        end_ns = time.monotonic_ns() + seconds * 1_000_000_000
        while (now_ns := time.monotonic_ns()) < end_ns:
            self._step(now_ns, end_ns)

    def close(self) -> None:
        """Close the sockets."""
        self._near.close()
        self._far.close()

    def _step(self, now_ns: int, end_ns: int) -> None:
        """Sleep until a datagram arrives or is due. Read arrived datagrams, and deliver due ones."""
        due_ns = self._path.next_ns()
        remaining_ns = max(min(end_ns, end_ns if due_ns is None else due_ns) - now_ns, 0)
        # Python's epoll rounds to milliseconds, select does not.
        readable, _, _ = select.select([self._near, self._far], [], [], remaining_ns / 1e9)
        if self._near in readable:
            for t_ns, datagram, address in _received(self._near):
                self._sender = address
                self._path.send(t_ns, datagram)
        if self._far in readable:
            for t_ns, datagram, _ in _received(self._far):
                self._path.answer(t_ns, datagram)
        now_ns = time.monotonic_ns()
        while (datagram_there := self._path.there.pop(now_ns)) is not None:
            with suppress(OSError):  # the target has not started, or has ended
                self._far.send(datagram_there)
        while (datagram_back := self._path.back.pop(now_ns)) is not None:
            if self._sender is not None:
                with suppress(OSError):
                    self._near.sendto(datagram_back, self._sender)

    def summary(self) -> Summary:
        """Return the counts so far."""
        path = self._path
        late = sorted(path.there.lateness_ns + path.back.lateness_ns) or [0]
        return Summary(
            path.there.delivered,
            path.back.delivered,
            path.bottleneck.dropped_packets,
            path.bottleneck.lost_packets,
            (late[len(late) // 2], late[len(late) * 9 // 10], late[-1]),
        )


def _socket() -> socket.socket:
    udp_socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp_socket.setblocking(False)
    for option in (socket.SO_RCVBUF, socket.SO_SNDBUF):
        udp_socket.setsockopt(socket.SOL_SOCKET, option, 8 << 20)
    if sys.platform == "linux":
        udp_socket.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
    return udp_socket


def _received(near: socket.socket) -> Iterator[tuple[int, bytes, tuple[str, int]]]:
    """Yield the waiting datagrams, each with its receive time in the kernel, on the monotonic clock."""
    offset_ns = time.monotonic_ns() - time.time_ns()
    for _ in range(_AT_ONCE):
        try:
            datagram, ancillary, _, address = near.recvmsg(_DATAGRAM_MAX_BYTES, socket.CMSG_SPACE(_TIMESPEC.size))
        except BlockingIOError:
            return
        except OSError:  # an earlier datagram was refused
            continue
        yield _time_ns(ancillary, offset_ns), datagram, address


def _time_ns(ancillary: list[tuple[int, int, bytes]], offset_ns: int) -> int:
    now_ns = time.monotonic_ns()
    for level, kind, content in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, _SO_TIMESTAMPNS) and len(content) >= _TIMESPEC.size:
            seconds, nanoseconds = _TIMESPEC.unpack_from(content)
            return min(int(seconds) * 1_000_000_000 + int(nanoseconds) + offset_ns, now_ns)
    return now_ns

"""Emulates network and receiver for one connection of the running kernel, and records it: runs as a child process.

It enters new namespaces, which end with the process. The output has JSON lines: setup, records in order, and the
reason for the end; or the reason why a capture is impossible here.
"""

import gc
import json
import os
import select
import socket
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from firstflight import create
from firstflight_conformance.simulate.scenario import Scenario, load_scenario
from studies.live.kernel import namespace, tcp_info
from studies.live.kernel.receiver import Receiver
from studies.live.kernel.segments import (
    ETHERTYPE_IPV4,
    HEADER_BYTES,
    Flags,
    Segment,
    distance,
    pack,
    parse,
)

_HEADERS_BYTES = 14 + 60 + 60  # headers of a frame: the inspected part
_HANDSHAKE_NS = 5_000_000_000
_AHEAD_BYTES = 4 << 20  # least data waiting in the kernel
_CHUNK_BYTES = 1 << 20
_BURST_NS = 50_000  # without a better clock, segments read within this time count as sent at once
_SOL_PACKET, _PACKET_STATISTICS = 263, 6
_SO_MAX_PACING_RATE = 47
_PORT = 443
_PARAMETERS = Path("/sys/module/tcp_cubic/parameters")


@dataclass(frozen=True, slots=True)
class Noted:
    """A sent burst of data, or a written ACK.

    ``sent``: ``payload_bytes`` from ``first_byte`` at ``t_ns``; ``app_limited``: the last data of the transfer.
    ``ack``: written between ``t_ns`` and ``end_ns``, acknowledges all data below ``first_byte``, and ``blocks`` above
    it; ``info`` is TCP_INFO after the ACK.
    """

    kind: str
    t_ns: int
    end_ns: int
    first_byte: int
    payload_bytes: int = 0
    app_limited: bool = False
    blocks: tuple[tuple[int, int], ...] = ()
    info: tcp_info.TcpInfo | None = None


class CaptureError(Exception):
    """The capture is unusable; the text is the reason."""


class Capture:
    """A captured connection. ``exact``: timestamps of segments are from the kernel's clock, in microseconds."""

    def __init__(self, scenario: Scenario, congestion_control: str, *, exact: bool) -> None:
        """Open both ends."""
        self.scenario, self.exact = scenario, exact
        self.receiver = Receiver(scenario)
        self.noted: list[Noted] = []
        self._mss = scenario.config.max_datagram_size_bytes
        self._zeros = bytes(max(_CHUNK_BYTES // self._mss, 1) * self._mss)
        self._sent_bytes = self._written_bytes = 0
        self._established = False
        self._begun_ns = 0
        self._slow_start_ended_ns: int | None = None
        self.ended = ""
        self._far = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETHERTYPE_IPV4))
        self._far.bind((namespace.FAR_LINK, ETHERTYPE_IPV4))
        with suppress(OSError):
            self._far.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32 << 20)
        self._connection = _socket(congestion_control, paced=scenario.paced)

    def run(self) -> None:
        """Connect, send, and record until the end of the run."""
        self._begun_ns = time.monotonic_ns()
        self._connection.connect_ex((namespace.FAR_IP, _PORT))
        while not self.ended:
            self._read()
            now_ns = time.monotonic_ns()
            self.receiver.advance(now_ns)
            if not self._write_one(now_ns):
                self._write_data()
                self._wait()
            self._look_for_end(time.monotonic_ns())
        received, dropped = struct.unpack("=II", self._far.getsockopt(_SOL_PACKET, _PACKET_STATISTICS, 8))
        if dropped:
            raise CaptureError(f"{dropped} of {received} segments were not seen: the packet socket was full")

    def _read(self) -> None:
        """Process all waiting segments. They are read before an ACK is written, so earlier data is recorded earlier."""
        while True:
            try:
                frame = self._far.recv(_HEADERS_BYTES, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return
            segment = parse(frame)
            if segment is None or segment.destination_port != _PORT:
                continue
            now_ns = time.monotonic_ns()
            if segment.flags & Flags.SYN:
                self.receiver.accept(now_ns, segment, self._mss + HEADER_BYTES - 40)
            elif segment.payload_bytes:
                self._take(segment, now_ns)

    def _take(self, segment: Segment, now_ns: int) -> None:
        first = self.receiver.offset(segment)
        if first != self._sent_bytes:
            self.ended = "retransmission"
            return
        sent_ns = self._kernel_ns(segment, now_ns) if self.exact else self._bracketed_ns(now_ns)
        self.receiver.take(sent_ns, segment)
        self._sent_bytes += segment.payload_bytes
        limited = self._sent_bytes == self.scenario.transfer_bytes
        self.noted.append(Noted("sent", sent_ns, sent_ns, first, segment.payload_bytes, limited))

    def _kernel_ns(self, segment: Segment, now_ns: int) -> int:
        """Return the send time of a segment according to the kernel."""
        if segment.timestamps is None:
            raise CaptureError("a segment has no timestamp")
        now_us = now_ns // 1000
        return 1000 * (now_us + distance(segment.timestamps[0], now_us % (1 << 32)))

    def _bracketed_ns(self, now_ns: int) -> int:
        """Return the middle of the write that released the segment, or the time of its reading."""
        last = self.noted[-1] if self.noted else None
        if last is not None and last.kind == "ack":
            return (last.t_ns + last.end_ns) // 2
        return last.t_ns if last is not None and now_ns - last.end_ns < _BURST_NS else now_ns

    def _write_one(self, now_ns: int) -> bool:
        """Write the next answer if it is due, and record its effects. Return whether an answer was written."""
        if not self.receiver.back or self.receiver.back[0][0] > now_ns:
            return False
        _, answer = self.receiver.back.popleft()
        frame = pack(answer, namespace.TO_SENDER)
        self._read()
        before_ns = time.monotonic_ns()
        self._far.send(frame)
        after_ns = time.monotonic_ns()
        if answer.flags & Flags.SYN:
            self._established = True
            return True
        info = tcp_info.read(self._connection)
        next_byte, blocks = self.receiver.acknowledges(answer)
        self.noted.append(Noted("ack", before_ns, after_ns, next_byte, blocks=blocks, info=info))
        if info.ssthresh is not None and self._slow_start_ended_ns is None:
            self._slow_start_ended_ns = after_ns
        if info.state >= tcp_info.State.CWR:
            self.ended = "congestion"
        return True

    def _write_data(self) -> None:
        """Keep data waiting in the kernel."""
        total = self.scenario.transfer_bytes
        while self._established and self._written_bytes - self._sent_bytes < _AHEAD_BYTES:
            size_bytes = len(self._zeros) if total is None else min(total - self._written_bytes, len(self._zeros))
            if not size_bytes:
                return
            try:
                self._written_bytes += self._connection.send(memoryview(self._zeros)[:size_bytes])
            except BlockingIOError:
                return

    def _wait(self) -> None:
        """Sleep until an answer is due or a segment comes. Python's select does not round to milliseconds."""
        due_ns = self.receiver.due_ns()
        end_ns = self._begun_ns + max(self.scenario.stop_ns, _HANDSHAKE_NS)
        remaining_ns = min(end_ns if due_ns is None else due_ns, end_ns) - time.monotonic_ns()
        if remaining_ns > 0:
            select.select([self._far], [], [], remaining_ns / 1e9)

    def _look_for_end(self, now_ns: int) -> None:
        scenario, origin_ns, over_ns = self.scenario, self.receiver.bottleneck.origin_ns, self._slow_start_ended_ns
        if not origin_ns:
            if now_ns > self._begun_ns + _HANDSHAKE_NS:
                raise CaptureError("the kernel sent no data within five seconds")
        elif not self.ended:
            done = self.noted[-1].kind == "ack" and self.noted[-1].first_byte == scenario.transfer_bytes
            if done:
                self.ended = "done"
            elif now_ns >= origin_ns + scenario.stop_ns:
                self.ended = "stop"
            elif over_ns is not None and now_ns > over_ns + scenario.after_slow_start_ns:
                self.ended = "slow-start-over"


def _available() -> str:
    """Return the congestion controls that the kernel has loaded."""
    try:
        return Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text("ascii").strip()
    except OSError as error:
        return f"unknown ({error.strerror})"


def _socket(congestion_control: str, *, paced: bool) -> socket.socket:
    """Return a socket for the connection."""
    connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    connection.setblocking(False)
    try:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion_control.encode())
    except OSError as error:
        raise namespace.UnavailableError(
            f"this kernel has no congestion control {congestion_control} ({error.strerror}); it has: {_available()}. "
            f"Root loads one that is a module: modprobe tcp_{congestion_control}"
        ) from error
    if paced:  # an unreachable limit enables pacing, at the rate that the kernel derives from its window
        connection.setsockopt(socket.SOL_SOCKET, _SO_MAX_PACING_RATE, struct.pack("=Q", 1 << 40))
    return connection


def module_parameters() -> dict[str, str]:
    """Return the HyStart parameters of the machine's CUBIC."""
    parameters = {}
    for path in sorted(_PARAMETERS.glob("hystart*")):
        with suppress(OSError):
            parameters[path.name] = path.read_text(encoding="ascii").strip()
    return parameters


def capture(scenario: Scenario, congestion_control: str, *, exact: bool) -> Iterator[dict[str, Any]]:
    """Capture one connection; yield the output lines."""
    payload_bytes = scenario.config.max_datagram_size_bytes
    window = create("slow-start", "rfc-9002", scenario.config).base.cwnd_bytes // payload_bytes
    parameters = module_parameters()
    namespace.enter()
    namespace.make_link(payload_bytes, HEADER_BYTES)
    exact = namespace.add_route(window) and exact
    run = Capture(scenario, congestion_control, exact=exact)
    gc.disable()  # the run takes seconds, and a collection would delay ACKs
    run.run()
    yield {"release": os.uname().release, "initial_window": window, "exact": exact, "parameters": parameters}
    for noted in run.noted:
        yield {name: value for name, value in asdict(noted).items() if value is not None}
    yield {
        "ended": run.ended,
        "dropped": run.receiver.bottleneck.dropped_packets,
        "lost": run.receiver.bottleneck.lost_packets,
    }


def main(scenario_file: str, congestion_control: str, clock: str) -> None:
    """Capture a connection, and print the lines."""
    try:
        for line in capture(load_scenario(Path(scenario_file)), congestion_control, exact=clock == "kernel"):
            print(json.dumps(line))
    except namespace.UnavailableError as reason:
        print(json.dumps({"unavailable": str(reason)}))
    except (CaptureError, OSError) as reason:
        print(json.dumps({"error": str(reason)}))


if __name__ == "__main__":
    main(*sys.argv[1:])

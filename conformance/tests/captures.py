"""Captures generated from recordings, as seen at the sender, at the receiver or in between."""

import struct
from dataclasses import dataclass, replace

from firstflight.events import Ack, Event, Lost, Sent
from firstflight_conformance.logs.recording.recording import Recording

SENDER, RECEIVER = (b"\x0a\x00\x00\x01", 40000), (b"\x0a\x00\x00\x02", 443)
_ISN, _PEER_ISN = 0xFFFFF000, 77  # the sender's sequence numbers wrap early
_ETHERNET = bytes.fromhex("0200000000020200000000010800")
LINKS = {
    "ethernet": (1, _ETHERNET),
    "vlan": (1, _ETHERNET[:12] + bytes.fromhex("8100000a0800")),
    "cooked": (113, struct.pack("!HHH8sH", 4, 1, 6, b"\x02\0\0\0\0\1\0\0", 0x0800)),
    "cooked-2": (276, struct.pack("!HHIHBB8s", 0x0800, 0, 3, 1, 4, 6, b"\x02\0\0\0\0\1\0\0")),
    "raw": (101, b""),
}


@dataclass(frozen=True)
class How:
    """Options of a capture.

    ``joined``: segments per packet that the sender passes to its card. ``window``: of the receiver. ``first_window``:
    the same in the handshake. ``missing``: one of this number of data frames is missing. ``late_ns``: delay from the
    sender to the place of the capture.
    """

    link: str = "ethernet"
    ng: bool = False
    micro: bool = False
    joined: int = 1
    window: int = 1 << 30
    missing: int = 0
    late_ns: int = 0
    handshake: bool = True
    snap_bytes: int = 96
    first_window: int = 65535


def segment(
    source: tuple[bytes, int],
    destination: tuple[bytes, int],
    numbers: tuple[int, int],
    flags: int,
    *,
    window: int = 65535,
    options: bytes = b"",
    payload_bytes: int = 0,
) -> bytes:
    """Return an IPv4 packet with a TCP segment."""
    options += b"\1" * (-len(options) % 4)
    head_bytes = 20 + len(options)
    tcp = struct.pack(
        "!HHIIBBHHH",
        source[1],
        destination[1],
        numbers[0] % 2**32,
        numbers[1] % 2**32,
        head_bytes << 2,
        flags,
        window,
        0,
        0,
    )
    total = 20 + head_bytes + payload_bytes
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, total, 0, 0x4000, 64, 6, 0, source[0], destination[0])
    return ip + tcp + options + bytes(payload_bytes)


def frames(recording: Recording, how: How) -> list[tuple[int, bytes]]:
    """Return time and IP packet of each frame of a connection."""
    return _Frames(recording, how).all()


class _Frames:
    def __init__(self, recording: Recording, how: How) -> None:
        self.how, self.recording = how, recording
        self.found: list[tuple[int, bytes]] = []
        self.ends: list[int] = []
        self.arrived: set[int] = set()
        self.next = self.data = 0

    def all(self) -> list[tuple[int, bytes]]:
        events = self.recording.events
        rtt_ns = next(event.latest_rtt_ns or 0 for event in events if isinstance(event, Ack))
        if self.how.handshake:
            self._handshake(events[0].t_ns, rtt_ns)
        for event in events:
            self._one(event)
        return sorted(self.found, key=lambda packet: packet[0])

    def _handshake(self, first_ns: int, rtt_ns: int) -> None:
        syn_ns = first_ns - rtt_ns - 30_000
        mss = struct.pack("!BBH", 2, 4, self.recording.header.config.max_datagram_size_bytes)
        options = mss + struct.pack("!BBB", 3, 3, 14)
        self._out(syn_ns, segment(SENDER, RECEIVER, (_ISN, 0), 2, options=options))
        window = self.how.first_window
        answer = segment(RECEIVER, SENDER, (_PEER_ISN, _ISN + 1), 18, options=options, window=window)
        self._in(syn_ns + rtt_ns, answer)
        self._out(syn_ns + rtt_ns + 15_000, segment(SENDER, RECEIVER, (_ISN + 1, _PEER_ISN + 1), 16))

    def _out(self, t_ns: int, packet: bytes) -> None:
        self.found.append((t_ns + self.how.late_ns, packet))

    def _in(self, t_ns: int, packet: bytes) -> None:
        self.found.append((t_ns - self.how.late_ns, packet))

    def _one(self, event: Event) -> None:
        if isinstance(event, Sent):
            self._sent(event)
        elif isinstance(event, Ack):
            self.arrived.update(packet for run in event.packets for packet in range(run.first, run.last + 1))
            while self.next in self.arrived:
                self.next += 1
            self._ack(event.t_ns)
        elif isinstance(event, Lost):
            first = event.packets[0].first
            start = self.ends[first - 1] if first else 0
            self._segment(event.t_ns, start, self.ends[first] - start)

    def _sent(self, event: Sent) -> None:
        waiting: list[tuple[int, int]] = []
        for run in event.packets:
            for _ in range(run.count):
                start = self.ends[-1] if self.ends else 0
                self.ends.append(start + run.size_bytes)
                waiting.append((start, run.size_bytes))
        for at in range(0, len(waiting), self.how.joined):
            part = waiting[at : at + self.how.joined]
            self.data += 1
            if not self.how.missing or self.data % self.how.missing:
                self._segment(event.t_ns + at, part[0][0], sum(size for _, size in part))

    def _segment(self, t_ns: int, start: int, size_bytes: int) -> None:
        self._out(t_ns, segment(SENDER, RECEIVER, (_ISN + 1 + start, _PEER_ISN + 1), 24, payload_bytes=size_bytes))

    def _ack(self, t_ns: int) -> None:
        """Acknowledge all packets below the first missing packet, and report the packets above it as a block."""
        options = b""
        if above := [packet for packet in self.arrived if packet > self.next]:
            blocks = (self.ends[min(above) - 1], self.ends[max(above)])
            options = struct.pack("!BBII", 5, 10, *((_ISN + 1 + number) % 2**32 for number in blocks))
        window = min(self.how.window >> 14, 65535)
        acked_bytes = self.ends[self.next - 1] if self.next else 0
        packet = segment(RECEIVER, SENDER, (_PEER_ISN + 1, _ISN + 1 + acked_bytes), 16, window=window, options=options)
        self._in(t_ns, packet)


def file_of(packets: list[tuple[int, bytes]], how: How) -> bytes:
    """Return a capture file, pcap or pcapng."""
    number, head = LINKS[how.link]
    cut = [(t_ns, head + packet, len(head) + len(packet)) for t_ns, packet in packets]
    unit_ns = 1000 if how.micro else 1
    if not how.ng:
        magic = 0xA1B2C3D4 if how.micro else 0xA1B23C4D
        file_bytes = struct.pack("<IHHiIII", magic, 2, 4, 0, 0, how.snap_bytes, number)
        for t_ns, frame, whole in cut:
            captured = frame[: how.snap_bytes]
            file_bytes += struct.pack("<IIII", t_ns // 10**9, t_ns % 10**9 // unit_ns, len(captured), whole) + captured
        return file_bytes
    file_bytes = _block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    resolution = struct.pack("<HHB3xHH", 9, 1, 6 if how.micro else 9, 0, 0)
    file_bytes += _block(1, struct.pack("<HHI", number, 0, how.snap_bytes) + resolution)
    for t_ns, frame, whole in cut:
        captured = frame[: how.snap_bytes]
        stamp = t_ns // unit_ns
        body = struct.pack("<IIIII", 0, stamp >> 32, stamp % 2**32, len(captured), whole) + captured
        file_bytes += _block(6, body + bytes(-len(captured) % 4))
    return file_bytes


def _block(kind: int, body: bytes) -> bytes:
    return struct.pack("<II", kind, 12 + len(body)) + body + struct.pack("<I", 12 + len(body))


def capture_of(recording: Recording, how: How | None = None) -> bytes:
    """Return the capture of a connection."""
    how = how or How()
    return file_of(frames(recording, how), how)


def at_the_receiver(recording: Recording) -> bytes:
    """Return the capture of a connection at the receiver."""
    rtt_ns = next(event.latest_rtt_ns or 0 for event in recording.events if isinstance(event, Ack))
    return capture_of(recording, replace(How(), late_ns=rtt_ns // 2))

"""Captures with known answers: simulated TCP senders over a bottleneck, captured at the sender and at the receiver."""

import heapq
import struct
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from random import Random

from firstflight import Config, advance, create
from firstflight.delivery_rate import RateSampler
from firstflight.events import Event
from firstflight_conformance.judge.follow import LEAVING
from firstflight_conformance.logs.recording.recorder import Recorder

from captures import RECEIVER, SENDER, How, file_of, segment  # isort: skip

MSS = 1448
_NS_PER_MS, _NS_PER_S = 10**6, 10**9
_ACK, _PSH, _ECE, _CWR = 16, 8, 64, 128
BEGIN_NS, _STOP_NS = 10**9, 12 * 10**9
_ISN, _PEER_ISN = 0xFFFF0000, 0x7000_0000
_SCALE = 10
_DELAYED_ACK_NS = 40 * _NS_PER_MS
PROFILES = {"cubic": "hystart/linux", "reno": "slow-start/rfc-9002", "bbr": "bbr/linux-v1"}
_BETAS = {"cubic": (7, 10), "reno": (1, 2)}


@dataclass(frozen=True)
class Setting:
    """A connection: its sender, application, path, and the effects of the capture."""

    control: str
    kind: str
    seed: int
    side: str = "sender"

    @property
    def random(self) -> Random:
        """The random numbers of this setting."""
        return Random(f"{self.control} {self.kind} {self.seed}")


@dataclass
class Truth:
    """Behaviour of the sender.

    ``exit_bytes``: its window when it left slow start, ``exit_ns`` after the handshake; ``loss``: by loss or mark.
    """

    initial_bytes: int
    exit_bytes: int | None = None
    exit_ns: int | None = None
    loss: bool = False


@dataclass
class _Segment:
    start: int
    size: int
    first_ns: int
    sent_ns: int
    again: bool = False
    sacked: bool = False
    lost: bool = False


class _Control:
    """The window of the sender: follows our model up to the first loss or mark, then the response of its base."""

    def __init__(self, name: str, initial: int) -> None:
        algorithm, _, profile = PROFILES[name].partition("/")
        self.name, self.recorder, self.sampler = name, Recorder(), RateSampler()
        self.model = create(algorithm, profile, Config(MSS, initial))
        self.window_bytes = initial
        self.truth = Truth(initial)
        self.threshold_bytes: int | None = None
        self.rate_bytes_per_s: int | None = None
        self.alone = False

    def feed(self, now_ns: int) -> None:
        """Pass the last event to the model, and use its window."""
        event: Event = self.sampler.sampled(self.recorder.steps[-1].event)
        before_bytes = self.window_bytes
        observation = advance(self.model, event)
        self.window_bytes = observation.cwnd_bytes
        if self.name == "bbr":
            self.rate_bytes_per_s = observation.state["pacing_rate_bytes_per_s"]
        if self.truth.exit_bytes is None and observation.outcome in LEAVING:
            self.leave(now_ns, before_bytes, loss=False)
            if self.name == "cubic":
                self.alone, self.threshold_bytes = True, self.window_bytes

    def leave(self, now_ns: int, window_bytes: int, *, loss: bool) -> None:
        """Record the end of slow start."""
        if self.truth.exit_bytes is None:
            self.truth.exit_bytes, self.truth.exit_ns, self.truth.loss = window_bytes, now_ns - BEGIN_NS, loss

    def reduce(self, now_ns: int) -> None:
        """Process a loss or mark."""
        self.leave(now_ns, self.window_bytes, loss=True)
        over, divisor = _BETAS.get(self.name, (1, 1))
        self.alone = self.name != "bbr"
        self.window_bytes = self.threshold_bytes = max(self.window_bytes * over // divisor, 2 * MSS)


class Sender:
    """Simulation of a TCP sender with its path and receiver, in the order of time."""

    def __init__(self, setting: Setting) -> None:
        """Draw the parameters of the path."""
        random, kind = setting.random, setting.kind
        self.setting = setting
        self.rate_bps = random.choice([8, 10, 16, 20]) * 10**6
        self.delay_ns = random.choice([15, 20, 30, 40]) * _NS_PER_MS
        product = self.rate_bps * 2 * self.delay_ns // (8 * _NS_PER_S) // MSS
        self.queue = product // 2 + 10 if setting.control == "reno" else 4 * product + 60
        self.mark = product // 3 + 4 if kind == "ecn" else None
        initial = random.choice([10, 10, 10, 20, 32]) * MSS
        self.control = _Control(setting.control, initial)
        self.peer_window = 24 * MSS if kind == "receive-window" else 1 << 22
        self.bunch = random.choice([2, 3, 4]) if kind == "tso" else 1
        self.random = random
        self._number = count()
        self.queue_events: list[tuple[int, int, Callable[..., None], tuple[object, ...]]] = []
        self.segments: list[_Segment] = []
        self.by_start: dict[int, int] = {}
        self.acked = 0  # index of the oldest unacknowledged segment
        self.sent_bytes = self.written_bytes = 0
        self.ends: list[int] = []  # ends of the application's writes
        self.high = 0
        self.recovery_end = self.cwr = None
        self.free_ns = 0
        self.waiting: deque[int] = deque()
        self.next_ns = 0
        self.timer = False
        self.seen_by: dict[str, list[tuple[int, bytes]]] = {"sender": [], "receiver": []}
        self.peer = _Peer(self)
        self.last_stamp = 0

    # time

    def at(self, t_ns: int, action: Callable[..., None], *arguments: object) -> None:
        """Schedule a call."""
        heapq.heappush(self.queue_events, (t_ns, next(self._number), action, arguments))

    def run(self) -> Truth:
        """Run the connection; return the behaviour of its sender."""
        self._handshake()
        self.at(BEGIN_NS, self._begin)
        while self.queue_events:
            now_ns, _, action, arguments = heapq.heappop(self.queue_events)
            if now_ns > _STOP_NS:
                break
            action(now_ns, *arguments)
        return self.control.truth

    # application

    def _begin(self, now_ns: int) -> None:
        kind = self.setting.kind
        bulk = self._bulk()
        if kind == "tls":
            self.write(now_ns, 517)
        elif kind == "request":
            self.write(now_ns, self.random.randrange(8_000, 30_000))
        elif kind == "rate":
            self._drip(now_ns, 150)
        elif kind == "lockstep":
            self.write(now_ns, 3 * MSS)
        else:
            self.write(now_ns, bulk)

    def _bulk(self) -> int:
        """Return the size of a transfer that lasts beyond slow start, and beyond Drain."""
        return (3 if self.setting.control == "bbr" else 1) * self.random.randrange(1_200_000, 1_600_000)

    def _drip(self, now_ns: int, remaining_writes: int) -> None:
        """Write less than the capacity of the path, every 10 ms."""
        self.write(now_ns, self.rate_bps // 8 * 10 // 1000 // 2)
        if remaining_writes:
            self.at(now_ns + 10 * _NS_PER_MS, self._drip, remaining_writes - 1)

    def write(self, now_ns: int, size: int) -> None:
        """Write application data."""
        self.written_bytes += size
        self.ends.append(self.written_bytes)
        self.send(now_ns)

    def answered(self, now_ns: int) -> None:
        """Process data from the receiver's application."""
        if self.setting.kind == "tls":
            self.write(now_ns + 200_000, 380)
            self.write(now_ns + 250_000, self._bulk())
        else:
            self.at(now_ns + 3 * _NS_PER_MS, self.write, self.random.randrange(8_000, 30_000))

    # sending

    @property
    def pipe(self) -> int:
        """Bytes in flight by the sender's count."""
        return sum(segment.size for segment in self.segments[self.acked :] if not segment.sacked and not segment.lost)

    def send(self, now_ns: int) -> None:
        """Send as much as the windows and the pacer allow, lost data first."""
        flight = self.pipe
        sizes: list[int] = []
        window = min(self.control.window_bytes, self.peer_window)
        while flight + MSS <= window:
            if self.control.rate_bytes_per_s and self.next_ns > now_ns:
                if not self.timer:
                    self.timer = True
                    self.at(self.next_ns, self._paced)
                break
            lost = next((segment for segment in self.segments[self.acked :] if segment.lost), None)
            if lost is not None:
                lost.lost, lost.again, lost.sent_ns = False, True, now_ns
                self._out(now_ns, lost)
                flight += lost.size
                continue
            size = self._next_size()
            if not size or self.sent_bytes - self._una_bytes + size > self.peer_window:
                break
            segment = _Segment(self.sent_bytes, size, now_ns, now_ns)
            self.by_start[segment.start] = len(self.segments)
            self.segments.append(segment)
            self.sent_bytes += size
            flight += size
            sizes.append(size)
            if self.control.rate_bytes_per_s:
                self.next_ns = max(now_ns, self.next_ns) + size * _NS_PER_S // self.control.rate_bytes_per_s
        self._new_data(now_ns, sizes)

    def _paced(self, now_ns: int) -> None:
        self.timer = False
        self.send(now_ns)

    @property
    def _una_bytes(self) -> int:
        return self.segments[self.acked].start if self.acked < len(self.segments) else self.sent_bytes

    def _next_size(self) -> int:
        """Return the next segment's size: full, or the last data written so far, unless Nagle delays it."""
        remaining_bytes = self.written_bytes - self.sent_bytes
        if remaining_bytes >= MSS or remaining_bytes == 0:
            return min(remaining_bytes, MSS)
        drips = self.setting.kind == "rate" and self.acked < len(self.segments)
        return 0 if drips else remaining_bytes

    def _new_data(self, now_ns: int, sizes: list[int]) -> None:
        if not sizes:
            return
        if not self.control.alone:
            has_data = self.written_bytes > self.sent_bytes
            self.control.recorder.sent(now_ns, sizes, app_limited=not has_data)
            self.control.feed(now_ns)
        new = self.segments[-len(sizes) :]
        for at in range(0, len(new), self.bunch):
            part = new[at : at + self.bunch]
            self._frame_out(now_ns + 900 * at, part[0].start, sum(segment.size for segment in part))
            for tcp_segment in part:
                self._travel(now_ns + 900 * at, tcp_segment)

    def _out(self, now_ns: int, segment: _Segment) -> None:
        self._frame_out(now_ns, segment.start, segment.size)
        self._travel(now_ns, segment)

    def _frame_out(self, t_ns: int, start: int, size: int) -> None:
        flags = _ACK | (_CWR if self.cwr else 0)
        self.cwr = None
        self.seen_by["sender"].append((t_ns, _data_frame(start, size, t_ns, self.last_stamp, flags)))

    def _travel(self, t_ns: int, segment: _Segment) -> None:
        """Send a segment through the bottleneck."""
        while self.waiting and self.waiting[0] <= t_ns:
            self.waiting.popleft()
        if len(self.waiting) >= self.queue:
            return
        marked = self.mark is not None and len(self.waiting) > self.mark
        self.free_ns = max(self.free_ns, t_ns) + (segment.size + 66) * 8 * _NS_PER_S // self.rate_bps
        self.waiting.append(self.free_ns)
        arrival_ns = self.free_ns + self.delay_ns
        frame = _data_frame(segment.start, segment.size, t_ns, self.last_stamp, _ACK)
        self.at(arrival_ns, self.peer.data, segment.start, segment.size, t_ns // _NS_PER_MS, marked, frame)

    # ACKs

    def acknowledged(
        self, now_ns: int, end: int, blocks: list[tuple[int, int]], stamps: tuple[int, int], ece: bool, frame: bytes
    ) -> None:
        """Process an ACK."""
        self.seen_by["sender"].append((now_ns, frame))
        self.last_stamp = stamps[0]
        first, acked, before = self.acked, 0, self.pipe
        while (
            self.acked < len(self.segments) and self.segments[self.acked].start + self.segments[self.acked].size <= end
        ):
            acked += self.segments[self.acked].size
            self.acked += 1
        for low, high in blocks:
            index = self.by_start[low]
            while index < len(self.segments) and self.segments[index].start < high:
                self.segments[index].sacked, self.segments[index].lost = True, False
                self.high = max(self.high, index)
                index += 1
        self._lose(now_ns)
        if ece and self.recovery_end is None:
            self.control.reduce(now_ns)
            self.recovery_end, self.cwr = self.sent_bytes, True
        if self.recovery_end is not None and end >= self.recovery_end:
            self.recovery_end = None
        if acked and not self.control.alone:
            limited = before + MSS <= self.control.window_bytes
            self.control.recorder.acked(now_ns, [(first, self.acked - 1)], app_limited=limited)
            self.control.feed(now_ns)
        elif acked and self.recovery_end is None and self.control.name != "bbr":
            self.control.window_bytes += MSS * acked // self.control.window_bytes
        self.send(now_ns)
        if self.setting.kind == "lockstep" and self.acked == len(self.segments) and len(self.segments) < 150:
            self.at(now_ns + 4 * _NS_PER_MS, self.write, 3 * MSS)

    def _lose(self, now_ns: int) -> None:
        gone = [
            segment
            for segment in self.segments[self.acked : max(self.high - 2, 0)]
            if not segment.sacked and not segment.again and not segment.lost
        ]
        for tcp_segment in gone:
            tcp_segment.lost = True
        if gone and self.recovery_end is None:
            self.control.reduce(now_ns)
            self.recovery_end = self.sent_bytes

    # frames of the handshake

    def _handshake(self) -> None:
        rtt_ns = 2 * self.delay_ns + 300_000
        ecn = self.mark is not None
        self.last_stamp = _peer_stamp(BEGIN_NS - rtt_ns + self.delay_ns)
        syn = segment(
            SENDER,
            RECEIVER,
            (_ISN - 1, 0),
            2 | (_ECE | _CWR if ecn else 0),
            options=_syn_options((BEGIN_NS - rtt_ns) // _NS_PER_MS, 0),
        )
        answer = segment(
            RECEIVER,
            SENDER,
            (_PEER_ISN - 1, _ISN),
            18 | (_ECE if ecn else 0),
            options=_syn_options(self.last_stamp, 1),
            window=min(self.peer_window, 65535),
        )
        third = segment(
            SENDER, RECEIVER, (_ISN, _PEER_ISN), _ACK, options=_stamps(BEGIN_NS // _NS_PER_MS, self.last_stamp)
        )
        begin_ns = BEGIN_NS - rtt_ns - 60_000
        self.seen_by["sender"] += [(begin_ns, syn), (begin_ns + rtt_ns, answer), (begin_ns + rtt_ns + 40_000, third)]
        arrival_ns = begin_ns + self.delay_ns
        self.seen_by["receiver"] += [
            (arrival_ns, syn),
            (arrival_ns + 30_000, answer),
            (begin_ns + rtt_ns + 40_000 + self.delay_ns, third),
        ]


class _Peer:
    """The receiver: an ACK for two segments, at once for data out of order, with SACK."""

    def __init__(self, sender: Sender) -> None:
        self.sender = sender
        self.next = self.answered = 0
        self.beyond: dict[int, int] = {}
        self.pending = 0
        self.ece = False
        self.echo = 0
        self.round = 0

    def data(self, now_ns: int, start: int, size: int, stamp: int, marked: bool, frame: bytes) -> None:
        """Process a segment."""
        self.sender.seen_by["receiver"].append((now_ns, frame))
        self.ece |= marked
        in_order = start == self.next
        if in_order:
            self.echo = stamp if not self.pending else self.echo
            self.next += size
            while self.next in self.beyond:
                self.next += self.beyond.pop(self.next)
            self.pending += 1
        elif start > self.next:
            self.beyond[start] = size
        asks = self._request(now_ns)
        if not in_order or self.beyond or self.pending >= 2 or asks:
            self._ack(now_ns, asks)
        else:
            self.sender.at(now_ns + _DELAYED_ACK_NS, self._late, self.next)

    def _request(self, now_ns: int) -> int:
        """Return the number of bytes that the receiver's application sends in answer to the data so far."""
        sender, kind = self.sender, self.sender.setting.kind
        if kind == "tls" and self.next == 517:
            return 3000
        if kind == "request" and self.next == sender.written_bytes and self.round < 24:
            self.round += 1
            return 200
        return 0

    def _late(self, now_ns: int, end: int) -> None:
        if self.pending and self.next == end:
            self._ack(now_ns, 0)

    def _ack(self, now_ns: int, payload: int) -> None:
        sender = self.sender
        self.pending = 0
        stamps = _peer_stamp(now_ns), self.echo
        blocks = self._blocks()
        options = _stamps(*stamps) + _sack(blocks)
        flags = _ACK | (_ECE if self.ece else 0)
        ece, self.ece = self.ece, False
        numbers = (_PEER_ISN + self.answered, _ISN + self.next)
        frame = segment(
            RECEIVER,
            SENDER,
            numbers,
            flags,
            options=options,
            window=sender.peer_window >> _SCALE,
            payload_bytes=payload,
        )
        self.answered += payload
        sent_ns = now_ns + 15_000
        sender.seen_by["receiver"].append((sent_ns, frame))
        arrival_ns = sent_ns + sender.delay_ns
        sender.at(arrival_ns, sender.acknowledged, self.next, blocks, stamps, ece, frame)
        if payload:
            sender.at(arrival_ns + 1000, sender.answered)

    def _blocks(self) -> list[tuple[int, int]]:
        blocks: list[tuple[int, int]] = []
        for start in sorted(self.beyond):
            if blocks and blocks[-1][1] == start:
                blocks[-1] = blocks[-1][0], start + self.beyond[start]
            else:
                blocks.append((start, start + self.beyond[start]))
        return blocks[-3:]


def _peer_stamp(t_ns: int) -> int:
    return t_ns // _NS_PER_MS + 5_000_000


def _stamps(value: int, echo: int) -> bytes:
    return struct.pack("!BBBBII", 1, 1, 8, 10, value % 2**32, echo % 2**32)


def _sack(blocks: list[tuple[int, int]]) -> bytes:
    if not blocks:
        return b""
    body = b"".join(struct.pack("!II", (_ISN + low) % 2**32, (_ISN + high) % 2**32) for low, high in blocks)
    return struct.pack("!BBBB", 1, 1, 5, 2 + len(body)) + body


def _syn_options(value: int, echo: int) -> bytes:
    stamps = struct.pack("!BBII", 8, 10, value % 2**32, echo % 2**32)
    return struct.pack("!BBHBB", 2, 4, MSS + 12, 4, 2) + stamps + struct.pack("!BBBB", 1, 3, 3, _SCALE)


def _data_frame(start: int, size: int, t_ns: int, echo: int, flags: int) -> bytes:
    return segment(
        SENDER,
        RECEIVER,
        (_ISN + start, _PEER_ISN),
        flags,
        options=_stamps(t_ns // _NS_PER_MS, echo),
        payload_bytes=size,
    )


#: Kinds of connections and of captures.
KINDS = (
    "bulk", "tls", "request", "rate", "lockstep", "receive-window", "ecn", "missing-ack", "reordered", "snap", "doubled", "netem", "tso",
)  # fmt: skip


def captured(setting: Setting) -> tuple[bytes, Truth]:
    """Return the capture of a connection, and the behaviour of its sender."""
    sender = Sender(setting)
    truth = sender.run()
    packets = sorted(sender.seen_by[setting.side], key=lambda packet: packet[0])
    packets = _CHANGES.get(setting.kind, lambda frames, _: frames)(packets, setting)
    return file_of(packets, How(snap_bytes=68 if setting.kind == "snap" else 120)), truth


_Frames = list[tuple[int, bytes]]


def _from(packet: bytes, host: tuple[bytes, int]) -> bool:
    return packet[12:16] == host[0]


def _acks(frames: _Frames) -> list[int]:
    return [at for at, (_, packet) in enumerate(frames) if at > 2 and _from(packet, RECEIVER)]


def _one_missing(frames: _Frames, setting: Setting) -> _Frames:
    acks = _acks(frames)
    gone = acks[0] if setting.seed % 2 else setting.random.choice(acks[: len(acks) // 2])
    return frames[:gone] + frames[gone + 1 :]


def _exchanged(frames: _Frames, setting: Setting) -> _Frames:
    acks = _acks(frames)
    first, second = (acks[setting.random.randrange(4, len(acks) // 2) + more] for more in (0, 1))
    frames[first], frames[second] = (frames[first][0], frames[second][1]), (frames[second][0], frames[first][1])
    return frames


def _twice(frames: _Frames, _: Setting) -> _Frames:
    return [(t_ns + late, packet) for t_ns, packet in frames for late in (0, 4_000)]


def _late(frames: _Frames, setting: Setting) -> _Frames:
    """Delay the packets that the capturing host sends, as netem does on its interface."""
    host = SENDER if setting.side == "sender" else RECEIVER
    late = [(t_ns + 20 * _NS_PER_MS * _from(packet, host), packet) for t_ns, packet in frames]
    return sorted(late, key=lambda packet: packet[0])


_CHANGES: dict[str, Callable[[_Frames, Setting], _Frames]] = {
    "missing-ack": _one_missing,
    "reordered": _exchanged,
    "doubled": _twice,
    "netem": _late,
}

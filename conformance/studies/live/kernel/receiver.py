"""Network and receiver of one TCP connection: the answers to the sender's segments, and their times.

Path and ACK policy are as in the simulator (``spec/simulator.md``). Sequence numbers count from the first byte of data.
"""

from collections import deque
from dataclasses import dataclass, field

from firstflight_conformance.simulate.path import Bottleneck
from firstflight_conformance.simulate.scenario import Scenario
from studies.live.kernel.segments import Flags, Segment, distance

_WINDOW_SCALE = 14
_WINDOW = 0xFFFF  # scaled 1 GiB: the receiver never limits the sender
_SACK_BLOCKS = 3  # timestamps leave room for three
_FIRST_SEQ = 1  # the receiver's sequence number


@dataclass(slots=True)
class Arrived:
    """The arrived data: all below ``next_byte``, and blocks above it, latest first."""

    next_byte: int = 0
    blocks: list[tuple[int, int]] = field(default_factory=list)

    def add(self, first: int, end: int) -> None:
        """Add the bytes from ``first`` to below ``end``."""
        joined = [block for block in self.blocks if block[0] <= end and first <= block[1]]
        for block in joined:
            self.blocks.remove(block)
            first, end = min(first, block[0]), max(end, block[1])
        if first <= self.next_byte:
            self.next_byte = max(self.next_byte, end)
        else:
            self.blocks.insert(0, (first, end))


@dataclass(slots=True)
class Receiver:
    """Processes segments by their send times; returns the answers when they are due."""

    scenario: Scenario
    bottleneck: Bottleneck = field(init=False)
    arrived: Arrived = field(default_factory=Arrived)
    #: Segments on their way to the receiver, with arrival times; and answers on their way back, with due times.
    there: deque[tuple[int, Segment]] = field(default_factory=deque)
    back: deque[tuple[int, Segment]] = field(default_factory=deque)
    _first_seq: int = 0
    _ports: tuple[int, int] = (0, 0)
    _echo: int = 0
    _acknowledged: int = 0
    #: One above the largest arrived packet, the number of unacknowledged packets, and the due time of their ACK.
    _next_packet: int = 0
    _pending: int = 0
    _deadline_ns: int | None = None

    def __post_init__(self) -> None:
        """Set up the path."""
        self.bottleneck = Bottleneck(self.scenario.link, self.scenario.seed)

    def accept(self, now_ns: int, syn: Segment, mss: int) -> None:
        """Answer a SYN after the RTT of the empty path."""
        self._first_seq = syn.seq + 1
        self._ports = (syn.destination_port, syn.source_port)
        stamp = None if syn.timestamps is None else (_milliseconds(now_ns), syn.timestamps[0])
        link = self.scenario.link
        answer = Segment(
            *self._ports,
            seq=_FIRST_SEQ - 1,
            ack=self._first_seq,
            flags=Flags.SYN | Flags.ACK,
            window=_WINDOW,
            timestamps=stamp,
            mss=mss,
            window_scale=_WINDOW_SCALE,
            sack_permitted=syn.sack_permitted,
        )
        self.back.append((now_ns + link.forward_delay_ns + link.return_delay_ns, answer))

    def offset(self, segment: Segment) -> int:
        """Return the offset of a segment's first byte in the data."""
        return distance(segment.seq, self._first_seq)

    def acknowledges(self, answer: Segment) -> tuple[int, tuple[tuple[int, int], ...]]:
        """Return the end of the data that an answer acknowledges, and the blocks above it."""
        first_seq = self._first_seq
        blocks = tuple((distance(first, first_seq), distance(end, first_seq)) for first, end in answer.sack)
        return distance(answer.ack, first_seq), blocks

    def take(self, sent_ns: int, segment: Segment) -> None:
        """Process a segment with data, in the order of sending."""
        arrival_ns = self.bottleneck.carry(sent_ns, segment.payload_bytes)
        if arrival_ns is not None:
            self.there.append((arrival_ns, segment))

    def advance(self, now_ns: int) -> None:
        """Process the arrivals up to now, and acknowledge them."""
        while (next_ns := self._next_arrival_ns()) is not None and next_ns <= now_ns:
            if self._deadline_ns == next_ns:
                self._acknowledge(next_ns)
            else:
                self._arrive(*self.there.popleft())

    def due_ns(self) -> int | None:
        """Return the time of the next event, or ``None`` if nothing is under way."""
        times = [self._next_arrival_ns(), self.back[0][0] if self.back else None]
        return min((time for time in times if time is not None), default=None)

    def _next_arrival_ns(self) -> int | None:
        times = [self._deadline_ns, self.there[0][0] if self.there else None]
        return min((time for time in times if time is not None), default=None)

    def _arrive(self, now_ns: int, segment: Segment) -> None:
        first = self.offset(segment)
        self.arrived.add(first, first + segment.payload_bytes)
        if segment.timestamps is not None and first <= self._acknowledged:
            self._echo = segment.timestamps[0]  # RFC 7323, section 4.3
        packet, policy = first // self.scenario.config.max_datagram_size_bytes, self.scenario.receiver
        in_order, self._pending = packet == self._next_packet, self._pending + 1
        self._next_packet = max(self._next_packet, packet + 1)
        at_once = not in_order or (packet == 0 and policy.first_at_once)
        if at_once or self._pending >= policy.ack_every_packets:
            self._acknowledge(now_ns)
        elif self._deadline_ns is None:
            self._deadline_ns = now_ns + policy.max_ack_delay_ns

    def _acknowledge(self, now_ns: int) -> None:
        self._pending, self._deadline_ns = 0, None
        self._acknowledged = self.arrived.next_byte
        seq = self._first_seq
        answer = Segment(
            *self._ports,
            seq=_FIRST_SEQ,
            ack=seq + self._acknowledged,
            flags=Flags.ACK,
            window=_WINDOW,
            timestamps=(_milliseconds(now_ns), self._echo),
            sack=tuple((seq + first, seq + end) for first, end in self.arrived.blocks[:_SACK_BLOCKS]),
        )
        self.back.append((now_ns + self.scenario.link.return_delay_ns, answer))


def _milliseconds(t_ns: int) -> int:
    """Return the receiver's timestamp."""
    return t_ns // 1_000_000 % (1 << 32)

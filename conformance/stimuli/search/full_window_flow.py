"""Streams of a sender that fills its window whenever it sends: window and flight determine app-limited."""

from collections.abc import Callable
from dataclasses import dataclass, field

from firstflight import Config, Controller, create, step
from firstflight_conformance.format.builder import MS, StreamBuilder

#: A rate without serialization time: more packets in 100 ms than nanoseconds.
NO_BOTTLENECK = 10**9


def steps(first: int, *later: tuple[int, int]) -> Callable[[int], int]:
    """Return a function of time that is ``first``, and from ``t_ns`` on ``v`` for each (t_ns, v) of ``later``."""
    return lambda t_ns: [first, *(value for start_ns, value in later if t_ns >= start_ns)][-1]


@dataclass(slots=True)
class FullWindow:
    """A sender in the loop with the model over a bottleneck. The receiver sends an ACK at the end of each slot."""

    builder: StreamBuilder
    profile: str
    #: Round-trip propagation delay, and the packets that leave the bottleneck in 100 ms, by sending time.
    rtt_ns: Callable[[int], int] = field(default_factory=lambda: steps(100 * MS))
    rate: Callable[[int], int] = field(default_factory=lambda: steps(NO_BOTTLENECK))
    slot_ns: int = 10 * MS
    ack_delay_ns: int = 0
    drops: frozenset[int] = frozenset()
    #: A period without ACKs, from the first time to the second; delayed ACKs come at the end of the slot after it.
    silence_ns: tuple[int, int] = (0, 0)
    #: Whether an ACK that reveals a loss is processed before the loss.
    ack_first: bool = False
    controller: Controller = field(init=False)
    _seen: int = 0
    #: Packets in flight with the times of their ACKs.
    _due: list[tuple[int, int]] = field(default_factory=list)
    _dropped: list[int] = field(default_factory=list)
    _free_ns: int = 0

    def __post_init__(self) -> None:
        """Begin with the configuration of the stream."""
        config = Config(self.builder.max_datagram_size_bytes, self.builder.initial_window_bytes)
        self.controller = create("search", self.profile, config)

    def free_packets(self) -> int:
        """Return how many more full packets fit the window of the model."""
        for event in self.builder.events[self._seen :]:
            self.controller, _ = step(self.controller, event)
        self._seen = len(self.builder.events)
        free_bytes = self.controller.base.cwnd_bytes - self.builder.ledger.bytes_in_flight
        return max(free_bytes, 0) // self.builder.max_datagram_size_bytes

    def send(self, t_ns: int, packets: int | None = None) -> None:
        """Send all packets that fit, or the ``packets`` of an application-limited sender."""
        count = self.free_packets() if packets is None else packets
        if not count:
            return
        first = self.builder.ledger.next_packet
        self.builder.send(t_ns, count, app_limited=packets is not None)
        for packet in range(first, first + count):
            leaves_ns = max(self._free_ns, t_ns)
            if packet in self.drops:
                self._dropped.append(packet)
            else:
                self._due.append((self._acknowledged_ns(leaves_ns + self.rtt_ns(t_ns)), packet))
            self._free_ns = leaves_ns + 100 * MS // self.rate(t_ns)

    def _acknowledged_ns(self, arrived_ns: int) -> int:
        begin_ns, end_ns = self.silence_ns
        slots = -(-arrived_ns // self.slot_ns)
        if begin_ns <= slots * self.slot_ns < end_ns:
            slots = -(-end_ns // self.slot_ns)
        t_ns = slots * self.slot_ns + self.ack_delay_ns
        return max(t_ns, self._due[-1][0]) if self._due else t_ns

    def ack(self, *, app_limited: bool = False, sample: bool = True) -> int:
        """Process the next ACK with the loss that it reveals by three later packets; return its time."""
        t_ns = self._due[0][0]
        packets = [packet for due_ns, packet in self._due if due_ns == t_ns]
        self._due = self._due[len(packets) :]
        lost = [packet for packet in self._dropped if packet + 3 <= packets[-1]]
        self._dropped = self._dropped[len(lost) :]
        if lost and not self.ack_first:
            self.builder.lose(t_ns, *_ranges(lost))
        self.builder.ack(
            t_ns, *_ranges(packets), ack_delay_ns=self.ack_delay_ns, app_limited=app_limited, sample=sample
        )
        if lost and self.ack_first:
            self.builder.lose(t_ns, *_ranges(lost))
        return t_ns

    def bulk(self, until_ns: int) -> None:
        """Fill the window at every ACK until a time; then stop sending."""
        while self._due and self._due[0][0] <= until_ns:
            self.send(self.ack())

    def transfer(self, until_ns: int) -> None:
        """Fill the window from the beginning, and at every ACK until a time."""
        self.send(0)
        self.bulk(until_ns)


def _ranges(packets: list[int]) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    for packet in packets:
        if ranges and ranges[-1][1] == packet - 1:
            ranges[-1] = (ranges[-1][0], packet)
        else:
            ranges.append((packet, packet))
    return ranges

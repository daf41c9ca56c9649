"""Streams for congestion avoidance: rounds that fill the window, driven by the tested profile of the model."""

from dataclasses import dataclass
from typing import Any

from firstflight import Config, Controller, create, step
from firstflight_conformance.format.builder import MS, S, StreamBuilder

RTT = 100 * MS
#: The usual window. A loss leaves 25200: the curve covers the 10800 bytes between in K = 3 s, for 400 * 3^3 = 10800.
WINDOW: dict[str, Any] = {"max_datagram_size_bytes": 1000, "initial_window_bytes": 36_000}


@dataclass(slots=True)
class AvoidanceBuilder(StreamBuilder):
    """Events in order, and a controller that has processed them: its window limits the sender."""

    profile: tuple[str, str] = ("cubic", "rfc-9438")
    model: Controller | None = None
    seen: int = 0
    now_ns: int = 0

    def window_bytes(self) -> int:
        """Return the window after the events so far."""
        if self.model is None:
            self.model = create(*self.profile, Config(self.max_datagram_size_bytes, self.initial_window_bytes))
        for event in self.events[self.seen :]:
            self.model, _ = step(self.model, event)
        self.seen = len(self.events)
        return self.model.base.cwnd_bytes

    def free_packets(self) -> int:
        """Return how many more full packets fit the window."""
        return max(self.window_bytes() - self.ledger.bytes_in_flight, 0) // self.max_datagram_size_bytes

    def packets_in_flight(self) -> int:
        """Return how many packets are in flight."""
        return sum(run.count for run in self.ledger.in_flight)

    def fill(self, t_ns: int, most: int = 65535, **how: Any) -> None:
        """Send all full packets that fit the window."""
        if packets := min(self.free_packets(), most):
            self.send(t_ns, packets, **how)
            self.now_ns = t_ns

    def lose_first(self, t_ns: int) -> None:
        """Declare the oldest packet in flight lost and acknowledge the others, sent before recovery began."""
        runs = self.ledger.in_flight
        first, last = runs[0].first, runs[-1].last
        self.lose(t_ns, (first, first))
        if last > first:
            self.ack(t_ns, (first + 1, last))
        self.now_ns = t_ns

    def full_rounds(self, count: int, rtt_ns: int = RTT, acks: int = 2, **how: Any) -> None:
        """Fill the window and acknowledge each round in ``acks`` ACKs of equal size, a gap after the previous round."""
        for _ in range(count):
            self.fill(self.now_ns, **how)
            self.acknowledge(self.now_ns + rtt_ns, acks)

    def acknowledge(self, t_ns: int, acks: int = 1, **how: Any) -> None:
        """Acknowledge all packets in flight in ``acks`` ACKs a millisecond apart."""
        runs = self.ledger.in_flight
        first, last = runs[0].first, runs[-1].last
        packets = last - first + 1
        for index in range(min(acks, packets)):
            start, end = (first + packets * i // min(acks, packets) for i in (index, index + 1))
            self.ack(t_ns + index * MS, (start, end - 1), **how)
            self.now_ns = t_ns + index * MS


def lose_at(b: StreamBuilder, t_ns: int, packets: int = 36) -> None:
    """Fill the window, lose its first packet at ``t_ns``, and acknowledge the others then."""
    b.send(0, packets)
    b.lose(t_ns, (0, 0))
    b.ack(t_ns, (1, packets - 1))


def begin_stage(b: StreamBuilder, rtt_ns: int = S) -> None:
    """Lose at one RTT, send a millisecond later, acknowledge packet 36 an RTT later, at t_epoch, and send packet 61."""
    lose_at(b, rtt_ns)
    b.send(rtt_ns + MS, 25)
    b.ack(2 * rtt_ns + MS, (36, 36))
    b.send(2 * rtt_ns + MS, 1)

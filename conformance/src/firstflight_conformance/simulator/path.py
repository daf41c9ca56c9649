"""The bottleneck, a link with a queue; and the receiver, which acknowledges. Both only compute; others schedule."""

from collections import deque
from dataclasses import dataclass, field

from firstflight_conformance.prng import SplitMix64
from firstflight_conformance.simulator.scenario import Link
from firstflight_conformance.simulator.transfer import Receiver

#: Purposes of the seed (``spec/simulator.md``).
LOSS, JITTER, EARLY_DROP = 1, 2, 3


@dataclass(slots=True)
class Bottleneck:
    """Serves packets in order. ``busy_until_ns``: when the last packet taken will have left; ``origin_ns``: when the run began.

    ``early_dropped_packets`` of the ``dropped_packets`` were dropped at random while the queue had room.
    """

    link: Link
    seed: int
    origin_ns: int = 0
    busy_until_ns: int = 0
    waiting: deque[tuple[int, int]] = field(default_factory=deque)
    waiting_bytes: int = 0
    last_arrival_ns: int = 0
    dropped_packets: int = 0
    early_dropped_packets: int = 0
    lost_packets: int = 0
    #: How long a packet of a size is served.
    _services_ns: dict[int, int] = field(default_factory=dict, init=False, repr=False)
    loss: SplitMix64 = field(init=False)
    jitter: SplitMix64 = field(init=False)
    early: SplitMix64 = field(init=False)

    def __post_init__(self) -> None:
        """Seed the generators."""
        self.loss, self.jitter = SplitMix64(self.seed ^ LOSS), SplitMix64(self.seed ^ JITTER)
        self.early = SplitMix64(self.seed ^ EARLY_DROP)

    def carry(self, now_ns: int, size_bytes: int) -> int | None:
        """Take a packet; return when it arrives at the receiver, or ``None`` if it never does."""
        self.leave(now_ns)
        link, service_starts_ns = self.link, max(now_ns, self.busy_until_ns)
        if service_starts_ns > now_ns:
            if not self._takes(size_bytes):
                self.dropped_packets += 1
                return None
            self.waiting.append((service_starts_ns, size_bytes))
            self.waiting_bytes += size_bytes
        service_ns = self._services_ns.get(size_bytes)
        if service_ns is None:
            service_ns = self._services_ns[size_bytes] = link.service_ns(size_bytes)
        self.busy_until_ns = service_starts_ns + service_ns
        if link.loss_ppm and self.loss.chance_ppm(link.loss_ppm):
            self.lost_packets += 1
            return None
        arrival_ns = self.busy_until_ns + link.forward_delay_at(self.busy_until_ns - self.origin_ns)
        if link.jitter_ns:
            arrival_ns += self.jitter.below(link.jitter_ns + 1)
        self.last_arrival_ns = max(arrival_ns, self.last_arrival_ns)
        return self.last_arrival_ns

    def leave(self, now_ns: int) -> None:
        """Let those packets leave the queue whose service has begun."""
        waiting = self.waiting
        while waiting and waiting[0][0] <= now_ns:
            self.waiting_bytes -= waiting.popleft()[1]

    def _takes(self, size_bytes: int) -> bool:
        """Return whether the queue takes a packet that has to wait."""
        link = self.link
        if link.queue_packets is not None:
            if len(self.waiting) >= link.queue_packets:
                return False
        elif self.waiting_bytes + size_bytes > link.queue_bytes:
            return False
        if (
            link.early_drop_ppm
            and self.waiting_bytes > link.early_drop_above_bytes
            and self.early.chance_ppm(link.early_drop_ppm)
        ):
            self.early_dropped_packets += 1
            return False
        return True


@dataclass(slots=True)
class AckPolicy:
    """What the receiver has not acknowledged yet."""

    receiver: Receiver
    largest: int = -1
    largest_arrival_ns: int = 0
    pending: list[int] = field(default_factory=list)
    deadline_ns: int | None = None

    def arrived(self, now_ns: int, packet: int) -> bool:
        """Take a packet; return whether an ACK is due at once. Otherwise one is due at ``deadline_ns``."""
        in_order = packet == self.largest + 1
        if packet > self.largest:
            self.largest, self.largest_arrival_ns = packet, now_ns
        self.pending.append(packet)
        if (
            not in_order
            or len(self.pending) >= self.receiver.ack_every_packets
            or (packet == 0 and self.receiver.first_at_once)
        ):
            return True
        if self.deadline_ns is None:
            self.deadline_ns = now_ns + self.receiver.max_ack_delay_ns
        return False

    def acknowledge(self, now_ns: int) -> tuple[list[tuple[int, int]], int]:
        """Return the ranges newly acknowledged, rising, and the acknowledgement delay; nothing is pending then."""
        pending = self.pending
        pending.sort()
        ranges: list[tuple[int, int]] = []
        first = last = pending[0]
        for packet in pending:
            if packet > last + 1:
                ranges.append((first, last))
                first = packet
            last = packet
        ranges.append((first, last))
        pending.clear()
        self.deadline_ns = None
        return ranges, now_ns - self.largest_arrival_ns

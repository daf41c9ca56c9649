"""Shared by the stimuli of BBR: profiles, sources, and a sender of flights.

Defaults: datagrams of 1200 bytes, an initial window of ten datagrams, an RTT of 100 ms. A flight leaves at once and is
acknowledged at once after an RTT. So k packets are a round and a delivery rate of k * 12000 bytes a second. The first
flight is application-limited: the application writes nothing before it.
"""

from dataclasses import dataclass, field

from firstflight.delivery_rate import RateSampler
from firstflight_conformance.format.builder import MS, StreamBuilder

DRAFT = "draft-06"
SOURCE = "draft-ietf-ccwg-bbr-06"
#: The interval of a rate of Linux, which counts packets in a microsecond times 2^24.
UNIT_NS = 16_777_216_000
RTT = 100 * MS
#: An initial window that does not limit the sender, for streams with large flights.
WIDE = 480_000


@dataclass(slots=True)
class Sampled(StreamBuilder):
    """A builder whose events carry delivery-rate samples."""

    sampler: RateSampler | None = field(default_factory=RateSampler)


@dataclass(slots=True)
class Flights:
    """A sender whose packets are acknowledged in order. ``oldest``: the next packet to acknowledge or lose."""

    b: StreamBuilder
    now_ns: int = 0
    oldest: int = 0

    def send(self, packets: int, *, app_limited: bool = False) -> None:
        """Send packets now."""
        self.b.send(self.now_ns, packets, app_limited=app_limited)

    def ack(self, packets: int, after_ns: int = 0, **members: int | bool) -> None:
        """Acknowledge the next packets in one ACK, some time from now, and put members into its sample."""
        self.now_ns += after_ns
        self.b.ack(self.now_ns, (self.oldest, self.oldest + packets - 1))
        self.oldest += packets
        if members:
            self.b.resample(**members)

    def flight(
        self, packets: int, left: int = 0, rtt_ns: int = RTT, *, app_limited: bool = False, **members: int | bool
    ) -> None:
        """Send ``packets + left`` packets; acknowledge ``packets`` of them an RTT later."""
        self.send(packets + left, app_limited=app_limited)
        self.ack(packets, rtt_ns, **members)

    def lose(self, *packets: int) -> None:
        """Declare packets lost in one event, now."""
        self.b.lose(self.now_ns, *((packet, packet) for packet in packets))

    def lose_next(self, packets: int) -> None:
        """Declare the next packets lost in one event, now."""
        self.b.lose(self.now_ns, (self.oldest, self.oldest + packets - 1))
        self.oldest += packets


def grown(b: StreamBuilder) -> Flights:
    """Return a sender after flights of 10, 20, 40 and 50 packets: 600000 bytes a second, a window of 156000."""
    f = Flights(b)
    for packets in (10, 20, 40, 50):
        f.flight(packets)
    return f


def full(b: StreamBuilder, left: int = 0) -> Flights:
    """Return a sender after three more flights of 50 packets, which fill the pipe; ``left`` packets stay in flight."""
    f = grown(b)
    f.flight(50)
    f.flight(50)
    f.flight(50, left)
    return f

"""Streams for stimuli of several algorithms: the builder of each, and a sender that fits every profile."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from firstflight.controller import ALGORITHMS as KNOWN
from firstflight.controller import Config, Controller, advance, create
from firstflight_conformance.format.builder import MS, StreamBuilder
from stimuli.bbr.sender import Sampled
from stimuli.careful_resume.builder import ResumeBuilder

#: Every algorithm that answers events.
ALGORITHMS = (
    "bbr", "careful-resume", "cubic", "hybla", "hystart", "hystartpp", "jumpstart", "limited-slow-start", "quick-start",
    "rapid-start", "search", "slow-start", "suss", "tcb-sharing",
)  # fmt: skip
#: Maximum number of packets in a run of an event.
RUN_MAX_PACKETS = 65_535
#: Algorithms whose streams need more than packets.
_BUILDERS: dict[str, type[StreamBuilder]] = {
    "bbr": Sampled,
    "careful-resume": ResumeBuilder,
    "tcb-sharing": ResumeBuilder,
}


def builder_of(algorithm: str) -> type[StreamBuilder]:
    """Return the builder of an algorithm's streams."""
    return _BUILDERS.get(algorithm, StreamBuilder)


def profiles_of(algorithm: str) -> tuple[str, ...]:
    """Return all profiles of an algorithm on its own base."""
    return tuple(KNOWN[algorithm].profiles)


#: The other profiles have smaller windows in congestion avoidance; streams for them would not fill these windows.
_FULL = {
    "slow-start": ("rfc-9002",),
    "cubic": ("rfc-9438",),
    # The code of ns3-2025 does not define the growth after a loss.
    "jumpstart": tuple(name for name in profiles_of("jumpstart") if name != "ns3-2025"),
}


def full_profiles(algorithm: str) -> tuple[str, ...]:
    """Return the profiles whose windows one stream can fill."""
    return _FULL.get(algorithm, profiles_of(algorithm))


@dataclass(slots=True)
class Fitting:
    """A sender whose flights fit the smallest window of some profiles; every packet is acknowledged or lost."""

    b: StreamBuilder
    algorithm: str
    profiles: tuple[str, ...]
    now_ns: int = 0
    models: list[Controller] = field(default_factory=list)
    seen: int = 0

    def __post_init__(self) -> None:
        """Begin every profile with the configuration of the stream."""
        config = Config(self.b.max_datagram_size_bytes, self.b.initial_window_bytes)
        self.models = [create(self.algorithm, profile, config) for profile in self.profiles]

    def free_packets(self) -> int:
        """Return how many full packets fit every window."""
        for event in self.b.events[self.seen :]:
            for model in self.models:
                advance(model, event)
        self.seen = len(self.b.events)
        window_bytes = min(model.base.cwnd_bytes for model in self.models)
        return max(window_bytes - self.b.ledger.bytes_in_flight, 0) // self.b.max_datagram_size_bytes

    def send(self) -> int:
        """Send the packets that fit, now, as many as a run holds in one event; return the number of the first."""
        first = self.b.ledger.next_packet
        while packets := min(self.free_packets(), RUN_MAX_PACKETS):
            self.b.send(self.now_ns, packets)
        return first

    def acknowledge(self, rtt_ns: int, frames: int = 1) -> None:
        """Acknowledge all packets in flight an RTT from now, in at most so many frames."""
        in_flight = self.b.ledger.in_flight
        first, end = in_flight[0].first, in_flight[-1].last + 1
        frames = min(frames, end - first)
        bounds = [first + (end - first) * index // frames for index in range(frames + 1)]
        for low, high in pairwise(bounds):
            self.b.ack(self.now_ns + rtt_ns, (low, high - 1))

    def flights(self, frames: Iterable[int], rtt_ns: int, gap_ns: int = MS) -> None:
        """Send a flight for each number of frames, and acknowledge it in that many frames."""
        for count in frames:
            self.send()
            self.acknowledge(rtt_ns, count)
            self.now_ns += gap_ns

    def flight_with_loss(self, rtt_ns: int, gap_ns: int = MS, frames: int = 1) -> None:
        """Send a flight, lose its first packet, and acknowledge the others in at most so many frames."""
        first = self.send()
        self.b.lose(self.now_ns + rtt_ns, (first, first))
        self.acknowledge(rtt_ns, frames)
        self.now_ns += gap_ns

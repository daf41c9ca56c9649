"""Streams of SEARCH with random bins: the last bin puts the first evaluation next to the threshold.

A profile that interpolates or rounds differently then decides differently, however small the difference is.
"""

from dataclasses import dataclass

from firstflight_conformance.format.builder import MS, StreamBuilder
from firstflight_conformance.prng import SplitMix64
from generate.catalogue import Catalogue
from stimuli.search.flow import BIN, LARGE_WINDOW, RTT, deliver, nth_ack, one_ack_per_bin

CATALOGUE = Catalogue(sources=("LANMAN 2024, Algorithm 1",))
#: Seed of the bytes of all bins except the last.
SEED = 8


@dataclass(frozen=True, slots=True)
class NextToThreshold:
    """A stream: RTT ``bins`` bins plus ``rest_ms``; ``last_bytes`` in the last bin, the first that keeps slow start.

    ``evaluated``: count of the ACK, from 0, that evaluates first.
    """

    profile: str
    bins: int
    rest_ms: int
    last_bytes: int
    evaluated: int


STREAMS = (
    NextToThreshold("linux-3", 5, 30, 77_920, 15),
    NextToThreshold("linux-3-1", 5, 13, 78_432, 15),
    NextToThreshold("freebsd-4", 12, 20, 213_160, 22),
    NextToThreshold("picoquic-fork", 5, 30, 78_184, 16),
)


def _add(stream: NextToThreshold) -> None:
    @CATALOGUE.add(
        f"search.next-to-threshold.{stream.profile}",
        "A random stream whose first evaluation is just below the threshold",
        f"""The RTT rises to {stream.bins} bins of 35 ms and {stream.rest_ms} ms. Each bin has 15000 to 24999 bytes, drawn by
        SplitMix64 from seed {SEED}. The last bin before the first evaluation has {stream.last_bytes} bytes, just enough for the later
        window to keep slow start. The model computes the windows.""",
        tier="core",
        profiles=(stream.profile,),
        max_datagram_size_bytes=1000,
        initial_window_bytes=LARGE_WINDOW,
    )
    def fill(b: StreamBuilder) -> None:
        rng = SplitMix64(SEED)
        sizes = [15_000 + rng.below(10_000) for _ in range(stream.evaluated + 1)]
        sizes[stream.evaluated - 1] = stream.last_bytes
        longest_ns = stream.bins * BIN + stream.rest_ms * MS
        deliver(b, one_ack_per_bin(sizes, [min(RTT + index * BIN, longest_ns) for index in range(len(sizes))]))
        b.expect(at=nth_ack(b, stream.evaluated), outcome="below_threshold")


for _stream in STREAMS:
    _add(_stream)

"""Streams of SEARCH with random bins: the last bin puts the first evaluation at the threshold or next to it.

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
    """A stream with an RTT of ``bins`` bins plus ``rest_ms``.

    ``ending_bytes``: the most bytes in the last bin that end slow start. ``continuing_bytes``: more bytes, which
    continue it. ``evaluated``: count of the ACK, from 0, that evaluates first.
    """

    profile: str
    bins: int
    rest_ms: int
    ending_bytes: int
    continuing_bytes: int
    evaluated: int


STREAMS = (
    NextToThreshold("linux-3", 5, 30, 77_919, 77_920, 15),
    NextToThreshold("linux-3-1", 5, 13, 78_431, 78_432, 15),
    NextToThreshold("freebsd-4", 12, 20, 213_159, 213_160, 22),
    NextToThreshold("picoquic-fork", 5, 30, 78_168, 78_184, 16),
)


def _add(stream: NextToThreshold, name: str, last_bytes: int, outcome: str) -> None:
    @CATALOGUE.add(
        f"search.next-to-threshold.{stream.profile}-{name}",
        f"A random stream next to the threshold: slow start {name}",
        f"""The RTT rises to {stream.bins} bins of 35 ms and {stream.rest_ms} ms. Each bin has 15000 to 24999 bytes, drawn by
        SplitMix64 from seed {SEED}. The last bin before the first evaluation has {last_bytes} bytes. With {stream.ending_bytes} or
        fewer slow start ends. The model computes the windows.""",
        tier="core",
        profiles=(stream.profile,),
        max_datagram_size_bytes=1000,
        initial_window_bytes=LARGE_WINDOW,
    )
    def fill(b: StreamBuilder) -> None:
        rng = SplitMix64(SEED)
        sizes = [15_000 + rng.below(10_000) for _ in range(stream.evaluated + 1)]
        sizes[stream.evaluated - 1] = last_bytes
        longest_ns = stream.bins * BIN + stream.rest_ms * MS
        deliver(b, one_ack_per_bin(sizes, [min(RTT + index * BIN, longest_ns) for index in range(len(sizes))]))
        b.expect(at=nth_ack(b, stream.evaluated), outcome=outcome)


for _stream in STREAMS:
    _add(_stream, "continues", _stream.continuing_bytes, "below_threshold")
    _add(_stream, "ends", _stream.ending_bytes, "exited")

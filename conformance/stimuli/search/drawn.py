"""Streams of SEARCH drawn from seeds: they reject edits of the model that no stream built by hand rejects."""

from functools import partial

from firstflight.search.profiles import PROFILES as SEARCH_PROFILES
from firstflight_conformance.format.builder import MS, StreamBuilder
from firstflight_conformance.prng import SplitMix64
from generate.catalogue import Catalogue
from stimuli.search.flow import LARGE_WINDOW, Delivery, deliver

CATALOGUE = Catalogue(*SEARCH_PROFILES, sources=("LANMAN 2024, Algorithm 1",))
#: Largest delivery in bytes: the window is never full.
MOST_BYTES = 1_000_000
#: Seeds with streams that reject further edits, each with its number of deliveries.
SEEDS: dict[int, int] = {}


def deliveries(seed: int, count: int) -> list[Delivery]:
    """Return ``count`` deliveries: bytes and RTT of each change at random, and some frames have no RTT sample.

    An eighth of the deliveries come after up to 20 bins without ACKs, another eighth in the same bin as the previous.
    """
    rng = SplitMix64(seed)
    rtt_ns = (20 + rng.below(300)) * MS
    bin_ns = rtt_ns * 35 // 100
    t_ns, size_bytes, drawn = rtt_ns, 2000 + rng.below(20_000), list[Delivery]()
    for _ in range(count):
        drawn.append(Delivery(t_ns, size_bytes, rtt_ns, sample=rng.below(16) > 0))
        # Bytes change by a factor of 0.75 to 1.65: a sender that doubles its window in each RTT has 1.275 for each bin.
        size_bytes = min(max(size_bytes * (75 + rng.below(91)) // 100, 1), MOST_BYTES)
        gap = rng.below(8)
        bins = 1 + rng.below(20) if gap == 0 else 0 if gap == 1 else 1
        gap_ns = bins * bin_ns + rng.below(bin_ns // 4 + 1)
        # A longer RTT never lets a packet arrive after one that was sent later.
        rtt_ns = min(max(rtt_ns * (85 + rng.below(33)) // 100, MS), rtt_ns + gap_ns)
        t_ns += gap_ns
    return drawn


def _add(seed: int, count: int) -> None:
    @CATALOGUE.add(
        f"search.drawn.seed-{seed}",
        f"A stream drawn from seed {seed}",
        """Bytes, RTTs and times between ACKs are drawn by SplitMix64 (stimuli/search/drawn.py). This stream rejects edits of
        the model that no other vector rejects. The model computes the windows.""",
        tier="core",
        max_datagram_size_bytes=1000,
        initial_window_bytes=LARGE_WINDOW,
    )
    def fill(b: StreamBuilder) -> None:
        deliver(b, deliveries(seed, count))


for _seed, _count in SEEDS.items():
    _add(_seed, _count)

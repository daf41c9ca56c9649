"""Streams of SEARCH drawn from seeds: they reject edits of the model that no stream built by hand rejects."""

from firstflight.search.profiles import PROFILES as SEARCH_PROFILES
from firstflight_conformance.format.builder import MS, StreamBuilder
from firstflight_conformance.prng import SplitMix64
from generate.catalogue import Catalogue
from stimuli.search.flow import BIN, LARGE_WINDOW, RTT, Delivery, deliver, in_bin

CATALOGUE = Catalogue(*SEARCH_PROFILES, sources=("LANMAN 2024, Algorithm 1",))
#: Largest delivery in bytes: the window is never full.
MOST_BYTES = 1_000_000
#: Seeds of streams that reject further edits: with random gaps and RTTs, and with an RTT that rises to 15 bins.
SEEDS = (17, 50, 57)
RISING_SEEDS = (6, 24)
#: Deliveries of a stream with random gaps, and bins of the largest RTT of the others.
DELIVERIES = 40
RISING_BINS = 15


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


def rising_deliveries(seed: int, bins: int) -> list[Delivery]:
    """Return a delivery for each bin, with an RTT that rises from 100 ms by a bin each time, up to ``bins`` bins.

    The bytes of a bin are 70 % to 130 % of a trend that grows to 1.3 times in ``bins`` bins. The first evaluation needs
    more than ten bins plus an RTT, and each evaluation is close to the threshold.
    """
    rng = SplitMix64(seed)
    drawn = []
    for index in range(bins + 24):
        rtt_ns = min(RTT + index * BIN, bins * BIN + rng.below(BIN // MS) * MS)
        trend_bytes = 20_000 + 6_000 * index // bins
        drawn.append(Delivery(in_bin(index), trend_bytes * (70 + rng.below(61)) // 100, rtt_ns))
    return drawn


def _add(name: str, title: str, drawn: list[Delivery]) -> None:
    @CATALOGUE.add(
        f"search.drawn.{name}",
        title,
        """Bytes and RTTs are drawn by SplitMix64 (stimuli/search/drawn.py). This stream rejects edits of the model that no
        other vector rejects. The model computes the windows.""",
        tier="core",
        max_datagram_size_bytes=1000,
        initial_window_bytes=LARGE_WINDOW,
    )
    def fill(b: StreamBuilder) -> None:
        deliver(b, drawn)


for _seed in SEEDS:
    _add(f"seed-{_seed}", f"Random gaps, bytes and RTTs from seed {_seed}", deliveries(_seed, DELIVERIES))
for _seed in RISING_SEEDS:
    _title = f"An RTT that rises to {RISING_BINS} bins, with random bytes from seed {_seed}"
    _add(f"rising-{_seed}", _title, rising_deliveries(_seed, RISING_BINS))

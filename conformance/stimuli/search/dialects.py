"""Hand-built stimuli of SEARCH: other differences between versions and dialects. Shared helpers: ``search.flow``."""

from functools import partial

from firstflight.search.profiles import PROFILES as SEARCH_PROFILES
from firstflight_conformance.format.builder import MS, US, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.search.flow import (
    LARGE_WINDOW,
    RTT,
    Delivery,
    deliver,
    in_bin,
    nth_ack,
    one_ack_per_bin,
    rates,
)

CATALOGUE = Catalogue(*SEARCH_PROFILES, sources=("catalogue of edge cases",))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=LARGE_WINDOW)


@add(
    "search.fraction.percent",
    "The interpolated fraction as a whole percentage",
    """RTT 100 ms is 2 bins and 30/35 = 6/7. Counted where a bin ends, bins 0..9 hold 10000 each, bin 10 50000, bins 11
    and 12 together 17600. At curr = 13 the windows S(11) and S(10) hold 140000 and 100000: exactly 140000/7 + 6 *
    100000/7 = 105714.3, in whole percent (85) 21000 + 85000 = 106000. The later window holds 137600: 13 * 105714.3 <
    1376000 <= 13 * 106000. draft-00 continues, linux-3 exits.""",
    sources=("catalogue E23",),
)
def fraction_percent(b: StreamBuilder) -> None:
    sizes = [10000, *rates((10, 10000)), 50000, 8800, 8800, 30000]
    deliver(b, one_ack_per_bin(sizes))
    b.expect(
        at=nth_ack(b, 13), profile="draft-00", outcome="below_threshold", current_bytes=137600, previous_bytes=105714
    )
    b.expect(at=nth_ack(b, 13), profile="linux-3", outcome="exited")


@add(
    "search.fraction.rounded-down",
    "The interpolated window in whole bytes",
    """picoquic-fork, k = 2, at curr = 13: bins 2..11 hold 9000 + 1006 = 10006, bins 3..12 hold 10000. A seventh of
    10006 with 6/7 of 10000 is 1/7 of 6 above 10000, in whole bytes 10000. The later window, bins 4..13 with
    the open one, holds 9000 + 4001 = 13001: 13 * 10000 < 10 * 13001: slow start continues. With the fraction it would
    end.""",
    sources=("catalogue E23",),
)
def fraction_rounded_down(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin([1000, 1000, 1006, *rates((10, 1000)), 4001]))
    b.expect(profile="picoquic-fork", outcome="below_threshold", bin=13, current_bytes=13001, previous_bytes=10000)


def _long_shift(bins: int) -> list[Delivery]:
    """Return ACKs over an initial RTT of 10 ms, bins of 3.5 ms, and an RTT that rises to ``bins`` of them and stays."""
    bin_ns, final_ns = 3_500 * US, bins * 3_500 * US
    count = bins + 16
    return [
        Delivery(
            in_bin(i, 100 * US, bin_ns, 10 * MS),
            10000 if i < bins - 2 else 12000,
            min(final_ns, 10 * MS + 3_500 * US * max(0, i - 1)),
        )
        for i in range(count)
    ]


@add(
    "search.shift.thirty-eight",
    "A shift of 38 is the largest that linux-4 and freebsd-4 evaluate",
    """Initial RTT 10 ms, later 133 ms: 38 bins of 3.5 ms. Their ring of 50 sent bins reaches 49 bins back; for every other
    profile the RTT is inflated.""",
    sources=("catalogue E20",),
)
def shift_thirty_eight(b: StreamBuilder) -> None:
    deliver(b, _long_shift(38))
    b.expect(at=nth_ack(b, 49), profile=("linux-4", "freebsd-4"), shift_bins=38, bin=49)
    b.expect(at=nth_ack(b, 49), profile="lanman-2024", outcome="rtt_inflated", shift_bins=38)


@add(
    "search.shift.thirty-nine",
    "No profile evaluates a shift of 39",
    "Initial RTT 10 ms, later 136.5 ms: 39 bins.",
    sources=("catalogue E20",),
)
def shift_thirty_nine(b: StreamBuilder) -> None:
    deliver(b, _long_shift(39))
    b.expect(at=nth_ack(b, 50), profile=("linux-4", "freebsd-4"), outcome="rtt_inflated", shift_bins=39)


@add(
    "search.shift.fifteen-fraction",
    "A shift of 15 bins and a fraction: the ring of draft-00 has lost the oldest bin",
    """RTT 540 ms is 15 bins and 15/35. Counted where a bin ends, bin 0 holds 200000, bins 1..14 10000 each, later ones
    20000. draft-00, curr = 26: the windows S(11) and S(10) are bins 1..10 and 0..9. Bin 0 shares its slot with the newest bin,
    25, and counts as 20000. (20 * 100000 + 15 * 110000) / 35 = 104285; 13 times that is less than 10 * 200000: slow start continues. With bin 0 it would be (20 * 100000 + 15 * 290000) / 35 = 181428, 13 * 181428 > 10 * 200000, and exit.""",
    sources=("catalogue E19",),
)
def shift_fifteen_fraction(b: StreamBuilder) -> None:
    sizes = [10000, 200000, *rates((14, 10000), (14, 20000))]
    deliver(b, one_ack_per_bin(sizes, [min(540 * MS, RTT + 35 * MS * max(0, i - 2)) for i in range(len(sizes))]))
    b.expect(
        at=nth_ack(b, 26),
        profile="draft-00",
        outcome="below_threshold",
        shift_bins=15,
        current_bytes=200000,
        previous_bytes=104285,
    )


@add(
    "search.shift.above-255-ms",
    "The shift needs more than eight bits in a clock of milliseconds too",
    """Initial RTT 1 ms: quicly's bin is 1 ms. Later RTTs are 257 ms, 257 bins. In eight bits the shift is 1, and quicly
    compares neighbouring windows of a constant rate: exit. No other profile evaluates a shift of 257 or 734.""",
    sources=("catalogue E46",),
)
def shift_above_255_ms(b: StreamBuilder) -> None:
    first, rtt_ns = 300 * MS, 257 * MS
    times = [first + (i + 1) * MS + MS // 2 for i in range(20)]
    for t_ns in times:
        b.send(t_ns - rtt_ns, 10)
    b.send(first - MS, 1)
    b.ack(first, (200, 200))
    for index, t_ns in enumerate(times):
        b.ack(t_ns, (10 * index, 10 * index + 9))
    b.expect(
        at=nth_ack(b, 13),
        profile="quicly-pr583",
        outcome="exited",
        shift_bins=1,
        current_bytes=100000,
        previous_bytes=100000,
    )


@add(
    "search.shift.thirteen",
    "A shift of 13 is the largest that linux-3 evaluates",
    """RTT 455 ms, 13 bins, at a constant rate: all profiles that compare delivered bytes exit. With 14 bins linux-3
    does not.""",
    sources=("catalogue E19",),
)
def shift_thirteen(b: StreamBuilder) -> None:
    rtts = [min(455 * MS, RTT + 35 * MS * max(0, i - 2)) for i in range(26)]
    deliver(b, one_ack_per_bin([10000] * 26, rtts))
    b.expect(at=nth_ack(b, 23), profile="linux-3", outcome="exited", shift_bins=13)


def _coarse_clock(unit_name: str, unit_ns: int, rtt_units: int) -> None:
    """Register a stimulus with an initial RTT of ``rtt_units`` units, at a constant rate."""
    rtt_ns = rtt_units * unit_ns

    @add(
        f"search.clock.rtt-{rtt_units}-{unit_name}",
        f"An initial RTT of {rtt_units} {unit_name}, at a constant rate",
        f"""The exact bin is 0.35 * {rtt_units} {unit_name}. A clock of {unit_name}
        has floor(35 * {rtt_units} / 100) units per bin, at least one, or 0 units: then every ACK starts SEARCH again (linux-3, freebsd-4 in us). ACKs come a third of an
        RTT apart.""",
        sources=("catalogue E42", "catalogue E43"),
        tier="core",
    )
    def fill(b: StreamBuilder) -> None:
        step_ns = rtt_ns * 36 // 100
        deliver(b, [Delivery(20 * MS + i * step_ns, 10000, rtt_ns) for i in range(20)])


for _units in (1, 2, 3):
    _coarse_clock("us", US, _units)
for _units in (1, 3, 5, 8, 10):
    _coarse_clock("ms", MS, _units)


@add(
    "search.clock.wrap-32-bits",
    "The clock passes 2^32 microseconds",
    """The connection begins at a clock of 4294767296 us, and 4294767296 us + 200 ms = 4294967296 us is 2^32
    us. Bins continue over the wrap, and the constant rate exits as at any other time. Code that stores only the time in
    32 bits ends no bin for 71 minutes. If the end of the bin wraps too, as in Linux, one ACK per bin shows no difference.""",
    sources=("catalogue E47",),
)
def clock_wrap_32_bits(b: StreamBuilder) -> None:
    wrap_ns = 4_294_967_296 * US - 1_000 * MS
    deliver(b, [Delivery(wrap_ns - 200 * MS + in_bin(i), 10000) for i in range(18)])
    b.expect(at=nth_ack(b, 14), profile="lanman-2024", outcome="exited", bin=14)
    b.expect(at=nth_ack(b, 12), profile="linux-3", outcome="exited", bin=12)


@add(
    "search.interpolation.step",
    "One large bin shows the position of the earlier window",
    """Bin i holds 10000 * 1.3^i bytes, rounded down, but bin 6 four times that. The large bin reaches the earlier window first
    with forward interpolation, later without interpolation, and last with backward interpolation.""",
    sources=("catalogue E26",),
)
def interpolation_step(b: StreamBuilder) -> None:
    sizes = [10000 * 13**i // 10**i for i in range(24)]
    sizes[6] *= 4
    deliver(b, one_ack_per_bin(sizes))
    b.expect(
        at=nth_ack(b, 14),
        profile="lanman-2024",
        outcome="below_threshold",
        shift_bins=3,
        current_bytes=1362056,
        previous_bytes=698855,
    )


@add(
    "search.exit.ring-of-bins",
    "Two RTTs of more than 25 bins",
    """The RTT grows to 650 ms, 18 bins of 35 ms: up to bin 28 there is too little data before the earlier window. 10 ms
    later an ACK has an RTT of 460 ms, 13 whole bins. It is evaluated, and the constant rate ends slow start. The
    overshoot is counted over two RTTs, 2 * 13 = 26 bins, but the fork's ring has 25: 26 - 25 = 1 bin, the open one. The
    window is 10000000 + 29 * 5000 + 1000 = 10146000. It falls by the open bin, 5000 + 1000 = 6000, to 10140000. With 26
    bins it would fall by 25 * 5000 = 125000 more.""",
    profiles=("picoquic-fork",),
    sources=("hfstco/picoquic @ 4251bc4e, picoquic/search.c",),
)
def exit_ring_of_bins(b: StreamBuilder) -> None:
    rtts = [min(650 * MS, RTT + 34 * MS * i) for i in range(29)]
    deliver(b, [*one_ack_per_bin([5000] * 29, rtts), Delivery(in_bin(28) + 10 * MS, 1000, 460 * MS)])
    b.expect(outcome="exited", bin=28, shift_bins=13, cwnd_bytes=10_140_000, ssthresh_bytes=10_140_000)


@add(
    "search.evaluation.within-bin",
    "One ACK within a bin has a much smaller RTT",
    """Bytes per bin grow by 1.2. The RTT is 200 ms, 5.7 bins: the later window holds more than twice the earlier,
    and no profile exits. 10 ms into bin 18 an ACK comes with an RTT of 40 ms, 1.14 bins. picoquic-fork evaluates
    every ACK. Moved forward to 0.86 bins the earlier window holds more than 10/13 of the later: exit. For all other profiles the ACK is one of many in its bin.""",
    sources=("catalogue E02",),
)
def evaluation_within_bin(b: StreamBuilder) -> None:
    sizes = [10000 * 12**i // 10**i for i in range(22)]
    rtts = [min(200 * MS, RTT + 35 * MS * max(0, i - 2)) for i in range(22)]
    deliver(b, [*one_ack_per_bin(sizes, rtts), Delivery(in_bin(18) + 10 * MS, 1000, 40 * MS)])
    b.expect(at=nth_ack(b, 19), profile="picoquic-fork", outcome="exited", bin=18, shift_bins=1)
    b.expect(at=nth_ack(b, 19), profile="lanman-2024", outcome="same_bin")

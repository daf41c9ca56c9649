"""Hand-built stimuli of SEARCH: the shift by an RTT. See ``stimuli.search.flow`` for shared helpers."""

from functools import partial

from firstflight.search.profiles import PROFILES as SEARCH_PROFILES
from firstflight_conformance.format.builder import MS, StreamBuilder
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

CATALOGUE = Catalogue(*SEARCH_PROFILES, sources=("LANMAN 2024, Algorithm 1",))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=LARGE_WINDOW)


@add(
    "search.shift.tie-down",
    "An RTT of 2.5 bins shifts by 2: a tie is rounded down",
    """From bin 11 on the RTT is 87.5 ms, exactly 2.5 bins of 35 ms. Recommended, k = 2: at curr = 13 prev = 11, bins 3..12 hold 140000 and 1..10 hold 100000: 1300000 < 1400000, slow start continues. At curr
    = 14 4..13 hold 150000 and 2..11 hold 120000: 1560000 >= 1500000, exit. Rounded up, k = 3, 1..10 would be compared: 1300000 < 1500000, slow start would continue.""",
    sources=("catalogue E22",),
)
def shift_tie_down(b: StreamBuilder) -> None:
    rtts = [RTT] * 11 + [87_500_000] * 6
    deliver(b, one_ack_per_bin(rates((11, 10000), (1, 30000), (1, 30000), (4, 20000)), rtts))
    b.expect(
        at=nth_ack(b, 13),
        profile="lanman-2024",
        outcome="below_threshold",
        shift_bins=2,
        current_bytes=140000,
        previous_bytes=100000,
    )
    b.expect(
        at=nth_ack(b, 14),
        profile="lanman-2024",
        outcome="exited",
        shift_bins=2,
        current_bytes=150000,
        previous_bytes=120000,
    )


@add(
    "search.shift.just-above-tie",
    "One nanosecond above 2.5 bins shifts by 3",
    """As in the tie, but the RTT is 87500001 ns: two bins are subtracted, 20 * 87500001 - 2 * 700000000 = 350000020, and 2 * 350000020
    > 700000000 is more than half a bin, so k = 3. At curr = 14, 4..13 hold 150000 and 1..10 hold 100000: 1300000 < 1500000,
    slow start continues; in the tie it ends.""",
    sources=("catalogue E22",),
)
def shift_just_above_tie(b: StreamBuilder) -> None:
    rtts = [RTT] * 11 + [87_500_001] * 4
    deliver(b, one_ack_per_bin(rates((11, 10000), (1, 30000), (1, 30000), (2, 20000)), rtts))
    b.expect(
        at=nth_ack(b, 14),
        profile="lanman-2024",
        outcome="below_threshold",
        shift_bins=3,
        current_bytes=150000,
        previous_bytes=100000,
    )


@add(
    "search.shift.whole-bins",
    "An RTT of exactly two bins shifts by 2 in either rounding",
    """RTT 70 ms from bin 3 on. Recommended: at curr = 13 prev = 11; bins 3..12 and 1..10 hold 100000 each: exit. Literal: at curr = 12, bins 2..12 and 0..10: 110000
    against 100000, exit.""",
    sources=("catalogue E24",),
)
def shift_whole_bins(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin([10000] * 16, [RTT] * 3 + [70 * MS] * 13))
    b.expect(
        at=nth_ack(b, 13),
        profile="lanman-2024",
        outcome="exited",
        shift_bins=2,
        current_bytes=100000,
        previous_bytes=100000,
    )
    b.expect(
        at=nth_ack(b, 12), profile="lanman-2024-literal", outcome="exited", current_bytes=100000, previous_bytes=110000
    )


@add(
    "search.shift.one-bin",
    "An RTT of exactly one bin shifts by 1",
    """From bin 3 on the RTT is 35 ms; bytes per bin grow by 1.2. The earlier window is one bin back, so the later holds about 1.2 times as much, less than 13/10: exit, in the recommended reading at curr = 12. Two bins back it would be 1.44 times as much,
    and slow start would continue.""",
    sources=("catalogue E09", "catalogue E24"),
)
def shift_one_bin(b: StreamBuilder) -> None:
    sizes = [10000, 12000, 14400, 17280, 20736, 24883, 29860, 35832, 42998, 51598, 61917, 74301, 89161, 106993]
    deliver(b, one_ack_per_bin(sizes, [RTT] * 3 + [35 * MS] * 11))
    b.expect(
        at=nth_ack(b, 12),
        profile="lanman-2024",
        outcome="exited",
        shift_bins=1,
        current_bytes=373805,
        previous_bytes=311504,
    )


@add(
    "search.shift.below-half-bin",
    "An RTT far below a bin: the literal text compares a window with itself",
    """The first RTT is 300 ms, later ones are 30 ms, less than half a bin of 0.35 * 300 ms = 105 ms. Bytes per bin grow by 1.6.
    Literal: k = floor(0.286) = 0, both windows are the same, norm_diff is 1/2: exit at curr = 10. Recommended: at least 1; ten
    bins compared with the ten bins before, 1.6 times as many > 13/10: slow start continues.""",
    sources=("catalogue E21",),
    max_datagram_size_bytes=1200,
)
def shift_below_half_bin(b: StreamBuilder) -> None:
    sizes = [1000, 1600, 2560, 4096, 6554, 10486, 16777, 26844, 42950, 68719, 109951, 175922, 281475, 450360, 720576]
    times = [in_bin(i, bin_ns=105 * MS, first_ack_ns=300 * MS) for i in range(len(sizes))]
    rtts = [300 * MS] + [30 * MS] * (len(sizes) - 1)
    deliver(b, [Delivery(t, size, rtt) for t, size, rtt in zip(times, sizes, rtts, strict=True)])
    b.expect(
        at=nth_ack(b, 10),
        profile="lanman-2024-literal",
        outcome="exited",
        shift_bins=0,
        current_bytes=181586,
        previous_bytes=181586,
    )


def _inflating(final_rtt_ns: int, bins: int) -> list[int]:
    """RTTs that rise by 35 ms from bin to bin, so that all was sent at once, up to a final value."""
    return [min(final_rtt_ns, RTT + 35 * MS * max(0, i - 2)) for i in range(bins)]


@add(
    "search.shift.fourteen",
    "A shift of 14 is evaluated",
    """The RTT rises to 490 ms, 14 bins. Recommended: prev = 11 at curr = 25; bins 15..24 hold 200000, bins 1..10 hold 100000: norm_diff 0, slow start continues. Literal: prev = 10 at curr = 24; bins 14..24, with the open bin empty, hold
    200000, bins 0..10 hold 110000: 1430000 < 2000000, slow start continues.""",
    sources=("catalogue E19",),
)
def shift_fourteen(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin(rates((12, 10000), (16, 20000)), _inflating(490 * MS, 28)))
    b.expect(
        at=nth_ack(b, 25),
        profile="lanman-2024",
        outcome="below_threshold",
        shift_bins=14,
        current_bytes=200000,
        previous_bytes=100000,
    )
    b.expect(
        at=nth_ack(b, 24),
        profile="lanman-2024-literal",
        outcome="below_threshold",
        shift_bins=14,
        current_bytes=200000,
        previous_bytes=110000,
    )


@add(
    "search.shift.fourteen-exits",
    "A shift of 14 reads the oldest bin of the ring, and decides with it",
    """RTT 490 ms, 14 bins. Recommended, curr = 25: bins 1..10 hold 100000, bins 15..24 hold 7 * 10000 + 3 * 20000 = 130000: exactly 7/20, exit. Without bin 1, the oldest in the ring, 13 * 90000 < 10 * 130000 and slow start would continue.
    Literal, curr = 24: bins 0..10 hold 110000, bins 14..24 hold 8 * 10000 + 2 * 20000 = 120000: exit.""",
    sources=("catalogue E19",),
)
def shift_fourteen_exits(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin(rates((22, 10000), (3, 20000), (1, 10000)), _inflating(490 * MS, 26)))
    b.expect(at=nth_ack(b, 25), profile="lanman-2024", outcome="exited", current_bytes=130000, previous_bytes=100000)
    b.expect(
        at=nth_ack(b, 24), profile="lanman-2024-literal", outcome="exited", current_bytes=120000, previous_bytes=110000
    )


@add(
    "search.shift.fourteen-exits-strictly",
    "A shift of 14 decides by more than the threshold",
    """RTT 490 ms, 14 bins. At curr = 25 bins 1..10 hold 100000, bins 15..24 hold 8 * 10000 + 2 * 20000 = 120000: 13 * 100000 = 1300000 is more than 10 * 120000 = 1200000. lanman-2024 and report-2024 exit, report-2024 with bin 24 open.""",
    sources=("REPORT 2024, appendix A", "catalogue E19"),
)
def shift_fourteen_exits_strictly(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin(rates((22, 10000), (2, 20000), (2, 10000)), _inflating(490 * MS, 26)))
    b.expect(profile="report-2024", outcome="exited", bin=24, current_bytes=120000, previous_bytes=100000)
    b.expect(profile="lanman-2024", outcome="exited", bin=25, current_bytes=120000, previous_bytes=100000)


@add(
    "search.shift.fifteen",
    "A shift of 15 at a constant rate",
    """RTT 525 ms, 15 bins. Recommended: 15 > 14, not evaluated. Literal, curr = 25: bins 15..25, with the open bin empty, hold 100000. Bins 0..10 without bin 0, whose slot the open bin uses, hold 100000 too: exit.""",
    sources=("catalogue E19",),
)
def shift_fifteen(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin([10000] * 28, _inflating(525 * MS, 28)))
    b.expect(at=nth_ack(b, 26), profile="lanman-2024", outcome="rtt_inflated", shift_bins=15)
    b.expect(
        at=nth_ack(b, 25), profile="lanman-2024-literal", outcome="exited", current_bytes=100000, previous_bytes=100000
    )


@add(
    "search.shift.fifteen-aliases",
    "A shift of 15 reads the slot of the open bin in the literal text; the recommended reading refuses it",
    """RTT 525 ms, 15 bins. Literal: prev = 10 at curr = 25. The earlier window is 0..10, but bin 0 shares its slot with the open bin 25 and counts as empty. 10 bins hold 100000, the later window 15..24
    holds 135000: 1300000 < 1350000, slow start continues. With bin 0 it would hold 110000 and exit. Recommended: 15 > 14, not evaluated.""",
    sources=("catalogue E19",),
)
def shift_fifteen_aliases(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin(rates((14, 10000), (14, 13500)), _inflating(525 * MS, 28)))
    b.expect(at=nth_ack(b, 26), profile="lanman-2024", outcome="rtt_inflated", shift_bins=15)
    b.expect(
        at=nth_ack(b, 25),
        profile="lanman-2024-literal",
        outcome="below_threshold",
        current_bytes=135000,
        previous_bytes=100000,
    )


@add(
    "search.shift.sixteen",
    "A shift of 16 is never evaluated",
    "RTT 560 ms, 16 bins, at a constant rate: neither profile evaluates, though both would exit.",
    sources=("catalogue E19",),
)
def shift_sixteen(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin([10000] * 30, _inflating(560 * MS, 30)))
    b.expect(at=nth_ack(b, 27), profile="lanman-2024", outcome="rtt_inflated", shift_bins=16)
    b.expect(at=nth_ack(b, 26), profile="lanman-2024-literal", outcome="rtt_inflated", shift_bins=16)


@add(
    "search.shift.above-255",
    "The shift needs more than eight bits",
    """Initial RTT 1 ms, a bin of 0.35 ms; later RTTs are 89.95 ms, 257 bins. The shift is 257 and is not evaluated. Cut to eight bits it is 1, and the constant rate exits.""",
    sources=("catalogue E46",),
)
def shift_above_255(b: StreamBuilder) -> None:
    bin_ns, rtt_ns, first = 350_000, 89_950_000, 100 * MS
    late = [Delivery(first + i * bin_ns + 1000, 10000, rtt_ns) for i in range(1, 16)]
    for delivery in late:
        b.send(delivery.t_ns - rtt_ns, 10)
    b.send(first - MS, 1)
    b.ack(first, (150, 150))
    for index, delivery in enumerate(late):
        b.ack(delivery.t_ns, (10 * index, 10 * index + 9))
    b.expect(at=nth_ack(b, 15), profile="lanman-2024", outcome="warming_up", shift_bins=257, bin=15)

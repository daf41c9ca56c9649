"""Hand-built stimuli of SEARCH: bins and windows. The stimuli of the exit are in ``exit``.

By default the initial RTT is 100 ms, a bin 35 ms, and one ACK arrives 1 ms after the start of each bin. The initial
window is large, so that the window never limits the sender.
"""

from functools import partial

from firstflight.search.profiles import PROFILES as SEARCH_PROFILES
from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.search.flow import (
    BIN,
    DOUBLING,
    FIRST_ACK,
    LARGE_WINDOW,
    RTT,
    Delivery,
    deliver,
    in_bin,
    nth_ack,
    one_ack_per_bin,
)

CATALOGUE = Catalogue(*SEARCH_PROFILES, sources=("LANMAN 2024, Algorithm 1",))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=LARGE_WINDOW)


@add(
    "search.doubling.first-evaluation",
    "Perfect doubling: the literal text leaves slow start at its first evaluation",
    f"""Bytes per bin grow by 2^0.35. Literal: k = floor(100 / 35) = 2, evaluated from curr = 12 on. Bins 2..12, the open one empty, hold {sum(DOUBLING[2:12])}, bins
    0..10 hold {sum(DOUBLING[:11])}; 13 * {sum(DOUBLING[:11])} = {13 * sum(DOUBLING[:11])} >= 10 * {sum(DOUBLING[2:12])}: exit.
    Recommended: k = round(2.857) = 3, from curr = 14 on: bins 4..13 hold {sum(DOUBLING[4:14])}, bins 1..10 {sum(DOUBLING[1:11])};
    13 * {sum(DOUBLING[1:11])} = {13 * sum(DOUBLING[1:11])} < 10 * {sum(DOUBLING[4:14])}: slow start continues.""",
    sources=("LANMAN 2024, Algorithm 1", "catalogue E01"),
)
def doubling_first_evaluation(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin(DOUBLING))
    b.expect(
        at=nth_ack(b, 12),
        profile="lanman-2024-literal",
        outcome="exited",
        shift_bins=2,
        current_bytes=61025,
        previous_bytes=48880,
    )
    b.expect(
        at=nth_ack(b, 14),
        profile="lanman-2024",
        outcome="below_threshold",
        shift_bins=3,
        current_bytes=99133,
        previous_bytes=47880,
    )


@add(
    "search.guard.first-evaluation",
    "A constant rate: the first evaluation exits and shows its time",
    """10000 bytes in each bin. Literal, k = 2: `prev` reaches 10 at curr = 12; 11 bins hold 110000, 10 and the open one
    100000: exit. Recommended, k = 3: prev = 10 at curr = 13 is still warming up, since bin 0 is not a full bin. At curr
    = 14 the windows hold 100000 each: 13 * 100000 >= 10 * 100000: exit.""",
    sources=("catalogue E17",),
)
def guard_first_evaluation(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin([10000] * 16))
    b.expect(
        at=nth_ack(b, 12), profile="lanman-2024-literal", outcome="exited", current_bytes=100000, previous_bytes=110000
    )
    b.expect(at=nth_ack(b, 13), profile="lanman-2024", outcome="warming_up")
    b.expect(at=nth_ack(b, 14), profile="lanman-2024", outcome="exited", current_bytes=100000, previous_bytes=100000)


@add(
    "search.bins.boundary-exact",
    "An ACK at the very end of a bin still belongs to it",
    """Bin 0 ends at 135 ms. The ACK at 135 ms is counted in bin 0 (now > bin_end is false): 1000 + 2000 = 3000 bytes.
    The ACK one ns later opens bin 1. With >= the ACK at 135 ms opens bin 1.""",
    sources=("LANMAN 2024, Algorithm 1", "catalogue E08"),
)
def bins_boundary_exact(b: StreamBuilder) -> None:
    deliver(
        b, [Delivery(FIRST_ACK, 1000), Delivery(FIRST_ACK + BIN, 2000), Delivery(FIRST_ACK + BIN + 1, 3000, RTT + 1)]
    )
    b.expect(
        at=nth_ack(b, 1), profile=("lanman-2024", "lanman-2024-literal"), outcome="same_bin", bin=0, open_bin_bytes=3000
    )
    b.expect(at=nth_ack(b, 2), profile=("lanman-2024", "lanman-2024-literal"), bin=1, open_bin_bytes=3000)


@add(
    "search.bins.boundary-decides",
    "An ACK at the very end of a bin does not yet end slow start",
    """A constant rate. Literal: the ACK of 1000 bytes at 520 ms, exactly the end of bin 11, is in bin 11. The next ACK
    opens bin 12 and exits. Recommended: likewise at 590 ms, the end of bin 13, and the exit with bin 14. With >= each
    of them exits one ACK earlier.""",
    sources=("catalogue E08",),
)
def bins_boundary_decides(b: StreamBuilder) -> None:
    regular = one_ack_per_bin([10000] * 15)
    exact = [Delivery(FIRST_ACK + n * BIN, 1000) for n in (12, 14)]
    deliver(b, sorted(regular + exact, key=lambda delivery: delivery.t_ns))
    b.expect(at=nth_ack(b, 12), profile="lanman-2024-literal", outcome="same_bin", bin=11)
    b.expect(at=nth_ack(b, 13), profile="lanman-2024-literal", outcome="exited", bin=12)
    b.expect(at=nth_ack(b, 15), profile="lanman-2024", outcome="same_bin", bin=13)
    b.expect(at=nth_ack(b, 16), profile="lanman-2024", outcome="exited", bin=14)


@add(
    "search.bins.same-bin",
    "ACKs within a bin add up and are not evaluated",
    "Three ACKs in bin 0 and two in bin 1: 1000 + 2000 + 3000 = 6000, then 4000 + 5000 = 9000 bytes.",
)
def bins_same_bin(b: StreamBuilder) -> None:
    times = [FIRST_ACK, in_bin(0) + 10 * MS, in_bin(0) + 20 * MS, in_bin(1), in_bin(1) + 10 * MS]
    deliver(b, [Delivery(t, 1000 * (index + 1)) for index, t in enumerate(times)])
    b.expect(at=nth_ack(b, 2), profile="lanman-2024", outcome="same_bin", bin=0, open_bin_bytes=6000)
    b.expect(at=nth_ack(b, 4), profile="lanman-2024", outcome="same_bin", bin=1, open_bin_bytes=9000)


@add(
    "search.bins.crossing-ack",
    "The ACK that ends a bin counts in the new bin",
    """A stretch ACK of 50000 bytes crosses the end of bin 13. The windows of the recommended reading end with bin 13:
    4..13 hold 135000 and 1..10 hold 100000: 1300000 < 1350000, slow start continues. Counted in the bin that ends, they
    hold 135000 + 50000 = 185000; counted as part of both, more. One bin later the 50000 are in the window.""",
    sources=("catalogue E16",),
)
def bins_crossing_ack(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin([10000] * 11 + [20000, 20000, 25000, 50000, 10000]))
    b.expect(
        at=nth_ack(b, 14), profile="lanman-2024", outcome="below_threshold", current_bytes=135000, previous_bytes=100000
    )


@add(
    "search.bins.gap-of-two",
    "A gap of two bins: the skipped bins are empty",
    """No ACK falls into bin 5. Recommended: the ACK at the start of bin 6 advances twice, bin 5 stays empty and curr is
    6. Literal: one step per ACK, curr is 5 and lags by a bin until the second ACK of
    bin 7.""",
    sources=("LANMAN 2024, Algorithm 1", "catalogue E09"),
)
def bins_gap_of_two(b: StreamBuilder) -> None:
    deliveries = one_ack_per_bin([1000, 1000, 1000, 1000, 1000, 0, 2000, 3000])
    deliver(b, [*deliveries, Delivery(in_bin(7) + 5 * MS, 4000), Delivery(in_bin(8), 5000)])
    b.expect(at=nth_ack(b, 5), profile="lanman-2024", bin=6)
    b.expect(at=nth_ack(b, 5), profile="lanman-2024-literal", bin=5)
    b.expect(at=nth_ack(b, 7), profile="lanman-2024-literal", bin=7)


@add(
    "search.bins.gap-at-boundary",
    "A gap that ends exactly at the end of a bin opens the next bin or keeps the bin open",
    """After bin 2, which ends at 100 ms + 3 * 35 ms = 205 ms, the next ACK comes at 100 + 5 * 35 = 275 ms, exactly the
    end of bin 4. draft-00: 275 ms > 205 ms, so 70 / 35 + 1 = 3 bins end. Bin 5 is open, although 275 ms is no
    later than its beginning. draft-09 and neqo-2026 do the same. lanman-2024 tests each bin: bin 4 is open, and the ACK
    one ns later opens bin 5.""",
    sources=("draft-chung-ietf-ccwg-00, lines 10 and 24", "catalogue E08", "catalogue E10"),
)
def bins_gap_at_boundary(b: StreamBuilder) -> None:
    deliveries = one_ack_per_bin([1000, 1000, 1000])
    late = FIRST_ACK + 5 * BIN
    deliver(b, [*deliveries, Delivery(late, 2000), Delivery(late + 1, 3000, RTT + 1)])
    b.expect(at=8, profile=("draft-00", "draft-00-literal", "draft-09", "neqo-2026"), bin=5)
    b.expect(at=8, profile=("lanman-2024", "quicly-pr583"), bin=4, open_bin_bytes=2000)
    b.expect(at=9, profile=("draft-00", "lanman-2024"), bin=5)


@add(
    "search.bins.gap-of-ring",
    "Gaps of 24, 25 and 26 bins empty as many slots of the ring",
    """Three bins, then a gap that skips 24 bins, a gap of 25 and a gap of 26. After the first gap the last of the three bins
    is still in the ring. After the other gaps the ring is empty. In the recommended reading the earlier window is empty each
    time.""",
    sources=("catalogue E14",),
)
def bins_gap_of_ring(b: StreamBuilder) -> None:
    bins = [0, 1, 2, 26, 51, 77]
    deliver(b, [Delivery(in_bin(i), 1000 * (n + 1)) for n, i in enumerate(bins)])
    b.expect(at=nth_ack(b, 3), profile="lanman-2024", outcome="previous_zero", bin=26)
    b.expect(at=nth_ack(b, 4), profile="lanman-2024", outcome="previous_zero", bin=51)
    b.expect(at=nth_ack(b, 5), profile="lanman-2024", outcome="previous_zero", bin=77)


@add(
    "search.bins.gap-looks-like-stall",
    "After a gap of twelve bins the later window is empty and the earlier is not: exit",
    """Bins 0..8 hold 10000 each, then the next ACK comes in bin 21. At curr = 21 the later window, 11..20, is empty. The earlier
    window, 8..17, holds the 10000 of bin 8: norm_diff is 1. The text does not except silence.""",
    sources=("catalogue E13", "catalogue E28"),
)
def bins_gap_looks_like_stall(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin([10000] * 9 + [0] * 12 + [10000] * 3))
    b.expect(at=nth_ack(b, 9), profile="lanman-2024", outcome="exited", bin=21, current_bytes=0, previous_bytes=10000)


@add(
    "search.bins.gap-huge",
    "A gap of 2^31 bins is one step of work",
    """Initial RTT 1 ns: a bin is 7/20 ns. The second ACK comes 752619277 ns - 1 ms = 751619277 ns after the first. In
    ticks of 1/20 ns a bin is 7: floor((20 * 751619277 - 7) / 7) + 1 = 2147483648 bins have passed, too many for
    31 bits. An int overflows, a loop over every bin stalls. Two ns later, six bins on, both windows hold the only full bin:
    exit.""",
    sources=("catalogue E15", "catalogue E42"),
)
def bins_gap_huge(b: StreamBuilder) -> None:
    deliver(b, [Delivery(MS, 1000, 1), Delivery(MS + 751_619_277, 2000, 1), Delivery(MS + 751_619_279, 3000, 1)])
    b.expect(at=nth_ack(b, 1), profile="lanman-2024", bin=2147483648)
    b.expect(at=nth_ack(b, 2), profile="lanman-2024", outcome="exited", bin=2147483654)


@add(
    "search.bins.burst-after-silence",
    "Three bins of silence, then four ACKs at once",
    """ACKs are delayed for three bins and arrive together. Recommended: the first ACK closes all four bins and
    is evaluated, the others are in the same bin. Literal: each ACK closes one bin, and is evaluated.""",
    sources=("catalogue E57", "LANMAN 2024, Algorithm 1"),
    flags=("same-time-order",),
)
def bins_burst_after_silence(b: StreamBuilder) -> None:
    deliveries = one_ack_per_bin(DOUBLING[:9])
    late = in_bin(12)
    burst = [Delivery(late, 5000 + n, late - in_bin(9 + n) + RTT) for n in range(4)]
    deliver(b, [*deliveries, *burst, Delivery(in_bin(13), 30000)])
    b.expect(at=nth_ack(b, 9), profile="lanman-2024", bin=12)
    b.expect(at=nth_ack(b, 10), profile="lanman-2024", outcome="same_bin")
    b.expect(at=nth_ack(b, 9), profile="lanman-2024-literal", bin=9)
    b.expect(at=nth_ack(b, 12), profile="lanman-2024-literal", bin=12)


@add(
    "search.bins.index-above-255",
    "The index of a bin needs more than eight bits",
    """A gap leads from bin 1 to bin 250; bin 250 then holds 30000, the following 10000 each. At curr = 261 the
    recommended windows, the ten bins up to 260 and the ten up to 257, hold 100000 each: exit. At 256 an index of eight
    bits begins again at 0, and 256 mod 25 is 6: the ring jumps.""",
    sources=("catalogue E45",),
)
def bins_index_above_255(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin([10000, 10000] + [0] * 248 + [30000] + [10000] * 16))
    b.expect(
        at=nth_ack(b, 13), profile="lanman-2024", outcome="exited", bin=261, current_bytes=100000, previous_bytes=100000
    )

"""Hand-built stimuli of SEARCH: bins and windows. Those of the exit are in ``hand_search_exit``.

Unless said otherwise the initial RTT is 100 ms, a bin 35 ms, and one ACK arrives 1 ms after the start of each bin. The
initial window is large, so that the window never stands in the way.
"""

from functools import partial

from firstflight.search_profiles import PROFILES as SEARCH_PROFILES
from firstflight_conformance.vectorgen.builder import MS, StreamBuilder
from firstflight_conformance.vectorgen.flow import (
    BIN,
    DOUBLING,
    FIRST_ACK,
    RTT,
    Delivery,
    deliver,
    in_bin,
    one_ack_per_bin,
    rates,
)
from firstflight_conformance.vectorgen.stimulus import Catalogue

CATALOGUE = Catalogue(*SEARCH_PROFILES, sources=("LANMAN 2024, Algorithm 1",))
LARGE_WINDOW = 10_000_000


add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=LARGE_WINDOW)


@add(
    "search.doubling.first-evaluation",
    "Perfect doubling: the literal text leaves slow start at its first evaluation",
    f"""Bytes per bin grow by 2^0.35. Literal: k = floor(100 / 35) = 2, evaluated from curr = 12 on: bins 2..12, the open one empty, hold {sum(DOUBLING[2:12])}, bins
    0..10 hold {sum(DOUBLING[:11])}; 13 * {sum(DOUBLING[:11])} = {13 * sum(DOUBLING[:11])} >= 10 * {sum(DOUBLING[2:12])}: exit.
    Recommended: k = round(2.857) = 3, from curr = 14 on: bins 4..13 hold {sum(DOUBLING[4:14])}, bins 1..10 {sum(DOUBLING[1:11])};
    13 * {sum(DOUBLING[1:11])} = {13 * sum(DOUBLING[1:11])} < 10 * {sum(DOUBLING[4:14])}: slow start goes on.""",
    sources=("LANMAN 2024, Algorithm 1", "catalogue E01"),
)
def _(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin(DOUBLING))


@add(
    "search.guard.first-evaluation",
    "A constant rate: the first evaluation exits, and shows when it takes place",
    """10000 bytes in each bin. Literal, k = 2: `prev` reaches 10 at curr = 12; 11 bins hold 110000, 10 and the open one 100000: exit. Recommended,
    k = 3: prev = 10 at curr = 13 is still warming up, since bin 0 is no full bin; at curr = 14 the windows hold 100000 each: 13 * 100000 >= 10 * 100000: exit.""",
    sources=("catalogue E17",),
)
def _(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin([10000] * 16))


@add(
    "search.bins.boundary-exact",
    "An ACK at the very end of a bin still belongs to it",
    """Bin 0 ends at 135 ms. The ACK at 135 ms is counted in bin 0 (now > bin_end is false): 1000 + 2000 = 3000 bytes. The ACK one ns later opens bin 1.
    With >= the first of them opens bin 1.""",
    sources=("LANMAN 2024, Algorithm 1", "catalogue E08"),
)
def _(b: StreamBuilder) -> None:
    deliver(
        b, [Delivery(FIRST_ACK, 1000), Delivery(FIRST_ACK + BIN, 2000), Delivery(FIRST_ACK + BIN + 1, 3000, RTT + 1)]
    )


@add(
    "search.bins.boundary-decides",
    "An ACK at the very end of a bin does not yet end slow start",
    """A constant rate. Literal: the ACK of 1000 bytes at 520 ms, exactly the end of bin 11, is in bin 11; the next one opens bin 12 and exits. Recommended: likewise at 590 ms, the end of bin 13, and the exit with bin 14.
    With >= each of them exits one ACK earlier.""",
    sources=("catalogue E08",),
)
def _(b: StreamBuilder) -> None:
    regular = one_ack_per_bin([10000] * 15)
    exact = [Delivery(FIRST_ACK + n * BIN, 1000) for n in (12, 14)]
    deliver(b, sorted(regular + exact, key=lambda delivery: delivery.t_ns))


@add(
    "search.bins.same-bin",
    "ACKs within a bin add up and are not evaluated",
    "Three ACKs in bin 0 and two in bin 1: 1000 + 2000 + 3000 = 6000, then 4000 + 5000 = 9000 bytes.",
)
def _(b: StreamBuilder) -> None:
    times = [FIRST_ACK, in_bin(0) + 10 * MS, in_bin(0) + 20 * MS, in_bin(1), in_bin(1) + 10 * MS]
    deliver(b, [Delivery(t, 1000 * (index + 1)) for index, t in enumerate(times)])


@add(
    "search.bins.crossing-ack",
    "The ACK that ends a bin is counted in the new one",
    """A stretch ACK of 50000 bytes crosses the end of bin 13. The windows of the recommended reading end with bin 13: 4..13 hold 135000 and 1..10 hold 100000:
    1300000 < 1350000, slow start goes on. Counted in the bin that ends, they hold 185000; counted as part of both, more. One bin later the 50000 are in the window.""",
    sources=("catalogue E16",),
)
def _(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin([10000] * 11 + [20000, 20000, 25000, 50000, 10000]))


@add(
    "search.bins.gap-of-two",
    "A gap of two bins: the bins skipped are empty",
    """No ACK falls into bin 5. Recommended: the ACK at the start of bin 6 advances twice, bin 5 stays empty and curr is 6. Literal: one step per ACK, curr is 5 and
    lags by a bin until an ACK makes up for it: the second ACK of bin 7 does.""",
    sources=("LANMAN 2024, Algorithm 1", "catalogue E09"),
)
def _(b: StreamBuilder) -> None:
    deliveries = one_ack_per_bin([1000, 1000, 1000, 1000, 1000, 0, 2000, 3000])
    deliver(b, [*deliveries, Delivery(in_bin(7) + 5 * MS, 4000), Delivery(in_bin(8), 5000)])


@add(
    "search.bins.gap-at-boundary",
    "A gap that ends exactly at the end of a bin opens the next, or does not",
    """After bin 2, which ends at 205 ms, the next ACK comes at 100 + 5 * 35 = 275 ms, exactly the end of bin 4. draft-00: 275 > 205, and then 70 / 35 + 1 = 3 bins end: bin 5 is open, although 275 > 275 does not hold. So in draft-09 and neqo-2026.
    lanman-2024 tests each bin: bin 4 is open, and the ACK one ns later makes it 5.""",
    sources=("draft-chung-ietf-ccwg-00, lines 10 and 24", "catalogue E08", "catalogue E10"),
)
def _(b: StreamBuilder) -> None:
    deliveries = one_ack_per_bin([1000, 1000, 1000])
    late = FIRST_ACK + 5 * BIN
    deliver(b, [*deliveries, Delivery(late, 2000), Delivery(late + 1, 3000, RTT + 1)])
    b.expect(at=8, profile=("draft-00", "draft-00-literal", "draft-09", "neqo-2026"), bin=5)
    b.expect(at=8, profile=("lanman-2024", "quicly-pr583"), bin=4, open_bin_bytes=2000)
    b.expect(at=9, profile=("draft-00", "lanman-2024"), bin=5)


@add(
    "search.bins.gap-of-ring",
    "A gap of 24, 25 and 26 bins empties as much of the ring",
    """Three bins, then a gap that skips 24 bins, another of 25 and another of 26: after the first the last of the three bins is still in the ring, after the others nothing
    is. The recommended reading finds the earlier window empty each time.""",
    sources=("catalogue E14",),
)
def _(b: StreamBuilder) -> None:
    bins = [0, 1, 2, 26, 51, 77]
    deliver(b, [Delivery(in_bin(i), 1000 * (n + 1)) for n, i in enumerate(bins)])


@add(
    "search.bins.gap-looks-like-stall",
    "After a gap of twelve bins the later window is empty and the earlier is not: exit",
    """Bins 0..8 hold 10000 each, then nothing until bin 21. At curr = 21 the later window, 11..20, holds nothing, the earlier, 8..17, the 10000 of bin 8: norm_diff is 1. The text knows no
    exception for silence.""",
    sources=("catalogue E13", "catalogue E28"),
)
def _(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin([10000] * 9 + [0] * 12 + [10000] * 3))


@add(
    "search.bins.gap-huge",
    "A gap of 2^31 bins is one step of work",
    """Initial RTT 1 ns: a bin is 7/20 ns. The second ACK comes 751619277 ns after the first: 20 * 751619277 ticks, less the 7 of bin 0, divided by 7 give 2147483648 bins
    passed, more than 31 bits hold. An int overflows, a loop over every bin stalls. Two ns later, six bins on, both windows hold the one full bin: exit.""",
    sources=("catalogue E15", "catalogue E42"),
)
def _(b: StreamBuilder) -> None:
    deliver(b, [Delivery(MS, 1000, 1), Delivery(MS + 751_619_277, 2000, 1), Delivery(MS + 751_619_279, 3000, 1)])


@add(
    "search.bins.burst-after-silence",
    "Three bins of silence, then four ACKs at once",
    """ACKs are held up for three bins and arrive together. Recommended: the first of them closes all four bins and is evaluated, the others are in the same bin. Literal: each of
    them closes one bin, and is evaluated.""",
    sources=("catalogue E57", "LANMAN 2024, Algorithm 1"),
    flags=("same-time-order",),
)
def _(b: StreamBuilder) -> None:
    deliveries = one_ack_per_bin(DOUBLING[:9])
    late = in_bin(12)
    burst = [Delivery(late, 5000 + n, late - in_bin(9 + n) + RTT) for n in range(4)]
    deliver(b, [*deliveries, *burst, Delivery(in_bin(13), 30000)])


@add(
    "search.bins.index-above-255",
    "The index of a bin needs more than eight bits",
    """A gap leads from bin 1 to bin 250; bins 250 then holds 30000, the following 10000 each. At curr = 261 the recommended windows, 251..260 and 248..257, hold 100000 each: exit. At 256 an
    index of eight bits begins again at 0, and 256 mod 25 is 6: the ring jumps.""",
    sources=("catalogue E45",),
)
def _(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin([10000, 10000] + [0] * 248 + [30000] + [10000] * 16))


@add(
    "search.start.no-sample",
    "SEARCH starts with the first RTT sample",
    """The first ACK gives no sample: nothing is counted and no bin opened. The second, at 136 ms, has an RTT of 100 ms: bin 0 begins there, with its 2000 bytes, and ends
    at 171 ms: the ACK at 171 ms still belongs to it, the one at 172 ms opens bin 1.""",
    sources=("catalogue E51",),
)
def _(b: StreamBuilder) -> None:
    deliver(
        b,
        [
            Delivery(FIRST_ACK, 1000, sample=False),
            Delivery(in_bin(1), 2000),
            Delivery(in_bin(2) - 1 * MS, 3000),
            Delivery(in_bin(2), 4000),
            Delivery(in_bin(2) + 1 * MS, 5000),
        ],
    )


@add(
    "search.start.no-sample-then-exit",
    "Bins are counted from the first RTT sample, up to the exit",
    """The ACK at 100 ms has no sample; the one at 136 ms opens bin 0. A constant rate from there: literal exits at its bin 12, recommended at its bin 14. An implementation that started with the first ACK has other bins, or none.""",
    sources=("catalogue E51",),
)
def _(b: StreamBuilder) -> None:
    first = Delivery(FIRST_ACK, 1000, sample=False)
    start = in_bin(1)
    deliver(b, [first] + [Delivery(in_bin(i, first_ack_ns=start), 10000) for i in range(15)])


@add(
    "search.start.rtt-zero",
    "An RTT of 0 counts as 1 ns",
    """The first ACK arrives at the time of sending. The bin duration is that of an RTT of 1 ns, 7 ticks, not 0. The next ACKs come 1 ns apart with an RTT of 1 ns: 20 ticks, two or three bins each in the recommended
    reading, one in the literal. ACK n, n ns after the first, falls into bin 2, 5, 8, 11, 14 ...: recommended, at curr = 14 the windows 4..13 and 1..10 hold 3000 each: exit.""",
    sources=("catalogue E52", "catalogue E42"),
    flags=("same-time-order",),
)
def _(b: StreamBuilder) -> None:
    b.send(MS, 1)
    b.ack(MS, (0, 0))
    deliver(b, [Delivery(MS + i, 1000, 1) for i in range(1, 15)])


@add(
    "search.start.handshake-rtt",
    "The first sample alone sets the bin duration",
    """The first RTT is 300 ms: a bin is 105 ms, and stays so although later RTTs are 100 ms. The ACK at 404 ms is in bin 0, the one at 406 ms in bin 1. A duration that follows the
    RTT would be in bin 2 and 3.""",
    sources=("catalogue E21", "catalogue E56"),
)
def _(b: StreamBuilder) -> None:
    deliver(
        b,
        [Delivery(300 * MS, 1000, 300 * MS), Delivery(404 * MS, 2000, 100 * MS), Delivery(406 * MS, 3000, 100 * MS)],
    )


@add(
    "search.shift.tie-down",
    "An RTT of 2.5 bins shifts by 2: a tie is rounded down",
    """From bin 11 on the RTT is 87.5 ms, exactly 2.5 bins of 35 ms. Recommended, k = 2: at curr = 13 prev = 11, bins 3..12 hold 140000 and 1..10 hold 100000: 1300000 < 1400000, on. At curr = 14
    4..13 hold 150000 and 2..11 hold 120000: 1560000 >= 1500000, exit. Rounded up, k = 3, 1..10 would be compared: 1300000 < 1500000, on.""",
    sources=("catalogue E22",),
)
def _(b: StreamBuilder) -> None:
    rtts = [RTT] * 11 + [87_500_000] * 6
    deliver(b, one_ack_per_bin(rates((11, 10000), (1, 30000), (1, 30000), (4, 20000)), rtts))


@add(
    "search.shift.just-above-tie",
    "One nanosecond above 2.5 bins shifts by 3",
    """As in the tie, but the RTT is 87500001 ns: 2 * (20 * 87500001 mod 700000000) = 700000040 > 700000000, so k = 3. At curr = 14, 4..13 hold 150000 and 1..10 hold 100000: 1300000 < 1500000, slow start
    goes on, where the tie leaves it.""",
    sources=("catalogue E22",),
)
def _(b: StreamBuilder) -> None:
    rtts = [RTT] * 11 + [87_500_001] * 4
    deliver(b, one_ack_per_bin(rates((11, 10000), (1, 30000), (1, 30000), (2, 20000)), rtts))


@add(
    "search.shift.whole-bins",
    "An RTT of exactly two bins shifts by 2 in either rounding",
    """RTT 70 ms from bin 3 on. Recommended: at curr = 13 prev = 11; bins 3..12 and 1..10 hold 100000 each: exit. Literal: at curr = 12, bins 2..12 and 0..10: 110000
    against 100000, exit.""",
    sources=("catalogue E24",),
)
def _(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin([10000] * 16, [RTT] * 3 + [70 * MS] * 13))


@add(
    "search.shift.one-bin",
    "An RTT of exactly one bin shifts by 1",
    """From bin 3 on the RTT is 35 ms; bytes per bin grow by 1.2. The earlier window is one bin back, so the later holds about 1.2 times as much, less than 13/10: exit, in the recommended reading at curr = 12. Two bins back it would be 1.44 times as much,
    and slow start would go on.""",
    sources=("catalogue E09", "catalogue E24"),
)
def _(b: StreamBuilder) -> None:
    sizes = [10000, 12000, 14400, 17280, 20736, 24883, 29860, 35832, 42998, 51598, 61917, 74301, 89161, 106993]
    deliver(b, one_ack_per_bin(sizes, [RTT] * 3 + [35 * MS] * 11))


@add(
    "search.shift.below-half-bin",
    "An RTT far below a bin: the literal text compares a window with itself",
    """The first RTT is 300 ms, later ones are 30 ms, less than half a bin of 105 ms. Bytes per bin grow by 1.6. Literal: k = floor(0.286) = 0, both windows are the same, norm_diff is 1/2: exit at curr = 10.
    Recommended: at least 1; ten bins against the ten before, 1.6 times as many > 13/10: slow start goes on.""",
    sources=("catalogue E21",),
    max_datagram_size_bytes=1200,
)
def _(b: StreamBuilder) -> None:
    sizes = [1000, 1600, 2560, 4096, 6554, 10486, 16777, 26844, 42950, 68719, 109951, 175922, 281475, 450360, 720576]
    times = [in_bin(i, bin_ns=105 * MS, first_ack_ns=300 * MS) for i in range(len(sizes))]
    rtts = [300 * MS] + [30 * MS] * (len(sizes) - 1)
    deliver(b, [Delivery(t, size, rtt) for t, size, rtt in zip(times, sizes, rtts, strict=True)])


def _inflating(final_rtt_ns: int, bins: int) -> list[int]:
    """RTTs that rise by 35 ms from bin to bin, so that all was sent at once, up to a final value."""
    return [min(final_rtt_ns, RTT + 35 * MS * max(0, i - 2)) for i in range(bins)]


@add(
    "search.shift.fourteen",
    "A shift of 14 is evaluated",
    """The RTT rises to 490 ms, 14 bins. Recommended: prev = 11 at curr = 25; bins 15..24 hold 200000, bins 1..10 hold 100000: norm_diff 0, on. Literal: prev = 10 at curr = 24; bins 14..24, the open one empty,
    hold 200000, bins 0..10 hold 110000: 1430000 < 2000000, on.""",
    sources=("catalogue E19",),
)
def _(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin(rates((12, 10000), (16, 20000)), _inflating(490 * MS, 28)))


@add(
    "search.shift.fourteen-exits",
    "A shift of 14 reads the oldest bin of the ring, and decides with it",
    """RTT 490 ms, 14 bins. Recommended, curr = 25: bins 1..10 hold 100000, bins 15..24 hold 7 * 10000 + 3 * 20000 = 130000: exactly 7/20, exit. Without bin 1, the oldest in the ring, 13 * 90000 < 10 * 130000 would go on.
    Literal, curr = 24: bins 0..10 hold 110000, bins 14..24 hold 8 * 10000 + 2 * 20000 = 120000: exit.""",
    sources=("catalogue E19",),
)
def _(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin(rates((22, 10000), (3, 20000), (1, 10000)), _inflating(490 * MS, 26)))


@add(
    "search.shift.fifteen",
    "A shift of 15 at a constant rate",
    """RTT 525 ms, 15 bins. Recommended: 15 > 14, nothing is decided. Literal, curr = 25: bins 15..25, the open one empty, hold 100000, bins 0..10 without bin 0, whose slot the open bin has, 100000 too: exit.""",
    sources=("catalogue E19",),
)
def _(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin([10000] * 28, _inflating(525 * MS, 28)))


@add(
    "search.shift.fifteen-aliases",
    "A shift of 15 reads the slot of the open bin in the literal text, and is refused in the recommended reading",
    """RTT 525 ms, 15 bins. Literal: prev = 10 at curr = 25; the earlier window is 0..10, but bin 0 shares its slot with the open bin 25 and counts as empty: 10 bins hold 100000, the later window 15..24
    holds 135000: 1300000 < 1350000, on. With bin 0 it would hold 110000 and exit. Recommended: 15 > 14, not evaluated.""",
    sources=("catalogue E19",),
)
def _(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin(rates((14, 10000), (14, 13500)), _inflating(525 * MS, 28)))


@add(
    "search.shift.sixteen",
    "A shift of 16 is never evaluated",
    "RTT 560 ms, 16 bins, at a constant rate: neither profile decides, though both would exit.",
    sources=("catalogue E19",),
)
def _(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin([10000] * 30, _inflating(560 * MS, 30)))


@add(
    "search.shift.above-255",
    "The shift needs more than eight bits",
    """Initial RTT 1 ms, a bin of 0.35 ms; later RTTs are 89.95 ms, 257 bins. The shift is 257 and nothing is evaluated; cut to eight bits it is 1, and the constant rate exits.""",
    sources=("catalogue E46",),
)
def _(b: StreamBuilder) -> None:
    bin_ns, rtt_ns, first = 350_000, 89_950_000, 100 * MS
    late = [Delivery(first + i * bin_ns + 1000, 10000, rtt_ns) for i in range(1, 16)]
    for delivery in late:
        b.send(delivery.t_ns - rtt_ns, 10)
    b.send(first - MS, 1)
    b.ack(first, (150, 150))
    for index, delivery in enumerate(late):
        b.ack(delivery.t_ns, (10 * index, 10 * index + 9))


@add(
    "search.rtt.missing-later",
    "An ACK without sample is evaluated with the last RTT",
    """Constant rate; the ACKs from bin 12 on give no RTT sample. The last RTT, 100 ms, is used again: literal exits at curr = 12, recommended at curr = 14.""",
    sources=("catalogue E51",),
)
def _(b: StreamBuilder) -> None:
    deliver(b, [Delivery(in_bin(i), 10000, sample=i < 12) for i in range(16)])


@add(
    "search.rtt.latest",
    "The latest RTT shifts the window, not the smoothed or the minimum",
    """The RTT is 100 ms up to bin 12 and 175 ms, five bins, from bin 15 on. At curr = 14 (RTT 170 ms, 4.857 bins) k is 5 and prev = 9 is still warming up; the smoothed RTT and the minimum give 3 and exit at a constant rate.
    At curr = 16, k = 5 and prev = 11: exit.""",
    sources=("catalogue E04",),
)
def _(b: StreamBuilder) -> None:
    rtts = [RTT] * 13 + [135 * MS, 170 * MS, 175 * MS, 175 * MS, 175 * MS]
    deliver(b, one_ack_per_bin([10000] * 18, rtts))


@add(
    "search.rtt.one-nanosecond",
    "An initial RTT of 1 ns",
    """A bin is 7 ticks of 1/20 ns. ACKs come 1 ns apart: 20 ticks, two or three bins each. The recommended reading jumps over them, the literal advances one bin per ACK and lags behind the clock.""",
    tier="core",
    sources=("catalogue E42",),
)
def _(b: StreamBuilder) -> None:
    deliver(b, [Delivery(MS + i, 1000 * (i + 1), 1) for i in range(12)])


@add(
    "search.rtt.sixty-seconds",
    "An RTT of 60 s and windows of 10^12 bytes",
    """A bin is 21 s and holds 16 * 65535 * 65535 = 68717379600 bytes; the windows hold ten of them, 687173796000. 20 * RTT and the products 13 * 687173796000 need more than 32 bits. The rate is
    constant: the recommended reading exits at curr = 14, the literal at curr = 12.""",
    sources=("catalogue E44",),
    max_datagram_size_bytes=65535,
    initial_window_bytes=10**13,
)
def _(b: StreamBuilder) -> None:
    bin_ns, rtt_ns = 21_000 * MS, 60_000 * MS
    size = 16 * 65535 * 65535
    deliver(b, [Delivery(in_bin(i, bin_ns=bin_ns, first_ack_ns=rtt_ns), size, rtt_ns) for i in range(15)])


@add(
    "search.app-limited.counted",
    "App-limited ACKs fill bins like any other",
    """The ACKs of bins 5..8 are app-limited: the window does not grow for them, but their bytes are counted. At curr = 14 the recommended windows hold 100000 each: exit at the same ACK as without them.""",
    sources=("catalogue E32",),
)
def _(b: StreamBuilder) -> None:
    deliver(b, [Delivery(in_bin(i), 10000, app_limited=5 <= i <= 8) for i in range(16)])

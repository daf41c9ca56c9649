"""Hand-built stimuli of SEARCH: the RTT samples and ACKs that count. See ``stimuli.search.flow`` for shared helpers."""

from functools import partial

from firstflight.search.profiles import PROFILES as SEARCH_PROFILES
from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.search.flow import (
    BIN,
    FIRST_ACK,
    LARGE_WINDOW,
    RTT,
    Delivery,
    deliver,
    in_bin,
    nth_ack,
    one_ack_per_bin,
)

CATALOGUE = Catalogue(*SEARCH_PROFILES, sources=("catalogue of edge cases",))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=LARGE_WINDOW)


def _delayed(b: StreamBuilder, delay_ns: int) -> None:
    """Deliver a constant rate; from bin 11 on the samples are 123 ms, with ``delay_ns`` of acknowledgement delay."""
    rtts = [(RTT, 0)] * 11 + [(123 * MS, delay_ns)] * 6
    deliver(b, [Delivery(in_bin(i), 10000, rtt, ack_delay_ns=delay) for i, (rtt, delay) in enumerate(rtts)])


@add(
    "search.rtt.ack-delay",
    "The acknowledgement delay is part of the RTT, or is subtracted",
    """From bin 11 on the samples are 123 ms, including 22 ms of acknowledgement delay. Without subtraction, as in lanman-2024, 123 / 35 = 3.51,
    k = 4. At curr = 14 prev = 10 is still warming up, and the constant rate exits at curr = 15. quicly-pr583 subtracts it, since 123 >
    100 + 22: 123 ms - 22 ms = 101 ms, 101 / 35 = 2.89, k = 3. It exits at curr = 14 and leaves bin 13 open. In neqo-2026 and picoquic-fork there are 2 whole bins
    of 101 ms, and 3 of 123.""",
    sources=("catalogue E53", "RFC 9002, section 5.3"),
)
def rtt_ack_delay(b: StreamBuilder) -> None:
    _delayed(b, 22 * MS)
    b.expect(at=nth_ack(b, 14), profile="lanman-2024", outcome="warming_up", bin=14, shift_bins=4)
    b.expect(at=nth_ack(b, 15), profile="lanman-2024", outcome="exited", bin=15, shift_bins=4)
    b.expect(at=nth_ack(b, 14), profile="quicly-pr583", outcome="exited", bin=13, shift_bins=3)
    b.expect(at=nth_ack(b, 14), profile="neqo-2026", shift_bins=2)
    b.expect(at=nth_ack(b, 11), profile=("neqo-2026", "picoquic-fork"), shift_bins=2)
    b.expect(at=nth_ack(b, 14), profile=("draft-00", "draft-09", "freebsd-4"), shift_bins=3)


@add(
    "search.rtt.ack-delay-at-minimum",
    "The RTT without the acknowledgement delay is exactly the minimum RTT",
    """As before with a delay of 23 ms: 123 - 23 = 100, the minimum. neqo-2026 subtracts it: 100 ms are 2 whole bins. quicly-pr583 and picoquic-fork require more than the minimum and do not subtract it. They have 4 bins (nearest) and 3 whole bins.""",
    sources=("catalogue E53", "RFC 9002, section 5.3"),
)
def rtt_ack_delay_at_minimum(b: StreamBuilder) -> None:
    _delayed(b, 23 * MS)
    b.expect(at=nth_ack(b, 14), profile="neqo-2026", shift_bins=2)
    b.expect(at=nth_ack(b, 14), profile="quicly-pr583", outcome="warming_up", shift_bins=4)
    b.expect(at=nth_ack(b, 14), profile="picoquic-fork", shift_bins=3)


@add(
    "search.rtt.ack-delay-half-unit",
    "An acknowledgement delay of half a millisecond more",
    """As before with a delay of 22.5 ms. quicly-pr583 rounds it to 23 ms, and 100 ms + 23 ms = 123 ms: the sample of 123 ms is not above
    it, so the delay is not subtracted: k = 4. Rounded down it would be 22 ms, and k = 3. In microseconds and finer units 22.5 ms
    are subtracted.""",
    sources=("catalogue E53",),
)
def rtt_ack_delay_half_unit(b: StreamBuilder) -> None:
    _delayed(b, 22_500_000)
    b.expect(at=nth_ack(b, 14), profile="quicly-pr583", outcome="warming_up", shift_bins=4)
    b.expect(at=nth_ack(b, 14), profile="neqo-2026", shift_bins=2)
    b.expect(at=nth_ack(b, 11), profile=("neqo-2026", "picoquic-fork"), shift_bins=2)


@add(
    "search.rtt.previous-rounded-down",
    "An earlier window between two bins is rounded down to bytes",
    """7400 bytes are sent for each bin, and a burst of 37988 for one of them. An RTT of 100 ms is two bins of 35 ms and
    85 percent of a third. The first evaluation is at curr = 13: the later window is 10 * 7400 = 74000. The earlier one
    lies between a window with the burst, 37988 + 9 * 7400 = 104588, and one without it, 10 * 7400 = 74000. It is 85
    percent of the first and 15 percent of the other: 88899.8 + 11100 = 99999.8, rounded down to 99999. 74 * 99999 =
    7399926 is less than 100 * 74000: slow start goes on. With 100000 it would end. The window is 10000000 + 13 * 7400
    + 37988 = 10134188.""",
    profiles=("neqo-2026",),
    sources=("mozilla/neqo @ 80ca01ee, neqo-transport/src/cc/search.rs",),
)
def rtt_previous_rounded_down(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin([7400] * 3 + [37_988] + [7400] * 10))
    b.expect(
        outcome="below_threshold",
        bin=13,
        current_bytes=74_000,
        previous_bytes=99_999,
        cwnd_bytes=10_134_188,
        ssthresh_bytes=None,
    )


@add(
    "search.rtt.kept-within-bin",
    "The last sample came from an ACK within a bin",
    """A constant rate at 100 ms. 5 ms into bin 13 an ACK has an RTT of 175 ms, 5 bins. The ACK that opens bin 14 lacks a sample. lanman-2024 uses 175 ms: k = 5, prev = 9, warming up. With the RTT of the last evaluation, 100 ms, k is 3 and bin 14 exits.
    Bin 15 has a sample of 100 ms and exits; quicly-pr583 leaves bin 14 open there.""",
    sources=("catalogue E51",),
)
def rtt_kept_within_bin(b: StreamBuilder) -> None:
    regular = [Delivery(in_bin(i), 10000, sample=i != 14) for i in range(16)]
    deliver(b, sorted([*regular, Delivery(in_bin(13) + 5 * MS, 1000, 175 * MS)], key=lambda d: d.t_ns))
    b.expect(at=nth_ack(b, 15), profile=("lanman-2024", "quicly-pr583"), outcome="warming_up", bin=14, shift_bins=5)
    b.expect(at=nth_ack(b, 15), profile=("neqo-2026", "draft-09"), shift_bins=5)
    b.expect(profile="lanman-2024", outcome="exited", bin=15, shift_bins=3)
    b.expect(profile="quicly-pr583", outcome="exited", bin=14, shift_bins=3)


@add(
    "search.rtt.kept-over-restart",
    "SEARCH starts again with the last RTT sample",
    """Bins 0..2, then a gap of 28 bins: profiles with a limit start again. The ACK of bin 30 has a sample of 140 ms; the next ACK, in bin 31, has none. neqo-2026 starts with the second ACK, with 140 ms as its initial RTT. Its bin of 49 ms ends 49 ms after that
    ACK. The ACK 48 ms later is in bin 0, and the ACK 50 ms later opens bin 1. quicly-pr583 starts with the first ACK.""",
    sources=("catalogue E51", "catalogue E13"),
)
def rtt_kept_over_restart(b: StreamBuilder) -> None:
    start = in_bin(31)
    late = [Delivery(in_bin(30), 1000, 140 * MS), Delivery(start, 2000, sample=False)]
    deliver(b, [*one_ack_per_bin([1000] * 3), *late, Delivery(start + 48 * MS, 3000), Delivery(start + 50 * MS, 4000)])
    b.expect(at=nth_ack(b, 3), profile=("neqo-2026", "quicly-pr583"), outcome="restarted", bin=0)
    b.expect(at=nth_ack(b, 4), profile="neqo-2026", outcome="started", bin=0, open_bin_bytes=0)
    b.expect(at=nth_ack(b, 5), profile="neqo-2026", outcome="same_bin", bin=0, open_bin_bytes=3000)
    b.expect(at=nth_ack(b, 6), profile="neqo-2026", outcome="warming_up", bin=1, open_bin_bytes=0)


@add(
    "search.rtt.kept-over-restart-decides",
    "SEARCH starts again with an ACK without a sample, and one bin more decides",
    """Bins 0..2, then a gap of 28 bins: profiles with a limit start again. The next ACK lacks a sample. From it on 10000 bytes
    arrive every 35 ms and 20000 are sent. neqo-2026 starts with that ACK and the last sample, 100 ms: k = 2. At curr = 13,
    prev = 11, ten bins of sent bytes hold 10 * 20000 = 200000. Ten bins of delivered bytes hold 100000, 0.5 less: exit. Without
    the earlier sample it would start with the ACK after it, and the same ACK would be warming up.""",
    sources=("catalogue E51", "catalogue E13"),
)
def rtt_kept_over_restart_decides(b: StreamBuilder) -> None:
    start = Delivery(in_bin(31), 10000, sample=False, unacked_bytes=10000)
    later = [Delivery(in_bin(31 + n) + MS, 10000, unacked_bytes=10000) for n in range(1, 16)]
    deliver(b, [*one_ack_per_bin([10000] * 3), Delivery(in_bin(30), 10000), start, *later])
    b.expect(at=nth_ack(b, 4), profile="neqo-2026", outcome="started", bin=0)
    b.expect(at=nth_ack(b, 16), profile="neqo-2026", outcome="warming_up", bin=12, shift_bins=2)
    b.expect(
        at=nth_ack(b, 17),
        profile="neqo-2026",
        outcome="exited",
        bin=13,
        current_bytes=100000,
        previous_bytes=200000,
    )


@add(
    "search.rtt.two-nanoseconds",
    "35 % of the initial RTT are less than the unit of the clock",
    """RTT 2 ns: 0.7 ns are 0 whole ns. neqo-2026 opens no bin, and each ACK starts SEARCH again. ACKs come 1 ns apart, and twice
    as much is sent as they acknowledge. With a bin of 1 ns, k = 2, the ACK 14 ns after the first would compare the windows and end slow start.""",
    sources=("catalogue E42",),
)
def rtt_two_nanoseconds(b: StreamBuilder) -> None:
    deliver(b, [Delivery(MS + i, 1000, 2, unacked_bytes=1000) for i in range(17)])
    for count in (0, 14, 16):
        b.expect(at=nth_ack(b, count), profile="neqo-2026", outcome="started", bin=0)


@add(
    "search.start.app-limited-first",
    "The first ACK is app-limited, with a different RTT",
    """The first ACK, at 200 ms, is app-limited and has an RTT of 200 ms; later ACKs have 100 ms. In lanman-2024 SEARCH starts with it: a bin
    of 70 ms, so that the ACK at 269 ms is in bin 0. In neqo-2026 its bytes count, but SEARCH starts with the ACK at 236 ms. Its bin of 35 ms ends at 236 ms + 35 ms = 271 ms. In quicly-pr583 the first ACK is ignored, with the same result. The fork of picoquic ignores it, but computes 70 ms from its RTT. Its bin 0, opened at 236 ms, ends at 306 ms.""",
    sources=("catalogue E32",),
)
def start_app_limited_first(b: StreamBuilder) -> None:
    first = Delivery(200 * MS, 1000, 200 * MS, app_limited=True)
    deliver(b, [first, *(Delivery(t * MS, 2000) for t in (236, 269, 272, 305, 306, 307))])
    b.expect(
        at=nth_ack(b, 0),
        profile=("neqo-2026", "quicly-pr583", "picoquic-fork"),
        outcome="app_limited",
        open_bin_bytes=0,
    )
    b.expect(at=nth_ack(b, 0), profile="lanman-2024", outcome="started", open_bin_bytes=1000)


@add(
    "search.bins.gap-at-boundary-decides",
    "A gap ends exactly at the end of a bin, and one more bin decides",
    """A constant rate up to bin 10, then no ACK until 100 + 13 * 35 = 555 ms, exactly the end of bin 12. Bin 10 ended 70 ms earlier,
    so draft-00 and neqo-2026 end 70 / 35 + 1 = 3 bins: curr = 13, prev = 11. draft-00 evaluates: bins 3..12 hold 8 * 10000
    and the 10000 of this ACK. Bins 1..10 hold 100000. Bin 0 is empty, so bins 0..9 hold 9 * 10000 = 90000. One seventh
    of 100000 and 6/7 of 90000 are 100000/7 + 6 * 90000/7 = 91428.6: 13 * 91428 >= 10 * 90000: exit. With each bin tested,
    as in lanman-2024, bin 12 is still open.""",
    sources=("draft-chung-ietf-ccwg-00, lines 10 and 24", "catalogue E08"),
)
def bins_gap_at_boundary_decides(b: StreamBuilder) -> None:
    deliver(b, [*one_ack_per_bin([10000] * 11), Delivery(FIRST_ACK + 13 * BIN, 10000, RTT)])
    b.expect(profile=("lanman-2024", "quicly-pr583"), bin=12, outcome="warming_up")
    b.expect(profile=("draft-00", "draft-09", "neqo-2026"), bin=13)
    b.expect(profile="draft-00", outcome="exited")
    b.expect(profile="linux-3", outcome="restarted", bin=0)


@add(
    "search.missed-bins.26-at-boundary",
    "26 bins after the end of the open one, exactly",
    """Bin 4 ends at 100 ms + 5 * 35 ms = 275 ms; the next ACK comes at 275 ms + 26 * 35 ms = 1185 ms. 26 bins end, the last of them
    only 1 ns later. The limit of quicly-pr583 and report-2024 uses 910 / 35 = 26 > 25: they start again. One ns earlier they would not.""",
    sources=("catalogue E14",),
)
def missed_bins_26_at_boundary(b: StreamBuilder) -> None:
    late = FIRST_ACK + 31 * BIN
    deliver(b, [*one_ack_per_bin([10000] * 5), Delivery(late, 10000, RTT)])
    b.expect(profile=("quicly-pr583", "report-2024"), outcome="restarted", bin=0, open_bin_bytes=10000)
    b.expect(profile="lanman-2024", bin=30)


@add(
    "search.bins.gap-at-boundary-warms-up",
    "A gap that ends exactly at the end of bin 13",
    """A constant rate up to bin 10, then no ACK until 100 + 14 * 35 = 590 ms, the end of bin 13. lanman-2024 tests each bin: bin 13 is open, and prev = 10 still warms up. One bin more would evaluate: 70000 against 100000, exit.""",
    sources=("catalogue E08",),
)
def bins_gap_at_boundary_warms_up(b: StreamBuilder) -> None:
    deliver(b, [*one_ack_per_bin([10000] * 11), Delivery(FIRST_ACK + 14 * BIN, 10000, RTT)])
    b.expect(profile="lanman-2024", bin=13, outcome="warming_up")


@add(
    "search.start.app-limited-first-then-exit",
    "The first ACK is app-limited, and a constant rate follows",
    """The first ACK is app-limited with an RTT of 200 ms; from 236 ms on 10000 bytes arrive every 35 ms, with an RTT of 100 ms.
    quicly-pr583 has bins of 35 ms from there on, k = 3. Bin 14 opens with the first ACK after 236 ms + 14 * 35 ms = 726 ms.
    Its windows hold ten ACKs each: exit, and bin 13 stays open. picoquic-fork has bins of 0.35 * 200 ms = 70 ms and k = 1: bin 12 opens at 236 ms + 12
    * 70 ms = 1076 ms. The later window, nine full bins and the open one, holds 9 * 20000 + 10000 = 190000. The earlier window,
    interpolated forward, holds (4 * 200000 + 3 * 190000) / 7 = 195714.3. In units of 4 bytes they are 190000 / 4 = 47500 and
    floor(195714 / 4) = 48928: exit. lanman-2024 begins at 200 ms with bins of 70 ms, k = 1. Bin 12 opens with the first ACK
    after 200 ms + 12 * 70 ms = 1040 ms, and both windows hold 200000.""",
    sources=("catalogue E32",),
)
def start_app_limited_first_then_exit(b: StreamBuilder) -> None:
    first = Delivery(200 * MS, 1000, 200 * MS, app_limited=True)
    deliver(b, [first, *(Delivery(236 * MS + i * BIN, 10000) for i in range(32))])
    quicly, fork, paper = nth_ack(b, 16), nth_ack(b, 25), nth_ack(b, 24)
    b.expect(at=quicly, profile="quicly-pr583", outcome="exited", bin=13, current_bytes=100000, previous_bytes=100000)
    b.expect(at=fork, profile="picoquic-fork", outcome="exited", bin=12, current_bytes=47500, previous_bytes=48928)
    b.expect(at=paper, profile="lanman-2024", outcome="exited", bin=12, current_bytes=200000, previous_bytes=200000)


@add(
    "search.missed-bins.other-rtt",
    "The ACK after a gap has another RTT, then the constant rate continues",
    """Bins 0..4, then an ACK after 12 bins with an RTT of 140 ms; all later ACKs have 100 ms. Profiles that start again with that RTT have bins of
    0.35 * 140 ms = 49 ms. Profiles that use the RTT of the next ACK have bins of 35 ms. linux-3 starts again with the late ACK, at 100 ms + 16
    * 35 ms + 1 ms = 661 ms. k = floor(100 / 49) = 2. It evaluates from bin 12 on. Bin 12 opens with the first ACK after 661 ms +
    12 * 49 ms = 1249 ms, at 1256 ms. Ten bins of 49 ms hold 14 ACKs, or 140000 / 4 = 35000 units of 4 bytes, and as much one
    RTT before: exit. neqo-2026 starts with the next ACK, at 696 ms. An ACK at the very end of a bin leaves it open, and the
    next ACK ends two bins. It evaluates from bin 14 on, opened at 696 ms + 14 * 35 ms = 1186 ms, earlier in spite of its stricter
    guard. As much was sent as delivered: slow start continues.""",
    sources=("catalogue E13",),
)
def missed_bins_other_rtt(b: StreamBuilder) -> None:
    late = Delivery(in_bin(16), 10000, 140 * MS)
    deliver(b, [*one_ack_per_bin([10000] * 5), late, *(Delivery(in_bin(17 + n), 10000) for n in range(26))])
    b.expect(at=nth_ack(b, 5), profile=("linux-3", "neqo-2026"), outcome="restarted", bin=0)
    b.expect(at=nth_ack(b, 6), profile="neqo-2026", outcome="started", bin=0)
    b.expect(at=nth_ack(b, 20), profile="neqo-2026", outcome="below_threshold", bin=14, current_bytes=100000)
    b.expect(at=nth_ack(b, 22), profile="linux-3", outcome="exited", bin=12, current_bytes=35000)


@add(
    "search.threshold.equal-report",
    "Exactly 7/20 in ten completed bins, the shift to the nearest",
    """report-2024, k = 3, curr = 14: bins 1..10 hold 100000, bins 4..13 7 * 10000 + 3 * 20000 = 130000: exactly 7/20. The test of the listing is >: slow start continues. At curr = 15 bins 2..11 hold 9 * 10000 + 20000 = 110000 and bins 5..14
    6 * 10000 + 4 * 20000 = 140000: 13 * 110000 = 1430000 > 10 * 140000: exit. The window is not lowered, 10000000 + 11 * 10000 + 4 * 20000 = 10190000, and bin 14 stays open.""",
    sources=("REPORT 2024, appendix A", "catalogue E05"),
)
def threshold_equal_report(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin([10000] * 11 + [20000] * 4 + [1000]))
    b.expect(
        at=nth_ack(b, 14), profile="report-2024", outcome="below_threshold", current_bytes=130000, previous_bytes=100000
    )
    b.expect(
        at=nth_ack(b, 15),
        profile="report-2024",
        outcome="exited",
        bin=14,
        current_bytes=140000,
        previous_bytes=110000,
        cwnd_bytes=10190000,
        ssthresh_bytes=10190000,
    )


@add(
    "search.rtt.minimum-below-unit",
    "A minimum RTT of less than a unit of the clock, and an acknowledgement delay",
    """The first RTT is 0.34 ms, all later RTTs are 6 ms, including 5 ms of delay. In quicly-pr583 a minimum of 0 ms counts as 1 ms: 6 ms are not above 1 ms + 5 ms, and the delay is not subtracted. Bins have 1 ms, k = 6. Bin 0 ends at 300 ms + 1 ms = 301 ms, and
    each bin gets 10000 bytes. The first evaluation is at prev = 11, curr = 17: 100000 and 100000, 100000 / 200000 = 1/2: exit, and bin 16 stays open. With a minimum of 0 ms the delay would be subtracted, k would be 1, and the exit at curr = 12.""",
    sources=("Project-Faster/quicly @ cfdd201, include/quicly/loss.h",),
)
def rtt_minimum_below_unit(b: StreamBuilder) -> None:
    first, rtt_ns = 300 * MS, 6 * MS
    times = [first + (i + 1) * MS + MS // 2 for i in range(20)]
    sends = [(t_ns - rtt_ns, 10) for t_ns in times if t_ns - rtt_ns < first - 340_000]
    for t_ns, packets in sends:
        b.send(t_ns, packets)
    b.send(first - 340_000, 1)
    early = 10 * len(sends)
    late = [t_ns - rtt_ns for t_ns in times[len(sends) :]]
    b.ack(first, (early, early))
    for index, t_ns in enumerate(times):
        while late and late[0] < t_ns:
            b.send(late.pop(0), 10)
        packet = 10 * index + (index >= len(sends))
        b.ack(t_ns, (packet, packet + 9), ack_delay_ns=5 * MS)
    b.expect(at=nth_ack(b, 13), profile="quicly-pr583", outcome="warming_up", shift_bins=6, bin=12)
    b.expect(
        at=nth_ack(b, 18),
        profile="quicly-pr583",
        outcome="exited",
        bin=16,
        shift_bins=6,
        current_bytes=100000,
        previous_bytes=100000,
    )

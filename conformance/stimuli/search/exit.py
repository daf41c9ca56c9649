"""Hand-built stimuli of SEARCH: the threshold, the exit, and the time after it. Shared helpers: ``search.flow``."""

from functools import partial

from firstflight.search.profiles import PROFILES as SEARCH_PROFILES
from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.search.flow import (
    BIN,
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
    "search.threshold.equal",
    "A difference of exactly 7/20 ends slow start",
    """At curr = 14 bins 1..10 hold 100000 and bins 4..13 hold 7 * 10000 + 3 * 20000 = 130000: (200000 - 130000) / 200000 = 7/20, exactly the threshold: exit, since the test is >=. In binary
    floating point 0.35 is a little less than 7/20.""",
    sources=("LANMAN 2024, Algorithm 1", "catalogue E05"),
)
def threshold_equal(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin(rates((11, 10000), (4, 20000))))
    b.expect(at=nth_ack(b, 14), profile="lanman-2024", outcome="exited", current_bytes=130000, previous_bytes=100000)
    b.expect(
        at=nth_ack(b, 14),
        profile="quicly-pr583",
        outcome="below_threshold",
        current_bytes=130000,
        previous_bytes=100000,
    )


@add(
    "search.threshold.one-byte-below",
    "One byte more in the later window keeps slow start",
    """As in search.threshold.equal, but bin 13 holds 20001: 13 * 100000 = 1300000 < 10 * 130001 = 1300010. Slow start continues; the next evaluation, 13 * 110000 = 1430000 >= 10 * 140001 = 1400010, ends it.""",
    sources=("catalogue E07",),
)
def threshold_one_byte_below(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin(rates((11, 10000), (2, 20000), (1, 20001), (3, 20000))))
    b.expect(
        at=nth_ack(b, 14), profile="lanman-2024", outcome="below_threshold", current_bytes=130001, previous_bytes=100000
    )
    b.expect(at=nth_ack(b, 15), profile="lanman-2024", outcome="exited", current_bytes=140001, previous_bytes=110000)


@add(
    "search.threshold.equal-literal",
    "The literal windows at exactly 7/20",
    """Literal, curr = 12: bins 0..10 hold 2 * 5000 + 9 * 10000 = 100000; bins 2..12, with the open bin empty, 9 * 10000 + 40000 = 130000: exactly 7/20, exit.""",
    sources=("catalogue E05",),
)
def threshold_equal_literal(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin(rates((2, 5000), (9, 10000), (1, 40000), (1, 20000))))
    b.expect(
        at=nth_ack(b, 12), profile="lanman-2024-literal", outcome="exited", current_bytes=130000, previous_bytes=100000
    )


@add(
    "search.threshold.one-byte-below-literal",
    "One byte more in the later window of the literal text",
    """Bin 11 holds 40001 instead of 40000: 13 * 100000 < 10 * 130001, and slow start continues at curr = 12. At curr = 13 bins 1..11 hold 135001 and bins 3..13 hold 8 * 10000 + 40001 + 20000 = 140001: exit.""",
    sources=("catalogue E07",),
)
def threshold_one_byte_below_literal(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin(rates((2, 5000), (9, 10000), (1, 40001), (2, 20000))))
    b.expect(
        at=nth_ack(b, 12),
        profile="lanman-2024-literal",
        outcome="below_threshold",
        current_bytes=130001,
        previous_bytes=100000,
    )


@add(
    "search.threshold.huge-windows",
    "Windows of 4 * 10^11 bytes, one byte from the threshold",
    """Bins 0..10 hold 12 * 50000 * 65535 = 39321000000 bytes, 11 and 12 twice that, 13 twice that and one more. At curr = 14: 13 * 393210000000 = 5111730000000 < 10 * 511173000001 = 5111730000010: slow start continues.
    Single precision cannot distinguish the two, and the products need more than 32 bits.""",
    sources=("catalogue E07", "catalogue E44"),
    max_datagram_size_bytes=50000,
    initial_window_bytes=10**15,
)
def threshold_huge_windows(b: StreamBuilder) -> None:
    unit = 12 * 50000 * 65535
    deliver(b, one_ack_per_bin(rates((11, unit), (2, 2 * unit), (1, 2 * unit + 1), (1, 2 * unit))))
    b.expect(
        at=nth_ack(b, 14),
        profile="lanman-2024",
        outcome="below_threshold",
        current_bytes=511173000001,
        previous_bytes=393210000000,
    )


@add(
    "search.evaluation.more-than-doubled",
    "More than twice the earlier window: the difference is negative",
    """Bins 11..13 hold 100000 each: at curr = 14 the windows hold 7 * 10000 + 300000 = 370000 and 100000. 2 * 100000 - 370000 < 0: slow start continues. Unsigned arithmetic without a check gives a huge number.""",
    sources=("catalogue E29",),
)
def evaluation_more_than_doubled(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin(rates((11, 10000), (4, 100000))))
    b.expect(
        at=nth_ack(b, 14), profile="lanman-2024", outcome="below_threshold", current_bytes=370000, previous_bytes=100000
    )


@add(
    "search.evaluation.previous-zero",
    "Zero bytes delivered one RTT ago: no decision",
    """Bins 0 and 1 hold 10000, then bins without ACKs until bin 16. Recommended: at curr = 16, 17 and 18 the earlier window, 3..12, 4..13, 5..14, is empty: outcome previous_zero. The later window holds up to 20000. At curr = 20 the earlier
    window, 7..16, holds 10000.""",
    sources=("catalogue E27",),
)
def evaluation_previous_zero(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin(rates((2, 10000), (14, 0), (5, 10000))))
    b.expect(at=nth_ack(b, 2), profile="lanman-2024", outcome="previous_zero", bin=16, current_bytes=0)
    b.expect(at=nth_ack(b, 4), profile="lanman-2024", outcome="previous_zero", bin=18, current_bytes=20000)
    b.expect(
        at=nth_ack(b, 6),
        profile="lanman-2024",
        outcome="below_threshold",
        bin=20,
        current_bytes=40000,
        previous_bytes=10000,
    )


@add(
    "search.evaluation.trickle",
    "One byte per bin for a whole window: exit",
    """From bin 12 on each bin holds one byte. At curr = 14 the windows hold 80002 and 100000: 1300000 >= 800020: exit.""",
    sources=("catalogue E28",),
)
def evaluation_trickle(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin(rates((12, 10000), (4, 1))))
    b.expect(at=nth_ack(b, 14), profile="lanman-2024", outcome="exited", current_bytes=80002, previous_bytes=100000)


@add(
    "search.exit.overshoot-bins",
    "The overshoot is the sum of the last five or six bins",
    """Bins 8..13 hold 1, 2, 4, 8, 16 and 32 thousand, so that each sum identifies its terms. Recommended, at curr = 14: the window is 10000000
    + 800000 + 63000 = 10863000. Bins 8..14, the open one empty, hold 1000 + 2000 + 4000 + 8000 + 16000 + 32000 = 63000:
    10800000. Literal, at curr = 12: 10815000 less bins 7..12, 100000 + 1000 + 2000 + 4000 + 8000 = 115000: 10700000. Algorithm 1
    of the report gives ssthresh that value and does not lower the window. The 16 packets of the ACK grow it by 16 * floor(1000 * 1000 / 10815000) = 0. The listing does not lower the window: at curr = 14 ssthresh becomes 10863000.""",
    sources=("LANMAN 2024, Algorithm 1", "catalogue E34"),
)
def exit_overshoot_bins(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin([100000] * 8 + [1000, 2000, 4000, 8000, 16000, 32000, 64000, 1000]))
    b.expect(at=nth_ack(b, 14), profile="lanman-2024", outcome="exited", cwnd_bytes=10800000, ssthresh_bytes=10800000)
    b.expect(
        at=nth_ack(b, 12), profile="lanman-2024-literal", outcome="exited", cwnd_bytes=10700000, ssthresh_bytes=10700000
    )
    b.expect(
        at=nth_ack(b, 12), profile="report-2024-literal", outcome="exited", cwnd_bytes=10815000, ssthresh_bytes=10700000
    )
    b.expect(
        at=nth_ack(b, 14), profile="report-2024", outcome="exited", cwnd_bytes=10863000, ssthresh_bytes=10863000, bin=13
    )


@add(
    "search.exit.deciding-ack",
    "The ACK that ends slow start does not grow the window",
    """The exit ACK brings 50 packets of 1000 bytes. At curr = 14 the window is 10000000 + 14 * 10000 = 10140000, less 60000: exactly 10080000. Grown first, it would be 10130000. The listing of the report returns before growth and does not lower the window: 10140000.""",
    sources=("catalogue E38",),
)
def exit_deciding_ack(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin(rates((14, 10000), (1, 50000), (1, 10000))))
    b.expect(at=nth_ack(b, 14), profile="lanman-2024", outcome="exited", cwnd_bytes=10080000, ssthresh_bytes=10080000)
    b.expect(at=nth_ack(b, 14), profile="report-2024", outcome="exited", cwnd_bytes=10140000, ssthresh_bytes=10140000)


@add(
    "search.exit.then-slow-start",
    "Slow start again after an exit: the bin and the bytes of the ACK that ended it",
    """Bins 0..13 hold 10000 each, and the ACK that ends bin 13 brings 70000. lanman-2024, quicly-pr583 and report-2024 exit: 100000 against twice 100000. quicly-pr583 and report-2024 return before bin 13 ends and before the ACK counts. Bin 13 stays open with
    its 10000. Then ten packets are lost, persistent congestion follows, and slow start with 2000. These two profiles keep their bins. The next ACK comes in bin 17. Bins 7..16 hold 7 * 10000 = 70000, and bins 4..13 hold 100000. 13 * 100000 > 10 * 70000: exit,
    and bin 16 stays open. With the 70000 of bin 14 it would be 10 * 140000 > 13 * 100000, and slow start would continue. lanman-2024 starts again.""",
    sources=("REPORT 2024, appendix A", "Project-Faster/quicly @ cfdd201, lib/ss-search.c"),
    flags=("same-time-order",),
)
def exit_then_slow_start(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin([10000] * 14 + [70000]))
    listing = ("quicly-pr583", "report-2024")
    b.expect(profile=listing, outcome="exited", bin=13, open_bin_bytes=10000, ssthresh_bytes=10140000)
    b.expect(profile="lanman-2024", outcome="exited", bin=14, open_bin_bytes=70000)
    b.send(in_bin(14) + MS, 10)
    last = b.ledger.next_packet - 1
    b.lose(in_bin(14) + 2 * MS, (last - 9, last))
    b.persistent_congestion(in_bin(14) + 2 * MS)
    deliver(b, [Delivery(in_bin(i), 1000) for i in (17, 18)])
    again = nth_ack(b, 15)
    b.expect(
        at=again, profile=listing, outcome="exited", bin=16, current_bytes=70000, previous_bytes=100000, cwnd_bytes=2000,
        ssthresh_bytes=2000,
    )  # fmt: skip
    b.expect(at=again, profile="lanman-2024", outcome="started", bin=0)


@add(
    "search.exit.deciding-ack-small-window",
    "The ACK that ends slow start grows a small window",
    """The ACKs before bin 12 are app-limited, so the window is still 60000. Literal: at curr = 12 it falls to 60000 - 50000 = 10000. The ten packets of the ACK add 1000 * 1000 / window each, 100, 99, 98, 97, 96, 95, 94, 93, 92, 92: 10956.
    Recommended: bins 12 and 13 grow it to 80000; at curr = 14 it falls to 80000 - 60000 = 20000, and stops growing.""",
    sources=("catalogue E38",),
    initial_window_bytes=60000,
)
def exit_deciding_ack_small_window(b: StreamBuilder) -> None:
    deliver(b, [Delivery(in_bin(i), 10000, app_limited=i < 12) for i in range(16)])
    b.expect(at=nth_ack(b, 12), profile="lanman-2024-literal", outcome="exited", cwnd_bytes=10956, ssthresh_bytes=10000)
    b.expect(at=nth_ack(b, 14), profile="lanman-2024", outcome="exited", cwnd_bytes=20000)


@add(
    "search.exit.overshoot-exceeds-window",
    "An overshoot larger than the window",
    """All ACKs are app-limited: 10000 bytes in each bin, the window stays 30000. Recommended: the overshoot of six bins, 6 * 10000 =
    60000, is more than the window, and 30000 - 60000 is below the minimum window: 2000. Literal: 30000 - 50000 is negative,
    and the window becomes 0.""",
    sources=("catalogue E35",),
    initial_window_bytes=30000,
)
def exit_overshoot_exceeds_window(b: StreamBuilder) -> None:
    deliver(b, [Delivery(in_bin(i), 10000, app_limited=True) for i in range(15)])
    b.expect(at=nth_ack(b, 14), profile="lanman-2024", outcome="exited", cwnd_bytes=2000)
    b.expect(at=nth_ack(b, 12), profile="lanman-2024-literal", outcome="exited", cwnd_bytes=0, ssthresh_bytes=0)
    b.expect(at=nth_ack(b, 14), profile="neqo-2026", outcome="app_limited", cwnd_bytes=30000)


@add(
    "search.exit.once",
    "After the exit SEARCH is inactive",
    """After the exit at curr = 14 the ACKs of bins 15..20 still come 35 ms apart at a constant rate; each would exit again. The window only grows in congestion avoidance, and `bin` stays 14.""",
    sources=("catalogue E59",),
    initial_window_bytes=200000,
)
def exit_once(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin(rates((21, 10000))))
    b.expect(at=nth_ack(b, 14), profile="lanman-2024", outcome="exited")
    b.expect(at=nth_ack(b, 20), profile="lanman-2024", bin=14)


@add(
    "search.exit.loss-first",
    "A loss before the exit: SEARCH stops, and does not lower the window again",
    """The packets due in bin 12 are lost: recovery with half the window. At a constant rate the recommended reading would exit at curr = 14, but slow start is over. The literal
    text would have exited at curr = 12.""",
    sources=("catalogue E31",),
)
def exit_loss_first(b: StreamBuilder) -> None:
    deliver(b, [Delivery(in_bin(i), 10000, lost=i == 12) for i in range(16)])
    b.expect(profile="lanman-2024", ssthresh_bytes=5060000)


@add(
    "search.exit.ce-before",
    "After a CE mark on the same frame, processed before the ACK, SEARCH does not exit",
    """At curr = 14 a constant rate would exit. The CE mark of the frame is processed first: the window is halved, and the ACK arrives in recovery.""",
    sources=("catalogue E55",),
    flags=("same-time-order",),
)
def exit_ce_before(b: StreamBuilder) -> None:
    deliver(b, [Delivery(in_bin(i), 10000, ce="before" if i == 14 else "") for i in range(15)])
    b.expect(at=nth_ack(b, 14), profile="lanman-2024", ssthresh_bytes=5070000, cwnd_bytes=5070000)


@add(
    "search.exit.ce-after",
    "A CE mark on the same frame, processed after the ACK, halves the window of the exit",
    """At curr = 14 the constant rate exits: 10000000 + 140000 - 60000 = 10080000. The CE mark then halves it to 5040000.""",
    sources=("catalogue E55",),
    flags=("same-time-order",),
)
def exit_ce_after(b: StreamBuilder) -> None:
    deliver(b, [Delivery(in_bin(i), 10000, ce="after" if i == 14 else "") for i in range(15)])
    b.expect(at=nth_ack(b, 14), profile="lanman-2024", outcome="exited", cwnd_bytes=10080000)
    b.expect(profile="lanman-2024", cwnd_bytes=5040000)


@add(
    "search.restart.persistent-congestion",
    "Slow start after persistent congestion",
    """Ten bins at a constant rate, then ten more packets are lost, and persistent congestion leads back to slow start with the window 2000. Recommended: the bins are discarded, and the next ACK starts again. Literal: the bins continue,
    with one step per ACK. At bin 12 the old bins end slow start. 4000 less the bins 7..12 is negative: 0. A window of 0 does not grow.""",
    sources=("catalogue E54",),
    flags=("same-time-order",),
    initial_window_bytes=100000,
)
def restart_persistent_congestion(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin([10000] * 10))
    b.send(in_bin(9) + 5 * MS, 10)
    b.lose(in_bin(9) + 10 * MS, (100, 109))
    b.persistent_congestion(in_bin(9) + 10 * MS)
    deliver(b, [Delivery(in_bin(i), 1000) for i in (13, 14, 16, 17, 18)])
    b.expect(at=nth_ack(b, 10), profile="lanman-2024", outcome="started", bin=0)
    b.expect(at=nth_ack(b, 12), profile="lanman-2024-literal", outcome="exited", bin=12, cwnd_bytes=0)


@add(
    "search.exit.two-rtts-of-all-bins",
    "An exit when two RTTs cover exactly all ended bins",
    """The RTT rises to 385 ms, eleven bins of 35 ms, so the first evaluation is at curr = 22: the later and the earlier window
    hold the same bytes, and SEARCH ends slow start. Two RTTs are 22 bins, no more than curr. The ACK grows the
    window to 420000 + 10000 = 430000, and the exit takes away the 220000 bytes of these bins: 210000. A sender that needs more than 22 bins keeps 430000.""",
    profiles=("picoquic-fork",),
    initial_window_bytes=200_000,
)
def exit_two_rtts_of_all_bins(b: StreamBuilder) -> None:
    rtts = [min(RTT + index * BIN, 385 * MS) for index in range(24)]
    deliver(b, one_ack_per_bin([10000] * 24, rtts))
    b.expect(at=nth_ack(b, 22), outcome="exited", shift_bins=11, cwnd_bytes=210_000, ssthresh_bytes=210_000)

"""Hand-built stimuli of SEARCH: skipped or delayed evaluations while more is sent than delivered.

``why`` derives the expectation. Packets have 1000 bytes, the initial RTT is 100 ms, a bin 35 ms.
"""

from functools import partial

from firstflight.search.profiles import PROFILES as SEARCH_PROFILES
from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.search.flow import BIN, LARGE_WINDOW, RTT, Delivery, deliver, in_bin, nth_ack

CATALOGUE = Catalogue(*SEARCH_PROFILES, sources=("catalogue of edge cases",))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=LARGE_WINDOW)


def _sent_twice_as_fast(b: StreamBuilder, final_rtt_ns: int, bins: int) -> None:
    """Send 20000 bytes and deliver 10000 in each bin; the RTT rises by a bin in each, up to a final value."""
    rtts = [min(final_rtt_ns, RTT + 35 * MS * max(0, i - 2)) for i in range(bins)]
    deliver(b, [Delivery(in_bin(i), 10000, rtt, unacked_bytes=10000) for i, rtt in enumerate(rtts)])


@add(
    "search.shift.fourteen-sent-faster",
    "A shift of 14 is evaluated, and only half of the sent bytes were delivered",
    """From bin 14 on the RTT is 490 ms, exactly 14 bins. The packets that arrive in bin i left 490 ms earlier, in bin i - 14. prev = 25 - 14 = 11 is the first evaluation. Ten bins of sent bytes, 1 to 10, hold 10 * 20000 = 200000. Ten bins of delivered bytes, 15 to 24,
    hold 10 * 10000 = 100000. draft-09 and neqo-2026: (200000 - 100000) / 200000 = 0.5: exit.""",
    sources=("catalogue E19", "draft-chung-ccwg-search-09"),
)
def shift_fourteen_sent_faster(b: StreamBuilder) -> None:
    _sent_twice_as_fast(b, 490 * MS, 28)
    b.expect(
        at=nth_ack(b, 25),
        profile="draft-09",
        outcome="exited",
        shift_bins=14,
        current_bytes=100000,
        previous_bytes=200000,
    )


@add(
    "search.shift.fifteen-sent-faster",
    "A shift of 15 is not evaluated, though only half of the sent bytes were delivered",
    """From bin 15 on the RTT is 525 ms, exactly 15 bins. As with 14: at curr = 26 prev = 11 has ten bins after bin 0. 200000 bytes were sent in these bins, and 100000 are delivered now: 0.5, an exit if evaluated. But 15 > 14: no evaluation, and slow start continues.""",
    sources=("catalogue E19", "draft-chung-ccwg-search-09"),
)
def shift_fifteen_sent_faster(b: StreamBuilder) -> None:
    _sent_twice_as_fast(b, 525 * MS, 29)
    for count in (26, 27, 28):
        b.expect(at=nth_ack(b, count), profile="draft-09", outcome="rtt_inflated", shift_bins=15)


def _bursts(b: StreamBuilder, unsampled_ack: int) -> None:
    """Send 50 packets every bin and acknowledge 37 of them three bins later; one ACK lacks an RTT sample."""
    packet = 0
    for i in range(24):
        if i >= 3:
            b.ack(in_bin(i - 3), (packet, packet + 36), sample=i - 3 != unsampled_ack)
            packet += 37
        b.send(i * BIN, 50)


@add(
    "search.rtt.no-sample-decides",
    "The ACK that ends slow start lacks an RTT sample",
    """50 packets of 1000 bytes are sent in each bin, 37 of each 50 delivered. For any windows (500000 - 370000) / 500000 = 0.26. The queue and the RTT grow with each bin. ACK 16 acknowledges up to packet 628, of burst 12, sent at 420 ms, and comes at
    100 + 16 * 35 + 1 = 661 ms: 241 ms, 6.9 bins. ACK 17 lacks a sample, so the sample of ACK 16 applies: shift 6, prev = 17 - 6 = 11. This is the first evaluation: exit in draft-09 and neqo-2026. Without an evaluation there slow start would continue until ACK 18.""",
    sources=("catalogue E51",),
)
def rtt_no_sample_decides(b: StreamBuilder) -> None:
    _bursts(b, 17)
    b.expect(at=nth_ack(b, 16), profile="draft-09", outcome="warming_up", shift_bins=6)
    b.expect(
        at=nth_ack(b, 17),
        profile="draft-09",
        outcome="exited",
        shift_bins=6,
        current_bytes=370000,
        previous_bytes=500000,
    )


@add(
    "search.start.no-sample-then-sent-faster",
    "The first ACK lacks an RTT sample, and half of the sent bytes are delivered",
    """The ACK at 100 ms lacks a sample: SEARCH waits. The next ACK, at 136 ms, starts SEARCH with its RTT of 100 ms. Bins have 35 ms, so that the ACK 1 ms after 136 + 35 j ms opens bin j. In each bin 20000 bytes are sent and 10000 delivered. Shift floor(100 / 35) = 2:
    prev = 13 - 2 = 11 is the first evaluation. 100000 were delivered in bins 3 to 12; in bins 1 to 10 and 0 to 9 200000 were sent each. 0.5: draft-09 exits with ACK 14. With a sample of 100 ms from another connection, bin 0 would begin at 100 ms, and ACK 13 would
    open bin 13 and exit.""",
    sources=("catalogue E51",),
)
def start_no_sample_then_sent_faster(b: StreamBuilder) -> None:
    first = [Delivery(in_bin(i), 10000, sample=i > 0, unacked_bytes=10000) for i in (0, 1)]
    deliver(b, [*first, *(Delivery(in_bin(i, 2 * MS), 10000, unacked_bytes=10000) for i in range(2, 20))])
    b.expect(at=nth_ack(b, 0), profile="draft-09", outcome="no_rtt_sample")
    b.expect(at=nth_ack(b, 1), profile="draft-09", outcome="started", bin=0)
    b.expect(
        at=nth_ack(b, 14),
        profile="draft-09",
        outcome="exited",
        bin=13,
        shift_bins=2,
        current_bytes=100000,
        previous_bytes=200000,
    )

"""Hand-built stimuli of HyStart++: the delay threshold.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from firstflight_conformance.format.builder import MS, US, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.hystartpp.sender import NGTCP2, RFC, UNPACED, clocked

CATALOGUE = Catalogue(RFC, UNPACED, NGTCP2, sources=("RFC 9406, section 4.2",))
add = CATALOGUE.add


@add(
    "hystartpp.delay.step-in-round-three",
    "A step of the delay in round 3: the first reduced growth is at the ACK of packet 38",
    """Rounds end with the ACK of windowEnd, which already belongs to the next round: packets 0 to 9, 10 to 29, 30 to 69.
    At the ACK of packet 10 SND.NXT is 10 + 2 * 10 = 30, at the ACK of packet 30 it is 10 + 2 * 30 = 70. The RTT is 100 ms up
    to packet 29 and 130 ms from packet 30 on: the minimum of round 2 is 100, the threshold 100 / 8 = 12.5 ms. Round 3
    has its eighth sample with packet 37: 130 >= 112.5. CSS begins after that ACK has grown the window in full to 12000
    + 38 * 1200 = 57600. The ACK of packet 38 is the first that adds 1200 / 4 = 300 bytes, 57900, and the ACK of packet 41 the fourth: 58800. Samples counted from packet 31 on (the ACK that ends a round belongs to it) reduce at 39. A first
    round of one packet that ends after packet 0 or 1 shifts the rounds and reduces later. A test before the growth reduces at 37.""",
)
def delay_step_in_round_three(b: StreamBuilder) -> None:
    clocked(b).run((30, 130 * MS), until=45)
    b.expect(at=b.acked(37), outcome="conservative_begun", cwnd_bytes=57_600)
    b.expect(at=b.acked(38), outcome="conservative_grown", cwnd_bytes=57_900)
    b.expect(at=b.acked(41), cwnd_bytes=58_800)


@add(
    "hystartpp.delay.step-in-round-two",
    "A step of the delay in round 2",
    """Round 1 has the packets 0 to 9, round 2 begins with packet 10: its eighth sample is packet 17. 130 >= 100 + 12.5: CSS
    begins at window 12000 + 18 * 1200 = 33600; the ACK of packet 18 adds 1200 / 4 = 300. A sender that compares rounds
    only from round 3 on does not begin CSS.""",
)
def delay_step_in_round_two(b: StreamBuilder) -> None:
    clocked(b).run((10, 130 * MS), until=22)
    b.expect(at=b.acked(17), outcome="conservative_begun", cwnd_bytes=33_600)
    b.expect(at=b.acked(18), cwnd_bytes=33_900)


@add(
    "hystartpp.delay.first-round",
    "The first round lacks an RTT to compare with",
    """The RTT rises from 100 to 150 ms with packet 1: the minimum of round 1 is 100, and lastRoundMinRTT is infinite.
    Round 2 has 150 ms throughout: 150 >= 100 + 12.5, CSS begins with its eighth sample, packet 17.""",
)
def delay_first_round(b: StreamBuilder) -> None:
    clocked(b).run((1, 150 * MS), until=20)
    b.expect(at=b.acked(17), outcome="conservative_begun", cwnd_bytes=33_600)


@add(
    "hystartpp.delay.exact-threshold",
    "A rise by exactly an eighth begins CSS",
    "100 + 100 / 8 = 112.5 ms: the comparison is >=. CSS begins at packet 37. With > slow start continues.",
)
def delay_exact_threshold(b: StreamBuilder) -> None:
    clocked(b).run((30, 112_500 * US), until=42)
    b.expect(at=b.acked(37), outcome="conservative_begun")


@add(
    "hystartpp.delay.below-threshold",
    "A rise a nanosecond below an eighth does not begin CSS",
    "112.499999 ms < 100 ms + 12.5 ms: slow start continues, and every ACK adds 1200.",
)
def delay_below_threshold(b: StreamBuilder) -> None:
    clocked(b).run((30, 112_500 * US - 1), until=42)
    b.expect(at=b.acked(42), outcome="grown", cwnd_bytes=63_600)


@add(
    "hystartpp.delay.not-rounded",
    "An eighth of the RTT is not rounded",
    """The RTT is 100.000001 ms; an eighth is 12.500000125 ms. A rise of 12.5 ms to 112.500001 is an eighth of a
    nanosecond too small. Division rounded down to nanoseconds, or to microseconds, begins CSS.""",
)
def delay_not_rounded(b: StreamBuilder) -> None:
    clocked(b).run((30, 112_500 * US + 1), until=42, first_ns=100 * MS + 1)
    b.expect(at=b.acked(42), outcome="grown", cwnd_bytes=63_600)


@add(
    "hystartpp.delay.minimum-threshold",
    "On a short path the threshold is 4 ms",
    """10 / 8 = 1.25 ms is less than 4 ms. With 13.9 ms in round 3 slow start continues. From packet 70 on, in round 4,
    the RTT is 17.9 ms: 17.9 >= 13.9 + 4, and CSS begins with the eighth sample, packet 77. Without the lower bound it
    begins at 37.""",
)
def delay_minimum_threshold(b: StreamBuilder) -> None:
    clocked(b).run((30, 13_900 * US), (70, 17_900 * US), until=81, first_ns=10 * MS, gap_ns=100 * US)
    b.expect(at=b.acked(37), outcome="grown")
    b.expect(at=b.acked(77), outcome="conservative_begun")


@add(
    "hystartpp.delay.maximum-threshold",
    "On a long path the threshold is 16 ms",
    """400 / 8 = 50 ms is more than 16 ms. 415.999999 ms in round 2 are too little. In round 3 the RTT is 431.999999 ms,
    16 more: CSS begins at packet 37. Without the upper bound CSS needs 400 ms + 50 ms = 450 ms in round 2, or 416 ms
    + 416 ms / 8 = 468 ms in round 3.""",
)
def delay_maximum_threshold(b: StreamBuilder) -> None:
    clocked(b).run((10, 416 * MS - 1), (30, 432 * MS - 1), until=41, first_ns=400 * MS)
    b.expect(at=b.acked(17), outcome="grown")
    b.expect(at=b.acked(37), outcome="conservative_begun")


@add(
    "hystartpp.delay.against-last-round",
    "The RTT is compared with the previous round, not with the smallest RTT",
    """Rounds of 100, 110, 120 and 130 ms: each is 10 ms more than the previous round, below thresholds of 12.5, 13.75 and
    15 ms. Slow start continues. Compared with the minimum of the connection, 120 >= 112.5 would end it in round 3.""",
)
def delay_against_last_round(b: StreamBuilder) -> None:
    clocked(b).run((10, 110 * MS), (30, 120 * MS), (70, 130 * MS), until=84)
    b.expect(at=b.acked(84), outcome="grown")


@add(
    "hystartpp.delay.minimum-counts",
    "One low sample among eight hides the rise",
    """In round 3 packet 30 has 105 ms, the others 130. The minimum of the round is 105 < 112.5, so CSS does not begin
    in it. With a mean or the last sample CSS begins at 37.""",
)
def delay_minimum_counts(b: StreamBuilder) -> None:
    clocked(b).run((30, 105 * MS), (31, 130 * MS), until=45)
    b.expect(at=b.acked(45), outcome="grown")


@add(
    "hystartpp.delay.late-in-round",
    "A rise late in a round does not count in that round",
    """In round 2 packets 10 to 19 have 112 ms and the others 120. The minimum is 112 at the eighth sample and stays so:
    112 < 112.5, no CSS. By the latest RTT it begins at packet 20. In round 3 all packets have 130: 130 >= 112 + 14, CSS
    at packet 37.""",
)
def delay_late_in_round(b: StreamBuilder) -> None:
    clocked(b).run((10, 112 * MS), (20, 120 * MS), (30, 130 * MS), until=41)
    b.expect(at=b.acked(20), outcome="grown")
    b.expect(at=b.acked(37), outcome="conservative_begun")


@add(
    "hystartpp.delay.high-for-eight",
    "Low samples before and after eight high samples",
    """Round 2 begins with packet 10. Packets 10 and 11 have 100 ms, 12 to 19 have 113 or a little more, 20 has 112.4. The
    minimum is 100, so that slow start continues: 12000 + 22 * 1200 = 38400 with packet 21. If windowEnd was initialized
    after packet 0 was sent, the round begins with packet 12 or 13. Its eighth sample is then packet 19 or 20. In the second
    case 112.4 is below 100 + 100 / 8 = 112.5. A sender that uses each sample one ACK late has 113 for packet 20 as
    well.""",
    profiles=(RFC,),
)
def delay_high_for_eight(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(100 * MS, (0, 0))
    b.send(100 * MS, 2)
    b.ack(100_100 * US, (1, 1))
    b.ack(100_200 * US, (2, 9))
    b.send(100_200 * US, 8)
    b.send(100_900 * US, 10)
    b.ack(200 * MS, (10, 10))
    b.ack(200_010 * US, (11, 11))
    for packet in range(12, 20):
        b.ack(213_200 * US + (packet - 12) * US, (packet, packet))
    b.ack(213_300 * US, (20, 20))
    b.ack(213_310 * US, (21, 21))
    b.expect(outcome="grown", cwnd_bytes=38_400)


@add(
    "hystartpp.degenerate.round-of-zeros",
    "A round with only samples of 0 ns counts like any other",
    """Packets 0 to 9 are acknowledged when they leave, and each ACK releases two packets at the same time. The minimum of
    round 1 is 0, the threshold the minimum, 4 ms. Packet 10 begins round 2 with RTTs of 8 ms: its eighth sample
    is packet 17, and 8 >= 0 + 4. CSS begins, at 12000 + 18 * 1200 = 33600. Packets 18 and 19 add a quarter each:
    33600 + 2 * 1200 / 4 = 34200. A stack that treats 0 as a missing sample lacks an RTT to compare with, and slow start continues.
    """,
    flags=("same-time-order",),
)
def degenerate_round_of_zeros(b: StreamBuilder) -> None:
    b.send(0, 10)
    for packet in range(10):
        b.ack(0, (packet, packet))
        b.send(0, 2)
    for packet in range(10, 20):
        b.ack(8 * MS, (packet, packet))
    b.expect(at=b.acked(17), outcome="conservative_begun", cwnd_bytes=33_600)
    b.expect(cwnd_bytes=34_200)

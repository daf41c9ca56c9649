"""Hand-built stimuli of SUSS: the conditions to speed up a round.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from firstflight_conformance.format.builder import MS, US, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.clocked import constant, steps
from stimuli.suss.sender import BOTH, CUBIC, NEW, OLD, OUTPUT, sender

CATALOGUE = Catalogue(*BOTH, sources=(CUBIC,))
add = CATALOGUE.add


@add(
    "suss.growth.two-rounds",
    "Ten packets become forty, then a hundred and sixty",
    """ACKs of packets 0 to 9 come 1 ms apart. At the tail nine are counted in 9 ms: the train is 20 * 9000 / (2 * 9) = 10000 us, less than 100000 / 4 = 25000. Twenty
    red packets follow twenty blue packets. The limit is (19 + 1 + 20) * 1200 = 48000, at floor(floor(24000 * 2^24 / 50000) * 10^6 / 2^24) = 479999 bytes per
    second, from 109 ms + (50 - 10) / 2 ms = 129 ms on. In round 3 two packets come every ms. At packet 29 nineteen are counted, the train
    is floor(40 * 9000 / 38) = 9473 us, the ratio floor(18946 * 1024 / 20000) = 970. floor(970 * 18946 / 512) = 35893 is at most 100000. 120 red packets, 20 of the previous round: (59 + 1 + 100) * 1200 = 192000, at floor(floor(144000 * 2^24 / 75000) * 10^6 / 2^24) = 1919999.""",
    sources=(CUBIC, OUTPUT),
)
def growth_two_rounds(b: StreamBuilder) -> None:
    c = sender(b)
    c.begin()
    c.ack(fill=False)
    b.expect(outcome="grown", cwnd_bytes=13_200, suss_round=2, head_packet=10, blue_packets=1)
    c.fill(c.now_ns)
    c.ack_paced(9)
    at = b.acked(9)
    b.expect(
        at=at,
        outcome="suss_paced",
        cwnd_bytes=24_000,
        limit_bytes=48_000,
        blue_train_us=10_000,
        rate_bytes_per_s=479_999,
    )
    b.expect(at=at + 1, outcome="suss_opened", cwnd_bytes=26_400, next_release_ns=1_129_000_000)
    c.ack_paced(29)
    b.expect(at=b.acked(10) - 1, cwnd_bytes=48_000, suss_mode=2)
    b.expect(
        at=b.acked(29),
        outcome="suss_paced",
        limit_bytes=192_000,
        blue_train_us=9_473,
        rate_bytes_per_s=1_919_999,
        jumps=2,
    )
    c.ack_paced(60)


@add(
    "suss.growth.three-rounds",
    "Three rounds are sped up, a fourth is not",
    """The initial window leaves over 0.9 ms, and the RTT is 100 ms: all trains are short. The windows are 48000 and 192000 as in suss.growth.two-rounds. In round 4 there are eighty blue packets and
    560 red, 120 of the previous round: (199 + 1 + 440) * 1200 = 768000. In round 5 the window only doubles: its tail, packet 289, does not speed it up.""",
)
def growth_three_rounds(b: StreamBuilder) -> None:
    c = sender(b)
    c.begin(100 * US)
    c.ack_paced(49, 1)
    c.ack_paced(209, 4)
    c.ack_paced(299, 10)
    b.expect(at=b.acked(89), outcome="suss_paced", limit_bytes=768_000, jumps=3)
    b.expect(at=b.acked(210) - 1, cwnd_bytes=768_000)
    b.expect(at=b.acked(289), outcome="suss_clocked", jumps=3, suss_mode=1)


@add(
    "suss.second.quarter",
    "In round 2 a train of exactly a quarter of the minimum RTT is too long",
    """ACKs come 2.5 ms apart: 20 * 22500 / 18 = 25000 us, which is not less than 100000 / 4 = 25000. SUSS is disabled, and slow start continues.""",
)
def second_quarter(b: StreamBuilder) -> None:
    c = sender(b)
    c.begin(2500 * US)
    c.ack_paced(12)
    b.expect(at=b.acked(9), outcome="suss_disabled", cwnd_bytes=24_000, suss_mode=10)
    b.expect(outcome="sent", cwnd_bytes=27_600)


@add(
    "suss.second.below-quarter",
    "A train a microsecond below a quarter of the minimum RTT is short enough",
    """The tenth ACK comes 22.499 ms after the first: floor(20 * 22499 / 18) = 24998 < 100000 / 4, in us. The guard interval is (100000 / 2 - 24998) / 2 = 12501, so that 22499 + 12501 = 35000: the first red packet may leave at 135 ms.""",
)
def second_below_quarter(b: StreamBuilder) -> None:
    c = sender(b)
    c.begin(2500 * US, 9)
    c.send(22_499 * US, 1)
    c.ack_paced(11)
    b.expect(at=b.acked(9), outcome="suss_paced", blue_train_us=24_998)
    b.expect(at=b.acked(9) + 1, next_release_ns=1_135_000_000)


@add(
    "suss.second.ten-milliseconds",
    "A minimum RTT of 10 ms is too short",
    "The train is 20 * 900 / 18 = 1000 us, less than 10000 / 4 = 2500, but 10 ms are not above 10 ms.",
)
def second_ten_milliseconds(b: StreamBuilder) -> None:
    c = sender(b)
    c.rtt = constant(10 * MS)
    c.begin(100 * US)
    c.ack_paced(9)
    b.expect(at=b.acked(9), outcome="suss_disabled")


@add(
    "suss.second.above-ten-milliseconds",
    "A minimum RTT a microsecond above 10 ms is long enough",
    """In us, the interval is floor(10001 / 2) = 5000, and red packets leave from (5000 - 1000) / 2 = 2000 after the tail on: 10901 + 2000 = 12901.""",
)
def second_above_ten_milliseconds(b: StreamBuilder) -> None:
    c = sender(b)
    c.rtt = constant(10_001 * US)
    c.begin(100 * US)
    c.ack_paced(11)
    b.expect(at=b.acked(9), outcome="suss_paced", blue_train_us=1000)
    b.expect(at=b.acked(9) + 1, next_release_ns=1_012_901_000)


@add(
    "suss.train.pairs",
    "ACKs of two packets give the same train",
    "The first ACK comes at 101 ms, the tail 8 ms later, with eight packets counted: 20 * 8000 / (2 * 8) = 10000 us.",
)
def train_pairs(b: StreamBuilder) -> None:
    c = sender(b)
    c.begin()
    c.ack_paced(13, 2)
    b.expect(at=b.acked(9), outcome="suss_paced", blue_train_us=10_000, limit_bytes=48_000)


@add(
    "suss.train.missing",
    "An ACK that is head and tail measures no train, and ends the growth",
    """One ACK for ten packets begins round 2 and ends its train. No packets were counted before it: growth does not continue, not even at packet 29, the tail of round 3. The kernel
    divides by zero here.""",
    sources=(CUBIC, "ours: V4"),
)
def train_missing(b: StreamBuilder) -> None:
    c = sender(b)
    c.begin()
    c.ack_paced(9, 10)
    b.expect(at=b.acked(9), outcome="suss_clocked", cwnd_bytes=24_000, suss_round=2, suss_mode=1)
    c.ack_paced(31)
    b.expect(at=b.acked(29), outcome="suss_clocked", suss_round=3, jumps=0)


@add(
    "suss.train.few-packets",
    "A sender that begins with three packets is never sped up",
    """At first only packets 0 to 2 are sent. Their ACKs are round 2, without a tail. Packets 3 to 15 leave together. The ACK of packet 3 begins round 3, packet
    9 is the tail, and no stored train exists for the comparison. The kernel divides by zero here.""",
    sources=(CUBIC, "ours: V4"),
)
def train_few_packets(b: StreamBuilder) -> None:
    c = sender(b)
    c.begin(MS, 3)
    c.ack_until(2, fill=False)
    c.fill(c.now_ns)
    c.ack_paced(10)
    b.expect(at=b.acked(9), outcome="suss_clocked", suss_round=3, blue_train_us=0)


@add(
    "suss.later.train",
    "In round 3 the predicted train may take the minimum RTT",
    """As in suss.growth.two-rounds, but packet 29 is acknowledged 15.022 ms after packet 10. In us the train is floor(40 * 15022 / 38) = 15812, the whole train 2 * 15812 = 31624,
    the ratio floor(31624 * 1024 / 20000) = 1619, and floor(1619 * 31624 / 512) = 99998, not above 100000.""",
)
def later_train(b: StreamBuilder) -> None:
    c = sender(b)
    c.rtt = steps(100 * MS, (29, 106_022 * US), (30, 100 * MS))
    c.begin()
    c.ack_paced(31)
    b.expect(at=b.acked(29), outcome="suss_paced", blue_train_us=15_812)


@add(
    "suss.later.train-above",
    "A predicted train a microsecond above the minimum RTT is too long",
    """15.023 ms: floor(40 * 15023 / 38) = 15813, 2 * 15813 = 31626, floor(31626 * 1024 / 20000) = 1619, and floor(1619 * 31626 / 512) = 100004 is above 100000. The stored train is still the train of round 2.""",
)
def later_train_above(b: StreamBuilder) -> None:
    c = sender(b)
    c.rtt = steps(100 * MS, (29, 106_023 * US), (30, 100 * MS))
    c.begin()
    c.ack_paced(31)
    b.expect(at=b.acked(29), outcome="suss_clocked", blue_train_us=10_000, jumps=1)


@add(
    "suss.later.delay",
    "In round 3 an RTT larger by a twelfth is accepted",
    """From packet 10 on the RTT is 108.333 ms. The minimum fell last in round 1: k = 2, and 3 * 108333 = 324999 is not above 3 * 100000 + 2 * 100000 / 8 = 325000.""",
)
def later_delay(b: StreamBuilder) -> None:
    c = sender(b)
    c.rtt = steps(100 * MS, (10, 108_333 * US))
    c.begin()
    c.ack_paced(30)
    b.expect(at=b.acked(29), outcome="suss_paced", jumps=2)


@add(
    "suss.later.delay-above",
    "A microsecond more is too much, and later rounds are not checked again",
    """3 * 108334 = 325002 is above 3 * 100000 + 2 * 100000 / 8 = 325000, though far below the end of slow start. From packet 50 on the RTT is 100 ms again. The train of
    round 4, floor(80 * 9000 / 78) = 9230, would be short enough, but at packet 89 no packet is paced.""",
)
def later_delay_above(b: StreamBuilder) -> None:
    c = sender(b)
    c.rtt = steps(100 * MS, (10, 108_334 * US), (50, 100 * MS))
    c.begin()
    c.ack_paced(91)
    b.expect(at=b.acked(29), outcome="suss_clocked", jumps=1)
    b.expect(at=b.acked(89), outcome="suss_clocked", suss_round=4, jumps=1)


@add(
    "suss.later.other-round",
    "In 5.19 the RTT comes from another round",
    """Packet 10 and packets from 22 on have an RTT of 110 ms. The packets between are acknowledged together with packet 10, the last of them 105 ms after it left. In 6.8 HyStart's round begins with packet
    10, as in SUSS: 3 * 105000 = 315000 is not above 3 * 100000 + 2 * 100000 / 8 = 325000. In 5.19 the round began at the ACK of packet 6, with 16 packets in the window, and the next
    round at packet 22: 3 * 110000 = 330000 is above 325000.""",
)
def later_other_round(b: StreamBuilder) -> None:
    c = sender(b)
    c.rtt = steps(100 * MS, (10, 110 * MS), (11, 100 * MS), (22, 110 * MS))
    c.begin()
    c.ack_paced(29)
    at = b.acked(29)
    b.expect(at=at, outcome="suss_paced", profile=NEW)
    b.expect(at=at, outcome="suss_clocked", profile=OLD)


@add(
    "suss.later.no-sample",
    "Without an RTT sample of its round growth does not continue",
    """From packet 6 on, with the first window of 16 packets, no ACK gives an RTT sample. HyStart's round lacks a sample at packet 29, though the train is short.""",
)
def later_no_sample(b: StreamBuilder) -> None:
    c = sender(b)
    c.begin()
    c.ack_paced(5)
    while c.acked <= 29:
        c.until(c.due_ns[c.acked])
        c.ack(sample=False)
    b.expect(at=b.acked(9), outcome="suss_paced")
    b.expect(at=b.acked(29), outcome="suss_clocked", jumps=1, current_min_rtt_ns=None)

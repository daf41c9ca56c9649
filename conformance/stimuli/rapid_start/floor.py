"""Hand-built stimuli of Rapid Start: the samples for the minimum rtt_floor.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from functools import partial

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.rapid_start.sender import ALL, DRAFT, DRAFTS, FIRST_DRAFT, QUICLY, RTT, SOURCE

CATALOGUE = Catalogue(*ALL, sources=(f"{SOURCE}, section 3.2",))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=10_000)


@add(
    "rapid-start.floor.one-low-sample",
    "One low sample keeps the threefold growth of its round; the next round is decided separately",
    """Packet 10 takes 100 ms, so the floor of its round is 100 ms regardless of the others: 30000 + 2 * 1000 + 2 * 9000 + 2 * 10000 = 70000. The next
    round begins with 110 ms, a queue: 70000 + 5000 = 75000. The third round begins with 100 ms: 75000 + 2 * 5000 = 85000. By quarters
    of 25 ms each round begins without old samples as well. Within the second round the low sample is at most 12 ms old.""",
)
def floor_one_low_sample(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (0, 9))
    b.send(RTT, 20)
    b.ack(2 * RTT, (10, 10))
    b.ack(2 * RTT + 10 * MS, (11, 19))
    b.expect(outcome="rapid_grown", cwnd_bytes=50_000, rtt_floor_ns=RTT)
    b.ack(2 * RTT + 12 * MS, (20, 29))
    b.expect(outcome="rapid_grown", cwnd_bytes=70_000)
    b.send(2 * RTT + 12 * MS, 10)
    b.ack(3 * RTT + 22 * MS, (30, 34))
    b.expect(outcome="grown", cwnd_bytes=75_000, rtt_floor_ns=110 * MS)
    b.send(3 * RTT + 22 * MS, 5)
    b.ack(4 * RTT + 22 * MS, (40, 44))
    b.expect(outcome="rapid_grown", cwnd_bytes=85_000, rtt_floor_ns=RTT)


@add(
    "rapid-start.floor.round-or-time",
    "A low sample of 30 ms ago expires with its round, but not by quarters",
    """Packets 0 to 4 and, sent later, 5 to 9 take 100 ms: 10000 + 4 * 5000 = 30000. 30 ms after the second of these samples an ACK of packet 14 begins a new round
    with 110 ms. By rounds that is a queue: 30000 + 5000 = 35000. Quarters of 25 ms still have the sample of 100 ms: 30000 + 2 * 5000 = 40000. After 110 ms they do not: 40000 + 5000 = 45000, and by
    rounds 35000 + 5000 = 40000.""",
)
def floor_round_or_time(b: StreamBuilder) -> None:
    b.send(0, 5)
    b.send(80 * MS, 5)
    b.ack(RTT, (0, 4))
    b.send(RTT, 10)
    b.ack(180 * MS, (5, 9))
    b.expect(outcome="rapid_grown", cwnd_bytes=30_000)
    b.ack(210 * MS, (10, 14))
    b.expect(outcome="grown", cwnd_bytes=35_000, rtt_floor_ns=110 * MS, profile=DRAFT)
    b.expect(outcome="rapid_grown", cwnd_bytes=40_000, rtt_floor_ns=RTT, profile=(FIRST_DRAFT, QUICLY))
    b.ack(290 * MS, (15, 19))
    b.expect(outcome="grown", cwnd_bytes=40_000, rtt_floor_ns=110 * MS, profile=DRAFT)
    b.expect(outcome="grown", cwnd_bytes=45_000, rtt_floor_ns=110 * MS, profile=(FIRST_DRAFT, QUICLY))


@add(
    "rapid-start.floor.four-slots",
    "Four slots of a quarter of min_rtt: a low sample expires with the fourth move",
    """All packets leave at once, and are acknowledged after 100 ms, and 20 ms, 45 ms, 70 ms and 95 ms later. Slots are 25 ms wide, and the first sample is at the end of a slot: each later ACK moves the slots
    by one. For three ACKs the low sample is among the four, 10000 + 4 * 2000 = 18000 with the first ACK. The last ACK moves it out: 18000 + 1000 = 19000.""",
    profiles=(QUICLY,),
    sources=("h2o/quicly, include/quicly/cc.h",),
)
def floor_four_slots(b: StreamBuilder) -> None:
    b.send(0, 5)
    for packet, at_ns in enumerate((100 * MS, 120 * MS, 145 * MS, 170 * MS, 195 * MS)):
        b.ack(at_ns, (packet, packet))
    b.expect(at=b.acked(0), cwnd_bytes=12_000)
    b.expect(at=b.acked(3), outcome="rapid_grown", cwnd_bytes=18_000, rtt_floor_ns=RTT)
    b.expect(outcome="grown", cwnd_bytes=19_000, rtt_floor_ns=120 * MS)


@add(
    "rapid-start.floor.slot-end",
    "A sample at the end of a slot belongs to the next slot",
    """The slot of the first sample ends a nanosecond after it, when the second sample comes: the second sample is in the next slot. Three moves later, 75 ms after it, it is still among the four. Three ACKs triple
    their bytes: 10000 + 3 * 2000 = 16000.""",
    profiles=(FIRST_DRAFT, QUICLY),
    sources=("h2o/quicly, include/quicly/cc.h",),
)
def floor_slot_end(b: StreamBuilder) -> None:
    b.send(0, 1)
    b.send(1, 2)
    b.ack(RTT, (0, 0))
    b.ack(RTT + 1, (1, 1))
    b.ack(RTT + 75 * MS + 1, (2, 2))
    b.expect(outcome="rapid_grown", cwnd_bytes=16_000, rtt_floor_ns=RTT)


@add(
    "rapid-start.floor.min-falls",
    "With a smaller min_rtt the same RTT counts as a queue",
    """A packet that was sent later takes 90 ms: the floor equals min_rtt, and the ACK triples its bytes. The next round of 100 ms is 10 ms above that,
    more than min(4 ms, 9 ms) = 4 ms: 10000 + 2 * 4000 + 2 * 1000 = 20000, and then 20000 + 5000 = 25000. quicly allows 35 / 32 * 90 = 98.4375 ms, with the same end.""",
    profiles=(*DRAFTS, QUICLY),
)
def floor_min_falls(b: StreamBuilder) -> None:
    b.send(0, 4)
    b.send(20 * MS, 1)
    b.ack(RTT, (0, 3))
    b.ack(110 * MS, (4, 4))
    b.expect(outcome="rapid_grown", cwnd_bytes=20_000, min_rtt_ns=90 * MS, rtt_floor_ns=90 * MS)
    b.send(210 * MS, 5)
    b.ack(310 * MS, (5, 9))
    b.expect(outcome="grown", cwnd_bytes=25_000, min_rtt_ns=90 * MS, rtt_floor_ns=RTT)

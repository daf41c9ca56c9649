"""Hand-built stimuli of SUSS: the end of slow start, by cap, delay, train or loss.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from firstflight_conformance.format.builder import MS, US, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.clocked import constant, steps
from stimuli.suss.sender import BOTH, CUBIC, INPUT, NEW, OLD, sender

CATALOGUE = Catalogue(*BOTH, sources=(CUBIC,))
add = CATALOGUE.add


@add(
    "suss.cap.second-round",
    "A long train sets a cap in round 2, and the next ACK ends slow start",
    """The initial window has 20 packets, the RTT is 30 ms, and ACKs come 2 ms apart. Packet 8 comes 16 ms after the round began, more than (30 + 1) / 2 = 15.5. The window has 28 packets. No round was sped up, so
    the cap is the window, 33600. At packet 9 the window has 29, 34800: the threshold. The window grows by floor(1200 * 1200 / 34800) = 41.""",
    initial_window_bytes=24_000,
)
def cap_second_round(b: StreamBuilder) -> None:
    c = sender(b)
    c.rtt = constant(30 * MS)
    c.begin(2 * MS, 10)
    c.ack_paced(9)
    b.expect(at=b.acked(8), outcome="suss_capped", cwnd_bytes=34_800, cap_bytes=33_600)
    b.expect(at=b.acked(9), outcome="exited_by_cap", cwnd_bytes=34_841, ssthresh_bytes=34_800, suss_mode=3)


@add(
    "suss.cap.small-window",
    "A window below 16 packets breaks the train",
    """With ten packets the first ACK that HyStart checks is packet 6, 12 ms after the round began. In 6.8 that is more than 2 ms after the last ACK of the train. No cap is set, though packet 8 comes after 16 ms. In 5.19
    the round begins with packet 6. Packet 9 is the tail of a train of 20 * 18000 / 18 = 20000, in us, above 30000 / 4 = 7500.""",
)
def cap_small_window(b: StreamBuilder) -> None:
    c = sender(b)
    c.rtt = constant(30 * MS)
    c.begin(2 * MS)
    c.ack_paced(9)
    b.expect(at=b.acked(8), outcome="grown", cap_bytes=None)
    b.expect(at=b.acked(9), outcome="suss_disabled")


@add(
    "suss.cap.after-one",
    "After one sped up round the train counts twice, and the cap is twice as far",
    """From packet 10 on, in round 3, ACKs come 1.9 ms apart. Packet 24 comes 14 * 1.9 = 26.6 ms after packet 10: twice that is more than 50.5, half of 100 and 1 ms. The window has 54 packets, and
    14 blue packets are counted: the cap is (54 + 14) * 1200 = 81600. From there on every ACK grows the window: at packet 39 the window has 69, 82800, which becomes the threshold.""",
    profiles=(NEW,),
)
def cap_after_one(b: StreamBuilder) -> None:
    c = sender(b)
    c.begin()
    c.ack_paced(9)
    c.until(199 * MS)
    for packet in range(10, 30):
        c.due_ns[packet] = 200 * MS + (packet - 10) * 1900 * US
    c.ack_paced(40)
    b.expect(at=b.acked(24), outcome="suss_capped", cwnd_bytes=66_000, cap_bytes=81_600)
    b.expect(at=b.acked(38), outcome="grown", cwnd_bytes=82_800)
    b.expect(at=b.acked(39), outcome="exited_by_cap", ssthresh_bytes=82_800)


@add(
    "suss.cap.exact",
    "Half of (minimum RTT + 1 ms) is allowed without a cap",
    """As in suss.cap.after-one, but ACKs come 1.8 ms apart, and packet 24 25.25 ms after packet 10: twice that is 50.5 ms, not more. Packet 25 comes 27 ms after packet 10, which is more. The window has 55 packets, with 15 counted: the
    cap is (55 + 15) * 1200 = 84000. At packet 41 the window has 71, 85200, which becomes the threshold.""",
    profiles=(NEW,),
)
def cap_exact(b: StreamBuilder) -> None:
    c = sender(b)
    c.begin()
    c.ack_paced(9)
    c.until(199 * MS)
    for packet in range(10, 30):
        c.due_ns[packet] = 200 * MS + (packet - 10) * 1800 * US
    c.due_ns[24] = 225_250 * US
    c.ack_paced(42)
    b.expect(at=b.acked(24), outcome="grown", cap_bytes=None)
    b.expect(at=b.acked(25), outcome="suss_capped", cap_bytes=84_000)
    b.expect(at=b.acked(41), outcome="exited_by_cap", ssthresh_bytes=85_200)


@add(
    "suss.cap.broken",
    "A gap of more than 2 ms ends the train",
    """As in suss.cap.after-one, but packet 20 comes 2.001 ms after packet 19: no cap is set. The predicted train, from 35.2 ms, is longer than the minimum RTT.""",
    profiles=(NEW,),
)
def cap_broken(b: StreamBuilder) -> None:
    c = sender(b)
    c.begin()
    c.ack_paced(9)
    c.until(199 * MS)
    for packet in range(10, 30):
        c.due_ns[packet] = 200 * MS + (packet - 10) * 1900 * US + (101 * US if packet >= 20 else 0)
    c.due_ns[29] = 235_200 * US
    c.ack_paced(29)
    b.expect(outcome="sent", cap_bytes=None)
    b.expect(at=b.acked(29), outcome="suss_clocked", jumps=1)


@add(
    "suss.cap.in-flight",
    "After two sped up rounds slow start ends with the packets in flight",
    """In round 4 ACKs come 0.5 ms apart. Packet 76 comes 13 ms after packet 50: four times that is more than 50.5 ms. The window has 160 + 26 = 186 packets, with 26 counted: the cap is 186 + 26 * 3 = 264. At packet
    155 the window has 265, and 264 stay in flight: window and threshold are 264 * 1200 = 316800, and the window grows by floor(1200 * 1200 / 316800) = 4.""",
    profiles=(NEW,),
)
def cap_in_flight(b: StreamBuilder) -> None:
    c = sender(b)
    c.begin()
    c.ack_paced(49)
    c.until(299 * MS)
    for packet in range(50, len(c.due_ns)):
        c.due_ns[packet] = 300 * MS + (packet - 50) * 500 * US
    c.ack_paced(155)
    b.expect(at=b.acked(76), outcome="suss_capped", cap_bytes=316_800, jumps=2)
    b.expect(at=b.acked(154), outcome="grown", cwnd_bytes=318_000)
    b.expect(at=b.acked(155), outcome="exited_by_cap", cwnd_bytes=316_804, ssthresh_bytes=316_800)


@add(
    "suss.exit.delay",
    "A rise of the delay ends slow start, after one round with the current window",
    """From packet 10 on the RTT is 130 ms, above 100 + 12.5. HyStart compares at the ninth sample of the round that packet 10 begins. At packet 18 the window has 40 + 8 = 48 packets, 57600,
    and grows by 1200 * 1200 / 57600 = 25. In 5.19 the round begins with packet 22, and the ninth sample is packet 30: 40 + 20 = 60 packets, 72000. Packet 30 is the first red packet, but no packet is paced, since the
    condition uses 130 ms. 3 * 130000 = 390000 is above 325000 = 3 * 100000 + 25000. 1200 * 1200 / 72000 = 20.""",
)
def exit_delay(b: StreamBuilder) -> None:
    c = sender(b)
    c.rtt = steps(100 * MS, (10, 130 * MS))
    c.begin()
    c.ack_paced(31)
    b.expect(
        at=b.acked(18), outcome="exited_by_delay", cwnd_bytes=57_625, ssthresh_bytes=57_600, suss_mode=3, profile=NEW
    )
    b.expect(
        at=b.acked(30), outcome="exited_by_delay", cwnd_bytes=72_020, ssthresh_bytes=72_000, suss_mode=3, profile=OLD
    )


@add(
    "suss.exit.delay-in-flight",
    "After two sped up rounds an exit by delay leaves the packets in flight",
    """From packet 50 on the RTT is 130 ms. The ninth sample of round 4 is packet 58. The window has 160 + 8 = 168 packets, and 167 stay in flight: 200400.""",
    profiles=(NEW,),
)
def exit_delay_in_flight(b: StreamBuilder) -> None:
    c = sender(b)
    c.rtt = steps(100 * MS, (50, 130 * MS))
    c.begin()
    c.ack_paced(60)
    b.expect(at=b.acked(57), cwnd_bytes=201_600)
    b.expect(at=b.acked(58), outcome="exited_by_delay", ssthresh_bytes=200_400)


@add(
    "suss.exit.train",
    "If SUSS is disabled, HyStart watches trains",
    """The initial window has 64 packets 0.1 ms apart, the RTT is 10 ms: SUSS is disabled at packet 9. Packet 56 comes 5.6 ms after the first, more than (10 + 1) / 2 = 5.5: the threshold is
    64 + 56 = 120 packets, 144000. No cap is set: packet 10 found SUSS disabled.""",
    initial_window_bytes=76_800,
)
def exit_train(b: StreamBuilder) -> None:
    c = sender(b)
    c.rtt = constant(10 * MS)
    c.begin(100 * US)
    c.ack_paced(57)
    b.expect(at=b.acked(9), outcome="suss_disabled")
    b.expect(at=b.acked(55), outcome="grown")
    b.expect(at=b.acked(56), outcome="exited_by_train", ssthresh_bytes=144_000, cap_bytes=None)


@add(
    "suss.loss.paced",
    "A loss while red packets are paced reduces the packets in flight",
    """At 150 ms nine red packets have left, the first at 129 ms, and 20 + 9 = 29 are in flight. Packet 10 is lost: 28 * 1200 = 33600, and the base halves that: 33600 / 2 = 16800.""",
    sources=(INPUT,),
)
def loss_paced(b: StreamBuilder) -> None:
    c = sender(b)
    c.begin()
    c.ack_paced(9)
    c.until(150 * MS)
    b.expect(suss_mode=2, cwnd_bytes=36_000)
    b.lose(150 * MS, (10, 10))
    b.expect(outcome="reduced", cwnd_bytes=16_800, ssthresh_bytes=16_800, suss_mode=9, next_release_ns=None)


@add(
    "suss.loss.ce",
    "A CE mark during pacing reduces the packets in flight as well",
    """The ACK of packet 9 leaves a window of 24000 and 18 packets in flight, and carries a mark: 18 * 1200 / 2 = 10800.""",
    sources=(INPUT,),
)
def loss_ce(b: StreamBuilder) -> None:
    c = sender(b)
    c.begin()
    c.ack_paced(8)
    c.ack(fill=False)
    b.ce(109 * MS, 9, 9 * MS)
    b.expect(outcome="reduced", cwnd_bytes=10_800, ssthresh_bytes=10_800, suss_mode=9)


@add(
    "suss.loss.stopped",
    "A loss after the end of slow start reduces the window",
    """The delay ended slow start, in 6.8 at packet 18. A loss halves the window w after packet 31 to w / 2, rounded down, though less is in flight.""",
    sources=(INPUT,),
    profiles=(NEW,),
)
def loss_stopped(b: StreamBuilder) -> None:
    c = sender(b)
    c.rtt = steps(100 * MS, (10, 130 * MS))
    c.begin()
    c.ack_paced(18)
    c.ack(fill=False)
    c.ack(fill=False)
    b.expect(outcome="grown_avoidance", cwnd_bytes=57_673)
    b.lose(c.now_ns, (21, 21))
    b.expect(outcome="reduced", cwnd_bytes=28_836, suss_mode=9)


def _collapse(b: StreamBuilder, lost: int, rtt_ns: int = 20 * MS) -> None:
    """Lose packets from 50 on in persistent congestion; then the RTT changes, and ACKs of a round are 1 ms apart."""
    c = sender(b)
    c.begin()
    c.ack_paced(49)
    c.until(299 * MS)
    b.lose(299 * MS, (50, lost))
    b.persistent_congestion(299 * MS)
    b.ack(299 * MS, (lost + 1, 209), sample=False, app_limited=True)
    c.acked = 210
    c.now_ns = 300 * MS
    c.rtt = constant(rtt_ns)
    c.fill(c.now_ns)
    c.ack_until(223)
    for packet in range(224, 240):
        c.due_ns[packet] += (packet - 224) * MS
    c.ack_until(239)


@add(
    "suss.timeout.small",
    "Persistent congestion with less than 40 packets disables SUSS",
    """82 of 160 packets in flight are lost: 78 * 1200 / 2 = 46800 is less than 40 * 1200 = 48000. HyStart watches trains in the following slow start, with a new minimum RTT. Packet 224 begins
    a round, and packet 235 comes 11 ms later, more than (20 + 1) / 2 = 10.5. The window has 16 + 11 = 27 packets, 32400.""",
    sources=(CUBIC, INPUT),
)
def timeout_small(b: StreamBuilder) -> None:
    _collapse(b, 131)
    at = b.acked(132)
    b.expect(at=at - 1, outcome="collapsed", cwnd_bytes=2400, ssthresh_bytes=46_800, suss_mode=10, min_rtt_ns=None)
    b.expect(at=b.acked(235), outcome="exited_by_train", ssthresh_bytes=32_400)


@add(
    "suss.timeout.large",
    "After persistent congestion with 40 packets or more SUSS stays ended, and HyStart does not watch trains",
    """Only four are lost: 156 * 1200 / 2 = 93600 is not less than 40 * 1200 = 48000. The same train does not end slow start.""",
    sources=(CUBIC, INPUT),
    profiles=(NEW,),
)
def timeout_large(b: StreamBuilder) -> None:
    _collapse(b, 53)
    b.expect(at=b.acked(54) - 1, outcome="collapsed", cwnd_bytes=2400, ssthresh_bytes=93_600, suss_mode=9)
    b.expect(at=b.acked(239), outcome="grown", ssthresh_bytes=93_600)


@add(
    "suss.timeout.minimum",
    "Persistent congestion resets the minimum RTT",
    """After persistent congestion the RTT is 150 ms. It is the minimum, and slow start continues at packet 232, the ninth sample of a round: 150 is not above 150 + 16. It is above 100 + 12.5.""",
    sources=(CUBIC,),
    profiles=(NEW,),
)
def timeout_minimum(b: StreamBuilder) -> None:
    _collapse(b, 131, 150 * MS)
    b.expect(at=b.acked(232), outcome="grown", min_rtt_ns=150 * MS, ssthresh_bytes=46_800)

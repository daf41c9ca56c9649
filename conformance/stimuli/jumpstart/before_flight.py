"""Hand-built stimuli of JumpStart: packets that left before the first flight.

`why` derives the expectation. By default packets have 1000 bytes, the RTT is 100 ms and the flight has 20 packets,
one every 5 ms. A frame that reveals a loss gives two events: the loss, then the ACK.
"""

from functools import partial

from firstflight_conformance.format.builder import MS, StreamBuilder
from firstflight_conformance.format.ledger import DataLedger
from generate.catalogue import Catalogue
from stimuli.jumpstart.flight import PFLDNET, RTT, SCHARF, lose_after_flight, lose_and_ack, paced

CATALOGUE = Catalogue(PFLDNET, SCHARF, sources=("Liu et al., PFLDnet 2007", "Scharf, Networking 2009"))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=10_000, flags=("paced",))


def _jump_after_two(b: StreamBuilder, packets: int) -> None:
    """Send two packets, and 20 ms later the first ``packets`` of a flight of twenty, which begins with packet 2."""
    b.data = DataLedger()
    b.send(0, 2)
    b.backlog(20 * MS, 20_000, 100_000, RTT)
    paced(b, packets, of=20, since_ns=20 * MS)


@add(
    "jumpstart.flight.window-shrinks-after-older-packets",
    "The rest of a flight after a smaller receive window is counted without older packets",
    """Two packets left 20 ms before the jump, six packets of the flight follow. The receiver then allows 5000 bytes:
    the flight has 6 + 5 = 11 packets. Packet 6 of the flight is due at 20 + 6 * 5 = 50 ms. The jump ends with its
    eleventh packet, at 70 ms. Counting the two older packets as well gives 8 + 5 = 13.""",
)
def flight_window_shrinks_after_older_packets(b: StreamBuilder) -> None:
    _jump_after_two(b, 6)
    b.backlog(47 * MS, 14_000, 5000)
    b.expect(outcome="jump_changed", sent_packets=6, next_release_ns=1_050_000_000)
    for index in range(6, 11):
        b.send((20 + 5 * index) * MS, 1)
    b.expect(at=12, phase="jump", next_release_ns=1_070_000_000)
    b.expect(outcome="jump_sent", sent_packets=11, next_release_ns=None)


@add(
    "jumpstart.account.packet-before-flight-lost",
    "The loss of the last packet before the flight is not accounted for in R",
    """Two packets left 20 ms before the jump. The second, packet 1, is lost when 16 packets of the flight have left:
    the window halves to 20000 / 2 = 10000. In scharf-2009 the 18 packets in flight are halved: 18000 / 2 = 9000. The
    flight begins with packet 2 and arrives. The ACK of the repair ends recovery and adds 1000 * 1000 / 10000 = 100,
    or floor(1000 * 1000 / 9000) = 111. A flight that includes packet 1 gives floor((16 - 1) / 2) = 7 packets.""",
)
def account_packet_before_flight_lost(b: StreamBuilder) -> None:
    _jump_after_two(b, 16)
    lose_and_ack(b, 100 * MS, (1, 1), (0, 0), (2, 4))
    b.expect(profile=PFLDNET, outcome="in_recovery", cwnd_bytes=10_000)
    b.expect(profile=SCHARF, outcome="in_recovery", cwnd_bytes=9000)
    b.ack(165 * MS, (5, 17))
    b.send(165 * MS, 1, repeats=((1, 1),))
    b.ack(235 * MS, (18, 18))
    b.expect(repeated_packets=0, outcome="grown_avoidance")
    b.expect(profile=PFLDNET, cwnd_bytes=10_100, ssthresh_bytes=10_000)
    b.expect(profile=SCHARF, cwnd_bytes=9111, ssthresh_bytes=9000)


@add(
    "jumpstart.flight.next-packet-in-same-batch",
    "The packet after the flight leaves together with its last packet, and is lost",
    """Two packets left 20 ms before the jump, and the flight is packets 2 to 21. The ACK of the two older packets does
    not end the jump: 20000 + 2 * 1000 = 22000. More data is written, which does not change the flight. The sender
    sends packets 21 and 22 together. Packet 22 is after the flight. The flight arrives: 22000 + 20 * 1000 = 42000, and
    ten more packets leave. Their ACK shows the loss of packet 22: 42000 / 2 = 21000. The ACK of the repair grows the
    window: 21000 + floor(1000 * 1000 / 21000) = 21047. A flight that includes packet 22 gives floor((20 - 1) / 2) = 9
    packets.""",
    profiles=(PFLDNET,),
    flags=("paced", "same-time-order"),
)
def flight_next_packet_in_same_batch(b: StreamBuilder) -> None:
    _jump_after_two(b, 17)
    b.ack(101 * MS, (0, 1))
    b.expect(phase="jump", cwnd_bytes=22_000)
    b.backlog(103 * MS, 5000, 100_000)
    b.expect(outcome="jump_kept", planned_packets=20)
    b.send(105 * MS, 1)
    b.send(110 * MS, 1)
    b.send(115 * MS, 2)
    b.expect(outcome="jump_sent", sent_packets=20)
    b.ack(216 * MS, (2, 21))
    b.expect(cwnd_bytes=42_000)
    b.send(216 * MS, 10)
    lose_and_ack(b, 316 * MS, (22, 22), (23, 32))
    b.expect(outcome="in_recovery", cwnd_bytes=21_000)
    b.send(317 * MS, 1, repeats=((22, 22),))
    b.ack(417 * MS, (33, 33))
    b.expect(outcome="grown_avoidance", repeated_packets=0, cwnd_bytes=21_047, ssthresh_bytes=21_000)


@add(
    "jumpstart.ecn.mark-on-flight-in-recovery",
    "A CE mark on the flight in a recovery that an older packet began",
    """Three packets left 20 ms before the jump. The ACKs of the first two grow the window: 20000 + 2 * 1000 = 22000.
    The flight is packets 3 to 22, and all 20 leave. Packet 2 arrives marked: 22000 / 2 = 11000. In scharf-2009 the 21
    packets in flight are halved: 21000 / 2 = 10500. Packet 3, the first of the flight, arrives marked in this
    recovery, without another reduction. All packets arrive. The recovery is accounted for: (20 - 0) / 2 = 10 packets.
    Without the second mark the window stays 11000 or 10500.""",
    flags=("paced", "same-time-order"),
)
def ecn_mark_on_flight_in_recovery(b: StreamBuilder) -> None:
    b.data = DataLedger()
    b.send(0, 3)
    b.backlog(20 * MS, 20_000, 100_000, RTT)
    paced(b, 17, of=20, since_ns=20 * MS)
    b.ack(101 * MS, (0, 0))
    b.ack(102 * MS, (1, 1))
    b.expect(phase="jump", cwnd_bytes=22_000)
    for index in range(17, 20):
        b.send((20 + 5 * index) * MS, 1)
    b.expect(outcome="jump_sent", sent_packets=20)
    b.ce(118 * MS, 2, 0)
    b.expect(profile=PFLDNET, outcome="reduced", cwnd_bytes=11_000, ssthresh_bytes=11_000)
    b.expect(profile=SCHARF, outcome="reduced", cwnd_bytes=10_500, ssthresh_bytes=10_500)
    b.ack(118 * MS, (2, 2))
    b.ce(120 * MS, 3, 20 * MS)
    b.expect(profile=PFLDNET, outcome="already_reduced", cwnd_bytes=11_000)
    b.expect(profile=SCHARF, outcome="already_reduced", cwnd_bytes=10_500)
    b.ack(120 * MS, (3, 3))
    b.ack(215 * MS, (4, 22))
    b.expect(outcome="jump_accounted", repeated_packets=0, cwnd_bytes=10_000, ssthresh_bytes=10_000)


@add(
    "jumpstart.ecn.mark-in-recovery-of-later-loss",
    "A CE mark after the flight in a recovery that a later loss began",
    """The ACK of two packets comes before the jump, and the flight is packets 2 to 21. All of it arrives, and 20 ACKs
    grow the window from 20000 to 20000 + 20 * 1000 = 40000. The next 40 packets are 22 to 61. The loss of packet 22
    halves the window: 40000 / 2 = 20000. The next frame acknowledges packets 30 to 61 and reports a mark, without
    another reduction. The ACK of the repair ends recovery. Neither signal belongs to the flight, so this ACK grows the window:
    20000 + floor(1000 * 1000 / 20000) = 20050. Accounting for the flight gives (20 - 0) / 2 = 10 packets.""",
    flags=("paced", "same-time-order"),
)
def ecn_mark_in_recovery_of_later_loss(b: StreamBuilder) -> None:
    lose_after_flight(b)
    b.ce(4 * RTT + MS, 61, 3 * RTT)
    b.expect(outcome="already_reduced", cwnd_bytes=20_000)
    b.ack(4 * RTT + MS, (30, 61))
    b.send(4 * RTT + 2 * MS, 1, repeats=((22, 22),))
    b.ack(5 * RTT + 2 * MS, (62, 62))
    b.expect(outcome="grown_avoidance", repeated_packets=0, cwnd_bytes=20_050, ssthresh_bytes=20_000)

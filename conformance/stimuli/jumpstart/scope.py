"""Hand-built stimuli of JumpStart: the recovery that is accounted for.

`why` derives the expectation. By default packets have 1000 bytes, the RTT is 100 ms and the flight has 20 packets,
one every 5 ms. A frame that reveals a loss gives two events: the loss, then the ACK.
"""

from functools import partial

from firstflight_conformance.format.builder import MS, StreamBuilder
from firstflight_conformance.format.ledger import DataLedger
from generate.catalogue import Catalogue
from stimuli.jumpstart.flight import GAP, PFLDNET, RTT, SCHARF, jump, lose_after_flight, lose_and_ack, paced, ready

CATALOGUE = Catalogue(PFLDNET, SCHARF, sources=("Liu et al., PFLDnet 2007", "Scharf, Networking 2009"))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=10_000, flags=("paced",))


@add(
    "jumpstart.account.later-loss",
    "A loss after the first flight is a normal loss",
    """All 20 packets arrive, and the window grows by each. The first packet after the flight is lost: the bytes
    in flight, a full window, are halved. At the end of recovery the window is not replaced: the ACK that ends it grows 20000 by 1000 * 1000 / 20000 = 50, as in congestion avoidance. Counting ACKs the window is 40000 here, too.""",
)
def account_later_loss(b: StreamBuilder) -> None:
    jump(b)
    for packet in range(20):
        b.ack(RTT + packet * GAP, (packet, packet))
    b.send(200 * MS, 40)
    lose_and_ack(b, 300 * MS, (20, 20), (21, 59))
    b.send(301 * MS, 1, repeats=((20, 20),))
    b.ack(401 * MS, (60, 60))
    b.expect(cwnd_bytes=20_050)


@add(
    "jumpstart.account.new-data-lost-too",
    "Repairs of later data do not count",
    """Ten packets are acknowledged, 20 new packets follow, and 30 are in flight, a full window. Packet 12 of the flight and the
    later packets 25 and 26 are lost: 15 packets at detection. R counts only the repair of the flight: floor((20 - 1) / 2) = 9.
    Counting all three gives 8.""",
)
def account_new_data_lost_too(b: StreamBuilder) -> None:
    jump(b)
    for packet in range(10):
        b.ack(RTT + packet * GAP, (packet, packet))
    b.send(146 * MS, 20)
    b.lose(250 * MS, (12, 12), (25, 26))
    b.ack(250 * MS, (10, 11), (13, 24), (27, 39))
    b.expect(cwnd_bytes=15_000)
    b.send(250 * MS, 3, repeats=((12, 12), (25, 26)))
    b.ack(350 * MS, (40, 42))
    b.expect(repeated_packets=1, cwnd_bytes=9000)


@add(
    "jumpstart.account.once",
    "The rule applies once",
    """After the recovery that repaired packet 0 the window is 9000. Nine more packets leave, and one is lost: 9000 in
    flight, a full window, halve to 4500. Its repair arrives, recovery ends without a second application of the rule, and the ACK grows the window by 1000 * 1000 / 4500 = 222.""",
)
def account_once(b: StreamBuilder) -> None:
    jump(b)
    lose_and_ack(b, 110 * MS, (0, 0), (1, 19))
    b.send(110 * MS, 1, repeats=((0, 0),))
    b.ack(210 * MS, (20, 20))
    b.expect(cwnd_bytes=9000)
    b.send(211 * MS, 9)
    lose_and_ack(b, 311 * MS, (21, 21), (22, 29))
    b.expect(cwnd_bytes=4500)
    b.send(312 * MS, 1, repeats=((21, 21),))
    b.ack(412 * MS, (30, 30))
    b.expect(cwnd_bytes=4722)


@add(
    "jumpstart.account.second-flight",
    "A second flight has its own D and R",
    """Two packets of the first flight are lost, R = 2: (20 - 2) / 2 = 9 packets. After an idle period the next flight
    of 20 begins with packet 22; its first packet is lost, and R = 1: floor((20 - 1) / 2) = 9. An R that continues from
    2 gives (20 - 3) / 2 = 8.""",
    profiles=(SCHARF,),
)
def account_second_flight(b: StreamBuilder) -> None:
    jump(b)
    lose_and_ack(b, 110 * MS, (0, 1), (2, 19))
    b.send(110 * MS, 2, repeats=((0, 1),))
    b.ack(210 * MS, (20, 21))
    b.idle_restart(5000 * MS)
    b.backlog(5000 * MS, 20_000)
    paced(b, 20, since_ns=5000 * MS)
    lose_and_ack(b, 5110 * MS, (22, 22), (23, 41))
    b.send(5110 * MS, 1, repeats=((22, 22),))
    b.ack(5210 * MS, (42, 42))
    b.expect(repeated_packets=1, cwnd_bytes=9000)


@add(
    "jumpstart.account.part-of-recovery",
    "Recovery lasts until all packets sent before it have arrived",
    """Packets 0 to 3 are lost, their repairs arrive one by one. Only the last ends recovery: the window stays 10000
    until then, and becomes (20 - 4) / 2 = 8 packets. RFC 9002 would end it with the first repair.""",
)
def account_part_of_recovery(b: StreamBuilder) -> None:
    jump(b)
    lose_and_ack(b, 110 * MS, (0, 3), (4, 19))
    b.send(110 * MS, 4, repeats=((0, 3),))
    for packet in range(20, 24):
        b.ack(210 * MS + (packet - 20) * MS, (packet, packet))
    b.expect(at=25, cwnd_bytes=10_000)
    b.expect(outcome="jump_accounted", repeated_packets=4, cwnd_bytes=8000)


@add(
    "jumpstart.account.recovery-of-older-loss",
    "A loss of the flight in a recovery that an older loss began",
    """Two packets left 20 ms before the jump. When the loss of the first shows, 16 packets of the flight have left, and
    the window of 20000 halves: 20000 / 2 = 10000. Packet 2, the first of the flight, is lost in that recovery. Both are
    repaired; R counts the repair of packet 2: floor((16 - 1) / 2) = 7. Looking only at the loss that begins
    recovery leaves 10000. (In scharf-2009 18 packets in flight are halved: 9.)""",
)
def account_recovery_of_older_loss(b: StreamBuilder) -> None:
    b.data = DataLedger()
    b.send(0, 2)
    b.backlog(20 * MS, 20_000, 100_000, RTT)
    paced(b, 16, of=20, since_ns=20 * MS)
    lose_and_ack(b, 100 * MS, (0, 0), (1, 1))
    b.expect(profile="pfldnet-2007", outcome="in_recovery", cwnd_bytes=10_000)
    lose_and_ack(b, 125 * MS, (2, 2), (3, 17))
    b.send(125 * MS, 2, repeats=((0, 0), (2, 2)))
    b.ack(225 * MS, (18, 19))
    b.expect(profile="pfldnet-2007", outcome="jump_accounted", cwnd_bytes=7000, repeated_packets=1)


@add(
    "jumpstart.account.new-data-in-recovery",
    "New data acknowledged in recovery does not end it",
    """Packet 0 is lost. Its repair (packet 20) and new data (21 to 29) follow, and the repair is lost again. The ACK of
    21 to 29 leaves packet 0 open, so recovery continues. R = 2: (20 - 2) / 2 = 9.""",
)
def account_new_data_in_recovery(b: StreamBuilder) -> None:
    jump(b)
    lose_and_ack(b, 110 * MS, (0, 0), (1, 19))
    b.send(110 * MS, 10, repeats=((0, 0),))
    lose_and_ack(b, 210 * MS, (20, 20), (21, 29))
    b.send(210 * MS, 1, repeats=((0, 0),))
    b.ack(310 * MS, (30, 30))
    b.expect(repeated_packets=2, cwnd_bytes=9000)


@add(
    "jumpstart.account.repair-of-older-data",
    "Repairs of older data and of the flight in one event",
    """Two packets of 100 bytes left 20 ms before the jump. 20 packets of the flight follow, the last with 800 bytes, so
    that 20000 bytes are in flight. Packets 0 to 3 are lost: 20000 / 2 = 10000. Four repairs carry their data, two of
    them data of the flight: (20 - 2) / 2 = 9 packets. All four as R give (20 - 4) / 2 = 8.""",
    profiles=(PFLDNET,),
)
def account_repair_of_older_data(b: StreamBuilder) -> None:
    b.data = DataLedger()
    b.send(0, 2, 100)
    b.backlog(20 * MS, 19_800, 100_000, RTT)
    paced(b, 19, of=20, since_ns=20 * MS)
    b.send(115 * MS, 1, 800)
    lose_and_ack(b, 215 * MS, (0, 3), (4, 21))
    b.expect(cwnd_bytes=10_000)
    b.send(215 * MS, 4, repeats=((0, 3),))
    b.ack(315 * MS, (22, 25))
    b.expect(repeated_packets=2, cwnd_bytes=9000)


@add(
    "jumpstart.account.two-later-losses",
    "A second loss after the flight, in the same recovery, is a normal loss as well",
    """The ACK of two packets comes before the jump, and the flight is packets 2 to 21. All of it arrives, and 20 ACKs
    grow the window from 20000 to 20000 + 20 * 1000 = 40000. The next 40 packets are 22 to 61. The loss of packet 22
    halves the window: 40000 / 2 = 20000. The next frame shows the loss of packet 30, without another reduction. Both
    repairs arrive in one ACK and end recovery. Packets 22 and 30 are after the flight, so the ACK grows the window:
    20000 + floor(1000 * 1000 / 20000) = 20050, then 20050 + floor(1000 * 1000 / 20050) = 20099. Accounting for the
    flight gives (20 - 0) / 2 = 10 packets.""",
)
def account_two_later_losses(b: StreamBuilder) -> None:
    lose_after_flight(b)
    b.lose(4 * RTT + MS, (30, 30))
    b.expect(outcome="already_reduced", cwnd_bytes=20_000)
    b.ack(4 * RTT + MS, (31, 61))
    b.send(4 * RTT + 2 * MS, 2, repeats=((22, 22), (30, 30)))
    b.ack(5 * RTT + 2 * MS, (62, 63))
    b.expect(outcome="grown_avoidance", repeated_packets=0, cwnd_bytes=20_099, ssthresh_bytes=20_000)


@add(
    "jumpstart.account.three-hundred-packets",
    "Recovery of a flight of 300 packets, with two losses",
    """D = 300. Packet 0 is lost: 300000 / 2 = 150000. Packet 100 is lost in that recovery. The first repair arrives,
    and packet 100 is still missing. It is older than packet 300, the next packet when recovery began, so recovery continues
    with 150000. The second repair ends recovery: (300 - 2) / 2 = 149 packets. A sender that stores packet numbers
    in 8 bits has 300 - 256 = 44 in place of 300, and ends recovery with the first repair.""",
    profiles=(PFLDNET,),
    flags=("paced", "same-time-order"),
)
def account_three_hundred_packets(b: StreamBuilder) -> None:
    ready(b, 300_000, 400_000)
    for batch in range(15):
        b.send((20 * batch + 19) * RTT // 300, 20)
    lose_and_ack(b, 107 * MS, (0, 0), (1, 19))
    b.expect(outcome="in_recovery", cwnd_bytes=150_000, ssthresh_bytes=150_000)
    b.ack(134 * MS, (20, 99))
    lose_and_ack(b, 140 * MS, (100, 100), (101, 119))
    b.ack(200 * MS, (120, 299))
    b.send(200 * MS, 2, repeats=((0, 0), (100, 100)))
    b.ack(300 * MS, (300, 300))
    b.expect(outcome="in_recovery", cwnd_bytes=150_000)
    b.ack(301 * MS, (301, 301))
    b.expect(outcome="jump_accounted", repeated_packets=2, cwnd_bytes=149_000, ssthresh_bytes=149_000)

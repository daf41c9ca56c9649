"""Hand-built stimuli of JumpStart: reductions, timeouts and CE marks.

`why` derives the expectation. By default packets have 1000 bytes, the RTT is 100 ms and the flight has 20 packets,
one every 5 ms. A frame that reveals a loss gives two events: the loss, then the ACK.
"""

from functools import partial

from firstflight_conformance.format.builder import MS, StreamBuilder
from firstflight_conformance.format.ledger import DataLedger
from generate.catalogue import Catalogue
from stimuli.jumpstart.flight import (
    GAP,
    PFLDNET,
    RTT,
    SCHARF,
    jump,
    lose_and_ack,
    paced,
    ready,
)

CATALOGUE = Catalogue(PFLDNET, SCHARF, sources=("Liu et al., PFLDnet 2007", "Scharf, Networking 2009"))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=10_000, flags=("paced",))


@add(
    "jumpstart.loss.least-window",
    "The reduction stops at two packets",
    """D = 3, and one packet is lost: half of 3000 is 3000 / 2 = 1500, and the window is two packets, 2000. At the end (3 - 1) / 2 = 1
    packet.""",
)
def loss_least_window(b: StreamBuilder) -> None:
    ready(b, 3000)
    paced(b, 3)
    lose_and_ack(b, 110 * MS, (0, 0), (1, 2))
    b.send(110 * MS, 1, repeats=((0, 0),))
    b.expect(cwnd_bytes=2000)
    b.ack(210 * MS, (3, 3))
    b.expect(repeated_packets=1, cwnd_bytes=1000, ssthresh_bytes=2000)


@add(
    "jumpstart.timeout.before-any-ack",
    "A timeout before any ACK",
    """All 20 packets are declared lost: 20 in flight, a full window, halve to 10 packets, the threshold too. The
    timeout leaves one packet and ends recovery. Slow start repairs all packets. The rule (D - R) / 2 does not apply later: the windows are 2000, then 4000 (counting ACKs 3000).""",
)
def timeout_before_any_ack(b: StreamBuilder) -> None:
    jump(b)
    b.lose(1100 * MS, (0, 19))
    b.expect(cwnd_bytes=10_000, ssthresh_bytes=10_000)
    b.persistent_congestion(1100 * MS)
    b.expect(cwnd_bytes=1000, ssthresh_bytes=10_000)
    b.send(1100 * MS, 1, repeats=((0, 0),))
    b.ack(1200 * MS, (20, 20))
    b.expect(cwnd_bytes=2000)
    b.send(1200 * MS, 2, repeats=((1, 2),))
    b.ack(1300 * MS, (21, 22))
    b.expect(profile=PFLDNET, cwnd_bytes=4000)
    b.expect(profile=SCHARF, cwnd_bytes=3000)


@add(
    "jumpstart.timeout.in-recovery",
    "A timeout in recovery discards R",
    """Four packets and their repairs are lost, and a timeout follows: one packet, threshold 10000 as at detection. The repairs
    are sent again and arrive: slow start from 1000. The rule would set at most (20 - 8) / 2 = 6 packets, 6000.""",
)
def timeout_in_recovery(b: StreamBuilder) -> None:
    jump(b)
    lose_and_ack(b, 110 * MS, (0, 3), (4, 19))
    b.send(110 * MS, 4, repeats=((0, 3),))
    b.lose(1100 * MS, (20, 23))
    b.persistent_congestion(1100 * MS)
    b.expect(cwnd_bytes=1000, ssthresh_bytes=10_000)
    b.send(1100 * MS, 1, repeats=((0, 0),))
    b.ack(1200 * MS, (24, 24))
    b.expect(cwnd_bytes=2000)
    b.send(1200 * MS, 2, repeats=((1, 2),))
    b.ack(1300 * MS, (25, 26))
    b.send(1300 * MS, 1, repeats=((3, 3),))
    b.ack(1400 * MS, (27, 27))


@add(
    "jumpstart.timeout.then-flight-lost",
    "A loss of the flight in a recovery that follows a timeout",
    """Four packets, a window of 4000. Packets 0 to 2 are declared lost: 2000. A timeout follows: one packet, 1000, which packet 3 fills. Then packet
    3 is declared lost, too: a second recovery, max(1000 / 2, 2000) = 2000. All four are repaired in it. A recovery after a timeout is
    not accounted for: the last ACK grows the window by 1000 * 1000 / 2000 = 500. (4 - 4) / 2 = 0 would leave one packet.""",
)
def timeout_then_flight_lost(b: StreamBuilder) -> None:
    jump(b, 4)
    b.lose(1100 * MS, (0, 2))
    b.expect(cwnd_bytes=2000, ssthresh_bytes=2000)
    b.persistent_congestion(1100 * MS)
    b.expect(cwnd_bytes=1000, ssthresh_bytes=2000)
    b.lose(1200 * MS, (3, 3))
    b.expect(cwnd_bytes=2000, ssthresh_bytes=2000)
    b.send(1200 * MS, 2, repeats=((0, 1),))
    b.ack(1300 * MS, (4, 5))
    b.expect(outcome="in_recovery", cwnd_bytes=2000)
    for packet in (2, 3):
        b.send((1100 + packet * 100) * MS, 1, repeats=((packet, packet),))
        b.ack((1200 + packet * 100) * MS, (4 + packet, 4 + packet))
    b.expect(repeated_packets=4, cwnd_bytes=2500, ssthresh_bytes=2000)


@add(
    "jumpstart.ecn.on-flight",
    "A CE mark on the first flight",
    """Packet 5 arrives marked, without a loss. 20 packets in flight, a full window, halve to 10. R = 0, and (20 - 0) / 2 =
    10 at the end leaves the same window. Taking R = D leaves one packet.""",
)
def ecn_on_flight(b: StreamBuilder) -> None:
    jump(b)
    b.ce(130 * MS, 5, 25 * MS)
    b.expect(cwnd_bytes=10_000)
    b.ack(130 * MS, (0, 5))
    b.ack(195 * MS, (6, 19))
    b.expect(repeated_packets=0, cwnd_bytes=10_000)


@add(
    "jumpstart.ecn.more-in-flight",
    "A CE mark on the first flight with later data in flight",
    """Ten packets are acknowledged, 20 new packets follow, and 30 are in flight, a full window. Then packet 12 arrives marked:
    15 packets at once. When all packets sent before the mark have arrived, (20 - 0) / 2 = 10. The halving alone leaves 15.""",
)
def ecn_more_in_flight(b: StreamBuilder) -> None:
    jump(b)
    for packet in range(10):
        b.ack(RTT + packet * GAP, (packet, packet))
    b.send(146 * MS, 20)
    b.ce(160 * MS, 12, 60 * MS)
    b.expect(cwnd_bytes=15_000)
    b.ack(160 * MS, (10, 12))
    b.ack(195 * MS, (13, 19))
    b.ack(246 * MS, (20, 39))
    b.expect(repeated_packets=0, cwnd_bytes=10_000)


@add(
    "jumpstart.ecn.before-flight",
    "A CE mark on a packet before the flight",
    """Two packets left 20 ms before the jump, and packet 1 arrives marked when 16 packets of the flight have left. The
    window halves: 20000 / 2 = 10000; in scharf-2009 the 18 packets in flight do: 18000 / 2 = 9000. All packets arrive.
    The mark was not on the flight, so the window stays: (16 - 0) / 2 = 8 packets would be the flight's. After the
    recovery nine packets leave, and the first of them arrives marked: half again, 10000 / 2 = 5000 or 9000 / 2 =
    4500.""",
)
def ecn_before_flight(b: StreamBuilder) -> None:
    b.data = DataLedger()
    b.send(0, 2)
    b.backlog(20 * MS, 20_000, 100_000, RTT)
    paced(b, 16, of=20, since_ns=20 * MS)
    b.ce(100 * MS, 1, 0)
    b.ack(100 * MS, (0, 1))
    b.ack(195 * MS, (2, 17))
    b.expect(profile=PFLDNET, cwnd_bytes=10_000)
    b.expect(profile=SCHARF, cwnd_bytes=9000)
    b.send(196 * MS, 9)
    b.ce(296 * MS, 18, 196 * MS)
    b.expect(profile=PFLDNET, cwnd_bytes=5000)
    b.expect(profile=SCHARF, cwnd_bytes=4500)


@add(
    "jumpstart.timeout.before-jump",
    "A timeout before the jump leaves one packet",
    """Two packets are acknowledged, and ten more are all lost. pfldnet-2007 halves its window of 10000 + 2 * 1000 =
    12000: 12000 / 2 = 6000. scharf-2009 halves the bytes in flight: 10000 / 2 = 5000. The timeout leaves one packet,
    1000, the maximum datagram size, also before any jump. The repair of packet 2 arrives: 1000 + 1000 = 2000.""",
)
def timeout_before_jump(b: StreamBuilder) -> None:
    b.data = DataLedger()
    b.send(0, 2)
    b.ack(RTT, (0, 1))
    b.send(RTT, 10)
    b.lose(1100 * MS, (2, 11))
    b.expect(profile=PFLDNET, cwnd_bytes=6000)
    b.expect(profile=SCHARF, cwnd_bytes=5000)
    b.persistent_congestion(1100 * MS)
    b.expect(outcome="collapsed", cwnd_bytes=1000)
    b.send(1100 * MS, 1, repeats=((2, 2),))
    b.ack(1200 * MS, (12, 12))
    b.expect(cwnd_bytes=2000)


@add(
    "jumpstart.ecn.after-flight",
    "A CE mark on a packet after the flight halves the window",
    """The flight is packets 0 to 19. All of it arrives, and 20 ACKs grow the window to 20000 + 20 * 1000 = 40000. The
    next 40 packets fill the window, and packet 20, the first of them, arrives marked: 40000 / 2 = 20000. Its ACK
    leaves 20000, as the recovery lasts.""",
)
def ecn_after_flight(b: StreamBuilder) -> None:
    jump(b)
    for packet in range(20):
        b.ack(RTT + packet * GAP, (packet, packet))
    b.expect(cwnd_bytes=40_000)
    b.send(200 * MS, 40)
    b.ce(300 * MS, 20, 200 * MS)
    b.expect(outcome="reduced", cwnd_bytes=20_000, ssthresh_bytes=20_000)
    b.ack(300 * MS, (20, 20))
    b.expect(outcome="in_recovery", repeated_packets=0, cwnd_bytes=20_000)


@add(
    "jumpstart.ecn.twice",
    "Two CE marks in one round reduce once",
    """Packet 5 arrives marked: 20 packets in flight, a full window, halve to 10. The next frame acknowledges packets
    6 to 9 and reports another mark, on packet 9. Packet 9 was sent before the recovery: the window stays 10000.
    All packets arrive, R = 0, and (20 - 0) / 2 = 10. A second half is 10000 / 2 = 5000.""",
)
def ecn_twice(b: StreamBuilder) -> None:
    jump(b)
    b.ce(130 * MS, 5, 25 * MS)
    b.expect(outcome="reduced", cwnd_bytes=10_000)
    b.ack(130 * MS, (0, 5))
    b.ce(150 * MS, 9, 45 * MS)
    b.expect(outcome="already_reduced", cwnd_bytes=10_000)
    b.ack(150 * MS, (6, 9))
    b.ack(195 * MS, (10, 19))
    b.expect(outcome="jump_accounted", repeated_packets=0, cwnd_bytes=10_000)


@add(
    "jumpstart.timeout.in-jump",
    "Persistent congestion in the jump ends it",
    """Packet 2 is lost, and so is its first probe, packet 3. Two more probes, packets 4 and 5, leave at 1100 ms, and
    the ACK of packet 5 shows both losses. pfldnet-2007 halves 10000 + 2000 = 12000 to 12000 / 2 = 6000. In
    scharf-2009 4 packets are in flight, and half of them is the minimum window, 2000. All data has arrived, so that
    recovery ends, and a jump of 20 packets begins: 20000. Packet 4 is declared lost after 9/8 of the RTT. It was sent
    before the recovery, so the jump continues. Now the lost packets span 1100 ms - 110 ms = 990 ms. Three probe
    timeouts are 3 * (100 ms + 4 * 37.5 ms + 25 ms) = 825 ms. The event is persistent congestion: one packet,
    1000, remains, and pacing stops. The ACK of packets 6 and 7 grows the window by 2000 to 3000. scharf-2009 counts ACKs:
    1000 + 1000 = 2000.""",
)
def timeout_in_jump(b: StreamBuilder) -> None:
    b.data = DataLedger()
    b.send(0, 2)
    b.ack(RTT, (0, 1))
    b.send(110 * MS, 1)
    b.pto(440 * MS)
    b.send(440 * MS, 1, repeats=((2, 2),))
    b.pto(1100 * MS)
    b.send(1100 * MS, 1, repeats=((2, 2),))
    b.send(1100 * MS, 1, repeats=((2, 2),))
    lose_and_ack(b, 1200 * MS, (2, 3), (5, 5))
    b.expect(profile=PFLDNET, phase="congestion_avoidance", cwnd_bytes=6000)
    b.expect(profile=SCHARF, phase="congestion_avoidance", cwnd_bytes=2000)
    b.backlog(1205 * MS, 20_000, 100_000, RTT)
    paced(b, 2, of=20, since_ns=1205 * MS)
    b.lose(1213 * MS, (4, 4))
    b.expect(outcome="already_reduced", phase="jump", cwnd_bytes=20_000, next_release_ns=2_215_000_000)
    b.persistent_congestion(1213 * MS)
    b.expect(outcome="collapsed", phase="slow_start", cwnd_bytes=1000, next_release_ns=None)
    b.ack(1310 * MS, (6, 7))
    b.expect(profile=PFLDNET, outcome="grown", cwnd_bytes=3000)
    b.expect(profile=SCHARF, outcome="grown", cwnd_bytes=2000)

"""Hand-built stimuli of JumpStart: loss in the first flight, the count R, and the window at the end of recovery.

`why` derives the expectation. By default packets have 1000 bytes, the RTT is 100 ms and the flight has 20 packets,
one every 5 ms. A frame that reveals a loss gives two events: the loss, then the ACK.
"""

from functools import partial

from firstflight_conformance.format.builder import MS, StreamBuilder
from firstflight_conformance.format.ledger import DataLedger
from generate.catalogue import Catalogue
from stimuli.jumpstart.flight import (
    FOOTNOTE,
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
    "jumpstart.account.one-loss",
    "One of twenty lost: 10 packets at detection, 9 at the end",
    """20 packets are in flight when the loss of packet 0 shows, a full window: half is 10. Its one repair makes R = 1:
    floor((20 - 1) / 2) = 9. D / 2 gives 10, and so does rounding up.""",
)
def account_one_loss(b: StreamBuilder) -> None:
    jump(b)
    lose_and_ack(b, 110 * MS, (0, 0), (1, 19))
    b.expect(at=21, cwnd_bytes=10_000, ssthresh_bytes=10_000)
    b.send(110 * MS, 1, repeats=((0, 0),))
    b.ack(210 * MS, (20, 20))
    b.expect(outcome="jump_accounted", repeated_packets=1, cwnd_bytes=9000, ssthresh_bytes=9000)


@add(
    "jumpstart.account.one-loss-ack-first",
    "One of twenty lost, with the ACK of the frame processed before the loss",
    """The ACK of 19 packets comes first and grows the window to 20000 + 19 * 1000 = 39000. Then the loss shows:
    39000 / 2 = 19500, and at the end floor((20 - 1) / 2) = 9 packets, as with the loss first. scharf-2009 counts ACKs: the window is 20000 + 1000 = 21000. It halves the 1 packet in flight, less than the minimum window of two packets, 2000. The 9 packets do not raise that.""",
    flags=("paced", "same-time-order"),
)
def account_one_loss_ack_first(b: StreamBuilder) -> None:
    jump(b)
    b.ack(110 * MS, (1, 19))
    b.expect(profile=PFLDNET, cwnd_bytes=39_000)
    b.expect(profile=SCHARF, cwnd_bytes=21_000)
    b.lose(110 * MS, (0, 0))
    b.expect(profile=PFLDNET, cwnd_bytes=19_500)
    b.expect(profile=SCHARF, cwnd_bytes=2000)
    b.send(110 * MS, 1, repeats=((0, 0),))
    b.ack(210 * MS, (20, 20))
    b.expect(profile=PFLDNET, cwnd_bytes=9000)
    b.expect(profile=SCHARF, cwnd_bytes=2000)


@add(
    "jumpstart.account.half-lost",
    "Half of a hundred packets lost",
    """D = 100, packets 0 to 49 lost: 50 packets at detection. 50 repairs: (100 - 50) / 2 = 25 at the end. D / 2 - R
    gives 0, leaving the rule out 50. For scharf-2009 the cap of 64 KiB holds ceil(64 * 1024 / 1000) = 66 packets; a
    stream of 100 does not fit it.""",
    profiles=(PFLDNET,),
)
def account_half_lost(b: StreamBuilder) -> None:
    jump(b, 100)
    lose_and_ack(b, 200 * MS, (0, 49), (50, 99))
    b.expect(at=101, cwnd_bytes=50_000)
    b.send(200 * MS, 50, repeats=((0, 49),))
    b.ack(300 * MS, (100, 149))
    b.expect(repeated_packets=50, cwnd_bytes=25_000)


@add(
    "jumpstart.account.large-flight",
    "A flight of 300 packets",
    """Packets leave in ten groups of 300 / 10 = 30, each once all its packets may leave. Packet 0 is lost: 300000 / 2 =
    150000. Its repair waits for the window, and arrives: floor((300 - 1) / 2) = 149 packets. A one-byte counter or a
    two-byte window wraps.""",
    profiles=(PFLDNET, FOOTNOTE),
    sources=("Liu et al., PFLDnet 2007",),
)
def account_large_flight(b: StreamBuilder) -> None:
    ready(b, 300_000, 10**6)
    for group in range(10):
        b.send((group + 1) * 10 * MS, 30)
    b.expect(cwnd_bytes=300_000)
    lose_and_ack(b, 110 * MS, (0, 0), (1, 29))
    b.expect(cwnd_bytes=150_000, ssthresh_bytes=150_000)
    b.ack(200 * MS, (30, 299))
    b.send(200 * MS, 1, repeats=((0, 0),))
    b.ack(300 * MS, (300, 300))
    b.expect(repeated_packets=1, cwnd_bytes=149_000)


@add(
    "jumpstart.account.least",
    "Nearly all lost: one packet remains",
    """17 of 20 packets are lost, and two repairs are lost again: R = 10 + 9 = 19. (20 - 19) / 2 rounds to 0, and the window
    is one packet, 1000, as 0 would be a deadlock. The threshold is two packets.""",
)
def account_least(b: StreamBuilder) -> None:
    jump(b)
    lose_and_ack(b, 110 * MS, (0, 16), (17, 19))
    b.send(110 * MS, 10, repeats=((0, 9),))
    lose_and_ack(b, 210 * MS, (20, 21), (22, 29))
    b.send(210 * MS, 9, repeats=((10, 16), (0, 1)))
    b.ack(310 * MS, (30, 38))
    b.expect(repeated_packets=19, cwnd_bytes=1000, ssthresh_bytes=2000)


@add(
    "jumpstart.account.repair-lost",
    "A repeated repair counts again",
    """Four of 20 packets are lost, and one repair is lost again: R = 4 + 1 = 5, floor((20 - 5) / 2) = 7. Counting each packet once
    gives R = 4 and 8. The loss of the repair does not reduce the window again.""",
)
def account_repair_lost(b: StreamBuilder) -> None:
    jump(b)
    lose_and_ack(b, 110 * MS, (0, 3), (4, 19))
    b.send(110 * MS, 4, repeats=((0, 3),))
    lose_and_ack(b, 210 * MS, (20, 20), (21, 23))
    b.send(210 * MS, 1, repeats=((0, 0),))
    b.ack(310 * MS, (24, 24))
    b.expect(repeated_packets=5, cwnd_bytes=7000)


@add(
    "jumpstart.account.needless-repair",
    "A needless repair counts",
    """Packet 0 is lost; packets 5 and 6 are late, and repaired as well: R = 3, floor((20 - 3) / 2) = 8. Counting losses
    gives R = 1 and 9. The late ACKs of 5 and 6 arrive before the ACKs of the repairs.""",
)
def account_needless_repair(b: StreamBuilder) -> None:
    jump(b)
    lose_and_ack(b, 110 * MS, (0, 0), (1, 4), (7, 19))
    b.send(110 * MS, 3, repeats=((0, 0), (5, 6)))
    b.ack(130 * MS, (5, 6))
    b.ack(210 * MS, (20, 22))
    b.expect(repeated_packets=3, cwnd_bytes=8000)


@add(
    "jumpstart.account.more-repairs-than-packets",
    "More repairs than packets",
    """Five packets are lost, and their repairs four times again: R = 5 * 5 = 25 is more than D = 20. The rest is 0, not
    -5 and not 2^64 - 5; one packet remains.""",
)
def account_more_repairs_than_packets(b: StreamBuilder) -> None:
    jump(b)
    lose_and_ack(b, 110 * MS, (0, 4), (5, 19))
    for attempt in range(5):
        b.send(110 * MS + attempt * 2 * RTT, 5, repeats=((0, 4),))
        first = 20 + 5 * attempt
        if attempt < 4:
            b.lose(110 * MS + (attempt + 1) * 2 * RTT, (first, first + 4))
    b.ack(1010 * MS, (40, 44))
    b.expect(repeated_packets=25, cwnd_bytes=1000)


@add(
    "jumpstart.account.repeated-before-its-loss",
    "Packets sent again in recovery count even before a loss of the flight shows",
    """Packet 0 left before the jump; its loss begins recovery after 16 packets of the flight. The last two of these, 16 and 17, are sent again as probes. Then the loss of packet 2, of
    the flight, shows and is repaired: R = 2 + 1 = 3, floor((16 - 3) / 2) = 6. Counting only from that loss on gives R = 1 and floor((16 - 1) / 2) = 7.""",
)
def account_repeated_before_its_loss(b: StreamBuilder) -> None:
    b.data = DataLedger()
    b.send(0, 2)
    b.backlog(20 * MS, 20_000, 100_000, RTT)
    paced(b, 16, of=20, since_ns=20 * MS)
    lose_and_ack(b, 100 * MS, (0, 0), (1, 1))
    b.ack(185 * MS, (3, 15))
    b.send(186 * MS, 3, repeats=((0, 0), (16, 17)))
    lose_and_ack(b, 195 * MS, (2, 2), (16, 17))
    b.send(195 * MS, 1, repeats=((2, 2),))
    b.ack(295 * MS, (18, 21))
    b.expect(profile=PFLDNET, outcome="jump_accounted", cwnd_bytes=6000, repeated_packets=3)


@add(
    "jumpstart.account.flight-cut-short",
    "D is the number of packets sent in the jump",
    """The ACK of packet 2 after 12 packets ends the jump; the other 8 leave under the window. Packets 0 and 1 are lost,
    R = 2: (12 - 2) / 2 = 5. The planned D gives (20 - 2) / 2 = 9, which is right for scharf-2009: its jump lasts until
    all packets are sent.""",
)
def account_flight_cut_short(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 12, of=20)
    b.ack(58 * MS, (2, 2))
    for packet in range(12, 20):
        b.send(packet * GAP, 1)
    lose_and_ack(b, 160 * MS, (0, 1), (3, 19))
    b.send(160 * MS, 2, repeats=((0, 1),))
    b.ack(260 * MS, (20, 21))
    b.expect(repeated_packets=2)
    b.expect(profile=PFLDNET, sent_packets=12, cwnd_bytes=5000)
    b.expect(profile=SCHARF, sent_packets=20, cwnd_bytes=9000)


@add(
    "jumpstart.account.loss-ends-jump",
    "A loss during the flight ends the jump",
    """Packet 0 is declared lost after 12 packets, before any ACK counts: D = 12. The window of 20000 halves to 20000 /
    2 = 10000; for scharf-2009 the bytes in flight halve: 12000 / 2 = 6000. One repair: floor((12 - 1) / 2) = 5.""",
)
def account_loss_ends_jump(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 12, of=20)
    lose_and_ack(b, 58 * MS, (0, 0), (1, 11))
    b.send(58 * MS, 1, repeats=((0, 0),))
    b.expect(at=13, profile=PFLDNET, cwnd_bytes=10_000)
    b.expect(at=13, profile=SCHARF, cwnd_bytes=6000)
    b.ack(116 * MS, (12, 12))
    b.expect(sent_packets=12, cwnd_bytes=5000)


@add(
    "jumpstart.account.never-raises",
    "A window that is already smaller is not raised",
    """All packets but packet 19 are acknowledged, and packet 19 is lost. 1 packet is in flight; half of it is below the minimum window, 2000. (20 -
    1) / 2 = 9 packets do not raise it.""",
    profiles=(SCHARF,),
)
def account_never_raises(b: StreamBuilder) -> None:
    jump(b)
    b.ack(RTT + 18 * GAP, (0, 18))
    b.lose(300 * MS, (19, 19))
    b.expect(cwnd_bytes=2000)
    b.send(300 * MS, 1, repeats=((19, 19),))
    b.ack(400 * MS, (20, 20))
    b.expect(cwnd_bytes=2000)


@add(
    "jumpstart.account.never-raises-window",
    "A window reduced twice is not raised",
    """All but packet 0 are acknowledged: 20000 + 19 * 1000 = 39000. Packet 20 is lost: 39000 / 2 = 19500. The repair
    of packet 20 and a needless repair of packet 0 end this recovery, without a loss of the flight. Each grows the window by floor(1000 * 1000 / 19500) = 51 to 19602. Then packet 0 and the new packet 42 are declared lost: 19602 / 2
    = 9801. Data 0 has arrived, so R = 0: at the end (20 - 0) / 2 = 10 packets are more than 9801, which stays.""",
    profiles=(PFLDNET,),
)
def account_never_raises_window(b: StreamBuilder) -> None:
    jump(b)
    b.ack(110 * MS, (1, 19))
    b.expect(cwnd_bytes=39_000)
    b.send(110 * MS, 20)
    lose_and_ack(b, 210 * MS, (20, 20), (21, 39))
    b.expect(outcome="in_recovery", cwnd_bytes=19_500)
    b.send(211 * MS, 2, repeats=((0, 0), (20, 20)))
    b.ack(311 * MS, (40, 41))
    b.expect(outcome="grown_avoidance", cwnd_bytes=19_602)
    b.send(312 * MS, 10)
    b.lose(412 * MS, (0, 0), (42, 42))
    b.expect(outcome="reduced", cwnd_bytes=9801)
    b.ack(412 * MS, (43, 51))
    b.send(413 * MS, 1, repeats=((42, 42),))
    b.ack(513 * MS, (52, 52))
    b.expect(outcome="jump_accounted", repeated_packets=0, cwnd_bytes=9801)


@add(
    "jumpstart.account.older-repair",
    "The repair of a packet from before the flight does not count",
    """Two packets left 20 ms before the jump. The loss of packet 0 begins recovery after 16 packets of the flight:
    20000 / 2 = 10000. Packets 2 and 3 of the flight are lost as well. Three repairs leave and arrive. R counts the two
    repairs of the flight: (16 - 2) / 2 = 7. Counting all three gives R = 3 and floor((16 - 3) / 2) = 6.""",
    profiles=(PFLDNET,),
)
def account_older_repair(b: StreamBuilder) -> None:
    b.data = DataLedger()
    b.send(0, 2)
    b.backlog(20 * MS, 20_000, 100_000, RTT)
    paced(b, 16, of=20, since_ns=20 * MS)
    lose_and_ack(b, 100 * MS, (0, 0), (1, 1))
    b.expect(cwnd_bytes=10_000)
    lose_and_ack(b, 125 * MS, (2, 3), (4, 17))
    b.send(125 * MS, 3, repeats=((0, 0), (2, 3)))
    b.expect(repeated_packets=2)
    b.ack(225 * MS, (18, 20))
    b.expect(outcome="jump_accounted", cwnd_bytes=7000, ssthresh_bytes=7000)


@add(
    "jumpstart.account.ack-only-packet",
    "A packet that contains only an ACK frame is not part of the flight",
    """Ten packets of the flight leave, 0 to 9, then packet 10 with an ACK frame alone, then 11 to 20. The jump ends with
    its twentieth packet, 20. All others are acknowledged: 20000 + 19 * 1000 = 39000. A new packet, 21, shows that
    packet 20 is lost: 39000 / 2 = 19500. It is repaired: D = 20, R = 1, and floor((20 - 1) / 2) = 9 packets. Counting
    numbers 0 to 20 gives D = 21 and (21 - 1) / 2 = 10. A flight that ends with number 19 leaves 19500.""",
    profiles=(PFLDNET, FOOTNOTE),
    sources=("Liu et al., PFLDnet 2007", "RFC 9002, section 2"),
)
def account_ack_only_packet(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 10, of=20)
    b.send(47 * MS, 1, 40, not_in_flight=True)
    paced(b, 10, of=20, since_ns=50 * MS)
    b.expect(outcome="jump_sent", sent_packets=20)
    b.ack(195 * MS, (0, 9), (11, 19))
    b.expect(cwnd_bytes=39_000)
    b.send(195 * MS, 1)
    lose_and_ack(b, 295 * MS, (20, 20), (21, 21))
    b.expect(outcome="in_recovery", cwnd_bytes=19_500, ssthresh_bytes=19_500)
    b.send(295 * MS, 1, repeats=((20, 20),))
    b.ack(395 * MS, (22, 22))
    b.expect(outcome="jump_accounted", repeated_packets=1, cwnd_bytes=9000, ssthresh_bytes=9000)

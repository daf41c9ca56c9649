"""Hand-built stimuli of JumpStart: a new path. `why` derives the expectation."""

from firstflight_conformance.format.builder import MS, StreamBuilder
from firstflight_conformance.format.ledger import DataLedger
from generate.catalogue import Catalogue
from stimuli.jumpstart.flight import PFLDNET, QUICLY, RTT, SCHARF, lose_and_ack, paced

CATALOGUE = Catalogue(QUICLY, sources=("RFC 9000, section 9.4",))
add = CATALOGUE.add


@add(
    "jumpstart.path.in-jump",
    "A new path ends the jump",
    """Two packets are acknowledged: 12000 + 2400 = 14400. The jump to 20 packets gives 24000, and two packets leave. The new path begins with
    the initial window, 12000, in slow start. Eight packets of the new path are acknowledged: 12000 + 9600 = 21600. A sender that continues
    the jump treats their ACK as its end.""",
)
def path_in_jump(b: StreamBuilder) -> None:
    b.send(0, 2)
    b.ack(RTT, (0, 1))
    b.backlog(RTT, 10**6, 10**6)
    b.send(RTT, 2)
    b.expect(cwnd_bytes=24_000, phase="jump")
    b.path_change(RTT + 10 * MS)
    b.expect(outcome="path_changed", cwnd_bytes=12_000, ssthresh_bytes=None, phase="slow_start")
    b.send(RTT + 20 * MS, 8)
    b.ack(2 * RTT + 20 * MS, (4, 11))
    b.expect(outcome="grown", cwnd_bytes=21_600)


@add(
    "jumpstart.path.first-jump",
    "The flight of a jump on a new path has the numbers of its packets",
    """Three times ten packets leave without a jump, 0 to 29, of 1000 bytes. The new path begins with the initial window,
    10000. The jump sends packets 30 to 49 there. Packet 30 is lost: 20000 / 2 = 10000. It is repaired once: D = 20,
    R = 1, and floor((20 - 1) / 2) = 9 packets. A sender that begins the flight with number 0 does not account for
    packet 30, and 10000 stays.""",
    profiles=(PFLDNET, SCHARF),
    sources=("RFC 9000, section 9.4", "Liu et al., PFLDnet 2007", "Scharf, Networking 2009"),
    max_datagram_size_bytes=1000,
    initial_window_bytes=10_000,
    flags=("paced",),
)
def path_first_jump(b: StreamBuilder) -> None:
    b.data = DataLedger()
    for flight in range(3):
        b.send(flight * RTT, 10)
        b.ack((flight + 1) * RTT, (10 * flight, 10 * flight + 9))
    b.path_change(310 * MS)
    b.expect(outcome="path_changed", cwnd_bytes=10_000)
    b.backlog(320 * MS, 20_000, 100_000, RTT)
    b.expect(outcome="jump_begun", cwnd_bytes=20_000)
    paced(b, 20, since_ns=320 * MS)
    b.expect(outcome="jump_sent", sent_packets=20)
    lose_and_ack(b, 515 * MS, (30, 30), (31, 49))
    b.expect(outcome="in_recovery", cwnd_bytes=10_000, ssthresh_bytes=10_000)
    b.send(515 * MS, 1, repeats=((30, 30),))
    b.ack(615 * MS, (50, 50))
    b.expect(outcome="jump_accounted", repeated_packets=1, cwnd_bytes=9000, ssthresh_bytes=9000)

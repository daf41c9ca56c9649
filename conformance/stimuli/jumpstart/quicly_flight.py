"""Hand-built stimuli of JumpStart for quicly: the decision to jump, and the packets of its flight.

`why` derives the expectation. By default packets have 1200 bytes and the initial window has ten packets,
as in quicly's unit tests.
"""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.jumpstart.flight import QUICLY, RTT

CATALOGUE = Catalogue(QUICLY, sources=("h2o/quicly, include/quicly/cc.h, lib/cc-reno.c, lib/quicly.c",))
add = CATALOGUE.add


def _jump_after_two(b: StreamBuilder) -> None:
    """Send two packets; their ACK grows the window to 14400, and data is ready: a jump to 24000, from packet 2 on."""
    b.send(0, 2)
    b.ack(RTT, (0, 1))
    b.backlog(RTT, 10**6, 10**6)


@add(
    "jumpstart.quicly.too-small-after-ack",
    "The current window and bytes in flight decide whether to jump",
    """Ten packets leave, two are acknowledged: 12000 + 2400 = 14400, and 9600 bytes are in flight. Together they are
    14400 + 9600 = 24000, and the jump of 20 * 1200 = 24000 does not exceed that: quicly does not jump. A sender that adds
    the initial window has 12000 + 9600 = 21600 and jumps. A sender that compares with only the window jumps, too.""",
)
def quicly_too_small_after_ack(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (0, 1))
    b.expect(cwnd_bytes=14_400)
    b.backlog(RTT, 10**6, 10**6)
    b.expect(outcome="jump_too_small", cwnd_bytes=14_400)
    b.send(RTT, 4)
    b.expect(cwnd_bytes=14_400, phase="slow_start")


@add(
    "jumpstart.quicly.more-packets-than-planned",
    "The flight lasts until its first ACK, even with more than 20 packets",
    """The jump to 20 * 1200 = 24000 is sent as 24 packets of 1000 bytes, packets 2 to 25. Packets 2 to 9 arrive:
    24000 + 8000 = 32000. Packet 14 arrives, and packets 10 and 11 are lost. 8000 + 1000 = 9000 bytes arrived, less
    than the initial window: 12000 / 2 = 6000. Packets 15 to 25 arrive: 9000 + 11000 = 20000, and 20000 * 7 / 10 =
    14000. That frame shows the loss of packets 12 and 13 as well, and 14000 stays. A flight that ends after 20
    packets, with packet 21, leaves 6000.""",
    flags=("same-time-order",),
)
def quicly_more_packets_than_planned(b: StreamBuilder) -> None:
    _jump_after_two(b)
    b.send(RTT, 24, 1000)
    b.expect(phase="jump", sent_packets=20, cwnd_bytes=24_000)
    b.ack(2 * RTT, (2, 9))
    b.expect(outcome="jump_ended", cwnd_bytes=32_000, acked_bytes=8000)
    b.ack(2 * RTT + MS, (14, 14))
    b.lose(2 * RTT + MS, (10, 11))
    b.expect(outcome="reduced", cwnd_bytes=6000, ssthresh_bytes=6000)
    b.ack(2 * RTT + 2 * MS, (15, 25))
    b.expect(outcome="raised_in_recovery", cwnd_bytes=14_000, ssthresh_bytes=6000, acked_bytes=20_000)
    b.lose(2 * RTT + 2 * MS, (12, 13))
    b.expect(outcome="already_reduced", cwnd_bytes=14_000, ssthresh_bytes=6000)


@add(
    "jumpstart.quicly.first-packet-counts",
    "The first packet of the flight counts for it",
    """Packet 2, the first of 20, is acknowledged alone: 24000 + 1200 = 25200. Packets 3 to 8 and 10 to 13 follow, ten
    packets: 25200 + 12000 = 37200, and 1200 + 12000 = 13200 bytes of the flight have arrived. Packet 9 is lost: 13200
    / 2 = 6600. Without packet 2 it is 12000 / 2 = 6000.""",
    flags=("same-time-order",),
)
def quicly_first_packet_counts(b: StreamBuilder) -> None:
    _jump_after_two(b)
    b.send(RTT, 20)
    b.ack(2 * RTT, (2, 2))
    b.expect(outcome="jump_ended", cwnd_bytes=25_200, acked_bytes=1200)
    b.ack(2 * RTT + MS, (3, 8), (10, 13))
    b.expect(cwnd_bytes=37_200, acked_bytes=13_200)
    b.lose(2 * RTT + MS, (9, 9))
    b.expect(outcome="reduced", cwnd_bytes=6600, ssthresh_bytes=6600)


@add(
    "jumpstart.quicly.window-grown-before-loss",
    "A loss before any jump halves the grown window",
    """Ten packets fill the initial window of 12000. A frame acknowledges packets 1 to 4: 12000 + 4 * 1200 = 16800. The
    frame shows that packet 0 is lost: 16800 / 2 = 8400. quicly has not jumped yet. Half of the initial window
    is 12000 / 2 = 6000.""",
    flags=("same-time-order",),
)
def quicly_window_grown_before_loss(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (1, 4))
    b.expect(cwnd_bytes=16_800)
    b.lose(RTT, (0, 0))
    b.expect(outcome="reduced", cwnd_bytes=8400, ssthresh_bytes=8400)


@add(
    "jumpstart.quicly.too-small-not-again",
    "A jump that was too small is not tried again with less in flight",
    """Ten packets leave, two are acknowledged: 12000 + 2 * 1200 = 14400, and 9600 bytes are in flight. The jump of 20 *
    1200 = 24000 is not more than 14400 + 9600 = 24000: quicly does not jump. One packet is written and sent. All packets
    arrive while the application is out of data, so the window stays 14400. Then 10^6 bytes are ready. Now 24000
    is more than 14400, but quicly tries the jump once: 12 packets of 1200 bytes fill 14400.""",
)
def quicly_too_small_not_again(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (0, 1))
    b.expect(cwnd_bytes=14_400)
    b.backlog(RTT, 1200, 10**6)
    b.expect(outcome="jump_too_small", cwnd_bytes=14_400)
    b.send(RTT, 1)
    b.ack(RTT + MS, (2, 9), app_limited=True)
    b.ack(2 * RTT, (10, 10), app_limited=True)
    b.expect(outcome="app_limited", cwnd_bytes=14_400)
    b.backlog(3 * RTT, 10**6, 10**6)
    b.expect(outcome="jump_spent", cwnd_bytes=14_400, next_release_ns=None)
    b.send(3 * RTT, 12)
    b.expect(phase="slow_start", cwnd_bytes=14_400)


@add(
    "jumpstart.quicly.older-ack-before-flight",
    "An ACK of older packets does not end a jump that has not sent anything yet",
    """22 packets of 100 bytes leave, and the application has no more data for a while. More data is ready a millisecond
    before their ACK: 12000 + 22 * 100 = 14200 is less than the jump of 20 * 1200 = 24000. The packets are older than
    the flight, and the jump goes on: 24000 stays. The flight begins with packet 22. Ten packets of it leave, and their
    ACK ends the jump: the window becomes the 10 * 1200 = 12000 bytes in flight and grows by them, 12000 + 12000 =
    24000. A sender that ends the jump with the ACK of the older packets has the 22 * 100 = 2200 bytes in flight.""",
)
def quicly_older_ack_before_flight(b: StreamBuilder) -> None:
    b.send(0, 22, 100, app_limited=True)
    b.backlog(RTT - MS, 10**6, 10**6, RTT)
    b.expect(outcome="jump_begun", cwnd_bytes=24_000)
    b.ack(RTT, (0, 21), app_limited=True)
    b.expect(phase="jump", cwnd_bytes=24_000)
    b.send(RTT, 10)
    b.ack(2 * RTT, (22, 31))
    b.expect(outcome="jump_ended", cwnd_bytes=24_000)

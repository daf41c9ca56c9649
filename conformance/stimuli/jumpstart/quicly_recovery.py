"""Hand-built stimuli of JumpStart: recovery in quicly, and CE marks.

`why` derives the expectation. Packets have 1200 bytes and the initial window has ten packets. quicly processes a frame
in the order ACK, losses, CE mark.
"""

from functools import partial

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.jumpstart.flight import QUICLY, RTT

_SOURCE = ("h2o/quicly, include/quicly/cc.h, lib/cc-reno.c, lib/quicly.c",)
CATALOGUE = Catalogue(QUICLY, sources=_SOURCE)
add = partial(CATALOGUE.add, flags=("same-time-order",))


def _jump(b: StreamBuilder, packets: int = 20) -> None:
    """Send and acknowledge two packets, 12000 + 2400 = 14400, then jump to 24000 and send packets from 2 on."""
    b.send(0, 2)
    b.ack(RTT, (0, 1))
    b.backlog(RTT, 10**6, 10**6)
    b.send(RTT, packets)


@add(
    "jumpstart.quicly.losses-in-two-frames",
    "A second frame with a loss of the flight does not reduce the window again",
    """The first frame acknowledges 6 packets, 6 * 1200 = 7200 bytes, less than the initial window of 12000. Packet 5
    is lost: 12000 / 2 = 6000. The next frame acknowledges packet 12: 7200 + 1200 = 8400 bytes; 7/10 are 8400
    * 7 / 10 = 5880. The share does not lower the window, so 6000 stays. Packet 9 is lost, too. It was sent before the
    recovery, and 6000 stays again. A second reduction gives 6000 * 7 / 10 = 4200.""",
)
def quicly_losses_in_two_frames(b: StreamBuilder) -> None:
    _jump(b)
    b.ack(2 * RTT, (2, 4), (6, 8))
    b.lose(2 * RTT, (5, 5))
    b.expect(outcome="reduced", cwnd_bytes=6000, ssthresh_bytes=6000)
    b.ack(2 * RTT + MS, (12, 12))
    b.expect(outcome="in_recovery", acked_bytes=8400, cwnd_bytes=6000)
    b.lose(2 * RTT + MS, (9, 9))
    b.expect(outcome="already_reduced", cwnd_bytes=6000, ssthresh_bytes=6000)


@add(
    "jumpstart.quicly.repair-lost",
    "The loss of a repair reduces again before recovery ends",
    """Packets 10 to 12 are lost, and the other 17 arrive: 17 * 1200 = 20400 bytes, half of them 20400 / 2 = 10200. The
    first repair is packet 22, and three packets with only ACKs follow, 23 to 25. The peer acknowledges these three
    with its own data. quicly does not report their bytes to its controller. Packet 22 is three packets older than 25, and
    is declared lost. It was sent after the beginning of the recovery: a second reduction, 10200 * 7 / 10 = 7140.""",
)
def quicly_repair_lost(b: StreamBuilder) -> None:
    _jump(b)
    b.ack(2 * RTT, (2, 9), (13, 21))
    b.lose(2 * RTT, (10, 12))
    b.expect(outcome="reduced", cwnd_bytes=10_200, ssthresh_bytes=10_200)
    b.send(2 * RTT + MS, 1)
    b.send(2 * RTT + 2 * MS, 3, 50, not_in_flight=True)
    b.ack_not_in_flight(3 * RTT + 2 * MS, (23, 25))
    b.expect(phase="recovery", cwnd_bytes=10_200)
    b.lose(3 * RTT + 2 * MS, (22, 22))
    b.expect(outcome="reduced", cwnd_bytes=7140, ssthresh_bytes=7140)


@add(
    "jumpstart.quicly.marks-on-flight",
    "Two CE marks on the flight take the jump back once",
    """The first frame acknowledges packets 2 to 9, 8 * 1200 = 9600 bytes, less than the initial window, and reports a
    mark: 12000 / 2 = 6000. The next frame acknowledges packets 10 to 14: 13 * 1200 = 15600 bytes, and 15600 * 7 / 10
    = 10920. It reports a second mark. Packet 14 was sent before the recovery, so 10920 stays. Without taking the jump
    back the first mark halves 24000 + 9600 = 33600. A second reduction gives 10920 * 7 / 10 = 7644.""",
)
def quicly_marks_on_flight(b: StreamBuilder) -> None:
    _jump(b)
    b.ack(2 * RTT, (2, 9))
    b.expect(cwnd_bytes=33_600)
    b.ce(2 * RTT, 9, RTT)
    b.expect(outcome="reduced", cwnd_bytes=6000, ssthresh_bytes=6000)
    b.ack(2 * RTT + MS, (10, 14))
    b.expect(outcome="raised_in_recovery", cwnd_bytes=10_920)
    b.ce(2 * RTT + MS, 14, RTT)
    b.expect(outcome="already_reduced", cwnd_bytes=10_920, ssthresh_bytes=6000)


@add(
    "jumpstart.quicly.mark-after-flight",
    "A CE mark on the first packet after the flight halves the window",
    """12 packets leave, and the ACK of packet 2 ends the flight before packet 14: the window is 12 * 1200 = 14400,
    and 14400 + 1200 = 15600. Packets 14 and 15 leave. The other 11 of the flight arrive, and packet 14: 15600 + 12 *
    1200 = 30000. Packet 14 arrives marked: 30000 / 2 = 15000. As a packet of the flight it leaves half of the bytes
    of the flight, 14400 / 2 = 7200.""",
)
def quicly_mark_after_flight(b: StreamBuilder) -> None:
    _jump(b, 12)
    b.ack(2 * RTT, (2, 2))
    b.expect(cwnd_bytes=15_600)
    b.send(2 * RTT, 2)
    b.ack(2 * RTT + MS, (3, 13))
    b.ack(3 * RTT, (14, 14))
    b.expect(acked_bytes=14_400, cwnd_bytes=30_000)
    b.ce(3 * RTT, 14, 2 * RTT)
    b.expect(outcome="reduced", cwnd_bytes=15_000, ssthresh_bytes=15_000)

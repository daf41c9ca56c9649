"""Hand-built stimuli of CUBIC: the recovery period that a spurious loss leaves.

`why` derives the expectation.
"""

from firstflight_conformance.format.builder import MS, S
from generate.catalogue import Catalogue
from stimuli.cubic.avoidance import RTT, WINDOW, AvoidanceBuilder

CATALOGUE = Catalogue("rfc-9438", sources=("RFC 9438",), builder=AvoidanceBuilder)
add = CATALOGUE.add


def _lose_in_recovery(b: AvoidanceBuilder) -> None:
    """Lose packet 0 at one RTT, leave packets 34 and 35 in flight, and lose packet 36, sent in that recovery."""
    b.send(0, 36)
    b.lose(RTT, (0, 0))
    b.ack(RTT, (1, 33))
    b.send(RTT + MS, 23)
    b.lose(2 * RTT + MS, (36, 36))
    b.expect(outcome="reduced", cwnd_bytes=17_640, ssthresh_bytes=17_640)


@add(
    "cubic.spurious.first-recovery-goes-on",
    "After a spurious loss the recovery period before it goes on",
    """36000 falls to 36000 * 7 / 10 = 25200 at 100 ms. Packet 36, sent in this recovery, is lost: 25200 * 7 / 10 =
    17640. That loss was spurious: 25200 is restored, and the first recovery period goes on. Packet 34 was sent before
    it began: its loss reduces nothing, and the ACK of packet 35 grows nothing. The ACK of packet 37 ends the
    recovery: 25200 + (9/17) * 1000 * 1000 / 25200 = 25221. A sender that has forgotten when the first recovery began
    has 17640 again after the loss of packet 34.""",
    flags=("same-time-order",),
    **WINDOW,
)
def spurious_first_recovery_goes_on(b: AvoidanceBuilder) -> None:
    _lose_in_recovery(b)
    b.spurious_loss(2 * RTT + 2 * MS)
    b.expect(outcome="restored", cwnd_bytes=25_200, phase="recovery", recovery_start_ns=S + RTT)
    b.fill(2 * RTT + 2 * MS)
    b.lose(2 * RTT + 3 * MS, (34, 34))
    b.expect(outcome="already_reduced", cwnd_bytes=25_200, phase="recovery")
    b.fill(2 * RTT + 3 * MS)
    b.ack(2 * RTT + 4 * MS, (35, 35))
    b.expect(outcome="in_recovery", cwnd_bytes=25_200, phase="recovery")
    b.fill(2 * RTT + 4 * MS)
    b.ack(2 * RTT + 5 * MS, (37, 37))
    b.expect(outcome="grown_avoidance", cwnd_bytes=25_221, phase="congestion_avoidance")


@add(
    "cubic.spurious.after-both-recoveries",
    "A spurious loss that is found after recovery does not begin a recovery again",
    """36000 falls to 36000 * 7 / 10 = 25200. Packet 36, sent in this recovery, is lost: 25200 * 7 / 10 = 17640. The
    ACK of packet 59, sent after the second loss, ends the recovery: 17640 + (9/17) * 1000 * 1000 / 17640 = 17670. The
    second loss was spurious: 25200 is restored in congestion avoidance. Packet 59 was sent after both recovery
    periods began, and its ACK has ended both.""",
    flags=("same-time-order",),
    **WINDOW,
)
def spurious_after_both_recoveries(b: AvoidanceBuilder) -> None:
    _lose_in_recovery(b)
    b.ack(2 * RTT + MS, (34, 35), (37, 58))
    b.expect(outcome="in_recovery", cwnd_bytes=17_640, phase="recovery")
    b.send(2 * RTT + 2 * MS, 17)
    b.ack(3 * RTT + 2 * MS, (59, 59))
    b.expect(outcome="grown_avoidance", cwnd_bytes=17_670, phase="congestion_avoidance")
    b.spurious_loss(3 * RTT + 3 * MS)
    b.expect(outcome="restored", cwnd_bytes=25_200, ssthresh_bytes=25_200, phase="congestion_avoidance")

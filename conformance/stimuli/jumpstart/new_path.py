"""Hand-built stimuli of JumpStart: a new path. `why` derives the expectation."""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.jumpstart.flight import QUICLY, RTT

CATALOGUE = Catalogue(QUICLY, sources=("RFC 9000, section 9.4",))
add = CATALOGUE.add


@add(
    "jumpstart.path.in-jump",
    "A new path ends the jump",
    """Two packets are acknowledged: 12000 + 2400 = 14400. The jump to 20 packets gives 24000, and two packets leave. The new path begins with
    the initial window, 12000, in slow start. Eight packets of the new path are acknowledged: 12000 + 9600 = 21600. A sender that goes on
    with the jump takes their ACK for its end.""",
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

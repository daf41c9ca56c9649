"""Hand-built stimuli of JumpStart: PMTU probes. `why` derives the expectation."""

from firstflight_conformance.format.builder import StreamBuilder
from generate.catalogue import Catalogue
from stimuli.jumpstart.flight import QUICLY, RTT
from stimuli.probes import PROBE_BYTES, SOURCES

CATALOGUE = Catalogue(QUICLY, sources=SOURCES)
add = CATALOGUE.add


@add(
    "jumpstart.pmtu-probe.lost",
    "The loss of a PMTU probe does not take the jump back",
    """Two packets are acknowledged: 12000 + 2400 = 14400. Then the jump to 20 packets, 24000. A probe of 1400 bytes and 18 packets of 1200
    leave: 1400 + 18 * 1200 = 23000 in flight. The ACK of ten packets ends the jump with that window, and slow start adds 12000:
    23000 + 12000 = 35000. The probe is lost: 35000 stays. The ACK of the other eight adds 9600: 35000 + 9600 = 44600. A sender
    that reacts takes the jump back: 12000 bytes of the flight are acknowledged, and 12000 / 2 = 6000.""",
)
def probe_lost(b: StreamBuilder) -> None:
    b.send(0, 2)
    b.ack(RTT, (0, 1))
    b.backlog(RTT, 10**6, 10**6)
    b.send(RTT, 1, PROBE_BYTES, pmtu_probe=True)
    b.send(RTT, 18)
    b.expect(cwnd_bytes=24_000)
    b.ack(2 * RTT, (3, 12))
    b.lose(2 * RTT, (2, 2), pmtu_probe=True)
    b.expect(outcome="unchanged", cwnd_bytes=35_000, ssthresh_bytes=None)
    b.ack(2 * RTT, (13, 20))
    b.expect(cwnd_bytes=44_600)

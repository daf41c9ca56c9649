"""Hand-built stimuli of Rapid Start: PMTU probes. `why` derives the expectation."""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.probes import RTT, SOURCES, lose_probe
from stimuli.rapid_start.sender import CUBIC, DRAFT

CATALOGUE = Catalogue(DRAFT, CUBIC, sources=SOURCES)
add = CATALOGUE.add


@add(
    "rapid-start.pmtu-probe.lost",
    "The loss of a PMTU probe does not end Rapid Start",
    """Eight packets of 1200 bytes are acknowledged without a queue: 12000 + 2 * 9600 = 31200. The probe of 1400 bytes is
    lost: 31200 stays, and Rapid Start continues. Three more packets: 31200 + 2 * 3600 = 38400. A sender that reacts begins
    its first recovery.""",
)
def probe_lost(b: StreamBuilder) -> None:
    lose_probe(b)
    b.expect(outcome="unchanged", cwnd_bytes=31_200, ssthresh_bytes=None, phase="slow_start")
    b.send(RTT + MS, 26)
    b.ack(2 * RTT + MS, (9, 11))
    b.expect(outcome="rapid_grown", cwnd_bytes=38_400, phase="slow_start")

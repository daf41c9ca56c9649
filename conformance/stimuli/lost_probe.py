"""The loss of a PMTU probe in slow start, for startup algorithms that could treat it as congestion."""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.hystart.sender import GOOGLE
from stimuli.hystartpp.sender import RFC, UNPACED
from stimuli.probes import RTT, SOURCES, lose_probe

CATALOGUE = Catalogue(sources=SOURCES)


def _lost(b: StreamBuilder) -> None:
    lose_probe(b)
    b.expect(outcome="unchanged", cwnd_bytes=21_600, ssthresh_bytes=None, phase="slow_start")
    b.send(RTT + MS, 18)
    b.ack(2 * RTT + MS, (9, 11))
    b.expect(cwnd_bytes=25_200, phase="slow_start")


for _algorithm, _end, _profiles in (
    ("hystart", "slow start", (GOOGLE,)),
    ("hystartpp", "HyStart++", (RFC, UNPACED)),
    ("search", "SEARCH", ("draft-09", "draft-09+cubic")),
):
    CATALOGUE.add(
        f"{_algorithm}.pmtu-probe.lost",
        f"The loss of a PMTU probe does not end {_end}",
        """Eight packets of 1200 bytes are acknowledged: 12000 + 9600 = 21600. The probe of 1400 bytes is lost: 21600 stays, and
        slow start continues. Three more packets: 21600 + 3600 = 25200. A sender that reacts leaves slow start.""",
        profiles=_profiles,
    )(_lost)

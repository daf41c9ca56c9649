"""Stimuli with ACK frames that close a gap between acknowledged ranges (RFC 9002, section 5.1)."""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue

CATALOGUE = Catalogue(sources=("RFC 9002, sections 5.1 and 7.3.1, appendix B.5", "RFC 9000, section 19.3.1"))
RTT = 100 * MS


def closes_gap(b: StreamBuilder) -> None:
    """Acknowledge packets around a gap, then the packets in it, with full windows in between."""
    b.send(0, 5)
    b.send(40 * MS, 5)
    b.ack(RTT, (0, 1), (4, 4))
    b.expect(outcome="grown", cwnd_bytes=15_600)
    b.send(RTT, 6)
    b.ack(RTT + 10 * MS, (2, 3), sample=False)
    b.expect(outcome="grown", cwnd_bytes=18_000)
    b.send(RTT + 10 * MS, 4)
    b.ack(RTT + 40 * MS, (5, 9))
    b.expect(outcome="grown", cwnd_bytes=24_000)


for _algorithm, _profile in (("slow-start", "rfc-9002"), ("cubic", "rfc-9438")):
    CATALOGUE.add(
        f"{_algorithm}.ranges.closes-gap",
        "An ACK that closes a gap between acknowledged ranges grows the window",
        """Packets 0, 1 and 4 are acknowledged: 12000 + 3 * 1200 = 15600. Packets 2 and 3 arrived later: the next frame has
        one range of five packets, two of them new. The largest packet of the range is not new, so the ACK lacks an RTT sample.
        The window still grows: 15600 + 2 * 1200 = 18000. The last five packets make it 18000 + 5 * 1200 = 24000. A sender that ignores
        an ACK without a sample stays at 15600. A sender that counts the whole range again has 15600 + 5 * 1200 = 21600. A sender that counts from
        the previous largest packet has 12000 + 5 * 1200 = 18000 at first.""",
        profiles=(_profile,),
    )(closes_gap)

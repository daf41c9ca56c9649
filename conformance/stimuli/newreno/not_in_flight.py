"""Stimuli with packets that are not in flight: they contain only ACK frames (RFC 9002, sections 2 and 7)."""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue

CATALOGUE = Catalogue(sources=("RFC 9002, sections 2 and 7, appendices B.4 and B.5",))
RTT = 100 * MS
#: Size in bytes of a packet with only an ACK frame.
ACK_ONLY_BYTES = 40


def acknowledged(b: StreamBuilder) -> None:
    """Send two packets that are not in flight, and let a later frame acknowledge them while the window is full."""
    b.send(0, 10)
    b.send(10 * MS, 2, ACK_ONLY_BYTES, not_in_flight=True)
    b.expect(cwnd_bytes=12_000)
    b.ack(RTT, (0, 9))
    b.send(RTT, 20)
    b.ack_not_in_flight(RTT + 10 * MS, (10, 11))
    b.expect(outcome="unchanged", cwnd_bytes=24_000)
    b.ack(2 * RTT, (12, 31))
    b.expect(outcome="grown", cwnd_bytes=48_000)


for _algorithm, _profile in (("slow-start", "rfc-9002"), ("cubic", "rfc-9438")):
    CATALOGUE.add(
        f"{_algorithm}.not-in-flight.acknowledged",
        "The ACK of packets that are not in flight does not grow the window",
        """Ten packets are acknowledged: 12000 + 10 * 1200 = 24000, and twenty packets fill this window. Then the peer acknowledges
        packets 10 and 11, which contain only ACK frames: the window stays 24000. A sender that counts their bytes has
        24000 + 2 * 40 = 24080, and a sender that counts each as a datagram 24000 + 2 * 1200 = 26400. The ACK of the twenty packets makes it 24000 + 20 * 1200 = 48000.""",
        profiles=(_profile,),
    )(acknowledged)

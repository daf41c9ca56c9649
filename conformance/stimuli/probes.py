"""A first flight with a PMTU probe that is lost, for the algorithms of QUIC (RFC 9000, section 14.4)."""

from firstflight_conformance.format.builder import MS, StreamBuilder

RTT = 100 * MS
SOURCES = ("RFC 9000, section 14.4", "RFC 8899, section 3")
#: Size of a probe, in bytes, where datagrams have 1200.
PROBE_BYTES = 1400


def send_flight(b: StreamBuilder) -> None:
    """Send packets 0 to 4, the probe 5 of 1400 bytes, and packets 6 to 8: 11000 bytes fill a window of 12000."""
    b.send(0, 5)
    b.send(0, 1, PROBE_BYTES, pmtu_probe=True)
    b.send(0, 3)


def lose_probe(b: StreamBuilder) -> None:
    """Acknowledge eight packets of the first flight, and declare the probe lost."""
    send_flight(b)
    b.ack(RTT, (0, 4), (6, 8))
    b.lose(RTT, (5, 5), pmtu_probe=True)

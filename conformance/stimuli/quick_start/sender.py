"""Shared by the stimuli of Quick-Start: profiles, sources, and the approved window.

Defaults: datagrams of 1000 bytes, packets of 1040 bytes, an RTT of the handshake of 100 ms, an initial window
of 10000. At 5.12 Mbit/s a packet takes 1.625 ms: QS-cwnd is 61 packets.
"""

from firstflight_conformance.format.builder import MS, US, StreamBuilder

RFC, REFUSED, DATA, SCHARF, NS2 = "rfc-4782", "rfc-4782-refused", "rfc-4782-data", "networking-2009", "ns-2"
SOURCE = "RFC 4782, section 4.4"
RTT = 100 * MS
GAP = 1625 * US


def ready(b: StreamBuilder, rtt_ns: int | None = RTT) -> None:
    """Announce a megabyte of data after the handshake."""
    b.backlog(0, 10**6, 10**6, rtt_ns)


def paced(b: StreamBuilder, packets: int, *, from_ns: int = 0) -> None:
    """Send packets at the approved rate."""
    for index in range(packets):
        b.send(from_ns + index * GAP, 1)

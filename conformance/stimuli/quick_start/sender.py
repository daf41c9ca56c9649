"""What the stimuli of Quick-Start share: profiles, sources, and the window that is approved.

Datagrams have 1000 bytes and packets 1040, the RTT of the handshake is 100 ms and the initial window 10000, unless the text says
otherwise. At 5.12 Mbit/s a packet takes 1.625 ms: QS-cwnd is 61 packets.
"""

from firstflight_conformance.format.builder import MS, US, StreamBuilder

RFC, REFUSED, DATA, SCHARF, NS2 = "rfc-4782", "rfc-4782-refused", "rfc-4782-data", "networking-2009", "ns-2"
SOURCE = "RFC 4782, section 4.4"
RTT = 100 * MS
GAP = 1625 * US


def ready(b: StreamBuilder, rtt_ns: int | None = RTT) -> None:
    """Let a megabyte be ready to be sent after the handshake."""
    b.backlog(0, 10**6, 10**6, rtt_ns)


def paced(b: StreamBuilder, packets: int, *, from_ns: int = 0) -> None:
    """Send packets at the approved rate."""
    for index in range(packets):
        b.send(from_ns + index * GAP, 1)

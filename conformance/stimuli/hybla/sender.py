"""Shared by the stimuli of Hybla: profiles, sources, and packets that return after one RTT.

Defaults: datagrams of 1000 bytes and an initial window of ten; packets leave a millisecond apart.
"""

from firstflight_conformance.format.builder import MS, S, StreamBuilder

LINUX, NS3 = "linux", "ns-3"
ALL = (LINUX, NS3)
SOURCES = (
    "torvalds/linux, net/ipv4/tcp_hybla.c",
    "nsnam/ns-3-dev-git, src/internet/model/tcp-hybla.cc",
)


def flight(b: StreamBuilder, start_ns: int, packets: int, size_bytes: int | None = None) -> int:
    """Send packets a millisecond apart; return the number of the first."""
    first = b.ledger.next_packet
    for index in range(packets):
        b.send(start_ns + index * MS, 1, size_bytes)
    return first


def back(b: StreamBuilder, start_ns: int, first: int, packets: int, rtt_ns: int) -> None:
    """Acknowledge packets of a flight that began at a time, each after the RTT."""
    for index in range(packets):
        b.ack(start_ns + index * MS + rtt_ns, (first + index, first + index))


def into_avoidance(b: StreamBuilder, packets: int = 10) -> int:
    """Bring a window of 40000 into congestion avoidance with 20050, at 100 ms; return the next packet in flight.

    Packet 0 is lost, packets 1 to 3 return in recovery, and the packet that ends it grows the window as NewReno does.
    """
    rtt_ns = 100 * MS
    flight(b, 0, 4)
    b.lose(90 * MS, (0, 0))
    back(b, MS, 1, 3, rtt_ns)
    first = flight(b, S, packets + 1)
    back(b, S, first, 1, rtt_ns)
    b.expect(outcome="grown_avoidance", cwnd_bytes=20_050, ssthresh_bytes=20_000)
    return first + 1

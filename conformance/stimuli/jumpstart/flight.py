"""Streams for JumpStart: a first flight that follows the schedule."""

from firstflight_conformance.format.builder import MS, StreamBuilder
from firstflight_conformance.format.ledger import DataLedger

PFLDNET, FOOTNOTE, SCHARF, QUICLY, NS3 = (
    "pfldnet-2007", "pfldnet-2007-footnote", "scharf-2009", "quicly", "ns3-2025",
)  # fmt: skip
#: The usual RTT, and the gap of the usual flight of twenty packets.
RTT = 100 * MS
GAP = RTT // 20


def ready(
    b: StreamBuilder, queued_bytes: int = 20_000, receive_window_bytes: int = 100_000, rtt_ns: int | None = RTT
) -> None:
    """Announce data that is ready at once."""
    b.data = DataLedger()
    b.backlog(0, queued_bytes, receive_window_bytes, rtt_ns)


def paced(b: StreamBuilder, packets: int, *, of: int = 0, since_ns: int = 0, rtt_ns: int = RTT) -> None:
    """Send packets of a flight that began at ``since_ns``, each at its time: ``of`` in an RTT, if not all leave."""
    for index in range(packets):
        b.send(since_ns + index * rtt_ns // (of or packets), 1)


def jump(b: StreamBuilder, packets: int = 20) -> None:
    """Send the usual flight: ``packets`` of full size over the usual RTT."""
    ready(b, packets * b.max_datagram_size_bytes)
    paced(b, packets)


def lose_and_ack(b: StreamBuilder, t_ns: int, lost: tuple[int, int], *acked: tuple[int, int]) -> None:
    """Let one ACK frame reveal a loss: first the loss, then the ACK."""
    b.lose(t_ns, lost)
    b.ack(t_ns, *acked)


def lose_after_flight(b: StreamBuilder) -> None:
    """Send two packets, a flight of 20 that arrives, and 40 more packets; lose packet 22, the first of the 40."""
    b.data = DataLedger()
    b.send(0, 2)
    b.ack(RTT, (0, 1))
    b.backlog(RTT, 20_000, 100_000, RTT)
    paced(b, 20, since_ns=RTT)
    for packet in range(20):
        b.ack(2 * RTT + packet * GAP, (2 + packet, 2 + packet))
    b.expect(cwnd_bytes=40_000)
    b.send(3 * RTT, 40)
    lose_and_ack(b, 4 * RTT, (22, 22), (23, 29))
    b.expect(outcome="in_recovery", cwnd_bytes=20_000)

"""Hand-built stimuli of JumpStart: the end of the jump, and growth.

`why` derives the expectation. By default packets have 1000 bytes and the RTT of the handshake is
100 ms.
"""

from functools import partial

from firstflight_conformance.format.builder import MS, StreamBuilder
from firstflight_conformance.format.ledger import DataLedger
from generate.catalogue import Catalogue
from stimuli.jumpstart.flight import (
    GAP,
    NS3,
    PFLDNET,
    QUICLY,
    RTT,
    SCHARF,
    jump,
    paced,
    ready,
)

CATALOGUE = Catalogue(PFLDNET, sources=("Liu et al., PFLDnet 2007", "Scharf, Networking 2009"))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=10_000)


@add(
    "jumpstart.growth.clean",
    "Twenty packets in one RTT without a loss: slow start continues from there",
    """D = 20, one packet every 100 / 20 = 5 ms. Twenty ACKs then grow the window from 20000 to 40000: the threshold is
    still infinite. A threshold equal to the window leaves it near 20000. In ns3-2025 window and threshold are 65536
    at once. The window was never full, so it stays. quicly has 20000 in flight at the first ACK and grows to 40000
    too.""",
    profiles=(PFLDNET, SCHARF, QUICLY, NS3),
    flags=("paced",),
)
def growth_clean(b: StreamBuilder) -> None:
    jump(b)
    for packet in range(20):
        b.ack(RTT + packet * GAP, (packet, packet))
    b.expect(profile=(PFLDNET, SCHARF, QUICLY), cwnd_bytes=40_000)
    b.expect(profile=NS3, cwnd_bytes=65_536, ssthresh_bytes=65_536)
    b.expect(profile=PFLDNET, at=0, cwnd_bytes=20_000, planned_packets=20)


@add(
    "jumpstart.end.first-ack",
    "An ACK during the flight ends the jump, and the window stays",
    """The RTT shrank: the ACK of packet 0 comes after 12 packets, at 58 ms. The jump and its pacing end, and the
    window is 20000 + 1000 = 21000. With the bytes in flight as window it would be 12000 + 1000. For scharf-2009 pacing continues: packet 12 is due at 60 ms.""",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def end_first_ack(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 12, of=20)
    b.ack(58 * MS, (0, 0))
    b.expect(profile=PFLDNET, cwnd_bytes=21_000, outcome="jump_ended", next_release_ns=None)
    b.expect(profile=SCHARF, next_release_ns=1_060_000_000)
    b.send(60 * MS, 8)


@add(
    "jumpstart.end.window-update",
    "A window update does not end the jump",
    "At 27 ms, after six packets, the receive window grows to 200000 bytes: pacing continues, and packet 6 is due at 30 ms.",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def end_window_update(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 6, of=20)
    b.backlog(27 * MS, 14_000, 200_000)
    b.expect(outcome="jump_kept", next_release_ns=1_030_000_000)
    b.send(30 * MS, 1)


@add(
    "jumpstart.end.handshake-ack",
    "An ACK of an older packet does not end the jump",
    """A handshake packet of 100 bytes left before the flight, which begins with packet 1. Its ACK at 12 ms grows the
    window by 100 bytes to 20100, and pacing continues: packet 3 of the flight is due at 15 ms. An implementation that
    ends the jump at any ACK stops here.""",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def end_handshake_ack(b: StreamBuilder) -> None:
    b.data = DataLedger()
    b.send(0, 1, 100)
    b.backlog(0, 20_000)
    paced(b, 3, of=20)
    b.ack(12 * MS, (0, 0))
    b.expect(profile=PFLDNET, cwnd_bytes=20_100, next_release_ns=1_015_000_000)
    b.send(15 * MS, 1)
    b.ack(106 * MS, (1, 1))
    b.expect(profile=PFLDNET, outcome="jump_ended")


@add(
    "jumpstart.end.selective-ack",
    "An ACK beyond a hole ends the jump",
    """Packet 0 is lost; the cumulative part of the ACK at 58 ms ends before packet 0. The ACK of packet 1 still ends
    the jump. The window grows to 21000.""",
    flags=("paced",),
)
def end_selective_ack(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 12, of=20)
    b.ack(58 * MS, (1, 1))
    b.expect(outcome="jump_ended", cwnd_bytes=21_000, next_release_ns=None)


@add(
    "jumpstart.growth.stretch-ack",
    "One ACK for the whole flight: bytes or ACKs",
    "Counting bytes the window grows by 20000 to 40000, counting ACKs (scharf-2009) by one packet to 21000.",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def growth_stretch_ack(b: StreamBuilder) -> None:
    jump(b)
    b.ack(RTT + 19 * GAP, (0, 19))
    b.expect(profile=PFLDNET, cwnd_bytes=40_000)
    b.expect(profile=SCHARF, cwnd_bytes=21_000)


@add(
    "jumpstart.growth.delayed-acks",
    "An ACK for every second packet: bytes or ACKs",
    """Ten ACKs of two packets. Counting bytes the window becomes 40000, counting ACKs (scharf-2009) 20000 + 10 * 1000 =
    30000.""",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def growth_delayed_acks(b: StreamBuilder) -> None:
    jump(b)
    for packet in range(0, 20, 2):
        b.ack(RTT + (packet + 1) * GAP, (packet, packet + 1))
    b.expect(profile=PFLDNET, cwnd_bytes=40_000)
    b.expect(profile=SCHARF, cwnd_bytes=30_000)


@add(
    "jumpstart.growth.app-limited",
    "App-limited ACKs do not grow the window after the jump either",
    "The application had only the data of the flight: its ACKs are app-limited, and the window stays 20000.",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def growth_app_limited(b: StreamBuilder) -> None:
    jump(b)
    b.ack(RTT, (0, 0), app_limited=True)
    b.pto(RTT + MS)
    b.expect(cwnd_bytes=20_000)

"""Hand-built stimuli of the base controller that counts ACKs. With both profiles `why` gives both numbers."""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue

CATALOGUE = Catalogue("ack-counting", sources=("RFC 5681, section 3.1",))
add = CATALOGUE.add

RTT = 100 * MS
BOTH = ("rfc-9002", "ack-counting")


@add(
    "slow-start.acks.ack-of-two",
    "An ACK of two packets counts as one datagram",
    "12000 + 1200 = 13200; counting bytes 12000 + 2400 = 14400. The next two ACKs, of one packet each, add 1200 each: 14400 and 15600, or 15600 and 16800.",
    profiles=BOTH,
)
def acks_ack_of_two(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (0, 1))
    b.ack(RTT + MS, (2, 2))
    b.ack(RTT + 2 * MS, (3, 3))
    b.expect(profile="ack-counting", cwnd_bytes=15_600)
    b.expect(profile="rfc-9002", cwnd_bytes=16_800)


@add(
    "slow-start.acks.small-packet",
    "An ACK of less than a datagram counts its bytes",
    "min(300, 1200) = 300: 12300. An ACK of two runs of 300 and 500 bytes adds 800: 13100. An ACK of three packets of 500 adds at most 1200: 14300; counting bytes 14600.",
    profiles=BOTH,
)
def acks_small_packet(b: StreamBuilder) -> None:
    b.send_sizes(0, [(1, 300), (1, 300), (1, 100), (4, 500)])
    b.ack(RTT, (0, 0))
    b.ack(RTT + MS, (1, 1), (3, 3))
    b.ack(RTT + 2 * MS, (4, 6))
    b.expect(profile="ack-counting", cwnd_bytes=14_300)
    b.expect(profile="rfc-9002", cwnd_bytes=14_600)


@add(
    "slow-start.acks.avoidance",
    "In congestion avoidance an ACK of any size counts once",
    """12000 + 1200 for the ACK of three packets, 13200; the loss leaves 6600. After recovery an ACK of two packets adds floor(1440000 / 6600) = 218: 6818. An ACK of one packet
    adds floor(1440000 / 6818) = 211: 7029. Counting bytes it is 15600, 7800, 7800 + 184 + 180 = 8164, and 8340.""",
    profiles=BOTH,
)
def acks_avoidance(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (1, 3))
    b.lose(RTT, (0, 0))
    b.ack(RTT + MS, (4, 9))
    b.send(RTT + 5 * MS, 5)
    b.ack(2 * RTT + 5 * MS, (10, 11))
    b.ack(2 * RTT + 6 * MS, (12, 12))
    b.expect(profile="ack-counting", cwnd_bytes=7029)
    b.expect(profile="rfc-9002", cwnd_bytes=8340)


@add(
    "slow-start.acks.at-least-one-byte",
    "In congestion avoidance an ACK adds at least one byte",
    "4000000 falls to 2000000, more than 1200 * 1200 = 1440000: the quotient is 0, and an ACK adds 1: 2000001, then 2000002.",
    initial_window_bytes=4_000_000,
)
def acks_at_least_one_byte(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.lose(RTT, (0, 0))
    b.send(RTT + MS, 3)
    b.ack(2 * RTT + MS, (10, 10))
    b.ack(2 * RTT + 2 * MS, (11, 12))
    b.expect(cwnd_bytes=2_000_002)


@add(
    "slow-start.acks.before-recovery",
    "An ACK of packets sent before recovery does not count, an ACK of older and newer packets counts once",
    """12000 falls to 6000. The ACK of packets 1 to 8 does not grow it. The ACK of packet 9, sent before recovery, and packet 10, sent after it began, counts once: 6000 + 1440000 / 6000 = 6240.""",
)
def acks_before_recovery(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.lose(RTT, (0, 0))
    b.ack(RTT, (1, 8))
    b.send(RTT + MS, 2)
    b.ack(2 * RTT + MS, (9, 10))
    b.expect(at=b.acked(8), cwnd_bytes=6000)
    b.expect(cwnd_bytes=6240)


@add(
    "slow-start.acks.threshold",
    "The ACK that reaches the threshold counts in full, the next ACK is in congestion avoidance",
    """12000 falls to 6000, persistent congestion leaves 2400. ACKs add 1200: 3600, 4800, 6000, the threshold. The next ACK adds 1440000 / 6000 = 240: 6240.""",
)
def acks_threshold(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.lose(RTT, (0, 3))
    b.persistent_congestion(RTT)
    for packet in (4, 5, 6, 7):
        b.ack(RTT + packet * MS, (packet, packet))
    b.expect(at=b.acked(6), cwnd_bytes=6000)
    b.expect(cwnd_bytes=6240)


@add(
    "slow-start.acks.app-limited",
    "An app-limited ACK does not count",
    "12000 stays at an app-limited ACK, and becomes 13200 at the next ACK.",
)
def acks_app_limited(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (0, 1), app_limited=True)
    b.ack(RTT + MS, (2, 3))
    b.expect(at=b.acked(1), cwnd_bytes=12_000)
    b.expect(cwnd_bytes=13_200)


@add(
    "slow-start.acks.maximum",
    "Growth by ACKs saturates at 2^62 - 1 bytes",
    "1000 bytes below 2^62 - 1 an ACK of a packet of 1200 brings the window there, and it stays at the next ACK.",
    initial_window_bytes=2**62 - 1001,
)
def acks_maximum(b: StreamBuilder) -> None:
    b.send(0, 2)
    b.ack(RTT, (0, 0))
    b.ack(RTT + MS, (1, 1))
    b.expect(cwnd_bytes=4611686018427387903)

"""Hand-built stimuli of the base controller: congestion avoidance.

For gold vectors `why` derives the expectation.
"""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.newreno.recovery import RTT, enter_recovery

CATALOGUE = Catalogue("rfc-9002", sources=("RFC 9002, section 7 and appendix B",))
add = CATALOGUE.add


@add(
    "slow-start.avoidance.per-packet",
    "Congestion avoidance grows for each packet by its share, rounded down",
    """At 7800: 7800 + floor(1440000 / 7800) = 7800 + 184 = 7984; the next packet of the same ACK: 7984 + floor(1440000
    / 7984) = 7984 + 180 = 8164. Both at once would give 7800 + floor(2880000 / 7800) = 8169.""",
)
def avoidance_per_packet(b: StreamBuilder) -> None:
    enter_recovery(b)
    b.ack(RTT + MS, (4, 9))
    b.send(RTT + 5 * MS, 6)
    b.ack(2 * RTT + 5 * MS, (10, 11))
    b.expect(cwnd_bytes=8164)


@add(
    "slow-start.avoidance.one-datagram-per-window",
    "A window of packets acknowledged adds at most one datagram",
    """A loss right at the start leaves 12000 / 2 = 6000. Five full packets, one window, are acknowledged one by one:
    floor(1440000 / 6000) = 240, floor(1440000 / 6240) = 230, floor(1440000 / 6470) = 222, floor(1440000 / 6692) = 215,
    floor(1440000 / 6907) = 208. The window is 6000 + 240 + 230 + 222 + 215 + 208 = 7115, less than 6000 + 1200 =
    7200.""",
)
def avoidance_one_datagram_per_window(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.lose(RTT, (0, 0))
    b.ack(RTT + MS, (1, 9))
    b.send(RTT + 5 * MS, 5)
    for number in range(5):
        b.ack(2 * RTT + (5 + number) * MS, (10 + number, 10 + number))
    b.expect(cwnd_bytes=7115)


@add(
    "slow-start.avoidance.two-windows",
    "Congestion avoidance grows by about a datagram for each window",
    """12000 falls to 6000. Two flights of five packets of 1200 bytes are acknowledged one by one. The shares of the first
    are 6240 - 6000 = 240, then fewer, to 7115. The flight of 6000 leaves less than a datagram of that window. The
    shares of the second make 8072 - 7115 = 957. One byte for each window leaves 6000 + 2 = 6002.""",
)
def avoidance_two_windows(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.lose(100 * MS, (0, 0))
    b.ack(100 * MS, (1, 9))
    for first in (10, 15):
        sent_ns = (first - 9) * 101 * MS
        b.send(sent_ns, 5)
        for packet in range(first, first + 5):
            b.ack(sent_ns + 100 * MS + (packet - first) * MS, (packet, packet))
        b.expect(cwnd_bytes=7115 if first == 10 else 8072)


@add(
    "slow-start.avoidance.share-of-nothing",
    "A share below one byte does not grow the window",
    """The window is 20000000 after the loss. A packet of 1200 bytes adds floor(1440000 / 20000000) = 0, and so does a packet
    of 10 bytes: the window stays, though both count as acknowledged in congestion avoidance.""",
    initial_window_bytes=40_000_000,
)
def avoidance_share_of_nothing(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.lose(RTT, (0, 0))
    b.send_sizes(RTT + MS, [(1, 1200), (1, 10)])
    b.ack(2 * RTT + MS, (10, 10))
    b.ack(2 * RTT + 2 * MS, (11, 11))
    b.expect(outcome="grown_avoidance", cwnd_bytes=20_000_000)


@add(
    "slow-start.avoidance.small-packets",
    "In congestion avoidance a small packet adds its share of a datagram",
    """A loss right at the start leaves 12000 / 2 = 6000. Ten packets of 600 bytes fill the window, and an ACK of two adds
    floor(1200 * 600 / 6000) = 120 and floor(720000 / 6120) = 117: 6237. A stack that counts packets has
    6000 + floor(1440000 / 6000) = 6240 and 6240 + floor(1440000 / 6240) = 6470.""",
)
def avoidance_small_packets(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.lose(RTT, (0, 0))
    b.ack(RTT + MS, (1, 9))
    b.send(RTT + 5 * MS, 10, 600)
    b.ack(2 * RTT + 5 * MS, (10, 11))
    b.expect(cwnd_bytes=6237)


@add(
    "slow-start.avoidance.share-of-one",
    "A share of exactly one byte adds it",
    """The window is 1440000 after the loss. A packet of 1200 bytes adds 1440000 / 1440000 = 1: 1440001. The share of the next packet,
    1440000 / 1440001, is below one byte and does not count.""",
    initial_window_bytes=2_880_000,
)
def avoidance_share_of_one(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.lose(RTT, (0, 0))
    b.send(RTT + MS, 2)
    b.ack(2 * RTT + MS, (10, 10))
    b.ack(2 * RTT + 2 * MS, (11, 11))
    b.expect(cwnd_bytes=1_440_001)


@add(
    "slow-start.avoidance.huge-window",
    "Growth by one byte in windows beyond 31 bits",
    """A window of 2^32 bytes, filled with 65537 packets of 65535 bytes, falls to 2^31 = 2147483648. floor(2147483648 / 65535) = 32768 packets fill this
    window. Each ACK of a packet adds floor(65535 * 65535 / 2147483648) = floor(1.99994) = 1 byte: after four ACKs
    2147483652. With 31 bits the window is 1 byte after the first ACK.""",
    profiles=("rfc-9002", "ack-counting"),
    max_datagram_size_bytes=65_535,
    initial_window_bytes=2**32,
)
def avoidance_huge_window(b: StreamBuilder) -> None:
    b.send_bytes(0, 65_537 * 65_535)
    b.lose(RTT, (0, 0))
    b.expect(outcome="reduced", cwnd_bytes=2_147_483_648)
    b.ack(RTT, (1, 65_536))
    b.send(RTT + MS, 32_768)
    for packet in range(4):
        b.ack(2 * RTT + MS, (65_537 + packet, 65_537 + packet))
        b.expect(cwnd_bytes=2_147_483_649 + packet)

"""Hand-built stimuli of the base controller: changes of the maximum datagram size. `why` derives the expectation."""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.probes import RTT

CATALOGUE = Catalogue("rfc-9002", sources=("RFC 9002, section 7.2", "RFC 8899, section 3"))
add = CATALOGUE.add


def grow_datagrams(b: StreamBuilder) -> None:
    """Acknowledge a window of 12000 bytes, take datagrams of 1400 bytes instead of 1200, and acknowledge two of them."""
    b.send(0, 10)
    b.ack(RTT, (0, 9))
    b.datagram_size(RTT + MS, 1400)
    b.send(RTT + 2 * MS, 17)
    b.ack(2 * RTT + 2 * MS, (10, 11))


def collapse_with_larger(b: StreamBuilder) -> None:
    """Lose all packets of ten until 900 ms; datagrams of 1500 bytes are the largest by then."""
    b.send(0, 5)
    b.send(500 * MS, 5)
    b.datagram_size(600 * MS, 1500)
    b.lose(900 * MS, (0, 9))
    b.persistent_congestion(900 * MS)


def shrink_in_handshake(b: StreamBuilder) -> None:
    """Find out in the handshake that datagrams of 1500 bytes do not arrive, and go on with 1200; one packet is acknowledged."""
    b.send(0, 1)
    b.datagram_size(RTT, 1200, handshake=True)
    b.send(RTT, 8)
    b.ack(2 * RTT, (1, 8))


@add(
    "slow-start.datagram-size.larger",
    "A larger maximum datagram size leaves the window in bytes as it is",
    """Ten packets are acknowledged: 12000 + 12000 = 24000. The maximum datagram size becomes 1400: 24000 stays. Two packets of
    that size add 2800: 26800. A window that counts packets would become 20 * 1400 = 28000, one that begins again
    10 * 1400 = 14000.""",
)
def larger(b: StreamBuilder) -> None:
    grow_datagrams(b)
    b.expect(at=2, outcome="unchanged", cwnd_bytes=24_000)
    b.expect(cwnd_bytes=26_800)


@add(
    "slow-start.datagram-size.minimum",
    "The minimum window follows the maximum datagram size",
    """Persistent congestion after the maximum datagram size became 1500: 2 * 1500 = 3000. With the size of the beginning the window
    would be 2 * 1200 = 2400.""",
    flags=("same-time-order",),
)
def minimum(b: StreamBuilder) -> None:
    collapse_with_larger(b)
    b.expect(outcome="collapsed", cwnd_bytes=3000)


@add(
    "slow-start.datagram-size.avoidance",
    "Growth in congestion avoidance follows the maximum datagram size",
    """12000 falls to 6000. The maximum datagram size becomes 1500. Four packets of 1500 bytes fill the window. The first adds
    floor(1500 * 1500 / 6000) = 375: 6000 + 375 = 6375. The second adds floor(2250000 / 6375) = 352: 6375 + 352 = 6727. The third adds
    floor(2250000 / 6727) = 334: 6727 + 334 = 7061. The fourth adds floor(2250000 / 7061) = 318: 7061 + 318 = 7379. With the size of
    the beginning the first would add 1200 * 1500 / 6000 = 300: 6000 + 300 = 6300. The second: 6300 + floor(1800000 / 6300) = 6585.
    The third: 6585 + floor(1800000 / 6585) = 6858. The fourth: 6858 + floor(1800000 / 6858) = 7120.""",
)
def avoidance(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.lose(RTT, (0, 0))
    b.ack(RTT, (1, 9))
    b.datagram_size(RTT + MS, 1500)
    b.send(RTT + 2 * MS, 4)
    b.ack(2 * RTT + 2 * MS, (10, 13))
    b.expect(at=3, outcome="unchanged", cwnd_bytes=6000)
    b.expect(cwnd_bytes=7379)


@add(
    "slow-start.datagram-size.handshake",
    "A size that decreases to complete the handshake brings the initial window of the new size",
    """The initial window of 1500 bytes is 14720. A packet of 1500 bytes does not arrive, and the handshake goes on with 1200: the window
    becomes 10 * 1200 = 12000. Eight packets are acknowledged: 12000 + 9600 = 21600. A sender that keeps the window
    has 14720, then 14720 + 9600 = 24320.""",
    max_datagram_size_bytes=1500,
    initial_window_bytes=None,
)
def handshake(b: StreamBuilder) -> None:
    shrink_in_handshake(b)
    b.expect(at=1, cwnd_bytes=12_000)
    b.expect(cwnd_bytes=21_600)

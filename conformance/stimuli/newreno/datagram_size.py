"""Hand-built stimuli of the base controller: changes of the maximum datagram size. `why` derives the expectation."""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.probes import RTT

CATALOGUE = Catalogue("rfc-9002", sources=("RFC 9002, section 7.2", "RFC 8899, section 3"))
add = CATALOGUE.add


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
    "slow-start.datagram-size.handshake-then-avoidance",
    "Growth in congestion avoidance follows a size that decreased in the handshake",
    """The initial window of 1500 bytes is 14720. A packet does not arrive, and the handshake continues with 1200: the window
    becomes 10 * 1200 = 12000. The loss of packets 0 and 1 leaves 6000. A packet of 1200 bytes adds floor(1200 * 1200 / 6000)
    = 240: 6240. With the first size it adds 1500 * 1200 / 6000 = 300: 6000 + 300 = 6300.""",
    max_datagram_size_bytes=1500,
    initial_window_bytes=None,
)
def handshake_then_avoidance(b: StreamBuilder) -> None:
    b.send(0, 1)
    b.datagram_size(RTT, 1200, handshake=True)
    b.send(RTT, 8)
    b.lose(2 * RTT, (0, 1))
    b.ack(2 * RTT, (2, 8))
    b.send(2 * RTT + MS, 3)
    b.ack(3 * RTT + MS, (9, 9))
    b.expect(at=1, cwnd_bytes=12_000)
    b.expect(at=3, cwnd_bytes=6000)
    b.expect(cwnd_bytes=6240)

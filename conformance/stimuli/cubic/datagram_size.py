"""Hand-built stimuli of CUBIC: changes of the maximum datagram size. `why` derives the expectation."""

from firstflight_conformance.format.builder import StreamBuilder
from generate.catalogue import Catalogue
from stimuli.newreno.datagram_size import collapse_with_larger, grow_datagrams, shrink_in_handshake

CATALOGUE = Catalogue("rfc-9438", sources=("RFC 9002, section 7.2", "RFC 8899, section 3"))
add = CATALOGUE.add


@add(
    "cubic.datagram-size.larger",
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
    "cubic.datagram-size.minimum",
    "The minimum window follows the maximum datagram size",
    """Persistent congestion after the maximum datagram size became 1500: 2 * 1500 = 3000. With the size of the beginning the window
    would be 2 * 1200 = 2400.""",
    flags=("same-time-order",),
)
def minimum(b: StreamBuilder) -> None:
    collapse_with_larger(b)
    b.expect(outcome="collapsed", cwnd_bytes=3000)


@add(
    "cubic.datagram-size.handshake",
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

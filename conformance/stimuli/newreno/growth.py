"""Hand-built stimuli of the base controller: windows and their growth.

Where the tier is gold, `why` derives the expectation.
"""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue

CATALOGUE = Catalogue("rfc-9002", sources=("RFC 9002, section 7 and appendix B",))
add = CATALOGUE.add

RTT = 100 * MS


@add(
    "slow-start.growth.ack-of-two",
    "One ACK of two packets grows the window by their bytes",
    "12000 + 2 * 1200 = 14400. A controller that counts ACKs gives 12000 + 1200 = 13200.",
)
def growth_ack_of_two(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (0, 1))
    b.expect(cwnd_bytes=14_400)


@add(
    "slow-start.growth.small-packets",
    "Growth counts the bytes of small packets, not packets",
    """Ten packets of 300 bytes, acknowledged in one ACK: 12000 + 10 * 300 = 15000. Counting packets of a full datagram
    gives 12000 + 10 * 1200 = 24000.""",
)
def growth_small_packets(b: StreamBuilder) -> None:
    b.send(0, 10, 300)
    b.ack(RTT, (0, 9))
    b.expect(cwnd_bytes=15_000)


@add(
    "slow-start.growth.gaps",
    "An ACK with a gap grows by the bytes of all its ranges",
    """Packets 0, 2..3 and 6: 12000 + 4 * 1200 = 16800. Counting from the lowest to the largest acknowledged gives 12000
    + 7 * 1200 = 20400.""",
)
def growth_gaps(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (0, 0), (2, 3), (6, 6))
    b.expect(cwnd_bytes=16_800)


@add(
    "slow-start.growth.doubling",
    "A fully used window doubles each round trip",
    "12000, then 24000 after all ten packets, then 48000 after the next twenty: each acknowledged byte adds one byte.",
)
def growth_doubling(b: StreamBuilder) -> None:
    b.send(0, 10)
    for first in range(0, 10, 2):
        b.ack(RTT + first * MS, (first, first + 1))
        b.send(RTT + first * MS, 4)
    for first in range(10, 30, 2):
        b.ack(2 * RTT + first * MS, (first, first + 1))
    b.expect(at=b.acked(9), cwnd_bytes=24_000)
    b.expect(cwnd_bytes=48_000)


@add(
    "slow-start.growth.different-sizes",
    "One ACK of packets of different sizes adds up their bytes",
    "1200 + 500 + 77 = 1777 acknowledged: 12000 + 1777 = 13777.",
)
def growth_different_sizes(b: StreamBuilder) -> None:
    b.send_sizes(0, [(1, 1200), (1, 500), (1, 77)])
    b.ack(RTT, (0, 2))
    b.expect(cwnd_bytes=13_777)


@add(
    "slow-start.window.initial-1200",
    "The recommended initial window for datagrams of 1200 bytes",
    "Ten datagrams are 12000 bytes, less than max(14720, 2 * 1200) = 14720: 12000.",
    initial_window_bytes=None,
)
def window_initial_1200(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.expect(cwnd_bytes=12_000)


@add(
    "slow-start.window.initial-1500",
    "The recommended initial window for datagrams of 1500 bytes",
    "Ten datagrams are 10 * 1500 = 15000 bytes, more than max(14720, 2 * 1500) = 14720: 14720.",
    initial_window_bytes=None,
    max_datagram_size_bytes=1500,
)
def window_initial_1500(b: StreamBuilder) -> None:
    b.send(0, 9)
    b.expect(cwnd_bytes=14_720)


@add(
    "slow-start.window.initial-9000",
    "The recommended initial window for datagrams of 9000 bytes",
    "Ten datagrams are 10 * 9000 = 90000 bytes, more than max(14720, 2 * 9000) = 18000: 18000.",
    initial_window_bytes=None,
    max_datagram_size_bytes=9000,
)
def window_initial_9000(b: StreamBuilder) -> None:
    b.send(0, 2)
    b.expect(cwnd_bytes=18_000)


@add(
    "slow-start.window.maximum",
    "Growth saturates at 2^62 - 1 bytes",
    """The window begins 1000 bytes below 2^62 - 1 = 4611686018427387903; the ACK of 1200 bytes would pass it, and the
    window stays at it. It guards against overflow, no real window comes near.""",
    initial_window_bytes=2**62 - 1001,
)
def window_maximum(b: StreamBuilder) -> None:
    b.send(0, 2)
    b.ack(RTT, (0, 0))
    b.ack(RTT + MS, (1, 1))
    b.expect(at=b.acked(0), cwnd_bytes=4611686018427387903)
    b.expect(cwnd_bytes=4611686018427387903)


@add(
    "slow-start.app-limited.no-growth",
    "An app-limited ACK does not grow the window",
    """Two packets of a window of ten: the ACK says app_limited, and the window stays 12000. Growth would give 12000 + 2
    * 1200 = 14400.""",
)
def app_limited_no_growth(b: StreamBuilder) -> None:
    b.send(0, 2, app_limited=True)
    b.ack(RTT, (0, 1), app_limited=True)
    b.expect(outcome="app_limited", cwnd_bytes=12_000)


@add(
    "slow-start.app-limited.growth-resumes",
    "Growth resumes with the first ACK that is not app-limited",
    """Two app-limited packets add nothing. Then ten fill the window, and the ACK of two of them gives 12000 + 2400 =
    14400.""",
)
def app_limited_growth_resumes(b: StreamBuilder) -> None:
    b.send(0, 2, app_limited=True)
    b.ack(RTT, (0, 1), app_limited=True)
    b.send(RTT, 10)
    b.ack(2 * RTT, (2, 3))
    b.expect(at=b.acked(0), cwnd_bytes=12_000)
    b.expect(cwnd_bytes=14_400)


@add(
    "slow-start.sent.no-change",
    "Sending changes no window",
    "Ten packets in five events, each with the window and the threshold as they were: 12000 and infinite.",
)
def sent_no_change(b: StreamBuilder) -> None:
    for step in range(5):
        b.send(step * MS, 2)
    b.expect(outcome="sent", cwnd_bytes=12_000, ssthresh_bytes=None)


@add(
    "slow-start.pto.no-change",
    "An expired probe timer changes no window",
    "The timer expires twice before the first ACK: 12000 stays, and the ACK of two packets then gives 14400.",
)
def pto_no_change(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.pto(300 * MS)
    b.pto(900 * MS)
    b.ack(1000 * MS, (0, 1))
    b.expect(at=2, outcome="unchanged", cwnd_bytes=12_000)
    b.expect(cwnd_bytes=14_400)


@add(
    "slow-start.rtt.rising",
    "An RTT that rises by half does not end slow start",
    """RFC 9002 knows no exit by delay: while the RTT rises from 100 to 150 ms each acknowledged byte adds a byte. A
    stack with HyStart or the like leaves slow start here.""",
)
def rtt_rising(b: StreamBuilder) -> None:
    b.send(0, 10)
    for packet in range(10):
        b.ack(RTT + packet * MS, (packet, packet))
        b.send(RTT + packet * MS, 2)
    for packet in range(10, 30):
        at = 2 * RTT + (packet - 10) * 3 * MS
        b.ack(at, (packet, packet))
        b.send(at, 2)
    for packet in range(30, 70):
        b.ack(3 * RTT + 50 * MS + (packet - 30) * 3 * MS, (packet, packet))
    b.expect(cwnd_bytes=96_000, phase="slow_start")

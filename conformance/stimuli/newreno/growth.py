"""Hand-built stimuli of the base controller: windows and their growth.

For gold vectors `why` derives the expectation.
"""

from firstflight_conformance.format.builder import MS, US, StreamBuilder
from generate.catalogue import Catalogue

CATALOGUE = Catalogue("rfc-9002", sources=("RFC 9002, section 7 and appendix B",))
add = CATALOGUE.add

RTT = 100 * MS


def send_bursts(b: StreamBuilder, t_ns: int, count: int) -> None:
    """Send app-limited bursts of three and four packets in turn, each acknowledged by one ACK."""
    for index in range(count):
        packets, sent_ns = 3 + index % 2, t_ns + index * RTT
        first = b.ledger.next_packet
        b.send(sent_ns, packets, app_limited=True)
        b.ack(sent_ns + RTT // 2, (first, first + packets - 1), app_limited=True)


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
    """The window begins 1000 bytes below 2^62 - 1 = 4611686018427387903; the ACK of 1200 bytes would pass it, and the window
    stops there. The limit guards against overflow; real windows are far below.""",
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
    """Two packets of a window of ten: the ACK is app-limited, and the window stays 12000. Growth would give 12000 + 2
    * 1200 = 14400.""",
)
def app_limited_no_growth(b: StreamBuilder) -> None:
    b.send(0, 2, app_limited=True)
    b.ack(RTT, (0, 1), app_limited=True)
    b.expect(outcome="app_limited", cwnd_bytes=12_000)


@add(
    "slow-start.app-limited.growth-resumes",
    "Growth resumes with the first ACK that is not app-limited",
    """Two app-limited packets do not grow the window. Then ten fill the window, and the ACK of two of them gives 12000 + 2400 =
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
    "slow-start.app-limited.bursts",
    "Bursts of three and four packets do not grow a window of ten",
    """Nine bursts of three and four packets in turn, each with one ACK: 12000 stays. A controller that treats a burst
    of three as a used window has 12000 + 31 * 1200 = 49200. Twice the largest flight, here the initial window, is 2 *
    12000 = 24000.""",
)
def app_limited_bursts(b: StreamBuilder) -> None:
    send_bursts(b, 0, 9)
    b.expect(outcome="app_limited", cwnd_bytes=12_000)


@add(
    "slow-start.app-limited.long-bursts",
    "Bursts of nineteen packets do not grow a window of forty",
    """Four bursts of nineteen packets, less than half of the window, each acknowledged packet by packet: 48000 stays.
    Growth would give 48000 + 4 * 19 * 1200 = 139200, and twice the largest flight is 2 * 48000 = 96000.""",
    initial_window_bytes=48_000,
)
def app_limited_long_bursts(b: StreamBuilder) -> None:
    for index in range(4):
        first, t_ns = 19 * index, index * RTT
        b.send(t_ns, 19, app_limited=True)
        for packet in range(first, first + 19):
            b.ack(t_ns + RTT // 2 + packet * US, (packet, packet), app_limited=True)
    b.expect(outcome="app_limited", cwnd_bytes=48_000)


@add(
    "slow-start.app-limited.bursts-in-avoidance",
    "Bursts of three and four packets do not grow the window in congestion avoidance",
    """The loss of six packets of twelve halves 14400: 7200, and six packets in flight fill it. Their ACK in recovery leaves
    7200. Bursts of three and four packets end recovery and leave 7200 as well. Growth would add 1200 * 1200 / 7200 = 200
    for the first of 28 packets and less for each later one. The largest flight since the loss and a datagram are
    7200 + 1200 = 8400.""",
    initial_window_bytes=14_400,
)
def app_limited_bursts_in_avoidance(b: StreamBuilder) -> None:
    b.send(0, 12)
    b.lose(RTT, (0, 5))
    b.ack(RTT + MS, (6, 11))
    send_bursts(b, 2 * RTT, 8)
    b.expect(at=b.acked(11), outcome="in_recovery", cwnd_bytes=7_200)
    b.expect(outcome="app_limited", cwnd_bytes=7_200)


@add(
    "slow-start.sent.no-change",
    "Sending does not change the window",
    "Ten packets in five events, each with the same window and threshold: 12000 and infinite.",
)
def sent_no_change(b: StreamBuilder) -> None:
    for step in range(5):
        b.send(step * MS, 2)
    b.expect(outcome="sent", cwnd_bytes=12_000, ssthresh_bytes=None)


@add(
    "slow-start.pto.no-change",
    "An expired probe timer does not change the window",
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
    """RFC 9002 does not define an exit by delay: while the RTT rises from 100 to 150 ms each acknowledged byte adds a byte. A
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

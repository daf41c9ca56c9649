"""Hand-built stimuli of HyStart++: the growth of the window in slow start.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from firstflight_conformance.format.builder import MS, US, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.clocked import steps
from stimuli.hystartpp.sender import NGTCP2, RFC, UNPACED, clocked
from stimuli.newreno.growth import send_bursts

CATALOGUE = Catalogue(RFC, UNPACED, NGTCP2, sources=("RFC 9406, section 4.2",))
add = CATALOGUE.add


@add(
    "hystartpp.growth.limit",
    "L: an ACK of twelve packets adds twelve, or eight",
    """The initial window has 24 packets, acknowledged twelve at a time. A paced sender is not limited: 28800 + 14400
    = 43200. An unpaced sender adds at most L = 8 datagrams, 9600: 38400 and 48000.""",
    profiles=(UNPACED,),
    initial_window_bytes=28800,
    sources=("RFC 9406, section 4.3",),
)
def growth_limit(b: StreamBuilder) -> None:
    clocked(b, UNPACED).run(until=47, packets=12, gap_ns=100 * US)
    b.expect(at=b.acked(11), cwnd_bytes=38_400)
    b.expect(at=b.acked(23), cwnd_bytes=48_000)


@add(
    "hystartpp.growth.no-limit",
    "A paced sender is not limited",
    "As in hystartpp.growth.limit with L infinite: an ACK of twelve packets adds 14400. From 28800 to 43200 and 57600.",
    profiles=(RFC, NGTCP2),
    initial_window_bytes=28800,
    sources=("RFC 9406, section 4.3",),
)
def growth_no_limit(b: StreamBuilder) -> None:
    clocked(b).run(until=47, packets=12, gap_ns=100 * US)
    b.expect(at=b.acked(11), cwnd_bytes=43_200)
    b.expect(at=b.acked(23), cwnd_bytes=57_600)


@add(
    "hystartpp.growth.limit-exact",
    "An ACK of exactly eight packets is not limited",
    """8 * 1200 = 9600 is the limit itself: from 19200 to 28800, and to 38400. Nine packets, 10800 bytes, add 9600 as
    well: 48000.""",
    profiles=(UNPACED,),
    initial_window_bytes=19200,
    sources=("RFC 9406, section 4.3",),
)
def growth_limit_exact(b: StreamBuilder) -> None:
    c = clocked(b, UNPACED)
    c.begin(gap_ns=100 * US)
    c.ack(8)
    c.ack(8)
    c.ack(9)
    b.expect(at=b.acked(7), cwnd_bytes=28_800)
    b.expect(at=b.acked(15), cwnd_bytes=38_400)
    b.expect(at=b.acked(16), cwnd_bytes=48_000)


@add(
    "hystartpp.growth.app-limited",
    "App-limited ACKs do not grow the window, but give samples",
    """When round 2 is over, the sender has at most eight packets for a window of 12000 + 30 * 1200 = 48000, and
    the RTT is 130 ms. The window stays, yet the eighth sample, packet 37, begins CSS. A sender that skips these ACKs is in slow start until it has eight other samples. The ACKs from 38 on are not limited, and add 1200 / 4 = 300 each.""",
)
def growth_app_limited(b: StreamBuilder) -> None:
    c = clocked(b).run((30, 130 * MS), until=9)
    c.ack_until(29, fill=False)
    c.ack_app_limited(8)
    c.fill(c.now_ns)
    c.ack_until(41)
    b.expect(at=b.acked(37), outcome="conservative_begun", cwnd_bytes=48_000)
    b.expect(at=b.acked(38), cwnd_bytes=48_300)


@add(
    "hystartpp.growth.bursts",
    "Bursts of three and four packets do not grow a window of ten",
    """Nine bursts of three and four packets in turn, each with one ACK, at the same RTT: 12000 stays. Growth would give
    12000 + 31 * 1200 = 49200, and twice the largest flight is 2 * 12000 = 24000.""",
)
def growth_bursts(b: StreamBuilder) -> None:
    send_bursts(b, 0, 9)
    b.expect(outcome="app_limited", cwnd_bytes=12_000)


@add(
    "hystartpp.growth.small-packets",
    "Bytes count, not packets",
    """Datagrams may have 1200 bytes, but the sent packets have 500. Each ACK adds 500 in slow start, and 500 / 4 = 125 in
    CSS, which begins at the eighth sample of round 2. Counting packets adds 1200, and 1200 / 4 = 300 in CSS.""",
    initial_window_bytes=5000,
)
def growth_small_packets(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (10, 130 * MS))
    for index in range(10):
        c.send(index * MS, 1, 500)
    for _ in range(22):
        c.ack(fill=False)
        while b.ledger.bytes_in_flight + 500 <= c.cwnd_bytes:
            c.send(c.now_ns, 1, 500)
    b.expect(at=b.acked(17), outcome="conservative_begun", cwnd_bytes=14_000)
    b.expect(at=b.acked(18), cwnd_bytes=14_125)


@add(
    "hystartpp.path.constant",
    "With a constant RTT HyStart++ behaves like slow start",
    "Four rounds at 100 ms: 12000, 24000, 48000, 96000, 192000. Every ACK adds 1200.",
)
def path_constant(b: StreamBuilder) -> None:
    clocked(b).run(until=149)
    b.expect(at=b.acked(149), outcome="grown", cwnd_bytes=192_000)

"""Hand-built stimuli of Hybla: slow start, and the measurement of rho.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from functools import partial

from firstflight_conformance.format.builder import MS, US, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.hybla.sender import ALL, LINUX, NS3, SOURCES, back, flight

CATALOGUE = Catalogue(*ALL, sources=SOURCES)
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=10_000)


@add(
    "hybla.slow-start.rho-four",
    "At 100 ms an ACK adds fifteen datagrams, in ns-3 three",
    """rho = 100 / 25 = 4: 2^4 - 1 = 15 datagrams, 10000 + 15 * 1000 = 25000 and 25000 + 15 * 1000 = 40000. The reference of ns-3
    is 50 ms: rho = 2, 2^2 - 1 = 3, 10000 + 3 * 1000 = 13000.""",
)
def slow_start_rho_four(b: StreamBuilder) -> None:
    flight(b, 0, 4)
    back(b, 0, 0, 2, 100 * MS)
    b.expect(at=b.acked(0), outcome="grown", cwnd_bytes=25_000, rho_fixed=4 * 65_536, profile=LINUX)
    b.expect(cwnd_bytes=40_000, profile=LINUX)
    b.expect(at=b.acked(0), cwnd_bytes=13_000, rho_fixed=2 * 65_536, profile=NS3)
    b.expect(cwnd_bytes=16_000, profile=NS3)


@add(
    "hybla.slow-start.short-path",
    "On a short path Hybla behaves like slow start",
    "20 / 25 is less than 1, the minimum rho: each ACK adds 2^1 - 1 = 1 datagram, 10000 + 2 * 1000 = 12000.",
)
def slow_start_short_path(b: StreamBuilder) -> None:
    flight(b, 0, 2)
    back(b, 0, 0, 2, 20 * MS)
    b.expect(outcome="grown", cwnd_bytes=12_000, rho_fixed=65_536, credit_fixed=0)


@add(
    "hybla.slow-start.eighths",
    "Linux rounds rho down to eighths, and keeps the remainder below a datagram",
    """8 * 40 / 25 = 12.8, so rho is 12 eighths, 1.5. A datagram has 2 * 64 = 128 parts. The table has floor(128 * 1.41421) = 181 for 2^0.5: 2 * 181 - 128 = 234 parts. That
    is a datagram, 11000, and 234 - 128 = 106 left, 106 * 512 = 54272 of 65536. The second ACK makes it 106 + 234 = 340: two datagrams, 13000, and 340 -
    256 = 84 left, 84 * 512 = 43008.""",
    profiles=(LINUX,),
    sources=SOURCES[:1],
)
def slow_start_eighths(b: StreamBuilder) -> None:
    flight(b, 0, 2)
    back(b, 0, 0, 2, 40 * MS)
    b.expect(at=b.acked(0), cwnd_bytes=11_000, rho_fixed=98_304, credit_fixed=54_272)
    b.expect(cwnd_bytes=13_000, credit_fixed=43_008)


@add(
    "hybla.slow-start.table",
    "The table of Linux rounds each power down",
    """8 * 47 / 25 = 15.04: 15 eighths. A datagram has 2 * 64 = 128 parts; the table has floor(128 * 1.834008) = 234 for 2^0.875, where
    128 * 1.834008 = 234.75302 is nearer to 234 + 1 = 235. Each ACK adds 2 * 234 - 128 = 340 parts. The first gains two datagrams, 12000. Three ACKs
    have 3 * 340 = 1020 parts: seven datagrams, 17000, with 1020 - 7 * 128 = 124 left, 124 * 512 = 63488. A table rounded to the nearest makes
    3 * (2 * 235 - 128) = 1026 parts and gains eight.""",
    profiles=(LINUX,),
    sources=SOURCES[:1],
)
def slow_start_table(b: StreamBuilder) -> None:
    flight(b, 0, 3)
    back(b, 0, 0, 3, 47 * MS)
    b.expect(at=b.acked(0), cwnd_bytes=12_000)
    b.expect(cwnd_bytes=17_000, credit_fixed=63_488)


@add(
    "hybla.slow-start.fraction-dropped",
    "ns-3 uses the RTT in whole milliseconds, and drops the fraction of a byte",
    """75.9 ms are 75: rho = 75 / 50 = 1.5, and each ACK adds floor(1.828427 * 1000) = 1828: 10000 + 3 * 1828 = 15484. With the fractions it would be
    floor(10000 + 3 * 1828.427) = 15485.""",
    profiles=(NS3,),
    sources=SOURCES[1:2],
)
def slow_start_fraction_dropped(b: StreamBuilder) -> None:
    flight(b, 0, 3)
    back(b, 0, 0, 3, 75_900 * US)
    b.expect(cwnd_bytes=15_484, rho_fixed=98_304)


@add(
    "hybla.slow-start.quotient",
    "In ns-3 rho is a quotient of milliseconds, and 2^rho is computed in doubles, to the byte",
    """rho = 161 / 50 = 3.22 and 2^3.22 = 9.317868692...: each ACK adds floor(8.317868692 * 1000) = 8317 bytes: 10000 + 3 * 8317 = 34951. In
    65536ths rho is floor(3.22 * 65536) = 211025 parts; in eighths it is 25, and an ACK would add floor(1000 * (8 * 139 / 128
    - 1)) = 7687.""",
    profiles=(NS3,),
    sources=SOURCES[1:2],
)
def slow_start_quotient(b: StreamBuilder) -> None:
    flight(b, 0, 3)
    back(b, 0, 0, 3, 161 * MS)
    b.expect(cwnd_bytes=34_951, rho_fixed=211_025)


@add(
    "hybla.slow-start.geo",
    "On a geostationary satellite path one ACK opens the window to its bound",
    """rho = 600 / 25 = 24, and the exponent is bounded by 16: 2^16 - 1 = 65535 datagrams for one ACK. The largest window of Linux is 65535 * 1000 = 65535000.
    In ns-3 rho = 12: 2^12 - 1 = 4095 datagrams, 10000 + 4095 * 1000 =
    4105000 and 4105000 + 4095 * 1000 = 8200000.""",
)
def slow_start_geo(b: StreamBuilder) -> None:
    flight(b, 0, 2)
    back(b, 0, 0, 1, 600 * MS)
    b.expect(cwnd_bytes=65_535_000, rho_fixed=24 * 65_536, profile=LINUX)
    b.expect(cwnd_bytes=4_105_000, profile=NS3)
    back(b, MS, 1, 1, 600 * MS)
    b.expect(cwnd_bytes=65_535_000, profile=LINUX)
    b.expect(cwnd_bytes=8_200_000, profile=NS3)


@add(
    "hybla.slow-start.bounds-of-rho",
    "Bounds of rho and of its exponent",
    """10 s are 10000 / 25 = 400 reference RTTs. rho stays below 256: 255 and seven eighths on Linux, 256 * 65536 - 8192 = 16769024 parts.
    For ns-3 it is 10000 / 50 = 200, 200 * 65536 = 13107200 parts. The exponent is bounded by 16, 2^16 - 1 = 65535 datagrams: 10000 + 65535 * 1000 = 65545000. ns-3 does not bound it: the conversion of 2^200 to 32 bits is undefined.""",
    tier="core",
    profiles=(LINUX, NS3),
)
def slow_start_bounds_of_rho(b: StreamBuilder) -> None:
    b.send(0, 1)
    b.ack(10_000 * MS, (0, 0))
    b.expect(rho_fixed=16_769_024, profile=LINUX)
    b.expect(rho_fixed=13_107_200, cwnd_bytes=65_545_000, profile=NS3)


@add(
    "hybla.rtt.smallest",
    "rho follows the smallest RTT, and never rises",
    """The first packet returns after 200 ms: rho = 8, 10000 + 255 * 1000 = 265000. The second returns after 100: the smoothed RTT is (7 * 200 + 100) / 8 = 187.5,
    rho = 187.5 / 25 = 7.5. The table has floor(128 * 1.41421) = 181 parts for the half, of 2 * 64 = 128. 128 * 181 / 128 - 1 = 180 datagrams, 265000 + 180 * 1000 = 445000. The third returns after 400 ms: rho stays, 445000 + 180 * 1000 = 625000. ns-3 has the minimum: 2^4 - 1 = 15, then 2^2 - 1 = 3 twice: 25000, 28000, 31000.""",
    profiles=(LINUX, NS3),
    sources=SOURCES[:2],
)
def rtt_smallest(b: StreamBuilder) -> None:
    at_ns = 0
    for index, rtt_ns in enumerate((200 * MS, 100 * MS, 400 * MS)):
        b.send(at_ns, 1)
        at_ns += rtt_ns
        b.ack(at_ns, (index, index))
    for packet, linux, ns3 in ((0, 265_000, 25_000), (1, 445_000, 28_000), (2, 625_000, 31_000)):
        b.expect(at=b.acked(packet), cwnd_bytes=linux, profile=LINUX)
        b.expect(at=b.acked(packet), cwnd_bytes=ns3, profile=NS3)


@add(
    "hybla.rtt.unknown",
    "Before the first RTT sample rho is 1",
    "The first ACK gives no RTT: it adds one datagram, 11000, in both profiles.",
)
def rtt_unknown(b: StreamBuilder) -> None:
    flight(b, 0, 2)
    b.ack(100 * MS, (0, 0), sample=False)
    b.expect(cwnd_bytes=11_000, rho_fixed=65_536, smallest_rtt_ns=None)


@add(
    "hybla.rtt.app-limited",
    "An app-limited ACK updates the RTT without growing the window",
    """rho becomes 4, and 10000 stays. The next ACK comes after 200 ms: the smoothed RTT is (7 * 100 + 200) / 8 = 112.5 ms. rho stays 4, and 15 * 1000
    are added: 25000. Without the first sample rho would be 112.5 / 25 = 4.5.""",
    profiles=(LINUX,),
)
def rtt_app_limited(b: StreamBuilder) -> None:
    b.send(0, 2, app_limited=True)
    b.ack(100 * MS, (0, 0), app_limited=True)
    b.expect(outcome="app_limited", cwnd_bytes=10_000, rho_fixed=4 * 65_536)
    b.ack(200 * MS, (1, 1))
    b.expect(cwnd_bytes=25_000)


@add(
    "hybla.unit.slow-start",
    "The growth at an ACK of four packets in slow start",
    """rho = 4. Linux and ns-3 count the ACK once: 10000 + 15 * 1000 = 25000, and with 50 ms 10000 + 3 * 1000 = 13000.""",
)
def unit_slow_start(b: StreamBuilder) -> None:
    b.send(0, 8)
    b.ack(100 * MS, (0, 3))
    b.expect(cwnd_bytes=25_000, profile=LINUX)
    b.expect(cwnd_bytes=13_000, profile=NS3)


@add(
    "hybla.unit.small-packets",
    "The growth at an ACK of half a datagram in slow start",
    "rho = 4, and packets have 500 bytes. Linux and ns-3 still add whole datagrams, 25000 and 13000.",
)
def unit_small_packets(b: StreamBuilder) -> None:
    b.send(0, 8, 500)
    b.ack(100 * MS, (0, 0))
    b.expect(cwnd_bytes=25_000, profile=LINUX)
    b.expect(cwnd_bytes=13_000, profile=NS3)

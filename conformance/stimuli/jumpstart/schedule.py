"""Hand-built stimuli of JumpStart: the schedule of the flight, and changes to it.

`why` derives the expectation. By default packets have 1000 bytes and the RTT of the handshake is
100 ms.
"""

from functools import partial

from firstflight_conformance.format.builder import MS, US, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.jumpstart.flight import FOOTNOTE, GAP, PFLDNET, RTT, SCHARF, paced, ready

CATALOGUE = Catalogue(PFLDNET, sources=("Liu et al., PFLDnet 2007", "Scharf, Networking 2009"))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=10_000)


@add(
    "jumpstart.pacing.sevenths",
    "The time of a packet is computed from its index",
    """D = 7: packet i leaves at floor(i * 100000000 / 7) ns: 14285714, 28571428, 42857142, 57142857, 71428571,
    85714285. Adding the rounded gap of 14285714 ns again and again is 1 ns short from the fourth packet on.""",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def pacing_sevenths(b: StreamBuilder) -> None:
    ready(b, 7000)
    paced(b, 7)
    b.expect(profile=PFLDNET, at=1, next_release_ns=1_014_285_714)
    b.expect(profile=PFLDNET, at=2, next_release_ns=1_028_571_428)
    b.expect(profile=PFLDNET, at=3, next_release_ns=1_042_857_142)
    b.expect(profile=PFLDNET, at=4, next_release_ns=1_057_142_857)
    b.expect(profile=PFLDNET, at=5, next_release_ns=1_071_428_571)
    b.expect(profile=PFLDNET, at=6, next_release_ns=1_085_714_285)


@add(
    "jumpstart.pacing.hundredths",
    "A long flight is spread over exactly one RTT",
    """D = 97 over 100 ms: packet 96 leaves at floor(96 * 100000000 / 97) = 98969072 ns. A gap of floor(100000000 / 97)
    = 1030927 ns added 96 times would give 96 * 1030927 = 98968992.""",
    flags=("paced",),
)
def pacing_hundredths(b: StreamBuilder) -> None:
    ready(b, 97_000)
    paced(b, 97)
    b.expect(at=96, next_release_ns=1_098_969_072)


@add(
    "jumpstart.pacing.short-rtt",
    "A short RTT gives short gaps",
    "20 packets in 200 us: one every 10 us. A clock in milliseconds would have a gap of 0.",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def pacing_short_rtt(b: StreamBuilder) -> None:
    ready(b, rtt_ns=200 * US)
    paced(b, 20, rtt_ns=200 * US)
    b.expect(at=1, next_release_ns=1_000_010_000)
    b.expect(at=19, next_release_ns=1_000_190_000)


@add(
    "jumpstart.pacing.long-rtt",
    "An RTT of more than 32 bits of nanoseconds spreads the flight",
    """20 packets in 6 s: one every 6000 / 20 = 300 ms, the last one 19 * 300 = 5700 ms after the first.""",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def pacing_long_rtt(b: StreamBuilder) -> None:
    ready(b, rtt_ns=6000 * MS)
    paced(b, 20, rtt_ns=6000 * MS)
    b.expect(at=1, next_release_ns=1_300_000_000)
    b.expect(at=19, next_release_ns=6_700_000_000)


@add(
    "jumpstart.pacing.small-flight",
    "A flight within an initial window: paced, or with the footnote at once",
    """D = 3, and 3 * 1000 < 4380. The text paces it: 0, 33.333333 and 66.666666 ms. With the footnote all three leave
    at the start.""",
    profiles=(PFLDNET, FOOTNOTE),
    flags=("paced",),
)
def pacing_small_flight(b: StreamBuilder) -> None:
    ready(b, 3000)
    paced(b, 3)
    b.ack(RTT, (0, 2))
    b.expect(profile=PFLDNET, at=1, next_release_ns=1_033_333_333)
    b.expect(profile=PFLDNET, at=2, next_release_ns=1_066_666_666)
    b.expect(profile=FOOTNOTE, at=1, next_release_ns=1_000_000_000)


@add(
    "jumpstart.pacing.small-flight-border",
    "The footnote ends at 4380 bytes",
    """D = 5 packets of 876 bytes are exactly 4380 bytes, and leave at once in the footnote's profile. The text paces
    them: 20 ms apart.""",
    profiles=(PFLDNET, FOOTNOTE),
    max_datagram_size_bytes=876,
    flags=("paced",),
)
def pacing_small_flight_border(b: StreamBuilder) -> None:
    ready(b, 4380)
    paced(b, 5)
    b.expect(profile=PFLDNET, at=1, next_release_ns=1_020_000_000)
    b.expect(profile=FOOTNOTE, at=1, next_release_ns=1_000_000_000)


@add(
    "jumpstart.pacing.above-small-flight",
    "One byte more than the footnote allows is paced",
    "Five packets of 877 bytes: 5 * 877 > 4380, so both profiles send one packet every 20 ms.",
    profiles=(PFLDNET, FOOTNOTE),
    max_datagram_size_bytes=877,
    flags=("paced",),
)
def pacing_above_small_flight(b: StreamBuilder) -> None:
    ready(b, 4385)
    paced(b, 5)
    b.expect(at=1, next_release_ns=1_020_000_000)


@add(
    "jumpstart.flight.frozen",
    "More data does not change a running flight",
    """After six packets, at 27 ms, the application writes: 20000 - 6 * 1000 + 50000 = 64000 bytes wait. D stays 20:
    packet 6 is due at 30 ms and packet 7 at 35 ms.""",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def flight_frozen(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 6, of=20)
    b.backlog(27 * MS, 64_000, 94_000)
    b.expect(outcome="jump_kept", planned_packets=20, next_release_ns=1_030_000_000)
    b.send(30 * MS, 1)
    b.expect(next_release_ns=1_035_000_000)


@add(
    "jumpstart.flight.window-shrinks",
    "A shrinking receive window ends the flight early",
    """After six packets the receiver allows 5000 bytes more: the flight ends with the eleventh packet, and then no packet
    is due. Packet 0 is lost: the window halves, 20000 / 2 = 10000. D is the number of sent packets, 11, and one packet is repeated:
    floor((11 - 1) / 2) = 5.""",
    flags=("paced",),
)
def flight_window_shrinks(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 6, of=20)
    b.backlog(27 * MS, 14_000, 5000)
    for packet in range(6, 11):
        b.send(packet * GAP, 1)
    b.lose(110 * MS, (0, 0))
    b.expect(at=13, cwnd_bytes=10_000)
    b.ack(110 * MS, (1, 10))
    b.send(110 * MS, 1, repeats=((0, 0),))
    b.ack(210 * MS, (11, 11))
    b.expect(outcome="jump_accounted", sent_packets=11, repeated_packets=1, cwnd_bytes=5000)


@add(
    "jumpstart.flight.window-closes",
    "A closing receive window ends the jump at once",
    "After six packets the receiver closes its window: the flight had six packets, and no packet is due.",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def flight_window_closes(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 6, of=20)
    b.backlog(27 * MS, 14_000, 0)
    b.expect(next_release_ns=None, sent_packets=6)
    b.ack(RTT, (0, 0))


@add(
    "jumpstart.flight.large-window-shrinks",
    "A flight of 300 packets becomes one of 280",
    """150 packets have left, in five groups of 30, each once all its packets may leave. At 51 ms the receiver allows
    130000 bytes more: 150 + 130 = 280 packets. Packet 150 was due at 150 * 100 / 300 = 50 ms, and the other 130 leave
    by 95 ms. A count in one byte is 280 - 256 = 24, and ends the jump at once.""",
    profiles=(PFLDNET, FOOTNOTE),
    flags=("paced",),
)
def flight_large_window_shrinks(b: StreamBuilder) -> None:
    ready(b, 300_000, 10**6)
    for group in range(5):
        b.send((group + 1) * 10 * MS, 30)
    b.backlog(51 * MS, 150_000, 130_000)
    b.expect(outcome="jump_changed", sent_packets=150, phase="jump", next_release_ns=1_050_000_000)
    b.send(95 * MS, 130)
    b.expect(outcome="jump_sent", sent_packets=280, phase="slow_start", next_release_ns=None)


@add(
    "jumpstart.flight.more-sent-than-left",
    "Packets sent together with the last packet of the flight do not belong to it",
    """After six packets the receiver allows 5000 bytes more, so that the flight has 6 + 5 = 11. At 40 ms the receiver
    allows 14000 again, which does not change the flight. A late timer sends eight packets at 50 ms: the last five of the
    flight and three more. Packet 0 is lost: 20000 / 2 = 10000, for scharf-2009 with 14 packets in flight 14000 / 2 =
    7000. Packet 0 is repeated once: floor((11 - 1) / 2) = 5. Counting all packets sent in the jump gives floor((14 - 1) / 2) = 6.""",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def flight_more_sent_than_left(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 6, of=20)
    b.backlog(27 * MS, 14_000, 5000)
    b.expect(outcome="jump_changed")
    b.backlog(40 * MS, 14_000, 14_000)
    b.expect(outcome="jump_kept")
    b.send(50 * MS, 8)
    b.expect(outcome="jump_sent", sent_packets=11, cwnd_bytes=20_000)
    b.lose(150 * MS, (0, 0))
    b.expect(profile=PFLDNET, cwnd_bytes=10_000)
    b.expect(profile=SCHARF, cwnd_bytes=7000)
    b.ack(150 * MS, (1, 13))
    b.send(150 * MS, 1, repeats=((0, 0),))
    b.ack(250 * MS, (14, 14))
    b.expect(outcome="jump_accounted", repeated_packets=1, cwnd_bytes=5000, ssthresh_bytes=5000)

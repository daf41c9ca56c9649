"""Hand-built stimuli of JumpStart: start, amount, schedule, end and growth. `why` derives the expectation.

Packets have 1000 bytes and the RTT of the handshake is 100 ms, unless the text says otherwise.
"""

from functools import partial

from firstflight_conformance.cases.ledger import DataLedger
from firstflight_conformance.vectorgen.builder import MS, US, StreamBuilder
from firstflight_conformance.vectorgen.jumpstart.flight import GAP, RTT, jump, paced, ready
from firstflight_conformance.vectorgen.stimulus import Catalogue

PFLDNET, FOOTNOTE, SCHARF, QUICLY, NS3 = (
    "pfldnet-2007", "pfldnet-2007-footnote", "scharf-2009", "quicly", "ns3-2025",
)  # fmt: skip
CATALOGUE = Catalogue(PFLDNET, sources=("Liu et al., PFLDnet 2007", "Scharf, Networking 2009"))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=10_000)


@add(
    "jumpstart.growth.clean",
    "Twenty packets in one RTT and no loss: slow start goes on from there",
    """D = 20, one packet every 100 / 20 = 5 ms. Twenty ACKs then grow the window from 20000 to 40000: the threshold is still infinite. A
    threshold equal to the window leaves it near 20000. In ns3-2025 the window is 65536 at once and threshold as well; it
    was never full, so it stays. quicly has 20000 in flight at the first ACK and grows to 40000 too.""",
    profiles=(PFLDNET, SCHARF, QUICLY, NS3),
    flags=("paced",),
)
def _(b: StreamBuilder) -> None:
    jump(b)
    for packet in range(20):
        b.ack(RTT + packet * GAP, (packet, packet))
    b.expect(profile=(PFLDNET, SCHARF, QUICLY), cwnd_bytes=40_000)
    b.expect(profile=NS3, cwnd_bytes=65_536, ssthresh_bytes=65_536)
    b.expect(profile=PFLDNET, at=0, cwnd_bytes=20_000, planned_packets=20)


@add(
    "jumpstart.amount.receive-window",
    "The receive window bounds the first flight",
    """8000 bytes are allowed: D = 8, one packet every 100 / 8 = 12.5 ms, window 8000; scharf-2009 keeps the larger initial window, 10000. ns3-2025 looks at no
    receive window and plans 65 packets.""",
    profiles=(PFLDNET, SCHARF, NS3),
    flags=("paced",),
)
def _(b: StreamBuilder) -> None:
    ready(b, receive_window_bytes=8000)
    paced(b, 8)
    b.expect(profile=(PFLDNET, SCHARF), at=0, planned_packets=8)
    b.expect(profile=PFLDNET, at=0, cwnd_bytes=8000)
    b.expect(profile=SCHARF, at=0, cwnd_bytes=10_000)
    b.expect(profile=(PFLDNET, SCHARF), at=1, next_release_ns=1_012_500_000)
    b.expect(profile=NS3, at=0, cwnd_bytes=65_536, planned_packets=65)


@add(
    "jumpstart.amount.receive-window-rounded",
    "A receive window that is no whole number of packets is rounded down",
    """8999 bytes hold 8 packets of 1000; the ninth would pass the right edge. D = 8, 12.5 ms apart. scharf-2009 counts bytes: 8999 of them
    in nine packets, the second at 1000 * 100 / 8999 ms = 11.112345 ms, rounded down to 11112345 ns.""",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def _(b: StreamBuilder) -> None:
    ready(b, receive_window_bytes=8999)
    paced(b, 8)
    b.expect(profile=PFLDNET, at=0, cwnd_bytes=8000, planned_packets=8)
    b.expect(profile=PFLDNET, at=1, next_release_ns=1_012_500_000)
    b.expect(profile=SCHARF, at=0, planned_packets=9)
    b.expect(profile=SCHARF, at=1, next_release_ns=1_011_112_345)


@add(
    "jumpstart.amount.queue-rounded-up",
    "A short last packet belongs to the first flight",
    """10500 bytes are queued: D = 11, the last packet has 500 bytes, and the gap is 100 / 11 ms. Rounded down the tail would stay behind.
    The window is 11 packets, 11000 bytes. scharf-2009 counts bytes: window 10500, gap 1000 * 100 / 10500 ms.""",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def _(b: StreamBuilder) -> None:
    ready(b, 10_500)
    paced(b, 10, of=11)
    b.send(10 * RTT // 11, 1, 500)
    b.expect(profile=PFLDNET, at=0, cwnd_bytes=11_000, planned_packets=11)
    b.expect(profile=PFLDNET, at=1, next_release_ns=1_009_090_909)
    b.expect(profile=SCHARF, at=0, cwnd_bytes=10_500, planned_packets=11)
    b.expect(profile=SCHARF, at=1, next_release_ns=1_009_523_809)


@add(
    "jumpstart.start.nothing-queued",
    "With nothing queued there is no jump, and the chance is not lost",
    "D = 0: nothing changes, the window stays 10000. When 20000 bytes are queued a second later, the jump begins: window 20000.",
    profiles=(PFLDNET, SCHARF),
)
def _(b: StreamBuilder) -> None:
    ready(b, 0)
    b.backlog(1000 * MS, 20_000)
    b.expect(at=0, outcome="nothing_to_jump", cwnd_bytes=10_000)
    b.expect(outcome="jump_begun", cwnd_bytes=20_000)


@add(
    "jumpstart.amount.one-short-packet",
    "A single short packet leaves at once",
    "700 bytes are one packet: D = 1, window 1000, sent at the start; an RTT / D of waiting first would delay it by an RTT.",
)
def _(b: StreamBuilder) -> None:
    ready(b, 700)
    b.send(0, 1, 700)
    b.ack(RTT, (0, 0))
    b.expect(at=0, cwnd_bytes=1000, planned_packets=1, next_release_ns=1_000_000_000)


@add(
    "jumpstart.pacing.sevenths",
    "The time of a packet is computed from its index",
    """D = 7: packet i leaves at floor(i * 100000000 / 7) ns: 14285714, 28571428, 42857142, 57142857, 71428571, 85714285. Adding the rounded gap
    of 14285714 ns again and again is 1 ns short from the fourth packet on.""",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def _(b: StreamBuilder) -> None:
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
    """D = 97 over 100 ms: packet 96 leaves at floor(96 * 100000000 / 97) = 98969072 ns; a gap of floor(100000000 / 97) = 1030927 ns added 96 times would give 96 * 1030927 = 98968992.""",
    flags=("paced",),
)
def _(b: StreamBuilder) -> None:
    ready(b, 97_000)
    paced(b, 97)
    b.expect(at=96, next_release_ns=1_098_969_072)


@add(
    "jumpstart.pacing.short-rtt",
    "A short RTT gives short gaps",
    "20 packets in 200 us: one every 10 us. A clock in milliseconds would see no gap at all.",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def _(b: StreamBuilder) -> None:
    ready(b, rtt_ns=200 * US)
    paced(b, 20, rtt_ns=200 * US)
    b.expect(at=1, next_release_ns=1_000_010_000)
    b.expect(at=19, next_release_ns=1_000_190_000)


@add(
    "jumpstart.pacing.small-flight",
    "A flight within an initial window: paced, or with the footnote at once",
    "D = 3, and 3 * 1000 < 4380. The text paces it: 0, 33.333333 and 66.666666 ms. With the footnote all three leave at the start.",
    profiles=(PFLDNET, FOOTNOTE),
    flags=("paced",),
)
def _(b: StreamBuilder) -> None:
    ready(b, 3000)
    paced(b, 3)
    b.ack(RTT, (0, 2))
    b.expect(profile=PFLDNET, at=1, next_release_ns=1_033_333_333)
    b.expect(profile=PFLDNET, at=2, next_release_ns=1_066_666_666)
    b.expect(profile=FOOTNOTE, at=1, next_release_ns=1_000_000_000)


@add(
    "jumpstart.pacing.small-flight-border",
    "The footnote ends at 4380 bytes",
    "D = 5 packets of 876 bytes are 4380 bytes exactly, and leave at once in the footnote's profile. The text paces them: 20 ms apart.",
    profiles=(PFLDNET, FOOTNOTE),
    max_datagram_size_bytes=876,
    flags=("paced",),
)
def _(b: StreamBuilder) -> None:
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
def _(b: StreamBuilder) -> None:
    ready(b, 4385)
    paced(b, 5)
    b.expect(at=1, next_release_ns=1_020_000_000)


@add(
    "jumpstart.amount.maximum",
    "A first flight has at most 2^29 - 1 bytes",
    """2^40 bytes are queued and allowed: the flight is cut to 2^29 - 1 = 536870911 bytes, 536871 packets, the second after
    floor(100000000 / 536871) = 186 ns. It guards against overflow.""",
)
def _(b: StreamBuilder) -> None:
    ready(b, 2**40, 2**40)
    b.send(0, 1)
    b.expect(at=0, cwnd_bytes=536_870_911, planned_packets=536_871)
    b.expect(next_release_ns=1_000_000_186)


@add(
    "jumpstart.start.no-rtt-sample",
    "Without an RTT sample there is no jump",
    """The SYN was sent twice, so the handshake gave no sample: the window stays 10000. ns3-2025 takes 100 ms and jumps. With a sample the
    jump may still come.""",
    profiles=(PFLDNET, SCHARF, QUICLY, NS3),
)
def _(b: StreamBuilder) -> None:
    ready(b, rtt_ns=None)
    b.send(0, 2)
    b.ack(RTT, (0, 1))
    b.backlog(RTT, 20_000)
    b.expect(profile=(PFLDNET, SCHARF, QUICLY), at=0, outcome="no_rtt_sample", cwnd_bytes=10_000)
    b.expect(profile=NS3, at=0, outcome="jump_begun", cwnd_bytes=65_536)
    b.expect(profile=(PFLDNET, SCHARF), outcome="jump_begun", cwnd_bytes=20_000)


@add(
    "jumpstart.start.larger-window",
    "A flight smaller than the initial window",
    "5000 bytes are queued, the initial window is 10000. The text sets the window to D, 5000; scharf-2009 keeps the larger 10000. Both pace.",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def _(b: StreamBuilder) -> None:
    ready(b, 5000)
    paced(b, 5)
    b.expect(profile=PFLDNET, at=0, cwnd_bytes=5000)
    b.expect(profile=SCHARF, at=0, cwnd_bytes=10_000)
    b.expect(at=1, next_release_ns=1_020_000_000)


@add(
    "jumpstart.start.in-recovery",
    "There is no jump in recovery",
    """Packet 0 of two is lost: two packets were in flight, half of 2000 is less than the least window 2000. Data that is ready then does not
    jump.""",
    profiles=(PFLDNET, SCHARF),
)
def _(b: StreamBuilder) -> None:
    b.data = DataLedger()
    b.send(0, 2)
    b.lose(RTT, (0, 0))
    b.backlog(RTT, 20_000)
    b.expect(at=1, cwnd_bytes=2000)
    b.expect(outcome="jump_barred", cwnd_bytes=2000)


@add(
    "jumpstart.end.first-ack",
    "An ACK during the flight ends the jump, and the window stays",
    """The RTT shrank: the ACK of packet 0 comes after 12 packets, at 58 ms. The jump is over, nothing is paced any more, and the
    window is 20000 + 1000 = 21000; with what is in flight as window it would be 12000 + 1000. For scharf-2009 pacing goes on: packet 12 is due
    at 60 ms.""",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def _(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 12, of=20)
    b.ack(58 * MS, (0, 0))
    b.expect(profile=PFLDNET, cwnd_bytes=21_000, outcome="jump_ended", next_release_ns=None)
    b.expect(profile=SCHARF, next_release_ns=1_060_000_000)
    b.send(60 * MS, 8)


@add(
    "jumpstart.end.window-update",
    "A window update does not end the jump",
    "At 27 ms, after six packets, the receive window grows to 200000 bytes: pacing goes on, packet 6 is due at 30 ms.",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def _(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 6, of=20)
    b.backlog(27 * MS, 14_000, 200_000)
    b.expect(outcome="jump_kept", next_release_ns=1_030_000_000)
    b.send(30 * MS, 1)


@add(
    "jumpstart.end.handshake-ack",
    "An ACK of something older does not end the jump",
    """A handshake packet of 100 bytes left before the flight, which begins with packet 1. Its ACK at 12 ms grows the window by 100 bytes to
    20100, and pacing goes on: packet 3 of the flight is due at 15 ms. An implementation that ends the jump at any ACK stops here.""",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def _(b: StreamBuilder) -> None:
    b.data = DataLedger()
    b.send(0, 1, 100)
    b.backlog(0, 20_000)
    paced(b, 3, of=20)
    b.ack(12 * MS, (0, 0))
    b.expect(profile=PFLDNET, cwnd_bytes=20_100, next_release_ns=1_015_000_000)
    b.send(15 * MS, 1)
    b.ack(106 * MS, (1, 1))
    b.expect(profile=PFLDNET, outcome="jump_ended")


@add(
    "jumpstart.end.selective-ack",
    "An ACK beyond a hole ends the jump",
    """Packet 0 is lost; the ACK of packet 1 at 58 ms says that all before packet 0 is acknowledged, and yet it ends the jump. The window
    grows to 21000.""",
    flags=("paced",),
)
def _(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 12, of=20)
    b.ack(58 * MS, (1, 1))
    b.expect(outcome="jump_ended", cwnd_bytes=21_000, next_release_ns=None)


@add(
    "jumpstart.flight.frozen",
    "More data does not change a flight under way",
    "After six packets, at 27 ms, the application writes: 20000 - 6 * 1000 + 50000 = 64000 bytes wait. D stays 20: packet 6 is due at 30 ms and packet 7 at 35 ms.",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def _(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 6, of=20)
    b.backlog(27 * MS, 64_000, 94_000)
    b.expect(outcome="jump_kept", planned_packets=20, next_release_ns=1_030_000_000)
    b.send(30 * MS, 1)
    b.expect(next_release_ns=1_035_000_000)


@add(
    "jumpstart.flight.window-shrinks",
    "A receive window that shrinks ends the flight early",
    """After six packets the receiver allows 5000 bytes more: the flight ends with the eleventh packet, and then nothing is due.
    Packet 0 is lost: 11000 in flight halve to 5500. D is what was sent, 11, and one packet is repeated: floor((11 - 1) / 2) = 5.""",
    flags=("paced",),
)
def _(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 6, of=20)
    b.backlog(27 * MS, 14_000, 5000)
    for packet in range(6, 11):
        b.send(packet * GAP, 1)
    b.lose(110 * MS, (0, 0))
    b.expect(at=13, cwnd_bytes=5500)
    b.ack(110 * MS, (1, 10))
    b.send(110 * MS, 1, repeats=((0, 0),))
    b.ack(210 * MS, (11, 11))
    b.expect(outcome="jump_accounted", sent_packets=11, repeated_packets=1, cwnd_bytes=5000)


@add(
    "jumpstart.flight.window-closes",
    "A receive window that closes ends the jump at once",
    "After six packets the receiver allows nothing more: the flight had six packets, nothing is due.",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def _(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 6, of=20)
    b.backlog(27 * MS, 14_000, 0)
    b.expect(next_release_ns=None, sent_packets=6)
    b.ack(RTT, (0, 0))


@add(
    "jumpstart.growth.stretch-ack",
    "One ACK for the whole flight: bytes or ACKs",
    "Counting bytes the window grows by 20000 to 40000, counting ACKs (scharf-2009) by one packet to 21000.",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def _(b: StreamBuilder) -> None:
    jump(b)
    b.ack(RTT + 19 * GAP, (0, 19))
    b.expect(profile=PFLDNET, cwnd_bytes=40_000)
    b.expect(profile=SCHARF, cwnd_bytes=21_000)


@add(
    "jumpstart.growth.delayed-acks",
    "An ACK for every second packet: bytes or ACKs",
    "Ten ACKs of two packets. Counting bytes the window becomes 40000, counting ACKs (scharf-2009) 20000 + 10 * 1000 = 30000.",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def _(b: StreamBuilder) -> None:
    jump(b)
    for packet in range(0, 20, 2):
        b.ack(RTT + (packet + 1) * GAP, (packet, packet + 1))
    b.expect(profile=PFLDNET, cwnd_bytes=40_000)
    b.expect(profile=SCHARF, cwnd_bytes=30_000)


@add(
    "jumpstart.growth.app-limited",
    "App-limited ACKs grow nothing after the jump either",
    "The flight was all there was: its ACKs are app-limited, and the window stays 20000.",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def _(b: StreamBuilder) -> None:
    jump(b)
    b.ack(RTT, (0, 0), app_limited=True)
    b.pto(RTT + MS)
    b.expect(cwnd_bytes=20_000)


@add(
    "jumpstart.start.second-jump",
    "One jump for a connection, or one after each idle period",
    """The flight of 20 is acknowledged at once. More data a moment later does not jump. After five idle seconds scharf-2009 is armed again and
    jumps with 20 packets from 25000 ms on; the text has one jump for a connection.""",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def _(b: StreamBuilder) -> None:
    jump(b)
    b.ack(RTT + 19 * GAP, (0, 19))
    b.backlog(RTT + 19 * GAP, 20_000)
    b.expect(profile=PFLDNET, outcome="jump_spent")
    b.idle_restart(5000 * MS)
    b.expect(profile=SCHARF, outcome="jump_rearmed")
    b.backlog(5000 * MS, 20_000)
    b.expect(profile=PFLDNET, outcome="jump_spent", cwnd_bytes=40_000)
    b.expect(profile=SCHARF, outcome="jump_begun")
    b.send(5000 * MS, 1)
    b.expect(profile=SCHARF, next_release_ns=6_005_000_000)

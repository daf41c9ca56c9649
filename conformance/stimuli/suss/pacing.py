"""Hand-built stimuli of SUSS: the guard interval, the limit, and the pacing of red packets.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from firstflight_conformance.format.builder import MS, US, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.clocked import steps
from stimuli.suss.sender import BOTH, CUBIC, NEW, OLD, OUTPUT, sender

CATALOGUE = Catalogue(*BOTH, sources=(CUBIC, OUTPUT))
add = CATALOGUE.add


@add(
    "suss.guard.odd-train",
    "6.8 halves the remaining time, 5.19 halves before the subtraction",
    """In us, the train is floor(20 * 9001 / 18) = 10001, the interval 100000 / 2 = 50000, and the tail comes at 109.001 ms. 6.8 waits floor((50000 - 10001) / 2) = 19999, until 129 ms; 5.19 waits 50000 / 2 - floor(10001 / 2) = 20000.""",
)
def guard_odd_train(b: StreamBuilder) -> None:
    c = sender(b)
    c.begin(MS, 9)
    c.send(9001 * US, 1)
    c.ack_paced(9)
    at = b.acked(9) + 1
    b.expect(at=at, outcome="suss_opened", next_release_ns=1_129_000_000, profile=NEW)
    b.expect(at=at, outcome="suss_opened", next_release_ns=1_129_001_000, profile=OLD)


def _skip(b: StreamBuilder, profile: str) -> int:
    """Build rounds 3 and 4, only round 4 with time for a guard interval; return the index of its tail event."""
    c = sender(b, profile)
    c.rtt = steps(100 * MS, (10, 65_450 * US), (11, 60 * MS))
    c.begin(2400 * US)
    c.ack_paced(29)
    b.expect(at=b.acked(29), outcome="suss_clocked", suss_round=3, jumps=1, blue_train_us=17_000)
    head, tail = c.place()
    c.ack_paced(head - 1)
    for packet in range(head, tail + 1):
        c.due_ns[packet] = max(c.due_ns[packet], c.due_ns[tail] - 5950 * US)
    c.ack_paced(tail, 8)
    b.expect(at=b.acked(tail), outcome="suss_paced", suss_round=4, jumps=2, blue_train_us=7_437)
    c.until(c.now_ns + (25 if profile == NEW else 45) * MS)
    return b.acked(tail)


@add(
    "suss.guard.none",
    "A train without time for a guard interval skips a round",
    """All in us: the initial window leaves 2400 apart, and the train is 20 * 21600 / 18 = 24000. From packet 10 on the RTT is 60000, of packet 10 itself 65450: the train of round 3 is
    40 * 16150 / 38 = 17000. Growth is expected to continue: the whole train 2 * 17000 = 34000, floor(34000 * 1024 / 48000) = 725, and floor(725 * 34000 / 512) = 48144 is not above 60000. But
    60000 / 4 = 15000 are less than the train: no packet is paced. In round 4 an ACK has eight packets. The train is floor(80 * 5950 / 64) = 7437, less than 60000 / 8 = 7500. There
    are 80 * 8 - 80 = 560 red packets, 40 * 4 - 40 = 120 of the previous round, and 560 - 120 = 440 more. The window had opened to 34 packets. It grew by 20 in round 3, by 13 for its red packets, and
    by 40: (34 + 20 + 13 + 40 + 440) * 1200 = 656400.""",
    profiles=(NEW,),
)
def guard_none(b: StreamBuilder) -> None:
    b.expect(at=_skip(b, NEW), limit_bytes=656_400)


@add(
    "suss.guard.none-5-19",
    "5.19 counts the sped up rounds, and sends fewer red packets after a round that was not",
    """The path of suss.guard.none. One round was sped up: 80 * 4 - 80 = 240, 40 * 2 - 40 = 40, and 240 - 40 = 200 more: (34 + 20 + 13 + 40 + 200) * 1200 = 368400. The window opens to that.""",
    profiles=(OLD,),
)
def guard_none_5_19(b: StreamBuilder) -> None:
    b.expect(at=_skip(b, OLD), limit_bytes=368_400)
    b.expect(cwnd_bytes=368_400)


@add(
    "suss.pacing.late",
    "Half of a gap at most makes up for a late packet",
    """A gap is floor(1200 * 10^9 / 479999) = 2500005, in ns. The first red packet leaves 1 ms late, at 130 ms: the next is due 2500005 - 1000000 = 1500005 after it, on schedule. It
    leaves at 135 ms, 3.499995 ms late: the next gap is shorter by half of a gap, floor(2500005 / 2) = 1250002.""",
)
def pacing_late(b: StreamBuilder) -> None:
    c = sender(b)
    c.begin()
    c.ack_paced(9)
    c.send(130 * MS, 1)
    b.expect(next_release_ns=1_131_500_005)
    c.send(135 * MS, 1)
    b.expect(outcome="suss_opened", next_release_ns=1_136_250_003)


@add(
    "suss.pacing.pairs",
    "A transmission opens the window by two packets, whatever its size",
    """At 109 ms the window is full with 20 packets and opens to 22. Two packets at once fill it: 24, and the next may leave floor(2400 * 10^9 / 479999) = 5000010 later, in ns.""",
)
def pacing_pairs(b: StreamBuilder) -> None:
    c = sender(b)
    c.begin()
    c.ack_paced(9)
    c.send(129 * MS, 2)
    b.expect(outcome="suss_opened", cwnd_bytes=28_800, next_release_ns=1_134_000_010)


@add(
    "suss.pacing.not-full",
    "Pacing does not begin while the application is out of data",
    """After the tail one packet of two is sent: the window of 20 packets is not full, and does not open. It opens when the second packet leaves, at 130 ms. The end of the guard interval is past, so the next packet
    does not wait.""",
)
def pacing_not_full(b: StreamBuilder) -> None:
    c = sender(b)
    c.begin()
    c.ack_paced(8)
    c.ack(fill=False)
    c.send(109 * MS, 1)
    b.expect(outcome="sent", cwnd_bytes=24_000, next_release_ns=None)
    c.send(130 * MS, 1)
    b.expect(outcome="suss_opened", cwnd_bytes=26_400, next_release_ns=1_129_000_000)


@add(
    "suss.pacing.round-ends",
    "A new round ends the pacing of the remaining packets",
    """Only three of the twenty red packets leave. The ACK of packet 10, at 200 ms, begins round 3: pacing ends, and the window has (22 + 2 + 1) * 1200 = 30000.""",
)
def pacing_round_ends(b: StreamBuilder) -> None:
    c = sender(b)
    c.begin()
    c.ack_paced(9)
    c.until(135 * MS)
    c.ack(fill=False)
    b.expect(outcome="grown", cwnd_bytes=30_000, suss_mode=1, next_release_ns=None)


@add(
    "suss.red.no-growth",
    "Red ACKs do not grow the window while red packets are paced, and shrink it if they are app-limited",
    """At the tail of round 3 the window has 60 packets, and two sent open it to 62. An app-limited ACK of packet 30, the first red packet, leaves 61, 73200. The ACK of packet 31 does not change the window.""",
)
def red_no_growth(b: StreamBuilder) -> None:
    c = sender(b)
    c.begin()
    c.ack_paced(29)
    c.ack(fill=False, app_limited=True)
    b.expect(outcome="app_limited", cwnd_bytes=73_200)
    c.ack(fill=False)
    b.expect(outcome="grown", cwnd_bytes=73_200)

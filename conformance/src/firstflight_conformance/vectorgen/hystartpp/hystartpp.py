"""Hand-built stimuli of HyStart++: rounds, samples and the delay threshold. `why` derives the expectation.

Packets have 1200 bytes and the initial window has ten, unless the text says otherwise. At every ACK as much is sent as the window allows: two
packets in slow start.
"""

from functools import partial

from firstflight_conformance.vectorgen.builder import MS, US, StreamBuilder
from firstflight_conformance.vectorgen.hystartpp.clocked import Clocked, constant, steps
from firstflight_conformance.vectorgen.stimulus import Catalogue

RFC, UNPACED, NGTCP2 = "rfc-9406", "rfc-9406-unpaced", "ngtcp2"
CATALOGUE = Catalogue(RFC, UNPACED, NGTCP2, sources=("RFC 9406, section 4.2",))
add = partial(CATALOGUE.add)


def clocked(b: StreamBuilder, profile: str = RFC) -> Clocked:
    """Return a sender in the loop with HyStart++."""
    return Clocked(b, "hystartpp", profile)


@add(
    "hystartpp.delay.step-in-round-three",
    "A step of the delay in round 3: the first reduced growth is at the ACK of packet 38",
    """Rounds end with the ACK of windowEnd, which already belongs to the next: packets 0 to 9, 10 to 29, 30 to 69. At the ACK of
    packet 10 SND.NXT is 10 + 2 * 10 = 30, at that of packet 30 it is 10 + 2 * 30 = 70. The RTT is 100 ms up to packet 29 and
    130 ms from packet 30 on: the minimum of round 2 is 100, the threshold 100 / 8 = 12.5 ms. Round 3 has its eighth sample with
    packet 37: 130 >= 112.5, so CSS begins, after that ACK has grown the window in full to 12000 + 38 * 1200 = 57600. The ACK of
    packet 38 is the first that adds 1200 / 4 = 300 bytes, 57900, and of packet 41 the fourth: 58800. Samples counted from
    packet 31 on (the ACK that ends a round belongs to it) reduce at 39; a first round of one packet that ends after packet 0 or
    1 shifts the rounds and reduces later; a test before the growth reduces at 37.""",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (30, 130 * MS))
    c.begin()
    c.ack_until(45)
    b.expect(at=b.acked(37), outcome="conservative_begun", cwnd_bytes=57_600)
    b.expect(at=b.acked(38), outcome="conservative_grown", cwnd_bytes=57_900)
    b.expect(at=b.acked(41), cwnd_bytes=58_800)


@add(
    "hystartpp.delay.step-in-round-two",
    "A step of the delay in round 2",
    """Round 1 has the packets 0 to 9, round 2 those from 10 on: its eighth sample is packet 17. 130 >= 100 + 12.5: CSS begins at
    window 12000 + 18 * 1200 = 33600; the ACK of packet 18 adds 1200 / 4 = 300. A sender that compares with the round before
    only from round 3 on does not.""",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (10, 130 * MS))
    c.begin()
    c.ack_until(22)
    b.expect(at=b.acked(17), outcome="conservative_begun", cwnd_bytes=33_600)
    b.expect(at=b.acked(18), cwnd_bytes=33_900)


@add(
    "hystartpp.delay.first-round",
    "In the first round there is nothing to compare with",
    """The RTT rises from 100 to 150 ms with packet 1: the minimum of round 1 is 100, and lastRoundMinRTT is infinite. Round 2 has 150 ms throughout:
    150 >= 100 + 12.5, CSS begins with its eighth sample, packet 17.""",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (1, 150 * MS))
    c.begin()
    c.ack_until(20)
    b.expect(at=b.acked(17), outcome="conservative_begun", cwnd_bytes=33_600)


@add(
    "hystartpp.delay.exact-threshold",
    "A rise by exactly an eighth begins CSS",
    "100 + 100 / 8 = 112.5 ms: the comparison is >=. CSS begins at packet 37. With > slow start goes on.",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (30, 112_500 * US))
    c.begin()
    c.ack_until(42)
    b.expect(at=b.acked(37), outcome="conservative_begun")


@add(
    "hystartpp.delay.below-threshold",
    "A rise by a nanosecond less does not",
    "112.499999 ms < 100 ms + 12.5 ms: slow start goes on, every ACK adds 1200.",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (30, 112_500 * US - 1))
    c.begin()
    c.ack_until(42)
    b.expect(at=b.acked(42), outcome="grown", cwnd_bytes=63_600)


@add(
    "hystartpp.delay.not-rounded",
    "An eighth of the RTT is not rounded",
    """The RTT is 100.000001 ms; an eighth is 12.500000125 ms. A rise of 12.5 ms to 112.500001 is an eighth of a nanosecond too small. Division
    rounded down to nanoseconds, or to microseconds, begins CSS.""",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS + 1, (30, 112_500 * US + 1))
    c.begin()
    c.ack_until(42)
    b.expect(at=b.acked(42), outcome="grown", cwnd_bytes=63_600)


@add(
    "hystartpp.delay.minimum-threshold",
    "On a short path the threshold is 4 ms",
    """10 / 8 = 1.25 ms is less than 4 ms. With 13.9 ms in round 3 slow start goes on; from packet 70 on, in round 4, the RTT is 17.9 ms: 17.9 >= 13.9 + 4, CSS
    begins with the eighth sample, packet 77. Without the lower bound it begins at 37.""",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(10 * MS, (30, 13_900 * US), (70, 17_900 * US))
    c.begin(gap_ns=100 * US)
    c.ack_until(81)
    b.expect(at=b.acked(37), outcome="grown")
    b.expect(at=b.acked(77), outcome="conservative_begun")


@add(
    "hystartpp.delay.maximum-threshold",
    "On a long path the threshold is 16 ms",
    """400 / 8 = 50 ms is more than 16 ms. 415.999999 ms in round 2 are too little. In round 3 the RTT is 431.999999 ms, 16 more: CSS
    begins at packet 37. Without the upper bound it takes 400 ms + 50 ms = 450 ms in round 2, or 416 ms + 416 ms / 8 = 468 ms in
    round 3.""",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(400 * MS, (10, 416 * MS - 1), (30, 432 * MS - 1))
    c.begin()
    c.ack_until(41)
    b.expect(at=b.acked(17), outcome="grown")
    b.expect(at=b.acked(37), outcome="conservative_begun")


@add(
    "hystartpp.delay.against-last-round",
    "The RTT is compared with the round before, not with the smallest ever",
    """Rounds of 100, 110, 120 and 130 ms: each is 10 ms more than the one before, below thresholds of 12.5, 13.75 and 15 ms. Slow start goes on. Compared with the
    minimum of the connection, 120 >= 112.5 would end it in round 3.""",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (10, 110 * MS), (30, 120 * MS), (70, 130 * MS))
    c.begin()
    c.ack_until(84)
    b.expect(at=b.acked(84), outcome="grown")


@add(
    "hystartpp.delay.minimum-counts",
    "One low sample among eight hides the rise",
    """In round 3 packet 30 has 105 ms, the others 130. The minimum of the round is 105 < 112.5, so CSS does not begin in it; a mean or the last sample would
    begin it at 37.""",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (30, 105 * MS), (31, 130 * MS))
    c.begin()
    c.ack_until(45)
    b.expect(at=b.acked(45), outcome="grown")


@add(
    "hystartpp.delay.late-in-round",
    "A rise late in a round does not count in it",
    """In round 2 packets 10 to 19 have 112 ms and the others 120. The minimum is 112 at the eighth sample and stays so: 112 < 112.5, no CSS. Judged by the latest RTT it begins
    at packet 20. In round 3 all have 130: 130 >= 112 + 14, CSS at packet 37.""",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (10, 112 * MS), (20, 120 * MS), (30, 130 * MS))
    c.begin()
    c.ack_until(41)
    b.expect(at=b.acked(20), outcome="grown")
    b.expect(at=b.acked(37), outcome="conservative_begun")


@add(
    "hystartpp.round.few-samples",
    "A round with fewer than eight samples is not judged",
    """The initial window has two packets: rounds of 2, 4, 8 and 16. The RTT rises to 130 in round 2 and to 180 in round 3. Round 2 has 4 samples and is
    not judged; round 3, packets 6 to 13, has its eighth with packet 13: 180 >= 130 + 16, CSS begins there, at window 2400 + 14 * 1200 = 19200.""",
    initial_window_bytes=2400,
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (2, 130 * MS), (6, 180 * MS))
    c.begin()
    c.ack_until(17)
    b.expect(at=b.acked(13), outcome="conservative_begun", cwnd_bytes=19_200)


@add(
    "hystartpp.round.seven-samples",
    "Seven samples are not enough",
    """The initial window has seven packets; the receiver acknowledges two at a time in round 2, packets 7 to 20: seven frames, seven samples of 130
    ms. Slow start goes on. Packet 21 begins round 3; who counts packets has begun CSS after the fourth frame.""",
    initial_window_bytes=8400,
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (7, 130 * MS))
    c.begin()
    c.ack_until(6)
    c.ack_until(20, packets=2)
    c.ack_until(22, packets=1)
    b.expect(at=b.acked(20), outcome="grown", rtt_samples=7)


@add(
    "hystartpp.round.ack-of-several",
    "A frame gives one sample, however many packets it acknowledges",
    """From packet 30 on four packets are acknowledged at a time. Round 3, 30 to 69, has ten frames: the eighth acknowledges 58 to 61. CSS begins there; the window is
    12000 + 62 * 1200 = 86400. The next frame adds 4800 / 4 = 1200. Who counts packets begins CSS with the second frame.""",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (30, 130 * MS))
    c.begin()
    c.ack_until(29)
    c.ack_until(69, packets=4)
    b.expect(at=b.acked(58), outcome="conservative_begun", cwnd_bytes=86_400)
    b.expect(at=b.acked(62), cwnd_bytes=87_600)


@add(
    "hystartpp.round.boundary-inside-ack",
    "A frame that acknowledges packets of two rounds begins the later one",
    """Frames of four packets from the start: 0-3, 4-7, 8-11, ... The third acknowledges packet 10, windowEnd of round 1: the round ends, and its sample, of packet 11, is
    the first of round 2. SND.NXT is then 10 + 2 * 8 = 26, which the frame 24-27 acknowledges: round 2 has the four frames from 8-11 to 20-23. From packet 24 on the RTT is 130 ms; the
    eighth sample of round 3 is the frame 52-55: CSS begins at 12000 + 56 * 1200 = 79200.""",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (24, 130 * MS))
    c.begin()
    c.ack_until(67, packets=4)
    b.expect(at=b.acked(52), outcome="conservative_begun", cwnd_bytes=79_200)


@add(
    "hystartpp.sample.none",
    "A frame without RTT sample is not counted",
    """In round 3 the frame of packet 33 gives no sample, because the receiver acknowledged a larger packet before, say. The eighth sample is packet 38, not 37; growth is reduced from
    39 on.""",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (30, 130 * MS))
    c.begin()
    c.ack_until(32)
    c.ack(sample=False)
    c.ack_until(42)
    b.expect(at=b.acked(38), outcome="conservative_begun")
    b.expect(at=b.acked(39), outcome="conservative_grown")


@add(
    "hystartpp.sample.ack-delay",
    "The sample is the latest RTT, acknowledgement delay included",
    """The receiver waits 30 ms before it acknowledges packets from 30 on, and says so. The latest RTT is 130 ms all the same, and CSS begins at 37; less the
    delay it would be 100, and slow start would go on.""",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.begin()
    c.ack_until(29)
    while c.acked < 42:
        c.ack(ack_delay_ns=30 * MS)
    b.expect(at=b.acked(37), outcome="conservative_begun")


@add(
    "hystartpp.growth.limit",
    "L: an ACK of twelve packets adds twelve, or eight",
    """The initial window has 24 packets, acknowledged twelve at a time. A paced sender has no limit: 28800 + 14400 = 43200. One that is not paced adds at most L = 8 datagrams, 9600:
    38400 and 48000.""",
    profiles=(UNPACED,),
    initial_window_bytes=28800,
    sources=("RFC 9406, section 4.3",),
)
def _(b: StreamBuilder) -> None:
    c = clocked(b, UNPACED)
    c.begin(gap_ns=100 * US)
    c.ack_until(47, packets=12)
    b.expect(at=b.acked(11), cwnd_bytes=38_400)
    b.expect(at=b.acked(23), cwnd_bytes=48_000)


@add(
    "hystartpp.growth.no-limit",
    "A paced sender has no limit",
    "The same with L infinite: an ACK of twelve packets adds 14400. From 28800 to 43200 and 57600.",
    profiles=(RFC, NGTCP2),
    initial_window_bytes=28800,
    sources=("RFC 9406, section 4.3",),
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.begin(gap_ns=100 * US)
    c.ack_until(47, packets=12)
    b.expect(at=b.acked(11), cwnd_bytes=43_200)
    b.expect(at=b.acked(23), cwnd_bytes=57_600)


@add(
    "hystartpp.growth.limit-exact",
    "An ACK of exactly eight packets is not cut",
    "8 * 1200 = 9600 is the limit itself: from 19200 to 28800, and to 38400. Nine packets, 10800 bytes, add 9600 as well: 48000.",
    profiles=(UNPACED,),
    initial_window_bytes=19200,
    sources=("RFC 9406, section 4.3",),
)
def _(b: StreamBuilder) -> None:
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
    """When round 2 is over, the sender has no more than eight packets for a window of 12000 + 30 * 1200 = 48000, and the RTT is 130
    ms: the window stays, yet the eighth sample, packet 37, begins CSS. A sender that skips these ACKs is in slow start until it
    has eight others: the ACKs from 38 on are not limited, and add 1200 / 4 = 300 each.""",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (30, 130 * MS))
    c.begin()
    c.ack_until(9)
    c.ack_until(29, fill=False)
    c.send(c.now_ns, 8, app_limited=True)
    for _ in range(8):
        c.ack(app_limited=True, fill=False)
    c.fill(c.now_ns)
    c.ack_until(41)
    b.expect(at=b.acked(37), outcome="conservative_begun", cwnd_bytes=48_000)
    b.expect(at=b.acked(38), cwnd_bytes=48_300)


@add(
    "hystartpp.round.idle",
    "An idle period does not end a round",
    """All packets of round 1 are acknowledged, and nothing is sent for 5 s; the window was not used. Then ten packets leave with an RTT of 130 ms. Packet 10 is the
    windowEnd of round 1: its ACK begins round 2, with 130 >= 112.5 at the eighth sample, packet 17. HyStart++ knows no time but the RTT.""",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (10, 130 * MS))
    c.begin()
    c.ack_until(9, fill=False)
    for index in range(16):
        c.send(5000 * MS + index * MS, 1)
    c.ack_until(21, fill=False)
    b.expect(at=b.acked(17), outcome="conservative_begun")


@add(
    "hystartpp.growth.small-packets",
    "Bytes count, not packets",
    """Datagrams may have 1200 bytes, but those sent have 500. Each ACK adds 500 in slow start, and 500 / 4 = 125 in CSS, which begins
    at the eighth sample of round 2. Counting packets adds 1200, and 1200 / 4 = 300 in CSS.""",
    initial_window_bytes=5000,
)
def _(b: StreamBuilder) -> None:
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
    "With a constant RTT HyStart++ is slow start",
    "Four rounds at 100 ms: 12000, 24000, 48000, 96000, 192000. Every ACK adds 1200.",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = constant(100 * MS)
    c.begin()
    c.ack_until(149)
    b.expect(at=b.acked(149), outcome="grown", cwnd_bytes=192_000)

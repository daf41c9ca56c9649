"""Hand-built stimuli of HyStart++: conservative slow start, its ends, loss, and later slow starts. `why` derives the expectation.

The initial window has eight packets of 1200 bytes, unless the text says otherwise: round 1 has the packets 0 to 7, and in round 2, from packet 8 on, the RTT
rises from 100 to 130 ms. Its eighth sample is packet 15: CSS begins at window 9600 + 16 * 1200 = 28800, with baseline 130 ms.
"""

from functools import partial

from firstflight_conformance.vectorgen.builder import MS, StreamBuilder
from firstflight_conformance.vectorgen.hystartpp.clocked import Clocked, constant, steps
from firstflight_conformance.vectorgen.hystartpp.hystartpp import NGTCP2, RFC, UNPACED, clocked
from firstflight_conformance.vectorgen.stimulus import Catalogue

CATALOGUE = Catalogue(RFC, sources=("RFC 9406, section 4.2",))
add = partial(CATALOGUE.add, initial_window_bytes=9600)


def in_css(b: StreamBuilder, *later: tuple[int, int], profile: str = RFC) -> Clocked:
    """Bring a connection into CSS: packet 15 was acknowledged last."""
    c = clocked(b, profile)
    c.rtt = steps(100 * MS, (8, 130 * MS), *later)
    c.begin()
    c.ack_until(15)
    return c


def round_end(c: Clocked) -> int:
    """Return the packet whose ACK ends the round."""
    _ = c.cwnd_bytes
    return int(c.controller.startup.round_end_packet)


def finish_round(c: Clocked, later_ns: int | None = None, packets: int = 1) -> None:
    """Acknowledge packets up to the one that ends the round; those sent from then on, of the round after the next, may have another RTT."""
    c.ack_until(round_end(c) - 1, packets)
    if later_ns is not None:
        c.rtt = constant(later_ns)
    c.ack()


@add(
    "hystartpp.css.five-rounds",
    "CSS lasts five rounds, of which the one in which it began is the first",
    """CSS begins in round 2, which ends with the ACK of packet 24: that is the first of five. Each ACK adds 300 bytes. When the fifth
    round ends, with packet 172, its last ACK still grows by 300, to 28800 + 157 * 300 = 75900. Then the threshold becomes the window: congestion avoidance. Whoever does not count the round of the beginning leaves a
    round later.""",
    profiles=(RFC, UNPACED),
)
def _(b: StreamBuilder) -> None:
    c = in_css(b)
    for _ in range(5):
        finish_round(c)
    for _ in range(6):
        c.ack()
    b.expect(at=b.acked(15), outcome="conservative_begun", cwnd_bytes=28_800)
    b.expect(at=b.acked(172), outcome="exited", cwnd_bytes=75_900, ssthresh_bytes=75_900)


@add(
    "hystartpp.css.four-rounds-ngtcp2",
    "ngtcp2 leaves CSS when its fifth round begins",
    "ngtcp2 counts the round in which CSS begins as 1 and leaves when the count is 5: after four rounds have ended in CSS, with packet 122 and 28800 + 107 * 300 = 60900, one round earlier than the RFC.",
    profiles=(NGTCP2,),
    sources=("ngtcp2, lib/ngtcp2_cc.c",),
)
def _(b: StreamBuilder) -> None:
    c = in_css(b, profile=NGTCP2)
    for _ in range(4):
        finish_round(c)
    for _ in range(6):
        c.ack()
    b.expect(at=b.acked(122), outcome="exited", cwnd_bytes=60_900)


@add(
    "hystartpp.css.resume",
    "A lower RTT in CSS resumes slow start",
    """From packet 24 on, in round 3, the RTT is 115 ms. Its eighth sample is packet 31: 115 < 130, the exit was spurious, and slow
    start goes on: the ACK of 31 adds 1200 / 4 = 300, that of 32 adds 1200 again.""",
    profiles=(RFC, UNPACED),
)
def _(b: StreamBuilder) -> None:
    c = in_css(b, (24, 115 * MS))
    c.ack_until(36)
    b.expect(at=b.acked(31), outcome="slow_start_resumed", cwnd_bytes=33_600)
    b.expect(at=b.acked(32), cwnd_bytes=34_800)


@add(
    "hystartpp.css.resume-exact",
    "An RTT equal to the baseline does not resume slow start",
    "The RTT of round 3 is 130 ms, exactly the baseline, and not below it: CSS goes on in round 3.",
    profiles=(RFC, UNPACED, NGTCP2),
)
def _(b: StreamBuilder) -> None:
    c = in_css(b)
    c.ack_until(34)
    b.expect(at=b.acked(31), outcome="conservative_grown")


@add(
    "hystartpp.css.resume-by-a-nanosecond",
    "A nanosecond less resumes slow start",
    "129.999999 < 130: slow start resumes at the eighth sample of round 3, packet 31.",
    profiles=(RFC, UNPACED),
)
def _(b: StreamBuilder) -> None:
    c = in_css(b, (24, 130 * MS - 1))
    c.ack_until(34)
    b.expect(at=b.acked(31), outcome="slow_start_resumed")


@add(
    "hystartpp.css.resume-needs-samples",
    "One low sample does not resume slow start before the eighth",
    """In round 3 only packet 24 has 115 ms. The minimum of the round is 115, but slow start resumes at the eighth sample, packet 31, not before.""",
    profiles=(RFC, UNPACED),
)
def _(b: StreamBuilder) -> None:
    c = in_css(b, (24, 115 * MS), (25, 130 * MS))
    c.ack_until(34)
    b.expect(at=b.acked(30), outcome="conservative_grown")
    b.expect(at=b.acked(31), outcome="slow_start_resumed")


@add(
    "hystartpp.css.resume-at-once-ngtcp2",
    "ngtcp2 resumes slow start at the first low sample",
    "The first sample of round 3, packet 24, has 115 ms < 130: ngtcp2 is in slow start again, and packet 25 adds 1200.",
    profiles=(NGTCP2,),
    sources=("ngtcp2, lib/ngtcp2_cc.c",),
)
def _(b: StreamBuilder) -> None:
    c = in_css(b, (24, 115 * MS), (25, 130 * MS), profile=NGTCP2)
    c.ack_until(34)
    b.expect(at=b.acked(24), outcome="slow_start_resumed", cwnd_bytes=31_500)
    b.expect(at=b.acked(25), cwnd_bytes=32_700)


@add(
    "hystartpp.css.resume-in-the-same-round",
    "The round in which CSS begins may already show that the exit was spurious",
    """Packet 16, in the same round, has 129 ms. The round has nine samples, and 129 < 130: slow start resumes. With packet 17 the
    minimum, 129, is still >= 100 + 12.5, and CSS begins again, with baseline 129; the rounds are counted anew.""",
    profiles=(RFC, UNPACED, NGTCP2),
)
def _(b: StreamBuilder) -> None:
    c = in_css(b, (16, 129 * MS), (17, 130 * MS))
    c.ack_until(23)
    b.expect(at=b.acked(16), outcome="slow_start_resumed")
    b.expect(at=b.acked(17), outcome="conservative_begun", baseline_rtt_ns=129 * MS)


@add(
    "hystartpp.css.resume-counts-anew",
    "A second CSS has five rounds of its own",
    """Rounds 2 and 3 end in CSS. In round 4 the RTT falls to 115 ms: slow start resumes at its eighth sample. In round 5 it is 160, CSS begins again, and lasts
    the rounds 5 to 9. A count that goes on leaves it after round 7.""",
    profiles=(RFC, UNPACED),
)
def _(b: StreamBuilder) -> None:
    c = in_css(b)
    finish_round(c, 115 * MS)
    finish_round(c, 160 * MS)
    for _ in range(6):
        finish_round(c, packets=5)
    c.ack()
    c.ack()
    b.expect(phase="congestion_avoidance", css_rounds=0)


@add(
    "hystartpp.css.ack-of-several",
    "The quarter is taken of what the ACK acknowledges, not of each packet",
    """Packets have 1001 bytes. In CSS an ACK of three adds 3003 / 4 = 750, rounded down once; 3 * 250 = 750 as well, but an ACK of
    seven adds 7007 / 4 = 1751 against 7 * 250 = 1750, and of two floor(2002 / 4) = 500 against 2 * 250 = 500.""",
    profiles=(RFC, UNPACED),
    max_datagram_size_bytes=1001,
    initial_window_bytes=8008,
)
def _(b: StreamBuilder) -> None:
    c = in_css(b)
    c.ack(3)
    c.ack(7)
    c.ack(2)
    c.ack(7)
    b.expect(at=b.acked(15), outcome="conservative_begun", cwnd_bytes=24_024)
    b.expect(at=b.acked(16), cwnd_bytes=24_774)
    b.expect(at=b.acked(19), cwnd_bytes=26_525)
    b.expect(at=b.acked(26), cwnd_bytes=27_025)
    b.expect(at=b.acked(28), cwnd_bytes=28_776)


@add(
    "hystartpp.css.limit",
    "In CSS the limit holds before the division",
    "An ACK of twelve packets: min(14400, 8 * 1200) / 4 = 2400. Divided first it would add min(3600, 9600) = 3600.",
    profiles=(UNPACED,),
    sources=("RFC 9406, section 4.2",),
)
def _(b: StreamBuilder) -> None:
    c = in_css(b, profile=UNPACED)
    c.ack(12)
    c.ack(2)
    b.expect(at=b.acked(16), cwnd_bytes=31_200)


@add(
    "hystartpp.css.app-limited",
    "App-limited ACKs in CSS add nothing, and their samples count",
    """When round 3, 24 to 39, is over, the sender has no more than eight packets. Their RTT is 110 ms: the window stays; the eighth sample resumes slow start without growth. The
    ACKs after it are not limited and add 1200.""",
    profiles=(RFC, UNPACED),
)
def _(b: StreamBuilder) -> None:
    c = in_css(b, (40, 110 * MS))
    c.ack_until(39, fill=False)
    c.send(c.now_ns, 8, app_limited=True)
    for _ in range(8):
        c.ack(app_limited=True, fill=False)
    c.fill(c.now_ns)
    c.ack_until(51)
    b.expect(at=b.acked(47), outcome="slow_start_resumed", cwnd_bytes=36_000)
    b.expect(at=b.acked(48), cwnd_bytes=37_200)


@add(
    "hystartpp.css.loss",
    "A loss in CSS ends HyStart++, and the base controller reacts to it",
    """Packet 16 is lost when 17 to 19 are acknowledged. In CSS these add 1200 / 4 = 300 each: 28800 + 3 * 300 = 29700. NewReno halves
    that: threshold and window 14850, recovery. After it congestion avoidance goes on; there is no CSS any more.""",
    profiles=(RFC, UNPACED),
    sources=("RFC 9406, section 4.2", "RFC 9002, section 7.3.2"),
)
def _(b: StreamBuilder) -> None:
    c = in_css(b)
    c.acked = 17
    c.ack(fill=False)
    c.ack(fill=False)
    c.ack(fill=False)
    b.lose(c.now_ns, (16, 16))
    b.expect(outcome="reduced", cwnd_bytes=14_850, ssthresh_bytes=14_850)
    while c.acked < 42:
        c.ack()


@add(
    "hystartpp.loss.slow-start",
    "A loss in slow start ends HyStart++",
    """Packet 3 is lost in round 1, at window 9600 + 6 * 1200 = 16800: threshold and window 8400. Later rounds with 130 ms do nothing: congestion avoidance.""",
    profiles=(RFC, UNPACED, NGTCP2),
    sources=("RFC 9406, section 4.2", "RFC 9002, section 7.3.2"),
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (8, 130 * MS))
    c.begin()
    c.ack_until(2)
    c.acked = 4
    c.ack(fill=False)
    c.ack(fill=False)
    c.ack(fill=False)
    b.lose(c.now_ns, (3, 3))
    b.expect(outcome="reduced", cwnd_bytes=8400, ssthresh_bytes=8400)
    c.ack_until(24)


@add(
    "hystartpp.css.ecn",
    "A CE mark in CSS ends HyStart++ as a loss does",
    """The frame of packet 16 carries a CE mark: it first adds 1200 / 4 = 300: 28800 + 300 = 29100. Then NewReno halves: 29100 / 2 =
    14550.""",
    profiles=(RFC, UNPACED),
    sources=("RFC 9406, section 4.2", "RFC 9002, section 7.1"),
)
def _(b: StreamBuilder) -> None:
    c = in_css(b)
    sent_ns = c.due_ns[16] - c.rtt(16)
    c.ack(fill=False)
    b.ce(c.now_ns, 16, sent_ns)
    b.expect(cwnd_bytes=14_550)
    while c.acked < 38:
        c.ack()
    b.expect(at=b.acked(16), cwnd_bytes=29_100)


def collapsed(b: StreamBuilder, profile: str, rounds_from: int, *, fill: bool = True) -> Clocked:
    """Let all in flight be lost after packet ``rounds_from``; slow start begins again with two packets, and rounds of 100, 130 and 180 ms."""
    c = clocked(b, profile)
    c.rtt = steps(100 * MS)
    c.begin()
    c.ack_until(rounds_from)
    start = len(c.due_ns)
    t_ns = c.now_ns + 1000 * MS
    b.lose(t_ns, (rounds_from + 1, start - 1))
    b.persistent_congestion(t_ns)
    c.acked = start
    c.rtt = steps(100 * MS, (start + 2, 130 * MS), (start + 6, 180 * MS))
    c.now_ns = t_ns
    if fill:
        c.fill(t_ns)
    return c


@add(
    "hystartpp.scope.second-slow-start",
    "HyStart++ runs only in the first slow start",
    """At window 9600 + 40 * 1200 = 57600 everything in flight is lost: threshold 28800, and persistent congestion leaves 2400 bytes. Slow start goes on from there up to
    the threshold, without HyStart++: the RTT rises from 100 to 130 to 180 ms in rounds of 2, 4 and 8 packets, and every ACK adds 1200.""",
    profiles=(RFC, UNPACED),
    sources=("RFC 9406, section 4.3",),
)
def _(b: StreamBuilder) -> None:
    c = collapsed(b, RFC, 39)
    for _ in range(24):
        c.ack()
    b.expect(at=b.acked(101), outcome="grown", cwnd_bytes=19_200, ssthresh_bytes=28_800)
    b.expect(cwnd_bytes=28_899, phase="congestion_avoidance")


@add(
    "hystartpp.scope.every-slow-start-ngtcp2",
    "ngtcp2 runs HyStart++ in every slow start",
    """The same with ngtcp2: everything begins anew. Rounds of 2, 4 and 8 packets have 100, 130 and 180 ms; the eighth sample of the third begins CSS at 2400 + 14 * 1200 =
    19200, below the threshold of 28800: 180 >= 130 + 16. The next ACK adds 300.""",
    profiles=(NGTCP2,),
    sources=("ngtcp2, lib/ngtcp2_cc.c",),
)
def _(b: StreamBuilder) -> None:
    c = collapsed(b, NGTCP2, 39)
    for _ in range(24):
        c.ack()
    b.expect(at=b.acked(101), outcome="conservative_begun", cwnd_bytes=19_200)
    b.expect(at=b.acked(102), cwnd_bytes=19_500)


@add(
    "hystartpp.scope.threshold-ngtcp2",
    "The threshold ends a later slow start",
    """Lost at window 9600 + 24 * 1200 = 38400: threshold 19200. The eighth sample of the third round comes with the ACK that brings the window to 2400 + 14 * 1200 =
    19200: slow start is over, and CSS does not begin.""",
    profiles=(NGTCP2,),
    sources=("ngtcp2, lib/ngtcp2_cc.c",),
)
def _(b: StreamBuilder) -> None:
    c = collapsed(b, NGTCP2, 23)
    for _ in range(20):
        c.ack()
    b.expect(at=b.acked(69), cwnd_bytes=19_200, phase="congestion_avoidance")


@add(
    "hystartpp.scope.anew-ngtcp2",
    "Persistent congestion forgets the rounds",
    """After the collapse twenty packets of 120 bytes fit the window of 2400. Their RTT is 130 ms: a first round has nothing to compare with, and slow start goes on.
    Remembering the 100 ms of the rounds before, the eighth sample begins CSS.""",
    profiles=(NGTCP2,),
    sources=("ngtcp2, lib/ngtcp2_cc.c",),
)
def _(b: StreamBuilder) -> None:
    c = collapsed(b, NGTCP2, 39, fill=False)
    c.rtt = constant(130 * MS)
    c.send(c.now_ns, 20, 120)
    for _ in range(12):
        c.ack(fill=False)
    b.expect(cwnd_bytes=3840, phase="slow_start")


@add(
    "hystartpp.scope.threshold-and-rounds-ngtcp2",
    "The threshold ends CSS before its rounds do",
    """Lost at window 9600 + 52 * 1200 = 72000: threshold 36000. CSS begins in the third round of the second slow start. Its fourth round ends with a frame of 25 packets, which brings the
    window from 30300 to 30300 + 30000 / 4 = 37800: the threshold has ended slow start, and stays as it is. Counting rounds first, it would be raised to the window.""",
    profiles=(NGTCP2,),
    sources=("ngtcp2, lib/ngtcp2_cc.c",),
)
def _(b: StreamBuilder) -> None:
    c = collapsed(b, NGTCP2, 51)
    for _ in range(14):
        c.ack()
    for _ in range(3):
        finish_round(c)
    c.ack(round_end(c) + 1 - c.acked)
    b.expect(cwnd_bytes=37_800, ssthresh_bytes=36_000)
    c.ack()

"""Hand-built stimuli of HyStart++: loss, and later slow starts.

`why` derives the expectation. By default the initial window has eight packets of 1200 bytes. Round 1 has the
packets 0 to 7. In round 2, from packet 8 on, the RTT rises from 100 to 130 ms. Its eighth sample is
packet 15: CSS begins at window 9600 + 16 * 1200 = 28800, with baseline 130 ms.
"""

from functools import partial

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.clocked import Clocked, constant, steps
from stimuli.hystartpp.sender import (
    NGTCP2,
    RFC,
    UNPACED,
    clocked,
    finish_round,
    in_css,
    round_end,
)

CATALOGUE = Catalogue(RFC, sources=("RFC 9406, section 4.2",))
add = partial(CATALOGUE.add, initial_window_bytes=9600)


@add(
    "hystartpp.css.loss",
    "A loss in CSS ends HyStart++, and the base controller reacts to it",
    """Packet 16 is lost when 17 to 19 are acknowledged. In CSS these packets add 1200 / 4 = 300 each: 28800 + 3 * 300 = 29700.
    NewReno halves that: threshold and window 14850, recovery. After recovery congestion avoidance follows, without
    CSS.""",
    profiles=(RFC, UNPACED),
    sources=("RFC 9406, section 4.2", "RFC 9002, section 7.3.2"),
)
def css_loss(b: StreamBuilder) -> None:
    c = in_css(b)
    c.lose_next()
    b.expect(outcome="reduced", cwnd_bytes=14_850, ssthresh_bytes=14_850)
    while c.acked < 42:
        c.ack()


@add(
    "hystartpp.loss.slow-start",
    "A loss in slow start ends HyStart++",
    """Packet 3 is lost in round 1, at window 9600 + 6 * 1200 = 16800: threshold and window 8400. Later rounds with 130
    ms are ignored: congestion avoidance.""",
    profiles=(RFC, UNPACED, NGTCP2),
    sources=("RFC 9406, section 4.2", "RFC 9002, section 7.3.2"),
)
def loss_slow_start(b: StreamBuilder) -> None:
    c = clocked(b).run((8, 130 * MS), until=2)
    c.lose_next()
    b.expect(outcome="reduced", cwnd_bytes=8400, ssthresh_bytes=8400)
    c.ack_until(24)


@add(
    "hystartpp.css.ecn",
    "A CE mark in CSS ends HyStart++ like a loss",
    """The frame of packet 16 carries a CE mark: it first adds 1200 / 4 = 300: 28800 + 300 = 29100. Then NewReno halves:
    29100 / 2 = 14550.""",
    profiles=(RFC, UNPACED),
    sources=("RFC 9406, section 4.2", "RFC 9002, section 7.1"),
)
def css_ecn(b: StreamBuilder) -> None:
    c = in_css(b)
    sent_ns = c.due_ns[16] - c.rtt(16)
    c.ack(fill=False)
    b.ce(c.now_ns, 16, sent_ns)
    b.expect(cwnd_bytes=14_550)
    while c.acked < 38:
        c.ack()
    b.expect(at=b.acked(16), cwnd_bytes=29_100)


def collapsed(b: StreamBuilder, profile: str, last: int, *, fill: bool = True) -> Clocked:
    """Lose all packets in flight after packet ``last``; slow start begins again with rounds of 100, 130 and 180 ms.

    The first round has two packets.
    """
    c = clocked(b, profile).run(until=last)
    c.collapse()
    c.rtt = steps(100 * MS, (c.acked + 2, 130 * MS), (c.acked + 6, 180 * MS))
    if fill:
        c.fill(c.now_ns)
    return c


@add(
    "hystartpp.scope.second-slow-start",
    "HyStart++ runs only in the first slow start",
    """At window 9600 + 40 * 1200 = 57600 all packets in flight are lost: threshold 28800, and persistent congestion
    leaves 2400 bytes. Slow start continues from there up to the threshold, without HyStart++. The RTT rises from 100 to
    130 to 180 ms in rounds of 2, 4 and 8 packets, and every ACK adds 1200.""",
    profiles=(RFC, UNPACED),
    sources=("RFC 9406, section 4.3",),
)
def scope_second_slow_start(b: StreamBuilder) -> None:
    c = collapsed(b, RFC, 39)
    for _ in range(24):
        c.ack()
    b.expect(at=b.acked(101), outcome="grown", cwnd_bytes=19_200, ssthresh_bytes=28_800)
    b.expect(cwnd_bytes=28_899, phase="congestion_avoidance")


@add(
    "hystartpp.scope.every-slow-start-ngtcp2",
    "ngtcp2 runs HyStart++ in every slow start",
    """As in hystartpp.scope.second-slow-start, but in ngtcp2 HyStart++ starts again. Rounds of 2, 4 and 8 packets have 100, 130 and 180 ms. The
    eighth sample of the third round begins CSS at 2400 + 14 * 1200 = 19200, below the threshold of 28800: 180 >= 130 + 16. The next
    ACK adds 300.""",
    profiles=(NGTCP2,),
    sources=("ngtcp2, lib/ngtcp2_cc.c",),
)
def scope_every_slow_start_ngtcp2(b: StreamBuilder) -> None:
    c = collapsed(b, NGTCP2, 39)
    for _ in range(24):
        c.ack()
    b.expect(at=b.acked(101), outcome="conservative_begun", cwnd_bytes=19_200)
    b.expect(at=b.acked(102), cwnd_bytes=19_500)


@add(
    "hystartpp.scope.threshold-ngtcp2",
    "The threshold ends a later slow start",
    """All packets are lost at window 9600 + 24 * 1200 = 38400: threshold 19200. The eighth sample of the third round comes with the ACK
    that brings the window to 2400 + 14 * 1200 = 19200: slow start is over, and CSS does not begin.""",
    profiles=(NGTCP2,),
    sources=("ngtcp2, lib/ngtcp2_cc.c",),
)
def scope_threshold_ngtcp2(b: StreamBuilder) -> None:
    c = collapsed(b, NGTCP2, 23)
    for _ in range(20):
        c.ack()
    b.expect(at=b.acked(69), cwnd_bytes=19_200, phase="congestion_avoidance")


@add(
    "hystartpp.scope.anew-ngtcp2",
    "Persistent congestion resets the rounds",
    """After the collapse twenty packets of 120 bytes fit the window of 2400. Their RTT is 130 ms. A first round lacks
    an RTT to compare with, and slow start continues. With the 100 ms of the earlier rounds the eighth sample would begin CSS.""",
    profiles=(NGTCP2,),
    sources=("ngtcp2, lib/ngtcp2_cc.c",),
)
def scope_anew_ngtcp2(b: StreamBuilder) -> None:
    c = collapsed(b, NGTCP2, 39, fill=False)
    c.rtt = constant(130 * MS)
    c.send(c.now_ns, 20, 120)
    for _ in range(12):
        c.ack(fill=False)
    b.expect(cwnd_bytes=3840, phase="slow_start")


@add(
    "hystartpp.scope.threshold-and-rounds-ngtcp2",
    "The threshold ends CSS before the fifth round",
    """All packets are lost at window 9600 + 52 * 1200 = 72000: threshold 36000. CSS begins in the third round of the second slow start.
    Its fourth round ends with a frame of 25 packets, which brings the window from 30300 to 30300 + 30000 / 4 = 37800:
    the threshold has ended slow start, and does not change. If the rounds counted first, the threshold would rise to the window.""",
    profiles=(NGTCP2,),
    sources=("ngtcp2, lib/ngtcp2_cc.c",),
)
def scope_threshold_and_rounds_ngtcp2(b: StreamBuilder) -> None:
    c = collapsed(b, NGTCP2, 51)
    for _ in range(14):
        c.ack()
    for _ in range(3):
        finish_round(c)
    c.ack(round_end(c) + 1 - c.acked)
    b.expect(cwnd_bytes=37_800, ssthresh_bytes=36_000)
    c.ack()

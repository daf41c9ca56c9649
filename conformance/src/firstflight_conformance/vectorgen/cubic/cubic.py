"""Hand-built stimuli of CUBIC: reductions, the stage and its curve. Where the tier is gold, `why` derives the expectation.

The usual fixture has datagrams of 1000 bytes and a window of 36000, of which a loss leaves 25200: the curve covers the 10800 bytes
between them in K = 3 s, for 400 * 3^3 = 10800.
"""

from typing import Any

from firstflight_conformance.vectorgen.builder import MS, S, StreamBuilder
from firstflight_conformance.vectorgen.cubic.avoidance import RTT, AvoidanceBuilder
from firstflight_conformance.vectorgen.stimulus import Catalogue

CATALOGUE = Catalogue("rfc-9438", sources=("RFC 9438",), builder=AvoidanceBuilder)
add = CATALOGUE.add
WINDOW: dict[str, Any] = {"max_datagram_size_bytes": 1000, "initial_window_bytes": 36_000}


def lose_at(b: StreamBuilder, t_ns: int, packets: int = 36) -> None:
    """Fill the window, and lose the first packet of it at ``t_ns``; the others are acknowledged then."""
    b.send(0, packets)
    b.lose(t_ns, (0, 0))
    b.ack(t_ns, (1, packets - 1))


def begin_stage(b: StreamBuilder, rtt_ns: int = S) -> None:
    """Lose at one RTT, send again a millisecond later, acknowledge packet 36 at t_epoch, an RTT after that, and send packet 61."""
    lose_at(b, rtt_ns)
    b.send(rtt_ns + MS, 25)
    b.ack(2 * rtt_ns + MS, (36, 36))
    b.send(2 * rtt_ns + MS, 1)


@add(
    "cubic.reduce.seven-tenths",
    "A loss leaves seven tenths of the window",
    "36000 * 7 / 10 = 25200, and the threshold as well. Halving gives 36000 / 2 = 18000.",
    **WINDOW,
)
def _(b: StreamBuilder) -> None:
    lose_at(b, RTT)
    b.expect(at=1, outcome="reduced", cwnd_bytes=25_200, ssthresh_bytes=25_200)


@add(
    "cubic.reduce.rounded-down",
    "Seven tenths of the window are rounded down",
    """12000 + 77 = 12077 after an ACK of 77 bytes; 12077 * 7 / 10 = 8453.9: window and threshold become 8453. Rounding to the nearest
    gives one more.""",
)
def _(b: StreamBuilder) -> None:
    b.send_sizes(0, [(1, 77), (9, 1200)])
    b.ack(RTT, (0, 0))
    b.lose(RTT, (1, 1))
    b.expect(cwnd_bytes=8453, ssthresh_bytes=8453)


@add(
    "cubic.reduce.minimum",
    "Window and threshold are at least two datagrams after a loss",
    "3000 * 7 / 10 = 2100, less than 2 * 1200 = 2400: both become 2400.",
    initial_window_bytes=3000,
)
def _(b: StreamBuilder) -> None:
    b.send(0, 2)
    b.lose(RTT, (0, 0))
    b.expect(cwnd_bytes=2400, ssthresh_bytes=2400)


@add(
    "cubic.reduce.huge-window",
    "Seven tenths of a window beyond 2^53 are exact",
    """The window is 2^55 + 7 = 36028797018963975. 36028797018963975 * 7 / 10 = 25220157913274782.5, rounded down 25220157913274782; in
    double precision it is another number.""",
    initial_window_bytes=2**55 + 7,
)
def _(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.lose(RTT, (0, 0))
    b.expect(cwnd_bytes=25220157913274782)


@add(
    "cubic.reduce.window-not-flight",
    "What is reduced is the window, also when less is in flight",
    "Half of the window of 36000 is in flight when packet 0 is lost: 25200. Seven tenths of the flight would be 18000 * 7 / 10 = 12600.",
    **WINDOW,
)
def _(b: StreamBuilder) -> None:
    b.send(0, 18)
    b.lose(RTT, (0, 0))
    b.expect(cwnd_bytes=25_200)


@add(
    "cubic.reduce.once-per-period",
    "Further losses of the same flight reduce nothing more",
    """25200 after the first loss. Packets 1 and 2 were sent before recovery began: the window stays 25200. It is not reduced again to
    25200 * 7 / 10 = 17640, or to 17640 * 7 / 10 = 12348.""",
    **WINDOW,
)
def _(b: StreamBuilder) -> None:
    b.send(0, 36)
    b.lose(RTT, (0, 0))
    b.lose(RTT + MS, (1, 1))
    b.lose(RTT + 2 * MS, (2, 2))
    b.expect(outcome="already_reduced", cwnd_bytes=25_200)


@add(
    "cubic.reduce.ce",
    "A CE mark reduces like a loss",
    """36000 * 7 / 10 = 25200. RFC 8511 would leave 36000 * 0.85 = 30600; the reduction of Reno is 36000 / 2 = 18000. An ACK of 25
    packets begins a stage: W_est = 25200 + (9/17) * 1000 * 25000 / 25200 = 25725.""",
    **WINDOW,
)
def _(b: StreamBuilder) -> None:
    b.send(0, 36)
    b.ce(RTT, 0, 0)
    b.ack(RTT, (0, 35))
    b.send(RTT + MS, 25)
    b.ack(2 * RTT + MS, (36, 60))
    b.expect(at=1, cwnd_bytes=25_200)
    b.expect(cwnd_bytes=25_725, w_est_bytes=25_725)


@add(
    "cubic.reduce.ce-one-datagram",
    "CE marks reduce the window to one datagram, the threshold to two",
    """1200 * 7 / 10 = 840: the window is max(840, 1200) = 1200, the threshold max(840, 2400) = 2400. The window is below the
    threshold: the ACK of a packet sent later grows it in slow start to 2400. The next ACK begins a stage: W_max is 1200, less
    than the window, and becomes 2400. cwnd_prior is 1200, so alpha is 1: W_est = 2400 + 1200 * 1200 / 2400 = 3000, and the
    window too. A minimum of two datagrams gives 2400 at once.""",
    initial_window_bytes=1200,
)
def _(b: StreamBuilder) -> None:
    b.send(0, 1)
    b.ce(RTT, 0, 0)
    b.ack(RTT, (0, 0))
    b.send(RTT + MS, 1)
    b.ack(2 * RTT + MS, (1, 1))
    b.send(2 * RTT + MS, 2)
    b.ack(3 * RTT + MS, (2, 2))
    b.expect(at=1, cwnd_bytes=1200, ssthresh_bytes=2400)
    b.expect(cwnd_bytes=3000, w_max_bytes=2400)


@add(
    "cubic.friendly.first-ack",
    "The first ACK of a stage is in the Reno-friendly region",
    """25200 after the loss, K = 3 s. The ACK of 1000 bytes at t = 0: W_est = 25200 + (9/17) * 1000 * 1000 / 25200 = 25221.008, and
    W_cubic(0) = 36000 - 400 * 27 = 25200 is less: the window becomes W_est, 25221. The target W_cubic(RTT) with RTT = 1 s is
    36000 - 400 * 8 = 32800 and would give 25200 + 7600 * 1000 / 25200 = 25501; alpha 1, Reno's own growth, gives 25200 + 1000 *
    1000 / 25200 = 25239.7.""",
    **WINDOW,
)
def _(b: StreamBuilder) -> None:
    begin_stage(b)
    b.expect(cwnd_bytes=25_221, k_ns=3 * S)


@add(
    "cubic.concave.one-ack",
    "In the concave region an ACK grows the window by its share of the way to the target",
    """As in cubic.friendly.first-ack: 25200 + (9/17) * 1000 * 1000 / 25200 = 25221.008 at t = 0. The next ACK of 1000 bytes at t = 1
    s: W_cubic(1 s) = 36000 - 400 * 8 = 32800 is no less than W_est = 25221.008 + (9/17) * 1000 * 1000 / 25221 = 25241.999. The
    target is one RTT of 1 s later: W_cubic(2 s) = 36000 - 400 = 35600. The window grows by (35600 - 25221) * 1000 / 25221 =
    411.522: 25221.008 + 411.522 = 25632.53, so 25632. With the target W_cubic(1 s) it would grow by (32800 - 25221) * 1000 /
    25221 = 300.5, without C in K something else again.""",
    **WINDOW,
)
def _(b: StreamBuilder) -> None:
    begin_stage(b)
    b.ack(3 * S + MS, (61, 61))
    b.expect(cwnd_bytes=25_632)


@add(
    "cubic.concave.stretch-ack",
    "An ACK of ten packets grows the window ten times as much as one of one packet",
    """As cubic.concave.one-ack, but the second ACK covers ten packets: the window grows by (35600 - 25221) * 10000 / 25221 = 4115.22
    to 25221.008 + 4115.22 = 29336.23, so 29336. Growth per ACK gives 25221.008 + 411.522 = 25632.53 in spite of the ten
    packets.""",
    **WINDOW,
)
def _(b: StreamBuilder) -> None:
    begin_stage(b)
    b.ack(3 * S + MS, (52, 61))
    b.expect(cwnd_bytes=29_336)


@add(
    "cubic.plateau.at-k",
    "At K the curve is at W_max, and the target an RTT beyond it",
    """25200 + (9/17) * 1000 * 1000 / 25200 = 25221.008 at t = 0. An ACK of 1000 bytes at t = K = 3 s with an RTT sample of 3 s, so
    that the smoothed RTT is (7/8) s + (3/8) s = 1.25 s: W_cubic(3 s) = 36000, the target W_cubic(4.25 s) = 36000 + floor(400 *
    1.953125) = 36781. The window grows by (36781 - 25221) * 1000 / 25221 = 458.348 to 25679. With the latest RTT of 3 s instead
    the target is capped at 25221 + 12610 = 37831, and the window 25221.008 + 12610 * 1000 / 25221 = 25720.99.""",
    **WINDOW,
)
def _(b: StreamBuilder) -> None:
    begin_stage(b)
    b.ack(5 * S + MS, (61, 61))
    b.expect(cwnd_bytes=25_679)


@add(
    "cubic.plateau.equal-to-maximum",
    "A window at W_max grows on: the curve has passed K",
    """The losses that leave two datagrams: 2000, W_max = 2000, cwnd_prior = 2000, K = 0. At t = 0 alpha is 1: W_est = 2000 + 1000 *
    1000 / 2000 = 2500, and W_cubic(0) = 2000 is less. At t = 4 s W_est is 2500 + 400 = 2900; W_cubic(4 s) = 2000 + 400 * 64 =
    27600, the target is capped at 1.5 * 2500 = 3750: 2500 + 1250 * 1000 / 2500 = 3000.""",
    max_datagram_size_bytes=1000,
    initial_window_bytes=2000,
)
def _(b: StreamBuilder) -> None:
    b.send(0, 2)
    b.lose(S, (0, 0))
    b.send(S + MS, 1)
    b.ack(2 * S, (1, 1))
    b.ack(2 * S + MS, (2, 2))
    b.send(2 * S + MS, 1)
    b.ack(6 * S + MS, (3, 3))
    b.expect(at=b.acked(2), cwnd_bytes=2500, k_ns=0)
    b.expect(cwnd_bytes=3000)


@add(
    "cubic.convex.one-ack",
    "Beyond K the curve rises above W_max",
    """25200 + (9/17) * 1000 * 1000 / 25200 = 25221.008 at t = 0. An ACK of one packet at t = 4 s whose RTT is 4 s: smoothed 7/8 + 4/8
    = 1.375 s. W_cubic(4 s) = 36000 + 400 = 36400; the target W_cubic(5.375 s) = 36000 + floor(400 * 13.396484375) = 41358, more
    than one and a half windows, 25221 + 12610 = 37831. Growth is 12610 * 1000 / 25221 = 499.98, to 25221.008 + 499.98 =
    25720.988: 25720. A controller without the bound grows by (41358 - 25221) * 1000 / 25221 = 639.824, to 25221.008 + 639.824 =
    25860.832.""",
    **WINDOW,
)
def _(b: StreamBuilder) -> None:
    begin_stage(b)
    b.ack(6 * S + MS, (61, 61))
    b.expect(cwnd_bytes=25_720)


@add(
    "cubic.target.whole-window",
    "An ACK of a whole window grows it to no more than one and a half windows",
    """25200 + (9/17) * 1000 * 1000 / 25200 = 25221.008 at t = 0, with 25 packets in flight. All of them are acknowledged at t = 20 s:
    the target is far beyond one and a half windows, 25221 + 12610 = 37831; growth is 12610 * 25000 / 25221 = 12499.5: 25221.008
    + 12499.5 = 37720.5, so 37720. A stack that jumps to the target has 37831, one without the bound more than three million.""",
    **WINDOW,
)
def _(b: StreamBuilder) -> None:
    begin_stage(b)
    b.ack(22 * S + MS, (37, 61))
    b.expect(cwnd_bytes=37_720)


@add(
    "cubic.grow.at-most-a-window",
    "An ACK of more bytes than the window counts for a window",
    """2500 is reduced to the minimum of 2000. Persistent congestion leaves 2000 as well, the threshold is 2000, and the recovery
    period is forgotten: an ACK of 2499 bytes counts for 2000. W_max is unset and becomes 2000, K is 0; cwnd_prior is 2500, so
    alpha is 9/17: W_est = 2000 + (9/17) * 1000 * 2000 / 2000 = 2529. W_cubic(0) = 2000 is less: 2529. Counting all bytes gives
    2000 + (9/17) * 1000 * 2499 / 2000 = 2661.""",
    max_datagram_size_bytes=1000,
    initial_window_bytes=2500,
)
def _(b: StreamBuilder) -> None:
    b.send_sizes(0, [(1, 1), (2, 1000), (1, 499)])
    b.lose(S, (0, 0))
    b.persistent_congestion(S)
    b.ack(S, (1, 3))
    b.expect(cwnd_bytes=2529)


@add(
    "cubic.friendly.alpha-one",
    "W_est grows by alpha 1 once it has reached the window before the reduction",
    """A window of two datagrams stays 2400 at a loss: cwnd_prior is 2400, and W_est begins there. One packet: W_est = 2400 + 1200 *
    1200 / 2400 = 3000, the next 3000 + 1440000 / 3000 = 3480, the next 3480 + 1440000 / 3480 = 3893.79. W_cubic stays near
    2400: the window follows. With alpha 9/17 it is 2400 + (9/17) * 1200 * 1200 / 2400 = 2717.6 after the first ACK.""",
    initial_window_bytes=2400,
)
def _(b: StreamBuilder) -> None:
    b.send(0, 2)
    b.lose(RTT, (0, 0))
    b.ack(RTT, (1, 1))
    b.send(RTT + MS, 2)
    b.ack(2 * RTT, (2, 2))
    b.ack(2 * RTT + MS, (3, 3))
    b.send(2 * RTT + MS, 2)
    b.ack(3 * RTT, (4, 4))
    b.expect(at=b.acked(2), cwnd_bytes=3000)
    b.expect(at=b.acked(3), cwnd_bytes=3480)
    b.expect(cwnd_bytes=3893)


@add(
    "cubic.maximum.fast-convergence",
    "A reduction below the last maximum lowers W_max to 17/20 of the window",
    """36000 to 25200, W_max 36000. The next loss, of a packet sent during recovery, finds 25200, less than 36000: W_max = 25200 * 17 / 20 = 21420, the window 17640. K covers
    21420 - 17640 = 3780 bytes: cube root of 9.45 = 2.114 s instead of 2.664 s without fast convergence. An ACK of a packet at t = 0 gives
    17640 + 30.01 = 17670; one at t = 1 s has the target W_cubic(2 s) = 21420 - floor(400 * 0.00148) = 21420, and grows by (21420 - 17670) * 1000 / 17670 = 212.2 to 17882.""",
    **WINDOW,
)
def _(b: StreamBuilder) -> None:
    lose_at(b, S)
    b.send(S + MS, 25)
    b.lose(2 * S + MS, (36, 36))
    b.ack(2 * S + MS, (37, 60))
    b.send(2 * S + 2 * MS, 17)
    b.ack(3 * S + 2 * MS, (61, 61))
    b.ack(4 * S + 2 * MS, (62, 62))
    b.expect(at=4, cwnd_bytes=17_640, w_max_bytes=21_420)
    b.expect(at=b.acked(61), cwnd_bytes=17_670)
    b.expect(cwnd_bytes=17_882)


@add(
    "cubic.persistent.new-stage",
    "After persistent congestion slow start leads to a stage without maximum",
    """36000 to 25200. Persistent congestion: 2000, the threshold stays 25200. The ACK of the 35 packets in flight: 24 of them grow the
    window in slow start to 26000, past the threshold; the other 11 begin a stage. W_max is unset and becomes 26000, K = 0;
    cwnd_prior is 36000: W_est = 26000 + (9/17) * 1000 * 11000 / 26000 = 26223, and W_cubic(0) = 26000 is less. The packets sent
    a millisecond later end that idle time. The ACK at t = 100 ms: W_est = 26244. At t = 3899 ms W_cubic is beyond 26000 + 400 *
    3.8^3 = 47948.8, the target capped at 1.5 * 26244 = 39366: growth is 13122 * 1000 / 26244 = 500, 26744. A stack that keeps
    W_max = 36000 has K = 2.924 s and, with a smoothed RTT of (7/8) * 100 ms + (1/8) * 3899 ms = 575 ms, a target of 36000 + 400
    * (3.899 + 0.575 - 2.924)^3 = 37489.55 only.""",
    **WINDOW,
)
def _(b: StreamBuilder) -> None:
    b.send(0, 36)
    b.lose(RTT, (0, 0))
    b.persistent_congestion(RTT)
    b.ack(RTT, (1, 35))
    b.send(RTT + MS, 26)
    b.ack(2 * RTT + MS, (36, 36))
    b.ack(4 * S, (37, 37))
    b.expect(at=b.acked(35), cwnd_bytes=26_223, w_max_bytes=26_000, k_ns=0)
    b.expect(at=b.acked(36), cwnd_bytes=26_244)
    b.expect(cwnd_bytes=26_744)


@add(
    "cubic.limited.acks",
    "Time does not count from an app-limited ACK to the next one that is not",
    """25200 + (9/17) * 1000 * 1000 / 25200 = 25221.008 at t = 0, that is 2001 ms. Then the sender has two packets: their ACKs at 3001
    and 5001 ms are app-limited and grow nothing, and an ACK at 7001 ms does: four of the five seconds since t_epoch do not
    count, t = 1 s. As in cubic.concave.one-ack the window grows to 25632. If all time counts t is 5 s, beyond K, growth that of
    half a window, 12610 * 1000 / 25221 = 499.98, and the window 25221.008 + 499.98 = 25720.988.""",
    **WINDOW,
)
def _(b: StreamBuilder) -> None:
    lose_at(b, S)
    b.send(S + MS, 1)
    b.ack(2 * S + MS, (36, 36))
    b.send(2 * S + MS, 2, app_limited=True)
    b.ack(3 * S + MS, (37, 37), sample=False, app_limited=True)
    b.ack(5 * S + MS, (38, 38), sample=False, app_limited=True)
    b.send(5 * S + MS, 1)
    b.ack(7 * S + MS, (39, 39), sample=False)
    b.expect(at=b.acked(38), outcome="app_limited", cwnd_bytes=25_221)
    b.expect(cwnd_bytes=25_632)


@add(
    "cubic.limited.idle",
    "Time does not count while nothing is in flight",
    """One packet is in flight in the stage: its ACK at 2001 ms, t = 0, leaves nothing. Four seconds later a packet is sent, and
    acknowledged after 1 s: t = 1 s, and the window grows as in cubic.concave.one-ack from 25221 to 25632. If the idle time
    counts t is 5 s, growth that of half a window, 12610 * 1000 / 25221 = 499.98, and the window 25221 + 499.98 = 25720.98.""",
    **WINDOW,
)
def _(b: StreamBuilder) -> None:
    lose_at(b, S)
    b.send(S + MS, 1)
    b.ack(2 * S + MS, (36, 36))
    b.send(6 * S + MS, 1)
    b.ack(7 * S + MS, (37, 37))
    b.expect(cwnd_bytes=25_632)


@add(
    "cubic.epoch.low-maximum",
    "A W_max below the window at the beginning of a stage counts for nothing",
    """2500 falls to the least, 2400, with W_max = 2500. A second loss finds 2400, less than W_max: W_max = 2400 * 17/20 = 2040, and
    the window stays. An ACK of one byte begins a stage at 2400: W_max becomes 2400, K = 0; W_est = 2400 + 1200 * 1 / 2400 =
    2400.5 and the target W_cubic(0.1 s) = 2400 leave the window. An ACK of 100 bytes at t = 1 s, with an RTT of 1.1 s and so a
    smoothed one of 7/8 * 100 ms + 1/8 * 1100 ms = 225 ms: W_est = 2400.5 + 1200 * 100 / 2400 = 2450.5 is below W_cubic(1 s) =
    2400 + 480 = 2880, the target W_cubic(1.225 s) = 2400 + floor(480 * 1.838) = 3282. Growth is 882 * 100 / 2400 = 36.75: 2436.
    With the plateau at 2040 the target is 2040 + 882 = 2922, and the window 2400 + 522 * 100 / 2400 = 2421.75; with K = -0.909
    s the target is beyond one and a half windows, and the window 2400 + 1200 * 100 / 2400 = 2450.""",
    initial_window_bytes=2500,
)
def _(b: StreamBuilder) -> None:
    b.send(0, 2)
    b.lose(RTT, (0, 0))
    b.expect(cwnd_bytes=2400, w_max_bytes=2500)
    b.ack(RTT, (1, 1))
    b.send(RTT + MS, 2)
    b.lose(2 * RTT + MS, (2, 2))
    b.expect(cwnd_bytes=2400, w_max_bytes=2040)
    b.send_sizes(2 * RTT + 2 * MS, [(1, 1), (1, 100)])
    b.ack(3 * RTT + 2 * MS, (4, 4))
    b.expect(cwnd_bytes=2400, w_max_bytes=2400, k_ns=0, w_est_bytes=2400)
    b.ack(S + 3 * RTT + 2 * MS, (5, 5))
    b.expect(cwnd_bytes=2436, w_est_bytes=2450)


@add(
    "cubic.spurious.restored",
    "A spurious loss restores what the reduction replaced",
    """25632 in the stage of cubic.concave.one-ack, then a loss: 17942, W_max = 25632 * 17/20. It was none: window 25632, threshold
    25200, W_max 36000, the stage goes on. The ACK of a packet that was sent before the loss, at t = 2 s, has the target
    W_cubic(3 s) = 36000: growth is (36000 - 25632) * 1000 / 25632 = 404.5, to 26037. A second report changes nothing. At t =
    3001 ms the target is W_cubic(4001 ms) = 36000 + floor(400 * 1.001^3) = 36401: growth is (36401 - 26037) * 1000 / 26037 =
    398.05, to 26435.""",
    **WINDOW,
)
def _(b: AvoidanceBuilder) -> None:
    begin_stage(b)
    b.ack(3 * S + MS, (61, 61))
    b.fill(3 * S + MS)
    b.lose(3 * S + 2 * MS, (37, 37))
    b.spurious_loss(3 * S + 3 * MS)
    b.ack(4 * S + MS, (62, 62))
    b.spurious_loss(4 * S + 2 * MS)
    b.fill(4 * S + 2 * MS)
    b.ack(5 * S + 2 * MS, (63, 63))
    b.expect(at=8, cwnd_bytes=17_942)
    b.expect(at=9, outcome="restored", cwnd_bytes=25_632, ssthresh_bytes=25_200, w_max_bytes=36_000)
    b.expect(at=b.acked(62), cwnd_bytes=26_037)
    b.expect(at=11, outcome="unchanged")
    b.expect(cwnd_bytes=26_435)


@add(
    "cubic.spurious.larger-window",
    "A spurious loss that the window has made up for changes nothing",
    """A window of two datagrams is not reduced by a loss and has grown to 3000 before the loss is found to be spurious: more than
    cwnd_prior = 2400, and so window, threshold and stage stay. The next ACK of 1200 bytes is in the Reno-friendly region: W_est
    = 3000 + 1200 * 1200 / 3000 = 3480. A sender that restores the infinite threshold is in slow start again, at 3000 + 1200 =
    4200; one that restores the window has 2400.""",
    initial_window_bytes=2400,
)
def _(b: AvoidanceBuilder) -> None:
    b.send(0, 2)
    b.lose(RTT, (0, 0))
    b.ack(RTT, (1, 1))
    b.send(RTT + MS, 2)
    b.ack(2 * RTT, (2, 2))
    b.spurious_loss(2 * RTT)
    b.expect(outcome="unchanged", cwnd_bytes=3000, ssthresh_bytes=2400, w_max_bytes=2400, cwnd_prior_bytes=2400)
    b.ack(2 * RTT + MS, (3, 3))
    b.expect(cwnd_bytes=3480)


@add(
    "cubic.spurious.at-prior",
    "A spurious loss that took nothing from the window changes nothing",
    """A window of two datagrams is the least that a loss leaves: 2400, the threshold 2400, cwnd_prior 2400. The loss is found to be
    spurious at once: the window is not below cwnd_prior, and the threshold stays 2400. A sender that restores has an infinite
    threshold, and its slow start grows the window to 2400 + 1200 = 3600 where the ACK of a later packet gives W_est = 2400 +
    1200 * 1200 / 2400 = 3000.""",
    initial_window_bytes=2400,
)
def _(b: AvoidanceBuilder) -> None:
    b.send(0, 2)
    b.lose(RTT, (0, 0))
    b.spurious_loss(RTT + MS)
    b.expect(outcome="unchanged", cwnd_bytes=2400, ssthresh_bytes=2400)
    b.ack(RTT + MS, (1, 1))
    b.send(RTT + 2 * MS, 2)
    b.ack(2 * RTT + 2 * MS, (2, 2))
    b.expect(outcome="grown_avoidance", cwnd_bytes=3000)


@add(
    "cubic.spurious.after-persistent",
    "Persistent congestion leaves nothing to restore",
    "36000, 25200 after a loss, 2000 after persistent congestion. The report of a spurious loss finds nothing saved: 2000.",
    **WINDOW,
)
def _(b: AvoidanceBuilder) -> None:
    b.send(0, 36)
    b.lose(RTT, (0, 0))
    b.persistent_congestion(RTT)
    b.spurious_loss(RTT + MS)
    b.ack(2 * RTT, (1, 3))
    b.expect(at=3, outcome="unchanged", cwnd_bytes=2000)


@add(
    "cubic.literal.per-ack",
    "Literally, every ACK grows the window by one segment's share",
    """25200 after the loss. Packet 36 is acknowledged in slow start, as the window equals the threshold: 26200. Packet 37 begins a
    stage at t = 0: W_est = 26200 + (9/17) * 1000 * 1000 / 26200 = 26220.206, and the window too; K is the time over which the
    curve covers 36000 - 26200 = 9800: the cube root of 9800 / 400 = 24.5, 2.904393 s. An ACK of ten packets at t = 1 s:
    W_cubic(1 s) = 36000 - floor(400 * 1.904393^3) = 36000 - 2762 = 33238 is no less than W_est. The target is W_cubic(2 s) =
    36000 - floor(400 * 0.904393^3) = 36000 - 295 = 35705. It grows the window once: (35705 - 26220) * 1000 / 26220 = 361.747 to
    26581. Where bytes count that is (35705 - 26220) * 10000 / 26220 = 3617.47, to 26220.206 + 3617.47 = 29837.68.""",
    profiles=("rfc-9438-literal",),
    **WINDOW,
)
def _(b: StreamBuilder) -> None:
    begin_stage(b)
    b.expect(at=4, outcome="grown", cwnd_bytes=26_200, epoch_start_ns=None)
    b.ack(2 * S + MS, (37, 37))
    b.expect(outcome="grown_avoidance", cwnd_bytes=26_220, w_max_bytes=36_000)
    b.ack(3 * S + MS, (52, 61))
    b.expect(cwnd_bytes=26_581)


@add(
    "cubic.literal.at-threshold",
    "Literally, a window that equals the threshold is in slow start",
    """36000 falls to 25200, and so does the threshold. An ACK of two packets ends recovery: the first is acknowledged in slow start,
    25200 + 1000 = 26200; the second, beyond the threshold, begins a stage: W_est = 26200 + (9/17) * 1000 * 1000 / 26200 =
    26220.2. RFC 9002 has congestion avoidance from the threshold on: 25200 + (9/17) * 1000 * 2000 / 25200 = 25242.""",
    profiles=("rfc-9438", "rfc-9438-literal"),
    **WINDOW,
)
def _(b: StreamBuilder) -> None:
    b.send(0, 36)
    b.lose(S, (0, 0))
    b.expect(cwnd_bytes=25_200, ssthresh_bytes=25_200, profile="rfc-9438")
    b.ack(S, (1, 35))
    b.send(S + MS, 25)
    b.ack(2 * S + MS, (36, 37))
    b.expect(cwnd_bytes=25_242, phase="congestion_avoidance", profile="rfc-9438")
    b.expect(cwnd_bytes=26_220, phase="congestion_avoidance", profile="rfc-9438-literal")


@add(
    "cubic.literal.flight",
    "Literally, seven tenths of the flight size are left",
    """18000 of 36000 bytes are in flight when packet 0 is lost: 12600. An ACK of six packets leaves 11000 in flight, one more packet is sent
    and marked: 12000 * 7 / 10 = 8400. cwnd_prior is the window all the same, and W_max 17/20 of it, 10710.""",
    profiles=("rfc-9438-literal",),
    **WINDOW,
)
def _(b: StreamBuilder) -> None:
    b.send(0, 18)
    b.lose(RTT, (0, 0))
    b.ack(RTT, (1, 6))
    b.send(RTT + MS, 1)
    b.ce(RTT + 2 * MS, 18, RTT + MS)
    b.expect(at=1, cwnd_bytes=12_600)
    b.expect(cwnd_bytes=8400, w_max_bytes=10_710, cwnd_prior_bytes=12_600)


@add(
    "cubic.literal.estimate-counts-bytes",
    "Literally too, W_est counts segments",
    """An ACK of ten packets: the first is acknowledged in slow start, 25200 + 1000 = 26200, and the others begin the stage: W_est =
    26200 + (9/17) * 1000 * 9000 / 26200 = 26381.9, and W_cubic(0) = 26200 is less. Counting the ACK once gives 26200 + (9/17) *
    1000 * 1000 / 26200 = 26220.2.""",
    profiles=("rfc-9438-literal",),
    **WINDOW,
)
def _(b: StreamBuilder) -> None:
    lose_at(b, S)
    b.send(S + MS, 25)
    b.ack(2 * S + MS, (36, 45))
    b.expect(cwnd_bytes=26_381)


@add(
    "cubic.maximum.equal",
    "A window equal to the last maximum is none below it",
    """25200 + (9/17) * 1000 * 1000 / 25200 = 25221.008 at t = 0. At t = 20 s the target is capped at 25221 + 12610 = 37831, and an ACK
    of 21559 bytes grows the window by 12610 * 21559 / 25221 = 10779.07: 25221.008 + 10779.07 = 36000.08, so 36000: W_max. A
    loss leaves 25200 and W_max = 36000, K = 3 s. The ACK of a packet at t = 0 gives 25221, the one at t = 1 s 25632 as in
    cubic.concave.one-ack. With fast convergence W_max is 36000 * 17 / 20 = 30600, K = 2.381 s, the target 30600 - 400 * 0.381^3
    = 30577.9, and the last window 25221.008 + (30577 - 25221) * 1000 / 25221 = 25433.4.""",
    **WINDOW,
)
def _(b: StreamBuilder) -> None:
    lose_at(b, S)
    b.send_sizes(S + MS, [(24, 1000), (1, 559)])
    b.ack(2 * S + MS, (36, 36))
    b.ack(22 * S + MS, (39, 60), sample=False)
    b.lose(22 * S + 2 * MS, (37, 37))
    b.ack(22 * S + 2 * MS, (38, 38), sample=False)
    b.send(22 * S + 3 * MS, 25)
    b.ack(23 * S + 3 * MS, (61, 61))
    b.send(23 * S + 3 * MS, 1)
    b.ack(24 * S + 3 * MS, (86, 86))
    b.expect(cwnd_bytes=25_632, w_max_bytes=36_000, k_ns=3 * S)


@add(
    "cubic.reduce.minimum-ends-stage",
    "A reduction that does not lower the window ends the stage all the same",
    """Two losses at a window of two datagrams, 2400. Between them an ACK of one byte begins a stage and leaves 2400: W_est is 2400 +
    1200 * 1 / 2400 = 2400.5, W_cubic(0) = 2400 is no less than its whole bytes, and the target W_cubic(0.1 s) = 2400. After the
    second loss, at 4 s, an ACK of one byte begins another stage, and the next one, of 1200 bytes, is in its Reno-friendly
    region: W_est = 2400.5 + 1200 * 1200 / 2400 = 3000.5, and the window too. The next ACK gives 3480. In a stage that went on t
    is 3.8 s and the target always one and a half windows: the last window is 3000 + 1500 * 1200 / 3000 = 3600.""",
    initial_window_bytes=2400,
)
def _(b: StreamBuilder) -> None:
    b.send(0, 2)
    b.lose(RTT, (0, 0))
    b.ack(RTT, (1, 1))
    b.send_sizes(RTT + MS, [(1, 1), (1, 1200), (1, 1199)])
    b.ack(2 * RTT + MS, (2, 2))
    b.lose(2 * RTT + 2 * MS, (3, 3))
    b.send_sizes(2 * RTT + 3 * MS, [(1, 1), (1, 1200)])
    b.ack(4 * S, (5, 5))
    b.ack(4 * S + MS, (6, 6))
    b.send(4 * S + MS, 1)
    b.ack(4 * S + 101 * MS, (7, 7))
    b.expect(cwnd_bytes=3480)


@add(
    "cubic.spurious.window-changed",
    "A spurious loss leaves the stage that has begun since in place",
    """A stage begins with an ACK of one byte at 2400, as in cubic.reduce.minimum-ends-stage; a loss leaves 2400; an ACK of 1200 bytes begins a second stage, at 303 ms, and W_est of 3000 is the window; then the loss is found to be spurious. The window is beyond cwnd_prior = 2400:
    the second stage goes on. At 4 s an ACK of 1200 bytes finds t = 3.697 s, and W_cubic far above one and a half windows: growth is 1500 * 1200 / 3000 = 600 to 3600. A sender that brings the first stage back with the
    larger window begins a third one: W_est = 3000 + 1440000 / 3000 = 3480.""",
    initial_window_bytes=2400,
)
def _(b: AvoidanceBuilder) -> None:
    b.send(0, 2)
    b.lose(RTT, (0, 0))
    b.ack(RTT, (1, 1))
    b.send_sizes(RTT + MS, [(1, 1), (1, 1200), (1, 1199)])
    b.ack(2 * RTT + MS, (2, 2))
    b.lose(2 * RTT + 2 * MS, (3, 3))
    b.send(2 * RTT + 3 * MS, 1)
    b.ack(3 * RTT + 3 * MS, (5, 5))
    b.send(3 * RTT + 3 * MS, 1)
    b.spurious_loss(3 * RTT + 4 * MS)
    b.expect(outcome="unchanged", cwnd_bytes=3000, epoch_start_ns=1 * S + 3 * RTT + 3 * MS)
    b.ack(4 * S, (6, 6))
    b.expect(cwnd_bytes=3600)


@add(
    "cubic.root.exact",
    "The cube root of 64 is 4",
    """Datagrams of 1500: 128000 falls to 89600, and 38400 = 600 * 4^3: K is 4 s exactly. In double precision the cube root of 64 is
    less than 4 by one unit, and K a nanosecond short. At t = 0 the window is 89600 + (9/17) * 1500 * 1500 / 89600 = 89613.29.
    All 59 packets in flight are acknowledged at t = 2 s: the target is W_cubic(3 s) = 128000 - 600 = 127400, and the window
    grows by (127400 - 89613) * 88500 / 89613 = 37317.68: 89613.29 + 37317.68 = 126930.97, so 126930. With K a nanosecond less
    the target is 127400 + 1 = 127401 and the window 89613.29 + (127401 - 89613) * 88500 / 89613 = 126931.96.""",
    max_datagram_size_bytes=1500,
    initial_window_bytes=128_000,
)
def _(b: StreamBuilder) -> None:
    lose_at(b, S, 85)
    b.send(S + MS, 59)
    b.ack(2 * S + MS, (85, 85))
    b.send(3 * S + MS, 1)
    b.ack(4 * S + MS, (86, 144))
    b.expect(at=b.acked(85), cwnd_bytes=89_613, k_ns=4 * S)
    b.expect(cwnd_bytes=126_930)


@add(
    "cubic.window.exact",
    "The curve is exact where double precision is not",
    """Datagrams of 2500: 90000 falls to 63000, K = 3 s. At t = 0 the window is 63000 + (9/17) * 2500 * 2500 / 63000 = 63052.52. All 25
    packets in flight are acknowledged at t = 1.7 s with an RTT of 1 s: the curve is 1000 * 0.3^3 = 27 bytes below W_max, the
    target 90000 - 27 = 89973; in double precision 0.3^3 is less than 0.027, and the target 89973 + 1 = 89974. Growth is (89973
    - 63052) * 62500 / 63052 = 26685.3: 63052.52 + 26685.3 = 89737.8, so 89737. Or else it is (89974 - 63052) * 62500 / 63052 =
    26686.3: 63052.52 + 26686.3 = 89738.8.""",
    max_datagram_size_bytes=2500,
    initial_window_bytes=90_000,
)
def _(b: StreamBuilder) -> None:
    lose_at(b, S)
    b.send(S + MS, 25)
    b.ack(2 * S + MS, (36, 36))
    b.send(2 * S + 701 * MS, 1)
    b.ack(3 * S + 701 * MS, (37, 61))
    b.expect(cwnd_bytes=89_737, k_ns=3 * S)

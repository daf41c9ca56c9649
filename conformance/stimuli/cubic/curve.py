"""Hand-built stimuli of CUBIC: the curve and the Reno estimate.

For gold vectors `why` derives the expectation.
"""

from firstflight_conformance.format.builder import MS, S, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.cubic.avoidance import RTT, WINDOW, AvoidanceBuilder, begin_stage, lose_at

CATALOGUE = Catalogue("rfc-9438", sources=("RFC 9438",), builder=AvoidanceBuilder)
add = CATALOGUE.add


@add(
    "cubic.friendly.first-ack",
    "The first ACK of a stage is in the Reno-friendly region",
    """25200 after the loss, K = 3 s. The ACK of 1000 bytes at t = 0: W_est = 25200 + (9/17) * 1000 * 1000 / 25200 =
    25221.008, and W_cubic(0) = 36000 - 400 * 27 = 25200 is less. The window becomes W_est, 25221. The target
    W_cubic(RTT) with RTT = 1 s is 36000 - 400 * 8 = 32800 and would give 25200 + 7600 * 1000 / 25200 = 25501. Alpha 1,
    the growth of Reno, gives 25200 + 1000 * 1000 / 25200 = 25239.7.""",
    **WINDOW,
)
def friendly_first_ack(b: StreamBuilder) -> None:
    begin_stage(b)
    b.expect(cwnd_bytes=25_221, k_ns=3 * S)


@add(
    "cubic.degenerate.first-ack",
    "With RTT samples of 0 the first ACK of a stage grows the window",
    """As in cubic.friendly.first-ack: 25200 + (9/17) * 1000 * 1000 / 25200 = 25221.008 at t = 0. The other 25 packets, 25000 bytes, are acknowledged at t = 1 s. The
    smoothed RTT is 1000 ms / 8 = 125 ms, 1000 ms + 125 ms = 1125 ms, the target W_cubic(1125 ms) = 36000 - floor(400 * 1.875^3) = 33364, and growth (33364 - 25221) * 25000 / 25221 = 8071.6. The
    window becomes 25221.008 + 8071.6 = 33292.6. A stack that divides by the RTT crashes, or has a window of 0 at the first of these ACKs.""",
    flags=("same-time-order",),
    **WINDOW,
)
def degenerate_first_ack(b: StreamBuilder) -> None:
    begin_stage(b, 0)
    b.expect(cwnd_bytes=25_221)
    b.ack(S + MS, (37, 61))
    b.expect(cwnd_bytes=33_292)


@add(
    "cubic.concave.one-ack",
    "In the concave region an ACK grows the window by its share of the way to the target",
    """As in cubic.friendly.first-ack: 25200 + (9/17) * 1000 * 1000 / 25200 = 25221.008 at t = 0. The next ACK of 1000
    bytes at t = 1 s: W_cubic(1 s) = 36000 - 400 * 8 = 32800 is not less than W_est = 25221.008 + (9/17) * 1000 * 1000 /
    25221 = 25241.999. The target is one RTT of 1 s later: W_cubic(2 s) = 36000 - 400 = 35600. The window grows by
    (35600 - 25221) * 1000 / 25221 = 411.522: 25221.008 + 411.522 = 25632.53, so 25632. With the target W_cubic(1 s) it
    would grow by (32800 - 25221) * 1000 / 25221 = 300.5; without C in K it would grow by yet another amount.""",
    **WINDOW,
)
def concave_one_ack(b: StreamBuilder) -> None:
    begin_stage(b)
    b.ack(3 * S + MS, (61, 61))
    b.expect(cwnd_bytes=25_632)


@add(
    "cubic.concave.stretch-ack",
    "An ACK of ten packets grows the window ten times as much as one of one packet",
    """As cubic.concave.one-ack, but the second ACK covers ten packets: the window grows by (35600 - 25221) * 10000 /
    25221 = 4115.22 to 25221.008 + 4115.22 = 29336.23, so 29336. Growth per ACK gives 25221.008 + 411.522 = 25632.53 in
    spite of the ten packets.""",
    **WINDOW,
)
def concave_stretch_ack(b: StreamBuilder) -> None:
    begin_stage(b)
    b.ack(3 * S + MS, (52, 61))
    b.expect(cwnd_bytes=29_336)


@add(
    "cubic.friendly.within-a-byte",
    "W_est is less than a byte above the curve: whole bytes are compared",
    """972 datagrams of 1000 fall to 680400, 291600 = 400 * 9^3: K is 9 s. The ACK of 1000 bytes at t = 0: W_est = 680400 +
    (9/17) * 1000 * 1000 / 680400 = 680400.778. W_cubic(0) = 972000 - 291600 = 680400 is not less than its whole bytes.
    The target W_cubic(1 s) = 972000 - 400 * 512 = 767200 gives 680400 + 86800 * 1000 / 680400 = 680527.57. A
    comparison of real numbers gives the Reno-friendly region and 680400.778, which conforms as well (U17).""",
    max_datagram_size_bytes=1000,
    initial_window_bytes=972_000,
)
def friendly_within_a_byte(b: StreamBuilder) -> None:
    lose_at(b, S, 972)
    b.send(S + MS, 680)
    b.ack(2 * S + MS, (972, 972))
    b.expect(cwnd_bytes=680_527, k_ns=9 * S)


@add(
    "cubic.concave.longer-sample",
    "The target is a smoothed RTT ahead, even if the latest sample is much longer",
    """288 datagrams of 1000 fall to 201600, 86400 = 400 * 6^3: K is 6 s. At t = 0 the window is 201600 + (9/17) * 1000 *
    1000 / 201600 = 201602.626. At t = 2 s, 200 packets are acknowledged with a sample of 3 s. The smoothed RTT is
    (7/8) s + (3/8) s = 1.25 s. W_cubic(2 s) = 288000 - 400 * 64 = 262400 is above W_est. The target is W_cubic(3.25 s) =
    288000 - floor(400 * 20.796875) = 279682. The window grows by (279682 - 201602) * 200000 / 201602 = 77459.549,
    to 201602.626 + 77459.549 = 279062.175. The latest RTT and the minimum of 1 s give
    windows that are more than two datagrams away.""",
    max_datagram_size_bytes=1000,
    initial_window_bytes=288_000,
)
def concave_longer_sample(b: StreamBuilder) -> None:
    lose_at(b, S, 288)
    b.send(S + MS, 201)
    b.ack(2 * S + MS, (288, 288))
    b.send(2 * S + MS, 1)
    b.ack(4 * S + MS, (289, 488))
    b.expect(cwnd_bytes=279_062, k_ns=6 * S)


@add(
    "cubic.plateau.at-k",
    "At K the curve is at W_max, and the target an RTT after it",
    """25200 + (9/17) * 1000 * 1000 / 25200 = 25221.008 at t = 0. An ACK of 1000 bytes comes at t = K = 3 s with an RTT
    sample of 3 s. The smoothed RTT is (7/8) s + (3/8) s = 1.25 s. W_cubic(3 s) = 36000, the target W_cubic(4.25 s) =
    36000 + floor(400 * 1.953125) = 36781. The window grows by (36781 - 25221) * 1000 / 25221 = 458.348 to 25679. With
    the latest RTT of 3 s instead the target is capped at 25221 + 12610 = 37831, and the window 25221.008 + 12610 * 1000
    / 25221 = 25720.99.""",
    **WINDOW,
)
def plateau_at_k(b: StreamBuilder) -> None:
    begin_stage(b)
    b.ack(5 * S + MS, (61, 61))
    b.expect(cwnd_bytes=25_679)


@add(
    "cubic.plateau.equal-to-maximum",
    "A window at W_max continues to grow: the curve has passed K",
    """The losses that leave two datagrams: 2000, W_max = 2000, cwnd_prior = 2000, K = 0. At t = 0 alpha is 1: W_est =
    2000 + 1000 * 1000 / 2000 = 2500, and W_cubic(0) = 2000 is less. At t = 4 s W_est is 2500 + 400 = 2900. W_cubic(4 s)
    = 2000 + 400 * 64 = 27600, and the target is capped at 1.5 * 2500 = 3750: 2500 + 1250 * 1000 / 2500 = 3000.""",
    max_datagram_size_bytes=1000,
    initial_window_bytes=2000,
)
def plateau_equal_to_maximum(b: StreamBuilder) -> None:
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
    """25200 + (9/17) * 1000 * 1000 / 25200 = 25221.008 at t = 0. An ACK of one packet at t = 4 s whose RTT is 4 s:
    smoothed 7/8 + 4/8 = 1.375 s. W_cubic(4 s) = 36000 + 400 = 36400; the target W_cubic(5.375 s) = 36000 + floor(400 *
    13.396484375) = 41358, more than one and a half windows, 25221 + 12610 = 37831. Growth is 12610 * 1000 / 25221 =
    499.98, to 25221.008 + 499.98 = 25720.988: 25720. A controller without the bound grows by (41358 - 25221) * 1000 /
    25221 = 639.824, to 25221.008 + 639.824 = 25860.832.""",
    **WINDOW,
)
def convex_one_ack(b: StreamBuilder) -> None:
    begin_stage(b)
    b.ack(6 * S + MS, (61, 61))
    b.expect(cwnd_bytes=25_720)


@add(
    "cubic.target.whole-window",
    "An ACK of a whole window grows it to at most one and a half windows",
    """25200 + (9/17) * 1000 * 1000 / 25200 = 25221.008 at t = 0, with 25 packets in flight. All of them are
    acknowledged at t = 20 s. The target is far above one and a half windows, 25221 + 12610 = 37831; growth is 12610 *
    25000 / 25221 = 12499.5: 25221.008 + 12499.5 = 37720.5, so 37720. A stack that jumps to the target has 37831, a stack
    without the bound more than three million.""",
    **WINDOW,
)
def target_whole_window(b: StreamBuilder) -> None:
    begin_stage(b)
    b.ack(22 * S + MS, (37, 61))
    b.expect(cwnd_bytes=37_720)


@add(
    "cubic.grow.at-most-a-window",
    "An ACK of more bytes than the window counts as one window",
    """2500 is reduced to the minimum of 2000. Persistent congestion leaves 2000 as well, the threshold is 2000, and
    the recovery period is discarded. An ACK of 2499 bytes counts as 2000. W_max is unset and becomes 2000, K is 0;
    cwnd_prior is 2500, so alpha is 9/17: W_est = 2000 + (9/17) * 1000 * 2000 / 2000 = 2529. W_cubic(0) = 2000 is less:
    2529. Counting all bytes gives 2000 + (9/17) * 1000 * 2499 / 2000 = 2661.""",
    max_datagram_size_bytes=1000,
    initial_window_bytes=2500,
)
def grow_at_most_a_window(b: StreamBuilder) -> None:
    b.send_sizes(0, [(1, 1), (2, 1000), (1, 499)])
    b.lose(S, (0, 0))
    b.persistent_congestion(S)
    b.ack(S, (1, 3))
    b.expect(cwnd_bytes=2529)


@add(
    "cubic.friendly.alpha-one",
    "W_est grows with alpha 1 once it has reached the window before the reduction",
    """A window of two datagrams stays 2400 at a loss: cwnd_prior is 2400, and W_est begins there. One packet: W_est =
    2400 + 1200 * 1200 / 2400 = 3000, the next 3000 + 1440000 / 3000 = 3480, the next 3480 + 1440000 / 3480 = 3893.79.
    W_cubic stays near 2400: the window follows. With alpha 9/17 it is 2400 + (9/17) * 1200 * 1200 / 2400 = 2717.6 after
    the first ACK.""",
    initial_window_bytes=2400,
)
def friendly_alpha_one(b: StreamBuilder) -> None:
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
    "cubic.root.exact",
    "The cube root of 64 is 4",
    """Datagrams of 1500: 128000 falls to 89600, and 38400 = 600 * 4^3: K is 4 s exactly. In double precision the cube
    root of 64 is less than 4 by one unit, and K a nanosecond short. At t = 0 the window is 89600 + (9/17) * 1500 * 1500
    / 89600 = 89613.29. All 59 packets in flight are acknowledged at t = 2 s. The target is W_cubic(3 s) = 128000 - 600
    = 127400, and the window grows by (127400 - 89613) * 88500 / 89613 = 37317.68: 89613.29 + 37317.68 = 126930.97, so
    126930. With K a nanosecond less the target is 127400 + 1 = 127401 and the window 89613.29 + (127401 - 89613) *
    88500 / 89613 = 126931.96.""",
    max_datagram_size_bytes=1500,
    initial_window_bytes=128_000,
)
def root_exact(b: StreamBuilder) -> None:
    lose_at(b, S, 85)
    b.send(S + MS, 59)
    b.ack(2 * S + MS, (85, 85))
    b.send(3 * S + MS, 1)
    b.ack(4 * S + MS, (86, 144))
    b.expect(at=b.acked(85), cwnd_bytes=89_613, k_ns=4 * S)
    b.expect(cwnd_bytes=126_930)


@add(
    "cubic.window.exact",
    "The curve is exact; double precision is not",
    """Datagrams of 2500: 90000 falls to 63000, K = 3 s. At t = 0 the window is 63000 + (9/17) * 2500 * 2500 / 63000 =
    63052.52. All 25 packets in flight are acknowledged at t = 1.7 s with an RTT of 1 s. The curve is 1000 * 0.3^3 = 27
    bytes below W_max, and the target 90000 - 27 = 89973. In double precision 0.3^3 is less than 0.027, and the target 89973
    + 1 = 89974. Growth is (89973 - 63052) * 62500 / 63052 = 26685.3: 63052.52 + 26685.3 = 89737.8, so 89737. In double precision
    it is (89974 - 63052) * 62500 / 63052 = 26686.3: 63052.52 + 26686.3 = 89738.8.""",
    max_datagram_size_bytes=2500,
    initial_window_bytes=90_000,
)
def window_exact(b: StreamBuilder) -> None:
    lose_at(b, S)
    b.send(S + MS, 25)
    b.ack(2 * S + MS, (36, 36))
    b.send(2 * S + 701 * MS, 1)
    b.ack(3 * S + 701 * MS, (37, 61))
    b.expect(cwnd_bytes=89_737, k_ns=3 * S)

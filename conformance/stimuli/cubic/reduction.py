"""Hand-built stimuli of CUBIC: reductions and the maximum.

For gold vectors `why` derives the expectation.
"""

from firstflight_conformance.format.builder import MS, S, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.cubic.avoidance import RTT, WINDOW, AvoidanceBuilder, lose_at

CATALOGUE = Catalogue("rfc-9438", sources=("RFC 9438",), builder=AvoidanceBuilder)
add = CATALOGUE.add


@add(
    "cubic.reduce.seven-tenths",
    "A loss leaves seven tenths of the window",
    "36000 * 7 / 10 = 25200, and the threshold as well. Halving gives 36000 / 2 = 18000.",
    **WINDOW,
)
def reduce_seven_tenths(b: StreamBuilder) -> None:
    lose_at(b, RTT)
    b.expect(at=1, outcome="reduced", cwnd_bytes=25_200, ssthresh_bytes=25_200)


@add(
    "cubic.reduce.rounded-down",
    "Seven tenths of the window are rounded down",
    """12000 + 77 = 12077 after an ACK of 77 bytes; 12077 * 7 / 10 = 8453.9: window and threshold become 8453. Rounding
    to the nearest gives one more.""",
)
def reduce_rounded_down(b: StreamBuilder) -> None:
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
def reduce_minimum(b: StreamBuilder) -> None:
    b.send(0, 2)
    b.lose(RTT, (0, 0))
    b.expect(cwnd_bytes=2400, ssthresh_bytes=2400)


@add(
    "cubic.reduce.huge-window",
    "Seven tenths of a window beyond 2^53 are exact",
    """The window is 2^55 + 7 = 36028797018963975. 36028797018963975 * 7 / 10 = 25220157913274782.5, rounded down
    25220157913274782; in double precision it is another number.""",
    initial_window_bytes=2**55 + 7,
)
def reduce_huge_window(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.lose(RTT, (0, 0))
    b.expect(cwnd_bytes=25220157913274782)


@add(
    "cubic.reduce.window-not-flight",
    "A loss reduces the window, even if less is in flight",
    """Half of the window of 36000 is in flight when packet 0 is lost: 25200. Seven tenths of the flight would be 18000
    * 7 / 10 = 12600.""",
    **WINDOW,
)
def reduce_window_not_flight(b: StreamBuilder) -> None:
    b.send(0, 18)
    b.lose(RTT, (0, 0))
    b.expect(cwnd_bytes=25_200)


@add(
    "cubic.reduce.once-per-period",
    "Further losses of the same flight do not reduce the window again",
    """25200 after the first loss. Packets 1 and 2 were sent before recovery began: the window stays 25200. It is not
    reduced again to 25200 * 7 / 10 = 17640, or to 17640 * 7 / 10 = 12348.""",
    **WINDOW,
)
def reduce_once_per_period(b: StreamBuilder) -> None:
    b.send(0, 36)
    b.lose(RTT, (0, 0))
    b.lose(RTT + MS, (1, 1))
    b.lose(RTT + 2 * MS, (2, 2))
    b.expect(outcome="already_reduced", cwnd_bytes=25_200)


@add(
    "cubic.reduce.ce",
    "A CE mark reduces the window like a loss",
    """36000 * 7 / 10 = 25200. RFC 8511 would leave 36000 * 0.85 = 30600; the reduction of Reno is 36000 / 2 = 18000. An
    ACK of 25 packets begins a stage: W_est = 25200 + (9/17) * 1000 * 25000 / 25200 = 25725.""",
    **WINDOW,
)
def reduce_ce(b: StreamBuilder) -> None:
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
    """1200 * 7 / 10 = 840: the window is max(840, 1200) = 1200, the threshold max(840, 2400) = 2400. The window is
    below the threshold: the ACK of a packet sent later grows it in slow start to 2400. The next ACK begins a stage:
    W_max is 1200, less than the window, and becomes 2400. As cwnd_prior is 1200, alpha is 1: W_est = 2400 + 1200 * 1200
    / 2400 = 3000, and the window too. A minimum of two datagrams gives 2400 at once.""",
    initial_window_bytes=1200,
)
def reduce_ce_one_datagram(b: StreamBuilder) -> None:
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
    "cubic.maximum.fast-convergence",
    "A reduction below the last maximum lowers W_max to 17/20 of the window",
    """36000 to 25200, W_max 36000. At the next loss, of a packet sent during recovery, the window is 25200, less than 36000: W_max
    = 25200 * 17 / 20 = 21420, the window 17640. K covers 21420 - 17640 = 3780 bytes: cube root of 9.45 = 2.114 s
    instead of 2.664 s without fast convergence. An ACK of a packet at t = 0 gives 17640 + 30.01 = 17670. An ACK at t =
    1 s has the target W_cubic(2 s) = 21420 - floor(400 * 0.00148) = 21420, and grows by (21420 - 17670) * 1000 / 17670 =
    212.2 to 17882.""",
    **WINDOW,
)
def maximum_fast_convergence(b: StreamBuilder) -> None:
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
    "cubic.maximum.equal",
    "A window equal to the last maximum is not below it",
    """25200 + (9/17) * 1000 * 1000 / 25200 = 25221.008 at t = 0. At t = 20 s the target is capped at 25221 + 12610 =
    37831, and an ACK of 21559 bytes grows the window by 12610 * 21559 / 25221 = 10779.07: 25221.008 + 10779.07 =
    36000.08, so 36000: W_max. A loss leaves 25200 and W_max = 36000, K = 3 s. The ACK of a packet at t = 0 gives 25221,
    the ACK at t = 1 s 25632 as in cubic.concave.one-ack. With fast convergence W_max is 36000 * 17 / 20 = 30600, K =
    2.381 s, the target 30600 - 400 * 0.381^3 = 30577.9, and the last window 25221.008 + (30577 - 25221) * 1000 / 25221
    = 25433.4.""",
    **WINDOW,
)
def maximum_equal(b: StreamBuilder) -> None:
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
    "A reduction that does not lower the window still ends the stage",
    """Two losses come at a window of two datagrams, 2400. Between them an ACK of one byte begins a stage and leaves 2400.
    W_est is 2400 + 1200 * 1 / 2400 = 2400.5, W_cubic(0) = 2400 is not less than its whole bytes, and the target
    W_cubic(0.1 s) = 2400. After the second loss, at 4 s, an ACK of one byte begins another stage. The next ACK, of
    1200 bytes, is in its Reno-friendly region: W_est = 2400.5 + 1200 * 1200 / 2400 = 3000.5, and the window too. The
    next ACK gives 3480. If the first stage continued, t would be 3.8 s and the target always one and a half windows: the last
    window is 3000 + 1500 * 1200 / 3000 = 3600.""",
    initial_window_bytes=2400,
)
def reduce_minimum_ends_stage(b: StreamBuilder) -> None:
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
    "cubic.maximum.fast-convergence-rounded-down",
    "17/20 of a window that is not a multiple of 20 is rounded down",
    """36056 * 7 / 10 = 25239.2: 25239. The loss of packet 36, sent in recovery, sets W_max to 25239 * 17 / 20 =
    21453.15, rounded down 21453, and leaves 25239 * 7 / 10 = 17667.3: 17667. K is 2.115 s, the cube root of (21453 -
    17667) / 400 = 9.465. A packet at t = 0 gives 17667 + (9/17) * 1000 * 1000 / 17667 = 17696.97. At t = 1 s an ACK
    covers the whole window of 17696, and the window becomes the target. The target is W_cubic(2 s) = 21453 -
    floor(400 * 0.115^3) = 21453. A W_max that is one byte smaller gives a window of 21453 - 1 = 21452.""",
    flags=("same-time-order",),
    max_datagram_size_bytes=1000,
    initial_window_bytes=36_056,
)
def maximum_fast_convergence_rounded_down(b: StreamBuilder) -> None:
    lose_at(b, S)
    b.expect(at=1, cwnd_bytes=25_239)
    b.send(S + MS, 25)
    b.lose(2 * S + MS, (36, 36))
    b.expect(cwnd_bytes=17_667, w_max_bytes=21_453)
    b.ack(2 * S + MS, (37, 60))
    b.send(2 * S + 2 * MS, 17)
    b.ack(3 * S + 2 * MS, (61, 61))
    b.expect(cwnd_bytes=17_696)
    b.send_sizes(3 * S + 2 * MS, [(1, 1000), (1, 696)])
    b.ack(4 * S + 2 * MS, (62, 79))
    b.expect(cwnd_bytes=21_453)


@add(
    "cubic.maximum.large-window",
    "Fast convergence with a maximum of more than 16 bits",
    """A loss reduces 288000 to 288000 * 7 / 10 = 201600. Packet 288, sent in recovery, is lost: 201600 * 7 / 10 =
    141120, and fast convergence sets W_max to 201600 * 17 / 20 = 171360. K is 4.228 s, the cube root of (171360 -
    141120) / 400 = 75.6. The first ACK of the stage gives 141120 + (9/17) * 1000 * 1000 / 141120 = 141123.8. At t = 1 s
    the target is W_cubic(2 s) = 171360 - floor(400 * 2.22838^3) = 166934: growth is (166934 - 141123) * 1000 / 141123 =
    182.9, to 141306. In 16 bits W_max is 171360 - 2 * 65536 = 40288, below the window, so K is 0.""",
    flags=("same-time-order",),
    max_datagram_size_bytes=1000,
    initial_window_bytes=288_000,
)
def maximum_large_window(b: AvoidanceBuilder) -> None:
    b.send(0, 288)
    b.lose(S, (0, 0))
    b.ack(S, (1, 287))
    b.send(S + MS, 201)
    b.lose(2 * S + MS, (288, 288))
    b.expect(cwnd_bytes=141_120, ssthresh_bytes=141_120, w_max_bytes=171_360, cwnd_prior_bytes=201_600)
    b.ack(2 * S + MS, (289, 488))
    b.send(2 * S + 2 * MS, 141)
    b.ack(3 * S + 2 * MS, (489, 489))
    b.expect(cwnd_bytes=141_123)
    b.send(3 * S + 2 * MS, 1)
    b.ack(4 * S + 2 * MS, (630, 630))
    b.expect(cwnd_bytes=141_306)

"""Hand-built stimuli of CUBIC, each for an error that only paths of many round trips showed before.

`why` derives the expectation.
"""

from firstflight_conformance.format.builder import MS, S
from generate.catalogue import Catalogue
from stimuli.cubic.avoidance import RTT, WINDOW, AvoidanceBuilder, begin_stage, lose_at

CATALOGUE = Catalogue("rfc-9438", sources=("RFC 9438",), builder=AvoidanceBuilder)
add = CATALOGUE.add


@add(
    "cubic.maximum.grows",
    "A reduction above the last maximum raises W_max",
    """25200 + (9/17) * 1000 * 1000 / 25200 = 25221.008 at t = 0. At t = 20 s the target is capped at 25221 + 12610 =
    37831, and 25 packets grow the window by 12610 * 25000 / 25221 = 12499.504 to 25221.008 + 12499.504 = 37720.51. The
    loss of 13 packets sets W_max to 37720 and leaves 37720 * 7 / 10 = 26404; K covers 37720 - 26404 = 11316 bytes in
    3.047 s. The packet at t = 0 gives 26404 + (9/17) * 1000 * 1000 / 26404 = 26424.05. At t = 1 s the target, an RTT of
    1 s later, is 37720 - 400 * 1.047^3 = 37260.9: growth is (37260 - 26424) * 1000 / 26424 = 410.08. A stack that keeps
    W_max = 36000 has K = 2.884 s, the target 36000 - 400 * 0.884^3 = 35723.67, and growth of (35723 - 26424) * 1000 /
    26424 = 351.9.""",
    **WINDOW,
)
def maximum_grows(b: AvoidanceBuilder) -> None:
    begin_stage(b)
    b.ack(22 * S + MS, (37, 61), sample=False)
    b.send(22 * S + MS, 37)
    b.lose(23 * S + MS, (62, 74))
    b.send(23 * S + 2 * MS, 2)
    b.ack(24 * S + 2 * MS, (99, 99))
    b.ack(25 * S + 2 * MS, (100, 100), sample=False)
    b.expect(at=b.acked(61), cwnd_bytes=37_720)
    b.expect(at=b.acked(99), cwnd_bytes=26_424, w_max_bytes=37_720)
    b.expect(cwnd_bytes=26_834)


@add(
    "cubic.friendly.share-of-the-window",
    "W_est grows by a share of the window, not of itself",
    """5000 to 3500, K = 1.554 s. Three packets at t = 0: W_est = 3500 + (9/17) * 1000 * 3000 / 3500 = 3953.78. At t = 1 s
    W_est is 3953.78 + (9/17) * 1000 * 1000 / 3953 = 4087.7, below W_cubic(1 s) = 5000 - 400 * 0.554^3 = 4931.99, and the
    curve moves the window ahead of W_est: 4227. Four packets a millisecond later: W_est = 4087.7 + (9/17) * 1000 * 4000 /
    4227 = 4588.68, and the window is 4971. Four more: W_est = 4588.68 + (9/17) * 1000 * 4000 / 4971 = 5014.68, above the
    curve, and the window becomes 5014. A stack that divides by W_est has 4087.7 + (9/17) * 1000 * 4000 / 4087 = 4605.84
    and then 4605.84 + (9/17) * 1000 * 4000 / 4605 = 5065.69.""",
    max_datagram_size_bytes=1000,
    initial_window_bytes=5000,
)
def friendly_share_of_the_window(b: AvoidanceBuilder) -> None:
    b.send(0, 5)
    b.lose(S, (0, 0))
    b.ack(S, (1, 4))
    b.send(S + MS, 3)
    b.ack(2 * S + MS, (5, 7))
    b.send(2 * S + MS, 3)
    b.ack(3 * S + MS, (8, 8))
    b.send(3 * S + MS, 2)
    b.ack(3 * S + 2 * MS, (9, 12))
    b.send(3 * S + 2 * MS, 4)
    b.ack(3 * S + 3 * MS, (13, 16))
    b.expect(at=b.acked(8), cwnd_bytes=4227, w_est_bytes=4087)
    b.expect(at=b.acked(12), cwnd_bytes=4971, w_est_bytes=4588)
    b.expect(cwnd_bytes=5014)


@add(
    "cubic.recovery.second-period-before-sending",
    "A second recovery period begins before any packet is sent in it",
    """12000 to 8400. Five packets at t = 0: 8400 + (9/17) * 1200 * 6000 / 8400 = 8853.8. The loss of packet 15, sent in
    recovery, leaves 8853 * 7 / 10 = 6197. The sender is silent, and the loss of packet 16, sent before that, does not reduce
    the window again. A stack that stores the period only once it sends a packet has 6197 * 7 / 10 = 4337.9.""",
)
def recovery_second_period_before_sending(b: AvoidanceBuilder) -> None:
    b.send(0, 10)
    b.lose(RTT, (0, 0))
    b.ack(RTT, (1, 9))
    b.send(RTT + MS, 7)
    b.ack(2 * RTT + MS, (10, 14))
    b.lose(2 * RTT + 2 * MS, (15, 15))
    b.lose(2 * RTT + 3 * MS, (16, 16))
    b.expect(at=5, outcome="reduced", cwnd_bytes=6197)
    b.expect(outcome="already_reduced", cwnd_bytes=6197)


@add(
    "cubic.target.shorter-rtt",
    "A target below the window does not change the window",
    """25200 + (9/17) * 1000 * 1000 / 25200 = 25221.008 at t = 0, with a smoothed RTT of 1 s. At t = 100 ms 24 packets return after
    1100 ms. The smoothed RTT is (7 * 1000 ms + 1100 ms) / 8 = 1012.5 ms, 100 ms + 1012.5 ms = 1112.5 ms, and the target W_cubic(1112.5 ms) is
    36000 - floor(400 * 1.8875^3) = 33311. Growth is (33311 - 25221) * 24000 / 25221 = 7698.35, to 25221.008 + 7698.35 = 32919.358. The next 32 packets leave, and
    16 of them return after 1 ms. The smoothed RTT is (7 * 1012.5 ms + 1 ms) / 8 = 886.0625 ms, and the target
    W_cubic(987.0625 ms) is 36000 - floor(400 * 2.0129375^3) = 32738, for 101 ms + 886.0625 ms = 987.0625 ms. It is below the window, which stays 32919. A stack
    without this bound has 32919 + (32738 - 32919) * 16000 / 32919 = 32831.03.""",
    **WINDOW,
)
def target_shorter_rtt(b: AvoidanceBuilder) -> None:
    lose_at(b, S)
    b.send(S + MS, 25)
    b.ack(2 * S + MS, (36, 36))
    b.ack(2 * S + 101 * MS, (37, 60))
    b.expect(cwnd_bytes=32_919)
    b.send(2 * S + 101 * MS, 32)
    b.ack(2 * S + 102 * MS, (61, 76))
    b.expect(cwnd_bytes=32_919)

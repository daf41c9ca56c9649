"""Hand-built stimuli of CUBIC: the start of a stage, and time that does not count.

For gold vectors `why` derives the expectation.
"""

from firstflight_conformance.format.builder import MS, S, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.cubic.avoidance import RTT, WINDOW, AvoidanceBuilder, lose_at
from stimuli.newreno.growth import send_bursts
from stimuli.newreno.persistent import established

CATALOGUE = Catalogue("rfc-9438", sources=("RFC 9438",), builder=AvoidanceBuilder)
add = CATALOGUE.add


@add(
    "cubic.persistent.new-stage",
    "After persistent congestion slow start leads to a stage without maximum",
    """36000 to 25200. Persistent congestion: 2000, the threshold stays 25200. The 35 packets in flight are acknowledged.
    24 of them grow the window in slow start to 26000, past the threshold; the other 11 begin a stage. W_max is unset and becomes 26000, K = 0. cwnd_prior is 36000: W_est = 26000 + (9/17) * 1000 * 11000 / 26000 = 26223, and W_cubic(0) =
    26000 is less. The packets sent a millisecond later end that idle time. The ACK at t = 100 ms: W_est = 26244. At t =
    3899 ms W_cubic is above 26000 + 400 * 3.8^3 = 47948.8, and the target is capped at 1.5 * 26244 = 39366: growth is 13122 * 1000 / 26244 = 500, to 26744. A stack that keeps W_max = 36000 has K = 2.924 s. With a smoothed RTT of (7/8) * 100 ms + (1/8) * 3899 ms = 575 ms its target is only 36000 + 400 * (3.899 + 0.575 - 2.924)^3 = 37489.55.""",
    **WINDOW,
)
def persistent_new_stage(b: StreamBuilder) -> None:
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
    "Time does not count from an app-limited ACK to the next ACK that is not app-limited",
    """25200 + (9/17) * 1000 * 1000 / 25200 = 25221.008 at t = 0, that is 2001 ms. Then the sender has two packets.
    Their ACKs at 3001 and 5001 ms are app-limited and do not grow the window; an ACK at 7001 ms does. Four of the five seconds since t_epoch do not count, t = 1 s. As in cubic.concave.one-ack the window grows to 25632. If all time
    counts, t is 5 s, beyond K. The target is limited to 1.5 windows, the ACK adds 12610 * 1000 / 25221 = 499.98, and
    the window is 25221.008 + 499.98 = 25720.988.""",
    **WINDOW,
)
def limited_acks(b: StreamBuilder) -> None:
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
    "cubic.limited.estimate",
    "W_est does not count app-limited ACKs either",
    """25200 + (9/17) * 1000 * 1000 / 25200 = 25221.008 at t = 0. Five app-limited ACKs of a packet each follow from 1 ms
    on without growth. At the ACK after them t is 1 ms, since the rest does not count. W_cubic(1 ms) = 36000 - 400 *
    2.999^3 = 25210.8 is below W_est = 25221.008 + (9/17) * 1000 * 1000 / 25221 = 25241.999, and the window becomes W_est.
    If the five ACKs count, W_est is 25221.008 + 6 * 20.991 = 25346.95, and the window grows for packets acknowledged while it was not used.""",
    **WINDOW,
)
def limited_estimate(b: StreamBuilder) -> None:
    lose_at(b, S)
    b.send(S + MS, 1)
    b.ack(2 * S + MS, (36, 36))
    b.send(2 * S + MS, 6, app_limited=True)
    for index in range(5):
        b.ack(2 * S + (2 + index) * MS, (37 + index, 37 + index), sample=False, app_limited=True)
    b.ack(2 * S + 8 * MS, (42, 42), sample=False)
    b.expect(at=b.acked(41), outcome="app_limited", cwnd_bytes=25_221, w_est_bytes=25_221)
    b.expect(cwnd_bytes=25_241, w_est_bytes=25_241)


@add(
    "cubic.limited.bursts-in-slow-start",
    "Bursts of three and four packets do not grow a window of ten in slow start",
    """Nine bursts of three and four packets in turn, each with one ACK: 12000 stays. Growth would give 12000 + 31 * 1200
    = 49200, and twice the largest flight is 2 * 12000 = 24000.""",
)
def limited_bursts_in_slow_start(b: StreamBuilder) -> None:
    send_bursts(b, 0, 9)
    b.expect(outcome="app_limited", cwnd_bytes=12_000)


@add(
    "cubic.limited.bursts",
    "Bursts of three and four packets do not grow the window in congestion avoidance",
    """The ACK of packets 2 to 9 gives 12000 + 8 * 1200 = 21600. The loss of the others leaves 7/10, 15120, and an
    empty flight. Bursts of three and four packets end recovery, and the window stays. If the window counted as used, it would
    grow with the first ACK: t is 0 and W_est adds (9/17) * 1200 * 3600 / 15120 = 151.""",
)
def limited_bursts(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (2, 9))
    b.lose(RTT, (0, 1))
    send_bursts(b, 2 * RTT, 4)
    b.expect(outcome="app_limited", cwnd_bytes=15_120)


@add(
    "cubic.stage.old-packets",
    "Packets sent before recovery do not count in the stage that follows it",
    """The first of 36 packets is lost, ten others stay in flight over the recovery that follows. Packet 36, sent in it,
    begins a stage with 25200 + (9/17) * 1000 * 1000 / 25200 = 25221.008. The ACK of nine old packets a millisecond later, at t = 1
    ms, does not grow the window, and W_est does not count it. An ACK of the last old packet and packet 37, at t = 2 ms, counts only packet 37: W_est = 25221.008 + (9/17) * 1000 * 1000 / 25221 = 25241.999, above W_cubic(2 ms) = 36000 - 400 *
    2.998^3 = 25221.6. If the old packets count, W_est is 25221.008 + 9 * 20.991 = 25409.93 after the first ACK.""",
    **WINDOW,
)
def stage_old_packets(b: StreamBuilder) -> None:
    b.send(0, 36)
    b.lose(S, (0, 0))
    b.ack(S, (11, 35))
    b.send(S + MS, 2)
    b.ack(2 * S + MS, (36, 36))
    b.ack(2 * S + 2 * MS, (1, 9), sample=False)
    b.expect(outcome="in_recovery", cwnd_bytes=25_221, w_est_bytes=25_221)
    b.ack(2 * S + 3 * MS, (10, 10), (37, 37), sample=False)
    b.expect(outcome="grown_avoidance", cwnd_bytes=25_241, w_est_bytes=25_241)


@add(
    "cubic.limited.idle",
    "Time does not count while nothing is in flight",
    """One packet is in flight in the stage: its ACK at 2001 ms, t = 0, empties the flight. Four seconds later a packet
    is sent, and acknowledged after 1 s. t is 1 s, and the window grows as in cubic.concave.one-ack from 25221 to 25632. If
    the idle time counts, t is 5 s. The target is limited to 1.5 windows, the ACK adds 12610 * 1000 / 25221 = 499.98, and
    the window is 25221 + 499.98 = 25720.98.""",
    **WINDOW,
)
def limited_idle(b: StreamBuilder) -> None:
    lose_at(b, S)
    b.send(S + MS, 1)
    b.ack(2 * S + MS, (36, 36))
    b.send(6 * S + MS, 1)
    b.ack(7 * S + MS, (37, 37))
    b.expect(cwnd_bytes=25_632)


@add(
    "cubic.epoch.low-maximum",
    "A W_max below the window at the beginning of a stage does not count",
    """2500 falls to the minimum, 2400, with W_max = 2500. At a second loss the window is 2400, less than W_max: W_max = 2400 *
    17/20 = 2040, and the window stays. An ACK of one byte begins a stage at 2400: W_max becomes 2400, K = 0; W_est = 2400 +
    1200 * 1 / 2400 = 2400.5 and the target W_cubic(0.1 s) = 2400 leave the window at 2400. An ACK of 100 bytes comes at t =
    1 s, with an RTT of 1.1 s and a smoothed RTT of 7/8 * 100 ms + 1/8 * 1100 ms = 225 ms. W_est = 2400.5 + 1200 * 100 / 2400 =
    2450.5 is below W_cubic(1 s) = 2400 + 480 = 2880. The target is W_cubic(1.225 s) = 2400 + floor(480 * 1.838) = 3282.
    Growth is 882 * 100 / 2400 = 36.75: 2436. With the plateau at 2040 the target is 2040 + 882 = 2922, and the window
    2400 + 522 * 100 / 2400 = 2421.75. With K = -0.909 s the target is beyond one and a half windows, and the window
    2400 + 1200 * 100 / 2400 = 2450.""",
    initial_window_bytes=2500,
)
def epoch_low_maximum(b: StreamBuilder) -> None:
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
    "cubic.limited.after-ce",
    "After a CE mark, too, time does not count from an app-limited ACK on",
    """A CE mark leaves 36000 * 7 / 10 = 25200 and does not save state to restore. The stage begins with 25 packets: 25200 +
    (9/17) * 1000 * 25000 / 25200 = 25725.21. An app-limited ACK follows at t = 1 s. Four seconds later an ACK ends
    the app-limited time. t is 1 s there, and the target W_cubic(2 s) = 36000 - 400 = 35600: growth is (35600 -
    25725) * 1000 / 25725 = 383.87, to 25725.21 + 383.87 = 26109.08. If all time counts, t is 5 s. The target is
    limited to 1.5 windows, and the window is 25725.21 + 12862 * 1000 / 25725 = 26225.19.""",
    flags=("same-time-order",),
    **WINDOW,
)
def limited_after_ce(b: StreamBuilder) -> None:
    b.send(0, 36)
    b.ce(S, 35, 0)
    b.expect(outcome="reduced", cwnd_bytes=25_200, ssthresh_bytes=25_200)
    b.ack(S, (0, 35))
    b.send(S + MS, 25)
    b.ack(2 * S + MS, (36, 60))
    b.expect(outcome="grown_avoidance", cwnd_bytes=25_725)
    b.send(2 * S + MS, 1, app_limited=True)
    b.ack(3 * S + MS, (61, 61), app_limited=True)
    b.expect(outcome="app_limited", cwnd_bytes=25_725)
    b.send(6 * S + MS, 25)
    b.ack(7 * S + MS, (62, 62))
    b.expect(outcome="grown_avoidance", cwnd_bytes=26_109)


@add(
    "cubic.stage.last-two-packets",
    "An ACK reaches the threshold with its first packets, and its last two begin a stage",
    """The loss leaves a threshold of 10000 * 7 / 10 = 7000, and persistent congestion a window of 2400. Two packets
    double it to 4800. Four packets return in one ACK: two of them reach the threshold in slow start, 4800 + 2 * 1200
    = 7200. The other two begin a stage with W_max = 7200: W_est = 7200 + (9/17) * 1200 * 2400 / 7200 = 7411.8, more
    than W_cubic(0) = 7200. A sender that ignores these two has 7200.""",
    flags=("same-time-order",),
    initial_window_bytes=10_000,
)
def stage_last_two_packets(b: StreamBuilder) -> None:
    now_ns = established(b)
    b.expect(outcome="collapsed", cwnd_bytes=2400, ssthresh_bytes=7000)
    b.send(now_ns, 2)
    b.ack(now_ns + 200 * MS, (5, 6))
    b.send(now_ns + 200 * MS, 4)
    b.ack(now_ns + 400 * MS, (7, 10))
    b.expect(outcome="grown_avoidance", cwnd_bytes=7411, w_max_bytes=7200)

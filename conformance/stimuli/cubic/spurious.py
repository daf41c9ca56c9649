"""Hand-built stimuli of CUBIC: the state that a spurious loss restores.

For gold vectors `why` derives the expectation.
"""

from firstflight_conformance.format.builder import MS, S
from generate.catalogue import Catalogue
from stimuli.cubic.avoidance import RTT, WINDOW, AvoidanceBuilder, begin_stage

CATALOGUE = Catalogue("rfc-9438", sources=("RFC 9438",), builder=AvoidanceBuilder)
add = CATALOGUE.add


@add(
    "cubic.spurious.after-ce",
    "A report of a spurious loss does not undo a reduction at a CE mark",
    """36000 falls to 25200 at a CE mark. A report of a spurious loss does not restore, because a mark does not save the
    state: the window stays 25200. A sender that saves at marks too has 36000 again.""",
    **WINDOW,
)
def spurious_after_ce(b: AvoidanceBuilder) -> None:
    b.send(0, 36)
    b.ce(RTT, 35, 0)
    b.expect(outcome="reduced", cwnd_bytes=25_200, ssthresh_bytes=25_200)
    b.spurious_loss(RTT + MS)
    b.expect(outcome="unchanged", cwnd_bytes=25_200, ssthresh_bytes=25_200)


@add(
    "cubic.spurious.ce-after-loss",
    "After a reduction at a CE mark an earlier loss is not undone",
    """A loss leaves 25200, and the ACK of packet 36 grows that to 25221. A CE mark on packet 37, sent after recovery
    began, leaves 7/10: 17654. The report of a spurious loss concerns a reduction that is not the latest:
    17654 stays.""",
    **WINDOW,
)
def spurious_ce_after_loss(b: AvoidanceBuilder) -> None:
    begin_stage(b)
    b.expect(at=b.acked(36), cwnd_bytes=25_221)
    b.ce(2 * S + 2 * MS, 37, S + MS)
    b.expect(outcome="reduced", cwnd_bytes=17_654)
    b.spurious_loss(2 * S + 3 * MS)
    b.expect(outcome="unchanged", cwnd_bytes=17_654)


@add(
    "cubic.spurious.limited-runs-on",
    "App-limited time at the report of a spurious loss does not count",
    """The window is 25632 in the stage of cubic.concave.one-ack, at t = 1 s. Then come a loss and an app-limited ACK at
    the same time: time does not count from there on. The loss proves spurious, and the window is 25632 again. At an ACK a second later t is still 1 s. The target is W_cubic(2 s), 36000 - 400 = 35600; growth is 1000 * (35600 - 25632) / 25632 =
    388.89, and with the fraction floor(25632.53 + 388.89) = 26021. A sender whose restored stage has forgotten the
    app-limited ACK counts that second: the target is 36000 and the window floor(25632.53 + 404.49) = 26037.""",
    **WINDOW,
)
def spurious_limited_runs_on(b: AvoidanceBuilder) -> None:
    begin_stage(b)
    b.ack(3 * S + MS, (61, 61))
    b.fill(3 * S + MS)
    b.lose(3 * S + MS, (37, 37))
    b.ack(3 * S + MS, (38, 38), sample=False, app_limited=True)
    b.spurious_loss(3 * S + 2 * MS)
    b.expect(outcome="restored", cwnd_bytes=25_632)
    b.ack(4 * S + MS, (62, 62))
    b.expect(cwnd_bytes=26_021)


@add(
    "cubic.spurious.idle-between",
    "Time with an empty flight does not count for a restored stage either",
    """The window is 25632 at t = 1 s. Then come a loss and the ACKs of all other packets. The flight is empty for half a second,
    until packets 63 to 79 are sent. The loss proves spurious then, at t = 1 s of the restored stage. The ACK of packet 63, a
    second later, has the target W_cubic(3 s), 36000; growth is 1000 * (36000 - 25632) / 25632 = 404.49, and with the
    fraction floor(25632.53 + 404.49) = 26037. A sender that restores t_epoch unchanged has t = 2.5 s. The target
    is 36000 + 400 / 8 = 36050, growth is 1000 * (36050 - 25632) / 25632 = 406.44, and the window floor(25632.53 +
    406.44) = 26038.""",
    **WINDOW,
)
def spurious_idle_between(b: AvoidanceBuilder) -> None:
    begin_stage(b)
    b.ack(3 * S + MS, (61, 61))
    b.fill(3 * S + MS)
    b.lose(3 * S + MS, (37, 37))
    b.ack(3 * S + MS, (38, 60), (62, 62), sample=False)
    b.fill(3 * S + 501 * MS)
    b.spurious_loss(3 * S + 501 * MS)
    b.expect(outcome="restored", cwnd_bytes=25_632, epoch_start_ns=3 * S + 501 * MS)
    b.ack(4 * S + 501 * MS, (63, 63))
    b.expect(cwnd_bytes=26_037)


@add(
    "cubic.spurious.limited-ended",
    "App-limited time that ended before the report of a spurious loss is not restored with the stage",
    """The window is 25632 at t = 1 s. Then come an app-limited ACK and a loss. Packet 63, sent a millisecond later, is acknowledged a
    second after that and begins a stage: 1001 ms did not count. The loss proves spurious then, at t = 1 s of the
    restored stage, and time counts again. The next ACK, a second later, is at t = 2 s. The target is W_cubic(3 s), 36000; growth is 1000 * (36000 - 25632) / 25632 = 404.49, and with the fraction floor(25632.53 + 404.49) = 26037.
    If the restored stage still waits for the end of the app-limited time, it is at t = 1 s. The target is 36000 -
    400 = 35600 and the window floor(25632.53 + 388.89) = 26021.""",
    **WINDOW,
)
def spurious_limited_ended(b: AvoidanceBuilder) -> None:
    begin_stage(b)
    b.ack(3 * S + MS, (61, 61))
    b.fill(3 * S + MS)
    b.ack(3 * S + MS, (37, 37), sample=False, app_limited=True)
    b.lose(3 * S + MS, (38, 38))
    b.ack(3 * S + MS, (39, 60), (62, 62), sample=False)
    b.send(3 * S + 2 * MS, 2)
    b.ack(4 * S + 2 * MS, (63, 63))
    b.spurious_loss(4 * S + 2 * MS)
    b.expect(outcome="restored", cwnd_bytes=25_632, epoch_start_ns=4 * S + 2 * MS)
    b.send(4 * S + 2 * MS, 1)
    b.ack(5 * S + 2 * MS, (65, 65))
    b.expect(cwnd_bytes=26_037)


@add(
    "cubic.spurious.restored",
    "A spurious loss restores the replaced state",
    """The window is 25632 in the stage of cubic.concave.one-ack. Then comes a loss: 17942, W_max = 25632 * 17/20. It was spurious:
    window 25632, threshold 25200, W_max 36000, and the stage continues. The ACK of a packet that was sent before the loss, at t = 2
    s, has the target W_cubic(3 s) = 36000: growth is (36000 - 25632) * 1000 / 25632 = 404.5, to 26037. A second report
    is ignored. At t = 3001 ms the target is W_cubic(4001 ms) = 36000 + floor(400 * 1.001^3) = 36401: growth is
    (36401 - 26037) * 1000 / 26037 = 398.05, to 26435.""",
    **WINDOW,
)
def spurious_restored(b: AvoidanceBuilder) -> None:
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
    "A spurious loss is ignored once the window has grown past cwnd_prior",
    """A loss does not reduce a window of two datagrams. The window has grown to 3000 before the loss proves spurious,
    more than cwnd_prior = 2400: window, threshold and stage stay. The next ACK of 1200 bytes is in the
    Reno-friendly region: W_est = 3000 + 1200 * 1200 / 3000 = 3480. A sender that restores the infinite threshold is in
    slow start again, at 3000 + 1200 = 4200. A sender that restores the window has 2400.""",
    initial_window_bytes=2400,
)
def spurious_larger_window(b: AvoidanceBuilder) -> None:
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
    "A spurious loss that did not reduce the window is ignored",
    """A loss leaves at least two datagrams: window 2400, threshold 2400, cwnd_prior 2400. The loss proves spurious
    at once: the window is not below cwnd_prior, and the threshold stays 2400. A sender that restores has an infinite threshold, and its slow start grows the window to 2400 + 1200 = 3600. Without restoring, the ACK of a later packet gives W_est = 2400 + 1200 * 1200 / 2400 = 3000.""",
    initial_window_bytes=2400,
)
def spurious_at_prior(b: AvoidanceBuilder) -> None:
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
    "After persistent congestion a spurious loss does not restore",
    """36000, 25200 after a loss, 2000 after persistent congestion. The report of a spurious loss does not restore:
    2000.""",
    **WINDOW,
)
def spurious_after_persistent(b: AvoidanceBuilder) -> None:
    b.send(0, 36)
    b.lose(RTT, (0, 0))
    b.persistent_congestion(RTT)
    b.spurious_loss(RTT + MS)
    b.ack(2 * RTT, (1, 3))
    b.expect(at=3, outcome="unchanged", cwnd_bytes=2000)


@add(
    "cubic.spurious.window-changed",
    "A spurious loss keeps a stage that has begun since",
    """A stage begins with an ACK of one byte at 2400, as in cubic.reduce.minimum-ends-stage. A loss leaves 2400. An
    ACK of 1200 bytes begins a second stage, at 303 ms, and W_est of 3000 is the window. Then the loss proves spurious. The window is above cwnd_prior = 2400: the second stage continues. At an ACK of 1200 bytes at 4 s, t is 3.697 s, and W_cubic is far above one and a half windows: growth is 1500 * 1200 / 3000 = 600 to 3600. A sender that
    restores the first stage with the larger window begins a third stage: W_est = 3000 + 1440000 / 3000 = 3480.""",
    initial_window_bytes=2400,
)
def spurious_window_changed(b: AvoidanceBuilder) -> None:
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
    "cubic.spurious.grown-past-prior",
    "A spurious loss detected after the window has passed cwnd_prior is ignored",
    """Packet 0 is lost 113 ms after it was sent, more than 9/8 of the RTT of 100 ms, with the ACK of packets 1 and 2.
    3000 falls to 3000 * 7 / 10 = 2100. Two packets begin a stage: W_est = 2100 + (9/17) * 1000 * 2000 / 2100 =
    2604.2, and the window too. Two more packets: 2604.2 + (9/17) * 1000 * 2000 / 2604 = 3010.8. The window is above
    cwnd_prior = 3000, and the report of a spurious loss changes neither the window nor the threshold of 2100.
    A sender that compares the threshold restores 3000 and slow start.""",
    flags=("same-time-order",),
    max_datagram_size_bytes=1000,
    initial_window_bytes=3000,
)
def spurious_grown_past_prior(b: AvoidanceBuilder) -> None:
    lost_ns = RTT + 13 * MS
    b.send(0, 1)
    b.send(13 * MS, 2)
    b.lose(lost_ns, (0, 0))
    b.expect(outcome="reduced", cwnd_bytes=2100, ssthresh_bytes=2100, cwnd_prior_bytes=3000)
    b.ack(lost_ns, (1, 2))
    b.send(lost_ns + MS, 2)
    b.ack(lost_ns + RTT + MS, (3, 4))
    b.expect(cwnd_bytes=2604)
    b.send(lost_ns + RTT + MS, 2)
    b.ack(lost_ns + 2 * RTT + MS, (5, 6))
    b.expect(cwnd_bytes=3010)
    b.spurious_loss(lost_ns + 2 * RTT + 2 * MS)
    b.expect(outcome="unchanged", cwnd_bytes=3010, ssthresh_bytes=2100)


@add(
    "cubic.spurious.after-fast-convergence",
    "After fast convergence a spurious loss restores W_max and cwnd_prior, which differ",
    """12000 falls to 8400. Packet 10, sent in recovery, is lost: 8400 * 7 / 10 = 5880, cwnd_prior = 8400 and W_max =
    8400 * 17 / 20 = 7140. The curve stays below W_est, as K is 1.379 s, the cube root of (7140 - 5880) / 480 = 2.625.
    Four packets: 5880 + (9/17) * 1200 * 4800 / 5880 = 6398.6; five more: 6398.6 + (9/17) * 1200 * 6000 / 6398 =
    6994.4. The loss of packet 26 leaves 6994 * 7 / 10 = 4895, W_max 5944 and cwnd_prior 6994; the ACK of packets 27 to 30 does
    not grow the window. The loss was spurious: 6994 is restored, with W_max 7140 and cwnd_prior 8400. W_est is below cwnd_prior, and alpha stays 9/17: 6994.4 + (9/17)
    * 1200 * 4800 / 6994 = 7430.4, then 7430.4 + (9/17) * 1200 * 7200 / 7430 = 8046.0. If cwnd_prior stays 6994, alpha
    is 1 and the first value is 6994.4 + 1200 * 4800 / 6994 = 7818.0. If it becomes 7140, the second is 7430.4 +
    1200 * 7200 / 7430 = 8593.2. With W_max = 8400 the curve is ahead of W_est: at t = 0.901 s it is 8400 - floor(480
    * 0.478^3) = 8348.""",
    flags=("same-time-order",),
)
def spurious_after_fast_convergence(b: AvoidanceBuilder) -> None:
    rtt_ns = 300 * MS
    b.send(0, 10)
    b.lose(rtt_ns, (0, 0))
    b.ack(rtt_ns, (1, 9))
    b.send(rtt_ns + MS, 7)
    b.lose(2 * rtt_ns + MS, (10, 10))
    b.expect(cwnd_bytes=5880, w_max_bytes=7140, cwnd_prior_bytes=8400)
    b.ack(2 * rtt_ns + MS, (11, 16))
    b.send(2 * rtt_ns + 2 * MS, 4)
    b.ack(3 * rtt_ns + 2 * MS, (17, 20))
    b.expect(cwnd_bytes=6398)
    b.send(3 * rtt_ns + 2 * MS, 5)
    b.ack(4 * rtt_ns + 2 * MS, (21, 25))
    b.expect(cwnd_bytes=6994)
    b.send(4 * rtt_ns + 2 * MS, 5)
    b.lose(5 * rtt_ns + 2 * MS, (26, 26))
    b.expect(cwnd_bytes=4895, w_max_bytes=5944, cwnd_prior_bytes=6994)
    b.ack(5 * rtt_ns + 2 * MS, (27, 30))
    b.expect(outcome="in_recovery", cwnd_bytes=4895)
    b.spurious_loss(5 * rtt_ns + 3 * MS)
    b.expect(outcome="restored", cwnd_bytes=6994, w_max_bytes=7140, cwnd_prior_bytes=8400)
    b.fill(5 * rtt_ns + 3 * MS)
    b.ack(6 * rtt_ns + 3 * MS, (31, 34))
    b.expect(cwnd_bytes=7430)
    b.fill(6 * rtt_ns + 3 * MS)
    b.ack(7 * rtt_ns + 3 * MS, (35, 40))
    b.expect(cwnd_bytes=8046)


@add(
    "cubic.spurious.after-both-recoveries",
    "A spurious loss detected after recovery does not start recovery again",
    """36000 falls to 36000 * 7 / 10 = 25200. Packet 36, sent in this recovery, is lost: 25200 * 7 / 10 = 17640. The
    ACK of packet 59, sent after the second loss, ends the recovery: 17640 + (9/17) * 1000 * 1000 / 17640 = 17670. The
    second loss was spurious: 25200 is restored in congestion avoidance. Packet 59 was sent after both recovery
    periods began, and its ACK has ended both.""",
    flags=("same-time-order",),
    **WINDOW,
)
def spurious_after_both_recoveries(b: AvoidanceBuilder) -> None:
    b.send(0, 36)
    b.lose(RTT, (0, 0))
    b.ack(RTT, (1, 33))
    b.send(RTT + MS, 23)
    b.lose(2 * RTT + MS, (36, 36))
    b.expect(outcome="reduced", cwnd_bytes=17_640, ssthresh_bytes=17_640)
    b.ack(2 * RTT + MS, (34, 35), (37, 58))
    b.expect(outcome="in_recovery", cwnd_bytes=17_640, phase="recovery")
    b.send(2 * RTT + 2 * MS, 17)
    b.ack(3 * RTT + 2 * MS, (59, 59))
    b.expect(outcome="grown_avoidance", cwnd_bytes=17_670, phase="congestion_avoidance")
    b.spurious_loss(3 * RTT + 3 * MS)
    b.expect(outcome="restored", cwnd_bytes=25_200, ssthresh_bytes=25_200, phase="congestion_avoidance")


@add(
    "cubic.spurious.huge-window",
    "A spurious loss restores window and threshold beyond 32 bits",
    """2^34 * 7 / 10 = 12025908428.8: a loss leaves 12025908428. A second loss leaves 12025908428 * 7 / 10 = 8418135899.6,
    and is spurious: window and threshold are 12025908428 again. In 32 bits they are 12025908428 - 2 * 4294967296 =
    3435973836. W_max is 2^34 again: K = cbrt((17179869184 - 12025908428) * 5 / 131070) = 58.148 s. The ACK of packet 20, an RTT of 100 ms later, begins the stage
    with the target W_cubic(0.1 s) = 12052453220: growth is 65535 * (12052453220 - 12025908428) / 12025908428 = 144.66. The next ACK, of 499 packets, has the
    target W_cubic(0.101125 s) = 12052751329: growth is 499 * 65535 * (12052751329 - 12025908572) / 12025908572 = 72993.31. With W_max in 32 bits K is 0, and both ACKs
    add less than 200.""",
    tier="core",
    max_datagram_size_bytes=65_535,
    initial_window_bytes=2**34,
)
def spurious_huge_window(b: AvoidanceBuilder) -> None:
    b.send(0, 10)
    b.lose(RTT, (0, 0))
    b.ack(RTT, (1, 9))
    b.expect(cwnd_bytes=12_025_908_428, ssthresh_bytes=12_025_908_428)
    b.send(RTT + MS, 10)
    b.lose(2 * RTT + MS, (10, 10))
    b.expect(cwnd_bytes=8_418_135_899, ssthresh_bytes=8_418_135_899)
    b.ack(2 * RTT + MS, (11, 19))
    b.spurious_loss(2 * RTT + 2 * MS)
    b.expect(outcome="restored", cwnd_bytes=12_025_908_428, ssthresh_bytes=12_025_908_428)
    b.send(2 * RTT + 3 * MS, 500)
    b.ack(3 * RTT + 3 * MS, (20, 20))
    b.expect(cwnd_bytes=12_025_908_572)
    b.ack(3 * RTT + 4 * MS, (21, 519))
    b.expect(cwnd_bytes=12_025_981_565)

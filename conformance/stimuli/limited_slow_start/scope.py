"""Hand-built stimuli of Limited Slow-Start: the affected slow starts, and the effect of a loss.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from functools import partial

from firstflight_conformance.format.builder import MS, S, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.limited_slow_start.sender import (
    ALL,
    LINUX,
    PACKETS,
    RFC,
    RFCS,
    RTT,
    SOURCE,
    TOR,
    acks,
)
from stimuli.newreno.growth import send_bursts

CATALOGUE = Catalogue(*ALL, sources=(SOURCE, "RFC 9002, section 7.3"))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000)


@add(
    "limited-slow-start.scope.loss",
    "A loss ends limited slow start; congestion avoidance ignores max_ssthresh, and begins above the threshold",
    """One ACK grows 120000 to 120500. Packet 1 is lost: window and threshold 60250. Packet 2, sent before the loss, does not grow the window. Packet 10
    ends recovery: the window equals the threshold, which is slow start, and grows by 1000: 61250. Packet 11 is in congestion avoidance
    and adds floor(1000 * 1000 / 61250) = 16: 61266. With congestion avoidance at the threshold packet 10 adds floor(1000 * 1000 / 60250) = 16,
    60250 + 16 = 60266.""",
    profiles=RFCS,
    initial_window_bytes=120_000,
)
def scope_loss(b: StreamBuilder) -> None:
    b.send(0, 10)
    acks(b, 1)
    b.lose(RTT + MS, (1, 1))
    b.expect(outcome="reduced", cwnd_bytes=60_250, ssthresh_bytes=60_250)
    b.ack(RTT + 2 * MS, (2, 2))
    b.expect(outcome="in_recovery", cwnd_bytes=60_250)
    b.send(RTT + 3 * MS, 2)
    b.ack(2 * RTT + 3 * MS, (10, 10))
    b.expect(outcome="grown", cwnd_bytes=61_250, phase="congestion_avoidance")
    b.ack(2 * RTT + 4 * MS, (11, 11))
    b.expect(outcome="grown_avoidance", cwnd_bytes=61_266)


@add(
    "limited-slow-start.scope.app-limited-bursts",
    "Bursts of three and four packets do not grow a window that equals its threshold",
    """A loss halves 240000: window and threshold 120000, with three packets in flight. Bursts of three and four packets
    end recovery and leave 120000. Without app_limited K is floor(120000 / 50000) = 2, and the first burst adds floor(1000
    / 2) = 500. The largest flight since the loss is four packets, and twice that is 2 * 4000 = 8000.""",
    sources=(SOURCE, "RFC 9002, section 7.8"),
    initial_window_bytes=240_000,
)
def scope_app_limited_bursts(b: StreamBuilder) -> None:
    b.send(0, 4, app_limited=True)
    b.lose(RTT, (0, 0))
    b.ack(RTT + MS, (1, 3), app_limited=True)
    send_bursts(b, 2 * RTT, 4)
    b.expect(at=b.acked(3), cwnd_bytes=120_000)
    b.expect(outcome="app_limited", cwnd_bytes=120_000, ssthresh_bytes=120_000)


@add(
    "limited-slow-start.scope.equal-above",
    "A window that equals its threshold above max_ssthresh grows by a share once more",
    """A loss halves 300000: window and threshold 150000. The ACK of packet 4, sent after the loss, ends recovery. The window is not above
    the threshold, K is floor(150000 / 50000) = 3, and floor(1000 / 3) = 333 is added: 150333. The ACK of packet 5 is in congestion avoidance and adds floor(1000 * 1000 / 150333) = 6: 150339. Tor adds round(1000 * 50000 / 150000) = 333 as well. Linux adds up 50000, which is below 150000. The window stays at the threshold, in slow start, and packet 5 adds up to 2 * 50000 = 100000.""",
    initial_window_bytes=300_000,
)
def scope_equal_above(b: StreamBuilder) -> None:
    b.send(0, 4)
    b.lose(RTT, (0, 0))
    b.expect(outcome="reduced", cwnd_bytes=150_000, ssthresh_bytes=150_000, phase="recovery")
    b.send(RTT + MS, 2)
    b.ack(2 * RTT + MS, (4, 4))
    b.expect(outcome="limited_grown", cwnd_bytes=150_333, phase="congestion_avoidance", profile=(RFC, PACKETS, TOR))
    b.expect(outcome="limited_grown", cwnd_bytes=150_000, credit_bytes=50_000, phase="slow_start", profile=LINUX)
    b.ack(2 * RTT + 2 * MS, (5, 5))
    b.expect(outcome="grown_avoidance", cwnd_bytes=150_339, profile=(RFC, PACKETS, TOR))
    b.expect(outcome="limited_grown", cwnd_bytes=150_000, credit_bytes=100_000, profile=LINUX)


@add(
    "limited-slow-start.scope.equal-below",
    "A window equal to its threshold after persistent congestion is in slow start",
    """A loss at 4000 leaves a threshold of 2000, and persistent congestion a window of 2 * 1000 = 2000. The next ACK adds 1000: 3000. With
    congestion avoidance at the threshold it adds 1000 * 1000 / 2000 = 500.""",
    initial_window_bytes=4000,
)
def scope_equal_below(b: StreamBuilder) -> None:
    b.send(0, 4)
    b.lose(S, (0, 3))
    b.persistent_congestion(S)
    b.expect(outcome="collapsed", cwnd_bytes=2000, ssthresh_bytes=2000, phase="slow_start")
    b.send(S + MS, 1)
    b.ack(S + RTT + MS, (4, 4))
    b.expect(outcome="grown", cwnd_bytes=3000, phase="congestion_avoidance")


@add(
    "limited-slow-start.scope.ce",
    "A CE mark ends limited slow start like a loss",
    """The ACK of packet 0 grows 120000 to 120500, and carries a CE mark: 120500 / 2 = 60250. Recovery ends with the ACK of packet 10, at the
    threshold and below max_ssthresh: 61250. A window that falls step by step has fallen by then.""",
    profiles=RFCS,
    sources=(SOURCE, "RFC 9002, section 7.1"),
    initial_window_bytes=120_000,
)
def scope_ce(b: StreamBuilder) -> None:
    b.send(0, 10)
    acks(b, 1)
    b.ce(RTT, 0, 0)
    b.expect(outcome="reduced", cwnd_bytes=60_250, ssthresh_bytes=60_250)
    b.send(RTT + MS, 1)
    b.ack(2 * RTT + MS, (10, 10))
    b.expect(outcome="grown", cwnd_bytes=61_250, phase="congestion_avoidance")


@add(
    "limited-slow-start.scope.second-slow-start",
    "A later slow start is limited as well, and the ACK that reaches its threshold counts in full",
    """A loss at 210400 leaves a threshold of 105200, and persistent congestion a window of 2000. 99 ACKs bring the window to 2000 + 99 * 1000
    = 101000, above max_ssthresh: seven more add 7 * 500 = 3500, 104500. An ACK of four packets adds 1000 / 2 = 500, 105000, and the next passes
    the threshold with 105500 and is not cut off there. Packet by packet the four add 4 * 500 = 2000: 106500, above the threshold. Then each packet adds floor(1000 * 1000 / 106500) = 9: 106509.""",
    profiles=RFCS,
    initial_window_bytes=210_400,
)
def scope_second_slow_start(b: StreamBuilder) -> None:
    b.send(0, 4)
    b.lose(S, (0, 3))
    b.persistent_congestion(S)
    b.expect(outcome="collapsed", cwnd_bytes=2000, ssthresh_bytes=105_200)
    for index in range(106):
        b.send(S + 2 * index * RTT + MS, 1)
        b.ack(S + (2 * index + 1) * RTT + MS, (4 + index, 4 + index))
    b.expect(at=b.acked(102), outcome="grown", cwnd_bytes=101_000)
    b.expect(outcome="limited_grown", cwnd_bytes=104_500)
    now_ns = S + 212 * RTT + MS
    b.send(now_ns, 6)
    b.ack(now_ns + RTT, (110, 113))
    b.expect(outcome="limited_grown", cwnd_bytes=105_000, phase="slow_start", profile=RFC)
    b.expect(outcome="limited_grown", cwnd_bytes=106_500, phase="congestion_avoidance", profile=PACKETS)
    b.ack(now_ns + RTT + MS, (114, 114))
    b.expect(cwnd_bytes=105_500, ssthresh_bytes=105_200, phase="congestion_avoidance", profile=RFC)
    b.expect(outcome="grown_avoidance", cwnd_bytes=106_509, profile=PACKETS)


@add(
    "limited-slow-start.scope.remainder-after-collapse",
    "On Linux persistent congestion resets the counter",
    """Two ACKs at 120000 add up 2 * 50000 = 100000. Persistent congestion leaves a window of 2000 and resets the counter. 99 ACKs bring the window
    to 2000 + 99 * 1000 = 101000. The next ACK adds up 50000, and the window stays. With the earlier counter 100000 + 50000 = 150000 >= 101000 would gain a datagram.""",
    profiles=(LINUX,),
    sources=("ours: what persistent congestion leaves",),
    initial_window_bytes=120_000,
)
def scope_remainder_after_collapse(b: StreamBuilder) -> None:
    b.send(0, 2)
    acks(b, 2)
    b.expect(credit_bytes=100_000)
    b.persistent_congestion(S)
    b.expect(outcome="collapsed", cwnd_bytes=2000, credit_bytes=0)
    for index in range(100):
        b.send(S + 2 * index * RTT + MS, 1)
        b.ack(S + (2 * index + 1) * RTT + MS, (2 + index, 2 + index))
    b.expect(outcome="limited_grown", cwnd_bytes=101_000, credit_bytes=50_000)


@add(
    "limited-slow-start.scope.remainder-after-reduction",
    "On Linux a reduction resets the counter",
    """One ACK at 300000 adds up 50000. A loss halves the window to 150000 and resets the counter. Three ACKs at the threshold add up 3 *
    50000 = 150000, which reaches the window: it gains a datagram, 151000. With the earlier counter the second ACK would gain it: 50000 + 2 * 50000 =
    150000.""",
    profiles=(LINUX,),
    sources=("ours: what a reduction leaves",),
    initial_window_bytes=300_000,
)
def scope_remainder_after_reduction(b: StreamBuilder) -> None:
    b.send(0, 4)
    acks(b, 1)
    b.expect(cwnd_bytes=300_000, credit_bytes=50_000)
    b.lose(RTT + MS, (1, 1))
    b.expect(outcome="reduced", cwnd_bytes=150_000, credit_bytes=0)
    b.send(RTT + 2 * MS, 3)
    for index in range(3):
        b.ack(2 * RTT + (2 + index) * MS, (4 + index, 4 + index))
    b.expect(at=b.acked(5), cwnd_bytes=150_000, credit_bytes=100_000)
    b.expect(cwnd_bytes=151_000, credit_bytes=0, phase="congestion_avoidance")


@add(
    "limited-slow-start.scope.remainder-below",
    "On Linux a window below max_ssthresh gains a segment for each ACK without the counter",
    "50000 gains 1000 with each of three ACKs: 53000. The counter stays 0.",
    profiles=(LINUX, TOR),
    initial_window_bytes=50_000,
)
def scope_remainder_below(b: StreamBuilder) -> None:
    b.send(0, 10)
    acks(b, 3)
    b.expect(outcome="grown", cwnd_bytes=53_000)
    b.expect(credit_bytes=0, profile=LINUX)
    b.expect(credit_bytes=None, profile=TOR)


@add(
    "limited-slow-start.cubic.loss",
    "On CUBIC a loss leaves seven tenths, and slow start is limited as well",
    """One ACK grows 120000 to 120500 on either base. The loss leaves NewReno half, 60250, and CUBIC 7 * 120500 / 10 = 84350.""",
    tier="core",
    profiles=(RFC, RFC + "+cubic"),
    sources=(SOURCE, "RFC 9438, section 4.6"),
    initial_window_bytes=120_000,
)
def cubic_loss(b: StreamBuilder) -> None:
    b.send(0, 120)
    acks(b, 1)
    b.lose(RTT + MS, (1, 1))
    b.expect(cwnd_bytes=60_250, profile=RFC)
    b.expect(cwnd_bytes=84_350, profile=RFC + "+cubic")

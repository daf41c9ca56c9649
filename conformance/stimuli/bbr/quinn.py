"""Hand-built stimuli of BBR: quinn, which has its own steps.

`why` derives the expectation. Packets have 1200 bytes. The stack works out its samples itself: events have none. A rate is that of one packet since the ACK before, so that 2 ms are
600000 bytes a second.
"""

from functools import partial

from firstflight_conformance.vectorgen.builder import MS, US, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.bbr.sender import RTT, Flights

CATALOGUE = Catalogue("quinn", sources=("quinn-proto 0.11.19, src/congestion/bbr",))
add = CATALOGUE.add
wide = partial(add, initial_window_bytes=100_000_000)


def resumed(b: StreamBuilder, spacing_ns: int = 2 * MS) -> Flights:
    """Return a sender after ProbeRTT, in Startup at 302 ms: packets a time apart have given the rate, and the window is 24000."""
    f = Flights(b)
    f.send(10)
    f.ack(10, 100 * MS)
    f.send(5)
    f.send(5)
    f.ack(1, 100 * MS)
    f.ack(9, spacing_ns)
    f.flight(10)
    return f


def full(b: StreamBuilder, left: int = 0) -> Flights:
    """Return the same sender after three rounds without growth, at 602 ms, with packets left in flight."""
    f = resumed(b)
    f.flight(20)
    f.flight(40)
    f.flight(10, left)
    return f


@add(
    "bbr.quinn.startup",
    "ProbeRTT begins with the first ACK, and Startup goes on after it",
    """The first ACK is not application-limited, and ProbeRTT was never: it begins. There is no rate, and the window is the initial one. The smallest RTT is still 333 ms. The next ACK follows 100 ms later: 1200 / 0.1 = 12000 bytes a second. The pacing rate is 12000 / 0.1 = 120000, and the window 0.75 * 12000 * 0.1 = 900, at least 4800. 2 ms later it is 1200 / 0.002 = 600000: 0.75 * 60000 = 45000. At 302 ms a round begins, 200 ms after nothing was in flight: Startup goes on, with 12000 + 12000 = 24000, for only this ACK counts. Flights of 20 and 40 packets are rounds without growth, and so is the next, which fills the pipe with 60 packets in flight: 96000 + 12000 = 108000, and floor(600000 * 2907663 / 8388608) = 207972. Eight packets more leave 52, 62400 bytes, and 1 ms later 1200 / 0.001 = 1200000 is more than the 84000 bytes that left in 100 ms: 84000 / 0.1 = 840000, a product of 84000. Drain ends.""",
)
def startup(b: StreamBuilder) -> None:
    f = Flights(b)
    f.send(10)
    b.expect(phase="startup", pacing_rate_bytes_per_s=0, min_rtt_ns=None)
    f.ack(10, 100 * MS)
    b.expect(outcome="probe_rtt_begun", phase="probe_rtt", cwnd_bytes=12_000, min_rtt_ns=333 * MS)
    f.send(5)
    f.send(5)
    f.ack(1, 100 * MS)
    b.expect(outcome="bw_grown", cwnd_bytes=4800, max_bw_delivered_bytes=12_000, pacing_rate_bytes_per_s=120_000)
    f.ack(9, 2 * MS)
    b.expect(cwnd_bytes=45_000, max_bw_delivered_bytes=600_000, pacing_rate_bytes_per_s=600_000)
    f.flight(10)
    b.expect(outcome="startup_resumed", phase="startup", cwnd_bytes=24_000, round_count=3)
    f.flight(20)
    b.expect(outcome="plateau_counted", cwnd_bytes=48_000, full_bw_count=1)
    f.flight(40)
    f.flight(10, left=60)
    b.expect(outcome="exited_by_plateau", phase="drain", cwnd_bytes=108_000, pacing_rate_bytes_per_s=207_972)
    f.ack(8, MS)
    b.expect(outcome="drained", phase="probe_bw", bdp_bytes=84_000, pacing_rate_bytes_per_s=840_000)


@add(
    "bbr.quinn.app-limited",
    "Application-limited ACKs leave Startup alone",
    """After each of the first three writes there is nothing to send. Their ACKs begin no ProbeRTT, give no rate and no smallest RTT, and the window grows by what they acknowledge: 12000 + 1200 = 13200, then 14400. What counts is the last write when the ACK comes, not that of the packets: the fourth write is not limited, and the ACK of three packets begins ProbeRTT: 1200 / 0.1 = 12000 bytes a second, and four packets. The rate that would have been 1200 / 0.001 = 1200000 is not there.""",
)
def app_limited(b: StreamBuilder) -> None:
    f = Flights(b)
    f.send(2, app_limited=True)
    f.ack(1, 100 * MS)
    b.expect(outcome="grown", phase="startup", cwnd_bytes=13_200, min_rtt_ns=None)
    f.send(1, app_limited=True)
    f.send(1, app_limited=True)
    f.ack(1, MS)
    b.expect(outcome="app_limited", cwnd_bytes=14_400, max_bw_delivered_bytes=0, round_count=1)
    f.send(1)
    f.ack(3, 100 * MS)
    b.expect(outcome="probe_rtt_begun", max_bw_delivered_bytes=12_000, cwnd_bytes=4800, min_rtt_ns=100 * MS)


@add(
    "bbr.quinn.rate",
    "The rate is that of one packet, and at most that of the last transmission",
    """Packet 1 follows packet 0 after 2 ms: 1200 / 0.002 = 600000, but the three packets that left last did so 100 ms after those before: 3600 / 0.1 = 36000. Packet 0 alone begins no round. At the same time there is no rate. A packet leaves at 103 ms, and at 104 ms the rate is 1200 / 0.002 = 600000 again, and the last transmission had 1200 / 0.003 = 400000. Two leave together at 104 ms: the last two are no time apart, and all that counts is 1200 / 0.001 = 1200000.""",
)
def rate(b: StreamBuilder) -> None:
    f = Flights(b)
    f.send(3)
    f.ack(1, 100 * MS)
    b.expect(round_count=0)
    f.send(3)
    f.ack(1, 2 * MS)
    b.expect(max_bw_delivered_bytes=36_000, round_count=1)
    f.ack(1)
    b.expect(max_bw_delivered_bytes=36_000)
    f.now_ns += MS
    f.send(1)
    f.ack(2, MS)
    b.expect(max_bw_delivered_bytes=400_000)
    f.send(1)
    f.send(1)
    f.ack(1, MS)
    b.expect(max_bw_delivered_bytes=1_200_000)


@add(
    "bbr.quinn.long-path",
    "The smallest RTT is never above 333 ms",
    """The path takes 400 ms, and the smallest RTT stays at the initial one: 333 ms. The first ACK is application-limited, so that the second begins ProbeRTT. With 1200 / 0.002 = 600000 bytes a second the product is 0.333 * 600000 = 199800, and the window 0.75 * 199800 = 149850. The pacing rate begins as floor(12000 / 0.333) = 36036.""",
)
def long_path(b: StreamBuilder) -> None:
    f = Flights(b)
    f.send(5, app_limited=True)
    f.ack(1, 400 * MS)
    f.send(2)
    f.send(2)
    f.ack(1, 2 * MS)
    b.expect(outcome="probe_rtt_begun", min_rtt_ns=333 * MS, bdp_bytes=199_800, cwnd_bytes=149_850)
    b.expect(pacing_rate_bytes_per_s=36_036)


@add(
    "bbr.quinn.flight",
    "ProbeRTT lasts a while from where little is in flight, and to the start of a round",
    """The first ten packets are application-limited, packet 10 is not. When packet 1 is acknowledged at 102 ms, 1200 / 0.1 = 12000 bytes a second are known, and ProbeRTT begins: the window is four packets, with nine in flight. Five at 103 ms are 6000 bytes, no less than 4800 + 1200 = 6000; four at 110 ms are less. So it lasts until 310 ms: rounds begin with packet 11 at 305 ms and packet 12 at 306 ms. Packet 13 ends the second, and begins none at 310 ms. Packet 14 does at 311 ms, and Startup goes on.""",
)
def flight(b: StreamBuilder) -> None:
    f = Flights(b)
    f.send(10, app_limited=True)
    f.ack(1, 100 * MS)
    f.send(1)
    f.ack(1, 2 * MS)
    b.expect(outcome="probe_rtt_begun", cwnd_bytes=4800, round_count=1)
    f.ack(4, MS)
    f.ack(1, 7 * MS)
    f.ack(1, 2 * MS)
    f.send(1)
    f.ack(4, 193 * MS)
    b.expect(phase="probe_rtt", round_count=2)
    f.send(2)
    f.ack(1, MS)
    f.ack(1, 4 * MS)
    b.expect(phase="probe_rtt", round_count=3)
    f.send(1)
    f.ack(1, MS)
    b.expect(outcome="startup_resumed", phase="startup", round_count=4)


@add(
    "bbr.quinn.too-early",
    "A round that begins before the 200 ms are over does not end ProbeRTT",
    """ProbeRTT begins at 100 ms, with nothing in flight. A round begins at 299 ms, after 199 ms, and ProbeRTT goes on; the next begins at 300 ms, and Startup goes on.""",
)
def too_early(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(2)
    f.flight(2, rtt_ns=199 * MS)
    b.expect(phase="probe_rtt", round_count=2)
    f.flight(2, rtt_ns=MS)
    b.expect(outcome="startup_resumed", round_count=3)


@add(
    "bbr.quinn.ten-seconds",
    "After Drain ProbeRTT begins anew when more than ten seconds have passed",
    """The pipe is full, and Drain ends at once. ProbeRTT last began at 100 ms: at 10100 ms it is ten seconds old, no more. 1 ms later it is due. The smallest RTT is then that of the connection, and the window 0.75 * 60000 = 45000. The window that returns is 109200 meanwhile: the two packets of the ACK that ends ProbeRTT after 200 ms are all that it grows by, 109200 + 2400 = 111600.""",
)
def ten_seconds(b: StreamBuilder) -> None:
    f = full(b)
    b.expect(outcome="exited_by_plateau", phase="probe_bw", cwnd_bytes=108_000)
    f.send(4)
    f.ack(1, 10_100 * MS - f.now_ns)
    b.expect(phase="probe_bw", cwnd_bytes=109_200)
    f.ack(1, MS)
    b.expect(outcome="probe_rtt_begun", cwnd_bytes=45_000)
    f.ack(1, 100 * MS)
    b.expect(cwnd_bytes=45_000)
    f.send(1)
    f.ack(2, 101 * MS)
    b.expect(outcome="probe_rtt_ended", phase="probe_bw", cwnd_bytes=111_600)


def draining(b: StreamBuilder, rtt_ns: int, spacing_ns: int, left: int) -> None:
    """Fill the pipe with two packets a time apart, and begin Drain with packets left in flight."""
    f = Flights(b)
    f.flight(10, rtt_ns=rtt_ns)
    f.send(5)
    f.send(5)
    f.ack(1, rtt_ns)
    f.ack(9, spacing_ns)
    f.flight(10, rtt_ns=2 * RTT)
    for packets in (0, 0, left):
        f.flight(10, packets, rtt_ns=rtt_ns)


@wide(
    "bbr.quinn.gain",
    "Gains of single precision are a little less than their decimals",
    """Two packets 15 us apart are 1200 / 0.000015 = 80000000 bytes a second, and a product of 8000000. In single precision 2.885 is 12100567 / 4194304 = 2.88499999: the window of Drain is floor(8000000 * 12100567 / 4194304) = 23079999. Its inverse is 2907663 / 8388608 = 0.34662044: the pacing rate is floor(80000000 * 2907663 / 8388608) = 27729635.""",
)
def gain(b: StreamBuilder) -> None:
    draining(b, RTT, 15 * US, 8400)
    b.expect(outcome="exited_by_plateau", bdp_bytes=8_000_000, cwnd_bytes=23_079_999, phase="drain")
    b.expect(pacing_rate_bytes_per_s=27_729_635)


@wide(
    "bbr.quinn.rounding",
    "A product that is not quite a whole number is one in double precision",
    """Two packets 1.35 us apart are floor(1200 * 1000000000 / 1350) = 888888888 bytes a second, 888888888 * 30189 = 26834666639832 in millionths of a byte within 30189 us. Times 2.885 of single precision that is 12100567 * 26834666639832 / 4194304 / 1000000 = 77418012.999999996, which is 77418013 in double precision: the window of Drain.""",
)
def rounding(b: StreamBuilder) -> None:
    draining(b, 30_189 * US, 1350, 22_400)
    b.expect(outcome="exited_by_plateau", phase="drain", cwnd_bytes=77_418_013)


@add(
    "bbr.quinn.growth",
    "Five quarters of the baseline are rounded down",
    """A packet after 64 ms is 1200 / 0.064 = 18750 bytes a second, of which five quarters are 1.25 * 18750 = 23437.5. 1200 bytes in 51201 us are floor(1200 / 0.051201) = 23437: no less than floor(1.25 * 18750) = 23437, and so growth. After 41 ms floor(1200 / 0.041) = 29268 are less than floor(1.25 * 23437) = 29296: none. In the next round Startup goes on, where the window grows though its target is 9302: 12000 + 2400 = 14400. One more round fills the pipe.""",
)
def growth(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(2)
    for spacing_ns, outcome, bw in (
        (64 * MS, "bw_grown", 18_750),
        (51_201 * US, "bw_grown", 23_437),
        (41 * MS, "plateau_counted", 29_268),
    ):
        f.send(1)
        f.send(1)
        f.ack(2, spacing_ns)
        b.expect(outcome=outcome, max_bw_delivered_bytes=bw)
    f.flight(2)
    b.expect(outcome="startup_resumed", cwnd_bytes=14_400, max_inflight_bytes=9302)
    f.flight(2)
    b.expect(outcome="exited_by_plateau", full_bw_delivered_bytes=23_437)


@add(
    "bbr.quinn.aggregation",
    "What is acknowledged too early raises the window, by the largest of ten rounds once the pipe is full",
    """The epoch begins anew with the first two packets of 20, which count as 2400. 1 ms later 600 bytes are expected: 2400 + 4800 - 600 = 6600 too many, and 1 ms after that 7200 + 4800 - 1200 = 10800. Ten packets 50 ms later are too few: none. The second round after that fills the pipe, and the window may have 2 * 60000 + 10800 = 130800. Five packets 1 ms later are 12000 + 6000 - 600 = 17400 too many. Rounds of one packet have none. In round 17, eleven later, two packets 1 ms apart have 1200 + 1200 - 600 = 1800, and that is the largest of ten rounds.""",
)
def aggregation(b: StreamBuilder) -> None:
    f = resumed(b)
    f.send(20)
    f.ack(2, 100 * MS)
    f.ack(4, MS)
    b.expect(extra_acked_bytes=6600, max_inflight_bytes=179_699)
    f.ack(4, MS)
    b.expect(extra_acked_bytes=10_800)
    f.ack(10, 50 * MS)
    b.expect(extra_acked_bytes=0)
    f.flight(10)
    f.flight(10, left=5)
    b.expect(outcome="exited_by_plateau", phase="probe_bw", max_inflight_bytes=130_800)
    f.ack(5, MS)
    b.expect(extra_acked_bytes=17_400, round_count=6)
    for _ in range(10):
        f.flight(1)
    b.expect(extra_acked_bytes=17_400)
    f.send(2)
    f.ack(1, 100 * MS)
    f.ack(1, MS)
    b.expect(extra_acked_bytes=1800, round_count=17)


@add(
    "bbr.quinn.recovery",
    "After Startup recovery first conserves packets, then grows",
    """A packet leaves in Drain, then 20 are lost, and one is acknowledged with 40 left: the recovery window is 48000 + 1200 = 49200, below 108000 + 1200 = 109200. Ten more are lost, and two acknowledged: 49200 - 12000 = 37200. Three leave, and the 28 before them are acknowledged: no round begins, for recovery began one with that packet, and 37200 stays. One of the three is lost, and the next acknowledged: a round begins, and the window grows, 37200 - 1200 + 1200 = 37200. The third left before the loss was found, and does not end recovery: 37200 + 1200 = 38400. The next two do.""",
)
def recovery(b: StreamBuilder) -> None:
    f = full(b, left=60)
    f.send(1)
    f.lose_next(20)
    b.expect(outcome="loss_noted", cwnd_bytes=108_000)
    f.ack(1, 2 * MS)
    b.expect(cwnd_bytes=49_200, inflight_shortterm_bytes=49_200)
    f.lose_next(10)
    f.ack(2, 2 * MS)
    b.expect(cwnd_bytes=37_200)
    f.send(3)
    f.ack(28, 96 * MS)
    b.expect(cwnd_bytes=37_200, round_count=6)
    f.lose_next(1)
    f.ack(1, 4 * MS)
    b.expect(round_count=7, cwnd_bytes=37_200)
    f.ack(1, MS)
    b.expect(cwnd_bytes=38_400)
    f.send(2)
    f.ack(2, 100 * MS)
    b.expect(inflight_shortterm_bytes=None)


@add(
    "bbr.quinn.recovery-exit",
    "In recovery a round without growth ends Startup",
    """A round is counted with packet 30. Two packets are lost, and persistent congestion changes nothing. The next ACK begins recovery and no round. The recovery window is 7200 + 1200 = 8400, but Startup has 24000 + 2 * 1200 = 26400, and 16 packets leave. Then 12 are lost, 14400 bytes, more than the recovery window, and the other ten are acknowledged. Packet 55 is later than packet 39, the last one when recovery began: a round begins, without growth, in recovery. Startup is over. A packet is left of the recovery window, and grows by what is acknowledged, 1200 + 12000 = 13200.""",
)
def recovery_exit(b: StreamBuilder) -> None:
    f = resumed(b)
    f.send(10)
    f.ack(1, 100 * MS)
    b.expect(outcome="plateau_counted", full_bw_count=1)
    f.lose_next(2)
    b.persistent_congestion(f.now_ns)
    b.expect(outcome="unchanged", cwnd_bytes=25_200)
    f.ack(1, 2 * MS)
    b.expect(phase="startup", cwnd_bytes=26_400, round_count=4, inflight_shortterm_bytes=8400)
    f.send(16)
    f.now_ns += 90 * MS
    f.lose_next(12)
    f.ack(10, 10 * MS)
    b.expect(outcome="exited_by_loss", full_bw_count=2, cwnd_bytes=13_200, round_count=5)


@add(
    "bbr.quinn.marks",
    "Marks change nothing",
    """Two of ten packets are marked. There is no recovery: a round without growth is counted, and Startup goes on with 24000 + 12000 = 36000.""",
)
def marks(b: StreamBuilder) -> None:
    f = resumed(b)
    f.send(10)
    for packet in (30, 31):
        b.ce(f.now_ns + 90 * MS, packet, f.now_ns)
        b.expect(outcome="unchanged", cwnd_bytes=24_000)
    f.ack(10, 100 * MS)
    b.expect(outcome="plateau_counted", full_bw_count=1, cwnd_bytes=36_000)


@add(
    "bbr.quinn.full-in-probe-rtt",
    "A pipe that is found full in ProbeRTT needs no Drain",
    """ProbeRTT begins at 10 ms. Packets 10 ms apart are 1200 / 0.01 = 120000 bytes a second: one round of growth, and three without. At 50 ms the pipe is full, in ProbeRTT. The round that begins at 210 ms ends it. 2 * 1200 is less than four packets, and 3600 + 1200 - 2400 = 2400 bytes too many were acknowledged at 30 ms: 4800 + 2400 = 7200.""",
)
def full_in_probe_rtt(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(2, rtt_ns=10 * MS)
    for _ in range(4):
        f.flight(1, rtt_ns=10 * MS)
    b.expect(outcome="exited_by_plateau", phase="probe_rtt", cwnd_bytes=4800)
    f.flight(1, rtt_ns=160 * MS)
    b.expect(outcome="probe_rtt_ended", phase="probe_bw", cwnd_bytes=7200)

"""Hand-built stimuli of BBR: pacing, quantum, aggregation, RTT and window.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.bbr.sender import DRAFT, SOURCE, WIDE, Flights, Sampled, full, grown

CATALOGUE = Catalogue(DRAFT, sources=(f"{SOURCE}, section 5.6.4.6",), builder=Sampled)
add = CATALOGUE.add
PACING = (f"{SOURCE}, section 5.6.2",)


@add(
    "bbr.pacing.initial",
    "Before an RTT sample the initial window is paced over a millisecond, then over the RTT",
    """2.77 * 12000 * 1000 = 33240000 bytes a second, and ten packets take ceil(12000 * 1000000000 / 33240000) = 361011 ns. The first RTT is 100 ms: 2.77 * 12000 * 10 = 332400, more than the floor(2.77 * 0.99 * 120000) = 329076 of the rate. The second flight has 24000 * 10 = 240000 bytes a second: 2.77 * 0.99 * 240000 = 658152.""",
    sources=PACING,
)
def pacing_initial(b: StreamBuilder) -> None:
    f = Flights(b)
    f.send(10)
    b.expect(next_release_ns=1_000_361_011, pacing_rate_bytes_per_s=33_240_000)
    f.ack(10, 100 * MS)
    b.expect(pacing_rate_bytes_per_s=332_400)
    f.flight(20)
    b.expect(pacing_rate_bytes_per_s=658_152)


@add(
    "bbr.pacing.rises",
    "Until the pipe is full the pacing rate only rises",
    """At 600000 bytes a second it is 2.77 * 0.99 * 600000 = 1645380. A flight of 20 packets does not change the rate. The initial window over a smoothed RTT applies once: a first RTT of 100 ms, then 200 ms.""",
    sources=PACING,
)
def pacing_rises(b: StreamBuilder) -> None:
    f = grown(b)
    b.expect(pacing_rate_bytes_per_s=1_645_380)
    f.flight(20, rtt_ns=200 * MS)
    b.expect(pacing_rate_bytes_per_s=1_645_380)


@add(
    "bbr.pacing.chain",
    "Packets sent early wait for each other, and a late packet starts a new schedule",
    """The rate is 1645380 bytes a second: a packet takes ceil(1200 * 1000000000 / 1645380) = 729315. Two packets leave at 400 ms one after the other, long after the release of earlier packets. The next packet is due 2 * 729315 = 1458630 later, in ns. A single packet leaves at 410 ms, and the next is due one packet time after it.""",
    sources=PACING,
)
def pacing_chain(b: StreamBuilder) -> None:
    f = grown(b)
    f.send(1)
    b.expect(next_release_ns=1_400_729_315)
    f.send(1)
    b.expect(next_release_ns=1_401_458_630)
    f.now_ns += 10 * MS
    f.send(1)
    b.expect(next_release_ns=1_410_729_315)


@add(
    "bbr.pacing.least",
    "A rate below a byte per second counts as one byte per second",
    """The initial window is one datagram of one byte, and the RTT is 100 s. 1 / 100 bytes a second, times 2.77, is less than 1. A byte takes 1000000000 ns then.""",
    max_datagram_size_bytes=1,
    initial_window_bytes=1,
    sources=("ours",),
)
def pacing_least(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(1, rtt_ns=100_000 * MS)
    b.expect(pacing_rate_bytes_per_s=1, cwnd_bytes=4)
    f.send(1)
    b.expect(next_release_ns=102_000_000_000)


@add(
    "bbr.window.until-the-initial-one",
    "Until the initial window is delivered the window grows even above BBR.max_inflight",
    """One packet is acknowledged: 1200 bytes over 100 ms. Twice the product and the extra are 2 * 1200 + 1200 = 3600 bytes, less than four datagrams. BBR.max_inflight is 4800, and the window of 12000 is not below it. But 1200 delivered are less than 12000, and it grows: 12000 + 1200 = 13200.""",
)
def window_until_the_initial_one(b: StreamBuilder) -> None:
    f = Flights(b)
    f.send(10)
    f.ack(1, 100 * MS)
    b.expect(cwnd_bytes=13_200, outcome="app_limited", max_inflight_bytes=4800)


@add(
    "bbr.window.doubles",
    "In Startup the window doubles in a round, and stops at BBR.max_inflight",
    """Flights of 10, 20 and 40 packets: 24000, 48000 and 96000. The flight of 50 adds 60000: 156000. BBR.max_inflight is 2 * 60000 and the aggregation of 60000, 180000. The next flight grows the window once more, to 216000, and the flight after that does not.""",
)
def window_doubles(b: StreamBuilder) -> None:
    f = Flights(b)
    for packets, cwnd_bytes in ((10, 24_000), (20, 48_000), (40, 96_000), (50, 156_000), (50, 216_000), (50, 216_000)):
        f.flight(packets)
        b.expect(cwnd_bytes=cwnd_bytes)
    b.expect(max_inflight_bytes=180_000, extra_acked_bytes=60_000, bdp_bytes=60_000)


@add(
    "bbr.window.least",
    "The window has at least four datagrams",
    """The initial window is two datagrams. The ACK of one datagram grows it to 2400 + 1200 = 3600; the floor of 4 * 1200 = 4800 applies.""",
    initial_window_bytes=2400,
    sources=(f"{SOURCE}, section 5.6.4.3",),
)
def window_least(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(1)
    b.expect(cwnd_bytes=4800)


@add(
    "bbr.window.no-rtt",
    "Without an RTT sample every multiple of the product is the initial window",
    """The initial window has 80 packets, 96000 bytes, more than the largest send quantum of 64 * 1024 = 65536. All are acknowledged without an RTT sample: BBR.max_inflight is the 96000 and the aggregation of 96000, 192000. The window is below that and grows by all acknowledged bytes: 192000.""",
    initial_window_bytes=96_000,
    sources=(f"{SOURCE}, section 5.6.4.2",),
)
def window_no_rtt(b: StreamBuilder) -> None:
    b.send(0, 80)
    b.ack(100 * MS, (0, 79), sample=False)
    b.expect(cwnd_bytes=192_000, max_inflight_bytes=192_000, min_rtt_ns=None, bdp_bytes=0)


@add(
    "bbr.extra-acked.interval",
    "Aggregation counts the bytes beyond the rate since the delivery last fell below it",
    """At 400 ms the interval begins with 60000 bytes. 50 packets are acknowledged 25 by 25. At 500 ms 600000 * 0.1 = 60000 were expected and 60000 came: the interval restarts with 30000. At 510 ms 600000 * 0.01 = 6000 were expected, less than 30000: 30000 + 30000 - 6000 = 54000 are extra.""",
    sources=(f"{SOURCE}, section 5.5.9",),
)
def extra_acked_interval(b: StreamBuilder) -> None:
    f = grown(b)
    b.expect(extra_acked_bytes=60_000)
    f.send(50)
    f.ack(25, 100 * MS)
    b.expect(extra_acked_bytes=30_000)
    f.ack(25, 10 * MS)
    b.expect(extra_acked_bytes=54_000)


@add(
    "bbr.extra-acked.capped",
    "The extra is at most the window",
    """The ACKs lack samples, so 0 bytes are expected. Ten packets are acknowledged, and ten more: 2 * 12000 = 24000 bytes beyond the 0 expected. The window, 12000, is the cap.""",
    sources=(f"{SOURCE}, section 5.5.9",),
)
def extra_acked_capped(b: StreamBuilder) -> None:
    b.sampler = None
    f = Flights(b)
    f.flight(10)
    f.flight(10)
    b.expect(extra_acked_bytes=12_000, cwnd_bytes=12_000)


@add(
    "bbr.extra-acked.ten-rounds",
    "After the pipe is full the largest of ten rounds counts",
    """The last round of Startup has 60000 extra. Flights of ten packets follow, 12000 bytes, with an extra of 12000. The 60000 of round 7 still count in round 16, the tenth, and not in round 17.""",
    sources=(f"{SOURCE}, section 5.5.9",),
)
def extra_acked_ten_rounds(b: StreamBuilder) -> None:
    f = full(b)
    for _ in range(9):
        f.flight(10)
    b.expect(round_count=16, extra_acked_bytes=60_000, max_inflight_bytes=180_000)
    f.flight(10)
    b.expect(round_count=17, extra_acked_bytes=12_000, max_inflight_bytes=132_000, cwnd_bytes=132_000)


@add(
    "bbr.extra-acked.in-drain",
    "In Drain the rounds of Startup count among the ten",
    """Round 5 takes 200 ms: 100 packets are 600000 bytes a second, and 120000 bytes extra. Round 6, app-limited, takes 300 ms, and 600000 * 0.3 = 180000 are expected: the interval restarts. From then on the extra is the 60000 of each ACK. Round 13 fills the pipe, with 180000 / 1200 = 150 packets left in flight. Round 14 begins with the fourth step of Drain, round 15 with the seventh. In round 14, the tenth, the 120000 still count: 2 * 60000 + 120000 = 240000. In round 15 they do not: 2 * 60000 + 60000 = 180000.""",
    sources=(f"{SOURCE}, section 5.5.9",),
    initial_window_bytes=WIDE,
)
def extra_acked_in_drain(b: StreamBuilder) -> None:
    f = grown(b)
    f.flight(100, rtt_ns=200 * MS)
    b.expect(outcome="plateau_counted", full_bw_count=1, extra_acked_bytes=120_000)
    f.flight(50, rtt_ns=300 * MS, rate_app_limited=True)
    f.flight(50)
    for _ in range(5):
        f.flight(50, rate_app_limited=True)
    f.flight(50, left=150)
    b.expect(outcome="exited_by_plateau", round_count=13, phase="drain", cwnd_bytes=180_000)
    for _ in range(6):
        f.ack(50, 100 * MS)
        f.send(50)
    b.expect(round_count=14, phase="drain", cwnd_bytes=240_000)
    f.ack(50, 100 * MS)
    b.expect(round_count=15, phase="drain", cwnd_bytes=180_000)


@add(
    "bbr.extra-acked.after-idle",
    "After idle time the interval of aggregation begins with the packets sent",
    """The application holds back the last flight. 300 ms later, at 800 ms, 50 packets are sent on an empty flight, and acknowledged at 850 ms. Since then 600000 * 0.05 = 30000 are expected, less than the 60000 of the last flight. With these 60000 the extra is 60000 + 60000 - 30000 = 90000.""",
    sources=(f"{SOURCE}, section 5.4.1",),
)
def extra_acked_after_idle(b: StreamBuilder) -> None:
    f = grown(b)
    f.send(50, app_limited=True)
    f.ack(25, 100 * MS)
    f.ack(25)
    b.expect(extra_acked_bytes=60_000)
    f.now_ns += 300 * MS
    f.send(50)
    f.ack(50, 50 * MS)
    b.expect(extra_acked_bytes=90_000)


@add(
    "bbr.min-rtt.five-seconds",
    "After more than five seconds a sample replaces the smallest RTT of five seconds; BBR.min_rtt waits for ten",
    """The first RTT is 100 ms, at 0.1 s. Flights of 110 ms come at 4.1 s, app-limited, and at 5.1 s, exactly 5 s later: no change. Implementations that enter ProbeRTT there are judged only up to that event (B14). A sample of 120 ms comes at 5.3 s: it is the smallest of five seconds. BBR.min_rtt stays 100 ms at 10.1 s, exactly 10 s after its sample. At 10.23 s, with a sample of 130 ms, it becomes the 120 ms.""",
    sources=(f"{SOURCE}, section 5.3.4.3",),
)
def min_rtt_five_seconds(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(10)
    f.now_ns = 3990 * MS
    f.flight(10, rtt_ns=110 * MS, rate_app_limited=True)
    f.now_ns = 4990 * MS
    f.flight(10, rtt_ns=110 * MS)
    b.expect(min_rtt_ns=100 * MS)
    f.now_ns = 5180 * MS
    f.flight(10, rtt_ns=120 * MS)
    b.expect(min_rtt_ns=100 * MS)
    f.now_ns = 9980 * MS
    f.flight(10, rtt_ns=120 * MS)
    b.expect(min_rtt_ns=100 * MS)
    f.flight(10, rtt_ns=130 * MS)
    b.expect(min_rtt_ns=120 * MS)

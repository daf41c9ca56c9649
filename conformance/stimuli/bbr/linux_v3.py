"""Hand-built stimuli of BBR: differences of the third version of Linux.

`why` derives the expectation; ``sender`` describes the common stream. A rate is packets in a microsecond times 2^24,
here called units: k packets in 100 ms are ceil(k * 16777216 / 100000).
"""

from firstflight_conformance.format.builder import MS, US, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.bbr.sender import UNIT_NS, Flights, Sampled, grown

CATALOGUE = Catalogue("linux-v3", sources=("google/bbr net/ipv4/tcp_bbr.c, branch v3",), builder=Sampled)
add = CATALOGUE.add


@add(
    "bbr.linux-v3.startup",
    "A gain of 710/256, rates rounded up, and a window that grows up to twice the initial window",
    """Ten packets in 1 ms are floor(10 * 16777216 / 1000) = 167772 units: 32948406 bytes a second. In 100 ms they are ceil(10 * 16777216 / 100000) = 1678, and the pacing rate is 329539. The window is 12000 + 12000 = 24000. Twenty are ceil(20 * 16777216 / 100000) = 3356, and five quarters are floor(3356 * 320 / 256) = 4195. 25 packets, ceil(25 * 16777216 / 100000) = 4195, are growth. Fifty are ceil(50 * 16777216 / 100000) = 8389: a product of ceil(8389 * 100000 / 16777216) = 51 packets, ceil(2 * 8389 * 100000 / 16777216) = 101 with the gain. 50 are extra: 101 + 50 = 151 packets,
    181200 bytes. The window does not grow above that. The exit leaves 54 in flight. With a quantum of two packets these are 56, more than 51: the threshold is 61200. In Drain the pacing rate is 204197. Then a packet leaves, and four are acknowledged: 54 + 1 - 4 = 51. The rate is 594027 then, and a round begins: packets that left before do not begin another round.""",
)
def startup(b: StreamBuilder) -> None:
    f = Flights(b)
    f.send(10)
    b.expect(pacing_rate_bytes_per_s=32_948_406, ssthresh_bytes=None)
    f.ack(10, 100 * MS)
    b.expect(max_bw_delivered_bytes=2_013_600, max_bw_interval_ns=UNIT_NS, pacing_rate_bytes_per_s=329_539)
    b.expect(cwnd_bytes=24_000)
    f.flight(20)
    b.expect(full_bw_delivered_bytes=3356 * 1200)
    f.flight(25)
    b.expect(outcome="bw_grown", full_bw_delivered_bytes=4195 * 1200)
    for cwnd_bytes in (138_000, 198_000, 198_000):
        f.flight(50)
        b.expect(cwnd_bytes=cwnd_bytes, max_inflight_bytes=181_200, bdp_bytes=61_200)
    f.flight(50, left=54)
    b.expect(outcome="exited_by_plateau", phase="drain", ssthresh_bytes=61_200, pacing_rate_bytes_per_s=204_197)
    b.expect(cwnd_bytes=181_200, extra_acked_bytes=60_000, round_count=7)
    f.send(1)
    f.ack(2, 4 * MS)
    b.expect(phase="drain")
    f.ack(2, 4 * MS)
    b.expect(outcome="drained", phase="probe_bw", pacing_rate_bytes_per_s=594_027)
    f.ack(51, 92 * MS)
    b.expect(round_count=7)


@add(
    "bbr.linux-v3.near",
    "On a short path more bytes leave at once",
    """The RTT is 1600.9 us, and floor(1600 / 512) = 3: 65536 / (2 * 2 * 2) = 8192 bytes more. Ten packets in 1600 us are ceil(10 * 16777216 / 1600) = 104858 units. The pacing rate is 20592851, and floor(20592851 / 1024) = 20110 of it: floor((20110 + 8192) / 1200) = 23 packets are a quantum. Three quanta are 3 * 23 = 69, 82800 bytes, more than ceil(2 * 104858 * 1600 / 16777216) = 21 and 10 extra packets. They are the threshold at the exit.""",
)
def near(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(10, rtt_ns=1600 * US + 900)
    b.expect(pacing_rate_bytes_per_s=20_592_851, max_inflight_bytes=82_800, min_rtt_ns=1600 * US)
    for _ in range(4):
        f.flight(10, rtt_ns=1600 * US + 900)
    b.expect(outcome="exited_by_plateau", ssthresh_bytes=82_800)


@add(
    "bbr.linux-v3.wide",
    "127 packets replace a larger initial window, and growth continues up to twice that",
    """The initial window has 1800000 / 9000 = 200 packets of 9000 bytes. 54 are acknowledged without an RTT: the sample is invalid, and the extra is 0. 2^7 - 1 = 127 packets are 1143000 bytes, more than three quanta of 7 packets. The window is above 127 packets, but below 2 * 127 = 254 packets: 200 + 54 = 254, 2286000 bytes. With five more packets it is not below.""",
    initial_window_bytes=1_800_000,
    max_datagram_size_bytes=9000,
)
def wide(b: StreamBuilder) -> None:
    b.send(0, 100)
    b.ack(100 * MS, (0, 53), sample=False)
    b.expect(cwnd_bytes=2_286_000, max_inflight_bytes=1_143_000, min_rtt_ns=None)
    b.ack(100 * MS, (54, 58), sample=False)
    b.expect(cwnd_bytes=2_286_000, outcome="unchanged", max_inflight_bytes=1_143_000)


@add(
    "bbr.linux-v3.any-ack",
    "A grown rate becomes the baseline at any ACK; rounds are counted at their first ACK",
    """Fifty packets are ceil(50 * 16777216 / 100000) = 8389 units. The next round begins with the ACK of ten packets, and is counted. In the middle of the round 63 packets in 100 ms are ceil(63 * 16777216 / 100000) = 10570 units. That is at least floor(8389 * 320 / 256) = 10486: the new baseline, and the count is 0. Three flights of 50 are three rounds without growth. 10 packets in the middle of a round do not count.""",
)
def any_ack(b: StreamBuilder) -> None:
    f = grown(b)
    f.send(50)
    f.ack(10, 100 * MS)
    b.expect(outcome="plateau_counted", full_bw_count=1)
    f.ack(40, rate_delivered_bytes=75_600)
    b.expect(outcome="bw_grown", full_bw_count=0, full_bw_delivered_bytes=10_570 * 1200, round_count=5)
    f.send(50)
    f.ack(40, 100 * MS)
    b.expect(outcome="plateau_counted", full_bw_count=1)
    f.ack(10)
    b.expect(full_bw_count=1, full_bw_delivered_bytes=10_570 * 1200)
    f.flight(50)
    f.flight(50)
    b.expect(outcome="exited_by_plateau")


@add(
    "bbr.linux-v3.app-limited",
    "An app-limited sample below the largest rate changes little if the window equals the target",
    """The window is above the 181200 that the path needs. Two flights of 30 packets are app-limited. The first flight changes only the round. The second has an RTT of 99 ms, so that the path needs ceil(2 * 8389 * 99000 / 16777216) = 100 packets and the 50 extra packets of the earlier flights: 100 + 50 = 150, 180000 bytes. The third flight of 30 ends Startup. The extra, the maximum of this round and of the last counted round, is still 50. An app-limited flight with an RTT of 98 ms lowers the product and the window: ceil(2 * 8389 * 98000 / 16777216) = 99 packets, 99 + 50 = 149, 178800 bytes.""",
)
def app_limited(b: StreamBuilder) -> None:
    f = grown(b)
    f.flight(50)
    f.flight(50)
    b.expect(cwnd_bytes=216_000, full_bw_count=2, max_inflight_bytes=181_200)
    f.flight(30, rate_app_limited=True)
    b.expect(outcome="app_limited", extra_acked_bytes=60_000, round_count=7)
    f.flight(30, rtt_ns=99 * MS, rate_app_limited=True)
    b.expect(outcome="app_limited", extra_acked_bytes=60_000, max_inflight_bytes=180_000, min_rtt_ns=99 * MS)
    f.flight(30)
    b.expect(outcome="exited_by_plateau", phase="probe_bw", cwnd_bytes=180_000)
    f.flight(30, rtt_ns=98 * MS, rate_app_limited=True)
    b.expect(outcome="unchanged", cwnd_bytes=178_800)


@add(
    "bbr.linux-v3.app-limited-equal",
    "An app-limited sample equal to the largest rate counts",
    """After two rounds without growth and 40 ms, 30 packets have an RTT of 60 ms and an app-limited sample over 60 ms: ceil(30 * 16777216 / 60000) = 8389 units, the largest rate. The sample counts no round, but its extra counts. The next 30 packets, after 40 ms again, end Startup. The larger extra of the two rounds is 30: ceil(2 * 8389 * 60000 / 16777216) = 61 packets, and 61 + 30 = 91, 109200 bytes.""",
)
def app_limited_equal(b: StreamBuilder) -> None:
    f = grown(b)
    f.flight(50)
    f.flight(50)
    f.now_ns += 40 * MS
    f.flight(30, rtt_ns=60 * MS, rate_app_limited=True, rate_interval_ns=60 * MS)
    b.expect(outcome="app_limited", full_bw_count=2)
    f.now_ns += 40 * MS
    f.flight(30, rtt_ns=60 * MS)
    b.expect(outcome="exited_by_plateau", cwnd_bytes=109_200)


@add(
    "bbr.linux-v3.aggregation",
    "The extra of two rounds in Startup, and of five or up to ten later",
    """Flights are acknowledged at once, and whole flights are extra: 24000 bytes of two flights of 20, also with the 15 packets of the next flight. With the 10 packets after it the extra is the flight of 15, 18000, at the ACK that ends Startup. The path needs ceil(2 * 3356 * 100000 / 16777216) = 41 packets, and 41 + 15 = 56 are 67200. A packet leaves. Three are acknowledged, which ends Drain and the round, so that the ACK of that packet does not begin a round. Four rounds of flights of 10 follow. With the fifth round the 18000 expire. The 10 and 3 packets of the exit remain, 15600: 41 + 13 = 54 packets, 64800.""",
)
def aggregation(b: StreamBuilder) -> None:
    f = Flights(b)
    for packets in (10, 20, 20):
        f.flight(packets)
    f.flight(15)
    b.expect(extra_acked_bytes=24_000)
    f.flight(10, left=20)
    b.expect(outcome="exited_by_plateau", phase="drain", extra_acked_bytes=18_000, cwnd_bytes=67_200)
    f.send(1)
    f.ack(3)
    b.expect(outcome="drained", phase="probe_bw", round_count=5)
    f.ack(9, 150 * MS)
    f.ack(9, 150 * MS)
    b.expect(round_count=5)
    for _ in range(4):
        f.flight(10)
    b.expect(extra_acked_bytes=18_000, cwnd_bytes=67_200, round_count=9)
    f.flight(10)
    b.expect(extra_acked_bytes=15_600, cwnd_bytes=64_800)


@add(
    "bbr.linux-v3.min-rtt",
    "An equal RTT restarts the age of both minimum RTTs",
    """The application holds the sender back, and each flight follows idle time, so that no ACK begins a ProbeRTT. The first RTT is 100 ms, at 0.1 s; at 5.2 s it is more than 5 s old, and another sample of 100 ms replaces it. At 10.25 s that sample is more than 5 s old, but not more than 10 s, and a sample of 120 ms is ignored. The window of 32 packets, 38400 bytes, is more than the path of 100 ms needs, so it stays. At 15.3 s the smallest RTT is 10.1 s old. A sample of 110 ms replaces it, and the 120 ms of five seconds. The window grows by the ten packets.""",
)
def min_rtt(b: StreamBuilder) -> None:
    f = Flights(b)
    for now_ms, packets, rtt_ms in ((0, 10, 100), (200, 2, 100), (5100, 10, 100), (10_130, 10, 120)):
        f.now_ns = now_ms * MS
        f.flight(packets, rtt_ns=rtt_ms * MS, app_limited=True)
        b.expect(min_rtt_ns=100 * MS)
    b.expect(cwnd_bytes=38_400)
    f.now_ns = 15_190 * MS
    f.flight(10, rtt_ns=110 * MS)
    b.expect(min_rtt_ns=110 * MS, cwnd_bytes=50_400)

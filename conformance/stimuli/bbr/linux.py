"""Hand-built stimuli of BBR: differences of the first version of Linux.

`why` derives the expectation; ``sender`` describes the common stream. A rate is packets in a microsecond times 2^24,
here called units: k packets in 100 ms are floor(k * 16777216 / 100000).
"""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.bbr.sender import RTT, UNIT_NS, WIDE, Flights, Sampled, full, grown

CATALOGUE = Catalogue("linux-v1", sources=("Linux net/ipv4/tcp_bbr.c",), builder=Sampled)
add = CATALOGUE.add


@add(
    "bbr.linux.startup",
    "Whole packets and microseconds, a gain of 739/256 for rate and window, and a threshold at the end of Startup",
    """Ten packets in 1 ms are floor(10 * 16777216 / 1000) = 167772 units, and the pacing rate is 34294186. In 100 ms they are floor(10 * 16777216 / 100000) = 1677: 342794. Twenty are floor(20 * 16777216 / 100000) = 3355, and five quarters are floor(3355 * 320 / 256) = 4193. 25 packets in 100022.999 us, without the fraction, are floor(25 * 16777216 / 100022) = 4193: growth, though 5 * 3355 / 4 = 4193.75. Fifty are 8388 = 1.25 * 6710.4, a product of 50 packets, ceil(50 * 739 / 256) = 145 with the gain. At the pacing rate of 1714586 floor(1714586 / 1024) = 1674 bytes leave at once: two packets are the quantum. 145 + 3 * 2 = 151, an even number is 151 + 1 = 152: 182400 bytes. The window does not grow above that. The exit leaves 55 packets in flight, and a quantum is 57, more than 50 + 3 * 2 = 56: the threshold is 67200. In Drain the pacing rate is 204172. 51 packets are extra, and the 49 of 100 ms count: 145 + 49 + 6 = 200
    packets. Two packets later 53 are in flight. The rate then is 593956.""",
)
def startup(b: StreamBuilder) -> None:
    f = Flights(b)
    f.send(10)
    b.expect(pacing_rate_bytes_per_s=34_294_186, next_release_ns=1_000_349_914, ssthresh_bytes=None)
    f.ack(10, 100 * MS)
    b.expect(max_bw_delivered_bytes=2_012_400, max_bw_interval_ns=UNIT_NS, pacing_rate_bytes_per_s=342_794)
    f.flight(20)
    b.expect(cwnd_bytes=48_000, full_bw_delivered_bytes=4_026_000)
    f.flight(25, rate_interval_ns=100_022_999)
    b.expect(outcome="bw_grown", full_bw_delivered_bytes=5_031_600, cwnd_bytes=78_000)
    for cwnd_bytes in (138_000, 198_000, 198_000):
        f.flight(50)
        b.expect(cwnd_bytes=cwnd_bytes, max_inflight_bytes=182_400, bdp_bytes=60_000)
    f.flight(50, left=55)
    b.expect(outcome="exited_by_plateau", phase="drain", ssthresh_bytes=67_200, pacing_rate_bytes_per_s=204_172)
    b.expect(cwnd_bytes=240_000, extra_acked_bytes=61_200, max_inflight_bytes=240_000)
    f.ack(2, 4 * MS)
    b.expect(outcome="drained", phase="probe_bw", ssthresh_bytes=67_200, pacing_rate_bytes_per_s=593_956)


@add(
    "bbr.linux.ten-rounds",
    "The largest rate of ten rounds is one of three stored rates",
    """Round 4 has 50 packets, floor(50 * 16777216 / 100000) = 8388 units. More than two rounds later, in round 7, its 40 packets become the second rate, not the 45 and 44 of rounds 5 and 6. More than five rounds later, in round 10, 35 become the third rate, and the 36 of round 11 replace them. In round 15 round 4 is eleven rounds old: 40 packets, floor(40 * 16777216 / 100000) = 6710 units. In round 18 the rate is the 36, floor(36 * 16777216 / 100000) = 6039, and in round 22 the 20 of round 18, floor(20 * 16777216 / 100000) = 3355. Nine app-limited
    rounds do not count. Round 34 has 8 packets. The 20 are too old then, and so are the 10 of round 23. The 9 of round 24 remain, floor(9 * 16777216 / 100000) = 1509. After ten more app-limited rounds the last of the three is eleven rounds old. The 6 packets of round 45 are the largest rate: floor(6 * 16777216 / 100000) = 1006. The extra is the maximum of the current five rounds and of the previous five. It is the 60000 bytes of round 4 until round 10, then the 46 packets of round 5, 55200. In round 15 it is the 36 of round 11, 43200.""",
    initial_window_bytes=WIDE,
    sources=("Linux lib/win_minmax.c", "Linux net/ipv4/tcp_bbr.c"),
)
def ten_rounds(b: StreamBuilder) -> None:
    f = grown(b)
    for packets in (45, 44, 40, 30, 30):
        f.flight(packets)
    b.expect(round_count=9, extra_acked_bytes=60_000)
    f.flight(35)
    b.expect(extra_acked_bytes=55_200)
    for packets in (36, 20, 20, 20):
        f.flight(packets)
    b.expect(round_count=14, max_bw_delivered_bytes=8388 * 1200, extra_acked_bytes=55_200)
    f.flight(20)
    b.expect(max_bw_delivered_bytes=6710 * 1200, extra_acked_bytes=43_200)
    for _ in range(3):
        f.flight(20)
    b.expect(round_count=18, max_bw_delivered_bytes=6039 * 1200)
    for _ in range(4):
        f.flight(10)
    b.expect(round_count=22, max_bw_delivered_bytes=3355 * 1200)
    f.flight(10)
    f.flight(9)
    for _ in range(9):
        f.flight(5, rate_app_limited=True)
    b.expect(round_count=33, max_bw_delivered_bytes=3355 * 1200)
    f.flight(8)
    b.expect(max_bw_delivered_bytes=1509 * 1200)
    for _ in range(10):
        f.flight(5, rate_app_limited=True)
    f.flight(6)
    b.expect(round_count=45, max_bw_delivered_bytes=1006 * 1200)


@add(
    "bbr.linux.short",
    "An interval below the smallest RTT is ignored, and both are whole microseconds",
    """RTTs of 100.000999 ms are 100000 us. 40 packets in 99999.999 us are below that: no round begins, the extra is 0, and the largest rate stays floor(20 * 16777216 / 100000) = 3355 units. The window grows by them: 48000 + 48000 = 96000, above the 58 + 3 * 2 = 64 packets that the path needs. Two rounds of 20 packets count two. 40 packets in 100000 us are not below it: floor(40 * 16777216 / 100000) = 6710 units, growth, and the window is 96000 + 48000 = 144000.""",
)
def short(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(10, rtt_ns=RTT + 999)
    f.flight(20, rtt_ns=RTT + 999)
    f.flight(40, rtt_ns=RTT + 999, rate_interval_ns=RTT - 1)
    b.expect(outcome="grown", round_count=2, full_bw_count=0, extra_acked_bytes=24_000, cwnd_bytes=96_000)
    f.flight(20, rtt_ns=RTT + 999)
    f.flight(20, rtt_ns=RTT + 999)
    b.expect(outcome="plateau_counted", full_bw_count=2, cwnd_bytes=96_000, max_inflight_bytes=76_800)
    f.flight(40, rtt_ns=RTT + 999, rate_interval_ns=RTT)
    b.expect(outcome="bw_grown", max_bw_delivered_bytes=6710 * 1200, cwnd_bytes=144_000, min_rtt_ns=RTT)


@add(
    "bbr.linux.growth",
    "Five quarters of the baseline are rounded down",
    """Twenty packets are floor(20 * 16777216 / 100000) = 3355 units, and 5 * 3355 / 4 = 4193.75. 25 packets in 100022 us are floor(25 * 16777216 / 100022) = 4193: growth. Two more such flights count two, and so does a flight of 25 in 100 ms, floor(25 * 16777216 / 100000) = 4194 units, as the third.""",
)
def growth(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(10)
    f.flight(20)
    for counted in (0, 1, 2):
        f.flight(25, rate_interval_ns=100_022_000)
        b.expect(full_bw_count=counted, full_bw_delivered_bytes=4193 * 1200, phase="startup")
    f.flight(25)
    b.expect(outcome="exited_by_plateau", max_bw_delivered_bytes=4194 * 1200)


@add(
    "bbr.linux.fast",
    "The gain is rounded up by one, and a rate counts at the ACK that brings it",
    """80 packets are floor(80 * 16777216 / 100000) = 13421 units, and floor(128 * 16777216 / 100000) = 21474 are growth. The exit comes with floor(132 * 16777216 / 100000) = 22145 units, a product of as many packets. At the pacing rate of 21474 units, 4389489 bytes a second, floor(4389489 / (1024 * 1200)) = 3 packets leave at once. 132 + 3 * 3 = 141, an even number is 141 + 1 = 142: 170400 is the threshold. 150 packets in flight and a quantum are more. In Drain the window is ceil(132 * 739 / 256) = 382 packets, the floor(22145 * 100000 / 16777216) = 131 extra packets of 100 ms and 3 * 2. 382 + 131 + 3 * 2 = 519, an even number is 519 + 1 = 520: 624000.""",
)
def fast(b: StreamBuilder) -> None:
    f = Flights(b)
    for packets in (10, 20, 40, 80, 128, 128, 128):
        f.flight(packets)
    b.expect(full_bw_count=2, pacing_rate_bytes_per_s=4_389_489)
    f.flight(132, left=150)
    b.expect(outcome="exited_by_plateau", phase="drain", ssthresh_bytes=170_400, cwnd_bytes=624_000)


@add(
    "bbr.linux.after-idle",
    "After idle time earlier acknowledged bytes do not count",
    """The pipe is full at an app-limited flight of 50 packets; 51 packets are extra, 61200 bytes. 300 ms later 50 packets are sent on an empty flight, and acknowledged 50 ms later: floor(50 * 16777216 / 50000) = 16777 units, and a product of 50 packets again. Only these packets count, 60000 bytes, less than the extra. 2 * 50 + 51 + 3 * 2 = 157 packets are 157 + 1 = 158, 189600 bytes. With the earlier packets the extra would be larger, and 100 would count.""",
)
def after_idle(b: StreamBuilder) -> None:
    f = full(b)
    f.send(50, app_limited=True)
    f.ack(25, 100 * MS)
    f.ack(25)
    b.expect(extra_acked_bytes=61_200, phase="probe_bw")
    f.now_ns += 300 * MS
    f.send(50)
    f.ack(50, 50 * MS)
    b.expect(extra_acked_bytes=61_200, max_bw_delivered_bytes=16_777 * 1200, cwnd_bytes=189_600)


@add(
    "bbr.linux.min-rtt",
    "An equal RTT does not restart the age of the smallest RTT",
    """The first RTT is 100 ms, at 0.1 s; another of 100 ms comes at 5.1 s. A sample of 110 ms at 10.1 s, exactly 10 s after the first, does not replace it. The sender is app-limited, and the flight of 10.13 s follows idle time, so that its ACK begins no ProbeRTT. At this ACK the smallest RTT is 10.16 s old, and the sample of 130 ms replaces it.""",
)
def min_rtt(b: StreamBuilder) -> None:
    f = Flights(b)
    for now_ms, rtt_ms in ((0, 100), (5000, 100), (9990, 110)):
        f.now_ns = now_ms * MS
        f.flight(10, rtt_ns=rtt_ms * MS, app_limited=True)
        b.expect(min_rtt_ns=100 * MS)
    f.now_ns = 10_130 * MS
    f.flight(10, rtt_ns=130 * MS)
    b.expect(min_rtt_ns=130 * MS)


@add(
    "bbr.linux.conservation",
    "In the first round of a recovery the sender sends as much as is acknowledged",
    """A round begins, and a mark is ignored: the window is 156000 + 12000 = 168000 when six packets are lost. The ACK of 20 leaves 24 in flight: (24 + 20) * 1200 = 52800, and begins a round. The next ACK does not change the window. Two more are lost: 52800 - 2400 = 50400. Ten packets that were sent before the recovery do not begin a round. A packet of the next
    flight is lost: recovery continues, but the ACK of its ten packets begins a round: 50400 - 1200 + 12000 = 61200. A packet sent after the last loss ends recovery: 168000, and its ACK adds 1200.""",
)
def conservation(b: StreamBuilder) -> None:
    f = grown(b)
    f.send(50)
    f.ack(10, 100 * MS)
    f.send(10)
    f.now_ns += 10 * MS
    b.ce(f.now_ns, 130, 400 * MS)
    b.expect(outcome="unchanged", cwnd_bytes=168_000)
    f.lose_next(5)
    b.expect(outcome="loss_noted", cwnd_bytes=168_000)
    f.lose_next(1)
    b.expect(outcome="already_noted", cwnd_bytes=168_000)
    f.ack(20)
    b.expect(cwnd_bytes=52_800)
    f.ack(4)
    b.expect(cwnd_bytes=52_800, outcome="unchanged")
    f.lose_next(2)
    f.ack(8)
    b.expect(cwnd_bytes=50_400)
    f.ack(5, 90 * MS)
    f.ack(5)
    b.expect(cwnd_bytes=50_400, outcome="unchanged")
    f.send(20)
    f.now_ns += 90 * MS
    f.lose_next(1)
    f.ack(10, 10 * MS)
    b.expect(cwnd_bytes=61_200)
    f.ack(9)
    f.flight(1)
    b.expect(cwnd_bytes=169_200)


@add(
    "bbr.linux.timeout",
    "A timeout resets the baseline, not the count",
    """One round without growth is counted when five packets are lost, and then persistent congestion is established with 45 in flight: (45 + 1) * 1200 = 55200. The losses before it are not taken off again. The ACK of the 45 makes it 55200 + 54000 = 109200, and its rate is growth. A packet sent later ends recovery: 216000.""",
)
def timeout(b: StreamBuilder) -> None:
    f = grown(b)
    f.flight(50)
    f.send(50)
    f.now_ns += 90 * MS
    f.lose_next(5)
    b.expect(outcome="loss_noted", cwnd_bytes=216_000)
    b.persistent_congestion(f.now_ns)
    b.expect(outcome="collapsed", cwnd_bytes=55_200, full_bw_delivered_bytes=0, full_bw_count=1)
    f.ack(45, 10 * MS)
    b.expect(outcome="bw_grown", cwnd_bytes=109_200, full_bw_count=0)
    f.flight(1)
    b.expect(cwnd_bytes=216_000)


@add(
    "bbr.linux.timeout-again",
    "A second timeout in the same recovery does not save the window",
    """Five of 120 packets are lost with a window of 156000, and persistent congestion is established: (115 + 1) * 1200 = 139200. The ACK of 60 makes it 139200 + 72000 = 211200. One more is lost, and it is established again: (54 + 1) * 1200 = 66000. A packet sent later ends recovery and restores the window before it, and its ACK adds 1200: 156000 + 1200 = 157200. Implementations that save at each timeout return to 211200.""",
)
def timeout_again(b: StreamBuilder) -> None:
    f = grown(b)
    f.send(120)
    f.now_ns += 90 * MS
    f.lose_next(5)
    b.persistent_congestion(f.now_ns)
    b.expect(outcome="collapsed", cwnd_bytes=139_200)
    f.ack(60, 10 * MS)
    b.expect(cwnd_bytes=211_200)
    f.lose_next(1)
    b.persistent_congestion(f.now_ns)
    b.expect(outcome="collapsed", cwnd_bytes=66_000)
    f.now_ns += 10 * MS
    f.send(1)
    f.now_ns += 100 * MS
    last = b.ledger.next_packet - 1
    b.ack(f.now_ns, (last, last))
    b.expect(cwnd_bytes=157_200)


@add(
    "bbr.linux.first-rtt",
    "The initial rate uses the window before losses are taken off",
    """Five of the first ten packets are lost before the first RTT sample. The ACK of the others brings an RTT of 100 ms: ten packets per RTT are floor(10 * 16777216 / 100000) = 1677 units, 342794 bytes a second. It is the first ACK of recovery as well. Only then does the window become the acknowledged bytes, 5 * 1200 = 6000. The next packet takes ceil(1200 * 1000000000 / 342794) = 3500645, in ns.""",
)
def first_rtt(b: StreamBuilder) -> None:
    f = Flights(b)
    f.send(10)
    f.now_ns += 90 * MS
    f.lose_next(5)
    b.expect(outcome="loss_noted", cwnd_bytes=12_000)
    f.ack(5, 10 * MS)
    b.expect(cwnd_bytes=6000, pacing_rate_bytes_per_s=342_794)
    f.send(1)
    b.expect(next_release_ns=1_103_500_645)


@add(
    "bbr.linux.undo",
    "Spurious losses are not taken off, and the search for a full pipe does not restart",
    """Five packets are declared lost, and the loss is spurious: the window stays 156000, and the ACK of the other 45 makes it 156000 + 54000 = 210000. The baseline is reset, so that the rate is growth. Three more flights of 50 fill the pipe. A second spurious recovery resets the baseline again, and the flight after it does not set a baseline.""",
)
def undo(b: StreamBuilder) -> None:
    f = grown(b)
    f.send(50)
    f.now_ns += 90 * MS
    f.lose_next(5)
    b.spurious_loss(f.now_ns)
    b.expect(outcome="restored", full_bw_delivered_bytes=0)
    f.ack(45, 10 * MS)
    b.expect(outcome="bw_grown", cwnd_bytes=210_000)
    f.flight(50)
    f.flight(50)
    f.flight(50, left=1)
    b.expect(outcome="exited_by_plateau", phase="probe_bw", full_bw_count=3)
    f.lose_next(1)
    b.spurious_loss(f.now_ns)
    b.expect(outcome="restored", full_bw_delivered_bytes=0, full_bw_count=0)
    f.flight(50)
    b.expect(full_bw_delivered_bytes=0, full_bw_count=0)


@add(
    "bbr.linux.ten-packets",
    "Until ten packets are delivered the window grows, with any initial window",
    """The initial window has 196000 / 500 = 392 packets, and a quantum is the maximum, 128 - 1 = 127. Five packets are acknowledged without an RTT: ten packets and three quanta are 10 + 3 * 127 = 391, an even number is 391 + 1 = 392: 196000. The window is not below that, but 2500 delivered are less than 10 * 500 = 5000: 198500. With five more packets they are not less.""",
    max_datagram_size_bytes=500,
    initial_window_bytes=196_000,
)
def ten_packets(b: StreamBuilder) -> None:
    b.send(0, 20)
    b.ack(100 * MS, (0, 4), sample=False)
    b.expect(cwnd_bytes=198_500, max_inflight_bytes=196_000, min_rtt_ns=None)
    b.ack(100 * MS, (5, 9), sample=False)
    b.expect(cwnd_bytes=198_500, outcome="unchanged")


@add(
    "bbr.linux.departure",
    "Drain ends by the flight at the departure time of the next packet",
    """The exit leaves 156000 / 1200 = 130 packets in flight. 50 + 130 = 180 packets at 1714586 bytes a second take ceil(180 * 1200 * 1000000000 / 1714586) = 125977933. 100 ms later 125977933 - 100000000 = 25977933 are left, in ns. 31 packets at 204172 take ceil(31 * 1200 * 1000000000 / 204172) = 182199323 more. 4 ms later floor((25977933 + 182199323 - 4000000) / 1000) = 204177 are left, in us. floor(50 * 16777216 / 100000) = 8388 units deliver floor(8388 * 204177 / 16777216) = 102 packets, and 159 - 102 = 57, more than 50 + 3 * 2 = 56. One more takes ceil(1200 * 1000000000 / 204172) = 5877398. After another 4 ms floor((25977933 + 182199323 + 5877398 - 8000000) / 1000) = 206054 are left: floor(8388 * 206054 / 16777216) = 103 packets, and 158 - 103 = 55.""",
)
def departure(b: StreamBuilder) -> None:
    f = full(b, left=130)
    b.expect(phase="drain", ssthresh_bytes=67_200)
    f.send(31)
    f.ack(2, 4 * MS)
    b.expect(phase="drain")
    f.send(1)
    f.ack(2, 4 * MS)
    b.expect(outcome="drained", phase="probe_bw")


@add(
    "bbr.linux.slow",
    "On a slow path packets leave singly, and four packets are not a minimum",
    """A packet in 100 ms is floor(16777216 / 100000) = 167 units: a product of one packet, and ceil(739 / 256) = 3 with the gain. Until the exit the pacing rate comes from the initial window, 342794, and a quantum is two packets. 1 + 3 * 2 = 7, an even number is 8: 9600. Seven in flight and a quantum are 9. In Drain the rate is 4064, below 1200000 / 8 = 150000, and a quantum one packet: 3 + 3 * 1 = 6 packets, 7200 bytes, are the window. Two packets are extra, and none counts: 167 units deliver less than one packet in 100 ms.""",
)
def slow(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(1, rate_app_limited=False)
    f.flight(1)
    f.flight(1)
    b.expect(pacing_rate_bytes_per_s=342_794, cwnd_bytes=15_600, bdp_bytes=1200)
    f.flight(1, left=7)
    b.expect(outcome="exited_by_plateau", phase="drain", ssthresh_bytes=9600, pacing_rate_bytes_per_s=4064)
    b.expect(cwnd_bytes=7200, max_inflight_bytes=7200, extra_acked_bytes=2400)

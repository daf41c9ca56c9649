"""Hand-built stimuli of BBR: what picoquic knows of the path, and how it leaves Startup by what it knows.

`why` derives the expectation; ``sender`` says what the streams have in common.
"""

from firstflight_conformance.vectorgen.builder import MS, US, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.bbr.sender import Flights, Sampled, grown

CATALOGUE = Catalogue("picoquic", sources=("private-octopus/picoquic picoquic/bbr.c",), builder=Sampled)
add = CATALOGUE.add


@add(
    "bbr.picoquic.startup",
    "The initial window over 250 ms, rounds by packets, and Drain",
    """Ten packets over a quarter of a second are 12000 * 4 = 48000 bytes a second: 48000 * 277 / 100 = 132960 is the pacing rate. Then 120000 bytes a second are known, and 120000 * 277 / 100 * 99 / 100 = 329076. After flights of 20, 40 and 50 the rate is 600000; the next ones do not grow. Seven are 7 rounds, the third without growth ends Startup: 600000 * 50 / 100 * 99 / 100 = 297000, and 2 * 60000 + 60000 = 180000 is the
    window: the last flight was extra as a whole. The long-term volume is what was in flight before its last packet, 49 * 1200 = 58800. With 50 packets in flight, 60000, Drain ends; 60 were in flight before the packet of that ACK, 72000, which bounds the window. The packet sent before it begins no new round: the end of Drain did, when packet 331 was to be sent; packet 331 does.""",
)
def startup(b: StreamBuilder) -> None:
    f = grown(b)
    b.expect(at=0, pacing_rate_bytes_per_s=132_960)
    b.expect(at=1, pacing_rate_bytes_per_s=329_076, cwnd_bytes=24_000, outcome="app_limited")
    f.flight(50)
    f.flight(50)
    b.expect(outcome="plateau_counted", full_bw_count=2, cwnd_bytes=216_000)
    f.flight(50, left=60)
    b.expect(
        outcome="exited_by_plateau", phase="drain", full_bw_count=0, pacing_rate_bytes_per_s=297_000, round_count=7
    )
    b.expect(cwnd_bytes=180_000, inflight_longterm_bytes=58_800)
    f.send(1)
    f.ack(9)
    b.expect(phase="drain")
    f.ack(2)
    b.expect(outcome="drained", phase="probe_bw", cwnd_bytes=72_000, inflight_longterm_bytes=72_000)
    f.ack(50, 90 * MS)
    b.expect(round_count=7)
    f.send(1)
    f.ack(1, 1 * MS)
    b.expect(round_count=8)


@add(
    "bbr.picoquic.first-millisecond",
    "Within the first millisecond there is no smallest RTT",
    """The first packets leave 0.1 ms after the connection began. The ACKs at 0.9 and 0.95 ms are not more than 1 ms after that: their RTTs are not kept, and the product is 240000 * 1200 = 288000000, with 100 * 1200 = 120000 extra 288000000 + 120000 = 288120000. So the window grows with the second ACK as well, 360000 + 120000 = 480000, when the initial window is delivered. The interval of 800 us is no longer than 1 ms either: the rate is one of the RTT, 120000 / 0.0008 = 150000000.""",
    initial_window_bytes=240_000,
)
def first_millisecond(b: StreamBuilder) -> None:
    b.origin_ns = 100 * US
    f = Flights(b)
    f.send(200)
    f.ack(100, 800 * US)
    b.expect(min_rtt_ns=None, max_inflight_bytes=288_120_000, max_bw_delivered_bytes=150_000_000, cwnd_bytes=360_000)
    f.ack(100, 50 * US)
    b.expect(min_rtt_ns=None, cwnd_bytes=480_000)


@add(
    "bbr.picoquic.slow",
    "On a slow path one packet is a quantum",
    """The initial pacing rate, 1200 * 4 * 277 / 100 = 13296, is below 1200000 / 8 = 150000 bytes a second: a quantum is one packet. The samples are ones over a second: 1200 bytes a second, a product of floor(1200 * 0.002) = 2 bytes. Three quanta are 3 * 1200 = 3600, and four packets, 4800, are the least. The window is no smaller, so that it does not grow.""",
    initial_window_bytes=1200,
)
def slow(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(1, rtt_ns=2 * MS, rate_interval_ns=1000 * MS)
    b.expect(max_inflight_bytes=4_800, pacing_rate_bytes_per_s=13_296, bdp_bytes=2, cwnd_bytes=4_800)
    f.flight(1, rtt_ns=2 * MS, rate_interval_ns=1000 * MS)
    b.expect(max_inflight_bytes=4_800, cwnd_bytes=4_800)


@add(
    "bbr.picoquic.rtt",
    "The RTT of the last packet, without a delay that leaves more than the smallest",
    """The first RTT is 100 ms, 10 ms of them a delay that is not taken off. After another the window is what the path needs: 2 * 12000 + 12000 = 36000. The next RTT is 150 ms, with a delay of 40.0009 ms, of which 40 ms are whole microseconds: 110 ms, the longest so far, and 2 * 13200 + 12000 = 38400. Those of the two ACKs until 1 ms later are not kept, so that the window ends there. Of the next, 151.999 ms, a delay of 61 ms would leave 151.999 - 61 = 90.999, less than 100: it is not taken off. Packets 28 and 29 leave at 1.36 s. The RTT of packet 28 is 0.999 us, which is 0, and changes nothing; nor are the packets that were lost before it taken off the window: 39600 + 1200 = 40800.""",
)
def rtt(b: StreamBuilder) -> None:
    f = Flights(b)
    f.send(10)
    b.ack(100 * MS, (0, 9), ack_delay_ns=10 * MS)
    b.expect(min_rtt_ns=100 * MS)
    b.send(100 * MS, 10)
    b.ack(200 * MS, (10, 19))
    b.expect(cwnd_bytes=36_000, max_inflight_bytes=36_000)
    b.send(200 * MS, 8)
    b.ack(350 * MS, (20, 20), ack_delay_ns=40 * MS + 900)
    b.expect(min_rtt_ns=110 * MS, max_inflight_bytes=38_400)
    b.ack(350 * MS + 999 * US, (21, 21))
    b.expect(min_rtt_ns=110 * MS, cwnd_bytes=38_400)
    b.ack(350 * MS + 1000 * US, (22, 22))
    b.expect(min_rtt_ns=110 * MS, cwnd_bytes=38_400)
    b.ack(350 * MS + 1999 * US, (23, 23), ack_delay_ns=61 * MS)
    b.expect(min_rtt_ns=151_999 * US, cwnd_bytes=39_600)
    b.send(360 * MS, 2)
    b.lose(360 * MS, (24, 25))
    b.ack(360 * MS + 999, (28, 28))
    b.expect(outcome="unchanged", cwnd_bytes=39_600)
    b.ack(500 * MS, (29, 29))
    b.expect(cwnd_bytes=40_800, min_rtt_ns=151_999 * US)


@add(
    "bbr.picoquic.rate",
    "Which ACK gives a rate",
    """The first interval is 1.000999 ms, no more than 1000 us: the rate is one of the RTT, 12000 / 0.1 = 120000. After the second flight the window is what the path needs: 2 * 12000 + 12000 = 36000. Packets 30 to 34 are acknowledged before packets 20 to 29, which were sent earlier: their 18000 bytes in 320.2 - 200 = 120.2, in ms, would be more, and count for nothing. Packet 36 was sent with packet 34, but its interval is 1 ms: that rate stays, too. That of packet 38 is 1001 us, and the window grows. An ACK without a sample keeps the rate.""",
)
def rate(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(10, rate_interval_ns=1 * MS + 999)
    b.expect(max_bw_delivered_bytes=120_000)
    f.flight(10)
    b.expect(cwnd_bytes=36_000, max_inflight_bytes=36_000)
    f.send(10)
    b.send(220 * MS, 10)
    b.ack(320 * MS, (30, 34))
    b.ack(320 * MS + 200 * US, (20, 29))
    b.expect(max_bw_delivered_bytes=120_000, cwnd_bytes=36_000)
    b.ack(320 * MS + 400 * US, (35, 36))
    b.resample(rate_interval_ns=1 * MS)
    b.expect(max_bw_delivered_bytes=120_000, cwnd_bytes=36_000)
    b.ack(320 * MS + 600 * US, (37, 38))
    b.resample(rate_interval_ns=1001 * US)
    b.expect(cwnd_bytes=38_400)
    b.sampler = None
    b.ack(320 * MS + 800 * US, (39, 39))
    b.expect(outcome="grown", cwnd_bytes=39_600)


@add(
    "bbr.picoquic.aggregation",
    "What is expected in a microsecond is what the path delivers in a second",
    """After two flights of ten the window is what the path needs: 2 * 12000 + 12000 = 36000. Three ACKs of five packets come within the same microsecond, and are extra together: 3 * 6000 = 18000. A microsecond later more than 180000 * 1 are expected: the interval begins anew. The rate is floor(24000 * 1000000 / 100001) = 239997, and the path needs 2 * 23999 + 18000 = 65998, in later rounds as well: the largest of ten rounds counts in Startup. The window grows until it is no smaller, 60000 + 6000 = 66000.""",
)
def aggregation(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(10)
    f.flight(10)
    b.expect(cwnd_bytes=36_000, max_inflight_bytes=36_000)
    f.send(20)
    f.ack(5, 100 * MS)
    f.ack(5)
    f.ack(5, 999)
    b.expect(extra_acked_bytes=18_000)
    f.ack(5, 1)
    b.expect(extra_acked_bytes=18_000)
    f.flight(5)
    f.flight(5)
    b.expect(extra_acked_bytes=18_000, phase="startup")


@add(
    "bbr.picoquic.idle",
    "An interval begins anew after more than a second without a packet",
    """The first RTT is half a second, and the longest that is kept. The samples are ones over 1.2 s, 10000 bytes a second: a product of 10000 / 2 = 5000, and 2 * 5000 + 12000 = 22000 is the window where the third round without growth ends Startup. The next flight leaves a gap, and its interval of 2 us gives no rate, so that the gap is not over. Exactly a second after it nothing begins anew: the interval begins with the ACK, and 12000 are extra. A second and a microsecond after that one it does, with the flight: of what is acknowledged 1 us later, 10000 * 1 are expected, 12000 + 12000 - 10000 = 14000 are extra, and 2 * 5000 + 14000 = 24000 is the window.""",
)
def idle(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(10, rtt_ns=500 * MS, rate_interval_ns=1200 * MS)
    for _ in range(4):
        f.flight(10, rtt_ns=2 * US, rate_interval_ns=1200 * MS, rate_in_flight_bytes=36_000)
    b.expect(phase="probe_bw", bdp_bytes=5_000, extra_acked_bytes=12_000, cwnd_bytes=22_000)
    f.send(10, app_limited=True)
    f.ack(10, 2 * US)
    f.now_ns += 1000 * MS - 2 * US
    f.send(10)
    f.ack(10, 1 * US, rate_interval_ns=1 * US)
    b.expect(extra_acked_bytes=12_000, cwnd_bytes=22_000)
    f.now_ns += 1000 * MS
    f.send(10)
    f.ack(10, 1 * US, rate_interval_ns=1 * US)
    b.expect(extra_acked_bytes=14_000, cwnd_bytes=24_000)


@add(
    "bbr.picoquic.min-rtt",
    "The smallest RTT is the longest of the first six, and lives for a hundred of itself",
    """30 packets are acknowledged in two ACKs, and five more: RTTs of 240, then 240 + 2 = 242, and 252 to 260 ms. The longest of the first six, 258 ms, is the smallest RTT, since the seventh is longer. The rate is 36000 / 0.3 = 120000: the margin is 258000 / 2000 + 2 * 1200000 / 120 = 20129, in us, and the path needs 2 * 30960 + 18000 = 79920, which the window passes with 79200 + 1200 = 80400. Then come eight RTTs of 1786 - 1502 = 284, and 2 more each, to 284 + 7 * 2 = 298, in ms. As long as one of the seven last is 258 + 20.129 = 278.129 or less, they are near: until 1.796 s, when the last of 260 ms is among them. At 14.286 s an RTT of 14286 - 14000 = 286, in ms, changes nothing: 100 * 258 = 25800, in ms, have not passed. At 28.286 s they have, and ten seconds too: the longest of the last seven, 298 ms, takes its place, and 2 * 35760 + 18000 = 89520 lets the window grow.""",
    initial_window_bytes=36_000,
)
def min_rtt(b: StreamBuilder) -> None:
    f = Flights(b)
    f.send(30)
    f.ack(15, 240 * MS, rate_interval_ns=150 * MS)
    f.ack(15, 2 * MS, rate_interval_ns=300 * MS)
    f.send(5)
    f.now_ns += 250 * MS
    for _ in range(5):
        f.ack(1, 2 * MS)
    b.expect(min_rtt_ns=258 * MS)
    f.send(8)
    f.now_ns += 282 * MS
    for _ in range(8):
        f.ack(1, 2 * MS)
    b.expect(min_rtt_ns=258 * MS)
    f.now_ns = 13_000 * MS
    f.flight(1, rtt_ns=286 * MS)
    f.now_ns = 27_000 * MS
    f.flight(1, rtt_ns=286 * MS)


@add(
    "bbr.picoquic.delay-exit",
    "RTTs that are too long at more than seven ACKs end Startup",
    """The smallest RTT is the longest of the first six, 106 ms. From 140 ms on all of the last seven are longer than 106 * 5 / 4 + 0.128 = 132.628, in ms, with the ACK of 152 ms, the first one that counts; with the one before, 108 + 16 = 124, in ms, was among them. Seven more in the same microsecond make eight; the next ACK ends Startup. The rate is 240000: 240000 * 99 / 100 = 237600 is the pacing rate, since less is in flight than the product, 240000 * 0.106 = 25440.""",
)
def delay_exit(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(10)
    f.flight(20)
    f.send(31)
    f.now_ns += 98 * MS
    for _ in range(5):
        f.ack(1, 2 * MS)
    b.expect(min_rtt_ns=106 * MS)
    f.ack(1, 16 * MS)
    f.now_ns += 14 * MS
    for _ in range(7):
        f.ack(1, 2 * MS)
    for _ in range(7):
        f.ack(1)
        b.expect(phase="startup")
    f.ack(1)
    b.expect(
        outcome="exited_by_delay", phase="probe_bw", bdp_bytes=25_440, pacing_rate_bytes_per_s=237_600, full_bw_count=0
    )

"""Hand-built stimuli of BBR: the delivery rate, its plateau, and rounds.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.bbr.sender import DRAFT, SOURCE, WIDE, Flights, Sampled, full, grown

CATALOGUE = Catalogue(DRAFT, sources=(f"{SOURCE}, section 5.3.1.2",), builder=Sampled)
add = CATALOGUE.add
SAMPLING = (f"{SOURCE}, section 4.1.2.3",)


@add(
    "bbr.sample.worked",
    "The sample of packet 10: 12000 bytes over the longer interval",
    """Ten packets leave at 0 ms on a path that takes 2 ms for each. The ACK of packet 0 comes at 102 ms: 1200 bytes over 102 ms. With it packet 10 leaves, which notes 1200 bytes delivered
    at 102 ms and 0 ms as first send time. At 204 ms it is acknowledged: 13200 - 1200 = 12000 bytes over max(102 ms - 0 ms, 204 ms - 102 ms) = 102 ms.
    The pacing rate began with floor(2.77 * 12000 * 1000 / 102) = 325882, and 0.99 * 2.77 * 12000 * 1000 / 102 < 325882: it stays.""",
    sources=SAMPLING,
)
def sample_worked(b: StreamBuilder) -> None:
    b.send(0, 10)
    for packet in range(10):
        b.ack((102 + 2 * packet) * MS, (packet, packet))
        b.send((102 + 2 * packet) * MS, 1)
    b.expect(at=b.acked(0), max_bw_delivered_bytes=1200, max_bw_interval_ns=102 * MS, round_count=1)
    b.ack(204 * MS, (10, 10))
    b.expect(max_bw_delivered_bytes=12_000, max_bw_interval_ns=102 * MS, round_count=2, min_rtt_ns=102 * MS)
    b.expect(pacing_rate_bytes_per_s=325_882, outcome="bw_grown")


@add(
    "bbr.sample.short",
    "An interval below the smallest RTT gives no rate, and the round counts as a round without growth",
    """The third flight has 40 packets, in an interval that is 1 ns below the smallest RTT of 100 ms. Its rate is 0: BBR.max_bw stays the 24000 bytes of the second, and 0 is less than 5/4 of that. The flight after it has 40 packets in 100 ms: 48000 >= 5 * 24000 / 4.""",
    sources=(*SAMPLING, f"{SOURCE}, section 5.3.1.2"),
)
def sample_short(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(10)
    f.flight(20)
    f.flight(40, rate_interval_ns=100 * MS - 1)
    b.expect(outcome="plateau_counted", full_bw_count=1, max_bw_delivered_bytes=24_000, round_count=3)
    f.flight(40)
    b.expect(outcome="bw_grown", full_bw_count=0, max_bw_delivered_bytes=48_000, round_count=4)


@add(
    "bbr.sample.short-last",
    "A round without a rate can be the last of three",
    """Two flights of 50 packets after the baseline count. A third flight, over an interval 1 ns below the smallest RTT, counts as well: 2 + 1 = 3, and Startup ends.""",
    sources=(*SAMPLING, f"{SOURCE}, section 5.3.1.2"),
)
def sample_short_last(b: StreamBuilder) -> None:
    f = grown(b)
    f.flight(50)
    f.flight(50)
    b.expect(outcome="plateau_counted", full_bw_count=2)
    f.flight(50, rate_interval_ns=100 * MS - 1)
    b.expect(outcome="exited_by_plateau", full_bw_count=3)


@add(
    "bbr.sample.no-time",
    "A zero interval gives no delivery rate",
    """The ACK comes in the same nanosecond as the packets were sent: an RTT of 0, and an interval of 0 that is not below it. Without a rate the product is 0. The window still grows, since 12000 - 1200 = 10800 bytes are less than the initial window: 12000 + 10800 = 22800. A smoothed
    RTT of 0 is invalid: the pacing rate stays 2.77 * 12000 * 1000 = 33240000.""",
    sources=SAMPLING,
)
def sample_no_time(b: StreamBuilder) -> None:
    f = Flights(b)
    f.send(10)
    f.ack(9)
    b.expect(max_bw_delivered_bytes=0, bdp_bytes=0, min_rtt_ns=0, cwnd_bytes=22_800)
    b.expect(pacing_rate_bytes_per_s=33_240_000)


@add(
    "bbr.sample.none",
    "An ACK without a sample delivers its bytes without beginning a round",
    """The stream lacks samples. Nine packets, 9 * 1200 = 10800 bytes, are less than the initial window: 12000 + 10800 = 22800. With the tenth 12000 are not less. BBR.max_inflight is the aggregation: 10800, and then with the tenth 12000. The window of 22800 is not below that.""",
    tier="core",
    sources=("ours",),
)
def sample_none(b: StreamBuilder) -> None:
    b.sampler = None
    f = Flights(b)
    f.send(10)
    f.ack(9, 100 * MS)
    b.expect(cwnd_bytes=22_800, round_count=0, max_bw_delivered_bytes=0, outcome="grown", max_inflight_bytes=10_800)
    f.ack(1)
    b.expect(cwnd_bytes=22_800, outcome="unchanged", extra_acked_bytes=12_000)


@add(
    "bbr.plateau.worked",
    "Eight rounds: equality is growth, and an app-limited round does not count",
    """Datagrams of 1000 bytes. The first flight has 12 datagrams in 102 ms, 12000 * 1000 / 102 = 117647 bytes a second, and is not app-limited. The other flights take 500 ms: 120000 bytes are 240000 a second, 240000 are 480000,
    and 300000 are 600000. That is exactly 5 * 480000 / 4 = 600000: growth. The next 300000 bytes are one round without growth, 150000 app-limited bytes do not count, 298000 and 297000 are two more rounds.""",
    max_datagram_size_bytes=1000,
    initial_window_bytes=WIDE,
)
def plateau_worked(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(12, rtt_ns=102 * MS, rate_app_limited=False)
    b.expect(outcome="bw_grown", full_bw_delivered_bytes=12_000, full_bw_interval_ns=102 * MS, full_bw_count=0)
    for packets, counted in ((120, 0), (240, 0), (300, 0), (300, 1)):
        f.flight(packets, rtt_ns=500 * MS)
        b.expect(outcome="plateau_counted" if counted else "bw_grown", full_bw_count=counted)
        b.expect(full_bw_delivered_bytes=packets * 1000, full_bw_interval_ns=500 * MS)
    f.flight(150, rtt_ns=500 * MS, rate_app_limited=True)
    b.expect(outcome="app_limited", full_bw_count=1, full_bw_delivered_bytes=300_000)
    f.flight(298, rtt_ns=500 * MS)
    b.expect(outcome="plateau_counted", full_bw_count=2, phase="startup")
    f.flight(297, rtt_ns=500 * MS)
    b.expect(outcome="exited_by_plateau", full_bw_count=3, full_bw_delivered_bytes=300_000)


@add(
    "bbr.plateau.slow-growth",
    "A rate that grows by a fourteenth in each round is a plateau",
    """In 100 ms come 28000 bytes, then 30000, 32000 and 34000, while 5/4 of the baseline are 5 * 28000 / 4 = 35000 in all three rounds. BBR.max_bw is the last.""",
    max_datagram_size_bytes=1000,
    initial_window_bytes=WIDE,
)
def plateau_slow_growth(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(28, rate_app_limited=False)
    f.flight(30)
    f.flight(32)
    b.expect(outcome="plateau_counted", full_bw_count=2, full_bw_delivered_bytes=28_000, max_bw_delivered_bytes=32_000)
    f.flight(34)
    b.expect(
        outcome="exited_by_plateau", full_bw_count=3, full_bw_delivered_bytes=28_000, max_bw_delivered_bytes=34_000
    )


@add(
    "bbr.plateau.just-below",
    "One nanosecond more for the same bytes is not growth",
    """40 packets in 100 ms are followed by 50, exactly 5/4, in an interval of 1 ns more: 4 * 60000 * 100000000 < 5 * 48000 * 100000001.""",
)
def plateau_just_below(b: StreamBuilder) -> None:
    f = Flights(b)
    for packets in (10, 20, 40):
        f.flight(packets)
    f.flight(50, rate_interval_ns=100 * MS + 1)
    b.expect(outcome="plateau_counted", full_bw_count=1, full_bw_delivered_bytes=48_000)
    b.expect(max_bw_delivered_bytes=60_000, max_bw_interval_ns=100 * MS + 1)


@add(
    "bbr.plateau.app-limited-growth",
    "A larger app-limited sample raises the largest rate, not the baseline",
    """The flight of 40 packets is app-limited. Its 48000 bytes in 100 ms are BBR.max_bw from there on, since they are more than 24000. The baseline stays 24000, and the round does not count. A smaller sample, of 12000, changes neither.""",
    sources=(f"{SOURCE}, sections 5.3.1.2 and 5.5.5",),
)
def plateau_app_limited_growth(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(10)
    f.flight(20)
    f.flight(40, rate_app_limited=True)
    b.expect(outcome="app_limited", full_bw_delivered_bytes=24_000, full_bw_count=0, max_bw_delivered_bytes=48_000)
    f.flight(10, rate_app_limited=True)
    b.expect(outcome="app_limited", full_bw_delivered_bytes=24_000, full_bw_count=0, max_bw_delivered_bytes=48_000)


@add(
    "bbr.plateau.within-a-round",
    "Only the ACK that begins a round counts",
    """After 50 packets in 100 ms the next 50 are acknowledged ten by ten. The first ten begin the round, with 12000 bytes: one round without growth. The others belong to the same round. The largest rate stays 60000 bytes in 100 ms. The first ACK of the following round has all 50 packets,
    over the 100 ms since the last ACK: a second round.""",
)
def plateau_within_a_round(b: StreamBuilder) -> None:
    f = grown(b)
    f.send(50)
    f.ack(10, 100 * MS)
    b.expect(outcome="plateau_counted", full_bw_count=1, round_count=5)
    for _ in range(4):
        f.ack(10)
        b.expect(full_bw_count=1, round_count=5)
    f.flight(50)
    b.expect(outcome="plateau_counted", full_bw_count=2, round_count=6)


@add(
    "bbr.plateau.later-in-the-round",
    "Growth later in a round does not restart the count",
    """The baseline is 48000 bytes in 100 ms. 30 of the next 60 packets begin the round, 36000 bytes in 100 ms: one round. All 60 are acknowledged at that time, and their sample of 72000 bytes is BBR.max_bw. The next round begins with 45 packets, 54000 bytes, less than 5 * 48000 / 4 = 60000: a second round. Implementations
    that use the largest rate have 72000 there, growth. Another 45 are the third round.""",
    sources=(f"{SOURCE}, section 5.3.1.2", f"{SOURCE}, section 2.13"),
)
def plateau_later_in_the_round(b: StreamBuilder) -> None:
    f = Flights(b)
    for packets in (10, 20, 40):
        f.flight(packets)
    f.send(60)
    f.ack(30, 100 * MS)
    b.expect(outcome="plateau_counted", full_bw_count=1)
    f.ack(30)
    b.expect(max_bw_delivered_bytes=72_000, full_bw_count=1)
    f.flight(45)
    b.expect(outcome="plateau_counted", full_bw_count=2, full_bw_delivered_bytes=48_000)
    f.flight(45)
    b.expect(outcome="exited_by_plateau")


@add(
    "bbr.plateau.anew",
    "Growth after two rounds without it restarts the count",
    """Two rounds of 20 packets after the first one count two. 25 packets are 5 * 24000 / 4 = 30000 bytes: growth. Three more of them end Startup.""",
)
def plateau_anew(b: StreamBuilder) -> None:
    f = Flights(b)
    for packets in (10, 20, 20, 20):
        f.flight(packets)
    b.expect(outcome="plateau_counted", full_bw_count=2, full_bw_delivered_bytes=24_000)
    f.flight(25)
    b.expect(outcome="bw_grown", full_bw_count=0, full_bw_delivered_bytes=30_000)
    f.flight(25)
    f.flight(25)
    b.expect(outcome="plateau_counted", full_bw_count=2, phase="startup")
    f.flight(25)
    b.expect(outcome="exited_by_plateau", full_bw_count=3)


@add(
    "bbr.plateau.once",
    "Once the pipe is full no round counts, and the baseline does not grow",
    """After the exit 100 packets come in 100 ms, 120000 bytes: BBR.max_bw is that, and the baseline stays 60000 bytes, with three rounds counted. The pacing rate follows: 0.99 * 1200000 = 1188000.""",
    sources=(f"{SOURCE}, sections 5.3.1.2 and 5.6.2",),
)
def plateau_once(b: StreamBuilder) -> None:
    f = full(b)
    f.flight(100)
    b.expect(full_bw_count=3, full_bw_delivered_bytes=60_000, max_bw_delivered_bytes=120_000)
    b.expect(pacing_rate_bytes_per_s=1_188_000)


@add(
    "bbr.round.sentinel",
    "A round ends with a packet sent after the ACK that began it",
    """Ten of twenty packets sent together are acknowledged at 100 ms: round 1. It ends when a packet sent after this ACK is acknowledged. Packets 10 to 19 left before it, and do not begin a round at 101 ms. Five packets sent at 100 ms do.""",
    sources=(f"{SOURCE}, section 5.5.1",),
    initial_window_bytes=WIDE,
)
def round_sentinel(b: StreamBuilder) -> None:
    f = Flights(b)
    f.send(20)
    f.ack(10, 100 * MS)
    b.expect(round_count=1)
    f.send(5)
    f.ack(10, MS)
    b.expect(round_count=1)
    f.ack(5, 99 * MS)
    b.expect(round_count=2)


@add(
    "bbr.max-bw.never-falls",
    "The largest rate of Startup does not expire",
    """Four flights of 25 packets follow the flights of 50: 30000 bytes in 100 ms. BBR.max_bw stays 60000, as in the rounds of Drain and after it: its filter moves with the cycle of ProbeBW.""",
    sources=(f"{SOURCE}, sections 5.5.5 and 5.5.6",),
)
def max_bw_never_falls(b: StreamBuilder) -> None:
    f = grown(b)
    for _ in range(4):
        f.flight(25)
    b.expect(max_bw_delivered_bytes=60_000, max_bw_interval_ns=100 * MS, bdp_bytes=60_000)


@add(
    "bbr.max-bw.equal",
    "At two equal rates the older fraction stays",
    """25 packets in 50 ms are 30000 bytes in 50 ms: as much as 60000 in 100 ms. The smallest RTT is 50 ms from then on. BBR.max_bw keeps the older fraction. The product is 600000 * 0.05 = 30000 bytes.""",
    sources=("ours",),
)
def max_bw_equal(b: StreamBuilder) -> None:
    f = grown(b)
    f.flight(25, rtt_ns=50 * MS)
    b.expect(max_bw_delivered_bytes=60_000, max_bw_interval_ns=100 * MS, bdp_bytes=30_000, min_rtt_ns=50 * MS)


@add(
    "bbr.plateau.dip",
    "A dip does not lower the baseline",
    """After 50 packets come 40, 50 and 50. The 60000 bytes in 100 ms are 5 * 48000 / 4 = 60000, growth over the 40. But the baseline is still the flight of 50: three rounds without growth.""",
)
def plateau_dip(b: StreamBuilder) -> None:
    f = grown(b)
    f.flight(40)
    b.expect(outcome="plateau_counted", full_bw_count=1, full_bw_delivered_bytes=60_000)
    f.flight(50)
    b.expect(outcome="plateau_counted", full_bw_count=2)
    f.flight(50)
    b.expect(outcome="exited_by_plateau", full_bw_count=3)


@add(
    "bbr.long.rounds",
    "Rounds continue after more than 2^32 bytes",
    """Packets of 65535 bytes, 65535 in a flight: 65535 * 65535 = 4294836225 bytes. The initial window has four flights, 4 * 4294836225 =
    17179344900. Two flights raise it to 17179344900 + 2 * 4294836225 = 25769017350, and 2 * 4294836225 = 8589672450 bytes are delivered, more than 2^32 = 4294967296. The
    third flight is acknowledged in two ACKs a millisecond apart: the first ends a round without growth of the rate, the second does not. The window is
    25769017350 + 4294836225 = 30063853575. The ACK of the fourth flight ends the second of these rounds: Startup continues, and the window stays, for 4 * 4294836225
    = 17179344900 are delivered, the initial window. A sender that stores the end of a round in 32 bits ends a round at each ACK. It counts three rounds, ends Startup, and has twice the product and a flight of aggregation, 3 * 4294836225 = 12884508675.""",
    sources=(f"{SOURCE}, section 5.5.1",),
    max_datagram_size_bytes=65_535,
    initial_window_bytes=4 * 65_535 * 65_535,
)
def long_rounds(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(65_535)
    f.flight(65_535)
    b.expect(cwnd_bytes=25_769_017_350, round_count=2)
    f.flight(32_767, left=32_768)
    b.expect(round_count=3)
    f.ack(32_768, MS)
    b.expect(cwnd_bytes=30_063_853_575, round_count=3)
    f.flight(65_535)
    b.expect(cwnd_bytes=30_063_853_575, phase="startup", round_count=4)

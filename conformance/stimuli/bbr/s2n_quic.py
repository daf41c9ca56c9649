"""Hand-built stimuli of BBR: what s2n-quic does otherwise.

`why` derives the expectation; ``sender`` says what the streams have in common. A rate is nanoseconds for 1024 bytes: k packets in 100 ms are floor(100000000 * 1024 / (k * 1200)).
The stack works out its samples itself: no member of a sample is given here.
"""

from functools import partial

from firstflight_conformance.vectorgen.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.bbr.sender import WIDE, Flights, Sampled, full, grown

CATALOGUE = Catalogue("s2n-quic", sources=("s2n-quic-core 0.91.0, src/recovery/bbr",), builder=Sampled)
add = CATALOGUE.add
wide = partial(add, initial_window_bytes=WIDE)


@add(
    "bbr.s2n-quic.startup",
    "Whole nanoseconds for 1024 bytes, and three quanta in the budget",
    """12000 bytes in 1 ms are floor(1000000 * 1024 / 12000) = 85333, in ns for 1024 bytes. With the gain they are floor(85333 * 100 / 277) = 30806, with the margin floor(30806 * 100 / 99) = 31117, and the pacing rate floor(1000000000 * 1024 / 31117) = 32908056. In 100 ms they are floor(100000000 * 1024 / 12000) = 8533333, and 329076 bytes a second: the first flight is not application-limited here, and is the first baseline. Flights of 20 and 40 are growth, floor(100000000 * 1024 / 48000) = 2133333, and so are 50, floor(100000000 * 1024 / 60000) = 1706666, for 2133333 * 4 / 5 = 1706666.4. The product is floor(100000000 * 1024 / 1706666) = 60000. Three more fill the pipe, with 60 packets left in flight and ten more: 2 * 60000 + 60000 = 180000 is the window, and 2 * 1706666 = 3413332 the rate in Drain, floor(3413332 * 100 / 99) = 3447810 with the margin, floor(1000000000 * 1024 / 3447810) = 297000. Two packets leave 58, and ten more leave 48, 57600 bytes, less than a product.""",
)
def startup(b: StreamBuilder) -> None:
    f = Flights(b)
    f.send(10)
    b.expect(pacing_rate_bytes_per_s=32_908_056)
    f.ack(10, 100 * MS)
    b.expect(outcome="bw_grown", max_bw_interval_ns=8_533_333, pacing_rate_bytes_per_s=329_076, cwnd_bytes=24_000)
    f.flight(20)
    f.flight(40)
    b.expect(full_bw_delivered_bytes=1024, full_bw_interval_ns=2_133_333, cwnd_bytes=96_000)
    f.flight(50)
    b.expect(outcome="bw_grown", full_bw_interval_ns=1_706_666, bdp_bytes=60_000, max_inflight_bytes=180_000)
    f.flight(50)
    f.flight(50)
    f.flight(50, left=60)
    b.expect(outcome="exited_by_plateau", phase="drain", cwnd_bytes=180_000, pacing_rate_bytes_per_s=297_000)
    f.ack(2, 4 * MS)
    b.expect(phase="drain")
    f.ack(10, 4 * MS)
    b.expect(outcome="drained", phase="probe_bw")


@add(
    "bbr.s2n-quic.growth",
    "Exactly five quarters in bytes are too little in nanoseconds",
    """Twenty packets are floor(100000000 * 1024 / 24000) = 4266666 ns for 1024 bytes, of which 4266666 * 4 / 5 = 3413332.8. 25 packets are floor(100000000 * 1024 / 30000) = 3413333, which is more: no growth. So the third flight of them ends Startup, with a product of 30000: 2 * 30000 + 30000 = 90000 is the window.""",
)
def growth(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(10)
    f.flight(20)
    b.expect(full_bw_interval_ns=4_266_666)
    f.flight(25)
    b.expect(outcome="plateau_counted", full_bw_count=1, max_bw_interval_ns=3_413_333)
    f.flight(25)
    f.flight(25)
    b.expect(outcome="exited_by_plateau", cwnd_bytes=90_000)


@wide(
    "bbr.s2n-quic.kept-sample",
    "A second ACK of packets that left together keeps the interval of the first",
    """A hundred packets leave at once. The first 50 are acknowledged after 100 ms: 600000 bytes a second. The others follow 50 ms later; no more was delivered when they were sent, so that the interval stays 100 ms: 120000 bytes, floor(100000000 * 1024 / 120000) = 853333 ns for 1024. A product of floor(100000000 * 1024 / 853333) = 120000 bytes. The draft has 150 ms. That no round begins with it is as in the draft. Of the first flight, when nothing was delivered, the second ACK has its own interval: five packets in 100 ms and ten in 150, floor(150000000 * 1024 / 12000) = 12800000 ns, which is more than floor(100000000 * 1024 / 6000) = 17066666 in rate.""",
)
def kept_sample(b: StreamBuilder) -> None:
    f = Flights(b)
    f.send(10)
    f.ack(5, 100 * MS)
    b.expect(max_bw_interval_ns=17_066_666)
    f.ack(5, 50 * MS)
    b.expect(max_bw_interval_ns=12_800_000)
    for packets in (20, 40, 50):
        f.flight(packets)
    f.send(100)
    f.ack(50, 100 * MS)
    b.expect(max_bw_interval_ns=1_706_666, round_count=5)
    f.ack(50, 50 * MS)
    b.expect(max_bw_interval_ns=853_333, bdp_bytes=120_000, round_count=5)


def bursts(b: StreamBuilder, *later: tuple[int, ...]) -> None:
    """Lose packet 130 and then others of a hundred, each tuple in an event of its own; acknowledge the rest, and the first packet sent after the first loss."""
    f = grown(b)
    f.send(100)
    f.ack(10, 100 * MS)
    f.lose(130)
    f.send(10)
    for packets in later:
        f.lose(*packets)
    f.oldest = 138
    f.ack(82, 90 * MS)
    f.ack(1, 10 * MS)


@wide(
    "bbr.s2n-quic.eight-bursts",
    "Eight losses end Startup, though their packets follow each other",
    """Packets 130 to 137 are lost one by one at 500 ms: one range of the draft, and eight bursts. The packet that is acknowledged at 600 ms left at 500 ms, after the first loss, with 100 - 10 - 1 + 1 = 90 packets in flight: 7 * 1200 = 8400 bytes lost since are more than floor(90 * 1200 / 50) = 2160. There is no recovery, and no volume is set. 1 + 9 + 82 = 92 packets were delivered in 100 ms when it was the turn of 138 to 219, floor(100000000 * 1024 / 110400) = 927536 ns: the product is 110400 and extra 82 * 1200 = 98400: 2 * 110400 + 98400 = 319200 is the window.""",
)
def eight_bursts(b: StreamBuilder) -> None:
    bursts(b, (131,), (132,), (133,), (134,), (135,), (136,), (137,))
    b.expect(outcome="exited_by_loss", inflight_longterm_bytes=None, cwnd_bytes=319_200)


@wide(
    "bbr.s2n-quic.seven-bursts",
    "Seven do not",
    """The same packets, of which 136 and 137 are lost in one event and follow each other: seven bursts. As much is lost, and the window grows by the packet that is acknowledged: 734400 + 1200 = 735600.""",
)
def seven_bursts(b: StreamBuilder) -> None:
    bursts(b, (131,), (132,), (133,), (134,), (135,), (136, 137))
    b.expect(outcome="bw_grown", phase="startup", cwnd_bytes=735_600)


@add(
    "bbr.s2n-quic.marks",
    "Two rounds in which more than half is marked end Startup",
    """Of four packets three are marked: one round. In the next one two are, no more than half, and counting ends; a third round without growth would fill the pipe, but eight packets are growth. Five of them are marked, and five of the next eight, 5 * 1200 = 6000 of 9600 bytes. That these are application-limited does not matter: it is the second round. The product is 9600: 2 * 9600 + 9600 = 28800 bytes are the window.""",
)
def marks(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(4)
    for packets, marked, app_limited in ((4, 3, False), (4, 2, False), (8, 5, False), (8, 5, True)):
        f.send(packets, app_limited=app_limited)
        for _ in range(marked):
            b.ce(f.now_ns + 90 * MS, f.oldest, f.now_ns)
        b.expect(outcome="unchanged")
        f.ack(packets, 100 * MS)
        b.expect(phase="probe_bw" if app_limited else "startup")
    b.expect(outcome="exited_by_loss", cwnd_bytes=28_800)


@add(
    "bbr.s2n-quic.delivered-twice",
    "The window grows until twice the initial one is delivered",
    """Five packets a round: a product of 6000, and 2 * 6000 + 6000 = 18000 are needed. The window grows beyond, for the third ACK delivers 18000 in all, less than 2 * 12000 = 24000: 12000 + 18000 = 30000. Five packets in an ACK of their own grow nothing more: 24000 are delivered with them. They are application-limited, as is what follows until that is over; the third flight after it fills the pipe.""",
)
def delivered_twice(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(5)
    b.expect(cwnd_bytes=18_000, max_inflight_bytes=18_000)
    f.flight(5)
    f.flight(5)
    b.expect(cwnd_bytes=30_000, full_bw_count=2)
    f.send(5, app_limited=True)
    f.ack(5, 100 * MS)
    b.expect(outcome="app_limited", cwnd_bytes=30_000)


@wide(
    "bbr.s2n-quic.extra-acked",
    "The aggregation is one sample for ten rounds, in Startup too",
    """50 packets of round 4 are extra, and as many of round 5, from which their age counts. Four rounds of 30 packets, four of 10 and one of 20 follow, all application-limited, so that none is counted. In round 15 the sample is ten rounds old, and its ten packets take its place: 12000 bytes, though there were more after the first. Four flights of five are less: the first of them is still limited, the others fill the pipe. 2 * 60000 + 12000 = 132000.""",
)
def extra_acked(b: StreamBuilder) -> None:
    f = grown(b)
    for packets in (50, 30, 30, 30, 30, 10, 10, 10, 10, 20):
        f.send(packets, app_limited=True)
        f.ack(packets, 100 * MS)
    b.expect(round_count=14, extra_acked_bytes=60_000, outcome="app_limited")
    f.send(10, app_limited=True)
    f.ack(10, 100 * MS)
    b.expect(round_count=15, extra_acked_bytes=12_000)
    for _ in range(4):
        f.flight(5)
    b.expect(outcome="exited_by_plateau", cwnd_bytes=132_000)


@add(
    "bbr.s2n-quic.app-limited",
    "The write that finds nothing more to send is application-limited itself, and a loss ends that earlier",
    """One round is counted. The next 50 packets are all that there is to send: they do not count, though they were sent before the gap. Ten of them are lost: 40 are delivered, and the gap is over with the next. That packet is limited too, and below the largest rate changes nothing, for the window is 216000 of 180000; the nine after it are not, for 41 are more than 50 - 10 = 40, and are counted. Nine more fill the pipe, and the window falls to 180000.""",
)
def app_limited(b: StreamBuilder) -> None:
    f = grown(b)
    f.flight(50)
    b.expect(outcome="plateau_counted", full_bw_count=1)
    f.send(50, app_limited=True)
    f.now_ns += 90 * MS
    f.lose_next(10)
    f.ack(40, 10 * MS)
    b.expect(outcome="app_limited", full_bw_count=1)
    f.flight(1)
    b.expect(outcome="unchanged", full_bw_count=1)
    f.flight(9)
    b.expect(outcome="plateau_counted", full_bw_count=2)
    f.flight(9)
    b.expect(outcome="exited_by_plateau", cwnd_bytes=180_000)


@add(
    "bbr.s2n-quic.skipped",
    "An app-limited ACK changes next to nothing where the window is what the path needs",
    """Two rounds are counted, the second with a window of 216000, above the 180000 that the path needs. Ten flights of 20 packets follow, application-limited. In round 16 the 60000 bytes of aggregation are ten rounds old, but nobody looks. The five packets after them are limited too, and five more in round 18 are not: their 6000 bytes take the place of the 60000, and they fill the pipe. 2 * 60000 + 6000 = 126000. Had round 16 counted, its 24000 bytes would.""",
)
def skipped(b: StreamBuilder) -> None:
    f = grown(b)
    f.flight(50)
    f.flight(50)
    b.expect(cwnd_bytes=216_000, full_bw_count=2, max_inflight_bytes=180_000)
    for _ in range(10):
        f.send(20, app_limited=True)
        f.ack(20, 100 * MS)
    b.expect(round_count=16, extra_acked_bytes=60_000, outcome="unchanged")
    f.flight(5)
    f.flight(5)
    b.expect(outcome="exited_by_plateau", cwnd_bytes=126_000)


@add(
    "bbr.s2n-quic.skipped-drain",
    "An app-limited ACK that ends Drain sets the rate",
    """60 packets are in flight when Drain begins, and one more leaves, application-limited. All are acknowledged 150 ms later, 61 * 1200 / 0.15 = 488000 bytes a second, which is less than 600000: nothing is looked at but whether Drain ends. It does, and the pacing rate is that of 1706666 ns for 1024 bytes, floor(1706666 * 100 / 99) = 1723905 with the margin, floor(1000000000 * 1024 / 1723905) = 594000. The window stays 180000.""",
)
def skipped_drain(b: StreamBuilder) -> None:
    f = full(b, left=60)
    f.send(1, app_limited=True)
    f.ack(61, 150 * MS)
    b.expect(outcome="drained", pacing_rate_bytes_per_s=594_000, cwnd_bytes=180_000)
    f.send(1)


@add(
    "bbr.s2n-quic.slow",
    "On a slow path one packet leaves at once",
    """A packet in 100 ms is floor(100000000 * 1024 / 1200) = 85333333 ns for 1024 bytes. The first flight is the baseline, so that the fourth ends Startup. The pacing rate is then 11880, below 1200000 / 8 = 150000: a quantum is one packet, and the budget 3 * 1200 = 3600. So the window is the least, four datagrams. In Startup, at 329076, it was 3 * 2400 = 7200.""",
)
def slow(b: StreamBuilder) -> None:
    f = Flights(b)
    for _ in range(3):
        f.flight(1)
    b.expect(max_inflight_bytes=7200, full_bw_count=2, max_bw_interval_ns=85_333_333)
    f.flight(1)
    b.expect(outcome="exited_by_plateau", cwnd_bytes=4800, pacing_rate_bytes_per_s=11_880)


@add(
    "bbr.s2n-quic.fast",
    "On a fast path ten packets leave at once",
    """Five packets in 1 ms are floor(1000000 * 1024 / 6000) = 170666 ns for 1024 bytes, and a pacing rate above 16 MB/s: a quantum is ten packets, no more, and 3 * 12000 = 36000 bytes are needed in flight, though 2 * 6000 + 6000 = 18000 are less. The window grows to that with four flights, the later ones application-limited so that they are not counted, and the others change nothing: 12000 + 4 * 6000 = 36000.""",
)
def fast(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(5, rtt_ns=MS)
    b.expect(max_inflight_bytes=36_000, cwnd_bytes=18_000)
    for cwnd_bytes in (24_000, 30_000, 36_000, 36_000, 36_000):
        f.send(5, app_limited=True)
        f.ack(5, MS)
        b.expect(cwnd_bytes=cwnd_bytes, phase="startup")


@add(
    "bbr.s2n-quic.timeout",
    "Neither losses nor a timeout nor their undoing change the window of Startup",
    """Five packets are lost, and persistent congestion is established: the window stays 156000. The ACK of the other 45 makes it 156000 + 54000 = 210000.""",
)
def timeout(b: StreamBuilder) -> None:
    f = grown(b)
    f.send(50)
    f.now_ns += 90 * MS
    f.lose_next(5)
    b.expect(outcome="loss_noted", cwnd_bytes=156_000)
    b.persistent_congestion(f.now_ns)
    b.expect(outcome="unchanged", cwnd_bytes=156_000)
    f.ack(45, 10 * MS)
    b.expect(outcome="plateau_counted", cwnd_bytes=210_000)


@add(
    "bbr.s2n-quic.undo",
    "A loss that was none changes nothing",
    """The pipe is full, with 156000 / 1200 = 130 packets in flight, when one is lost and found not to be. Nothing is undone: the round still has a loss, with which it ends at 800 ms, and 7/10 of the window, 126000 bytes, bound it.""",
)
def undo(b: StreamBuilder) -> None:
    f = full(b, left=130)
    f.lose_next(1)
    b.spurious_loss(f.now_ns)
    b.expect(outcome="unchanged")
    f.send(1)
    b.ack(f.now_ns + 100 * MS, (b.ledger.next_packet - 1, b.ledger.next_packet - 1))
    b.expect(inflight_shortterm_bytes=126_000, cwnd_bytes=126_000)


@add(
    "bbr.s2n-quic.drain-losses",
    "In Drain losses lower the rate to 10/7 of its nanoseconds",
    """Drain begins at 700 ms with 100 packets in flight and a window of 180000. A packet is lost, and one is sent and acknowledged after 100 ms: the round had 600000 bytes a second, which stays the bound, and 7/10 of the window are 126000. Of the next packet lost the round ends in the same way, and its rate is low: floor(1706666 * 10 / 7) = 2438094, in ns for 1024 bytes, are the bound then, a product of floor(100000000 * 1024 / 2438094) = 42000 bytes, and 7/10 of 126000 are 88200. That the packet is application-limited does not matter in such a round. 62 more leave 36 in flight, 43200 bytes, more than the product; 35 are 42000.""",
)
def drain_losses(b: StreamBuilder) -> None:
    f = full(b, left=100)
    b.expect(phase="drain", cwnd_bytes=180_000)
    for cwnd_bytes, bdp_bytes in ((126_000, 60_000), (88_200, 42_000)):
        f.lose_next(1)
        f.send(1, app_limited=bdp_bytes == 42_000)
        f.now_ns += 100 * MS
        b.ack(f.now_ns, (b.ledger.next_packet - 1, b.ledger.next_packet - 1))
        b.expect(cwnd_bytes=cwnd_bytes, bdp_bytes=bdp_bytes, phase="drain")
    f.ack(62)
    b.expect(phase="drain")
    f.ack(1)
    b.expect(outcome="drained")

"""Hand-built stimuli of BBR: what quiche does otherwise.

`why` derives the expectation; ``sender`` says what the streams have in common. A rate is whole bits a second: k packets in 100 ms are k * 1200 * 8 / 0.1 = k * 96000.
The stack works out its samples itself: no member of a sample is given here.
"""

from functools import partial

from firstflight_conformance.vectorgen.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.bbr.sender import WIDE, Flights, Sampled, full, grown

CATALOGUE = Catalogue("quiche", sources=("quiche 0.30.0, src/recovery/gcongestion/bbr2",), builder=Sampled)
add = CATALOGUE.add
wide = partial(add, initial_window_bytes=WIDE)


@add(
    "bbr.quiche.startup",
    "Whole bits a second, a first rate without a gain, and no margin",
    """12000 bytes in 333 ms are floor(12000 * 8000000000 / 333000000) = 288288 bits a second; times 2.885 and to the nearest bit that is floor(288288 * 2.885 + 0.5) = 831711, and floor(831711 / 8) = 103963 bytes. With the first ACK it is 12000 in 100 ms: 960000 / 8 = 120000. Then 1920000 * 2.773 / 8 = 665520, whatever the least bits of the gain are. 50 packets after 40 are exactly 1.25 of them, growth, and 4800000 * 2.773 / 8 = 1663800. The window grows beyond 2 * 60000 = 120000 with that ACK, 96000 + 60000 = 156000, and stays. The third flight without growth ends Startup: the window falls to 120000, no more than one ACK of a flight counts as aggregation, and the pacing rate is that of 4800000 / 2.885 = 1663778.2, floor(1663778 / 8) = 207972. 60 packets are left in flight, and the ACK of the last ten after 100 ms leaves 50: a product.""",
)
def startup(b: StreamBuilder) -> None:
    f = Flights(b)
    f.send(10)
    b.expect(pacing_rate_bytes_per_s=103_963, min_rtt_ns=333_000_000)
    f.ack(10, 100 * MS)
    b.expect(outcome="bw_grown", max_bw_delivered_bytes=960_000, pacing_rate_bytes_per_s=120_000, cwnd_bytes=24_000)
    f.flight(20)
    b.expect(pacing_rate_bytes_per_s=665_520)
    f.flight(40)
    f.flight(50)
    b.expect(outcome="bw_grown", full_bw_count=0, cwnd_bytes=156_000, pacing_rate_bytes_per_s=1_663_800)
    f.flight(50)
    b.expect(outcome="plateau_counted", cwnd_bytes=156_000, max_inflight_bytes=120_000)
    f.flight(50)
    f.flight(50, left=60)
    b.expect(outcome="exited_by_plateau", phase="drain", cwnd_bytes=120_000, pacing_rate_bytes_per_s=207_972)
    f.ack(9, 100 * MS)
    b.expect(phase="drain", extra_acked_bytes=0)
    f.ack(1)
    b.expect(outcome="drained", phase="probe_bw")


@add(
    "bbr.quiche.every-packet",
    "The largest sample of all packets of an ACK",
    """Ten packets leave; nine of them are acknowledged after 150 ms, 9 * 1200 * 8 / 0.15 = 576000 bits a second, and the last one 10 ms later, 10 * 1200 * 8 / 0.16 = 600000. Eighteen left in between, at 150 ms, and one leaves at 250. All 19 are acknowledged at 350 ms. Before the eighteen the ninth packet was acknowledged last, which left at 0 ms: 19 packets, from the tenth to the last of them, were sent in 150 ms, and 19 acknowledged in 350 - 150 ms: 19 * 1200 * 8 / 0.2 = 912000. Before the last one it was the tenth: 19 packets were sent in 250 ms, 19 * 1200 * 8 / 0.25 = 729600. So the product is 912000 / 8 * 0.1 = 11400; and the smallest RTT is that of the last one, 100 ms.""",
)
def every_packet(b: StreamBuilder) -> None:
    f = Flights(b)
    f.send(10)
    f.ack(9, 150 * MS)
    b.expect(max_bw_delivered_bytes=576_000)
    f.send(18)
    f.ack(1, 10 * MS)
    b.expect(max_bw_delivered_bytes=600_000, round_count=1)
    f.now_ns = 250 * MS
    f.send(1)
    f.ack(19, 100 * MS)
    b.expect(max_bw_delivered_bytes=912_000, bdp_bytes=11_400, min_rtt_ns=100_000_000, round_count=2)
    f.send(1)


@add(
    "bbr.quiche.growth",
    "1.25 of a rate is rounded to the nearest bit",
    """RTTs of 63 ms. Twenty packets are floor(24000 * 8000000000 / 63000000) = 3047619 bits a second; the nearest to 1.25 of them is floor(3047619 * 1.25 + 0.5) = 3809524. 25 packets are floor(30000 * 8000000000 / 63000000) = 3809523: one bit too few. So three flights of them end Startup.""",
)
def growth(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(10, rtt_ns=63 * MS)
    f.flight(20, rtt_ns=63 * MS)
    b.expect(full_bw_delivered_bytes=3_047_619)
    f.flight(25, rtt_ns=63 * MS)
    b.expect(outcome="plateau_counted", max_bw_delivered_bytes=3_809_523)
    f.flight(25, rtt_ns=63 * MS)
    f.flight(25, rtt_ns=63 * MS)
    b.expect(outcome="exited_by_plateau")


@add(
    "bbr.quiche.app-limited",
    "An app-limited round may be growth, and is not counted if it is none",
    """The first flight is application-limited, and growth. 50 packets of a write that finds nothing more to send were sent before that: one round is counted. The next five are limited, and their round is not counted. 156000 / 1200 = 130 packets fill the window and leave no gap, whatever the application says: one more is counted, and so is that of the packet that is sent next. In it 81 packets are acknowledged in 160 ms, 81 * 1200 * 8 / 0.16 = 4860000, less than 4800000 * 1.25 = 6000000.""",
)
def app_limited(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(10)
    b.expect(outcome="bw_grown")
    for packets in (20, 40, 50):
        f.flight(packets)
    f.send(50, app_limited=True)
    f.ack(50, 100 * MS)
    b.expect(outcome="plateau_counted", full_bw_count=1)
    f.flight(5)
    b.expect(outcome="app_limited", full_bw_count=1)
    f.send(130, app_limited=True)
    f.ack(50, 100 * MS)
    f.send(1)
    f.ack(81, 160 * MS)
    b.expect(outcome="exited_by_plateau", full_bw_count=3)


@add(
    "bbr.quiche.at-once",
    "A packet acknowledged when it is sent gives no sample",
    """Ten packets are acknowledged at once: their bytes count, 12000 + 12000 = 24000, the baseline stays 0, which no rate is below, and BBR.min_rtt stays 333 ms. Later twenty are again: a round without growth that is not counted. Three others end Startup.""",
)
def at_once(b: StreamBuilder) -> None:
    f = Flights(b)
    f.send(10)
    f.ack(10)
    b.expect(outcome="bw_grown", cwnd_bytes=24_000, min_rtt_ns=333_000_000, max_bw_delivered_bytes=0)
    f.flight(10)
    f.flight(20)
    f.send(20)
    f.ack(20)
    b.expect(outcome="unchanged", full_bw_count=0, round_count=4)
    f.flight(20)
    b.expect(outcome="plateau_counted", full_bw_count=1)
    f.flight(20)
    f.flight(20)
    b.expect(outcome="exited_by_plateau", full_bw_count=3)


@add(
    "bbr.quiche.long-rtt",
    "The smallest RTT begins with 333 ms",
    """RTTs of 400 ms. Ten packets are 12000 * 8 / 0.4 = 240000 bits a second, and the pacing rate is 12000 in 333 ms, floor(12000 * 8000000000 / 333000000) = 288288, 288288 / 8 = 36036. Twenty are growth; forty are 960000, of which 960000 / 8 * 0.333 = 39960 are delivered in 333 ms: 2 * 39960 = 79920 is the window where Startup ends.""",
)
def long_rtt(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(10, rtt_ns=400 * MS)
    b.expect(min_rtt_ns=333_000_000, pacing_rate_bytes_per_s=36_036)
    for packets in (20, 40, 40, 40, 40):
        f.flight(packets, rtt_ns=400 * MS)
    b.expect(outcome="exited_by_plateau", bdp_bytes=39_960, cwnd_bytes=79_920)


@add(
    "bbr.quiche.small-product",
    "The window grows to twice the initial one, and does not fall below it",
    """Four packets a round: a product of 4800, of which twice is less than the initial window. 12000 + 4800 = 16800 and 16800 + 4800 = 21600 are the window, and 21600 + 3600 = 25200 with three packets, for that was below 2 * 12000 = 24000; no more with the fourth, 1 ms later. In it 384000 / 8 * 0.001 = 48 bytes were expected, so that 4800 - 48 = 4752 are extra. When the next flight ends Startup the window is 12000 + 4752 = 16752, with eight packets in flight. One is lost, and one sent then and acknowledged ends the round: 0.7 of the window are floor(16752 * 0.7) = 11726, but the window is the initial one.""",
)
def small_product(b: StreamBuilder) -> None:
    f = Flights(b)
    for cwnd_bytes in (16_800, 21_600):
        f.flight(4)
        b.expect(cwnd_bytes=cwnd_bytes, max_inflight_bytes=12_000)
    f.send(4)
    f.ack(3, 100 * MS)
    b.expect(cwnd_bytes=25_200)
    f.ack(1, MS)
    b.expect(cwnd_bytes=25_200, extra_acked_bytes=4752)
    f.flight(4, left=8)
    b.expect(outcome="exited_by_plateau", phase="drain", cwnd_bytes=16_752)
    f.lose_next(1)
    f.send(1)
    f.now_ns += 100 * MS
    b.ack(f.now_ns, (b.ledger.next_packet - 1, b.ledger.next_packet - 1))
    b.expect(inflight_shortterm_bytes=11_726, cwnd_bytes=12_000, phase="drain")


def lose_singly(f: Flights, packets: int) -> None:
    """Lose the next packets, each in an event of its own."""
    for _ in range(packets):
        f.lose_next(1)


@add(
    "bbr.quiche.eight-losses",
    "Eight losses in a round without growth end Startup",
    """Of 80 packets seven are lost one by one, and the others acknowledged after 200 ms: no growth, and one round is counted. Of the next 80 one is lost: the losses of a round do not add up to those of another. 80 packets after 100 ms are growth: 960000 * 8 = 7680000, a product of 7680000 / 8 * 0.1 = 96000. Of 200 packets eight are lost then: 8 * 1200 = 9600 bytes, more than 100 * 1200 * 0.015 = 1800, and 92 are acknowledged after 200 ms: 92 * 1200 = 110400 were delivered while the last of them was in flight. 100 are left, 120000 bytes, and the window falls to 2 * 96000 = 192000.""",
)
def eight_losses(b: StreamBuilder) -> None:
    f = grown(b)
    for losses in (7, 1):
        f.send(80)
        f.now_ns += 90 * MS
        lose_singly(f, losses)
        f.ack(80 - losses, 110 * MS)
        b.expect(outcome="plateau_counted")
    f.flight(80)
    b.expect(outcome="bw_grown", bdp_bytes=96_000)
    f.send(200)
    f.now_ns += 90 * MS
    lose_singly(f, 8)
    b.expect(outcome="already_noted", cwnd_bytes=252_000)
    f.ack(92, 110 * MS)
    b.expect(outcome="exited_by_loss", phase="drain", inflight_longterm_bytes=110_400, cwnd_bytes=192_000)


@wide(
    "bbr.quiche.loss-share",
    "1.5 % of what was in flight",
    """Eight packets lost are 9600 bytes. With 640800 / 1200 = 534 packets in flight 534 * 1200 * 0.015 = 9612 are allowed; with 534 - 1 = 533 it is floor(533 * 1200 * 0.015) = 9594. The product, of 534 packets, is more than the 533 - 8 = 525 delivered: 640800. 720000 / 1200 = 600 packets more are left in flight, 720000 bytes, and the window falls to 2 * 640800 = 1281600.""",
)
def loss_share(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(400)
    f.flight(534)
    for packets, left in ((534, 0), (533, 600)):
        f.send(packets + left)
        f.now_ns += 90 * MS
        lose_singly(f, 8)
        f.ack(packets - 8, 10 * MS)
        b.expect(outcome="plateau_counted" if packets == 534 else "exited_by_loss")
    b.expect(phase="drain", inflight_longterm_bytes=640_800, cwnd_bytes=1_281_600)


@add(
    "bbr.quiche.drain-losses",
    "In Drain losses lower the bounds at the end of a round, and may end it",
    """Drain begins at 700 ms with 70 packets in flight and a window of 120000. A packet is lost, and one is sent and acknowledged after 100 ms: the round had 4800000 bits a second, which stays the bound, and 0.7 of the window are 84000. Of the next round the largest sample is that of one packet, and 4800000 * 0.7 = 3360000 is the bound, a product of 3360000 / 8 * 0.1 = 42000 bytes; 84000 * 0.7 = 58800. Drain goes on by the largest rate: 51 packets are in flight when 17 are acknowledged, and with one more lost there are 50, the 60000 of its product.""",
)
def drain_losses(b: StreamBuilder) -> None:
    f = full(b, left=70)
    b.expect(phase="drain", cwnd_bytes=120_000)
    for cwnd_bytes, bdp_bytes in ((84_000, 60_000), (58_800, 42_000)):
        f.lose_next(1)
        b.expect(outcome="loss_noted")
        f.send(1)
        f.now_ns += 100 * MS
        b.ack(f.now_ns, (b.ledger.next_packet - 1, b.ledger.next_packet - 1))
        b.expect(inflight_shortterm_bytes=cwnd_bytes, cwnd_bytes=cwnd_bytes, bdp_bytes=bdp_bytes, phase="drain")
    f.ack(17)
    b.expect(phase="drain")
    f.lose_next(1)
    b.expect(outcome="drained", phase="probe_bw")


@wide(
    "bbr.quiche.binary",
    "Gains of 24 bits, in 53 and in 24",
    """RTTs of 94 ms. 8000 packets are floor(9600000 * 8000000000 / 94000000) = 817021276 bits a second, and 7680000 / 1200 = 6400 are floor(7680000 * 8000000000 / 94000000) = 653617021, of which 653617021 * 1.25 = 817021276.25: growth. 2.773 is 2.7730000019073486 in binary32: floor(817021276 * 2.7730000019073486 + 0.5) = 2265600000 and 2265600000 / 8 = 283200000. Twice the rate delivers floor(1634042552 * 94000000 / 8000000000) = 19199999 bytes. The window is at most 20000 * 1200 = 24000000, and falls to that where Startup ends. 1/2.885 is 0.34662044048309326 in binary32: floor(817021276 * 0.34662044048309326 + 0.5) = 283196275, floor(283196275 / 8) = 35399534. A packet is lost in Drain, the last of a thousand sent then is acknowledged, and 19199999 has no binary32: it is 19199999 + 1 = 19200000, of which 0.7 are 19200000 * 0.7 = 13440000. The next time that is 13440000 * 0.7 = 9408000, and the rate floor(817021276 * 0.699999988079071 + 0.5) = 571914883, floor(571914883 * 94000000 / 8000000000) = 6719999.""",
)
def binary(b: StreamBuilder) -> None:
    f = Flights(b)
    for packets in (400, 800, 1600, 3200, 6400, 8000):
        f.flight(packets, rtt_ns=94 * MS)
    b.expect(
        outcome="bw_grown",
        max_bw_delivered_bytes=817_021_276,
        pacing_rate_bytes_per_s=283_200_000,
        cwnd_bytes=24_000_000,
    )
    f.flight(8000, rtt_ns=94 * MS)
    f.flight(8000, rtt_ns=94 * MS)
    f.flight(8000, left=8100, rtt_ns=94 * MS)
    b.expect(phase="drain", cwnd_bytes=19_199_999, pacing_rate_bytes_per_s=35_399_534)
    for cwnd_bytes in (13_440_000, 9_408_000):
        f.lose_next(1)
        f.send(1000)
        f.now_ns += 94 * MS
        b.ack(f.now_ns, (b.ledger.next_packet - 1, b.ledger.next_packet - 1))
        b.expect(cwnd_bytes=cwnd_bytes, phase="drain")
    b.expect(bdp_bytes=6_719_999)


@add(
    "bbr.quiche.initial",
    "The constant of the initial rate has 53 bits",
    """24008400 / 1200 = 20007 packets are floor(24008400 * 8000000000 / 333000000) = 576778378 bits a second in 333 ms, floor(576778378 * 2.885 + 0.5) = 1664005621, and floor(1664005621 / 8) = 208000702 bytes. With 24 bits it were one less. The window is at most 20000 * 1200 = 24000000 with the first ACK.""",
    initial_window_bytes=24_008_400,
)
def initial(b: StreamBuilder) -> None:
    f = Flights(b)
    f.send(20_000)
    b.expect(pacing_rate_bytes_per_s=208_000_702)
    f.ack(10, 100 * MS)
    b.expect(cwnd_bytes=24_000_000)


@add(
    "bbr.quiche.aggregation",
    "What is extra begins with the second ACK of an epoch, and a new rate works it out anew",
    """60000 / 100 = 600 bytes a millisecond. Half of a flight of 50 is acknowledged after 100 ms, and the other half 10 ms later: 60000 bytes in 10 ms, in which 6000 are expected: 54000 are extra. 70 packets are the next largest rate, 840 a millisecond: 60000 - 8400 = 51600. That counts as of round 0, so that in round 11 ten packets take its place, though there are fewer: five of them 1 ms after the others, 12000 - 840 = 11160. Three flights of 70 end Startup: 2 * 84000 + 11160 = 179160.""",
)
def aggregation(b: StreamBuilder) -> None:
    f = grown(b)
    f.send(50)
    f.ack(25, 100 * MS)
    b.expect(extra_acked_bytes=0)
    f.ack(25, 10 * MS)
    b.expect(extra_acked_bytes=54_000, cwnd_bytes=156_000)
    f.flight(70)
    b.expect(outcome="bw_grown", extra_acked_bytes=51_600, round_count=6)
    for _ in range(4):
        f.send(10, app_limited=True)
        f.ack(10, 100 * MS)
    b.expect(round_count=10)
    f.send(10)
    f.ack(5, 100 * MS)
    b.expect(round_count=11, extra_acked_bytes=51_600)
    f.ack(5, MS)
    b.expect(extra_acked_bytes=11_160)
    f.flight(70)
    f.flight(70)
    b.expect(full_bw_count=3)


def two_acks(f: Flights, packets: int) -> None:
    """Acknowledge half of an application-limited flight after an RTT, and the other half 1 ms later."""
    f.send(packets, app_limited=True)
    f.ack(packets // 2, 100 * MS)
    f.ack(packets // 2, MS)


def one_ack(f: Flights, rounds: int) -> None:
    """Send application-limited flights of ten packets, each acknowledged at once."""
    for _ in range(rounds):
        f.send(10, app_limited=True)
        f.ack(10, 100 * MS)


@add(
    "bbr.quiche.heights",
    "Three heights are kept for ten rounds",
    """k packets in two ACKs are k * 1200 - 600 bytes of height. In round 5 it is 50 * 1200 - 600 = 59400, all three. In round 8 10 * 1200 - 600 = 11400 is the second and third, for more than two rounds have passed; in round 9 20 * 1200 - 600 = 23400 is larger and takes their place. In round 15, more than five rounds later, 12 * 1200 - 600 = 13800 is the third. In round 16 the first is more than ten rounds old: it is 23400. With that Startup ends: 2 * 60000 + 23400 = 143400. In round 20 it is 13800, and 2 * 60000 + 13800 = 133800.""",
)
def heights(b: StreamBuilder) -> None:
    f = grown(b)
    two_acks(f, 50)
    b.expect(round_count=5, extra_acked_bytes=59_400)
    one_ack(f, 2)
    two_acks(f, 10)
    two_acks(f, 20)
    one_ack(f, 5)
    b.expect(round_count=14, extra_acked_bytes=59_400)
    two_acks(f, 12)
    b.expect(round_count=15, extra_acked_bytes=59_400)
    two_acks(f, 10)
    b.expect(round_count=16, extra_acked_bytes=23_400)
    for _ in range(3):
        f.flight(10)
    b.expect(outcome="exited_by_plateau", round_count=19, cwnd_bytes=143_400)
    two_acks(f, 10)
    b.expect(round_count=20, extra_acked_bytes=13_800, cwnd_bytes=133_800)


@add(
    "bbr.quiche.no-answer",
    "Neither a mark nor a timeout nor the news that a loss was none changes anything",
    """Five packets are lost, one is marked, persistent congestion is established, and then the losses were none: the window stays 156000 in Startup, though 45 more are acknowledged, for it is above 120000.""",
)
def no_answer(b: StreamBuilder) -> None:
    f = grown(b)
    f.send(50)
    f.now_ns += 90 * MS
    f.lose_next(5)
    b.expect(outcome="loss_noted", cwnd_bytes=156_000)
    b.ce(f.now_ns, f.oldest, f.now_ns - 90 * MS)
    b.expect(outcome="unchanged")
    b.persistent_congestion(f.now_ns)
    b.expect(outcome="unchanged", cwnd_bytes=156_000)
    b.spurious_loss(f.now_ns)
    b.expect(outcome="unchanged")
    f.ack(45, 10 * MS)
    b.expect(outcome="plateau_counted", cwnd_bytes=156_000)

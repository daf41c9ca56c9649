"""Hand-built stimuli of BBR: losses in the third version of Linux.

`why` derives the expectation; ``sender`` describes the common stream. A rate is packets in a microsecond times 2^24,
here called units: k packets in 100 ms are ceil(k * 16777216 / 100000).
"""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.bbr.sender import WIDE, Flights, Sampled, full, grown

CATALOGUE = Catalogue("linux-v3", sources=("google/bbr net/ipv4/tcp_bbr.c, branch v3",), builder=Sampled)
add = CATALOGUE.add


def lossy(b: StreamBuilder, later_ns: int = 0, acks: int = 6, again: int = 0) -> Flights:
    """Lose packets between the ACKs of a round, from 500 ms on; the next flight, from packet 220, leaves then or later.

    ``again``: number of additional losses before the last ACK, each in its own event.
    """
    f = grown(b)
    f.send(100)
    f.ack(10, 100 * MS)
    f.lose_next(1)
    f.now_ns += later_ns
    f.send(100)
    for _ in range(acks - 1):
        f.ack(2, 10 * MS)
        f.lose_next(1)
    for _ in range(again):
        f.lose_next(1)
    f.now_ns = 590 * MS
    f.ack(220 - f.oldest)
    return f


@add(
    "bbr.linux-v3.loss-exit",
    "Six ACKs with losses in a round end Startup by loss, during recovery",
    """At 600 ms packet 220 is acknowledged, which left when the first packet was lost, at 500 ms: recovery continues. Since then 5 packets were lost; 100 - 10 - 1 + 1 = 90 were in flight with packet 220, and 5 > floor(90 * 5 / 256) = 1. The rate is ceil(85 * 16777216 / 100000) = 14261 units, a product of ceil(14261 * 100000 / 16777216) = 86 packets, 103200 bytes. The latest volume is 94 * 1200 = 112800, and becomes the long-term volume. The path needs ceil(2 * 14261 * 100000 / 16777216) = 171 packets and 74 extra packets: 171 + 74 = 245, 294000 bytes.
    In Drain three more ACKs follow. At the first, 100 packets in flight without a loss raise the long-term volume to 120000 bytes. At the second, two lost packets of 130 are not more than floor(130 * 5 / 256) = 2: 156000. At the third, three of 181200 / 1200 = 151 are more than floor(151 * 5 / 256) = 2, though 3 < 151 / 50: the volume stays. With 99 - 3 - 16 = 80 packets in flight Drain ends, and the window is that volume.""",
    initial_window_bytes=WIDE,
)
def loss_exit(b: StreamBuilder) -> None:
    f = lossy(b)
    b.expect(phase="startup", inflight_longterm_bytes=None)
    f.ack(1, 10 * MS)
    b.expect(outcome="exited_by_loss", phase="drain", inflight_longterm_bytes=112_800, ssthresh_bytes=103_200)
    b.expect(cwnd_bytes=294_000)
    for in_flight, lost, longterm_bytes in ((100, 0, 120_000), (130, 2, 156_000), (151, 3, 156_000)):
        f.ack(1, rate_in_flight_bytes=1200 * in_flight, rate_lost_bytes=1200 * lost)
        b.expect(phase="drain", inflight_longterm_bytes=longterm_bytes)
    f.ack(16)
    b.expect(outcome="drained", cwnd_bytes=156_000)


@add(
    "bbr.linux-v3.product",
    "The long-term volume is at least the product of the largest rate",
    """A flight of 100 has ceil(100 * 16777216 / 100000) = 16778 units, a product of ceil(16778 * 100000 / 16777216) = 101 packets, 121200 bytes. Then six packets of a flight of 60 are lost, between six ACKs. Five are lost after packet 280 left, and 60 - 10 - 1 + 1 = 50 were in flight with it: 5 > floor(50 * 5 / 256) = 0. In the previous round 44 + 10 = 54 packets were delivered, in this round 60 - 10 - 6 + 1 = 45: fewer than 101. Drain ends at once.""",
    initial_window_bytes=WIDE,
)
def product(b: StreamBuilder) -> None:
    f = grown(b)
    f.flight(100)
    f.send(60)
    f.ack(10, 100 * MS)
    f.lose_next(1)
    f.send(60)
    for _ in range(5):
        f.ack(2, 10 * MS)
        f.lose_next(1)
    f.ack(280 - f.oldest, 40 * MS)
    f.ack(1, 10 * MS)
    b.expect(outcome="exited_by_loss", phase="probe_bw", inflight_longterm_bytes=121_200, cwnd_bytes=121_200)


@add(
    "bbr.linux-v3.five-acks",
    "Five ACKs with losses do not end Startup, with any number of lost packets",
    """As in `bbr.linux-v3.loss-exit` with one ACK with losses less. Before the last ACK three packets are lost, each in its own event: 4 + 3 = 7 losses, but five ACKs.""",
    initial_window_bytes=WIDE,
)
def five_acks(b: StreamBuilder) -> None:
    f = lossy(b, acks=5, again=2)
    f.ack(1, 10 * MS)
    b.expect(outcome="bw_grown", phase="startup", inflight_longterm_bytes=None)


@add(
    "bbr.linux-v3.recovery-over",
    "Losses do not end Startup if the ACK ends their recovery",
    """The next flight leaves at 501 ms, after the first loss: the ACK of its first packet ends the recovery before the check. The 85 packets were sent in 101 ms: ceil(85 * 16777216 / 101000) = 14120 units, growth.""",
    initial_window_bytes=WIDE,
)
def recovery_over(b: StreamBuilder) -> None:
    f = lossy(b, later_ns=1 * MS)
    f.ack(1, 9 * MS)
    b.expect(outcome="bw_grown", phase="startup", max_bw_delivered_bytes=14_120 * 1200)


@add(
    "bbr.linux-v3.part-of-a-round",
    "A recovery shorter than a round ends Startup as well",
    """At 500 ms a packet is lost. Its recovery ends at 601 ms, with packet 220, which left at 501 ms, and 70 others: ceil(71 * 16777216 / 101000) = 11794 units. Then a packet is lost that left before the recovery began. This loss begins a loss round without recovery. Packet 222 leaves, and between five ACKs five more packets are lost. The fourth is packet 221: it left at 501 ms as well, and begins a recovery. The ACK of packet 222 is the sixth ACK with losses, and ends the loss round. But packet 222 left when 8 packets less were delivered than at the start of recovery. Implementations that require a full round stay in Startup. The threshold is a product, ceil(11794 * 100000 / 16777216) = 71 packets: 85200.""",
    initial_window_bytes=WIDE,
)
def part_of_a_round(b: StreamBuilder) -> None:
    f = grown(b)
    f.send(100)
    f.ack(10, 100 * MS)
    f.lose_next(1)
    f.now_ns += 1 * MS
    f.send(2)
    f.now_ns += 100 * MS
    b.ack(f.now_ns, (135, 204), (220, 220))
    b.expect(outcome="bw_grown", phase="startup")
    f.lose_next(1)
    f.now_ns += 1 * MS
    f.send(1)
    for acked, lost in ((205, 132), (207, 133), (209, 134), (211, 221), (213, 215)):
        f.now_ns += 10 * MS
        b.ack(f.now_ns, (acked, acked + 1))
        f.lose(lost)
    f.now_ns += 50 * MS
    b.ack(f.now_ns, (222, 222))
    b.expect(outcome="exited_by_loss", phase="probe_bw", ssthresh_bytes=85_200)


@add(
    "bbr.linux-v3.short-term",
    "Losses in Drain leave 180/256 of rate and window, and the largest rate ends Drain",
    """The exit leaves 100 packets in flight. Two are lost, and a mark is ignored. Five packets leave then and are acknowledged 100 ms later. The window of 181200 / 1200 = 151 packets becomes floor(151 * 180 / 256) = 106, 127200 bytes. The latest rate is still from the exit, ceil(50 * 16777216 / 100000) = 8389 units. Two more are lost, and five more are acknowledged. floor(8389 * 180 / 256) = 5898 units are more than the ceil(5 * 16777216 / 100000) = 839 of the round, and floor(106 * 180 / 256) = 74 packets, 88800 bytes, are the window. The pacing rate is 143563, the product ceil(5898 * 100000 / 16777216) = 36 packets, 43200 bytes. 60 ms later 45 more are acknowledged: 96 - 45 = 51 packets are in flight, not more than the product of the largest rate, ceil(8389 * 100000 / 16777216) = 51.""",
)
def short_term(b: StreamBuilder) -> None:
    f = full(b, left=100)
    b.expect(phase="drain", cwnd_bytes=181_200)
    for cwnd_bytes in (127_200, 88_800):
        f.lose_next(2)
        b.expect(outcome="loss_noted")
        b.ce(f.now_ns, 319, 600 * MS)
        b.expect(outcome="unchanged")
        f.send(5)
        f.now_ns += 100 * MS
        first = b.ledger.next_packet - 5
        b.ack(f.now_ns, (first, first + 4))
        b.expect(cwnd_bytes=cwnd_bytes, inflight_shortterm_bytes=cwnd_bytes, max_bw_delivered_bytes=8389 * 1200)
    b.expect(phase="drain", pacing_rate_bytes_per_s=143_563, bdp_bytes=43_200)
    f.ack(45, 60 * MS)
    b.expect(outcome="drained", cwnd_bytes=88_800)


@add(
    "bbr.linux-v3.exit-forgets",
    "The end of Startup discards the losses of the round",
    """The last round without growth begins with the ACK of 50 packets that left before one was lost. This ACK ends Startup; the loss round continues. When the loss round ends, in Drain, the losses are discarded, and no bound is set.""",
)
def exit_forgets(b: StreamBuilder) -> None:
    f = grown(b)
    f.flight(50)
    f.send(50)
    f.ack(40, 100 * MS)
    f.send(150)
    f.ack(9)
    f.lose_next(1)
    b.expect(outcome="loss_noted", full_bw_count=2)
    f.ack(50, 100 * MS)
    b.expect(outcome="exited_by_plateau", phase="drain")
    f.send(1)
    f.now_ns += 100 * MS
    last = b.ledger.next_packet - 1
    b.ack(f.now_ns, (last, last))
    b.expect(phase="drain", inflight_shortterm_bytes=None)


@add(
    "bbr.linux-v3.timeout",
    "A timeout restarts the search for a full pipe, and bounds the volume by the window before it",
    """The exit leaves 100 packets in flight, and a window of 181200. 40 are lost, and persistent congestion is established with 60 in flight: (60 + 1) * 1200 = 73200, and the short-term volume is 181200. The ACK of the 60 makes it 73200 + 72000 = 145200, and its rate is the baseline: ceil(110 * 16777216 / 200000) = 9228 units. A packet sent later ends recovery: 181200.""",
)
def timeout(b: StreamBuilder) -> None:
    f = full(b, left=100)
    f.now_ns += 90 * MS
    f.lose_next(40)
    b.persistent_congestion(f.now_ns)
    b.expect(outcome="collapsed", cwnd_bytes=73_200, inflight_shortterm_bytes=181_200)
    b.expect(full_bw_delivered_bytes=0, full_bw_count=0)
    f.ack(60, 10 * MS)
    b.expect(cwnd_bytes=145_200, full_bw_delivered_bytes=9228 * 1200)
    f.flight(1)
    b.expect(cwnd_bytes=181_200)


@add(
    "bbr.linux-v3.timeout-in-startup",
    "A timeout discards the counted rounds",
    """Two rounds without growth are counted when five packets are lost and persistent congestion is established. The ACK of the other 45 begins a round with growth: ceil(45 * 16777216 / 100000) = 7550 units without a baseline. In Startup the short-term bounds are infinite.""",
)
def timeout_in_startup(b: StreamBuilder) -> None:
    f = grown(b)
    f.flight(50)
    f.flight(50)
    f.send(50)
    f.now_ns += 90 * MS
    f.lose_next(5)
    b.persistent_congestion(f.now_ns)
    b.expect(outcome="collapsed", cwnd_bytes=55_200, full_bw_count=0, inflight_shortterm_bytes=None)
    f.ack(45, 10 * MS)
    b.expect(outcome="bw_grown", phase="startup", full_bw_delivered_bytes=7550 * 1200)


@add(
    "bbr.linux-v3.timeout-in-recovery",
    "A timeout during recovery does not save the window",
    """Five packets are lost with a window of 156000. 20 are acknowledged: 156000 + 24000 = 180000. One more is lost, and persistent congestion is established: (24 + 1) * 1200 = 30000. A packet sent later ends recovery and restores the window before it, 156000. Implementations that save at each timeout return to 180000.""",
)
def timeout_in_recovery(b: StreamBuilder) -> None:
    f = grown(b)
    f.send(50)
    f.now_ns += 90 * MS
    f.lose_next(5)
    f.ack(20, 10 * MS)
    b.expect(cwnd_bytes=180_000)
    f.lose_next(1)
    b.persistent_congestion(f.now_ns)
    b.expect(outcome="collapsed", cwnd_bytes=30_000)
    f.now_ns += 10 * MS
    f.send(1)
    f.now_ns += 100 * MS
    last = b.ledger.next_packet - 1
    b.ack(f.now_ns, (last, last))
    b.expect(cwnd_bytes=156_000)


@add(
    "bbr.linux-v3.undo",
    "After a spurious loss the window returns to its earlier value, though it has grown since",
    """Five packets are lost with a window of 156000. 20 are acknowledged: 156000 + 24000 = 180000. Then the loss proves spurious: 156000, without a baseline. The ACK of the other 25 makes it 156000 + 30000 = 186000, and ceil(45 * 16777216 / 100000) = 7550 units are the baseline.""",
)
def undo(b: StreamBuilder) -> None:
    f = grown(b)
    f.send(50)
    f.now_ns += 90 * MS
    f.lose_next(5)
    f.ack(20, 10 * MS)
    b.expect(cwnd_bytes=180_000, full_bw_count=1)
    b.spurious_loss(f.now_ns)
    b.expect(outcome="restored", cwnd_bytes=156_000, full_bw_delivered_bytes=0, full_bw_count=0)
    f.ack(25)
    b.expect(outcome="bw_grown", cwnd_bytes=186_000, full_bw_delivered_bytes=7550 * 1200)

"""Hand-built stimuli of BBR: what losses and timeouts do in picoquic.

`why` derives the expectation; ``sender`` says what the streams have in common.
"""

from firstflight_conformance.vectorgen.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.bbr.sender import WIDE, Flights, Sampled

CATALOGUE = Catalogue("picoquic", sources=("private-octopus/picoquic picoquic/bbr.c",), builder=Sampled)
add = CATALOGUE.add


@add(
    "bbr.picoquic.loss-exit",
    "Six ranges and too much lost at any ACK of a round end Startup where it ends",
    """After 60 packets six are lost, each alone. The ACK at 1.21 s is of packet 101: 6 * 1200 = 7200 are lost, more than 3 * 1200 = 3600 and than 2 % of what was in flight before it: recovery begins, with the 112800 in flight and 36000 that are acknowledged, 112800 + 36000 = 148800. At 1.3 s packet 156 is acknowledged, which was sent in this round: too much was lost in the one that ends, and six ranges were. 46800 are in flight, less than the product of
    the rate before, 600000 * 0.17 = 102000: Drain is over. 97 packets were in flight before packet 156, 97 * 1200 = 116400 with it, 115200 without: as recovery had begun with what was delivered later, that is the long-term volume, and bounds the window.""",
    initial_window_bytes=WIDE,
)
def loss_exit(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(50)
    f.send(100)
    f.ack(10, 100 * MS)
    f.send(40)
    for _ in range(6):
        f.lose_next(1)
        f.oldest += 1
    f.ack(30, 10 * MS)
    b.expect(cwnd_bytes=148_800, phase="startup", inflight_longterm_bytes=None)
    f.ack(45, 60 * MS)
    b.expect(cwnd_bytes=148_800, phase="startup")
    f.ack(10, 30 * MS)
    b.expect(outcome="exited_by_loss", phase="probe_bw", inflight_longterm_bytes=115_200, cwnd_bytes=115_200)


@add(
    "bbr.picoquic.recovery",
    "Recovery begins with an ACK at which more than three datagrams were lost",
    """Three packets are lost, each before an ACK of one: 3 * 1200 = 3600 are not more than three datagrams, and the window loses and gains 1200 each time. The fourth is: the window is 93600 + 6000 = 99600, with what is in flight and acknowledged. In recovery two more are lost, the second next to the first: 99600 - 2 * 1200 = 97200 is more than 20400 + 72000 = 92400. The news that a loss was none changes nothing. The ACK of packet 150, sent in recovery, ends it: 552000 is restored, and 1200 more are acknowledged.
    It begins a round, and there were 4 + 1 = 5 ranges: Startup goes on. It was sent when 81600 were delivered, and the rate is 112800 / 0.1 = 1128000 before it: growth.""",
    initial_window_bytes=WIDE,
)
def recovery(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(50)
    f.send(100)
    f.ack(10, 100 * MS)
    b.expect(cwnd_bytes=552_000)
    for _ in range(3):
        f.lose_next(1)
        b.expect(outcome="loss_noted")
        f.ack(1)
        b.expect(cwnd_bytes=552_000)
    f.lose_next(1)
    f.ack(5)
    b.expect(cwnd_bytes=99_600)
    f.send(1)
    f.lose_next(1)
    f.lose_next(1)
    b.expect(outcome="already_noted")
    f.ack(60)
    b.expect(cwnd_bytes=97_200)
    b.spurious_loss(f.now_ns)
    b.expect(outcome="unchanged")
    f.ack(16)
    b.expect(cwnd_bytes=97_200)
    f.ack(1, 100 * MS)
    b.expect(cwnd_bytes=553_200, phase="startup", outcome="bw_grown", full_bw_delivered_bytes=1_128_000)


def full(b: StreamBuilder) -> Flights:
    """Return a sender after five flights of ten packets, which fill the pipe, with 20 packets left in flight: 120000 bytes a second, a product of 12000."""
    f = Flights(b)
    for _ in range(4):
        f.flight(10)
    f.flight(10, 20)
    return f


@add(
    "bbr.picoquic.drained",
    "The end of Drain forgets the losses of the round",
    """In Drain a packet is lost, and eight are acknowledged: 13200 are in flight, more than the product of 12000. With the next ACK they are 12000, and Drain ends. The ACK of packet 70, which left then, ends a loss round: the loss is forgotten, and no short-term volume bounds the window of 22800, which is the long-term one.""",
)
def drain(b: StreamBuilder) -> None:
    f = full(b)
    b.expect(outcome="exited_by_plateau", phase="drain")
    f.lose_next(1)
    f.ack(8)
    b.expect(phase="drain")
    f.ack(1)
    b.expect(outcome="drained", phase="probe_bw")
    f.send(9)
    b.ack(600 * MS, (70, 70))
    b.expect(inflight_shortterm_bytes=None, round_count=6, cwnd_bytes=22_800)


@add(
    "bbr.picoquic.timeout",
    "A timeout begins a recovery, and the next ACK Startup",
    """In Drain the probe timer expires: the window is 24000 + 1200 = 25200. It expires again, which changes nothing. Of the 20 packets that are lost 19 leave (25200 - 19 * 1200) = 2400, two datagrams, and so does the last. The ACK of packet 70 ends a loss round in which there were losses: the short-term volume is the larger of the 12000 of the round before and of floor(7/10 * 2400) = 1680. The saved 36000 are restored, 36000 - 24000 = 12000
    is left of them, and the short-term volume bounds what is acknowledged. Startup begins anew, with 277/100 * 120000 * 99/100 = 329076 and without a baseline. A mark changes nothing.""",
)
def timeout(b: StreamBuilder) -> None:
    f = full(b)
    b.expect(phase="drain", cwnd_bytes=36_000)
    f.now_ns += 300 * MS
    b.pto(f.now_ns)
    b.expect(outcome="collapsed", cwnd_bytes=25_200)
    b.pto(f.now_ns)
    b.expect(outcome="unchanged", cwnd_bytes=25_200)
    f.lose_next(20)
    b.expect(cwnd_bytes=2_400)
    f.send(1)
    f.ack(1, 100 * MS)
    b.expect(outcome="startup_resumed", phase="startup", cwnd_bytes=12_000, inflight_shortterm_bytes=12_000)
    b.expect(full_bw_delivered_bytes=0, pacing_rate_bytes_per_s=329_076)
    b.ce(f.now_ns, 70, f.now_ns - 100 * MS)
    b.expect(outcome="unchanged", cwnd_bytes=12_000)


@add(
    "bbr.picoquic.spurious",
    "The news that a loss was none ends the recovery of a timeout",
    """With the probe timer the window becomes 24000 + 1200 = 25200; then the saved 36000 are restored, and Startup begins anew.""",
)
def spurious(b: StreamBuilder) -> None:
    f = full(b)
    f.now_ns += 300 * MS
    b.pto(f.now_ns)
    b.expect(cwnd_bytes=25_200)
    b.spurious_loss(f.now_ns)
    b.expect(outcome="restored", phase="startup", cwnd_bytes=36_000, full_bw_delivered_bytes=0)

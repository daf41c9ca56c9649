"""Hand-built stimuli of BBR: Drain and the phase after it.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.bbr.sender import DRAFT, SOURCE, WIDE, Flights, Sampled, full, grown

CATALOGUE = Catalogue(DRAFT, sources=(f"{SOURCE}, section 5.3.2",), builder=Sampled)
add = CATALOGUE.add


@add(
    "bbr.drain.at-the-product",
    "Drain ends with exactly one bandwidth-delay product in flight",
    """The pipe is full at 600000 bytes a second and 100 ms, 60000 bytes, with 72 packets left in flight, 72 * 1200 = 86400 bytes. Drain paces at half: 0.5 * 0.99 * 600000 = 297000. Ten ACKs of two packets follow, 4 ms apart, which is 600000 bytes a second: 52 packets, 62400 bytes, are more than 60000. Two more leave
    50 * 1200 = 60000: drained. From there the rate is 0.99 * 600000 = 594000.""",
)
def drain_at_the_product(b: StreamBuilder) -> None:
    f = full(b, left=72)
    b.expect(outcome="exited_by_plateau", phase="drain", pacing_rate_bytes_per_s=297_000, bdp_bytes=60_000)
    for _ in range(10):
        f.ack(2, 4 * MS)
        b.expect(phase="drain")
    f.ack(2, 4 * MS)
    b.expect(outcome="drained", phase="probe_bw", pacing_rate_bytes_per_s=594_000)


@add(
    "bbr.drain.at-once",
    "With an empty flight Drain ends at the ACK that begins it",
    """All 50 packets are acknowledged with the ACK that fills the pipe, and 0 <= 60000. The outcome is the outcome of Startup. The rate after Drain is 0.99 * 600000 = 594000, and the window is bounded from here on: min(216000 + 60000, 2 * 60000 + 60000) = 180000.""",
    sources=(f"{SOURCE}, sections 5.2.3 and 5.3.2",),
)
def drain_at_once(b: StreamBuilder) -> None:
    f = grown(b)
    f.flight(50)
    b.expect(cwnd_bytes=216_000)
    f.flight(50)
    b.expect(cwnd_bytes=216_000, outcome="plateau_counted", max_inflight_bytes=180_000)
    f.flight(50)
    b.expect(outcome="exited_by_plateau", phase="probe_bw", cwnd_bytes=180_000, pacing_rate_bytes_per_s=594_000)


def _steps(f: Flights, steps: int) -> None:
    """Acknowledge 50 packets every 100 ms, with 150 in flight before each ACK: a round every third time."""
    for _ in range(steps):
        f.ack(50, 100 * MS)
        f.send(50)


@add(
    "bbr.drain.fourth-round",
    "Drain ends in its fourth round, with any flight",
    """The pipe is full in round 7, with 180000 / 1200 = 150 packets in flight. They leave the path at 50 per 100 ms: the product stays 60000 bytes. After each ACK 100 * 1200 = 120000 are in flight. A packet sent then is acknowledged three steps later. So rounds 8, 9, 10 and 11 begin at steps 4, 7, 10 and 13. Round 10 is 10 - 7 = 3 rounds
    after the beginning, which is not more than 3; round 11 is 11 - 7 = 4 > 3. In the prose of the draft Drain ends in round 10, which conforms (B4).""",
    sources=(f"{SOURCE}, section 5.3.2", f"{SOURCE}, appendix A.4"),
    initial_window_bytes=WIDE,
)
def drain_fourth_round(b: StreamBuilder) -> None:
    f = full(b, left=150)
    b.expect(round_count=7, phase="drain")
    _steps(f, 7)
    b.expect(round_count=9, phase="drain", max_bw_delivered_bytes=60_000, bdp_bytes=60_000)
    _steps(f, 2)
    f.ack(50, 100 * MS)
    b.expect(round_count=10, phase="drain")
    f.send(50)
    _steps(f, 2)
    f.ack(50, 100 * MS)
    b.expect(round_count=11, phase="probe_bw", outcome="drain_timed_out")


@add(
    "bbr.drain.small-product",
    "A product below four datagrams does not prevent the end of Drain",
    """One packet a round on a path of 100 ms: 1200 bytes are the product. The fourth such round fills the pipe, with five packets left in flight. Their 5 * 1200 = 6000 bytes are more than four datagrams, 4 * 1200 = 4800; after one more ACK 4800 are not more.""",
    sources=(f"{SOURCE}, sections 5.3.2 and 5.6.4.2", f"{SOURCE}, appendix A.14"),
)
def drain_small_product(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(1, rate_app_limited=False)
    for _ in range(2):
        f.flight(1)
    f.flight(1, left=5)
    b.expect(outcome="exited_by_plateau", phase="drain", bdp_bytes=1200)
    f.ack(1, MS)
    b.expect(outcome="drained", phase="probe_bw")


@add(
    "bbr.drain.fast-path",
    "On a fast path the send quantum is the lower bound of the flight",
    """The RTT is 1 ms, and 50 packets per RTT are 50 * 1200 * 1000 = 60000000 bytes a second. The pacing rate is floor(2.77 * 0.99 * 60000000) = 164538000. In 1 ms it sends 164538 bytes, and the quantum is 64 * 1024 = 65536: more than the product of 60000. The ACK that fills the pipe leaves 54 packets in flight, 64800 bytes: Drain ends at this ACK.""",
    sources=(f"{SOURCE}, sections 5.3.2, 5.5.8.2, 5.6.3 and 5.6.4.2",),
)
def drain_fast_path(b: StreamBuilder) -> None:
    f = Flights(b)
    for packets in (10, 20, 40, 50, 50, 50):
        f.flight(packets, rtt_ns=MS)
    b.expect(pacing_rate_bytes_per_s=164_538_000, bdp_bytes=60_000)
    f.flight(50, left=54, rtt_ns=MS)
    b.expect(outcome="exited_by_plateau", phase="probe_bw", pacing_rate_bytes_per_s=59_400_000)


@add(
    "bbr.drain.above-the-quantum",
    "A packet above the send quantum is too much",
    """As in `bbr.drain.fast-path`, with 55 packets left: 55 * 1200 = 66000 bytes are more than 64 * 1024 = 65536. The rate of Drain, 0.5 * 0.99 * 60000000 = 29700000, has a quantum of 29700, less than the product.""",
    sources=(f"{SOURCE}, sections 5.3.2, 5.5.8.2, 5.6.3 and 5.6.4.2",),
)
def drain_above_the_quantum(b: StreamBuilder) -> None:
    f = Flights(b)
    for packets in (10, 20, 40, 50, 50, 50):
        f.flight(packets, rtt_ns=MS)
    f.flight(50, left=55, rtt_ns=MS)
    b.expect(outcome="exited_by_plateau", phase="drain", pacing_rate_bytes_per_s=29_700_000)


@add(
    "bbr.drain.losses",
    "A loss in Drain sets the short-term bounds at the end of its round",
    """The pipe is full with a window of 180000 and 180000 / 1200 = 150 packets in flight, and one is lost. 50 are acknowledged every 100 ms. The third ACK acknowledges the first packet sent after the loss: the loss round ends, and the bounds are set. The latest rate is 600000, more than 0.7 * 600000 = 420000. The latest volume comes from
    the second ACK, 50 + 50 + 50 packets since 600 ms: 180000, more than 0.7 * 180000 = 126000.""",
    sources=(f"{SOURCE}, section 5.5.10.3",),
    initial_window_bytes=WIDE,
)
def drain_losses(b: StreamBuilder) -> None:
    f = full(b, left=150)
    f.lose_next(1)
    b.expect(outcome="loss_noted", phase="drain", inflight_shortterm_bytes=None)
    _steps(f, 2)
    b.expect(inflight_shortterm_bytes=None)
    f.ack(50, 100 * MS)
    b.expect(inflight_shortterm_bytes=180_000, phase="drain", pacing_rate_bytes_per_s=297_000)


@add(
    "bbr.short-term.mark-in-drain",
    "A CE mark in Drain bounds the window at the end of its round",
    """80 packets are left in flight when the pipe is full, with a window of 180000. A packet is marked, and 70 leave: 80 + 70 = 150. The 80 packets of 600 ms are acknowledged: 50 at 800 ms and 30 at 860 ms. 50 + 50 + 30 = 130 packets were delivered since they left, 156000 bytes, more than 0.7 * 180000 = 126000. The ACK of the first of the 70 ends the loss round, with 69 * 1200 = 82800 bytes in flight, more than the product of 60000.""",
    sources=(f"{SOURCE}, sections 3.7 and 5.5.10.3", f"{SOURCE}, section 5.6.4.7"),
)
def short_term_mark_in_drain(b: StreamBuilder) -> None:
    f = full(b, left=80)
    b.ce(f.now_ns, f.oldest - 1, f.now_ns - 100 * MS)
    b.expect(outcome="loss_noted", phase="drain", cwnd_bytes=180_000)
    f.send(70)
    f.ack(50, 100 * MS)
    f.ack(30, 60 * MS)
    b.expect(cwnd_bytes=180_000, phase="drain")
    f.ack(1, 40 * MS)
    b.expect(cwnd_bytes=156_000, inflight_shortterm_bytes=156_000, phase="drain")


@add(
    "bbr.short-term.in-drain",
    "In Drain losses lower the short-term volume only at the end of their round",
    """A round of 120 packets, 144000 bytes, is acknowledged in three parts, 80 ms apart: the largest volume of a round. Startup ends at 860 ms with a window of 180000 and a round with a lost packet. That does not lower the volume, and neither does the first round of Drain, without a loss. In the second round 50 + 1 + 50 = 101 packets are the largest volume, 121200 bytes. A packet is lost at 1030 ms. The ACK of a packet that left
    before does not end the loss round; the ACK of a packet that left after it does. 0.7 * 180000 = 126000 are more than 121200.""",
    sources=(f"{SOURCE}, section 5.5.10.3", f"{SOURCE}, section 5.6.4.7"),
    initial_window_bytes=WIDE,
)
def short_term_in_drain(b: StreamBuilder) -> None:
    f = grown(b)
    f.send(120)
    for after_ms in (100, 80, 80):
        f.ack(40, after_ms * MS)
    f.flight(50)
    f.send(200)
    f.lose_next(1)
    f.ack(50, 100 * MS)
    b.expect(outcome="exited_by_plateau", phase="drain", cwnd_bytes=180_000, inflight_shortterm_bytes=None)
    first = f.oldest + 149
    f.send(1)
    f.now_ns += 100 * MS
    b.ack(f.now_ns, (first, first))
    b.expect(cwnd_bytes=180_000, inflight_shortterm_bytes=None)
    f.now_ns += 40 * MS
    f.send(1)
    f.ack(50, 10 * MS)
    f.now_ns += 20 * MS
    f.lose_next(1)
    b.expect(outcome="loss_noted")
    f.send(1)
    f.now_ns += 70 * MS
    b.ack(f.now_ns, (first + 1, first + 1))
    b.expect(cwnd_bytes=180_000, inflight_shortterm_bytes=None)
    f.now_ns += 30 * MS
    b.ack(f.now_ns, (first + 2, first + 2))
    b.expect(cwnd_bytes=126_000, inflight_shortterm_bytes=126_000, phase="drain")


@add(
    "bbr.short-term.thrice",
    "Losses in successive rounds lower rate and volume to 7/10, at least to the delivered amount",
    """After Drain 20 packets leave in each round. One is lost at once and 19 are acknowledged: 22800 bytes in 100 ms, 22800 * 10 = 228000 a second. At the end of the first round the latest sample is still from the exit: the rate stays 600000, and the window of 180000 becomes 0.7 * 180000 = 126000. In the second round they are 0.7 * 600000 =
    420000 and 0.7 * 126000 = 88200, in the third 0.7 * 420000 = 294000 and 0.7 * 88200 = 61740. In the fourth round 0.7 * 294000 = 205800 are less than 228000, so the rate becomes 228000; the volume is 0.7 * 61740 = 43218. The pacing rate is 99 % of each: 594000, 415800, 291060 and 225720.""",
    sources=(f"{SOURCE}, section 5.5.10.3", f"{SOURCE}, section 5.6.4.7"),
)
def short_term_thrice(b: StreamBuilder) -> None:
    f = full(b)
    for volume, rate in ((126_000, 594_000), (88_200, 415_800), (61_740, 291_060), (43_218, 225_720)):
        f.send(20)
        f.lose_next(1)
        f.ack(19, 100 * MS)
        b.expect(inflight_shortterm_bytes=volume, pacing_rate_bytes_per_s=rate, cwnd_bytes=volume)


@add(
    "bbr.short-term.startup",
    "In Startup losses do not lower the bounds",
    """20 of 50 packets are lost. The rest, 36000 bytes in 100 ms, is not growth. The rate stays 1645380 and the bounds infinite.""",
    sources=(f"{SOURCE}, section 5.5.10.3",),
)
def short_term_startup(b: StreamBuilder) -> None:
    f = grown(b)
    f.send(50)
    f.lose_next(20)
    b.expect(outcome="loss_noted")
    f.ack(30, 100 * MS)
    b.expect(inflight_shortterm_bytes=None, pacing_rate_bytes_per_s=1_645_380, outcome="plateau_counted")


@add(
    "bbr.short-term.least",
    "The bounds are at least four datagrams",
    """On the path of `bbr.drain.small-product` the window after Drain is 4 * 1200 = 4800 and more. In each round half of the packets are lost. In the end 0.7 of the bound is below four datagrams, and the window has four.""",
    sources=(f"{SOURCE}, section 5.6.4.7",),
)
def short_term_least(b: StreamBuilder) -> None:
    f = Flights(b)
    f.flight(1, rate_app_limited=False)
    for _ in range(3):
        f.flight(1)
    b.expect(outcome="exited_by_plateau", phase="probe_bw")
    for _ in range(4):
        f.send(2)
        f.lose_next(1)
        f.ack(1, 100 * MS)
    b.expect(cwnd_bytes=4800)


@add(
    "bbr.loss-round.begins",
    "The loss round ends with a packet sent after its first loss, not before",
    """After Drain 20 packets are acknowledged in three parts. After ten of them three more leave; then five are acknowledged, the next packet is lost, and one more leaves. A round trip later the ACK of the three, which left before the loss, does not end the loss round: the window is 180000, BBR.max_inflight. The ACK of the packet sent after the loss ends the round: 0.7 * 180000 = 126000.""",
    sources=(f"{SOURCE}, section 5.5.10.2",),
)
def loss_round_begins(b: StreamBuilder) -> None:
    f = full(b)
    f.send(20)
    f.ack(10, 100 * MS)
    f.send(3)
    f.ack(5, MS)
    f.lose_next(1)
    b.expect(outcome="loss_noted")
    f.send(1)
    f.ack(4, MS)
    f.ack(3, 98 * MS)
    b.expect(inflight_shortterm_bytes=None, cwnd_bytes=180_000)
    f.ack(1, MS)
    b.expect(inflight_shortterm_bytes=126_000, cwnd_bytes=126_000)


@add(
    "bbr.short-term.mark",
    "A CE mark lowers the short-term volume like a loss",
    """After Drain a packet of a flight of 20 is marked. At the end of the loss round the window of 180000 becomes 0.7 * 180000 = 126000; the rate stays, since the latest rate is from the exit.""",
    sources=(f"{SOURCE}, sections 3.7 and 5.5.10.3",),
)
def short_term_mark(b: StreamBuilder) -> None:
    f = full(b)
    f.send(20)
    b.ce(f.now_ns + MS, f.oldest, f.now_ns)
    b.expect(outcome="loss_noted", cwnd_bytes=180_000)
    f.ack(20, 100 * MS)
    b.expect(inflight_shortterm_bytes=126_000, cwnd_bytes=126_000, pacing_rate_bytes_per_s=594_000)

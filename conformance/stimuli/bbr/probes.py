"""Hand-built stimuli of BBR: PMTU probes. `why` derives the expectation; ``sender`` says what the streams have in common."""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.bbr.losses import FIVE, acknowledge
from stimuli.bbr.sender import DRAFT, WIDE, Flights, Sampled, full, grown
from stimuli.probes import PROBE_BYTES, SOURCES

CATALOGUE = Catalogue(DRAFT, sources=SOURCES, builder=Sampled)
add = CATALOGUE.add


@add(
    "bbr.pmtu-probe.lost",
    "The loss of a PMTU probe sets no short-term bounds",
    """The pipe is full, with a window of 180000 after Drain. A probe of 1400 bytes and 19 packets leave; the probe is lost, and then
    the 19 are acknowledged: no bound is set, and 180000 stays. A sender that counts the probe as a loss ends a loss round with a loss:
    it has 0.7 * 180000 = 126000.""",
)
def probe_lost(b: StreamBuilder) -> None:
    f = full(b)
    b.send(f.now_ns, 1, PROBE_BYTES, pmtu_probe=True)
    f.oldest += 1
    f.send(19)
    b.lose(f.now_ns + 100 * MS, (f.oldest - 1, f.oldest - 1), pmtu_probe=True)
    b.expect(outcome="unchanged", inflight_shortterm_bytes=None, cwnd_bytes=180_000)
    f.ack(19, 100 * MS)
    b.expect(inflight_shortterm_bytes=None, cwnd_bytes=180_000)


@add(
    "bbr.pmtu-probe.share",
    "The bytes of a lost PMTU probe are not among those that end Startup by loss",
    """Packet 130 and then five others are lost, as in `bbr.loss-exit.six-ranges`: six ranges in a full round of recovery. After the loss of
    packet 130 100 - 10 - 1 = 89 packets are in flight. A probe of 1400 bytes and 161 packets follow, packets 221 to 381: 381 - 220 = 161. With the last of them
    89 + 161 = 250 packets and the probe are in flight, 250 * 1200 + 1400 = 301400 bytes, and 301400 * 0.02 = 6028. Lost since are
    5 * 1200 = 6000: no more, and Startup goes on. A sender that counts the probe has 6000 + 1400 = 7400, and Startup ends.""",
    initial_window_bytes=WIDE,
)
def probe_share(b: StreamBuilder) -> None:
    f = grown(b)
    f.send(100)
    f.ack(10, 100 * MS)
    f.lose(130)
    b.send(f.now_ns, 1, PROBE_BYTES, pmtu_probe=True)
    f.send(161)
    f.now_ns += 10 * MS
    f.lose(*FIVE)
    f.now_ns += 80 * MS
    acknowledge(b, f.now_ns, [packet for packet in range(131, 220) if packet not in FIVE])
    f.now_ns += 10 * MS
    b.lose(f.now_ns, (220, 220), pmtu_probe=True)
    b.expect(outcome="unchanged")
    b.ack(f.now_ns, (221, 381))
    b.expect(phase="startup", inflight_longterm_bytes=None)


@add(
    "bbr.pmtu-probe.after-loss-exit",
    "The loss of a PMTU probe sets no short-term bounds after a loss exit",
    """The first 30 of 44 packets are acknowledged after 100 ms: the product is 30 * 1200 = 36000. Packet 30 is lost, then 32, 34, 36, 38 and 40: six
    ranges. At 201 ms the other eight of the flight are acknowledged, and packets 44 and 45, which left after the first loss: a full round. In it 5 * 1200 = 6000 bytes
    were lost, with (13 + 2) * 1200 = 18000 in flight, and 0.02 * 18000 = 360. Startup ends, and Drain with it, for nothing is in flight. (8 + 2) * 1200 =
    12000 bytes were delivered, less than the product: the long-term volume and the window are 36000. A probe of 1400 bytes and 20 packets leave. The probe is lost, and
    the packets are acknowledged: 36000 stays. A sender that counts the probe has 0.7 * 36000 = 25200, more than the 20 * 1200 = 24000 delivered.""",
    initial_window_bytes=52_800,
)
def probe_after_loss_exit(b: StreamBuilder) -> None:
    f = Flights(b)
    f.send(44)
    f.ack(30, 100 * MS)
    f.lose(30)
    f.now_ns += MS
    f.send(2)
    f.now_ns += 10 * MS
    lost = (32, 34, 36, 38, 40)
    f.lose(*lost)
    f.now_ns += 90 * MS
    acknowledge(b, f.now_ns, [packet for packet in range(31, 46) if packet not in lost])
    b.expect(outcome="exited_by_loss", phase="probe_bw", cwnd_bytes=36_000, inflight_longterm_bytes=36_000)
    f.now_ns += MS
    b.send(f.now_ns, 1, PROBE_BYTES, pmtu_probe=True)
    f.send(20)
    f.now_ns += 100 * MS
    b.lose(f.now_ns, (46, 46), pmtu_probe=True)
    b.expect(outcome="unchanged", inflight_shortterm_bytes=None)
    b.ack(f.now_ns, (47, 66))
    b.expect(inflight_shortterm_bytes=None, cwnd_bytes=36_000)

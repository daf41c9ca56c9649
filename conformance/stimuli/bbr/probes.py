"""Hand-built stimuli of BBR: PMTU probes. `why` derives the expectation; ``sender`` describes the common stream."""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.bbr.losses import FIVE, acknowledge
from stimuli.bbr.sender import DRAFT, WIDE, Flights, Sampled, full, grown
from stimuli.probes import PROBE_BYTES, SOURCES

CATALOGUE = Catalogue(DRAFT, sources=SOURCES, builder=Sampled)
add = CATALOGUE.add


@add(
    "bbr.pmtu-probe.lost",
    "The loss of a PMTU probe does not set short-term bounds",
    """The pipe is full, with a window of 180000 after Drain. A probe of 1400 bytes and 19 packets leave. The probe is lost, and then
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
    "The bytes of a lost PMTU probe do not count for the end of Startup by loss",
    """Packet 130 and then five others are lost, as in `bbr.loss-exit.six-ranges`: six ranges in a full round of recovery. After the loss of
    packet 130 100 - 10 - 1 = 89 packets are in flight. A probe of 1400 bytes and 161 packets follow, packets 221 to 381: 381 - 220 = 161. With the last of them
    89 + 161 = 250 packets and the probe are in flight, 250 * 1200 + 1400 = 301400 bytes, and 301400 * 0.02 = 6028. Lost since are
    5 * 1200 = 6000: not more, and Startup continues. A sender that counts the probe has 6000 + 1400 = 7400, and Startup ends.""",
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
    "bbr.pmtu-probe.in-drain",
    "The loss of a PMTU probe does not set short-term bounds in Drain",
    """The first 30 of 44 packets are acknowledged after 100 ms: the product is 30 * 1200 = 36000. Packet 30 is lost, 33 packets leave, and then 32, 34, 36, 38 and 40
    are lost: six ranges. At 201 ms the other eight of the flight are acknowledged, and packets 44 and 45, which left after the first loss: a full round. In this round 5 * 1200
    = 6000 bytes were lost, with (13 + 2) * 1200 = 18000 in flight, and 0.02 * 18000 = 360. Startup ends. (8 + 2) * 1200 = 12000 bytes were acknowledged at once: the window
    is 2 * 36000 + 12000 = 84000. 31 * 1200 = 37200 are in flight, more than the product: Drain begins. A probe of 1400 bytes and 37 packets leave, and the probe is
    lost. Then the 31 packets and one of the 37 are acknowledged, (31 + 1) * 1200 = 38400 bytes in 101 ms: the product is floor(38400 * 100 / 101) = 38019, and the window
    2 * 38019 + 38400 = 114438. A sender that counts the probe has a short-term bound of 0.7 * 84000 = 58800.""",
    initial_window_bytes=52_800,
)
def probe_in_drain(b: StreamBuilder) -> None:
    f = Flights(b)
    f.send(44)
    f.ack(30, 100 * MS)
    f.lose(30)
    f.now_ns += MS
    f.send(33)
    f.now_ns += 10 * MS
    lost = (32, 34, 36, 38, 40)
    f.lose(*lost)
    f.now_ns += 90 * MS
    acknowledge(b, f.now_ns, [packet for packet in range(31, 46) if packet not in lost])
    b.expect(outcome="exited_by_loss", phase="drain", cwnd_bytes=84_000)
    f.now_ns += MS
    b.send(f.now_ns, 1, PROBE_BYTES, pmtu_probe=True)
    f.send(37)
    f.now_ns += 100 * MS
    b.lose(f.now_ns, (77, 77), pmtu_probe=True)
    b.expect(outcome="unchanged", inflight_shortterm_bytes=None)
    b.ack(f.now_ns, (46, 76), (78, 78))
    b.expect(phase="drain", inflight_shortterm_bytes=None, cwnd_bytes=114_438)

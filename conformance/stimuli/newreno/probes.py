"""Hand-built stimuli of the base controller: PMTU probes. `why` derives the expectation."""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.probes import PROBE_BYTES, RTT, SOURCES, lose_probe, send_flight

CATALOGUE = Catalogue("rfc-9002", sources=SOURCES)
add = CATALOGUE.add


@add(
    "slow-start.pmtu-probe.lost",
    "The loss of a PMTU probe does not change the window",
    """Eight packets of 1200 bytes are acknowledged: 12000 + 9600 = 21600. The probe of 1400 bytes is lost: 21600 stays, and
    slow start continues. Three more packets: 21600 + 3600 = 25200. A sender that reacts has 21600 / 2 = 10800.""",
)
def probe_lost(b: StreamBuilder) -> None:
    lose_probe(b)
    b.expect(outcome="unchanged", cwnd_bytes=21_600, ssthresh_bytes=None, phase="slow_start")
    b.send(RTT + MS, 18)
    b.ack(2 * RTT + MS, (9, 11))
    b.expect(cwnd_bytes=25_200)


@add(
    "slow-start.pmtu-probe.acknowledged",
    "An acknowledged PMTU probe counts like any packet",
    "Nine packets are acknowledged, one of them the probe: 12000 + 8 * 1200 + 1400 = 23000.",
)
def probe_acknowledged(b: StreamBuilder) -> None:
    send_flight(b)
    b.ack(RTT, (0, 8))
    b.expect(outcome="grown", cwnd_bytes=23_000)


@add(
    "slow-start.pmtu-probe.then-loss",
    "The loss of a PMTU probe does not begin a recovery period that hides a loss",
    """Seven packets are acknowledged: 12000 + 8400 = 20400. The probe is lost, and packet 4, sent before that, a
    millisecond later: 20400 / 2 = 10200. Two packets sent after that end the recovery period: 10200 + floor(1440000 / 10200) = 10341 and
    10341 + floor(1440000 / 10341) = 10480. If the probe began a recovery period,
    packet 4 would belong to that period, and the window would be above 20400.""",
)
def probe_then_loss(b: StreamBuilder) -> None:
    send_flight(b)
    b.ack(RTT, (0, 3), (6, 8))
    b.lose(RTT, (5, 5), pmtu_probe=True)
    b.lose(RTT + MS, (4, 4))
    b.expect(outcome="reduced", cwnd_bytes=10_200, ssthresh_bytes=10_200)
    b.send(RTT + 2 * MS, 8)
    b.ack(2 * RTT + 2 * MS, (9, 10))
    b.expect(cwnd_bytes=10_480)


@add(
    "slow-start.pmtu-probe.after-recovery",
    "In congestion avoidance the loss of a PMTU probe does not change the window",
    """12000 falls to 6000. Three packets grow it in congestion avoidance: 6000 + 240 + 230 + 222 = 6692, with 1440000 /
    6000 = 240, 1440000 / 6240 = 230 and 1440000 / 6470 = 222. The probe is lost: 6692 stays. A sender that reacts has
    6692 / 2 = 3346.""",
)
def probe_after_recovery(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.lose(RTT, (0, 0))
    b.ack(RTT, (1, 9))
    b.send(RTT + MS, 1, PROBE_BYTES, pmtu_probe=True)
    b.send(RTT + MS, 3)
    b.ack(2 * RTT + MS, (11, 13))
    b.lose(2 * RTT + MS, (10, 10), pmtu_probe=True)
    b.expect(outcome="unchanged", cwnd_bytes=6692, ssthresh_bytes=6000, phase="congestion_avoidance")

"""Hand-built stimuli of CUBIC: PMTU probes. `why` derives the expectation."""

from firstflight_conformance.format.builder import MS, S
from generate.catalogue import Catalogue
from stimuli.cubic.avoidance import WINDOW, AvoidanceBuilder, lose_at
from stimuli.probes import RTT, SOURCES, lose_probe

CATALOGUE = Catalogue("rfc-9438", sources=SOURCES, builder=AvoidanceBuilder)
add = CATALOGUE.add


@add(
    "cubic.pmtu-probe.lost",
    "The loss of a PMTU probe is ignored in slow start",
    """Eight packets of 1200 bytes are acknowledged: 12000 + 9600 = 21600. The probe of 1400 bytes is lost: 21600 stays, and
    slow start continues. Three more packets: 21600 + 3600 = 25200. A sender that reacts has 21600 * 7 / 10 = 15120.""",
)
def probe_lost(b: AvoidanceBuilder) -> None:
    lose_probe(b)
    b.expect(outcome="unchanged", cwnd_bytes=21_600, ssthresh_bytes=None, w_max_bytes=None)
    b.send(RTT + MS, 18)
    b.ack(2 * RTT + MS, (9, 11))
    b.expect(cwnd_bytes=25_200)


def _lose_probe_in_stage(b: AvoidanceBuilder) -> None:
    """Lose a packet after an RTT of 1 s, acknowledge packet 36 an RTT later, at t_epoch, and lose probe 59."""
    lose_at(b, S)
    b.send(S + MS, 23)
    b.send(S + MS, 1, 1400, pmtu_probe=True)
    b.ack(2 * S + MS, (36, 36))
    b.send(2 * S + MS, 1)
    b.lose(2 * S + 2 * MS, (59, 59), pmtu_probe=True)


@add(
    "cubic.pmtu-probe.stage",
    "The loss of a PMTU probe neither ends the stage nor moves it",
    """As cubic.concave.one-ack: 25221 at t = 0. The probe of 1400 bytes replaces a packet, and is lost. At t = 1 s
    the target is W_cubic(2 s) = 36000 - 400 = 35600: 25221.008 + (35600 - 25221) * 1000 / 25221 = 25632.53, so 25632. A sender that
    reacts has 25221 * 7 / 10 = 17654.""",
    **WINDOW,
)
def probe_stage(b: AvoidanceBuilder) -> None:
    _lose_probe_in_stage(b)
    b.expect(outcome="unchanged", cwnd_bytes=25_221, w_max_bytes=36_000)
    b.ack(3 * S + MS, (60, 60))
    b.expect(cwnd_bytes=25_632)


@add(
    "cubic.pmtu-probe.spurious",
    "The loss of a PMTU probe keeps the state that a spurious loss restores",
    """36000 falls to 25200 at a loss. A probe is lost afterwards. The first loss was spurious: 36000 is restored. A
    sender that saves its state at the loss of the probe restores at most 25221.""",
    **WINDOW,
)
def probe_spurious(b: AvoidanceBuilder) -> None:
    _lose_probe_in_stage(b)
    b.expect(outcome="unchanged", cwnd_bytes=25_221)
    b.spurious_loss(2 * S + 3 * MS)
    b.expect(outcome="restored", cwnd_bytes=36_000)


@add(
    "cubic.pmtu-probe.flight",
    "A lost PMTU probe is no longer in flight",
    """11000 bytes are in flight, including a probe of 1400, which is lost. A CE mark reduces: 7/10 of the window is 8400,
    7/10 of the remaining 9600 bytes in flight is 6720. With the probe they would be 11000 * 7 / 10 = 7700.""",
    profiles=("rfc-9438", "rfc-9438-literal"),
)
def probe_flight(b: AvoidanceBuilder) -> None:
    b.send(0, 5)
    b.send(0, 1, 1400, pmtu_probe=True)
    b.send(0, 3)
    b.lose(RTT, (5, 5), pmtu_probe=True)
    b.ce(RTT, 8, 0)
    b.expect(profile="rfc-9438", outcome="reduced", cwnd_bytes=8400)
    b.expect(profile="rfc-9438-literal", outcome="reduced", cwnd_bytes=6720)

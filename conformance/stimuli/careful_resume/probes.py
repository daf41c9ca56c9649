"""Hand-built stimuli of Careful Resume: PMTU probes, with `why` as derivation. Packet 10 follows the initial data."""

from firstflight_conformance.format.builder import MS
from generate.catalogue import Catalogue
from stimuli.careful_resume.builder import CONFIRMED, ENTRY, RTT, ResumeBuilder
from stimuli.careful_resume.careful_resume import PROFILES
from stimuli.probes import PROBE_BYTES, SOURCES

CATALOGUE = Catalogue(*PROFILES, sources=SOURCES, builder=ResumeBuilder)
add = CATALOGUE.add


@add(
    "careful-resume.pmtu-probe.reconnaissance",
    "The loss of a PMTU probe does not end Reconnaissance",
    """The initial data is acknowledged: 24000. A probe is lost after packet 13 is acknowledged, app-limited: 24000 stays. Then
    data waits, and the window becomes the jump window 120000. A sender that reacts ends Careful Resume and keeps
    24000 or less.""",
)
def probe_reconnaissance(b: ResumeBuilder) -> None:
    b.begin()
    b.ack(CONFIRMED, (0, 9))
    b.send(CONFIRMED, 1, PROBE_BYTES, pmtu_probe=True, app_limited=True)
    b.send(CONFIRMED, 3, app_limited=True)
    b.ack(CONFIRMED + RTT, (11, 13), app_limited=True)
    b.lose(CONFIRMED + RTT, (10, 10), pmtu_probe=True)
    b.expect(outcome="unchanged", cwnd_bytes=24_000, phase="reconnaissance")
    b.wake(CONFIRMED + RTT + MS)
    b.expect(cwnd_bytes=120_000, phase="unvalidated")


@add(
    "careful-resume.pmtu-probe.unvalidated",
    "The loss of a PMTU probe does not lead to Safe Retreat",
    """A probe is sent before the jump to 120000. It is lost in the Unvalidated phase: the phase continues, and 120000 stays. A
    sender that reacts enters Safe Retreat with a fraction of that.""",
)
def probe_unvalidated(b: ResumeBuilder) -> None:
    b.begin()
    b.ack(CONFIRMED, (0, 9))
    b.send(CONFIRMED, 1, PROBE_BYTES, pmtu_probe=True, app_limited=True)
    b.send(CONFIRMED, 3, app_limited=True)
    b.wake(ENTRY)
    b.send(ENTRY, 1)
    b.ack(CONFIRMED + RTT, (11, 13))
    b.lose(CONFIRMED + RTT, (10, 10), pmtu_probe=True)
    b.expect(outcome="unchanged", cwnd_bytes=120_000, phase="unvalidated")


@add(
    "careful-resume.pmtu-probe.validating",
    "The loss of a PMTU probe of the jump does not lead to Safe Retreat",
    """The ACK of packet 10 begins the Validating phase with the 25400 bytes in flight: ten packets, the probe of 1400 bytes and
    ten packets. The ACK of thirteen packets grows the window by 15600 to 41000. The probe, packet 21, is lost: 41000 stays,
    and the phase continues.""",
)
def probe_validating(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.send(ENTRY, 1)
    b.send(ENTRY + 10 * MS, 10)
    b.send(ENTRY + 12 * MS, 1, PROBE_BYTES, pmtu_probe=True)
    b.send(ENTRY + 22 * MS, 10)
    b.ack(ENTRY + RTT, (10, 10))
    b.expect(cwnd_bytes=25_400, phase="validating")
    b.ack(ENTRY + RTT + 22 * MS, (11, 20), (22, 24))
    b.lose(ENTRY + RTT + 22 * MS, (21, 21), pmtu_probe=True)
    b.expect(outcome="unchanged", cwnd_bytes=41_000, phase="validating")


@add(
    "careful-resume.pmtu-probe.validating-then-loss",
    "A lost PMTU probe of the jump is not outstanding any more",
    """As in careful-resume.pmtu-probe.validating, the probe of the jump is lost after the ACK of packets 11 to 20 and 22 to 24. Packet 25 is lost
    then, and Safe Retreat begins. The ACK of packets 26 to 31 ends it: all packets of the jump are acknowledged or lost.
    A sender that counts the probe as outstanding stays in Safe Retreat.""",
)
def probe_validating_then_loss(b: ResumeBuilder) -> None:
    probe_validating(b)
    b.ack(ENTRY + RTT + 23 * MS, (26, 28))
    b.lose(ENTRY + RTT + 23 * MS, (25, 25))
    b.expect(phase="safe_retreat")
    b.ack(ENTRY + RTT + 24 * MS, (29, 31))
    b.expect(outcome="retreat_ended", phase="normal")


@add(
    "careful-resume.pmtu-probe.first-of-jump-then-loss",
    "A lost PMTU probe that was the first packet of the jump is not outstanding any more",
    """The first packet of the jump is a probe, and 43 packets follow. The probe is lost in the Unvalidated phase, and the same
    frame acknowledges packets 11 to 13: the Validating phase begins with the 40 * 1200 = 48000 bytes in flight. Packet 14 is lost then, and Safe
    Retreat begins. The ACK of packets 18 to 53 ends it: all packets of the jump are acknowledged or lost. A sender that
    counts the probe as outstanding stays in Safe Retreat.""",
    flags=("same-time-order",),
)
def probe_first_of_jump_then_loss(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.send(ENTRY, 1, PROBE_BYTES, pmtu_probe=True)
    b.send(ENTRY + 4 * MS, 3)
    b.send(ENTRY + 44 * MS, 40)
    b.lose(ENTRY + 99 * MS, (10, 10), pmtu_probe=True)
    b.expect(outcome="unchanged", phase="unvalidated", cwnd_bytes=120_000)
    b.ack(ENTRY + 99 * MS, (11, 13))
    b.expect(phase="validating", cwnd_bytes=48_000)
    b.ack(ENTRY + RTT + 44 * MS, (15, 17))
    b.lose(ENTRY + RTT + 44 * MS, (14, 14))
    b.expect(phase="safe_retreat")
    b.ack(ENTRY + RTT + 45 * MS, (18, 53))
    b.expect(outcome="retreat_ended", phase="normal")


@add(
    "careful-resume.pmtu-probe.retreat",
    "The loss of a PMTU probe is ignored in Safe Retreat",
    """Packet 10 is lost in the Unvalidated phase, before any packet of the jump is acknowledged: Safe Retreat begins. Later the probe, packet 16, is
    lost: neither window nor phase changes.""",
)
def probe_retreat(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.send(ENTRY, 1)
    b.send(ENTRY + 5 * MS, 5)
    b.send(ENTRY + 7 * MS, 1, PROBE_BYTES, pmtu_probe=True)
    b.send(ENTRY + 11 * MS, 4)
    b.lose(ENTRY + RTT + 5 * MS, (10, 10))
    b.expect(phase="safe_retreat")
    b.ack(ENTRY + RTT + 5 * MS, (11, 15))
    b.ack(ENTRY + RTT + 11 * MS, (17, 19))
    b.lose(ENTRY + RTT + 11 * MS, (16, 16), pmtu_probe=True)
    b.expect(outcome="unchanged", phase="safe_retreat")

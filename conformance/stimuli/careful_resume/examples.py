"""The examples of appendix B, in bytes: 29 packets in flight, a saved window of 300, a jump of 150, 121 unvalidated."""

from firstflight_conformance.format.builder import MS
from generate.catalogue import Catalogue
from stimuli.careful_resume.builder import RTT, ResumeBuilder

PROFILES = ("rfc-9959", "rfc-9959-unvalidated")
CATALOGUE = Catalogue(*PROFILES, sources=("draft-ietf-tsvwg-careful-resume-24, appendix B",), builder=ResumeBuilder)
add = CATALOGUE.add

#: The jump, in the third round trip, and the packet that the examples call number 30.
JUMP = 250 * MS
FIRST = 59


def _enter(b: ResumeBuilder) -> None:
    """Enter with 29 packets in flight; a packet of the jump is due every 2/3 ms."""
    b.begin(cwnd_bytes=360_000)
    b.ack(RTT, (0, 9))
    b.rounds(20)
    b.send(2 * RTT, 29, app_limited=True)
    b.wake(JUMP)


def _send(b: ResumeBuilder, packets: int) -> None:
    """Send unvalidated packets, and acknowledge the older packets in between."""
    b.send(JUMP, 1)
    for number, done in enumerate(range(1, packets, 10), 1):
        if number == 8:
            b.ack(3 * RTT, (30, 58))
        b.send(JUMP + 7 * number * MS, min(10, packets - done))
    if packets <= 71:
        b.ack(3 * RTT, (30, 58))


@add(
    "careful-resume.example.b1-no-loss",
    "Appendix B.1: the whole jump is used, without a loss",
    """Printed: jump 150 packets, 150 - 29 = 121 sent, Validating with the ACK of packet 30. In bytes the jump is 180000, and 29 * 1200 = 34800 bytes are PipeSize. The 29 old packets are acknowledged while the jump is sent.
    The last sent packet leaves 121 * 1200 = 145200 in flight, and the window is not full. The ACK of the first unvalidated packet leaves 144000. PipeSize is 34800 + 34800 + 1200 = 70800 by the text, 36000 if only packets of the phase count: Validating with 144000 in both cases. The end comes with the ACK of that packet.""",
)
def example_b1_no_loss(b: ResumeBuilder) -> None:
    _enter(b)
    _send(b, 121)
    b.ack(JUMP + RTT, (FIRST, FIRST))
    b.expect(cwnd_bytes=144_000, phase="validating")
    b.expect(profile="rfc-9959", pipesize_bytes=70_800)
    b.expect(profile="rfc-9959-unvalidated", pipesize_bytes=36_000)
    b.ack(JUMP + RTT + 84 * MS, (FIRST + 1, FIRST + 120))
    b.expect(at=6, cwnd_bytes=180_000, pipesize_bytes=34_800)
    b.expect(outcome="validated", cwnd_bytes=288_000)


@add(
    "careful-resume.example.b2-rate-limited",
    "Appendix B.2: fifty packets are sent",
    """Printed: Validating with a window of 50 packets. By the text PipeSize is 29 + 29 + 1 = 59 packets when the first unvalidated packet is acknowledged. 49 are in flight, not more than PipeSize: the phase
    ends as rate-limited with a window of 59 * 1200 = 70800. If only packets of the phase count, PipeSize is 30 packets: Validating with 49 * 1200 = 58800.""",
)
def example_b2_rate_limited(b: ResumeBuilder) -> None:
    _enter(b)
    _send(b, 50)
    b.ack(JUMP + RTT, (FIRST, FIRST))
    b.expect(profile="rfc-9959", outcome="rate_limited", pipesize_bytes=70_800, cwnd_bytes=70_800)
    b.expect(profile="rfc-9959-unvalidated", phase="validating", pipesize_bytes=36_000, cwnd_bytes=58_800)
    b.ack(JUMP + RTT + 35 * MS, (FIRST + 1, FIRST + 49))


@add(
    "careful-resume.example.b2-by-time",
    "Appendix B.2: the end of an RTT ends the phase",
    """Fifty packets are sent, and an RTT is over before the first is acknowledged: the 50 packets of the example are in flight, 60000 bytes. By the text PipeSize is 29 + 29 = 58 packets,
    69600, not less: the phase ends as rate-limited with a window of 69600. If only packets of the phase count, PipeSize is 29 packets, 34800: Validating with the 60000 of the example.""",
)
def example_b2_by_time(b: ResumeBuilder) -> None:
    _enter(b)
    _send(b, 50)
    b.pto(JUMP + RTT + MS // 1000)
    b.expect(profile="rfc-9959", outcome="rate_limited", pipesize_bytes=69_600, cwnd_bytes=69_600)
    b.expect(profile="rfc-9959-unvalidated", phase="validating", pipesize_bytes=34_800, cwnd_bytes=60_000)


@add(
    "careful-resume.example.b3-loss-in-reconnaissance",
    "Appendix B.3: a loss in Reconnaissance",
    "Printed: the window is the same as without Careful Resume. The result agrees: 12000 / 2 = 6000, without a later jump.",
)
def example_b3_loss_in_reconnaissance(b: ResumeBuilder) -> None:
    b.begin(cwnd_bytes=360_000)
    b.lose(RTT, (3, 3))
    b.ack(RTT, (0, 2), (4, 9))
    b.wake(RTT + 50 * MS)
    b.expect(cwnd_bytes=6000, phase="normal")


@add(
    "careful-resume.example.b4-loss",
    "Appendix B.4: the 35th of 121 unvalidated packets is lost",
    """Printed: PipeSize 63 packets and a window of 31 at the loss; then PipeSize 120 at the end. By the text PipeSize is 29 + 29 + 34 = 92 packets at the loss, 92 * 1200 = 110400, and the window 110400
    / 2 = 55200, 46 packets. After the 86 others PipeSize is 92 + 86 = 178 packets, and the threshold 89 * 1200 = 106800. If only packets of the phase count: 29 + 34 = 63 packets, 63 * 1200 / 2 = 37800,
    and 63 + 86 = 149 packets, threshold 149 * 1200 / 2 = 89400. The printed 149 - 29 = 120 omits the 29 that the printed 63 contains; it would give 60 * 1200 = 72000.""",
    flags=("same-time-order",),
)
def example_b4_loss(b: ResumeBuilder) -> None:
    _enter(b)
    _send(b, 121)
    b.ack(JUMP + RTT, (FIRST, FIRST + 9))
    b.ack(JUMP + RTT + 24 * MS, (FIRST + 10, FIRST + 33))
    b.lose(JUMP + RTT + 26 * MS, (FIRST + 34, FIRST + 34))
    b.expect(profile="rfc-9959", pipesize_bytes=110_400, cwnd_bytes=55_200)
    b.expect(profile="rfc-9959-unvalidated", pipesize_bytes=75_600, cwnd_bytes=37_800)
    b.ack(JUMP + RTT + 84 * MS, (FIRST + 35, FIRST + 120))
    b.expect(profile="rfc-9959", pipesize_bytes=213_600, ssthresh_bytes=106_800)
    b.expect(profile="rfc-9959-unvalidated", pipesize_bytes=178_800, ssthresh_bytes=89_400)

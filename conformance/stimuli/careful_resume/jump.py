"""Hand-built stimuli of Careful Resume: the end of the Unvalidated phase by an ACK, by an RTT or without data.

Packet 10 is the first after the initial data.
"""

from firstflight_conformance.format.builder import MS
from generate.catalogue import Catalogue
from stimuli.careful_resume.builder import CONFIRMED, ENTRY, RTT, ResumeBuilder
from stimuli.careful_resume.careful_resume import PROFILES, RFC, SOURCES

CATALOGUE = Catalogue(*PROFILES, sources=SOURCES, builder=ResumeBuilder)
add = CATALOGUE.add


@add(
    "careful-resume.unvalidated.first-ack",
    "The ACK of the first unvalidated packet ends the phase",
    """Fifty packets, 60000 bytes, are sent. The ACK of the first leaves 58800 in flight, more than PipeSize 1200 and the initial
    window: Validating, with the window at 58800. Counting the bytes just acknowledged as in flight gives 60000.
    draft-10 has PipeSize 24000 + 1200.""",
)
def unvalidated_first_ack(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(50)
    b.ack(ENTRY + RTT, (10, 10))
    b.expect(phase="validating", cwnd_bytes=58_800)
    b.expect(profile=RFC, pipesize_bytes=1200)
    b.expect(profile="draft-10", pipesize_bytes=25_200)


@add(
    "careful-resume.unvalidated.second-ack",
    "The ACK of a later packet ends the phase as well",
    """Packet 10 is missing, packet 11 is acknowledged: 58800 in flight, Validating. An implementation that checks only for
    the first packet waits.""",
)
def unvalidated_second_ack(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.send(ENTRY, 2)
    for number in range(1, 5):
        b.send(ENTRY + (10 * number + 1) * MS, 10)
    b.send(ENTRY + 49 * MS, 8)
    b.ack(ENTRY + RTT, (11, 11))
    b.expect(phase="validating", cwnd_bytes=58_800)


@add(
    "careful-resume.unvalidated.old-ack",
    "The ACK of the last packet before the jump does not end the phase",
    """Packet 29 was sent before the jump: the phase continues at 120000. A mark at the last packet sent before, as in the
    worked examples, ends it.""",
)
def unvalidated_old_ack(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.jump(50)
    b.ack(CONFIRMED + RTT, (29, 29))
    b.expect(phase="unvalidated", cwnd_bytes=120_000)


@add(
    "careful-resume.unvalidated.rtt-exceeded",
    "The phase lasts one RTT, and ends with the first event after it",
    """Fifty packets without an ACK. An event exactly 100 ms after the jump does not end the phase. An event a microsecond
    later ends it: 60000 in flight, Validating. draft-10 checks the time only at ACKs.""",
)
def unvalidated_rtt_exceeded(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(50)
    b.pto(ENTRY + RTT)
    b.expect(phase="unvalidated", cwnd_bytes=120_000)
    b.pto(ENTRY + RTT + MS // 1000)
    b.expect(profile=RFC, trigger="rtt_exceeded", phase="validating", cwnd_bytes=60_000)
    b.expect(profile="draft-10", cwnd_bytes=120_000)


@add(
    "careful-resume.unvalidated.limit-latest",
    "The current RTT bounds the phase, neither the minimum RTT nor the smoothed RTT",
    """Packet 10 is acknowledged 130 ms after it was sent, 80 ms after the jump: the current RTT is 130 ms, the minimum
    RTT 100 ms and the smoothed RTT (7 * 100 ms + 130 ms) / 8 = 103.75 ms. An event after 260 ms - 150 ms = 110 ms is within 130 ms: the phase continues. After 281 ms - 150 ms = 131 ms it ends: 24000 - 1200 + 24000 = 46800 in flight, more than
    PipeSize 25200: Validating. draft-10 checks the time only at ACKs.""",
)
def unvalidated_limit_latest(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.jump(20)
    b.ack(ENTRY + 80 * MS, (10, 10))
    b.pto(ENTRY + 110 * MS)
    b.expect(phase="unvalidated")
    b.pto(ENTRY + 131 * MS)
    b.expect(profile=RFC, phase="validating", cwnd_bytes=46_800)
    b.expect(profile="draft-10", cwnd_bytes=120_000)


@add(
    "careful-resume.unvalidated.limit-at-ack",
    "The RTT of the phase is over at an ACK",
    """The ACK of packet 10 comes 251 ms - 150 ms = 101 ms after the jump and brings no RTT sample: the current RTT is 100 ms.
    Packet 10 was sent before the jump, so that only the time ends the phase: 24000 - 1200 + 24000 = 46800 in flight, more than
    PipeSize 25200: Validating with 46800.""",
    profiles=RFC,
)
def unvalidated_limit_at_ack(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.jump(20)
    b.ack(ENTRY + 101 * MS, (10, 10), sample=False)
    b.expect(phase="validating", trigger="rtt_exceeded", cwnd_bytes=46_800)


@add(
    "careful-resume.unvalidated.limit-from-jump",
    "The one RTT of the phase begins with the jump, not with the first packet after it",
    """The first packet after the jump is sent 60 ms late. The ACK of packet 10 comes out of order, 251 ms - 150 ms =
    101 ms after the jump, and brings no RTT sample: the current RTT is 100 ms. Packet 10 was sent before the jump, so
    that only the time ends the phase: 24000 - 2 * 1200 + 24000 = 45600 in flight, more than PipeSize
    24000 + 2 * 1200 = 26400: Validating with 45600. Measured from the first packet, 251 ms - 210 ms = 41 ms have passed,
    and the window stays at 120000. draft-10 checks the time only at ACKs, and ends the phase here.""",
)
def unvalidated_limit_from_jump(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.ack(CONFIRMED + RTT, (11, 11))
    b.jump(20, ENTRY + 60 * MS)
    b.ack(ENTRY + 101 * MS, (10, 10), sample=False)
    b.expect(phase="validating", trigger="rtt_exceeded", cwnd_bytes=45_600)


@add(
    "careful-resume.unvalidated.idle",
    "Without events the phase ends at the next event",
    """Fifty packets are sent, then the connection is silent for three RTTs. The probe timer expires after the RTT, with 60000 in flight: Validating
    with 60000.""",
)
def unvalidated_idle(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(50)
    b.pto(ENTRY + 3 * RTT)
    b.expect(profile=RFC, phase="validating", cwnd_bytes=60_000)
    b.expect(profile="draft-10", cwnd_bytes=120_000)


@add(
    "careful-resume.unvalidated.nothing-sent",
    "A jump without later packets ends as rate-limited",
    """The sender is silent for three RTTs: 0 in flight is less than the initial window. The window becomes max(PipeSize,
    initial window) = max(0, 12000) = 12000, half of its value before the jump.""",
)
def unvalidated_nothing_sent(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.wake(ENTRY + 3 * RTT, 0)
    b.expect(profile=RFC, outcome="rate_limited", cwnd_bytes=12_000)
    b.expect(profile="draft-10", cwnd_bytes=120_000)


@add(
    "careful-resume.unvalidated.below-initial-window",
    "Fewer bytes in flight than the initial window: rate-limited",
    """Five packets; the ACK of the first leaves 4800, less than 12000, though more than PipeSize 1200. The window
    becomes max(1200, 12000) = 12000.""",
)
def unvalidated_below_initial_window(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(5)
    b.ack(ENTRY + RTT, (10, 10))
    b.expect(profile=RFC, outcome="rate_limited", cwnd_bytes=12_000)
    b.expect(profile="draft-10", outcome="rate_limited", cwnd_bytes=25_200)


@add(
    "careful-resume.unvalidated.initial-window-in-flight",
    "Exactly the initial window in flight is enough",
    """Eleven packets are sent. The ACK of the first leaves 12000, not less than the initial window and more than PipeSize 1200:
    Validating with 12000.""",
)
def unvalidated_initial_window_in_flight(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(11)
    b.ack(ENTRY + RTT, (10, 10))
    b.expect(profile=RFC, phase="validating", cwnd_bytes=12_000)
    b.expect(profile="draft-10", outcome="rate_limited", cwnd_bytes=25_200)


@add(
    "careful-resume.unvalidated.flight-equals-pipesize",
    "As much in flight as PipeSize: rate-limited",
    """Forty packets are sent. One ACK of twenty leaves 24000 in flight, and PipeSize is 24000: not more. The window becomes
    24000. draft-10 has PipeSize 48000.""",
)
def unvalidated_flight_equals_pipesize(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(40)
    b.ack(ENTRY + 120 * MS, (10, 29))
    b.expect(profile=RFC, outcome="rate_limited", cwnd_bytes=24_000)
    b.expect(profile="draft-10", outcome="rate_limited", cwnd_bytes=48_000)


@add(
    "careful-resume.unvalidated.flight-above-pipesize",
    "One packet more in flight than PipeSize is enough",
    "Forty-one packets are sent. One ACK of twenty leaves 25200 in flight, PipeSize is 24000: Validating with 25200.",
)
def unvalidated_flight_above_pipesize(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(41)
    b.ack(ENTRY + RTT, (10, 29))
    b.expect(profile=RFC, phase="validating", cwnd_bytes=25_200)
    b.expect(profile="draft-10", outcome="rate_limited", cwnd_bytes=48_000)


@add(
    "careful-resume.unvalidated.large-entry-flight",
    "With most of the jump already in flight, a used jump is rate-limited by the text",
    """60 packets, 72000 bytes, are in flight at the jump to 120000. All are acknowledged, and a hundred packets fill
    the window. By the text PipeSize is 72000 + 72000 = 144000, not less than the 120000 in flight: rate-limited, and the
    window becomes 144000, more than the jump. If only packets of the phase count, PipeSize is 72000: Validating with
    120000.""",
)
def unvalidated_large_entry_flight(b: ResumeBuilder) -> None:
    b.confirm()
    b.rounds(20, 40)
    b.send(3 * RTT, 60, app_limited=True)
    b.wake(390 * MS)
    b.send(390 * MS, 1)
    b.ack(4 * RTT, (70, 129))
    for number in range(1, 10):
        b.send((390 + 10 * number) * MS, 10)
    b.send(489 * MS, 9)
    b.expect(profile="rfc-9959", outcome="rate_limited", cwnd_bytes=144_000)
    b.expect(profile="rfc-9959-unvalidated", phase="validating", cwnd_bytes=120_000)


@add(
    "careful-resume.unvalidated.tie-sent",
    "A full window and the end of the RTT at once: one transition, either trigger",
    """The hundredth packet leaves 101 ms after the jump: the window is full, and more than one RTT is over. One
    transition to Validating; either trigger is right. The ACK at the same time is in the Validating phase, and the window
    grows by 1200. draft-10 checks the time only at ACKs.""",
    flags=("same-time-order",),
)
def unvalidated_tie_sent(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(99)
    b.send(ENTRY + 101 * MS, 1)
    b.expect(phase="validating", cwnd_bytes=120_000)
    b.ack(ENTRY + 101 * MS, (10, 10))
    b.expect(cwnd_bytes=121_200)


@add(
    "careful-resume.unvalidated.tie-ack",
    "The first ACK and the end of the RTT at once: one transition, either trigger",
    """The ACK of packet 10 comes 251 ms - 150 ms = 101 ms after the jump, with a sample of 100 ms: both hold. 58800 in
    flight, Validating.""",
)
def unvalidated_tie_ack(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.send(ENTRY + MS, 1)
    for number in range(1, 5):
        b.send(ENTRY + 11 * number * MS, 10)
    b.send(ENTRY + 55 * MS, 9)
    b.ack(ENTRY + 101 * MS, (10, 10))
    b.expect(phase="validating", cwnd_bytes=58_800)

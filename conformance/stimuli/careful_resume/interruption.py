"""Hand-built stimuli of Careful Resume: losses, marks and other events in the Unvalidated phase.

Packet 10 is the first after the initial data.
"""

from firstflight_conformance.format.builder import MS
from generate.catalogue import Catalogue
from stimuli.careful_resume.builder import CONFIRMED, ENTRY, RTT, ResumeBuilder
from stimuli.careful_resume.careful_resume import PROFILES, RFC, SOURCES

CATALOGUE = Catalogue(*PROFILES, sources=SOURCES, builder=ResumeBuilder)
add = CATALOGUE.add


@add(
    "careful-resume.unvalidated.old-loss",
    "The loss of a packet sent before the jump leads to Safe Retreat",
    """24000 in flight at the jump. Packets 11 to 13 are acknowledged: PipeSize 27600 by the text, 24000 if only packets
    of the phase count. Packet 10 is lost: the window is 13800 or 12000. An implementation that waits for the loss of an
    unvalidated packet stays at 120000.""",
    flags=("same-time-order",),
)
def unvalidated_old_loss(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.jump(50)
    b.ack(CONFIRMED + RTT, (11, 13))
    b.lose(CONFIRMED + RTT, (10, 10))
    b.expect(profile="rfc-9959", pipesize_bytes=27_600, cwnd_bytes=13_800)
    b.expect(profile="rfc-9959-unvalidated", pipesize_bytes=24_000, cwnd_bytes=12_000)


@add(
    "careful-resume.unvalidated.nothing-sent-loss",
    "Safe Retreat without an unvalidated packet ends with the highest sent packet",
    """Packet 10 is lost before the first packet of the jump is sent: PipeSize 24000, window 12000. Without unvalidated packets,
    packet 29, the highest sent packet, marks the end. Its ACK ends Safe Retreat. By the text PipeSize is 24000 + 19
    * 1200 = 46800, the threshold 23400. If only packets of the phase count it is 24000, and the threshold 12000.
    In draft-10 no packet is outstanding, and it ends with the first ACK: 36000 and 18000.""",
)
def unvalidated_nothing_sent_loss(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.lose(CONFIRMED + RTT, (10, 10))
    b.expect(pipesize_bytes=24_000, cwnd_bytes=12_000)
    b.ack(CONFIRMED + RTT + MS, (11, 20))
    b.expect(profile="draft-10", pipesize_bytes=36_000, ssthresh_bytes=18_000)
    b.ack(CONFIRMED + RTT + 2 * MS, (21, 29))
    b.expect(profile="rfc-9959", pipesize_bytes=46_800, ssthresh_bytes=23_400)
    b.expect(profile="rfc-9959-unvalidated", pipesize_bytes=24_000, ssthresh_bytes=12_000)


@add(
    "careful-resume.unvalidated.ce",
    "An ECN-CE mark leads to Safe Retreat, once",
    """The ACK of twenty old packets makes PipeSize 48000 by the text; the mark makes the window 24000. If normal
    congestion control reduced as well, it would be 12000. If only packets of the phase count, PipeSize is 24000 and the
    window 12000.""",
    flags=("same-time-order",),
)
def unvalidated_ce(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.jump(50)
    b.ack(CONFIRMED + RTT, (10, 29))
    b.ce(CONFIRMED + RTT, 29, CONFIRMED)
    b.expect(profile="rfc-9959", pipesize_bytes=48_000, cwnd_bytes=24_000)
    b.expect(profile="rfc-9959-unvalidated", pipesize_bytes=24_000, cwnd_bytes=12_000)


@add(
    "careful-resume.unvalidated.path-change",
    "A signal that the path changed leads to Safe Retreat",
    "PipeSize is the 24000 in flight at the jump: the window becomes 12000. Trigger path_changed.",
)
def unvalidated_path_change(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.jump(20)
    b.path_change(ENTRY + 30 * MS)
    b.expect(trigger="path_changed", cwnd_bytes=12_000)


@add(
    "careful-resume.unvalidated.rtt-too-low",
    "An RTT sample of half the saved RTT leads to Safe Retreat",
    """Packet 10 was sent at 100 ms and is acknowledged at 150 ms: 2 * 50 ms <= 100 ms. PipeSize is 24000 + 1200 = 25200
    by the text: the window becomes 12600. By the qlog draft the phase would end without Safe Retreat. draft-10
    accepts half.""",
    flags=("same-time-order",),
)
def unvalidated_rtt_too_low(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.ack(CONFIRMED + 50 * MS, (10, 10))
    b.expect(profile="rfc-9959", trigger="path_changed", pipesize_bytes=25_200, cwnd_bytes=12_600)
    b.expect(profile="draft-10", phase="unvalidated", cwnd_bytes=120_000)


@add(
    "careful-resume.unvalidated.rtt-too-high",
    "An RTT sample above ten times the saved RTT leads to Safe Retreat",
    """Packet 10 is acknowledged 1000 ms and a microsecond after it was sent. By the text PipeSize is 25200, the window
    12600.""",
)
def unvalidated_rtt_too_high(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.ack(CONFIRMED + 10 * RTT + MS // 1000, (10, 10))
    b.expect(profile="rfc-9959", trigger="path_changed", pipesize_bytes=25_200, cwnd_bytes=12_600)


@add(
    "careful-resume.unvalidated.rtt-ten-times",
    "An RTT sample of exactly ten times the saved RTT is not too long",
    """Packet 10 is acknowledged 1000 ms after it was sent: the phase continues, since 1100 ms - 150 ms = 950 ms are within
    the current RTT. A sender that retreats at ten times the saved RTT has (24000 + 1200) / 2 = 12600.""",
    profiles=RFC,
)
def unvalidated_rtt_ten_times(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.ack(CONFIRMED + 10 * RTT, (10, 10))
    b.expect(phase="unvalidated", cwnd_bytes=120_000)


@add(
    "careful-resume.unvalidated.rtt-change-then-loss",
    "If an RTT that does not fit is ignored, the next loss still leads to Safe Retreat",
    """Packet 10 is acknowledged 1000 ms and a microsecond after it was sent, packet 11 is lost 1 ms later. By the text
    PipeSize is 25200 and the window 12600 from the ACK on. An implementation that does not compare the RTT in the Unvalidated phase has 120000 until the loss, and 12600 then. An implementation that has ended Careful Resume has 120000 / 2 = 60000.""",
    profiles=RFC,
)
def unvalidated_rtt_change_then_loss(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.ack(CONFIRMED + 10 * RTT + MS // 1000, (10, 10))
    b.lose(CONFIRMED + 10 * RTT + MS, (11, 11))
    b.expect(profile="rfc-9959", outcome="already_reduced", cwnd_bytes=12_600)


@add(
    "careful-resume.unvalidated.probe",
    "An expired probe timer is not congestion, and the probe is an unvalidated packet",
    """Twenty packets, an expired timer, a probe: the phase continues at 120000, and packet 30, the probe, is the last
    unvalidated packet.""",
)
def unvalidated_probe(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(20)
    b.pto(ENTRY + 60 * MS)
    b.send(ENTRY + 60 * MS, 1)
    b.expect(phase="unvalidated", cwnd_bytes=120_000, last_unvalidated_packet=30)


@add(
    "careful-resume.unvalidated.persistent",
    "A timeout in the Unvalidated phase ends Careful Resume",
    """A retransmission timeout, as in TCP, without a loss before. The window collapses to 2 * 1200 = 2400, and slow
    start continues without a threshold. Half of PipeSize would be 12000.""",
)
def unvalidated_persistent(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.persistent_congestion(ENTRY + 50 * MS)
    b.expect(phase="normal", cwnd_bytes=2400, ssthresh_bytes=None)
    b.ack(ENTRY + 60 * MS, (10, 10))
    b.expect(cwnd_bytes=3600)


@add(
    "careful-resume.unvalidated.max-data",
    "A sender limited by flow control ends as rate-limited",
    """The receiver allows 30000 bytes: 25 packets are sent and the sender is blocked. One ACK of 13 packets leaves
    14400 in flight, not more than PipeSize 15600: the window becomes 15600. An implementation that keeps the jump continues at 120000.""",
)
def unvalidated_max_data(b: ResumeBuilder) -> None:
    b.confirm()
    b.wake(ENTRY, receive_window_bytes=30_000)
    b.jump(25)
    b.ack(ENTRY + 112 * MS, (10, 22))
    b.expect(profile=RFC, outcome="rate_limited", cwnd_bytes=15_600)


@add(
    "careful-resume.unvalidated.reordered-acks",
    "ACKs out of order: the first ACK ends the phase, and every packet counts once",
    """Fifty packets. The ACK of packet 49 comes first: 58800 in flight, Validating. Then the ACK of packet 10 comes: PipeSize
    2400, window 58800 + 1200 = 60000.""",
)
def unvalidated_reordered_acks(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(50)
    b.ack(ENTRY + 99 * MS, (49, 49))
    b.expect(phase="validating", cwnd_bytes=58_800)
    b.ack(ENTRY + RTT, (10, 10))
    b.expect(cwnd_bytes=60_000)
    b.expect(profile=RFC, pipesize_bytes=2400)


@add(
    "careful-resume.unvalidated.repeated-ranges",
    "An ACK frame that repeats ranges adds only new packets",
    """The frame covers packets 10 to 14, the next one 10 to 16: only 15 and 16 are newly acknowledged. PipeSize 6000 +
    2400 = 8400; counting ranges again gives 6000 + 8400 = 14400.""",
)
def unvalidated_repeated_ranges(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(50)
    b.ack(ENTRY + 104 * MS, (10, 14))
    b.ack(ENTRY + 106 * MS, (15, 16))
    b.expect(profile=RFC, pipesize_bytes=8400)


@add(
    "careful-resume.unvalidated.ce-then-late-loss",
    "The recovery period of Safe Retreat begins with the ECN-CE mark, not with the jump",
    """Twenty packets of the jump, 30 to 49, are in flight when a mark comes with the ACK of the old ones. PipeSize is
    24000 + 24000 = 48000 and the window 24000; if only packets of the phase count, 24000 and 12000. Packet 49 is
    acknowledged, then packets 30 to 46 are lost. They were sent before the mark, so the window stays. A sender that
    has forgotten the start of the recovery period halves it, which conforms (A49).""",
    flags=("same-time-order",),
)
def unvalidated_ce_then_late_loss(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.jump(20)
    b.ack(CONFIRMED + RTT, (10, 29))
    b.ce(CONFIRMED + RTT, 29, CONFIRMED)
    b.ack(ENTRY + 119 * MS, (49, 49))
    b.lose(ENTRY + 119 * MS, (30, 46))
    b.expect(profile=("rfc-9959", "draft-10"), outcome="already_reduced", cwnd_bytes=24_000)
    b.expect(profile="rfc-9959-unvalidated", outcome="already_reduced", cwnd_bytes=12_000)

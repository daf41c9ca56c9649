"""Hand-built stimuli of Careful Resume: the Validating phase. Packets 10 to 109 fill the jump of 120000 bytes."""

from firstflight_conformance.format.builder import MS
from generate.catalogue import Catalogue
from stimuli.careful_resume.builder import ENTRY, RTT, ResumeBuilder
from stimuli.careful_resume.careful_resume import PROFILES, RFC, SOURCES

CATALOGUE = Catalogue(*PROFILES, sources=SOURCES, builder=ResumeBuilder)
add = CATALOGUE.add


def _full(b: ResumeBuilder) -> None:
    """Fill the jump from an empty path: Validating at 249 ms with a window of 120000, PipeSize 0."""
    b.enter_empty()
    b.jump(100)


@add(
    "careful-resume.validating.growth",
    "In the Validating phase the window follows normal congestion control",
    "Fifty packets are acknowledged: 120000 + 60000 = 180000, PipeSize 60000.",
)
def validating_growth(b: ResumeBuilder) -> None:
    _full(b)
    b.ack(ENTRY + 149 * MS, (10, 59))
    b.expect(cwnd_bytes=180_000)
    b.expect(profile=RFC, pipesize_bytes=60_000)


@add(
    "careful-resume.validating.last-but-one",
    "The last packet but one does not end the phase, the last packet does",
    "After packets 10 to 108 the window is 120000 + 99 * 1200 = 238800, and the phase continues. Packet 109 ends it: 240000, PipeSize 120000, and the saved set is free again.",
)
def validating_last_but_one(b: ResumeBuilder) -> None:
    _full(b)
    b.ack(ENTRY + 198 * MS, (10, 108))
    b.expect(phase="validating", cwnd_bytes=238_800)
    b.ack(ENTRY + 199 * MS, (109, 109))
    b.expect(phase="normal", cwnd_bytes=240_000, saved_in_use=0)
    b.expect(profile=RFC, pipesize_bytes=120_000)


@add(
    "careful-resume.validating.later-ack",
    "The ACK of a packet after the last unvalidated packet ends the phase",
    """After the ACK of packet 10 (window 121200) two packets are sent in the Validating phase. The ACK of packet 111, which comes first, ends the phase: 122400.""",
)
def validating_later_ack(b: ResumeBuilder) -> None:
    _full(b)
    b.ack(ENTRY + RTT, (10, 10))
    b.expect(cwnd_bytes=121_200)
    b.send(ENTRY + RTT, 2)
    b.ack(ENTRY + 2 * RTT, (111, 111))
    b.expect(outcome="validated", cwnd_bytes=122_400)


@add(
    "careful-resume.validating.last-covered-before",
    "One ACK, one transition: the last packet may be acknowledged already",
    """Fifty packets are sent. The last, 59, is acknowledged first, with a sample of 55 ms, and the time is over then as well: 58800 in flight, Validating. One event makes one
    transition. The ACK of packet 10 ends the phase: 60000.""",
)
def validating_last_covered_before(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(50)
    b.ack(ENTRY + 104 * MS, (59, 59))
    b.expect(phase="validating", cwnd_bytes=58_800)
    b.ack(ENTRY + 105 * MS, (10, 10))
    b.expect(outcome="validated", cwnd_bytes=60_000)


@add(
    "careful-resume.validating.single-packet",
    "A single unvalidated packet ends the phase with its ACK",
    """24000 are in flight, and one packet is sent. A microsecond after one RTT 25200 are in flight, more than PipeSize 24000: Validating. Packet 30 is the first and last unvalidated packet. The
    ACK of packet 10 grows the window to 26400 and does not end the phase. The ACK of packet 30 ends the phase with 27600. draft-10 checks the time only at ACKs: at the first ACK PipeSize 25200 is more than the 24000 in flight, and the end is rate-limited.""",
)
def validating_single_packet(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.send(ENTRY, 1)
    b.pto(ENTRY + RTT + MS // 1000)
    b.expect(profile=RFC, phase="validating", cwnd_bytes=25_200)
    b.ack(ENTRY + 102 * MS, (10, 10))
    b.expect(profile=RFC, phase="validating", cwnd_bytes=26_400)
    b.expect(profile="draft-10", outcome="rate_limited", cwnd_bytes=25_200)
    b.ack(ENTRY + 105 * MS, (30, 30))
    b.expect(profile=RFC, outcome="validated", cwnd_bytes=27_600)


@add(
    "careful-resume.validating.new-packet-loss",
    "After the phase a loss is a normal loss",
    """The last unvalidated packet is acknowledged: window 240000. Packet 110, sent in the Validating phase, is lost then: normal congestion control halves 240000 to 120000.""",
)
def validating_new_packet_loss(b: ResumeBuilder) -> None:
    _full(b)
    b.ack(ENTRY + RTT, (10, 10))
    b.send(ENTRY + RTT, 2)
    b.ack(ENTRY + 199 * MS, (11, 109))
    b.expect(outcome="validated", cwnd_bytes=240_000)
    b.lose(ENTRY + 2 * RTT, (110, 110))
    b.expect(cwnd_bytes=120_000)


@add(
    "careful-resume.validating.new-packet-loss-within",
    "The loss of a packet sent in the Validating phase leads to Safe Retreat while the phase lasts",
    "PipeSize is 99 * 1200 = 118800 when packet 110 is lost: the window becomes 59400.",
)
def validating_new_packet_loss_within(b: ResumeBuilder) -> None:
    _full(b)
    b.ack(ENTRY + RTT, (10, 10))
    b.send(ENTRY + RTT, 2)
    b.ack(ENTRY + 199 * MS, (11, 108))
    b.lose(ENTRY + 2 * RTT, (110, 110))
    b.expect(profile=RFC, pipesize_bytes=118_800, cwnd_bytes=59_400)


@add(
    "careful-resume.validating.isolated-loss",
    "One packet of a hundred lost leads to Safe Retreat",
    "PipeSize is 53 * 1200 = 63600 when packet 60 is lost: the window becomes 31800. A filter that ignores isolated losses keeps 183600.",
)
def validating_isolated_loss(b: ResumeBuilder) -> None:
    _full(b)
    b.ack(ENTRY + 149 * MS, (10, 59))
    b.ack(ENTRY + 152 * MS, (61, 63))
    b.lose(ENTRY + 152 * MS, (60, 60))
    b.expect(profile=RFC, pipesize_bytes=63_600, cwnd_bytes=31_800)


@add(
    "careful-resume.validating.ce",
    "An ECN-CE mark leads to Safe Retreat, once",
    "PipeSize is 60000 when the mark comes: the window becomes 30000. If normal congestion control reduced as well, it would be 30000 / 2 = 15000.",
    flags=("same-time-order",),
)
def validating_ce(b: ResumeBuilder) -> None:
    _full(b)
    b.ack(ENTRY + 149 * MS, (10, 59))
    b.ce(ENTRY + 149 * MS, 59, ENTRY + 50 * MS)
    b.expect(profile=RFC, trigger="ECN_CE", pipesize_bytes=60_000, cwnd_bytes=30_000)


@add(
    "careful-resume.validating.ce-first-ack",
    "An ECN-CE mark with the ACK that begins the phase",
    "Fifty packets are sent. The ACK of packet 10 begins the Validating phase with 58800, and its mark leads to Safe Retreat: PipeSize 1200 gives max(600, 2400) = 2400.",
    flags=("same-time-order",),
)
def validating_ce_first_ack(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(50)
    b.ack(ENTRY + RTT, (10, 10))
    b.expect(phase="validating", cwnd_bytes=58_800)
    b.ce(ENTRY + RTT, 10, ENTRY)
    b.expect(profile=RFC, pipesize_bytes=1200, cwnd_bytes=2400)


@add(
    "careful-resume.validating.ce-before-first-ack",
    "An ECN-CE mark processed before the ACK that begins the phase",
    """PipeSize is still 0: Safe Retreat begins in the Unvalidated phase, with 2400 as well. The ACK then brings PipeSize to 1200 and does not grow the window. draft-10 begins with the window, 24000: 12000.""",
    flags=("same-time-order",),
)
def validating_ce_before_first_ack(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(50)
    b.ce(ENTRY + RTT, 10, ENTRY)
    b.expect(profile=RFC, pipesize_bytes=0, cwnd_bytes=2400)
    b.expect(profile="draft-10", pipesize_bytes=24_000, cwnd_bytes=12_000)
    b.ack(ENTRY + RTT, (10, 10))
    b.expect(profile=RFC, pipesize_bytes=1200, cwnd_bytes=2400)


@add(
    "careful-resume.validating.path-change",
    "A signal that the path changed is ignored in the Validating phase",
    "The text mentions the signal only for Reconnaissance and the Unvalidated phase: 180000 stays, and the next ACK grows it to 181200.",
)
def validating_path_change(b: ResumeBuilder) -> None:
    _full(b)
    b.ack(ENTRY + 149 * MS, (10, 59))
    b.path_change(ENTRY + 150 * MS)
    b.expect(phase="validating", cwnd_bytes=180_000)
    b.ack(ENTRY + 151 * MS, (60, 60))
    b.expect(cwnd_bytes=181_200)


@add(
    "careful-resume.validating.persistent",
    "A timeout in the Validating phase ends Careful Resume",
    "The window collapses to 2400; the ACK of packet 60 then grows it to 3600.",
)
def validating_persistent(b: ResumeBuilder) -> None:
    _full(b)
    b.ack(ENTRY + 149 * MS, (10, 59))
    b.persistent_congestion(ENTRY + 500 * MS)
    b.expect(phase="normal", cwnd_bytes=2400)
    b.ack(ENTRY + 501 * MS, (60, 60))
    b.expect(cwnd_bytes=3600)


@add(
    "careful-resume.validating.small-packets",
    "Small packets count with their bytes",
    """Twenty packets of 1200 and eighty of 300 bytes, 48000 in all. The first ACK leaves 46800: Validating. Ten packets of 300 bytes: 46800 + 3000 = 49800. A datagram for each packet gives 46800 + 10 * 1200 = 58800.""",
)
def validating_small_packets(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.send(ENTRY, 1)
    b.send(ENTRY + 10 * MS, 10)
    b.send(ENTRY + 20 * MS, 9)
    b.send(ENTRY + 40 * MS, 40, 300)
    b.send(ENTRY + 50 * MS, 40, 300)
    b.ack(ENTRY + RTT, (10, 10))
    b.expect(phase="validating", cwnd_bytes=46_800)
    b.ack(ENTRY + 2 * RTT, (30, 39))
    b.expect(cwnd_bytes=49_800)


@add(
    "careful-resume.validating.application-limited",
    "A rate-limited sender's window does not grow, PipeSize does",
    "The ACK of fifty packets is app-limited: 120000 stays, PipeSize is 60000.",
)
def validating_application_limited(b: ResumeBuilder) -> None:
    _full(b)
    b.ack(ENTRY + 149 * MS, (10, 59), app_limited=True)
    b.expect(cwnd_bytes=120_000)
    b.expect(profile=RFC, pipesize_bytes=60_000)


@add(
    "careful-resume.validating.ce-then-late-loss",
    "After a mark in the Validating phase the loss of an older packet does not reduce the window again",
    """PipeSize is 60000 when a mark comes with the ACK of packets 10 to 59 at 299 ms: the window becomes 30000.
    Packet 109 is acknowledged, then packets 60 to 106 are lost. The last lost packet was sent at 249 ms, before the mark:
    30000 stays. A sender that has forgotten the start of the recovery period has 30000 / 2 = 15000, which conforms
    (A49). draft-10 has PipeSize 24000 + 60000 = 84000: 42000.""",
    flags=("same-time-order",),
)
def validating_ce_then_late_loss(b: ResumeBuilder) -> None:
    _full(b)
    b.ack(ENTRY + 149 * MS, (10, 59))
    b.ce(ENTRY + 149 * MS, 59, ENTRY + 50 * MS)
    b.ack(ENTRY + 199 * MS, (109, 109))
    b.lose(ENTRY + 199 * MS, (60, 106))
    b.expect(profile=RFC, outcome="already_reduced", cwnd_bytes=30_000)
    b.expect(profile="draft-10", outcome="already_reduced", pipesize_bytes=85_200, cwnd_bytes=42_000)

"""Hand-built stimuli of Careful Resume: the Unvalidated phase. Packet 10 is the first after the initial data."""

from firstflight_conformance.vectorgen.builder import MS
from firstflight_conformance.vectorgen.careful_resume.builder import CONFIRMED, ENTRY, RTT, ResumeBuilder
from firstflight_conformance.vectorgen.careful_resume.careful_resume import PROFILES, RFC, SOURCES
from firstflight_conformance.vectorgen.stimulus import Catalogue

CATALOGUE = Catalogue(*PROFILES, sources=SOURCES, builder=ResumeBuilder)
add = CATALOGUE.add


@add(
    "careful-resume.unvalidated.pipesize-start",
    "PipeSize begins with the bytes in flight, not with the window",
    "Two round trips bring the window to 48000; twenty packets, 24000 bytes, are in flight when it jumps: PipeSize 24000. draft-10 takes the window, 48000.",
)
def _(b: ResumeBuilder) -> None:
    b.confirm()
    b.rounds(20)
    b.send(2 * RTT, 20, app_limited=True)
    b.wake(250 * MS)
    b.expect(profile=RFC, pipesize_bytes=24_000, cwnd_bytes=120_000)
    b.expect(profile="draft-10", pipesize_bytes=48_000, cwnd_bytes=120_000)


@add(
    "careful-resume.unvalidated.no-growth",
    "ACKs of packets sent before the jump do not grow the window",
    """With 24000 in flight the window jumps to 120000 and stays there while twenty old packets are acknowledged. PipeSize is 24000 + 24000 = 48000 by the text,
    24000 if only packets of the phase count.""",
)
def _(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.send(ENTRY, 1)
    b.ack(CONFIRMED + RTT, (10, 29))
    b.expect(cwnd_bytes=120_000)
    b.expect(profile="rfc-9959", pipesize_bytes=48_000)
    b.expect(profile="rfc-9959-unvalidated", pipesize_bytes=24_000)


@add(
    "careful-resume.unvalidated.pace-current-rtt",
    "The current RTT sets the pace, not the saved one",
    "The RTT is 200 ms, twice the saved one: the packet after 1200 bytes is due 1200 * 200 ms / 120000 = 2 ms later; by the saved RTT after 1 ms, with a gain of 5/4 after 1.6 ms.",
)
def _(b: ResumeBuilder) -> None:
    b.begin()
    b.ack(2 * RTT, (0, 9))
    b.wake(250 * MS)
    b.send(250 * MS, 1)
    b.expect(next_release_ns=1_252_000_000)
    b.send(252 * MS, 1)


@add(
    "careful-resume.unvalidated.pace-new-rtt",
    "A new RTT sample sets the pace after the next packet",
    """One packet at 150 ms: the next is due at 151 ms. The ACK at 160 ms gives a sample of 60 ms: 151 ms stays, and from there the schedule starts again. Ten packets sent at 160 ms are due until
    151 ms + 12000 * 60 ms / 120000 = 157 ms; but a sender that late may catch up no more than (12000 - 1200) * 60 ms / 120000 = 5.4 ms, so that the schedule is moved to 160 ms - 5.4 ms = 154.6
    ms, and the next packet is due at 160.6 ms.""",
    flags=("same-time-order",),
)
def _(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.send(ENTRY, 1)
    b.expect(next_release_ns=1_151_000_000)
    b.ack(160 * MS, (10, 10))
    b.expect(next_release_ns=1_151_000_000)
    b.send(160 * MS, 10)
    b.expect(next_release_ns=1_160_600_000)


@add(
    "careful-resume.unvalidated.pace-no-drift",
    "The schedule rounds once, not per packet",
    """The jump is 240002 / 2 = 120001: one packet takes ceil(1200 * 100 ms / 120001) = 999992 ns, ten take ceil(10 * 1200 * 100 ms / 120001) = 9999917 ns. Rounding each interval up would give 10 * 999992 ns = 9999920 ns.""",
)
def _(b: ResumeBuilder) -> None:
    b.enter_empty(cwnd_bytes=240_002)
    b.send(ENTRY, 1)
    b.expect(next_release_ns=1_150_999_992)
    for number in range(1, 10):
        b.send(ENTRY + number * MS, 1)
    b.expect(next_release_ns=1_159_999_917)


@add(
    "careful-resume.unvalidated.burst",
    "A late sender catches up with an initial window at most",
    """One packet at 150 ms; the next ten at 200 ms, fifty intervals late. What is due by then is bounded to an initial window: the schedule moves to 200 ms - 10800 * 100 ms / 120000 =
    191 ms, ten packets take 10 ms from there, and the next is due at 201 ms. Without the bound it is due at 151 ms + 10 * 1 ms = 161 ms, and forty packets may leave at once.""",
)
def _(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.send(ENTRY, 1)
    b.expect(next_release_ns=1_151_000_000)
    b.send(ENTRY + 50 * MS, 10)
    b.expect(next_release_ns=1_201_000_000)


@add(
    "careful-resume.unvalidated.burst-edge",
    "A sender that is late by nine intervals loses nothing of the schedule",
    "Nothing is sent for 9 ms, ten packets at 159 ms: 150 ms + 12000 * 100 ms / 120000 = 160 ms for the next. A nanosecond later the schedule moves by a nanosecond.",
)
def _(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.send(ENTRY + 9 * MS, 10)
    b.expect(next_release_ns=1_160_000_000)
    b.send(ENTRY + 19 * MS + 1, 10)
    b.expect(next_release_ns=1_170_000_001)


@add(
    "careful-resume.unvalidated.fill-exact",
    "A full window ends the Unvalidated phase when the last packet is sent",
    "A hundred packets of 1200 bytes fill 120000. In flight are 120000, more than PipeSize 0 and the initial window: Validating, with the window at 120000.",
)
def _(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(100)
    b.expect(phase="validating", trigger="last_unvalidated_packet_sent", cwnd_bytes=120_000)


@add(
    "careful-resume.unvalidated.fill-partial",
    "Room for less than a datagram is none",
    "The jump is 241000 / 2 = 120500. After a hundred packets 120500 - 100 * 1200 = 500 bytes are left, less than a datagram: Validating, with the window at the 120000 in flight. draft-10 waits for an exact fill.",
)
def _(b: ResumeBuilder) -> None:
    b.enter_empty(cwnd_bytes=241_000)
    b.jump(100)
    b.expect(profile=RFC, phase="validating", cwnd_bytes=120_000)
    b.expect(profile="draft-10", phase="unvalidated", cwnd_bytes=120_500)


@add(
    "careful-resume.unvalidated.fill-room",
    "Room for exactly a datagram is room",
    "The jump is 242400 / 2 = 121200: after a hundred packets 1200 bytes are left, and the phase goes on; one more packet ends it, with 121200 in flight.",
)
def _(b: ResumeBuilder) -> None:
    b.enter_empty(cwnd_bytes=242_400)
    b.jump(100)
    b.expect(phase="unvalidated", cwnd_bytes=121_200)
    b.send(ENTRY + 100 * MS, 1)
    b.expect(phase="validating", cwnd_bytes=121_200)


@add(
    "careful-resume.unvalidated.first-ack",
    "The ACK of the first unvalidated packet ends the phase",
    """Fifty packets, 60000 bytes; the ACK of the first leaves 58800 in flight, more than PipeSize 1200 and the initial window: Validating, with the window at 58800. Counting the bytes just
    acknowledged as in flight gives 60000. draft-10 has PipeSize 24000 + 1200.""",
)
def _(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(50)
    b.ack(ENTRY + RTT, (10, 10))
    b.expect(phase="validating", cwnd_bytes=58_800)
    b.expect(profile=RFC, pipesize_bytes=1200)
    b.expect(profile="draft-10", pipesize_bytes=25_200)


@add(
    "careful-resume.unvalidated.second-ack",
    "The ACK of a later packet ends the phase as well",
    "Packet 10 is missing, packet 11 is acknowledged: 58800 in flight, Validating. A test for the number of the first packet alone waits.",
)
def _(b: ResumeBuilder) -> None:
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
    """Packet 29 was sent before the jump: the phase goes on at 120000. A mark at the last packet sent before, as in the worked examples, ends it.""",
)
def _(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.jump(50)
    b.ack(CONFIRMED + RTT, (29, 29))
    b.expect(phase="unvalidated", cwnd_bytes=120_000)


@add(
    "careful-resume.unvalidated.rtt-exceeded",
    "The phase lasts one RTT, and ends with the first event after it",
    """Fifty packets without an ACK. An event exactly 100 ms after the jump changes nothing; one a microsecond later ends the phase: 60000 in flight, Validating. draft-10 looks at the time on ACKs only.""",
)
def _(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(50)
    b.pto(ENTRY + RTT)
    b.expect(phase="unvalidated", cwnd_bytes=120_000)
    b.pto(ENTRY + RTT + MS // 1000)
    b.expect(profile=RFC, trigger="rtt_exceeded", phase="validating", cwnd_bytes=60_000)
    b.expect(profile="draft-10", cwnd_bytes=120_000)


@add(
    "careful-resume.unvalidated.limit-latest",
    "The current RTT bounds the phase, neither the minimum nor the smoothed one",
    """Packet 10 is acknowledged 130 ms after it was sent, 80 ms after the jump: the current RTT is 130 ms, the minimum 100 ms and the smoothed one (7 * 100 ms + 130 ms) / 8 = 103.75 ms. An event
    after 260 ms - 150 ms = 110 ms is within 130 ms: the phase goes on. After 281 ms - 150 ms = 131 ms it ends: 24000 - 1200 + 24000 = 46800 in flight, more than PipeSize 25200: Validating.
    draft-10 looks at the time on ACKs only.""",
)
def _(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.jump(20)
    b.ack(ENTRY + 80 * MS, (10, 10))
    b.pto(ENTRY + 110 * MS)
    b.expect(phase="unvalidated")
    b.pto(ENTRY + 131 * MS)
    b.expect(profile=RFC, phase="validating", cwnd_bytes=46_800)
    b.expect(profile="draft-10", cwnd_bytes=120_000)


@add(
    "careful-resume.unvalidated.idle",
    "Without events the phase ends at the next one",
    "Fifty packets, then nothing for three RTTs: the probe timer finds the time exceeded, 60000 in flight, Validating with 60000.",
)
def _(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(50)
    b.pto(ENTRY + 3 * RTT)
    b.expect(profile=RFC, phase="validating", cwnd_bytes=60_000)
    b.expect(profile="draft-10", cwnd_bytes=120_000)


@add(
    "careful-resume.unvalidated.nothing-sent",
    "A jump that nothing follows ends as rate-limited",
    "Nothing is sent for three RTTs: 0 in flight is less than the initial window. The window becomes max(PipeSize, initial window) = max(0, 12000) = 12000, half of what it was before.",
)
def _(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.wake(ENTRY + 3 * RTT, 0)
    b.expect(profile=RFC, outcome="rate_limited", cwnd_bytes=12_000)
    b.expect(profile="draft-10", cwnd_bytes=120_000)


@add(
    "careful-resume.unvalidated.below-initial-window",
    "Fewer bytes in flight than the initial window: rate-limited",
    "Five packets; the ACK of the first leaves 4800, less than 12000, though more than PipeSize 1200. The window becomes max(1200, 12000) = 12000.",
)
def _(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(5)
    b.ack(ENTRY + RTT, (10, 10))
    b.expect(profile=RFC, outcome="rate_limited", cwnd_bytes=12_000)
    b.expect(profile="draft-10", outcome="rate_limited", cwnd_bytes=25_200)


@add(
    "careful-resume.unvalidated.initial-window-in-flight",
    "Exactly the initial window in flight is enough",
    "Eleven packets; the ACK of the first leaves 12000, no less than the initial window and more than PipeSize 1200: Validating with 12000.",
)
def _(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(11)
    b.ack(ENTRY + RTT, (10, 10))
    b.expect(profile=RFC, phase="validating", cwnd_bytes=12_000)
    b.expect(profile="draft-10", outcome="rate_limited", cwnd_bytes=25_200)


@add(
    "careful-resume.unvalidated.flight-equals-pipesize",
    "As much in flight as PipeSize: rate-limited",
    "Forty packets; one ACK of twenty leaves 24000 in flight, and PipeSize is 24000: no more. The window becomes 24000. draft-10 has PipeSize 48000.",
)
def _(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(40)
    b.ack(ENTRY + 120 * MS, (10, 29))
    b.expect(profile=RFC, outcome="rate_limited", cwnd_bytes=24_000)
    b.expect(profile="draft-10", outcome="rate_limited", cwnd_bytes=48_000)


@add(
    "careful-resume.unvalidated.flight-above-pipesize",
    "A packet more in flight than PipeSize is enough",
    "Forty-one packets; one ACK of twenty leaves 25200 in flight, PipeSize is 24000: Validating with 25200.",
)
def _(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(41)
    b.ack(ENTRY + RTT, (10, 29))
    b.expect(profile=RFC, phase="validating", cwnd_bytes=25_200)
    b.expect(profile="draft-10", outcome="rate_limited", cwnd_bytes=48_000)


@add(
    "careful-resume.unvalidated.large-entry-flight",
    "With most of the jump in flight already, the text calls a used jump rate-limited",
    """60 packets, 72000 bytes, are in flight at the jump to 120000. All are acknowledged, and a hundred packets fill the window. By the text PipeSize is 72000 + 72000 = 144000, no less than
    the 120000 in flight: rate-limited, and the window becomes 144000, more than the jump. If only packets of the phase count, PipeSize is 72000: Validating with 120000.""",
)
def _(b: ResumeBuilder) -> None:
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
    """The hundredth packet leaves 101 ms after the jump: the window is full, and more than one RTT is over. One transition to Validating; either trigger is right. The ACK at the same time finds
    Validating, and the window grows by 1200. draft-10 watches the time on ACKs only.""",
    flags=("same-time-order",),
)
def _(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(99)
    b.send(ENTRY + 101 * MS, 1)
    b.expect(phase="validating", cwnd_bytes=120_000)
    b.ack(ENTRY + 101 * MS, (10, 10))
    b.expect(cwnd_bytes=121_200)


@add(
    "careful-resume.unvalidated.tie-ack",
    "The first ACK and the end of the RTT at once: one transition, either trigger",
    "The ACK of packet 10 comes 251 ms - 150 ms = 101 ms after the jump, with a sample of 100 ms: both hold. 58800 in flight, Validating.",
)
def _(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.send(ENTRY + MS, 1)
    for number in range(1, 5):
        b.send(ENTRY + 11 * number * MS, 10)
    b.send(ENTRY + 55 * MS, 9)
    b.ack(ENTRY + 101 * MS, (10, 10))
    b.expect(phase="validating", cwnd_bytes=58_800)


@add(
    "careful-resume.unvalidated.old-loss",
    "The loss of a packet sent before the jump leads to Safe Retreat",
    """24000 in flight at the jump. Packets 11 to 13 are acknowledged: PipeSize 27600 by the text, 24000 if only packets of the phase count. Packet 10 is lost: the window is 13800 or 12000. An
    implementation that waits for the loss of an unvalidated packet stays at 120000.""",
    flags=("same-time-order",),
)
def _(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.jump(50)
    b.ack(CONFIRMED + RTT, (11, 13))
    b.lose(CONFIRMED + RTT, (10, 10))
    b.expect(profile="rfc-9959", pipesize_bytes=27_600, cwnd_bytes=13_800)
    b.expect(profile="rfc-9959-unvalidated", pipesize_bytes=24_000, cwnd_bytes=12_000)


@add(
    "careful-resume.unvalidated.nothing-sent-loss",
    "Safe Retreat without an unvalidated packet ends with the highest packet sent",
    """Packet 10 is lost before anything of the jump is sent: PipeSize 24000, window 12000. There is no last unvalidated packet; packet 29, the highest sent, takes its place. Its ACK ends Safe
    Retreat: by the text PipeSize is 24000 + 19 * 1200 = 46800, the threshold 23400; if only packets of the phase count it is 24000, and the threshold 12000. draft-10 has nothing outstanding and ends
    with the first ACK: 36000 and 18000.""",
)
def _(b: ResumeBuilder) -> None:
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
    """The ACK of twenty old packets makes PipeSize 48000 by the text; the mark makes the window 24000. If normal congestion control reduced as well, it would be 12000. If only packets of the
    phase count, PipeSize is 24000 and the window 12000.""",
    flags=("same-time-order",),
)
def _(b: ResumeBuilder) -> None:
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
def _(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.jump(20)
    b.path_change(ENTRY + 30 * MS)
    b.expect(trigger="path_changed", cwnd_bytes=12_000)


@add(
    "careful-resume.unvalidated.rtt-too-low",
    "An RTT sample of half the saved RTT leads to Safe Retreat",
    """Packet 10 was sent at 100 ms and is acknowledged at 150 ms: 2 * 50 ms <= 100 ms. PipeSize is 24000 + 1200 = 25200 by the text: the window becomes 12600. The qlog draft would have the phase
    end without Safe Retreat. draft-10 takes half as fitting.""",
    flags=("same-time-order",),
)
def _(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.ack(CONFIRMED + 50 * MS, (10, 10))
    b.expect(profile="rfc-9959", trigger="path_changed", pipesize_bytes=25_200, cwnd_bytes=12_600)
    b.expect(profile="draft-10", phase="unvalidated", cwnd_bytes=120_000)


@add(
    "careful-resume.unvalidated.rtt-too-high",
    "An RTT sample above ten times the saved RTT leads to Safe Retreat",
    """Packet 10 is acknowledged 1000 ms and a microsecond after it was sent. By the text PipeSize is 25200, the window 12600.""",
)
def _(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.ack(CONFIRMED + 10 * RTT + MS // 1000, (10, 10))
    b.expect(profile="rfc-9959", trigger="path_changed", pipesize_bytes=25_200, cwnd_bytes=12_600)


@add(
    "careful-resume.unvalidated.probe",
    "An expired probe timer is no congestion, and the probe is an unvalidated packet",
    "Twenty packets, an expired timer, a probe: the phase goes on at 120000, and packet 30, the probe, is the last unvalidated packet.",
)
def _(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(20)
    b.pto(ENTRY + 60 * MS)
    b.send(ENTRY + 60 * MS, 1)
    b.expect(phase="unvalidated", cwnd_bytes=120_000, last_unvalidated_packet=30)


@add(
    "careful-resume.unvalidated.persistent",
    "A timeout in the Unvalidated phase ends Careful Resume",
    "A retransmission timeout, as TCP has it, without a loss before: the window collapses to 2 * 1200 = 2400, and slow start goes on without a threshold. Half of PipeSize would be 12000.",
)
def _(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.persistent_congestion(ENTRY + 50 * MS)
    b.expect(phase="normal", cwnd_bytes=2400, ssthresh_bytes=None)
    b.ack(ENTRY + 60 * MS, (10, 10))
    b.expect(cwnd_bytes=3600)


@add(
    "careful-resume.unvalidated.max-data",
    "A sender that flow control holds ends as rate-limited",
    """The receiver lets 30000 bytes through: 25 packets are sent and the sender is blocked. One ACK of 13 packets leaves 14400 in flight, no more than PipeSize 15600: the window
    becomes 15600. An implementation that keeps the jump goes on at 120000.""",
)
def _(b: ResumeBuilder) -> None:
    b.confirm()
    b.wake(ENTRY, receive_window_bytes=30_000)
    b.jump(25)
    b.ack(ENTRY + 112 * MS, (10, 22))
    b.expect(profile=RFC, outcome="rate_limited", cwnd_bytes=15_600)


@add(
    "careful-resume.unvalidated.reordered-acks",
    "ACKs out of order: the phase ends with the first, and every packet counts once",
    """Fifty packets. The ACK of packet 49 comes first: 58800 in flight, Validating. Then that of packet 10: PipeSize 2400, window 58800 + 1200 = 60000.""",
)
def _(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(50)
    b.ack(ENTRY + 99 * MS, (49, 49))
    b.expect(phase="validating", cwnd_bytes=58_800)
    b.ack(ENTRY + RTT, (10, 10))
    b.expect(cwnd_bytes=60_000)
    b.expect(profile=RFC, pipesize_bytes=2400)


@add(
    "careful-resume.unvalidated.repeated-ranges",
    "An ACK frame that repeats ranges adds only what is new",
    """The frame covers packets 10 to 14, the next one 10 to 16: only 15 and 16 are newly acknowledged. PipeSize 6000 + 2400 = 8400; counting ranges again gives 6000 + 8400 = 14400.""",
)
def _(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(50)
    b.ack(ENTRY + 104 * MS, (10, 14))
    b.ack(ENTRY + 106 * MS, (15, 16))
    b.expect(profile=RFC, pipesize_bytes=8400)

"""Hand-built stimuli of Careful Resume: sending the jump in the Unvalidated phase.

Packet 10 is the first after the initial data.
"""

from firstflight_conformance.format.builder import MS
from generate.catalogue import Catalogue
from stimuli.careful_resume.builder import CONFIRMED, ENTRY, RTT, ResumeBuilder
from stimuli.careful_resume.careful_resume import PROFILES, RFC, SOURCES

CATALOGUE = Catalogue(*PROFILES, sources=SOURCES, builder=ResumeBuilder)
add = CATALOGUE.add


@add(
    "careful-resume.unvalidated.pipesize-start",
    "PipeSize begins with the bytes in flight, not with the window",
    """Two round trips bring the window to 48000; twenty packets, 24000 bytes, are in flight when it jumps: PipeSize
    24000. draft-10 uses the window, 48000.""",
)
def unvalidated_pipesize_start(b: ResumeBuilder) -> None:
    b.confirm()
    b.rounds(20)
    b.send(2 * RTT, 20, app_limited=True)
    b.wake(250 * MS)
    b.expect(profile=RFC, pipesize_bytes=24_000, cwnd_bytes=120_000)
    b.expect(profile="draft-10", pipesize_bytes=48_000, cwnd_bytes=120_000)


@add(
    "careful-resume.unvalidated.no-growth",
    "ACKs of packets sent before the jump do not grow the window",
    """With 24000 in flight the window jumps to 120000 and stays there while twenty old packets are acknowledged.
    PipeSize is 24000 + 24000 = 48000 by the text, 24000 if only packets of the phase count.""",
)
def unvalidated_no_growth(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.send(ENTRY, 1)
    b.ack(CONFIRMED + RTT, (10, 29))
    b.expect(cwnd_bytes=120_000)
    b.expect(profile="rfc-9959", pipesize_bytes=48_000)
    b.expect(profile="rfc-9959-unvalidated", pipesize_bytes=24_000)


@add(
    "careful-resume.unvalidated.pace-current-rtt",
    "The current RTT sets the pace, not the saved RTT",
    """The RTT is 200 ms, twice the saved RTT. The packet after 1200 bytes is due 1200 * 200 ms / 120000 = 2 ms later. By
    the saved RTT it is due after 1 ms, with a gain of 5/4 after 1.6 ms.""",
)
def unvalidated_pace_current_rtt(b: ResumeBuilder) -> None:
    b.begin()
    b.ack(2 * RTT, (0, 9))
    b.wake(250 * MS)
    b.send(250 * MS, 1)
    b.expect(next_release_ns=1_252_000_000)
    b.send(252 * MS, 1)


@add(
    "careful-resume.unvalidated.pace-new-rtt",
    "A new RTT sample sets the pace after the next packet",
    """One packet at 150 ms: the next is due at 151 ms. The ACK at 160 ms gives a sample of 60 ms: 151 ms stays, and
    from there the schedule starts again. Ten packets sent at 160 ms are due until 151 ms + 12000 * 60 ms / 120000 = 157
    ms; but a sender that late may catch up at most (12000 - 1200) * 60 ms / 120000 = 5.4 ms. The schedule moves
    to 160 ms - 5.4 ms = 154.6 ms, and the next packet is due at 160.6 ms.""",
    flags=("same-time-order",),
)
def unvalidated_pace_new_rtt(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.send(ENTRY, 1)
    b.expect(next_release_ns=1_151_000_000)
    b.ack(160 * MS, (10, 10))
    b.expect(next_release_ns=1_151_000_000)
    b.send(160 * MS, 10)
    b.expect(next_release_ns=1_160_600_000)


@add(
    "careful-resume.unvalidated.pace-equal-rtt",
    "A sample that equals the current RTT does not change the schedule",
    """The jump is 220000 / 2 = 110000: 46 packets take ceil(46 * 1200 * 100 ms / 110000) = 50181819 ns. The ACK at 200 ms
    gives a sample of 100 ms again. One more packet is due after ceil(47 * 1200 * 100 ms / 110000) = 51272728 ns.
    A schedule that starts again at each sample has 50181819 + ceil(1200 * 100 ms / 110000) = 51272729 ns.""",
    profiles=RFC,
)
def unvalidated_pace_equal_rtt(b: ResumeBuilder) -> None:
    b.enter_with_flight(cwnd_bytes=220_000)
    b.send(ENTRY, 1)
    for done in range(1, 46, 9):
        b.send(ENTRY - (-(done + 8) * 12 * MS // 11), 9)
    b.ack(CONFIRMED + RTT, (10, 10))
    b.expect(next_release_ns=1_200_181_819)
    b.send(ENTRY + 51 * MS, 1)
    b.expect(next_release_ns=1_201_272_728)


@add(
    "careful-resume.unvalidated.pace-no-drift",
    "The schedule rounds once, not per packet",
    """The jump is 240002 / 2 = 120001: one packet takes ceil(1200 * 100 ms / 120001) = 999992 ns, ten take ceil(10 *
    1200 * 100 ms / 120001) = 9999917 ns. Rounding each interval up would give 10 * 999992 ns = 9999920 ns.""",
)
def unvalidated_pace_no_drift(b: ResumeBuilder) -> None:
    b.enter_empty(cwnd_bytes=240_002)
    b.send(ENTRY, 1)
    b.expect(next_release_ns=1_150_999_992)
    for number in range(1, 10):
        b.send(ENTRY + number * MS, 1)
    b.expect(next_release_ns=1_159_999_917)


@add(
    "careful-resume.unvalidated.burst",
    "A late sender catches up with at most an initial window",
    """One packet at 150 ms; the next ten at 200 ms, fifty intervals late. The packets due by then are bounded to an initial
    window. The schedule moves to 200 ms - 10800 * 100 ms / 120000 = 191 ms. Ten packets take 10 ms from there, and the next is due at 201 ms. Without the bound it is due at 151 ms + 10 * 1 ms = 161 ms, and forty packets may leave at
    once.""",
)
def unvalidated_burst(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.send(ENTRY, 1)
    b.expect(next_release_ns=1_151_000_000)
    b.send(ENTRY + 50 * MS, 10)
    b.expect(next_release_ns=1_201_000_000)


@add(
    "careful-resume.unvalidated.burst-edge",
    "A sender that is late by nine intervals keeps its schedule",
    """The sender is silent for 9 ms, and sends ten packets at 159 ms. The next is due at 150 ms + 12000 * 100 ms / 120000 = 160 ms. A nanosecond
    later the schedule moves by a nanosecond.""",
)
def unvalidated_burst_edge(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.send(ENTRY + 9 * MS, 10)
    b.expect(next_release_ns=1_160_000_000)
    b.send(ENTRY + 19 * MS + 1, 10)
    b.expect(next_release_ns=1_170_000_001)


@add(
    "careful-resume.unvalidated.fill-exact",
    "A full window ends the Unvalidated phase when the last packet is sent",
    """A hundred packets of 1200 bytes fill 120000. In flight are 120000, more than PipeSize 0 and the initial window:
    Validating, with the window at 120000.""",
)
def unvalidated_fill_exact(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(100)
    b.expect(phase="validating", trigger="last_unvalidated_packet_sent", cwnd_bytes=120_000)


@add(
    "careful-resume.unvalidated.fill-with-flight",
    "Bytes in flight before the jump fill the window, too",
    """Twenty packets are in flight at the jump to 120000. Eighty packets fill the window with the last of them: 20 * 1200 + 80 *
    1200 = 120000. The Validating phase begins. A sender that counts only packets of the jump has room for 24000 more.""",
)
def unvalidated_fill_with_flight(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.jump(79)
    b.expect(phase="unvalidated")
    b.send(ENTRY + 79 * MS, 1)
    b.expect(phase="validating", cwnd_bytes=120_000)


@add(
    "careful-resume.unvalidated.fill-partial",
    "Room for less than a datagram counts as a full window",
    """The jump is 241000 / 2 = 120500. After a hundred packets 120500 - 100 * 1200 = 500 bytes remain, less than
    a datagram: Validating, with the window at the 120000 in flight. draft-10 waits for an exact fill.""",
)
def unvalidated_fill_partial(b: ResumeBuilder) -> None:
    b.enter_empty(cwnd_bytes=241_000)
    b.jump(100)
    b.expect(profile=RFC, phase="validating", cwnd_bytes=120_000)
    b.expect(profile="draft-10", phase="unvalidated", cwnd_bytes=120_500)


@add(
    "careful-resume.unvalidated.fill-room",
    "Room for exactly one datagram does not end the phase",
    """The jump is 242400 / 2 = 121200: after a hundred packets 1200 bytes remain, and the phase continues. One more
    packet ends it, with 121200 in flight.""",
)
def unvalidated_fill_room(b: ResumeBuilder) -> None:
    b.enter_empty(cwnd_bytes=242_400)
    b.jump(100)
    b.expect(phase="unvalidated", cwnd_bytes=121_200)
    b.send(ENTRY + 100 * MS, 1)
    b.expect(phase="validating", cwnd_bytes=121_200)

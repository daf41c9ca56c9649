"""Hand-built stimuli of Careful Resume: Safe Retreat and the time after it.

Packets 10 to 109 fill the jump of 120000 bytes.
"""

from firstflight_conformance.format.builder import MS, S
from generate.catalogue import Catalogue
from stimuli.careful_resume.builder import ENTRY, RTT, ResumeBuilder
from stimuli.careful_resume.careful_resume import PROFILES, RFC, SOURCES

CATALOGUE = Catalogue(*PROFILES, sources=SOURCES, builder=ResumeBuilder)
add = CATALOGUE.add


def _full(b: ResumeBuilder, beta: tuple[int, int] = (1, 2)) -> None:
    """Fill the jump from an empty path, and acknowledge fifty packets: window 180000, PipeSize 60000."""
    b.enter_empty(beta=beta)
    b.jump(100)
    b.ack(ENTRY + 149 * MS, (10, 59))


def _retreat(b: ResumeBuilder) -> None:
    """Lose packet 60: window 30000."""
    _full(b)
    b.lose(ENTRY + 152 * MS, (60, 60))


@add(
    "careful-resume.retreat.no-growth",
    "ACKs in Safe Retreat do not grow the window",
    """PipeSize 60000 gives a window of 30000. 48 further packets bring PipeSize to 117600, the window stays. Growth as
    in slow start would give 30000 + 48 * 1200 = 87600.""",
)
def retreat_no_growth(b: ResumeBuilder) -> None:
    _retreat(b)
    b.ack(ENTRY + 160 * MS, (61, 70))
    b.ack(ENTRY + 198 * MS, (71, 108))
    b.expect(profile=RFC, pipesize_bytes=117_600, cwnd_bytes=30_000)


@add(
    "careful-resume.retreat.second-loss",
    "Further losses in Safe Retreat do not reduce the window",
    """The window is 30000 after the first loss and stays there when packets 70 to 79 are lost, and at an ECN-CE mark.
    Halving again would give 30000 / 2 = 15000.""",
)
def retreat_second_loss(b: ResumeBuilder) -> None:
    _retreat(b)
    b.ack(ENTRY + 160 * MS, (61, 69))
    b.lose(ENTRY + 180 * MS, (70, 79))
    b.ack(ENTRY + 181 * MS, (80, 80))
    b.ce(ENTRY + 181 * MS, 80, ENTRY + 70 * MS)
    b.expect(profile=RFC, cwnd_bytes=30_000)
    b.expect(phase="safe_retreat", outcome="already_reduced")


@add(
    "careful-resume.retreat.exit-threshold",
    "The end of Safe Retreat sets the threshold, with the bytes of its own ACK",
    """Packet 60 of a hundred is lost. The last ACK, of packets 71 to 109, brings PipeSize to 99 * 1200 = 118800: the
    threshold is 118800 / 2 = 59400, the window stays 30000. Without the 39 packets of this ACK it would be 60 * 1200 /
    2 = 36000; with Beta 1 118800. Slow start follows: 30000 + 1200 = 31200.""",
)
def retreat_exit_threshold(b: ResumeBuilder) -> None:
    _retreat(b)
    b.ack(ENTRY + 160 * MS, (61, 70))
    b.ack(ENTRY + 199 * MS, (71, 109))
    b.expect(profile=RFC, pipesize_bytes=118_800, ssthresh_bytes=59_400, cwnd_bytes=30_000)
    b.send(ENTRY + 199 * MS, 10)
    b.ack(ENTRY + 299 * MS, (110, 110))
    b.expect(profile=RFC, cwnd_bytes=31_200)


@add(
    "careful-resume.retreat.persistent",
    "Persistent congestion in Safe Retreat ends Careful Resume with the minimum window",
    "The window collapses to 2400. The bound of the threshold still applies: PipeSize 60000 / 2 = 30000.",
    flags=("same-time-order",),
)
def retreat_persistent(b: ResumeBuilder) -> None:
    _full(b)
    b.lose(ENTRY + 900 * MS, (60, 109))
    b.expect(profile=RFC, pipesize_bytes=60_000, cwnd_bytes=30_000)
    b.persistent_congestion(ENTRY + 900 * MS)
    b.expect(phase="normal", cwnd_bytes=2400)
    b.expect(profile=RFC, ssthresh_bytes=30_000)


@add(
    "careful-resume.retreat.spurious-loss",
    "A spurious loss does not restore the window",
    "The window is 30000, and Safe Retreat continues. Undoing the reduction would restore an unvalidated 180000.",
)
def retreat_spurious_loss(b: ResumeBuilder) -> None:
    _retreat(b)
    b.spurious_loss(ENTRY + 155 * MS)
    b.ack(ENTRY + 160 * MS, (61, 61))
    b.expect(profile=RFC, phase="safe_retreat", cwnd_bytes=30_000)


@add(
    "careful-resume.retreat.path-change",
    "A signal that the path changed is ignored in Safe Retreat",
    "The window is 30000 and stays.",
)
def retreat_path_change(b: ResumeBuilder) -> None:
    _retreat(b)
    b.path_change(ENTRY + 155 * MS)
    b.expect(profile=RFC, phase="safe_retreat", cwnd_bytes=30_000)


@add(
    "careful-resume.retreat.late-loss",
    "A loss found after Safe Retreat, of a packet sent before it, does not reduce the window again",
    """Packet 60 begins Safe Retreat at 302 ms, the ACK of packet 109 ends it: PipeSize (50 + 1) * 1200 = 61200,
    threshold 30600. Packets 61 to 108, sent before Safe Retreat, are lost then: they belong to the recovery period that Safe
    Retreat began, and 30000 stays. A sender that has forgotten the start of that period has 30000 / 2 = 15000, which
    conforms (A49). draft-10 waits for these packets.""",
    profiles=RFC,
)
def retreat_late_loss(b: ResumeBuilder) -> None:
    _retreat(b)
    b.ack(ENTRY + 199 * MS, (109, 109))
    b.expect(pipesize_bytes=61_200, ssthresh_bytes=30_600)
    b.lose(ENTRY + 220 * MS, (61, 108))
    b.expect(outcome="already_reduced", cwnd_bytes=30_000)


@add(
    "careful-resume.retreat.no-return-to-jump",
    "After Safe Retreat the window approaches the threshold, not the jump",
    """Window 30000, threshold 59400. Slow start doubles: 30000, then 60000 above the threshold: 25 packets bring it
    to 60000, the last packet across the threshold. A round trip of 50 packets in congestion avoidance brings about one
    datagram: floor(1440000 / 60000) = 24 bytes for the first packet, and so on. A base controller that remembers the jump
    climbs back to it.""",
    tier="core",
)
def retreat_no_return_to_jump(b: ResumeBuilder) -> None:
    _retreat(b)
    b.ack(ENTRY + 199 * MS, (61, 109))
    for number, packets in enumerate((25, 50, 50, 50), 2):
        first = b.ledger.next_packet
        b.send(ENTRY + number * RTT, packets)
        b.ack(ENTRY + (number + 1) * RTT, (first, first + packets - 1))


@add(
    "careful-resume.retreat.last-lost-others-in-flight",
    "In draft-10 the loss of the last unvalidated packet ends Safe Retreat while later packets are in flight",
    """Packet 60 is lost after packets 10 to 59: PipeSize 60000, window 30000. Packets 61 to 108, 110 and 111 are
    acknowledged. By the text PipeSize is 60000 + 50 * 1200 = 120000. Packet 110 ends Safe Retreat with the threshold
    60000. If only packets of the phase count, PipeSize is 60000 + 48 * 1200 = 117600 and the threshold 58800.
    draft-10 begins PipeSize with 24000: 84000, window 42000, then 144000, and waits for packet 109. Its loss leaves
    no unvalidated packet: the threshold is 144000 / 2 = 72000, although packets 112 to 115 are in flight.""",
)
def retreat_last_lost_others_in_flight(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(100)
    b.ack(ENTRY + RTT, (10, 10))
    b.send(ENTRY + RTT, 2)
    b.ack(ENTRY + 149 * MS, (11, 59))
    b.lose(ENTRY + 152 * MS, (60, 60))
    b.expect(profile=RFC, pipesize_bytes=60_000, cwnd_bytes=30_000)
    b.expect(profile="draft-10", pipesize_bytes=84_000, cwnd_bytes=42_000)
    b.ack(ENTRY + 198 * MS, (61, 108))
    b.send(ENTRY + 198 * MS, 4)
    b.ack(ENTRY + 2 * RTT, (110, 111))
    b.expect(profile="rfc-9959", phase="normal", pipesize_bytes=120_000, ssthresh_bytes=60_000)
    b.expect(profile="rfc-9959-unvalidated", phase="normal", pipesize_bytes=117_600, ssthresh_bytes=58_800)
    b.expect(profile="draft-10", phase="safe_retreat", pipesize_bytes=144_000, ssthresh_bytes=None)
    b.lose(ENTRY + 212 * MS, (109, 109))
    b.expect(profile=RFC, outcome="already_reduced", cwnd_bytes=30_000)
    b.expect(profile="draft-10", outcome="retreat_ended", ssthresh_bytes=72_000, cwnd_bytes=42_000)


@add(
    "careful-resume.retreat.after-four-seconds",
    "A loss of a packet sent before Safe Retreat, more than 2^32 ns after the start",
    """Data waits after 5 s: the jump is 120000, and eleven packets leave. Packet 10 is lost before an ACK of the jump: the
    window is two datagrams, 2400. The ACK of packet 20 ends Safe Retreat. Packets 11 to 17, sent before it, are lost then: they
    belong to the recovery period that Safe Retreat began, and 2400 stays. A sender that has forgotten the start of that
    period conforms (A49).""",
    profiles=RFC,
)
def retreat_after_four_seconds(b: ResumeBuilder) -> None:
    b.begin()
    b.ack(RTT, (0, 9))
    b.wake(5 * S)
    b.send(5 * S, 1)
    b.send(5 * S + 10 * MS, 10)
    b.lose(5 * S + RTT + 13 * MS, (10, 10))
    b.expect(phase="safe_retreat", cwnd_bytes=2400)
    b.ack(5 * S + RTT + 13 * MS, (18, 20))
    b.expect(outcome="retreat_ended", phase="normal", cwnd_bytes=2400)
    b.lose(5 * S + RTT + 20 * MS, (11, 17))
    b.expect(outcome="already_reduced", cwnd_bytes=2400)


def _reduced_before(b: ResumeBuilder) -> None:
    """Grow to 48000, halve that at a mark, and confirm the path with ten packets: window and threshold 24000."""
    b.send(0, 10)
    b.ack(RTT, (0, 9))
    b.send(RTT, 20)
    b.ack(2 * RTT, (10, 29))
    b.ce(2 * RTT, 29, RTT)
    b.expect(cwnd_bytes=24_000, ssthresh_bytes=24_000)
    b.saved_path(2 * RTT + MS)
    b.send(2 * RTT + 2 * MS, 10, app_limited=True)
    b.ack(3 * RTT + 2 * MS, (30, 39), app_limited=True)
    b.wake(3 * RTT + 3 * MS)
    b.expect(phase="unvalidated", cwnd_bytes=120_000)


@add(
    "careful-resume.retreat.threshold-a-little-lower",
    "A threshold that is a little lower than the bound stays",
    """A mark before the offer leaves window and threshold at 24000. The jump is 120000, and 51 packets leave. Packets 40 to 80 of them are acknowledged
    before packet 81 is lost. The ACK of packets 82 to 90 ends Safe Retreat: PipeSize is 50 * 1200 = 60000, and the bound
    60000 / 2 = 30000. The threshold 24000 is lower and stays.""",
    flags=("same-time-order",),
)
def retreat_threshold_a_little_lower(b: ResumeBuilder) -> None:
    _reduced_before(b)
    b.jump(51, 3 * RTT + 3 * MS)
    b.ack(4 * RTT + 3 * MS, (40, 40))
    b.expect(phase="validating")
    b.ack(4 * RTT + 43 * MS, (41, 80))
    b.lose(4 * RTT + 53 * MS, (81, 81))
    b.ack(4 * RTT + 53 * MS, (82, 90))
    b.expect(profile=RFC, outcome="retreat_ended", ssthresh_bytes=24_000)


@add(
    "careful-resume.retreat.threshold-a-little-higher",
    "A threshold that is higher than the bound becomes the bound",
    """A mark before the offer leaves window and threshold at 24000. The jump is 120000, and 31 packets leave. Packets 40 to 60 of them are acknowledged
    before packet 61 is lost. The ACK of packets 62 to 70 ends Safe Retreat: PipeSize is 30 * 1200 = 36000, and the bound 18000,
    more than the initial window. The threshold becomes 18000. draft-10 has a PipeSize of 24000 + 36000 = 60000, and
    its bound of 60000 / 2 = 30000 leaves 24000.""",
    flags=("same-time-order",),
)
def retreat_threshold_a_little_higher(b: ResumeBuilder) -> None:
    _reduced_before(b)
    b.jump(31, 3 * RTT + 3 * MS)
    b.ack(4 * RTT + 3 * MS, (40, 40))
    b.expect(phase="validating")
    b.ack(4 * RTT + 23 * MS, (41, 60))
    b.lose(4 * RTT + 33 * MS, (61, 61))
    b.ack(4 * RTT + 33 * MS, (62, 70))
    b.expect(profile=RFC, outcome="retreat_ended", ssthresh_bytes=18_000)
    b.expect(profile="draft-10", outcome="retreat_ended", ssthresh_bytes=24_000)

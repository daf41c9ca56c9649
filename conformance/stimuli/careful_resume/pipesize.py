"""Hand-built stimuli of Careful Resume: the window of Safe Retreat, and the packet that ends it.

Packets 10 to 109 fill the jump of 120000 bytes.
"""

from firstflight_conformance.format.builder import MS
from generate.catalogue import Catalogue
from stimuli.careful_resume.builder import ENTRY, RTT, ResumeBuilder
from stimuli.careful_resume.careful_resume import PROFILES, RFC, SOURCES

CATALOGUE = Catalogue(*PROFILES, sources=SOURCES, builder=ResumeBuilder)
add = CATALOGUE.add


def _jump_after_loss(b: ResumeBuilder) -> None:
    """Enter the Unvalidated phase with a threshold of 6000, from a loss before the offer. The next packet is 5."""
    b.send(0, 1, app_limited=True)
    b.lose(10 * MS, (0, 0))
    b.saved_path(20 * MS)
    b.send(20 * MS, 4, app_limited=True)
    b.ack(20 * MS + RTT, (1, 4), app_limited=True)
    b.wake(ENTRY)


@add(
    "careful-resume.retreat.beta-seven-tenths",
    "Beta is a fraction, and its product is rounded down",
    """One packet of 401 bytes and 84 of 1200. The ACK of the first leaves 100800 in flight: Validating. Packet 11 is
    lost: PipeSize 401, window 2400. The other 83 are acknowledged: PipeSize 401 + 99600 = 100001, and the threshold
    floor(100001 * 7 / 10) = 70000. draft-10 begins PipeSize with 24000: 124001, 86800.""",
)
def retreat_beta_seven_tenths(b: ResumeBuilder) -> None:
    b.enter_empty(beta=(7, 10))
    b.send(ENTRY, 1, 401)
    for number in range(1, 9):
        b.send(ENTRY + 10 * number * MS, 10)
    b.send(ENTRY + 85 * MS, 4)
    b.ack(ENTRY + RTT, (10, 10))
    b.lose(ENTRY + 113 * MS, (11, 11))
    b.ack(ENTRY + 185 * MS, (12, 94))
    b.expect(profile=RFC, pipesize_bytes=100_001, ssthresh_bytes=70_000)
    b.expect(profile="draft-10", pipesize_bytes=124_001, ssthresh_bytes=86_800)


@add(
    "careful-resume.normal.large-threshold",
    "A threshold of more than 32 bits",
    """The configured window is 2^34 = 17179869184 bytes. A loss halves it to 2^33 = 8589934592, which is the threshold
    as well. The ACK of packets that were sent before the loss was detected changes neither.""",
    flags=("same-time-order",),
    initial_window_bytes=2**34,
)
def normal_large_threshold(b: ResumeBuilder) -> None:
    b.send(0, 10, app_limited=True)
    b.lose(RTT, (0, 0))
    b.expect(cwnd_bytes=2**33, ssthresh_bytes=2**33)
    b.ack(RTT, (1, 9))
    b.expect(cwnd_bytes=2**33, ssthresh_bytes=2**33)


@add(
    "careful-resume.retreat.threshold-lower",
    "A threshold that is already lower stays",
    """A packet lost before the set is offered leaves a threshold of 6000. The jump fills from an empty path, packet 15
    is lost after packets 5 to 14: PipeSize 12000, window 6000. Packets 20 to 104 make PipeSize 114000, but the
    threshold stays 6000, which is less than 114000 / 2 = 57000.""",
    profiles=RFC,
)
def retreat_threshold_lower(b: ResumeBuilder) -> None:
    _jump_after_loss(b)
    b.jump(100)
    b.ack(ENTRY + 109 * MS, (5, 14))
    b.lose(ENTRY + 112 * MS, (15, 15))
    b.expect(pipesize_bytes=12_000, cwnd_bytes=6000)
    b.ack(ENTRY + 199 * MS, (20, 104))
    b.expect(pipesize_bytes=114_000, ssthresh_bytes=6000)


@add(
    "careful-resume.retreat.threshold-higher",
    "A threshold that was set before falls to the bound",
    """A packet lost before the set is offered leaves a threshold of 6000. Five packets of the jump leave on an empty path.
    Packet 5 is lost: PipeSize 0, window 2400, the minimum. Packets 6 to 9 make PipeSize 4 * 1200 = 4800, and end Safe
    Retreat: the threshold becomes 4800 / 2 = 2400. The next packet crosses it: 2400 + 1200 = 3600. Congestion avoidance
    follows: 3600 + 1200 * 1200 / 3600 = 4000. With the threshold of 6000 slow start gives 4800. If congestion
    avoidance begins at the threshold, the two packets give 2400 + 600 = 3000 and 3000 + 480 = 3480.""",
    profiles=RFC,
    alternatives=({"at_threshold": "avoidance"},),
)
def retreat_threshold_higher(b: ResumeBuilder) -> None:
    _jump_after_loss(b)
    b.jump(5)
    b.lose(ENTRY + 104 * MS, (5, 5))
    b.expect(pipesize_bytes=0, cwnd_bytes=2400, ssthresh_bytes=6000)
    b.ack(ENTRY + 104 * MS, (6, 9))
    b.expect(pipesize_bytes=4800, cwnd_bytes=2400, ssthresh_bytes=2400)
    b.send(ENTRY + 105 * MS, 2)
    b.ack(ENTRY + 205 * MS, (10, 10))
    b.expect(cwnd_bytes=3600)
    b.ack(ENTRY + 206 * MS, (11, 11))
    b.expect(cwnd_bytes=4000)


@add(
    "careful-resume.retreat.all-lost",
    "If every unvalidated packet is lost, the ACK of a later packet ends Safe Retreat",
    """All twenty packets are lost: PipeSize 0, the window is 2400. Packet 30, sent in Safe Retreat and
    later than the last unvalidated packet, is acknowledged. By the text PipeSize is 1200 and the threshold 600; if only packets of the phase count, both are 0. draft-10 ends with the loss, as no packet is outstanding.""",
    profiles=RFC,
)
def retreat_all_lost(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(20)
    b.lose(ENTRY + 90 * MS, (10, 29))
    b.expect(pipesize_bytes=0, cwnd_bytes=2400)
    b.send(ENTRY + 90 * MS, 1)
    b.ack(ENTRY + 190 * MS, (30, 30))
    b.expect(profile="rfc-9959", pipesize_bytes=1200, ssthresh_bytes=600)
    b.expect(profile="rfc-9959-unvalidated", pipesize_bytes=0, ssthresh_bytes=0)


@add(
    "careful-resume.retreat.acknowledged-or-lost",
    "In draft-10 Safe Retreat ends when the last outstanding unvalidated packet is lost",
    """Thirty packets are sent and the first is lost: Safe Retreat begins at PipeSize 24000, the window at the jump, with
    12000. Packets 11 to 38 make PipeSize 57600. After the loss of 39 no packet is outstanding: the threshold is 28800.""",
    profiles=("draft-10",),
)
def retreat_acknowledged_or_lost(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(30)
    b.lose(ENTRY + 90 * MS, (10, 10))
    b.expect(pipesize_bytes=24_000, cwnd_bytes=12_000)
    b.ack(ENTRY + 128 * MS, (11, 38))
    b.lose(ENTRY + 140 * MS, (39, 39))
    b.expect(pipesize_bytes=57_600, ssthresh_bytes=28_800)


@add(
    "careful-resume.retreat.floor",
    "The window of Safe Retreat is at least two datagrams",
    """PipeSize is 600 + 1200 + 1200 = 3000 when packet 13 is lost: max(3000 / 2, 2 * 1200) = 2400. A floor at the
    initial window gives 12000, no floor 3000 / 2 = 1500. draft-10: PipeSize 27000, max(27000 / 2, 12000) = 13500.""",
)
def retreat_floor(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.send_sizes(ENTRY + 10 * MS, [(1, 600), (9, 1200)])
    for number in range(2, 6):
        b.send(ENTRY + 10 * number * MS, 10)
    b.ack(ENTRY + RTT, (10, 12))
    b.lose(ENTRY + 103 * MS, (13, 13))
    b.expect(profile=RFC, pipesize_bytes=3000, cwnd_bytes=2400)
    b.expect(profile="draft-10", pipesize_bytes=27_000, cwnd_bytes=13_500)


@add(
    "careful-resume.retreat.pipesize-zero",
    "The first ACK covers packet 13 only, and packet 10 is lost: ACK first",
    """The ACK ends the Unvalidated phase: 58800 in flight, more than PipeSize 1200: Validating. The loss then leads to
    Safe Retreat with max(600, 2400) = 2400. A floor of the initial window gives 12000.""",
    flags=("same-time-order",),
)
def retreat_pipesize_zero(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.send(ENTRY + 9 * MS, 10)
    for number in range(2, 6):
        b.send(ENTRY + 10 * number * MS, 10)
    b.ack(ENTRY + RTT, (13, 13))
    b.expect(phase="validating", cwnd_bytes=58_800)
    b.lose(ENTRY + RTT, (10, 10))
    b.expect(profile=RFC, cwnd_bytes=2400)


@add(
    "careful-resume.retreat.pipesize-zero-loss-first",
    "The first ACK covers packet 13 only, and packet 10 is lost: loss first",
    """Packet 10 is lost in the Unvalidated phase with PipeSize 0: 2400 as well. The ACK brings PipeSize to 1200.
    draft-10: PipeSize 24000, 12000.""",
    flags=("same-time-order",),
)
def retreat_pipesize_zero_loss_first(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.send(ENTRY + 9 * MS, 10)
    for number in range(2, 6):
        b.send(ENTRY + 10 * number * MS, 10)
    b.lose(ENTRY + RTT, (10, 10))
    b.expect(profile=RFC, pipesize_bytes=0, cwnd_bytes=2400)
    b.expect(profile="draft-10", pipesize_bytes=24_000, cwnd_bytes=12_000)
    b.ack(ENTRY + RTT, (13, 13))
    b.expect(profile=RFC, pipesize_bytes=1200, cwnd_bytes=2400)


@add(
    "careful-resume.retreat.ack-and-loss",
    "One frame acknowledges packets 41 to 44 and shows that 40 is lost: ACK first",
    "PipeSize is (30 + 4) * 1200 = 40800 at the loss: the window becomes 20400.",
    flags=("same-time-order",),
)
def retreat_ack_and_loss(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(50)
    b.ack(ENTRY + RTT, (10, 10))
    b.ack(ENTRY + 130 * MS, (11, 39))
    b.ack(ENTRY + 134 * MS, (41, 44))
    b.lose(ENTRY + 134 * MS, (40, 40))
    b.expect(profile=RFC, pipesize_bytes=40_800, cwnd_bytes=20_400)


@add(
    "careful-resume.retreat.loss-and-ack",
    "One frame acknowledges packets 41 to 44 and shows that 40 is lost: loss first",
    """PipeSize is 30 * 1200 = 36000 at the loss: the window becomes 18000, two datagrams less. The ACK in Safe Retreat
    adds 4800 to PipeSize and does not grow the window.""",
    flags=("same-time-order",),
)
def retreat_loss_and_ack(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(50)
    b.ack(ENTRY + RTT, (10, 10))
    b.ack(ENTRY + 130 * MS, (11, 39))
    b.lose(ENTRY + 134 * MS, (40, 40))
    b.expect(profile=RFC, pipesize_bytes=36_000, cwnd_bytes=18_000)
    b.ack(ENTRY + 134 * MS, (41, 44))
    b.expect(profile=RFC, pipesize_bytes=40_800, cwnd_bytes=18_000)


@add(
    "careful-resume.retreat.last-lost",
    "The last unvalidated packet is lost, a later packet is acknowledged",
    """After the first ACK two packets, 110 and 111, are sent in the Validating phase. Packets 10 to 108 make PipeSize
    118800. The loss of packet 109 begins Safe Retreat with 59400; the ACK of packet 111 ends it. By the text PipeSize
    is 120000 and the threshold 60000; if only packets of the phase count 118800 and 59400. In draft-10 no packet is
    outstanding after the loss, and the next ACK ends Safe Retreat.""",
)
def retreat_last_lost(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(100)
    b.ack(ENTRY + RTT, (10, 10))
    b.send(ENTRY + RTT, 2)
    b.ack(ENTRY + 198 * MS, (11, 108))
    b.lose(ENTRY + 2 * RTT, (109, 109))
    b.expect(profile=RFC, pipesize_bytes=118_800, cwnd_bytes=59_400)
    b.ack(ENTRY + 2 * RTT, (111, 111))
    b.expect(profile="rfc-9959", pipesize_bytes=120_000, ssthresh_bytes=60_000)
    b.expect(profile="rfc-9959-unvalidated", pipesize_bytes=118_800, ssthresh_bytes=59_400)


@add(
    "careful-resume.retreat.validating-packets",
    "Packets sent in the Validating phase do not prolong Safe Retreat",
    """Two packets, 110 and 111, are sent in the Validating phase. Packet 60 is lost after packets 10 to 59: PipeSize
    60000, window 30000. The ACK of packets 61 to 109 ends Safe Retreat although 110 and 111 are in flight: PipeSize
    118800, threshold 59400. An implementation that waits for the last packet sent keeps the threshold infinite.""",
)
def retreat_validating_packets(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(100)
    b.ack(ENTRY + RTT, (10, 10))
    b.send(ENTRY + RTT, 2)
    b.ack(ENTRY + 149 * MS, (11, 59))
    b.lose(ENTRY + 152 * MS, (60, 60))
    b.expect(profile=RFC, pipesize_bytes=60_000, cwnd_bytes=30_000)
    b.ack(ENTRY + 199 * MS, (61, 109))
    b.expect(profile=RFC, phase="normal", pipesize_bytes=118_800, ssthresh_bytes=59_400)


@add(
    "careful-resume.retreat.validating-loss",
    "Recovery outlasts Safe Retreat: a later loss of the Validating phase does not reduce the window again",
    """Two packets, 110 and 111, are sent in the Validating phase. Packet 60 is lost: PipeSize 60000, window 30000. The
    ACK of packets 61 to 109 ends Safe Retreat. Packet 110 is lost then. It was sent before Safe Retreat, and recovery
    lasts until the last packet of the Validating phase is acknowledged: 30000 stays. If recovery ended with Safe
    Retreat, the loss would halve the window to 30000 / 2 = 15000.""",
)
def retreat_validating_loss(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(100)
    b.ack(ENTRY + RTT, (10, 10))
    b.send(ENTRY + RTT, 2)
    b.ack(ENTRY + 149 * MS, (11, 59))
    b.lose(ENTRY + 152 * MS, (60, 60))
    b.expect(profile=RFC, pipesize_bytes=60_000, cwnd_bytes=30_000)
    b.ack(ENTRY + 199 * MS, (61, 109))
    b.lose(ENTRY + 2 * RTT + MS, (110, 110))
    b.expect(profile=RFC, outcome="already_reduced", cwnd_bytes=30_000)
    b.ack(ENTRY + 2 * RTT + 2 * MS, (111, 111))
    b.expect(profile=RFC, cwnd_bytes=30_000)


@add(
    "careful-resume.retreat.window-equals-threshold",
    "A window equal to the threshold: slow start in an example, avoidance by RFC 9002; both are right",
    """PipeSize is 30 * 1200 = 36000 at the loss: window 18000. Nineteen more packets follow, and only the last, of one byte,
    is acknowledged. PipeSize 36001, threshold floor(36001 / 2) = 18000, the window. One more packet: 18000 + 1200 = 19200
    in slow start, 18000 + floor(1440000 / 18000) = 18080 in congestion avoidance.""",
    profiles=RFC,
    alternatives=({"at_threshold": "avoidance"},),
)
def retreat_window_equals_threshold(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(49)
    b.send(ENTRY + 50 * MS, 1, 1)
    b.ack(ENTRY + RTT, (10, 10))
    b.ack(ENTRY + 130 * MS, (11, 39))
    b.lose(ENTRY + 140 * MS, (40, 58))
    b.ack(ENTRY + 150 * MS, (59, 59))
    b.expect(pipesize_bytes=36_001, ssthresh_bytes=18_000, cwnd_bytes=18_000)
    b.send(ENTRY + 150 * MS, 1)
    b.ack(ENTRY + 250 * MS, (60, 60))
    b.expect(cwnd_bytes=19_200)


@add(
    "careful-resume.retreat.threshold-between",
    "A threshold between the bound and PipeSize falls to the bound",
    """A packet lost before the set is offered leaves a threshold of 6000. Ten packets of the jump leave on an empty
    path. Packet 5 is lost: PipeSize 0, window 2400. Packets 6 to 14 make PipeSize 9 * 1200 = 10800 and end Safe
    Retreat. The threshold of 6000 is below PipeSize, but above the bound 10800 / 2 = 5400: it becomes 5400.""",
    profiles=RFC,
    flags=("same-time-order",),
)
def retreat_threshold_between(b: ResumeBuilder) -> None:
    _jump_after_loss(b)
    b.jump(10)
    b.lose(ENTRY + 109 * MS, (5, 5))
    b.expect(pipesize_bytes=0, cwnd_bytes=2400, ssthresh_bytes=6000)
    b.ack(ENTRY + 109 * MS, (6, 14))
    b.expect(pipesize_bytes=10_800, cwnd_bytes=2400, ssthresh_bytes=5400)


@add(
    "careful-resume.retreat.floor-from-window",
    "With PipeSize below two initial windows the floor of draft-10 is the initial window",
    """Five packets of initial data bring the window to 18000. Thirty packets of the jump are sent. The ACK of packets
    6 and 7 makes PipeSize 2400. Packet 5 is lost: the window is max(2400 / 2, 2 * 1200) = 2400. draft-10 begins
    PipeSize with the window: 18000 + 2400 = 20400, and max(20400 / 2, 12000) = 12000.""",
)
def retreat_floor_from_window(b: ResumeBuilder) -> None:
    b.begin(5)
    b.ack(RTT, (0, 4))
    b.expect(cwnd_bytes=18_000)
    b.wake(ENTRY)
    b.jump(30)
    b.ack(ENTRY + 110 * MS, (6, 7))
    b.lose(ENTRY + 113 * MS, (5, 5))
    b.expect(profile=RFC, pipesize_bytes=2400, cwnd_bytes=2400)
    b.expect(profile="draft-10", pipesize_bytes=20_400, cwnd_bytes=12_000)

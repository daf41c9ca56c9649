"""Hand-built stimuli of Careful Resume: the data that waits in Reconnaissance, and the initial data."""

from firstflight_conformance.format.builder import MS
from generate.catalogue import Catalogue
from stimuli.careful_resume.builder import CONFIRMED, RTT, ResumeBuilder
from stimuli.careful_resume.careful_resume import PROFILES, RFC, SOURCES

CATALOGUE = Catalogue(*PROFILES, sources=SOURCES, builder=ResumeBuilder)
add = CATALOGUE.add


@add(
    "careful-resume.reconnaissance.waiting-fits",
    "Sent bytes no longer wait, and a backlog that just fits into the window does not cause a jump",
    """36000 bytes are ready, and 12000 of them fill the initial window: 24000 wait. The ACK of the initial data grows
    the window to 24000 with an empty path: the backlog fits, no jump. One byte more, 24001, jumps to 120000. An
    implementation that never subtracts sent bytes jumps at the ACK, since 36000 > 24000.""",
)
def reconnaissance_waiting_fits(b: ResumeBuilder) -> None:
    b.saved_path(0)
    b.wake(0, 36_000)
    b.send(0, 10)
    b.ack(CONFIRMED, (0, 9))
    b.expect(phase="reconnaissance", cwnd_bytes=24_000)
    b.wake(CONFIRMED + MS, 24_001)
    b.expect(phase="unvalidated", cwnd_bytes=120_000)


@add(
    "careful-resume.reconnaissance.waiting-above-16-bits",
    "A backlog that exceeds 16 bits after the initial data was sent",
    """100000 bytes are ready, and 12000 of them are sent: 100000 - 12000 = 88000 wait. The ACK grows the window to
    24000, less than 88000: it jumps to 120000. In 16 bits the backlog is 88000 - 65536 = 22464, which fits into 24000.""",
)
def reconnaissance_waiting_above_16_bits(b: ResumeBuilder) -> None:
    b.saved_path(0)
    b.wake(0, 100_000)
    b.send(0, 10)
    b.ack(CONFIRMED, (0, 9))
    b.expect(phase="unvalidated", cwnd_bytes=120_000)


@add(
    "careful-resume.reconnaissance.waiting-cancelled",
    "An application-limited packet ends the wait, although less was sent than was queued",
    """The application queues 40000 bytes and cancels most of them: five packets are sent, the last of them
    application-limited. The ACK grows the window by 6000 to 18000, and it stays there. Without the application limit
    40000 - 6000 = 34000 would wait, more than 18000.""",
)
def reconnaissance_waiting_cancelled(b: ResumeBuilder) -> None:
    b.saved_path(0)
    b.wake(0, 40_000)
    b.send(0, 5, app_limited=True)
    b.ack(CONFIRMED, (0, 4))
    b.expect(phase="reconnaissance", cwnd_bytes=18_000)


def _exceed_window(b: ResumeBuilder, *, app_limited: bool) -> None:
    """Halve the window while ten packets of the setup are in flight, offer the set, and acknowledge packet 1."""
    b.send(0, 10, app_limited=app_limited)
    b.ce(RTT, 0, 0)
    b.ack(RTT, (0, 0))
    b.saved_path(RTT + MS)
    b.ack(RTT + 2 * MS, (1, 1))


@add(
    "careful-resume.reconnaissance.waiting-window-exceeded",
    "With more bytes in flight than the window and no waiting data the window does not jump",
    """Ten packets of the setup fill the window; a mark on the first of them halves 12000 to 6000. The set is offered
    with 10800 in flight. The ACK of packet 1 leaves 9600, more than 6000: the window has room for 0 bytes, and 0
    wait. No jump, also in draft-10, where the sample confirms the path. If the free window is negative, 9600 - 6000 = 3600
    bytes below 0, draft-10 jumps.""",
    flags=("same-time-order",),
)
def reconnaissance_waiting_window_exceeded(b: ResumeBuilder) -> None:
    _exceed_window(b, app_limited=True)
    b.expect(phase="reconnaissance", cwnd_bytes=6000)


@add(
    "careful-resume.reconnaissance.waiting-unannounced-setup",
    "Packets sent without an announced backlog leave 0 bytes waiting, not fewer",
    """Ten packets of the setup are sent, not application-limited and without a backlog event: max(0, 0 - 12000) = 0
    bytes wait. A mark halves the window to 6000. The ACK of packet 1 leaves 9600 in flight: no room and 0 bytes
    waiting. No jump, also in draft-10, where the sample confirms the path. With one byte waiting and no room, draft-10
    jumps.""",
    flags=("same-time-order",),
)
def reconnaissance_waiting_unannounced_setup(b: ResumeBuilder) -> None:
    _exceed_window(b, app_limited=False)
    b.expect(phase="reconnaissance", cwnd_bytes=6000)


@add(
    "careful-resume.reconnaissance.setup-in-flight",
    "Setup packets in flight and data ready at the offer do not count as initial data",
    """Three packets of the setup, 3600 bytes, are in flight and a gigabyte is ready when the set is offered. Seven
    packets of initial data fill the initial window. One ACK covers all ten: 12000 + 12000 = 24000, all initial data
    is acknowledged, and the window jumps to 120000. An implementation that adds the 3600 bytes to the initial data,
    but does not subtract their ACK, waits.""",
)
def reconnaissance_setup_in_flight(b: ResumeBuilder) -> None:
    b.send(0, 3, app_limited=True)
    b.wake(40 * MS)
    b.saved_path(50 * MS)
    b.expect(outcome="resuming")
    b.send(50 * MS, 7)
    b.ack(50 * MS + RTT, (0, 9))
    b.expect(phase="unvalidated", cwnd_bytes=120_000)
    b.expect(profile=RFC, pipesize_bytes=0)
    b.expect(profile="draft-10", pipesize_bytes=24_000)


@add(
    "careful-resume.reconnaissance.first-packet-alone",
    "An ACK of only the first packet closes the initial data",
    """Packet 0 is acknowledged alone: the initial data is packets 0 to 9. Packets 10 and 11 are sent after that, and
    do not belong to it. The ACK of packets 1 to 9 confirms the path, and the window is 24000. Data makes it jump to
    120000, with the 2400 bytes of packets 10 and 11 in flight. An implementation that waits for packets 10 and 11
    stays at 24000.""",
)
def reconnaissance_first_packet_alone(b: ResumeBuilder) -> None:
    b.begin()
    b.ack(CONFIRMED, (0, 0))
    b.send(CONFIRMED, 2, app_limited=True)
    b.ack(CONFIRMED + MS, (1, 9))
    b.expect(phase="reconnaissance", cwnd_bytes=24_000)
    b.wake(CONFIRMED + 2 * MS)
    b.expect(phase="unvalidated", cwnd_bytes=120_000)
    b.expect(profile=RFC, pipesize_bytes=2400)
    b.expect(profile="draft-10", pipesize_bytes=24_000)


@add(
    "careful-resume.reconnaissance.waiting-with-flight",
    "Bytes in flight take room in the window",
    """The initial data is acknowledged, and the window is 24000. Ten packets of new data are in flight: the window has room
    for 24000 - 12000 = 12000. 12000 bytes wait and fit: no jump. 12001 bytes do not fit: it jumps to 120000. A sender that compares
    with the whole window stays at 24000.""",
)
def reconnaissance_waiting_with_flight(b: ResumeBuilder) -> None:
    b.confirm()
    b.send(CONFIRMED + MS, 10, app_limited=True)
    b.wake(CONFIRMED + 2 * MS, 12_000)
    b.expect(phase="reconnaissance", cwnd_bytes=24_000)
    b.wake(CONFIRMED + 3 * MS, 12_001)
    b.expect(phase="unvalidated", cwnd_bytes=120_000)

"""Hand-built stimuli of Careful Resume: the end of Reconnaissance, and obstacles to the jump."""

from firstflight_conformance.format.builder import MS
from generate.catalogue import Catalogue
from stimuli.careful_resume.builder import CONFIRMED, ENTRY, RTT, ResumeBuilder
from stimuli.careful_resume.careful_resume import PROFILES, RFC, SOURCES

CATALOGUE = Catalogue(*PROFILES, sources=SOURCES, builder=ResumeBuilder)
add = CATALOGUE.add


@add(
    "careful-resume.reconnaissance.partial-ack",
    "Nine of ten packets of the initial data do not confirm the path",
    """The window is 12000 + 9 * 1200 = 22800, and more data waits. Packet 9 is not acknowledged: no jump before its
    ACK, which jumps to 120000. draft-10 needs only a sample.""",
)
def reconnaissance_partial_ack(b: ResumeBuilder) -> None:
    b.begin()
    b.ack(CONFIRMED, (0, 8))
    b.wake(CONFIRMED + MS)
    b.ack(CONFIRMED + 2 * MS, (9, 9))
    b.expect(at=2, cwnd_bytes=22_800)
    b.expect(profile=RFC, at=3, phase="reconnaissance", cwnd_bytes=22_800)
    b.expect(profile="draft-10", at=3, cwnd_bytes=120_000)
    b.expect(profile=RFC, cwnd_bytes=120_000)


@add(
    "careful-resume.reconnaissance.last-ack-first",
    "The ACK of the last packet of the initial data does not cover the others",
    """Packet 9 is acknowledged first; data waits, but nine packets are missing: no jump. The ACK of the others confirms
    the path and jumps to 120000. draft-10 needs a sample only.""",
)
def reconnaissance_last_ack_first(b: ResumeBuilder) -> None:
    b.begin()
    b.ack(CONFIRMED, (9, 9))
    b.wake(CONFIRMED + MS)
    b.ack(CONFIRMED + 2 * MS, (0, 8))
    b.expect(at=2, cwnd_bytes=13_200)
    b.expect(profile=RFC, at=3, phase="reconnaissance")
    b.expect(profile="draft-10", at=3, cwnd_bytes=120_000)
    b.expect(profile=RFC, cwnd_bytes=120_000)


@add(
    "careful-resume.reconnaissance.large-initial-data",
    "120 packets of initial data are more than 65535 bytes",
    """The initial window is configured as 120 * 1200 = 144000 bytes, and all of it is sent. Eleven packets are
    acknowledged: 144000 - 11 * 1200 = 130800 bytes are left, and the path is not confirmed. The window is 144000 +
    13200 = 157200. The ACK of all others confirms the path: the window jumps to half of the saved 2000000. A counter of
    16 bits has 132000 - 2 * 65536 = 928 bytes after the first ten packets, so it confirms the path with the next one.""",
    profiles=RFC,
    initial_window_bytes=144_000,
)
def reconnaissance_large_initial_data(b: ResumeBuilder) -> None:
    b.begin(120, cwnd_bytes=2_000_000)
    b.ack(CONFIRMED, (0, 9))
    b.ack(CONFIRMED + MS, (10, 10))
    b.wake(CONFIRMED + 2 * MS)
    b.expect(phase="reconnaissance", cwnd_bytes=157_200)
    b.ack(CONFIRMED + 3 * MS, (11, 119))
    b.expect(cwnd_bytes=1_000_000)


@add(
    "careful-resume.reconnaissance.short-initial-data",
    "The initial data is only three packets",
    """The application sent three packets, and all are acknowledged: the path is confirmed, the window jumps from 15600
    to 120000. A fixed count of ten packets waits.""",
)
def reconnaissance_short_initial_data(b: ResumeBuilder) -> None:
    b.begin(3)
    b.ack(CONFIRMED, (0, 2))
    b.wake(ENTRY)
    b.expect(at=2, cwnd_bytes=15_600)
    b.expect(cwnd_bytes=120_000)


@add(
    "careful-resume.reconnaissance.setup-packets",
    "Packets of the connection setup do not confirm the path",
    """Ten packets of the setup, 12000 bytes, are acknowledged in Reconnaissance, as many as the initial window has. The
    three packets of initial data are not acknowledged. No jump, 24000. An implementation that adds up every acknowledged byte
    jumps.""",
)
def reconnaissance_setup_packets(b: ResumeBuilder) -> None:
    b.send(0, 10, app_limited=True)
    b.saved_path(10 * MS)
    b.ack(RTT, (0, 9))
    b.send(RTT, 3)
    b.wake(RTT + MS)
    b.expect(profile=RFC, phase="reconnaissance", cwnd_bytes=24_000)
    b.expect(profile="draft-10", cwnd_bytes=120_000)


@add(
    "careful-resume.reconnaissance.rtt-shorter-than-in-setup",
    "The RTT of the connection setup does not validate the path",
    """A packet of the setup has an RTT of 100 ms: 12000 + 1200 = 13200. The initial data has 40 ms, and 2 * 40 ms = 80
    ms is below the saved 100 ms: Careful Resume ends. Slow start goes on: 13200 + 11 * 1200 = 26400. More data is
    ready then, and 26400 stays. The smoothed RTT is (7 * 100 + 40) / 8 = 92.5 ms. A sender that compares it, or the
    100 ms of the setup, jumps to 240000 / 2 = 120000.""",
    profiles=RFC,
)
def reconnaissance_rtt_shorter_than_in_setup(b: ResumeBuilder) -> None:
    b.send(0, 1, app_limited=True)
    b.ack(RTT, (0, 0))
    b.saved_path(RTT)
    b.send(RTT, 11, app_limited=True)
    b.ack(RTT + 40 * MS, (1, 11))
    b.expect(phase="normal", cwnd_bytes=26_400)
    b.wake(RTT + 41 * MS)
    b.expect(phase="normal", cwnd_bytes=26_400)


@add(
    "careful-resume.reconnaissance.loss",
    "A loss in Reconnaissance ends Careful Resume for good",
    """Normal congestion control halves 12000 to 6000. The other nine packets were sent before the recovery period: no
    growth. More data brings no jump.""",
)
def reconnaissance_loss(b: ResumeBuilder) -> None:
    b.begin()
    b.lose(CONFIRMED, (0, 0))
    b.ack(CONFIRMED, (1, 9))
    b.wake(ENTRY)
    b.expect(at=2, cwnd_bytes=6000, ssthresh_bytes=6000, trigger="packet_loss")
    b.expect(cwnd_bytes=6000, phase="normal")


@add(
    "careful-resume.reconnaissance.ce",
    "An ECN-CE mark in Reconnaissance ends Careful Resume for good",
    "12000 + 12000 = 24000; the mark halves it to 12000, and more data brings no jump.",
    flags=("same-time-order",),
)
def reconnaissance_ce(b: ResumeBuilder) -> None:
    b.begin()
    b.ack(CONFIRMED, (0, 9))
    b.ce(CONFIRMED, 9, 0)
    b.wake(ENTRY)
    b.expect(at=2, cwnd_bytes=24_000)
    b.expect(at=3, cwnd_bytes=12_000, trigger="ECN_CE")
    b.expect(cwnd_bytes=12_000, phase="normal")


@add(
    "careful-resume.reconnaissance.two-sends",
    "Initial data is all data sent before the first ACK of some of it",
    """The initial data leaves in two events of five packets. The first ACK covers five of the ten packets: no jump, and the window is
    12000 + 6000 = 18000. The second ACK covers the others, and the window jumps to 120000. An implementation that counts only the last
    event jumps at the first ACK. draft-10 needs only a sample.""",
)
def reconnaissance_two_sends(b: ResumeBuilder) -> None:
    b.saved_path(0)
    b.send(0, 5)
    b.send(MS, 5)
    b.wake(2 * MS)
    b.ack(CONFIRMED, (0, 4))
    b.expect(profile=RFC, phase="reconnaissance", cwnd_bytes=18_000)
    b.expect(profile="draft-10", cwnd_bytes=120_000)
    b.ack(CONFIRMED + MS, (5, 9))
    b.expect(profile=RFC, cwnd_bytes=120_000)


@add(
    "careful-resume.reconnaissance.application-limited",
    "A sender without more data than the window allows stays in Reconnaissance",
    """1200 bytes wait while the window has room for 24000: no jump, even after repeated ACKs. App-limited ACKs do not grow the
    window.""",
)
def reconnaissance_application_limited(b: ResumeBuilder) -> None:
    b.confirm()
    for number in range(1, 4):
        b.wake(number * RTT + MS, 1200)
        b.send(number * RTT + MS, 1, app_limited=True)
        b.ack((number + 1) * RTT + MS, (9 + number, 9 + number), app_limited=True)
    b.expect(cwnd_bytes=24_000, phase="reconnaissance")


@add(
    "careful-resume.reconnaissance.deferred",
    "PipeSize begins with the bytes in flight at the jump, not at the confirmation",
    """The path is confirmed at 100 ms with an empty flight. Five round trips later five packets are sent, and
    more data than the window allows follows. The window jumps with 5 * 1200 = 6000 in flight, which is PipeSize. The bytes in flight at the confirmation, 0, do not count. draft-10 begins with the window, 24000.""",
)
def reconnaissance_deferred(b: ResumeBuilder) -> None:
    b.confirm()
    b.send(595 * MS, 5)
    b.wake(600 * MS)
    b.expect(profile=RFC, pipesize_bytes=6000, cwnd_bytes=120_000)
    b.expect(profile="draft-10", pipesize_bytes=24_000, cwnd_bytes=120_000)


@add(
    "careful-resume.reconnaissance.on-ack",
    "With waiting data the last ACK of the initial data jumps",
    """The ACK grows the window to 12000 + 12000 = 24000 with an empty flight, while a gigabyte waits. The same ACK
    jumps to 120000, with PipeSize 0.""",
    profiles=("rfc-9959", "rfc-9959-unvalidated"),
)
def reconnaissance_on_ack(b: ResumeBuilder) -> None:
    b.saved_path(0)
    b.wake(0)
    b.send(0, 10)
    b.ack(CONFIRMED, (0, 9))
    b.expect(pipesize_bytes=0, cwnd_bytes=120_000, phase="unvalidated")


@add(
    "careful-resume.reconnaissance.expired",
    "The Lifetime can end between the confirmation and the jump",
    """Confirmed at 100 ms, expired at 120 ms: the set is deleted before the data at 150 ms, and 24000 stays. An implementation
    that checks only at the beginning jumps.""",
)
def reconnaissance_expired(b: ResumeBuilder) -> None:
    b.enter_empty(expires_ns=120 * MS)
    b.expect(outcome="lifetime_exceeded", cwnd_bytes=24_000, saved_cwnd_bytes=None)


@add(
    "careful-resume.reconnaissance.expired-at-offer",
    "The Lifetime ends Careful Resume at the next event of any kind, even another saved set",
    """Confirmed at 100 ms, expired at 120 ms: the event at 130 ms offers another set, which a resuming connection does not use. The first set is deleted
    then, and Careful Resume has ended. Implementations that only check for a set in use stay in Reconnaissance until the next event.""",
)
def reconnaissance_expired_at_offer(b: ResumeBuilder) -> None:
    b.begin(expires_ns=120 * MS)
    b.ack(CONFIRMED, (0, 9))
    b.saved_path(130 * MS)
    b.expect(outcome="lifetime_exceeded", phase="normal", cwnd_bytes=24_000, saved_cwnd_bytes=None)
    b.wake(ENTRY)
    b.expect(phase="normal", cwnd_bytes=24_000)


@add(
    "careful-resume.reconnaissance.lifetime-before-confirmation",
    "A Lifetime that ends before the path is confirmed prevents the jump",
    """The Lifetime ends 50 ms after the offer, the ACK of the initial data comes after 100 ms. The set is not used,
    and the window grows to 24000 and stays when data waits. A sender that jumps with the confirmation and ignores the Lifetime has a larger window at that ACK.""",
)
def reconnaissance_lifetime_before_confirmation(b: ResumeBuilder) -> None:
    b.begin(expires_ns=50 * MS)
    b.ack(CONFIRMED, (0, 9))
    b.expect(outcome="lifetime_exceeded", phase="normal", cwnd_bytes=24_000)
    b.wake(ENTRY)
    b.expect(cwnd_bytes=24_000)


@add(
    "careful-resume.reconnaissance.path-change",
    "A signal that the path changed ends Careful Resume",
    "The signal comes after the confirmation: no jump, 24000 stays.",
)
def reconnaissance_path_change(b: ResumeBuilder) -> None:
    b.confirm()
    b.path_change(120 * MS)
    b.wake(ENTRY)
    b.expect(at=3, outcome="path_changed")
    b.expect(cwnd_bytes=24_000, phase="normal")


@add(
    "careful-resume.reconnaissance.persistent",
    "A timeout in Reconnaissance ends Careful Resume",
    "The window collapses to 2 * 1200 = 2400, and more data brings no jump.",
)
def reconnaissance_persistent(b: ResumeBuilder) -> None:
    b.confirm()
    b.persistent_congestion(120 * MS)
    b.wake(ENTRY)
    b.expect(cwnd_bytes=2400, phase="normal")


@add(
    "careful-resume.reconnaissance.threshold-set",
    "A threshold that was set before does not prevent the jump",
    """A packet of the setup is lost before the set is offered: window and threshold 6000. The app-limited ACK of the
    four packets of initial data does not grow the window. The window still jumps to 120000.""",
)
def reconnaissance_threshold_set(b: ResumeBuilder) -> None:
    b.send(0, 1, app_limited=True)
    b.lose(10 * MS, (0, 0))
    b.saved_path(20 * MS)
    b.send(20 * MS, 4, app_limited=True)
    b.ack(20 * MS + RTT, (1, 4), app_limited=True)
    b.wake(ENTRY)
    b.expect(at=1, cwnd_bytes=6000, ssthresh_bytes=6000)
    b.expect(at=4, cwnd_bytes=6000)
    b.expect(cwnd_bytes=120_000)


@add(
    "careful-resume.unvalidated.rate-limited-below-initial-window",
    "A small PipeSize after a jump that is not used",
    """As in careful-resume.reconnaissance.threshold-set, the window is 6000 before the jump to 120000. One packet is sent, and its ACK
    ends Careful Resume: no bytes are in flight. PipeSize is 1200, and the window is at least the initial window: 12000. draft-10
    begins PipeSize with the window 6000 and leaves 7200.""",
)
def rate_limited_below_initial_window(b: ResumeBuilder) -> None:
    reconnaissance_threshold_set(b)
    b.send(ENTRY, 1)
    b.ack(ENTRY + RTT, (5, 5))
    b.expect(profile=RFC, outcome="rate_limited", cwnd_bytes=12_000)
    b.expect(profile="draft-10", outcome="rate_limited", cwnd_bytes=7200)


@add(
    "careful-resume.reconnaissance.receive-window",
    "Data blocked by the receive window does not wait for the congestion window",
    """A gigabyte is queued, but the receiver allows 20000 bytes, and the window has room for 24000: no jump. With 30000
    the window jumps.""",
)
def reconnaissance_receive_window(b: ResumeBuilder) -> None:
    b.confirm()
    b.wake(ENTRY, receive_window_bytes=20_000)
    b.wake(ENTRY + MS, receive_window_bytes=30_000)
    b.expect(at=3, phase="reconnaissance", cwnd_bytes=24_000)
    b.expect(cwnd_bytes=120_000)


@add(
    "careful-resume.reconnaissance.large-values",
    "Saved sets of gigabytes and minutes are exact",
    """6 GiB / 2 = 3221225472. With an RTT of 600 s a packet of 1200 bytes takes 1200 * 600 s / 3221225472 = 223517.4
    ns. Rounded up: ceil(1200 * 600 s / 3221225472) = 223518 ns. Neither fits 32 bits.""",
)
def reconnaissance_large_values(b: ResumeBuilder) -> None:
    rtt_ns = 600_000 * MS
    b.begin(cwnd_bytes=6 * 2**30, rtt_ns=rtt_ns)
    b.ack(rtt_ns, (0, 9))
    b.wake(rtt_ns + 50 * MS, 10**10)
    b.send(rtt_ns + 50 * MS, 1)
    b.send_bytes(2 * rtt_ns, 3 * 2**30 - 2400)
    b.send(2 * rtt_ns, 1)
    b.ack(2 * rtt_ns + 50 * MS, (10, 10))
    b.expect(at=3, cwnd_bytes=3_221_225_472)
    b.expect(at=4, next_release_ns=601_050_223_518)

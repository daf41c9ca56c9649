"""Stimuli of Careful Resume with numbers beyond 31 and 32 bits: windows, bytes in flight and waiting data."""

from functools import partial

from firstflight_conformance.format.builder import MS
from generate.catalogue import Catalogue
from stimuli.careful_resume.builder import CONFIRMED, ENTRY, RTT, ResumeBuilder
from stimuli.careful_resume.careful_resume import PROFILES, RFC, SOURCES
from stimuli.probes import PROBE_BYTES

CATALOGUE = Catalogue(*PROFILES, sources=SOURCES, builder=ResumeBuilder)
add = CATALOGUE.add
#: A saved window of 2^35 bytes: the jump has 2^34. Packets have 65535 bytes.
SAVED = 2**35
large = partial(add, max_datagram_size_bytes=65_535)
#: More waiting data than any window.
WAITING = 2**40


@large(
    "careful-resume.large.jump",
    "A jump, PipeSize and a retreat beyond 32 bits",
    """The jump is 2^34 = 17179869184 bytes. 3 * 65535 = 196605 packets of 65535 bytes leave,
    196605 * 65535 = 12884508675 bytes. The ACK of packet 10 begins the
    Validating phase with the bytes in flight: 12884508675 - 65535 = 12884443140. With packets 11 to 140010, PipeSize is
    140001 * 65535 =
    9174965535. The loss of packet 140011 begins Safe Retreat with half of that: 4587482767. All other packets are
    acknowledged: PipeSize is 196604 * 65535 = 12884443140, and the threshold 6442221570. In 32 bits the jump is 0.""",
    initial_window_bytes=655_350,
)
def large_jump(b: ResumeBuilder) -> None:
    b.enter_empty(cwnd_bytes=SAVED)
    b.expect(cwnd_bytes=17_179_869_184, phase="unvalidated")
    for number in (1, 2, 3):
        b.send(ENTRY + number * 25 * MS, 65_535)
    b.ack(ENTRY + 25 * MS + RTT, (10, 10))
    b.expect(phase="validating", cwnd_bytes=12_884_443_140)
    b.ack(ENTRY + 75 * MS + RTT, (11, 140_010))
    b.expect(profile=RFC, pipesize_bytes=9_174_965_535)
    b.lose(ENTRY + 76 * MS + RTT, (140_011, 140_011))
    b.expect(profile=RFC, phase="safe_retreat", cwnd_bytes=4_587_482_767)
    b.ack(ENTRY + 76 * MS + RTT, (140_012, 150_000))
    b.expect(phase="safe_retreat")
    b.ack(ENTRY + 77 * MS + RTT, (150_001, 196_614))
    b.expect(phase="normal")
    b.expect(profile=RFC, cwnd_bytes=4_587_482_767, ssthresh_bytes=6_442_221_570)


def _with_flight(b: ResumeBuilder) -> None:
    """Confirm the path with ten packets, and jump while 65545 packets are in flight, 4295491575 bytes."""
    b.begin(cwnd_bytes=SAVED)
    b.ack(CONFIRMED, (0, 9))
    b.send_sizes(CONFIRMED, [(65_535, 65_535), (10, 65_535)], app_limited=True)
    b.wake(ENTRY, WAITING)
    b.expect(phase="unvalidated", cwnd_bytes=17_179_869_184)
    b.expect(profile="rfc-9959", pipesize_bytes=4_295_491_575)


@large(
    "careful-resume.large.flight",
    "A jump with more than 2^32 bytes in flight",
    """65545 packets of 65535 bytes are in flight at the jump: PipeSize is 4295491575. Packets 10 and 11 are acknowledged: 4295491575 + 2 * 65535 =
    4295622645. The loss of packet 12 leaves half of that, 2147811322. In 32 bits 4295491575 - 4294967296 = 524279 bytes are in
    flight.""",
    profiles=RFC,
    initial_window_bytes=2**32,
)
def large_flight(b: ResumeBuilder) -> None:
    _with_flight(b)
    b.send(ENTRY, 1)
    b.ack(CONFIRMED + RTT, (10, 11))
    b.lose(CONFIRMED + RTT + MS, (12, 12))
    b.expect(profile="rfc-9959", phase="safe_retreat", cwnd_bytes=2_147_811_322)


@large(
    "careful-resume.large.rate-limited",
    "A jump that is not used leaves a PipeSize beyond 32 bits",
    """4295491575 bytes are in flight at the jump, and nothing is sent in the RTT after it. More data is ready more than an RTT after the jump,
    which ends Careful Resume: the bytes in flight are at most PipeSize. The window is PipeSize, 4295491575. In 32 bits it is
    4295491575 - 4294967296 = 524279.""",
    profiles=("rfc-9959",),
    initial_window_bytes=2**32,
)
def large_rate_limited(b: ResumeBuilder) -> None:
    _with_flight(b)
    b.wake(ENTRY + RTT + MS, WAITING)
    b.expect(outcome="rate_limited", phase="normal", cwnd_bytes=4_295_491_575)


@large(
    "careful-resume.large.initial-data",
    "More than 2^32 bytes of initial data",
    """131070 packets of 65535 bytes fill the initial window, 8589672450 bytes. Packets 0 to 9 are acknowledged, then
    packets 10 to 65545. 131070 - 65546 = 65524 are not, 65524 * 65535 = 4294115340 bytes: the path is not confirmed. The window is 2^33 + 65546 * 65535 = 12885491702. In 32 bits
    8589672450 - 655350 - 4294967296 = 4294049804 bytes are left after ten packets, fewer than the 4294901760 bytes of the second
    ACK. Such a sender jumps to 2^35.""",
    profiles=RFC,
    initial_window_bytes=2**33,
)
def large_initial_data(b: ResumeBuilder) -> None:
    b.saved_path(0, 2**36)
    b.wake(0, WAITING)
    b.send(0, 65_535)
    b.send(0, 65_535)
    b.ack(CONFIRMED, (0, 9))
    b.ack(CONFIRMED, (10, 65_545))
    b.expect(phase="reconnaissance", cwnd_bytes=12_885_491_702)
    b.ack(CONFIRMED + MS, (65_546, 131_069))
    b.expect(phase="unvalidated", cwnd_bytes=34_359_738_368)


@add(
    "careful-resume.large.waiting-after-sending",
    "Waiting data beyond 32 bits after the initial data was sent",
    """4294967296 + 13000 = 4294980296 bytes are ready, and 12000 of them are sent: 4294980296 - 12000 = 4294968296
    wait. The ACK grows the window to 24000, less
    than that: it jumps to 120000. In 32 bits 1000 bytes wait, which fit.""",
)
def large_waiting_after_sending(b: ResumeBuilder) -> None:
    b.saved_path(0)
    b.wake(0, 2**32 + 13_000)
    b.send(0, 10)
    b.ack(CONFIRMED, (0, 9))
    b.expect(phase="unvalidated", cwnd_bytes=120_000)


@add(
    "careful-resume.large.waiting-queued",
    "Queued data beyond 32 bits",
    """The initial data is acknowledged, and the window is 24000. Then 2^32 + 1000 bytes are ready: it jumps to 120000. In 32
    bits 1000 bytes wait, which fit.""",
)
def large_waiting_queued(b: ResumeBuilder) -> None:
    b.confirm()
    b.wake(ENTRY, 2**32 + 1000)
    b.expect(phase="unvalidated", cwnd_bytes=120_000)


@add(
    "careful-resume.large.waiting-receive-window",
    "A receive window beyond 32 bits",
    """The initial data is acknowledged, and the window is 24000. 2^40 bytes are ready, and the receiver allows 2^32 + 1000
    of them: it jumps to 120000. In 16, 31 or 32 bits 1000 bytes wait, which fit.""",
)
def large_waiting_receive_window(b: ResumeBuilder) -> None:
    b.confirm()
    b.wake(ENTRY, WAITING, 2**32 + 1000)
    b.expect(phase="unvalidated", cwnd_bytes=120_000)


@large(
    "careful-resume.large.probe-at-the-limit",
    "The loss of a PMTU probe after an RTT of the jump leaves the bytes in flight as window",
    """The first packet of the jump to 2^34 is a PMTU probe of 1400 bytes, and two runs of 65535 packets follow: 2 * 65535 = 131070 packets, 131070 *
    65535 = 8589672450 bytes. The probe is lost more than an RTT after the jump: the Unvalidated phase ends, and the
    window is the bytes in flight without the probe. In 16, 31 or 32 bits that is less than 2^32.""",
    profiles=RFC,
    initial_window_bytes=655_350,
)
def large_probe_at_the_limit(b: ResumeBuilder) -> None:
    b.enter_empty(cwnd_bytes=SAVED)
    b.send(ENTRY, 1, PROBE_BYTES, pmtu_probe=True)
    b.send(ENTRY + 26 * MS, 65_535)
    b.send(ENTRY + 51 * MS, 65_535)
    b.expect(phase="unvalidated")
    b.lose(ENTRY + 126 * MS, (10, 10), pmtu_probe=True)
    b.expect(phase="validating", cwnd_bytes=8_589_672_450)
    b.ack(ENTRY + 126 * MS, (11, 13))

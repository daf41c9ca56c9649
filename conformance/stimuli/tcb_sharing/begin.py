"""Hand-built stimuli of TCB sharing: use of the cache, and the first window of a connection.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from functools import partial

from firstflight_conformance.format.builder import MS
from generate.catalogue import Catalogue
from stimuli.careful_resume.builder import ResumeBuilder
from stimuli.tcb_sharing.sender import (
    FREEBSD,
    FREEBSD_WINDOW,
    HOSTCACHE,
    LINUX,
    METRICS,
    RFC,
    RTT,
    SOURCE,
    STATEFUL,
    share,
)

CATALOGUE = Catalogue(RFC, sources=(SOURCE,), builder=ResumeBuilder)
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=10_000)
ALL = (RFC, LINUX, FREEBSD, FREEBSD_WINDOW, STATEFUL)


@add(
    "tcb-sharing.begin.initialised",
    "A connection begins with the cached set of an earlier connection",
    """The cache has a window of 40000 and a threshold of 40000 / 2 = 20000. As printed both are copied: the window is above the threshold, in congestion avoidance. Linux and FreeBSD
    copy the threshold to a window of 10 * 1000 = 10000, which is in slow start. Earlier FreeBSD used half of the window, 40000 / 2 = 20000, which is the threshold. Stateful-TCP paces 40000
    without a threshold.""",
    profiles=ALL,
)
def begin_initialised(b: ResumeBuilder) -> None:
    share(b)
    b.expect(outcome="tcb_shared")
    b.expect(cwnd_bytes=40_000, ssthresh_bytes=20_000, phase="congestion_avoidance", profile=RFC)
    b.expect(cwnd_bytes=10_000, ssthresh_bytes=20_000, phase="slow_start", profile=(LINUX, FREEBSD))
    b.expect(cwnd_bytes=20_000, ssthresh_bytes=20_000, phase="congestion_avoidance", profile=FREEBSD_WINDOW)
    b.expect(cwnd_bytes=40_000, ssthresh_bytes=None, next_release_ns=1_000_000_000, profile=STATEFUL)
    b.expect(next_release_ns=None, profile=(RFC, LINUX, FREEBSD, FREEBSD_WINDOW))


@add(
    "tcb-sharing.begin.avoidance",
    "From the first ACK on the window grows as in congestion avoidance",
    """The window of 40000 is above the threshold of 20000. An ACK of two packets adds 1000 * 1000 / 40000 = 25 for the first and floor(1000000 / 40025) = 24 for the second:
    40000 + 25 + 24 = 40049. A controller that begins in slow start has 40000 + 2 * 1000 = 42000.""",
)
def begin_avoidance(b: ResumeBuilder) -> None:
    share(b)
    b.send(0, 40)
    b.ack(RTT, (0, 1))
    b.expect(cwnd_bytes=40_049, outcome="grown_avoidance")


@add(
    "tcb-sharing.begin.threshold-ends-slow-start",
    "Slow start from the initial window ends at the cached threshold",
    """The cache has 24000 and half of it, 12000. The ten packets of the initial window are acknowledged by twos. The first ACK makes 10000 + 2 * 1000 = 12000, the threshold:
    slow start ends. The next ACK adds floor(1000000 / 12000) = 83 and floor(1000000 / 12083) = 82: 12000 + 83 + 82 = 12165.""",
    profiles=(LINUX, FREEBSD),
    sources=(METRICS,),
)
def begin_threshold_ends_slow_start(b: ResumeBuilder) -> None:
    share(b, 24_000)
    b.send(0, 10)
    b.ack(RTT, (0, 1))
    b.expect(cwnd_bytes=12_000, outcome="grown", phase="congestion_avoidance")
    b.ack(RTT + MS, (2, 3))
    b.expect(cwnd_bytes=12_165, outcome="grown_avoidance")


@add(
    "tcb-sharing.begin.absent",
    "Without an entry window and threshold do not change",
    "A window of 0, and then an RTT of 0, mean a missing entry: the window stays 10000 without a threshold. A later entry is used: 40000.",
    profiles=(RFC, FREEBSD_WINDOW, STATEFUL),
    tier="core",
)
def begin_absent(b: ResumeBuilder) -> None:
    b.saved_path(0, 0, RTT)
    b.expect(outcome="saved_set_absent", cwnd_bytes=10_000, ssthresh_bytes=None)
    b.saved_path(0, 40_000, 0)
    b.expect(outcome="saved_set_absent", cwnd_bytes=10_000, ssthresh_bytes=None)
    share(b)
    b.expect(outcome="tcb_shared", cwnd_bytes=40_000, profile=(RFC, STATEFUL))


@add(
    "tcb-sharing.begin.other-host",
    "The entry of another host-pair is not used",
    "The window stays 10000 without a threshold.",
    profiles=ALL,
    tier="core",
)
def begin_other_host(b: ResumeBuilder) -> None:
    share(b, endpoint_matches=False)
    b.expect(outcome="endpoint_mismatch", cwnd_bytes=10_000, ssthresh_bytes=None, next_release_ns=None)


@add(
    "tcb-sharing.begin.concurrent",
    "An entry in use by another connection",
    """Temporal sharing is from a closed connection: as printed the window stays 10000. The implementations do not check this. Stateful-TCP begins with 40000, earlier FreeBSD with 20000,
    and Linux with a threshold of 20000.""",
    profiles=ALL,
    sources=("RFC 9040, sections 5 and 7",),
    tier="core",
)
def begin_concurrent(b: ResumeBuilder) -> None:
    share(b, in_use=True)
    b.expect(outcome="saved_set_in_use", cwnd_bytes=10_000, ssthresh_bytes=None, profile=RFC)
    b.expect(outcome="tcb_shared", ssthresh_bytes=20_000, profile=(LINUX, FREEBSD, FREEBSD_WINDOW))
    b.expect(cwnd_bytes=40_000, profile=STATEFUL)


@add(
    "tcb-sharing.begin.lifetime-end",
    "At the end of its Lifetime an entry is still used",
    "The entry is offered exactly at its expiry: the window is 40000 as printed, and the threshold 20000.",
    profiles=(RFC, LINUX),
    sources=("RFC 9040, section 8.1",),
    tier="core",
)
def begin_lifetime_end(b: ResumeBuilder) -> None:
    share(b, expires_ns=0)
    b.expect(outcome="tcb_shared", ssthresh_bytes=20_000)


@add(
    "tcb-sharing.begin.expired",
    "A nanosecond after its Lifetime an entry is not used",
    "The window stays 10000 without a threshold. Stateful-TCP does not check a Lifetime and begins with 40000.",
    profiles=ALL,
    sources=("RFC 9040, section 8.1",),
    tier="core",
)
def begin_expired(b: ResumeBuilder) -> None:
    share(b, expires_ns=-1)
    b.expect(outcome="lifetime_exceeded", cwnd_bytes=10_000, ssthresh_bytes=None, profile=(RFC, LINUX, FREEBSD))
    b.expect(outcome="tcb_shared", cwnd_bytes=40_000, profile=STATEFUL)


@add(
    "tcb-sharing.begin.too-late",
    "The cache is not read after the first packet",
    "One packet of 1000 bytes has left: the window stays 10000 without a threshold.",
    profiles=ALL,
    sources=("RFC 9040, section 1",),
    tier="core",
)
def begin_too_late(b: ResumeBuilder) -> None:
    b.send(0, 1)
    b.saved_path(0, 40_000, RTT)
    b.expect(outcome="unchanged", cwnd_bytes=10_000, ssthresh_bytes=None)


@add(
    "tcb-sharing.begin.once",
    "The cache is read once",
    "A second entry, of 80000, comes before the first packet: window and threshold stay as in the first entry, 40000 and 20000.",
    profiles=(RFC, LINUX, STATEFUL),
    sources=("RFC 9040, section 1",),
    tier="core",
)
def begin_once(b: ResumeBuilder) -> None:
    share(b)
    share(b, 80_000)
    b.expect(outcome="unchanged")
    b.expect(cwnd_bytes=40_000, profile=(RFC, STATEFUL))
    b.expect(ssthresh_bytes=20_000, profile=(RFC, LINUX))


@add(
    "tcb-sharing.begin.smaller",
    "A cached window smaller than the initial window is used",
    """The cache has 5000: as printed the window falls to it, and the threshold is 2500. Earlier FreeBSD uses half of it, 2500. Linux keeps 10000, above its threshold. Five datagrams are too few
    for Stateful-TCP.""",
    profiles=ALL,
)
def begin_smaller(b: ResumeBuilder) -> None:
    share(b, 5000)
    b.expect(cwnd_bytes=5000, ssthresh_bytes=2500, profile=RFC)
    b.expect(cwnd_bytes=2500, ssthresh_bytes=2500, profile=FREEBSD_WINDOW)
    b.expect(cwnd_bytes=10_000, ssthresh_bytes=2500, phase="congestion_avoidance", profile=(LINUX, FREEBSD))
    b.expect(outcome="tcb_ignored", cwnd_bytes=10_000, ssthresh_bytes=None, next_release_ns=None, profile=STATEFUL)


@add(
    "tcb-sharing.begin.least",
    "The window is at least one datagram, the threshold of FreeBSD at least two",
    """The cache has 999 bytes, less than a datagram: the window is 1000. Half of 999 is 499 as a threshold, and 2 * 1000 = 2000 in FreeBSD. Its window of half as much is raised to 1000 as well.""",
    profiles=(RFC, LINUX, FREEBSD, FREEBSD_WINDOW),
    sources=(SOURCE, HOSTCACHE),
)
def begin_least(b: ResumeBuilder) -> None:
    share(b, 999)
    b.expect(cwnd_bytes=1000, ssthresh_bytes=499, profile=RFC)
    b.expect(cwnd_bytes=10_000, ssthresh_bytes=499, profile=LINUX)
    b.expect(cwnd_bytes=10_000, ssthresh_bytes=2000, profile=FREEBSD)
    b.expect(cwnd_bytes=1000, ssthresh_bytes=2000, phase="slow_start", profile=FREEBSD_WINDOW)


@add(
    "tcb-sharing.begin.allowed",
    "The window is at most the limit of the endpoint",
    """The endpoint allows 15500 bytes, the cache has 40000: the window is 15500, in slow start below a threshold of 20000. Half of the cached window, 20000, is bounded
    likewise. Stateful-TCP uses the whole datagrams, 15 * 1000 = 15000.""",
    profiles=ALL,
    sources=(SOURCE, HOSTCACHE),
    tier="core",
)
def begin_allowed(b: ResumeBuilder) -> None:
    share(b, max_jump_bytes=15_500)
    b.expect(cwnd_bytes=15_500, ssthresh_bytes=20_000, phase="slow_start", profile=(RFC, FREEBSD_WINDOW))
    b.expect(cwnd_bytes=15_000, profile=STATEFUL)
    b.expect(cwnd_bytes=10_000, ssthresh_bytes=20_000, profile=(LINUX, FREEBSD))


@add(
    "tcb-sharing.begin.half-is-allowed",
    "The limit of the endpoint bounds the half, not the whole",
    """The endpoint allows 25000 bytes. Half of the cached 40000 is 20000, which is less; half of the limit would be 12500.""",
    profiles=(FREEBSD_WINDOW,),
    sources=(HOSTCACHE,),
    tier="core",
)
def begin_half_is_allowed(b: ResumeBuilder) -> None:
    share(b, max_jump_bytes=25_000)
    b.expect(cwnd_bytes=20_000)


@add(
    "tcb-sharing.begin.beta",
    "The cached threshold is Beta times the window, rounded down",
    """Beta is 7/10, as in CUBIC: 7 * 30001 / 10 = 21000.7, rounded down to 21000. The window is 30001, and half of it 15000, below the threshold.""",
    profiles=(RFC, LINUX, FREEBSD_WINDOW),
)
def begin_beta(b: ResumeBuilder) -> None:
    share(b, 30_001, beta=(7, 10))
    b.expect(ssthresh_bytes=21_000)
    b.expect(cwnd_bytes=30_001, profile=RFC)
    b.expect(cwnd_bytes=15_000, phase="slow_start", profile=FREEBSD_WINDOW)


@add(
    "tcb-sharing.begin.loss",
    "The losses of a window that was too high halve it once",
    """Forty packets leave at once. The first ten are acknowledged: 40000 + 25 + 9 * 24 = 40241. When the others are declared lost the window halves once: floor(40241 / 2) = 20120. This value replaces
    the cached threshold of 20000.""",
    tier="core",
)
def begin_loss(b: ResumeBuilder) -> None:
    share(b)
    b.send(0, 40)
    b.ack(RTT, (0, 9))
    b.lose(RTT + MS, (10, 39))
    b.expect(at=2, cwnd_bytes=40_241)
    b.expect(outcome="reduced", phase="recovery", cwnd_bytes=20_120, ssthresh_bytes=20_120)


@add(
    "tcb-sharing.begin.persistent-congestion",
    "After persistent congestion slow start ends at the cached threshold",
    "The window of 40000 collapses to 2 * 1000 = 2000, and the threshold is still the cached 20000.",
    tier="core",
)
def begin_persistent_congestion(b: ResumeBuilder) -> None:
    share(b)
    b.send(0, 40)
    b.persistent_congestion(10 * RTT)
    b.expect(outcome="collapsed", cwnd_bytes=2000, ssthresh_bytes=20_000, phase="slow_start")

"""Hand-built stimuli of TCB sharing: the cached set after a close.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from functools import partial

from firstflight_conformance.format.builder import MS
from generate.catalogue import Catalogue
from stimuli.careful_resume.builder import ResumeBuilder
from stimuli.tcb_sharing.sender import LINUX, METRICS, RFC, RTT, STATEFUL, share

CATALOGUE = Catalogue(RFC, sources=("RFC 9040, sections 6.2 and 6.3",), builder=ResumeBuilder)
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=10_000)


@add(
    "tcb-sharing.merge.mean",
    "Window and threshold become the mean of the cached and the current values",
    """The cache has 40000 and 20000. A loss before any ACK halves the window, to 20000, which is the threshold as well: (40000 + 20000) / 2 = 30000 and (20000 + 20000) / 2 = 20000. A second
    loss, of a packet that was sent later, leaves 10000 of both: (40000 + 10000) / 2 = 25000 and (20000 + 10000) / 2 = 15000. Both means use the cached values of the beginning.""",
)
def merge_mean(b: ResumeBuilder) -> None:
    share(b)
    b.expect(cached_cwnd_bytes=40_000, cached_ssthresh_bytes=20_000)
    b.send(0, 20)
    b.lose(RTT, (0, 0))
    b.expect(cached_cwnd_bytes=30_000, cached_ssthresh_bytes=20_000)
    b.send(2 * RTT, 1)
    b.lose(3 * RTT, (20, 20))
    b.expect(cached_cwnd_bytes=25_000, cached_ssthresh_bytes=15_000)


@add(
    "tcb-sharing.merge.first",
    "A first connection leaves its window; a threshold only after a loss",
    """The cache is empty. A close would leave the window of 10000, and 12000 after an ACK of two packets. The threshold is missing until a loss sets it: 12000 / 2 = 6000, which is also the window.
    Stateful-TCP writes an estimate that no event contains.""",
    profiles=(RFC, STATEFUL),
)
def merge_first(b: ResumeBuilder) -> None:
    b.send(0, 10)
    b.expect(cached_cwnd_bytes=10_000, cached_ssthresh_bytes=None, profile=RFC)
    b.ack(RTT, (0, 1))
    b.expect(cached_cwnd_bytes=12_000, cached_ssthresh_bytes=None, profile=RFC)
    b.lose(RTT + MS, (2, 2))
    b.expect(cached_cwnd_bytes=6000, cached_ssthresh_bytes=6000, profile=RFC)
    b.expect(cached_cwnd_bytes=None, cached_ssthresh_bytes=None, profile=STATEFUL)


@add(
    "tcb-sharing.merge.rounded",
    "The mean is rounded down",
    """The cache has 41001 and floor(41001 / 2) = 20500. A loss leaves floor(41001 / 2) = 20500 of the window: floor((41001 + 20500) / 2) = 30750, of 30750.5.""",
    tier="core",
)
def merge_rounded(b: ResumeBuilder) -> None:
    share(b, 41_001)
    b.send(0, 20)
    b.lose(RTT, (0, 0))
    b.expect(cwnd_bytes=20_500, cached_cwnd_bytes=30_750, cached_ssthresh_bytes=20_500)


@add(
    "tcb-sharing.merge.linux",
    "Linux: the written set depends on the phase",
    """The cache has 20000 and 10000. The window of 10000 is in congestion avoidance at once. A close would leave (20000 + 10000) / 2 = 15000, with a threshold of 10000, more than
    half of the window. A loss leaves 5000 in recovery: (20000 + 5000) / 2 = 12500 of threshold and cached window. The cached threshold of 10000 stays, as 5000 is not more.""",
    profiles=(LINUX,),
    sources=(METRICS,),
)
def merge_linux(b: ResumeBuilder) -> None:
    share(b, 20_000)
    b.expect(phase="congestion_avoidance", cached_cwnd_bytes=15_000, cached_ssthresh_bytes=10_000)
    b.send(0, 10)
    b.lose(RTT, (0, 0))
    b.expect(cwnd_bytes=5000, phase="recovery", cached_cwnd_bytes=12_500, cached_ssthresh_bytes=10_000)


@add(
    "tcb-sharing.merge.linux-slow-start",
    "Linux: in slow start below a cached threshold the threshold counts",
    """The cache has 40000 and 20000, the window of 10000 is in slow start: (40000 + 20000) / 2 = 30000. An ACK that grows it to 12000 does not change that.""",
    profiles=(LINUX,),
    sources=(METRICS,),
    tier="core",
)
def merge_linux_slow_start(b: ResumeBuilder) -> None:
    share(b)
    b.expect(phase="slow_start", cached_cwnd_bytes=30_000, cached_ssthresh_bytes=20_000)
    b.send(0, 10)
    b.ack(RTT, (0, 1))
    b.expect(cwnd_bytes=12_000, cached_cwnd_bytes=30_000, cached_ssthresh_bytes=20_000)


@add(
    "tcb-sharing.merge.linux-first",
    "Linux: a first connection in congestion avoidance leaves half of its window",
    """The cache is empty. In the first slow start the whole window counts: 10000, without a threshold. A loss of the first packet leaves 10000 / 2 = 5000 and a recovery period: (0 + 5000) / 2 = 2500. The threshold is
    still missing, as in the cache. A packet sent after it ends the period. The window of 5000 grows by 1000 * 1000 / 5000 = 200, half of 5200 is 2600, and the threshold is the threshold of the connection, 5000.""",
    profiles=(LINUX,),
    sources=(METRICS,),
)
def merge_linux_first(b: ResumeBuilder) -> None:
    b.send(0, 10)
    b.expect(cached_cwnd_bytes=10_000, cached_ssthresh_bytes=None)
    b.lose(RTT, (0, 0))
    b.expect(cached_cwnd_bytes=2500, cached_ssthresh_bytes=None)
    b.ack(RTT, (1, 9))
    b.send(2 * RTT, 1)
    b.ack(3 * RTT, (10, 10))
    b.expect(cwnd_bytes=5200, phase="congestion_avoidance", cached_cwnd_bytes=2600, cached_ssthresh_bytes=5000)


@add(
    "tcb-sharing.merge.linux-recovery",
    "Linux: a first connection that closes in recovery does not leave a threshold",
    """The cache is empty. Twenty packets are acknowledged and sent in slow start, then one is lost. The window of 20000 halves to 10000, and a close would leave (0 + 10000) / 2 = 5000 without a threshold.""",
    profiles=(LINUX,),
    sources=(METRICS,),
    tier="core",
)
def merge_linux_recovery(b: ResumeBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (0, 9))
    b.send(RTT, 20)
    b.lose(2 * RTT, (10, 10))
    b.expect(cwnd_bytes=10_000, cached_cwnd_bytes=5000, cached_ssthresh_bytes=None)


@add(
    "tcb-sharing.merge.linux-raised",
    "Linux: half of the window or a larger threshold raises the cached threshold",
    """The cache has 12000 and 6000; the window of 10000 is in congestion avoidance. Rounds of ACKs grow it above 12000. Half of it is more than the threshold, and a close leaves that half. A loss leaves half
    of the window as the threshold, and in recovery the cached 6000 rises to it.""",
    profiles=(LINUX,),
    sources=(METRICS,),
    tier="core",
)
def merge_linux_raised(b: ResumeBuilder) -> None:
    share(b, 12_000)
    packet = 0
    for number in range(5):
        window = 10 + number * 9 // 10
        b.send(number * RTT, window)
        for first in range(packet, packet + window - window % 2, 2):
            b.ack((number + 1) * RTT, (first, first + 1))
        if window % 2:
            b.ack((number + 1) * RTT, (packet + window - 1, packet + window - 1))
        packet += window
    b.expect(phase="congestion_avoidance")
    b.send(5 * RTT, 5)
    b.lose(6 * RTT, (packet, packet))
    b.expect(phase="recovery")


@add(
    "tcb-sharing.merge.linux-larger",
    "Linux: in the first slow start the larger window stays in the cache",
    "The cache is empty. The window grows from 10000 to 20000 in slow start, and a close leaves 20000.",
    profiles=(LINUX,),
    sources=(METRICS,),
    tier="core",
)
def merge_linux_larger(b: ResumeBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (0, 9))
    b.expect(cwnd_bytes=20_000, cached_cwnd_bytes=20_000, cached_ssthresh_bytes=None)

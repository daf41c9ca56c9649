"""Hand-built stimuli of TCB sharing on CUBIC.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from functools import partial

from firstflight_conformance.format.builder import MS
from generate.catalogue import Catalogue
from stimuli.careful_resume.builder import ResumeBuilder
from stimuli.tcb_sharing.sender import RFC, RTT, SOURCE, STATEFUL, paced, share

CATALOGUE = Catalogue(f"{RFC}+cubic", sources=(SOURCE, "RFC 9438, sections 4.6 and 4.10"), builder=ResumeBuilder)
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=10_000)


@add(
    "tcb-sharing.cubic.begin",
    "On CUBIC the cached window is in congestion avoidance, and a loss leaves 7/10",
    """Beta is 7/10: the cache has 40000 and 7 * 40000 / 10 = 28000. The window of 40000 is in congestion avoidance. A loss before any ACK leaves 7 * 40000 / 10 = 28000.""",
)
def cubic_begin(b: ResumeBuilder) -> None:
    share(b, beta=(7, 10))
    b.expect(cwnd_bytes=40_000, ssthresh_bytes=28_000, phase="congestion_avoidance")
    b.send(0, 40)
    b.lose(RTT, (0, 0))
    b.expect(outcome="reduced", cwnd_bytes=28_000, ssthresh_bytes=28_000)


@add(
    "tcb-sharing.cubic.growth",
    "On CUBIC the cached window grows from its own value",
    """Without a reduction the plateau is the window itself. In the first RTT of 100 ms the cube of 0.1 s is negligible, and the estimate of Reno's window grows it. No ACK doubles it.""",
    tier="core",
)
def cubic_growth(b: ResumeBuilder) -> None:
    share(b, beta=(7, 10))
    b.send(0, 40)
    for first in range(0, 40, 2):
        b.ack(RTT + first * MS, (first, first + 1))
    b.expect(phase="congestion_avoidance")


@add(
    "tcb-sharing.cubic.startup",
    "Stateful-TCP on CUBIC, the base of its code",
    """Twenty of 40 packets have left when the first ACK of two ends the startup: 18 * 1000 = 18000, and 18000 + 2 * 1000 = 20000 after it. A loss leaves seven tenths, 7 * 20000 / 10 = 14000.""",
    profiles=(f"{STATEFUL}+cubic",),
    flags=("paced",),
)
def cubic_startup(b: ResumeBuilder) -> None:
    share(b)
    paced(b, 20)
    b.ack(RTT, (0, 1))
    b.expect(outcome="paced_startup_ended", cwnd_bytes=20_000)
    b.lose(RTT + MS, (2, 2))
    b.expect(outcome="reduced", cwnd_bytes=14_000)

"""Hand-built stimuli of TCB sharing: the paced startup of Stateful-TCP.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from functools import partial

from firstflight_conformance.format.builder import MS
from generate.catalogue import Catalogue
from stimuli.careful_resume.builder import ResumeBuilder
from stimuli.tcb_sharing.sender import CODE, GAP, RTT, STATEFUL, paced, share

CATALOGUE = Catalogue(STATEFUL, sources=(CODE,), builder=ResumeBuilder)
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=10_000)


@add(
    "tcb-sharing.startup.pacing",
    "A window of whole datagrams leaves at the cached rate",
    """The cache has 30999 bytes: 30 datagrams, a window of 30 * 1000 = 30000. The second packet leaves floor(100000000 * 1000 / 30999) = 3225910 ns after the start.
    The third leaves after twice that, but rounded down once: floor(100000000 * 2000 / 30999) = 6451821. When all 30 have left, pacing ends.""",
    flags=("paced",),
)
def startup_pacing(b: ResumeBuilder) -> None:
    share(b, 30_999)
    b.expect(outcome="tcb_shared", cwnd_bytes=30_000, next_release_ns=1_000_000_000, phase="slow_start")
    b.send(0, 1)
    b.expect(next_release_ns=1_003_225_910)
    b.send(3_225_910, 1)
    b.expect(next_release_ns=1_006_451_821)
    b.send(90 * MS, 28)
    b.expect(next_release_ns=None)


@add(
    "tcb-sharing.startup.ten-datagrams",
    "Ten datagrams are too few for a startup",
    "The cache has 10999 bytes, ten whole datagrams: it is ignored. An entry of 11000, eleven datagrams, is used: 11 * 1000 = 11000.",
)
def startup_ten_datagrams(b: ResumeBuilder) -> None:
    share(b, 10_999)
    b.expect(outcome="tcb_ignored", cwnd_bytes=10_000, next_release_ns=None)
    share(b, 11_000)
    b.expect(outcome="tcb_shared", cwnd_bytes=11_000, next_release_ns=1_000_000_000)


@add(
    "tcb-sharing.startup.end",
    "The first ACK leaves the sent part of the window",
    """Twenty of the 40 packets have left when an ACK of two arrives: 18 are in flight, and the window becomes 18 * 1000 = 18000. The ACK grows it to 18000 + 2 * 1000 = 20000. Slow start
    follows without pacing.""",
    flags=("paced",),
)
def startup_end(b: ResumeBuilder) -> None:
    share(b)
    paced(b, 20)
    b.ack(RTT, (0, 1))
    b.expect(outcome="paced_startup_ended", cwnd_bytes=20_000, ssthresh_bytes=None, next_release_ns=None)
    b.ack(RTT + MS, (2, 3))
    b.expect(outcome="grown", cwnd_bytes=22_000)


@add(
    "tcb-sharing.startup.least",
    "The startup leaves at least ten datagrams",
    "Seven packets have left, six are in flight after an ACK of one: more than five, so the startup ends. The window is not 6000 but 10 * 1000 = 10000, and 10000 + 1000 = 11000 after the ACK.",
    flags=("paced",),
)
def startup_least(b: ResumeBuilder) -> None:
    share(b)
    paced(b, 7)
    b.ack(RTT, (0, 0))
    b.expect(outcome="paced_startup_ended", cwnd_bytes=11_000, next_release_ns=None)


@add(
    "tcb-sharing.startup.few",
    "An ACK with five datagrams in flight does not end the startup",
    """Six packets have left, and the ACK of one leaves five in flight: the window grows, 40000 + 1000 = 41000, and pacing continues. The seventh packet may leave 6 * 2500000 = 15000000 ns after the begin. After
    three more packets eight are in flight; the next ACK leaves seven, and the window becomes 10 * 1000 = 10000, then 11000.""",
    flags=("paced",),
)
def startup_few(b: ResumeBuilder) -> None:
    share(b)
    paced(b, 6)
    b.ack(RTT, (0, 0))
    b.expect(outcome="grown", cwnd_bytes=41_000, next_release_ns=1_015_000_000)
    b.send(RTT, 3)
    b.ack(RTT + GAP, (1, 1))
    b.expect(outcome="paced_startup_ended", cwnd_bytes=11_000)


@add(
    "tcb-sharing.startup.given-up",
    "The twelfth ACK ends the startup with any number of packets in flight",
    """Packets are sent and acknowledged one by one, so that the flight is empty after each ACK. Eleven ACKs grow the window to 40000 + 11 * 1000 = 51000. Then 20 packets leave, and an ACK of one packet leaves
    19 in flight. The window still becomes 10 * 1000 = 10000, and 11000 after the ACK.""",
    flags=("paced",),
    tier="core",
)
def startup_given_up(b: ResumeBuilder) -> None:
    share(b)
    for index in range(11):
        b.send(2 * index * RTT, 1, app_limited=False)
        b.ack((2 * index + 1) * RTT, (index, index))
    b.expect(cwnd_bytes=51_000, outcome="grown")
    b.send(24 * RTT, 20)
    b.ack(25 * RTT, (11, 11))
    b.expect(outcome="paced_startup_ended", cwnd_bytes=11_000, next_release_ns=None)


@add(
    "tcb-sharing.startup.no-sample",
    "An ACK without an RTT sample does not end the startup",
    "The first ACK of two of 20 packets lacks a sample: the window grows from 40000 to 42000 and pacing continues. The next ACK ends the startup: 16 are in flight, 16000 + 2000 = 18000.",
    flags=("paced",),
    tier="core",
)
def startup_no_sample(b: ResumeBuilder) -> None:
    share(b)
    paced(b, 20)
    b.ack(RTT, (0, 1), sample=False)
    b.expect(outcome="grown", cwnd_bytes=42_000, next_release_ns=1_050_000_000)
    b.ack(RTT + MS, (2, 3))
    b.expect(outcome="paced_startup_ended", cwnd_bytes=18_000)


@add(
    "tcb-sharing.startup.loss",
    "A loss ends the startup",
    "The first of 20 packets is declared lost before any ACK: the window halves, 40000 / 2 = 20000, and pacing ends. The next ACK is in recovery and does not change the window.",
    flags=("paced",),
    tier="core",
)
def startup_loss(b: ResumeBuilder) -> None:
    share(b)
    paced(b, 20)
    b.lose(RTT, (0, 0))
    b.expect(outcome="reduced", cwnd_bytes=20_000, ssthresh_bytes=20_000, next_release_ns=None)
    b.ack(RTT + MS, (1, 2))
    b.expect(outcome="in_recovery", cwnd_bytes=20_000)


@add(
    "tcb-sharing.startup.persistent-congestion",
    "Persistent congestion ends the startup",
    "The window of 40000 collapses to 2 * 1000 = 2000, and pacing ends. An ACK that leaves 18 packets in flight does not raise the window to 18 packets: 2000 + 2 * 1000 = 4000.",
    flags=("paced",),
    tier="core",
)
def startup_persistent_congestion(b: ResumeBuilder) -> None:
    share(b)
    paced(b, 20)
    b.persistent_congestion(10 * RTT)
    b.expect(outcome="collapsed", cwnd_bytes=2000, next_release_ns=None)
    b.ack(11 * RTT, (0, 1))
    b.expect(outcome="grown", cwnd_bytes=4000)

"""Hand-built stimuli of Quick-Start: the window after the loss or mark of a Quick-Start packet.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from functools import partial

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.quick_start.sender import DATA, GAP, NS2, RFC, RTT, paced, ready

CATALOGUE = Catalogue(RFC, NS2, sources=("RFC 4782, section 4.6",))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=10_000)


@add(
    "quick-start.loss.revert",
    "A loss leaves the initial window, and half of the delivered bytes as threshold",
    """61 packets are sent and packet 0 is acknowledged. Packet 1 is lost: the window becomes the initial window, 10000; halving would leave 62000 / 2 = 31000. The
    threshold is half of the 60 others, 60 * 1000 / 2 = 30000. Packets 2 and 3 are lost as well: 58 * 1000 / 2 = 29000. ns-2 does not change
    the threshold. In recovery the window does not grow. The ACK of packet 61 ends recovery, and slow start continues: 11000.""",
    flags=("paced",),
)
def loss_revert(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 61)
    b.ack(RTT, (0, 0))
    b.lose(RTT + MS, (1, 1))
    b.expect(outcome="quick_start_reverted", cwnd_bytes=10_000, phase="recovery", quick_lost_packets=1)
    b.expect(ssthresh_bytes=30_000, profile=RFC)
    b.expect(ssthresh_bytes=None, profile=NS2)
    b.lose(RTT + 2 * MS, (2, 3))
    b.expect(outcome="already_reduced", cwnd_bytes=10_000, quick_lost_packets=3)
    b.expect(ssthresh_bytes=29_000, profile=RFC)
    b.ack(2 * RTT, (4, 59))
    b.expect(outcome="in_recovery", cwnd_bytes=10_000)
    b.send(2 * RTT, 5)
    b.ack(3 * RTT, (61, 61))
    b.expect(outcome="grown", cwnd_bytes=11_000, phase="slow_start")


@add(
    "quick-start.loss.in-the-mode",
    "A loss in the mode ends it; the threshold is at least two datagrams",
    """Three packets have left when packet 0 is declared lost. The window is 10000. Half of the two others is 2 * 1000 / 2 = 1000, less than 2 * 1000 = 2000,
    the minimum threshold. Pacing ends.""",
    flags=("paced",),
)
def loss_in_the_mode(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 3)
    b.lose(10 * MS, (0, 0))
    b.expect(outcome="quick_start_reverted", cwnd_bytes=10_000, next_release_ns=None)
    b.expect(ssthresh_bytes=2000, profile=RFC)
    b.expect(ssthresh_bytes=None, profile=NS2)


@add(
    "quick-start.loss.never-raises",
    "Reverting never raises the window",
    "Three packets are sent, and the ACK of the first leaves 3000 + 1000 = 4000. Packet 1 is lost: 4000 stays, below the initial window of 10000. The threshold is 2 * 1000 / 2 = 1000, raised to the minimum of 2000.",
    profiles=(RFC,),
    sources=("RFC 4782, section 4.6", "ours: nothing rises"),
    flags=("paced",),
)
def loss_never_raises(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 3)
    b.ack(RTT, (0, 0))
    b.lose(RTT + MS, (1, 1))
    b.expect(outcome="quick_start_reverted", cwnd_bytes=4000, ssthresh_bytes=2000)


@add(
    "quick-start.loss.ce",
    "A CE mark on a Quick-Start packet reverts as well; the packet counts as delivered",
    """All 61 packets are sent. The ACK of packet 0 carries a mark: the window is 10000, and the threshold half of all, 61 * 1000 / 2 = 30500. A second mark in
    the same round does not change them.""",
    profiles=(RFC,),
    flags=("paced",),
)
def loss_ce(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 61)
    b.ack(RTT, (0, 0))
    b.ce(RTT, 0, 0)
    b.expect(outcome="quick_start_reverted", cwnd_bytes=10_000, ssthresh_bytes=30_500, quick_lost_packets=0)
    b.ack(RTT + GAP, (1, 1))
    b.ce(RTT + GAP, 1, GAP)
    b.expect(outcome="already_reduced", cwnd_bytes=10_000, ssthresh_bytes=30_500)


@add(
    "quick-start.loss.later-mark",
    "A mark on a packet sent after the mode is a normal mark",
    """All 61 packets are acknowledged at once: 111500. Packet 61 is marked: half, 111500 / 2 = 55750.""",
    profiles=(RFC,),
    sources=("RFC 4782, section 4.6", "RFC 9002, section 7.1"),
    flags=("paced",),
)
def loss_later_mark(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 61)
    b.ack(2 * RTT, (0, 60))
    b.expect(cwnd_bytes=111_500)
    b.send(2 * RTT, 10)
    b.ack(3 * RTT, (61, 61))
    b.expect(cwnd_bytes=112_000)
    b.ce(3 * RTT, 61, 2 * RTT)
    b.expect(outcome="reduced", cwnd_bytes=56_000, ssthresh_bytes=56_000)


@add(
    "quick-start.loss.barred",
    "After a loss requests stop",
    "Packet 1 is lost, and Quick-Start reverted: 10000. After an idle period the packet carries no request, and its ACK is not an answer: 11000 + 1000 = 12000.",
    profiles=(RFC,),
    flags=("paced",),
)
def loss_barred(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 61)
    b.lose(RTT, (1, 1))
    b.ack(RTT + MS, (0, 0), (2, 60))
    b.send(RTT + MS, 1)
    b.ack(2 * RTT + MS, (61, 61))
    b.expect(outcome="grown", cwnd_bytes=11_000, ssthresh_bytes=30_000)
    b.idle_restart(1000 * MS)
    b.expect(outcome="quick_start_barred")
    b.send(1000 * MS, 1)
    b.expect(outcome="sent")
    b.ack(1100 * MS, (62, 62))
    b.expect(outcome="grown", cwnd_bytes=12_000)


@add(
    "quick-start.loss.midway",
    "In the middle of a connection the loss leaves half of QS-cwnd, if that is less",
    """The initial window is 40000, and the request left with the first packet. After 100 ms its ACK grows it to 41000 and brings 61000. Packet 40, the first of the mode,
    is acknowledged, packet 41 lost: half of QS-cwnd is 61000 / 2 = 30500, less than 41000. The threshold is half of the 20 others, 20 * 1000 / 2 = 10000,
    and slow start ends there.""",
    profiles=(DATA,),
    sources=("RFC 4782, sections 4.6 and 4.8",),
    initial_window_bytes=40_000,
    flags=("paced",),
)
def loss_midway(b: StreamBuilder) -> None:
    b.send(0, 40)
    b.ack(RTT, (0, 0))
    b.expect(outcome="quick_start_begun", cwnd_bytes=61_000, usual_cwnd_bytes=41_000)
    paced(b, 21, from_ns=RTT)
    b.ack(2 * RTT, (1, 40))
    b.lose(2 * RTT + MS, (41, 41))
    b.expect(outcome="quick_start_reverted", cwnd_bytes=30_500, ssthresh_bytes=10_000)


@add(
    "quick-start.loss.midway-usual",
    "In the middle of a connection the loss leaves the previous window, if that is less",
    """The initial window is 10000, and the request left with the first packet: 11000 with its ACK, then 61000. The loss of packet 10 leaves 11000, less than 61000 / 2 =
    30500; 20 of 21 packets were delivered, 20 * 1000 / 2 = 10000.""",
    profiles=(DATA,),
    sources=("RFC 4782, sections 4.6 and 4.8",),
    flags=("paced",),
)
def loss_midway_usual(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (0, 0))
    paced(b, 21, from_ns=RTT)
    b.ack(2 * RTT, (1, 9))
    b.lose(2 * RTT + MS, (10, 10))
    b.expect(outcome="quick_start_reverted", cwnd_bytes=11_000, ssthresh_bytes=10_000)


@add(
    "quick-start.loss.midway-idle",
    "In the middle of a connection a loss reverts in the same way after a request that followed an idle period",
    """The initial window is 40000, and the approved window of the handshake is not larger: 2 packets bring it to 42000. After the idle second the ACK of packet 2 grows it to 43000 and
    brings 61000. 21 packets leave, and packet 3 is lost: half of QS-cwnd, 61000 / 2 = 30500, is less than 43000. The threshold is 20 * 1000 / 2 = 10000.""",
    profiles=(RFC,),
    sources=("RFC 4782, sections 4.6 and 4.8",),
    initial_window_bytes=40_000,
    flags=("paced",),
)
def loss_midway_idle(b: StreamBuilder) -> None:
    ready(b, 10 * MS)
    b.send(0, 2)
    b.ack(10 * MS, (0, 1))
    b.idle_restart(1000 * MS)
    b.send(1000 * MS, 1)
    b.ack(1100 * MS, (2, 2))
    b.expect(outcome="quick_start_begun", cwnd_bytes=61_000, usual_cwnd_bytes=43_000)
    paced(b, 21, from_ns=1100 * MS)
    b.lose(1200 * MS, (3, 3))
    b.expect(outcome="quick_start_reverted", cwnd_bytes=30_500, ssthresh_bytes=10_000)


@add(
    "quick-start.loss.midway-ignored",
    "A request with an ignored answer does not limit the window after a loss of the handshake's packets",
    """The initial window is 40000, and the handshake approves 61000. 61 packets leave, and the ACK of 59 ends the mode with 61 * 1000 = 61000 bytes used. After the idle second
    a request leaves with packet 61. Its answer is ignored, because the window is larger than 61000. Then packets 59 and 60 of the first mode are lost: the window before the mode,
    40000. The limit of 61000 / 2 = 30500 does not apply. The threshold is 59 * 1000 / 2 = 29500.""",
    profiles=(RFC,),
    sources=("RFC 4782, sections 4.6 and 4.8",),
    initial_window_bytes=40_000,
    flags=("paced",),
)
def loss_midway_ignored(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 61)
    b.ack(RTT, (0, 58))
    b.idle_restart(1000 * MS)
    b.expect(outcome="quick_start_armed")
    b.send(1000 * MS, 1)
    b.ack(1100 * MS, (61, 61))
    b.expect(outcome="quick_start_ignored")
    b.lose(1100 * MS, (59, 60))
    b.expect(outcome="quick_start_reverted", cwnd_bytes=40_000, ssthresh_bytes=29_500)


@add(
    "quick-start.cubic.loss",
    "On CUBIC a loss reverts to the same window",
    """The initial window is 10000 on either base, and the threshold 60 * 1000 / 2 = 30000. A later loss leaves NewReno half of 11000, 5500, and CUBIC 7 * 11000 / 10 = 7700.""",
    tier="core",
    profiles=(RFC, RFC + "+cubic"),
    sources=("RFC 4782, section 4.6", "RFC 9438, section 4.6"),
    flags=("paced",),
)
def cubic_loss(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 61)
    b.lose(RTT, (1, 1))
    b.expect(cwnd_bytes=10_000, ssthresh_bytes=30_000)
    b.ack(RTT + MS, (0, 0), (2, 60))
    b.send(RTT + MS, 10)
    b.ack(2 * RTT + MS, (61, 61))
    b.expect(cwnd_bytes=11_000)
    b.send(2 * RTT + MS, 2)
    b.lose(2 * RTT + 2 * MS, (62, 62))
    b.expect(cwnd_bytes=5500, profile=RFC)
    b.expect(cwnd_bytes=7700, profile=RFC + "+cubic")

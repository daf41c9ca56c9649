"""Hand-built stimuli of Quick-Start: the end of the mode, and growth after it.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from functools import partial

from firstflight_conformance.format.builder import MS, S, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.quick_start.sender import GAP, NS2, RFC, RTT, SCHARF, SOURCE, paced, ready

CATALOGUE = Catalogue(RFC, NS2, sources=(SOURCE,))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=10_000)


@add(
    "quick-start.end.used-fully",
    "A window that was used fully stays",
    "All 61 packets have left when the first ACK comes: the window of 61000 stays, and grows by the packet to 62000.",
    flags=("paced",),
)
def end_used_fully(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 61)
    b.expect(next_release_ns=None, phase="quick_start", sent_packets=61)
    b.ack(RTT, (0, 0))
    b.expect(outcome="quick_start_ended", cwnd_bytes=62_000, phase="slow_start")


@add(
    "quick-start.end.rtt-shorter",
    "The RTT was shorter than measured: the window becomes the used bytes",
    """After 50 ms, with 31 packets sent, the ACK of packet 0 comes: 31000 bytes were used. The window becomes 31000, and the ACK adds 1000: 32000. With the bytes
    in flight after the ACK it would be 30000 + 1000, with the approved window 61000 + 1000.""",
    profiles=(RFC, SCHARF, NS2),
    flags=("paced",),
)
def end_rtt_shorter(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 31)
    b.ack(50 * MS, (0, 0))
    b.expect(outcome="quick_start_ended", cwnd_bytes=32_000, next_release_ns=None)


@add(
    "quick-start.end.little-used",
    "A sender with little data keeps the used part of the window, or its initial window",
    """The application has only three packets for now. The ACK of the first leaves 3 * 1000 = 3000 and adds 1000: 4000, less than the initial window of 10000. The
    initial window is the minimum in ns-2: 10000 + 1000 = 11000.""",
    flags=("paced",),
)
def end_little_used(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 3)
    b.ack(RTT, (0, 0))
    b.expect(cwnd_bytes=4000, profile=RFC)
    b.expect(cwnd_bytes=11_000, profile=NS2)


@add(
    "quick-start.end.least",
    "At least two datagrams remain",
    """One packet of 500 bytes was sent. 500 bytes were used. The window becomes 2 * 1000 = 2000, and the ACK adds 500: 2500. ns-2: 10000 + 500
    = 10500.""",
    flags=("paced",),
)
def end_least(b: StreamBuilder) -> None:
    ready(b)
    b.send(0, 1, 500)
    b.ack(RTT, (0, 0))
    b.expect(cwnd_bytes=2500, profile=RFC)
    b.expect(cwnd_bytes=10_500, profile=NS2)


@add(
    "quick-start.end.older-ack",
    "The ACK of an older packet does not end the mode",
    """A packet of 100 bytes left before. Its ACK at 4 ms adds 100 to the window, 61100, and the third packet of the mode is due at 3.25 ms as before. The ACK of
    packet 1 ends the mode: 3000 bytes are in flight, and 1000 are added, 4000; ns-2: 11000.""",
    flags=("paced",),
)
def end_older_ack(b: StreamBuilder) -> None:
    b.send(0, 1, 100)
    ready(b)
    paced(b, 2)
    b.ack(4 * MS, (0, 0))
    b.expect(outcome="grown", cwnd_bytes=61_100, phase="quick_start", next_release_ns=1_003_250_000)
    b.send(4 * MS, 1)
    b.ack(RTT, (1, 1))
    b.expect(outcome="quick_start_ended", cwnd_bytes=4000, profile=RFC)
    b.expect(outcome="quick_start_ended", cwnd_bytes=11_000, profile=NS2)


@add(
    "quick-start.end.app-limited",
    "An app-limited ACK ends the mode without growth",
    "The application had only the 20 packets: their first ACK leaves 20000, and does not grow the window.",
    sources=(SOURCE, "RFC 9002, section 7.8"),
    flags=("paced",),
)
def end_app_limited(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 20)
    b.ack(RTT, (0, 0), app_limited=True)
    b.expect(outcome="quick_start_ended", cwnd_bytes=20_000)


@add(
    "quick-start.end.older-loss",
    "The loss of an older packet halves the window and ends the mode",
    """Packet 0 left before the mode and is lost in it: the base controller halves 61000 to 30500. Pacing ends, and packets sent now are not Quick-Start packets. Packet
    1 is acknowledged, and recovery ends with packet 3. The loss of a later packet halves 30532 to 15266.""",
    flags=("paced",),
)
def end_older_loss(b: StreamBuilder) -> None:
    b.send(0, 1)
    ready(b)
    paced(b, 2)
    b.lose(10 * MS, (0, 0))
    b.expect(outcome="reduced", cwnd_bytes=30_500, ssthresh_bytes=30_500, phase="recovery", next_release_ns=None)
    b.send(11 * MS, 2)
    b.ack(RTT, (1, 2))
    b.expect(outcome="in_recovery", cwnd_bytes=30_500)
    b.ack(111 * MS, (3, 3))
    b.expect(outcome="grown_avoidance", cwnd_bytes=30_532)
    b.send(112 * MS, 2)
    b.lose(300 * MS, (5, 5))
    b.expect(outcome="reduced", cwnd_bytes=15_266)


@add(
    "quick-start.end.persistent-congestion",
    "Persistent congestion ends the mode",
    "The window is 2 * 1000 = 2000, and pacing ends.",
    tier="core",
    sources=("RFC 9002, section 7.6", "ours: it ends the mode"),
)
def end_persistent_congestion(b: StreamBuilder) -> None:
    ready(b)
    b.send(0, 1)
    b.persistent_congestion(S)
    b.expect(outcome="collapsed", cwnd_bytes=2000, phase="slow_start", next_release_ns=None)


@add(
    "quick-start.growth.limited",
    "After the use of a rate slow start is limited",
    """In 200 ms there are 123 packets, floor(200000 / 1625) = 123: 123000 bytes, above the max_ssthresh of 100 * 1000 = 100000. All are sent. The first ACK adds
    floor(1000 / 2) = 500, for K = floor(123000 / 50000) = 2: 123500. In ns-2 it adds 1000: 124000.""",
    sources=(SOURCE, "RFC 3742, section 2"),
    flags=("paced",),
)
def growth_limited(b: StreamBuilder) -> None:
    ready(b, 2 * RTT)
    paced(b, 123)
    b.ack(2 * RTT, (0, 0))
    b.expect(cwnd_bytes=123_500, profile=RFC)
    b.expect(cwnd_bytes=124_000, profile=NS2)


@add(
    "quick-start.growth.not-limited",
    "Without the use of a rate slow start is not limited",
    """The initial window is 120000, above QS-cwnd, 61 * 1000 = 61000, and above max_ssthresh. The rate is not used, and an ACK adds a whole packet, 121000.""",
    profiles=(RFC,),
    initial_window_bytes=120_000,
)
def growth_not_limited(b: StreamBuilder) -> None:
    ready(b)
    b.expect(outcome="quick_start_ignored")
    b.send(0, 10)
    b.ack(RTT, (0, 0))
    b.expect(outcome="grown", cwnd_bytes=121_000)


@add(
    "quick-start.growth.later-loss",
    "The loss of a packet sent after the mode is a normal loss",
    """All 61 packets arrive. 39 of them bring 61000 to 100000, the next to 101000. The other 21 add 1000 / 2 = 500 each: 101000 + 21 * 500 = 111500. ns-2 grows to 61000 +
    61 * 1000 = 122000. Then packet 61, the first after the mode, is lost: half, 55750 or 61000.""",
    flags=("paced",),
)
def growth_later_loss(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 61)
    for packet in range(61):
        b.ack(RTT + packet * GAP, (packet, packet))
    b.expect(cwnd_bytes=111_500, profile=RFC)
    b.expect(cwnd_bytes=122_000, profile=NS2)
    b.send(2 * RTT, 10)
    b.lose(3 * RTT + MS, (61, 61))
    b.expect(outcome="reduced", cwnd_bytes=55_750, ssthresh_bytes=55_750, profile=RFC)
    b.expect(outcome="reduced", cwnd_bytes=61_000, profile=NS2)

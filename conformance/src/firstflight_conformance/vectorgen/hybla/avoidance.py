"""Hand-built stimuli of Hybla: congestion avoidance, the threshold, and what is left to the base controller.

`why` derives the expectation; ``sender`` says what the streams have in common.
"""

from functools import partial

from firstflight_conformance.vectorgen.builder import MS, S, StreamBuilder
from firstflight_conformance.vectorgen.hybla.sender import (
    ALL,
    LINUX,
    NS3,
    PICOQUIC,
    SOURCES,
    back,
    flight,
    into_avoidance,
)
from firstflight_conformance.vectorgen.stimulus import Catalogue

CATALOGUE = Catalogue(*ALL, sources=(*SOURCES, "RFC 9002, section 7.3"))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=10_000)
RTT = 100 * MS


@add(
    "hybla.avoidance.packets",
    "In congestion avoidance a window of packets adds the square of rho",
    """40000 is halved by a loss, and the packet that ends recovery adds 1000 * 1000 / 20000 = 50 as NewReno does: 20050. Linux: rho is 4, a datagram has 2 * 64 = 128 parts, its square 16 * 128 = 2048
    of them, floor(2048 / 20) = 102 for each ACK: nothing is gained, 102 * 512 = 52224 parts of 65536 are kept; with the second 2 * 102 - 128 = 76 are left after a datagram, 21050. picoquic:
    floor(16 * 1000 * 1000 / 20050) = 798, 20848, and floor(16 * 1000 * 1000 / 20848) = 767, 21615. ns-3: rho is 2, 4 / 20 of a datagram for each packet, floor(4 * 65536 / 20) = 13107
    parts; five make 5 * 13107 = 65535, a part too little, and the sixth gains a datagram: 21050.""",
    initial_window_bytes=40_000,
)
def _(b: StreamBuilder) -> None:
    first = into_avoidance(b)
    back(b, S + MS, first, 6, RTT)
    b.expect(at=b.acked(first), outcome="grown_avoidance", cwnd_bytes=20_050, credit_fixed=52_224, profile=LINUX)
    b.expect(at=b.acked(first + 1), cwnd_bytes=21_050, profile=LINUX)
    b.expect(at=b.acked(first), cwnd_bytes=20_848, profile=PICOQUIC)
    b.expect(at=b.acked(first + 1), cwnd_bytes=21_615, profile=PICOQUIC)
    b.expect(at=b.acked(first + 4), cwnd_bytes=20_050, credit_fixed=65_535, profile=NS3)
    b.expect(at=b.acked(first + 5), cwnd_bytes=21_050, profile=NS3)


@add(
    "hybla.avoidance.ack-of-four",
    "What an ACK of four packets adds in congestion avoidance",
    """At 20050, as in hybla.avoidance.packets. Linux counts the ACK once: 102 * 512 = 52224 parts. ns-3 counts packets: 4 * 13107 = 52428 parts. picoquic counts bytes, all of
    them with the window that the ACK met: floor(4 * 16 * 1000 * 1000 / 20050) = 3192: 20050 + 3192 = 23242.""",
    initial_window_bytes=40_000,
)
def _(b: StreamBuilder) -> None:
    first = into_avoidance(b)
    b.ack(S + 4 * MS + RTT, (first, first + 3))
    b.expect(cwnd_bytes=20_050, credit_fixed=52_224, profile=LINUX)
    b.expect(cwnd_bytes=20_050, credit_fixed=52_428, profile=NS3)
    b.expect(cwnd_bytes=23_242, profile=PICOQUIC)


@add(
    "hybla.avoidance.small-packets",
    "What an ACK of half a datagram adds in congestion avoidance",
    """At 20050 a packet of 500 bytes comes back. picoquic adds floor(16 * 500 * 1000 / 20050) = 399: 20449. Linux and ns-3 count it for a whole one: 52224 and 13107 parts.""",
    initial_window_bytes=40_000,
)
def _(b: StreamBuilder) -> None:
    into_avoidance(b, 0)
    first = flight(b, 2 * S, 1, 500)
    back(b, 2 * S, first, 1, RTT)
    b.expect(cwnd_bytes=20_449, profile=PICOQUIC)
    b.expect(cwnd_bytes=20_050, credit_fixed=52_224, profile=LINUX)
    b.expect(cwnd_bytes=20_050, credit_fixed=13_107, profile=NS3)


@add(
    "hybla.threshold.cut",
    "Slow start does not pass the threshold",
    """A loss at 100000 leaves a threshold of 50000, and persistent congestion a window of 2000. With rho = 4 each ACK adds 15 * 1000: 17000, 32000, 47000, and 47000 + 15000 = 62000 is cut to 50000. The initial window
    of picoquic is not widened in a second slow start. ns-3 adds 3 * 1000 four times: 2000 + 4 * 3000 = 14000.""",
    initial_window_bytes=100_000,
)
def _(b: StreamBuilder) -> None:
    flight(b, 0, 2)
    b.lose(S, (0, 1))
    b.persistent_congestion(S)
    b.expect(outcome="collapsed", cwnd_bytes=2000, ssthresh_bytes=50_000)
    for index in range(4):
        start_ns = 2 * S + index * S
        back(b, start_ns, flight(b, start_ns, 1), 1, RTT)
    b.expect(at=b.acked(4), cwnd_bytes=47_000, profile=(LINUX, PICOQUIC))
    b.expect(cwnd_bytes=50_000, phase="congestion_avoidance", profile=(LINUX, PICOQUIC))
    b.expect(cwnd_bytes=14_000, phase="slow_start", profile=NS3)


@add(
    "hybla.scope.loss",
    "A loss and a CE mark are the base controller's",
    """At 100 ms the first ACK brings 10000 to 25000 on Linux, and to 13000 in ns-3. Packet 1 is lost: 12500 and 6500. Packet 2, sent before, adds nothing.""",
    profiles=(LINUX, NS3),
)
def _(b: StreamBuilder) -> None:
    flight(b, 0, 4)
    back(b, 0, 0, 1, RTT)
    b.lose(RTT + MS, (1, 1))
    b.expect(outcome="reduced", cwnd_bytes=12_500, ssthresh_bytes=12_500, profile=LINUX)
    b.expect(outcome="reduced", cwnd_bytes=6500, ssthresh_bytes=6500, profile=NS3)
    back(b, 2 * MS, 2, 1, RTT)
    b.expect(outcome="in_recovery")


@add(
    "hybla.scope.ce",
    "A CE mark is the base controller's",
    "The ACK brings 10000 to 25000 and carries a CE mark: 12500.",
    profiles=(LINUX,),
)
def _(b: StreamBuilder) -> None:
    flight(b, 0, 4)
    back(b, 0, 0, 1, RTT)
    b.ce(RTT, 0, 0)
    b.expect(outcome="reduced", cwnd_bytes=12_500, ssthresh_bytes=12_500)

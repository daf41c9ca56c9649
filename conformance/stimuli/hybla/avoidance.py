"""Hand-built stimuli of Hybla: congestion avoidance, the threshold, and the part of the base controller.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from functools import partial

from firstflight_conformance.format.builder import MS, S, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.hybla.sender import (
    ALL,
    LINUX,
    NS3,
    SOURCES,
    back,
    flight,
    into_avoidance,
)

CATALOGUE = Catalogue(*ALL, sources=(*SOURCES, "RFC 9002, section 7.3"))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=10_000)
RTT = 100 * MS


@add(
    "hybla.avoidance.packets",
    "In congestion avoidance a window of packets adds the square of rho",
    """40000 is halved by a loss, and the packet that ends recovery adds 1000 * 1000 / 20000 = 50 as NewReno does: 20050. Linux: rho is 4, and a datagram has 2 * 64 = 128 parts. The square of rho has 16 *
    128 = 2048 parts, and each ACK adds floor(2048 / 20) = 102. The first ACK does not complete a datagram: 102 * 512 = 52224 parts of 65536 remain. With the second 2 * 102 - 128 = 76 remain after a datagram, 21050. ns-3: rho is 2, and each packet adds 4 / 20 of a datagram. Four make 16 / 20, and the fifth gains a datagram, 21050. In ns-3's doubles and in exact numbers the remainder is 0. Here a share is rounded up, 4 * 2^30 / 20 = 214748364.8 to 214748365 of 2^30 = 1073741824 parts, and 5 * 214748365 - 1073741824 = 1 remains. With 21 datagrams the sixth adds ceil(4 * 2^30 / 21) = 204522253: 204522254.""",
    initial_window_bytes=40_000,
)
def avoidance_packets(b: StreamBuilder) -> None:
    first = into_avoidance(b)
    back(b, S + MS, first, 6, RTT)
    b.expect(at=b.acked(first), outcome="grown_avoidance", cwnd_bytes=20_050, credit_fixed=52_224, profile=LINUX)
    b.expect(at=b.acked(first + 1), cwnd_bytes=21_050, profile=LINUX)
    b.expect(at=b.acked(first + 3), cwnd_bytes=20_050, profile=NS3)
    b.expect(at=b.acked(first + 4), cwnd_bytes=21_050, credit_fixed=1, profile=NS3)
    b.expect(at=b.acked(first + 5), cwnd_bytes=21_050, credit_fixed=204_522_254, profile=NS3)


@add(
    "hybla.avoidance.ack-of-four",
    "The growth at an ACK of four packets in congestion avoidance",
    """At 20050, as in hybla.avoidance.packets. Linux counts the ACK once: 102 * 512 = 52224 parts. ns-3 counts packets: 4 * 214748365 = 858993460 parts.""",
    initial_window_bytes=40_000,
)
def avoidance_ack_of_four(b: StreamBuilder) -> None:
    first = into_avoidance(b)
    b.ack(S + 4 * MS + RTT, (first, first + 3))
    b.expect(cwnd_bytes=20_050, credit_fixed=52_224, profile=LINUX)
    b.expect(cwnd_bytes=20_050, credit_fixed=858_993_460, profile=NS3)


@add(
    "hybla.avoidance.small-packets",
    "The growth at an ACK of half a datagram in congestion avoidance",
    """At 20050 a packet of 500 bytes is acknowledged. Linux and ns-3 count it as a whole packet: 52224 and 214748365 parts.""",
    initial_window_bytes=40_000,
)
def avoidance_small_packets(b: StreamBuilder) -> None:
    into_avoidance(b, 0)
    first = flight(b, 2 * S, 1, 500)
    back(b, 2 * S, first, 1, RTT)
    b.expect(cwnd_bytes=20_050, credit_fixed=52_224, profile=LINUX)
    b.expect(cwnd_bytes=20_050, credit_fixed=214_748_365, profile=NS3)


@add(
    "hybla.threshold.cut",
    "Slow start does not pass the threshold",
    """A loss at 100000 leaves a threshold of 50000, and persistent congestion a window of 2000. With rho = 4 each ACK adds 15 * 1000: 17000, 32000, 47000, and 47000 + 15000 = 62000 is cut to 50000. ns-3 adds 3 * 1000 four times: 2000 + 4 * 3000 = 14000.""",
    initial_window_bytes=100_000,
)
def threshold_cut(b: StreamBuilder) -> None:
    flight(b, 0, 2)
    b.lose(S, (0, 1))
    b.persistent_congestion(S)
    b.expect(outcome="collapsed", cwnd_bytes=2000, ssthresh_bytes=50_000)
    for index in range(4):
        start_ns = 2 * S + index * S
        back(b, start_ns, flight(b, start_ns, 1), 1, RTT)
    b.expect(at=b.acked(4), cwnd_bytes=47_000, profile=LINUX)
    b.expect(cwnd_bytes=50_000, phase="congestion_avoidance", profile=LINUX)
    b.expect(cwnd_bytes=14_000, phase="slow_start", profile=NS3)


@add(
    "hybla.scope.loss",
    "The base controller handles a loss and a CE mark",
    """At 100 ms the first ACK grows 10000 to 25000 on Linux, and to 13000 in ns-3. Packet 1 is lost: 12500 and 6500. Packet 2, sent before the loss, does not grow the window.""",
    profiles=(LINUX, NS3),
)
def scope_loss(b: StreamBuilder) -> None:
    flight(b, 0, 4)
    back(b, 0, 0, 1, RTT)
    b.lose(RTT + MS, (1, 1))
    b.expect(outcome="reduced", cwnd_bytes=12_500, ssthresh_bytes=12_500, profile=LINUX)
    b.expect(outcome="reduced", cwnd_bytes=6500, ssthresh_bytes=6500, profile=NS3)
    back(b, 2 * MS, 2, 1, RTT)
    b.expect(outcome="in_recovery")


@add(
    "hybla.scope.ce",
    "The base controller handles a CE mark",
    "The ACK brings 10000 to 25000 and carries a CE mark: 12500.",
    profiles=(LINUX,),
)
def scope_ce(b: StreamBuilder) -> None:
    flight(b, 0, 4)
    back(b, 0, 0, 1, RTT)
    b.ce(RTT, 0, 0)
    b.expect(outcome="reduced", cwnd_bytes=12_500, ssthresh_bytes=12_500)

"""Stimuli of SEARCH on Hybla: growth of the window, the end of slow start, and the division between them.

Datagrams have 1000 bytes. At 100 ms rho is 4: on Hybla an ACK of any size adds 2^4 - 1 = 15 datagrams in slow start, 15
* 1000 = 15000 bytes.
"""

from functools import partial

from firstflight_conformance.format.builder import MS, S, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.hybla.sender import back, flight
from stimuli.search.flow import (
    RTT,
    Delivery,
    deliver,
    in_bin,
    nth_ack,
    one_ack_per_bin,
    rates,
)
from stimuli.search.sent import drain_down

LANMAN = "lanman-2024"
ON_HYBLA = LANMAN + "+hybla"
BOTH = (LANMAN, ON_HYBLA)
SOURCES = ("LANMAN 2024, Algorithm 1", "torvalds/linux, net/ipv4/tcp_hybla.c")
#: An ACK in each bin; the last ACK ends slow start: search.threshold.equal.
UNTIL_EXIT = rates((11, 10_000), (4, 20_000))
#: The flight of the streams is empty then.
AFTER = in_bin(20)

CATALOGUE = Catalogue(ON_HYBLA, sources=SOURCES)
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=100_000)


def _acks(sizes: list[int], rtt_ns: int) -> list[Delivery]:
    """Return an ACK for each bin of another RTT."""
    bin_ns = 7 * rtt_ns // 20
    return [Delivery(in_bin(i, MS, bin_ns, rtt_ns), size, rtt_ns) for i, size in enumerate(sizes)]


@add(
    "search.hybla.growth",
    "Until SEARCH ends slow start, the window grows by Hybla",
    """The first ACK starts SEARCH, the second falls into the same bin. NewReno adds the acknowledged bytes: 100000 + 4000 = 104000 and 104000 + 1000 = 105000. On Hybla rho = 100 / 25 = 4,
    and each ACK adds 2^4 - 1 = 15 datagrams: 100000 + 15000 = 115000, and 115000 + 15000 = 130000.""",
    profiles=BOTH,
)
def hybla_growth(b: StreamBuilder) -> None:
    b.send(0, 4)
    b.send(MS, 1)
    b.ack(RTT, (0, 3))
    b.expect(outcome="started", cwnd_bytes=104_000, profile=LANMAN)
    b.expect(outcome="started", cwnd_bytes=115_000, profile=ON_HYBLA)
    b.ack(RTT + MS, (4, 4))
    b.expect(outcome="same_bin", cwnd_bytes=105_000, profile=LANMAN)
    b.expect(outcome="same_bin", cwnd_bytes=130_000, profile=ON_HYBLA)


@add(
    "search.hybla.geo",
    "On a geostationary satellite path Hybla opens the window before the first evaluation of SEARCH",
    """At 600 ms rho is 24: one ACK opens the window to the 65535 datagrams of Linux, 65535 * 1000 = 65535000. SEARCH starts with this ACK. In milliseconds its bins have 7 * 600 / 20 = 210. The first evaluation is at the end of the fourteenth bin, 14
    * 210 = 2940 later. NewReno has added 1000 with the same ACK.""",
    profiles=BOTH,
)
def hybla_geo(b: StreamBuilder) -> None:
    b.send(0, 1)
    b.ack(600 * MS, (0, 0))
    b.expect(outcome="started", cwnd_bytes=101_000, profile=LANMAN)
    b.expect(outcome="started", cwnd_bytes=65_535_000, profile=ON_HYBLA)
    flight(b, 2940 * MS, 2)
    back(b, 2940 * MS, 1, 2, 600 * MS)
    b.expect(at=b.acked(1), outcome="warming_up")
    b.expect(outcome="previous_zero")


@add(
    "search.hybla.exit",
    "SEARCH ends slow start at the same ACK, and lowers the window of Hybla by the same overshoot",
    """The stream of search.threshold.equal: at the fifteenth ACK the difference is exactly 7/20. Fourteen ACKs came before: NewReno has 100000 + 11 * 10000 + 3 * 20000 = 270000, Hybla 100000 + 14 * 15000 = 310000. Bins 8 to 13
    hold 3 * 10000 + 3 * 20000 = 90000, and both windows fall by that: 270000 - 90000 = 180000, and 310000 - 90000 = 220000. The ACK itself grows neither window.""",
    profiles=BOTH,
)
def hybla_exit(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin(UNTIL_EXIT))
    b.expect(at=nth_ack(b, 13), cwnd_bytes=270_000, profile=LANMAN)
    b.expect(at=nth_ack(b, 13), cwnd_bytes=310_000, profile=ON_HYBLA)
    b.expect(outcome="exited", cwnd_bytes=180_000, ssthresh_bytes=180_000, profile=LANMAN)
    b.expect(outcome="exited", cwnd_bytes=220_000, ssthresh_bytes=220_000, profile=ON_HYBLA)


@add(
    "search.hybla.avoidance",
    "After the exit the packets of a window add the square of rho",
    """As in search.hybla.exit, to 220000. The square of rho has 16 * 128 = 2048 parts; each ACK adds floor(2048 / 220) = 9. Fourteen make 14 * 9 = 126, the fifteenth makes 15 * 9 = 135, and a datagram has 2 * 64 = 128: 221000.""",
)
def hybla_avoidance(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin(UNTIL_EXIT))
    first = flight(b, AFTER, 15)
    back(b, AFTER, first, 15, RTT)
    b.expect(at=b.acked(first), outcome="grown_avoidance", cwnd_bytes=220_000)
    b.expect(at=b.acked(first + 13), cwnd_bytes=220_000)
    b.expect(cwnd_bytes=221_000, ssthresh_bytes=220_000)


@add(
    "search.hybla.rtt-rises",
    "A queue shifts the windows of SEARCH and does not change rho",
    """From the sixth bin on the RTT is 240 ms. For SEARCH 240 / 35 = 6.86 are 7 bins. At curr = 18 the windows are bins 8 to 17 and bins 1 to 10, with 10000 in each bin. 2 * 100000 - 100000
    = 100000 of 2 * 100000 = 200000 is more than 7/20: exit. rho follows the smallest RTT and is 4; eighteen ACKs have added 18 * 15000 = 270000: 100000 + 270000 = 370000. The exit takes off six bins of 10000, 60000: 310000.""",
)
def hybla_rtt_rises(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin([10_000] * 19, [RTT] * 6 + [240 * MS] * 13))
    b.expect(at=nth_ack(b, 17), outcome="warming_up", cwnd_bytes=370_000)
    b.expect(outcome="exited", shift_bins=7, current_bytes=100_000, previous_bytes=100_000, cwnd_bytes=310_000)


@add(
    "search.hybla.rtt-falls",
    "rho follows a falling RTT; the bins keep the first RTT",
    """The first packet returns after 200 ms: bins of 70 ms, rho = 8, 2^8 - 1 = 255 datagrams: 100000 + 255 * 1000 = 355000. The second returns after 100 ms and 200 ms later, in the third bin. The smoothed RTT is
    (7 * 200 + 100) / 8 = 187.5, rho = 187.5 / 25 = 7.5. The table has floor(128 * 1.41421) = 181 parts for the half: 128 * 181 / 128 - 1 = 180 datagrams, 355000 + 180 * 1000 = 535000.""",
)
def hybla_rtt_falls(b: StreamBuilder) -> None:
    b.send(0, 1)
    b.ack(200 * MS, (0, 0))
    b.expect(outcome="started", cwnd_bytes=355_000)
    b.send(300 * MS, 1)
    b.ack(400 * MS, (1, 1))
    b.expect(outcome="warming_up", bin=2, cwnd_bytes=535_000)


@add(
    "search.hybla.fourfold",
    "SEARCH expects a doubling where Hybla multiplies by four",
    """At 50 ms rho is 2: on a path that is not full, a round delivers four times as much as the previous round. Three bins make a round here, of 1000, 4000, 16000, 64000 bytes each, and all later bins have 64000. The text still expects twice as much.
    At curr = 14 bins 4 to 13 hold 2 * 4000 + 3 * 16000 + 5 * 64000 = 376000, bins 1 to 10 2 * 1000 + 3 * 4000 + 3 * 16000 + 2 * 64000 = 190000: 2 * 190000 - 376000 = 4000 of 2 * 190000 = 380000. At curr = 19 bins 9 to 18
    hold 10 * 64000 = 640000, bins 6 to 15 3 * 16000 + 7 * 64000 = 496000. 992000 - 640000 = 352000, and 20 * 352000 = 7040000 is more than 7 * 992000 = 6944000: exit. Nineteen ACKs added three datagrams each, 1000000 + 19 * 3000 = 1057000;
    the exit takes six bins off, 6 * 64000 = 384000: 673000.""",
    initial_window_bytes=1_000_000,
)
def hybla_fourfold(b: StreamBuilder) -> None:
    sizes = rates((3, 1000), (3, 4000), (3, 16_000), (11, 64_000))
    deliver(b, _acks(sizes, 50 * MS))
    b.expect(at=nth_ack(b, 14), outcome="below_threshold", current_bytes=376_000, previous_bytes=190_000)
    b.expect(outcome="exited", current_bytes=640_000, previous_bytes=496_000, cwnd_bytes=673_000)


@add(
    "search.hybla.rest-kept",
    "A remainder below one datagram survives the exit",
    """At 37.5 ms rho is 1.5, and a datagram has 2 * 64 = 128 parts; an ACK adds 2 * 181 - 128 = 234. Fourteen make 14 * 234 = 3276 parts, 25 datagrams and 3276 - 25 * 128 = 76 parts: 100000 + 25 * 1000 = 125000, 125000 - 90000 = 35000. Then
    the square of rho is 2 * 12 * 12 = 288 parts, floor(288 / 35) = 8 for an ACK. The seventh ACK makes 76 + 7 * 8 = 132, a datagram: 36000.""",
)
def hybla_rest_kept(b: StreamBuilder) -> None:
    rtt_ns = 75 * MS // 2
    deliver(b, _acks(UNTIL_EXIT, rtt_ns))
    b.expect(outcome="exited", cwnd_bytes=35_000)
    first = flight(b, S, 7)
    back(b, S, first, 7, rtt_ns)
    b.expect(at=b.acked(first + 5), cwnd_bytes=35_000)
    b.expect(cwnd_bytes=36_000)


@add(
    "search.hybla.exit-rtt",
    "The ACK that ends slow start does not reach Hybla, and neither does its RTT",
    """The stream of search.hybla.exit, but the last ACK has an RTT of 60 ms. 60 / 35 = 1.71 are 2 bins, bins 4 to 13 hold 130000 and bins 2 to 11 110000: 220000 - 130000 = 90000 of 220000 ends slow start. The smoothed
    RTT of that moment, (7 * 100 + 60) / 8 = 95, would make rho 3.75. Later RTTs are 135 ms, so that the smoothed RTT returns to (7 * 95 + 135) / 8 = 100 and rises. rho is still 4, nine parts per ACK: the fifteenth ACK gains a
    datagram. With 3.75 an ACK would have floor(1800 / 220) = 8 parts, and the sixteenth ACK would gain it.""",
)
def hybla_exit_rtt(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin(UNTIL_EXIT, [RTT] * 14 + [60 * MS]))
    b.expect(outcome="exited", shift_bins=2, previous_bytes=110_000, cwnd_bytes=220_000)
    first = flight(b, AFTER, 15)
    back(b, AFTER, first, 15, 135 * MS)
    b.expect(at=b.acked(first + 13), cwnd_bytes=220_000)
    b.expect(cwnd_bytes=221_000)


@add(
    "search.hybla.loss",
    "A loss before a decision of SEARCH halves the window; Hybla continues from there",
    """The first ACK grows 100000 to 115000; the loss leaves half of it, 57500. Packet 2 was sent before the loss and does not grow the window. The packet that ends recovery adds as in NewReno, floor(1000 * 1000 / 57500) = 17: 57517. Then Hybla: 57 datagrams, floor(2048 / 57) = 35 parts
    for an ACK, and the fourth makes 4 * 35 = 140: 58517.""",
    tier="core",
)
def hybla_loss(b: StreamBuilder) -> None:
    flight(b, 0, 3)
    back(b, 0, 0, 1, RTT)
    b.lose(RTT + MS, (1, 1))
    b.expect(outcome="reduced", cwnd_bytes=57_500, ssthresh_bytes=57_500)
    back(b, 2 * MS, 2, 1, RTT)
    b.expect(outcome="in_recovery")
    first = flight(b, S, 5)
    back(b, S, first, 5, RTT)
    b.expect(at=b.acked(first), outcome="grown_avoidance", cwnd_bytes=57_517)
    b.expect(at=b.acked(first + 3), cwnd_bytes=57_517)
    b.expect(cwnd_bytes=58_517)


@add(
    "search.hybla.slow-start-again",
    "In a second slow start Hybla grows to the threshold of SEARCH, and SEARCH starts again",
    """As in search.hybla.exit, to a threshold of 220000. Persistent congestion leaves 2000. SEARCH begins with the next ACK, and fourteen ACKs in one bin bring 2000 + 14 * 15000 = 212000. The fifteenth would make 227000 and is cut
    to 220000.""",
    tier="core",
)
def hybla_slow_start_again(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin(UNTIL_EXIT))
    b.persistent_congestion(AFTER)
    b.expect(outcome="collapsed", cwnd_bytes=2000)
    start_ns = AFTER + S
    first = flight(b, start_ns, 1)
    back(b, start_ns, first, 1, RTT)
    b.expect(outcome="started", cwnd_bytes=17_000, ssthresh_bytes=220_000, phase="slow_start")
    flight(b, start_ns + RTT + MS, 14)
    back(b, start_ns + RTT + MS, first + 1, 14, RTT)
    b.expect(cwnd_bytes=220_000, phase="congestion_avoidance")


@add(
    "search.hybla.threshold-only",
    "Where SEARCH lowers the threshold alone, the ACK that ends slow start grows the window by the square of rho",
    """Algorithm 1 of the report sets ssthresh and leaves the window. As printed it exits at the thirteenth ACK, curr = 12, with k = floor(100 / 35) = 2. Bins 2 to 12 hold 9 * 10000 + 20000 = 110000, and bins 0 to 10 as much: 1/2. The window is
    100000 + 12 * 15000 = 280000, and bins 7 to 12 hold 4 * 10000 + 20000 = 60000: ssthresh is 280000 - 60000 = 220000. The ACK grows the window as congestion avoidance does, by floor(2048 / 280) = 7 parts. Together with the 18 later ACKs
    these are 19 * 7 = 133, a datagram: 281000.""",
    tier="core",
    profiles=("report-2024-literal+hybla",),
    sources=("REPORT 2024, Algorithm 1", *SOURCES[1:]),
)
def hybla_threshold_only(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin(UNTIL_EXIT[:13]))
    b.expect(outcome="exited", cwnd_bytes=280_000, ssthresh_bytes=220_000)
    first = flight(b, AFTER, 18)
    back(b, AFTER, first, 18, RTT)
    b.expect(at=b.acked(first + 16), cwnd_bytes=280_000)
    b.expect(cwnd_bytes=281_000)


@add(
    "search.hybla.drain",
    "While SEARCH drains the queue, Hybla does not grow the window",
    """SEARCH as in draft -09 compares delivered with sent bytes, so that it needs no doubling. In the stream of search.drain.to-the-target seven packets of each bin return. Eighteen ACKs have grown 100000 to 370000 when the exit
    begins a drain. In the drain no ACK grows the window. The drain ends at 21000. Then floor(2048 / 21) = 97 parts come with each ACK, and the second gains a datagram: 22000.""",
    tier="core",
    profiles=("draft-09+hybla",),
    sources=("draft-chung-ccwg-search-09", *SOURCES[1:]),
)
def hybla_drain(b: StreamBuilder) -> None:
    drain_down(b, 10, 7, 21)
    b.expect(at=nth_ack(b, 17), cwnd_bytes=370_000)
    b.expect(at=nth_ack(b, 27), outcome="drained", cwnd_bytes=21_000)
    b.expect(at=nth_ack(b, 28), outcome="grown_avoidance", cwnd_bytes=21_000, ssthresh_bytes=21_000)
    b.expect(cwnd_bytes=22_000)

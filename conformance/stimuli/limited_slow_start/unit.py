"""Hand-built stimuli of Limited Slow-Start: the unit of growth.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from functools import partial

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.limited_slow_start.sender import (
    ALL,
    LINUX,
    PACKETS,
    RFC,
    RTT,
    SOURCE,
    TOR,
    acks,
)

CATALOGUE = Catalogue(*ALL, sources=(SOURCE,))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000)


@add(
    "limited-slow-start.unit.ack-of-four-below",
    "Below max_ssthresh an ACK of four packets adds one datagram, or four",
    "The rule has a datagram for each arriving ACK: 50000 + 1000 = 51000. Packet by packet it is 50000 + 4 * 1000 = 54000.",
    initial_window_bytes=50_000,
)
def unit_ack_of_four_below(b: StreamBuilder) -> None:
    b.send(0, 12)
    acks(b, 1, packets=4)
    b.expect(outcome="grown", cwnd_bytes=51_000, profile=(RFC, LINUX, TOR))
    b.expect(outcome="grown", cwnd_bytes=54_000, profile=PACKETS)


@add(
    "limited-slow-start.unit.ack-of-four-above",
    "Above max_ssthresh an ACK of four packets adds one share, or four",
    """120000 is above 100000, K is floor(120000 / 50000) = 2: the ACK adds 1000 / 2 = 500, 120500; four packets add 4 * 500 = 2000: 122000. Tor:
    round(1000 * 50000 / 120000) = 417, 120417. Linux adds up 50000.""",
    initial_window_bytes=120_000,
)
def unit_ack_of_four_above(b: StreamBuilder) -> None:
    b.send(0, 12)
    acks(b, 1, packets=4)
    b.expect(outcome="limited_grown", cwnd_bytes=120_500, profile=RFC)
    b.expect(outcome="limited_grown", cwnd_bytes=122_000, profile=PACKETS)
    b.expect(cwnd_bytes=120_417, profile=TOR)
    b.expect(cwnd_bytes=120_000, credit_bytes=50_000, profile=LINUX)


@add(
    "limited-slow-start.unit.packets-across-the-maximum",
    "Packet by packet, an ACK may cross max_ssthresh and a step of K",
    """The first four packets add 1000 at 99000 and at 100000, and 1000 / 2 = 500 at 101000 and at 101000 + 500 = 101500: 102000. The next 96 add 500 each up to
    102000 + 96 * 500 = 150000. At the last frame, of four packets, K = 3, and it adds 4 * 333 = 1332: 151332.""",
    profiles=(PACKETS,),
    initial_window_bytes=99_000,
)
def unit_packets_across_the_maximum(b: StreamBuilder) -> None:
    b.send(0, 99)
    b.ack(RTT, (0, 3))
    b.expect(outcome="limited_grown", cwnd_bytes=102_000)
    b.send(RTT, 5)
    b.ack(RTT + MS, (4, 99))
    b.expect(cwnd_bytes=150_000)
    b.ack(2 * RTT, (100, 103))
    b.expect(cwnd_bytes=151_332)


@add(
    "limited-slow-start.unit.small-packets",
    "An ACK of half a datagram counts as a whole one; packet by packet only its bytes count",
    """Packets have 500 bytes. The rule adds MSS for each arriving ACK of any size: 99800 + 1000 = 100800; above max_ssthresh
    1000 / 2 = 500: 101300. Linux adds up 50000 there, and Tor round(1000 * 50000 / 100800) = 496: 101296. Packet by packet the first adds its
    500 bytes, 100300, and the second 500 / 2 = 250: 100550.""",
    initial_window_bytes=99_800,
)
def unit_small_packets(b: StreamBuilder) -> None:
    b.send(0, 10, 500)
    acks(b, 2)
    b.expect(at=b.acked(0), cwnd_bytes=100_800, profile=(RFC, LINUX, TOR))
    b.expect(cwnd_bytes=101_300, profile=RFC)
    b.expect(cwnd_bytes=101_296, profile=TOR)
    b.expect(at=b.acked(0), cwnd_bytes=100_300, profile=PACKETS)
    b.expect(cwnd_bytes=100_550, profile=PACKETS)
    b.expect(cwnd_bytes=100_800, credit_bytes=50_000, profile=LINUX)


@add(
    "limited-slow-start.unit.one-and-a-half",
    "An ACK of one and a half datagrams counts as one",
    """The ACK acknowledges 1000 + 500 = 1500 bytes: it counts as 1000, and adds 500 to 120000: 120500. Packet by packet 500 and 500 / 2 = 250 are
    added, 120000 + 500 + 250 = 120750.""",
    profiles=(RFC, PACKETS),
    initial_window_bytes=120_000,
)
def unit_one_and_a_half(b: StreamBuilder) -> None:
    b.send_sizes(0, [(1, 1000), (3, 500)])
    b.ack(RTT, (0, 1))
    b.expect(cwnd_bytes=120_500, profile=RFC)
    b.expect(cwnd_bytes=120_750, profile=PACKETS)


@add(
    "limited-slow-start.unit.app-limited",
    "App-limited ACKs grow neither the window nor the counter",
    "The first ACK is app-limited: 120000 stays, and the counter of Linux does not grow. The second adds 1000 / 2 = 500: 120500.",
    profiles=(RFC, PACKETS, LINUX),
    sources=(SOURCE, "RFC 9002, section 7.8"),
    initial_window_bytes=120_000,
)
def unit_app_limited(b: StreamBuilder) -> None:
    b.send(0, 4, app_limited=True)
    b.ack(RTT, (0, 0), app_limited=True)
    b.expect(outcome="app_limited", cwnd_bytes=120_000)
    b.expect(credit_bytes=0, profile=LINUX)
    b.ack(RTT + MS, (1, 1))
    b.expect(cwnd_bytes=120_500, profile=(RFC, PACKETS))
    b.expect(credit_bytes=50_000, profile=LINUX)

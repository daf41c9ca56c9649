"""Hand-built stimuli of Limited Slow-Start: the growth at one ACK, by the current window.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from functools import partial

from firstflight_conformance.format.builder import StreamBuilder
from generate.catalogue import Catalogue
from stimuli.limited_slow_start.sender import (
    ALL,
    LINUX,
    PACKETS,
    RFC,
    RFCS,
    SOURCE,
    TOR,
    acks,
)

CATALOGUE = Catalogue(*ALL, sources=(SOURCE,))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000)


@add(
    "limited-slow-start.growth.at-the-maximum",
    "A window of max_ssthresh still grows in full, a larger window by half a datagram",
    """The window is 100000, which is not above max_ssthresh = 100 * 1000 = 100000: the first ACK adds 1000. Then 101000 is above:
    K = floor(101000 / 50000) = 2, and the second adds 1000 / 2 = 500: 101500. Linux adds half of max_ssthresh to a counter for each
    ACK and gains a datagram with the fourth: 3 * 50000 = 150000 >= 101000, which leaves 150000 - 101000 = 49000. Tor adds
    round(1000 * 50000 / 101000) = 495 with the second: 101000 + 495 = 101495.""",
    initial_window_bytes=100_000,
)
def growth_at_the_maximum(b: StreamBuilder) -> None:
    b.send(0, 10)
    acks(b, 4)
    b.expect(at=b.acked(0), outcome="grown", cwnd_bytes=101_000)
    b.expect(at=b.acked(1), outcome="limited_grown", cwnd_bytes=101_500, profile=RFCS)
    b.expect(at=b.acked(1), cwnd_bytes=101_495, profile=TOR)
    b.expect(at=b.acked(2), outcome="limited_grown", cwnd_bytes=101_000, credit_bytes=100_000, profile=LINUX)
    b.expect(at=b.acked(3), cwnd_bytes=102_000, credit_bytes=49_000, profile=LINUX)


@add(
    "limited-slow-start.growth.one-byte-above",
    "One byte above max_ssthresh counts as above",
    "100001 > 100000: K = floor(100001 / 50000) = 2, and 100001 + 500 = 100501. Implementations that count whole datagrams add 1000.",
    profiles=RFCS,
    initial_window_bytes=100_001,
)
def growth_one_byte_above(b: StreamBuilder) -> None:
    b.send(0, 10)
    acks(b, 1)
    b.expect(outcome="limited_grown", cwnd_bytes=100_501)


@add(
    "limited-slow-start.growth.k-three",
    "From one and a half max_ssthresh on a third of a datagram is added",
    """At 149999 bytes K is floor(149999 / 50000) = 2, so 149999 + 500 = 150499; there it is floor(150499 / 50000) = 3, and
    floor(1000 / 3) = 333 is added: 150832. Tor does not round K and adds round(1000 * 50000 / 149999) = 333 at the first ACK:
    149999 + 333 = 150332.""",
    profiles=(RFC, PACKETS, TOR),
    initial_window_bytes=149_999,
)
def growth_k_three(b: StreamBuilder) -> None:
    b.send(0, 10)
    acks(b, 2)
    b.expect(at=b.acked(0), cwnd_bytes=150_499, profile=RFCS)
    b.expect(at=b.acked(1), cwnd_bytes=150_832, profile=RFCS)
    b.expect(at=b.acked(0), cwnd_bytes=150_332, profile=TOR)


@add(
    "limited-slow-start.growth.k-exact",
    "At an exact multiple K is that multiple",
    "150000 / 50000 = 3: floor(1000 / 3) = 333 is added, 150333. A K of 2 would add 1000 / 2 = 500.",
    profiles=RFCS,
    initial_window_bytes=150_000,
)
def growth_k_exact(b: StreamBuilder) -> None:
    b.send(0, 10)
    acks(b, 1)
    b.expect(cwnd_bytes=150_333)


@add(
    "limited-slow-start.growth.large-window",
    "At four times max_ssthresh an ACK adds an eighth of a datagram",
    "K = floor(400000 / 50000) = 8: 1000 / 8 = 125 is added for each of three ACKs: 400375. A divisor that stays at 2 adds 1000 / 2 = 500.",
    profiles=RFCS,
    initial_window_bytes=400_000,
)
def growth_large_window(b: StreamBuilder) -> None:
    b.send(0, 10)
    acks(b, 3)
    b.expect(cwnd_bytes=400_375)


@add(
    "limited-slow-start.growth.odd-datagram",
    "Thirds of a datagram are rounded down once",
    """Datagrams have 1001 bytes: max_ssthresh is 100 * 1001 = 100100, and at 150150 K is floor(150150 / 50050) = 3. floor(1001 / 3) = 333 is
    added: 150483.""",
    profiles=RFCS,
    max_datagram_size_bytes=1001,
    initial_window_bytes=150_150,
)
def growth_odd_datagram(b: StreamBuilder) -> None:
    b.send(0, 10)
    acks(b, 1)
    b.expect(cwnd_bytes=150_483)


@add(
    "limited-slow-start.growth.round",
    "A round adds about half of max_ssthresh, here 63 bytes more",
    """A window of 180000 is acknowledged packet by packet. Up to 200000 an ACK adds floor(1000 / 3) = 333: that takes
    ceil(20000 / 333) = 61 ACKs, 180000 + 61 * 333 = 200313. Then K is 4, and the other 119 ACKs add 250 each: 200313 + 119 * 250 = 230063. The
    round adds 230063 - 180000 = 50063, and half of max_ssthresh is 50000.""",
    profiles=RFCS,
    initial_window_bytes=180_000,
)
def growth_round(b: StreamBuilder) -> None:
    b.send(0, 180)
    acks(b, 180)
    b.expect(at=b.acked(60), cwnd_bytes=200_313)
    b.expect(cwnd_bytes=230_063)


@add(
    "limited-slow-start.growth.ends",
    "As printed, the growth ends once K exceeds the bytes of a datagram",
    """At 50049999 bytes K is floor(50049999 / 50000) = 1000: one byte is added. At 50050000 it is floor(50050000 / 50000) = 1001, and floor(1000 / 1001) = 0:
    this window never grows again in slow start. Linux, without rounding, adds up 50000 with each ACK and continues to grow. Tor adds
    round(1000 * 50000 / 50049999) = 1 to both.""",
    initial_window_bytes=50_049_999,
)
def growth_ends(b: StreamBuilder) -> None:
    b.send(0, 10)
    acks(b, 3)
    b.expect(at=b.acked(0), outcome="limited_grown", cwnd_bytes=50_050_000, profile=(RFC, PACKETS, TOR))
    b.expect(outcome="limited_grown", cwnd_bytes=50_050_000, profile=RFCS)
    b.expect(cwnd_bytes=50_050_002, profile=TOR)
    b.expect(cwnd_bytes=50_049_999, credit_bytes=150_000, profile=LINUX)


@add(
    "limited-slow-start.growth.half-a-byte",
    "Tor rounds half a byte up",
    """1000 * 50000 / 160000 = 312.5 is rounded up: 160000 + 313 = 160313. At that window it is round(1000 * 50000 / 160313) = 312:
    160625.""",
    profiles=(TOR,),
    sources=("torproject/tor, src/core/or/congestion_control_vegas.c",),
    initial_window_bytes=160_000,
)
def growth_half_a_byte(b: StreamBuilder) -> None:
    b.send(0, 10)
    acks(b, 2)
    b.expect(at=b.acked(0), cwnd_bytes=160_313)
    b.expect(cwnd_bytes=160_625)

"""Hand-built stimuli of Rapid Start: the growth at an ACK, with and without a queue.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from functools import partial

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.rapid_start.sender import ALL, DRAFT, DRAFTS, QUICLY, RTT, SOURCE

CATALOGUE = Catalogue(*ALL, sources=(f"{SOURCE}, section 3.2",))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=10_000)


@add(
    "rapid-start.growth.three",
    "Without a queue the window triples in a round",
    """The first round has one RTT, which is the smallest of the connection and of the round: 10000 acknowledged bytes add 2 * 10000, and
    10000 + 20000 = 30000. The same holds for the second round, of 30 packets: 30000 + 60000 = 90000.""",
)
def growth_three(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (0, 9))
    b.expect(outcome="rapid_grown", cwnd_bytes=30_000, min_rtt_ns=RTT, rtt_floor_ns=RTT)
    b.send(RTT, 30)
    b.ack(2 * RTT, (10, 39))
    b.expect(outcome="rapid_grown", cwnd_bytes=90_000)


@add(
    "rapid-start.growth.queue",
    "A round that is 5 ms longer doubles the window in the drafts, and triples it in quicly",
    """The second round has an RTT of 105 ms. The drafts allow min(100 ms + 4 ms, 110 ms) = 104 ms: 10000 bytes add 10000, 30000 + 10000 = 40000. In quicly
    max(100 ms + 4 ms, 109.375 ms) = 109.375 ms is allowed, from 35 / 32 * 100 = 109.375: 30000 + 20000 = 50000.""",
)
def growth_queue(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (0, 9))
    b.send(RTT, 30)
    b.ack(RTT + 105 * MS, (10, 19))
    b.expect(outcome="grown", cwnd_bytes=40_000, rtt_floor_ns=105 * MS, profile=DRAFTS)
    b.expect(outcome="rapid_grown", cwnd_bytes=50_000, rtt_floor_ns=105 * MS, profile=QUICLY)


@add(
    "rapid-start.growth.four-ms",
    "An RTT that is exactly 4 ms longer is not a queue",
    "104 ms is not above min(100 ms + 4 ms, 110 ms) = 104 ms: 30000 + 20000 = 50000.",
)
def growth_four_ms(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (0, 9))
    b.send(RTT, 30)
    b.ack(RTT + 104 * MS, (10, 19))
    b.expect(outcome="rapid_grown", cwnd_bytes=50_000)


@add(
    "rapid-start.growth.above-four-ms",
    "An RTT that is 4 ms and a nanosecond longer is a queue",
    "The RTT is a nanosecond above 100 ms + 4 ms = 104 ms: 30000 + 10000 = 40000. quicly still triples: 30000 + 20000 = 50000.",
)
def growth_above_four_ms(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (0, 9))
    b.send(RTT, 30)
    b.ack(RTT + 104 * MS + 1, (10, 19))
    b.expect(outcome="grown", cwnd_bytes=40_000, profile=DRAFTS)
    b.expect(outcome="rapid_grown", cwnd_bytes=50_000, profile=QUICLY)


@add(
    "rapid-start.growth.a-tenth",
    "With a short RTT the drafts use a tenth of it, and quicly uses 4 ms",
    """min_rtt is 30 ms. The drafts allow min(34 ms, 33 ms) = 33 ms, quicly max(34 ms, 32.8125 ms) = 34 ms. The rounds have 30 ms, 33 ms, a nanosecond more
    than that, 34 ms, and a nanosecond more than that, with ten packets each. The drafts triple twice, 10000 + 2 * 20000 = 50000, then double, 50000 + 3 * 10000 = 80000. In quicly the window triples four times, 10000 + 4 * 20000 = 90000, and doubles once: 100000.""",
)
def growth_a_tenth(b: StreamBuilder) -> None:
    start_ns = 0
    for number, rtt_ns in enumerate((30 * MS, 33 * MS, 33 * MS + 1, 34 * MS, 34 * MS + 1)):
        b.send(start_ns, 10)
        start_ns += rtt_ns
        b.ack(start_ns, (10 * number, 10 * number + 9))
    b.expect(at=b.acked(10), outcome="rapid_grown", cwnd_bytes=50_000)
    b.expect(at=b.acked(20), outcome="grown", cwnd_bytes=60_000, profile=DRAFTS)
    b.expect(at=b.acked(30), outcome="rapid_grown", cwnd_bytes=90_000, profile=QUICLY)
    b.expect(outcome="grown", cwnd_bytes=80_000, profile=DRAFTS)
    b.expect(outcome="grown", cwnd_bytes=100_000, profile=QUICLY)


@add(
    "rapid-start.growth.thirty-five",
    "With a long RTT quicly uses 35/32 of it, and the drafts use 4 ms",
    """35 / 32 * 320 = 350: the rounds have 320 ms, 350 ms and a nanosecond more. In quicly the window triples twice and then doubles: 10000 + 2 * 20000 + 10000 = 60000. The drafts allow 320 ms + 4 ms = 324 ms
    and triple once: 10000 + 20000 + 2 * 10000 = 50000.""",
)
def growth_thirty_five(b: StreamBuilder) -> None:
    start_ns = 0
    for number, rtt_ns in enumerate((320 * MS, 350 * MS, 350 * MS + 1)):
        b.send(start_ns, 10)
        start_ns += rtt_ns
        b.ack(start_ns, (10 * number, 10 * number + 9))
    b.expect(at=b.acked(10), outcome="rapid_grown", cwnd_bytes=50_000, profile=QUICLY)
    b.expect(outcome="grown", cwnd_bytes=60_000, profile=QUICLY)
    b.expect(outcome="grown", cwnd_bytes=50_000, profile=DRAFTS)


@add(
    "rapid-start.growth.no-sample",
    "Without an RTT sample the window doubles",
    "The ACK lacks a sample: 5000 bytes add 5000, and 10000 + 5000 = 15000. The next ACK has a sample: 15000 + 2 * 5000 = 25000.",
    profiles=DRAFTS,
    sources=("ours",),
)
def growth_no_sample(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (0, 4), sample=False)
    b.expect(outcome="grown", cwnd_bytes=15_000, rtt_floor_ns=None, min_rtt_ns=None)
    b.ack(RTT + MS, (5, 9))
    b.expect(outcome="rapid_grown", cwnd_bytes=25_000, rtt_floor_ns=101 * MS, min_rtt_ns=101 * MS)


@add(
    "rapid-start.growth.app-limited",
    "An app-limited ACK does not grow the window; its RTT counts in the drafts, not in quicly",
    """The ACK at 100 ms does not grow the window of 10000. The next ACK has an RTT of 110 ms. In the drafts the floor stays 100 ms, by rounds and by quarters, and it adds
    2 * 5000: 20000. In quicly only the second ACK counts; its min_rtt is 100 ms. The floor is 110 ms, above 109.375 ms, from 35 / 32 * 100 = 109.375: the ACK adds 5000, and 10000 + 5000 = 15000.""",
    sources=(f"{SOURCE}, section 3.2", "RFC 9002, section 7.8", "h2o/quicly, lib/cc-pico.c"),
)
def growth_app_limited(b: StreamBuilder) -> None:
    b.send(0, 10, app_limited=True)
    b.ack(RTT, (0, 4), app_limited=True)
    b.expect(outcome="app_limited", cwnd_bytes=10_000)
    b.expect(rtt_floor_ns=RTT, min_rtt_ns=RTT, profile=DRAFTS)
    b.expect(rtt_floor_ns=None, min_rtt_ns=None, profile=QUICLY)
    b.ack(RTT + 10 * MS, (5, 9))
    b.expect(outcome="rapid_grown", cwnd_bytes=20_000, rtt_floor_ns=RTT, profile=DRAFTS)
    b.expect(outcome="grown", cwnd_bytes=15_000, rtt_floor_ns=110 * MS, profile=QUICLY)


@add(
    "rapid-start.growth.half-datagrams",
    "quicly adds a datagram for each half datagram, and keeps the remainder",
    """Packets have 700 bytes. Each adds 2 * 700 = 1400 in the drafts: 10000 + 3 * 1400 = 14200. In quicly halves count, 1000 / 2 = 500: 700 - 500 = 200 remain,
    then 200 + 700 - 500 = 400. The third ACK has two halves: 400 + 700 - 2 * 500 = 100 remain, and 10000 + 4 * 1000 = 14000.""",
    sources=(f"{SOURCE}, section 3.2", "h2o/quicly, lib/cc-pico.c"),
)
def growth_half_datagrams(b: StreamBuilder) -> None:
    b.send(0, 10, 700)
    for packet in range(3):
        b.ack(RTT + packet * MS, (packet, packet))
    b.expect(cwnd_bytes=14_200, credit_bytes=None, profile=DRAFTS)
    b.expect(at=b.acked(0), cwnd_bytes=11_000, credit_bytes=200, profile=QUICLY)
    b.expect(at=b.acked(1), cwnd_bytes=12_000, credit_bytes=400, profile=QUICLY)
    b.expect(cwnd_bytes=14_000, credit_bytes=100, profile=QUICLY)


@add(
    "rapid-start.growth.odd-datagrams",
    "Half a datagram is rounded down; with a queue whole datagrams count",
    """Datagrams have 1001 bytes; half of that is floor(1001 / 2) = 500. Five datagrams have 5005 bytes: ten halves, and 5 bytes remain: 10010 + 10 * 1001 = 20020. The next round has an
    RTT of 120 ms, a queue. 5 + 5005 = 5010 bytes are five datagrams, 20020 + 5 * 1001 = 25025, and 5010 - 5 * 1001 = 5 remain.""",
    profiles=(QUICLY,),
    sources=("h2o/quicly, lib/cc-pico.c",),
    max_datagram_size_bytes=1001,
    initial_window_bytes=10_010,
)
def growth_odd_datagrams(b: StreamBuilder) -> None:
    b.send(0, 5)
    b.ack(RTT, (0, 4))
    b.expect(outcome="rapid_grown", cwnd_bytes=20_020, credit_bytes=5)
    b.send(RTT, 5)
    b.ack(RTT + 120 * MS, (5, 9))
    b.expect(outcome="grown", cwnd_bytes=25_025, credit_bytes=5)


@add(
    "rapid-start.growth.tiny",
    "Below 4 ms quicly uses standard growth and recovery",
    """The RTT is a nanosecond below 4 ms. In the drafts 5000 bytes add 2 * 5000: 20000; in quicly 5000: 15000. In quicly a loss leaves the window
    of the base controller, 15000 / 2 = 7500. In draft -02 it leaves 20000 * 5 / 6 = 16666, and the lost packet takes ceil(1000 * 5 / 6) = 834: 16666 - 834 = 15832.""",
    profiles=(DRAFT, QUICLY),
    sources=("h2o/quicly, include/quicly/cc.h", f"{SOURCE}, section 3.3"),
)
def growth_tiny(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(4 * MS - 1, (0, 4))
    b.expect(outcome="rapid_grown", cwnd_bytes=20_000, profile=DRAFT)
    b.expect(outcome="grown", cwnd_bytes=15_000, profile=QUICLY)
    b.lose(5 * MS, (5, 5))
    b.expect(outcome="reduced", cwnd_bytes=7500, lower_bound_bytes=None, profile=QUICLY)
    b.expect(outcome="reduced", cwnd_bytes=15_832, profile=DRAFT)


@add(
    "rapid-start.growth.not-tiny",
    "At exactly 4 ms quicly uses Rapid Start",
    "An RTT of 4 ms is not below 4 ms: 5000 bytes add 2 * 5000, 10000 + 2 * 5000 = 20000.",
    profiles=(QUICLY,),
    sources=("h2o/quicly, include/quicly/cc.h",),
)
def growth_not_tiny(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(4 * MS, (0, 4))
    b.expect(outcome="rapid_grown", cwnd_bytes=20_000)

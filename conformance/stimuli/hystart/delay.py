"""Hand-built stimuli of HyStart: the rise of the delay.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from firstflight_conformance.format.builder import MS, US, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.hystart.sender import GOOGLE, LINUX, OLD, PACED, SOURCES, clocked

CATALOGUE = Catalogue(LINUX, PACED, sources=SOURCES)
add = CATALOGUE.add


@add(
    "hystart.delay.step-in-round-three",
    "A step of the delay in round 3, in Linux",
    """The RTT is 100 ms up to packet 29 and 130 ms from packet 30 on, which begins round 3. Linux takes eight samples,
    packets 30 to 37, and compares at the ninth, packet 38: 130 > 100 + 12.5. The threshold is the window before that ACK,
    48 packets or 57600. The ACK grows the window in congestion avoidance by 1200 * 1200 / 57600 = 25.""",
)
def delay_step_in_round_three(b: StreamBuilder) -> None:
    clocked(b).run((30, 130 * MS), until=45)
    b.expect(at=b.acked(38), outcome="exited_by_delay", cwnd_bytes=57_625, ssthresh_bytes=57_600)


@add(
    "hystart.delay.step-google-quic",
    "A step of the delay in round 3, in quic-go",
    """Round 1 ends with the ACK of packet 10 and includes it. Packet 11 begins round 2, when the last sent packet is 31. Packet
    32 ends round 2, packet 33 begins round 3, and its eighth sample is packet 40: 130 > 112.5. The window before that ACK has 50
    packets, 60000 bytes.""",
    profiles=(GOOGLE,),
)
def delay_step_google_quic(b: StreamBuilder) -> None:
    clocked(b, GOOGLE).run((30, 130 * MS), until=45)
    b.expect(at=b.acked(40), outcome="exited_by_delay", ssthresh_bytes=60_000)


@add(
    "hystart.delay.step-linux-5-16",
    "A step of the delay, in a kernel before 6.14",
    """Rounds begin only once the window has 16 packets, at the ACK of packet 6. That round ends with packet 22, and the
    next ends with packet 54. In the second round the minimum, from packets 22 to 29, is 100 ms. The third round has 130 ms throughout, and is compared at its ninth sample, packet 62: the threshold is 72 packets, 86400.""",
    profiles=(OLD,),
)
def delay_step_linux_5_16(b: StreamBuilder) -> None:
    clocked(b, OLD).run((30, 130 * MS), until=66)
    b.expect(at=b.acked(62), outcome="exited_by_delay", ssthresh_bytes=86_400)


@add(
    "hystart.delay.exact-threshold",
    "A rise by exactly an eighth does not end slow start",
    """The minimum RTT of round 2 is exactly 100 ms + 100 ms / 8 = 112.5 ms, and the test is >. Slow start continues,
    also for quic-go, at packets 38 and 40. With >=, as in HyStart++, it ends.""",
    profiles=(LINUX, PACED, GOOGLE),
)
def delay_exact_threshold(b: StreamBuilder) -> None:
    clocked(b).run((30, 112_500 * US), until=50)
    b.expect(at=b.acked(50), outcome="grown")


@add(
    "hystart.delay.above-threshold",
    "A rise by a microsecond more than an eighth ends slow start",
    "112.501 > 112.5: Linux leaves at packet 38.",
)
def delay_above_threshold(b: StreamBuilder) -> None:
    clocked(b).run((30, 112_501 * US), until=42)
    b.expect(at=b.acked(38), outcome="exited_by_delay")


@add(
    "hystart.delay.sub-microsecond",
    "Linux ignores fractions of a microsecond",
    """112.500999 ms are 112500 us, not above 112500. quic-go compares nanoseconds: 112.500999 > 112.5 ends slow start at packet 40.
    Its stream is hystart.delay.sub-microsecond-google-quic.""",
)
def delay_sub_microsecond(b: StreamBuilder) -> None:
    clocked(b).run((30, 112_500_999), until=45)
    b.expect(at=b.acked(45), outcome="grown")


@add(
    "hystart.delay.sub-microsecond-google-quic",
    "quic-go compares nanoseconds",
    "112.500001 > 100 + 12.5 ms: slow start ends at packet 40.",
    profiles=(GOOGLE,),
)
def delay_sub_microsecond_google_quic(b: StreamBuilder) -> None:
    clocked(b, GOOGLE).run((30, 112_500_001), until=44)
    b.expect(at=b.acked(40), outcome="exited_by_delay")


@add(
    "hystart.delay.threshold-rounded",
    "The eighth is rounded down to microseconds",
    """The minimum RTT is 100.007 ms; an eighth of it is floor(100007 / 8) = 12500 in us, rounded down. 112.508 ms >
    100.007 ms + 12.5 ms: slow start ends at packet 38. Rounded up it is ceil(100007 / 8) = 12501, and slow start continues.
    """,
)
def delay_threshold_rounded(b: StreamBuilder) -> None:
    clocked(b).run((30, 112_508 * US), until=42, first_ns=100_007 * US)
    b.expect(at=b.acked(38), outcome="exited_by_delay")


@add(
    "hystart.delay.threshold-rounded-google-quic",
    "The eighth is rounded down to microseconds though RTTs are not",
    """The minimum RTT is 100.007 ms. In us, floor(100007 / 8) = 12500: the threshold is 12.5 ms. 112.507001 ms >
    100.007 ms + 12.5 ms: slow start ends at packet 40. Unrounded, 100007 us + 100007 us / 8 = 112507.875 us, it continues.
    """,
    profiles=(GOOGLE,),
)
def delay_threshold_rounded_google_quic(b: StreamBuilder) -> None:
    clocked(b, GOOGLE).run((30, 112_507_001), until=44, first_ns=100_007 * US)
    b.expect(at=b.acked(40), outcome="exited_by_delay")


@add(
    "hystart.delay.minimum-threshold",
    "On a short path the threshold is 4 ms",
    """Packets leave 0.1 ms apart, so that trains take 1 ms of 5.5. 10 / 8 = 1.25 ms is less than 4: with 14 ms in round
    3 slow start continues. In round 4, from packet 70 on, it is 14.001 ms: it ends at packet 78.""",
)
def delay_minimum_threshold(b: StreamBuilder) -> None:
    clocked(b).run((30, 14 * MS), (70, 14_001 * US), until=81, first_ns=10 * MS, gap_ns=100 * US)
    b.expect(at=b.acked(38), outcome="grown")
    b.expect(at=b.acked(78), outcome="exited_by_delay")


@add(
    "hystart.delay.maximum-threshold",
    "On a long path the threshold is 16 ms",
    """400 / 8 = 50 ms is more than 16: 416 ms in round 3 do not end slow start, 416.001 in round 4 end it at packet
    78.""",
)
def delay_maximum_threshold(b: StreamBuilder) -> None:
    clocked(b).run((30, 416 * MS), (70, 416_001 * US), until=81, first_ns=400 * MS)
    b.expect(at=b.acked(38), outcome="grown")
    b.expect(at=b.acked(78), outcome="exited_by_delay")


@add(
    "hystart.delay.against-minimum",
    "The RTT is compared with the smallest RTT of the connection",
    """Rounds of 100, 110, 120 ms: each is less than an eighth above the previous round, but 120 > 100 + 12.5. Linux leaves
    at packet 38. HyStart++ compares with the previous round and continues.""",
)
def delay_against_minimum(b: StreamBuilder) -> None:
    clocked(b).run((10, 110 * MS), (30, 120 * MS), until=42)
    b.expect(at=b.acked(38), outcome="exited_by_delay")


@add(
    "hystart.delay.google-quic-once",
    "quic-go compares once per round",
    """In the round from packet 33 on the first sample is 105 ms, the others 130. Its minimum is 105, and no later ACK of the
    round ends slow start. The round ends with packet 10 + 2 * 33 = 76. The next round begins with packet 77, and its eighth sample is packet 84.""",
    profiles=(GOOGLE,),
)
def delay_google_quic_once(b: StreamBuilder) -> None:
    clocked(b, GOOGLE).run((30, 105 * MS), (34, 130 * MS), until=90)
    b.expect(at=b.acked(40), outcome="grown")
    b.expect(at=b.acked(84), outcome="exited_by_delay")


@add(
    "hystart.delay.ninth-is-low",
    "Linux uses the minimum of all samples of a round",
    """In round 2 packets 10 to 17 have 113 ms: eight samples above 100 ms + 100 ms / 8 = 112.5 ms. The ninth, packet
    18, has 112, and the minimum includes it: slow start continues. Round 3, from packet 30 on, has 130 ms: slow
    start ends at packet 38. With only the first eight samples it ends in round 2.""",
)
def delay_ninth_is_low(b: StreamBuilder) -> None:
    clocked(b).run((10, 113 * MS), (18, 112 * MS), (30, 130 * MS), until=42)
    b.expect(at=b.acked(18), outcome="grown")
    b.expect(at=b.acked(38), outcome="exited_by_delay")


@add(
    "hystart.delay.minimum-counts",
    "One low sample hides the rise",
    """In round 3 packet 30 has 105 ms, the others 130: the minimum of the round is 105, and slow start continues. A
    sender that compares the latest RTT leaves at packet 38.""",
)
def delay_minimum_counts(b: StreamBuilder) -> None:
    clocked(b).run((30, 105 * MS), (31, 130 * MS), until=45)
    b.expect(at=b.acked(45), outcome="grown")

"""Hand-built stimuli of HyStart: RTT samples, and the lower bound of the window.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.hystart.sender import GOOGLE, LINUX, PACED, SOURCES, clocked

CATALOGUE = Catalogue(LINUX, PACED, sources=SOURCES)
add = CATALOGUE.add


@add(
    "hystart.low-window.small",
    "Below 16 packets HyStart ignores samples",
    """The initial window has two packets; rounds have 2, 4, 8 and 16. The RTT rises to 130 ms with packet 2. The window
    has 16 packets with the ACK of packet 13, the last of round 3, so the first sample is packet 14, which
    begins round 4. Packet 22 is the ninth: slow start ends at 24 packets, 28800.""",
    initial_window_bytes=2400,
)
def low_window_small(b: StreamBuilder) -> None:
    clocked(b).run((2, 130 * MS), until=26)
    b.expect(at=b.acked(22), outcome="exited_by_delay", ssthresh_bytes=28_800)


@add(
    "hystart.low-window.floor",
    "A delay detected below 16 packets",
    """The initial window has six packets: rounds of 6, 12 and 24. From packet 6 on, in round 2, the RTT is 130 ms. At
    the ACK of packet 10 the window has 16 packets, so that round 2 has eight samples, packets 10 to 17, and no ninth.
    With a floor of 12, or without a floor, packet 14 is the ninth. Round 3, from packet 18 on, has its ninth sample with packet 26: 32 packets,
    38400.""",
    initial_window_bytes=7200,
)
def low_window_floor(b: StreamBuilder) -> None:
    clocked(b).run((6, 130 * MS), until=30)
    b.expect(at=b.acked(26), outcome="exited_by_delay", ssthresh_bytes=38_400)


@add(
    "hystart.low-window.google-quic",
    "quic-go leaves slow start one ACK later, with any window",
    """The initial window has four packets. Round 1 ends with packet 4, and 5 begins round 2, whose eighth sample is
    packet 12. From packet 6 on the ACKs are app-limited: the window stays at 4 + 6 = 10 packets. At the eighth sample
    the minimum is 130 ms, but the window is below the floor. The next ACK, of packet 13, ends slow start at 10 packets,
    12000.""",
    profiles=(GOOGLE,),
    initial_window_bytes=4800,
)
def low_window_google_quic(b: StreamBuilder) -> None:
    c = clocked(b, GOOGLE).run((4, 130 * MS), until=5)
    for _ in range(10):
        c.ack(app_limited=True)
    b.expect(at=b.acked(13), ssthresh_bytes=12_000)


@add(
    "hystart.sample.ack-delay",
    "quic-go subtracts the acknowledgement delay, Linux does not",
    """The receiver waits 30 ms before it acknowledges packets from 30 on, and reports the delay. Linux has 130 ms and leaves at packet 38.
    quic-go has 100 and continues: hystart.sample.ack-delay-google-quic.""",
)
def sample_ack_delay(b: StreamBuilder) -> None:
    c = clocked(b).run(until=29)
    while c.acked < 42:
        c.ack(ack_delay_ns=30 * MS)
    b.expect(at=b.acked(38), outcome="exited_by_delay")


@add(
    "hystart.sample.ack-delay-google-quic",
    "The acknowledgement delay is subtracted unless the sample would fall below the minimum",
    """130 - 30 = 100 ms, not below the minimum of 100: slow start continues past packet 40. In the round from packet 77
    on the receiver reports 31 ms, though it waited 30. 99 would be below the minimum, so the sample is 130, and slow start ends with the eighth sample, packet 84.""",
    profiles=(GOOGLE,),
)
def sample_ack_delay_google_quic(b: StreamBuilder) -> None:
    c = clocked(b, GOOGLE).run(until=29)
    while c.acked < 77:
        c.ack(ack_delay_ns=30 * MS)
    while c.acked < 90:
        t_ns = max(c.due_ns[c.acked] + 30 * MS, c.now_ns)
        c.ack(ack_delay_ns=31 * MS, t_ns=t_ns)
    b.expect(at=b.acked(40), outcome="grown")
    b.expect(at=b.acked(84), outcome="exited_by_delay")


@add(
    "hystart.sample.none",
    "An ACK without an RTT sample does not count",
    "The frame of packet 33 gives no sample: the ninth is packet 39, not 38. The window has 49 packets, 58800.",
)
def sample_none(b: StreamBuilder) -> None:
    c = clocked(b).run((30, 130 * MS), until=32)
    c.ack(sample=False)
    c.ack_until(42)
    b.expect(at=b.acked(39), outcome="exited_by_delay", ssthresh_bytes=58_800)


@add(
    "hystart.sample.ack-of-several",
    "A frame gives one sample, for any number of packets",
    """From packet 30 on four packets are acknowledged at a time: the ninth frame acknowledges 62 to 65. The window
    before it has 10 + 62 packets, 86400.""",
)
def sample_ack_of_several(b: StreamBuilder) -> None:
    c = clocked(b).run((30, 130 * MS), until=29)
    c.ack_until(69, packets=4)
    b.expect(at=b.acked(62), outcome="exited_by_delay", ssthresh_bytes=86_400)


@add(
    "hystart.sample.app-limited",
    "App-limited ACKs do not grow the window, but their samples count",
    """When round 2 is over, the sender has twelve packets for a window of 40: the window stays at 48000, and slow start ends at
    packet 38 with that window.""",
)
def sample_app_limited(b: StreamBuilder) -> None:
    c = clocked(b).run((30, 130 * MS), until=9)
    c.ack_until(29, fill=False)
    c.ack_app_limited(12)
    b.expect(at=b.acked(38), outcome="exited_by_delay", ssthresh_bytes=48_000)

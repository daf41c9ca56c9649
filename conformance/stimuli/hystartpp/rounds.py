"""Hand-built stimuli of HyStart++: rounds and samples.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.clocked import steps
from stimuli.hystartpp.sender import NGTCP2, RFC, UNPACED, clocked

CATALOGUE = Catalogue(RFC, UNPACED, NGTCP2, sources=("RFC 9406, section 4.2",))
add = CATALOGUE.add


@add(
    "hystartpp.round.few-samples",
    "A round with fewer than eight samples is not compared",
    """The initial window has two packets: rounds of 2, 4, 8 and 16. The RTT rises to 130 in round 2 and to 180 in round
    3. Round 2 has 4 samples and is not compared. Round 3, packets 6 to 13, has its eighth sample with packet 13: 180 >= 130
    + 16. CSS begins there, at window 2400 + 14 * 1200 = 19200.""",
    initial_window_bytes=2400,
)
def round_few_samples(b: StreamBuilder) -> None:
    clocked(b).run((2, 130 * MS), (6, 180 * MS), until=17)
    b.expect(at=b.acked(13), outcome="conservative_begun", cwnd_bytes=19_200)


@add(
    "hystartpp.round.seven-samples",
    "Seven samples are not enough",
    """The initial window has seven packets. The receiver acknowledges two at a time in round 2, packets 7 to 20: seven frames,
    seven samples of 130 ms. Slow start continues. Packet 21 begins round 3. Implementations that count packets have begun CSS after the fourth frame.""",
    initial_window_bytes=8400,
)
def round_seven_samples(b: StreamBuilder) -> None:
    c = clocked(b).run((7, 130 * MS), until=6)
    c.ack_until(20, packets=2)
    c.ack_until(22, packets=1)
    b.expect(at=b.acked(20), outcome="grown", rtt_samples=7)


@add(
    "hystartpp.round.ack-of-several",
    "A frame gives one sample, for any number of packets",
    """From packet 30 on four packets are acknowledged at a time. Round 3, 30 to 69, has ten frames: the eighth
    acknowledges 58 to 61. CSS begins there, and the window is 12000 + 62 * 1200 = 86400. The next frame adds 4800 / 4 =
    1200. Implementations that count packets begin CSS with the second frame.""",
)
def round_ack_of_several(b: StreamBuilder) -> None:
    c = clocked(b).run((30, 130 * MS), until=29)
    c.ack_until(69, packets=4)
    b.expect(at=b.acked(58), outcome="conservative_begun", cwnd_bytes=86_400)
    b.expect(at=b.acked(62), cwnd_bytes=87_600)


@add(
    "hystartpp.round.boundary-inside-ack",
    "A frame that acknowledges packets of two rounds begins the later round",
    """Frames of four packets from the start: 0-3, 4-7, 8-11, ... The third acknowledges packet 10, windowEnd of round
    1: the round ends, and its sample, of packet 11, is the first of round 2. SND.NXT is then 10 + 2 * 8 = 26, which the
    frame 24-27 acknowledges: round 2 has the four frames from 8-11 to 20-23. From packet 24 on the RTT is 130 ms. The
    eighth sample of round 3 is the frame 52-55. CSS begins at 12000 + 56 * 1200 = 79200.""",
)
def round_boundary_inside_ack(b: StreamBuilder) -> None:
    clocked(b).run((24, 130 * MS), until=67, packets=4)
    b.expect(at=b.acked(52), outcome="conservative_begun", cwnd_bytes=79_200)


@add(
    "hystartpp.sample.none",
    "A frame without an RTT sample does not count",
    """In round 3 the frame of packet 33 gives no sample, for example because the receiver acknowledged a larger packet before.
    The eighth sample is packet 38, not 37; growth is reduced from 39 on.""",
)
def sample_none(b: StreamBuilder) -> None:
    c = clocked(b).run((30, 130 * MS), until=32)
    c.ack(sample=False)
    c.ack_until(42)
    b.expect(at=b.acked(38), outcome="conservative_begun")
    b.expect(at=b.acked(39), outcome="conservative_grown")


@add(
    "hystartpp.sample.ack-delay",
    "The sample is the latest RTT, acknowledgement delay included",
    """The receiver waits 30 ms before it acknowledges packets from 30 on, and reports the delay. The latest RTT is still 130
    ms, and CSS begins at 37. Without the delay it would be 100, and slow start would continue.""",
)
def sample_ack_delay(b: StreamBuilder) -> None:
    c = clocked(b).run(until=29)
    while c.acked < 42:
        c.ack(ack_delay_ns=30 * MS)
    b.expect(at=b.acked(37), outcome="conservative_begun")


@add(
    "hystartpp.round.idle",
    "An idle period does not end a round",
    """All packets of round 1 are acknowledged, and the sender is silent for 5 s; the window was not used. Then ten packets
    leave with an RTT of 130 ms. Packet 10 is the windowEnd of round 1: its ACK begins round 2, with 130 >= 112.5 at the
    eighth sample, packet 17. The only time in HyStart++ is the RTT.""",
)
def round_idle(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (10, 130 * MS))
    c.begin()
    c.ack_until(9, fill=False)
    for index in range(16):
        c.send(5000 * MS + index * MS, 1)
    c.ack_until(21, fill=False)
    b.expect(at=b.acked(17), outcome="conservative_begun")

"""Hand-built stimuli of HyStart: loss, later slow starts, and a path without a delay or a train.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.clocked import Clocked, constant, steps
from stimuli.hystart.sender import GOOGLE, LINUX, OLD, PACED, SOURCES, clocked

CATALOGUE = Catalogue(LINUX, PACED, sources=SOURCES)
add = CATALOGUE.add


@add(
    "hystart.loss.slow-start",
    "A loss ends slow start, and HyStart with it",
    """Packet 3 is lost in round 1, at window 12000 + 6 * 1200 = 19200: threshold and window 9600. The delay of later
    packets is ignored.""",
    profiles=(LINUX, PACED, OLD, GOOGLE),
)
def loss_slow_start(b: StreamBuilder) -> None:
    c = clocked(b).run((10, 130 * MS), until=2)
    c.lose_next()
    b.expect(outcome="reduced", cwnd_bytes=9600, ssthresh_bytes=9600)
    c.ack_until(24)


def collapsed(b: StreamBuilder, profile: str) -> Clocked:
    """Lose all packets in flight after packet 39, at 50 packets; slow start begins again with two, over 140 ms."""
    c = clocked(b, profile).run(until=39)
    c.collapse()
    c.rtt = constant(140 * MS)
    c.fill(c.now_ns)
    return c


@add(
    "hystart.restart.minimum",
    "After a timeout Linux starts again, with a new minimum RTT",
    """At 50 packets all packets in flight are lost: threshold 30000, window 2400. The RTT is 140 ms from now on. Linux
    has discarded the 100 ms: 140 is the minimum, and slow start continues up to the threshold.""",
    profiles=(LINUX, PACED, OLD),
)
def restart_minimum(b: StreamBuilder) -> None:
    c = collapsed(b, LINUX)
    for _ in range(26):
        c.ack()
    b.expect(at=b.acked(111), outcome="grown", cwnd_bytes=28_800, phase="slow_start")


@add(
    "hystart.restart.google-quic",
    "After a timeout the code of Google's QUIC keeps the minimum RTT",
    """As in hystart.restart.minimum, but the minimum is still 100 ms. Rounds restart: the first has two packets and the packet that
    ends it. The third begins with the tenth packet. Its eighth sample is the 17th packet: 140 > 112.5. The window has 2 + 16
    packets then, 21600 bytes.""",
    profiles=(GOOGLE,),
)
def restart_google_quic(b: StreamBuilder) -> None:
    c = collapsed(b, GOOGLE)
    for _ in range(26):
        c.ack()
    b.expect(at=b.acked(106), ssthresh_bytes=21_600)


@add(
    "hystart.restart.delay",
    "HyStart acts in a later slow start as well",
    """As in hystart.restart.minimum, but the RTT rises from 100 to 140 ms with the sixth packet after the timeout. Rounds have 2, 4, 8 and
    16 packets. The third round begins with a window of 8 packets. HyStart uses samples from 16 packets on, the start of the fourth round. The ninth
    sample of that round ends slow start at 24 packets, 28800, below the threshold of 30000.""",
    profiles=(LINUX, PACED),
)
def restart_delay(b: StreamBuilder) -> None:
    c = collapsed(b, LINUX)
    for packet in range(c.acked, len(c.due_ns)):
        c.due_ns[packet] -= 40 * MS
    start = c.acked
    c.rtt = steps(100 * MS, (start + 6, 140 * MS))
    for _ in range(26):
        c.ack()
    b.expect(at=b.acked(112), outcome="exited_by_delay", ssthresh_bytes=28_800)


@add(
    "hystart.path.constant",
    "With a constant RTT and short trains HyStart behaves like slow start",
    "Four rounds at 100 ms: 12000, 24000, 48000, 96000. Every ACK adds 1200.",
    profiles=(LINUX, PACED, OLD, GOOGLE),
)
def path_constant(b: StreamBuilder) -> None:
    clocked(b).run(until=99)
    b.expect(at=b.acked(99), outcome="grown", cwnd_bytes=132_000)

"""Hand-built stimuli of HyStart: trains of ACKs.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from firstflight_conformance.format.builder import MS, US, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.hystart.sender import GOOGLE, LINUX, OLD, PACED, SOURCES, clocked

CATALOGUE = Catalogue(LINUX, PACED, sources=SOURCES)
add = CATALOGUE.add


@add(
    "hystart.train.long",
    "A train of ACKs longer than half of the minimum RTT ends slow start",
    """The initial window has 64 packets, 1 ms apart, and the RTT is 100 ms. The ACKs of round 1 come 1 ms apart from
    100 ms on: a train. Half of 100 + 1 is 50.5 ms: the ACK of packet 51, 51 ms after the first, is the first ACK
    beyond that. The threshold is 64 + 51 = 115 packets, 138000.""",
    profiles=(LINUX, OLD),
    initial_window_bytes=76800,
)
def train_long(b: StreamBuilder) -> None:
    clocked(b).run(until=56)
    b.expect(at=b.acked(51), outcome="exited_by_train", ssthresh_bytes=138_000)


@add(
    "hystart.train.paced",
    "With pacing a train may last the minimum RTT",
    """Packets leave 1 ms apart for 100 ms, the last eleven together. Their ACKs come 1 ms apart from 100 ms on, all in
    round 1. 100 + 1 ms are allowed. Packet 101 comes 101 ms after the first, which is not more. Packet 102 ends slow start.""",
    profiles=(PACED,),
    initial_window_bytes=132000,
)
def train_paced(b: StreamBuilder) -> None:
    c = clocked(b, PACED)
    for ms in range(206):
        if ms < 100:
            c.send(ms * MS, 11 if ms == 99 else 1)
        else:
            c.ack(fill=False, t_ns=ms * MS)
    b.expect(at=b.acked(101), outcome="grown")
    b.expect(at=b.acked(102), outcome="exited_by_train")


@add(
    "hystart.train.exact",
    "A train of exactly half of the minimum RTT does not end slow start",
    """As in hystart.train.long with a larger window, but ACKs are 0.5 ms apart. Packet 101 comes 50.5 ms after the first, which is not more than 50.5. Packet
    102 ends slow start.""",
    profiles=(LINUX, OLD),
    initial_window_bytes=129600,
)
def train_exact(b: StreamBuilder) -> None:
    clocked(b).run(until=105, gap_ns=500 * US)
    b.expect(at=b.acked(101), outcome="grown")
    b.expect(at=b.acked(102), outcome="exited_by_train")


@add(
    "hystart.train.broken",
    "A gap of more than 2 ms ends the train for the round",
    """The initial window has 64 packets, 1 ms apart, except that packet 20 leaves 2.001 ms after 19. Its ACK is not
    part of the train, and neither are later ACKs, though they come 1 ms apart. The length of the train does not end slow start.""",
    profiles=(LINUX, OLD),
    initial_window_bytes=76800,
)
def train_broken(b: StreamBuilder) -> None:
    c = clocked(b)
    for index in range(64):
        c.send(index * MS + (1001 * US if index >= 20 else 0), 1)
    c.ack_until(63)
    b.expect(at=b.acked(63), outcome="grown")


@add(
    "hystart.train.two-milliseconds",
    "A gap of exactly 2 ms does not end the train",
    "As in hystart.train.broken with a gap of 2 ms: packet 50 comes 51 ms after the first, more than 50.5 ms.",
    profiles=(LINUX, OLD),
    initial_window_bytes=76800,
)
def train_two_milliseconds(b: StreamBuilder) -> None:
    c = clocked(b)
    for index in range(64):
        c.send(index * MS + (MS if index >= 20 else 0), 1)
    c.ack_until(56)
    b.expect(at=b.acked(50), outcome="exited_by_train")


@add(
    "hystart.train.google-quic",
    "quic-go ignores trains",
    "With the train of 64 ACKs of hystart.train.long slow start continues.",
    profiles=(GOOGLE,),
    initial_window_bytes=76800,
)
def train_google_quic(b: StreamBuilder) -> None:
    clocked(b, GOOGLE).run(until=63)
    b.expect(at=b.acked(63), outcome="grown")

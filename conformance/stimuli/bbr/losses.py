"""Hand-built stimuli of BBR: the end of Startup by loss.

`why` derives the expectation; ``sender`` describes the common stream. The initial window is 480000 bytes.
"""

from functools import partial

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.bbr.sender import DRAFT, SOURCE, WIDE, Flights, Sampled, grown

CATALOGUE = Catalogue(DRAFT, sources=(f"{SOURCE}, section 5.3.1.3",), builder=Sampled)
add = partial(CATALOGUE.add, initial_window_bytes=WIDE)
FIVE = (132, 134, 136, 138, 140)


def acknowledge(b: StreamBuilder, t_ns: int, packets: list[int]) -> None:
    """Acknowledge packets in one ACK; adjacent packets share a range."""
    ranges: list[tuple[int, int]] = []
    for packet in packets:
        if ranges and ranges[-1][1] == packet - 1:
            ranges[-1] = (ranges[-1][0], packet)
        else:
            ranges.append((packet, packet))
    b.ack(t_ns, *ranges)


def lossy(b: StreamBuilder, *later: tuple[int, ...], next_flight: int = 100, size: int = 100) -> Flights:
    """Lose packet 130 at 500 ms, send a flight, lose ``later`` packets 10 ms later; acknowledge the others at 590 ms.

    Each tuple of ``later`` is lost in its own event; the default is ``FIVE``.

    The lossy flight has packets 120 to 219; ten are acknowledged before the first loss. On return the time is 600 ms,
    and the next packet is 220.
    """
    f = grown(b)
    f.send(size)
    f.ack(10, 100 * MS)
    f.lose(130)
    f.send(next_flight)
    f.now_ns += 10 * MS
    for packets in later or (FIVE,):
        f.lose(*packets)
    f.now_ns += 80 * MS
    lost = [packet for packets in later or (FIVE,) for packet in packets]
    acknowledge(b, f.now_ns, [packet for packet in range(131, 120 + size) if packet not in lost])
    f.oldest = 120 + size
    f.now_ns += 10 * MS
    return f


@add(
    "bbr.loss-exit.six-ranges",
    "Six ranges lost in a round of recovery end Startup",
    """Packet 130 is lost at 500 ms, when 156000 bytes are delivered: recovery and a loss round begin. Packets 132, 134, 136, 138 and 140 follow at 510 ms: six ranges. At 600 ms packet 220 is acknowledged, which left at 500 ms, after the first loss: a full round. Since then 5 * 1200 = 6000 bytes were lost. With packet 220 100 - 10 - 1 + 1 = 90 packets
    were in flight, 108000 bytes, and 0.02 * 108000 = 2160. The latest volume comes from the ACK at 590 ms: ten packets and 84 since the flight left, 94 * 1200 = 112800 bytes. It exceeds the product of 60000 and becomes the long-term volume. The window falls to BBR.max_inflight. The rate is 102000 bytes in 100 ms now. Since 590 ms, when 100800 were acknowledged, 600000 * 0.01 = 6000 were expected: 2 * 102000 + 100800 + 1200 - 6000 = 300000. In the table of the draft the long-term
    volume bounds the window, which conforms (B5).""",
    sources=(f"{SOURCE}, section 5.3.1.3", f"{SOURCE}, section 5.6.1"),
)
def loss_exit_six_ranges(b: StreamBuilder) -> None:
    f = lossy(b)
    b.expect(phase="startup", inflight_longterm_bytes=None)
    f.ack(1)
    b.expect(outcome="exited_by_loss", phase="drain", inflight_longterm_bytes=112_800, cwnd_bytes=300_000)


@add(
    "bbr.loss-exit.five-ranges",
    "Five ranges do not end Startup",
    """As in `bbr.loss-exit.six-ranges` without the last range: 4 * 1200 = 4800 bytes are more than 0.02 * 108000 = 2160, but there are only five ranges.""",
)
def loss_exit_five_ranges(b: StreamBuilder) -> None:
    f = lossy(b, FIVE[:4])
    f.ack(1)
    b.expect(outcome="bw_grown", phase="startup", inflight_longterm_bytes=None)


@add(
    "bbr.loss-exit.adjacent",
    "Adjacent lost packets are one range, even in two events",
    """After packet 130 the packets 131, 133, 135, 137 and 139 are lost: 130 and 131 are one range, which makes five.""",
)
def loss_exit_adjacent(b: StreamBuilder) -> None:
    f = lossy(b, (131, 133, 135, 137, 139))
    f.ack(1)
    b.expect(outcome="bw_grown", phase="startup", inflight_longterm_bytes=None)


@add(
    "bbr.loss-exit.between",
    "A packet lost between two ranges is a new range, unless it follows the last lost packet",
    """After the six ranges of `bbr.loss-exit.six-ranges` packet 131 is lost as well. It follows 130, but the last lost packet is 140: 6 + 1 = 7 ranges. Implementations that merge 130, 131 and 132 count five.""",
)
def loss_exit_between(b: StreamBuilder) -> None:
    f = lossy(b, FIVE, (131,))
    f.ack(1)
    b.expect(outcome="exited_by_loss", phase="drain")


@add(
    "bbr.loss-exit.mark",
    "Startup ends by loss in the recovery that a mark began",
    """A mark at 500 ms, when 130 * 1200 = 156000 bytes are delivered, begins recovery and a loss round. Then packet 220 leaves, and packet 130 is acknowledged. Six packets that left before the mark are lost: 6 * 1200 = 7200 bytes in six ranges. When packet 220 is acknowledged recovery has lasted for a round; without the mark it would have begun a packet later. With 220 were 100 - 10 + 1 = 91 packets in flight, 109200 bytes, and 0.02 * 109200 = 2184.""",
    sources=(f"{SOURCE}, section 5.3.1.3", f"{SOURCE}, section 3.7"),
)
def loss_exit_mark(b: StreamBuilder) -> None:
    f = grown(b)
    f.send(100)
    f.ack(10, 100 * MS)
    b.ce(f.now_ns, 129, 400 * MS)
    b.expect(outcome="loss_noted", phase="startup")
    f.send(100)
    f.ack(1, 10 * MS)
    lost = range(132, 143, 2)
    f.lose(*lost)
    b.expect(outcome="already_noted")
    f.now_ns += 80 * MS
    acknowledge(b, f.now_ns, [packet for packet in range(131, 220) if packet not in lost])
    f.oldest = 220
    b.expect(phase="startup")
    f.ack(1, 10 * MS)
    b.expect(outcome="exited_by_loss", phase="drain")


@add(
    "bbr.loss-exit.share",
    "The share is relative to the bytes in flight, not to the bytes delivered since",
    """The last packet of the next flight is acknowledged first; 300000 / 1200 = 250 were in flight with it. 6000 bytes lost since are exactly 2 %. Delivered since are 84 + 1 packets, 85 * 1200 = 102000 bytes. Relative to 102000 + 6000 = 108000 the losses would be more than 0.02 * 108000 = 2160.""",
    sources=(f"{SOURCE}, sections 5.3.1.3 and 5.5.10.2",),
)
def loss_exit_share(b: StreamBuilder) -> None:
    f = lossy(b, next_flight=161)
    b.ack(f.now_ns, (380, 380))
    b.expect(phase="startup", inflight_longterm_bytes=None)


@add(
    "bbr.loss-exit.two-percent",
    "Exactly two per cent are not more than two per cent",
    """With the last packet of the next flight 300000 / 1200 = 250 packets were in flight, 300000 bytes. All are acknowledged at once. The 6000 bytes lost since are exactly 2 % of them.""",
    sources=(f"{SOURCE}, sections 5.3.1.3 and 5.5.10.2",),
)
def loss_exit_two_percent(b: StreamBuilder) -> None:
    f = lossy(b, next_flight=161)
    f.ack(161)
    b.expect(phase="startup", inflight_longterm_bytes=None)


@add(
    "bbr.loss-exit.above-two-percent",
    "With one packet less in flight the same losses are more than two per cent",
    """All but the last of that flight are acknowledged: 250 - 1 = 249 were in flight, 298800 bytes, and 2 % are 298800 / 50 = 5976, less than 6000.""",
    sources=(f"{SOURCE}, sections 5.3.1.3 and 5.5.10.2",),
)
def loss_exit_above_two_percent(b: StreamBuilder) -> None:
    f = lossy(b, next_flight=161)
    f.ack(160)
    b.expect(outcome="exited_by_loss")


@add(
    "bbr.loss-exit.app-limited",
    "App-limited samples do not prevent the end of Startup by loss",
    """The example test of the draft: the rounds are app-limited, and the losses of `bbr.loss-exit.six-ranges` end Startup.""",
    sources=(f"{SOURCE}, section 5.3.1.3", f"{SOURCE}, appendix A.2"),
)
def loss_exit_app_limited(b: StreamBuilder) -> None:
    f = lossy(b)
    f.ack(1, rate_app_limited=True)
    b.expect(outcome="exited_by_loss", phase="drain")


@add(
    "bbr.loss-exit.product",
    "The long-term volume is at least the bandwidth-delay product",
    """The lossy flight has 40 packets. At 600 ms at most (24 + 1 + 10) * 1200 = 42000 bytes were delivered in the round: 24 + 1 packets since the first loss, 30000, and 34 * 1200 = 40800 since the flight left. The product is 60000.""",
)
def loss_exit_product(b: StreamBuilder) -> None:
    f = lossy(b, size=40, next_flight=40)
    f.ack(1)
    b.expect(outcome="exited_by_loss", inflight_longterm_bytes=60_000)


@add(
    "bbr.loss-exit.by-round",
    "Ranges of two rounds are not added up",
    """Three ranges are lost in the first loss round, 130, 132 and 134, and three in the second, 222, 224 and 226. Neither round has six.""",
)
def loss_exit_by_round(b: StreamBuilder) -> None:
    f = lossy(b, (132, 134))
    f.ack(1)
    b.expect(outcome="bw_grown", phase="startup")
    f.lose(222)
    b.expect(outcome="loss_noted")
    f.send(100)
    f.now_ns += 10 * MS
    f.lose(224, 226)
    b.expect(outcome="already_noted")
    f.now_ns += 80 * MS
    acknowledge(b, f.now_ns, [packet for packet in range(221, 320) if packet not in (222, 224, 226)])
    f.oldest = 320
    f.ack(1, 10 * MS)
    b.expect(phase="startup", inflight_longterm_bytes=None)


@add(
    "bbr.loss-exit.timeout",
    "Startup does not end by loss in the recovery of a timeout",
    """Before the ACK of packet 220 persistent congestion is established. The window becomes the 100 packets in flight and one more: 101 * 1200 = 121200. The criteria of `bbr.loss-exit.six-ranges` hold, except for fast recovery.""",
    sources=(f"{SOURCE}, section 5.3.1.3", f"{SOURCE}, section 5.6.4.4"),
)
def loss_exit_timeout(b: StreamBuilder) -> None:
    f = lossy(b)
    b.persistent_congestion(f.now_ns)
    b.expect(outcome="collapsed", cwnd_bytes=121_200)
    f.ack(1)
    b.expect(outcome="bw_grown", phase="startup", inflight_longterm_bytes=None)


def _late(b: StreamBuilder) -> Flights:
    """End the recovery of 500 ms at 601 ms by the ACK of packet 220; 205, 207, 209, 211, 213, 215 are in flight."""
    f = grown(b)
    f.send(100)
    f.ack(10, 100 * MS)
    f.lose(130)
    f.now_ns += MS
    f.send(100)
    f.now_ns += 89 * MS
    acknowledge(b, f.now_ns, [packet for packet in range(131, 220) if packet not in range(205, 216, 2)])
    f.oldest = 220
    f.ack(1, 11 * MS)
    return f


@add(
    "bbr.loss-exit.no-recovery",
    "Six ranges outside recovery do not end Startup",
    """Recovery began with packet 130 at 500 ms, and ended at 601 ms with the ACK of packet 220, which left at 501 ms. Then the packets 205, 207, 209, 211, 213 and 215 are lost. They left at 400 ms, before recovery began: no new recovery. Their loss round ends with the ACK of a packet sent after the first of
    them. Five of them, 6000 bytes, were lost since; that is more than 2 % of the 99 - 1 + 6 = 104 packets, 124800 bytes, in flight.""",
    sources=(f"{SOURCE}, section 5.3.1.3", "RFC 9002, section 7.3.2"),
)
def loss_exit_no_recovery(b: StreamBuilder) -> None:
    f = _late(b)
    f.lose(205)
    b.expect(outcome="loss_noted")
    f.send(1)
    f.lose(207, 209, 211, 213, 215)
    f.ack(99, 99 * MS)
    f.ack(1, MS)
    b.expect(phase="startup", inflight_longterm_bytes=None)


@add(
    "bbr.loss-exit.part-of-a-round",
    "Recovery that began within the round is shorter than a round",
    """Packet 205, from before the last recovery, begins a loss round. A packet leaves, then packet 221 is acknowledged. Packets 223, 225, 227, 229 and 231, which left after the last recovery began, are lost: a new recovery. The ACK of the new packet ends the loss round, with six ranges in it. But that packet left
    1200 bytes before recovery began.""",
    sources=(f"{SOURCE}, section 5.3.1.3", "RFC 9002, section 7.3.2"),
)
def loss_exit_part_of_a_round(b: StreamBuilder) -> None:
    f = _late(b)
    f.lose(205)
    f.send(1)
    f.ack(1, MS)
    f.lose(223, 225, 227, 229, 231)
    f.now_ns += 90 * MS
    acknowledge(b, f.now_ns, [222, 224, 226, 228, 230, *range(232, 320)])
    f.oldest = 320
    f.ack(1, 9 * MS)
    b.expect(phase="startup", inflight_longterm_bytes=None)


@add(
    "bbr.loss-exit.within-a-round",
    "Ranges are checked when a loss round ends; six within a round do not end Startup",
    """The first loss round ends at 600 ms with five ranges. Then six packets of the flight are lost, 222 to 232, and the next packet, 221, is acknowledged. There are six ranges in the round, and recovery has lasted for more than a round. 10 * 1200 = 12000 bytes lost since packet 221 left are more than 2 % of the 91 packets, 109200 bytes, in flight. But the loss round continues. Implementations that check at every ACK end Startup here (B18).""",
)
def loss_exit_within_a_round(b: StreamBuilder) -> None:
    f = lossy(b, FIVE[:4])
    f.ack(1)
    f.lose(222, 224, 226, 228, 230, 232)
    b.expect(outcome="loss_noted")
    f.ack(1)
    b.expect(phase="startup", outcome="grown")

"""Hand-built stimuli of the base controller: persistent congestion reported by an event.

For gold vectors `why` derives the expectation.
"""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.newreno.persistent import established

CATALOGUE = Catalogue("rfc-9002", sources=("RFC 9002, section 7 and appendix B",))
add = CATALOGUE.add

RTT = 100 * MS


def _lose_all(b: StreamBuilder) -> None:
    """Lose a whole window until 900 ms, which is persistent congestion."""
    b.send(0, 5)
    b.send(500 * MS, 5)
    b.lose(900 * MS, (0, 9))
    b.persistent_congestion(900 * MS)


def _collapse(b: StreamBuilder) -> None:
    """Lose all packets until 900 ms; two packets bring the window from 2400 to 4800, and the threshold is 6000."""
    _lose_all(b)
    b.send(910 * MS, 2)
    b.ack(RTT + 910 * MS, (10, 11))


@add(
    "slow-start.persistent.collapse",
    "Persistent congestion sets the window to the minimum window",
    """All ten packets are lost: 12000 / 2 = 6000. Persistent congestion makes it 2 * 1200 = 2400, the threshold stays
    6000, and slow start continues below it.""",
    flags=("same-time-order",),
)
def persistent_collapse(b: StreamBuilder) -> None:
    _lose_all(b)
    b.expect(outcome="collapsed", cwnd_bytes=2400, ssthresh_bytes=6000)


@add(
    "slow-start.persistent.crosses-threshold",
    "Slow start after persistent congestion lasts until the packet that reaches the threshold, which counts in full",
    """From 2400 with the threshold 6000: 2400 + 2 * 1200 = 4800. Then one ACK covers four packets. The first reaches the
    threshold, 6000, and the others grow in congestion avoidance by floor(1440000 / 6000) = 240, floor(1440000 / 6240) = 230
    and floor(1440000 / 6470) = 222: 6692.""",
    flags=("same-time-order",),
)
def persistent_crosses_threshold(b: StreamBuilder) -> None:
    _collapse(b)
    b.send(RTT + 910 * MS, 4)
    b.ack(2 * RTT + 910 * MS, (12, 15))
    b.expect(at=b.acked(11), cwnd_bytes=4800, phase="slow_start")
    b.expect(cwnd_bytes=6692)


@add(
    "slow-start.persistent.overshoots-threshold",
    "The packet that crosses the threshold counts in full",
    """The window was odd, so that the threshold is not a multiple of the packets: (12000 + 77) / 2 = 6038. From 2400:
    3600, 4800, 6000 are below it, and the next packet gives 7200, not 6038, and ends slow start.""",
    flags=("same-time-order",),
)
def persistent_overshoots_threshold(b: StreamBuilder) -> None:
    b.send_sizes(0, [(1, 77), (5, 1200)])
    b.ack(RTT, (0, 0))
    b.send(500 * MS, 4)
    b.lose(900 * MS, (1, 9))
    b.persistent_congestion(900 * MS)
    b.send(910 * MS, 2)
    b.ack(RTT + 910 * MS, (10, 11))
    b.send(RTT + 910 * MS, 4)
    b.ack(2 * RTT + 910 * MS, (12, 12))
    b.ack(2 * RTT + 911 * MS, (13, 13))
    b.ack(2 * RTT + 912 * MS, (14, 14))
    b.expect(at=b.acked(13), cwnd_bytes=7200, ssthresh_bytes=6038, phase="congestion_avoidance")


@add(
    "slow-start.persistent.forgets-recovery",
    "After persistent congestion packets sent before it may reduce the window again",
    """Packet 9 was sent before the recovery that began at 900 ms, and would not reduce the window in it. Persistent congestion discards
    that period. The loss of packet 9 starts a new period, with threshold 2400 / 2 = 1200 and the window at its minimum of
    2400.""",
    flags=("same-time-order",),
)
def persistent_forgets_recovery(b: StreamBuilder) -> None:
    b.send(0, 5)
    b.send(500 * MS, 5)
    b.lose(900 * MS, (0, 8))
    b.persistent_congestion(900 * MS)
    b.lose(950 * MS, (9, 9))
    b.expect(outcome="reduced", cwnd_bytes=2400, ssthresh_bytes=1200)


@add(
    "slow-start.persistent.old-packet-grows",
    "After persistent congestion the ACK of an old packet grows the window",
    """Packet 9 was sent before the recovery period that persistent congestion has discarded: its ACK grows the window
    by its bytes, 2400 + 1200 = 3600.""",
    flags=("same-time-order",),
)
def persistent_old_packet_grows(b: StreamBuilder) -> None:
    b.send(0, 5)
    b.send(500 * MS, 5)
    b.lose(900 * MS, (0, 8))
    b.persistent_congestion(900 * MS)
    b.ack(950 * MS, (9, 9))
    b.expect(cwnd_bytes=3600)


@add(
    "slow-start.persistent.small-packets-to-threshold",
    "Small packets reach the threshold by their bytes",
    """The threshold is 12000 / 2 = 6000. From 2400, four packets of 600 bytes: 2400 + 4 * 600 = 4800. Then one ACK of eight
    such packets: two reach the threshold, 4800 + 2 * 600 = 6000. The others add floor(1200 * 600 / 6000) = 120,
    floor(720000 / 6120) = 117, floor(720000 / 6237) = 115, floor(720000 / 6352) = 113, floor(720000 / 6465) = 111 and
    floor(720000 / 6576) = 109: 6000 + 685 = 6685.""",
    flags=("same-time-order",),
)
def persistent_small_packets_to_threshold(b: StreamBuilder) -> None:
    _lose_all(b)
    b.send(910 * MS, 4, 600)
    b.ack(RTT + 910 * MS, (10, 13))
    b.send(RTT + 910 * MS, 8, 600)
    b.ack(2 * RTT + 910 * MS, (14, 21))
    b.expect(at=b.acked(13), cwnd_bytes=4800, phase="slow_start")
    b.expect(cwnd_bytes=6685)


@add(
    "slow-start.persistent.last-two-packets",
    "An ACK reaches the threshold with its first packet, and its last two are in congestion avoidance",
    """The loss leaves a threshold of 12000 / 2 = 6000, and persistent congestion a window of 2400. Two packets double
    it to 4800. An ACK of three packets follows: the first reaches the threshold in slow start, 4800 + 1200 = 6000.
    The other two add 1200 * 1200 / 6000 = 240 and floor(1440000 / 6240) = 230: 6000 + 240 + 230 = 6470. A sender in
    slow start for all three has 4800 + 3 * 1200 = 8400.""",
    flags=("same-time-order",),
)
def persistent_last_two_packets(b: StreamBuilder) -> None:
    now_ns = established(b)
    b.expect(outcome="collapsed", cwnd_bytes=2400, ssthresh_bytes=6000)
    b.send(now_ns, 2)
    b.ack(now_ns + 200 * MS, (5, 6))
    b.send(now_ns + 200 * MS, 4)
    b.ack(now_ns + 400 * MS, (7, 9))
    b.expect(outcome="grown_avoidance", cwnd_bytes=6470)

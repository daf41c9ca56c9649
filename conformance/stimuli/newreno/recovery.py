"""Hand-built stimuli of the base controller: losses, CE marks and recovery.

For gold vectors `why` derives the expectation.
"""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue

CATALOGUE = Catalogue("rfc-9002", sources=("RFC 9002, section 7 and appendix B",))
add = CATALOGUE.add

RTT = 100 * MS


def enter_recovery(b: StreamBuilder) -> None:
    """Send ten packets and lose the first: the window falls from 12000 + 3600 = 15600 to 7800 at 100 ms."""
    b.send(0, 10)
    b.ack(RTT, (1, 3))
    b.lose(RTT, (0, 0))


@add(
    "slow-start.recovery.halved",
    "The first loss ends slow start with half the window",
    """12000 + 3 * 1200 = 15600; a loss makes threshold and window 15600 / 2 = 7800. A factor of 0.7 gives 15600 * 0.7 =
    10920.""",
)
def recovery_halved(b: StreamBuilder) -> None:
    enter_recovery(b)
    b.expect(outcome="reduced", cwnd_bytes=7800, ssthresh_bytes=7800)


@add(
    "slow-start.recovery.odd-window",
    "Half of an odd window is rounded down",
    "12000 + 77 = 12077, and 12077 / 2 = 6038.5: the threshold and the window become 6038.",
)
def recovery_odd_window(b: StreamBuilder) -> None:
    b.send_sizes(0, [(1, 77), (9, 1200)])
    b.ack(RTT, (0, 0))
    b.lose(RTT, (1, 1))
    b.expect(cwnd_bytes=6038, ssthresh_bytes=6038)


@add(
    "slow-start.recovery.once-per-period",
    "Further losses of the same flight do not reduce the window again",
    """After the reduction to 7800 at 100 ms, packets 4 and 5, sent at 0 ms, are declared lost. They were sent before
    recovery began, so the window stays 7800. A reduction per loss event gives 7800 / 2 = 3900.""",
)
def recovery_once_per_period(b: StreamBuilder) -> None:
    enter_recovery(b)
    b.lose(RTT + MS, (4, 4))
    b.lose(RTT + 2 * MS, (5, 5))
    b.expect(outcome="already_reduced", cwnd_bytes=7800)


@add(
    "slow-start.recovery.no-growth-before",
    "Packets sent before recovery do not grow the window",
    "Packets 4..9 were sent at 0 ms, before recovery began at 100 ms: their ACKs leave 7800.",
)
def recovery_no_growth_before(b: StreamBuilder) -> None:
    enter_recovery(b)
    b.ack(RTT + MS, (4, 6))
    b.ack(RTT + 2 * MS, (7, 9))
    b.expect(outcome="in_recovery", cwnd_bytes=7800)


@add(
    "slow-start.recovery.ends-with-new-packet",
    "Recovery ends with the ACK of a packet sent during it",
    """Packet 10 is sent 5 ms after recovery began. Its ACK ends recovery and already counts in congestion avoidance:
    7800 + floor(1200 * 1200 / 7800) = 7800 + 184 = 7984.""",
)
def recovery_ends_with_new_packet(b: StreamBuilder) -> None:
    enter_recovery(b)
    b.ack(RTT + MS, (4, 9))
    b.send(RTT + 5 * MS, 6)
    b.ack(2 * RTT + 5 * MS, (10, 10))
    b.expect(cwnd_bytes=7984, phase="congestion_avoidance")


@add(
    "slow-start.recovery.sent-at-its-start",
    "A packet sent exactly at the start of recovery counts as sent before it",
    """12000 + 8 * 1200 = 21600, halved to 10800 by the loss of packet 0 at 100 ms. Packet 10 is sent at 100 ms as well:
    RFC 9002 compares sent_time <= recovery start, so its ACK does not grow the window or end recovery. A comparison with
    <, or of packet numbers, gives 10800 + floor(1440000 / 10800) = 10933.""",
    flags=("same-time-order",),
)
def recovery_sent_at_its_start(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (1, 8))
    b.lose(RTT, (0, 0))
    b.send(RTT, 1)
    b.send(RTT + MS, 1)
    b.ack(2 * RTT, (9, 10))
    b.ack(2 * RTT + MS, (11, 11))
    b.expect(at=b.acked(10), outcome="in_recovery", cwnd_bytes=10_800, phase="recovery")
    b.expect(cwnd_bytes=10_933)


@add(
    "slow-start.recovery.second-period",
    "A loss of a packet sent after recovery began starts another period",
    """The window is 7800 and the threshold too. Packet 10, sent 5 ms after recovery began, is lost: half of 7800 is
    3900.""",
)
def recovery_second_period(b: StreamBuilder) -> None:
    enter_recovery(b)
    b.ack(RTT + MS, (4, 9))
    b.send(RTT + 5 * MS, 6)
    b.lose(2 * RTT + 5 * MS, (10, 10))
    b.expect(outcome="reduced", cwnd_bytes=3900)


@add(
    "slow-start.recovery.second-period-before-sending",
    "A second recovery period begins before any packet is sent in it",
    """12000 / 2 = 6000. Three packets sent in recovery grow the window by 1440000 / 6000 = 240, 1440000 / 6240 = 230.8 and
    1440000 / 6470 = 222.6 to 6000 + 240 + 230 + 222 = 6692. The loss of packet 13 leaves 6692 / 2 = 3346. The sender is silent,
    and the loss of packet 14, sent before that, does not reduce the window again. A stack that stores the period only once it sends a packet halves again, 3346 / 2 = 1673, to the minimum of 2400.""",
)
def recovery_second_period_before_sending(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.lose(RTT, (0, 0))
    b.ack(RTT, (1, 9))
    b.send(RTT + MS, 5)
    b.ack(2 * RTT + MS, (10, 12))
    b.lose(2 * RTT + 2 * MS, (13, 13))
    b.lose(2 * RTT + 3 * MS, (14, 14))
    b.expect(at=5, outcome="reduced", cwnd_bytes=3346)
    b.expect(outcome="already_reduced", cwnd_bytes=3346)


@add(
    "slow-start.recovery.lost-after-its-end",
    "A packet sent before a recovery period and lost after it does not reduce the window",
    """12000 + 3 * 1200 = 15600; a loss halves it to 7800. Packet 9 left shortly before that. Packet 10 was sent in the recovery period, and its
    ACK ends it: 7800 + floor(1440000 / 7800) = 7984. Then the loss timer declares packet 9 lost: 7984 stays. A sender that forgets the start
    of the period has 7984 / 2 = 3992, which conforms (S7).""",
)
def recovery_lost_after_its_end(b: StreamBuilder) -> None:
    b.send(0, 9)
    b.send(RTT - 5 * MS, 1)
    b.ack(RTT, (1, 3))
    b.lose(RTT, (0, 0))
    b.ack(RTT + MS, (4, 8))
    b.send(RTT + 5 * MS, 5)
    b.ack(2 * RTT + 5 * MS, (10, 10))
    b.expect(cwnd_bytes=7984, phase="congestion_avoidance")
    b.lose(2 * RTT + 8 * MS, (9, 9))
    b.expect(outcome="already_reduced", cwnd_bytes=7984)


@add(
    "slow-start.recovery.latest-lost-decides",
    "The last sent packet of packets lost together decides",
    """Packets 8..9 were sent before recovery began, 10 and 11 after it. One event declares 9 and 10 lost: the latest,
    packet 10, starts a second period, and the window falls from 7800 to 3900. Looking at the first gives 7800.""",
)
def recovery_latest_lost_decides(b: StreamBuilder) -> None:
    enter_recovery(b)
    b.ack(RTT + MS, (4, 8))
    b.send(RTT + 5 * MS, 2)
    b.lose(2 * RTT, (9, 10))
    b.expect(outcome="reduced", cwnd_bytes=3900)


@add(
    "slow-start.recovery.minimum-window",
    "The window does not fall below two datagrams, the threshold may",
    """Initial window 3600. A loss: half is 1800, below the minimum window of 2 * 1200 = 2400. The window becomes 2400,
    the threshold 1800.""",
    initial_window_bytes=3600,
)
def recovery_minimum_window(b: StreamBuilder) -> None:
    b.send(0, 3)
    b.lose(RTT, (0, 0))
    b.expect(cwnd_bytes=2400, ssthresh_bytes=1800)


@add(
    "slow-start.recovery.ack-before-loss",
    "A frame that acknowledges and reveals loss: the ACK comes first",
    """Packets 1..9 are acknowledged in slow start: 12000 + 10800 = 22800. Then packet 0 is lost: 22800 / 2 = 11400. In
    the other order the result is 12000 / 2 = 6000.""",
    flags=("same-time-order",),
)
def recovery_ack_before_loss(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (1, 9))
    b.lose(RTT, (0, 0))
    b.expect(cwnd_bytes=11_400)


@add(
    "slow-start.recovery.loss-before-ack",
    "A frame that acknowledges and reveals loss: the loss comes first",
    """Packet 0 is lost: 12000 / 2 = 6000. Packets 1..9 were sent before recovery began: no growth. In the other
    order the result is (12000 + 9 * 1200) / 2 = 11400.""",
    flags=("same-time-order",),
)
def recovery_loss_before_ack(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.lose(RTT, (0, 0))
    b.ack(RTT, (1, 9))
    b.expect(cwnd_bytes=6000)


@add(
    "slow-start.recovery.app-limited-end",
    "An app-limited ACK of a packet sent in recovery ends it without growth",
    "Packet 10 was sent during recovery. Its ACK is app-limited: recovery ends, the window stays 7800.",
)
def recovery_app_limited_end(b: StreamBuilder) -> None:
    enter_recovery(b)
    b.ack(RTT + MS, (4, 9))
    b.send(RTT + 5 * MS, 1, app_limited=True)
    b.ack(2 * RTT + 5 * MS, (10, 10), app_limited=True)
    b.expect(cwnd_bytes=7800, phase="congestion_avoidance")


@add(
    "slow-start.recovery.app-limited-old",
    "An app-limited ACK of a packet sent before recovery does not end it",
    """Packet 4 was sent at 0 ms. Its ACK is app-limited: no growth, and recovery continues, since no packet sent during
    it was acknowledged.""",
)
def recovery_app_limited_old(b: StreamBuilder) -> None:
    enter_recovery(b)
    b.ack(RTT + MS, (4, 4), app_limited=True)
    b.ack(RTT + 2 * MS, (5, 5))
    b.expect(at=b.acked(4), cwnd_bytes=7800, phase="recovery")
    b.expect(cwnd_bytes=7800, phase="recovery")


@add(
    "slow-start.recovery.huge-window",
    "Half of a window beyond 2^53 is exact",
    """The window is 2^55 + 7 = 36028797018963975. Half of it, 36028797018963975 / 2 = 18014398509481987.5, is rounded
    down: 18014398509481987. In double precision the window is 2^55 + 8, and half of it (2^55 + 8) / 2 =
    18014398509481988.""",
    initial_window_bytes=2**55 + 7,
)
def recovery_huge_window(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.lose(RTT, (0, 0))
    b.expect(cwnd_bytes=18014398509481987)


def _mark_first(b: StreamBuilder) -> None:
    """Send ten packets; a CE mark with the ACK of the first lowers the window from 13200 to 6600 at 100 ms."""
    b.send(0, 10)
    b.ack(RTT, (0, 0))
    b.ce(RTT, 0, 0)


@add(
    "slow-start.ce.reduces",
    "A CE mark acts like the loss of the largest packet that the frame acknowledges",
    "12000 + 1200 = 13200; the CE mark on packet 0 halves it to 6600. No packet was lost.",
    flags=("same-time-order",),
)
def ce_reduces(b: StreamBuilder) -> None:
    _mark_first(b)
    b.expect(outcome="reduced", cwnd_bytes=6600, ssthresh_bytes=6600)


@add(
    "slow-start.ce.once-per-period",
    "CE marks on packets sent before recovery do not reduce the window again",
    """After the reduction to 6600 packet 1, sent before it, carries another mark: 6600 stays. A reduction per mark
    gives 6600 / 2 = 3300.""",
    flags=("same-time-order",),
)
def ce_once_per_period(b: StreamBuilder) -> None:
    _mark_first(b)
    b.ack(RTT + MS, (1, 1))
    b.ce(RTT + MS, 1, 0)
    b.expect(outcome="already_reduced", cwnd_bytes=6600)


@add(
    "slow-start.ce.loss-in-the-same-period",
    "A loss in the period of a CE mark does not reduce the window again",
    "The CE mark halves 13200 to 6600; packet 1, sent before it, is then lost: 6600 stays.",
    flags=("same-time-order",),
)
def ce_loss_in_the_same_period(b: StreamBuilder) -> None:
    _mark_first(b)
    b.lose(RTT + MS, (1, 1))
    b.expect(outcome="already_reduced", cwnd_bytes=6600)


@add(
    "slow-start.ce.second-period",
    "A CE mark on a packet sent after recovery began starts another period",
    """The CE mark halves 13200 to 6600. Packet 10 was sent in recovery, and its ACK ends it:
    6600 + floor(1440000 / 6600) = 6818. Its CE mark halves the window again: 6818 / 2 = 3409. Packets 11..14 were sent before that and do not grow
    the window. Packet 15 was sent after it: 3409 + floor(1440000 / 3409) = 3831. A stack that reacts only to the first mark has more than 6818.""",
    flags=("same-time-order",),
)
def ce_second_period(b: StreamBuilder) -> None:
    _mark_first(b)
    b.ack(RTT + MS, (1, 9))
    b.send(RTT + 5 * MS, 5)
    b.ack(2 * RTT + 5 * MS, (10, 10))
    b.expect(cwnd_bytes=6818)
    b.ce(2 * RTT + 5 * MS, 10, RTT + 5 * MS)
    b.expect(outcome="reduced", cwnd_bytes=3409, ssthresh_bytes=3409)
    b.ack(2 * RTT + 6 * MS, (11, 14))
    b.send(2 * RTT + 7 * MS, 2)
    b.ack(3 * RTT + 7 * MS, (15, 15))
    b.expect(cwnd_bytes=3831)


@add(
    "slow-start.ce.recovery-from-the-mark",
    "Recovery begins when the mark is processed, not when its packet was sent",
    """12000 + 1200 = 13200, halved to 6600 by the CE mark on packet 0 at 100 ms. Packets 5..9 were sent at 50 ms, before that: their ACK does not
    grow the window. A sender that begins recovery at the sending time of packet 0 adds 1440000 / 6600 = 218 for the first.""",
    flags=("same-time-order",),
)
def ce_recovery_from_the_mark(b: StreamBuilder) -> None:
    b.send(0, 5)
    b.send(RTT // 2, 5)
    b.ack(RTT, (0, 0))
    b.ce(RTT, 0, 0)
    b.ack(RTT + RTT // 2, (5, 9))
    b.expect(outcome="in_recovery", cwnd_bytes=6600, phase="recovery")

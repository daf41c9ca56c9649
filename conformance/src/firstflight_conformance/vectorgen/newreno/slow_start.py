"""Hand-built stimuli of the base controller. Where the tier is gold, `why` derives the expectation."""

from firstflight_conformance.vectorgen.builder import MS, StreamBuilder
from firstflight_conformance.vectorgen.stimulus import Catalogue

CATALOGUE = Catalogue("rfc-9002", sources=("RFC 9002, section 7 and appendix B",))
add = CATALOGUE.add

RTT = 100 * MS


@add(
    "slow-start.growth.ack-of-two",
    "One ACK of two packets grows the window by their bytes",
    "12000 + 2 * 1200 = 14400. A controller that counts ACKs gives 12000 + 1200 = 13200.",
)
def _(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (0, 1))
    b.expect(cwnd_bytes=14_400)


@add(
    "slow-start.growth.small-packets",
    "Growth counts the bytes of small packets, not packets",
    """Ten packets of 300 bytes, acknowledged in one ACK: 12000 + 10 * 300 = 15000. Counting packets of a full datagram gives 12000 +
    10 * 1200 = 24000.""",
)
def _(b: StreamBuilder) -> None:
    b.send(0, 10, 300)
    b.ack(RTT, (0, 9))
    b.expect(cwnd_bytes=15_000)


@add(
    "slow-start.growth.gaps",
    "An ACK with a gap grows by the bytes of all its ranges",
    """Packets 0, 2..3 and 6: 12000 + 4 * 1200 = 16800. Counting from the lowest to the largest acknowledged gives 12000 + 7 * 1200 =
    20400.""",
)
def _(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (0, 0), (2, 3), (6, 6))
    b.expect(cwnd_bytes=16_800)


@add(
    "slow-start.growth.doubling",
    "A fully used window doubles each round trip",
    "12000, then 24000 after all ten packets, then 48000 after the next twenty: each acknowledged byte adds one byte.",
)
def _(b: StreamBuilder) -> None:
    b.send(0, 10)
    for first in range(0, 10, 2):
        b.ack(RTT + first * MS, (first, first + 1))
        b.send(RTT + first * MS, 4)
    for first in range(10, 30, 2):
        b.ack(2 * RTT + first * MS, (first, first + 1))
    b.expect(at=b.acked(9), cwnd_bytes=24_000)
    b.expect(cwnd_bytes=48_000)


@add(
    "slow-start.growth.different-sizes",
    "One ACK of packets of different sizes adds up their bytes",
    "1200 + 500 + 77 = 1777 acknowledged: 12000 + 1777 = 13777.",
)
def _(b: StreamBuilder) -> None:
    b.send_sizes(0, [(1, 1200), (1, 500), (1, 77)])
    b.ack(RTT, (0, 2))
    b.expect(cwnd_bytes=13_777)


@add(
    "slow-start.window.initial-1200",
    "The recommended initial window for datagrams of 1200 bytes",
    "Ten datagrams are 12000 bytes, less than max(14720, 2 * 1200) = 14720: 12000.",
    initial_window_bytes=None,
)
def _(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.expect(cwnd_bytes=12_000)


@add(
    "slow-start.window.initial-1500",
    "The recommended initial window for datagrams of 1500 bytes",
    "Ten datagrams are 10 * 1500 = 15000 bytes, more than max(14720, 2 * 1500) = 14720: 14720.",
    initial_window_bytes=None,
    max_datagram_size_bytes=1500,
)
def _(b: StreamBuilder) -> None:
    b.send(0, 9)
    b.expect(cwnd_bytes=14_720)


@add(
    "slow-start.window.initial-9000",
    "The recommended initial window for datagrams of 9000 bytes",
    "Ten datagrams are 10 * 9000 = 90000 bytes, more than max(14720, 2 * 9000) = 18000: 18000.",
    initial_window_bytes=None,
    max_datagram_size_bytes=9000,
)
def _(b: StreamBuilder) -> None:
    b.send(0, 2)
    b.expect(cwnd_bytes=18_000)


@add(
    "slow-start.window.maximum",
    "Growth saturates at 2^62 - 1 bytes",
    """The window begins 1000 bytes below 2^62 - 1 = 4611686018427387903; the ACK of 1200 bytes would pass it, and the window
    stays at it. It guards against overflow, no real window comes near.""",
    initial_window_bytes=2**62 - 1001,
)
def _(b: StreamBuilder) -> None:
    b.send(0, 2)
    b.ack(RTT, (0, 0))
    b.ack(RTT + MS, (1, 1))
    b.expect(at=b.acked(0), cwnd_bytes=4611686018427387903)
    b.expect(cwnd_bytes=4611686018427387903)


@add(
    "slow-start.app-limited.no-growth",
    "An app-limited ACK does not grow the window",
    "Two packets of a window of ten: the ACK says app_limited, and the window stays 12000. Growth would give 12000 + 2 * 1200 = 14400.",
)
def _(b: StreamBuilder) -> None:
    b.send(0, 2, app_limited=True)
    b.ack(RTT, (0, 1), app_limited=True)
    b.expect(outcome="app_limited", cwnd_bytes=12_000)


@add(
    "slow-start.app-limited.growth-resumes",
    "Growth resumes with the first ACK that is not app-limited",
    "Two app-limited packets add nothing. Then ten fill the window, and the ACK of two of them gives 12000 + 2400 = 14400.",
)
def _(b: StreamBuilder) -> None:
    b.send(0, 2, app_limited=True)
    b.ack(RTT, (0, 1), app_limited=True)
    b.send(RTT, 10)
    b.ack(2 * RTT, (2, 3))
    b.expect(at=b.acked(0), cwnd_bytes=12_000)
    b.expect(cwnd_bytes=14_400)


@add(
    "slow-start.sent.no-change",
    "Sending changes no window",
    "Ten packets in five events, each with the window and the threshold as they were: 12000 and infinite.",
)
def _(b: StreamBuilder) -> None:
    for step in range(5):
        b.send(step * MS, 2)
    b.expect(outcome="sent", cwnd_bytes=12_000, ssthresh_bytes=None)


@add(
    "slow-start.pto.no-change",
    "An expired probe timer changes no window",
    "The timer expires twice before the first ACK: 12000 stays, and the ACK of two packets then gives 14400.",
)
def _(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.pto(300 * MS)
    b.pto(900 * MS)
    b.ack(1000 * MS, (0, 1))
    b.expect(at=2, outcome="unchanged", cwnd_bytes=12_000)
    b.expect(cwnd_bytes=14_400)


def _enter_recovery(b: StreamBuilder) -> None:
    """Ten packets, the first lost: the window falls from 12000 + 3600 = 15600 to 7800 at 100 ms."""
    b.send(0, 10)
    b.ack(RTT, (1, 3))
    b.lose(RTT, (0, 0))


@add(
    "slow-start.recovery.halved",
    "The first loss ends slow start with half the window",
    "12000 + 3 * 1200 = 15600; a loss makes threshold and window 15600 / 2 = 7800. A factor of 0.7 gives 15600 * 0.7 = 10920.",
)
def _(b: StreamBuilder) -> None:
    _enter_recovery(b)
    b.expect(outcome="reduced", cwnd_bytes=7800, ssthresh_bytes=7800)


@add(
    "slow-start.recovery.odd-window",
    "Half of an odd window is rounded down",
    "12000 + 77 = 12077, and 12077 / 2 = 6038.5: the threshold and the window become 6038.",
)
def _(b: StreamBuilder) -> None:
    b.send_sizes(0, [(1, 77), (9, 1200)])
    b.ack(RTT, (0, 0))
    b.lose(RTT, (1, 1))
    b.expect(cwnd_bytes=6038, ssthresh_bytes=6038)


@add(
    "slow-start.recovery.once-per-period",
    "Further losses of the same flight reduce nothing more",
    """After the reduction to 7800 at 100 ms, packets 4 and 5, sent at 0 ms, are declared lost: they were sent before recovery began,
    so the window stays 7800. A reduction per loss event gives 7800 / 2 = 3900.""",
)
def _(b: StreamBuilder) -> None:
    _enter_recovery(b)
    b.lose(RTT + MS, (4, 4))
    b.lose(RTT + 2 * MS, (5, 5))
    b.expect(outcome="already_reduced", cwnd_bytes=7800)


@add(
    "slow-start.recovery.no-growth-before",
    "Packets sent before recovery do not grow the window",
    "Packets 4..9 were sent at 0 ms, before recovery began at 100 ms: their ACKs leave 7800.",
)
def _(b: StreamBuilder) -> None:
    _enter_recovery(b)
    b.ack(RTT + MS, (4, 6))
    b.ack(RTT + 2 * MS, (7, 9))
    b.expect(outcome="in_recovery", cwnd_bytes=7800)


@add(
    "slow-start.recovery.ends-with-new-packet",
    "Recovery ends with the ACK of a packet sent during it",
    """Packet 10 is sent 5 ms after recovery began. Its ACK ends recovery and already counts in congestion avoidance:
    7800 + floor(1200 * 1200 / 7800) = 7800 + 184 = 7984.""",
)
def _(b: StreamBuilder) -> None:
    _enter_recovery(b)
    b.ack(RTT + MS, (4, 9))
    b.send(RTT + 5 * MS, 6)
    b.ack(2 * RTT + 5 * MS, (10, 10))
    b.expect(cwnd_bytes=7984, phase="congestion_avoidance")


@add(
    "slow-start.recovery.sent-at-its-start",
    "A packet sent at the very time at which recovery began counts as sent before it",
    """12000 + 8 * 1200 = 21600, halved to 10800 by the loss of packet 0 at 100 ms. Packet 10 is sent at 100 ms as well: RFC 9002 compares
    sent_time <= recovery start, so its ACK grows nothing and does not end recovery. A comparison with <, or of packet numbers, gives
    10800 + floor(1440000 / 10800) = 10933.""",
    flags=("same-time-order",),
)
def _(b: StreamBuilder) -> None:
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
    """The window is 7800 and the threshold too. Packet 10, sent 5 ms after recovery began, is lost: half of 7800 is 3900.""",
)
def _(b: StreamBuilder) -> None:
    _enter_recovery(b)
    b.ack(RTT + MS, (4, 9))
    b.send(RTT + 5 * MS, 6)
    b.lose(2 * RTT + 5 * MS, (10, 10))
    b.expect(outcome="reduced", cwnd_bytes=3900)


@add(
    "slow-start.recovery.latest-lost-decides",
    "Of the packets lost together the one sent last decides",
    """Packets 8..9 were sent before recovery began, 10 and 11 after it. One event declares 9 and 10 lost: the latest, packet 10, starts a second period, and
    the window falls from 7800 to 3900. Looking at the first gives 7800.""",
)
def _(b: StreamBuilder) -> None:
    _enter_recovery(b)
    b.ack(RTT + MS, (4, 8))
    b.send(RTT + 5 * MS, 2)
    b.lose(2 * RTT, (9, 10))
    b.expect(outcome="reduced", cwnd_bytes=3900)


@add(
    "slow-start.recovery.minimum-window",
    "The window does not fall below two datagrams, the threshold may",
    """Initial window 3600. A loss: half is 1800, below the minimum window of 2 * 1200 = 2400. The window becomes 2400, the threshold
    1800.""",
    initial_window_bytes=3600,
)
def _(b: StreamBuilder) -> None:
    b.send(0, 3)
    b.lose(RTT, (0, 0))
    b.expect(cwnd_bytes=2400, ssthresh_bytes=1800)


@add(
    "slow-start.recovery.ack-before-loss",
    "A frame that acknowledges and reveals loss: the ACK comes first",
    """Packets 1..9 are acknowledged in slow start: 12000 + 10800 = 22800. Then packet 0 is lost: 22800 / 2 = 11400. In the other order
    the result is 12000 / 2 = 6000.""",
    flags=("same-time-order",),
)
def _(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (1, 9))
    b.lose(RTT, (0, 0))
    b.expect(cwnd_bytes=11_400)


@add(
    "slow-start.recovery.loss-before-ack",
    "A frame that acknowledges and reveals loss: the loss comes first",
    """Packet 0 is lost: 12000 / 2 = 6000. Packets 1..9 were sent before recovery began: nothing more. In the other order the result is
    (12000 + 9 * 1200) / 2 = 11400.""",
    flags=("same-time-order",),
)
def _(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.lose(RTT, (0, 0))
    b.ack(RTT, (1, 9))
    b.expect(cwnd_bytes=6000)


@add(
    "slow-start.recovery.app-limited-end",
    "An app-limited ACK of a packet sent in recovery ends it without growth",
    "Packet 10 was sent during recovery. Its ACK is app-limited: recovery ends, the window stays 7800.",
)
def _(b: StreamBuilder) -> None:
    _enter_recovery(b)
    b.ack(RTT + MS, (4, 9))
    b.send(RTT + 5 * MS, 1, app_limited=True)
    b.ack(2 * RTT + 5 * MS, (10, 10), app_limited=True)
    b.expect(cwnd_bytes=7800, phase="congestion_avoidance")


@add(
    "slow-start.recovery.app-limited-old",
    "An app-limited ACK of a packet sent before recovery does not end it",
    "Packet 4 was sent at 0 ms. Its ACK is app-limited: no growth, and recovery goes on, since nothing sent during it was acknowledged.",
)
def _(b: StreamBuilder) -> None:
    _enter_recovery(b)
    b.ack(RTT + MS, (4, 4), app_limited=True)
    b.ack(RTT + 2 * MS, (5, 5))
    b.expect(at=b.acked(4), cwnd_bytes=7800, phase="recovery")
    b.expect(cwnd_bytes=7800, phase="recovery")


@add(
    "slow-start.recovery.huge-window",
    "Half of a window beyond 2^53 is exact",
    """The window is 2^55 + 7 = 36028797018963975. Half of it, 36028797018963975 / 2 = 18014398509481987.5, is rounded down:
    18014398509481987. In double precision the window is 2^55 + 8, and half of it (2^55 + 8) / 2 = 18014398509481988.""",
    initial_window_bytes=2**55 + 7,
)
def _(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.lose(RTT, (0, 0))
    b.expect(cwnd_bytes=18014398509481987)


@add(
    "slow-start.avoidance.per-packet",
    "Congestion avoidance grows for each packet by its share, rounded down",
    """At 7800: 7800 + floor(1440000 / 7800) = 7800 + 184 = 7984; the next packet of the same ACK: 7984 + floor(1440000 / 7984) = 7984 + 180 = 8164.
    Both at once would give 7800 + floor(2880000 / 7800) = 8169.""",
)
def _(b: StreamBuilder) -> None:
    _enter_recovery(b)
    b.ack(RTT + MS, (4, 9))
    b.send(RTT + 5 * MS, 6)
    b.ack(2 * RTT + 5 * MS, (10, 11))
    b.expect(cwnd_bytes=8164)


@add(
    "slow-start.avoidance.one-datagram-per-window",
    "A window of packets acknowledged adds at most one datagram",
    """A loss right at the start leaves 12000 / 2 = 6000. Five full packets, one window, are acknowledged one by one: floor(1440000 /
    6000) = 240, floor(1440000 / 6240) = 230, floor(1440000 / 6470) = 222, floor(1440000 / 6692) = 215, floor(1440000 / 6907) =
    208. The window is 6000 + 240 + 230 + 222 + 215 + 208 = 7115, less than 6000 + 1200 = 7200.""",
)
def _(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.lose(RTT, (0, 0))
    b.ack(RTT + MS, (1, 9))
    b.send(RTT + 5 * MS, 5)
    for number in range(5):
        b.ack(2 * RTT + (5 + number) * MS, (10 + number, 10 + number))
    b.expect(cwnd_bytes=7115)


@add(
    "slow-start.avoidance.share-of-nothing",
    "A share below one byte adds nothing",
    """The window is 20000000 after the loss. A packet of 1200 bytes: floor(1440000 / 20000000) = 0, one of 10 bytes likewise: the window stays, though both
    count as acknowledged in congestion avoidance.""",
    initial_window_bytes=40_000_000,
)
def _(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.lose(RTT, (0, 0))
    b.send_sizes(RTT + MS, [(1, 1200), (1, 10)])
    b.ack(2 * RTT + MS, (10, 10))
    b.ack(2 * RTT + 2 * MS, (11, 11))
    b.expect(outcome="grown_avoidance", cwnd_bytes=20_000_000)


@add(
    "slow-start.ce.reduces",
    "A CE mark acts like the loss of the largest packet that the frame acknowledges",
    "12000 + 1200 = 13200; the CE mark on packet 0 halves it to 6600. No packet was lost.",
    flags=("same-time-order",),
)
def _(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (0, 0))
    b.ce(RTT, 0, 0)
    b.expect(outcome="reduced", cwnd_bytes=6600, ssthresh_bytes=6600)


@add(
    "slow-start.ce.once-per-period",
    "CE marks on packets sent before recovery reduce nothing more",
    """After the reduction to 6600 packet 1, sent before it, carries another mark: 6600 stays. A reduction per mark gives 6600 / 2 =
    3300.""",
    flags=("same-time-order",),
)
def _(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (0, 0))
    b.ce(RTT, 0, 0)
    b.ack(RTT + MS, (1, 1))
    b.ce(RTT + MS, 1, 0)
    b.expect(outcome="already_reduced", cwnd_bytes=6600)


@add(
    "slow-start.ce.loss-in-the-same-period",
    "A loss in the period that a CE mark began reduces nothing more",
    "The CE mark halves 13200 to 6600; packet 1, sent before it, is then lost: 6600 stays.",
    flags=("same-time-order",),
)
def _(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (0, 0))
    b.ce(RTT, 0, 0)
    b.lose(RTT + MS, (1, 1))
    b.expect(outcome="already_reduced", cwnd_bytes=6600)


def _collapse(b: StreamBuilder) -> None:
    """Persistent congestion at 900 ms; then two packets bring the window from 2400 to 4800, the threshold being 6000."""
    b.send(0, 5)
    b.send(500 * MS, 5)
    b.lose(900 * MS, (0, 9))
    b.persistent_congestion(900 * MS)
    b.send(910 * MS, 2)
    b.ack(RTT + 910 * MS, (10, 11))


@add(
    "slow-start.persistent.collapse",
    "Persistent congestion sets the window to the minimum window",
    """All ten packets are lost: 12000 / 2 = 6000. Persistent congestion makes it 2 * 1200 = 2400, the threshold stays 6000, and slow start goes on below it.""",
    flags=("same-time-order",),
)
def _(b: StreamBuilder) -> None:
    b.send(0, 5)
    b.send(500 * MS, 5)
    b.lose(900 * MS, (0, 9))
    b.persistent_congestion(900 * MS)
    b.expect(outcome="collapsed", cwnd_bytes=2400, ssthresh_bytes=6000)


@add(
    "slow-start.persistent.crosses-threshold",
    "Slow start after persistent congestion lasts until the packet that reaches the threshold, which counts in full",
    """From 2400 with the threshold 6000: 2400 + 2 * 1200 = 4800. Then one ACK of four packets: the first reaches the threshold, 6000, the others grow in
    congestion avoidance by floor(1440000 / 6000) = 240, floor(1440000 / 6240) = 230 and floor(1440000 / 6470) = 222: 6692.""",
    flags=("same-time-order",),
)
def _(b: StreamBuilder) -> None:
    _collapse(b)
    b.send(RTT + 910 * MS, 4)
    b.ack(2 * RTT + 910 * MS, (12, 15))
    b.expect(at=b.acked(11), cwnd_bytes=4800, phase="slow_start")
    b.expect(cwnd_bytes=6692)


@add(
    "slow-start.persistent.overshoots-threshold",
    "The packet that crosses the threshold counts in full",
    """The window was odd, so that the threshold is no multiple of the packets: (12000 + 77) / 2 = 6038. From 2400: 3600, 4800, 6000 are below it, and
    the next packet gives 7200, not 6038, and ends slow start.""",
    flags=("same-time-order",),
)
def _(b: StreamBuilder) -> None:
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
    """Packet 9 was sent before the recovery that began at 900 ms, and would reduce nothing in it. Persistent congestion forgets that period: its loss starts
    a new one, with threshold 2400 / 2 = 1200 and the window at its minimum of 2400.""",
    flags=("same-time-order",),
)
def _(b: StreamBuilder) -> None:
    b.send(0, 5)
    b.send(500 * MS, 5)
    b.lose(900 * MS, (0, 8))
    b.persistent_congestion(900 * MS)
    b.lose(950 * MS, (9, 9))
    b.expect(outcome="reduced", cwnd_bytes=2400, ssthresh_bytes=1200)


@add(
    "slow-start.persistent.old-packet-grows",
    "After persistent congestion an old packet's ACK grows the window",
    """Packet 9 was sent before the recovery period that persistent congestion has forgotten: its ACK grows the window by its bytes, 2400 + 1200 = 3600.""",
    flags=("same-time-order",),
)
def _(b: StreamBuilder) -> None:
    b.send(0, 5)
    b.send(500 * MS, 5)
    b.lose(900 * MS, (0, 8))
    b.persistent_congestion(900 * MS)
    b.ack(950 * MS, (9, 9))
    b.expect(cwnd_bytes=3600)


@add(
    "slow-start.rtt.rising",
    "An RTT that rises by half does not end slow start",
    """RFC 9002 knows no exit by delay: while the RTT rises from 100 to 150 ms each acknowledged byte adds a byte. A stack with HyStart or the like
    leaves slow start here.""",
)
def _(b: StreamBuilder) -> None:
    b.send(0, 10)
    for packet in range(10):
        b.ack(RTT + packet * MS, (packet, packet))
        b.send(RTT + packet * MS, 2)
    for packet in range(10, 30):
        at = 2 * RTT + (packet - 10) * 3 * MS
        b.ack(at, (packet, packet))
        b.send(at, 2)
    for packet in range(30, 70):
        b.ack(3 * RTT + 50 * MS + (packet - 30) * 3 * MS, (packet, packet))
    b.expect(cwnd_bytes=96_000, phase="slow_start")

"""Hand-built stimuli of JumpStart in quicly.

`why` derives the expectation. By default packets have 1200 bytes and the initial window has ten packets,
as in quicly's unit tests.
"""

from firstflight_conformance.format.builder import MS, StreamBuilder
from firstflight_conformance.format.ledger import DataLedger
from generate.catalogue import Catalogue
from stimuli.jumpstart.flight import QUICLY, RTT

CATALOGUE = Catalogue(QUICLY, sources=("h2o/quicly, t/jumpstart.c",))
add = CATALOGUE.add
_SOURCE = ("h2o/quicly, include/quicly/cc.h, lib/cc-reno.c, lib/quicly.c, include/quicly/pacer.h",)


def _reconnaissance(b: StreamBuilder) -> None:
    """Send two packets, acknowledge them, and announce more data than fits: 12000 + 2400 = 14400, a jump to 24000."""
    b.send(0, 2)
    b.ack(RTT, (0, 1))
    b.backlog(RTT, 10**6, 10**6)


@add(
    "jumpstart.quicly.clean",
    "Published case: the whole flight arrives",
    """After the ACK of two packets the jump to 20 packets, 24000. All are sent and acknowledged at once. The window
    becomes the bytes in flight before that ACK, 24000, and slow start adds 24000: 48000. With the bytes in flight after the ACK, 0, it is 24000.""",
)
def quicly_clean(b: StreamBuilder) -> None:
    _reconnaissance(b)
    b.send(RTT, 20)
    b.expect(cwnd_bytes=24_000)
    b.ack(2 * RTT, (2, 21))
    b.expect(cwnd_bytes=48_000)


@add(
    "jumpstart.quicly.loss-before",
    "Published case: a loss before the jump",
    """The first of two packets is lost: half of 12000 is 6000. quicly does not jump after a loss, not even after
    recovery.""",
)
def quicly_loss_before(b: StreamBuilder) -> None:
    b.send(0, 2)
    b.lose(RTT, (0, 0))
    b.expect(cwnd_bytes=6000)
    b.ack(RTT, (1, 1))
    b.backlog(RTT, 10**6, 10**6)
    b.expect(outcome="jump_barred")
    b.send(RTT + MS, 1)
    b.ack(2 * RTT + MS, (2, 2), app_limited=True)
    b.backlog(2 * RTT + MS, 10**6, 10**6)
    b.expect(cwnd_bytes=6000)


@add(
    "jumpstart.quicly.quarter-lost",
    "Published case: a quarter of the flight is lost",
    """8 acknowledged, 2 lost, 7 acknowledged, 3 lost. At the first loss 8 * 1200 = 9600 bytes have arrived, less than
    the initial window: 12000 / 2 = 6000. The next 7 make 18000 bytes, and 7/10 are 12600, only for the window:
    the threshold stays 6000. Without the early 8 it is 7 * 840 = 5880.""",
)
def quicly_quarter_lost(b: StreamBuilder) -> None:
    _reconnaissance(b)
    b.send(RTT, 20)
    b.ack(2 * RTT, (2, 9))
    b.lose(2 * RTT, (10, 11))
    b.expect(cwnd_bytes=6000, ssthresh_bytes=6000)
    b.ack(2 * RTT, (12, 18))
    b.lose(2 * RTT, (19, 21))
    b.expect(cwnd_bytes=12_600, ssthresh_bytes=6000)


@add(
    "jumpstart.quicly.nearly-all-lost",
    "Published case: nearly all of the flight is lost",
    """1 acknowledged, 9 lost, 2 acknowledged, 8 lost. At the first loss the initial window is halved: 6000. Three
    packets arrived; 7/10 of 3600 is less. A jump leaves at least half the initial window.""",
)
def quicly_nearly_all_lost(b: StreamBuilder) -> None:
    _reconnaissance(b)
    b.send(RTT, 20)
    b.ack(2 * RTT, (2, 2))
    b.lose(2 * RTT, (3, 11))
    b.expect(cwnd_bytes=6000)
    b.ack(2 * RTT, (12, 13))
    b.lose(2 * RTT, (14, 21))
    b.expect(cwnd_bytes=6000)


@add(
    "jumpstart.quicly.early-ack",
    "Published case: an ACK before the flight is complete",
    """Ten of the 20 packets are in flight when two are acknowledged: the window becomes 12000, and grows to 14400. Four
    more are sent; the ACK of 8 gives 14400 + 9600 = 24000.""",
)
def quicly_early_ack(b: StreamBuilder) -> None:
    _reconnaissance(b)
    b.send(RTT, 10)
    b.ack(2 * RTT, (2, 3))
    b.send(2 * RTT, 4)
    b.expect(cwnd_bytes=14_400)
    b.ack(2 * RTT, (4, 11))
    b.expect(cwnd_bytes=24_000)


@add(
    "jumpstart.quicly.new-packet-ends-recovery",
    "Recovery ends with a new packet while older data is still missing",
    """7 packets arrive, 7 * 1200 = 8400 bytes, less than the initial window, and packets 1 to 3 are lost: 12000 / 2 =
    6000. Ten more arrive: 17 * 1200 = 20400, and 20400 * 7 / 10 = 14280. Three repairs leave. The second arrives and
    ends recovery, though the data of packets 1 and 3 is missing. The loss of the first repair reduces again: 14280 * 7 /
    10 = 9996.""",
    sources=_SOURCE,
    flags=("same-time-order",),
)
def quicly_new_packet_ends_recovery(b: StreamBuilder) -> None:
    b.data = DataLedger()
    b.backlog(0, 24_000, 10**6, RTT)
    b.send(0, 10)
    b.send(95 * MS, 10)
    b.ack(100 * MS, (0, 0), (4, 9))
    b.lose(100 * MS, (1, 3))
    b.expect(cwnd_bytes=6000, ssthresh_bytes=6000)
    b.ack(195 * MS, (10, 19))
    b.expect(cwnd_bytes=14_280, ssthresh_bytes=6000)
    b.send(195 * MS, 3, repeats=((1, 3),))
    b.ack(295 * MS, (21, 21), app_limited=True)
    b.expect(cwnd_bytes=14_280, phase="congestion_avoidance")
    b.lose(308 * MS, (20, 20))
    b.expect(cwnd_bytes=9996, ssthresh_bytes=9996)


@add(
    "jumpstart.quicly.older-loss",
    "The loss of an older packet takes the jump back, too",
    """Three packets, two acknowledged, the jump to 24000, then packet 1 is lost. Packet 1 is older than the flight,
    and its loss takes the jump back. No packet of the flight is acknowledged, so the initial window counts; half of it is 6000. The flight ends before its first packet: no byte of it counts later, and the window stays 6000.""",
    sources=_SOURCE,
)
def quicly_older_loss(b: StreamBuilder) -> None:
    b.send(0, 3)
    b.ack(RTT, (0, 0), (2, 2))
    b.backlog(RTT, 10**6, 10**6)
    b.send(RTT, 18)
    b.expect(cwnd_bytes=24_000)
    b.lose(RTT + 13 * MS, (1, 1))
    b.expect(cwnd_bytes=6000)
    b.ack(2 * RTT, (3, 20))
    b.expect(cwnd_bytes=6000)


@add(
    "jumpstart.quicly.loss-shows-first",
    "A loss of the flight before any of its ACKs",
    """Packets 4 to 5 are declared lost first: half the initial window, 6000, and the flight ends before packet 4. The
    ACK of 6 to 21 then does not acknowledge the flight, and the window does not rise. If the ACK came first, the flight would end after packet 21.""",
    sources=_SOURCE,
    flags=("same-time-order",),
)
def quicly_loss_shows_first(b: StreamBuilder) -> None:
    _reconnaissance(b)
    b.send(RTT, 20)
    b.lose(2 * RTT, (4, 5))
    b.expect(cwnd_bytes=6000)
    b.ack(2 * RTT, (2, 3), (6, 21))
    b.expect(cwnd_bytes=6000)


@add(
    "jumpstart.quicly.second-loss",
    "The second reduction is to 7/10",
    """As in the case of a quarter lost: 12600 with a threshold of 6000. A packet sent after that is acknowledged,
    app-limited, and ends recovery. The next loss reduces the window to 12600 * 7 / 10 = 8820, threshold too. Half would
    be 12600 / 2 = 6300. quicly multiplies by 0.7 in floating point. If the product is a whole number, quicly may get
    one byte less; here it gets 8820 as well.""",
    sources=_SOURCE,
)
def quicly_second_loss(b: StreamBuilder) -> None:
    _reconnaissance(b)
    b.send(RTT, 20)
    b.ack(2 * RTT, (2, 9))
    b.lose(2 * RTT, (10, 11))
    b.ack(2 * RTT, (12, 18))
    b.lose(2 * RTT, (19, 21))
    b.send(2 * RTT + MS, 2)
    b.ack(3 * RTT + MS, (22, 22), app_limited=True)
    b.expect(cwnd_bytes=12_600)
    b.lose(3 * RTT + 30 * MS, (23, 23))
    b.expect(cwnd_bytes=8820, ssthresh_bytes=8820)


@add(
    "jumpstart.quicly.late-share",
    "The share never lowers the window",
    """9 of 20 packets are acknowledged, then 1 is lost: 6000. The ACK of one more packet makes 10 * 1200 = 12000 bytes; 7/10 are 12000
    * 7 / 10 = 8400. The next ACK of two makes 12 * 1200 = 14400, 14400 * 7 / 10 = 10080. quicly's floating point gives
    the same numbers; for 9 packets it would be a byte less.""",
    sources=_SOURCE,
)
def quicly_late_share(b: StreamBuilder) -> None:
    _reconnaissance(b)
    b.send(RTT, 20)
    b.ack(2 * RTT, (2, 10))
    b.lose(2 * RTT, (11, 11))
    b.expect(cwnd_bytes=6000)
    b.ack(2 * RTT, (12, 12))
    b.expect(cwnd_bytes=8400)
    b.ack(2 * RTT + MS, (13, 14))
    b.expect(cwnd_bytes=10_080)


@add(
    "jumpstart.quicly.too-small",
    "A jump not above the current window is not made",
    "The window is 30000, the jump would be 20 * 1200 = 24000: quicly does not jump, and does not try again.",
    sources=_SOURCE,
    initial_window_bytes=30_000,
)
def quicly_too_small(b: StreamBuilder) -> None:
    b.backlog(0, 10**6, 10**6)
    b.expect(outcome="jump_too_small")
    b.backlog(RTT, 10**6, 10**6)
    b.expect(cwnd_bytes=30_000)


@add(
    "jumpstart.quicly.border",
    "The jump must exceed the window plus the bytes in flight",
    """Window 12000 and 10 packets, 12000 bytes, in flight: together 12000 + 12000 = 24000, and the jump of 20 * 1200 = 24000
    is not more than that. quicly does not jump.""",
    sources=_SOURCE,
)
def quicly_border(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.backlog(RTT, 10**6, 10**6)
    b.expect(outcome="jump_too_small", cwnd_bytes=12_000)


@add(
    "jumpstart.quicly.burst",
    "quicly's pacer: ten packets at once, then pairs",
    """24000 bytes in 100 ms: ten packets leave at once. Then a pair leaves whenever the rate has covered two packets more
    than eight. Packets 10 and 11 leave at 2 * 1200 * 100 / 24000 = 10 ms, 12 and 13 at 20 ms, and so on to 50 ms. Then no packet is due until the first ACK ends the jump.""",
    sources=_SOURCE,
    flags=("paced",),
)
def quicly_burst(b: StreamBuilder) -> None:
    b.backlog(0, 10**6, 10**6)
    b.send(0, 10)
    for pair in range(5):
        b.send((pair + 1) * 10 * MS, 1)
        b.send((pair + 1) * 10 * MS, 1)
    b.expect(next_release_ns=None)
    b.ack(RTT, (0, 0))
    b.expect(at=1, next_release_ns=1_010_000_000)
    b.expect(at=3, next_release_ns=1_020_000_000)
    b.expect(at=9, next_release_ns=1_050_000_000)


@add(
    "jumpstart.quicly.smoothed-rtt",
    "quicly spreads the flight over the smoothed RTT",
    """Samples of 100 and 180 ms: smoothed (7 * 100 + 180) / 8 = 110 ms. The eleventh packet of the flight leaves 2 *
    1200 * 110 / 24000 = 11 ms after its start; with the latest sample it would be 18 ms.""",
    sources=_SOURCE,
    flags=("paced",),
)
def quicly_smoothed_rtt(b: StreamBuilder) -> None:
    b.send(0, 2)
    b.ack(100 * MS, (0, 0))
    b.ack(180 * MS, (1, 1))
    b.backlog(180 * MS, 10**6, 10**6, 180 * MS)
    b.send(180 * MS, 10)
    b.expect(next_release_ns=1_191_000_000)


@add(
    "jumpstart.quicly.large-packets",
    "quicly counts packets of at most 1472 bytes",
    "Packets of 9000 bytes: the jump is 20 * 1472 = 29440 bytes, 4 packets; all four leave within the burst of ten.",
    sources=_SOURCE,
    max_datagram_size_bytes=9000,
    initial_window_bytes=14_720,
    flags=("paced",),
)
def quicly_large_packets(b: StreamBuilder) -> None:
    b.backlog(0, 10**6, 10**6)
    b.send(0, 3)
    b.expect(at=0, cwnd_bytes=29_440, planned_packets=4)
    b.expect(next_release_ns=1_000_000_000)


@add(
    "jumpstart.quicly.persistent-congestion",
    "Persistent congestion does not change the window",
    """All 20 packets are lost: half the initial window, 6000. quicly ignores persistent congestion; RFC 9002
    would leave 2400.""",
    sources=_SOURCE,
)
def quicly_persistent_congestion(b: StreamBuilder) -> None:
    _reconnaissance(b)
    b.send(RTT, 20)
    b.lose(1000 * MS, (2, 21))
    b.expect(cwnd_bytes=6000)
    b.persistent_congestion(1000 * MS)
    b.expect(cwnd_bytes=6000)


@add(
    "jumpstart.quicly.most-acked",
    "More than an initial window of the flight arrived",
    """Packet 17 has 1199 bytes. Packets 2 to 17 and 21 arrive, 16 * 1200 + 1199 = 20399 bytes, more than the initial
    window of 12000. Then packet 18 is lost: 20399 / 2, rounded down, is 10199. The initial window would give 12000 / 2
    = 6000. Packets 19 and 20 arrive: 20399 + 2 * 1200 = 22799 bytes; 7/10, rounded down, are 15959.""",
    sources=_SOURCE,
    flags=("same-time-order",),
)
def quicly_most_acked(b: StreamBuilder) -> None:
    _reconnaissance(b)
    b.send_sizes(RTT, [(15, 1200), (1, 1199), (4, 1200)])
    b.ack(2 * RTT, (2, 17))
    b.ack(2 * RTT + MS, (21, 21))
    b.lose(2 * RTT + MS, (18, 18))
    b.expect(cwnd_bytes=10_199, ssthresh_bytes=10_199)
    b.ack(2 * RTT + 2 * MS, (19, 20))
    b.expect(cwnd_bytes=15_959, ssthresh_bytes=10_199)


@add(
    "jumpstart.quicly.after-flight",
    "Packets after the flight do not count for it",
    """19 of 20 packets are acknowledged, 19 * 1200 = 22800 bytes, and three more packets leave. The flight ended before
    them, so the ACK of the first does not count. Then packet 21, the last of the flight, is declared lost: 22800
    / 2 = 11400. With the packet after the flight it is 24000 / 2 = 12000. The ACK of the last two packets does not count
    either: the window does not rise to 22800 * 7 / 10 = 15960.""",
    sources=_SOURCE,
    flags=("same-time-order",),
)
def quicly_after_flight(b: StreamBuilder) -> None:
    _reconnaissance(b)
    b.send(RTT, 20)
    b.ack(2 * RTT, (2, 20))
    b.send(2 * RTT, 3)
    b.ack(3 * RTT, (22, 22), app_limited=True)
    b.lose(3 * RTT, (21, 21))
    b.expect(cwnd_bytes=11_400, ssthresh_bytes=11_400)
    b.ack(3 * RTT + MS, (23, 24))
    b.expect(cwnd_bytes=11_400)


@add(
    "jumpstart.quicly.first-after-flight",
    "The first packet after the flight does not belong to it",
    """12 packets leave, and the ACK of packet 2 ends the flight before packet 14: the window is 12 * 1200 = 14400, and
    14400 + 1200 = 15600. Two more packets leave. The rest of the flight arrives, and packet 15: 15600 + 12 * 1200 =
    30000. Then packet 14 is lost: 30000 / 2 = 15000. As a packet of the flight it leaves 14400 / 2 = 7200.""",
    sources=_SOURCE,
    flags=("same-time-order",),
)
def quicly_first_after_flight(b: StreamBuilder) -> None:
    _reconnaissance(b)
    b.send(RTT, 12)
    b.ack(2 * RTT, (2, 2))
    b.expect(cwnd_bytes=15_600)
    b.send(2 * RTT, 2)
    b.ack(2 * RTT + MS, (3, 13))
    b.ack(3 * RTT, (15, 15))
    b.lose(3 * RTT + 13 * MS, (14, 14))
    b.expect(cwnd_bytes=15_000, ssthresh_bytes=15_000)

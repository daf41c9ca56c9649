"""Idle periods, for the base controllers (RFC 9002, section 7.8): window, threshold and recovery period stay."""

from functools import partial

from firstflight_conformance.format.builder import MS, S, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.cubic.avoidance import WINDOW, lose_at
from stimuli.newreno.persistent import established
from stimuli.probes import RTT

CATALOGUE = Catalogue(sources=("RFC 9002, section 7.8", "RFC 5681, section 4.1"))
add = CATALOGUE.add
#: The end of the idle period, many round trips after the last packet.
END = 5 * S


def _slow_start(b: StreamBuilder) -> None:
    """Let the window grow, and fill it after the idle period."""
    b.send(0, 10)
    b.ack(RTT, (0, 9))
    b.idle_restart(END)
    b.expect(outcome="unchanged", cwnd_bytes=24_000, ssthresh_bytes=None, phase="slow_start")
    b.send(END + MS, 20)
    b.ack(END + MS + RTT, (10, 29))
    b.expect(outcome="grown", cwnd_bytes=48_000)


def _below_threshold(b: StreamBuilder, threshold_bytes: int, grown_bytes: int) -> None:
    """Start again after persistent congestion, and grow past the threshold."""
    end_ns = established(b) + 5 * S
    b.idle_restart(end_ns)
    b.expect(outcome="unchanged", cwnd_bytes=2400, ssthresh_bytes=threshold_bytes, phase="slow_start")
    b.send(end_ns + MS, 2)
    b.ack(end_ns + MS + RTT, (5, 6))
    b.expect(outcome="grown", cwnd_bytes=4800)
    b.send(end_ns + MS + RTT, 4)
    b.ack(end_ns + MS + 2 * RTT, (7, 10))
    b.expect(outcome="grown_avoidance", cwnd_bytes=grown_bytes)


def _recovery(b: StreamBuilder, reduced_bytes: int, grown_bytes: int) -> None:
    """Start again in recovery, 3010 ms after the last packet, with two older packets in flight."""
    b.send(0, 10)
    b.lose(S, (0, 0))
    b.ack(S, (1, 7))
    b.idle_restart(3010 * MS)
    b.expect(outcome="unchanged", cwnd_bytes=reduced_bytes, ssthresh_bytes=reduced_bytes, phase="recovery")
    b.send(3011 * MS, reduced_bytes // 1200 - 2)
    b.ack(3020 * MS, (8, 9))
    b.expect(outcome="in_recovery", cwnd_bytes=reduced_bytes, phase="recovery")
    b.send(3021 * MS, 2)
    b.ack(4011 * MS, (10, 10))
    b.expect(outcome="grown_avoidance", cwnd_bytes=grown_bytes, phase="congestion_avoidance")


def _loss(b: StreamBuilder, reduced_bytes: int) -> None:
    """Let the window grow, fill it after the idle period, and lose the first packet."""
    b.send(0, 10)
    b.ack(RTT, (0, 9))
    b.idle_restart(END)
    b.expect(outcome="unchanged", cwnd_bytes=24_000)
    b.send(END + MS, 20)
    b.lose(END + MS + RTT, (10, 10))
    b.expect(outcome="reduced", cwnd_bytes=reduced_bytes, ssthresh_bytes=reduced_bytes)
    b.ack(END + MS + RTT, (11, 13))
    b.expect(outcome="in_recovery", cwnd_bytes=reduced_bytes)


def _small_window(b: StreamBuilder, kept_bytes: tuple[int, ...], first: int) -> None:
    """Start again in recovery with flights of 1, 2 and 4 packets; ``first``: packets of the last flight's first ACK."""
    b.send(0, 10)
    b.lose(RTT, (0, 0))
    b.ack(RTT, (1, 9))
    b.idle_restart(END)
    b.expect(outcome="unchanged", cwnd_bytes=kept_bytes[0], ssthresh_bytes=kept_bytes[0])
    now_ns, packet = END + MS, 10
    for packets, window_bytes in zip((1, 2), kept_bytes[1:3], strict=True):
        b.send(now_ns, packets)
        now_ns += 10 * MS
        b.ack(now_ns, (packet, packet + packets - 1))
        b.expect(cwnd_bytes=window_bytes)
        packet += packets
    b.send(now_ns, 4)
    b.ack(now_ns + 10 * MS, (13, 12 + first))
    b.expect(cwnd_bytes=kept_bytes[3])
    b.ack(now_ns + 11 * MS, (13 + first, 16))
    b.expect(cwnd_bytes=kept_bytes[4])


def _restart(b: StreamBuilder, grown_bytes: tuple[int, int]) -> None:
    """Start again in recovery at 12600 bytes with ten packets, and acknowledge one packet, then two."""
    packet = b.ledger.next_packet
    b.idle_restart(END)
    b.expect(outcome="unchanged", cwnd_bytes=12_600, ssthresh_bytes=12_600, phase="recovery")
    b.send(END + MS, 10)
    b.ack(END + MS + RTT, (packet, packet))
    b.expect(cwnd_bytes=grown_bytes[0])
    b.send(END + 2 * MS + RTT, 1)
    b.ack(END + 2 * MS + RTT, (packet + 1, packet + 2))
    b.expect(cwnd_bytes=grown_bytes[1])


#: For each base: the profile, and the windows after a loss at 12000 and at 24000 bytes with their arithmetic.
#: Then the growth after the first loss, and the window at the end of the stream below the threshold.
_BASES = {
    "slow-start": (
        "rfc-9002", 6000, "12000 / 2 = 6000", 12_000, "24000 / 2 = 12000", 6240, "6000 + floor(1200 * 1200 / 6000) = 6240",
        6692, """Four more packets grow it in slow start to 4800 + 1200 = 6000, and in congestion avoidance by floor(1440000 / 6000) = 240,
        floor(1440000 / 6240) = 230 and floor(1440000 / 6470) = 222: 6000 + 240 + 230 + 222 = 6692.""",
    ),
    "cubic": (
        "rfc-9438", 8400, "12000 * 7/10 = 8400", 16_800, "24000 * 7/10 = 16800", 8490,
        "W_est = 8400 + (9/17) * 1200 * 1200 / 8400 = 8490.76, 8490 in whole bytes",
        8490, """Three of four more grow it in slow start to 4800 + 3 * 1200 = 8400, and the last one makes it W_est = 8400 + (9/17) * 1200 *
        1200 / 8400 = 8490.76, 8490 in whole bytes.""",
    ),
}  # fmt: skip
for _algorithm, (_profile, _reduced, _left, _after, _left_after, _grown, _growth, _end, _to_end) in _BASES.items():
    add(
        f"{_algorithm}.idle.slow-start",
        "An idle period in slow start does not change the window",
        """Ten packets are acknowledged: 12000 + 10 * 1200 = 24000. Almost five seconds later the sender starts again, and the window
        is still 24000. Twenty packets fill it, and their ACK makes it 24000 + 20 * 1200 = 48000. With the restart window of TCP the sender has
        min(12000, 24000) = 12000 after the idle period, which conforms.""",
        profiles=(_profile,),
    )(_slow_start)
    add(
        f"{_algorithm}.idle.below-threshold",
        "An idle period below the threshold does not change window and threshold",
        f"""As in {_algorithm}.persistent.established-by-losses: the loss leaves the threshold {_left}, and persistent congestion the minimum
        window 2 * 1200 = 2400. Both are the same after the idle period. Two packets of slow start make the window 2400 + 2 * 1200 = 4800.
        {_to_end} A sender that forgets the threshold ends with 4800 + 4 * 1200 = 9600. A sender that restores the initial window has 12000,
        which is more than before the idle period.""",
        profiles=(_profile,),
        flags=("same-time-order",),
    )(partial(_below_threshold, threshold_bytes=_reduced, grown_bytes=_end))
    add(
        f"{_algorithm}.idle.recovery",
        "An idle period does not end recovery",
        f"""A loss at 1 s leaves {_left}. Packets 8 and 9 are still in flight at the end of the idle period. Their numbers are above the largest
        acknowledged number, so they are not lost. The probe timeout of 1 s + 4 * 0.5 s + 25 ms = 3025 ms since the last packet is not over. Their
        ACK does not grow the window, since they were sent before recovery. The ACK of packet 10, sent in recovery, ends recovery, and congestion
        avoidance begins: {_growth}. A sender that ends recovery with the idle period and forgets its beginning has {_growth.split(",")[0]} at the
        ACK of packet 8 already.""",
        profiles=(_profile,),
    )(partial(_recovery, reduced_bytes=_reduced, grown_bytes=_grown))
    add(
        f"{_algorithm}.idle.loss",
        "A loss after an idle period reduces the window from before the idle period",
        f"""Ten packets are acknowledged: 12000 + 10 * 1200 = 24000. After the idle period 24000 / 1200 = 20 packets fill the window, and an ACK of
        packets 11 to 13 reveals that packet 10 is lost: {_left_after}. Window and bytes in flight are equal, so the reduction of RFC 7661 is
        the same.""",
        profiles=(_profile,),
    )(partial(_loss, reduced_bytes=_after))


_SMALL = """Flights of one, two and four packets fit a sender that lowers its window to one datagram or more: it has 1200, 1200 + 1200 = 2400
and 2400 + 2 * 1200 = 4800, and with the last flight it passes the threshold."""


@add(
    "slow-start.idle.small-window",
    "A window that is lowered after an idle period grows up to the threshold",
    f"""A loss leaves 12000 / 2 = 6000, and the idle period does not change it. Seven packets of congestion avoidance add floor(1440000 / 6000) = 240,
    floor(1440000 / 6240) = 230, floor(1440000 / 6470) = 222, floor(1440000 / 6692) = 215, floor(1440000 / 6907) = 208, floor(1440000 / 7115) = 202
    and floor(1440000 / 7317) = 196: 6000 + 240 = 6240, 6240 + 230 + 222 = 6692, 6692 + 215 = 6907 and 6907 + 208 + 202 + 196 = 7513.
    {_SMALL} Its first packet makes 4800 + 1200 = 6000, and the others 6000 + 240 + 230 + 222 = 6692. Without the threshold
    they make 6000 + 3 * 1200 = 9600.""",
    profiles=("rfc-9002",),
)
def small_window(b: StreamBuilder) -> None:
    """Start again below a threshold of 6000 bytes."""
    _small_window(b, (6000, 6240, 6692, 6907, 7513), first=1)


@add(
    "cubic.idle.small-window",
    "A window that is lowered after an idle period grows up to the threshold",
    f"""A loss leaves 12000 * 7/10 = 8400, and the idle period does not change it. The first packet begins a stage, and W_est grows to 8400 + (9/17) * 1200 * 1200 / 8400
    = 8490.76, then to 8490.76 + (9/17) * 1200 * 2400 / 8490 = 8670.35, 8670.35 + (9/17) * 1200 * 3600 / 8670 = 8934.14 and 8934.14 + (9/17) * 1200 *
    1200 / 8934 = 9019.47. W_cubic(21 ms) is less than each estimate from the second on, by the cube of the time to K = 1.957 s: 12000 - 480 * 1.936^3 = 8517. {_SMALL} Three
    packets of the last flight make 4800 + 3 * 1200 = 8400, and the fourth begins a stage there: 8490. Without the threshold it makes 8400 + 1200 = 9600.""",
    profiles=("rfc-9438",),
)
def small_window_of_cubic(b: StreamBuilder) -> None:
    """Start again below a threshold of 8400 bytes."""
    _small_window(b, (8400, 8490, 8670, 8934, 9019), first=3)


_RESTART = """A sender that lowers its window to the initial window of 12000 conforms: its first packet makes 12000 + 1200 = 13200, which is above the
threshold."""


@add(
    "slow-start.idle.restart-window",
    "A window that is lowered to the restart window does not grow past the threshold",
    f"""Eleven packets make the window 12000 + 11 * 1200 = 25200, and a loss leaves 25200 / 2 = 12600. The idle period does not change it. Three packets of
    congestion avoidance add floor(1440000 / 12600) = 114, floor(1440000 / 12714) = 113 and floor(1440000 / 12827) = 112: 12600 + 114 = 12714
    and 12714 + 113 + 112 = 12939. {_RESTART} Two more packets add floor(1440000 / 13200) = 109 and floor(1440000 / 13309) = 108: 13200 + 109 + 108
    = 13417. Without the threshold they make 13200 + 2 * 1200 = 15600.""",
    profiles=("rfc-9002",),
)
def restart_window(b: StreamBuilder) -> None:
    """Grow to 25200 bytes, lose a packet, and start again."""
    b.send(0, 10)
    b.ack(RTT, (0, 9))
    b.send(RTT, 20)
    b.ack(2 * RTT, (10, 10))
    b.lose(2 * RTT + MS, (11, 11))
    b.ack(2 * RTT + MS, (12, 29))
    _restart(b, (12_714, 12_939))


@add(
    "cubic.idle.restart-window",
    "A window that is lowered to the restart window does not grow past the threshold",
    f"""Five packets make the window 12000 + 5 * 1200 = 18000, and a loss leaves 18000 * 7/10 = 12600. The idle period does not change it. The first
    packet begins a stage. W_est is 12600 + (9/17) * 1200 * 1200 / 12600 = 12660.5, and then 12660.5 + (9/17) * 1200 * 2400 / 12660 = 12780.93; 1 ms of the
    stage makes W_cubic at most 18000 - 480 * 2.24^3 = 12605. {_RESTART} Two more packets begin the stage there, with W_est = 13200 + (9/17) * 1200 * 2400
    / 13200 = 13315.5. Without the threshold they make 13200 + 2 * 1200 = 15600.""",
    profiles=("rfc-9438",),
)
def restart_window_of_cubic(b: StreamBuilder) -> None:
    """Grow to 18000 bytes, lose a packet, and start again."""
    b.send(0, 10)
    b.ack(RTT, (0, 4))
    b.send(RTT, 10)
    b.lose(2 * RTT, (5, 5))
    b.ack(2 * RTT, (6, 19))
    _restart(b, (12_660, 12_780))


@add(
    "slow-start.idle.avoidance",
    "An idle period in congestion avoidance does not change window and threshold",
    """12000 falls to 6000. Five packets fill that window. The first adds floor(1200 * 1200 / 6000) = 240: 6000 + 240 = 6240. The second adds
    floor(1440000 / 6240) = 230: 6240 + 230 = 6470. The third adds floor(1440000 / 6470) = 222: 6470 + 222 = 6692. The fourth adds
    floor(1440000 / 6692) = 215: 6692 + 215 = 6907. The fifth adds floor(1440000 / 6907) = 208: 6907 + 208 = 7115. After the idle period the window is still
    7115, and the next packet adds floor(1440000 / 7115) = 202: 7115 + 202 = 7317. The initial window is 12000: a sender that
    restores it raises the window. A sender without a threshold grows as in slow start: 7115 + 1200 = 8315.""",
    profiles=("rfc-9002",),
)
def avoidance(b: StreamBuilder) -> None:
    """Lose a packet, leave recovery, and start again after an idle period in congestion avoidance."""
    b.send(0, 10)
    b.lose(RTT, (0, 0))
    b.ack(RTT, (1, 9))
    b.send(RTT + MS, 5)
    b.ack(2 * RTT + MS, (10, 14))
    b.expect(cwnd_bytes=7115)
    b.idle_restart(END)
    b.expect(outcome="unchanged", cwnd_bytes=7115, ssthresh_bytes=6000, phase="congestion_avoidance")
    b.send(END + MS, 5)
    b.ack(END + MS + RTT, (15, 15))
    b.expect(outcome="grown_avoidance", cwnd_bytes=7317)


@add(
    "cubic.idle.concave",
    "An idle period in the concave region does not count and does not begin another stage",
    """36000 * 7/10 = 25200, with K = 3 s. Packets 36 to 60 fill the window; their ACK at 2001 ms begins the stage, t = 0, and empties the
    flight: W_est = 25200 + (9/17) * 1000 * 25000 / 25200 = 25725.21. The idle period ends at 6001 ms, and 25 packets are sent then. At the first ACK, a
    second later, t = 1 s, and W_cubic(2 s) = 36000 - 400 * 1^3 = 35600 is the target: 25725.21 + (35600 - 25725) * 1000 / 25725 = 26109.07. If
    the idle period counts, t is 5 s. The target is limited to 1.5 windows, the ACK adds 12862 * 1000 / 25725 = 499.98, and the window
    is 25725.21 + 499.98 = 26225.19. In another stage t is 0, and the window is W_est = 25725.21 + (9/17) * 1000 * 1000 / 25725 =
    25745.79.""",
    profiles=("rfc-9438",),
    sources=("RFC 9438, sections 4.2 and 5.8",),
    **WINDOW,
)
def concave(b: StreamBuilder) -> None:
    """Begin a stage with one ACK, and start again after an idle period of four seconds."""
    lose_at(b, S)
    b.send(S + MS, 25)
    b.ack(2 * S + MS, (36, 60))
    b.idle_restart(6 * S + MS)
    b.expect(outcome="unchanged", cwnd_bytes=25_725, ssthresh_bytes=25_200)
    b.send(6 * S + MS, 25)
    b.ack(7 * S + MS, (61, 61))
    b.expect(outcome="grown_avoidance", cwnd_bytes=26_109)

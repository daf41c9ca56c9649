"""Idle periods, for the base controllers (RFC 9002, section 7.8): window, threshold and recovery period stay."""

from functools import partial

from firstflight_conformance.format.builder import MS, S, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.cubic.avoidance import WINDOW, lose_at
from stimuli.probes import RTT

CATALOGUE = Catalogue(sources=("RFC 9002, section 7.8", "RFC 5681, section 4.1"))
add = CATALOGUE.add
#: The end of the idle period, many round trips after the last packet.
END = 5 * S


def _slow_start(b: StreamBuilder) -> None:
    """Let the window grow, and start again with as much as it allows."""
    b.send(0, 10)
    b.ack(RTT, (0, 9))
    b.idle_restart(END)
    b.expect(outcome="unchanged", cwnd_bytes=24_000, ssthresh_bytes=None, phase="slow_start")
    b.send(END + MS, 20)
    b.ack(END + MS + RTT, (10, 29))
    b.expect(outcome="grown", cwnd_bytes=48_000)


def _below_threshold(b: StreamBuilder, threshold_bytes: int) -> None:
    """Start again after persistent congestion."""
    b.send(0, 5)
    b.send(500 * MS, 5)
    b.lose(900 * MS, (0, 9))
    b.persistent_congestion(900 * MS)
    b.idle_restart(END)
    b.expect(outcome="unchanged", cwnd_bytes=2400, ssthresh_bytes=threshold_bytes, phase="slow_start")
    b.send(END + MS, 2)
    b.ack(END + MS + RTT, (10, 11))
    b.expect(outcome="grown", cwnd_bytes=4800)


def _recovery(b: StreamBuilder, reduced_bytes: int, grown_bytes: int) -> None:
    """Start again in recovery, and acknowledge a packet that is sent after the idle period."""
    b.send(0, 10)
    b.lose(RTT, (0, 0))
    b.ack(RTT, (1, 9))
    b.idle_restart(END)
    b.expect(outcome="unchanged", cwnd_bytes=reduced_bytes, ssthresh_bytes=reduced_bytes, phase="recovery")
    b.send(END + MS, reduced_bytes // 1200)
    b.ack(END + MS + RTT, (10, 10))
    b.expect(outcome="grown_avoidance", cwnd_bytes=grown_bytes, phase="congestion_avoidance")


def _loss(b: StreamBuilder, reduced_bytes: int) -> None:
    """Let the window grow, and lose a packet that is sent after the idle period."""
    b.send(0, 10)
    b.ack(RTT, (0, 9))
    b.idle_restart(END)
    b.expect(outcome="unchanged", cwnd_bytes=24_000)
    b.send(END + MS, 10)
    b.lose(END + MS + RTT, (10, 10))
    b.expect(outcome="reduced", cwnd_bytes=reduced_bytes, ssthresh_bytes=reduced_bytes)


#: For each base: the profile, the windows after a loss at 12000 and at 24000 bytes with their arithmetic, and the growth after the former.
_BASES = {
    "slow-start": (
        "rfc-9002", 6000, "12000 / 2 = 6000", 12_000, "24000 / 2 = 12000", 6240, "6000 + floor(1200 * 1200 / 6000) = 6240",
    ),
    "cubic": (
        "rfc-9438", 8400, "12000 * 7/10 = 8400", 16_800, "24000 * 7/10 = 16800", 8490,
        "W_est = 8400 + (9/17) * 1200 * 1200 / 8400 = 8490.76, 8490 in whole bytes",
    ),
}  # fmt: skip
for _algorithm, (_profile, _reduced, _left, _after, _left_after, _grown, _growth) in _BASES.items():
    add(
        f"{_algorithm}.idle.slow-start",
        "An idle period in slow start leaves the window as it is",
        """Ten packets are acknowledged: 12000 + 10 * 1200 = 24000. Almost five seconds later the sender starts again, and the window
        is still 24000. Twenty packets fill it, and their ACK makes it 24000 + 20 * 1200 = 48000. With the restart window of TCP the sender has
        min(12000, 24000) = 12000 after the idle period, which conforms.""",
        profiles=(_profile,),
    )(_slow_start)
    add(
        f"{_algorithm}.idle.below-threshold",
        "An idle period below the threshold leaves window and threshold as they are",
        f"""A loss leaves the threshold {_left}, and persistent congestion the minimum window 2 * 1200 = 2400. Both are the same after
        the idle period. Two packets of slow start make the window 2400 + 2 * 1200 = 4800. A sender that begins with the
        initial window again has 12000: it raises a window that nobody has used.""",
        profiles=(_profile,),
        flags=("same-time-order",),
    )(partial(_below_threshold, threshold_bytes=_reduced))
    add(
        f"{_algorithm}.idle.recovery",
        "An idle period does not end recovery",
        f"""A loss leaves {_left}, and all other packets are acknowledged. The sender is still in recovery after the idle period, since no
        packet sent in recovery has been acknowledged. The ACK of the first packet after it ends recovery, in congestion avoidance: {_growth}.
        A sender that forgets the threshold has {_reduced} + 1200 = {_reduced + 1200}.""",
        profiles=(_profile,),
    )(partial(_recovery, reduced_bytes=_reduced, grown_bytes=_grown))
    add(
        f"{_algorithm}.idle.loss",
        "A loss after an idle period reduces the window of before",
        f"""Ten packets are acknowledged: 12000 + 10 * 1200 = 24000. After the idle period the first of ten packets is lost:
        {_left_after}. With the restart window of TCP, which conforms, {_left}.""",
        profiles=(_profile,),
    )(partial(_loss, reduced_bytes=_after))


@add(
    "slow-start.idle.avoidance",
    "An idle period in congestion avoidance leaves window and threshold as they are",
    """12000 falls to 6000. Five packets fill that window. The first adds floor(1200 * 1200 / 6000) = 240: 6000 + 240 = 6240. The second adds
    floor(1440000 / 6240) = 230: 6240 + 230 = 6470. The third adds floor(1440000 / 6470) = 222: 6470 + 222 = 6692. The fourth adds
    floor(1440000 / 6692) = 215: 6692 + 215 = 6907. The fifth adds floor(1440000 / 6907) = 208: 6907 + 208 = 7115. After the idle period the window is still
    7115, and the next packet adds floor(1440000 / 7115) = 202: 7115 + 202 = 7317. The initial window is 12000: a sender that
    begins with it again raises the window. One without a threshold grows as in slow start: 7115 + 1200 = 8315.""",
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
    "An idle period in the concave region does not count, and begins no other stage",
    """As in cubic.limited.idle: 25200 + (9/17) * 1000 * 1000 / 25200 = 25221 at t = 0, which is 2001 ms, and nothing is in flight. The idle period
    ends at 6001 ms, and a packet is sent then. Its ACK a second later finds t = 1 s, and the window grows from 25221 to
    25632. If the idle period counts t is 5 s, growth that of half a window, 12610 * 1000 / 25221 = 499.98, and the window
    25221 + 499.98 = 25720.98. In another stage t is 0, and the window W_est = 25221 + (9/17) * 1000 * 1000 / 25221 =
    25241.99.""",
    profiles=("rfc-9438",),
    sources=("RFC 9438, sections 4.2 and 5.8",),
    **WINDOW,
)
def concave(b: StreamBuilder) -> None:
    """Begin a stage with one ACK, and start again after an idle period of four seconds."""
    lose_at(b, S)
    b.send(S + MS, 1)
    b.ack(2 * S + MS, (36, 36))
    b.idle_restart(6 * S + MS)
    b.expect(outcome="unchanged", cwnd_bytes=25_221, ssthresh_bytes=25_200)
    b.send(6 * S + MS, 1)
    b.ack(7 * S + MS, (37, 37))
    b.expect(outcome="grown_avoidance", cwnd_bytes=25_632)

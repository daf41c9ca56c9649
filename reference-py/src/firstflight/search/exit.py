"""The exit from slow start (``spec/search/rules.md``, section Exit). Functions change the state and the base in place.

Mirrors ``reference-c/firstflight/search/exit.c``.
"""

from firstflight.events import Ack
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.newreno.newreno import BaseState, minimum_window_bytes
from firstflight.observables import Outcome
from firstflight.search.bins import BIN_TICKS_PER_RTT, TICKS_PER_UNIT, Search, forget
from firstflight.search.profiles import (
    DrainUnit,
    ExitGrowth,
    Lower,
    MissingRtt,
    Readings,
    Rollback,
    WindowFloor,
    Windows,
)
from firstflight.search.windows import delivered_bytes, scale_bits, shift_bins

#: Two initial RTTs in bins, 40/7, by the reading ``rollback``.
_ROLLBACK_BINS = {Rollback.NONE: 0, Rollback.FLOOR: 5, Rollback.NEAREST: 6}
ROLLBACK_RING_BINS = 25
#: Minimum target of the drain, in datagrams.
DRAIN_MINIMUM_PACKETS = 10
#: Acknowledged packets per packet that the drain releases.
DRAIN_PACKETS = 3


def as_shifted(readings: Readings, state: Search, start_bytes: int, end_bytes: int) -> int:
    """Return ``end_bytes`` minus ``start_bytes``, two totals of delivered bytes, as 16-bit counters give it.

    Both totals are shifted right by :func:`scale_bits` and subtracted. The difference is shifted left by as many bits.
    For profiles with exact counters, the shift is 0 bits.
    """
    scale = scale_bits(readings, state)
    return (end_bytes >> scale) - (start_bytes >> scale) << scale  # [search.windows.shifted-back]


def overshoot_bytes(readings: Readings, state: Search) -> int:
    """Return the overshoot: the bytes delivered in the last two RTTs."""
    if readings.rollback is Rollback.CURRENT_RTT:
        bins = 2 * shift_bins(readings, state)[0]
        if bins > state.curr:
            return 0  # [search.exit.overshoot-none]
        bins %= ROLLBACK_RING_BINS  # [search.exit.overshoot-current]
    else:
        bins = _ROLLBACK_BINS[readings.rollback]  # [search.exit.overshoot]
    if readings.windows is Windows.LIVE:
        bins -= 1
    return as_shifted(readings, state, delivered_bytes(readings, state, bins), state.delivered.counter_bytes)


def lowered_bytes(readings: Readings, state: Search, base: BaseState) -> int:
    """Return the window minus the overshoot, the bytes delivered in the last two RTTs (:func:`overshoot_bytes`).

    The lower limit is 0 with ``window_floor`` = ``zero``, otherwise the minimum window. With ``unchanged``, an
    overshoot of at least the window counts as 0.
    """
    overshoot = overshoot_bytes(readings, state)
    if readings.window_floor is WindowFloor.ZERO:
        return max(base.cwnd_bytes - overshoot, 0)  # [search.exit.floor-zero]
    if readings.window_floor is WindowFloor.UNCHANGED and overshoot >= base.cwnd_bytes:
        overshoot = 0  # [search.exit.floor-unchanged]
    return max(base.cwnd_bytes - overshoot, minimum_window_bytes(base))  # [search.exit.floor]


def leave(readings: Readings, state: Search, base: BaseState, ack: Ack) -> None:
    """Leave slow start on ``ack``, for profiles without a drain (a gradual decrease of the window before the exit).

    With ``exit_growth`` = ``slow_start`` the ACK first grows the window. With ``lower`` = ``nothing``, ssthresh becomes
    the window. With ``threshold_only``, ssthresh becomes the window minus the overshoot, the bytes delivered in the
    last two RTTs. With ``window_and_threshold``, ssthresh and the window become this value.
    """
    if readings.exit_growth is ExitGrowth.SLOW_START:
        base.cwnd_bytes = min(base.cwnd_bytes + ack.bytes, WINDOW_MAX_BYTES)  # [search.exit.growth-first]
    match readings.lower:
        case Lower.NOTHING:
            base.ssthresh_bytes = base.cwnd_bytes  # [search.exit.lower-nothing]
        case Lower.THRESHOLD_ONLY:
            base.ssthresh_bytes = lowered_bytes(readings, state, base)  # [search.exit.lower-threshold]
        case _:
            base.ssthresh_bytes = base.cwnd_bytes = lowered_bytes(readings, state, base)  # [search.exit.lower]


def drain_bins(state: Search) -> int:
    """Return the number of bins in one initial RTT, rounded up.

    The initial RTT is bin duration / 0.35, rounded down to whole units of the profile's clock.
    """
    rtt_ticks = TICKS_PER_UNIT * (state.bin_ticks // BIN_TICKS_PER_RTT)
    return -(-rtt_ticks // state.bin_ticks)  # [search.drain.bins]


def begin_drain(readings: Readings, state: Search, base: BaseState) -> None:
    """Begin to drain the flight to ``target_bytes``: the bytes delivered in one initial RTT, at least 10 datagrams."""
    start_bytes = delivered_bytes(readings, state, drain_bins(state))
    end_bytes = delivered_bytes(readings, state, 0)
    target_bytes = as_shifted(readings, state, start_bytes, end_bytes)
    if readings.drain_unit is DrainUnit.WHOLE_PACKETS:
        target_bytes -= target_bytes % base.max_datagram_size_bytes  # [search.drain.whole-packets]
    least_bytes = DRAIN_MINIMUM_PACKETS * base.max_datagram_size_bytes
    state.target_bytes = max(target_bytes, least_bytes)  # [search.drain.target]
    state.drain_acked = 0


def drained(readings: Readings, ack: Ack) -> int:
    """Return the bytes that an ACK acknowledges if ``drain_unit`` is ``bytes``, otherwise the number of packets."""
    return ack.bytes if readings.drain_unit is DrainUnit.BYTES else sum(run.count for run in ack.packets)


def drained_per_packet(readings: Readings, base: BaseState) -> int:
    """Return the amount that must be acknowledged before the drain releases one packet.

    It is the bytes of three datagrams if ``drain_unit`` is ``bytes``, otherwise 3, a number of packets.
    """
    if readings.drain_unit is DrainUnit.BYTES:
        return DRAIN_PACKETS * base.max_datagram_size_bytes  # [search.drain.bytes]
    return DRAIN_PACKETS


def drain(readings: Readings, state: Search, base: BaseState, ack: Ack) -> Outcome:
    """Process an ACK while draining: release one packet per three acknowledged, until the window is at the target.

    The window becomes the bytes in flight plus the packets that this ACK releases. If this sum is at most
    ``target_bytes``, the window and ssthresh become ``target_bytes``, and slow start ends (DRAINED).
    """
    assert state.target_bytes is not None
    state.delivered.count(ack.bytes)
    state.drain_acked += drained(readings, ack)
    if ack.latest_rtt_ns is None and readings.missing_rtt is MissingRtt.SKIP:
        return Outcome.NO_RTT_SAMPLE  # [search.drain.no-sample]
    leaving, state.drain_acked = divmod(state.drain_acked, drained_per_packet(readings, base))
    cwnd_bytes = ack.bytes_in_flight + leaving * base.max_datagram_size_bytes
    if cwnd_bytes > state.target_bytes:
        base.cwnd_bytes = min(cwnd_bytes, WINDOW_MAX_BYTES)  # [search.drain.step]
        return Outcome.DRAINING
    base.cwnd_bytes = base.ssthresh_bytes = state.target_bytes  # [search.drain.end]
    forget(state)
    return Outcome.DRAINED

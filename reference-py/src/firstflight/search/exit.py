"""How SEARCH leaves slow start (``spec/search.md``, section Exit)."""

from dataclasses import dataclass, replace

from firstflight.events import Ack
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.observables import Outcome
from firstflight.search.bins import Search, Series
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
from firstflight.search.windows import Evaluation, counter_bytes, scale_bits, shift_bins

#: Two initial RTTs in bins, 40/7, by the reading ``rollback``.
_ROLLBACK_BINS = {Rollback.NONE: 0, Rollback.FLOOR: 5, Rollback.NEAREST: 6}
ROLLBACK_RING_BINS = 25
#: One initial RTT in bins, 20/7, rounded up: what the drain leaves in flight was delivered in so many bins.
DRAIN_BINS = 3
#: The drain leaves at least so many datagrams.
DRAIN_MINIMUM_PACKETS = 10
#: While draining one packet leaves for so many acknowledged.
DRAIN_PACKETS = 3


@dataclass(frozen=True, slots=True)
class Base:
    """What SEARCH needs to know of the base controller, in bytes."""

    cwnd_bytes: int
    minimum_window_bytes: int
    max_datagram_size_bytes: int


@dataclass(frozen=True, slots=True)
class Exit:
    """New windows, and how the same ACK may still grow them. ``ssthresh_bytes`` is ``None`` where it stays infinite."""

    cwnd_bytes: int
    ssthresh_bytes: int | None
    growth: ExitGrowth


@dataclass(frozen=True, slots=True)
class Decision:
    """What SEARCH decided on an ACK. ``exit`` is set exactly when windows change."""

    evaluation: Evaluation
    exit: Exit | None = None


def leave(readings: Readings, state: Search, ack: Ack, base: Base) -> Exit:
    """Return the windows after the exit that ``ack`` brought about, unless the flight is drained instead."""
    cwnd_bytes = base.cwnd_bytes
    if readings.exit_growth is ExitGrowth.SLOW_START:
        cwnd_bytes = min(cwnd_bytes + ack.bytes, WINDOW_MAX_BYTES)  # [search.exit.growth-first]
    if readings.lower is Lower.NOTHING:
        return Exit(cwnd_bytes, cwnd_bytes, readings.exit_growth)  # [search.exit.lower-nothing]
    lowered_bytes = _lowered_bytes(readings, cwnd_bytes, _overshoot_bytes(readings, state), base)
    if readings.lower is Lower.THRESHOLD_ONLY:
        return Exit(cwnd_bytes, lowered_bytes, readings.exit_growth)  # [search.exit.lower-threshold]
    return Exit(lowered_bytes, lowered_bytes, readings.exit_growth)  # [search.exit.lower]


def _overshoot_bytes(readings: Readings, state: Search) -> int:
    if readings.rollback is Rollback.CURRENT_RTT:
        bins = 2 * shift_bins(readings, state)[0]
        if bins > state.curr:
            return 0  # [search.exit.overshoot-none]
        bins %= ROLLBACK_RING_BINS  # [search.exit.overshoot-current]
    else:
        bins = _ROLLBACK_BINS[readings.rollback]  # [search.exit.overshoot]
    first = state.curr - bins + (1 if readings.windows is Windows.LIVE else 0)
    start_bytes = counter_bytes(state.delivered, state.curr, max(first, 0))
    return _as_shifted(readings, state, start_bytes, state.delivered.counter_bytes)


def _as_shifted(readings: Readings, state: Search, start_bytes: int, end_bytes: int) -> int:
    """Return the difference of two counters as their shifted values show it, in bytes again."""
    scale = scale_bits(readings, state)
    return (end_bytes >> scale) - (start_bytes >> scale) << scale  # [search.windows.shifted-back]


def _lowered_bytes(readings: Readings, cwnd_bytes: int, overshoot_bytes: int, base: Base) -> int:
    if readings.window_floor is WindowFloor.ZERO:
        return max(cwnd_bytes - overshoot_bytes, 0)  # [search.exit.floor-zero]
    if readings.window_floor is WindowFloor.UNCHANGED and overshoot_bytes >= cwnd_bytes:
        overshoot_bytes = 0  # [search.exit.floor-unchanged]
    return max(cwnd_bytes - overshoot_bytes, base.minimum_window_bytes)  # [search.exit.floor]


def begin_drain(readings: Readings, state: Search, base: Base) -> Search:
    """Return the state that drains the flight to what one initial RTT delivered."""
    end_bytes = state.delivered.counter_bytes - state.delivered.open_bytes
    start_bytes = counter_bytes(state.delivered, state.curr, state.curr - DRAIN_BINS)
    delivered_bytes = _as_shifted(readings, state, start_bytes, end_bytes)
    if readings.drain_unit is DrainUnit.WHOLE_PACKETS:
        delivered_bytes -= delivered_bytes % base.max_datagram_size_bytes  # [search.drain.whole-packets]
    floor_bytes = DRAIN_MINIMUM_PACKETS * base.max_datagram_size_bytes
    target_bytes = max(delivered_bytes, floor_bytes)  # [search.drain.target]
    return replace(state, target_bytes=target_bytes, drain_acked=0)


def drain(readings: Readings, state: Search, ack: Ack, base: Base) -> tuple[Search, Decision]:
    """Process an ACK while draining: one packet leaves for three acknowledged, until the flight is at the target."""
    assert state.target_bytes is not None
    if readings.missing_rtt is MissingRtt.SKIP and ack.latest_rtt_ns is None:
        acked = state.drain_acked + _drained(readings, ack)
        waiting = Exit(base.cwnd_bytes, None, ExitGrowth.NONE)  # [search.drain.no-sample]
        return replace(state, drain_acked=acked), Decision(Evaluation(Outcome.NO_RTT_SAMPLE), waiting)
    acked = state.drain_acked + _drained(readings, ack)
    one_for = DRAIN_PACKETS
    if readings.drain_unit is DrainUnit.BYTES:
        one_for *= base.max_datagram_size_bytes  # [search.drain.bytes]
    leaving_bytes = acked // one_for * base.max_datagram_size_bytes
    cwnd_bytes = max(min(ack.bytes_in_flight + leaving_bytes, WINDOW_MAX_BYTES), state.target_bytes)
    if cwnd_bytes > state.target_bytes:
        state = replace(state, drain_acked=acked % one_for)  # [search.drain.step]
        return state, Decision(Evaluation(Outcome.DRAINING), Exit(cwnd_bytes, None, ExitGrowth.NONE))
    delivered, sent = Series(state.delivered.counter_bytes), Series(state.sent.counter_bytes)
    over = Search(sample=state.sample, delivered=delivered, sent=sent)
    leaving = Exit(cwnd_bytes, cwnd_bytes, readings.exit_growth)  # [search.drain.end]
    return over, Decision(Evaluation(Outcome.DRAINED), leaving)


def _drained(readings: Readings, ack: Ack) -> int:
    """Return what an ACK acknowledges, in the unit in which the flight is drained."""
    return ack.bytes if readings.drain_unit is DrainUnit.BYTES else sum(run.count for run in ack.packets)

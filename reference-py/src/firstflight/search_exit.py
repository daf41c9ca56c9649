"""How SEARCH leaves slow start (``spec/search.md``, section Exit)."""

from dataclasses import dataclass, replace

from firstflight.events import Ack
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.observables import Outcome
from firstflight.search_bins import Search, Series
from firstflight.search_profiles import ExitGrowth, Lower, Readings, Rollback, WindowFloor, Windows
from firstflight.search_windows import Evaluation, counter_bytes, shift_bins

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
        bins = 2 * shift_bins(readings, state)[0] % ROLLBACK_RING_BINS  # [search.exit.overshoot-current]
    else:
        bins = _ROLLBACK_BINS[readings.rollback]  # [search.exit.overshoot]
    first = state.curr - bins + (1 if readings.windows is Windows.LIVE else 0)
    return state.delivered.counter_bytes - counter_bytes(state.delivered, state.curr, max(first, 0))


def _lowered_bytes(readings: Readings, cwnd_bytes: int, overshoot_bytes: int, base: Base) -> int:
    if readings.window_floor is WindowFloor.ZERO:
        return max(cwnd_bytes - overshoot_bytes, 0)  # [search.exit.floor-zero]
    if readings.window_floor is WindowFloor.UNCHANGED and overshoot_bytes >= cwnd_bytes:
        overshoot_bytes = 0  # [search.exit.floor-unchanged]
    return max(cwnd_bytes - overshoot_bytes, base.minimum_window_bytes)  # [search.exit.floor]


def begin_drain(state: Search, base: Base) -> Search:
    """Return the state that drains the flight to what one initial RTT delivered."""
    delivered_bytes = state.delivered.counter_bytes - state.delivered.open_bytes
    delivered_bytes -= counter_bytes(state.delivered, state.curr, state.curr - DRAIN_BINS)
    floor_bytes = DRAIN_MINIMUM_PACKETS * base.max_datagram_size_bytes
    target_bytes = max(delivered_bytes, floor_bytes)  # [search.drain.target]
    return replace(state, target_bytes=target_bytes, drain_packets=0)


def drain(readings: Readings, state: Search, ack: Ack, base: Base) -> tuple[Search, Decision]:
    """Process an ACK while draining: one packet leaves for three acknowledged, until the flight is at the target."""
    assert state.target_bytes is not None
    packets = state.drain_packets + sum(run.count for run in ack.packets)
    leaving_bytes = packets // DRAIN_PACKETS * base.max_datagram_size_bytes
    cwnd_bytes = max(min(ack.bytes_in_flight + leaving_bytes, WINDOW_MAX_BYTES), state.target_bytes)
    if cwnd_bytes > state.target_bytes:
        state = replace(state, drain_packets=packets % DRAIN_PACKETS)  # [search.drain.step]
        return state, Decision(Evaluation(Outcome.DRAINING), Exit(cwnd_bytes, None, ExitGrowth.NONE))
    ended = Search(delivered=Series(state.delivered.counter_bytes), sent=Series(state.sent.counter_bytes))
    leaving = Exit(cwnd_bytes, cwnd_bytes, ExitGrowth.NONE)  # [search.drain.end]
    return ended, Decision(Evaluation(Outcome.DRAINED), leaving)

"""SEARCH (``spec/search.md``), in every profile of ``search_profiles``.

Time is in ticks of 1/20 ns: the bin duration, 7/20 of the initial RTT, is then a whole number of ticks.
"""

from dataclasses import dataclass, field, replace

from firstflight.errors import DomainError
from firstflight.events import Ack
from firstflight.limits import BIN_MAX_BYTES, WINDOW_MAX_BYTES
from firstflight.observables import Outcome
from firstflight.search_profiles import (
    AppLimited,
    Boundary,
    CatchUp,
    CrossingCredit,
    ExitGrowth,
    Guard,
    Lower,
    Readings,
    Restart,
    Rollback,
    Rtt,
    Shift,
    Threshold,
    WindowFloor,
    Windows,
)

TICKS_PER_NS = 20
#: Bin duration in ticks per ns of initial RTT: 20 * 0.35.
BIN_TICKS_PER_RTT_NS = 7
WINDOW_BINS = 10
RING_BINS = 25
#: norm_diff >= 7/20 is 13 * previous >= 10 * current.
THRESHOLD_PREVIOUS = 13
THRESHOLD_CURRENT = 10


@dataclass(frozen=True, slots=True)
class Search:
    """State of SEARCH. ``bin_ticks`` is the bin duration, 0 until the first RTT sample.

    ``bin_end_ticks``: when the open bin ends. ``curr``: its index. ``bins``: bytes delivered, bin i in slot i mod 25.
    ``rtt_ns``: the RTT of the last evaluation or start.
    """

    bin_ticks: int = 0
    bin_end_ticks: int = 0
    curr: int = 0
    rtt_ns: int = 0
    bins: tuple[int, ...] = (0,) * RING_BINS


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an evaluation computed; ``None`` where it did not come that far."""

    outcome: Outcome
    shift_bins: int | None = None
    current_bytes: int | None = None
    previous_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Exit:
    """New windows at the end of slow start, and how the same ACK may still grow them."""

    cwnd_bytes: int
    ssthresh_bytes: int
    growth: ExitGrowth


@dataclass(frozen=True, slots=True)
class Decision:
    """What SEARCH decided on an ACK. ``exit`` is set exactly when the outcome is ``exited``."""

    evaluation: Evaluation
    exit: Exit | None = field(default=None)


def on_ack(
    readings: Readings, state: Search, ack: Ack, cwnd_bytes: int, minimum_window_bytes: int
) -> tuple[Search, Decision]:
    """Process an ACK that arrived in slow start, before the base controller does (``search.slow-start-only``)."""
    if readings.app_limited is AppLimited.SKIP and ack.app_limited:
        return state, Decision(Evaluation(Outcome.APP_LIMITED))  # [search.app-limited]
    if state.bin_ticks == 0:
        return _start(state, ack)
    if _bins_passed(readings, state, ack.t_ns) == 0:
        return _credit(state, ack.bytes), Decision(Evaluation(Outcome.SAME_BIN))  # [search.bins.same-bin]
    if readings.crossing_credit is CrossingCredit.COMPLETED_BIN:
        state = _credit(state, ack.bytes)  # [search.bins.credit-before]
    state = _advance(readings, state, ack.t_ns)
    state = replace(state, rtt_ns=_rtt_ns(readings, state, ack))
    evaluation = _evaluate(readings, state)
    if readings.crossing_credit is CrossingCredit.NEW_BIN:
        exit_state, state = state, _credit(state, ack.bytes)
    else:
        exit_state = state
    if evaluation.outcome is not Outcome.EXITED:
        return state, Decision(evaluation)
    return state, Decision(evaluation, _exit(readings, exit_state, ack, cwnd_bytes, minimum_window_bytes))


def on_persistent_congestion(readings: Readings, state: Search) -> Search:
    """Process persistent congestion, which leads back to slow start."""
    if readings.restart is Restart.REINITIALISE:
        return Search()  # [search.restart]
    return state


def _start(state: Search, ack: Ack) -> tuple[Search, Decision]:
    if ack.latest_rtt_ns is None:
        return state, Decision(Evaluation(Outcome.NO_RTT_SAMPLE))  # [search.init.wait-for-sample]
    rtt_ns = ack.latest_rtt_ns
    if rtt_ns == 0:
        rtt_ns = 1  # [search.init.rtt-zero]
    bin_ticks = BIN_TICKS_PER_RTT_NS * rtt_ns  # [search.init.first-ack]
    started = Search(bin_ticks=bin_ticks, bin_end_ticks=TICKS_PER_NS * ack.t_ns + bin_ticks, rtt_ns=rtt_ns)
    return _credit(started, ack.bytes), Decision(Evaluation(Outcome.STARTED))


def _bins_passed(readings: Readings, state: Search, t_ns: int) -> int:
    """Return how many bin ends lie before ``t_ns``, counting one at ``t_ns`` itself by the reading ``boundary``."""
    late_ticks = TICKS_PER_NS * t_ns - state.bin_end_ticks
    if readings.boundary is Boundary.AFTER:
        late_ticks -= 1
    return late_ticks // state.bin_ticks + 1 if late_ticks >= 0 else 0


def _advance(readings: Readings, state: Search, t_ns: int) -> Search:
    passed = 1 if readings.catch_up is CatchUp.ONE else _bins_passed(readings, state, t_ns)
    bins = list(state.bins)
    for step in range(1, min(passed, RING_BINS) + 1):
        bins[(state.curr + step) % RING_BINS] = 0
    return replace(
        state,
        bin_end_ticks=state.bin_end_ticks + passed * state.bin_ticks,  # [search.bins.advance]
        curr=state.curr + passed,
        bins=tuple(bins),
    )


def _credit(state: Search, delivered_bytes: int) -> Search:
    slot = state.curr % RING_BINS
    filled_bytes = state.bins[slot] + delivered_bytes  # [search.bins.credit]
    if filled_bytes > BIN_MAX_BYTES:
        raise DomainError(f"bin {state.curr}: more than {BIN_MAX_BYTES} bytes")  # [search.domain]
    return replace(state, bins=(*state.bins[:slot], filled_bytes, *state.bins[slot + 1 :]))


def _rtt_ns(readings: Readings, state: Search, ack: Ack) -> int:
    samples_ns = {Rtt.LATEST: ack.latest_rtt_ns, Rtt.SMOOTHED: ack.smoothed_rtt_ns, Rtt.MINIMUM: ack.min_rtt_ns}
    sample_ns = samples_ns[readings.rtt]  # [search.rtt.latest]
    return state.rtt_ns if sample_ns is None else sample_ns


def _evaluate(readings: Readings, state: Search) -> Evaluation:
    """Compare the two windows. The order of the tests is that of the page."""
    shift = _shift_bins(readings, state)
    if shift > readings.shift_maximum_bins:
        return Evaluation(Outcome.RTT_INFLATED, shift)  # [search.guard.rtt-inflated]
    prev = state.curr - shift
    if prev < WINDOW_BINS or (readings.guard is Guard.MORE_THAN and prev == WINDOW_BINS):
        return Evaluation(Outcome.WARMING_UP, shift)  # [search.guard.warming-up]
    current_bytes = _window_bytes(readings, state, state.curr)
    previous_bytes = _window_bytes(readings, state, prev)
    if previous_bytes == 0:
        outcome = Outcome.PREVIOUS_ZERO  # [search.previous-zero]
    elif _reaches_threshold(readings, previous_bytes, current_bytes):
        outcome = Outcome.EXITED
    else:
        outcome = Outcome.BELOW_THRESHOLD  # [search.threshold.below]
    return Evaluation(outcome, shift, current_bytes, previous_bytes)


def _shift_bins(readings: Readings, state: Search) -> int:
    shift, rest_ticks = divmod(TICKS_PER_NS * state.rtt_ns, state.bin_ticks)  # [search.shift.round]
    if readings.shift is Shift.NEAREST and 2 * rest_ticks > state.bin_ticks:
        shift += 1
    if readings.shift is Shift.NEAREST_UP and 2 * rest_ticks >= state.bin_ticks:
        shift += 1
    if shift < readings.shift_minimum_bins:
        shift = readings.shift_minimum_bins  # [search.shift.minimum]
    return shift


def _window_bytes(readings: Readings, state: Search, end: int) -> int:
    if readings.windows is Windows.THROUGH_OPEN:
        return _sum_bytes(state, end - WINDOW_BINS, end)  # [search.windows.through-open]
    return _sum_bytes(state, end - WINDOW_BINS, end - 1)  # [search.windows.completed]


def _sum_bytes(state: Search, first: int, last: int) -> int:
    return sum(state.bins[index % RING_BINS] for index in range(first, last + 1))


def _reaches_threshold(readings: Readings, previous_bytes: int, current_bytes: int) -> bool:
    previous, current = THRESHOLD_PREVIOUS * previous_bytes, THRESHOLD_CURRENT * current_bytes
    return previous >= current if readings.threshold is Threshold.AT_LEAST else previous > current


def _exit(readings: Readings, state: Search, ack: Ack, cwnd_bytes: int, minimum_window_bytes: int) -> Exit:
    if readings.exit_growth is ExitGrowth.SLOW_START:
        cwnd_bytes = min(cwnd_bytes + ack.bytes, WINDOW_MAX_BYTES)
    rollback_bins = 5 if readings.rollback is Rollback.FLOOR else 6
    overshoot_bytes = _sum_bytes(state, state.curr - rollback_bins, state.curr)  # [search.exit.overshoot]
    floor_bytes = minimum_window_bytes if readings.window_floor is WindowFloor.MINIMUM else 0  # [search.exit.floor]
    lowered_bytes = max(cwnd_bytes - overshoot_bytes, floor_bytes)
    if readings.lower is Lower.NOTHING:
        return Exit(cwnd_bytes, cwnd_bytes, readings.exit_growth)
    if readings.lower is Lower.THRESHOLD_ONLY:
        return Exit(cwnd_bytes, lowered_bytes, readings.exit_growth)
    return Exit(lowered_bytes, lowered_bytes, readings.exit_growth)  # [search.exit.lower]

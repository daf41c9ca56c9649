"""SEARCH (``spec/search.md``), in every profile of ``search_profiles``: the flow of an event.

The bins are in ``search_bins``, their comparison in ``search_windows``, the exit in ``search_exit``.
"""

from dataclasses import replace

from firstflight.events import Ack
from firstflight.observables import Outcome
from firstflight.search.bins import (
    Search,
    Series,
    advance,
    begin,
    bin_duration_ticks,
    count,
    credit,
    ended,
    passed,
)
from firstflight.search.exit import Base, Decision, begin_drain, drain, leave
from firstflight.search.profiles import (
    AppLimited,
    Compared,
    CountedIn,
    CrossingCredit,
    Evaluated,
    FirstAck,
    InitialRtt,
    Lower,
    MissedBinsRestart,
    MissingRtt,
    Persistent,
    Readings,
    RestartCounters,
)
from firstflight.search.rtt import latest_units, sample_of, units
from firstflight.search.windows import WINDOW_BINS, Evaluation, evaluate

__all__ = ["Base", "Decision", "Search", "on_ack", "on_ack_elsewhere", "on_persistent_congestion", "on_sent"]


def on_sent(readings: Readings, state: Search, sent_bytes: int, *, slow_start: bool) -> Search:
    """Process packets being sent. Their bytes are counted where they are compared."""
    if readings.compared is Compared.DELIVERED or (not slow_start and readings.counted_in is CountedIn.SLOW_START):
        return state
    return replace(state, sent=credit(state.sent, sent_bytes))  # [search.bins.sent]


def on_ack_elsewhere(readings: Readings, state: Search, ack: Ack) -> Search:
    """Process an ACK that arrived outside slow start: its RTT is kept, and at most its bytes are counted."""
    state = replace(state, sample=sample_of(ack, state.sample))
    if readings.counted_in is CountedIn.SLOW_START:
        return state  # [search.slow-start-only]
    return replace(state, delivered=credit(state.delivered, ack.bytes))  # [search.bins.every-phase]


def on_persistent_congestion(readings: Readings, state: Search) -> Search:
    """Process persistent congestion, which leads back to slow start."""
    if readings.persistent is Persistent.REINITIALISE:
        return _cleared(readings, state)  # [search.restart]
    return state


def on_ack(readings: Readings, state: Search, ack: Ack, base: Base) -> tuple[Search, Decision]:
    """Process an ACK that arrived in slow start, before the base controller does."""
    state = replace(state, sample=sample_of(ack, state.sample))
    if state.target_bytes is not None:
        return drain(readings, replace(state, delivered=count(state.delivered, ack.bytes)), ack, base)
    if readings.app_limited is AppLimited.SKIP and ack.app_limited:
        return _passed_over(readings, state), Decision(Evaluation(Outcome.APP_LIMITED))  # [search.app-limited]
    idle = _uncounted(readings, state, ack)
    if idle is not None:
        return _counted(state, ack), Decision(Evaluation(idle))
    if state.bin_end_ticks == 0:
        return _start(readings, state, ack)
    if passed(readings, state, units(readings, ack.t_ns)) > 0:
        return _on_boundary(readings, state, ack, base)
    state = _credited(state, ack)
    if readings.evaluated is Evaluated.EVERY_ACK:
        return _decide(readings, state, ack, base)  # [search.evaluate.every-ack]
    return state, Decision(Evaluation(Outcome.SAME_BIN))  # [search.bins.same-bin]


def _passed_over(readings: Readings, state: Search) -> Search:
    """Return the state after an ACK that is passed over; its sample may set the bin duration all the same."""
    if readings.initial_rtt is InitialRtt.AT_START or state.bin_ticks > 0 or state.sample is None:
        return state
    return replace(state, bin_ticks=_duration_ticks(readings, state))  # [search.init.first-sample]


def _uncounted(readings: Readings, state: Search, ack: Ack) -> Outcome | None:
    """Return why an ACK starts nothing and ends no bin although its bytes may count, if it does not."""
    if readings.app_limited is AppLimited.COUNT_BYTES and ack.app_limited:
        return Outcome.APP_LIMITED  # [search.app-limited.bytes]
    if state.sample is None:
        return Outcome.NO_RTT_SAMPLE  # [search.init.wait-for-sample]
    if readings.missing_rtt is MissingRtt.SKIP and ack.latest_rtt_ns is None:
        return Outcome.NO_RTT_SAMPLE  # [search.rtt.skip]
    return None


def _duration_ticks(readings: Readings, state: Search) -> int:
    assert state.sample is not None
    return bin_duration_ticks(readings, latest_units(readings, state.sample))


def _start(readings: Readings, state: Search, ack: Ack) -> tuple[Search, Decision]:
    """Open bin 0 with this ACK. The last sample gives the duration, unless there is one."""
    duration_ticks = state.bin_ticks or _duration_ticks(readings, state)
    now_units = units(readings, ack.t_ns)
    if readings.first_ack is FirstAck.IN_BIN_0:
        state = _credited(begin(state, duration_ticks, now_units), ack)
    else:
        counted = replace(state, delivered=count(state.delivered, ack.bytes))
        state = begin(counted, duration_ticks, now_units)  # [search.init.before-bin-0]
    return state, Decision(Evaluation(Outcome.STARTED))


def _on_boundary(readings: Readings, state: Search, ack: Ack, base: Base) -> tuple[Search, Decision]:
    """Process an ACK that ends at least one bin."""
    if readings.app_limited is AppLimited.RESTART and ack.app_limited:
        return _restarted(_start(readings, state, ack))  # [search.app-limited.restart]
    now_units = units(readings, ack.t_ns)
    if 0 < readings.missed_bins_maximum < passed(readings, state, now_units):
        return _on_missed_bins(readings, state, ack)
    steps = ended(readings, state, now_units)
    if readings.crossing_credit is not CrossingCredit.NEW_BIN:
        state = advance(readings, _credited(state, ack), steps)  # [search.bins.credit-before]
        return _decide(readings, state, ack, base)
    state = advance(readings, state, steps)
    if readings.evaluated is Evaluated.EVERY_ACK:
        return _decide(readings, _credited(state, ack), ack, base)
    after, decision = _decide(readings, state, ack, base)
    return _credited(after, ack), decision


def _on_missed_bins(readings: Readings, state: Search, ack: Ack) -> tuple[Search, Decision]:
    """Start again because too many bins end with one ACK."""
    fresh = _cleared(readings, state)  # [search.missed-bins]
    if readings.missed_bins_restart is MissedBinsRestart.NEXT_ACK:
        return fresh, Decision(Evaluation(Outcome.RESTARTED))  # [search.missed-bins.next-ack]
    if readings.missed_bins_restart is MissedBinsRestart.NEXT_ACK_THIS_RTT:
        fresh = replace(fresh, bin_ticks=_duration_ticks(readings, fresh))  # [search.missed-bins.this-rtt]
        return fresh, Decision(Evaluation(Outcome.RESTARTED))
    few = passed(readings, state, units(readings, ack.t_ns)) <= WINDOW_BINS
    if readings.missed_bins_restart is MissedBinsRestart.NOW_OLD_DURATION and few:
        fresh = replace(fresh, bin_ticks=state.bin_ticks)  # [search.missed-bins.old-duration]
    return _restarted(_start(readings, fresh, ack))


def _restarted(started: tuple[Search, Decision]) -> tuple[Search, Decision]:
    return started[0], Decision(Evaluation(Outcome.RESTARTED))


def _cleared(readings: Readings, state: Search) -> Search:
    """Return the state before the first ACK but for the last sample; the counters go on or begin anew."""
    if readings.restart_counters is RestartCounters.ZEROED:
        return Search(sample=state.sample)
    delivered, sent = Series(state.delivered.counter_bytes), Series(state.sent.counter_bytes)
    return Search(sample=state.sample, delivered=delivered, sent=sent)  # [search.restart.counters]


def _counted(state: Search, ack: Ack) -> Search:
    """Count an ACK in the open bin; while none is open its bytes belong to no bin."""
    if state.bin_end_ticks > 0:
        return _credited(state, ack)
    return replace(state, delivered=count(state.delivered, ack.bytes))  # [search.bins.none-open]


def _credited(state: Search, ack: Ack) -> Search:
    return replace(state, delivered=credit(state.delivered, ack.bytes))


def _decide(readings: Readings, state: Search, ack: Ack, base: Base) -> tuple[Search, Decision]:
    """Evaluate the windows, and leave slow start if they say so."""
    evaluation = evaluate(readings, state)
    if evaluation.outcome is not Outcome.EXITED:
        return state, Decision(evaluation)
    if readings.lower is Lower.DRAIN:
        return begin_drain(readings, state, base), Decision(evaluation)
    return state, Decision(evaluation, leave(readings, state, ack, base))

"""SEARCH (``spec/search.md``), in every profile of ``search_profiles``: the flow of an event.

The bins are in ``search_bins``, their comparison in ``search_windows``, the exit in ``search_exit``.
"""

from dataclasses import replace

from firstflight.events import Ack
from firstflight.observables import Outcome
from firstflight.search_bins import (
    Search,
    Series,
    advance,
    begin,
    bin_duration_ticks,
    count,
    credit,
    passed,
    rtt_units,
    units,
)
from firstflight.search_exit import Base, Decision, begin_drain, drain, leave
from firstflight.search_profiles import (
    AppLimited,
    Compared,
    CountedIn,
    CrossingCredit,
    Evaluated,
    FirstAck,
    Lower,
    MissedBinsRestart,
    MissingRtt,
    Persistent,
    Readings,
    RestartCounters,
    Rtt,
)
from firstflight.search_windows import Evaluation, evaluate

__all__ = ["Base", "Decision", "Search", "on_ack", "on_ack_elsewhere", "on_persistent_congestion", "on_sent"]


def on_sent(readings: Readings, state: Search, sent_bytes: int, *, slow_start: bool) -> Search:
    """Process packets being sent. Their bytes are counted where they are compared."""
    if readings.compared is Compared.DELIVERED or (not slow_start and readings.counted_in is CountedIn.SLOW_START):
        return state
    return replace(state, sent=credit(state.sent, sent_bytes))  # [search.bins.sent]


def on_ack_elsewhere(readings: Readings, state: Search, ack: Ack) -> Search:
    """Process an ACK that arrived outside slow start: at most its bytes are counted."""
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
    if state.target_bytes is not None:
        return drain(readings, replace(state, delivered=count(state.delivered, ack.bytes)), ack, base)
    if readings.app_limited is AppLimited.SKIP and ack.app_limited:
        return state, Decision(Evaluation(Outcome.APP_LIMITED))  # [search.app-limited]
    now_units = units(readings, ack.t_ns)
    if state.bin_ticks == 0:
        return _start(readings, state, ack, now_units, bin_ticks=0)
    idle = _uncounted(readings, ack)
    if idle is not None:
        return _credited(state, ack), Decision(Evaluation(idle))
    steps = passed(readings, state, now_units)
    if steps > 0:
        return _on_boundary(readings, state, ack, base, steps)
    state = _credited(state, ack)
    if readings.evaluated is Evaluated.EVERY_ACK:
        return _decide(readings, _with_rtt(readings, state, ack), ack, base)  # [search.evaluate.every-ack]
    return state, Decision(Evaluation(Outcome.SAME_BIN))  # [search.bins.same-bin]


def _uncounted(readings: Readings, ack: Ack) -> Outcome | None:
    """Return why an ACK ends no bin although its bytes count, if it does not."""
    if readings.app_limited is AppLimited.COUNT_BYTES and ack.app_limited:
        return Outcome.APP_LIMITED  # [search.app-limited.bytes]
    if readings.missing_rtt is MissingRtt.SKIP and ack.latest_rtt_ns is None:
        return Outcome.NO_RTT_SAMPLE  # [search.rtt.skip]
    return None


def _start(readings: Readings, state: Search, ack: Ack, now_units: int, bin_ticks: int) -> tuple[Search, Decision]:
    """Open bin 0 with this ACK. ``bin_ticks`` is 0 where its RTT shall give the duration."""
    if ack.latest_rtt_ns is None and bin_ticks == 0:
        counted = _credited(state, ack) if readings.counted_in is CountedIn.EVERY_PHASE else state
        return counted, Decision(Evaluation(Outcome.NO_RTT_SAMPLE))  # [search.init.wait-for-sample]
    rtt = state.rtt_units if ack.latest_rtt_ns is None else rtt_units(readings, ack.latest_rtt_ns)
    duration_ticks = bin_ticks or bin_duration_ticks(readings, rtt)
    if readings.first_ack is FirstAck.IN_BIN_0:
        state = _credited(begin(state, duration_ticks, now_units, rtt), ack)
    else:
        counted = replace(state, delivered=count(state.delivered, ack.bytes))
        state = begin(counted, duration_ticks, now_units, rtt)  # [search.init.before-bin-0]
    return state, Decision(Evaluation(Outcome.STARTED))


def _on_boundary(readings: Readings, state: Search, ack: Ack, base: Base, steps: int) -> tuple[Search, Decision]:
    """Process an ACK that ends at least one bin."""
    if readings.app_limited is AppLimited.RESTART and ack.app_limited:
        now_units = units(readings, ack.t_ns)
        return _restarted(_start(readings, state, ack, now_units, state.bin_ticks))  # [search.app-limited.restart]
    if 0 < readings.missed_bins_maximum < steps:
        return _on_missed_bins(readings, state, ack)
    if readings.crossing_credit is not CrossingCredit.NEW_BIN:
        state = advance(readings, _credited(state, ack), steps)  # [search.bins.credit-before]
        return _decide(readings, _with_rtt(readings, state, ack), ack, base)
    state = _with_rtt(readings, advance(readings, state, steps), ack)
    if readings.evaluated is Evaluated.EVERY_ACK:
        return _decide(readings, _credited(state, ack), ack, base)
    after, decision = _decide(readings, state, ack, base)
    return _credited(after, ack), decision


def _on_missed_bins(readings: Readings, state: Search, ack: Ack) -> tuple[Search, Decision]:
    """Start again because too many bins end with one ACK."""
    fresh = _cleared(readings, state)  # [search.missed-bins]
    if readings.missed_bins_restart is MissedBinsRestart.NEXT_ACK:
        return fresh, Decision(Evaluation(Outcome.RESTARTED))  # [search.missed-bins.next-ack]
    if readings.missed_bins_restart is MissedBinsRestart.NOW_WITHOUT_BYTES:
        ack = replace(ack, bytes=0)  # [search.missed-bins.without-bytes]
    return _restarted(_start(readings, fresh, ack, units(readings, ack.t_ns), bin_ticks=0))


def _restarted(started: tuple[Search, Decision]) -> tuple[Search, Decision]:
    state, decision = started
    if decision.evaluation.outcome is Outcome.STARTED:
        decision = Decision(Evaluation(Outcome.RESTARTED))
    return state, decision


def _cleared(readings: Readings, state: Search) -> Search:
    """Return the state before the first ACK; the counters go on or begin anew."""
    if readings.restart_counters is RestartCounters.ZEROED:
        return Search()
    delivered, sent = Series(state.delivered.counter_bytes), Series(state.sent.counter_bytes)
    return Search(delivered=delivered, sent=sent)  # [search.restart.counters]


def _credited(state: Search, ack: Ack) -> Search:
    return replace(state, delivered=credit(state.delivered, ack.bytes))


def _with_rtt(readings: Readings, state: Search, ack: Ack) -> Search:
    samples_ns = {Rtt.LATEST: ack.latest_rtt_ns, Rtt.SMOOTHED: ack.smoothed_rtt_ns, Rtt.MINIMUM: ack.min_rtt_ns}
    sample_ns = samples_ns[readings.rtt]  # [search.rtt.latest]
    return state if sample_ns is None else replace(state, rtt_units=rtt_units(readings, sample_ns))


def _decide(readings: Readings, state: Search, ack: Ack, base: Base) -> tuple[Search, Decision]:
    """Evaluate the windows, and leave slow start if they say so."""
    evaluation = evaluate(readings, state)
    if evaluation.outcome is not Outcome.EXITED:
        return state, Decision(evaluation)
    if readings.lower is Lower.DRAIN:
        return begin_drain(state, base), Decision(evaluation)
    return state, Decision(evaluation, leave(readings, state, ack, base))

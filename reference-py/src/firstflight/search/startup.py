"""SEARCH on top of the base controller: which of them sees an event first, and what becomes of the window.

Mirrors ``reference-c/src/search/startup.c``.
"""

from dataclasses import replace

from firstflight.errors import DomainError
from firstflight.events import Ack, Event, PersistentCongestion, Sent
from firstflight.newreno import pure as newreno
from firstflight.newreno.newreno import NewReno
from firstflight.observables import Observation, Outcome, Phase
from firstflight.search import search
from firstflight.search.bins import SHIFT_MAXIMUM_BINS
from firstflight.search.profiles import PROFILES, ExitGrowth, Lower, Readings, SlowStarts
from firstflight.search.search import Base, Decision, Search
from firstflight.search.windows import Evaluation

__all__ = ["PROFILES", "Readings", "begin", "step"]


def begin(readings: Readings, _base: NewReno) -> Search:
    """Return the state before the first event. Raise :class:`DomainError` if the readings need more bins than are kept."""
    if readings.shift_maximum_bins > SHIFT_MAXIMUM_BINS:
        raise DomainError(f"shift_maximum_bins: {readings.shift_maximum_bins} is above {SHIFT_MAXIMUM_BINS}")
    return Search()


def step(readings: Readings, state: Search, base: NewReno, event: Event) -> tuple[Search, NewReno, Observation]:
    """Process one event with SEARCH in the given readings."""
    evaluation = None
    if isinstance(event, Ack):
        state, base, outcome, evaluation = _on_ack(readings, state, base, event)
    else:
        state, base, outcome = _on_other(readings, state, base, event)
    return state, base, _observe(state, base, outcome, evaluation)


def _on_other(readings: Readings, state: Search, base: NewReno, event: Event) -> tuple[Search, NewReno, Outcome]:
    if isinstance(event, Sent):
        state = search.on_sent(readings, state, event.bytes, slow_start=_searches(readings, base))
    elif isinstance(event, PersistentCongestion):
        state = search.on_persistent_congestion(readings, state)
    return state, *newreno.on_event(base, event)


def _on_ack(
    readings: Readings, state: Search, base: NewReno, ack: Ack
) -> tuple[Search, NewReno, Outcome, Evaluation | None]:
    if not _searches(readings, base):
        return search.on_ack_elsewhere(readings, state, ack), *newreno.on_event(base, ack), None
    view = Base(base.cwnd_bytes, newreno.minimum_window_bytes(base), base.max_datagram_size_bytes)
    state, decision = search.on_ack(readings, state, ack, view)
    return state, _apply(readings, base, decision, ack), decision.evaluation.outcome, decision.evaluation


def _searches(readings: Readings, base: NewReno) -> bool:
    """Return whether SEARCH acts now."""
    if readings.slow_starts is SlowStarts.UNBOUNDED and base.ssthresh_bytes is not None:
        return False  # [search.unbounded-only]
    return newreno.phase(base) is Phase.SLOW_START


def _apply(readings: Readings, base: NewReno, decision: Decision, ack: Ack) -> NewReno:
    """Let the base controller grow the window for an ACK on which SEARCH has decided."""
    leaving = decision.exit
    if leaving is not None:
        ssthresh_bytes = base.ssthresh_bytes if leaving.ssthresh_bytes is None else leaving.ssthresh_bytes
        base = replace(base, cwnd_bytes=leaving.cwnd_bytes, ssthresh_bytes=ssthresh_bytes)
        if leaving.growth is not ExitGrowth.AVOIDANCE:
            return base  # [search.exit.growth]
    elif decision.evaluation.outcome is Outcome.EXITED and readings.lower is Lower.DRAIN:
        return base  # [search.drain.no-growth]
    base, _ = newreno.on_ack(base, ack)
    return base


def _observe(state: Search, base: NewReno, outcome: Outcome, evaluation: Evaluation | None) -> Observation:
    numbers = {
        "bin": state.curr,
        "open_bin_bytes": state.delivered.open_bytes,
        "shift_bins": evaluation.shift_bins if evaluation else None,
        "current_bytes": evaluation.current_bytes if evaluation else None,
        "previous_bytes": evaluation.previous_bytes if evaluation else None,
        "target_bytes": state.target_bytes,
    }
    return Observation(base.cwnd_bytes, base.ssthresh_bytes, newreno.phase(base), outcome, numbers)

"""SEARCH on top of the base controller: the order of the two on each event, and the growth of the window.

Mirrors ``reference-c/firstflight/search/startup.c``.
"""

from firstflight.errors import DomainError
from firstflight.events import Ack, Event, IdleRestart, PersistentCongestion, Sent
from firstflight.newreno import newreno
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Observation, Outcome, Phase
from firstflight.search import search
from firstflight.search.bins import SHIFT_MAXIMUM_BINS
from firstflight.search.profiles import PROFILES, ExitGrowth, Readings, SlowStarts
from firstflight.search.search import Search
from firstflight.search.windows import Evaluation

__all__ = ["PROFILES", "Readings", "begin", "step"]


def begin(readings: Readings, _base: BaseState) -> Search:
    """Return the state before the first event. Raise :class:`DomainError` if the readings need too many bins."""
    if readings.shift_maximum_bins > SHIFT_MAXIMUM_BINS:
        raise DomainError(f"shift_maximum_bins: {readings.shift_maximum_bins} is above {SHIFT_MAXIMUM_BINS}")
    return Search()


def searches(readings: Readings, base: BaseState) -> bool:
    """Return whether SEARCH is active now."""
    if readings.slow_starts is SlowStarts.UNBOUNDED and base.ssthresh_bytes is not None:
        return False  # [search.unbounded-only]
    return newreno.phase(base) is Phase.SLOW_START


def grows(readings: Readings, state: Search, outcome: Outcome) -> bool:
    """Return whether the base controller may grow the window on an ACK, given the outcome of SEARCH."""
    draining = state.target_bytes is not None
    ends = outcome in (Outcome.EXITED, Outcome.DRAINED)
    growing = True
    if draining and outcome is Outcome.EXITED:
        growing = False  # [search.drain.no-growth]
    elif draining or (ends and readings.exit_growth is not ExitGrowth.AVOIDANCE):
        growing = False  # [search.exit.growth]
    return growing


def on_ack(readings: Readings, state: Search, base: BaseState, ack: Ack, evaluation: Evaluation) -> Outcome:
    """Process an ACK, first in SEARCH while it is active, then in the base controller."""
    state.delivered.check_room(ack.bytes)
    if not searches(readings, base):
        search.on_ack_elsewhere(readings, state, ack)
        return newreno.on_ack(base, ack)
    outcome = search.on_ack(readings, state, base, ack, evaluation)
    if grows(readings, state, outcome):
        newreno.on_ack(base, ack)
    return outcome


def on_other(readings: Readings, state: Search, base: BaseState, event: Event) -> Outcome:
    """Process an event other than an ACK, first in SEARCH, then in the base controller."""
    if isinstance(event, Sent):
        search.on_sent(readings, state, event.bytes, slow_start=searches(readings, base))
    elif isinstance(event, PersistentCongestion):
        search.on_persistent_congestion(readings, state)
    elif isinstance(event, IdleRestart):
        search.on_idle_restart(readings, state)
    return newreno.on_event(base, event)


def observe(state: Search, base: BaseState, outcome: Outcome, evaluation: Evaluation) -> Observation:
    """Return the observables after an event."""
    numbers = {
        "bin": state.curr,
        "open_bin_bytes": state.delivered.open_bytes,
        "shift_bins": evaluation.shift_bins,
        "current_bytes": evaluation.current_bytes,
        "previous_bytes": evaluation.previous_bytes,
        "target_bytes": state.target_bytes,
    }
    return Observation(base.cwnd_bytes, base.ssthresh_bytes, newreno.phase(base), outcome, numbers)


def step(readings: Readings, state: Search, base: BaseState, event: Event) -> Observation:
    """Process one event with SEARCH and the given readings."""
    evaluation = Evaluation()
    if isinstance(event, Ack):
        outcome = on_ack(readings, state, base, event, evaluation)
    else:
        outcome = on_other(readings, state, base, event)
    return observe(state, base, outcome, evaluation)

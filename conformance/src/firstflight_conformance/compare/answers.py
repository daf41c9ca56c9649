"""Cases with answers: from an adapter that failed, or the expected answers."""

from typing import Any

from firstflight.events import Event
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.compare.subject import AnsweredCase
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.format.wire import observables
from firstflight_conformance.records.results import Result
from firstflight_conformance.simulate.cases import AnyCase, StimulusCase
from firstflight_conformance.simulate.model_run import observed_run


def failed(result: Result, case: AnyCase, declaration: Declaration) -> AnsweredCase:
    """Return the case of a failed result, with the events and answers that the adapter's recording contains."""
    assert result.recording is not None and result.divergence is not None
    first = result.divergence.event_index or 0
    return AnsweredCase(case, declaration, result.recording.events, result.recording.observed, first)


def passed(case: AnyCase, declaration: Declaration) -> AnsweredCase:
    """Return a case that the adapter passed, with the model's expected values as its answers.

    The answers contain only observables that the adapter declares. In closed loop (with a simulated sender), the events
    and values come from a run of the model. A computation has its expected outputs as the only answer, and no events.
    """
    if isinstance(case, ComputationCase):
        return AnsweredCase(case, declaration, (), (case.expected(),), None)
    events, expected = run_of(case, declaration)
    answers = tuple({name: now[name] for name in declaration.observables if name in now} for now in expected)
    return AnsweredCase(case, declaration, events, answers, None)


def run_of(case: Case | StimulusCase, declaration: Declaration) -> tuple[tuple[Event, ...], list[dict[str, Any]]]:
    """Return the events of a case, and the expected observables after each event by name.

    In closed loop (with a simulated sender), both come from a run with the model as the congestion controller.
    """
    if isinstance(case, Case):
        return case.events, case.expected()
    run = observed_run(case, declaration.clock_ns, declaration.observables)
    return tuple(event for event, _ in run), [observables(observation) for _, observation in run]

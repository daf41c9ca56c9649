"""The event at which a cause decides otherwise, which may be before the first answer that shows it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from firstflight_conformance.cases.computations import ComputationCase
from firstflight_conformance.cases.measure import ClauseTracer
from firstflight_conformance.cases.wire import event_to_json, observables
from firstflight_conformance.diagnose.subject import Subject
from firstflight_conformance.diagnose.variant import Variant
from firstflight_conformance.mutants.answers import CRASHES


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision: its event, the rules that the model carries out there, and the observables of the model and of the cause after it.

    ``event_index`` is ``None`` in a computation. ``other`` is empty where no cause is known, or where it crashes.
    """

    case_id: str
    event_index: int | None
    event: dict[str, Any]
    clauses: tuple[str, ...]
    model: dict[str, Any]
    other: dict[str, Any]

    @property
    def differences(self) -> list[tuple[str, Any, Any]]:
        """What the decision changes: name, the model's value and the other's; a member of the state by its own name."""
        flat, other = _flat(self.model), _flat(self.other)
        return [(name, value, other.get(name)) for name, value in flat.items() if other and other.get(name) != value]


def _flat(values: dict[str, Any]) -> dict[str, Any]:
    state: dict[str, Any] = values.get("state", {})
    return {name: value for name, value in values.items() if name != "state"} | state


def decision_of(subject: Subject, variant: Variant) -> Decision:
    """Return the first decision in which a variant differs from the model in a case; the visible divergence if there is none before."""
    if isinstance(subject.case, ComputationCase):
        return computed(subject, variant)
    index = first_decision(subject, variant)
    return at_event(subject, min(subject.first or 0, subject.first or 0 if index is None else index), variant)


def observations(subject: Subject, variant: Variant) -> Iterator[Any]:
    """Yield what a variant observes up to the first divergence; a crash ends it."""
    for step in subject.steps(variant, (subject.first or 0) + 1):
        if step.observation is None:
            return
        yield step.observation


def first_decision(subject: Subject, variant: Variant) -> int | None:
    """Return the first event on which a variant decides otherwise, up to the first divergence."""
    for index, (right, other) in enumerate(
        zip(observations(subject, subject.right), observations(subject, variant), strict=False)
    ):
        if _decided(right) != _decided(other):
            return index
    return None


def _decided(observation: Any) -> tuple[Any, ...]:
    return (
        observation.cwnd_bytes,
        observation.ssthresh_bytes,
        observation.phase,
        observation.outcome,
        observation.next_release_ns,
    )


def first_visible(subject: Subject, variant: Variant) -> int | None:
    """Return the first event after which an observable that the adapter declares differs."""
    names = subject.observed[0]
    for index, (one, other) in enumerate(
        zip(observations(subject, subject.right), observations(subject, variant), strict=False)
    ):
        first, second = observables(one), observables(other)
        if any(first.get(name) != second.get(name) for name in names):
            return index
    return None


def at_event(subject: Subject, index: int, variant: Variant | None) -> Decision:
    """Return the decision at an event, with the rules that the model carries out there; at the first event with its beginning."""
    assert not isinstance(subject.case, ComputationCase)
    right = list(observations(subject, subject.right))[index]
    steps = list(observations(subject, variant)) if variant is not None else []
    other = observables(steps[index]) if index < len(steps) else {}
    clauses = clauses_of(subject, index)
    return Decision(subject.case.id, index, event_to_json(subject.events[index]), clauses, observables(right), other)


def clauses_of(subject: Subject, index: int) -> tuple[str, ...]:
    """Return the rules that the right model carries out on an event of a case, on the first with its beginning."""
    steps, tracer = subject.steps(subject.right, index + 1), ClauseTracer(subject.right.texts)
    for _ in range(index):
        next(steps)
    with tracer:  # the first event begins the case as well
        next(steps, None)
    return tuple(sorted(tracer.clauses))


def computed(subject: Subject, variant: Variant | None) -> Decision:
    """Return a computation with its outputs."""
    case = subject.case
    assert isinstance(case, ComputationCase)
    try:
        other = variant.compute(case.profile, case.inputs) if variant is not None else {}
    except CRASHES:
        other = {}
    expectation = case.expectation
    return Decision(case.id, None, case.inputs, expectation.clauses, dict(expectation.expect), other)

"""The event at which a cause decides otherwise, which may be before the first answer that shows it."""

from collections.abc import Iterator
from typing import Any

from firstflight_conformance.compare.subject import AnsweredCase
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.format.wire import event_to_json, observables
from firstflight_conformance.records.findings import Decision
from firstflight_conformance.replay.answers import CRASHES
from firstflight_conformance.replay.measure import ClauseTracer
from firstflight_conformance.replay.variant import Variant


def decision_of(subject: AnsweredCase, variant: Variant) -> Decision:
    """Return the first decision in which a variant differs from the model in a case; the visible divergence if there is none before."""
    if isinstance(subject.case, ComputationCase):
        return computed(subject, variant)
    index = first_decision(subject, variant)
    return at_event(subject, min(subject.first or 0, subject.first or 0 if index is None else index), variant)


def observations(subject: AnsweredCase, variant: Variant) -> Iterator[Any]:
    """Yield what a variant observes up to the first divergence; a crash ends it."""
    for step in subject.steps(variant, (subject.first or 0) + 1):
        if step.observation is None:
            return
        yield step.observation


def first_decision(subject: AnsweredCase, variant: Variant) -> int | None:
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


def first_visible(subject: AnsweredCase, variant: Variant) -> int | None:
    """Return the first event after which an observable that the adapter declares differs."""
    names = subject.observed[0]
    for index, (one, other) in enumerate(
        zip(observations(subject, subject.right), observations(subject, variant), strict=False)
    ):
        first, second = observables(one), observables(other)
        if any(first.get(name) != second.get(name) for name in names):
            return index
    return None


def at_event(subject: AnsweredCase, index: int, variant: Variant | None) -> Decision:
    """Return the decision at an event, with the rules that the model carries out there; at the first event with its beginning."""
    assert not isinstance(subject.case, ComputationCase)
    right = list(observations(subject, subject.right))[index]
    steps = list(observations(subject, variant)) if variant is not None else []
    other = observables(steps[index]) if index < len(steps) else {}
    clauses = clauses_of(subject, index)
    return Decision(subject.case.id, index, event_to_json(subject.events[index]), clauses, observables(right), other)


def clauses_of(subject: AnsweredCase, index: int) -> tuple[str, ...]:
    """Return the rules that the right model carries out on an event of a case, on the first with its beginning."""
    steps, tracer = subject.steps(subject.right, index + 1), ClauseTracer(subject.right.texts)
    for _ in range(index):
        next(steps)
    with tracer:  # the first event begins the case as well
        next(steps, None)
    return tuple(sorted(tracer.clauses))


def computed(subject: AnsweredCase, variant: Variant | None) -> Decision:
    """Return a computation with its outputs."""
    case = subject.case
    assert isinstance(case, ComputationCase)
    try:
        other = variant.compute(case.profile, case.inputs) if variant is not None else {}
    except CRASHES:
        other = {}
    expectation = case.expectation
    return Decision(case.id, None, case.inputs, expectation.clauses, dict(expectation.expect), other)

"""Finds the event of a differing decision, which may precede the first differing answer."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from firstflight_conformance.compare.subject import AnsweredCase
from firstflight_conformance.compare.values import compare
from firstflight_conformance.explain.operators.bench import executed
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.format.timeline import value_text
from firstflight_conformance.format.wire import event_to_json, observables
from firstflight_conformance.records.divergence import Divergence
from firstflight_conformance.records.findings import Decision
from firstflight_conformance.replay.answers import CRASHES
from firstflight_conformance.replay.fresh import right_text
from firstflight_conformance.replay.measure import ClauseTracer
from firstflight_conformance.replay.variant import Variant

#: A member used by a line of the model.
_MEMBER = re.compile(r"\.(\w+)")
#: Maximum number of shown quantities of the state.
_USED = 12


def decision_of(subject: AnsweredCase, variant: Variant) -> Decision:
    """Return the first decision of a variant, a changed model, that differs from the right model in a case.

    A decision differs if the window, ssthresh, phase, outcome or release time after an event differs. Without an
    earlier difference it is the first divergence: the first answer of the implementation that differs from the model.
    For a computation, a case with inputs and outputs instead of events, return its outputs as a decision.
    """
    if isinstance(subject.case, ComputationCase):
        return computed(subject, variant)
    index = first_decision(subject, variant)
    return at_event(subject, min(subject.first or 0, subject.first or 0 if index is None else index), variant)


def observations(subject: AnsweredCase, variant: Variant) -> Iterator[Any]:
    """Yield the observations of a variant, a changed model, at each event of a case.

    End after the event of the first divergence, or at a crash of the variant.
    """
    for step in subject.steps(variant, (subject.first or 0) + 1):
        if step.observation is None:
            return
        yield step.observation


def first_decision(subject: AnsweredCase, variant: Variant) -> int | None:
    """Return the index of the first event where a variant, a changed model, decides differently than the right model.

    The window, ssthresh, phase, outcome or release time after the event differs. The search ends with the first
    divergence of the case, where the implementation's answer differs from the model. Return None without such an event.
    """
    for index, (right, variant_observation) in enumerate(
        zip(observations(subject, subject.right), observations(subject, variant), strict=False)
    ):
        if _decided(right) != _decided(variant_observation):
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
    """Return the index of the first event where a variant differs from the right model in a declared observable.

    ``variant``: a changed model. Declared observables are those in the answers of the adapter. The search ends with the
    first divergence of the case. Return None without such an event.
    """
    names = subject.observed[0]
    for index, (right, variant_observation) in enumerate(
        zip(observations(subject, subject.right), observations(subject, variant), strict=False)
    ):
        first, second = observables(right), observables(variant_observation)
        if any(first.get(name) != second.get(name) for name in names):
            return index
    return None


def at_event(subject: AnsweredCase, index: int, variant: Variant | None) -> Decision:
    """Return the event ``index`` of a case with the rules that the right model applies there, as a decision.

    The decision contains the observables of the right model after the event, and the observables of ``variant``, a
    changed model. The latter are empty without a variant, or if it crashed before. Event 0 includes initialisation.
    """
    assert not isinstance(subject.case, ComputationCase)
    right_steps = list(observations(subject, subject.right))
    index = min(
        index, len(right_steps) - 1
    )  # a case that conforms alone, but contradicts the choices of the run, does not diverge
    right = right_steps[index]
    steps = list(observations(subject, variant)) if variant is not None else []
    variant_answer = observables(steps[index]) if index < len(steps) else {}
    clauses = clauses_of(subject, index)
    return Decision(
        subject.case.id, index, event_to_json(subject.events[index]), clauses, observables(right), variant_answer
    )


def divergence_of(subject: AnsweredCase) -> Divergence | None:
    """Return the first answer that differs from the model with the permitted choices of the implementation.

    Return ``None`` if no answer differs, if the model crashes before that event, or for a computation. A computation is
    a case with inputs and outputs instead of events.
    """
    if isinstance(subject.case, ComputationCase) or subject.first is None:
        return None
    right = list(observations(subject, subject.right))
    if subject.first >= len(right):
        return None
    expected = observables(right[subject.first])
    index, size_bytes = subject.first, subject.config.max_datagram_size_bytes
    for avoiding in (True, False):  # a tolerance may have ended earlier
        comparison = compare(expected, subject.observed[index], subject.declaration, size_bytes, avoiding=avoiding)
        if comparison.differences:
            break
    return Divergence(index, event_to_json(subject.events[index]), comparison.differences, (), expected)


def arithmetic(subject: AnsweredCase) -> tuple[str, ...]:
    """Return one line of text with the state that the model uses at the first divergence, as a tuple of one text.

    It lists the integer members of the state in the source lines executed there, with their values before the event, at
    most 12. Return an empty tuple without such members, for a computation (a case without events), or if the model
    crashes before.
    """
    if isinstance(subject.case, ComputationCase):
        return ()
    right, first = subject.right, subject.first or 0
    names = set[str]()
    for file, lines in executed(subject, right)[first].items():
        text = right.texts.get(Path(file), "") or right_text(Path(file))
        for number in lines:
            names |= set(_MEMBER.findall(text.splitlines()[number - 1].partition("#")[0]))
    state = right.create(*subject.profile, subject.config)
    try:
        for event in subject.events[:first]:
            right.advance(state, event)
    except CRASHES:
        return ()
    used = [
        f"{name} {value_text(getattr(part, name))}"
        for part in (state.base, state.startup, state.base.rules_state)
        for name in getattr(part, "__slots__", ())
        if name in names and isinstance(getattr(part, name), int | None)
    ]
    return (f"used at event {first}: {', '.join(used[:_USED])}",) if used else ()


def clauses_of(subject: AnsweredCase, index: int) -> tuple[str, ...]:
    """Return the rules applied on event ``index`` of a case by the model without an assumed error.

    This model, ``subject.right``, includes permitted choices. Event 0 includes the initialisation.
    """
    steps, tracer = subject.steps(subject.right, index + 1), ClauseTracer(subject.right.texts)
    for _ in range(index):
        next(steps)
    with tracer:  # the first step also initialises the case
        next(steps, None)
    return tuple(sorted(tracer.clauses))


def computed(subject: AnsweredCase, variant: Variant | None) -> Decision:
    """Return a computation, a case with inputs and outputs instead of events, in the form of a decision.

    The decision contains the inputs, the expected outputs with their rules, and the outputs of ``variant``, a changed
    model. The latter are empty without a variant or if it crashes.
    """
    case = subject.case
    assert isinstance(case, ComputationCase)
    try:
        variant_outputs = variant.compute(case.profile, case.inputs) if variant is not None else {}
    except CRASHES:
        variant_outputs = {}
    expectation = case.expectation
    return Decision(case.id, None, case.inputs, expectation.clauses, dict(expectation.expect), variant_outputs)

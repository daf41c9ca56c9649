"""Compares the rules exercised by the judged events of a profile with the rules in its cases."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from firstflight import create
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.compare.answers import run_of
from firstflight_conformance.compare.options import models_of
from firstflight_conformance.compare.subject import AnsweredCase, config_of
from firstflight_conformance.format.clauses import known_clauses
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.format.levels import Level, level_of_clause
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.records.findings import Choice
from firstflight_conformance.records.results import Result, Verdict
from firstflight_conformance.replay.measure import ClauseTracer, replay
from firstflight_conformance.replay.variant import Variant
from firstflight_conformance.simulate.cases import AnyCase

_LEVELS = (Level.MUST, Level.SHOULD, Level.DEFINITION)
#: Levels of clauses that are not binding: a permission, and a limit of the models' domain.
_FREE = ("MAY", "domain")


@dataclass(frozen=True, slots=True)
class Seen:
    """A result with its case. ``subject``: the answers, for a case that conforms by other choices."""

    result: Result
    case: AnyCase
    subject: AnsweredCase | None = None

    @property
    def is_whole(self) -> bool:
        """Whether every event agrees with the model and is judged."""
        return self.result.verdict is Verdict.PASS and self.result.judged_events is None


def missing(of: Sequence[Seen], choices: Sequence[Choice], declaration: Declaration) -> tuple[str, ...]:
    """Return the rules of one profile that no judged event exercised.

    Vectors exercise every rule of a profile. With only closed-loop cases the rules come from the model's own runs.
    Rules of explained cases, and rules only in cases refused for a declared reason, are not required.
    """
    if not any(one.subject is not None or _is_refused(one.result) for one in of):
        return ()
    vectors = [one for one in of if isinstance(one.case, Case)]
    left = set(_binding(_required(vectors, declaration) if vectors else _required_in_loop(of, declaration)))
    for one in vectors:
        if one.is_whole:
            left -= set(one.case.expectation.clauses)  # type: ignore[union-attr]
    left -= {clause for choice in choices if choice.acts for clause in _of_choice(choice)}
    for one in of:
        if not left:
            break
        if one.subject is not None or (one.result.verdict is Verdict.PASS and not (one.is_whole and one in vectors)):
            left -= _exercised(one, choices, declaration)
    return tuple(sorted(left))


def _of_choice(choice: Choice) -> set[str]:
    """Return the rules that a choice replaces."""
    decided = (
        clause.id for clause in known_clauses().values() if not choice.point.readings.keys().isdisjoint(clause.readings)
    )
    return {*choice.clauses, *choice.point.clauses, *decided}


def _required(vectors: Sequence[Seen], declaration: Declaration) -> set[str]:
    explained = {name for one in vectors if one.result.explained_by is not None for name in _clauses(one)}
    asked = (one for one in vectors if one.subject is not None or one.is_whole or _is_refused(one.result))
    return {name for one in asked for name in _carried_out(one, declaration)} - explained


def _carried_out(one: Seen, declaration: Declaration) -> Iterable[str]:
    """Return the rules of the case, or of its answered events if the adapter answered only a part."""
    judged_events = one.case.expectation.judged_events  # type: ignore[union-attr]
    if one.subject is not None and one.subject.length < judged_events:
        return _along(one.case, one.subject.length, declaration)
    return _clauses(one)


def _clauses(one: Seen) -> Iterable[str]:
    return one.case.expectation.clauses  # type: ignore[union-attr]


def _is_refused(result: Result) -> bool:
    return result.verdict is Verdict.UNSUPPORTED and getattr(result.unsupported, "why", None) is None


def _required_in_loop(of: Iterable[Seen], declaration: Declaration) -> set[str]:
    """Return the rules of the model's own runs of cases that conform by other choices."""
    return {clause for one in of if one.subject is not None for clause in _along(one.case, None, declaration)}


def _binding(names: Iterable[str]) -> Iterable[str]:
    clauses = known_clauses()
    return (name for name in names if level_of_clause(clauses[name]) in _LEVELS and clauses[name].level not in _FREE)


def _exercised(one: Seen, choices: Sequence[Choice], declaration: Declaration) -> set[str]:
    """Return the rules that the model executes along the judged answers, with the choices of the adapter."""
    end = one.result.judged_events
    if one.subject is None:
        return _along(one.case, end, declaration)
    variant = _variant(one.case, choices)
    with ClauseTracer(variant.texts) as tracer:
        for _ in one.subject.steps(variant, one.subject.length if end is None else end):
            pass
    return tracer.clauses


def _variant(case: AnyCase, choices: Sequence[Choice]) -> Variant:
    """Return the model with the choices for a whole run."""
    models = models_of(case.vector.algorithm, case.profile)
    taken = frozenset(choice.cause for choice in choices if choice.cause in models.settled)
    # Clauses are found by line numbers, which need a copy of the model with its own text.
    return Variant() if models.variant(taken) is None else models.chosen(taken).variant


def _along(case: AnyCase, end: int | None, declaration: Declaration) -> set[str]:
    """Return the rules that the model executes in a case up to an event; in closed loop in its own run."""
    if isinstance(case, ComputationCase):
        return set()
    events = run_of(case, declaration)[0][:end]
    controller = create(case.vector.algorithm, case.profile, config_of(case))
    with ClauseTracer() as tracer:
        replay(controller, events)
    return tracer.clauses

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
    """A result with its case.

    ``subject``: the case with its answers if it conforms by permitted choices other than the model's, else ``None``.
    """

    result: Result
    case: AnyCase
    subject: AnsweredCase | None = None

    @property
    def is_whole(self) -> bool:
        """Whether every event agrees with the model and is judged."""
        return self.result.verdict is Verdict.PASS and self.result.judged_events is None


def missing(case_results: Sequence[Seen], choices: Sequence[Choice], declaration: Declaration) -> tuple[str, ...]:
    """Return the rules of one profile that no judged event exercised.

    Only rules of the levels MUST and SHOULD, and definitions, are required. They are listed in the vectors of the
    profile. With only closed-loop cases they are taken from the model's own runs. Rules of failed cases that a known
    deviation of the manifest explains are not required. Rules only in cases refused for a declared reason are not
    required either.
    """
    if not any(case_result.subject is not None or _is_refused(case_result.result) for case_result in case_results):
        return ()
    vectors = [case_result for case_result in case_results if isinstance(case_result.case, Case)]
    missing_rules = set(
        _binding(_required(vectors, declaration) if vectors else _required_in_loop(case_results, declaration))
    )
    for case_result in vectors:
        if case_result.is_whole:
            missing_rules -= set(case_result.case.expectation.clauses)  # type: ignore[union-attr]
    missing_rules -= {clause for choice in choices if choice.acts for clause in _of_choice(choice)}
    for case_result in case_results:
        if not missing_rules:
            break
        if case_result.subject is not None or (
            case_result.result.verdict is Verdict.PASS and not (case_result.is_whole and case_result in vectors)
        ):
            missing_rules -= _exercised(case_result, choices, declaration)
    return tuple(sorted(missing_rules))


def _of_choice(choice: Choice) -> set[str]:
    """Return the rules that a choice replaces."""
    decided = (
        clause.id for clause in known_clauses().values() if not choice.point.readings.keys().isdisjoint(clause.readings)
    )
    return {*choice.clauses, *choice.point.clauses, *decided}


def _required(vectors: Sequence[Seen], declaration: Declaration) -> set[str]:
    explained = {
        name for case_result in vectors if case_result.result.explained_by is not None for name in _clauses(case_result)
    }
    required_cases = (
        case_result
        for case_result in vectors
        if case_result.subject is not None or case_result.is_whole or _is_refused(case_result.result)
    )
    return {name for case_result in required_cases for name in _carried_out(case_result, declaration)} - explained


def _carried_out(case_result: Seen, declaration: Declaration) -> Iterable[str]:
    """Return the rules of the case, or of its answered events if the adapter answered only a part."""
    judged_events = case_result.case.expectation.judged_events  # type: ignore[union-attr]
    if case_result.subject is not None and case_result.subject.length < judged_events:
        return _along(case_result.case, case_result.subject.length, declaration)
    return _clauses(case_result)


def _clauses(case_result: Seen) -> Iterable[str]:
    return case_result.case.expectation.clauses  # type: ignore[union-attr]


def _is_refused(result: Result) -> bool:
    return result.verdict is Verdict.UNSUPPORTED and getattr(result.unsupported, "why", None) is None


def _required_in_loop(case_results: Iterable[Seen], declaration: Declaration) -> set[str]:
    """Return the ids of the rules that judged events must exercise if a profile has closed-loop cases only.

    A closed-loop case has a simulated sender. The rules are those that the unchanged model executes if it is the
    congestion controller of this sender. Only cases that conform by permitted choices other than the model's are run.
    Other cases add no rules. An implementation that passes answers as the model does, so that its events exercise these
    rules anyway.
    """
    return {
        clause
        for case_result in case_results
        if case_result.subject is not None
        for clause in _along(case_result.case, None, declaration)
    }


def _binding(names: Iterable[str]) -> Iterable[str]:
    clauses = known_clauses()
    return (name for name in names if level_of_clause(clauses[name]) in _LEVELS and clauses[name].level not in _FREE)


def _exercised(case_result: Seen, choices: Sequence[Choice], declaration: Declaration) -> set[str]:
    """Return the ids of the rules that the model, with the implementation's choices, executes along the answers.

    Only judged answers count.
    """
    end = case_result.result.judged_events
    if case_result.subject is None:
        return _along(case_result.case, end, declaration)
    variant = _variant(case_result.case, choices)
    with ClauseTracer(variant.texts) as tracer:
        for _ in case_result.subject.steps(variant, case_result.subject.length if end is None else end):
            pass
    return tracer.clauses


def _variant(case: AnyCase, choices: Sequence[Choice]) -> Variant:
    """Return the model with the permitted choices that the implementation makes for whole cases.

    ``choices``: its choices at points that a text leaves open; choices at single events are ignored. Return the
    unchanged model if the choices exclude each other.
    """
    models = models_of(case.vector.algorithm, case.profile)
    alternatives = frozenset(choice.cause for choice in choices if choice.cause in models.settled)
    # Clauses are found by line numbers, which need a copy of the model with its own text.
    return Variant() if models.variant(alternatives) is None else models.chosen(alternatives).variant


def _along(case: AnyCase, end: int | None, declaration: Declaration) -> set[str]:
    """Return the ids of the rules that the unchanged model executes at the events of a case before index ``end``.

    With ``end`` None, all events count. In closed loop (with a simulated sender), the events come from a run with the
    model as the congestion controller. The set is empty for a computation.
    """
    if isinstance(case, ComputationCase):
        return set()
    events = run_of(case, declaration)[0][:end]
    controller = create(case.vector.algorithm, case.profile, config_of(case))
    with ClauseTracer() as tracer:
        replay(controller, events)
    return tracer.clauses

"""The diagnosis of one adapter: the causes of its failures, best first, and the points that it decides otherwise and may."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from firstflight.events import Event
from firstflight_conformance.cases.computations import ComputationCase
from firstflight_conformance.cases.vectors import Case
from firstflight_conformance.cases.wire import observables
from firstflight_conformance.diagnose.breaks import MOST, broken_by, by_weight
from firstflight_conformance.diagnose.candidates import singles
from firstflight_conformance.diagnose.curve import Curve, curve_of
from firstflight_conformance.diagnose.decision import Decision, decision_of, unknown_decision
from firstflight_conformance.diagnose.departures import Choice, Departures, by_profile, of_profile, undecided
from firstflight_conformance.diagnose.exercised import Exercised, Judged, exercised
from firstflight_conformance.diagnose.explain import Explanation
from firstflight_conformance.diagnose.levels import Level, at_most, level_of_clause, most_binding
from firstflight_conformance.diagnose.subject import AnyCase, Subject, shortest_first
from firstflight_conformance.run.closed_loop import CLOCK_NS
from firstflight_conformance.run.messages import Declaration
from firstflight_conformance.run.rehearsal import followed
from firstflight_conformance.run.results import AdapterReport, Result, Verdict
from firstflight_conformance.run.stimulus import StimulusCase
from firstflight_conformance.spec.clauses import known_clauses

#: What the cause is called that is not known.
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause of failures. ``cases`` are those that it explains, of ``of`` failures; for an unknown one those that nothing explains.

    ``kind``: ``reading``, ``mutant``, ``pair``, or ``rule`` where only the rules are known in which the decision can differ. ``title`` and
    ``why`` are those of the vector in which it is decided, empty in closed loop; ``curve`` has the windows there.
    """

    cause: str
    kind: str
    what: str
    clauses: tuple[str, ...]
    level: Level
    cases: tuple[str, ...]
    of: int
    decision: Decision
    title: str
    why: str
    curve: Curve | None = None

    @property
    def explains(self) -> int:
        """The number of failures of which it reproduces every answer."""
        return 0 if self.kind == "rule" else len(self.cases)

    @property
    def exact(self) -> bool:
        """Whether it reproduces every answer of every failure."""
        return self.explains == self.of


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What the implementation chooses otherwise and may, and the causes of what remains, best first.

    ``conforming``: the cases in which it differs and conforms, with the events that were judged, ``None`` if all of them.
    ``exercised``: what was not judged where vectors are judged in part.
    """

    causes: tuple[Cause, ...] = ()
    choices: tuple[Choice, ...] = ()
    conforming: Mapping[str, int | None] = field(default_factory=dict)
    exercised: Exercised = field(default_factory=Exercised)

    def cause_of(self, case_id: str) -> Cause | None:
        """Return the first cause that explains a failure, else the unknown one."""
        return next((cause for cause in self.causes if case_id in cause.cases), None)


def diagnosed(report: AdapterReport, cases: Mapping[str, AnyCase]) -> AdapterReport:
    """Return the report with the causes of the failures that no manifest explains. ``cases`` by their ids."""
    declaration = report.declaration
    if declaration is None:
        return report
    failing = [
        _failed(result, cases[result.case_id], declaration)
        for result in report.results
        if result.verdict is Verdict.FAIL and result.explained_by is None and result.recording is not None
    ]
    diagnosis = diagnose(failing, _passed(report, cases, failing)) if failing else Diagnosis()
    return replace(
        report, results=tuple(_with_cause(result, diagnosis) for result in report.results), diagnosis=diagnosis
    )


def _passed(report: AdapterReport, cases: Mapping[str, AnyCase], failing: Sequence[Subject]) -> list[Subject]:
    """Return what passed, to the end, in the profiles in which others failed; in closed loop only what agrees without any tolerance."""
    assert report.declaration is not None
    profiles = {(subject.case.vector.algorithm, subject.case.profile) for subject in failing}
    found = [
        cases[result.case_id]
        for result in report.results
        if result.verdict is Verdict.PASS
        and result.judged_events is None
        and not (result.loop and result.loop.stack != result.loop.model)
    ]
    return [passed(case, report.declaration) for case in found if (case.vector.algorithm, case.profile) in profiles]


def _failed(result: Result, case: AnyCase, declaration: Declaration) -> Subject:
    assert result.recording is not None and result.divergence is not None
    first = result.divergence.event_index or 0
    return Subject(case, declaration, result.recording.events, result.recording.observed, first)


def passed(case: AnyCase, declaration: Declaration) -> Subject:
    """Return a case with the expected answers, as far as the adapter declares them; in closed loop those of the model's own run."""
    if isinstance(case, ComputationCase):
        return Subject(case, declaration, (), (case.expected(),), None)
    events, expected = _run_of(case, declaration)
    answers = tuple({name: now[name] for name in declaration.observables if name in now} for now in expected)
    return Subject(case, declaration, events, answers, None)


def _run_of(case: Case | StimulusCase, declaration: Declaration) -> tuple[tuple[Event, ...], list[dict[str, Any]]]:
    if isinstance(case, Case):
        return case.events, case.expected()
    run = followed(case, CLOCK_NS[declaration.clock], declaration.observables)
    return tuple(event for event, _ in run), [observables(observation) for _, observation in run]


def diagnose(failing: Sequence[Subject], passing: Sequence[Subject], *, choices: bool = True) -> Diagnosis:
    """Return what conforms, and the causes of the other failures, best first; an unknown one at the end for what nothing explains.

    Without ``choices`` another choice is a cause like any other.
    """
    groups = by_profile(failing, passing)
    found = [of_profile(*group) if choices else undecided(*group) for group in groups]
    rest = [departures for _, departures in found if departures.failing]
    # Whatever has the same choices in several profiles is explained together.
    joined: dict[frozenset[str], Departures] = {}
    for departures in rest:
        key = departures.chosen.key
        joined[key] = joined[key].joined(departures) if key in joined else departures
    of = sum(len(departures.failing) for departures in rest)
    causes = [cause for departures in joined.values() for cause in _causes(departures, of)]
    conforming = {one.case.id: one.cut for agreement, _ in found for one in agreement.judged}
    whole = [Judged(subject, None) for subject in passing]
    return Diagnosis(
        tuple(sorted(causes, key=lambda cause: -cause.explains)),
        tuple(choice for agreement, _ in found for choice in agreement.choices),
        conforming,
        exercised([*whole, *(one for agreement, _ in found for one in agreement.judged)]),
    )


def _causes(departures: Departures, of: int) -> list[Cause]:
    found = departures.explanations()
    causes = [_cause(explanation, departures.failing, of) for explanation in found]
    done = {case for cause in causes for case in cause.cases}
    rest = [subject for subject in departures.failing if subject.case.id not in done]
    return [*causes, _unknown(rest, of)] if rest else causes


def _cause(found: Explanation, failing: Sequence[Subject], of: int) -> Cause:
    explained = shortest_first([subject for subject in failing if subject.case.id in found.explained])
    decision = decision_of(explained[0], found.variant)
    clauses = broken_by(found.candidate, decision)
    return Cause(
        found.candidate.id,
        found.candidate.kind,
        found.candidate.what,
        clauses,
        most_binding(clauses),
        tuple(subject.case.id for subject in explained),
        of,
        decision,
        *_about(explained[0].case),
        curve_of(explained[0], decision),
    )


def _unknown(rest: Sequence[Subject], of: int) -> Cause:
    """Return what can be said of failures that no candidate explains: the rules that the shortest of them is about."""
    ordered = shortest_first(rest)
    case = ordered[0].case
    decision = unknown_decision(ordered[0], singles(case.vector.algorithm, (case.profile,)))
    clauses = tuple(by_weight(decision.clauses)[:MOST])
    cases = tuple(subject.case.id for subject in ordered)
    about = _about(case)
    curve = curve_of(ordered[0], decision)
    return Cause(UNKNOWN, "rule", "no known cause", clauses, at_most(clauses), cases, of, decision, *about, curve=curve)


def _about(case: AnyCase) -> tuple[str, str]:
    """Return title and reason of a vector."""
    return (case.vector.title, case.vector.why) if isinstance(case, Case | ComputationCase) else ("", "")


def _with_cause(result: Result, diagnosis: Diagnosis) -> Result:
    """Return a failure with its level and cause; of one that the manifest explains the level is that of its deviation."""
    if result.verdict is not Verdict.FAIL:
        return result
    if result.explained_by is not None:
        of_clause = level_of_clause(known_clauses()[result.explained_by.clause]).value
        return replace(result, recording=None, level=result.explained_by.level_of(of_clause))
    if result.case_id in diagnosis.conforming:
        chosen = [choice for choice in diagnosis.choices if result.case_id in choice.cases]
        return replace(
            result,
            recording=None,
            level=Level.OPEN_POINT.value,
            cause=" + ".join(dict.fromkeys(choice.cause for choice in chosen)),
            conforms=True,
            judged_events=diagnosis.conforming[result.case_id],
        )
    cause = diagnosis.cause_of(result.case_id)
    if cause is None:
        return replace(result, recording=None)
    return replace(result, recording=None, level=cause.level.value, cause=cause.cause)

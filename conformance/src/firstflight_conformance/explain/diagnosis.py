"""The diagnosis of one adapter: causes of its failures, best first, and its conforming choices at open points."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from firstflight_conformance.compare.answers import failed, passed
from firstflight_conformance.compare.exercised import exercised, exercised_by
from firstflight_conformance.compare.judged import Judged
from firstflight_conformance.compare.profile import by_profile
from firstflight_conformance.compare.subject import AnsweredCase, shortest_first
from firstflight_conformance.explain.breaks import broken_by, may_be_broken
from firstflight_conformance.explain.curve import curve_of
from firstflight_conformance.explain.decision import arithmetic, decision_of, divergence_of
from firstflight_conformance.explain.departures import Departures, of_profile, without_choices
from firstflight_conformance.explain.explain import Explanation
from firstflight_conformance.explain.suspects import suspects_of
from firstflight_conformance.format.clauses import known_clauses
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.format.levels import Level, at_most, level_of_clause, most_binding
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.records.findings import UNKNOWN, Cause, Diagnosis
from firstflight_conformance.records.results import AdapterReport, Result, Verdict
from firstflight_conformance.replay.candidates import singles
from firstflight_conformance.replay.variant import Variant
from firstflight_conformance.simulate.cases import AnyCase


def diagnosed(report: AdapterReport, cases: Mapping[str, AnyCase]) -> AdapterReport:
    """Return the report with the causes of the failures not explained by the manifest. ``cases``: cases by id."""
    declaration = report.declaration
    if declaration is None:
        return report
    failing = [
        failed(result, cases[result.case_id], declaration)
        for result in report.results
        if result.verdict is Verdict.FAIL and result.explained_by is None and result.recording is not None
    ]
    diagnosis = diagnose(failing, _passed(report, cases, failing)) if failing else Diagnosis()
    return replace(
        report, results=tuple(_with_cause(result, diagnosis) for result in report.results), diagnosis=diagnosis
    )


def scored(report: AdapterReport, cases: Mapping[str, AnyCase]) -> AdapterReport:
    """Return the report on a null adapter with the MUST rules that its passed cases do not exercise.

    A null adapter contains no congestion control, so its passed cases should exercise few rules. Causes of its failures
    are not searched.
    """
    judged = [result for result in report.results if result.verdict is not Verdict.UNSUPPORTED]
    passed = [cases[result.case_id] for result in judged if result.verdict is Verdict.PASS]
    failed = [cases[result.case_id] for result in judged if result.verdict is not Verdict.PASS]
    return replace(report, diagnosis=Diagnosis(exercised=exercised_by(passed, failed)))


def _passed(report: AdapterReport, cases: Mapping[str, AnyCase], failing: Sequence[AnsweredCase]) -> list[AnsweredCase]:
    """Return the completely judged passed cases of the profiles with failures.

    A closed-loop case is included only if its run equals the run of the model.
    """
    assert report.declaration is not None
    profiles = {(subject.case.vector.algorithm, subject.case.profile) for subject in failing}
    passed_cases = [
        cases[result.case_id]
        for result in report.results
        if result.verdict is Verdict.PASS
        and result.judged_events is None
        and not (result.loop and result.loop.stack != result.loop.model)
    ]
    return [
        passed(case, report.declaration) for case in passed_cases if (case.vector.algorithm, case.profile) in profiles
    ]


def diagnose(failing: Sequence[AnsweredCase], passing: Sequence[AnsweredCase], *, choices: bool = True) -> Diagnosis:
    """Return the conforming choices, and the causes of the other failures, best first, then unknown causes.

    An open point is a place where a text permits several choices. Conforming choices are permitted choices that explain
    failed cases. ``passing``: passed cases, whose answers a cause must not change. Without ``choices``, another choice
    at an open point is reported as a cause.
    """
    groups = by_profile(failing, passing)
    profile_verdicts = [of_profile(*group) if choices else without_choices(*group) for group in groups]
    rest = [verdicts.departures for verdicts in profile_verdicts if verdicts.departures.failing]
    failure_count = sum(len(departures.failing) for departures in rest)
    causes: list[Cause] = []
    known: list[Explanation] = []
    for departures in rest:
        # A mistake in the base causes failures in several profiles.
        known += departures.explanations(known)
        causes = _merged(causes, _causes(departures, failure_count))
    conforming = {
        judged_case.case.id: judged_case.cut
        for verdicts in profile_verdicts
        for judged_case in verdicts.agreement.judged
    }
    whole = [Judged(subject, None) for subject in passing]
    return Diagnosis(
        tuple(sorted(causes, key=_place)),
        tuple(choice for verdicts in profile_verdicts for choice in verdicts.agreement.choices),
        conforming,
        exercised(
            [*whole, *(judged_case for verdicts in profile_verdicts for judged_case in verdicts.agreement.judged)]
        ),
        tuple(case for verdicts in profile_verdicts for case in verdicts.undecided),
        {case: objecting for verdicts in profile_verdicts for case, objecting in verdicts.clashes.items()},
    )


def _merged(causes: Sequence[Cause], more: Sequence[Cause]) -> list[Cause]:
    """Return the causes of several profiles. Equal causes become one cause with the cases of both.

    Unknown causes, of failures that no candidate explains, are not merged.
    """
    merged = [*causes]
    for cause in more:
        at = next(
            (
                i
                for i, known_cause in enumerate(merged)
                if known_cause.cause == cause.cause and known_cause.kind != "rule"
            ),
            None,
        )
        if at is None:
            merged.append(cause)
        else:
            cases = (*merged[at].cases, *cause.cases)
            merged[at] = replace(merged[at], cases=cases, followed=merged[at].followed + cause.followed)
    return merged


def _place(cause: Cause) -> tuple[int, int, int]:
    """Sort key of a cause: known causes, then unknown causes, then weak causes.

    A weak cause is known, but may be a coincidence: it explains less than a third of the failures. Causes of most
    failures come first in their group. At equal numbers, causes that need fewer values from bounds (permitted
    intervals) come first.
    """
    if cause.kind == "rule":
        return 1, 0, 0
    return 2 if cause.is_scrap else 0, -cause.explains, cause.followed


def _causes(departures: Departures, failure_count: int) -> list[Cause]:
    explanations = departures.explanations()
    causes = [_cause(explanation, departures.failing, failure_count) for explanation in explanations]
    done = {case for cause in causes for case in cause.cases}
    rest = [subject for subject in departures.failing if subject.case.id not in done]
    if rest:
        return [*causes, _unknown(rest, failure_count, departures)]
    stopped = departures.failures.stopped
    return [replace(causes[0], notes=stopped), *causes[1:]] if causes else causes


def _cause(explanation: Explanation, failing: Sequence[AnsweredCase], failure_count: int) -> Cause:
    explained = _clearest_first(
        [subject for subject in failing if subject.case.id in explanation.explained], explanation.variant
    )
    decision = decision_of(explained[0], explanation.variant)
    clauses = broken_by(explanation.candidate, decision, explained[0].profile, explanation.clauses)
    return Cause(
        explanation.candidate.id,
        explanation.candidate.kind,
        explanation.candidate.what,
        clauses,
        most_binding(clauses),
        tuple(subject.case.id for subject in explained),
        failure_count,
        decision,
        *_about(explained[0].case),
        curve_of(explained[0], decision),
        sum(bool(subject.walk(explanation.variant).taken) for subject in explained),
        divergence_of(explained[0]),
    )


def _clearest_first(subjects: Sequence[AnsweredCase], variant: Variant) -> list[AnsweredCase]:
    """Return the failed cases ``subjects`` in order: cases unaffected by open points first.

    An open point is a place where a text permits several choices or an interval of values. The second group contains
    cases with answers that take a value from an interval. It also contains cases whose first divergence moves to
    another event if the model does not make the implementation's permitted choices. Cases come last if all their judged
    answers agree with the model that makes these choices. In each group shorter cases come first. ``variant``: the
    model with the cause that explains the cases.
    """
    right = Variant()

    def affected(subject: AnsweredCase) -> tuple[bool, bool]:
        chosen = subject.walk(subject.right)
        return chosen.cut is not None or chosen.agreed == subject.length, bool(
            chosen.taken or subject.walk(variant).taken or subject.walk(right).agreed != (subject.first or 0)
        )

    return sorted(shortest_first(subjects), key=affected)


def _unknown(rest: Sequence[AnsweredCase], failure_count: int, departures: Departures) -> Cause:
    """Return the unknown cause of the failures ``rest``, with the rules relevant to the shortest failure.

    Its notes contain near causes: edits of the model that explain the most failures, but not all. They also contain the
    state used by the model at the divergence.
    """
    # A case that conforms alone, but contradicts the choices of the run, does not diverge: such cases come last.
    ordered = sorted(
        shortest_first(rest), key=lambda subject: subject.judged_by(subject.walk(subject.right)) == subject.length
    )
    case = ordered[0].case
    candidates, failures = singles(case.vector.algorithm, (case.profile,)), departures.failures
    with failures.budget.to_the_end():
        decision, clauses = suspects_of(ordered, candidates, departures.choices, failures.budget)
    near, line = failures.near, failures.line
    # The first suspects are the rules of the line whose value explains the failures.
    clauses = may_be_broken((*(line[1][:2] if line else ()), *clauses), ordered[0].profile)
    cases = tuple(subject.case.id for subject in ordered)
    about = _about(case)
    curve = curve_of(ordered[0], decision)
    notes = (
        *(operator.note(failure_count) for operator in near),
        *([line[0]] if line else ()),
        *arithmetic(ordered[0]),
        *failures.stopped,
    )
    return Cause(
        UNKNOWN, "rule", "no known cause", clauses, at_most(clauses), cases, failure_count, decision, *about,
        curve=curve, divergence=divergence_of(ordered[0]), notes=notes,
    )  # fmt: skip


def _about(case: AnyCase) -> tuple[str, str]:
    """Return title and reason of a vector, or empty texts."""
    return (case.vector.title, case.vector.why) if isinstance(case, Case | ComputationCase) else ("", "")


def _with_cause(result: Result, diagnosis: Diagnosis) -> Result:
    """Return a failure with its cause and level: the requirement level, such as MUST, of the violated rules.

    A failure conforms if choices that a text permits, other than the choices of the model, explain it. Its level is
    then ``open point`` (a place where a text permits several choices), and its cause lists the choices. For a deviation
    explained in the manifest, the manifest sets the level. Results with another verdict than failure are returned
    unchanged.
    """
    if result.verdict is not Verdict.FAIL:
        return result
    why = result.explained_by
    if why is not None:
        clause = why.clause and known_clauses()[why.clause]
        return replace(result, recording=None, level=why.level_of(level_of_clause(clause).value) if clause else None)
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
    if result.case_id in diagnosis.undecided:
        return replace(result, recording=None, undecided=True)
    clash, cause = diagnosis.clashes.get(result.case_id), diagnosis.cause_of(result.case_id)
    if cause is None:
        return replace(result, recording=None, clash=clash)
    return replace(result, recording=None, level=cause.level.value, cause=cause.cause, clash=clash)

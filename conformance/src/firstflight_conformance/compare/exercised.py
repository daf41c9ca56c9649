"""Finds the binding rules that the judged events exercise if some vectors are judged only in part.

An implementation that uses less than a text allows later sends less than the vectors, which are not judged from there
on. Its conformance to the later rules is not shown.
"""

from collections.abc import Collection, Iterator, Sequence

from firstflight_conformance.compare.judged import Judged
from firstflight_conformance.format.clauses import known_clauses
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.format.levels import Level, level_of_clause
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.records.findings import Exercised
from firstflight_conformance.replay.measure import ClauseTracer
from firstflight_conformance.simulate.cases import AnyCase


def exercised(judged: Sequence[Judged]) -> Exercised:
    """Return the MUST rules that no judged event exercises, for profiles with a case that is judged only in part.

    A case is judged in part if events after some index are not judged. The result contains the ids of these rules in
    ``missing``, limited to rules that a vector judged in part lists. ``in_part`` is the number of vectors judged in
    part, and ``of`` the number of vectors of these profiles.
    """
    profiles = dict.fromkeys(_profile(judged_case.case) for judged_case in judged if judged_case.cut is not None)
    missing = [
        rule
        for profile in profiles
        for rule in _missing([judged_case for judged_case in judged if _profile(judged_case.case) == profile])
    ]
    vectors = [
        judged_case
        for judged_case in judged
        if isinstance(judged_case.case, Case) and _profile(judged_case.case) in profiles
    ]
    in_part = sum(judged_case.cut is not None for judged_case in vectors)
    return Exercised(tuple(dict.fromkeys(missing)), in_part, len(vectors))


def exercised_by(passed: Sequence[AnyCase], failed: Sequence[AnyCase]) -> Exercised:
    """Return the MUST rules that are listed by a judged case, but by no passed case: the score of a null adapter.

    A null adapter contains no congestion control, so its passed cases should exercise few rules. ``passed`` and
    ``failed`` are its judged cases. In the result, ``missing`` contains the sorted ids, and ``of`` the number of judged
    cases. ``rules`` is the number of all MUST rules that a judged case lists.
    """
    exercised_rules, every = (
        {name for case in cases for name in _binding(_named(case))} for cases in (passed, (*passed, *failed))
    )
    return Exercised(tuple(sorted(every - exercised_rules)), of=len(passed) + len(failed), rules=len(every))


def _profile(case: AnyCase) -> tuple[str, str]:
    return case.vector.algorithm, case.profile


def _missing(judged: Sequence[Judged]) -> list[str]:
    """Return the rules of a profile that no fully judged vector, judged part of a vector, or closed loop exercises."""
    missing = {
        name for judged_case in judged if judged_case.cut is not None for name in _binding(_named(judged_case.case))
    }
    for rules in _carried_out(judged):
        if not missing:
            break
        missing -= set(rules)
    return sorted(missing)


def _carried_out(judged: Sequence[Judged]) -> Iterator[Collection[str]]:
    yield from (
        _named(judged_case.case)
        for judged_case in judged
        if judged_case.cut is None and isinstance(judged_case.case, Case)
    )
    yield from (_traced(judged_case) for judged_case in judged if judged_case.cut is not None)
    yield from (
        _traced(judged_case)
        for judged_case in judged
        if judged_case.cut is None and not isinstance(judged_case.case, Case)
    )


def _named(case: AnyCase) -> tuple[str, ...]:
    """Return the rules that a vector lists."""
    return case.expectation.clauses if isinstance(case, Case) else ()


def _binding(names: Collection[str]) -> Iterator[str]:
    clauses = known_clauses()
    return (name for name in names if level_of_clause(clauses[name]) is Level.MUST)


def _traced(judged_case: Judged) -> set[str]:
    """Return the rules that the model executes along the judged answers."""
    if isinstance(judged_case.case, ComputationCase):
        return set()
    subject = judged_case.subject
    end = subject.length if judged_case.cut is None else judged_case.cut
    with ClauseTracer(subject.right.texts) as tracer:
        for _ in subject.steps(subject.right, end):
            pass
    return tracer.clauses

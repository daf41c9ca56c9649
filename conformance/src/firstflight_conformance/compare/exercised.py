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
    """Return the unexercised rules of profiles with vectors that are judged in part."""
    profiles = dict.fromkeys(_profile(one.case) for one in judged if one.cut is not None)
    missing = [
        rule for profile in profiles for rule in _missing([one for one in judged if _profile(one.case) == profile])
    ]
    vectors = [one for one in judged if isinstance(one.case, Case) and _profile(one.case) in profiles]
    in_part = sum(one.cut is not None for one in vectors)
    return Exercised(tuple(dict.fromkeys(missing)), in_part, len(vectors))


def exercised_by(passed: Sequence[AnyCase], others: Sequence[AnyCase]) -> Exercised:
    """Return the MUST rules of all cases that the passed cases do not exercise: the score of a null adapter."""
    found, every = (
        {name for case in cases for name in _binding(_named(case))} for cases in (passed, (*passed, *others))
    )
    return Exercised(tuple(sorted(every - found)), of=len(passed) + len(others), rules=len(every))


def _profile(case: AnyCase) -> tuple[str, str]:
    return case.vector.algorithm, case.profile


def _missing(judged: Sequence[Judged]) -> list[str]:
    """Return the rules of a profile that no fully judged vector, judged part of a vector, or closed loop exercises."""
    left = {name for one in judged if one.cut is not None for name in _binding(_named(one.case))}
    for found in _carried_out(judged):
        if not left:
            break
        left -= set(found)
    return sorted(left)


def _carried_out(judged: Sequence[Judged]) -> Iterator[Collection[str]]:
    yield from (_named(one.case) for one in judged if one.cut is None and isinstance(one.case, Case))
    yield from (_traced(one) for one in judged if one.cut is not None)
    yield from (_traced(one) for one in judged if one.cut is None and not isinstance(one.case, Case))


def _named(case: AnyCase) -> tuple[str, ...]:
    """Return the rules that a vector lists."""
    return case.expectation.clauses if isinstance(case, Case) else ()


def _binding(names: Collection[str]) -> Iterator[str]:
    clauses = known_clauses()
    return (name for name in names if level_of_clause(clauses[name]) is Level.MUST)


def _traced(one: Judged) -> set[str]:
    """Return the rules that the model executes along the judged answers."""
    if isinstance(one.case, ComputationCase):
        return set()
    subject = one.subject
    end = subject.length if one.cut is None else one.cut
    with ClauseTracer(subject.right.texts) as tracer:
        for _ in subject.steps(subject.right, end):
            pass
    return tracer.clauses

"""Verdicts on the failures in a profile, before the search for causes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from firstflight_conformance.compare.bounds.bound import Taken
from firstflight_conformance.compare.joint import Joint, join
from firstflight_conformance.compare.options import NOTHING, Models, models_of
from firstflight_conformance.compare.relation import ConformingWay, Judgement, explained, judge
from firstflight_conformance.compare.subject import AnsweredCase
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.format.open_points import open_points
from firstflight_conformance.records.findings import Choice


def by_profile(
    failing: Sequence[AnsweredCase], passing: Sequence[AnsweredCase]
) -> Iterator[tuple[list[AnsweredCase], list[AnsweredCase]]]:
    """Yield failed and passed cases, profile by profile."""
    profiles = dict.fromkeys((subject.case.vector.algorithm, subject.case.profile) for subject in failing)
    for profile in profiles:
        yield (
            [subject for subject in failing if (subject.case.vector.algorithm, subject.case.profile) == profile],
            [subject for subject in passing if (subject.case.vector.algorithm, subject.case.profile) == profile],
        )


@dataclass(frozen=True, slots=True)
class Compared:
    """Verdicts on the failed cases of a profile (one version of an algorithm), before the search for causes.

    ``joint``: the permitted choices of the implementation, common to all cases. ``conforming``: by id, cases that
    conform by these choices, each with its way, an explanation of the answers. ``undecided``: ids of cases with a
    search that reached its limit. ``rest``: all other failed cases. ``fronts``: cases without any explanation, each
    with the sets of choices that reproduce the most answers.
    """

    models: Models
    joint: Joint
    conforming: dict[str, tuple[AnsweredCase, ConformingWay]]
    undecided: tuple[str, ...]
    rest: list[AnsweredCase]
    fronts: list[tuple[AnsweredCase, tuple[frozenset[str], ...]]]


def compared(failing: Sequence[AnsweredCase], passing: Sequence[AnsweredCase]) -> Compared:
    """Return the verdicts on the failed cases of a profile (one version of an algorithm).

    The choices of the run are permitted choices that the implementation makes at points that a text leaves open. They
    fit all conforming cases and change no passing case. Each case is first judged by its own answers. A case that fits
    only other choices is inconsistent with the run, and is a deviation.
    """
    algorithm, profile = failing[0].case.vector.algorithm, failing[0].case.profile
    models = models_of(algorithm, profile)
    judged = [(subject, judged_alone(subject, models)) for subject in failing]
    ways = [(subject, judgement.ways) for subject, judgement in judged if judgement.ways]
    joint = join(ways, passing, models)
    # The search for a single case is limited. The choices of the run may explain a case that it misses.
    under = [(subject, explained(subject, models, joint.taken)) for subject in failing if _may_conform(subject, joint)]
    conforming = {subject.case.id: (subject, way) for subject, way in under if way is not None}
    undecided = tuple(s.case.id for s, judgement in judged if judgement.undecided and s.case.id not in conforming)
    rest = [s for s in failing if s.case.id not in conforming and s.case.id not in undecided]
    return Compared(
        models,
        joint,
        conforming,
        undecided,
        rest,
        [(s, judgement.fronts) for s, judgement in judged if judgement.fronts],
    )


def judged_alone(subject: AnsweredCase, models: Models) -> Judgement:
    """Return the verdict on a case from its own answers: the permitted choices that explain them, if any.

    A computation is a case with inputs and outputs, without events. The texts permit no choices in computations, so
    that a failed computation does not conform.
    """
    if isinstance(subject.case, ComputationCase):
        return Judgement()
    # Most conforming cases differ by a bound only.
    plain = explained(subject, models, NOTHING)
    if plain is not None and not plain.moments and all(value.acts for value in plain.values):
        return Judgement((plain,))
    return judge(subject, models)


def _may_conform(subject: AnsweredCase, joint: Joint) -> bool:
    """Return whether to check a case with the permitted choices common to all cases of the run.

    Return False for a computation, and for a case that needs choices which contradict another case.
    """
    return not isinstance(subject.case, ComputationCase) and subject.case.id not in joint.clashes


def values_taken(values_by_case: Mapping[str, Sequence[Taken]]) -> list[Choice]:
    """Return one :class:`Choice` for each kind of value that answers take from an interval that a text permits.

    ``values_by_case``: the values by id of the case. Values of one kind have the same open point, quantity and
    reference. Values for doing nothing, such as not jumping, are a kind of their own. The text of a choice contains the
    smallest and the largest share: the value divided by its reference, such as the saved window.
    """
    points = {point.id: point for point in open_points()}
    groups: dict[tuple[str, str, str, bool], list[tuple[str, Taken]]] = {}
    for case, values in values_by_case.items():
        for value in values:
            groups.setdefault((value.point, value.quantity, value.reference, value.acts), []).append((case, value))
    return [
        Choice(
            points[name],
            f"{name} {quantity}" if acts else f"{name} {quantity} never",
            f"{quantity}: {_shares([value.share for _, value in values])} {reference}"
            if acts
            else f"{quantity}: never",
            (),
            tuple(dict.fromkeys(case for case, _ in values)),
            acts,
            any(value.extreme for _, value in values),
        )
        for (name, quantity, reference, acts), values in groups.items()
    ]


def _shares(shares: Sequence[Fraction]) -> str:
    least, largest = f"{float(min(shares)):.2f}", f"{float(max(shares)):.2f}"
    return least if least == largest else f"{least} to {largest}"

"""One combination of alternatives for all cases of a run.

Each case conforms in one or more ways: alternatives taken, and alternatives that acted and were refused. A run is consistent if
one combination fits a way of every case. An intersection by open point would be wrong: a case may accept one alternative or another.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from firstflight_conformance.compare.options import NOTHING, Models
from firstflight_conformance.compare.relation import Explained, judge
from firstflight_conformance.diagnose.subject import Subject

#: The most combinations to keep, those with the fewest alternatives first.
_MOST = 256

Ways = Sequence[Explained]


@dataclass(frozen=True, slots=True)
class _Combination:
    """Alternatives that cases take, refuse, and take at some events."""

    taken: frozenset[str] = NOTHING
    refused: frozenset[str] = NOTHING
    moments: frozenset[str] = NOTHING

    @property
    def place(self) -> tuple[object, ...]:
        """The order: fewest alternatives first, those that hold before moments."""
        return (
            len(self.taken) + len(self.moments), len(self.moments), len(self.refused),
            sorted(self.taken), sorted(self.moments), sorted(self.refused),
        )  # fmt: skip

    def plus(self, other: "_Combination") -> "_Combination":
        """Return both together."""
        return _Combination(self.taken | other.taken, self.refused | other.refused, self.moments | other.moments)


@dataclass(frozen=True, slots=True)
class Joint:
    """The combination for a run. ``clashes``: cases that conform only by another combination, each with a case that contradicts it."""

    taken: frozenset[str] = NOTHING
    clashes: dict[str, str] = field(default_factory=dict)


def join(conforming: Sequence[tuple[Subject, Ways]], passing: Sequence[Subject], models: Models) -> Joint:
    """Return the combination with the fewest alternatives that fits all cases, or most of them.

    ``conforming``: cases that differ from the model and conform, with their ways. ``passing``: cases that agree with the model, which
    a combination must not change. A case that contradicts passing cases is a clash.
    """
    objectors: list[tuple[Subject, Ways]] = []
    left = list(passing)
    while True:
        combinations, clashes = _joined([*objectors, *conforming], models)
        taken = combinations[0].taken
        objecting = [subject for subject in left if not _fits(subject, models, taken)]
        if not objecting or not taken:
            return Joint(taken, clashes)
        first = objecting[0]
        left = [subject for subject in left if subject is not first]
        # A case whose walk reaches a limit keeps its own answers: the model without alternatives.
        objectors.append((first, judge(first, models).ways or (Explained(NOTHING, frozenset(models.settled)),)))


def _fits(subject: Subject, models: Models, taken: frozenset[str]) -> bool:
    variant = models.variant(taken)
    return variant is not None and (subject.explained_by(variant) or bool(judge(subject, models, taken).ways))


def _joined(cases: Sequence[tuple[Subject, Ways]], models: Models) -> tuple[list[_Combination], dict[str, str]]:
    """Return the combinations that fit the cases, fewest alternatives first, and the cases that fit none."""
    combinations = [_Combination()]
    clashes: dict[str, str] = {}
    fitting: list[tuple[Subject, Ways]] = []
    for subject, ways in cases:
        wider = _both(combinations, _of(ways), models)
        if wider:
            combinations = wider
            fitting.append((subject, ways))
        else:
            clashes[subject.case.id] = _contradicts(ways, fitting, models)
    return combinations, clashes


def _of(ways: Ways) -> list[_Combination]:
    return [_Combination(way.taken, way.refused, way.moments) for way in ways]


def _both(some: Sequence[_Combination], others: Sequence[_Combination], models: Models) -> list[_Combination]:
    """Return the combinations of one of each that do not exclude each other, without those that refuse more than another."""
    found = {
        both
        for one in some
        for other in others
        if not (both := one.plus(other)).taken & both.refused and models.variant(both.taken) is not None
    }
    kept: list[_Combination] = []
    for both in sorted(found, key=lambda one: one.place):
        if not any(both.taken == known.taken and known.refused <= both.refused for known in kept):
            kept.append(both)
    return kept[:_MOST]


def _contradicts(ways: Ways, fitting: Sequence[tuple[Subject, Ways]], models: Models) -> str:
    """Return the first case that fits no way of another one; empty if only several together contradict it."""
    for subject, others in fitting:
        if not _both(_of(ways), _of(others), models):
            return subject.case.id
    return ""

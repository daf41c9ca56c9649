"""What of the failures in a profile is a choice that its text leaves open, and what departs from it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from firstflight_conformance.compare.bounds.bound import Taken
from firstflight_conformance.compare.joint import Joint, join, nearest
from firstflight_conformance.compare.judged import Judged
from firstflight_conformance.compare.options import NOTHING, Chosen, Models, Option, models_of
from firstflight_conformance.compare.relation import Explained, Judgement, explained, judge
from firstflight_conformance.compare.subject import Subject, shortest_first
from firstflight_conformance.explain.breaks import broken_by
from firstflight_conformance.explain.decision import decision_of
from firstflight_conformance.explain.explain import Explanation, Failures
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.format.open_points import OpenPoint, open_points
from firstflight_conformance.replay.candidates import Candidate
from firstflight_conformance.replay.variant import Variant


@dataclass(frozen=True, slots=True)
class Choice:
    """What an implementation does at an open point, with the values that it took of a bound; and the cases whose answers show it.

    ``cause`` is the id of the alternative, or of the bound. ``acts`` is false where the text allows to do nothing, and nothing was done.
    ``extreme``: a value of a bound is at an end that the text names nowhere.
    """

    point: OpenPoint
    cause: str
    what: str
    clauses: tuple[str, ...]
    cases: tuple[str, ...]
    acts: bool = True
    extreme: bool = False


@dataclass(frozen=True, slots=True)
class Agreement:
    """The choices in a profile, and the cases that differ and conform."""

    choices: tuple[Choice, ...]
    judged: tuple[Judged, ...]


@dataclass(frozen=True, slots=True)
class Departures:
    """The failures that the choices do not explain, as they diverge from the model with these; what passed beside them."""

    chosen: Chosen
    failing: list[Subject]
    passing: list[Subject]
    _found: list[Explanation] = field(default_factory=list)

    def joined(self, other: "Departures") -> "Departures":
        """Return the same with those of another profile in which the choices are the same."""
        return Departures(self.chosen, self.failing + other.failing, self.passing + other.passing)

    @property
    def choices(self) -> Candidate | None:
        """The choices as one candidate, ``None`` if there are none."""
        return self.chosen.candidate if self.chosen.options else None

    def explanations(self) -> list[Explanation]:
        """Return what explains them, beside the choices."""
        if not self._found:
            self._found.extend(Failures(self.failing, self.passing, self.choices).explanations())
        return self._found

    @property
    def is_explained(self) -> bool:
        """Whether the explanations cover every failure."""
        explained = {case for found in self.explanations() for case in found.explained}
        return all(subject.case.id in explained for subject in self.failing)


def by_profile(failing: Sequence[Subject], passing: Sequence[Subject]) -> Iterator[tuple[list[Subject], list[Subject]]]:
    """Yield what failed and what passed, profile by profile."""
    profiles = dict.fromkeys((subject.case.vector.algorithm, subject.case.profile) for subject in failing)
    for of in profiles:
        yield (
            [subject for subject in failing if (subject.case.vector.algorithm, subject.case.profile) == of],
            [subject for subject in passing if (subject.case.vector.algorithm, subject.case.profile) == of],
        )


@dataclass(frozen=True, slots=True)
class Compared:
    """The verdicts on the failures in a profile, before causes are searched.

    ``conforming``: cases that conform by the choices of the run, by id, with their ways. ``rest``: cases that do not. ``fronts``: cases
    that fail, with the alternatives of the states that get furthest.
    """

    models: Models
    joint: Joint
    conforming: dict[str, tuple[Subject, Explained]]
    undecided: tuple[str, ...]
    rest: list[Subject]
    fronts: list[tuple[Subject, tuple[frozenset[str], ...]]]


def compared(failing: Sequence[Subject], passing: Sequence[Subject]) -> Compared:
    """Return the verdicts on the failures in a profile.

    The verdict on a case depends on its own answers. The choices of the run are those that fit all conforming cases and change no
    passing case; a case that fits only other choices is inconsistent with the run, and is a departure.
    """
    algorithm, profile = failing[0].case.vector.algorithm, failing[0].case.profile
    models = models_of(algorithm, profile)
    judged = [(subject, judged_alone(subject, models)) for subject in failing]
    ways = [(subject, found.ways) for subject, found in judged if found.ways]
    joint = join(ways, passing, models)
    # The search for a case is limited, and never accuses it of what the choices of the run explain.
    under = [(one, explained(one, models, joint.taken)) for one in failing if _may_conform(one, joint)]
    conforming = {subject.case.id: (subject, way) for subject, way in under if way is not None}
    undecided = tuple(s.case.id for s, found in judged if found.undecided and s.case.id not in conforming)
    rest = [s for s in failing if s.case.id not in conforming and s.case.id not in undecided]
    return Compared(
        models, joint, conforming, undecided, rest, [(s, found.fronts) for s, found in judged if found.fronts]
    )


def of_profile(failing: list[Subject], passing: list[Subject]) -> "Verdicts":
    """Return the verdicts on the failures in a profile, and the departures, as they diverge from the choices of the run."""
    found = compared(failing, passing)
    models, taken = found.models, found.joint.taken
    agreement = _agreement(models.chosen(taken), models, list(found.conforming.values()))
    agreed = [subject for subject, _ in found.conforming.values()]
    needed = models.chosen(nearest(taken, found.fronts, [*agreed, *passing], models))
    departures = _departures(needed, found.rest, agreed, passing)
    return Verdicts(agreement, departures, found.undecided, found.joint.clashes)


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The failures in a profile: cases that conform, departures, cases that the budget leaves undecided, and clashes.

    ``clashes``: departures that conform only by other choices than the run, each with a case that contradicts it.
    """

    agreement: Agreement
    departures: Departures
    undecided: tuple[str, ...] = ()
    clashes: Mapping[str, str] = field(default_factory=dict)


def judged_alone(subject: Subject, models: Models) -> Judgement:
    """Return the verdict on a case; a computation has no alternatives."""
    if isinstance(subject.case, ComputationCase):
        return Judgement()
    # Most conforming cases differ by a bound only.
    plain = explained(subject, models, NOTHING)
    if plain is not None and not plain.moments and all(value.acts for value in plain.values):
        return Judgement((plain,))
    return judge(subject, models)


def _may_conform(subject: Subject, joint: Joint) -> bool:
    """Return whether to hold a case against the choices of the run: not a computation, and no case that contradicts them."""
    return not isinstance(subject.case, ComputationCase) and subject.case.id not in joint.clashes


def _departures(chosen: Chosen, rest: list[Subject], agreed: list[Subject], passing: list[Subject]) -> Departures:
    """Return the departures, seen from the choices of the run.

    Where one wrong decision explains every failure, conforming ones included, the departures are seen from the model itself.
    """
    right = [*passing, *(subject.under(chosen.variant) for subject in agreed)]
    departures = Departures(chosen, [subject.under(chosen.variant) for subject in rest], right)
    if not rest or not chosen.options:
        return departures
    failures = Failures([*rest, *agreed], passing)
    exact = failures.exact
    if not exact and not departures.is_explained:
        # A wrong decision may replace a choice.
        exact = [one for one in failures.explanations() if len(one.explained) == len(failures.failing)]
    return Departures(Chosen(), rest, passing, exact) if exact else departures


def without_choices(failing: list[Subject], passing: list[Subject]) -> Verdicts:
    """Return every failure as a departure."""
    return Verdicts(Agreement((), ()), Departures(Chosen(), failing, passing))


def _agreement(chosen: Chosen, models: Models, conforming: Sequence[tuple[Subject, Explained]]) -> Agreement:
    subjects = [subject for subject, _ in conforming]
    choices = [_choice(chosen, option, subjects) for option in chosen.options]
    choices += _moments(models, conforming)
    choices += values_taken({subject.case.id: way.values for subject, way in conforming})
    judged = [Judged(subject.under(chosen.variant), way.cut) for subject, way in conforming]
    return Agreement(tuple(choices), tuple(judged))


def _moments(models: Models, conforming: Sequence[tuple[Subject, Explained]]) -> list[Choice]:
    """Return the alternatives that were taken at some events, with the cases that show them."""
    cases: dict[str, list[str]] = {}
    for subject, way in conforming:
        for name in sorted(way.moments):
            cases.setdefault(name, []).append(subject.case.id)
    options = models.options
    return [
        Choice(options[name].point, name, options[name].candidate.what, options[name].point.clauses, tuple(found))
        for name, found in cases.items()
    ]


def _choice(chosen: Chosen, option: Option, conforming: Sequence[Subject]) -> Choice:
    """Return a choice with the cases that it is needed for, and the rules of the first."""
    left = chosen.without(option)
    cases = shortest_first([subject for subject in conforming if _needs(subject, left.variant, chosen.variant)])
    clauses = option.point.clauses
    failing = [subject for subject in cases if not subject.explained_by(left.variant)]
    if failing:
        clauses = broken_by(option.candidate, decision_of(failing[0].under(left.variant), chosen.variant))
    names = tuple(subject.case.id for subject in cases)
    return Choice(option.point, option.candidate.id, option.candidate.what, clauses, names)


def _needs(subject: Subject, left: Variant, chosen: Variant) -> bool:
    """Return whether a case conforms by a choice: it fails without it, or follows more bounds."""
    without = subject.walk(left)
    return subject.judged_by(without) < subject.length or len(without.taken) > len(subject.walk(chosen).taken)


def values_taken(taken: Mapping[str, Sequence[Taken]]) -> list[Choice]:
    """Return what was taken of each bound, with the least and the largest share."""
    points = {point.id: point for point in open_points()}
    groups: dict[tuple[str, str, str, bool], list[tuple[str, Taken]]] = {}
    for case, values in taken.items():
        for value in values:
            groups.setdefault((value.point, value.what, value.of, value.acts), []).append((case, value))
    return [
        Choice(
            points[name],
            f"{name} {what}" if acts else f"{name} {what} never",
            f"{what}: {_shares([value.share for _, value in values])} {of}" if acts else f"{what}: never",
            (),
            tuple(dict.fromkeys(case for case, _ in values)),
            acts,
            any(value.extreme for _, value in values),
        )
        for (name, what, of, acts), values in groups.items()
    ]


def _shares(shares: Sequence[Fraction]) -> str:
    least, largest = f"{float(min(shares)):.2f}", f"{float(max(shares)):.2f}"
    return least if least == largest else f"{least} to {largest}"

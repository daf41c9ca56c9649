"""What of the failures in a profile is a choice that its text leaves open, and what departs from it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from firstflight_conformance.diagnose.breaks import broken_by
from firstflight_conformance.diagnose.candidates import Candidate
from firstflight_conformance.diagnose.choices import Chosen, Option, choices_of_run, options_of
from firstflight_conformance.diagnose.decision import decision_of
from firstflight_conformance.diagnose.explain import Explanation, Failures
from firstflight_conformance.diagnose.judged import Judged
from firstflight_conformance.diagnose.subject import Subject, shortest_first
from firstflight_conformance.freedoms.bounds.bound import Taken
from firstflight_conformance.freedoms.points import OpenPoint, open_points


@dataclass(frozen=True, slots=True)
class Choice:
    """What an implementation does at an open point, with the values that it took of a bound; and the cases whose answers show it.

    ``cause`` is the id of the alternative, or of the bound. ``acts`` is false where the text allows to do nothing, and nothing was done.
    """

    point: OpenPoint
    cause: str
    what: str
    clauses: tuple[str, ...]
    cases: tuple[str, ...]
    acts: bool = True


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


def by_profile(failing: Sequence[Subject], passing: Sequence[Subject]) -> Iterator[tuple[list[Subject], list[Subject]]]:
    """Yield what failed and what passed, profile by profile."""
    profiles = dict.fromkeys((subject.case.vector.algorithm, subject.case.profile) for subject in failing)
    for of in profiles:
        yield (
            [subject for subject in failing if (subject.case.vector.algorithm, subject.case.profile) == of],
            [subject for subject in passing if (subject.case.vector.algorithm, subject.case.profile) == of],
        )


def of_profile(failing: list[Subject], passing: list[Subject]) -> tuple[Agreement, Departures]:
    """Return what of the failures in a profile conforms, and what does not.

    Where one wrong decision explains every failure, none of them is taken for a choice. A choice that shows only where something
    is wrong as well is found with its cause, and then taken as given; what is wrong may be another choice beside it.
    """
    chosen = choices_of_run(failing, passing)
    agreement, departures = _parted(chosen, failing, passing)
    if not departures.failing:
        return agreement, departures
    if agreement.judged or chosen.options:
        exact = Failures(failing, passing).exact()
        if exact:
            return Agreement((), ()), Departures(Chosen(), failing, passing, exact)
    found = departures.explanations()
    more = [option for explanation in found[:1] for option in _open_parts(explanation, failing[0])]
    wider = chosen.plus(*more) if more and len(more) < len(found[0].candidate.parts) else None
    if wider is None:
        return agreement, departures
    agreement, departures = _parted(choices_of_run(failing, passing, wider), failing, passing)
    return _parted(wider, failing, passing) if departures.failing else (agreement, departures)


def _open_parts(found: Explanation, subject: Subject) -> list[Option]:
    """Return the parts of a pair that are choices."""
    options = {
        option.candidate.id: option for option in options_of(subject.case.vector.algorithm, subject.case.profile)
    }
    return [options[part.id] for part in found.candidate.parts if found.candidate.kind == "pair" and part.id in options]


def _parted(chosen: Chosen, failing: list[Subject], passing: list[Subject]) -> tuple[Agreement, Departures]:
    rest = [subject for subject in failing if subject.judged_by(subject.walk(chosen.variant)) < subject.length]
    conforming = [subject for subject in failing if subject not in rest]
    agreed = passing + [subject.under(chosen.variant) for subject in conforming]
    departures = Departures(chosen, [subject.under(chosen.variant) for subject in rest], agreed)
    return _agreement(chosen, conforming), departures


def undecided(failing: list[Subject], passing: list[Subject]) -> tuple[Agreement, Departures]:
    """Return the same where nothing is asked about choices."""
    return Agreement((), ()), Departures(Chosen(), failing, passing)


def _agreement(chosen: Chosen, conforming: Sequence[Subject]) -> Agreement:
    choices = [_choice(chosen, option, conforming) for option in chosen.options]
    choices += _taken({subject.case.id: subject.walk(chosen.variant).taken for subject in conforming})
    judged = [Judged(subject.under(chosen.variant), subject.walk(chosen.variant).cut) for subject in conforming]
    return Agreement(tuple(choices), tuple(judged))


def _choice(chosen: Chosen, option: Option, conforming: Sequence[Subject]) -> Choice:
    """Return a choice with the cases that it is needed for, and the rules of the first."""
    left = chosen.without(option)
    cases = shortest_first([subject for subject in conforming if not subject.explained_by(left.variant)])
    clauses: tuple[str, ...] = ()
    if cases:
        clauses = broken_by(option.candidate, decision_of(cases[0].under(left.variant), chosen.variant))
    names = tuple(subject.case.id for subject in cases)
    return Choice(option.point, option.candidate.id, option.candidate.what, clauses, names)


def _taken(taken: dict[str, list[Taken]]) -> list[Choice]:
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
        )
        for (name, what, of, acts), values in groups.items()
    ]


def _shares(shares: Sequence[Fraction]) -> str:
    least, largest = f"{float(min(shares)):.2f}", f"{float(max(shares)):.2f}"
    return least if least == largest else f"{least} to {largest}"

"""Splits the failures in a profile into choices at open points and departures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from firstflight_conformance.compare.joint import nearest
from firstflight_conformance.compare.judged import Judged
from firstflight_conformance.compare.options import Chosen, Models, Option
from firstflight_conformance.compare.profile import compared, values_taken
from firstflight_conformance.compare.relation import ConformingWay
from firstflight_conformance.compare.subject import AnsweredCase, shortest_first
from firstflight_conformance.explain.breaks import broken_by
from firstflight_conformance.explain.budget import Budget
from firstflight_conformance.explain.decision import decision_of
from firstflight_conformance.explain.explain import Explanation, Failures
from firstflight_conformance.records.findings import Choice
from firstflight_conformance.replay.candidates import Candidate
from firstflight_conformance.replay.variant import Variant, buildable


@dataclass(frozen=True, slots=True)
class Agreement:
    """The choices of an implementation at the open points of a profile, and the cases that conform with them.

    At an open point a text permits several implementations. ``judged``: failed cases whose answers the model gives with
    these choices.
    """

    choices: tuple[Choice, ...]
    judged: tuple[Judged, ...]


@dataclass(frozen=True, slots=True)
class Departures:
    """The failed cases of a profile that no permitted choices at open points explain, and their explanations.

    ``chosen``: permitted choices that are part of the model in this comparison. ``failures``: the failed cases,
    compared with the model with these choices, and the passed cases, whose answers an explanation must not change.
    """

    chosen: Chosen
    failures: Failures
    _explanations: list[Explanation] = field(default_factory=list)

    @property
    def failing(self) -> list[AnsweredCase]:
        """The failed cases that need an explanation, the shortest first."""
        return self.failures.failing

    @property
    def choices(self) -> Candidate | None:
        """The permitted choices that the model contains, as one edit of the model, or ``None`` without choices."""
        return self.failures.choices

    def explanations(self, known: Sequence[Explanation] = ()) -> list[Explanation]:
        """Return the explanations of the failures: wrong decisions that reproduce their answers.

        A wrong decision applies to the model in addition to the permitted choices ``chosen``. ``known``: explanations
        found in other profiles. They are tried first, but only if ``chosen`` is empty. The first result is stored and
        returned again.
        """
        if not self._explanations:
            self._explanations.extend(self.failures.explanations([] if self.chosen.options else known))
        return self._explanations

    @property
    def is_explained(self) -> bool:
        """Whether the explanations cover every failure."""
        explained = {case for explanation in self.explanations() for case in explanation.explained}
        return all(subject.case.id in explained for subject in self.failing)


def of_profile(failing: list[AnsweredCase], passing: list[AnsweredCase]) -> "Verdicts":
    """Return the verdicts on the failed cases of one profile.

    First find the permitted choices at open points that explain most cases: the choices of the run. A failure that they
    do not explain is a departure. Departures are compared with the model with these choices. Further permitted choices
    are added to this model if failing cases then agree with it for longer.
    """
    comparison = compared(failing, passing)
    models, alternatives = comparison.models, comparison.joint.taken
    agreement = _agreement(models.chosen(alternatives), models, list(comparison.conforming.values()))
    agreed = [subject for subject, _ in comparison.conforming.values()]
    needed = models.chosen(nearest(alternatives, comparison.fronts, [*agreed, *passing], models))
    departures = _departures(needed, comparison.rest, agreed, passing)
    return Verdicts(agreement, departures, comparison.undecided, comparison.joint.clashes)


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The verdicts on the failed cases of one profile.

    ``agreement``: cases that conform by permitted choices at open points, and these choices. ``departures``: cases that
    the choices of the run, one combination for all cases, do not explain. ``undecided``: ids of cases without a verdict
    within the step limit. ``clashes``: ids of departures that conform only by permitted choices other than the choices
    of the run. Each is mapped to the id of a case that contradicts these other choices, or to an empty string if only
    several cases together do.
    """

    agreement: Agreement
    departures: Departures
    undecided: tuple[str, ...] = ()
    clashes: Mapping[str, str] = field(default_factory=dict)


def _departures(
    chosen: Chosen, rest: list[AnsweredCase], agreed: list[AnsweredCase], passing: list[AnsweredCase]
) -> Departures:
    """Return the failures ``rest`` that the choices of the run do not explain, with the search for causes.

    ``chosen``: permitted choices at open points that explain the cases ``agreed``. The failures are normally compared
    with the model with these choices. One wrong decision may explain ``rest`` and ``agreed`` alike. Then the choices
    are dropped, and the failures are compared with the model itself. ``passing``: cases that no cause may change.
    """
    right = [*passing, *_under(chosen, agreed)]
    budget = Budget.of(rest[0].case.vector.algorithm if rest else "")
    choices = buildable(chosen.candidate) if chosen.options else None
    departures = Departures(chosen, Failures(_under(chosen, rest), right, choices, budget=budget))
    if not rest or not chosen.options:
        return departures
    failures = Failures([*rest, *agreed], passing, budget=budget)
    exact = failures.known()
    if not exact and not departures.is_explained:
        # A wrong decision may replace a choice.
        exact = [explanation for explanation in failures.parts() if len(explanation.explained) == len(failures.failing)]
        if not exact:
            return _with_fewer_choices(chosen, rest, agreed, passing, budget) or departures
    return Departures(Chosen(), Failures(rest, passing, budget=budget), exact) if exact else departures


def _with_fewer_choices(
    chosen: Chosen, rest: list[AnsweredCase], agreed: list[AnsweredCase], passing: list[AnsweredCase], budget: Budget
) -> Departures | None:
    """Explain the failures ``rest`` with one choice of ``chosen`` dropped; return ``None`` if all are needed.

    ``chosen``: permitted choices at open points. ``agreed``: cases that conform with these choices. A choice is dropped
    if one wrong decision explains ``rest`` and every case of ``agreed`` that needs the choice. The result contains
    ``rest`` compared with the model with the remaining choices. Choices needed by most cases are tried first.
    """

    def needing(fewer: Chosen) -> list[AnsweredCase]:
        return [subject for subject in agreed if not subject.explained_by(fewer.variant)]

    without = ((fewer, needing(fewer)) for fewer in map(chosen.without, chosen.options))
    for fewer, needed in sorted(without, key=lambda pair: -len(pair[1])):
        unaffected = [subject for subject in agreed if subject not in needed]
        choices = buildable(fewer.candidate) if fewer.options else None
        diverging, right = _under(fewer, [*rest, *needed]), [*passing, *_under(fewer, unaffected)]
        whole = Failures(diverging, right, choices, budget=budget).whole
        if whole:
            return Departures(fewer, Failures(_under(fewer, rest), right, choices, budget=budget), whole)
    return None


def _under(chosen: Chosen, subjects: Sequence[AnsweredCase]) -> list[AnsweredCase]:
    return [subject.under(chosen.variant) for subject in subjects]


def without_choices(failing: list[AnsweredCase], passing: list[AnsweredCase]) -> Verdicts:
    """Return every failed case as a departure, a case that no permitted choice explains.

    A reading is a choice at an ambiguity of the text. No reading is treated as permitted: every reading that differs
    from the model, and every named mutant (a known wrong implementation), is a possible cause. Operators, small edits
    of single source lines of the model, are not tried. Many of them reproduce the answers to one case, so a match would
    prove little.
    """
    return Verdicts(Agreement((), ()), Departures(Chosen(), Failures(failing, passing, named=True)))


def _agreement(chosen: Chosen, models: Models, conforming: Sequence[tuple[AnsweredCase, ConformingWay]]) -> Agreement:
    subjects = [subject for subject, _ in conforming]
    choices = [_choice(chosen, option, subjects) for option in chosen.options]
    choices += _moments(models, conforming)
    choices += values_taken({subject.case.id: way.values for subject, way in conforming})
    judged = [Judged(subject.under(chosen.variant), way.cut) for subject, way in conforming]
    return Agreement(tuple(choices), tuple(judged))


def _moments(models: Models, conforming: Sequence[tuple[AnsweredCase, ConformingWay]]) -> list[Choice]:
    """Return the permitted alternatives that an implementation used at single events, with the cases that show them."""
    cases: dict[str, list[str]] = {}
    for subject, way in conforming:
        for name in sorted(way.moments):
            cases.setdefault(name, []).append(subject.case.id)
    options = models.options
    return [
        Choice(options[name].point, name, options[name].candidate.what, options[name].point.clauses, tuple(case_ids))
        for name, case_ids in cases.items()
    ]


def _choice(chosen: Chosen, option: Option, conforming: Sequence[AnsweredCase]) -> Choice:
    """Return a permitted choice with the cases that need it, and the rules that it concerns in the first of them.

    ``chosen``: all choices of the run. ``option``: one of them. ``conforming``: the cases that the choices explain. If
    no case fails without the choice, the rules of its open point are returned.
    """
    fewer = chosen.without(option)
    cases = shortest_first([subject for subject in conforming if _needs(subject, fewer.variant, chosen.variant)])
    clauses = option.point.clauses
    failing = [subject for subject in cases if not subject.explained_by(fewer.variant)]
    if failing:
        decision = decision_of(failing[0].under(fewer.variant), chosen.variant)
        clauses = broken_by(option.candidate, decision, failing[0].profile)
    names = tuple(subject.case.id for subject in cases)
    return Choice(option.point, option.candidate.id, option.candidate.what, clauses, names)


def _needs(subject: AnsweredCase, reduced: Variant, chosen: Variant) -> bool:
    """Return whether a case needs a permitted choice. ``reduced``: the model without it; ``chosen``: with it.

    A case needs the choice if it fails with ``reduced``, or takes more values from bounds there. A bound is an interval
    of values that the text permits.
    """
    without = subject.walk(reduced)
    return subject.judged_by(without) < subject.length or len(without.taken) > len(subject.walk(chosen).taken)

"""Whether a freedom hides a wrong decision from the judge: all mutants of a profile, each with each of its freedoms.

No diagnosis is needed: a run does not conform if no set of choices explains one of its cases. Most runs are therefore
decided by the shortest case where the mutant is visible, and verdicts on equal answers are cached.
"""

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, islice
from pathlib import Path

from adequacy.conforming import conforms
from diagnosis_support import candidate, mutants
from every import every_case
from firstflight.controller import ALGORITHMS
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.compare.options import options_of
from firstflight_conformance.compare.subject import AnsweredCase
from firstflight_conformance.explain.departures import of_profile
from firstflight_conformance.format.vectors import COMPUTED_ALGORITHMS, Case
from firstflight_conformance.replay.answers import CRASHES
from firstflight_conformance.replay.candidates import Candidate, together
from firstflight_conformance.replay.measure import config_from_json
from firstflight_conformance.replay.mutants import Mutant
from firstflight_conformance.replay.variant import Variant, build
from freedoms_support import WINDOWS

_HIDDEN = Path(__file__).with_name("hidden.toml")
#: Number of cases judged alone before the whole run.
_ALONE = 4
_DECLARED = Declaration("mutant", "1", {}, WINDOWS)
Answers = tuple[tuple[int | None, ...], ...]
Choice = tuple[Candidate, ...]


@cache
def open_profiles() -> tuple[tuple[str, str], ...]:
    """Return the profiles that have both a choice and mutants other than its alternatives."""
    return tuple(
        (algorithm, profile)
        for algorithm, definition in sorted(ALGORITHMS.items())
        if algorithm not in COMPUTED_ALGORITHMS
        for profile in definition.profiles
        if options_of(algorithm, profile) and wrong(algorithm, profile)
    )


def wrong(algorithm: str, profile: str) -> list[Mutant]:
    """Return the mutants of a profile that conform by no open point and whose windows no choice explains."""
    allowed = {option.candidate.id for option in options_of(algorithm, profile)} | alone().keys()
    return [
        mutant
        for mutant in mutants().values()
        if (mutant.algorithm, mutant.profile) == (algorithm, profile)
        and not mutant.equivalent
        and mutant.id not in allowed
        and not conforms(mutant)
    ]


@cache
def _hidden() -> dict[str, list[dict[str, str]]]:
    return tomllib.loads(_HIDDEN.read_text(encoding="utf-8"))


@cache
def alone() -> dict[str, dict[str, str]]:
    """Return the entries of `hidden.toml` for mutants whose windows conform without another choice, by mutant id."""
    return {hidden["mutant"]: hidden for hidden in _hidden()["alone"]}


def known(algorithm: str, profile: str) -> dict[str, dict[str, str]]:
    """Return the conforming pairs of a mutant and a choice in `hidden.toml`, by their name in :attr:`Rate.hidden`."""
    pairs = _hidden()["pair"]
    own = {mutant.id for mutant in wrong(algorithm, profile)}
    return {f"{pair['mutant']} under {pair['beside']}": pair for pair in pairs if pair["mutant"] in own}


@dataclass
class Rate:
    """Pairs of a mutant and a choice. ``unseen``: same answers as the choice or the model; ``hidden``: conforming."""

    pairs: int = 0
    unseen: int = 0
    hidden: list[str] = field(default_factory=list)

    @property
    def rejected(self) -> int:
        """Number of rejected pairs."""
        return self.pairs - self.unseen - len(self.hidden)


class Profile:
    """A profile with its cases and cached results."""

    def __init__(self, algorithm: str, profile: str) -> None:
        """Load the cases, shortest first."""
        self.name = (algorithm, profile)
        cases = [case for case in every_case() if (case.vector.algorithm, case.profile) == self.name]
        self._cases = sorted(cases, key=lambda case: len(case.events))
        self._choices: list[Choice] = [(), *((option.candidate,) for option in options_of(*self.name))]
        self._config = {case.id: config_from_json(case.vector.config) for case in cases}
        self._of_choice: dict[tuple[str, str], Answers] = {}
        self._expected = {case.id: self._under((), case) for case in cases}
        self._explained: dict[tuple[str, Answers], bool] = {}

    def rate(self) -> Rate:
        """Judge every mutant alone and under every choice."""
        rate = Rate()
        for mutant in wrong(*self.name):
            cases = self._showing_first(mutant)
            for choice in self._choices:
                parts = [*choice, candidate(mutant.id)]
                both = build(together(parts)) or build(together(parts[::-1]))
                if both is None:
                    continue  # both edit the same text
                rate.pairs += 1
                differing = self._differing(cases, choice, both)
                first = next(differing, None)
                if first is None or self._is_right(both):
                    rate.unseen += 1
                elif self._conforms(both, chain([first], differing)):
                    rate.hidden.append(" under ".join([mutant.id, *(variant.id for variant in choice)]))
        return rate

    def conforms_alone(self, mutant: Mutant) -> bool:
        """Return whether the windows of a mutant differ from the expected ones and a set of choices explains them."""
        variant = Variant(candidate(mutant.id))
        differing = self._differing(self._showing_first(mutant), (), variant)
        first = next(differing, None)
        return first is not None and self._conforms(variant, chain([first], differing))

    def _showing_first(self, mutant: Mutant) -> list[Case]:
        """Return the cases, starting with the cases where the mutant alone is visible."""
        variant = Variant(candidate(mutant.id))
        alone = {case.id for case in self._cases if self._answers(variant, case) != self._expected[case.id]}
        return sorted(self._cases, key=lambda case: case.id not in alone)

    def _differing(self, cases: Sequence[Case], choice: Choice, both: Variant) -> Iterator[tuple[Case, Answers]]:
        """Yield the cases that distinguish a mutant with a choice from the choice alone."""
        for case in cases:
            answers = self._answers(both, case)
            if answers != self._under(choice, case):
                yield case, answers

    def _is_right(self, both: Variant) -> bool:
        """Return whether the mutant reverts the choice, so that all answers equal the expected ones."""
        return all(self._answers(both, case) == self._expected[case.id] for case in self._cases)

    def _conforms(self, both: Variant, differing: Iterator[tuple[Case, Answers]]) -> bool:
        """Return whether a set of choices explains the whole run."""
        for case, answers in islice(differing, _ALONE):
            key = (case.id, answers)
            if key not in self._explained:
                self._explained[key] = _explains([self._subject(case, answers)])
            if not self._explained[key]:
                return False
        return _explains([self._subject(case, self._answers(both, case)) for case in self._cases])

    def _under(self, choice: Choice, case: Case) -> Answers:
        key = (together(choice).id, case.id)
        if key not in self._of_choice:
            self._of_choice[key] = self._answers(Variant(together(choice)), case)
        return self._of_choice[key]

    def _answers(self, variant: Variant, case: Case) -> Answers:
        """Return the windows of a variant in a case, up to a crash."""
        answers: list[tuple[int | None, ...]] = []
        try:
            state = variant.create(*self.name, self._config[case.id])
            for event in case.events:
                now = variant.advance(state, event)
                answers.append((now.cwnd_bytes, now.ssthresh_bytes))
        except CRASHES:
            pass
        return tuple(answers)

    def _subject(self, case: Case, answers: Answers) -> AnsweredCase | None:
        """Return a case with these answers, or ``None`` if they end early: a variant that crashes does not conform."""
        if len(answers) < len(case.events):
            return None
        observed = tuple(dict(zip(WINDOWS, now, strict=True)) for now in answers)
        both = enumerate(zip(answers, self._expected[case.id], strict=True))
        first = next((index for index, (answer, expected) in both if answer != expected), None)
        return AnsweredCase(case, _DECLARED, case.events, observed, first)


def _explains(run: Sequence[AnsweredCase | None]) -> bool:
    """Return whether all cases conform with one set of choices."""
    cases = [subject for subject in run if subject is not None]
    failing = [subject for subject in cases if subject.first is not None]
    if len(cases) < len(run) or not failing:
        return len(cases) == len(run)
    verdicts = of_profile(failing, [subject for subject in cases if subject.first is None])
    return not verdicts.departures.failing and not verdicts.undecided

"""Finds the candidates that reproduce what an adapter answered."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, islice

from firstflight_conformance.compare.subject import AnsweredCase, sample_of, shortest_first
from firstflight_conformance.replay.candidates import Candidate, of_the_base, pair, singles, together
from firstflight_conformance.replay.variant import Variant, build

#: Failing cases on which candidates are tried first; only those that reproduce one of them to the end are tried on all.
SAMPLE = 12
#: Failing cases on which a candidate is tried that explains a part.
PROBE = 60
#: The events of passing cases to replay with a candidate: a cause must not change what is right.
PASSING_EVENTS = 40_000
#: Candidates that explain a part and are put together, and how many of their pairs are tried.
PARTIAL = 24
PAIRS = 80
#: How many pairs are tried of which one part gets far, and the other may be any candidate.
BESIDE = 400
#: Causes that are named where none explains everything.
NAMED = 5


@dataclass(frozen=True, slots=True)
class Explanation:
    """A candidate and the failing cases in which it reproduces every answer."""

    candidate: Candidate
    variant: Variant
    explained: frozenset[str]


class Failures:
    """The cases of one adapter that failed, and those that passed. ``choices``: what it chooses otherwise at open points, in all of them."""

    def __init__(
        self, failing: Sequence[AnsweredCase], passing: Sequence[AnsweredCase], choices: Candidate | None = None
    ) -> None:
        """Take the cases."""
        self._choices = choices
        self.failing = shortest_first(failing)
        self.passing = shortest_first(passing)
        self.sample = sample_of(self.failing, SAMPLE)
        self._probe = [*self.sample, *(s for s in self.failing if s not in self.sample)][:PROBE]
        self._algorithms = {subject.case.vector.algorithm for subject in failing}
        self._harmless: dict[Candidate, bool] = {}
        self._tried: list[Candidate] = []

    def explanations(self) -> list[Explanation]:
        """Return the best explanations: those that explain everything, which no case tells apart, or else parts, the largest first."""
        whole = self.exact
        if whole:
            return whole
        beyond = {candidate: self._beyond(candidate) for candidate in self._tried}
        parts = sorted(
            (self._part(candidate) for candidate in self._tried if beyond[candidate]),
            key=lambda found: (-len(found.explained), -beyond[found.candidate]),
        )
        both = self._pair(parts) or self._beside([part.candidate for part in parts], self._tried)
        if both is not None:
            return [both]
        return sorted(map(self._all_of, self._cover(parts)), key=lambda found: -len(found.explained))

    @cached_property
    def exact(self) -> list[Explanation]:
        """Return the single candidates that explain everything, which no case tells apart: by themselves before those that follow a bound."""
        self._tried = []
        whole: list[Explanation] = []
        for candidates in self._stages():
            self._tried += candidates
            whole += filter(None, map(self._whole, candidates))
            whole.sort(key=self._followed)
            if whole and not self._followed(whole[0]):
                break
        return whole[:NAMED]

    def _followed(self, found: Explanation) -> int:
        """Return in how many cases it explains the answers only by following values that a text bounds."""
        return sum(bool(subject.walk(found.variant).taken) for subject in self.failing)

    def _build(self, candidate: Candidate) -> Variant | None:
        """Return the model with the choices and a candidate."""
        return build(candidate if self._choices is None else together([self._choices, candidate]))

    def _stages(self) -> Iterable[list[Candidate]]:
        """Yield the candidates: those of the algorithms that failed, then those of what these are built on."""
        profiles = {
            name: sorted({s.case.profile for s in self.failing if s.case.vector.algorithm == name})
            for name in sorted(self._algorithms)
        }
        own = {c.id: c for name in profiles for c in singles(name, profiles[name])}
        below = {c.id: c for name in profiles for c in of_the_base(name, profiles[name])}
        yield list(own.values())
        yield [candidate for name, candidate in below.items() if name not in own]

    def _whole(self, candidate: Candidate) -> Explanation | None:
        """Return the explanation of everything by a candidate, if it is one."""
        variant = self._build(candidate)
        if variant is None or not all(subject.explained_by(variant) for subject in (*self.sample, *self.failing)):
            return None
        found = Explanation(candidate, variant, frozenset(subject.case.id for subject in self.failing))
        return found if self.is_harmless(found) else None

    def _beyond(self, candidate: Candidate) -> int:
        """Return how far beyond the divergence a candidate gets, in all cases of the sample."""
        variant, sample = self._build(candidate), self.sample
        return sum(max(0, one.reproduced(variant) - (one.first or 0)) for one in sample) if variant else 0

    def _part(self, candidate: Candidate) -> Explanation:
        """Return what a candidate explains that does not explain everything."""
        variant = self._build(candidate)
        assert variant is not None
        explained = frozenset(subject.case.id for subject in self._probe if subject.explained_by(variant))
        return Explanation(candidate, variant, explained)

    def _cover(self, parts: Sequence[Explanation]) -> list[Explanation]:
        """Return causes that change nothing right and explain a part each, the largest first, each with cases that none before explains."""
        left = list(parts)
        chosen: list[Explanation] = []
        done: set[str] = set()
        while left and len(chosen) < NAMED:
            best = max(left, key=lambda found: len(found.explained - done))
            if best.explained <= done:
                break
            left.remove(best)
            if self.is_harmless(best):
                chosen.append(best)
                done |= best.explained
        return chosen

    def _all_of(self, found: Explanation) -> Explanation:
        """Return the explanation with all the cases that it explains."""
        explained = (subject.case.id for subject in self.failing if subject.explained_by(found.variant))
        return replace(found, explained=frozenset(explained))

    def is_harmless(self, found: Explanation) -> bool:
        """Return whether the candidate changes nothing in the cases that passed; at most a fixed number of them is looked at."""
        known = self._harmless.get(found.candidate)
        if known is None:
            left = PASSING_EVENTS
            known = True
            for subject in self.passing:
                left -= subject.length
                if left < 0 or not known:
                    break
                known = subject.unchanged_by(found.variant)
            self._harmless[found.candidate] = known
        return known

    def _pair(self, parts: Sequence[Explanation]) -> Explanation | None:
        """Return two that explain everything together: each explains cases in which the other does nothing."""
        couples = [
            (one, other)
            for one, other in combinations(parts[:PARTIAL], 2)
            if not one.explained <= other.explained and not other.explained <= one.explained
        ]
        couples.sort(key=lambda both: -len(both[0].explained | both[1].explained))
        return self._first([(one.candidate, other.candidate) for one, other in couples[:PAIRS]])

    def _beside(self, leading: Sequence[Candidate], tried: Sequence[Candidate]) -> Explanation | None:
        """Return two of which one shows only where the other does as well."""
        couples = ((one, other) for one in leading for other in tried if other is not one)
        return self._first(list(islice(couples, BESIDE)))

    def _first(self, couples: Sequence[tuple[Candidate, Candidate]]) -> Explanation | None:
        return next((found for one, other in couples if (found := self._together(one, other)) is not None), None)

    def _together(self, one: Candidate, other: Candidate) -> Explanation | None:
        both = pair(one, other)
        variant = self._build(both)
        if variant is None or not all(subject.explained_by(variant) for subject in self.failing):
            return None
        found = Explanation(both, variant, frozenset(subject.case.id for subject in self.failing))
        return found if self.is_harmless(found) else None

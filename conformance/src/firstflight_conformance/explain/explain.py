"""Finds the candidates that reproduce the answers of an adapter.

Order of candidates: the base alone and other profiles; other readings; operators on lines of the failing case; named
mutants; pairs of readings or mutants.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, islice, takewhile

from firstflight_conformance.compare.subject import AnsweredCase, sample_of, shortest_first
from firstflight_conformance.explain.breaks import rules_of
from firstflight_conformance.explain.budget import BUILT, Budget
from firstflight_conformance.explain.operators.search import EVENTS, Found, Search
from firstflight_conformance.explain.stand_ins import stand_ins
from firstflight_conformance.replay.candidates import Candidate, of_the_base, pair, singles, together
from firstflight_conformance.replay.variant import Variant, build

#: Number of failing cases to try candidates on first; only candidates that reproduce one of them are tried on all.
SAMPLE = 12
#: Number of failing cases to try a candidate on that explains only a part.
PROBE = 60
#: Events of passing cases to replay with a candidate: a cause must not change correct answers.
PASSING_EVENTS = 40_000
#: Number of combined partial candidates, and of tried pairs.
PARTIAL = 24
PAIRS = 80
#: Number of tried pairs of a good partial candidate with any other candidate.
BESIDE = 400
#: Events to replay in the search for pairs.
_EVENTS_OF_PAIRS = 200_000
#: Maximum number of reported operators near an unknown cause.
_NEAREST = 3
#: Maximum number of reported causes.
NAMED = 5
#: Number of operator waves to try next to a named mutant: changes of events, then the most frequent mistakes.
_EDITS = 2
#: Kinds that precede operators.
_FIRST = ("base", "profile", "reading")


@dataclass(frozen=True, slots=True)
class Explanation:
    """A candidate and the failing cases whose answers it reproduces completely.

    ``clauses``: the rules near the line of an operator, then the rules of equally good operators.
    """

    candidate: Candidate
    variant: Variant
    explained: frozenset[str]
    clauses: tuple[str, ...] = ()


class Failures:
    """Failed and passed cases of one adapter. ``choices``: its other choices at open points, in all cases.

    ``named``: whether only readings and named mutants are candidates. ``budget``: the limit of replayed events.
    """

    def __init__(
        self,
        failing: Sequence[AnsweredCase],
        passing: Sequence[AnsweredCase],
        choices: Candidate | None = None,
        *,
        named: bool = False,
        budget: Budget | None = None,
    ) -> None:
        """Store the cases."""
        self.choices, self._named = choices, named
        self.failing = shortest_first(failing)
        self.passing = shortest_first(passing)
        self.sample = sample_of(self.failing, SAMPLE)
        self._probe = [*self.sample, *(s for s in self.failing if s not in self.sample)][:PROBE]
        self._algorithms = {subject.case.vector.algorithm for subject in failing}
        self._harmless: dict[Candidate, bool] = {}
        self._tried: list[Candidate] = []
        self.near: list[Found] = []
        self.line: tuple[str, tuple[str, ...]] | None = None
        self.budget = budget or Budget()
        self._built: dict[Candidate, Variant | None] = {}
        self._follows: dict[Candidate, int] = {}

    def explanations(self, known: Iterable[Explanation] = ()) -> list[Explanation]:
        """Return the best explanations: equivalent complete explanations, or else partial ones, the largest first.

        ``known``: causes in other profiles, without choices.
        """
        if self._named:
            return self.exact or self.parts()
        return self._known(known) or self.whole or self.parts()

    @cached_property
    def whole(self) -> list[Explanation]:
        """Causes that explain all failures: a stand-in, a reading, operators, named mutants.

        A named mutant that explains all failures precedes operators unless two sources agree. They agree if such an
        edit exists on exactly one line and has rules of the mutant. With few cases, edits of many lines fit by
        accident. An operator that adds a statement or a guard has a worse description than a named mutant.
        """
        known = self.known()
        sure = bool(known) and not self._followed(known[0])
        if sure and known[0].candidate.kind in _FIRST:
            return known
        operators, rules = self._operators(_EDITS if sure else None), _rules(known)
        if sure and (len(operators) != 1 or rules.keys().isdisjoint(operators[0].clauses)):
            return known
        merged = [*(rule for explanation in operators for rule in explanation.clauses), *rules]
        return [*(_ordered(explanation, rules, merged) for explanation in operators), *known][:NAMED]

    def known(self) -> list[Explanation]:
        """Return a stand-in, readings and named mutants that explain all failures. A stand-in gets the rules of all."""
        stand_ins = self.stand_ins()
        if not stand_ins:
            return self.exact
        return [replace(stand_ins[0], clauses=tuple(_rules(self.exact))), *self.exact]

    def parts(self) -> list[Explanation]:
        """Return a pair that explains all failures, or else partial causes, the largest first."""
        self.exact  # noqa: B018  # tries the candidates
        beyond = {candidate: self._beyond(candidate) for candidate in self._tried}
        parts = sorted(
            (self._part(candidate) for candidate in self._tried if beyond[candidate]),
            key=lambda part: (-len(part.explained), -beyond[part.candidate]),
        )
        with self.budget.at_most(_EVENTS_OF_PAIRS):
            both = self._pair(parts) or self._beside([part.candidate for part in parts], self._tried)
        if both is not None:
            return [both]
        return sorted(map(self._all_of, self._cover(parts)), key=lambda part: -len(part.explained))

    def stand_ins(self) -> list[Explanation]:
        """Return the base alone or another profile if it reproduces all answers."""
        cases = frozenset(subject.case.id for subject in self.failing)
        for profile in dict.fromkeys((subject.case.vector.algorithm, subject.case.profile) for subject in self.failing):
            for candidate, variant in stand_ins(*profile, self.choices):
                explanation = Explanation(candidate, variant, cases)
                if self._explains_all(variant) and not self._followed(explanation) and self.is_harmless(explanation):
                    return [explanation]
        return []

    def _known(self, known: Iterable[Explanation]) -> list[Explanation]:
        """Return the causes in other profiles that explain all failures here."""
        cases = frozenset(subject.case.id for subject in self.failing)
        explanations = [
            replace(explanation, explained=cases) for explanation in known if self._explains_all(explanation.variant)
        ]
        return [
            explanation
            for explanation in explanations
            if not self._followed(explanation) and self.is_harmless(explanation)
        ]

    def _nearest(self, search: Search) -> list[Found]:
        """Return the operators with the most explained failures and fewest contradicted passes, one per line."""
        by_line: dict[tuple[object, int], Found] = {}
        for operator in sorted(
            search.near, key=lambda operator: (len(operator.contradicted) - len(operator.explained), operator.place)
        ):
            if not operator.followed:
                by_line.setdefault((operator.operation.function, operator.operation.line), operator)
        return [search.cited(operator) for operator in [*by_line.values()][:_NEAREST]]

    @property
    def stopped(self) -> tuple[str, ...]:
        """A note if the search stopped early."""
        return ("the search for causes stopped at its limit of replayed events",) if self.budget.stopped else ()

    def _operators(self, waves: int | None) -> list[Explanation]:
        """Return the operators of the first ``waves`` that explain all failures, the best of each line, with rules."""
        search = Search(self.failing, self.passing, self.choices, self.budget)
        with self.budget.at_most(EVENTS):
            exact = search.exact(waves)
        if not exact:
            self.near = self._nearest(search)
            self.line = search.best_line()
        by_line: dict[tuple[object, int], list[Found]] = {}
        for operator in exact:
            by_line.setdefault((operator.operation.function, operator.operation.line), []).append(operator)
        return [_of_operator(line_operators) for line_operators in by_line.values()][:NAMED]

    @cached_property
    def exact(self) -> list[Explanation]:
        """Return equivalent readings and named mutants that explain all failures, those that use bounds last."""
        self._tried = []
        whole: list[Explanation] = []
        for candidates in self._stages():
            for candidate in candidates:
                if self.budget.is_spent:
                    break
                self._tried.append(candidate)
                whole += filter(None, [self._whole(candidate)])
            whole.sort(key=self._followed)
            if whole and not self._followed(whole[0]):
                break
        return whole[:NAMED]

    def _followed(self, explanation: Explanation) -> int:
        """Return the number of cases explained only with values within a bound of a text."""
        if explanation.candidate not in self._follows:
            self.budget.spend(sum(subject.length for subject in self.failing))
            self._follows[explanation.candidate] = sum(
                bool(subject.walk(explanation.variant).taken) for subject in self.failing
            )
        return self._follows[explanation.candidate]

    def _build(self, candidate: Candidate) -> Variant | None:
        """Return the model with the choices and a candidate, or None if it cannot be built."""
        if candidate not in self._built:
            self._built[candidate] = self._new(candidate)
        return self._built[candidate]

    def _new(self, candidate: Candidate) -> Variant | None:
        self.budget.spend(BUILT)
        return build(candidate if self.choices is None else together([self.choices, candidate]))

    def _stages(self) -> Iterable[list[Candidate]]:
        """Yield the candidates of the failed algorithms, then the candidates of the layers below."""
        profiles = {
            name: sorted({s.case.profile for s in self.failing if s.case.vector.algorithm == name})
            for name in sorted(self._algorithms)
        }
        own = {c.id: c for name in profiles for c in singles(name, profiles[name])}
        below = {c.id: c for name in profiles for c in of_the_base(name, profiles[name])}
        yield list(own.values())
        yield [candidate for name, candidate in below.items() if name not in own]

    def _explains_all(self, variant: Variant) -> bool:
        return all(self._explains(subject, variant) for subject in (*self.sample, *self.failing))

    def _explains(self, subject: AnsweredCase, variant: Variant) -> bool:
        return self._reproduced(subject, variant) == subject.length

    def _reproduced(self, subject: AnsweredCase, variant: Variant) -> int:
        """Return the number of answers reproduced by a variant, or 0 when the budget is spent."""
        if self.budget.is_spent:
            return 0
        agreed = subject.reproduced(variant)
        self.budget.spend(agreed + 1)
        return agreed

    def _whole(self, candidate: Candidate) -> Explanation | None:
        """Return the explanation of all failures by a candidate, or None."""
        variant = self._build(candidate)
        if variant is None or not self._explains_all(variant):
            return None
        explanation = Explanation(candidate, variant, frozenset(subject.case.id for subject in self.failing))
        return explanation if self.is_harmless(explanation) else None

    def _beyond(self, candidate: Candidate) -> int:
        """Return the number of answers reproduced beyond the divergence, summed over the sample."""
        variant, sample = self._build(candidate), self.sample
        return (
            sum(max(0, self._reproduced(subject, variant) - (subject.first or 0)) for subject in sample)
            if variant
            else 0
        )

    def _part(self, candidate: Candidate) -> Explanation:
        """Return the partial explanation by a candidate, tried on a part of the failures."""
        variant = self._build(candidate)
        assert variant is not None
        explained = frozenset(subject.case.id for subject in self._probe if self._explains(subject, variant))
        return Explanation(candidate, variant, explained)

    def _cover(self, parts: Sequence[Explanation]) -> list[Explanation]:
        """Return harmless partial causes, the largest first; each explains cases not explained by earlier causes."""
        remaining = list(parts)
        chosen: list[Explanation] = []
        done: set[str] = set()
        while remaining and len(chosen) < NAMED:
            best = max(remaining, key=lambda part: len(part.explained - done))
            if best.explained <= done:
                break
            remaining.remove(best)
            if self.is_harmless(best):
                chosen.append(best)
                done |= best.explained
        return chosen

    def _all_of(self, explanation: Explanation) -> Explanation:
        """Return the explanation with all its explained cases."""
        with self.budget.to_the_end():
            explained = [subject.case.id for subject in self.failing if self._explains(subject, explanation.variant)]
        return replace(explanation, explained=frozenset(explained))

    def is_harmless(self, explanation: Explanation) -> bool:
        """Return whether the candidate keeps the answers of passing cases, checked up to a limit of events."""
        known = self._harmless.get(explanation.candidate)
        if known is None:
            remaining_events = PASSING_EVENTS
            known = True
            for subject in self.passing:
                remaining_events -= subject.length
                if remaining_events < 0 or not known:
                    break
                self.budget.spend(subject.length)
                known = subject.unchanged_by(explanation.variant)
            self._harmless[explanation.candidate] = known
        return known

    def _pair(self, parts: Sequence[Explanation]) -> Explanation | None:
        """Return a pair that explains all failures: each part explains cases that the other does not."""
        couples = [
            (part, other)
            for part, other in combinations(parts[:PARTIAL], 2)
            if not part.explained <= other.explained and not other.explained <= part.explained
        ]
        couples.sort(key=lambda both: -len(both[0].explained | both[1].explained))
        return self._first([(part.candidate, other.candidate) for part, other in couples[:PAIRS]])

    def _beside(self, leading: Sequence[Candidate], tried: Sequence[Candidate]) -> Explanation | None:
        """Return a pair that explains all failures: one part is visible only together with the other."""
        couples = ((candidate, other) for candidate in leading for other in tried if other is not candidate)
        return self._first(list(islice(couples, BESIDE)))

    def _first(self, couples: Sequence[tuple[Candidate, Candidate]]) -> Explanation | None:
        tried = takewhile(lambda _: not self.budget.is_spent, couples)
        return next(
            (
                explanation
                for candidate, other in tried
                if (explanation := self._together(candidate, other)) is not None
            ),
            None,
        )

    def _together(self, candidate: Candidate, other: Candidate) -> Explanation | None:
        both = pair(candidate, other)
        variant = self._new(both)
        if variant is None or not all(self._explains(subject, variant) for subject in self.failing):
            return None
        explanation = Explanation(both, variant, frozenset(subject.case.id for subject in self.failing))
        return explanation if self.is_harmless(explanation) else None


def _of_operator(operators: Sequence[Found]) -> Explanation:
    """Return the explanation by the best operator of a line, with the number of other operators of the line."""
    best = operators[0]
    sentence = best.operation.sentence
    if len(operators) > 1:
        sentence += f" (and {len(operators) - 1} other edits of this line)"
    return Explanation(replace(best.candidate, what=sentence), best.variant, best.explained, best.clauses)


def _rules(explanations: Iterable[Explanation]) -> dict[str, None]:
    """Return the rules of explanations by readings and named mutants, in order."""
    return dict.fromkeys(
        rule for explanation in explanations for part in explanation.candidate.parts for rule in rules_of(part)
    )


def _ordered(explanation: Explanation, rules: Collection[str], merged: Sequence[str]) -> Explanation:
    """Return an operator with ordered rules: shared with named mutants, other own rules, rules of equal causes."""
    shared = [rule for rule in explanation.clauses if rule in rules]
    return replace(explanation, clauses=tuple(dict.fromkeys([*shared, *explanation.clauses, *merged])))

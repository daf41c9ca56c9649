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
    """A candidate (a possible cause) and the ids of the failing cases whose answers it reproduces completely.

    A candidate is another reading, a mutant, another profile, or an operator. A reading is a choice at an ambiguity of
    the text, a mutant a listed wrong model, and a profile a version of the algorithm. An operator is a small edit of a
    source line of the model. ``variant``: the model with the candidate. ``clauses``: for an operator, the rules cited
    near its line, then the rules of other candidates that explain the same cases. For another profile, only the latter;
    otherwise empty.
    """

    candidate: Candidate
    variant: Variant
    explained: frozenset[str]
    clauses: tuple[str, ...] = ()


class Failures:
    """Failed and passed cases of one adapter, and the search for candidates (possible causes) of the failures.

    ``choices``: permitted choices of the adapter at open points, part of the model in all cases. ``named``: whether
    only readings and named mutants (wrong models listed in ``mutants.toml``) are candidates. ``budget``: the limit of
    replayed events.
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
        """Store the cases and the settings of the search.

        ``choices``: permitted choices at open points, applied to the model together with each candidate. ``named``: try
        only other readings and named mutants (wrong models listed in ``mutants.toml``) as causes. ``budget``: limit of
        replayed events, by default :data:`budget.EVENTS`.
        """
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
        """Return the best explanations of the failures.

        If single causes explain every failure, return these. Otherwise return a pair of causes that together explains
        every failure. Without such a pair, return explanations of a part of the failures, the most failures first.
        ``known``: explanations found in other profiles. If some of them explain all failures of this profile, only
        these are returned.
        """
        if self._named:
            return self.exact or self.parts()
        return self._known(known) or self.whole or self.parts()

    @cached_property
    def whole(self) -> list[Explanation]:
        """Explanations of all failures: another profile, readings, named mutants, and operators.

        A named mutant is a wrong model listed in ``mutants.toml``. An operator is a small edit of one source line of
        the model. Another profile or a reading that explains all failures excludes operators. So does a named mutant,
        unless all operators found edit the same line, and a rule of this line is a rule of the mutant. With few cases,
        edits of many lines fit by accident. If a named mutant explains all failures, operators that add a statement or
        a guard are not tried. The mutant describes such a mistake better.
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
        """Return explanations by a stand-in, by other readings, and by mutants (listed wrong models), in this order.

        Each explanation alone explains all failures. A stand-in is the base controller alone or another profile, in
        place of the profile. The explanation by a stand-in lists, as violated rules (``clauses``), the rules that the
        other returned explanations violate.
        """
        stand_ins = self.stand_ins()
        if not stand_ins:
            return self.exact
        return [replace(stand_ins[0], clauses=tuple(_rules(self.exact))), *self.exact]

    def parts(self) -> list[Explanation]:
        """Return a pair of candidates that together explains all failures, or else partial causes, the largest first.

        Candidates are other readings and named mutants (listed wrong models). A partial cause explains only some of the
        failures.
        """
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
        """Return the explanation by a stand-in if it reproduces all answers, or else an empty list.

        A stand-in is the base controller alone or another profile, in place of the profile of the cases.
        """
        cases = frozenset(subject.case.id for subject in self.failing)
        for profile in dict.fromkeys((subject.case.vector.algorithm, subject.case.profile) for subject in self.failing):
            for candidate, variant in stand_ins(*profile, self.choices):
                explanation = Explanation(candidate, variant, cases)
                if self._explains_all(variant) and not self._followed(explanation) and self.is_harmless(explanation):
                    return [explanation]
        return []

    def _known(self, known: Iterable[Explanation]) -> list[Explanation]:
        """Return the explanations from other profiles that also explain all failures of this profile."""
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
        """Return up to three operators (edits of a source line of the model) that explain the most failures.

        Contradicted passing cases count against an operator. Each source line gives at most one operator, with the
        rules cited near the line. Operators that need values from a bound, an interval that the text permits, are left
        out.
        """
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
        """Return up to five explanations by operators (small edits of a source line of the model).

        Each explanation alone explains every failure. Operators are tried in waves, groups with the most likely
        mistakes first. ``waves``: number of waves to try, ``None`` for all. Each source line gives at most one
        explanation: its best operator, with the rules cited near the line. Without a result, store the nearest
        operators in ``near``. Store in ``line`` the line that explains most failures if its computed value is replaced
        by the observed window.
        """
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
        """Explanations of all failures by one reading or named mutant (listed wrong model) each, at most five.

        Explanations come last if they reproduce cases only with values from bounds, which are intervals that a text
        permits.
        """
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
        """Return the number of failing cases that need values from a bound if an explanation is to reproduce them.

        A bound is an interval of values that the text permits.
        """
        if explanation.candidate not in self._follows:
            self.budget.spend(sum(subject.length for subject in self.failing))
            self._follows[explanation.candidate] = sum(
                bool(subject.walk(explanation.variant).taken) for subject in self.failing
            )
        return self._follows[explanation.candidate]

    def _build(self, candidate: Candidate) -> Variant | None:
        """Return the model with the permitted choices and a candidate, or None if they exclude each other."""
        if candidate not in self._built:
            self._built[candidate] = self._new(candidate)
        return self._built[candidate]

    def _new(self, candidate: Candidate) -> Variant | None:
        self.budget.spend(BUILT)
        return build(candidate if self.choices is None else together([self.choices, candidate]))

    def _stages(self) -> Iterable[list[Candidate]]:
        """Yield two lists of candidates that may explain the failures: other readings and listed wrong models.

        The first list is for the algorithms with failures. The second is for the layers below them, such as the base
        controller.
        """
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
        """Return the number of answers of a case that a changed model reproduces; 0 when the budget is spent."""
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
        """Return the number of answers that a candidate reproduces from the first divergence on.

        The divergence is the first answer of a failing case that differs from the model. The number is the sum over the
        sample, at most 12 failing cases. It is 0 if the candidate cannot be applied to the model.
        """
        variant, sample = self._build(candidate), self.sample
        return (
            sum(max(0, self._reproduced(subject, variant) - (subject.first or 0)) for subject in sample)
            if variant
            else 0
        )

    def _part(self, candidate: Candidate) -> Explanation:
        """Return the failures that a candidate explains, out of at most 60 failures."""
        variant = self._build(candidate)
        assert variant is not None
        explained = frozenset(subject.case.id for subject in self._probe if self._explains(subject, variant))
        return Explanation(candidate, variant, explained)

    def _cover(self, parts: Sequence[Explanation]) -> list[Explanation]:
        """Return up to five partial explanations that together cover many failures, the largest first.

        Each explains failures that the earlier explanations do not. All are harmless: they do not change the answers of
        passing cases.
        """
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
        """Return the explanation with all failures that it explains; until now only some failures were tried."""
        with self.budget.to_the_end():
            explained = [subject.case.id for subject in self.failing if self._explains(subject, explanation.variant)]
        return replace(explanation, explained=frozenset(explained))

    def is_harmless(self, explanation: Explanation) -> bool:
        """Return whether a candidate leaves the answers of passing cases unchanged, up to a limit of events."""
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
        """Return the explanation of all failures by two candidates together, or ``None`` without such a pair.

        Each of the two explains failures that the other does not. ``parts``: the explanations by single candidates,
        best first.
        """
        couples = [
            (part, other)
            for part, other in combinations(parts[:PARTIAL], 2)
            if not part.explained <= other.explained and not other.explained <= part.explained
        ]
        couples.sort(key=lambda both: -len(both[0].explained | both[1].explained))
        return self._first([(part.candidate, other.candidate) for part, other in couples[:PAIRS]])

    def _beside(self, leading: Sequence[Candidate], tried: Sequence[Candidate]) -> Explanation | None:
        """Return the explanation of all failures by a pair of candidates, or ``None`` without such a pair.

        The first candidate is from ``leading``, candidates that reproduce some wrong answers. The second is from
        ``tried``, all candidates, including candidates without any effect alone. At most 400 pairs are tried.
        """
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
    """Return the explanation by the first of ``operators``, the best edit of one source line of the model.

    All operators are edits of this line that explain the failures. The description of the edit ends with the number of
    other operators, if any.
    """
    best = operators[0]
    sentence = best.operation.sentence
    if len(operators) > 1:
        sentence += f" (and {len(operators) - 1} other edits of this line)"
    return Explanation(replace(best.candidate, what=sentence), best.variant, best.explained, best.clauses)


def _rules(explanations: Iterable[Explanation]) -> dict[str, None]:
    """Return the rules violated by the readings and named mutants of explanations, without repetition.

    An explanation assumes another reading, a choice that breaks the rules depending on it, or a named mutant, a wrong
    model listed in ``mutants.toml``. The rules are the keys, in the order of the explanations; all values are ``None``.
    """
    return dict.fromkeys(
        rule for explanation in explanations for part in explanation.candidate.parts for rule in rules_of(part)
    )


def _ordered(explanation: Explanation, rules: Collection[str], merged: Sequence[str]) -> Explanation:
    """Return the explanation by an operator (an edit of a source line) with its rules in a new order.

    First come its rules that are also in ``rules``. The other rules of the operator follow. Last comes the rest of
    ``merged``. ``rules``: rules violated by other readings (choices at ambiguities of the text) and named mutants
    (listed wrong models) that explain the same failures. ``merged``: these rules and the rules of all operators that
    explain these failures.
    """
    shared = [rule for rule in explanation.clauses if rule in rules]
    return replace(explanation, clauses=tuple(dict.fromkeys([*shared, *explanation.clauses, *merged])))

"""Finds one combination of alternatives for all cases of a run.

Each case conforms in one or more ways: alternatives taken, and alternatives that acted and were refused. A run is
consistent if one combination fits a way of every case. An intersection by open point would be wrong: a case may accept
one alternative or another.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from firstflight_conformance.compare.options import NOTHING, Models
from firstflight_conformance.compare.relation import ConformingWay, explained, judge
from firstflight_conformance.compare.subject import AnsweredCase, shortest_first

#: Largest number of combinations to keep (fewest alternatives first), and to check against all cases.
_MOST, _TRIED = 256, 24
#: Number of alternatives that start a climb, and largest number of its steps.
_SEEDS, _CLIMBS = 6, 6

#: From this number of clashes on, cases are not judged again near the combinations: the implementation is wrong.
_CLASHES = 6

Ways = tuple[ConformingWay, ...]


@dataclass(frozen=True, slots=True)
class _Combination:
    """Alternatives that together fit several cases. An alternative is a permitted choice other than the model's.

    ``taken``: alternatives used throughout each case. ``refused``: alternatives that no case uses, although they would
    change its answers. ``moments``: alternatives used at single events. ``idle``: in some case a text permits an
    action, and the implementation does nothing.
    """

    taken: frozenset[str] = NOTHING
    refused: frozenset[str] = NOTHING
    moments: frozenset[str] = NOTHING
    idle: bool = False

    @property
    def place(self) -> tuple[object, ...]:
        """Sort key of combinations, simplest first.

        An alternative is a permitted choice other than the model's. The first number counts the alternatives for whole
        cases (``taken``) and at single events (``moments``), plus 1 if ``idle``. A combination is ``idle`` if somewhere
        a text permits an action, and the implementation does nothing. Among equal numbers, combinations without
        ``idle`` come first, then fewer alternatives at single events, then fewer refused ones (unused, although they
        would change answers). Sorted ids decide last.
        """
        return (
            len(self.taken) + len(self.moments) + self.idle, self.idle, len(self.moments), len(self.refused),
            sorted(self.taken), sorted(self.moments), sorted(self.refused),
        )  # fmt: skip

    def plus(self, other: "_Combination") -> "_Combination":
        """Return a combination with the alternatives of both, by attribute. ``idle`` is true if it is true in either.

        ``idle``: in some case a text permits an action, and the implementation does nothing. The result may contain an
        alternative both as taken (used) and as refused (unused, although it would change answers). Callers discard such
        a combination.
        """
        alternatives, refused, moments = (
            self.taken | other.taken,
            self.refused | other.refused,
            self.moments | other.moments,
        )
        return _Combination(alternatives, refused, moments, self.idle or other.idle)


@dataclass(frozen=True, slots=True)
class Joint:
    """The alternatives that one implementation uses in all cases of a run, and the cases that contradict them.

    An alternative is a permitted choice other than the model's. ``taken``: ids of the alternatives. ``clashes``: by id,
    cases that do not conform with ``taken``, each with the id of a contradicting case. This id is empty if only several
    cases together contradict.
    """

    taken: frozenset[str] = NOTHING
    clashes: dict[str, str] = field(default_factory=dict)


def join(conforming: Sequence[tuple[AnsweredCase, Ways]], passing: Sequence[AnsweredCase], models: Models) -> Joint:
    """Return the alternatives that fit all cases, or most of them; as few alternatives as possible.

    An alternative is a permitted choice other than the model's. ``conforming``: cases that differ from the model and
    conform, each with its ways: explanations of its answers by alternatives. ``passing``: cases that agree with the
    model, which the alternatives must not change. A case that contradicts passing cases is a clash.
    """
    return _Join(conforming, passing, models).joint()


def nearest(
    alternatives: frozenset[str],
    failing: Sequence[tuple[AnsweredCase, Sequence[frozenset[str]]]],
    fixed: Sequence[AnsweredCase],
    models: Models,
) -> frozenset[str]:
    """Return ``alternatives``, the permitted choices of a run, extended so that failing cases agree further.

    ``failing``: failing cases, each with the sets of alternatives that reproduce the most answers. ``fixed``: cases
    that must conform with the result.
    """

    def reached(names: frozenset[str]) -> int:
        variant = models.variant(names)
        return -1 if variant is None else sum(subject.walk(variant).agreed for subject, _ in failing)

    best = reached(alternatives)
    votes = Counter(fronts[0] for _, fronts in failing if fronts and fronts[0])
    for front, _ in votes.most_common(_TRIED):
        names = alternatives | front
        if names != alternatives and reached(names) > best and all(fits(subject, models, names) for subject in fixed):
            alternatives, best = names, reached(names)
    return alternatives


def fits(subject: AnsweredCase, models: Models, alternatives: frozenset[str]) -> bool:
    """Return whether a case conforms if the model uses exactly these alternatives throughout the case.

    An alternative is a permitted choice other than the model's. Alternatives that an implementation may use at single
    events, and values in permitted intervals, may explain answers in addition. Return False if alternatives exclude
    each other.
    """
    variant = models.variant(alternatives)
    return variant is not None and (
        subject.explained_by(variant) or explained(subject, models, alternatives) is not None
    )


class _Join:
    def __init__(
        self, conforming: Sequence[tuple[AnsweredCase, Ways]], passing: Sequence[AnsweredCase], models: Models
    ) -> None:
        self._models, self._passing = models, passing
        self._conforming = {subject.case.id: subject for subject, _ in conforming}
        # Cases that agree with the model come first: a case that contradicts them is the clash.
        self._objectors: dict[str, tuple[AnsweredCase, Ways]] = {}
        self._ways = {subject.case.id: (subject, ways) for subject, ways in conforming}
        self._refuted: set[frozenset[str]] = set()
        self._fits: dict[tuple[str, frozenset[str]], bool] = {}
        self._near: dict[tuple[str, frozenset[str]], Ways] = {}

    def joint(self) -> Joint:
        """Return the alternatives that one implementation uses in all cases, and the cases that contradict them.

        The first proposal combines explanations of single cases, and is checked against every case. If cases contradict
        it, a second search moves from case to case. Alternatives that replace values in permitted intervals are added
        at the end.
        """
        joint = self._of_ways()
        climbed = self._climbed() if joint.clashes else None
        if climbed is not None:
            joint = Joint(climbed)
        return Joint(self._sparing(joint.taken, joint.clashes), joint.clashes)

    def _of_ways(self) -> Joint:
        """Return the alternatives of the simplest combination of ways that fits every case, and the clashes.

        A way is one explanation of a case by alternatives, which are permitted choices other than the model's. A clash
        is a case that fits no combination; it is returned with the id of a contradicting case. If a case does not fit
        the simplest combination, search new ways of this case, and combine again. If no combination is left, or too
        many are refuted, return the alternatives that fit the most cases.
        """
        while True:
            combinations, clashes = self._joined()
            candidates = [combination for combination in combinations if combination.taken not in self._refuted]
            if not candidates or len(self._refuted) > _TRIED:
                return self._with_most(combinations, clashes)
            alternatives = candidates[0].taken
            objecting = self._objecting(alternatives, clashes)
            if objecting is None:
                return Joint(alternatives, clashes)
            self._ask(objecting, alternatives)

    def _climbed(self) -> frozenset[str] | None:
        """Return alternatives that fit every case, found by moving from case to case, or ``None``.

        A way is one explanation of a case by alternatives. The known ways use the fewest alternatives, but other cases
        may require more. The search starts with one frequent alternative. At the first case that does not fit, it
        continues with the alternatives of the way of this case that fits the most cases.
        """
        cases = shortest_first([*self._conforming.values(), *self._passing])
        votes = Counter(name for _, ways in self._ways.values() for way in ways for name in way.taken)
        for seed, _ in votes.most_common(_SEEDS):
            alternatives, seen = frozenset({seed}), set[frozenset[str]]()
            while alternatives not in seen and len(seen) < _CLIMBS:
                seen.add(alternatives)
                objecting = next((subject for subject in cases if not self._is_fit(subject, alternatives)), None)
                if objecting is None:
                    return alternatives
                near = [way.taken for way in self._judged(objecting, alternatives) if way.taken not in seen]
                alternatives = max(near, key=lambda candidate: self._fitting(cases, candidate), default=alternatives)
        return None

    def _fitting(self, cases: Sequence[AnsweredCase], alternatives: frozenset[str]) -> int:
        """Return how many of the first cases in a row conform with exactly these alternatives."""
        return next(
            (count for count, subject in enumerate(cases) if not self._is_fit(subject, alternatives)), len(cases)
        )

    def _sparing(self, alternatives: frozenset[str], clashes: dict[str, str]) -> frozenset[str]:
        """Return ``alternatives``, extended by alternatives that make values from bounds unnecessary.

        An alternative is a permitted choice other than the model's. A bound is an interval of permitted values. An
        alternative is added if with it every case that conformed only by bounds conforms without any bound, and all
        other cases still conform. ``clashes``: cases to ignore, by id.
        """
        fitting = [subject for name, subject in self._conforming.items() if name not in clashes]
        following = shortest_first([subject for subject in fitting if self._follows(subject, alternatives)])
        for name in self._models.settled if following else ():
            more = alternatives | {name}
            if name in alternatives or self._models.variant(more) is None:
                continue
            if any(self._follows(subject, more) is not False for subject in following):
                continue
            if all(self._is_fit(subject, more) for subject in (*fitting, *self._passing)):
                return self._sparing(more, clashes)
        return alternatives

    def _follows(self, subject: AnsweredCase, alternatives: frozenset[str]) -> bool | None:
        """Return whether a case with these alternatives conforms only by values from bounds.

        A bound is an interval of values that a text permits. Return ``None`` if the case does not conform with exactly
        these alternatives.
        """
        way = explained(subject, self._models, alternatives)
        return None if way is None else bool(way.values)

    def _objecting(self, alternatives: frozenset[str], clashes: dict[str, str]) -> AnsweredCase | None:
        """Return the first case that does not conform with exactly these alternatives, or ``None`` if all conform.

        An alternative is a permitted choice other than the model's. Cases that agree with the model must also conform
        with the alternatives. Those that an earlier call returned, for other alternatives, are tried first.
        ``clashes``: ids of cases to ignore.
        """
        known = [subject for subject, _ in self._objectors.values()]
        conforming = [self._conforming[name] for name in self._conforming if name not in clashes]
        cases = [*known, *conforming, *self._passing] if alternatives else conforming
        return next((subject for subject in cases if not self._is_fit(subject, alternatives)), None)

    def _is_fit(self, subject: AnsweredCase, alternatives: frozenset[str]) -> bool:
        key = subject.case.id, alternatives
        if key not in self._fits:
            self._fits[key] = fits(subject, self._models, alternatives)
        return self._fits[key]

    def _judged(self, subject: AnsweredCase, base: frozenset[str]) -> Ways:
        """Return the ways of a case that a search starting with the alternatives ``base`` finds.

        A way is one explanation of all answers of the case by alternatives, which are permitted choices other than the
        model's. The result is cached.
        """
        key = subject.case.id, base
        if key not in self._near:
            self._near[key] = judge(subject, self._models, base).ways
        return self._near[key]

    def _ask(self, subject: AnsweredCase, alternatives: frozenset[str]) -> None:
        """Search more ways of a case that does not conform with exactly ``alternatives``, and store them.

        A way is one explanation of the case by alternatives, which are permitted choices other than the model's. The
        search begins with ``alternatives``, or with the empty set if no way of the case is known yet. It may add
        others. :meth:`_of_ways` proposes sets of alternatives for all cases, but no refuted set. The set
        ``alternatives`` becomes refuted if the search finds no new way. It also becomes refuted if a way has exactly
        these alternatives, but uses one of them, for example, only from a later event on. Otherwise :meth:`_of_ways`
        would propose the set again.
        """
        name = subject.case.id
        ways_by_case = self._ways if name in self._conforming else self._objectors
        _, known = ways_by_case.get(name, (subject, ()))
        ways = self._judged(subject, alternatives if known else NOTHING)
        # A case that reaches the limit gets the way of the model without alternatives.
        ways = ways or (() if known else (ConformingWay(NOTHING, frozenset(self._models.settled)),))
        new = tuple(way for way in ways if way not in known)
        if not new or alternatives in [way.taken for way in (*known, *new)]:
            self._refuted.add(alternatives)
        ways_by_case[name] = subject, (*known, *new)

    def _with_most(self, combinations: Sequence[_Combination], clashes: dict[str, str]) -> Joint:
        """Return the alternatives that fit the most failed cases and change no passing case.

        The other failed cases are added to the clashes, each with the id of a contradicting case. The candidates are
        the sets of ``combinations``. If each of them changes a passing case, smaller sets are tried, with one
        alternative less each time. The other alternatives of a contradicted set may still be right. ``clashes``: the
        clashes known so far.
        """
        passing = [*(subject for subject, _ in self._objectors.values()), *self._passing]
        conforming = [subject for name, subject in self._conforming.items() if name not in clashes]
        tried = list(dict.fromkeys(combination.taken for combination in combinations))
        fitting: list[frozenset[str]] = []
        while tried and not fitting:
            fitting = [
                alternatives
                for alternatives in tried
                if all(self._is_fit(subject, alternatives) for subject in passing)
            ]
            fewer = (alternatives - {name} for alternatives in tried for name in sorted(alternatives))
            tried = list(
                dict.fromkeys(alternatives for alternatives in fewer if self._models.variant(alternatives) is not None)
            )[:_TRIED]
        fitting.append(NOTHING)
        alternatives = max(
            fitting,
            key=lambda candidate: (sum(self._is_fit(subject, candidate) for subject in conforming), -len(candidate)),
        )
        unfit = [subject.case.id for subject in conforming if not self._is_fit(subject, alternatives)]
        return Joint(alternatives, clashes | {name: self._objects(name, alternatives, passing) for name in unfit})

    def _objects(self, name: str, alternatives: frozenset[str], passing: Sequence[AnsweredCase]) -> str:
        """Return the id of the first passing case that contradicts the failed case ``name``, or an empty string.

        An alternative is a permitted choice other than the model's. Each explanation of the failed case is a set of
        alternatives. The smallest union of such a set with ``alternatives`` is tested. A case in ``passing``
        contradicts if it does not conform with this union.
        """
        _, ways = self._ways[name]
        nearest = min((way.taken | alternatives for way in ways), key=len, default=alternatives)
        return next((subject.case.id for subject in passing if not self._is_fit(subject, nearest)), "")

    def _joined(self) -> tuple[list[_Combination], dict[str, str]]:
        """Return the combinations that fit a way of every case, fewest alternatives first, and the clashes.

        An alternative is a permitted choice other than the model's. A way is one explanation of a case: alternatives
        that it takes, and alternatives that it refuses. A combination joins one way of each case. The clashes contain,
        by id, each case that fits no combination of the cases before it, with the id of a contradicting case.
        """
        combinations = [_Combination()]
        clashes: dict[str, str] = {}
        fitting: list[tuple[AnsweredCase, Ways]] = []
        for subject, known in [*self._objectors.values(), *self._ways.values()]:
            ways = known
            wider = self._both(combinations, _of(ways))
            if not wider and len(clashes) < _CLASHES:
                ways = self._nearer(subject, ways, combinations)
                wider = self._both(combinations, _of(ways))
            if wider:
                combinations = wider
                fitting.append((subject, ways))
            else:
                clashes[subject.case.id] = self._contradicts(ways, fitting)
        return combinations, clashes

    def _nearer(self, subject: AnsweredCase, ways: Ways, combinations: Sequence[_Combination]) -> Ways:
        """Return the known ways of a case, and the new ways that a search from the first combination finds.

        A way is one explanation of the case by alternatives. The search starts with the alternatives that the first
        combination takes.
        """
        near_ways = self._judged(subject, combinations[0].taken)
        return (*ways, *(way for way in near_ways if way not in ways))

    def _both(
        self, combinations: Sequence[_Combination], other_combinations: Sequence[_Combination]
    ) -> list[_Combination]:
        """Return the unions of one combination of each list, without contradictory or redundant ones, simplest first.

        An alternative is a permitted choice other than the model's. A combination takes some alternatives and refuses
        others. A union is contradictory if it takes an alternative that it refuses, or alternatives that exclude each
        other. It is redundant if another union takes the same alternatives and refuses only some of its refused
        alternatives. The simplest union takes the fewest alternatives (:attr:`_Combination.place`). At most 256 unions
        are returned.
        """
        unions = {
            both
            for combination in combinations
            for other in other_combinations
            if not (both := combination.plus(other)).taken & both.refused
            and self._models.variant(both.taken) is not None
        }
        refusals: dict[tuple[frozenset[str], frozenset[str]], list[frozenset[str]]] = {}
        least: list[_Combination] = []
        for both in sorted(unions, key=lambda union: union.place):
            known = refusals.setdefault((both.taken, both.moments), [])
            if not any(refused <= both.refused for refused in known):
                known.append(both.refused)
                least.append(both)
        return least[:_MOST]

    def _contradicts(self, ways: Ways, fitting: Sequence[tuple[AnsweredCase, Ways]]) -> str:
        """Return the id of the first earlier case that is incompatible with every way of a case.

        A way is one explanation of a case by alternatives that it takes and refuses. ``ways``: of the case.
        ``fitting``: the earlier cases with their ways. Return an empty string if only several earlier cases together
        contradict.
        """
        for subject, other_ways in fitting:
            if not self._both(_of(ways), _of(other_ways)):
                return subject.case.id
        return ""


def _of(ways: Ways) -> list[_Combination]:
    return [_Combination(way.taken, way.refused, way.moments, way.idle > 0) for way in ways]

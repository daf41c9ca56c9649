"""The choices of an implementation at points that its text leaves open: one set for the whole run.

The search is guided by the divergences. Under a set of choices some case differs first at some event; only alternatives that carry one
of the shortest such cases further are looked at, and the set that carries the cases furthest is extended first. A case that passed guides
it as one that failed does: a part of the right set may change what the whole set leaves. Values that a text bounds are followed in every
replay (:class:`~firstflight_conformance.diagnose.subject.Subject`), so that they need no search.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from firstflight_conformance.diagnose.candidates import Candidate, alternatives, together
from firstflight_conformance.diagnose.subject import Subject, sample_of
from firstflight_conformance.diagnose.variant import Variant, build
from firstflight_conformance.freedoms.layers import layers
from firstflight_conformance.freedoms.points import Kind, OpenPoint, open_points

#: How many sets are extended, and how many choices one can have.
_EXTENSIONS, _MOST = 20, 8
#: The cases that guide a step: the shortest that a set does not explain; where no choice carries these further, the others of the sample.
_LEADS = 3
#: Cases on which sets are compared: failing ones, and ones that passed.
_FAILING, _PASSING = 12, 12
#: How many pairs are tried where no single choice carries a case further.
_PAIRS = 250


@dataclass(frozen=True, slots=True)
class Option:
    """An alternative at an open point."""

    point: OpenPoint
    candidate: Candidate

    @property
    def readings(self) -> set[tuple[str, str]]:
        """The readings that it changes."""
        return {(part.algorithm, name) for part in self.candidate.parts for name in part.readings}


@dataclass(frozen=True, slots=True)
class Chosen:
    """A set of choices, and the model with them."""

    options: tuple[Option, ...] = ()
    variant: Variant = field(default_factory=Variant)

    @property
    def candidate(self) -> Candidate:
        """The choices as one candidate, without parts if there are none."""
        return together([option.candidate for option in self.options])

    @property
    def key(self) -> frozenset[str]:
        """The same for the same choices in any order."""
        return frozenset(option.candidate.id for option in self.options)

    def plus(self, *options: Option) -> "Chosen | None":
        """Return the set with these choices, each in place of what it excludes; ``None`` if they exclude each other.

        A point may be about several things, so that two alternatives of one may stand together. Those of one reading do not, nor those
        that change the same text.
        """
        readings = {name for option in options for name in option.readings}
        kept = [option for option in self.options if not option.readings & readings]
        for left in (kept, [option for option in kept if option.point not in [other.point for other in options]]):
            for parts in ((*left, *options), (*options, *left)):  # a text may be gone in one order only
                every = {option.candidate.id: option for option in parts}
                variant = build(together([option.candidate for option in every.values()]))
                if variant is not None:
                    return Chosen(tuple(every.values()), variant)
        return None

    def without(self, option: Option) -> "Chosen":
        """Return the set without one of its choices."""
        left = tuple(other for other in self.options if other is not option)
        variant = build(together([other.candidate for other in left]))
        assert variant is not None  # a part of what could be built
        return Chosen(left, variant)


def options_of(algorithm: str, profile: str) -> list[Option]:
    """Return the alternatives at the open points of a profile and of what it runs on."""
    return [
        Option(point, candidate)
        for name, own in layers(algorithm, profile)
        for point in open_points()
        if point.algorithm == name and point.kind is not Kind.BOUND and point.is_of(own)
        for candidate in alternatives(point, own)
    ]


def choices_of_run(failing: Sequence[Subject], passing: Sequence[Subject], start: Chosen | None = None) -> Chosen:
    """Return the set of choices that explains the most of these cases of one profile, with no choice that explains nothing.

    It changes nothing in what passed. Where it explains no case to the end, it is the set that carries the cases furthest. ``start``: one to try, beside none.
    """
    search = _Search(failing, passing)
    return search.pruned(search.best(start or Chosen()))


class _Search:
    def __init__(self, failing: Sequence[Subject], passing: Sequence[Subject]) -> None:
        case = failing[0].case
        self._failing, self._passing = failing, passing
        self._options = options_of(case.vector.algorithm, case.profile)
        self._sample = [*sample_of(failing, _FAILING), *sample_of(passing, _PASSING)]

    def best(self, start: Chosen) -> Chosen:
        """Extend the best set that is known, then the best of all, and so on, until one explains everything."""
        known, extended = {chosen.key: chosen for chosen in (Chosen(), start)}, set[frozenset[str]]()
        for _ in range(_EXTENSIONS):
            if self._is_done(max(known.values(), key=self._score)):
                break
            open_ = [chosen for key, chosen in known.items() if key not in extended and len(key) < _MOST]
            if not open_:
                break
            chosen = max(open_, key=self._score)
            extended.add(chosen.key)
            known |= {new.key: new for new in self._further(chosen, known.keys())}
        return max(known.values(), key=self._score)

    def _is_done(self, chosen: Chosen) -> bool:
        """Return whether a set explains everything. If only the sample, cases that it does not explain are put into the sample."""
        if any(not self._explains(chosen, subject) for subject in self._sample):
            return False
        others = [
            [subject for subject in cases if not self._explains(chosen, subject)]
            for cases in (self._failing, self._passing)
        ]
        for left, most in zip(others, (_FAILING, _PASSING), strict=True):
            self._sample += sample_of(left, most // 2)
        return not any(others)

    def _further(self, chosen: Chosen, known: Collection[frozenset[str]]) -> list[Chosen]:
        """Return the new sets with another choice that carry a lead further; with two others where one is not enough."""
        leads = [subject for subject in self._sample if not self._explains(chosen, subject)]
        single = [(option,) for option in self._options]
        found = self._with(chosen, leads[:_LEADS], single) or self._with(chosen, leads[_LEADS:], single)
        if not found and leads:
            found = self._with(chosen, leads[:1], self._pairs(chosen, leads[0]))
        return [new for new in found if new.key not in known]

    def _pairs(self, chosen: Chosen, lead: Subject) -> Sequence[tuple[Option, ...]]:
        """Return pairs of which one alone leaves another state in a case, by the event that differs; two that do not change nothing together."""
        end = self._reached(chosen, lead) + 1
        states = lead.states(chosen.variant, end)
        wider = [(option, chosen.plus(option)) for option in self._options]
        acting = [option for option, new in wider if new is not None and lead.states(new.variant, end) != states]
        pairs = {
            frozenset((one.candidate.id, other.candidate.id)): (one, other) for one in acting for other in self._options
        }
        return [pair for names, pair in pairs.items() if len(names) == 2][:_PAIRS]

    def _with(self, chosen: Chosen, leads: Sequence[Subject], more: Iterable[tuple[Option, ...]]) -> list[Chosen]:
        wider = (chosen.plus(*options) for options in more)
        return [
            new
            for new in wider
            if new is not None and any(self._reached(new, lead) > self._reached(chosen, lead) for lead in leads)
        ]

    def _score(self, chosen: Chosen) -> tuple[int, float, int]:
        """Return how many cases of the sample are explained, how far the others are carried; the fewer choices the better."""
        explained = sum(self._explains(chosen, subject) for subject in self._sample)
        shares = sum(self._reached(chosen, subject) / max(1, subject.length) for subject in self._sample)
        return explained, round(shares, 6), -len(chosen.options)

    def _reached(self, chosen: Chosen, subject: Subject) -> int:
        return subject.judged_by(subject.walk(chosen.variant))

    def _explains(self, chosen: Chosen, subject: Subject) -> bool:
        return self._reached(chosen, subject) == subject.length

    def pruned(self, chosen: Chosen) -> Chosen:
        """Return the set without what changes something right, and without what explains nothing."""
        if not all(subject.explained_by(chosen.variant) for subject in self._passing):
            parts = [chosen.without(option) for option in chosen.options]
            kept = [part for part in parts if all(subject.explained_by(part.variant) for subject in self._passing)]
            return self.pruned(max(kept, key=self._score)) if kept else Chosen()
        for option in chosen.options:
            left = chosen.without(option)  # a choice may explain that something passes beside the others
            if all(self._reached(left, one) >= self._reached(chosen, one) for one in (*self._failing, *self._passing)):
                return self.pruned(left)
        return chosen

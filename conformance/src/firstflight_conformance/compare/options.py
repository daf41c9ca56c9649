"""The alternatives at the open points of a profile, and models with combinations of them."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

from firstflight_conformance.compare.switch import Switch, Switched
from firstflight_conformance.compare.touched import Executed, touched
from firstflight_conformance.format.layers import layers
from firstflight_conformance.format.open_points import Kind, OpenPoint, open_points
from firstflight_conformance.replay.candidates import Candidate, alternatives, together
from firstflight_conformance.replay.variant import Variant, build

NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Option:
    """An alternative at an open point: a permitted choice other than the model's.

    ``point``: the open point, a place where a text permits several choices. ``candidate``: the alternative as changes
    of the model.
    """

    point: OpenPoint
    candidate: Candidate

    @property
    def id(self) -> str:
        """Id of the alternative."""
        return self.candidate.id

    @property
    def readings(self) -> set[tuple[str, str]]:
        """Pairs (algorithm, name of a reading) for the readings that the alternative changes.

        A reading is the model's choice among interpretations of a text.
        """
        return {(part.algorithm, name) for part in self.candidate.parts for name in part.readings}

    @property
    def is_settled(self) -> bool:
        """Whether an implementation that makes this permitted choice at one event makes it in the whole case."""
        return self.point.kind is not Kind.MOMENT and not self.point.each_time


def options_of(algorithm: str, profile: str, *, covered: bool = False) -> list[Option]:
    """Return the alternatives at open points of a profile (one version of an algorithm) and of its base controller.

    An open point is a place where a text permits several choices; an alternative is a permitted choice other than the
    model's. ``covered``: also return the alternatives that are within a bound, an open point with an interval of
    values.
    """
    return [
        Option(point, candidate)
        for name, own in layers(algorithm, profile)
        for point in open_points()
        if point.algorithm == name and (covered or point.kind is not Kind.BOUND) and point.is_of(own)
        for candidate in alternatives(_open(point), own)
        if _runs_on(candidate, profile)
    ]


def _open(point: OpenPoint) -> OpenPoint:
    """Return an open point with its alternatives in ``mutants``, as changes of the model's text.

    An open point is a place where a text permits several choices. For a bound (an interval of permitted values), return
    a copy with ``covers`` as its ``mutants``: changes with values inside the interval. Return other points unchanged.
    """
    return replace(point, mutants=point.covers) if point.kind is Kind.BOUND else point


def _runs_on(candidate: Candidate, profile: str) -> bool:
    """Return whether an alternative applies with the base controller of a profile.

    An alternative consists of changes of the model, each written for a profile. Such a profile must either lack a plus
    sign, or have the same base after it as ``profile``. If ``profile`` lacks a plus sign, only the former is possible.
    """
    bases = {part.profile.partition("+")[2] for part in candidate.parts}
    return bases <= {"", profile.partition("+")[2]}


@dataclass(frozen=True, slots=True)
class Chosen:
    """A set of alternatives, and the model changed by them.

    An alternative is a permitted choice, other than the model's, at a point that a text leaves open. ``options``: the
    alternatives. ``variant``: the changed model.
    """

    options: tuple[Option, ...] = ()
    variant: Variant = field(default_factory=Variant)

    @property
    def candidate(self) -> Candidate:
        """All permitted choices of this set as one candidate, a list of changes of the model, which may be empty."""
        return together([option.candidate for option in self.options])

    @property
    def key(self) -> frozenset[str]:
        """The ids of the alternatives (permitted choices other than the model's) in this set."""
        return frozenset(option.id for option in self.options)

    def without(self, option: Option) -> "Chosen":
        """Return the set without the alternative ``option``, with a new model for the other alternatives."""
        remaining = tuple(other for other in self.options if other is not option)
        variant = _built(remaining)
        assert variant is not None  # a part of a set that could be built
        return Chosen(remaining, variant)


class Models:
    """The models of a profile: one for each set of alternatives, built on demand.

    An alternative is a permitted choice, other than the model's, at a point that a text leaves open.
    """

    def __init__(self, algorithm: str, profile: str, *, covered: bool = False) -> None:
        """Load the alternatives of the profile, which are permitted choices other than the model's.

        ``covered``: also load alternatives that are within an interval of permitted values.
        """
        self.options = {option.id: option for option in options_of(algorithm, profile, covered=covered)}
        self._made: dict[frozenset[str], Variant | None] = {}

    @cached_property
    def settled(self) -> tuple[str, ...]:
        """Ids of the alternatives (permitted choices) that an implementation takes for a whole case or not at all."""
        return tuple(name for name, option in self.options.items() if option.is_settled)

    @cached_property
    def unsettled(self) -> tuple[str, ...]:
        """Ids of the alternatives (permitted choices) that an implementation may take at one event and not the next."""
        return tuple(name for name, option in self.options.items() if not option.is_settled)

    @cached_property
    def bases(self) -> list[frozenset[str]]:
        """Sets of alternatives (permitted choices) that belong to one decision, such as counting rates in packets.

        Each alternative of a set changes another place of the model. Answers may match only with the whole set. The
        search for alternatives that explain a case starts from these sets, in addition to the set that its caller gives
        (usually empty).
        """
        groups = (names for option in self.options.values() for names in option.point.together)
        return list(dict.fromkeys(map(frozenset, groups)))

    @cached_property
    def executed(self) -> Executed:
        """Tracer that processes an event and returns the alternatives that may affect the result, as a bit mask.

        Bit n belongs to alternative n of :attr:`options`. It is set if the model executes a function that this
        alternative changes, or if the alternative may change any function.
        """
        return Executed([touched(option.candidate.parts) for option in self.options.values()])

    @cached_property
    def bits(self) -> dict[str, int]:
        """Bit of each alternative, by id, in the mask of alternatives that may affect a result (:attr:`executed`)."""
        return {name: 1 << place for place, name in enumerate(self.options)}

    def variant(self, names: frozenset[str]) -> Variant | None:
        """Return the model with these alternatives, or ``None`` if they exclude each other.

        An alternative is a permitted choice other than the model's. Two alternatives exclude each other if, for
        example, both are choices for the same question.
        """
        if names not in self._made:
            self._made[names] = self._make(names)
        return self._made[names]

    def chosen(self, names: frozenset[str]) -> Chosen:
        """Return the alternatives with the ids ``names``, together with a new copy of the model changed by them.

        An alternative is a permitted choice other than the model's. The alternatives must not exclude each other.
        """
        chosen = tuple(option for name, option in self.options.items() if name in names)
        # Clauses are found by line numbers, which switched functions lack.
        variant = _built(chosen)
        assert variant is not None
        return Chosen(chosen, variant)

    @cached_property
    def _switch(self) -> Switch:
        return Switch({name: option.candidate.parts for name, option in self.options.items()})

    def _make(self, names: frozenset[str]) -> Variant | None:
        ordered = [name for name in self.options if name in names]
        chosen = [self.options[name] for name in ordered]
        readings = [name for option in chosen for name in option.readings]
        if len(set(readings)) < len(readings):
            return None
        if self._switch.has(names):
            change = self._switch.together(ordered)
            return None if change is None else Switched(self._switch, change, _values(chosen), names or Variant().key)
        return _built(chosen)


def _built(options: Iterable[Option]) -> Variant | None:
    """Return a copy of the model changed by the alternatives ``options``, or ``None`` if they exclude each other.

    An alternative is a permitted choice other than the model's, as changes of the model's text. Alternatives exclude
    each other if their changes cannot be applied one after the other, in the order given or reversed.
    """
    parts = [option.candidate for option in options]
    # The text that one change replaces may be gone after another, in one order only.
    return build(together(parts)) or build(together(parts[::-1]))


def _values(options: Iterable[Option]) -> dict[str, dict[str, Any]]:
    """Return the values of readings that alternatives set, by algorithm and by name of the reading.

    A reading is an interpretation of a text. An alternative is a permitted choice other than the model's.
    """
    values_by_algorithm: dict[str, dict[str, Any]] = {}
    for option in options:
        for part in option.candidate.parts:
            values_by_algorithm.setdefault(part.algorithm, {}).update(part.readings)
    return values_by_algorithm


@cache
def models_of(algorithm: str, profile: str) -> Models:
    """Return the models of a profile, shared by all its cases."""
    return Models(algorithm, profile)

"""The specification as a relation between events and answers.

A text often allows several behaviours. :func:`judge` keeps the set of model states that are consistent with the answers so far. At
each event it computes the successors of every state: the step of the model, and the step with each alternative of an open
point that acts there. A state whose observation differs from the answer is discarded. The case conforms if a state remains.

An alternative, once taken or refused in a state, holds for the rest of the case. An alternative at a *moment*, or of a point with
``each_time``, is never settled: both steps are successors at every event. An alternative acts if the step with it differs in state or
in a declared observable; this is tested before any bound follows the answer, since a bound makes both equal.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from firstflight.events import Event
from firstflight_conformance.compare.options import NOTHING, Models
from firstflight_conformance.compare.position import Advanced, Position
from firstflight_conformance.compare.touched import Function, executed
from firstflight_conformance.diagnose.subject import Subject
from firstflight_conformance.freedoms.bounds.bound import Taken
from firstflight_conformance.mutants.answers import CRASHES
from firstflight_conformance.run.compare import slack_bytes

#: The most steps of the model for one case. Beyond them the case is undecided.
STEPS = 200_000
#: The most states at one event. Of more, those nearest to the answers go on; the case is then undecided unless one of these conforms.
STATES = 300
#: The most alternatives of a state, in the order in which they are tried where the class of the adapter has a tolerance. Within a
#: tolerance no answer separates the combinations of alternatives, so that all 2^n of them would stay alive.
_DEPTHS = (1, 2, 3)


class LimitError(Exception):
    """A case needs more steps than the budget allows."""


@dataclass(frozen=True, slots=True)
class Explained:
    """One way in which the answers conform: alternatives taken, and alternatives that acted and were refused.

    ``moments``: alternatives taken at some events. ``values``: the values of bounds that were followed. ``cut``: the event from which
    on nothing is judged, or ``None``.
    """

    taken: frozenset[str]
    refused: frozenset[str]
    moments: frozenset[str] = NOTHING
    values: tuple[Taken, ...] = ()
    cut: int | None = None

    @property
    def cost(self) -> tuple[int, int, int]:
        """The number of alternatives and of values at which a bound does nothing; among equals, alternatives that hold before moments."""
        idle = sum(not value.acts for value in self.values)
        return len(self.taken) + len(self.moments) + idle, len(self.moments), len(self.values)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on one case. ``ways``: the ways in which it conforms, none if it fails or is undecided.

    ``died``: the event at which the last state disappeared. ``steps``: steps of the model; ``states``: the largest set of states.
    """

    ways: tuple[Explained, ...] = ()
    died: int | None = None
    undecided: bool = False
    steps: int = 0
    states: int = 1


@dataclass(slots=True)
class _Live:
    """A state of the relation: a position, and how it was reached. ``off_bytes``: the sum of its differences to the answers."""

    position: Position
    way: Explained
    off_bytes: int = 0


def judge(subject: Subject, models: Models, settled: frozenset[str] | None = None) -> Judgement:
    """Return the verdict on a case with events. ``settled``: exactly these alternatives hold, and only unsettled ones are tried."""
    if settled is not None:
        return _Walk(subject, models, settled, (), 0).judgement()
    steps = 0
    for most in _DEPTHS if _has_tolerance(subject) else ():
        found = _Walk(subject, models, NOTHING, models.settled, most).judgement()
        steps += found.steps
        if found.ways:
            return replace(found, steps=steps)
    found = _Walk(subject, models, NOTHING, models.settled, len(models.settled)).judgement()
    return replace(found, steps=steps + found.steps)


def _has_tolerance(subject: Subject) -> bool:
    declaration = subject.declaration
    slack = slack_bytes(declaration, subject.config.max_datagram_size_bytes, 0)
    return slack > 0 or declaration.avoidance == "datagram"


class _Walk:
    """One walk along a case: ``given`` alternatives hold, ``open_`` ones may be taken, at most ``most`` of these in a state."""

    def __init__(
        self, subject: Subject, models: Models, given: frozenset[str], open_: tuple[str, ...], most: int
    ) -> None:
        self._subject, self._models = subject, models
        self._given, self._open, self._most = given, open_, most
        self._steps, self._states = 0, 1
        self._dropped = False

    def judgement(self) -> Judgement:
        """Return the verdict."""
        try:
            return self._judged()
        except LimitError:
            return Judgement(undecided=True, steps=self._steps, states=self._states)

    def _judged(self) -> Judgement:
        live, ended = self._begin(), list[Explained]()
        for index, (event, observed) in enumerate(zip(self._subject.events, self._subject.observed, strict=True)):
            going = [one for one in live if not one.position.is_cut_by(event)]
            ended += [replace(one.way, cut=index) for one in live if one.position.is_cut_by(event)]
            live = self._merged([after for one in going for after in self._after(one, index, event, observed)])
            if not live:
                if ended:
                    break
                return Judgement((), None if self._dropped else index, undecided=self._dropped, steps=self._steps, states=self._states)
        ways = _least([*ended, *(one.way for one in live)])
        return Judgement(tuple(ways), steps=self._steps, states=self._states)

    def _begin(self) -> list[_Live]:
        """Return the states before the first event: more than one if an alternative begins otherwise."""
        variant = self._models.variant(self._given)
        if variant is None:
            return []
        first = Position.begin(self._subject, variant)
        live = [_Live(first, Explained(self._given, NOTHING))]
        for name in self._open:
            other = self._models.variant(self._given | {name})
            if other is None:
                continue
            position = Position.begin(self._subject, other)
            if position.key != first.key:
                live.append(_Live(position, Explained(self._given | {name}, NOTHING)))
                live[0].way = replace(live[0].way, refused=live[0].way.refused | {name})
        return live

    def _after(self, live: _Live, index: int, event: Event, observed: dict[str, Any]) -> Iterator[_Live]:
        """Yield the successors of a state that are consistent with the answer."""
        for advanced, way in self._successors(live, event):
            if not advanced.meets(index, observed):
                continue
            position = advanced.position
            if position.variant is not self._models.variant(way.taken):
                variant = self._models.variant(way.taken)
                assert variant is not None  # the model of the step has one alternative more
                position = position.under(variant)
            values = (*way.values, *advanced.taken) if advanced.taken else way.values
            off_bytes = abs(position.controller.base.cwnd_bytes - observed.get("cwnd_bytes", position.controller.base.cwnd_bytes))
            yield _Live(position, replace(way, values=values) if advanced.taken else way, live.off_bytes + off_bytes)

    def _successors(self, live: _Live, event: Event) -> Iterator[tuple[Advanced, Explained]]:
        plain, functions = self._step(live.position, live.way.taken, event)
        moments = [
            (name, *self._step(live.position, live.way.taken | {name}, event))
            for name in self._models.unsettled
            if self._may_act(name, functions)
        ]
        acting = [found for found in moments if found[1] is not None and self._differs(plain, found[1])]
        # Every step is compared before the first is yielded: its consumer lets bounds follow the answer.
        yield from self._split(live.position, live.way, event, NOTHING, plain, functions)
        for name, advanced, executes in acting:
            way = replace(live.way, moments=live.way.moments | {name})
            yield from self._split(live.position, way, event, frozenset({name}), advanced, executes)

    def _split(
        self, position: Position, way: Explained, event: Event, now: frozenset[str], advanced: Advanced | None,
        functions: set[Function],
    ) -> Iterator[tuple[Advanced, Explained]]:  # fmt: skip
        """Yield the step of a state, split by each open alternative that acts in it, until no further one acts.

        ``now``: the unsettled alternatives that this step takes.
        """
        for name in self._open:
            if name in way.taken or name in way.refused or not self._may_act(name, functions):
                continue
            other, executes = self._step(position, way.taken | {name} | now, event)
            if other is None or not self._differs(advanced, other):
                continue
            if len(way.taken) < self._most:
                taken = replace(way, taken=way.taken | {name})
                yield from self._split(position, taken, event, now, other, executes)
            refused = replace(way, refused=way.refused | {name})
            yield from self._split(position, refused, event, now, advanced, functions)
            return
        if advanced is not None:
            # The step is used once: a refused alternative shares it with its parent, which does not yield it.
            yield advanced, way

    def _may_act(self, name: str, functions: set[Function]) -> bool:
        touched = self._models.touched[name]
        return touched is None or not touched.isdisjoint(functions)

    def _step(self, position: Position, names: frozenset[str], event: Event) -> tuple[Advanced | None, set[Function]]:
        """Return the step of a state with some alternatives, and the functions that it executed."""
        variant = self._models.variant(names)
        if variant is None:
            return None, set()
        self._steps += 1
        if self._steps > STEPS:
            raise LimitError
        try:
            moved = position.under(variant)
        except CRASHES:
            return None, set()
        return executed(lambda: moved.advance(event))

    def _differs(self, one: Advanced | None, other: Advanced) -> bool:
        """Return whether two steps differ in state or in an observable that the adapter declares."""
        if one is None or one.position.key != other.position.key:
            return True
        names = [name for name in self._subject.observed[0] if hasattr(one.observation, name)]
        return any(getattr(one.observation, name) != getattr(other.observation, name) for name in names)

    def _merged(self, live: list[_Live]) -> list[_Live]:
        """Return the states without those that are equal and were reached by the same alternatives."""
        if len(live) < 2:
            return live
        found: dict[tuple[str, frozenset[str], frozenset[str]], _Live] = {}
        for one in live:
            key = one.position.key, one.way.taken, one.way.refused
            if key not in found or one.way.cost < found[key].way.cost:
                found[key] = one
        self._states = max(self._states, len(found))
        if len(found) > STATES:
            self._dropped = True
            nearest = sorted(found.values(), key=lambda one: (one.off_bytes, one.way.cost))
            return nearest[:STATES]
        return list(found.values())


def _least(ways: list[Explained]) -> list[Explained]:
    """Return the ways, cheapest first, each combination of taken and refused alternatives once."""
    found: dict[tuple[frozenset[str], frozenset[str]], Explained] = {}
    for way in sorted(ways, key=lambda one: one.cost):
        found.setdefault((way.taken, way.refused), way)
    return list(found.values())

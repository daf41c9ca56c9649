"""The verdict on one case: a walk along the answers with every state of the model that is consistent with them.

An alternative *acts* at an event if the step with it gives another state, or another observable, than the step without
it. It is then taken or refused for the rest of the case. An unsettled alternative (``each_time`` or a moment) can be
taken at any event. The test comes before a bound follows the answer, since a bound makes different states equal.

Most alternatives act long before a window shows them, so that all their combinations would stay alive: 2^20 in BBR. A
walk therefore starts from some alternatives, its *base*. It keeps states with at most one or two other alternatives
that no answer has required (*hidden* ones). An alternative that an answer requires costs nothing. If states get further
than the base, the furthest states become bases.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import combinations
from typing import Any

from firstflight.algorithm import Base
from firstflight.controller import ALGORITHMS
from firstflight.events import Event
from firstflight_conformance.compare.bounds.bound import Taken
from firstflight_conformance.compare.options import NOTHING, Models
from firstflight_conformance.compare.position import PendingStep, Position, Walker, is_same_state, state_text
from firstflight_conformance.compare.subject import Along, AnsweredCase
from firstflight_conformance.replay.answers import CRASHES
from firstflight_conformance.replay.variant import Variant

#: Largest number of steps of the model for one case. Beyond it the case is undecided.
STEPS = 100_000
#: Largest number of alternatives that one event requires together.
_AT_ONCE = 3
#: Largest number of stuck states that are tried with combinations of alternatives.
_STUCK = 2


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a search. ``steps``: largest number of steps of the model; beyond it the answers are undecided.

    ``walks``: in order, largest number of hidden alternatives in a state (the radius of a walk) and of bases to start
    with. ``silent``: largest number of combinations of alternatives that do not act alone, tried at the end.
    """

    steps: int
    walks: tuple[tuple[int, int], ...] = ((1, 6), (2, 3))
    silent: int = 3


class LimitError(Exception):
    """A case needs more steps than the budget allows."""


@dataclass(frozen=True, slots=True)
class ConformingWay:
    """One explanation of conforming answers: alternatives taken, and alternatives that acted and were refused.

    ``moments``: alternatives taken at some events. ``values``: the values of bounds that were followed. ``cut``: the
    first event that is not judged, or ``None``.
    """

    taken: frozenset[str]
    refused: frozenset[str]
    moments: frozenset[str] = NOTHING
    values: tuple[Taken, ...] = ()
    cut: int | None = None

    @property
    def idle(self) -> int:
        """The number of bounds that were followed by doing nothing."""
        return sum(not value.acts for value in self.values)

    @property
    def cost(self) -> tuple[int, int, int]:
        """Sort key: number of alternatives and idle bounds, then moments, then values of bounds."""
        return len(self.taken) + len(self.moments) + self.idle, len(self.moments), len(self.values)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on one case. ``ways``: explanations of its answers, empty if it fails or is undecided.

    ``ends``: position after the last answer, for each way. ``died``: the event that discards the last state.
    ``fronts``: alternatives of the states discarded there, fewest first. ``steps``: steps of the model. ``states``:
    size of the largest set of states.
    """

    ways: tuple[ConformingWay, ...] = ()
    ends: tuple[Position, ...] = ()
    died: int | None = None
    fronts: tuple[frozenset[str], ...] = ()
    undecided: bool = False
    steps: int = 0
    states: int = 1


@dataclass(frozen=True, slots=True)
class Answered:
    """Events with their answers. ``walker``: returns a variant of the model that walks along them.

    ``forms``: returns the forms of an event, by index, that the implementation may have processed.
    """

    events: Sequence[Event]
    observed: Sequence[dict[str, Any]]
    walker: Callable[[Variant], Walker]
    forms: Callable[[int, Event], Sequence[Event]] = lambda _, event: (event,)


def judge(subject: AnsweredCase, models: Models, base: frozenset[str] = NOTHING) -> Judgement:
    """Return the verdict on a case with events. ``base``: alternatives that the search starts with."""
    return _Search(_answered(subject), models).judgement(base)


def judge_answered(answered: Answered, models: Models, limits: Limits) -> Judgement:
    """Return the verdict on answers."""
    return _Search(answered, models, limits).judgement(NOTHING)


def explained(subject: AnsweredCase, models: Models, taken: frozenset[str]) -> ConformingWay | None:
    """Return the way of a case with exactly these settled alternatives, or ``None``."""
    return explained_answered(_answered(subject), models, taken)


def explained_answered(answered: Answered, models: Models, taken: frozenset[str]) -> ConformingWay | None:
    """Return the way of answers with exactly these settled alternatives, or ``None``."""
    try:
        ended = _Search(answered, models).walk(taken, 0).ended
    except LimitError:
        return None
    return min((one.way for one in ended), key=lambda way: way.cost) if ended else None


def _answered(subject: AnsweredCase) -> Answered:
    return Answered(subject.events, subject.observed, partial(Along, subject), subject.forms)


@dataclass(slots=True)
class _Live:
    """A state of the relation: a position, and the way to it.

    ``hidden``: number of alternatives beyond the base that no answer required. ``skipped``: alternatives may have acted
    without a test, since no more could be taken. ``unsure``: another alternative was taken after that.
    """

    position: Position
    way: ConformingWay
    hidden: int = 0
    skipped: bool = False
    unsure: bool = False

    @property
    def place(self) -> tuple[object, ...]:
        """Sort key among states of the same event: fewest hidden alternatives first."""
        return self.hidden, self.way.cost, sorted(self.way.taken)


@dataclass(frozen=True, slots=True)
class _Walked:
    """A walk: states that reach the end, the last event, alternatives that reach it, and the last event of the base.

    ``stuck``: states that the answer to the last event discards, fewest hidden alternatives first.
    """

    ended: tuple[_Live, ...] = ()
    last: int = 0
    front: tuple[frozenset[str], ...] = ()
    base_last: int = 0
    stuck: tuple[_Live, ...] = ()


@dataclass(slots=True)
class _Node:
    """The step of a state with some alternatives. ``bits``: alternatives that may affect it, ``None`` until needed."""

    names: frozenset[str]
    step: PendingStep | None
    bits: int | None = None


class _Search:
    """The search for the ways of a case."""

    def __init__(self, answered: Answered, models: Models, limits: Limits | None = None) -> None:
        self._answered, self._models, self._limits = answered, models, limits or Limits(STEPS)
        self._walkers: dict[frozenset[str], Walker | None] = {}
        self._unsettled = frozenset(models.unsettled)
        self._steps, self._states = 0, 1

    def judgement(self, base: frozenset[str]) -> Judgement:
        """Return the verdict."""
        best, doubtful = _Walked(), False
        try:
            # The given base first, then bases of single decisions.
            length = len(self._answered.events)
            bases = dict.fromkeys(self._models.bases, length) | {base: length + 1}
            for radius, most in self._limits.walks:
                tried = set[frozenset[str]]()
                while len(tried) < most and (left := [one for one in bases if one not in tried]):
                    given = max(left, key=lambda one: (bases[one], -len(one), sorted(one)))
                    tried.add(given)
                    walked = self.walk(given, radius)
                    if sure := self._sure(walked.ended):
                        return self._conforms(sure)
                    best = walked if not best.front or walked.last > best.last else best
                    doubtful = doubtful or bool(walked.ended)
                    # Wider walks start with the base that got furthest.
                    bases[given] = walked.last
                    if walked.last > walked.base_last:
                        bases |= {front: walked.last for front in walked.front if front not in bases}
            for names in self._silent(best):
                if sure := self._sure(self.walk(names, self._limits.walks[0][0]).ended):
                    return self._conforms(sure)
        except LimitError:
            return Judgement(undecided=True, steps=self._steps, states=self._states)
        if doubtful and (sure := self._from_single_alternatives()):
            return self._conforms(sure)
        return Judgement((), (), best.last, _fewest_first(best.front), steps=self._steps, states=self._states)

    def _from_single_alternatives(self) -> list[_Live]:
        """Return the last states of walks from single alternatives, which a doubtful way may have skipped."""
        for name in self._models.settled:
            try:
                sure = self._sure(self.walk(frozenset({name}), self._limits.walks[0][0]).ended)
            except LimitError:
                break  # the usual walks decided the case within the limit
            if sure:
                return sure
        return []

    def _conforms(self, sure: list[_Live]) -> Judgement:
        ways, ends = tuple(one.way for one in sure), tuple(one.position for one in sure)
        return Judgement(ways, ends, steps=self._steps, states=self._states)

    def _sure(self, ended: Iterable[_Live]) -> list[_Live]:
        """Return the last states, without those that skipped an alternative untested and took it later."""
        sure = [one for one in ended if not one.unsure]
        doubtful = {one.way.taken for one in ended if one.unsure} - {one.way.taken for one in sure}
        held = {taken for taken in doubtful if self.walk(taken, 0).ended}
        return _least([*sure, *(one for one in ended if one.unsure and one.way.taken in held)])

    def walk(self, base: frozenset[str], radius: int) -> _Walked:
        """Walk along the case from a base. With radius 0 exactly the base is taken."""
        live, ended = self._begin(base, radius), list[_Live]()
        base_last = -1
        for index, (event, observed) in enumerate(zip(self._answered.events, self._answered.observed, strict=True)):
            cut = [one for one in live if one.position.is_cut_by(event)]
            ended += [replace(one, way=replace(one.way, cut=index)) for one in cut]
            going = [one for one in live if not one.position.is_cut_by(event)] if cut else live
            if any(one.way.taken == base for one in going):
                base_last = index
            live = self._after(going, radius, index, event, observed)
            if not live:
                if ended:
                    return _Walked(tuple(ended), index, tuple(one.way.taken for one in ended), base_last)
                ordered = sorted(going, key=lambda one: one.place)
                front = tuple(dict.fromkeys(one.way.taken for one in ordered))
                return _Walked((), index, front, base_last, tuple(ordered))
        return _Walked((*ended, *live), len(self._answered.events), tuple(one.way.taken for one in live), base_last)

    def _begin(self, base: frozenset[str], radius: int) -> list[_Live]:
        """Return the states before the first event, more than one if alternatives change the initial state."""
        walker = self._walker(base)
        if walker is None:
            return []
        first = self._begun(walker)
        if first is None:
            return []
        if radius == 0:
            return [_Live(first, ConformingWay(base, NOTHING))]
        text = state_text(first.controller)
        others = {name: self._walker(base | {name}) for name in self._models.settled if name not in base}
        positions = {name: self._begun(other) for name, other in others.items() if other is not None}
        acting = {
            name: one for name, one in positions.items() if one is not None and state_text(one.controller) != text
        }
        return [
            _Live(first, ConformingWay(base, frozenset(acting))),
            *(_Live(one, ConformingWay(base | {name}, frozenset(acting) - {name}), 1) for name, one in acting.items()),
        ]

    def _after(
        self, going: Iterable[_Live], radius: int, index: int, event: Event, observed: dict[str, Any]
    ) -> list[_Live]:
        """Return the states after an event that are consistent with the answer."""
        going, forms = list(going), self._answered.forms(index, event)
        found = self._following(going, radius, index, forms, observed, 1)
        if not found and radius:
            # An answer may require several alternatives that act at this event.
            plain = [one for one in going if not one.hidden]
            found = self._following(plain, radius, index, forms, observed, _AT_ONCE)
        return self._merged(found)

    def _following(
        self, going: Iterable[_Live], radius: int, index: int, forms: Sequence[Event], observed: dict[str, Any],
        at_once: int,
    ) -> list[_Live]:  # fmt: skip
        """Return the states after each form of an event."""
        return [
            after
            for one in going
            for form in forms
            for after in self._successors(one, radius, index, form, observed, at_once)
        ]

    def _successors(
        self, live: _Live, radius: int, index: int, event: Event, observed: dict[str, Any], at_once: int
    ) -> Iterator[_Live]:
        # Alternatives are tried in each step of a state that may take more.
        traced = radius > live.hidden
        plain = self._step(live.position, live.way.taken, event, traced=traced or bool(self._models.unsettled))
        roots = [(live.way, plain)]
        for name in self._models.unsettled:
            if self._bits(live.position, plain, event) & self._models.bits[name]:
                node = self._step(live.position, live.way.taken | {name}, event, traced=traced)
                if self._differs(plain.step, node.step):
                    roots.append((replace(live.way, moments=live.way.moments | {name}), node))
        # All steps are compared first: meeting the answer lets bounds change a step.
        for way, root in roots:
            split = live if way is live.way else replace(live, way=way)
            yield from self._split(split, root, radius, index, event, observed, at_once)

    def _silent(self, walked: _Walked) -> list[frozenset[str]]:
        """Return combinations of alternatives that do not act alone, but let a stuck state give the answer.

        Such an alternative acts only in a bound, or only together with another alternative.
        """
        if not walked.stuck or not self._limits.silent:
            return []
        index = walked.last
        event, observed = self._answered.events[index], self._answered.observed[index]
        found = dict.fromkeys(
            after.way.taken
            for live in walked.stuck[:_STUCK]
            for form in self._answered.forms(index, event)
            for node, at_once in self._silent_steps(live, form)
            for after in self._from(live, node, index, form, observed, at_once)
        )
        return list(found)[: self._limits.silent]

    def _from(
        self, live: _Live, node: _Node, index: int, event: Event, observed: dict[str, Any], at_once: int
    ) -> Iterator[_Live]:
        """Yield the states after a step that gives the answer, alone or with up to ``at_once`` acting alternatives."""
        with_it = replace(live, way=replace(live.way, taken=node.names))
        if at_once:
            return self._split(with_it, node, live.hidden + 1, index, event, observed, at_once)
        return self._met(with_it, node, node.names, live.way.refused, 0, index, observed)

    def _silent_steps(self, live: _Live, event: Event) -> Iterator[tuple[_Node, int]]:
        """Yield the steps of a state with one alternative that does not act, and with two that may act together.

        If two act together, more may act in their step: the largest number of these is yielded, too.
        """
        taken, bits = live.way.taken, self._models.bits
        root = self._step(live.position, taken, event, traced=True)
        left = [name for name in self._models.settled if name not in taken and name not in live.way.refused]
        nodes = {name: self._step(live.position, taken | {name}, event, traced=True) for name in left}
        silent = [name for name in left if not self._differs(root.step, nodes[name].step)]
        yield from ((nodes[name], 0) for name in silent)
        concerned = {name: self._bits(live.position, nodes[name], event) for name in silent}
        for one, other in combinations(silent, 2):
            touched = concerned[one] & bits[other] and concerned[other] & bits[one]
            if touched and self._bits(live.position, root, event) & (bits[one] | bits[other]):
                both = self._step(live.position, taken | {one, other}, event, traced=True)
                yield both, _AT_ONCE if self._differs(root.step, both.step) else 0

    def _split(
        self, live: _Live, root: _Node, radius: int, index: int, event: Event, observed: dict[str, Any], at_once: int
    ) -> Iterator[_Live]:
        """Yield the states after a step, and after the steps with alternatives that act in it."""
        room = radius - live.hidden
        if not radius or (room <= 0 and root.step is not None and root.step.equals(observed)):
            yield from self._met(live, root, live.way.taken, live.way.refused, 0, index, observed, skipped=True)
            return
        way = live.way
        acting = self._acting(live.position, root, way, event)
        refused = way.refused | {name for node in acting for name in node.names - root.names}
        plain = list(self._met(live, root, way.taken, refused, 0, index, observed))
        yield from plain
        # Number of alternatives that the answer requires, None until a step gives the answer.
        required, level, depth = (0 if plain else None), acting, 1
        while depth <= (max(at_once, 1 + room) if required is None else required + room):
            if depth > 1:
                deeper = (other for node in level for other in self._acting(live.position, node, way, event))
                level = list({other.names: other for other in deeper}.values())
            least = depth if required is None else required
            after = [
                one
                for node in level
                for one in self._met(live, node, node.names, refused - node.names, depth - least, index, observed)
            ]
            yield from after
            required = depth if required is None and after else required
            depth += 1

    def _met(
        self, live: _Live, node: _Node, taken: frozenset[str], refused: frozenset[str], hidden: int, index: int,
        observed: dict[str, Any], *, skipped: bool = False,
    ) -> Iterator[_Live]:  # fmt: skip
        """Yield the state after a step if its observables equal the answer."""
        step, settled = node.step, taken - self._unsettled
        unsure = live.unsure or (live.skipped and len(settled) > len(live.way.taken))
        while step is not None and (position := step.meets(index, observed)) is not None:
            way = live.way
            if settled != way.taken or refused != way.refused or step.taken:
                way = replace(way, taken=settled, refused=refused, values=(*way.values, *step.taken))
            yield _Live(position, way, live.hidden + hidden, live.skipped or skipped, unsure)
            step = self._by_another_bound(live.position, node.names, step)

    def _by_another_bound(self, position: Position, names: frozenset[str], step: PendingStep) -> PendingStep | None:
        """Return the same step for the bounds of the base, if a bound of the startup algorithm explained the answer.

        The interval of a startup algorithm may include windows that growth of the base also gives. Bounds of one base
        exclude each other.
        """
        points = {one.point for one in step.taken if not _is_of_base(one.point)}
        if not points:
            return None
        other = self._step(position, names, step.event).step
        if other is not None:
            other.excluded = step.excluded | points
        return other

    def _acting(self, position: Position, node: _Node, way: ConformingWay, event: Event) -> list[_Node]:
        """Return the steps with one more acting alternative."""
        found, bits = [], self._bits(position, node, event)
        for name in self._models.settled:
            if bits & self._models.bits[name] and name not in node.names and name not in way.refused:
                other = self._step(position, node.names | {name}, event)
                if self._differs(node.step, other.step):
                    found.append(other)
        return found

    def _step(self, position: Position, names: frozenset[str], event: Event, *, traced: bool = False) -> _Node:
        """Return the step of a state with some alternatives. ``traced``: include its bits, slower than the step."""
        walker = self._walker(names)
        if walker is None:
            return _Node(names, None, 0)
        self._steps += 1
        if self._steps > self._limits.steps:
            raise LimitError
        try:
            if traced:
                return _Node(names, *self._models.executed.call(partial(walker.step, position, event)))
            return _Node(names, walker.step(position, event))
        except CRASHES:
            return _Node(names, None, 0)

    def _bits(self, position: Position, node: _Node, event: Event) -> int:
        """Return the bits of the alternatives that may affect a step. Repeat the step if it was not traced."""
        if node.bits is None:
            walker = self._walker(node.names)
            assert walker is not None  # the step has one
            node.bits = self._models.executed.call(partial(walker.step, position, event))[1]
        return node.bits

    def _walker(self, names: frozenset[str]) -> Walker | None:
        """Return the model with some alternatives along the answers, or ``None`` if they exclude each other."""
        if names not in self._walkers:
            variant = self._models.variant(names)
            self._walkers[names] = None if variant is None else self._answered.walker(variant)
        return self._walkers[names]

    def _begun(self, walker: Walker) -> Position | None:
        """Return the position before the first event, or ``None`` if the model crashes at once."""
        try:
            return walker.begin()
        except CRASHES:
            return None

    def _differs(self, one: PendingStep | None, other: PendingStep | None) -> bool:
        """Return whether two steps differ in state or in an observable that the adapter declares."""
        if one is None or other is None:
            return other is not None
        if not is_same_state(one.state, other.state):
            return True
        names = (name for name in self._answered.observed[0] if hasattr(one.observation, name))
        return any(getattr(one.observation, name) != getattr(other.observation, name) for name in names)

    def _merged(self, live: list[_Live]) -> list[_Live]:
        """Return the states without duplicates: equal states reached by the same alternatives."""
        if len(live) < 2:
            return live
        by_taken: dict[frozenset[str], list[_Live]] = {}
        for one in live:
            by_taken.setdefault(one.way.taken, []).append(one)
        merged = [state for states in by_taken.values() for state in _distinct(states)]
        self._states = max(self._states, len(merged))
        return merged


@cache
def _is_of_base(point: str) -> bool:
    """Return whether an open point, by its id, belongs to a base."""
    return isinstance(ALGORITHMS[point.partition(" ")[0]], Base)


def _distinct(states: list[_Live]) -> list[_Live]:
    if len(states) < 2:
        return states
    found: dict[str, _Live] = {}
    for one in sorted(states, key=lambda one: one.place):
        found.setdefault(one.position.key, one)
    return list(found.values())


def _fewest_first(fronts: Iterable[frozenset[str]]) -> tuple[frozenset[str], ...]:
    return tuple(sorted(set(fronts), key=lambda one: (len(one), sorted(one))))


def _least(ended: Iterable[_Live]) -> list[_Live]:
    """Return the last states, cheapest first, one per combination of taken and refused alternatives."""
    found: dict[tuple[frozenset[str], frozenset[str]], _Live] = {}
    for one in sorted(ended, key=lambda one: one.way.cost):
        found.setdefault((one.way.taken, one.way.refused), one)
    return list(found.values())

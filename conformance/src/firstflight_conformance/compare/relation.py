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
    """The limits of a search for alternatives that explain the answers to a case.

    An alternative is a permitted choice other than the model's. ``steps``: largest number of processed events; above it
    the answers are undecided. A start is a set of alternatives that the model uses from the first event on. ``walks``:
    two numbers for each round of the search. The first is the largest number of alternatives that an explanation may
    add to its start although no answer required them. The second is the largest number of starts. ``silent``: largest
    number of further starts at the end, each with silent alternatives. A silent alternative alone changes neither state
    nor answer.
    """

    steps: int
    walks: tuple[tuple[int, int], ...] = ((1, 6), (2, 3))
    silent: int = 3


class LimitError(Exception):
    """A case needs more steps than the budget allows."""


@dataclass(frozen=True, slots=True)
class ConformingWay:
    """One explanation of conforming answers by alternatives, which are other permitted choices at open points.

    ``taken``, ``refused``: alternatives used, or not used although they would act, for the whole case. ``moments``:
    alternatives used at single events. ``values``: answers that differ from the model and are in a permitted interval.
    ``cut``: the first event that is not judged, or ``None``.
    """

    taken: frozenset[str]
    refused: frozenset[str]
    moments: frozenset[str] = NOTHING
    values: tuple[Taken, ...] = ()
    cut: int | None = None

    @property
    def idle(self) -> int:
        """Number of values from permitted intervals that mean inaction: the sender did nothing, as the text permits."""
        return sum(not value.acts for value in self.values)

    @property
    def cost(self) -> tuple[int, int, int]:
        """Sort key of three counts; the explanation that deviates least from the profile comes first.

        An alternative is a permitted choice other than the profile's choice. First count: alternatives for the whole
        case, plus alternatives at single events, plus events where the sender did nothing, as the text permits
        (:attr:`idle`). Second count: alternatives at single events. Third count: answers within a permitted interval.
        """
        return len(self.taken) + len(self.moments) + self.idle, len(self.moments), len(self.values)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on one case. ``ways``: explanations of its answers, empty if it fails or is undecided.

    ``ends``: for each way, the state of the model after the last answer. ``died``: index of the first event with an
    unexplained answer. ``fronts``: sets of alternatives (permitted choices other than the model's) that explain all
    answers before this event, fewest first.
    ``steps``: number of events that the search processed. ``states``: largest number of partial explanations at one
    event.
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
    """Events with their answers. ``walker``: returns an object that runs a variant of the model along them.

    ``forms``: takes the index and the event, and returns the forms of the event that the implementation may have
    processed. These are usually the event alone, and for some ACKs also a copy with the other value of ``app_limited``.
    """

    events: Sequence[Event]
    observed: Sequence[dict[str, Any]]
    walker: Callable[[Variant], Walker]
    forms: Callable[[int, Event], Sequence[Event]] = lambda _, event: (event,)


def judge(subject: AnsweredCase, models: Models, base: frozenset[str] = NOTHING) -> Judgement:
    """Return the verdict on a case with events.

    ``base``: alternatives that the search starts with; an alternative is a permitted choice other than the model's.
    """
    return _Search(_answered(subject), models).judgement(base)


def judge_answered(answered: Answered, models: Models, limits: Limits) -> Judgement:
    """Return the verdict on answers, with the permitted choices that explain them. ``limits``: of the search."""
    return _Search(answered, models, limits).judgement(NOTHING)


def explained(subject: AnsweredCase, models: Models, alternatives: frozenset[str]) -> ConformingWay | None:
    """Return the cheapest explanation of a case by exactly these alternatives throughout the case.

    An alternative is a permitted choice other than the model's. Alternatives at single events, and values in permitted
    intervals, may be part of the explanation. The cheapest has the fewest alternatives at single events and permitted
    omissions of an action together, then the fewest values. Return ``None`` if the answers differ nevertheless, or at
    the limit of steps.
    """
    return explained_answered(_answered(subject), models, alternatives)


def explained_answered(answered: Answered, models: Models, alternatives: frozenset[str]) -> ConformingWay | None:
    """Return the cheapest explanation of answers by exactly these alternatives at all events.

    An alternative is a permitted choice other than the model's. Alternatives at single events, and values in permitted
    intervals, may be part of the explanation. The cheapest has the fewest alternatives at single events and permitted
    omissions of an action together, then the fewest values. Return ``None`` if the answers differ nevertheless, or at
    the limit of steps.
    """
    try:
        ended = _Search(answered, models).walk(alternatives, 0).ended
    except LimitError:
        return None
    return min((state.way for state in ended), key=lambda way: way.cost) if ended else None


def _answered(subject: AnsweredCase) -> Answered:
    return Answered(subject.events, subject.observed, partial(Along, subject), subject.forms)


@dataclass(slots=True)
class _Live:
    """One explanation of the answers so far: the state of the model, and the alternatives that lead to it.

    An alternative is a permitted choice other than the model's. ``hidden``: number of alternatives that no answer
    required, without the initial alternatives of the search. ``skipped``: at some event other alternatives were not
    tried, since no more could be taken. ``unsure``: an alternative was taken after such an event. It may already change
    the model's answer or state at the skipped event, which was not tested.
    """

    position: Position
    way: ConformingWay
    hidden: int = 0
    skipped: bool = False
    unsure: bool = False

    @property
    def place(self) -> tuple[object, ...]:
        """Sort key among explanations of the same answers.

        Explanations with fewer alternatives that no answer required come first, then cheaper ones
        (:attr:`ConformingWay.cost`).
        """
        return self.hidden, self.way.cost, sorted(self.way.taken)


@dataclass(frozen=True, slots=True)
class _Walked:
    """The result of one run of model variants along the answers to a case.

    The run has a start: a set of alternatives, which are permitted choices other than the model's. An explanation
    (:class:`_Live`) is a state of the model with the alternatives that lead to it. It reaches an event if it explains
    all earlier answers. ``ended``: explanations of all answers, or of all answers up to the end of judging. ``last``:
    index of the last event that an explanation reaches, or the number of all events if every answer is explained.
    ``front``: the sets of alternatives of the explanations that reach it. ``base_last``: index of the last event that
    the start reaches without more alternatives, except alternatives used only at single events; or -1. ``stuck``:
    explanations that the answer to event ``last`` discards, sorted by :attr:`_Live.place`.
    """

    ended: tuple[_Live, ...] = ()
    last: int = 0
    front: tuple[frozenset[str], ...] = ()
    base_last: int = 0
    stuck: tuple[_Live, ...] = ()


@dataclass(slots=True)
class _Node:
    """An event processed by the model with the alternatives ``names``, before the answer is compared.

    An alternative is a permitted choice other than the model's. ``step``: the result, or ``None`` if the alternatives
    exclude each other or the model crashes. ``bits``: bit mask of the alternatives that may affect the result, or
    ``None`` until needed.
    """

    names: frozenset[str]
    step: PendingStep | None
    bits: int | None = None


class _Search:
    """The search for permitted choices, called alternatives, that explain the answers to a case."""

    def __init__(self, answered: Answered, models: Models, limits: Limits | None = None) -> None:
        self._answered, self._models, self._limits = answered, models, limits or Limits(STEPS)
        self._walkers: dict[frozenset[str], Walker | None] = {}
        self._unsettled = frozenset(models.unsettled)
        self._steps, self._states = 0, 1

    def judgement(self, base: frozenset[str]) -> Judgement:
        """Search for explanations of all answers by alternatives (permitted choices), and return the verdict with them.

        ``base``: the alternatives that the search starts with. The verdict is undecided at the limit of steps. Without
        an explanation it contains the event and the alternatives that the search reached.
        """
        best, doubtful = _Walked(), False
        try:
            # The given base first, then bases of single decisions.
            length = len(self._answered.events)
            bases = dict.fromkeys(self._models.bases, length) | {base: length + 1}
            for radius, most in self._limits.walks:
                tried = set[frozenset[str]]()
                while len(tried) < most and (untried := [candidate for candidate in bases if candidate not in tried]):
                    next_base = max(
                        untried, key=lambda candidate: (bases[candidate], -len(candidate), sorted(candidate))
                    )
                    tried.add(next_base)
                    walked = self.walk(next_base, radius)
                    if sure := self._sure(walked.ended):
                        return self._conforms(sure)
                    best = walked if not best.front or walked.last > best.last else best
                    doubtful = doubtful or bool(walked.ended)
                    # Wider walks start with the base that got furthest.
                    bases[next_base] = walked.last
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
        """Return reliable explanations from a search that starts with a single alternative, or an empty list.

        An alternative is a permitted choice other than the model's. The search tries one alternative after another
        until it finds explanations. It is the last attempt if all explanations so far are doubtful: they left
        alternatives untested at some events.
        """
        for name in self._models.settled:
            try:
                sure = self._sure(self.walk(frozenset({name}), self._limits.walks[0][0]).ended)
            except LimitError:
                break  # the usual walks decided the case within the limit
            if sure:
                return sure
        return []

    def _conforms(self, sure: list[_Live]) -> Judgement:
        ways, ends = tuple(state.way for state in sure), tuple(state.position for state in sure)
        return Judgement(ways, ends, steps=self._steps, states=self._states)

    def _sure(self, ended: Iterable[_Live]) -> list[_Live]:
        """Return the reliable explanations among ``ended``, explanations of all answers; cheapest first.

        An explanation is unsure if it took an alternative (a permitted choice) after an event where alternatives were
        not tested. An unsure explanation is dropped if a reliable explanation took the same alternatives. Otherwise it
        is returned too, if the model with exactly its alternatives from the start also gives all answers.
        """
        sure = [state for state in ended if not state.unsure]
        doubtful = {state.way.taken for state in ended if state.unsure} - {state.way.taken for state in sure}
        held = {alternatives for alternatives in doubtful if self.walk(alternatives, 0).ended}
        return _least([*sure, *(state for state in ended if state.unsure and state.way.taken in held)])

    def walk(self, base: frozenset[str], radius: int) -> _Walked:
        """Run the model along the answers from the alternatives ``base``, and return the resulting explanations.

        An alternative is a permitted choice other than the model's, either for the whole case or for a single event.
        Alternatives for a single event are always tried. With ``radius`` 0, the alternatives for the whole case are
        exactly ``base``. Otherwise an explanation may add one at the first event where it changes the state or an
        observable. ``radius`` limits the number of those added although the answer fits the model without them.
        """
        live, ended = self._begin(base, radius), list[_Live]()
        base_last = -1
        for index, (event, observed) in enumerate(zip(self._answered.events, self._answered.observed, strict=True)):
            cut = [state for state in live if state.position.is_cut_by(event)]
            ended += [replace(state, way=replace(state.way, cut=index)) for state in cut]
            going = [state for state in live if not state.position.is_cut_by(event)] if cut else live
            if any(state.way.taken == base for state in going):
                base_last = index
            live = self._after(going, radius, index, event, observed)
            if not live:
                if ended:
                    return _Walked(tuple(ended), index, tuple(state.way.taken for state in ended), base_last)
                ordered = sorted(going, key=lambda state: state.place)
                front = tuple(dict.fromkeys(state.way.taken for state in ordered))
                return _Walked((), index, front, base_last, tuple(ordered))
        return _Walked((*ended, *live), len(self._answered.events), tuple(state.way.taken for state in live), base_last)

    def _begin(self, base: frozenset[str], radius: int) -> list[_Live]:
        """Return the explanations before the first event: ``base``, and ``base`` with one more alternative each.

        The additional alternatives change the initial state. An alternative is a permitted choice other than the
        model's. With radius 0, return only ``base``. The list is empty if alternatives of ``base`` exclude each other,
        or if the model crashes.
        """
        walker = self._walker(base)
        if walker is None:
            return []
        first = self._begun(walker)
        if first is None:
            return []
        if radius == 0:
            return [_Live(first, ConformingWay(base, NOTHING))]
        text = state_text(first.controller)
        other_walkers = {name: self._walker(base | {name}) for name in self._models.settled if name not in base}
        positions = {
            name: self._begun(other_walker) for name, other_walker in other_walkers.items() if other_walker is not None
        }
        acting = {
            name: position
            for name, position in positions.items()
            if position is not None and state_text(position.controller) != text
        }
        return [
            _Live(first, ConformingWay(base, frozenset(acting))),
            *(
                _Live(position, ConformingWay(base | {name}, frozenset(acting) - {name}), 1)
                for name, position in acting.items()
            ),
        ]

    def _after(
        self, going: Iterable[_Live], radius: int, index: int, event: Event, observed: dict[str, Any]
    ) -> list[_Live]:
        """Return the explanations of the answers up to and including this event, without duplicates.

        An explanation is a state of the model and the alternatives (permitted choices) that lead to it. ``going``: the
        explanations before the event. ``radius``: largest number of alternatives that an explanation may contain
        although no answer required them; with 0 no alternatives for the whole case are added. ``observed``: the answer.
        """
        going, forms = list(going), self._answered.forms(index, event)
        states = self._following(going, radius, index, forms, observed, 1)
        if not states and radius:
            # An answer may require several alternatives that act at this event.
            plain = [state for state in going if not state.hidden]
            states = self._following(plain, radius, index, forms, observed, _AT_ONCE)
        return self._merged(states)

    def _following(
        self, going: Iterable[_Live], radius: int, index: int, forms: Sequence[Event], observed: dict[str, Any],
        at_once: int,
    ) -> list[_Live]:  # fmt: skip
        """Return the explanations that remain after the answer ``observed`` to an event.

        ``going``: the explanations before the event. ``forms``: the forms of the event that the implementation may have
        processed, such as an ACK with either value of ``app_limited``. An alternative is a permitted choice other than
        the model's. An answer requires an alternative if the model without it gives another answer. ``radius``: largest
        number of alternatives in an explanation that no answer required. ``at_once``: number of alternatives that may
        be added because of this answer. ``index``: index of the event.
        """
        return [
            after
            for state in going
            for form in forms
            for after in self._successors(state, radius, index, form, observed, at_once)
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
        """Return sets of alternatives that give the first answer that no explanation in ``walked`` gives.

        An alternative is a permitted choice other than the model's. ``walked``: the result of a run along the answers.
        Each set adds one or two silent alternatives to an explanation of the earlier answers. A silent alternative
        alone changes neither state nor observables at this event. It changes only the values that a permitted interval
        accepts, or acts only together with another alternative.
        """
        if not walked.stuck or not self._limits.silent:
            return []
        index = walked.last
        event, observed = self._answered.events[index], self._answered.observed[index]
        silent_alternatives = dict.fromkeys(
            after.way.taken
            for live in walked.stuck[:_STUCK]
            for form in self._answered.forms(index, event)
            for node, at_once in self._silent_steps(live, form)
            for after in self._from(live, node, index, form, observed, at_once)
        )
        return list(silent_alternatives)[: self._limits.silent]

    def _from(
        self, live: _Live, node: _Node, index: int, event: Event, observed: dict[str, Any], at_once: int
    ) -> Iterator[_Live]:
        """Yield the explanations of all answers up to this event that start from ``live`` and the step ``node``.

        ``live``: an explanation of the earlier answers, which is a state of the model and the alternatives (permitted
        choices) that lead to it. ``node``: the event processed with these and one or two more alternatives.
        ``at_once``: number of further alternatives that the answer may require together; with 0, only ``node`` is
        tried.
        """
        with_it = replace(live, way=replace(live.way, taken=node.names))
        if at_once:
            return self._split(with_it, node, live.hidden + 1, index, event, observed, at_once)
        return self._met(with_it, node, node.names, live.way.refused, 0, index, observed)

    def _silent_steps(self, live: _Live, event: Event) -> Iterator[tuple[_Node, int]]:
        """Yield pairs: a step of the model with one or two silent alternatives, and a limit of further alternatives.

        An alternative (a permitted choice) is silent if alone it changes neither state nor observables at this event.
        The limit is the number of alternatives that the caller may add to the step so that it gives the observed
        answer. It is 0 for one silent alternative. Two are combined if each changes a function that the step with the
        other executes. The limit is then 3, as usual for one event, if together they change the step, and 0 otherwise.
        """
        alternatives, bits = live.way.taken, self._models.bits
        root = self._step(live.position, alternatives, event, traced=True)
        available = [name for name in self._models.settled if name not in alternatives and name not in live.way.refused]
        nodes = {name: self._step(live.position, alternatives | {name}, event, traced=True) for name in available}
        silent = [name for name in available if not self._differs(root.step, nodes[name].step)]
        yield from ((nodes[name], 0) for name in silent)
        concerned = {name: self._bits(live.position, nodes[name], event) for name in silent}
        for first, second in combinations(silent, 2):
            touched = concerned[first] & bits[second] and concerned[second] & bits[first]
            if touched and self._bits(live.position, root, event) & (bits[first] | bits[second]):
                both = self._step(live.position, alternatives | {first, second}, event, traced=True)
                yield both, _AT_ONCE if self._differs(root.step, both.step) else 0

    def _split(
        self, live: _Live, root: _Node, radius: int, index: int, event: Event, observed: dict[str, Any], at_once: int
    ) -> Iterator[_Live]:
        """Yield the explanations that remain after a step, without and with further alternatives (permitted choices).

        ``root``: the step with the alternatives so far. Further alternatives must change its state or an observable.
        ``radius``: number of alternatives that an explanation may contain although no answer required them. With
        ``radius`` 0, no further alternatives are tried, even if the answer requires one. None are tried either if this
        number is reached and ``root`` itself gives the answer. ``at_once``: number of alternatives that this answer may
        require together, if ``radius`` is above 0.
        """
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
                deeper = (
                    deeper_node for node in level for deeper_node in self._acting(live.position, node, way, event)
                )
                level = list({deeper_node.names: deeper_node for deeper_node in deeper}.values())
            least = depth if required is None else required
            after = [
                state
                for node in level
                for state in self._met(live, node, node.names, refused - node.names, depth - least, index, observed)
            ]
            yield from after
            required = depth if required is None and after else required
            depth += 1

    def _met(
        self, live: _Live, node: _Node, alternatives: frozenset[str], refused: frozenset[str], hidden: int, index: int,
        observed: dict[str, Any], *, skipped: bool = False,
    ) -> Iterator[_Live]:  # fmt: skip
        """Yield the explanations of the answers up to this one, if the step ``node`` gives the answer.

        An explanation is a state of the model and the alternatives (permitted choices) that lead to it. The answer is
        the step's own, or in an interval of permitted values. Several intervals can give several explanations.
        ``refused``: alternatives that would change this or an earlier step, and that the explanation does not use.
        ``hidden``: number of alternatives that the step adds and the answer does not require. ``skipped``: further
        alternatives were not tried at this event.
        """
        step, settled = node.step, alternatives - self._unsettled
        unsure = live.unsure or (live.skipped and len(settled) > len(live.way.taken))
        while step is not None and (position := step.meets(index, observed)) is not None:
            way = live.way
            if settled != way.taken or refused != way.refused or step.taken:
                way = replace(way, taken=settled, refused=refused, values=(*way.values, *step.taken))
            yield _Live(position, way, live.hidden + hidden, live.skipped or skipped, unsure)
            step = self._by_another_bound(live.position, node.names, step)

    def _by_another_bound(self, position: Position, names: frozenset[str], step: PendingStep) -> PendingStep | None:
        """Return the step again without the bounds of the startup algorithm that accepted the answer, or ``None``.

        A bound is an interval of permitted values. ``None``: no bound of the startup algorithm accepted the answer, or
        the model crashes. The interval of a startup algorithm may include windows that growth of its base controller
        also gives, so both explanations are tried. Bounds of the base controller remain in use: only one of them can
        accept an answer.
        """
        points = {acceptance.point for acceptance in step.taken if not _is_of_base(acceptance.point)}
        if not points:
            return None
        base_step = self._step(position, names, step.event).step
        if base_step is not None:
            base_step.excluded = step.excluded | points
        return base_step

    def _acting(self, position: Position, node: _Node, way: ConformingWay, event: Event) -> list[_Node]:
        """Return the steps with one more alternative that changes the state or a declared observable.

        A step is an event processed by the model, before the answer is compared. An alternative is a permitted choice
        other than the model's. ``node``: the step without the added alternative. ``way``: the explanation of the
        earlier answers. Alternatives that it refuses are skipped: they would have changed an earlier step, and the
        explanation does not use them.
        """
        nodes, bits = [], self._bits(position, node, event)
        for name in self._models.settled:
            if bits & self._models.bits[name] and name not in node.names and name not in way.refused:
                successor = self._step(position, node.names | {name}, event)
                if self._differs(node.step, successor.step):
                    nodes.append(successor)
        return nodes

    def _step(self, position: Position, names: frozenset[str], event: Event, *, traced: bool = False) -> _Node:
        """Return the result of an event for the model with the alternatives (permitted choices) ``names``.

        ``position``: the state before the event, which stays unchanged. ``traced``: also record the bit mask of
        alternatives that may affect the result, which is slower. Raise :class:`LimitError` above the limit of steps.
        """
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
        """Return a bit mask of the alternatives (permitted choices) that may affect a step.

        Bit n is set if the step executes a function that alternative n changes. If the executed functions of ``node``
        were not recorded, process the event again and record them.
        """
        if node.bits is None:
            walker = self._walker(node.names)
            assert walker is not None  # the step has one
            node.bits = self._models.executed.call(partial(walker.step, position, event))[1]
        return node.bits

    def _walker(self, names: frozenset[str]) -> Walker | None:
        """Return an object that runs the model with the alternatives ``names`` along the answers.

        An alternative is a permitted choice other than the model's. Return ``None`` if the alternatives exclude each
        other.
        """
        if names not in self._walkers:
            variant = self._models.variant(names)
            self._walkers[names] = None if variant is None else self._answered.walker(variant)
        return self._walkers[names]

    def _begun(self, walker: Walker) -> Position | None:
        """Return the position (state of the model) before the first event, or ``None`` if creating it crashes."""
        try:
            return walker.begin()
        except CRASHES:
            return None

    def _differs(self, step: PendingStep | None, other: PendingStep | None) -> bool:
        """Return whether two steps differ in state or in an observable that the adapter declares."""
        if step is None or other is None:
            return other is not None
        if not is_same_state(step.state, other.state):
            return True
        names = (name for name in self._answered.observed[0] if hasattr(step.observation, name))
        return any(getattr(step.observation, name) != getattr(other.observation, name) for name in names)

    def _merged(self, live: list[_Live]) -> list[_Live]:
        """Return the states without duplicates: equal states reached by the same alternatives."""
        if len(live) < 2:
            return live
        by_alternatives: dict[frozenset[str], list[_Live]] = {}
        for live_state in live:
            by_alternatives.setdefault(live_state.way.taken, []).append(live_state)
        merged = [state for states in by_alternatives.values() for state in _distinct(states)]
        self._states = max(self._states, len(merged))
        return merged


@cache
def _is_of_base(point: str) -> bool:
    """Return whether an open point belongs to a base controller, such as NewReno, not to a startup algorithm.

    An open point is a place where a text permits several choices. ``point``: its id, such as "cubic U1".
    """
    return isinstance(ALGORITHMS[point.partition(" ")[0]], Base)


def _distinct(states: list[_Live]) -> list[_Live]:
    if len(states) < 2:
        return states
    by_key: dict[str, _Live] = {}
    for state in sorted(states, key=lambda state: state.place):
        by_key.setdefault(state.position.key, state)
    return list(by_key.values())


def _fewest_first(fronts: Iterable[frozenset[str]]) -> tuple[frozenset[str], ...]:
    return tuple(sorted(set(fronts), key=lambda names: (len(names), sorted(names))))


def _least(ended: Iterable[_Live]) -> list[_Live]:
    """Return the cheapest complete explanation for each combination of taken and refused alternatives, cheapest first.

    An alternative is a permitted choice other than the model's. Taken alternatives are used for the whole case. Refused
    alternatives are not used, although they would change a step of the model. Other alternatives are used at single
    events. The cost is the number of taken alternatives, alternatives at single events, and events where the sender
    permissibly does nothing. Equal costs are ordered by the number of alternatives at single events, then by the number
    of values from permitted intervals.
    """
    cheapest: dict[tuple[frozenset[str], frozenset[str]], _Live] = {}
    for state in sorted(ended, key=lambda state: state.way.cost):
        cheapest.setdefault((state.way.taken, state.way.refused), state)
    return list(cheapest.values())

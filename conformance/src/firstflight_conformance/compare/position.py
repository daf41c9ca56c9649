"""A model along the answers to a case: its controller, and the memory of the bounds that it follows."""

from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from firstflight.events import Event, Sent
from firstflight_conformance.cases.computations import ComputationCase
from firstflight_conformance.cases.wire import observables
from firstflight_conformance.diagnose.subject import Subject, equals
from firstflight_conformance.diagnose.variant import Variant
from firstflight_conformance.freedoms.bounds.bound import Bound, Taken
from firstflight_conformance.freedoms.bounds.registry import bounds_of
from firstflight_conformance.run.compare import avoids, notes_avoidance, slack_bytes


class Along:
    """A case and a variant of the model that walks along its answers."""

    def __init__(self, subject: Subject, variant: Variant) -> None:
        """Take the case and the model."""
        case = subject.case
        assert not isinstance(case, ComputationCase)  # a computation has no events
        self.subject, self.case, self.variant = subject, case, variant
        # A class with a tolerance would otherwise go on from a window near the observed one.
        self.is_loose = slack_bytes(subject.declaration, subject.config.max_datagram_size_bytes, 0) > 0
        self.notes_avoidance = notes_avoidance(subject.declaration)

    @cached_property
    def _first(self) -> Any:
        return self.variant.create(self.case.vector.algorithm, self.case.profile, self.subject.config)

    def begin(self) -> "Position":
        """Return the position before the first event."""
        bounds = bounds_of(self.case.vector.algorithm, self.case.profile, self.variant.advance)
        return Position(self, self._first.copy(), bounds)

    def step(self, position: "Position", event: Event) -> "Step":
        """Process an event from a position that another model may have reached, which stays as it is."""
        is_own = self.variant.continues(position.along.variant)
        before = position.controller if is_own else self._moved(position.controller)
        controller = before.copy()
        return Step(self, position, before, event, controller, self.variant.advance(controller, event))

    def _moved(self, controller: Any) -> Any:
        """Return a copy of a controller with the code, rules and readings of this model."""
        first, old = self._first, controller.copy()
        base = old.base
        base.rules, base.growth = first.base.rules, first.base.growth
        readings = getattr(first.base.rules_state, "readings", None)
        if readings is not None:
            base.rules_state.readings = readings
        return type(first)(base, first.readings, old.startup, old.t_ns, old.next_packet)


@dataclass(slots=True)
class Position:
    """The state of a model after some answers of a case.

    ``narrowed``: an answer was followed that the model does not give. ``avoiding``: CUBIC has been in congestion avoidance.
    ``last``: the observables after the last event, kept only for adapters whose tolerance depends on congestion avoidance.
    """

    along: Along
    controller: Any
    bounds: list[Bound]
    narrowed: bool = False
    avoiding: bool = False
    last: dict[str, Any] | None = None

    @property
    def key(self) -> str:
        """A text that is the same for equal states of two models: state, memory of the bounds, and flags."""
        memory = [
            sorted((name, repr(one)) for name, one in vars(bound).items() if name != "advance") for bound in self.bounds
        ]
        return f"{state_text(self.controller)} {memory} {self.narrowed} {self.avoiding}"

    def is_cut_by(self, event: Event) -> bool:
        """Return whether the stream sends more than the window that is followed: nothing is judged from here on."""
        return self.narrowed and isinstance(event, Sent) and event.bytes_in_flight > self.controller.base.cwnd_bytes


@dataclass(slots=True)
class Step:
    """An event processed from a position, before its answer is compared. ``taken``: the values of bounds that were followed."""

    along: Along
    position: Position
    before: Any
    event: Event
    controller: Any
    observation: Any
    taken: list[Taken] = field(default_factory=list)
    _text: str | None = None

    @property
    def text(self) -> str:
        """The state after the event, before bounds follow the answer."""
        if self._text is None:
            self._text = state_text(self.controller)
        return self._text

    def meets(self, index: int, observed: dict[str, Any]) -> Position | None:
        """Return the position after the answer, or ``None`` if it is no answer of the model. Bounds follow the answer.

        The text of the state must have been asked for before.
        """
        before, along = self.position, self.along
        position = Position(along, self.controller, before.bounds, before.narrowed, before.avoiding, before.last)
        if along.notes_avoidance:
            now = observables(self.observation)
            position.avoiding = before.avoiding or avoids(along.case, before.last, now)
            position.last = now
        agrees = self._agrees(index, observed, position)
        position.bounds = [copy(bound) for bound in before.bounds]
        for bound in position.bounds:
            bound.advance = along.variant.advance
        if not agrees or (along.is_loose and position.bounds and not equals(self.observation, observed)):
            self._follow(position, observed)
            position.narrowed = position.narrowed or bool(self.taken and not agrees)
            if self.taken:
                agrees = self._agrees(index, observed, position)
        if not agrees:
            return None
        for bound in position.bounds:
            bound.settle(self.before, position.controller, self.event)
        return position

    def _agrees(self, index: int, observed: dict[str, Any], position: Position) -> bool:
        return self.along.subject.agrees(index, self.observation, observed, avoiding=position.avoiding)

    def _follow(self, position: Position, observed: dict[str, Any]) -> None:
        for bound in position.bounds:
            found = bound.follow(self.before, position.controller, self.event, self.observation, observed)
            if found is not None:
                self.taken.append(found)
                self.observation = self.along.variant.followed(self.observation, position.controller, found.shows)


def state_text(controller: Any) -> str:
    """Return the state of a controller as a text without readings and rules, which belong to the model and not to the state."""
    base, rules = controller.base, controller.base.rules_state
    windows = base.cwnd_bytes, base.ssthresh_bytes, base.recovery_start_ns, base.in_recovery
    readings = getattr(rules, "readings", None)
    if readings is None:
        return f"{windows} {rules} {controller.startup}"
    rules.readings = None
    try:
        return f"{windows} {rules} {controller.startup}"
    finally:
        rules.readings = readings

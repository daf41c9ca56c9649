"""A model along the answers to a case: its controller, and the memory of the bounds that it follows."""

from copy import copy
from dataclasses import dataclass, field
from typing import Any

from firstflight.events import Event, Sent
from firstflight_conformance.cases.wire import observables
from firstflight_conformance.diagnose.subject import Subject, equals
from firstflight_conformance.diagnose.variant import Variant
from firstflight_conformance.freedoms.bounds.bound import Bound, Taken
from firstflight_conformance.freedoms.bounds.registry import bounds_of
from firstflight_conformance.mutants.answers import CRASHES
from firstflight_conformance.run.compare import avoids, slack_bytes


@dataclass(slots=True)
class Position:
    """The state of a model after some answers of a case.

    ``narrowed``: an answer was followed that the model does not give. ``avoiding``: CUBIC has been in congestion avoidance.
    ``last``: the observables after the last event, kept for adapters of the class ``datagram`` only.
    """

    subject: Subject
    variant: Variant
    controller: Any
    bounds: list[Bound]
    is_loose: bool
    narrowed: bool = False
    avoiding: bool = False
    last: dict[str, Any] | None = None

    @classmethod
    def begin(cls, subject: Subject, variant: Variant) -> "Position":
        """Return the position before the first event. Raise what a wrong model raises."""
        vector, profile = subject.case.vector, subject.case.profile
        controller = variant.create(vector.algorithm, profile, subject.config)
        bounds = bounds_of(vector.algorithm, profile, variant.advance)
        # A class with a tolerance would otherwise go on from a window near the observed one.
        is_loose = slack_bytes(subject.declaration, subject.config.max_datagram_size_bytes, 0) > 0
        return cls(subject, variant, controller, bounds, is_loose)

    @property
    def key(self) -> str:
        """A text that is the same for equal states of two models: state, memory of the bounds, and flags."""
        memory = [sorted((name, repr(one)) for name, one in vars(bound).items() if name != "advance") for bound in self.bounds]
        return f"{state_text(self.controller)} {memory} {self.narrowed} {self.avoiding}"

    def under(self, variant: Variant) -> "Position":
        """Return a copy that goes on with another model."""
        position = self.copy()
        if variant is not self.variant:
            vector = self.subject.case.vector
            template = variant.create(vector.algorithm, self.subject.case.profile, self.subject.config)
            position.variant, position.controller = variant, _moved(position.controller, template)
            for bound in position.bounds:
                bound.advance = variant.advance
        return position

    def copy(self) -> "Position":
        """Return a copy that shares nothing that changes."""
        return Position(
            self.subject, self.variant, self.controller.copy(), [copy(bound) for bound in self.bounds], self.is_loose,
            self.narrowed, self.avoiding, self.last,
        )  # fmt: skip

    def is_cut_by(self, event: Event) -> bool:
        """Return whether the stream sends more than the window that is followed: nothing is judged from here on."""
        return self.narrowed and isinstance(event, Sent) and event.bytes_in_flight > self.controller.base.cwnd_bytes

    def advance(self, event: Event) -> "Advanced | None":
        """Process an event, before the answer to it is looked at; ``None`` if the model crashes. The position changes."""
        before = self.controller.copy() if self.bounds else None
        try:
            observation = self.variant.advance(self.controller, event)
        except CRASHES:
            return None
        return Advanced(self, before, event, observation)

    def note_avoidance(self, observation: Any) -> None:
        """Note whether CUBIC has been in congestion avoidance, where the class of the adapter depends on it."""
        if self.subject.declaration.avoidance == "datagram":
            now = observables(observation)
            self.avoiding = self.avoiding or avoids(self.subject.case, self.last, now)
            self.last = now


@dataclass(slots=True)
class Advanced:
    """A position after an event whose answer is still to be compared. ``observation``: of the model, later with followed values."""

    position: Position
    before: Any
    event: Event
    observation: Any
    taken: list[Taken] = field(default_factory=list)

    def meets(self, index: int, observed: dict[str, Any]) -> bool:
        """Return whether the answer to the event is one of the model, and go on from it. Bounds follow the answer."""
        position = self.position
        position.note_avoidance(self.observation)
        agrees = self._agrees(index, observed)
        if not agrees or (position.is_loose and position.bounds and not equals(self.observation, observed)):
            self._follow(observed)
            position.narrowed = position.narrowed or bool(self.taken and not agrees)
            if self.taken:
                agrees = self._agrees(index, observed)
        for bound in position.bounds:
            bound.settle(self.before, position.controller, self.event)
        return agrees

    def _agrees(self, index: int, observed: dict[str, Any]) -> bool:
        return self.position.subject.agrees(index, self.observation, observed, avoiding=self.position.avoiding)

    def _follow(self, observed: dict[str, Any]) -> None:
        position = self.position
        for bound in position.bounds:
            found = bound.follow(self.before, position.controller, self.event, self.observation, observed)
            if found is not None:
                self.taken.append(found)
                self.observation = position.variant.followed(self.observation, position.controller, found.shows)


def state_text(controller: Any) -> str:
    """Return the state of a controller as a text without readings and rules, which belong to the model and not to the state."""
    base, rules = controller.base, controller.base.rules_state
    readings = getattr(rules, "readings", None)
    try:
        if readings is not None:
            rules.readings = None
        windows = base.cwnd_bytes, base.ssthresh_bytes, base.recovery_start_ns, base.in_recovery
        return f"{windows} {rules} {controller.startup}"
    finally:
        if readings is not None:
            rules.readings = readings


def _moved(controller: Any, template: Any) -> Any:
    """Return the state of a controller with code, rules and readings of another model."""
    template.base.growth, rules = template.base.growth, controller.base.rules_state
    base = controller.base
    base.rules, base.growth = template.base.rules, template.base.growth
    if rules is not None and hasattr(rules, "readings"):
        rules.readings = template.base.rules_state.readings
    template.base, template.startup = base, controller.startup
    template.t_ns, template.next_packet = controller.t_ns, controller.next_packet
    return template

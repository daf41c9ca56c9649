"""The state of a model along the answers to a case: its controller, and the events recorded by its bounds."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from firstflight import Config
from firstflight.events import Event, PathChange, Sent
from firstflight_conformance.compare.bounds.bound import Bound, Taken
from firstflight_conformance.compare.bounds.registry import bounds_of
from firstflight_conformance.replay.variant import Variant


class Walker:
    """A variant of the model that processes the events of a case, and continues from the states of other variants."""

    def __init__(self, algorithm: str, profile: str, config: Config, variant: Variant) -> None:
        """Store the profile, the configuration and ``variant``, the model that processes the events."""
        self.algorithm, self.profile, self.config, self.variant = algorithm, profile, config, variant

    @property
    def _first(self) -> Any:
        return _created(self.variant, self.algorithm, self.profile, self.config)

    def begin(self) -> "Position":
        """Return the position before the first event: a new controller, and bounds (intervals of permitted values)."""
        return Position(self, self._first.copy(), self.bounds())

    def bounds(self) -> list[Bound]:
        """Return new bounds (intervals of permitted values), which have not recorded any event yet."""
        return bounds_of(*self.variant.stands_for(self.algorithm, self.profile), self.variant.advance)

    def step(self, position: "Position", event: Event) -> "PendingStep":
        """Process an event with this variant of the model, and return the step before its answer is compared.

        ``position``: the start, with the controller and the bounds (intervals of permitted values) after the previous
        answers. It stays unchanged, and may have been reached by another variant.
        """
        raise NotImplementedError

    def before(self, position: "Position") -> Any:
        """Return the controller of ``position``, a state after earlier answers, in a form that this model can use.

        Return the controller itself if its own model has the same classes and readings (interpretations of a text).
        Otherwise return a copy of its state with the rules and readings of this model.
        """
        if self.variant.continues(position.along.variant):
            return position.controller
        first, old = self._first, position.controller.copy()
        base = old.base
        base.rules, base.growth = first.base.rules, first.base.growth
        readings = getattr(first.base.rules_state, "readings", None)
        if readings is not None:
            base.rules_state.readings = readings
        numbers = (old.t_ns, old.next_packet, old.initial_window_bytes, old.path_start_ns)
        return type(first)(base, first.readings, old.startup, *numbers)


@lru_cache(maxsize=1024)
def _created(variant: Variant, algorithm: str, profile: str, config: Config) -> Any:
    """Return a new controller, shared by all cases of a configuration; callers copy it."""
    return variant.create(algorithm, profile, config)


@dataclass(slots=True)
class Position:
    """The state of a model after some answers of a case.

    ``bounds``: intervals of permitted values. ``narrowed``: a bound accepted an answer that differs from the model,
    which continued from this answer. ``avoiding``: CUBIC has been in congestion avoidance. ``last``: the observables
    after the last event, only for adapters with a tolerance in congestion avoidance.
    """

    along: Walker
    controller: Any
    bounds: list[Bound]
    narrowed: bool = False
    avoiding: bool = False
    last: dict[str, Any] | None = None

    @property
    def key(self) -> str:
        """A text that is equal for equal positions of two models.

        A position is the state of a model after some answers. The text contains the controller state, the attributes of
        each bound, and the flags ``narrowed`` and ``avoiding``. A bound computes an interval of permitted values; its
        attributes store, for example, unused growth of earlier events. ``narrowed``: the model continued from a
        differing answer that a bound accepted. ``avoiding``: CUBIC has been in congestion avoidance.
        """
        memory = [
            sorted((name, repr(member)) for name, member in vars(bound).items() if name != "advance")
            for bound in self.bounds
        ]
        return f"{state_text(self.controller)} {memory} {self.flags}"

    @property
    def flags(self) -> tuple[object, ...]:
        """Flags that affect later answers, in addition to the controller and the bounds.

        ``narrowed``: the model continued from a differing answer that is in a permitted interval. ``avoiding``: CUBIC
        has been in congestion avoidance.
        """
        return self.narrowed, self.avoiding

    def is_cut_by(self, event: Event) -> bool:
        """Return whether an event sends more than the window of the implementation permits.

        Judging ends before this event. The window counts only if ``narrowed``: the model continues from an answer of
        the implementation that a text permits. The events of a case may come from a sender with a larger window.
        """
        return self.narrowed and isinstance(event, Sent) and event.bytes_in_flight > self.controller.base.cwnd_bytes


@dataclass(slots=True)
class PendingStep:
    """An event processed from a position (state of a model after some answers), before its answer is compared.

    ``before``: the controller before the event. ``controller``, ``observation``: after the event. A bound is an
    interval of permitted values. ``taken``: the values that bounds accepted. ``excluded``: ids of open points (places
    where a text permits several choices) whose bounds are not used.
    """

    along: Any
    position: Any
    before: Any
    event: Event
    controller: Any
    observation: Any
    taken: list[Taken] = field(default_factory=list)
    excluded: frozenset[str] = frozenset()
    _state: Any = None

    @property
    def state(self) -> Any:
        """A copy of the controller after the event, with the model's own values.

        It is made at the first access, which must be before :meth:`meets`. There a bound (an interval of permitted
        values) may set the controller to values of the answer.
        """
        if self._state is None:
            self._state = self.controller.copy()
        return self._state

    def equals(self, observed: dict[str, Any]) -> bool:
        """Return whether the model itself gives the answer."""
        return equals(self.observation, observed)

    def meets(self, index: int, observed: dict[str, Any]) -> Position | None:
        """Return the position after the answer, or ``None`` if neither the model nor a bound permits the answer.

        A bound is an interval of permitted values. A bound that accepts a value of the answer, such as the window,
        writes this value into the controller of this step. Read :attr:`state` first for the controller without this
        change. ``index``: of the event. ``observed``: the answer.
        """
        raise NotImplementedError

    def bounds(self) -> list[Bound]:
        """Return copies of the bounds (intervals of permitted values) before the event of this step.

        A bound runs a model on modified events, such as an ACK that is not app-limited, to compute limits of its
        interval. The copies run the model of this step.
        """
        advance = self.along.variant.advance
        return [bound.copy(advance) for bound in self.position.bounds]

    def remember(self, bounds: list[Bound]) -> None:
        """Let each bound record the event and the controller after the answer.

        A bound is an interval of permitted values. If the event is a path change that resets the controller, replace
        ``bounds`` by new bounds.
        """
        if isinstance(self.event, PathChange) and self.controller.path_start_ns == self.event.t_ns:
            bounds[:] = self.along.bounds()
            return
        for bound in bounds:
            bound.settle(self.before, self.controller, self.event)

    def follow(self, bounds: list[Bound], observed: dict[str, Any]) -> None:
        """Offer an answer that differs from the model to each bound, an interval of permitted values.

        A bound that accepts a value of the answer, such as the window, writes it into the controller of this step. The
        value is added to ``taken``, and ``observation`` is updated. An open point is a place where a text permits
        several choices. Bounds of the open points in the attribute ``excluded`` are skipped.
        """
        for bound in bounds:
            if bound.point in self.excluded:
                continue
            acceptance = bound.follow(self.before, self.controller, self.event, self.observation, observed)
            if acceptance is not None:
                self.taken.append(acceptance)
                self.observation = self.along.variant.followed(self.observation, self.controller, acceptance.shows)


def equals(observation: Any, observed: dict[str, Any]) -> bool:
    """Return whether an answer equals an observation, quickly and only for windows, phase, outcome and state.

    Return False if the answer contains any other observable, even an equal one. ``observed``: the answer, by name.
    """
    for name, value in observed.items():
        if name in ("cwnd_bytes", "ssthresh_bytes"):
            if getattr(observation, name) != value:
                return False
        elif name in ("phase", "outcome"):
            if getattr(observation, name).value != value:
                return False
        elif name == "state":
            if observation.state != value:
                return False
        else:
            return False
    return True


def is_same_state(controller: Any, other: Any) -> bool:
    """Return whether two controllers have the same state. Readings and rules belong to the model, not to the state."""
    rules = controller.base.rules_state, other.base.rules_state
    if type(controller.startup) is not type(other.startup) or type(rules[0]) is not type(rules[1]):
        return state_text(controller) == state_text(other)  # each model may have its own classes
    if _windows(controller) != _windows(other) or controller.startup != other.startup:
        return False
    return rules[0] is None or _rules_text(rules[0]) == _rules_text(rules[1])


def state_text(controller: Any) -> str:
    """Return the state of a controller as text, independent of the model's classes.

    To compare two states, use :func:`is_same_state`: it takes 1/8 of the time of comparing their texts.
    """
    return f"{_windows(controller)} {_rules_text(controller.base.rules_state)} {controller.startup}"


def _windows(controller: Any) -> tuple[object, ...]:
    base = controller.base
    windows = base.cwnd_bytes, base.ssthresh_bytes, base.recovery_start_ns, base.in_recovery
    return *windows, base.max_datagram_size_bytes, controller.path_start_ns


def _rules_text(rules: Any) -> str:
    readings = getattr(rules, "readings", None)
    if readings is None:
        return str(rules)
    rules.readings = None
    try:
        return str(rules)
    finally:
        rules.readings = readings

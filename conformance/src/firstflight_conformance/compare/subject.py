"""A case as the diagnosis sees it: the events, what was answered to them, and whether a variant would have answered that."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from firstflight import Config
from firstflight.events import Ack, Event, PersistentCongestion, Sent
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.compare.bounds.bound import Taken
from firstflight_conformance.compare.bounds.registry import bounds_of
from firstflight_conformance.compare.outputs import compare_outputs
from firstflight_conformance.compare.values import avoids, compare, notes_avoidance, slack_bytes
from firstflight_conformance.format.computations import ComputationCase, decode_outputs
from firstflight_conformance.format.given import Usage, other_limit
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.format.wire import observables
from firstflight_conformance.replay.answers import CRASHES
from firstflight_conformance.replay.measure import config_from_json
from firstflight_conformance.replay.variant import Variant
from firstflight_conformance.simulate.cases import AnyCase, StimulusCase


@dataclass(frozen=True, slots=True)
class WalkStep:
    """One event in a run of a variant along the answers: what it observes, ``None`` in a computation and at a crash; and whether that agrees.

    ``taken``: the values in which it followed the answer. ``cut``: the stream sends more than the window that it follows; nothing is judged
    from this event on.
    """

    observation: Any
    agrees: bool
    taken: Sequence[Taken] = ()
    cut: bool = False


@dataclass(slots=True)
class Walk:
    """How many answers agree, the event from which on nothing is judged, and the values that were taken of bounds."""

    agreed: int = 0
    cut: int | None = None
    taken: list[Taken] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class AnsweredCase:
    """A case that failed, with all answers of the adapter; or one that passed, whose answers are those expected.

    ``first``: the event of the first divergence, 0 in a computation and ``None`` if it passed. ``right``: the model that it diverges from,
    with what the implementation may choose otherwise.
    """

    case: AnyCase
    declaration: Declaration
    events: tuple[Event, ...]
    observed: tuple[dict[str, Any], ...]
    first: int | None
    right: Variant = field(default_factory=Variant)
    _walks: dict[Any, Walk] = field(default_factory=dict, repr=False)  # by model, whatever is right

    def under(self, right: Variant) -> "AnsweredCase":
        """Return a case that failed, as it diverges from another right model."""
        return replace(self, first=self.walk(right).agreed, right=right)

    @property
    def length(self) -> int:
        """The number of answers."""
        return len(self.observed)

    @cached_property
    def config(self) -> Config:
        """The configuration of the controller."""
        assert not isinstance(self.case, ComputationCase)
        return config_of(self.case)

    @cached_property
    def allowed(self) -> list[dict[str, list[Any]]]:
        """The values that are right as well, event by event."""
        return self.case.allowed() if isinstance(self.case, Case) else []

    @cached_property
    def _usage(self) -> list[bool]:
        """By event, whether it has an ``app_limited`` that the stack works out, and that does not follow from its windows."""
        if "app_limited" not in self.declaration.works_out or not isinstance(self.case, StimulusCase):
            return []
        usage = Usage(self.config.max_datagram_size_bytes)
        answers = zip(self.events, self.observed, strict=True)
        return [usage.is_given(event, observed["cwnd_bytes"]) for event, observed in answers]

    def forms(self, index: int, event: Event) -> Sequence[Event]:
        """Return the event; a second one with the other ``app_limited`` where the stack may have worked out either."""
        is_open = index < len(self._usage) and self._usage[index]
        return (event, other_limit(event)) if is_open and isinstance(event, Ack) else (event,)

    def walk(self, variant: Variant) -> Walk:
        """Return how far the answers are those of the variant, and remember it: what conforms is asked for again."""
        if variant.key not in self._walks:
            self._walks[variant.key] = self._walked(variant, self.length)
        return self._walks[variant.key]

    def _walked(self, variant: Variant, end: int) -> Walk:
        """Return how far the answers are those of the variant, which follows values that a text bounds; a crash answers nothing more."""
        walk = Walk()
        for step in self.steps(variant, end):
            if step.cut:
                walk.cut = walk.agreed
                break
            if not step.agrees:
                break
            walk.taken += step.taken
            walk.agreed += 1
        return walk

    def reproduced(self, variant: Variant, end: int | None = None) -> int:
        """Return how many answers, from the first on and up to ``end``, are those of a variant that may be wrong.

        What is not judged any more counts as such; but a variant that stops judging before the divergence has not explained it.
        """
        known = self._walks.get(variant.key) if end is None else None
        walk = known or self._walked(variant, self.length if end is None else end)
        return walk.agreed if walk.cut is not None and walk.cut <= (self.first or 0) else self.judged_by(walk)

    def judged_by(self, walk: Walk) -> int:
        """Return how many answers agree in a walk. All do where it ends early because the stream sends more than the window followed."""
        return walk.agreed if walk.cut is None else self.length

    def explained_by(self, variant: Variant) -> bool:
        """Return whether every answer that is judged is that of the variant."""
        return self.reproduced(variant) == self.length

    def unchanged_by(self, variant: Variant) -> bool:
        """Return whether a variant answers as was observed, and follows no other bound than the right model does."""
        walk = self.walk(variant)
        followed = {(value.point, value.what) for value in walk.taken}
        if self.judged_by(walk) < self.length:
            return False
        return not followed or followed <= {(value.point, value.what) for value in self.walk(self.right).taken}

    def steps(self, variant: Variant, end: int) -> Iterator[WalkStep]:
        """Yield what a variant makes of each event. Where it differs within a bound it goes on from the value that was observed."""
        if isinstance(self.case, ComputationCase):
            yield WalkStep(None, self._computes(variant, self.case))
            return
        try:
            run = _Run(self, variant)
            for index, (event, observed) in enumerate(zip(self.events[:end], self.observed[:end], strict=True)):
                step = run.step(index, event, observed)
                yield step
                if step.cut:
                    return
        except CRASHES:
            yield WalkStep(None, False)

    def states(self, variant: Variant, end: int) -> list[str]:
        """Return the state of a variant after each event, as far as it gets: that of the base, and of the startup algorithm."""
        states: list[str] = []
        if not isinstance(self.case, ComputationCase):
            with suppress(*CRASHES):
                run = _Run(self, variant)
                for index, (event, observed) in enumerate(zip(self.events[:end], self.observed[:end], strict=True)):
                    run.step(index, event, observed)
                    states.append(run.state)
        return states

    def agrees(self, index: int, observation: Any, observed: dict[str, Any], *, avoiding: bool) -> bool:
        """Return whether an answer is what was observed of a variant, within the class of the adapter."""
        return (
            self._is_ahead(index)
            or equals(observation, observed)
            or self._compared(index, observation, observed, avoiding=avoiding)
        )

    def _is_ahead(self, index: int) -> bool:
        """Return whether the stack may already do what the next event states; the judging passes over it as well."""
        following = self.events[index + 1 : index + 2]
        works_out = "persistent_congestion" in self.declaration.works_out
        return works_out and bool(following) and isinstance(following[0], PersistentCongestion)

    def _compared(self, index: int, observation: Any, observed: dict[str, Any], *, avoiding: bool) -> bool:
        """Return whether the answers agree within the class of the adapter."""
        expected = observables(observation)
        allowed = dict(self.allowed[index]) if index < len(self.allowed) else {}
        # What is allowed beside the right answer is no answer of a variant that differs from it.
        allowed = {name: values for name, values in allowed.items() if expected.get(name) in values}
        if observation.triggers:
            allowed["trigger"] = [trigger.value for trigger in observation.triggers]
        size_bytes = self.config.max_datagram_size_bytes
        if not set(observed) <= set(expected) | {"next_release_ns", "trigger"}:
            return False
        return not compare(expected, observed, self.declaration, size_bytes, allowed, avoiding=avoiding).differences

    def _computes(self, variant: Variant, case: ComputationCase) -> bool:
        try:
            outputs = decode_outputs(variant.compute(case.profile, case.inputs))
        except CRASHES:
            return False
        return not compare_outputs(outputs, self.observed[0], self.declaration).differences


class _Run:
    """A variant along the answers of a case. Where an answer differs within a bound, it goes on from what was observed."""

    def __init__(self, subject: AnsweredCase, variant: Variant) -> None:
        """Begin before the first event."""
        case, declaration = subject.case, subject.declaration
        assert not isinstance(case, ComputationCase)
        self._subject, self._variant = subject, variant
        self._state = variant.create(case.vector.algorithm, case.profile, subject.config)
        self._bounds = bounds_of(case.vector.algorithm, case.profile, variant.advance)
        # Where a class allows a tolerance, the model would else go on from a window that is near, and not the one observed.
        self._is_loose = slack_bytes(declaration, subject.config.max_datagram_size_bytes, 0) > 0
        self._now: dict[str, Any] | None = None
        self._avoiding = self._narrowed = False

    @property
    def state(self) -> str:
        """The state as a text, which is the same for the same state of two models."""
        return f"{self._state.base} {self._state.startup}"

    def step(self, index: int, event: Event, observed: dict[str, Any]) -> WalkStep:
        """Process one event, in the form that agrees if it has two."""
        stated, *others = self._subject.forms(index, event)
        before = others and (self._state.copy(), [copy(bound) for bound in self._bounds], self._narrowed)
        step = self._step(index, stated, observed)
        if before and not step.agrees:
            self._state, self._bounds, self._narrowed = before
            step = self._step(index, others[0], observed)
        return step

    def _step(self, index: int, event: Event, observed: dict[str, Any]) -> WalkStep:
        state = self._state
        if self._narrowed and isinstance(event, Sent) and event.bytes_in_flight > state.base.cwnd_bytes:
            return WalkStep(None, True, cut=True)
        before = state.copy() if self._bounds else None
        observation = self._variant.advance(state, event)
        self._note_avoidance(observation)
        agrees = self._subject.agrees(index, observation, observed, avoiding=self._avoiding)
        taken: list[Taken] = []
        if not agrees or (self._is_loose and self._bounds and not equals(observation, observed)):
            observation, taken = self._follow(before, event, observation, observed)
            self._narrowed = self._narrowed or bool(taken and not agrees)
            if taken:
                agrees = self._subject.agrees(index, observation, observed, avoiding=self._avoiding)
        for bound in self._bounds:
            bound.settle(before, state, event)
        return WalkStep(observation, agrees, taken)

    def _follow(self, before: Any, event: Event, observation: Any, observed: dict[str, Any]) -> tuple[Any, list[Taken]]:
        """Take what was observed of each bound; return what is observed of the state then."""
        taken: list[Taken] = []
        for bound in self._bounds:
            found = bound.follow(before, self._state, event, observation, observed)
            if found is not None:
                taken.append(found)
                observation = self._variant.followed(observation, self._state, found.shows)
        return observation, taken

    def _note_avoidance(self, observation: Any) -> None:
        if notes_avoidance(self._subject.declaration):
            case, now = self._subject.case, observables(observation)
            assert not isinstance(case, ComputationCase)
            self._avoiding = self._avoiding or avoids(case, self._now, now)
            self._now = now


def config_of(case: Case | StimulusCase) -> Config:
    """Return the configuration of the controller."""
    return case.scenario.config if isinstance(case, StimulusCase) else config_from_json(case.vector.config)


def equals(observation: Any, observed: dict[str, Any]) -> bool:
    """Return quickly whether windows, phase and outcome are the same, where nothing else was answered."""
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


def shortest_first(subjects: Sequence[AnsweredCase]) -> list[AnsweredCase]:
    """Return the subjects in the order of their length, those with an early divergence first among equals."""
    return sorted(subjects, key=lambda subject: (subject.length, subject.first or 0, subject.case.id))


def sample_of(subjects: Sequence[AnsweredCase], most: int) -> list[AnsweredCase]:
    """Return the shortest case of each topic, then the shortest of the rest."""
    ordered = shortest_first(subjects)
    by_topic: dict[str, AnsweredCase] = {}
    for subject in ordered:
        by_topic.setdefault(".".join(subject.case.id.split(".")[:2]), subject)
    chosen = list(by_topic.values())
    rest = [subject for subject in ordered if by_topic[".".join(subject.case.id.split(".")[:2])] is not subject]
    return shortest_first([*chosen, *rest][:most])

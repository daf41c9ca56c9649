"""A case with its answers for the diagnosis, and the comparison of variants of the model with them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from firstflight import Config
from firstflight.events import Ack, Event, PersistentCongestion
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.compare.bounds.bound import Taken
from firstflight_conformance.compare.outputs import compare_outputs
from firstflight_conformance.compare.position import PendingStep, Position, Walker, equals
from firstflight_conformance.compare.values import avoids, compare, datagram_sizes_bytes, notes_avoidance, slack_bytes
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
    """One event in a run of a variant of the model along the answers.

    ``observation``: of the variant, or ``None`` in a computation and at a crash. ``agrees``: the answer agrees with it.
    ``taken``: values that the answer takes from permitted intervals. The variant continues from them. ``cut``: the
    events send more than the implementation's window, and judging ends before this event.
    """

    observation: Any
    agrees: bool
    taken: Sequence[Taken] = ()
    cut: bool = False


@dataclass(slots=True)
class Walk:
    """Result of a run of a variant of the model along the answers.

    ``agreed``: number of answers that agree, from the first on. ``cut``: index of the first event that is not judged,
    or ``None`` if all are. ``taken``: values that the answers take from permitted intervals.
    """

    agreed: int = 0
    cut: int | None = None
    taken: list[Taken] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class AnsweredCase:
    """A failed case with all answers of the adapter, or a passed case with the expected answers.

    ``first``: index of the first diverging event (0 in a computation), or ``None`` if the case passed. ``right``: the
    reference model with the permitted choices that the implementation makes.
    """

    case: AnyCase
    declaration: Declaration
    events: tuple[Event, ...]
    observed: tuple[dict[str, Any], ...]
    first: int | None
    right: Variant = field(default_factory=Variant)
    _walks: dict[Any, Walk] = field(default_factory=dict, repr=False)  # by model, independent of ``right``

    def under(self, right: Variant) -> "AnsweredCase":
        """Return the failed case with another reference model, and with the first divergence from that model."""
        return replace(self, first=self.walk(right).agreed, right=right)

    @property
    def profile(self) -> tuple[str, str]:
        """Algorithm and profile of the case."""
        return self.case.vector.algorithm, self.case.profile

    @property
    def length(self) -> int:
        """Number of answers."""
        return len(self.observed)

    @cached_property
    def config(self) -> Config:
        """The configuration of the controller."""
        assert not isinstance(self.case, ComputationCase)
        return config_of(self.case)

    @cached_property
    def _sizes_bytes(self) -> list[int]:
        """For each event, the largest maximum datagram size in bytes so far."""
        return datagram_sizes_bytes(self.config.max_datagram_size_bytes, self.events)

    @cached_property
    def allowed(self) -> list[dict[str, list[Any]]]:
        """For each event, further correct values by observable, in addition to the expected value."""
        return self.case.allowed() if isinstance(self.case, Case) else []

    @cached_property
    def _usage(self) -> list[bool]:
        """For each event, whether either value of ``app_limited`` is possible.

        True for an ACK if the common tests for an application limit do not all agree with the value in the event. These
        tests compare bytes in flight with the congestion window, which is taken from the answers. The list is empty
        unless the stack derives ``app_limited`` itself in a closed-loop case, which has a simulated sender.
        """
        if "app_limited" not in self.declaration.works_out or not isinstance(self.case, StimulusCase):
            return []
        usage = Usage(self.config.max_datagram_size_bytes)
        answers = zip(self.events, self.observed, strict=True)
        return [usage.is_given(event, observed["cwnd_bytes"]) for event, observed in answers]

    def forms(self, index: int, event: Event) -> Sequence[Event]:
        """Return the event, and a copy with ``app_limited`` negated if the stack may have derived either value."""
        is_open = index < len(self._usage) and self._usage[index]
        return (event, other_limit(event)) if is_open and isinstance(event, Ack) else (event,)

    def walk(self, variant: Variant) -> Walk:
        """Return how far the variant reproduces the answers, cached: conforming variants are used again."""
        if variant.key not in self._walks:
            self._walks[variant.key] = self._walked(variant, self.length)
        return self._walks[variant.key]

    def _walked(self, variant: Variant, end: int) -> Walk:
        """Return how far the variant reproduces the first ``end`` answers. A crash ends the walk.

        An answer within a bound, an interval of permitted values, is reproduced, too.
        """
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
        """Return the number of answers, in order from event 0, that a possibly wrong variant gives.

        Counting stops at the first answer that the variant does not give. It also stops before an event that sends more
        than the implementation's window: answers from there on are not judged. If such an event is after ``first``, all
        answers of the case count as given. If it is at or before ``first``, only the answers before it count, since
        they do not explain the divergence. ``first``: index of the first divergence of the implementation from the
        reference model. ``end``: number of answers to compare, ``None`` for all.
        """
        known = self._walks.get(variant.key) if end is None else None
        walk = known or self._walked(variant, self.length if end is None else end)
        return walk.agreed if walk.cut is not None and walk.cut <= (self.first or 0) else self.judged_by(walk)

    def judged_by(self, walk: Walk) -> int:
        """Return the number of answers that agree in a run of a variant along the answers.

        Judging ends before an event that sends more than the implementation's window. If all answers before such an
        event agree, all answers of the case count: the later ones are not judged. ``walk``: the result of the run.
        """
        return walk.agreed if walk.cut is None else self.length

    def explained_by(self, variant: Variant) -> bool:
        """Return whether the variant gives every judged answer."""
        return self.reproduced(variant) == self.length

    def unchanged_by(self, variant: Variant) -> bool:
        """Return whether a variant gives all judged answers, and needs no other intervals than ``self.right``.

        ``self.right`` is the reference model with the permitted choices of the implementation. An answer needs an
        interval if it differs from the variant and is one of the values that a text permits.
        """
        walk = self.walk(variant)
        followed = {(value.point, value.quantity) for value in walk.taken}
        if self.judged_by(walk) < self.length:
            return False
        return not followed or followed <= {(value.point, value.quantity) for value in self.walk(self.right).taken}

    def steps(self, variant: Variant, end: int) -> Iterator[WalkStep]:
        """Yield the step of a variant at each event before index ``end``, or the only step of a computation.

        If an answer differs and is within a permitted interval, the variant continues from the observed value. The last
        step is the step that ends judging, or a crash.
        """
        if isinstance(self.case, ComputationCase):
            yield WalkStep(None, self._computes(variant, self.case))
            return
        try:
            along = Along(self, variant)
            position = along.begin()
            for index, (event, observed) in enumerate(zip(self.events[:end], self.observed[:end], strict=True)):
                if position.is_cut_by(event):
                    yield WalkStep(None, True, cut=True)
                    return
                step = along.go_on(position, index, event, observed)
                yield WalkStep(step.observation, step.agrees, step.taken)
                position = step.after
        except CRASHES:
            yield WalkStep(None, False)

    def agrees(self, index: int, observation: Any, observed: dict[str, Any], *, avoiding: bool) -> bool:
        """Return whether an answer agrees with the observation of a variant, within the adapter's tolerance.

        The tolerance follows from the adapter's unit of windows and arithmetic, such as packets or float64.
        ``avoiding``: CUBIC has been in congestion avoidance, where the tolerance may be larger. Any answer agrees if
        the next event is persistent congestion and the stack detects that itself: the answer may already react to it.
        """
        return (
            self._is_ahead(index)
            or equals(observation, observed)
            or self._compared(index, observation, observed, avoiding=avoiding)
        )

    def _is_ahead(self, index: int) -> bool:
        """Return whether the stack may already react to the next event in its answer to event ``index``.

        This is possible if the next event is persistent congestion and the stack detects that itself. The judge does
        not compare the answer to event ``index`` then.
        """
        following = self.events[index + 1 : index + 2]
        works_out = "persistent_congestion" in self.declaration.works_out
        return works_out and bool(following) and isinstance(following[0], PersistentCongestion)

    def _compared(self, index: int, observation: Any, observed: dict[str, Any], *, avoiding: bool) -> bool:
        """Return whether all observables of an answer agree with an observation, within the adapter's tolerance.

        The tolerance follows from the adapter's unit of windows and arithmetic, such as packets or float64.
        ``avoiding``: CUBIC has been in congestion avoidance, where the tolerance may be larger. Other values that the
        vector allows at event ``index`` agree, too.
        """
        expected = observables(observation)
        allowed = dict(self.allowed[index]) if index < len(self.allowed) else {}
        # Allowed values apply only to a variant whose own answer is one of them.
        allowed = {name: values for name, values in allowed.items() if expected.get(name) in values}
        if observation.triggers:
            allowed["trigger"] = [trigger.value for trigger in observation.triggers]
        if not set(observed) <= set(expected) | {"next_release_ns", "trigger"}:
            return False
        return not compare(
            expected, observed, self.declaration, self._sizes_bytes[index], allowed, avoiding=avoiding
        ).differences

    def _computes(self, variant: Variant, case: ComputationCase) -> bool:
        try:
            outputs = decode_outputs(variant.compute(case.profile, case.inputs))
        except CRASHES:
            return False
        return not compare_outputs(outputs, self.observed[0], self.declaration).differences


class Along(Walker):
    """The events of a case and a variant of the model that processes them, compared with the answers."""

    def __init__(self, subject: AnsweredCase, variant: Variant) -> None:
        """Store the case and the model."""
        case = subject.case
        assert not isinstance(case, ComputationCase)  # computations lack events
        super().__init__(case.vector.algorithm, case.profile, subject.config, variant)
        self.subject, self.case = subject, case
        # With a tolerance the model would otherwise continue from a window near the observed one.
        self.is_loose = slack_bytes(subject.declaration, subject.config.max_datagram_size_bytes, 0) > 0
        self.notes_avoidance = notes_avoidance(subject.declaration)

    def step(self, position: Position, event: Event) -> "AlongStep":
        """Process an event with this variant of the model, and return the step before its answer is compared.

        ``position``: the start, with the controller and the bounds (intervals of permitted values) after the previous
        answers. It stays unchanged, and may have been reached by another variant.
        """
        before = self.before(position)
        controller = before.copy()
        return AlongStep(self, position, before, event, controller, self.variant.advance(controller, event))

    def go_on(self, position: Position, index: int, event: Event, observed: dict[str, Any]) -> "AlongStep":
        """Return the step of an event, compared with its answer ``observed`` in each form of the event.

        The forms are the event and, for an ACK with an uncertain ``app_limited``, a copy with the other value. Return
        the step of the first form that gives the answer, or of the last form. Its ``after``, the position to continue
        from, is set in both cases.
        """
        for form in self.subject.forms(index, event):
            step = self.step(position, form)
            step.answer(index, observed)
            if step.agrees:
                break
        step.settle()
        return step


@dataclass(slots=True)
class AlongStep(PendingStep):
    """A step along the answers of a case. ``after``: position after it. ``agrees``: the model gives the answer."""

    after: Any = None
    agrees: bool = False

    def meets(self, index: int, observed: dict[str, Any]) -> Position | None:
        """Return the position after the answer, or ``None`` if the answer does not agree with the model.

        An answer also agrees if it is within the adapter's tolerance or an interval of permitted values.
        """
        self.answer(index, observed)
        if not self.agrees:
            return None
        self.settle()
        position: Position = self.after
        return position

    def answer(self, index: int, observed: dict[str, Any]) -> None:
        """Compare the answer, and set ``agrees`` and ``after``.

        An answer that differs may be in an interval of permitted values. It then agrees, and the position ``after``
        continues from the observed value.
        """
        before, along = self.position, self.along
        position = Position(along, self.controller, self.bounds(), before.narrowed, before.avoiding, before.last)
        if along.notes_avoidance:
            now = observables(self.observation)
            position.avoiding = before.avoiding or avoids(along.case, before.last, now)
            position.last = now
        self.after = position
        self.agrees = self._agrees(index, observed)
        if not self.agrees or (along.is_loose and position.bounds and not equals(self.observation, observed)):
            self.follow(position.bounds, observed)
            position.narrowed = position.narrowed or bool(self.taken and not self.agrees)
            if self.taken:
                self.agrees = self._agrees(index, observed)

    def settle(self) -> None:
        """Let the bounds (intervals of permitted values) record the event."""
        self.remember(self.after.bounds)

    def _agrees(self, index: int, observed: dict[str, Any]) -> bool:
        agrees: bool = self.along.subject.agrees(index, self.observation, observed, avoiding=self.after.avoiding)
        return agrees


def config_of(case: Case | StimulusCase) -> Config:
    """Return the configuration of the controller."""
    return case.scenario.config if isinstance(case, StimulusCase) else config_from_json(case.vector.config)


def shortest_first(subjects: Sequence[AnsweredCase]) -> list[AnsweredCase]:
    """Return the cases by length, then by the event of their divergence."""
    return sorted(subjects, key=lambda subject: (subject.length, subject.first or 0, subject.case.id))


def sample_of(subjects: Sequence[AnsweredCase], most: int) -> list[AnsweredCase]:
    """Return at most ``most`` cases: the shortest of each topic, then the shortest of the rest."""
    ordered = shortest_first(subjects)
    by_topic: dict[str, AnsweredCase] = {}
    for subject in ordered:
        by_topic.setdefault(".".join(subject.case.id.split(".")[:2]), subject)
    chosen = list(by_topic.values())
    rest = [subject for subject in ordered if by_topic[".".join(subject.case.id.split(".")[:2])] is not subject]
    return shortest_first([*chosen, *rest][:most])

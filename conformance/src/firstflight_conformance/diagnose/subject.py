"""A case as the diagnosis sees it: the events, what was answered to them, and whether a variant would have answered that."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from firstflight import Config
from firstflight.events import Event, PersistentCongestion
from firstflight_conformance.cases.computations import ComputationCase, decode_outputs
from firstflight_conformance.cases.measure import config_from_json
from firstflight_conformance.cases.vectors import Case
from firstflight_conformance.cases.wire import observables
from firstflight_conformance.diagnose.variant import Variant
from firstflight_conformance.mutants.answers import CRASHES
from firstflight_conformance.run.compare import avoids, compare
from firstflight_conformance.run.compute import compare_outputs
from firstflight_conformance.run.messages import Declaration
from firstflight_conformance.run.stimulus import StimulusCase

AnyCase = Case | ComputationCase | StimulusCase


@dataclass(frozen=True, eq=False)
class Subject:
    """A case that failed, with all answers of the adapter; or one that passed, whose answers are those expected.

    ``first``: the event of the first divergence, 0 in a computation and ``None`` if it passed.
    """

    case: AnyCase
    declaration: Declaration
    events: tuple[Event, ...]
    observed: tuple[dict[str, Any], ...]
    first: int | None

    @property
    def length(self) -> int:
        """The number of answers."""
        return len(self.observed)

    @cached_property
    def config(self) -> Config:
        """The configuration of the controller."""
        assert not isinstance(self.case, ComputationCase)
        if isinstance(self.case, StimulusCase):
            return self.case.scenario.config
        return config_from_json(self.case.vector.config)

    @cached_property
    def allowed(self) -> list[dict[str, list[Any]]]:
        """The values that are right as well, event by event."""
        return self.case.allowed() if isinstance(self.case, Case) else []

    def reproduced(self, variant: Variant, end: int | None = None) -> int:
        """Return how many answers, from the first on and up to ``end``, are those of the variant; a crash answers nothing more."""
        count = 0
        for agrees in self._agreements(variant, self.length if end is None else end):
            if not agrees:
                break
            count += 1
        return count

    def explained_by(self, variant: Variant) -> bool:
        """Return whether every answer is that of the variant."""
        return self.reproduced(variant) == self.length

    def _agreements(self, variant: Variant, end: int) -> Iterator[bool]:
        if isinstance(self.case, ComputationCase):
            yield self._computes(variant, self.case)
            return
        before: dict[str, Any] | None = None
        avoiding = False
        try:
            state = variant.create(self.case.vector.algorithm, self.case.profile, self.config)
            for index, (event, observed) in enumerate(zip(self.events[:end], self.observed[:end], strict=True)):
                observation = variant.advance(state, event)
                if self.declaration.avoidance == "datagram":
                    now = observables(observation)
                    avoiding = avoiding or avoids(self.case, before, now)
                    before = now
                yield (
                    self._is_ahead(index)
                    or _equal(observation, observed)
                    or self._compared(index, observation, observed, avoiding=avoiding)
                )
        except CRASHES:
            yield False

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


def _equal(observation: Any, observed: dict[str, Any]) -> bool:
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


def shortest_first(subjects: Sequence[Subject]) -> list[Subject]:
    """Return the subjects in the order of their length, those with an early divergence first among equals."""
    return sorted(subjects, key=lambda subject: (subject.length, subject.first or 0, subject.case.id))

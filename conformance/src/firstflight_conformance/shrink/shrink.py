"""Finds the smallest stream of events that distinguishes two implementations."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from firstflight import Config, Observation
from firstflight.errors import DomainError
from firstflight.events import Event, Sent
from firstflight_conformance.adapters.live import BROKEN, UnsupportedError
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.compare.values import compare
from firstflight_conformance.format.stream import StreamError, check_rtts, check_stream
from firstflight_conformance.format.wire import observables, optional_members
from firstflight_conformance.records.divergence import Difference
from firstflight_conformance.replay.implementation import Implementation, Model, drive
from firstflight_conformance.replay.measure import config_to_json
from firstflight_conformance.shrink.edit import Step, events_of, merged, smaller, steps_of

#: Maximum number of tried streams; a stream of hundreds of events needs a few hundred.
TRIALS = 6_000


@dataclass(frozen=True, slots=True)
class Parting:
    """First difference of two implementations: the events up to it, and the differences of their last answers."""

    events: tuple[Event, ...]
    differences: tuple[Difference, ...]


@dataclass(slots=True)
class Contest:
    """Two implementations and the case for their comparison: ``subject``, an adapter, and ``right``.

    ``right`` is the model or another adapter.
    """

    subject: Implementation[Any]
    right: Implementation[Any]
    declaration: Declaration
    algorithm: str
    profile: str
    config: Config

    def parting(self, events: Sequence[Event]) -> Parting | None:
        """Return the first difference between the answers of the two compared implementations to the events.

        One is ``subject``, an adapter. The other is ``right``, the model or another adapter.
        Return ``None`` if the answers are equal up to the end, or up to an event that one of them does not support.
        """
        try:
            runs = [implementation.begin(self.config) for implementation in (self.right, self.subject)]
            for index, answers in enumerate(zip(*(drive(run, events) for run in runs), strict=True)):
                differences = self._differences(*map(answer_of, answers))
                if differences:
                    return Parting(tuple(events[: index + 1]), differences)
        except (DomainError, UnsupportedError):
            pass
        return None

    def _differences(self, expected: dict[str, Any], observed: dict[str, Any]) -> tuple[Difference, ...]:
        if expected is BROKEN or observed is BROKEN:
            same = expected is observed
            return (
                ()
                if same
                else (Difference("answer", *("none" if a is BROKEN else "given" for a in (expected, observed))),)
            )
        allowed = {"trigger": expected["triggers"]} if "triggers" in expected else {}
        common = {name: value for name, value in observed.items() if name in expected}
        size_bytes = self.config.max_datagram_size_bytes
        return compare(expected, common, self.declaration, size_bytes, allowed).differences


def answer_of(answer: Observation | dict[str, Any]) -> dict[str, Any]:
    """Return the observables of an answer by name, in the JSON form of adapters.

    An answer of an adapter already has this form. For an :class:`Observation` of the model, ``triggers`` is added: the
    texts of all its triggers, if it has any.
    """
    if not isinstance(answer, Observation):
        return answer
    triggers = {"triggers": [trigger.value for trigger in answer.triggers]} if answer.triggers else {}
    return observables(answer) | triggers


class _Shrinker:
    """Makes a stream smaller as long as it distinguishes the implementations."""

    def __init__(self, contest: Contest, parting: Parting, on_trial: Callable[[], None]) -> None:
        self.best = parting
        self.steps = steps_of(parting.events)
        self._contest, self._on_trial = contest, on_trial
        self._data = tells_of_data(parting.events)
        self._tried: set[tuple[Step, ...]] = set()

    def run(self) -> None:
        """Shrink until no step can be removed, merged or made smaller."""
        before: tuple[Step, ...] | None = None
        while before != self.steps and len(self._tried) < TRIALS:
            before = self.steps
            self._leave_out()
            self._change(self._merges)
            self._change(self._smaller)

    def _leave_out(self) -> None:
        """Try to remove halves of the steps, then quarters and so on down to single steps, each time from the end.

        A removal is kept if the remaining stream is a valid vector, and the two compared implementations still give
        different answers to it. They are an adapter, and the model or another adapter.
        """
        size = max(len(self.steps) // 2, 1)
        while True:
            start = len(self.steps) - size
            while start > -size:
                low = max(start, 0)
                self._take(self.steps[:low] + self.steps[low + size :])
                start = min(start, len(self.steps)) - size
            if size == 1:
                return
            size //= 2

    def _change(self, changes: "Callable[[int], list[tuple[Step, ...]]]") -> None:
        index = 0
        while index < len(self.steps):
            if not any(self._take(changed) for changed in changes(index)):
                index += 1

    def _merges(self, index: int) -> list[tuple[Step, ...]]:
        both = merged(*self.steps[index : index + 2]) if index + 1 < len(self.steps) else None
        return [] if both is None else [(*self.steps[:index], both, *self.steps[index + 2 :])]

    def _smaller(self, index: int) -> list[tuple[Step, ...]]:
        return [(*self.steps[:index], less, *self.steps[index + 1 :]) for less in smaller(self.steps[index])]

    def _take(self, steps: tuple[Step, ...]) -> bool:
        """Keep these steps, an event stream in editable form, if they pass the test; return whether they are kept.

        Test: the two compared implementations answer the events of the steps differently, and the events up to this
        difference are a valid vector. Return ``False`` also for steps tried before, and after TRIALS tries.
        """
        if not steps or steps in self._tried or len(self._tried) >= TRIALS:
            return False
        self._tried.add(steps)
        self._on_trial()
        config = self._contest.config
        events = events_of(
            steps,
            config.max_datagram_size_bytes,
            config.initial_window_bytes,
            data=self._data,
            algorithm=self._contest.algorithm,
        )
        if not events:
            return False
        parting = self._contest.parting(events)
        if parting is None or not is_vector(self._contest, parting.events):
            return False
        self.best, self.steps = parting, steps_of(parting.events)
        return True


def shrink(contest: Contest, parting: Parting, on_trial: Callable[[], None] = lambda: None) -> Parting:
    """Return the smallest found stream that distinguishes the implementations. The result is deterministic."""
    shrinker = _Shrinker(contest, parting, on_trial)
    shrinker.run()
    return shrinker.best


def is_vector(contest: Contest, events: Sequence[Event]) -> bool:
    """Return whether a stream is a valid vector for the configuration and profile of a contest.

    The contest contains two implementations to compare. The stream must be consistent, and the model of the profile
    must accept it (no :class:`DomainError`). The bytes in flight after each ``Sent`` event must not exceed the cwnd of
    this model.
    """
    try:
        check_stream(events, config_to_json(contest.config), contest.algorithm)
        check_rtts(events, contest.algorithm)
        run = Model(contest.algorithm, contest.profile).begin(contest.config)
        windows = (observation.cwnd_bytes for observation in drive(run, events))
        sizes = (event.bytes_in_flight if isinstance(event, Sent) else 0 for event in events)
        return all(in_flight <= window for in_flight, window in zip(sizes, windows, strict=True))
    except (StreamError, DomainError):
        return False


def tells_of_data(events: Sequence[Event]) -> bool:
    """Return whether a stream contains information on repeated or missing data."""
    return any(not name.startswith("rate_") for event in events for name in optional_members(event))

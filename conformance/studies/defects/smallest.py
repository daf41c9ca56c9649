"""Finds the smallest events that show a defect of a stack, by shrinking its cases."""

from collections.abc import Sequence
from dataclasses import dataclass

from firstflight import Config
from firstflight.events import Event
from firstflight_conformance.adapters.conversation import Conversation
from firstflight_conformance.adapters.live import Adapter, AdapterProfile
from firstflight_conformance.adapters.manifest import Manifest
from firstflight_conformance.adapters.process import AdapterProcess
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.replay.implementation import Model
from firstflight_conformance.replay.measure import ClauseTracer, config_from_json
from firstflight_conformance.run.closed_loop import LoopAnswers, play
from firstflight_conformance.shrink.shrink import Contest, Parting, is_vector, shrink
from firstflight_conformance.simulate.cases import AnyCase, StimulusCase, StimulusScript
from studies.defects.possible import broken_rules

_DEADLINE_S = 30.0
#: Number of cases to shrink: the cases that break fewest rules of loss detection, shortest first.
_STARTS = 3


@dataclass(frozen=True, slots=True)
class Smallest:
    """The smallest events: their original case, and the first difference between stack and model."""

    case: AnyCase
    parting: Parting


@dataclass(slots=True)
class _SameRule(Contest):
    """A contest that only counts differences like the first: shrinking must not switch to another deviation.

    The events must not break a rule of loss detection that the first events keep.
    """

    clauses: frozenset[str] = frozenset()
    like: Parting | None = None

    def parting(self, events: Sequence[Event]) -> Parting | None:
        """Return the first difference, if the model carries out one of the clauses there."""
        parting = Contest.parting(self, events)
        if parting is None or not self.clauses & self._carried_out(parting.events):
            return None
        if self.like is None:
            return parting
        is_possible = broken_rules(parting.events) <= broken_rules(self.like.events)
        return parting if is_possible and _kind(parting) == _kind(self.like) else None

    def _carried_out(self, events: Sequence[Event]) -> set[str]:
        run = Model(self.algorithm, self.profile).begin(self.config)
        for event in events[:-1]:
            run.on(event)
        with ClauseTracer() as tracer:
            if len(events) == 1:
                run = Model(self.algorithm, self.profile).begin(self.config)
            run.on(events[-1])
        return tracer.clauses


def _kind(parting: Parting) -> tuple[type[Event], int]:
    """Return the kind of the last event, and whether the stack's window is below, at or above the model's."""
    windows = [difference for difference in parting.differences if difference.observable == "cwnd_bytes"]
    return type(parting.events[-1]), sum(
        (difference.observed > difference.expected) - (difference.observed < difference.expected)
        for difference in windows
    )


def smallest(manifest: Manifest, clauses: frozenset[str], cases: Sequence[AnyCase]) -> Smallest | None:
    """Return the smallest events that show a deviation of a stack at one of the clauses."""
    adapter = Adapter(manifest, _DEADLINE_S)
    try:
        examples = [
            example for case in _shortest(cases) if (example := _shrunk(adapter, manifest, clauses, case)) is not None
        ]
    finally:
        adapter.stop()
    return min(examples, key=lambda example: (*_badness(example.parting.events), example.case.id), default=None)


def _badness(events: Sequence[Event]) -> tuple[int, int]:
    """Return the number of rules of loss detection that the events break, and the number of events."""
    return len(broken_rules(events)), len(events)


def _shortest(cases: Sequence[AnyCase]) -> list[AnyCase]:
    vectors = sorted(
        (case for case in cases if isinstance(case, Case)), key=lambda case: (*_badness(case.events), case.id)
    )
    loops = sorted((case for case in cases if isinstance(case, StimulusCase)), key=lambda case: case.id)
    shortest: list[AnyCase] = [*vectors, *loops]
    return shortest[:_STARTS]


def _shrunk(adapter: Adapter, manifest: Manifest, clauses: frozenset[str], case: AnyCase) -> Smallest | None:
    if isinstance(case, Case):
        events, config = case.events, case.vector.config
    else:
        assert isinstance(case, StimulusCase)
        played = in_loop(manifest, case)
        if played.recording is None:
            return None
        events, config = played.recording.events, case.config
    names = case.vector.algorithm, case.profile
    contest = _SameRule(
        AdapterProfile(adapter, *names),
        Model(*names),
        adapter.declaration,
        *names,
        config_from_json(config),
        clauses=clauses,
    )
    contest.like = contest.parting(events)
    if contest.like is None or not is_vector(contest, contest.like.events):
        return None
    return Smallest(case, shrink(contest, contest.like))


def first_difference(manifest: Manifest, case: Case, events: Sequence[Event], config: Config) -> Smallest | None:
    """Return the first difference between the stack and the model of a case on other events, or ``None``."""
    adapter, names = Adapter(manifest, _DEADLINE_S), (case.vector.algorithm, case.profile)
    try:
        contest = Contest(AdapterProfile(adapter, *names), Model(*names), adapter.declaration, *names, config)
        parting = contest.parting(events)
    finally:
        adapter.stop()
    return None if parting is None else Smallest(case, parting)


def in_loop(manifest: Manifest, case: StimulusCase) -> LoopAnswers:
    """Return the answers of a stack in the loop of a scenario."""
    process = AdapterProcess(manifest.command, manifest.cwd)
    try:
        conversation = Conversation(process, _DEADLINE_S)
        return play(StimulusScript(case), conversation, conversation.hello())
    finally:
        process.kill()

"""The smallest events that show one defect of a stack, found by shrinking its cases."""

from collections.abc import Sequence
from dataclasses import dataclass

from firstflight.events import Event
from firstflight_conformance.adapters.conversation import Conversation
from firstflight_conformance.adapters.live import Adapter, Model
from firstflight_conformance.adapters.manifest import Manifest
from firstflight_conformance.adapters.process import AdapterProcess
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.replay.measure import ClauseTracer
from firstflight_conformance.run.closed_loop import LoopAnswers, play
from firstflight_conformance.shrink.shrink import Contest, Parting, is_vector, shrink
from firstflight_conformance.simulate.cases import AnyCase, StimulusCase, StimulusScript

_DEADLINE_S = 30.0
#: Shrinking begins at so many cases, the shortest ones.
_STARTS = 3


@dataclass(frozen=True, slots=True)
class Smallest:
    """The smallest events: the case that they come from, and where stack and model differ on them."""

    case: AnyCase
    parting: Parting


@dataclass(slots=True)
class _SameRule(Contest):
    """A contest that only counts differences like the first one: another deviation must not take over while the events shrink."""

    clauses: frozenset[str] = frozenset()
    like: Parting | None = None

    def parting(self, events: Sequence[Event]) -> Parting | None:
        """Return where the two differ, if the model carries out one of the clauses there."""
        found = Contest.parting(self, events)
        if found is None or not self.clauses & self._carried_out(found.events):
            return None
        return found if self.like is None or _kind(found) == _kind(self.like) else None

    def _carried_out(self, events: Sequence[Event]) -> set[str]:
        model = Model()
        model.begin(self.algorithm, self.profile, self.config)
        for event in events[:-1]:
            model.event(event)
        with ClauseTracer() as tracer:
            if len(events) == 1:
                model.begin(self.algorithm, self.profile, self.config)
            model.event(events[-1])
        return tracer.clauses


def _kind(parting: Parting) -> tuple[type[Event], int]:
    """Return the kind of the last event, and whether the stack's window is below, at or above the model's."""
    windows = [one for one in parting.differences if one.observable == "cwnd_bytes"]
    return type(parting.events[-1]), sum(
        (one.observed > one.expected) - (one.observed < one.expected) for one in windows
    )


def smallest(manifest: Manifest, clauses: frozenset[str], cases: Sequence[AnyCase]) -> Smallest | None:
    """Return the smallest events that show a deviation of a stack at one of the clauses."""
    adapter = Adapter(manifest, _DEADLINE_S)
    try:
        found = [one for case in _shortest(cases) if (one := _shrunk(adapter, manifest, clauses, case)) is not None]
    finally:
        adapter.stop()
    return min(found, key=lambda one: (len(one.parting.events), one.case.id), default=None)


def _shortest(cases: Sequence[AnyCase]) -> list[AnyCase]:
    vectors = sorted((case for case in cases if isinstance(case, Case)), key=lambda case: (len(case.events), case.id))
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
    contest = _SameRule(
        adapter, Model(), adapter.declaration, case.vector.algorithm, case.profile, config, clauses=clauses
    )
    contest.like = contest.parting(events)
    if contest.like is None or not is_vector(contest, contest.like.events):
        return None
    return Smallest(case, shrink(contest, contest.like))


def in_loop(manifest: Manifest, case: StimulusCase) -> LoopAnswers:
    """Return the answers of a stack in the loop of a scenario."""
    process = AdapterProcess(manifest.command, manifest.cwd)
    try:
        conversation = Conversation(process, _DEADLINE_S)
        return play(StimulusScript(case), conversation, conversation.hello())
    finally:
        process.kill()

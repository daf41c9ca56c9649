"""The model's own run of a scenario, with the model in the loop.

It is set beside the run of a stack. And it is a rehearsal: a stack that answers every event of it as the model does would, with itself in
the loop, have been sent the very same events. So its run is known without the simulator, and the events need not wait for the answers.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from firstflight import Controller, advance, samples_rate
from firstflight.events import Event
from firstflight.observables import Observation
from firstflight_conformance.cases.wire import encode_value, event_from_json, event_to_json, observables
from firstflight_conformance.kept import Store, code_digest, digest
from firstflight_conformance.run import messages
from firstflight_conformance.run.loop_run import Trace, run, summary
from firstflight_conformance.run.results import LoopRun, Moment
from firstflight_conformance.run.stimulus import StimulusCase
from firstflight_conformance.run.transcript import Style, transcript
from firstflight_conformance.simulator.in_loop import Answer
from firstflight_conformance.simulator.loop import Simulation

#: Observables, besides the window, that drive the simulated sender: the events depend on whether they are declared.
_GONE_BY = ("ssthresh_bytes", "phase", "next_release_ns")


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """A run of the model: the messages, what changes in the answers, and what came of it."""

    lines: list[bytes]
    changes: list[dict[str, Any]]
    run: LoopRun

    def transcript(self, style: Style | None) -> list[bytes]:
        """Return the lines that an adapter answers if it does as the model does, none if that is not known of the style."""
        return [] if style is None else transcript(self.changes, len(self.lines), style)


class ModelLoop:
    """The model in the loop. The sender is told no more than an adapter with these observables tells."""

    def __init__(self, case: StimulusCase, declared: Iterable[str]) -> None:
        """Begin before the first event."""
        self.trace = Trace()
        self.changes: list[dict[str, Any]] = []
        self._declared = frozenset(declared)
        self._model: Controller = case.controller()
        self.samples_rate = samples_rate(self._model)
        self._now: dict[str, Any] = {}

    @property
    def initial_window_bytes(self) -> int:
        """The window before the first event."""
        return self._model.base.cwnd_bytes

    def on_event(self, event: Event) -> Answer:
        """Process an event."""
        observation = advance(self._model, event)
        observed = observables(observation)
        news = {
            name: encode_value(value)
            for name, value in observed.items()
            if name not in self._now or self._now[name] != value
        }
        if news:
            self.changes.append({"at": len(self.trace.events), **news})
        self._now = observed
        told = {name: value for name, value in observed.items() if name in self._declared}
        return self.trace.add(event, told, paces=observation.paces)


def rehearsed(case: StimulusCase, clock_ns: int, declared: Iterable[str]) -> Rehearsal:
    """Return the run of the model on a clock, as an adapter with the declared observables would have it. Computed once, and kept."""
    told = _told(declared)
    key = _key(case, clock_ns, told)
    kept = None if case.vector.drawn else _store().get(key)
    if kept is None:
        model = ModelLoop(case, told)
        simulation = Simulation(case.scenario, model, clock_ns)
        end = run(simulation)
        events = [messages.event_message(i, event_to_json(event)) for i, event in enumerate(model.trace.events)]
        lines = b"".join(messages.encode(event) for event in events)
        kept = lines, model.changes, asdict(summary(simulation, model.trace, end, 0))
        if not case.vector.drawn:
            _store().put(key, kept)
    lines, changes, told_run = kept
    return Rehearsal(lines.splitlines(keepends=True), changes, _loop_run(told_run))


def is_kept(case: StimulusCase, clock_ns: int, declared: Iterable[str]) -> bool:
    """Return whether the run needs no computing, or would be computed in vain as nothing keeps it."""
    return case.vector.drawn or _store().has(_key(case, clock_ns, _told(declared)))


def _told(declared: Iterable[str]) -> set[str]:
    return {"cwnd_bytes", *(name for name in declared if name in _GONE_BY)}


def _key(case: StimulusCase, clock_ns: int, told: set[str]) -> str:
    return digest([case.id, repr(case.scenario), str(clock_ns), *sorted(told)])


def followed(case: StimulusCase, clock_ns: int, declared: Iterable[str]) -> list[tuple[Event, Observation]]:
    """Return the events of the model's run, and what it observes after each."""
    model, run_of_it = case.controller(), []
    for line in rehearsed(case, clock_ns, declared).lines:
        event = event_from_json(json.loads(line)["event"])
        run_of_it.append((event, advance(model, event)))
    return run_of_it


@cache
def _store() -> Store:
    return Store("loops", code_digest("cases", "simulator", "spec", "run"))


def _loop_run(members: dict[str, Any]) -> LoopRun:
    moments = {name: Moment(**members[name]) for name in ("growth_reduced", "slow_start_ended") if members[name]}
    return LoopRun(**{**members, **moments})

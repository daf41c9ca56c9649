"""The model's own run of a scenario, with the model in the loop.

It is set beside the run of a stack. And it is a rehearsal: a stack that answers every event of it as the model does would, with itself in
the loop, have been sent the very same events. So its run is known without the simulator, and the events need not wait for the answers.
"""

import json
import marshal
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from typing import Any

from firstflight import Controller, advance, samples_rate
from firstflight.events import Event
from firstflight.observables import Observation
from firstflight_conformance.cases.wire import encode_value, event_from_json, event_to_json, observables
from firstflight_conformance.kept import Store, code_digest, digest
from firstflight_conformance.run import messages
from firstflight_conformance.run.loop_run import Trace, run, summary
from firstflight_conformance.run.messages import OBSERVABLES
from firstflight_conformance.run.results import LoopRun, Moment
from firstflight_conformance.run.stimulus import StimulusCase
from firstflight_conformance.run.transcript import Style, transcript
from firstflight_conformance.simulator.in_loop import Answer
from firstflight_conformance.simulator.loop import Simulation

#: Observables, besides the window, that drive the simulated sender: the events depend on whether they are declared.
_GONE_BY = ("ssthresh_bytes", "phase", "next_release_ns")

#: So many events of a rehearsal are sent at once, at first and at most; after the very first, which shows how the adapter writes.
_BATCH, _BATCH_MAX = 32, 1024
#: What runs came to, by their keys. It is asked for with each adapter.
_RUNS: dict[str, LoopRun] = {}


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """A run of the model: the messages in batches, what changes in the answers, and what came of it. ``key``: under which it is kept, if it is."""

    batches: list[bytes]
    packed_changes: bytes
    run: LoopRun
    key: str | None = None

    @property
    def lines(self) -> list[bytes]:
        """The messages."""
        return b"".join(self.batches).splitlines(keepends=True)

    def digests(self, style: Style | None) -> list[bytes]:
        """Return the digest of the answers to each batch if an adapter does as the model does, none if that is not known of the style."""
        key = self.key and digest([self.key, repr(style)])
        found: list[bytes] = _store().kept(key, lambda: self._digests(style))
        return found

    def _digests(self, style: Style | None) -> list[bytes]:
        answers = transcript(marshal.loads(self.packed_changes), len(self.lines), style)
        return [sha256(batch).digest() for batch in _batches([line + b"\n" for line in answers])]


def _batches(lines: Sequence[bytes]) -> list[bytes]:
    """Return lines as they are sent, or answered, together."""
    batches, done, size = [], 0, 1
    while done < len(lines):
        batches.append(b"".join(lines[done : done + size]))
        done, size = done + size, min(2 * size, _BATCH_MAX) if done else _BATCH
    return batches


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
    to_keep = None if case.vector.drawn else key
    batches, changes, told_run = _store().kept(to_keep, lambda: _run(case, clock_ns, told))
    _RUNS[key] = _loop_run(told_run)
    return Rehearsal(batches, changes, _RUNS[key], to_keep)


def _run(case: StimulusCase, clock_ns: int, told: set[str]) -> tuple[list[bytes], bytes, dict[str, Any]]:
    model = ModelLoop(case, told)
    simulation = Simulation(case.scenario, model, clock_ns)
    end = run(simulation)
    events = [messages.event_message(i, event_to_json(event)) for i, event in enumerate(model.trace.events)]
    batches = _batches([messages.encode(event) for event in events])
    return batches, marshal.dumps(model.changes), asdict(summary(simulation, model.trace, end, 0))


def own_run(case: StimulusCase, clock_ns: int) -> LoopRun:
    """Return what the model's own run of the scenario came to, of which it tells everything."""
    return _RUNS.get(_key(case, clock_ns, _told(OBSERVABLES))) or rehearsed(case, clock_ns, OBSERVABLES).run


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

"""The model's own run of a scenario: the simulated sender with the model in the loop."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from firstflight import advance, samples_rate
from firstflight.events import Event
from firstflight.observables import Observation
from firstflight_conformance.adapters import messages
from firstflight_conformance.adapters.messages import OBSERVABLES
from firstflight_conformance.format.wire import event_to_json, observables
from firstflight_conformance.simulate.cases import StimulusCase, StimulusScript
from firstflight_conformance.simulate.in_loop import SenderLimits
from firstflight_conformance.simulate.loop import Simulation
from firstflight_conformance.simulate.loop_run import LoopRun, LoopTrace, Turns, run, summary

#: Observables that drive the simulated sender.
SENDER_USES = frozenset({"cwnd_bytes", "ssthresh_bytes", "phase", "next_release_ns"})


class ModelLoop:
    """The model as the controller of a simulated sender.

    ``declared``: names of the observables that an adapter reports. The sender gets the window, and of the other
    observables in :data:`SENDER_USES` only the declared ones.
    """

    def __init__(self, case: StimulusCase, declared: Iterable[str]) -> None:
        """Create a new controller of the model for the case, before the first event."""
        self.trace = LoopTrace()
        self.observations: list[Observation] = []
        self.observed: list[dict[str, Any]] = []
        self._used = (SENDER_USES & {*declared}) | {"cwnd_bytes"}
        self._uses_all = self._used == SENDER_USES
        self._model = case.controller()
        self.samples_rate = samples_rate(self._model)
        self.turns = Turns(samples_rate=self.samples_rate)
        self._answer = SenderLimits(self.initial_window_bytes)

    @property
    def initial_window_bytes(self) -> int:
        """The window before the first event."""
        return self._model.base.cwnd_bytes

    def on_event(self, event: Event) -> SenderLimits:
        """Process an event; return the limits for sending that the simulated sender uses after the event.

        A turn is the events that are sent to an adapter before their answers are read. If the event ends a turn, the
        limits are the model's answer to the event. Otherwise they stay as at the end of the last turn.
        """
        observation = advance(self._model, event)
        observed = observables(observation)
        self.observations.append(observation)
        self.observed.append(observed)
        used = observed if self._uses_all else {name: value for name, value in observed.items() if name in self._used}
        answer = self.trace.add(event, used, paces=observation.paces)
        if self.turns.ends_with(event):
            self._answer = answer
        self.turns.paces = observation.paces
        return self._answer


@dataclass(frozen=True)
class ModelRun:
    """A run of a scenario with the model as the controller, as for an adapter that reports all observables.

    ``starts``: index of the first event of each turn, the events that are sent before their answers are read.
    """

    events: list[Event]
    observed: list[dict[str, Any]]
    starts: list[int]
    run: LoopRun
    #: By event, a parsed answer with exactly these observables: equal lines need not be parsed.
    right: dict[int, bytes] = field(default_factory=dict)

    @cached_property
    def turns(self) -> list[bytes]:
        """The encoded messages of the events, one bytes object for each turn.

        A turn is the events that are sent to an adapter in one write, before their answers are read.
        """
        lines = [
            messages.encode(messages.event_message(i, event_to_json(event))) for i, event in enumerate(self.events)
        ]
        ends = [*self.starts[1:], len(lines)]
        return [b"".join(lines[start:end]) for start, end in zip(self.starts, ends, strict=True)]


@lru_cache(1)  # adapters judged together play the same case one after another
def model_run(script: StimulusScript, clock_ns: int) -> ModelRun:
    """Return the run of the model on a clock with ticks of ``clock_ns``."""
    model = ModelLoop(script.case, OBSERVABLES)
    simulation = Simulation(script.case.scenario, model, clock_ns)
    came_to = summary(model.trace, run(simulation), 0, simulation.dropped_packets)
    return ModelRun(model.trace.events, model.observed, model.turns.starts, came_to)


def observed_run(case: StimulusCase, clock_ns: int, declared: Iterable[str]) -> list[tuple[Event, Observation]]:
    """Run the model as the controller of a simulated sender; return each event with the model's observation.

    The sender uses the window, and other observables only if their names are in ``declared``. ``clock_ns``: tick of the
    controller's clock; event times are rounded up to multiples of it.
    """
    model = ModelLoop(case, declared)
    run(Simulation(case.scenario, model, clock_ns))
    return list(zip(model.trace.events, model.observations, strict=True))

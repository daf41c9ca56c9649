"""The cases of ``simulator_cases.py``, run by the C simulator and by ``plain_simulator.py``; ``simulated.json`` has their hashes.

``python conformance/tests/simulated.py`` rewrites the file if both programs agree on every case.
"""

import json
import sys
from collections.abc import Callable, Iterator
from ctypes import byref
from dataclasses import asdict
from pathlib import Path
from typing import Any

import plain_simulator as plain
from firstflight import Controller, Observation, Phase, advance, create, samples_rate
from firstflight.events import Event, Lost
from firstflight.observables import Outcome
from firstflight_conformance.simulate import native
from firstflight_conformance.simulate import native_layout as layout
from firstflight_conformance.simulate.completion import complete
from firstflight_conformance.simulate.dumbbell import Arrival, FlowResult, NetworkResult, Samples, Turn, run_network
from firstflight_conformance.simulate.in_loop import ModelInLoop
from firstflight_conformance.simulate.loop import ORIGIN_NS, ModelLoopRun, Simulation, StallError
from firstflight_conformance.simulate.native import Status
from firstflight_conformance.simulate.native_events import NONE, RawObservation, event_of
from firstflight_conformance.simulate.network import Network
from firstflight_conformance.simulate.presets import Experiment
from firstflight_conformance.simulate.scenario import Scenario
from simulator_cases import (
    CASES,
    EXPERIMENTS,
    LIMITED,
    Case,
    FlowOf,
    Result,
    ScenarioCase,
    block_hash,
    case,
    counted,
    experiment_case,
    inputs,
    limited_case,
    numbers,
    outcomes,
)

FILE = Path(__file__).with_suffix(".json")
Arrivals = dict[str, list[Arrival]]
_SLOW_STARTS = (Phase.SLOW_START, Phase.CONSERVATIVE_SLOW_START, Phase.STARTUP)
#: Outcomes that count as a turn without a change of phase.
_TURNS = (
    Outcome.EXITED, Outcome.REDUCED, Outcome.COLLAPSED, Outcome.DRAINED, Outcome.JUMPED, Outcome.JUMP_BEGUN,
)  # fmt: skip


class Model:
    """The model as a controller of the plain program, with its observations, turns and first loss."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller.copy()
        self.samples_rate = samples_rate(controller)
        self.initial_window_bytes = self._cwnd_bytes = controller.base.cwnd_bytes
        self.phase: Phase | None = None
        self.observations: list[Observation] = []
        self.turns: list[Turn] = []
        self.first_loss_ns: int | None = None

    def on_event(self, event: Event) -> plain.Answer:
        observation, t_ns = advance(self._controller, event), event.t_ns - ORIGIN_NS
        self.observations.append(observation)
        if self.first_loss_ns is None and isinstance(event, Lost):
            self.first_loss_ns = t_ns
        if observation.phase is not self.phase or observation.outcome in _TURNS:
            self.phase = observation.phase
            self.turns.append(
                Turn(t_ns, observation.phase, observation.outcome, observation.cwnd_bytes, self._cwnd_bytes)
            )
        self._cwnd_bytes = observation.cwnd_bytes
        return plain.Answer(observation.cwnd_bytes, observation.next_release_ns, observation.phase in _SLOW_STARTS)


def plain_scenario(scenario: Scenario, controller: Controller) -> ModelLoopRun:
    """Run a scenario by the plain program. Raise :class:`StallError` if it stalls, as the C simulator does."""
    model = Model(controller)
    run = plain.ScenarioRun(scenario, model)
    if run.stalled:
        raise StallError(scenario.name, run.clock.now_ns)
    link, sender = run.bottleneck, run.flow.sender
    events_and_observations = tuple(sender.events), tuple(model.observations)
    return ModelLoopRun(*events_and_observations, link.dropped_packets, link.lost_packets, sender.done)


def plain_network(network: Network) -> tuple[NetworkResult, Arrivals]:
    """Run a network by the plain program; return its result with the events of every flow, and the arrivals."""
    models = [Model(create(*_names(plan.controller), plan.transfer.config)) for plan in network.flows]
    run = plain.NetworkRun(network, models)
    flows = [_flow_result(network, run, models[index], index) for index in range(len(models))]
    link, ended_ns = run.bottleneck, min(run.clock.now_ns - ORIGIN_NS, network.stop_ns)
    counts = link.dropped_packets, link.early_dropped_packets, link.lost_packets
    arrivals = {plan.name: flow.arrivals for plan, flow in zip(network.flows, run.flows, strict=True)}
    return NetworkResult(network, flows, run.queue_bytes, *counts, ended_ns, run.clock.events), arrivals


def _flow_result(network: Network, run: plain.NetworkRun, model: Model, index: int) -> FlowResult:
    plan, flow, bucket = network.flows[index], run.flows[index], run.buckets[index]
    sender, samples = flow.sender, [sample[index] for sample in run.samples]
    times = flow.started_ns, sender.first_sent_ns, flow.completed_ns, flow.acknowledged_ns
    return FlowResult(
        plan.name,
        plan.controller,
        *(None if t_ns is None else t_ns - ORIGIN_NS for t_ns in times),
        flow.delivered_bytes,
        sender.next_packet,
        sender.lost_packets,
        sender.probe_timeouts,
        model.first_loss_ns,
        0 if bucket is None else bucket.dropped_packets,
        model.turns,
        Samples(*([sample[member] for sample in samples] for member in range(4))),
        sender.events,
    )


def c_port(
    scenario: Scenario, algorithm: str, profile: str
) -> tuple[list[Event], list[tuple[object, ...]], Status, layout.SummaryLayout]:
    """Run a scenario with a controller of the port; return the events, the observations after them, and the end."""
    events: list[Event] = []
    observations: list[tuple[object, ...]] = []

    def note(_: object, __: int, event: Any, observation: Any) -> None:
        events.append(event_of(event.contents))
        if observation:
            observations.append(_observed(observation.contents))

    summary, laid_out = layout.SummaryLayout(), layout.lay_out_scenario(scenario)
    watch, names = layout.Watch(event=layout.ON_EVENT(note)), (algorithm.encode(), profile.encode())
    status = native.library().sim_simulate(byref(laid_out), *names, byref(watch), byref(summary))
    return events, observations, Status(status), summary


def _observed(raw: RawObservation) -> tuple[object, ...]:
    ssthresh, release = (None if value == NONE else value for value in (raw.ssthresh_bytes, raw.next_release_ns))
    return raw.cwnd_bytes, ssthresh, tuple(Phase)[raw.phase], tuple(Outcome)[raw.outcome], release


def observed(observation: Observation) -> tuple[object, ...]:
    """Return the members of a model's observation that the C simulator also returns."""
    return (
        observation.cwnd_bytes,
        observation.ssthresh_bytes,
        observation.phase,
        observation.outcome,
        observation.next_release_ns,
    )


def c_network(network: Network) -> tuple[NetworkResult, Arrivals]:
    """Run a network by the C simulator, as :func:`plain_network`."""
    arrivals: Arrivals = {plan.name: [] for plan in network.flows}
    return run_network(network, record=tuple(arrivals), arrivals=arrivals), arrivals


def by_plain(case: Case) -> Result:
    """Run a scenario or a network by the plain program."""
    if isinstance(case, Network):
        return _of_network(*plain_network(case))
    assert isinstance(case, ScenarioCase)
    controller = create(*_names(case.controller), case.scenario.config)
    run = plain.ScenarioRun(case.scenario, Model(controller), case.clock_ns)
    link, sender = run.bottleneck, run.flow.sender
    end = "stalled" if run.stalled else "done" if sender.done else "cut off"
    counts = link.dropped_packets, link.lost_packets
    return _of_scenario(end, run.clock.now_ns, *counts, sender.done, sender.events)


def by_c(case: Case) -> Result:
    """Run a case by the C simulator."""
    if isinstance(case, Network):
        return _of_network(*c_network(case))
    if isinstance(case, Experiment):
        completion = asdict(complete(case))
        members = {"dropped": completion.pop("lost"), **completion}
        return Result("experiment", "done", members, [])
    return _by_c_outside(case) if case.clock_ns > 1 else _by_c_port(case)


def _by_c_outside(case: ScenarioCase) -> Result:
    """Run a scenario with the model in the loop, which is required for a coarse clock."""
    model = ModelInLoop(create(*_names(case.controller), case.scenario.config), keep=False)
    run = Simulation(case.scenario, model, case.clock_ns)
    try:
        run.run()
        end = "done" if run.done else "cut off"
    except StallError:
        end = "stalled"
    return _of_scenario(end, run.now_ns, run.dropped_packets, run.lost_packets, run.done, run.events)


def _by_c_port(case: ScenarioCase) -> Result:
    events, _, status, summary = c_port(case.scenario, *_names(case.controller))
    end = "stalled" if status is Status.STALLED else "done" if summary.done else "cut off"
    counts = summary.dropped_packets, summary.lost_packets
    return _of_scenario(end, summary.now_ns, *counts, bool(summary.done), events)


def _of_scenario(end: str, now_ns: int, dropped: int, lost: int, done: bool, events: list[Event]) -> Result:
    members = {"now_ns": now_ns - ORIGIN_NS, "dropped": dropped, "dropped early": None, "lost": lost, "done": done}
    return Result("scenario", end, members, [FlowOf({}, events)])


def _of_network(result: NetworkResult, arrivals: Arrivals) -> Result:
    end = "done" if all(flow.acknowledged_ns is not None for flow in result.flows) else "cut off"
    members = {
        "dropped": result.dropped_packets,
        "dropped early": result.early_dropped_packets,
        "lost": result.lost_on_link_packets,
        "ended_ns": result.ended_ns,
        "events": result.events,
        "queue_bytes": result.queue_bytes,
    }
    return Result("network", end, members, [_of_flow(flow, arrivals[flow.name]) for flow in result.flows])


def _of_flow(flow: FlowResult, arrivals: list[Arrival]) -> FlowOf:
    apart = ("name", "controller", "turns", "samples", "events")
    members = {name: getattr(flow, name) for name in FlowResult.__slots__ if name not in apart}
    turns = [(t.t_ns, t.phase.value, t.outcome.value, t.cwnd_bytes, t.before_bytes) for t in flow.turns]
    phases = [phase and phase.value for phase in flow.samples.phases]
    numbers = flow.samples.delivered_bytes, flow.samples.cwnd_bytes, flow.samples.bytes_in_flight
    return FlowOf(members, flow.events, (turns, list(zip(*numbers, phases, strict=True)), arrivals))


def _names(controller: str) -> tuple[str, str]:
    algorithm, _, profile = controller.partition("/")
    return algorithm, profile


# The file


def load() -> dict[str, dict[str, Any]]:
    """Return the features and hashes of the cases and of the experiments."""
    features_and_hashes: dict[str, dict[str, Any]] = json.loads(FILE.read_text("utf-8"))
    return features_and_hashes


def block(number: int, run: Callable[[Case], Result]) -> str:
    """Return the hash of a block of scenarios and networks by a program."""
    return block_hash(run(case(case_number)).text for case_number in numbers(number, CASES))


def limited_block(number: int, run: Callable[[Case], Result]) -> str:
    """Return the hash of a block of networks with MAX_DATA by a program."""
    return block_hash(run(limited_case(case_number)).text for case_number in numbers(number, LIMITED))


def experiment_block(number: int) -> str:
    """Return the hash of a block of experiments by the C simulator."""
    return block_hash(by_c(experiment_case(case_number)).text for case_number in numbers(number, EXPERIMENTS))


def measured(make: Callable[[int], Case], total: int) -> dict[str, Any]:
    """Return the features and hashes of cases by the C simulator. Raise :class:`ValueError` if the programs differ."""
    features: list[set[str]] = []

    def texts(block: int) -> Iterator[str]:
        for number in numbers(block, total):
            case = make(number)
            result = by_c(case)
            if not isinstance(case, Experiment) and by_plain(case).text != result.text:
                raise ValueError(f"case {number}: the programs differ")
            features.append(inputs(case) | outcomes(case, result))
            yield result.text

    hashes = [block_hash(texts(block)) for block in range(-(-total // len(numbers(0, total))))]
    return {"features": counted(features), "hashes": hashes}


def main() -> None:
    """Rewrite the file."""
    document = {
        "cases": measured(case, CASES),
        "experiments": measured(experiment_case, EXPERIMENTS),
        "limited": measured(limited_case, LIMITED),
    }
    FILE.write_text(json.dumps(document, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    main()

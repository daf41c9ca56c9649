"""The compiled simulator: the same simulator in C (``conformance/simulator``), with the C port as its controller, where there is a C compiler.

It is built when it is first asked for, into ``build/simulator`` of a checkout or the user's cache, and gives the same results to the
nanosecond. What it does not take is left to the simulator in Python.
"""

from collections.abc import Iterable, Sequence
from ctypes import CDLL, POINTER, byref, c_char_p, c_int
from functools import cache
from pathlib import Path
from typing import Any

from firstflight.events import Event
from firstflight.observables import Outcome, Phase
from firstflight_conformance import port
from firstflight_conformance.built import BuildError, built
from firstflight_conformance.paths import CONFORMANCE, REFERENCE_C
from firstflight_conformance.simulator import native_layout as layout
from firstflight_conformance.simulator.dumbbell import Arrivals, FlowResult, NetworkResult, Samples, Turn
from firstflight_conformance.simulator.loop import ORIGIN_NS, StallError, Summary
from firstflight_conformance.simulator.native_bounds import TIME_END_NS, takes_experiment, takes_network, takes_scenario
from firstflight_conformance.simulator.native_events import NONE, event_of
from firstflight_conformance.simulator.network import Network
from firstflight_conformance.simulator.presets import STOP_NS, Completion, Experiment
from firstflight_conformance.simulator.scenario import Scenario

#: What the functions of the library answer.
OK, STALLED = 0, 1
_FLAGS = ("-std=c11", "-O2", "-fPIC", "-shared")
#: As in ``enum ff_outcome`` and ``enum ff_phase``.
_OUTCOMES, _PHASES = tuple(Outcome), tuple(Phase)


#: There is no compiled simulator. The text says why.
NativeError = BuildError


def summarize(scenario: Scenario, algorithm: str, profile: str) -> Summary | None:
    """Return what a run comes to; ``None`` if Python has to say it: beyond the bounds, or where the controller refuses.

    Raise :class:`StallError` and :class:`NativeError`.
    """
    if not takes_scenario(scenario):
        return None
    summary = layout.SummaryLayout()
    status = simulate(scenario, algorithm, profile, summary)
    if status == STALLED:
        raise StallError(scenario.name, summary.now_ns)
    if status != OK:
        return None
    ended = summary.slow_start_ended_ns != NONE
    same = "events largest_cwnd_bytes final_cwnd_bytes dropped_packets lost_packets"
    return Summary(
        duration_ns=summary.ended_ns - summary.began_ns,
        slow_start_ended_ns=summary.slow_start_ended_ns - summary.began_ns if ended else None,
        ended_by=_OUTCOMES[summary.ended_by] if ended else None,
        done=bool(summary.done),
        **{name: getattr(summary, name) for name in same.split()},
    )


def simulate(
    scenario: Scenario, algorithm: str, profile: str, summary: layout.SummaryLayout, watch: layout.Watch | None = None
) -> int:
    """Call ``sim_simulate``."""
    laid_out, watch = layout.lay_out_scenario(scenario), watch or layout.Watch()
    names = algorithm.encode(), profile.encode()
    return int(library().sim_simulate(byref(laid_out), *names, byref(watch), byref(summary)))


def complete(todo: Experiment) -> Completion | None:
    """Return how a transfer of a preset went; ``None`` if Python has to say it, as above. Raise :class:`NativeError`."""
    if not takes_experiment(todo):
        return None
    found = layout.CompletionLayout()
    # A transfer that takes longer than the bounds allow is Python's.
    laid_out = layout.lay_out_experiment(todo, min(STOP_NS, TIME_END_NS - 1))
    if library().sim_complete(byref(laid_out), byref(layout.Watch()), byref(found)) != OK:
        return None
    return todo.completion(
        found.finished_ns - ORIGIN_NS,
        found.dropped_packets,
        found.sent_packets,
        found.events,
        found.probe_timeouts,
        foreign="/" in todo.algorithm,
    )


def run_network(
    network: Network, *, events_of: Sequence[str] = (), arrivals: Arrivals | None = None
) -> NetworkResult | None:
    """Return how a network went; ``None`` if Python has to say it, as above. Raise :class:`NativeError`.

    The events of the flows that ``events_of`` names are kept, observations are not. ``arrivals`` as in Python.
    """
    if not takes_network(network):
        return None
    watched = _Watched(network, events_of, arrivals or {})
    laid_out, result = layout.lay_out_network(network), layout.NetworkResultLayout()
    flows = (layout.FlowResultLayout * len(network.flows))()
    if library().sim_run_network(byref(laid_out), byref(watched.layout), flows, byref(result)) != OK:
        return None
    return NetworkResult(
        network,
        watched.flow_results(network, flows),
        watched.queue_bytes,
        result.dropped_packets,
        result.early_dropped_packets,
        result.lost_on_link_packets,
        min(result.now_ns - ORIGIN_NS, network.stop_ns),
        result.events,
    )


class _Watched:
    """What is watched of a network, as it is told."""

    def __init__(self, network: Network, events_of: Sequence[str], arrivals: Arrivals) -> None:
        self.events: list[list[Event]] = [[] for _ in network.flows]
        self.turns: list[list[Turn]] = [[] for _ in network.flows]
        self.samples = [Samples() for _ in network.flows]
        self.queue_bytes: list[int] = []
        self._recorded = [plan.name in events_of for plan in network.flows]
        self.layout = layout.Watch(turn=layout.ON_TURN(self._turn), sample=layout.ON_SAMPLE(self._sample))
        if any(self._recorded):
            self.layout.event = layout.ON_EVENT(self._event)
        self._arrivals = [arrivals.get(plan.name) for plan in network.flows]
        if arrivals:
            self.layout.arrived = layout.ON_ARRIVAL(self._arrived)

    def _event(self, _: object, flow: int, event: Any, __: object) -> None:
        if self._recorded[flow]:
            self.events[flow].append(event_of(event.contents))

    def _arrived(self, _: object, flow: int, now_ns: int, packet: int, name: int, size_bytes: int) -> None:
        arrivals = self._arrivals[flow]
        if arrivals is not None:
            arrivals.append((now_ns - ORIGIN_NS, packet, None if name == NONE else name, size_bytes))

    def _turn(self, _: object, flow: int, turn: Any) -> None:
        found = turn.contents
        phase, outcome = _PHASES[found.phase], _OUTCOMES[found.outcome]
        self.turns[flow].append(Turn(found.t_ns - ORIGIN_NS, phase, outcome, found.cwnd_bytes, found.before_bytes))

    def _sample(self, _: object, queue_bytes: int, flows: Any) -> None:
        self.queue_bytes.append(queue_bytes)
        for samples, found in zip(self.samples, flows[: len(self.samples)], strict=True):
            samples.delivered_bytes.append(found.delivered_bytes)
            samples.cwnd_bytes.append(found.cwnd_bytes)
            samples.bytes_in_flight.append(found.bytes_in_flight)
            samples.phases.append(None if found.phase == NONE else _PHASES[found.phase])

    def flow_results(self, network: Network, flows: Iterable[Any]) -> list[FlowResult]:
        watched = zip(network.flows, flows, self.turns, self.samples, self.events, strict=True)
        return [
            FlowResult(
                plan.name, plan.controller, turns=turns, samples=samples, events=events, observations=[], **_numbers(found)
            )
            for plan, found, turns, samples, events in watched
        ]  # fmt: skip


def _numbers(found: Any) -> dict[str, Any]:
    """Return the members of what the library gave, by name; times are since the start."""
    numbers = {name: getattr(found, name) for name, _ in found._fields_}
    return {name: _since(number) if name.endswith("_ns") else number for name, number in numbers.items()}


def _since(t_ns: int) -> int | None:
    return None if t_ns == NONE else t_ns - ORIGIN_NS


@cache
def library() -> CDLL:
    """Return the compiled simulator; it is built if it is not there. Raise :class:`NativeError` if there is none."""
    path = _built()
    try:
        loaded = CDLL(str(path))
    except OSError as error:
        raise NativeError(f"{path}: {error}") from error
    of, watch = POINTER, POINTER(layout.Watch)
    loaded.sim_simulate.argtypes = [of(layout.ScenarioLayout), c_char_p, c_char_p, watch, of(layout.SummaryLayout)]
    loaded.sim_run_network.argtypes = [
        of(layout.NetworkLayout),
        watch,
        of(layout.FlowResultLayout),
        of(layout.NetworkResultLayout),
    ]
    loaded.sim_complete.argtypes = [of(layout.PresetLayout), watch, of(layout.CompletionLayout)]
    for function in (loaded.sim_simulate, loaded.sim_run_network, loaded.sim_complete):
        function.restype = c_int
    return loaded


def _built() -> Path:
    """Return the shared object of these sources."""
    try:
        sources = [*sorted((CONFORMANCE / "simulator").glob("*.c")), *port.sources()]
        headers = [*sorted((CONFORMANCE / "simulator").glob("*.h")), *port.headers()]
    except FileNotFoundError as error:
        raise NativeError("its sources are not here") from error
    return built("firstflight-simulator.so", sources, (*_FLAGS, f"-I{REFERENCE_C}"), of=headers)

"""Runs the flows of a network, sampled at fixed intervals. Memory depends on the interval, not on the transfers."""

from collections.abc import Iterable, Mapping, Sequence
from ctypes import byref
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from firstflight import Observation
from firstflight.events import Event
from firstflight.observables import Outcome, Phase
from firstflight_conformance.replay.implementation import Model, drive
from firstflight_conformance.simulate import native
from firstflight_conformance.simulate import native_layout as layout
from firstflight_conformance.simulate.loop import ORIGIN_NS
from firstflight_conformance.simulate.native import Status
from firstflight_conformance.simulate.native_bounds import check_network
from firstflight_conformance.simulate.native_events import NONE, event_of
from firstflight_conformance.simulate.network import FlowPlan, Network

#: Data at the receiver: time in ns, packet, original packet of repeated data or None, and size in bytes.
Arrival: TypeAlias = tuple[int, int, int | None, int]
Arrivals: TypeAlias = Mapping[str, list[Arrival]]
#: As in ``enum ff_outcome`` and ``enum ff_phase``.
_OUTCOMES, _PHASES = tuple(Outcome), tuple(Phase)


@dataclass(frozen=True, slots=True)
class Turn:
    """A change of phase or another notable action of the controller. Times are since the start of the run.

    ``before_bytes``: window before the event.
    """

    t_ns: int
    phase: Phase
    outcome: Outcome
    cwnd_bytes: int
    before_bytes: int


@dataclass(slots=True)
class Samples:
    """One value per interval: bytes delivered so far, window, bytes in flight and phase."""

    delivered_bytes: list[int] = field(default_factory=list)
    cwnd_bytes: list[int] = field(default_factory=list)
    bytes_in_flight: list[int] = field(default_factory=list)
    phases: list[Phase | None] = field(default_factory=list)

    def rates_bps(self, sample_ns: int) -> list[int]:
        """Return the delivery rate of each interval in bit/s."""
        before = [0, *self.delivered_bytes[:-1]]
        return [8 * 10**9 * (b - a) // sample_ns for a, b in zip(before, self.delivered_bytes, strict=True)]


@dataclass(slots=True)
class FlowResult:
    """Result of a flow. Times are since the start of the run, ``None`` for events that did not occur."""

    name: str
    controller: str
    started_ns: int | None
    first_sent_ns: int | None
    completed_ns: int | None
    acknowledged_ns: int | None
    delivered_bytes: int
    sent_packets: int
    lost_packets: int
    probe_timeouts: int
    first_loss_ns: int | None
    dropped_by_bucket_packets: int
    turns: list[Turn]
    samples: Samples
    events: list[Event]

    @property
    def exited_ns(self) -> int | None:
        """Time when the controller left slow start or its equivalent, or None."""
        return next((turn.t_ns for turn in self.turns if turn.outcome in (Outcome.EXITED, Outcome.REDUCED)), None)


@dataclass(slots=True)
class NetworkResult:
    """Result of a network. ``queue_bytes``: bytes in the queue at each sample."""

    network: Network
    flows: list[FlowResult]
    queue_bytes: list[int]
    dropped_packets: int
    early_dropped_packets: int
    lost_on_link_packets: int
    ended_ns: int
    events: int

    def flow(self, name: str) -> FlowResult:
        """Return the result of a flow."""
        return next(flow for flow in self.flows if flow.name == name)


def run_network(network: Network, *, record: Sequence[str] = (), arrivals: Arrivals | None = None) -> NetworkResult:
    """Run a network to its end.

    ``record``: names of the flows with recorded events. ``arrivals``: a list for some or all flow names; the run
    appends an item to it for each data packet that reaches the receiver. Raise :class:`ScenarioError` if the network or
    the run exceeds the bounds of the simulator. Raise :class:`DomainError` if a controller is unknown or refuses an
    event.
    """
    check_network(network)
    watched = _Watched(network, record, arrivals or {})
    laid_out, totals = layout.lay_out_network(network), layout.NetworkResultLayout()
    flows = (layout.FlowResultLayout * len(network.flows))()
    run = native.library().sim_run_network
    status = Status(run(byref(laid_out), byref(watched.layout), flows, byref(totals)))
    native.check(status, network.name)
    if status is Status.REFUSED:
        _raise_refusal(network)
    return NetworkResult(
        network,
        watched.flow_results(network, flows),
        watched.queue_bytes,
        totals.dropped_packets,
        totals.early_dropped_packets,
        totals.lost_on_link_packets,
        min(totals.now_ns - ORIGIN_NS, network.stop_ns),
        totals.events,
    )


def observations(plan: FlowPlan, events: Iterable[Event]) -> list[Observation]:
    """Return the model's observation after each event of a flow.

    ``plan``: the flow, with controller and configuration. Raise :class:`DomainError` if the model does not have the
    controller, or refuses the configuration or an event.
    """
    algorithm, _, profile = plan.controller.partition("/")
    return list(drive(Model(algorithm, profile).begin(plan.transfer.config), events))


def _raise_refusal(network: Network) -> None:
    """Raise the model's :class:`DomainError` for a network whose run in C was refused.

    A controller is unknown to the model, or the model refuses the last event of a flow. To find the event, the network
    runs again with recorded events, and the model processes them. Raise :class:`RuntimeError` if the model accepts all.
    """
    for plan in network.flows:
        observations(plan, ())
    watched = _Watched(network, [plan.name for plan in network.flows], {})
    laid_out, flows = layout.lay_out_network(network), (layout.FlowResultLayout * len(network.flows))()
    native.library().sim_run_network(byref(laid_out), byref(watched.layout), flows, byref(layout.NetworkResultLayout()))
    for plan, events in zip(network.flows, watched.events, strict=True):
        observations(plan, events)
    raise RuntimeError(f"{network.name}: a controller of the port refuses an event that the model accepts")


class _Watched:
    """Events, turns (phase changes of the controllers) and samples of a network's flows, collected during its run."""

    def __init__(self, network: Network, record: Sequence[str], arrivals: Arrivals) -> None:
        self.events: list[list[Event]] = [[] for _ in network.flows]
        self.turns: list[list[Turn]] = [[] for _ in network.flows]
        self.samples = [Samples() for _ in network.flows]
        self.queue_bytes: list[int] = []
        self._recorded = [plan.name in record for plan in network.flows]
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
        record = turn.contents
        phase, outcome = _PHASES[record.phase], _OUTCOMES[record.outcome]
        self.turns[flow].append(Turn(record.t_ns - ORIGIN_NS, phase, outcome, record.cwnd_bytes, record.before_bytes))

    def _sample(self, _: object, queue_bytes: int, flows: Any) -> None:
        self.queue_bytes.append(queue_bytes)
        for samples, flow in zip(self.samples, flows[: len(self.samples)], strict=True):
            samples.delivered_bytes.append(flow.delivered_bytes)
            samples.cwnd_bytes.append(flow.cwnd_bytes)
            samples.bytes_in_flight.append(flow.bytes_in_flight)
            samples.phases.append(None if flow.phase == NONE else _PHASES[flow.phase])

    def flow_results(self, network: Network, flows: Iterable[Any]) -> list[FlowResult]:
        watched = zip(network.flows, flows, self.turns, self.samples, self.events, strict=True)
        return [
            FlowResult(plan.name, plan.controller, turns=turns, samples=samples, events=events, **_numbers(flow))
            for plan, flow, turns, samples, events in watched
        ]


def _numbers(flow: Any) -> dict[str, Any]:
    """Return the numbers of a flow's C result (``FlowResultLayout``) by name.

    Times, with names that end in ``_ns``, are in ns since the start of the run, None for events that did not occur.
    """
    numbers = {name: getattr(flow, name) for name, _ in flow._fields_}
    return {name: _since(number) if name.endswith("_ns") else number for name, number in numbers.items()}


def _since(t_ns: int) -> int | None:
    return None if t_ns == NONE else t_ns - ORIGIN_NS


def result_to_json(result: NetworkResult) -> dict[str, Any]:
    """Return a result in its JSON form, without recorded events."""
    return {
        "network": result.network.name,
        "seed": result.network.seed,
        "ended_ns": result.ended_ns,
        "dropped_packets": result.dropped_packets,
        "early_dropped_packets": result.early_dropped_packets,
        "lost_on_link_packets": result.lost_on_link_packets,
        "sample_ns": result.network.sample_ns,
        "queue_bytes": result.queue_bytes,
        "flows": [_flow_to_json(flow) for flow in result.flows],
    }


def _flow_to_json(flow: FlowResult) -> dict[str, Any]:
    skipped = ("turns", "samples", "events")
    fields = {name: getattr(flow, name) for name in FlowResult.__slots__ if name not in skipped}
    fields["turns"] = [
        {"t_ns": t.t_ns, "phase": t.phase.value, "outcome": t.outcome.value, "cwnd_bytes": t.cwnd_bytes}
        for t in flow.turns
    ]
    samples = flow.samples
    fields["samples"] = {
        "delivered_bytes": samples.delivered_bytes,
        "cwnd_bytes": samples.cwnd_bytes,
        "bytes_in_flight": samples.bytes_in_flight,
        "phases": [None if phase is None else phase.value for phase in samples.phases],
    }
    return fields

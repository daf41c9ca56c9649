"""Run a network: its flows at once, watched at fixed intervals, in memory that the interval bounds and not the transfer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from firstflight import Observation, create
from firstflight.events import Event, Lost
from firstflight.observables import Outcome, Phase
from firstflight_conformance.simulator.clock import Clock
from firstflight_conformance.simulator.flow import Arrival, Flow, NotedDelivered
from firstflight_conformance.simulator.in_loop import Answer, ModelInLoop
from firstflight_conformance.simulator.links import AnyLink, Delay, Queued, TokenBucket, Wire
from firstflight_conformance.simulator.loop import ORIGIN_NS
from firstflight_conformance.simulator.network import FlowPlan, Network
from firstflight_conformance.simulator.path import Bottleneck
from firstflight_conformance.simulator.scenario import Link

Arrivals: TypeAlias = Mapping[str, list[Arrival]]
#: What a controller does that a reader wants to know of, besides changes of the phase.
TURNS = frozenset(
    (Outcome.EXITED, Outcome.REDUCED, Outcome.COLLAPSED, Outcome.DRAINED, Outcome.JUMPED, Outcome.JUMP_BEGUN)
)


@dataclass(frozen=True, slots=True)
class Turn:
    """The phase changed, or the controller did something else of note; times are since the start of the run.

    ``before_bytes``: the window before the event.
    """

    t_ns: int
    phase: Phase
    outcome: Outcome
    cwnd_bytes: int
    before_bytes: int


class WatchedModel(ModelInLoop):
    """A controller of the model of which only the turns are kept, and the first loss."""

    def __init__(self, plan: FlowPlan, *, keep: bool = False) -> None:
        """Create the controller that the plan names. Raise :class:`DomainError` if there is none."""
        algorithm, _, profile = plan.controller.partition("/")
        super().__init__(create(algorithm, profile, plan.transfer.config), keep=keep)
        self.turns: list[Turn] = []
        self.first_loss_ns: int | None = None
        self.phase: Phase | None = None

    def on_event(self, event: Event) -> Answer:
        """Process an event."""
        before_bytes = self.initial_window_bytes if self.last is None else self.last.cwnd_bytes
        answer = super().on_event(event)
        if self.first_loss_ns is None and isinstance(event, Lost):
            self.first_loss_ns = event.t_ns - ORIGIN_NS
        observation = self.last
        assert observation is not None
        if observation.phase is not self.phase or observation.outcome in TURNS:
            self.phase = observation.phase
            self.turns.append(
                Turn(
                    event.t_ns - ORIGIN_NS, observation.phase, observation.outcome, observation.cwnd_bytes, before_bytes
                )
            )
        return answer


@dataclass(slots=True)
class Samples:
    """One value for each interval: bytes delivered so far, the window, what was in flight, and the phase."""

    delivered_bytes: list[int] = field(default_factory=list)
    cwnd_bytes: list[int] = field(default_factory=list)
    bytes_in_flight: list[int] = field(default_factory=list)
    phases: list[Phase | None] = field(default_factory=list)

    def rates_bps(self, sample_ns: int) -> list[int]:
        """Return the rate of delivery in each interval."""
        before = [0, *self.delivered_bytes[:-1]]
        return [8 * 10**9 * (b - a) // sample_ns for a, b in zip(before, self.delivered_bytes, strict=True)]


@dataclass(slots=True)
class FlowResult:
    """How a flow went. Times are since the start of the run, ``None`` for what did not happen."""

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
    observations: list[Observation]

    @property
    def exited_ns(self) -> int | None:
        """When the controller left slow start, or what it has in place of it."""
        return next((turn.t_ns for turn in self.turns if turn.outcome in (Outcome.EXITED, Outcome.REDUCED)), None)


@dataclass(slots=True)
class NetworkResult:
    """How a network went. ``queue_bytes``: what waited at each sample."""

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


class Dumbbell:
    """The flows of a network, their links, and what is watched of them."""

    def __init__(self, network: Network, clock: Clock | None = None, *, record: tuple[str, ...] = ()) -> None:
        """Set up a run. The events and observations of the flows named in ``record`` are kept."""
        self.network = network
        self.clock = Clock(ORIGIN_NS) if clock is None else clock
        self.bottleneck = Bottleneck(network.link, network.seed, ORIGIN_NS)
        self._there = Queued(self.clock, self.bottleneck)
        self._back = self._way_back(network)
        self.models: list[WatchedModel] = []
        self.flows: list[Flow] = []
        self.buckets: list[TokenBucket | None] = []
        self.samples = [Samples() for _ in network.flows]
        self.queue_bytes: list[int] = []
        self._unfinished = len(network.flows)
        for plan in network.flows:
            self._add(plan, keep=plan.name in record)

    def _way_back(self, network: Network) -> AnyLink:
        link = network.link
        if network.return_rate_bps is None:
            return Delay(link.return_delay_ns)
        back = Link(
            network.return_rate_bps, link.return_delay_ns, 0, link.queue_bytes, 0, 0, queue_packets=link.queue_packets
        )
        return Queued(self.clock, Bottleneck(back, network.seed, ORIGIN_NS))

    def _add(self, plan: FlowPlan, *, keep: bool) -> None:
        there: list[AnyLink] = [self._there]
        back: list[AnyLink] = [self._back]
        if plan.access is not None:
            wires = [Wire(plan.access.rate_bps, plan.access.delay_ns) for _ in range(4)]
            there, back = [wires[0], *there, wires[1]], [wires[2], *back, wires[3]]
        bucket = None
        if plan.bucket is not None:
            one = plan.bucket
            bucket = TokenBucket(self.clock.now_ns, one.rate_bps, one.burst_bytes, one.latency_ns)
            there.insert(0, bucket)
        model = WatchedModel(plan, keep=keep)
        flow = Flow(self.clock, plan.transfer, plan.receiver, model, (there, back), keep_events=keep)
        flow.on_finished = self._on_finished
        self.models.append(model)
        self.flows.append(flow)
        self.buckets.append(bucket)
        self.clock.at(ORIGIN_NS + plan.start_ns, flow.start)

    def _on_finished(self, _: Flow) -> None:
        self._unfinished -= 1

    def _sample(self, _: None = None) -> None:
        now_ns = self.clock.now_ns
        self.bottleneck.leave(now_ns)
        self.queue_bytes.append(self.bottleneck.waiting_bytes)
        for flow, model, samples in zip(self.flows, self.models, self.samples, strict=True):
            samples.delivered_bytes.append(flow.delivered.bytes)
            samples.cwnd_bytes.append(flow.sender.cwnd_bytes)
            samples.bytes_in_flight.append(flow.sender.ledger.bytes_in_flight)
            samples.phases.append(model.phase)
        if self._unfinished:
            self.clock.at(now_ns + self.network.sample_ns, self._sample)

    def run(self) -> NetworkResult:
        """Run until every transfer has ended, or to ``stop_ns``."""
        self.clock.at(ORIGIN_NS + self.network.sample_ns, self._sample)
        self.clock.run(ORIGIN_NS + self.network.stop_ns, lambda: self._unfinished == 0)
        link = self.bottleneck
        return NetworkResult(
            self.network,
            [self._result(index) for index in range(len(self.flows))],
            self.queue_bytes,
            link.dropped_packets,
            link.early_dropped_packets,
            link.lost_packets,
            min(self.clock.now_ns - ORIGIN_NS, self.network.stop_ns),
            self.clock.events,
        )

    def _result(self, index: int) -> FlowResult:
        plan, flow, model, bucket = (
            self.network.flows[index],
            self.flows[index],
            self.models[index],
            self.buckets[index],
        )
        sender = flow.sender
        return FlowResult(
            plan.name,
            plan.controller,
            _since(flow.started_ns),
            _since(sender.first_sent_ns),
            _since(flow.completed_ns),
            _since(flow.acknowledged_ns),
            flow.delivered.bytes,
            sender.ledger.next_packet,
            sender.lost_packets,
            sender.probe_timeouts,
            model.first_loss_ns,
            0 if bucket is None else bucket.dropped_packets,
            model.turns,
            self.samples[index],
            sender.events,
            model.observations,
        )


def _since(t_ns: int | None) -> int | None:
    return None if t_ns is None else t_ns - ORIGIN_NS


def run_network(
    network: Network, clock: Clock | None = None, *, record: tuple[str, ...] = (), arrivals: Arrivals | None = None
) -> NetworkResult:
    """Run a network to its end. Raise :class:`DomainError` if a controller is unknown.

    ``arrivals``: lists by the names of flows, to which is added what arrives.
    """
    dumbbell = Dumbbell(network, clock, record=record)
    for plan, flow in zip(network.flows, dumbbell.flows, strict=True):
        if arrivals is not None and plan.name in arrivals:
            flow.delivered = NotedDelivered(dumbbell.clock, arrivals[plan.name])
    return dumbbell.run()


def result_to_json(result: NetworkResult) -> dict[str, Any]:
    """Return a result as JSON has it, without recorded events."""
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
    skipped = ("turns", "samples", "events", "observations")
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

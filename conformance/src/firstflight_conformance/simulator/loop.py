"""Run a scenario: one flow over one bottleneck, with any controller in the loop."""

from dataclasses import dataclass

from firstflight import Controller, Observation
from firstflight.events import Event
from firstflight.observables import EXITS, Outcome
from firstflight_conformance.simulator.clock import Clock
from firstflight_conformance.simulator.flow import Flow
from firstflight_conformance.simulator.in_loop import InLoop, ModelInLoop
from firstflight_conformance.simulator.links import Delay, Queued
from firstflight_conformance.simulator.path import Bottleneck
from firstflight_conformance.simulator.scenario import Scenario, ScenarioError

#: Every run begins at one second, as every vector does.
ORIGIN_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Recording:
    """What a run with the model in the loop produced: the events, and what it observed after each.

    ``done``: all data was acknowledged; otherwise the run was cut off.
    """

    events: tuple[Event, ...]
    observations: tuple[Observation, ...]
    dropped_packets: int
    lost_packets: int
    done: bool


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run came to. Times are since the first event, ``None`` for what did not happen; ``ended_by``: what ended slow start."""

    events: int
    duration_ns: int
    slow_start_ended_ns: int | None
    ended_by: Outcome | None
    largest_cwnd_bytes: int
    final_cwnd_bytes: int
    dropped_packets: int
    lost_packets: int
    done: bool


class StallError(ScenarioError):
    """The sender waits for ACKs that will not come: there are no probes."""

    def __init__(self, name: str, now_ns: int) -> None:
        """Say which scenario stalls, and when."""
        super().__init__(f"{name}: stalls at {now_ns} ns, and there are no probes")


class Simulation:
    """One sender, one bottleneck, one receiver.

    ``clock_ns``: everything happens at multiples of it, rounded up, for a controller whose clock is coarser than one ns.
    """

    def __init__(self, scenario: Scenario, controller: InLoop, clock_ns: int = 1) -> None:
        """Set up a run of ``scenario`` with ``controller`` in the loop."""
        self.scenario = scenario
        self.clock = Clock(ORIGIN_NS, clock_ns)
        self.bottleneck = Bottleneck(scenario.link, scenario.seed, ORIGIN_NS)
        there, back = Queued(self.clock, self.bottleneck), Delay(scenario.link.return_delay_ns)
        self.flow = Flow(self.clock, scenario.transfer, scenario.receiver, controller, ([there], [back]))
        self.sender = self.flow.sender

    @property
    def now_ns(self) -> int:
        """The time."""
        return self.clock.now_ns

    def run(self) -> None:
        """Run to the end. Raise :class:`StallError` if the sender stalls."""
        if self.scenario.announced:
            self.sender.sample_handshake(ORIGIN_NS, ORIGIN_NS - self.scenario.empty_rtt_ns)
        self.clock.at(ORIGIN_NS, self.flow.start)
        if not self.clock.run(ORIGIN_NS + self.scenario.stop_ns, self._finished):
            raise StallError(self.scenario.name, self.now_ns)

    def _finished(self) -> bool:
        ended_ns = self.sender.slow_start_end_ns
        over = ended_ns is not None and self.now_ns > ended_ns + self.scenario.after_slow_start_ns
        return over or (self.sender.done and bool(self.sender.events))


def simulate(scenario: Scenario, controller: Controller) -> Recording:
    """Run ``scenario`` with the model's ``controller`` in the loop. Raise :class:`ScenarioError` if it stalls."""
    model = ModelInLoop(controller)
    simulation = Simulation(scenario, model)
    simulation.run()
    return Recording(
        tuple(simulation.sender.events),
        tuple(model.observations),
        simulation.bottleneck.dropped_packets,
        simulation.bottleneck.lost_packets,
        simulation.sender.done,
    )


def summarize(recording: Recording) -> Summary:
    """Return what a run came to."""
    events, observations = recording.events, recording.observations
    began_ns = events[0].t_ns
    pairs = zip(events, observations, strict=True)
    ended = next(((event, seen) for event, seen in pairs if seen.outcome in EXITS), None)
    return Summary(
        events=len(events),
        duration_ns=events[-1].t_ns - began_ns,
        slow_start_ended_ns=ended[0].t_ns - began_ns if ended else None,
        ended_by=ended[1].outcome if ended else None,
        largest_cwnd_bytes=max(seen.cwnd_bytes for seen in observations),
        final_cwnd_bytes=observations[-1].cwnd_bytes,
        dropped_packets=recording.dropped_packets,
        lost_packets=recording.lost_packets,
        done=recording.done,
    )

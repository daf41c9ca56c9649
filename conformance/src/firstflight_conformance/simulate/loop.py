"""Runs a scenario: one flow over one bottleneck, with any controller in the loop."""

from ctypes import byref
from dataclasses import dataclass
from typing import Any

from firstflight import Controller, Observation, create
from firstflight.events import Event
from firstflight.observables import EXITS, Outcome
from firstflight_conformance.simulate import native
from firstflight_conformance.simulate import native_layout as layout
from firstflight_conformance.simulate.in_loop import InLoop, ModelInLoop
from firstflight_conformance.simulate.native import Status
from firstflight_conformance.simulate.native_bounds import check_scenario
from firstflight_conformance.simulate.native_events import NONE, event_of
from firstflight_conformance.simulate.scenario import Scenario, ScenarioError

#: Start of every run: one second, as in vectors.
ORIGIN_NS = 1_000_000_000
#: Limit of windows and times. Larger values have the same effect: all data may leave, or none before the run ends.
_MOST = 1 << 62
#: As in ``enum ff_outcome``.
_OUTCOMES = tuple(Outcome)


@dataclass(frozen=True, slots=True)
class ModelLoopRun:
    """The events of a run with the model in the loop, and the observation after each event.

    ``done``: all data was acknowledged; otherwise the run was cut off.
    """

    events: tuple[Event, ...]
    observations: tuple[Observation, ...]
    dropped_packets: int
    lost_packets: int
    done: bool


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a run. Times are since the first event.

    ``slow_start_ended_ns`` and ``ended_by``, the outcome that ended slow start, are ``None`` if slow start did not end.
    """

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
    """The sender waits forever for ACKs, because it does not send probes."""

    def __init__(self, name: str, now_ns: int) -> None:
        """Store name and time of the stall."""
        super().__init__(f"{name}: stalls at {now_ns} ns: the sender does not send probes")


class Simulation:
    """One sender, one bottleneck, one receiver, and a controller outside of the C simulator.

    ``clock_ns``: tick of the controller's clock; times are rounded up to multiples of it. ``events`` contains the
    events so far. ``now_ns``, ``done``, ``dropped_packets`` and ``lost_packets`` are final at the end of the run.
    """

    def __init__(self, scenario: Scenario, controller: InLoop, clock_ns: int = 1) -> None:
        """Set up a run. Raise :class:`ScenarioError` beyond the bounds of the simulator."""
        check_scenario(scenario)
        self.scenario = scenario
        self.events: list[Event] = []
        self._controller, self._clock_ns = controller, clock_ns
        self._summary = layout.SummaryLayout(now_ns=ORIGIN_NS)
        self._error: BaseException | None = None

    @property
    def now_ns(self) -> int:
        """Time of the end of the run."""
        return int(self._summary.now_ns)

    @property
    def done(self) -> bool:
        """Whether all data was acknowledged."""
        return bool(self._summary.done)

    @property
    def dropped_packets(self) -> int:
        """Number of packets dropped by the queue; during a run, so far."""
        return int(self._summary.dropped_packets)

    @property
    def lost_packets(self) -> int:
        """Number of packets lost on the link."""
        return int(self._summary.lost_packets)

    def run(self) -> None:
        """Run to the end. Raise :class:`StallError` if the sender stalls, and every error of the controller."""
        controller = self._controller
        outside = layout.Outside(
            controller.initial_window_bytes, controller.samples_rate, on_event=layout.ON_ANSWER(self._on_event)
        )
        laid_out = layout.lay_out_scenario(self.scenario)
        status = Status(
            native.library().sim_simulate_outside(byref(laid_out), byref(outside), self._clock_ns, byref(self._summary))
        )
        if self._error is not None:
            raise self._error
        if status is Status.STALLED:
            raise StallError(self.scenario.name, self.now_ns)
        native.check(status, self.scenario.name)

    def _on_event(self, _: object, raw: Any, answer: Any) -> bool:
        """Call the controller. An exception ends the run in C; :meth:`run` raises it again."""
        try:
            event = event_of(raw.contents)
            self.events.append(event)
            limits = self._controller.on_event(event)
        except BaseException as error:
            self._error = error
            return False
        window = answer.contents
        window.cwnd_bytes = min(limits.cwnd_bytes, _MOST)
        window.next_release_ns = NONE if limits.next_release_ns is None else min(limits.next_release_ns, _MOST)
        window.in_slow_start = limits.in_slow_start
        return True


def simulate(scenario: Scenario, controller: Controller) -> ModelLoopRun:
    """Run ``scenario`` with the model's ``controller`` in the loop. Raise :class:`ScenarioError` if it stalls."""
    model = ModelInLoop(controller)
    simulation = Simulation(scenario, model)
    simulation.run()
    return ModelLoopRun(
        tuple(simulation.events),
        tuple(model.observations),
        simulation.dropped_packets,
        simulation.lost_packets,
        simulation.done,
    )


def summarize(recording: ModelLoopRun) -> Summary:
    """Return the summary of a recorded run."""
    events, observations = recording.events, recording.observations
    began_ns = events[0].t_ns
    pairs = zip(events, observations, strict=True)
    ended = next(((event, observation) for event, observation in pairs if observation.outcome in EXITS), None)
    return Summary(
        events=len(events),
        duration_ns=events[-1].t_ns - began_ns,
        slow_start_ended_ns=ended[0].t_ns - began_ns if ended else None,
        ended_by=ended[1].outcome if ended else None,
        largest_cwnd_bytes=max(observation.cwnd_bytes for observation in observations),
        final_cwnd_bytes=observations[-1].cwnd_bytes,
        dropped_packets=recording.dropped_packets,
        lost_packets=recording.lost_packets,
        done=recording.done,
    )


def run_port(scenario: Scenario, algorithm: str, profile: str) -> Summary:
    """Return the summary of a run of a scenario with a controller of the C port of the model.

    Raise :class:`ScenarioError` if the scenario or the run exceeds the bounds of the simulator, or if the sender waits
    forever for ACKs. Raise :class:`DomainError` if the controller is unknown or refuses an event.
    """
    check_scenario(scenario)
    laid_out, summary = layout.lay_out_scenario(scenario), layout.SummaryLayout()
    names = algorithm.encode(), profile.encode()
    status = Status(native.library().sim_simulate(byref(laid_out), *names, None, byref(summary)))
    if status is Status.STALLED:
        raise StallError(scenario.name, summary.now_ns)
    native.check(status, scenario.name)
    if status is Status.REFUSED:  # the model raises the reason
        return summarize(simulate(scenario, create(algorithm, profile, scenario.config)))
    ended = summary.slow_start_ended_ns != NONE
    same = ("events", "largest_cwnd_bytes", "final_cwnd_bytes", "dropped_packets", "lost_packets")
    return Summary(
        duration_ns=summary.ended_ns - summary.began_ns,
        slow_start_ended_ns=summary.slow_start_ended_ns - summary.began_ns if ended else None,
        ended_by=_OUTCOMES[summary.ended_by] if ended else None,
        done=bool(summary.done),
        **{name: getattr(summary, name) for name in same},
    )

"""The event loop: what happens when, in the order of time and, at one time, of scheduling."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass

from firstflight import Controller, Observation
from firstflight.events import Event
from firstflight_conformance.simulator.in_loop import InLoop, ModelInLoop
from firstflight_conformance.simulator.path import AckPolicy, Bottleneck
from firstflight_conformance.simulator.scenario import Scenario, ScenarioError
from firstflight_conformance.simulator.sender import Sender

#: Every run begins at one second, as every vector does.
ORIGIN_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Recording:
    """What a run with the model in the loop produced: the events, and what it observed after each."""

    events: tuple[Event, ...]
    observations: tuple[Observation, ...]
    dropped_packets: int
    lost_packets: int


class StallError(ScenarioError):
    """The sender waits for ACKs that will not come: there are no probes."""


class Simulation:
    """One sender, one bottleneck, one receiver.

    ``clock_ns``: everything happens at multiples of it, rounded up, for a controller whose clock is coarser than one ns.
    """

    def __init__(self, scenario: Scenario, controller: InLoop, clock_ns: int = 1) -> None:
        """Set up a run of ``scenario`` with ``controller`` in the loop."""
        self.scenario = scenario
        self.clock_ns = clock_ns
        self.sender = Sender(scenario, controller)
        self.bottleneck = Bottleneck(scenario.link, scenario.seed, ORIGIN_NS)
        self.acks = AckPolicy(scenario.receiver)
        self.now_ns = ORIGIN_NS
        self._queue: list[tuple[int, int, Callable[[], None]]] = []
        self._scheduled = 0
        self._loss_timer_ns: int | None = None
        self._pacer_ns: int | None = None

    def run(self) -> None:
        """Run to the end. Raise :class:`StallError` if the sender stalls."""
        self._at(ORIGIN_NS, self._send)
        while self._queue and not self._finished():
            self.now_ns, _, action = heapq.heappop(self._queue)
            if self.now_ns > ORIGIN_NS + self.scenario.stop_ns:
                break
            action()
        else:
            if not self._finished():
                raise StallError(f"{self.scenario.name}: stalls at {self.now_ns} ns, and there are no probes")

    def _at(self, t_ns: int, action: Callable[[], None]) -> None:
        t_ns = -(-t_ns // self.clock_ns) * self.clock_ns
        heapq.heappush(self._queue, (t_ns, self._scheduled, action))
        self._scheduled += 1

    def _finished(self) -> bool:
        ended_ns = self.sender.slow_start_end_ns
        over = ended_ns is not None and self.now_ns > ended_ns + self.scenario.after_slow_start_ns
        return over or (self.sender.done and bool(self.sender.events))

    def _send(self) -> None:
        for run in self.sender.send(self.now_ns):
            for packet in range(run.first, run.last + 1):
                arrival_ns = self.bottleneck.carry(self.now_ns, run.size_bytes)
                if arrival_ns is not None:
                    self._at(arrival_ns, lambda packet=packet: self._arrive(packet))  # type: ignore[misc]
        if self.sender.wants_pacer() and self._pacer_ns is None:
            self._pacer_ns = max(self.sender.release_ns, self.now_ns)
            self._at(self._pacer_ns, self._paced)

    def _paced(self) -> None:
        self._pacer_ns = None
        self._send()

    def _arrive(self, packet: int) -> None:
        if self.acks.arrived(self.now_ns, packet):
            self._acknowledge()
        elif self.acks.deadline_ns is not None and len(self.acks.pending) == 1:
            deadline_ns = self.acks.deadline_ns
            self._at(deadline_ns, lambda: self._delayed_ack(deadline_ns))

    def _delayed_ack(self, deadline_ns: int) -> None:
        if self.acks.deadline_ns == deadline_ns:
            self._acknowledge()

    def _acknowledge(self) -> None:
        ranges, delay_ns = self.acks.acknowledge(self.now_ns)
        self._at(self.now_ns + self.scenario.link.return_delay_ns, lambda: self._on_ack(ranges, delay_ns))

    def _on_ack(self, ranges: list[tuple[int, int]], ack_delay_ns: int) -> None:
        self.sender.on_ack(self.now_ns, ranges, ack_delay_ns)
        self._after_losses()

    def _after_losses(self) -> None:
        timer_ns = self.sender.loss_timer_ns()
        if timer_ns is not None and timer_ns != self._loss_timer_ns:
            self._loss_timer_ns = timer_ns
            self._at(max(timer_ns, self.now_ns), lambda: self._loss_timer(timer_ns))
        self._send()

    def _loss_timer(self, timer_ns: int) -> None:
        if timer_ns == self._loss_timer_ns:
            self._loss_timer_ns = None
            self.sender.detect_losses(self.now_ns)
            self._after_losses()


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
    )

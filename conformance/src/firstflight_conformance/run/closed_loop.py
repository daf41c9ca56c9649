"""A stack in the loop of the path simulator, and the model beside it, driven by the same events."""

import time
from dataclasses import dataclass, field
from typing import Any

from firstflight import Ack, Controller, Lost, Sent, step
from firstflight.events import Event
from firstflight.observables import Observation
from firstflight_conformance.cases.measure import ClauseTracer
from firstflight_conformance.cases.wire import event_to_json, observables
from firstflight_conformance.run.compare import avoids, compare, slack_bytes
from firstflight_conformance.run.conversation import Answers, Conversation
from firstflight_conformance.run.faults import ConversationError
from firstflight_conformance.run.growth import first_reduced_growth, granted_bytes
from firstflight_conformance.run.messages import Declaration
from firstflight_conformance.run.results import ClosedLoop, Divergence, LoopRun, Moment, Recording
from firstflight_conformance.run.stimulus import StimulusCase, StimulusScript
from firstflight_conformance.simulator.in_loop import Answer
from firstflight_conformance.simulator.loop import Simulation, StallError

#: Units of the clocks that an adapter may declare, in ns.
CLOCK_NS = {"ns": 1, "us": 1_000, "ms": 1_000_000}


class UnsupportedEventError(Exception):
    """The adapter has no answer to an event, for the reason in the text."""


@dataclass(slots=True)
class Trace:
    """What a controller in the loop went through: the events, and what it answered to them."""

    events: list[Event] = field(default_factory=list)
    observed: list[dict[str, Any]] = field(default_factory=list)
    windows: list[int] = field(default_factory=list)
    slow_start_ended: Moment | None = None
    lost_packets: int = 0

    def add(self, event: Event, observed: dict[str, Any], *, paces: bool) -> Answer:
        """Take the answer to an event; return what the sender goes by. A release time counts only if the algorithm ``paces``."""
        self.events.append(event)
        self.observed.append(observed)
        self.windows.append(observed["cwnd_bytes"])
        if isinstance(event, Lost):
            self.lost_packets += sum(run.count for run in event.packets)
        in_slow_start = _in_slow_start(observed)
        if self.slow_start_ended is None and not in_slow_start:
            self.slow_start_ended = self.moment(len(self.events) - 1)
        return Answer(observed["cwnd_bytes"], observed.get("next_release_ns") if paces else None, in_slow_start)

    def moment(self, index: int | None) -> Moment | None:
        """Return the event with this index, its time and the window after it."""
        if index is None:
            return None
        event = self.events[index]
        packet = event.packets[-1].last if isinstance(event, Sent | Ack | Lost) else None
        return Moment(index, event.t_ns, packet, self.windows[index])


def _in_slow_start(observed: dict[str, Any]) -> bool:
    """Return whether slow start goes on as far as the answer shows it: by the threshold, or else by the phase."""
    if "ssthresh_bytes" in observed:
        threshold_bytes = observed["ssthresh_bytes"]
        return threshold_bytes is None or bool(observed["cwnd_bytes"] < threshold_bytes)
    return observed.get("phase", "slow_start") in ("slow_start", "conservative_slow_start")


class ModelLoop:
    """The model in the loop, for its own run of a scenario."""

    def __init__(self, case: StimulusCase) -> None:
        """Begin before the first event."""
        self.trace = Trace()
        self._model = case.controller()

    @property
    def initial_window_bytes(self) -> int:
        """The window before the first event."""
        return self._model.base.cwnd_bytes

    def on_event(self, event: Event) -> Answer:
        """Process an event."""
        self._model, observation = step(self._model, event)
        return self.trace.add(event, observables(observation), paces=observation.paces)


class StackLoop:
    """An adapter in the loop. The model follows the same events up to the first divergence.

    ``left_s``: how much of the deadline of the case is left for answers.
    """

    def __init__(self, case: StimulusCase, conversation: Conversation, declaration: Declaration) -> None:
        """Begin before the first event."""
        self.trace = Trace()
        self.divergence: Divergence | None = None
        self.within_tolerance = False
        self.left_s = conversation.deadline_s
        self._case, self._conversation, self._declaration = case, conversation, declaration
        self._model = case.controller()
        self._expected: dict[str, Any] | None = None
        self._avoiding = False
        self._paces = False

    @property
    def initial_window_bytes(self) -> int:
        """The initial window that the adapter was told."""
        return self._case.controller().base.cwnd_bytes

    def on_event(self, event: Event) -> Answer:
        """Ask the adapter. Raise :class:`ConversationError` or :class:`UnsupportedEventError`."""
        index, raw = len(self.trace.events), event_to_json(event)
        began_s = time.monotonic()
        observed = self._conversation.event(index, raw, self._declaration.observables, self.left_s)
        self.left_s -= time.monotonic() - began_s
        if isinstance(observed, str):
            raise UnsupportedEventError(f"event {index}: {observed}")
        if self.divergence is None:
            self._follow(index, event, raw, observed)
        return self.trace.add(event, observed, paces=self._paces)

    def _follow(self, index: int, event: Event, raw: dict[str, Any], observed: dict[str, Any]) -> None:
        before = self._model
        self._model, observation = step(before, event)
        self._paces, expected = observation.paces, observables(observation)
        size_bytes = self._case.scenario.config.max_datagram_size_bytes
        self._avoiding = self._avoiding or avoids(self._case, self._expected, expected)
        self._expected = expected
        allowed = _allowed(observation)
        comparison = compare(expected, observed, self._declaration, size_bytes, allowed, avoiding=self._avoiding)
        self.within_tolerance |= comparison.within_tolerance
        if comparison.differences:
            clauses = self._clauses(index, before, event)
            self.divergence = Divergence(index, raw, comparison.differences, clauses, expected)

    def _clauses(self, index: int, before: Controller, event: Event) -> tuple[str, ...]:
        """Return what the model carries out on an event, on the first with its beginning; as ``measure.clauses_at`` of vectors."""
        with ClauseTracer() as tracer:
            step(self._case.controller() if index == 0 else before, event)
        return tuple(sorted(tracer.clauses))


def _allowed(observation: Observation) -> dict[str, list[Any]]:
    return {"trigger": [trigger.value for trigger in observation.triggers]} if observation.triggers else {}


def play(script: StimulusScript, conversation: Conversation, declaration: Declaration) -> Answers:
    """Run the scenario with the adapter in the loop."""
    answers = Answers()
    try:
        answers.unsupported = conversation.begin(script.start)
    except ConversationError as fault:
        answers.fault, answers.fault_at_start = fault, True
        return answers
    if answers.unsupported is None:
        _run_stack(script.case, conversation, declaration, answers)
    return answers


def _run_stack(case: StimulusCase, conversation: Conversation, declaration: Declaration, answers: Answers) -> None:
    stack = StackLoop(case, conversation, declaration)
    simulation = Simulation(case.scenario, stack, CLOCK_NS[declaration.clock])
    try:
        end = _run(simulation)
    except ConversationError as fault:
        answers.fault, end = fault, "errored"
    except UnsupportedEventError as reason:
        answers.unsupported, end = str(reason), "unsupported"
    if answers.fault is None:
        try:
            conversation.finish_case()
        except ConversationError as fault:
            answers.fault, end = fault, "errored"
    if stack.divergence is not None:
        answers.recording = Recording(tuple(stack.trace.events), tuple(stack.trace.observed))
    slack = slack_bytes(declaration, case.scenario.config.max_datagram_size_bytes, max(stack.trace.windows, default=0))
    answers.loop = ClosedLoop(
        stack.divergence,
        stack.within_tolerance,
        _summary(simulation, stack.trace, end, slack),
        own_run(case, CLOCK_NS[declaration.clock]),
    )


_OWN_RUNS: dict[tuple[str, int], LoopRun] = {}


def own_run(case: StimulusCase, clock_ns: int) -> LoopRun:
    """Return what the model's own run of the scenario came to, with the model in the loop. Computed once."""
    key = (f"{case.id} {case.scenario}", clock_ns)
    if key not in _OWN_RUNS:
        model = ModelLoop(case)
        simulation = Simulation(case.scenario, model, clock_ns)
        _OWN_RUNS[key] = _summary(simulation, model.trace, _run(simulation), 0)
    return _OWN_RUNS[key]


def _run(simulation: Simulation) -> str:
    try:
        simulation.run()
    except StallError:
        return "stalled"
    return "complete" if simulation.sender.done else "stopped"


def _summary(simulation: Simulation, trace: Trace, end: str, slack: int) -> LoopRun:
    return LoopRun(
        events=len(trace.events),
        end=end,
        end_t_ns=trace.events[-1].t_ns if trace.events else None,
        growth_reduced=trace.moment(
            first_reduced_growth([granted_bytes(e) for e in trace.events], trace.windows, slack)
        ),
        slow_start_ended=trace.slow_start_ended,
        largest_cwnd_bytes=max(trace.windows, default=None),
        lost_packets=trace.lost_packets,
        dropped_packets=simulation.bottleneck.dropped_packets,
    )

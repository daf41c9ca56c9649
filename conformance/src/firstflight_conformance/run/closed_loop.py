"""A stack in the loop of the path simulator, and the model beside it, driven by the same events."""

import time
from typing import Any

from firstflight import advance, samples_rate
from firstflight.events import Event
from firstflight.observables import Observation
from firstflight_conformance.cases.measure import ClauseTracer
from firstflight_conformance.cases.wire import event_to_json, observables
from firstflight_conformance.run.compare import avoids, compare, slack_bytes
from firstflight_conformance.run.conversation import Answers, Conversation
from firstflight_conformance.run.faults import ConversationError
from firstflight_conformance.run.loop_run import Trace, run, summary
from firstflight_conformance.run.messages import Declaration
from firstflight_conformance.run.rehearsal import own_run, rehearsed
from firstflight_conformance.run.results import ClosedLoop, Divergence, Recording
from firstflight_conformance.run.stimulus import StimulusCase, StimulusScript
from firstflight_conformance.run.up_to import ends_at_reduction, is_reduction
from firstflight_conformance.simulator.in_loop import Answer
from firstflight_conformance.simulator.loop import Simulation

#: Units of the clocks that an adapter may declare, in ns.
CLOCK_NS = {"ns": 1, "us": 1_000, "ms": 1_000_000}


class UnsupportedEventError(Exception):
    """The adapter has no answer to an event, for the reason in the text."""


class StackLoop:
    """An adapter in the loop. The model follows the same events up to the first divergence, or up to where another controller is judged.

    ``left_s``: how much of the deadline of the case is left for answers.
    """

    def __init__(self, case: StimulusCase, conversation: Conversation, declaration: Declaration) -> None:
        """Begin before the first event."""
        self.trace = Trace()
        self.observed: list[dict[str, Any]] = []
        self.divergence: Divergence | None = None
        self.within_tolerance = False
        self.judged_events: int | None = None
        self.left_s = conversation.deadline_s
        self._case, self._conversation, self._declaration = case, conversation, declaration
        self._model = case.controller()
        self.samples_rate = samples_rate(self._model)
        self._expected: dict[str, Any] | None = None
        self._avoiding = False
        self._paces = False
        self._ends_at_reduction = ends_at_reduction(case.vector.algorithm, declaration)

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
        if self.divergence is None and self.judged_events is None:
            self._follow(index, event, raw, observed)
        self.observed.append(observed)
        return self.trace.add(event, observed, paces=self._paces)

    def _follow(self, index: int, event: Event, raw: dict[str, Any], observed: dict[str, Any]) -> None:
        observation = advance(self._model, event)
        self._paces, expected = observation.paces, observables(observation)
        if self._ends_at_reduction and is_reduction(expected):
            self.judged_events = index
            return
        size_bytes = self._case.scenario.config.max_datagram_size_bytes
        self._avoiding = self._avoiding or avoids(self._case, self._expected, expected)
        self._expected = expected
        allowed = _allowed(observation)
        comparison = compare(expected, observed, self._declaration, size_bytes, allowed, avoiding=self._avoiding)
        self.within_tolerance |= comparison.within_tolerance
        if comparison.differences:
            self.divergence = Divergence(index, raw, comparison.differences, self._clauses(event), expected)

    def _clauses(self, event: Event) -> tuple[str, ...]:
        """Return what the model carries out on an event, on the first with its beginning; it comes there anew, and need not be copied at each."""
        model = self._case.controller()
        for before in self.trace.events:
            advance(model, before)
        with ClauseTracer() as tracer:
            advance(model if self.trace.events else self._case.controller(), event)
        return tuple(sorted(tracer.clauses))


def _allowed(observation: Observation) -> dict[str, list[Any]]:
    return {"trigger": [trigger.value for trigger in observation.triggers]} if observation.triggers else {}


def play(script: StimulusScript, conversation: Conversation, declaration: Declaration) -> Answers:
    """Run the scenario with the adapter in the loop."""
    answers = _begin(script, conversation)
    if answers.fault is None and answers.unsupported is None:
        _run_stack(script.case, conversation, declaration, answers)
    return answers


def _begin(script: StimulusScript, conversation: Conversation) -> Answers:
    try:
        return Answers(unsupported=conversation.begin(script.start))
    except ConversationError as fault:
        return Answers(fault=fault, fault_at_start=True)


def rehearse(script: StimulusScript, conversation: Conversation, declaration: Declaration) -> Answers | None:
    """Send the events of the model's own run ahead of the answers; return the answers if all of them are those of the model.

    If they are not, nothing is known but that: the events after the first that differs are not those of the stack. ``None`` is also
    returned where the class of the adapter makes a run of equal windows another one. Raise :class:`ConversationError`.
    """
    case, clock_ns = script.case, CLOCK_NS[declaration.clock]
    if slack_bytes(declaration, case.scenario.config.max_datagram_size_bytes, 0):
        return None
    answers = _begin(script, conversation)
    if answers.fault is not None or answers.unsupported is not None:
        return answers
    rehearsal = rehearsed(case, clock_ns, declaration.observables)
    as_the_model = conversation.rehearse(rehearsal.batches, rehearsal.digests, declaration.observables)
    conversation.finish_case()
    if not as_the_model:
        return None
    answers.loop = ClosedLoop(None, within_tolerance=False, stack=rehearsal.run, model=own_run(case, clock_ns))
    return answers


def _run_stack(case: StimulusCase, conversation: Conversation, declaration: Declaration, answers: Answers) -> None:
    stack = StackLoop(case, conversation, declaration)
    simulation = Simulation(case.scenario, stack, CLOCK_NS[declaration.clock])
    try:
        end = run(simulation)
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
        answers.recording = Recording(tuple(stack.trace.events), tuple(stack.observed))
    slack = slack_bytes(declaration, case.scenario.config.max_datagram_size_bytes, max(stack.trace.windows, default=0))
    answers.loop = ClosedLoop(
        stack.divergence,
        stack.within_tolerance,
        summary(simulation, stack.trace, end, slack),
        own_run(case, CLOCK_NS[declaration.clock]),
        stack.judged_events,
    )

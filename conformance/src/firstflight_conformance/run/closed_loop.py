"""Runs a stack in the loop of the path simulator, and the model with the same events."""

from dataclasses import dataclass
from typing import Any

from firstflight import advance, samples_rate
from firstflight.events import Ack, Event
from firstflight.observables import Observation
from firstflight_conformance.adapters.conversation import Answers, Conversation
from firstflight_conformance.adapters.faults import ConversationError
from firstflight_conformance.adapters.live import AdapterRun, UnsupportedError
from firstflight_conformance.adapters.messages import OBSERVABLES, Declaration
from firstflight_conformance.compare.values import ValueComparison, agrees, avoids, compare, fits_float64, slack_bytes
from firstflight_conformance.format.given import Usage, other_limit
from firstflight_conformance.format.wire import event_name, event_to_json, observables
from firstflight_conformance.records.divergence import Divergence
from firstflight_conformance.records.results import ClosedLoop, RecordedAnswers
from firstflight_conformance.replay.measure import clauses_at_end
from firstflight_conformance.run.up_to import ends_at_reduction, is_reduction
from firstflight_conformance.simulate.cases import StimulusCase, StimulusScript
from firstflight_conformance.simulate.in_loop import SenderLimits
from firstflight_conformance.simulate.loop import Simulation
from firstflight_conformance.simulate.loop_run import LoopTrace, Turns, run, summary
from firstflight_conformance.simulate.model_run import SENDER_USES, ModelRun, model_run


class StackLoop:
    """An adapter in the loop of the path simulator: its windows control the simulated sender.

    The model processes the same events up to the first divergence of an answer of the adapter.
    """

    def __init__(self, case: StimulusCase, talk: AdapterRun, declaration: Declaration) -> None:
        """Create the state before the first event, with the model and the simulation of the case.

        ``talk``: the connection to the adapter, which receives no message yet. ``declaration``: its answer to hello.
        """
        self.trace = LoopTrace()
        self.observed: list[dict[str, Any]] = []
        self.divergence: Divergence | None = None
        self.within_tolerance = False
        self._case, self._talk, self._declaration = case, talk, declaration
        self._model = case.controller()
        self.samples_rate = samples_rate(self._model)
        self._turns = Turns(samples_rate=self.samples_rate)
        self._waiting: list[tuple[Event, int]] = []
        self._answer = SenderLimits(self.initial_window_bytes)
        self._expected: dict[str, Any] | None = None
        self._avoiding = False
        self._ends_at_reduction = ends_at_reduction(case.vector.algorithm, declaration)
        self._reduction: int | None = None
        self._is_exact = True
        works_out = "app_limited" in declaration.works_out
        self._usage = Usage(case.scenario.config.max_datagram_size_bytes) if works_out else None
        self.simulation = Simulation(case.scenario, self, declaration.clock_ns)
        #: Packets dropped up to the last event sent to the adapter.
        self.dropped_packets = 0

    @property
    def initial_window_bytes(self) -> int:
        """Initial window in the adapter's configuration, in bytes."""
        return self._case.controller().base.cwnd_bytes

    @property
    def judged_events(self) -> int | None:
        """Number of events before the model's first reduction, if judging ends there and an answer differs.

        ``None`` if judging covers the whole run, if the model never reduces the window, or if all answers agree.
        """
        return None if self._is_exact else self._reduction

    def on_event(self, event: Event) -> SenderLimits:
        """Queue an event; return the limits of the sender from the last received answer, such as its window.

        A turn is a sequence of events that the adapter receives in one write. At its end, send the queued events and
        read their answers. Raise :class:`ConversationError` for a faulty answer, or :class:`UnsupportedError`.
        """
        self._waiting.append((event, self.simulation.dropped_packets))
        if self._turns.ends_with(event):
            self.settle()
        return self._answer

    def settle(self) -> None:
        """Send the queued events to the adapter, and read and compare its answers.

        Raise :class:`ConversationError` for a faulty answer, or :class:`UnsupportedError` if the adapter refuses an
        event.
        """
        waiting, self._waiting = self._waiting, []
        self._talk.ask(len(self.trace.events), [event for event, _ in waiting])
        for event, self.dropped_packets in waiting:
            self._take(event)

    def _take(self, event: Event) -> None:
        try:
            observed = self._talk.observed(len(self.trace.events))
        except UnsupportedError as refused:
            refused.event = event_name(event)
            raise
        is_open = self._usage is not None and self._usage.is_given(event, observed["cwnd_bytes"])
        if self.divergence is None and (self._reduction is None or self._is_exact):
            event = self._follow(event, observed, is_open=is_open)
        self.observed.append(observed)
        self._answer = self.trace.add(event, observed, paces=self._turns.paces)

    def _follow(self, event: Event, observed: dict[str, Any], *, is_open: bool) -> Event:
        """Let the model process an event, and compare the answers; return the event.

        ``is_open``: the stack may have computed either value of ``app_limited``. If only the other value agrees, the
        event gets the other value.
        """
        before = self._model.copy() if is_open else None
        compared = self._compared(event, observed)
        if before is not None and isinstance(event, Ack) and compared[2].differences:
            stated, self._model = self._model, before
            alternative = self._compared(other_limit(event), observed)
            if alternative[2].differences:
                self._model = stated
            else:
                event, compared = other_limit(event), alternative
        observation, expected, comparison = compared
        self._turns.paces = observation.paces
        self._is_exact = self._is_exact and agrees(expected, observed, self._declaration)
        if self._ends_at_reduction and self._reduction is None and is_reduction(expected):
            self._reduction = len(self.trace.events)
        if self._reduction is not None:
            return event
        self._avoiding = self._avoiding or avoids(self._case, self._expected, expected)
        self._expected = expected
        self.within_tolerance |= comparison.within_tolerance
        if comparison.differences:
            differences, size_bytes = comparison.differences, self._case.scenario.config.max_datagram_size_bytes
            fits = fits_float64(differences, self._declaration, size_bytes, avoiding=self._avoiding)
            case, events = self._case, [*self.trace.events, event]
            clauses = clauses_at_end(case.vector.algorithm, case.profile, case.scenario.config, events)
            self.divergence = Divergence(
                len(self.trace.events), event_to_json(event), differences, clauses, expected, fits
            )
        return event

    def _compared(self, event: Event, observed: dict[str, Any]) -> tuple[Observation, dict[str, Any], ValueComparison]:
        """Let the model process an event; return its observation, its observables and a comparison with the answer."""
        observation = advance(self._model, event)
        expected, size_bytes = observables(observation), self._case.scenario.config.max_datagram_size_bytes
        avoiding = self._avoiding or avoids(self._case, self._expected, expected)
        allowed = _allowed(observation)
        comparison = compare(expected, observed, self._declaration, size_bytes, allowed, avoiding=avoiding)
        return observation, expected, comparison


def _allowed(observation: Observation) -> dict[str, list[Any]]:
    return {"trigger": [trigger.value for trigger in observation.triggers]} if observation.triggers else {}


@dataclass(slots=True)
class LoopAnswers(Answers):
    """Answers of an adapter in closed loop.

    ``loop``: comparison of the adapter's run with the model's own run, or None without a run. ``recording``: the events
    and the adapter's answers if an answer differs from the model's, otherwise None.
    """

    loop: ClosedLoop | None = None
    recording: RecordedAnswers | None = None


def play(script: StimulusScript, conversation: Conversation, declaration: Declaration) -> LoopAnswers:
    """Run the scenario with the adapter in the loop and return its answers."""
    try:
        answers = LoopAnswers(unsupported=conversation.begin(script.start))
    except ConversationError as fault:
        return LoopAnswers(fault=fault, fault_at_start=True)
    if answers.unsupported is not None:
        return answers
    own, talk = model_run(script, declaration.clock_ns), AdapterRun(conversation, declaration)
    if _may_follow(own, script.case, conversation, declaration) and _follows(talk, own, declaration):
        answers.loop = ClosedLoop(None, within_tolerance=False, stack=own.run, model=own.run)
        answers.fault = _finished(conversation)
    else:
        _run_stack(script.case, conversation, talk, declaration, own, answers)
    return answers


def _follows(talk: AdapterRun, own: ModelRun, declaration: Declaration) -> bool:
    """Send the turns of the model's own run as long as all answers agree with the model; return whether all agree.

    The simulated sender is deterministic: equal answers lead to equal events. A turn is sent only after all answers to
    earlier turns are read, so no event depends on a missing answer.
    """
    right = own.right if declaration.observables == OBSERVABLES else {}
    for start, turn in zip(own.starts, own.turns, strict=True):
        talk.send(turn)
        if talk.fault is not None:
            return False
        for index in range(start, len(talk.lines)):
            if talk.lines[index] == right.get(index):
                continue
            try:
                observed = talk.observed(index)
            except (ConversationError, UnsupportedError):
                return False
            if not agrees(own.observed[index], observed, declaration):
                return False
            right[index] = talk.lines[index]
    return True


def _finished(conversation: Conversation) -> ConversationError | None:
    """End the case; return the fault of the answer to ``end``, or ``None``."""
    try:
        conversation.finish_case()
    except ConversationError as fault:
        return fault
    return None


def _may_follow(own: ModelRun, case: StimulusCase, conversation: Conversation, declaration: Declaration) -> bool:
    """Return whether the events of the model's own run can be sent to the adapter while its answers equal the model's.

    Equal answers must imply that the adapter's run has the same events and the same result as the model's run. So the
    adapter must declare all observables that drive the simulated sender, without tolerance for the window. Return False
    if messages are checked against the schema.
    """
    is_exact = not slack_bytes(declaration, case.scenario.config.max_datagram_size_bytes, 0)
    drives = SENDER_USES & own.observed[0].keys()
    return is_exact and drives <= {*declaration.observables} and not conversation.validate


def _run_stack(
    case: StimulusCase,
    conversation: Conversation,
    talk: AdapterRun,
    declaration: Declaration,
    own: ModelRun,
    answers: LoopAnswers,
) -> None:
    stack = StackLoop(case, talk, declaration)
    try:
        end = run(stack.simulation)
        stack.settle()
        stack.dropped_packets = stack.simulation.dropped_packets
    except ConversationError as fault:
        answers.fault, end = fault, "errored"
    except UnsupportedError as reason:
        answers.unsupported, answers.refused_event, end = str(reason), reason.event, "unsupported"
    if answers.fault is None:
        answers.fault = _finished(conversation)
        end = end if answers.fault is None else "errored"
    if stack.divergence is not None:
        answers.recording = RecordedAnswers(tuple(stack.trace.events), tuple(stack.observed))
    slack = slack_bytes(declaration, case.scenario.config.max_datagram_size_bytes, max(stack.trace.windows, default=0))
    came_to = summary(stack.trace, end, slack, stack.dropped_packets)
    answers.loop = ClosedLoop(stack.divergence, stack.within_tolerance, came_to, own.run, stack.judged_events)

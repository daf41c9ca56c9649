"""The conversation with one adapter process: hello, probe, cases."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from firstflight_conformance.cases.measure import clauses_at
from firstflight_conformance.cases.vectors import Case
from firstflight_conformance.cases.wire import event_to_json
from firstflight_conformance.run import messages
from firstflight_conformance.run.compute import ComputationScript, read_outputs
from firstflight_conformance.run.faults import ConversationError, FaultKind, excerpt
from firstflight_conformance.run.messages import Declaration, Message
from firstflight_conformance.run.process import OUTPUT_BASE_BYTES, OUTPUT_PER_EVENT_BYTES, AdapterProcess
from firstflight_conformance.run.results import ClosedLoop, Recording


class Script:
    """A case as the runner plays it. What all adapters share is computed once."""

    def __init__(self, case: Case) -> None:
        """Take the case."""
        self.case = case
        self._clauses: dict[int, tuple[str, ...]] = {}
        self._valid = False

    @cached_property
    def start(self) -> Message:
        """The message that starts the case."""
        return messages.start_message(self.case)

    @cached_property
    def events(self) -> list[Message]:
        """The messages that carry the judged events."""
        return [messages.event_message(index, event_to_json(event)) for index, event in enumerate(self.case.events)]

    @cached_property
    def lines(self) -> list[bytes]:
        """The events and the end, as lines."""
        return [messages.encode(message) for message in [*self.events, messages.END]]

    @cached_property
    def expected(self) -> list[dict[str, Any]]:
        """The observables after each judged event."""
        return self.case.expected()

    def validate(self) -> None:
        """Hold the events to the schema, once for all adapters."""
        if not self._valid:
            for message in self.events:
                messages.check_schema(message, "runner")
        self._valid = True

    def clauses_at(self, index: int) -> tuple[str, ...]:
        """Return the clauses that the model carries out on one event."""
        if index not in self._clauses:
            self._clauses[index] = clauses_at(self.case, index)
        return self._clauses[index]


@dataclass(slots=True)
class Answers:
    """What an adapter answered to a case, up to the first fault; in closed loop what came of that instead.

    ``fault_at_start``: already the answer to `start` was wrong; it may be a line left over from the case before.
    """

    observed: list[dict[str, Any]] = field(default_factory=list)
    unsupported: str | None = None
    fault: ConversationError | None = None
    fault_at_start: bool = False
    loop: ClosedLoop | None = None
    recording: Recording | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """The runner's side of the protocol on one process. ``validate`` holds both sides to the schema."""

    process: AdapterProcess
    deadline_s: float
    validate: bool = False

    def hello(self) -> Declaration:
        """Ask what the adapter declares. Raise :class:`ConversationError` if it may not."""
        return messages.read_hello(self._ask(messages.HELLO))

    def probe(self) -> None:
        """Ask for an algorithm that does not exist. Raise :class:`ConversationError` unless it is refused."""
        answer = self._ask(messages.PROBE)
        if answer["op"] != "unsupported":
            raise ConversationError(
                FaultKind.PROBE,
                f"answered `{excerpt(answer['op'])}` when asked for the algorithm {messages.PROBE_ALGORITHM}, "
                "which does not exist: it cannot be told what it supports",
            )

    def case(self, script: Script | ComputationScript, observables: tuple[str, ...]) -> Answers:
        """Play one case."""
        answers = Answers()
        try:
            if isinstance(script, ComputationScript):
                self._refuse_stray_output()
                self._compute(script, answers)
                return answers
            answers.unsupported = self.begin(script.start)
        except ConversationError as fault:
            answers.fault, answers.fault_at_start = fault, True
            return answers
        if answers.unsupported is None:
            self._events(script, observables, answers)
        return answers

    def begin(self, start: Message) -> str | None:
        """Start a case with events; return why it is not supported, if it is not."""
        self._refuse_stray_output()
        answer = self._ask(start)
        if answer["op"] == "unsupported":
            return _reason(answer)
        if answer["op"] != "started":
            raise ConversationError(FaultKind.WRONG_ANSWER, f"answered `{excerpt(answer['op'])}` to `start`")
        return None

    def event(
        self, index: int, event: dict[str, Any], observables: tuple[str, ...], left_s: float
    ) -> dict[str, Any] | str:
        """Ask for the answer to one event and wait for it; return the observables, or why it is not supported.

        ``left_s``: how much is left of the deadline of the case.
        """
        message = messages.event_message(index, event)
        if self.validate:
            messages.check_schema(message, "runner")
        received: list[bytes] = []
        try:
            self.process.exchange([messages.encode(message)], 1, left_s, received, OUTPUT_BASE_BYTES)
        except ConversationError as fault:
            reason = f"no answer within {self.deadline_s:g} s" if fault.kind is FaultKind.TIMEOUT else fault.reason
            raise ConversationError(fault.kind, f"event {index}: {reason}") from fault
        answer = self._read(received[0])
        if answer["op"] == "unsupported":
            return _reason(answer)
        if answer["op"] != "observed":
            raise ConversationError(FaultKind.WRONG_ANSWER, f"event {index}: answered `{excerpt(answer['op'])}`")
        return messages.read_observed(answer, index, observables)

    def finish_case(self) -> None:
        """End a case whose events were sent one by one."""
        _check_end(self._ask(messages.END)["op"])

    def _refuse_stray_output(self) -> None:
        if self.process.has_stray_output():
            raise ConversationError(FaultKind.EXTRA_ANSWER, "an answer too many")

    def _compute(self, script: ComputationScript, answers: Answers) -> None:
        answer = self._ask(script.message)
        if answer["op"] == "unsupported":
            answers.unsupported = _reason(answer)
        else:
            answers.observed.append(read_outputs(answer, script.case.profile))

    def _events(self, script: Script, observables: tuple[str, ...], answers: Answers) -> None:
        count = len(script.events)
        if self.validate:
            script.validate()
        received: list[bytes] = []
        broken: ConversationError | None = None
        try:
            bound = OUTPUT_BASE_BYTES + OUTPUT_PER_EVENT_BYTES * count
            self.process.exchange(script.lines, count + 1, self.deadline_s, received, bound)
        except ConversationError as fault:
            broken = fault
        try:
            for index, line in enumerate(received):
                self._event_answer(index, self._read(line), count, observables, answers)
        except ConversationError as fault:
            answers.fault = fault
            return
        if broken is not None:
            place = f"event {len(received)}" if len(received) < count else "end"
            answers.fault = ConversationError(broken.kind, f"{place}: {broken.reason}")

    def _event_answer(
        self, index: int, answer: Message, count: int, observables: tuple[str, ...], answers: Answers
    ) -> None:
        op = answer["op"]
        if index == count:
            _check_end(op)
        elif op == "unsupported":
            if answers.unsupported is None:
                answers.unsupported = f"event {index}: {_reason(answer)}"
        elif op != "observed":
            raise ConversationError(FaultKind.WRONG_ANSWER, f"event {index}: answered `{excerpt(op)}`")
        else:
            observed = messages.read_observed(answer, index, observables)
            if answers.unsupported is None:  # else the event was on its way when the adapter gave up
                answers.observed.append(observed)

    def _ask(self, message: Message) -> Message:
        if self.validate:
            messages.check_schema(message, "runner")
        received: list[bytes] = []
        try:
            self.process.exchange([messages.encode(message)], 1, self.deadline_s, received, OUTPUT_BASE_BYTES)
        except ConversationError as fault:
            raise ConversationError(fault.kind, f"{message['op']}: {fault.reason}") from fault
        return self._read(received[0])

    def _read(self, line: bytes) -> Message:
        message = messages.decode(line)
        if self.validate:
            messages.check_schema(message, "adapter")
        return message


def _check_end(op: str) -> None:
    if op == "observed":
        raise ConversationError(FaultKind.EXTRA_ANSWER, "an answer too many: `observed` after the last event")
    if op != "ended":
        raise ConversationError(FaultKind.WRONG_ANSWER, f"answered `{excerpt(op)}` to `end`")


def _reason(answer: Message) -> str:
    reason = answer.get("reason")
    return excerpt(reason, 300) if isinstance(reason, str) and reason.strip() else "no reason given"

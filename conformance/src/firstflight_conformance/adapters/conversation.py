"""The conversation with one adapter process: hello, probe, cases."""

from dataclasses import dataclass, field
from typing import Any

from firstflight_conformance.adapters import messages
from firstflight_conformance.adapters.compute import ComputationScript, read_outputs
from firstflight_conformance.adapters.faults import ConversationError, FaultKind, excerpt, late
from firstflight_conformance.adapters.messages import Declaration, Message
from firstflight_conformance.adapters.process import OUTPUT_BASE_BYTES, OUTPUT_PER_EVENT_BYTES, AdapterProcess
from firstflight_conformance.adapters.script import Script

_END = messages.encode(messages.END)


@dataclass(slots=True)
class Answers:
    """Answers of an adapter to a case, up to the first fault.

    ``fault_at_start``: the answer to `start` was wrong; it may be a line left over from the previous case.
    ``refused_event``: in closed loop, the kind of the unsupported event.
    """

    observed: list[dict[str, Any]] = field(default_factory=list)
    unsupported: str | None = None
    refused_event: str | None = None
    fault: ConversationError | None = None
    fault_at_start: bool = False


@dataclass(frozen=True, slots=True)
class Conversation:
    """The runner's side of the protocol on one process. ``validate``: check both sides against the schema."""

    process: AdapterProcess
    deadline_s: float
    validate: bool = False

    def hello(self) -> Declaration:
        """Return the declaration of the adapter. Raise :class:`ConversationError` if it is invalid."""
        return messages.read_hello(self._ask(messages.HELLO))

    def probe(self) -> None:
        """Ask for an algorithm that does not exist. Raise :class:`ConversationError` unless the adapter refuses it."""
        answer = self._ask(messages.PROBE)
        if answer["op"] != "unsupported":
            raise ConversationError(
                FaultKind.PROBE,
                f"answered `{excerpt(answer['op'])}` when asked for the algorithm {messages.PROBE_ALGORITHM}, "
                "which does not exist; expected `unsupported`",
            )

    def case(self, script: Script | ComputationScript, observables: tuple[str, ...]) -> Answers:
        """Send all messages of one case, and return the answers up to the first fault."""
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
        """Start a case with events; return the reason of an ``unsupported`` answer, or None."""
        self._refuse_stray_output()
        answer = self._ask(start)
        if answer["op"] == "unsupported":
            return messages.reason_of(answer)
        if answer["op"] != "started":
            raise ConversationError(FaultKind.WRONG_ANSWER, f"answered `{excerpt(answer['op'])}` to `start`")
        return None

    def turn(self, first: int, sent: bytes, remaining_s: float) -> tuple[list[bytes], float, ConversationError | None]:
        """Send the messages of some events in one write and read the answers.

        ``first``: index of the first of these events in the case. ``sent``: the encoded messages, one line each; the
        last line may be the ``end`` message of the case. ``remaining_s``: seconds left for all further answers of the
        case.

        Return the answers (one line each), the rest of ``remaining_s``, and the fault or None. After a fault, the
        answers are those received before it.
        """
        count, received, fault = sent.count(b"\n"), bytearray(), None
        try:
            bound = OUTPUT_BASE_BYTES + OUTPUT_PER_EVENT_BYTES * count
            remaining_s = self.process.exchange(sent, count, remaining_s, received, bound)
        except ConversationError as broken:
            fault = broken
        lines = bytes(received).split(b"\n")
        del lines[-1]
        if fault is not None:
            place = "end" if sent.endswith(_END) and len(lines) == count - 1 else f"event {first + len(lines)}"
            reason = late(self.deadline_s) if fault.kind is FaultKind.TIMEOUT else fault.reason
            fault = fault.saying(f"{place}: {reason}")
        return lines, remaining_s, fault

    def finish_case(self) -> None:
        """End a case whose events were sent by :meth:`turn`: send ``end`` after its last event.

        Raise :class:`ConversationError` unless the adapter answers ``ended``.
        """
        _check_end(self._ask(messages.END)["op"])

    def _refuse_stray_output(self) -> None:
        if self.process.has_stray_output():
            raise ConversationError(FaultKind.EXTRA_ANSWER, "unexpected output: more answers than requests")

    def _compute(self, script: ComputationScript, answers: Answers) -> None:
        answer = self._ask(script.message)
        if answer["op"] == "unsupported":
            answers.unsupported = messages.reason_of(answer)
        else:
            answers.observed.append(read_outputs(answer, script.case.profile))

    def _events(self, script: Script, observables: tuple[str, ...], answers: Answers) -> None:
        if self.validate:
            script.validate()
        lines, _, broken = self.turn(0, script.lines, self.deadline_s)
        answers.observed, answers.unsupported, fault = messages.read_answers(
            tuple(lines[: script.count]), observables, validate=self.validate
        )
        try:
            if fault is None and len(lines) > script.count:
                _check_end(self._read(lines[script.count])["op"])
        except ConversationError as at_end:
            fault = at_end
        answers.fault = fault or broken

    def _ask(self, message: Message) -> Message:
        if self.validate:
            messages.check_schema(message, "runner")
        received = bytearray()
        try:
            self.process.exchange(messages.encode(message), 1, self.deadline_s, received, OUTPUT_BASE_BYTES)
        except ConversationError as fault:
            reason = late(self.deadline_s) if fault.kind is FaultKind.TIMEOUT else fault.reason
            raise fault.saying(f"{message['op']}: {reason}") from fault
        return self._read(received)

    def _read(self, line: bytes | bytearray) -> Message:
        message = messages.decode(bytes(line))
        if self.validate:
            messages.check_schema(message, "adapter")
        return message


def _check_end(op: str) -> None:
    if op == "observed":
        raise ConversationError(FaultKind.EXTRA_ANSWER, "unexpected output: `observed` after the last event")
    if op != "ended":
        raise ConversationError(FaultKind.WRONG_ANSWER, f"answered `{excerpt(op)}` to `end`")

"""The conversation with one adapter process: hello, probe, cases."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from firstflight_conformance.run import messages
from firstflight_conformance.run.compute import ComputationScript, read_outputs
from firstflight_conformance.run.faults import ConversationError, FaultKind, excerpt, late
from firstflight_conformance.run.messages import Declaration, Message
from firstflight_conformance.run.process import OUTPUT_BASE_BYTES, OUTPUT_PER_EVENT_BYTES, AdapterProcess
from firstflight_conformance.run.results import ClosedLoop, Recording
from firstflight_conformance.run.script import Script
from firstflight_conformance.run.transcript import Style, style_of


@dataclass(slots=True)
class Answers:
    """What an adapter answered to a case, up to the first fault; in closed loop what came of that instead.

    ``as_expected``: every line was the expected one; ``observed`` is then left empty.
    ``fault_at_start``: already the answer to `start` was wrong; it may be a line left over from the case before.
    """

    observed: list[dict[str, Any]] = field(default_factory=list)
    as_expected: bool = False
    unsupported: str | None = None
    fault: ConversationError | None = None
    fault_at_start: bool = False
    loop: ClosedLoop | None = None
    recording: Recording | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """The runner's side of the protocol on one process. ``validate`` holds both sides to the schema; ``styles``: how it wrote, by profile."""

    process: AdapterProcess
    deadline_s: float
    validate: bool = False
    styles: dict[str, Style | None] = field(default_factory=dict)

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
        answer = self._ask(messages.event_message(index, event), left_s)
        if answer["op"] == "unsupported":
            return _reason(answer)
        if answer["op"] != "observed":
            raise ConversationError(FaultKind.WRONG_ANSWER, f"event {index}: answered `{excerpt(answer['op'])}`")
        return messages.read_observed(answer, index, observables)

    def rehearse(
        self, batches: Sequence[bytes], digests: Callable[[Style | None], list[bytes]], observables: tuple[str, ...]
    ) -> bool:
        """Send events in batches and compare the answers with the predicted ones; stop at the first mismatch. Return whether all matched.

        ``digests``: those of the answers to each batch in a style. Raise :class:`ConversationError`.
        """
        until_s = time.monotonic() + self.deadline_s
        expected: list[bytes] = []
        for index, batch in enumerate(batches):
            received, count = bytearray(), batch.count(b"\n")
            bound = OUTPUT_BASE_BYTES + OUTPUT_PER_EVENT_BYTES * count
            self.process.exchange(batch, count, until_s - time.monotonic(), received, bound)
            if index == 0:
                line = bytes(received[:-1])
                answer = self._read(line)
                if answer["op"] != "observed":
                    return False
                messages.read_observed(answer, 0, observables)
                expected = digests(style_of(line, answer))
            if not expected or sha256(received).digest() != expected[index]:
                return False
        return True

    def finish_case(self) -> None:
        """End a case whose events were sent one by one."""
        _check_end(self._ask(messages.END)["op"])

    def _refuse_stray_output(self) -> None:
        if self.process.has_stray_output():
            raise ConversationError(FaultKind.EXTRA_ANSWER, "unexpected output: more answers than requests")

    def _compute(self, script: ComputationScript, answers: Answers) -> None:
        answer = self._ask(script.message)
        if answer["op"] == "unsupported":
            answers.unsupported = _reason(answer)
        else:
            answers.observed.append(read_outputs(answer, script.case.profile))

    def _events(self, script: Script, observables: tuple[str, ...], answers: Answers) -> None:
        if self.validate:
            script.validate()
        received = bytearray()
        broken: ConversationError | None = None
        try:
            bound = OUTPUT_BASE_BYTES + OUTPUT_PER_EVENT_BYTES * script.count
            self.process.exchange(script.lines, script.count + 1, self.deadline_s, received, bound)
        except ConversationError as fault:
            broken = fault
        lines = bytes(received).split(b"\n")[:-1]
        try:
            self._event_answers(script, lines, observables, answers)
        except ConversationError as fault:
            answers.fault = fault
            return
        if broken is not None:
            place = f"event {len(lines)}" if len(lines) < script.count else "end"
            answers.fault = broken.saying(f"{place}: {broken.reason}")

    def _event_answers(
        self, script: Script, lines: list[bytes], observables: tuple[str, ...], answers: Answers
    ) -> None:
        """Read the answers to the events of a case. One that was read shows how the adapter writes; what is then as expected is not read."""
        count, profile = script.count, f"{script.case.vector.algorithm}/{script.case.profile}"
        answers.as_expected = script.answers_are(lines, self.styles.get(profile))
        expected: list[bytes] = []
        for index, line in enumerate(() if answers.as_expected else lines):
            if index < len(expected) and line == expected[index] and answers.unsupported is None:
                answers.observed.append({name: script.expected[index][name] for name in answers.observed[0]})
                continue
            answer = self._read(line)
            self._event_answer(index, answer, count, observables, answers)
            if index == 0 and answers.observed and not self.validate:
                style = self.styles[profile] = style_of(line, answer)
                if script.answers_are(lines, style):
                    answers.as_expected, answers.observed = True, []
                    break
                expected = script.transcript(style)
        if answers.as_expected and len(lines) > count:
            self._event_answer(count, self._read(lines[count]), count, observables, answers)

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

    def _ask(self, message: Message, left_s: float | None = None) -> Message:
        if self.validate:
            messages.check_schema(message, "runner")
        received = bytearray()
        try:
            wait_s = self.deadline_s if left_s is None else left_s
            self.process.exchange(messages.encode(message), 1, wait_s, received, OUTPUT_BASE_BYTES)
        except ConversationError as fault:
            place = f"event {message['i']}" if message["op"] == "event" else message["op"]
            reason = late(self.deadline_s) if fault.kind is FaultKind.TIMEOUT else fault.reason
            raise fault.saying(f"{place}: {reason}") from fault
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


def _reason(answer: Message) -> str:
    reason = answer.get("reason")
    return excerpt(reason, 300) if isinstance(reason, str) and reason.strip() else "no reason given"

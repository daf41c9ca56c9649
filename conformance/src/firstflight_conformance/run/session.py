"""Plays cases with one adapter, with a fresh process after a fault."""

from dataclasses import dataclass

from firstflight_conformance.adapters.compute import ComputationScript
from firstflight_conformance.adapters.conversation import Answers, Conversation
from firstflight_conformance.adapters.faults import ConversationError, FaultKind
from firstflight_conformance.adapters.manifest import Manifest
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.adapters.process import AdapterProcess
from firstflight_conformance.adapters.script import Script
from firstflight_conformance.run import closed_loop
from firstflight_conformance.simulate.cases import StimulusScript

AnyScript = Script | ComputationScript | StimulusScript

#: Number of timeouts before an adapter is abandoned: more would cost hours without new information.
TIMEOUTS = 10


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of judging adapters."""

    deadline_s: float = 10.0
    validate: bool = False
    timeouts: int = TIMEOUTS


class Session:
    """Plays cases with an adapter. ``unusable``: the fault that prevents further cases, or None."""

    def __init__(self, manifest: Manifest, options: RunOptions) -> None:
        """Create the session; the process of the adapter starts with the first request."""
        self.declaration: Declaration | None = None
        self.unusable: ConversationError | None = None
        self._manifest, self._options = manifest, options
        self._deadline_s = options.deadline_s if manifest.deadline_s is None else manifest.deadline_s
        self._conversation: Conversation | None = None
        self._probed = False
        self._served = False  # whether the running process has received a case
        self._timeouts = 0

    def declared(self) -> Declaration | None:
        """Return the declaration, requested once. A fault on the first request makes the adapter unusable."""
        if self.declaration is None and self.unusable is None:
            try:
                self._open()
            except ConversationError as fault:
                self.unusable = fault
        return self.declaration

    def play(self, script: AnyScript, declaration: Declaration) -> tuple[Answers, ConversationError | None]:
        """Play a case. Return its answers, and a fault that belongs to the previous case or None.

        ``declaration``: the adapter's answer to hello, with its observables. A fault at the start may come from output
        left over by the previous case. The case is then played again with a fresh process.
        """
        served, left_over = self._served, None
        answers = self._play(script, declaration)
        stray = answers.fault
        if answers.fault_at_start and served and stray is not None and stray.kind is not FaultKind.TIMEOUT:
            self.stop()
            answers = self._play(script, declaration)
            left_over = None if answers.fault_at_start else _as_stray(stray)
        self._served = True
        if answers.fault is not None:
            self._count_timeout(answers.fault)
            self.stop()
        return answers, left_over

    def finish(self) -> ConversationError | None:
        """Close the process after the last case; return a fault found while it ends, or None."""
        if self._conversation is None or not self._served:
            return None
        fault = self._conversation.process.finish(self._deadline_s)
        return fault and fault.saying(f"after the case: {fault.reason}")

    def stop(self) -> None:
        """Kill the process of the adapter, if it runs; the next request starts another."""
        if self._conversation is not None:
            self._conversation.process.kill()
        self._conversation, self._served = None, False

    def _count_timeout(self, fault: ConversationError) -> None:
        self._timeouts += fault.kind is FaultKind.TIMEOUT
        if self._timeouts >= self._options.timeouts:
            self.unusable = ConversationError(FaultKind.TIMEOUT, f"abandoned after {self._timeouts} timeouts")

    def _open(self) -> Conversation:
        """Return a conversation after a valid hello; start a process if needed. Raise :class:`ConversationError`."""
        if self._conversation is not None:
            return self._conversation
        try:
            process = AdapterProcess(self._manifest.command, self._manifest.cwd)
            conversation = self._conversation = Conversation(process, self._deadline_s, self._options.validate)
            declaration = conversation.hello()
            if not self._probed:
                conversation.probe()
        except ConversationError:
            self.stop()
            raise
        self.declaration, self._probed = declaration, True
        return conversation

    def _play(self, script: AnyScript, declaration: Declaration) -> Answers:
        try:
            conversation = self._open()
            if not isinstance(script, StimulusScript):
                return conversation.case(script, declaration.observables)
            return closed_loop.play(script, conversation, declaration)
        except ConversationError as fault:  # the next case tries again: the process may only have been slow
            return Answers(fault=fault, fault_at_start=True)


def declaration_of(manifest: Manifest, options: RunOptions) -> Declaration | None:
    """Return the declaration of an adapter, or ``None`` without a valid answer."""
    if manifest.missing() is not None:
        return None
    session = Session(manifest, options)
    try:
        return session.declared()
    finally:
        session.stop()


def _as_stray(fault: ConversationError) -> ConversationError:
    kind = fault.kind if fault.kind in (FaultKind.EXITED, FaultKind.TOO_MUCH_OUTPUT) else FaultKind.EXTRA_ANSWER
    return fault.saying(f"after the case, found at the start of the next case: {fault.reason}", kind)

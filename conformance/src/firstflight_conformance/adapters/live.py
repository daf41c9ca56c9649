"""An adapter process as an implementation that answers one case after another, event by event."""

from dataclasses import dataclass
from typing import Any

from firstflight import Config
from firstflight.events import Event
from firstflight_conformance.adapters import messages
from firstflight_conformance.adapters.conversation import Conversation
from firstflight_conformance.adapters.faults import ConversationError
from firstflight_conformance.adapters.manifest import Manifest
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.adapters.process import AdapterProcess
from firstflight_conformance.format.wire import event_to_json
from firstflight_conformance.replay.measure import config_to_json

#: The answer after a fault of the adapter; differs from every valid answer.
BROKEN = {"broken": True}


class UnsupportedError(Exception):
    """The adapter does not support a case or an event; the text is the reason. ``event``: the kind of the event."""

    event = ""


class AdapterRun:
    """The answers of an adapter to the events of one case, requested turn by turn. All answers share one deadline.

    A turn consists of the events that are sent in one write, before their answers are read.
    """

    def __init__(self, conversation: Conversation, declaration: Declaration) -> None:
        """Create a run with no event sent yet."""
        self._conversation, self._declaration = conversation, declaration
        self.lines: list[bytes] = []
        self.fault: ConversationError | None = None
        self._left_s = conversation.deadline_s

    def on(self, event: Event) -> dict[str, Any]:
        """Send an event and return the observables after it. Raise the errors of :meth:`observed`."""
        index = len(self.lines)
        self.ask(index, [event])
        return self.observed(index)

    def ask(self, first: int, events: list[Event]) -> None:
        """Send the events of a turn in one write; read and store their answers.

        ``first``: index of the first of these events in the case. Do nothing if the events were already sent, or after
        a fault.
        """
        if first == len(self.lines) and self.fault is None:
            raws = [messages.event_message(index, event_to_json(event)) for index, event in enumerate(events, first)]
            if self._conversation.validate:
                for raw in raws:
                    messages.check_schema(raw, "runner")
            self.send(b"".join(map(messages.encode, raws)))

    def send(self, turn: bytes) -> None:
        """Send ``turn``, the encoded messages of one or more events, in one write; read and store their answers.

        If the adapter fails, store the answers before the fault, and the fault.
        """
        lines, self._left_s, self.fault = self._conversation.turn(len(self.lines), turn, self._left_s)
        self.lines += lines

    def observed(self, index: int) -> dict[str, Any]:
        """Return the adapter's answer to the event ``index`` of the case: the observables by name.

        The event must have been sent to the adapter. Raise :class:`ConversationError` if the answer is invalid, or
        missing after a fault of the adapter. Raise :class:`UnsupportedError` if the adapter answered that it does not
        support the event.
        """
        if index >= len(self.lines):
            assert self.fault is not None
            raise self.fault
        observables, validate = self._declaration.observables, self._conversation.validate
        observed = messages.read_answer(self.lines[index], index, observables, validate=validate)
        if isinstance(observed, str):
            raise UnsupportedError(f"event {index}: {observed}")
        return observed


class _LiveRun(AdapterRun):
    """A run that stops its adapter at a fault and returns :data:`BROKEN` from then on."""

    def __init__(self, adapter: "Adapter", conversation: Conversation) -> None:
        super().__init__(conversation, adapter.declaration)
        self._adapter = adapter

    def on(self, event: Event) -> dict[str, Any]:
        try:
            return super().on(event)
        except ConversationError as fault:
            self.fault = fault
            self._adapter.stop()
            return BROKEN


@dataclass(frozen=True, slots=True)
class AdapterProfile:
    """An adapter with the algorithm and the profile (one version of the algorithm) of the cases that it runs.

    It runs cases through the same method as a model: ``begin`` starts a case.
    """

    adapter: "Adapter"
    algorithm: str
    profile: str

    def begin(self, config: Config) -> AdapterRun:
        """End the previous case and begin a new one. Raise :class:`UnsupportedError` or :class:`ConversationError`."""
        return self.adapter.begin(self.algorithm, self.profile, config)


class Adapter:
    """An adapter. After a fault it is restarted for the next case."""

    def __init__(self, manifest: Manifest, deadline_s: float) -> None:
        """Start the adapter. Raise :class:`ConversationError` if its hello is invalid or missing."""
        self._manifest, self._deadline_s = manifest, deadline_s
        self._process: AdapterProcess | None = None
        self._runs = False
        self.declaration: Declaration = self._open()

    def begin(self, algorithm: str, profile: str, config: Config) -> AdapterRun:
        """End the previous case and begin a new one. Raise :class:`UnsupportedError` or :class:`ConversationError`."""
        self._end()
        if self._process is None:
            self._open()
        raw = config_to_json(config)
        start = {"op": "start", "case": "shrink", "algorithm": algorithm, "profile": profile, "config": raw}
        refused = self._conversation.begin(start)
        if refused is not None:
            raise UnsupportedError(refused)
        self._runs = True
        return _LiveRun(self, self._conversation)

    def stop(self) -> None:
        """Kill the process."""
        if self._process is not None:
            self._process.kill()
        self._process, self._runs = None, False

    def _end(self) -> None:
        if self._runs:
            self._runs = False
            try:
                self._conversation.finish_case()
            except ConversationError:
                self.stop()

    def _open(self) -> Declaration:
        self._process = AdapterProcess(self._manifest.command, self._manifest.cwd)
        self._conversation = Conversation(self._process, self._deadline_s)
        try:
            return self._conversation.hello()
        except ConversationError:
            self.stop()
            raise

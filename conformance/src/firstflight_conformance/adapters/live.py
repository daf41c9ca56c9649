"""An implementation that answers any stream of events: the model, or an adapter in a process of its own."""

from typing import Any, Protocol

from firstflight import create, step
from firstflight.events import Event
from firstflight_conformance.adapters.conversation import Conversation
from firstflight_conformance.adapters.faults import ConversationError
from firstflight_conformance.adapters.manifest import Manifest
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.adapters.process import AdapterProcess
from firstflight_conformance.format.wire import event_to_json, observables
from firstflight_conformance.replay.measure import config_from_json

#: What an answer is that never came, because the adapter broke down; it differs from every other.
BROKEN = {"broken": True}


class Live(Protocol):
    """Answers one case after another, event by event."""

    def begin(self, algorithm: str, profile: str, config: dict[str, Any]) -> bool:
        """Begin a case; return whether it is supported."""

    def event(self, event: Event) -> dict[str, Any] | None:
        """Return the observables after an event, ``None`` if it is not supported."""

    def end(self) -> None:
        """End the case."""


class Model:
    """The model."""

    def begin(self, algorithm: str, profile: str, config: dict[str, Any]) -> bool:
        """Begin a case."""
        self._state = create(algorithm, profile, config_from_json(config))
        return True

    def event(self, event: Event) -> dict[str, Any]:
        """Process an event."""
        self._state, observation = step(self._state, event)
        now = observables(observation)
        if observation.triggers:
            now["triggers"] = [trigger.value for trigger in observation.triggers]
        return now

    def end(self) -> None:
        """Nothing is left to do."""


class Adapter:
    """An adapter. One that breaks down is started anew for the next case."""

    def __init__(self, manifest: Manifest, deadline_s: float) -> None:
        """Start it. Raise :class:`ConversationError` if it does not say what it can."""
        self._manifest, self._deadline_s = manifest, deadline_s
        self._process: AdapterProcess | None = None
        self.declaration: Declaration = self._open()

    def begin(self, algorithm: str, profile: str, config: dict[str, Any]) -> bool:
        """Begin a case."""
        if self._process is None:
            self._open()
        self._index = 0
        start = {"op": "start", "case": "shrink", "algorithm": algorithm, "profile": profile, "config": config}
        return self._conversation.begin(start) is None

    def event(self, event: Event) -> dict[str, Any] | None:
        """Ask for the answer to one event; :data:`BROKEN` if the adapter broke down."""
        if self._process is None:
            return BROKEN
        try:
            answer = self._conversation.event(self._index, event_to_json(event), self.declaration.observables)
        except ConversationError:
            self.stop()
            return BROKEN
        self._index += 1
        return None if isinstance(answer, str) else answer

    def end(self) -> None:
        """End the case."""
        if self._process is not None:
            try:
                self._conversation.finish_case()
            except ConversationError:
                self.stop()

    def stop(self) -> None:
        """Kill the process."""
        if self._process is not None:
            self._process.kill()
        self._process = None

    def _open(self) -> Declaration:
        self._process = AdapterProcess(self._manifest.command, self._manifest.cwd)
        self._conversation = Conversation(self._process, self._deadline_s)
        try:
            return self._conversation.hello()
        except ConversationError:
            self.stop()
            raise

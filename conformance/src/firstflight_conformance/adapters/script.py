"""Cases with events, as the runner plays them. Cases of one vector share its events."""

from collections.abc import Sequence
from functools import cached_property

from firstflight_conformance.adapters import messages
from firstflight_conformance.adapters.messages import Message
from firstflight_conformance.format.vectors import Case, Vector
from firstflight_conformance.format.wire import decode_int
from firstflight_conformance.replay.growth import first_reduced_growth
from firstflight_conformance.replay.measure import clauses_at


class Stream:
    """The events of a vector as messages, the same for all of its cases."""

    def __init__(self, vector: Vector) -> None:
        """Store the vector."""
        self._vector = vector

    @cached_property
    def messages(self) -> list[Message]:
        """The messages of the events."""
        return [messages.event_message(index, event) for index, event in enumerate(self._vector.raw_events)]

    @cached_property
    def lines(self) -> list[bytes]:
        """The messages, encoded as lines."""
        return [messages.encode(message) for message in self.messages]

    @cached_property
    def granted(self) -> list[int | None]:
        """For each event, the growth of the window that slow start grants, in bytes.

        This is the number of bytes that an ACK acknowledges. It is None for app-limited ACKs and all other events: slow
        start need not grow the window there.
        """
        return [
            decode_int(event["bytes"]) if event["ev"] == "ack" and not event["app_limited"] else None
            for event in self._vector.raw_events
        ]


class Script:
    """A case and the stream of its vector; other cases may share the stream."""

    def __init__(self, case: Case, stream: Stream | None = None) -> None:
        """Store the case."""
        self.case = case
        self.stream = Stream(case.vector) if stream is None else stream
        self._clauses: dict[int, tuple[str, ...]] = {}
        self._valid = False

    @property
    def count(self) -> int:
        """Number of judged events."""
        return self.case.expectation.judged_events

    @cached_property
    def start(self) -> Message:
        """The message that starts the case."""
        return messages.start_message(self.case)

    @property
    def lines(self) -> bytes:
        """The encoded events and ``end``."""
        return b"".join([*self.stream.lines[: self.count], messages.encode(messages.END)])

    def growth_reduced(self, windows: Sequence[int], slack_bytes: int = 0) -> int | None:
        """Return the first event whose window grows less than in slow start, given the windows after each event."""
        return first_reduced_growth(self.stream.granted[: self.count], windows, slack_bytes)

    def validate(self) -> None:
        """Check the events against the schema, once for all adapters."""
        if not self._valid:
            for message in self.stream.messages[: self.count]:
                messages.check_schema(message, "runner")
        self._valid = True

    def clauses_at(self, index: int) -> tuple[str, ...]:
        """Return the clauses that the model applies at an event."""
        if index not in self._clauses:
            self._clauses[index] = clauses_at(self.case, index)
        return self._clauses[index]

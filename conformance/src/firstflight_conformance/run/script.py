"""A case with events as the runner plays it. What all adapters share is worked out once."""

from collections.abc import Sequence
from functools import cache, cached_property
from hashlib import sha256
from typing import Any

from firstflight_conformance.cases.given import windows_bytes
from firstflight_conformance.cases.json_lines import lines_of
from firstflight_conformance.cases.measure import clauses_at
from firstflight_conformance.cases.vectors import Case, ProfileCase, Vector
from firstflight_conformance.cases.wire import decode_int
from firstflight_conformance.kept import Store, code_digest, digest
from firstflight_conformance.run import messages
from firstflight_conformance.run.growth import first_reduced_growth
from firstflight_conformance.run.messages import Message
from firstflight_conformance.run.transcript import Style, transcript


@cache
def _store() -> Store:
    """Return what was worked out of the vectors of the checkout, by the digest of their file and what is asked for."""
    return Store("answers", code_digest("cases", "run"))


class Stream:
    """The events of a vector as they are sent, the same for all of its cases, and what is to be known of each case, by profile."""

    def __init__(self, vector: Vector) -> None:
        """Take the vector."""
        self._vector = vector
        self._known: dict[Style | None, dict[str, tuple[bytes, int | None]]] = {}

    @cached_property
    def messages(self) -> list[Message]:
        """The messages that carry the events."""
        return [messages.event_message(index, event) for index, event in enumerate(self._vector.raw_events)]

    @cached_property
    def lines(self) -> list[bytes]:
        """The messages, as lines."""
        return [messages.event_line(index, text) for index, text in enumerate(lines_of(self._vector.raw_events))]

    @cached_property
    def granted(self) -> list[int | None]:
        """By how much slow start grows at each event; see :mod:`growth`."""
        return [
            decode_int(event["bytes"]) if event["ev"] == "ack" and not event["app_limited"] else None
            for event in self._vector.raw_events
        ]

    def known(self, style: Style | None) -> dict[str, tuple[bytes, int | None]]:
        """Return of each case what a process needs if all is as expected: the digest of the answers in a style, if it has any, and :attr:`Script.reduced`."""
        if style not in self._known:
            key = self._vector.digest and digest([self._vector.digest, repr(style)])
            cases = self._vector.profiles.items()
            self._known[style] = _store().kept(key, lambda: {name: self._known_of(case, style) for name, case in cases})
        return self._known[style]

    def _known_of(self, case: ProfileCase, style: Style | None) -> tuple[bytes, int | None]:
        of = case.expect, case.judged_events
        answers = b"\n".join(transcript(*of, style))
        return sha256(answers).digest() if answers else b"", first_reduced_growth(self.granted, windows_bytes(*of))


class Script:
    """A case and the stream of its vector, which other cases may share."""

    def __init__(self, case: Case, stream: Stream | None = None) -> None:
        """Take the case."""
        self.case = case
        self.stream = Stream(case.vector) if stream is None else stream
        self._clauses: dict[int, tuple[str, ...]] = {}
        self._valid = False

    @property
    def count(self) -> int:
        """How many events are judged."""
        return self.case.expectation.judged_events

    @cached_property
    def start(self) -> Message:
        """The message that starts the case."""
        return messages.start_message(self.case)

    @property
    def lines(self) -> bytes:
        """The events and the end, as they are sent."""
        return b"".join([*self.stream.lines[: self.count], messages.encode(messages.END)])

    @cached_property
    def expected(self) -> list[dict[str, Any]]:
        """The observables after each judged event."""
        return self.case.expected()

    def transcript(self, style: Style | None) -> list[bytes]:
        """Return the lines that an adapter answers if all is as expected, none if that is not known of the style."""
        return transcript(self.case.expectation.expect, self.count, style)

    def answers_are(self, lines: Sequence[bytes], style: Style | None) -> bool:
        """Return whether the first lines are these."""
        return sha256(b"\n".join(lines[: self.count])).digest() == self.stream.known(style)[self.case.profile][0]

    @property
    def reduced(self) -> int | None:
        """The first event with less growth than slow start has, by the expected windows."""
        return self.stream.known(None)[self.case.profile][1]

    def growth_reduced(self, windows: list[int], slack_bytes: int = 0) -> int | None:
        """Return the first event with less growth than slow start has, given the windows after each event."""
        return first_reduced_growth(self.stream.granted[: self.count], windows, slack_bytes)

    def validate(self) -> None:
        """Hold the events to the schema, once for all adapters."""
        if not self._valid:
            for message in self.stream.messages[: self.count]:
                messages.check_schema(message, "runner")
        self._valid = True

    def clauses_at(self, index: int) -> tuple[str, ...]:
        """Return the clauses that the model carries out on one event."""
        if index not in self._clauses:
            self._clauses[index] = clauses_at(self.case, index)
        return self._clauses[index]

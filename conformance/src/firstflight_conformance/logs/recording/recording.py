"""A recording: what happened on a connection as events, and beside each what the subject reported after it (``spec/recording.md``)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any, TypedDict

from firstflight import Config
from firstflight.events import Ack, Event, Lost, Sent

#: The version of the format.
FORMAT = 1
#: Value of `window` in `quality`: a window reported after a packet was sent is the bytes in flight, a lower bound.
AT_LEAST = "at_least"
#: The states that a subject may report.
STATES = ("slow_start", "conservative_slow_start", "recovery", "congestion_avoidance")


class Subject(TypedDict, total=False):
    """What the subject reported after an event. Absent: it did not say. A threshold of ``None``: it has none.

    ``latest_rtt_ns``: the sample that it reported; ``computed_rtt_ns``: that of the times.
    """

    cwnd_bytes: int
    ssthresh_bytes: int | None
    state: str
    latest_rtt_ns: int
    computed_rtt_ns: int
    bytes_in_flight: int


#: What a subject may report.
ANSWERS = tuple(Subject.__annotations__)


@dataclass(frozen=True, slots=True)
class Step:
    """An event, and what the subject reported after it.

    ``discarded_bytes`` left flight since the event before, neither acknowledged nor lost: with the keys of the handshake.
    """

    event: Event
    subject: Subject = field(default_factory=Subject)
    discarded_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Header:
    """What holds for the whole recording.

    ``source``: its ``kind`` (qlog, kernel, peer, vector, capture or table), and who and where it is from. ``time_resolution_ns`` and
    ``rtt_resolution_ns``: how fine the times and the RTTs of the log are. ``quality``: numbers of whoever made the recording.
    """

    source: Mapping[str, Any]
    config: Config
    time_resolution_ns: int = 1
    rtt_resolution_ns: int = 1
    quality: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recording:
    """A header and the steps in their order."""

    header: Header
    steps: tuple[Step, ...]

    @property
    def events(self) -> tuple[Event, ...]:
        """The events alone."""
        return tuple(step.event for step in self.steps)

    def in_full_flight(self) -> tuple[Event, ...]:
        """Return the events as they were if nothing had been discarded: what is in flight follows from them alone."""
        discarded_bytes, found = 0, []
        for step in self.steps:
            event, discarded_bytes = step.event, discarded_bytes + step.discarded_bytes
            if discarded_bytes and isinstance(event, Sent | Ack | Lost):
                event = replace(event, bytes_in_flight=event.bytes_in_flight + discarded_bytes)
            found.append(event)
        return tuple(found)

    def cut(self, *, events: int | None = None, duration_ns: int | None = None) -> "Recording":
        """Return the beginning: ``events`` at most, and none later than the duration after the first.

        Only the end can be cut: what is in flight follows from the beginning.
        """
        steps = self.steps[:events]
        if duration_ns is not None and steps:
            end_ns = steps[0].event.t_ns + duration_ns
            steps = tuple(takewhile(lambda step: step.event.t_ns <= end_ns, steps))
        return replace(self, steps=steps)

    def filter(self, *, events: Collection[type] = (), answers: Collection[str] = ()) -> "Recording":
        """Return the recording without events of these types and without these answers.

        Raise :class:`ValueError` for types of which the bytes in flight are made.
        """
        if refused := {Sent, Ack, Lost} & set(events):
            names = ", ".join(sorted(kind.__name__.lower() for kind in refused))
            raise ValueError(f"{names}: the events after it would not hold without it")
        kept = tuple(
            replace(step, subject=_without(step.subject, answers))
            for step in self.steps
            if not isinstance(step.event, tuple(events))
        )
        return replace(self, steps=kept)


def _without(subject: Subject, names: Collection[str]) -> Subject:
    left: Any = {name: value for name, value in subject.items() if name not in names}
    found: Subject = left
    return found

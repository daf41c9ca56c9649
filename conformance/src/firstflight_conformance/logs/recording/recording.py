"""A recording: the events of a connection, each with the state of the sender after it (``spec/recording.md``)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any, TypedDict

from firstflight import Config
from firstflight.events import Ack, Event, Lost, Sent

#: The version of the format.
FORMAT = 1
#: Value of `window` in `quality`: windows reported after sent packets are the bytes in flight, a lower bound.
AT_LEAST = "at_least"
#: States that a sender may report.
STATES = ("slow_start", "conservative_slow_start", "recovery", "congestion_avoidance")


class Subject(TypedDict, total=False):
    """State that the sender reported after an event. Absent: not reported. A threshold of ``None``: infinite.

    ``latest_rtt_ns``: reported RTT sample. ``computed_rtt_ns``: RTT sample computed from the times.
    """

    cwnd_bytes: int
    ssthresh_bytes: int | None
    state: str
    latest_rtt_ns: int
    computed_rtt_ns: int
    bytes_in_flight: int


#: Members that a sender may report.
ANSWERS = tuple(Subject.__annotations__)


@dataclass(frozen=True, slots=True)
class Step:
    """An event, and the state that the sender reported after it.

    ``discarded_bytes``: bytes that left flight since the previous event, neither acknowledged nor lost, for example
    with the handshake keys.
    """

    event: Event
    subject: Subject = field(default_factory=Subject)
    discarded_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Header:
    """Members of the whole recording.

    ``source``: its ``kind`` (qlog, kernel, peer, vector, capture or table), writer and origin. ``time_resolution_ns``
    and ``rtt_resolution_ns``: resolution of the times and the RTTs in the log. ``quality``: numbers from the program
    that made the recording.
    """

    source: Mapping[str, Any]
    config: Config
    time_resolution_ns: int = 1
    rtt_resolution_ns: int = 1
    quality: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded connection: a header, and the steps (events, each with the sender's reported state) in time order."""

    header: Header
    steps: tuple[Step, ...]

    @property
    def events(self) -> tuple[Event, ...]:
        """The events without the answers."""
        return tuple(step.event for step in self.steps)

    def in_full_flight(self) -> tuple[Event, ...]:
        """Return the events as if no packet was discarded: their bytes in flight follow from the events alone.

        Discarded packets left flight neither acknowledged nor lost, for example with the handshake keys. Their bytes
        are added to the bytes in flight of all later events.
        """
        discarded_bytes, events = 0, []
        for step in self.steps:
            event, discarded_bytes = step.event, discarded_bytes + step.discarded_bytes
            if discarded_bytes and isinstance(event, Sent | Ack | Lost):
                event = replace(event, bytes_in_flight=event.bytes_in_flight + discarded_bytes)
            events.append(event)
        return tuple(events)

    def cut(self, *, events: int | None = None, duration_ns: int | None = None) -> "Recording":
        """Return the beginning: at most ``events`` events, within the duration after the first event.

        Only the end can be cut: bytes in flight depend on all earlier events.
        """
        steps = self.steps[:events]
        if duration_ns is not None and steps:
            end_ns = steps[0].event.t_ns + duration_ns
            steps = tuple(takewhile(lambda step: step.event.t_ns <= end_ns, steps))
        return replace(self, steps=steps)

    def filter(self, *, events: Collection[type] = (), answers: Collection[str] = ()) -> "Recording":
        """Return the recording without events of these types and without these answers.

        Raise :class:`ValueError` for types that change the bytes in flight.
        """
        if refused := {Sent, Ack, Lost} & set(events):
            names = ", ".join(sorted(kind.__name__.lower() for kind in refused))
            raise ValueError(f"{names}: later events depend on it")
        steps = tuple(
            replace(step, subject=_without(step.subject, answers))
            for step in self.steps
            if not isinstance(step.event, tuple(events))
        )
        return replace(self, steps=steps)


def _without(subject: Subject, names: Collection[str]) -> Subject:
    members: Any = {name: value for name, value in subject.items() if name not in names}
    typed: Subject = members
    return typed

"""Rounds of a capture at the receiver: the most in flight in each, and where slow start ended, with its uncertainty."""

from collections.abc import Iterator
from dataclasses import dataclass

from firstflight.events import Ack, Sent
from firstflight_conformance.judge.subject import JudgedSender

#: BBR leaves slow start three rounds after its flight has stopped growing: rounds after the exit that bound its window.
_LATER_ROUNDS = 3
#: An ACK of two segments grows the window by up to so many more before anything is sent.
_UNSEEN_DATAGRAMS = 2


@dataclass(frozen=True, slots=True)
class Round:
    """A round trip: its last event, and the most bytes in flight in it. The first one ends before the first ACK of data."""

    last: int
    flight_bytes: int


def rounds_of(subject: JudgedSender) -> Iterator[Round]:
    """Yield the rounds up to the first one behind the exit. A round ends before the ACK of data that was sent in it."""
    by = subject.left.by
    most_bytes = left_bytes = 0
    for index, event in enumerate(subject.events):
        if isinstance(event, Sent):
            most_bytes = max(most_bytes, event.bytes_in_flight)
        elif isinstance(event, Ack):
            if left_bytes <= 0:
                yield Round(index - 1, most_bytes)
                if by is not None and by < index - 1:
                    return
                most_bytes, left_bytes = 0, event.bytes_in_flight + event.bytes
            left_bytes -= event.bytes
    if most_bytes:
        yield Round(len(subject.events) - 1, most_bytes)


def exit_round(subject: JudgedSender) -> int | None:
    """Return the number of the round in which slow start is left, counted from 1, or None."""
    by = subject.left.by
    if by is None:
        return None
    return next((number for number, each in enumerate(rounds_of(subject), 1) if each.last >= by), None)


def exit_range(subject: JudgedSender) -> tuple[int, int] | None:
    """Return the least and the largest window that the sender may have had where it left slow start, or None.

    It had at least the flight behind its last growth in full; and no more than the flight of the next rounds if growth by less shows the
    exit, or than the flight with the acknowledged data in it and the growth of one ACK at a loss or mark.
    """
    left = subject.left
    if left.by is None:
        return None
    least_bytes = subject.before[min(left.after + 1, left.by)]
    datagram_bytes = subject.recording.header.config.max_datagram_size_bytes
    end = left.by if left.evidence == "loss" else _later(subject, left.by)
    flights = [event.bytes_in_flight for event in subject.events[:end] if isinstance(event, Sent)]
    most_bytes = max([subject.before[left.by], *flights]) + _UNSEEN_DATAGRAMS * datagram_bytes
    return least_bytes, most_bytes


def _later(subject: JudgedSender, index: int) -> int:
    """Return the event that is some rounds behind another."""
    rounds, left_bytes = _LATER_ROUNDS, subject.before[index]
    for at in range(index, len(subject.events)):
        event = subject.events[at]
        if isinstance(event, Ack):
            left_bytes -= event.bytes
            if left_bytes <= 0:
                rounds, left_bytes = rounds - 1, event.bytes_in_flight
                if not rounds:
                    return at
    return len(subject.events)

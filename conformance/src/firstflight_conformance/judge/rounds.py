"""Rounds of a capture at the receiver: the largest flight of each, and the exit from slow start with uncertainty."""

from collections.abc import Iterator
from dataclasses import dataclass

from firstflight.events import Ack, Sent
from firstflight_conformance.judge.subject import JudgedSender

#: Rounds after the exit that bound the window: BBR leaves slow start three rounds after its flight has stopped growing.
_LATER_ROUNDS = 3
#: An ACK of two segments grows the window by up to two datagrams before a packet is sent.
_UNSEEN_DATAGRAMS = 2


@dataclass(frozen=True, slots=True)
class Round:
    """A round: its last event, and its largest bytes in flight. The first round ends before the first ACK of data."""

    last: int
    flight_bytes: int


def rounds_of(subject: JudgedSender) -> Iterator[Round]:
    """Yield the rounds up to the first after the exit. A round ends before the ACK of data sent in it."""
    by = subject.left.by
    most_bytes = remaining_bytes = 0
    for index, event in enumerate(subject.events):
        if isinstance(event, Sent):
            most_bytes = max(most_bytes, event.bytes_in_flight)
        elif isinstance(event, Ack):
            if remaining_bytes <= 0:
                yield Round(index - 1, most_bytes)
                if by is not None and by < index - 1:
                    return
                most_bytes, remaining_bytes = 0, event.bytes_in_flight + event.bytes
            remaining_bytes -= event.bytes
    if most_bytes:
        yield Round(len(subject.events) - 1, most_bytes)


def exit_round(subject: JudgedSender) -> int | None:
    """Return the number of the round with the exit from slow start, counted from 1, or None."""
    by = subject.left.by
    if by is None:
        return None
    return next((number for number, round_ in enumerate(rounds_of(subject), 1) if round_.last >= by), None)


def exit_range(subject: JudgedSender) -> tuple[int, int] | None:
    """Return the smallest and the largest possible window at the exit in bytes, or None without an exit.

    The lower bound is the largest flight up to the last ACK with full slow-start growth. The upper bound is the largest
    flight up to the third round after the exit, plus two datagrams. If a loss or CE mark ended slow start, the upper
    bound is the largest flight up to this loss or mark, plus two datagrams.
    """
    sender_exit = subject.left
    if sender_exit.by is None:
        return None
    least_bytes = subject.before[min(sender_exit.after + 1, sender_exit.by)]
    datagram_bytes = subject.recording.header.config.max_datagram_size_bytes
    end = sender_exit.by if sender_exit.evidence == "loss" else _later(subject, sender_exit.by)
    flights = [event.bytes_in_flight for event in subject.events[:end] if isinstance(event, Sent)]
    most_bytes = max([subject.before[sender_exit.by], *flights]) + _UNSEEN_DATAGRAMS * datagram_bytes
    return least_bytes, most_bytes


def _later(subject: JudgedSender, index: int) -> int:
    """Return the event that ends the third round after event ``index``, or the number of events if none does."""
    rounds, remaining_bytes = _LATER_ROUNDS, subject.before[index]
    for at in range(index, len(subject.events)):
        event = subject.events[at]
        if isinstance(event, Ack):
            remaining_bytes -= event.bytes
            if remaining_bytes <= 0:
                rounds, remaining_bytes = rounds - 1, event.bytes_in_flight
                if not rounds:
                    return at
    return len(subject.events)

"""The judged sender: its windows before and after each event, and its window-limited ACKs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from firstflight.events import Ack, Event, Sent
from firstflight_conformance.judge.leaving import Left, Point, left_slow_start
from firstflight_conformance.logs.recording.answers import (
    Answer,
    answers_of,
    initial_window_bytes,
    known_before,
    windows_before,
)
from firstflight_conformance.logs.recording.changed import with_flags
from firstflight_conformance.logs.recording.recording import AT_LEAST, Recording
from firstflight_conformance.logs.recording.releases import Release, releases_of

#: Rules for application-limited ACKs: as the events state; in slow start without window limit, with unchanged window;
#: outside the period of new stream data; none.
RULES = ("stated", "growth", "data", "never")
#: A pacer sends again before an eighth of the window is acknowledged, or a burst of ten datagrams.
_PACED_ONE_OF, _PACED_DATAGRAMS = 8, 10


@dataclass(frozen=True, slots=True)
class JudgedSender:
    """A recorded sender: its state at each event, and its exit from slow start.

    ``given``: its window before the event, or None if unknown. ``limited``: window-limited ACKs, which show growth.
    ``begin``: the first event that algorithms see. ``releases``: bursts of packets after ACKs, if only bytes in flight
    are known as in a capture; otherwise empty.
    """

    recording: Recording
    events: tuple[Event, ...]
    answers: tuple[Answer, ...]
    before: tuple[int, ...]
    given: tuple[int | None, ...]
    limited: tuple[Point, ...]
    left: Left
    rule: str
    begin: int
    releases: tuple[Release, ...] = ()

    @property
    def at_least(self) -> bool:
        """Whether only the flight is known, a lower bound of the window."""
        return self.recording.header.quality.get("window") == AT_LEAST

    @property
    def acks(self) -> int:
        """Number of ACKs."""
        return sum(isinstance(event, Ack) for event in self.events)


def subject_of(recording: Recording, *, start: str = "first-ack", app_limited: str | None = None) -> JudgedSender:
    """Return the sender of a recording: its state at each event, and its exit from slow start.

    ``start``: with ``first-ack`` algorithms process all events. With ``application`` they process all events from the
    first ACK of application data on, and only sent packets before it. ``app_limited``: rule that sets ``app_limited``
    of the ACKs, one of :data:`RULES`. None selects ``stated``, the recorded values, if the recording has them.
    Otherwise it selects ``growth``, which sets ``app_limited`` in slow start where the window did not limit the sender
    and stayed unchanged. Raise :class:`ValueError` if the recording does not show the data that an option needs.
    """
    answers, first_bytes = answers_of(recording), initial_window_bytes(recording)
    at_least = recording.header.quality.get("window") == AT_LEAST
    if at_least:
        answers = _most_so_far(answers, first_bytes)
    elif "initial_window_range" in recording.header.quality:
        first = next((index for index, answer in enumerate(answers) if answer.reported), 0)
        answers[first] = replace(answers[first], reported=False)  # the window before this ACK is unknown
    before = windows_before(answers, first_bytes)
    releases = tuple(releases_of(recording.events)) if at_least else ()
    limited = _ended(releases, before, answers) if at_least else _limited(recording, before, answers)
    sender_exit = left_slow_start(recording.events, before, answers, limited, at_least=at_least)
    rule = app_limited or ("stated" if recording.header.quality.get("app_limited") == "stated" else "growth")
    events = _flagged(recording, rule, before, answers, limited, sender_exit)
    return JudgedSender(
        recording, events, tuple(answers), tuple(before), tuple(known_before(recording, before)), tuple(limited),
        sender_exit, rule, _begin(recording, start), releases,
    )  # fmt: skip


def _limited(recording: Recording, before: Sequence[int], answers: Sequence[Answer]) -> list[Point]:
    """Return the window-limited ACKs. Only these show how the sender grows its window.

    ACKs with ``app_limited`` or without a reported window do not count. At least three quarters of the window must be
    in flight before the ACK, since a paced sender may not fill it. A packet of at least half a datagram must be sent
    after the ACK; other ACKs may precede this packet. Count the bytes of all ACKs between the previous such packet and
    this packet, except the ACK of the most bytes. They may be at most 1/8 of the window, or ten datagrams if more.
    Otherwise the sender had no data; quinn then stops growing its window.
    """
    points: list[Point] = []
    waiting: list[Point] = []
    passed, largest, datagram_bytes = 0, 0, recording.header.config.max_datagram_size_bytes
    for index, event in enumerate(recording.events):
        if isinstance(event, Ack):
            passed, largest = passed + event.bytes, max(largest, event.bytes)
            if not event.app_limited and answers[index].reported and _fills(event, before[index]):
                waiting.append(Point(index, answers[index].cwnd_bytes - before[index], event.bytes))
        elif isinstance(event, Sent) and any(2 * run.size_bytes >= datagram_bytes for run in event.packets):
            if passed - largest <= max(before[index] // _PACED_ONE_OF, _PACED_DATAGRAMS * datagram_bytes):
                points += waiting
            waiting, passed, largest = [], 0, 0
    return points


def _fills(event: Ack, before_bytes: int) -> bool:
    return 4 * (event.bytes_in_flight + event.bytes) >= 3 * before_bytes


def _most_so_far(answers: Sequence[Answer], first_bytes: int) -> list[Answer]:
    """Return the answers with the largest flight so far as window, for a sender with known flight but unknown window.

    The flight is the bytes in flight. ``first_bytes``: the initial window, the least value of each result.
    """
    largest_answers, most_bytes = [], first_bytes
    for answer in answers:
        if answer.reported:
            most_bytes = max(most_bytes, answer.cwnd_bytes)
        largest_answers.append(replace(answer, cwnd_bytes=most_bytes))
    return largest_answers


def _ended(releases: Sequence[Release], before: Sequence[int], answers: Sequence[Answer]) -> list[Point]:
    """Return a list of points, one for each two consecutive releases that both stopped at a full window.

    A release is a burst of packets between two ACKs. Each point contains the growth of the window from the first
    release to the second, and the bytes acknowledged between them. The index of a point is the last send of the second
    release. ``before``: window before each event, in bytes. ``answers``: window after each event. Pairs without a
    reported window or without acknowledged bytes are left out.
    """
    points = []
    for earlier, release in pairwise(releases):
        if earlier.limited and release.limited and answers[release.index].reported and release.acked_bytes:
            grown_bytes = answers[release.index].cwnd_bytes - before[earlier.index + 1]
            points.append(Point(release.index, grown_bytes, release.acked_bytes))
    return points


def _flagged(
    recording: Recording,
    rule: str,
    before: Sequence[int],
    answers: Sequence[Answer],
    limited: Sequence[Point],
    sender_exit: Left,
) -> tuple[Event, ...]:
    events = recording.events
    if rule == "stated":
        return events
    if rule == "never":
        return with_flags(events, lambda _index, _ack: False)
    if rule == "data":
        first, last = _data(recording)
        return with_flags(events, lambda index, _ack: not first <= index <= last)
    full = {point.index for point in limited}
    end = len(events) if sender_exit.by is None else sender_exit.by
    if sender_exit.by is not None:  # the ACK that left slow start may have released no packet
        between = ((index, events[index]) for index in range(sender_exit.after + 1, sender_exit.by))
        full |= {index for index, event in between if isinstance(event, Ack) and _fills(event, before[index])}
    return with_flags(
        events, lambda index, _ack: index < end and index not in full and _stayed(answers[index], before[index])
    )


def _stayed(answer: Answer, before_bytes: int) -> bool:
    """Return whether the window is reported after an event and equals the window before it.

    Return False without a report. quinn reports no window for an ACK that comes with a loss.
    """
    return answer.reported and answer.cwnd_bytes == before_bytes


def _data(recording: Recording) -> tuple[int, int]:
    quality = recording.header.quality
    if "first_data_step" not in quality or "last_data_step" not in quality:
        raise ValueError("--app-limited data: the log does not show the packets with stream data")
    return int(quality["first_data_step"]), int(quality["last_data_step"])


def _begin(recording: Recording, start: str) -> int:
    if start == "first-ack":
        return 0
    first = recording.header.quality.get("first_application_step")
    if first is None:
        raise ValueError("--start application: the recording does not show the first ACK of application data")
    return int(first)


def flagged(recording: Recording, rule: str | None) -> Recording:
    """Return the recording with ``app_limited`` of its ACKs set by a rule.

    ``rule``: ``stated`` keeps the recorded values. ``growth`` sets it in slow start if the window did not limit the
    sender and stayed unchanged. ``data`` sets it outside the period of new stream data, ``never`` nowhere. None:
    ``stated`` if the recording states the values, otherwise ``growth``.
    """
    events = subject_of(recording, app_limited=rule).events
    return replace(
        recording, steps=tuple(replace(step, event=event) for step, event in zip(recording.steps, events, strict=True))
    )

"""Which ACKs of a recording are app-limited. Logs seldom say; it is stated, or inferred by a rule that the report names."""

from collections.abc import Sequence
from dataclasses import replace

from firstflight.events import Ack, Event
from firstflight_conformance.recording.exit import Answer, answers_of, exit_of, initial_window_bytes, windows_before
from firstflight_conformance.recording.follow import with_flags
from firstflight_conformance.recording.recording import Recording

#: The rules. ``stated``: as the events say. ``growth``: an ACK in slow start after which the subject's window is what it was.
#: ``data``: an ACK outside the time in which new stream data was sent. ``never``: none.
RULES = ("stated", "growth", "data", "never")


def rule_of(recording: Recording, rule: str | None) -> str:
    """Return the rule, by default what the source states, or else ``growth``."""
    if rule is not None:
        return rule
    return "stated" if recording.header.quality.get("app_limited") == "stated" else "growth"


def app_limited_events(
    recording: Recording, answers: Sequence[Answer], first_bytes: int, rule: str
) -> tuple[Event, ...]:
    """Return the events with ``app_limited`` by the rule. Raise :class:`ValueError` where the source does not allow it."""
    events = recording.events
    if rule == "stated":
        return events
    if rule == "never":
        return with_flags(events, lambda _index, _ack: False)
    if rule == "data":
        first, last = _data(recording)
        return with_flags(events, lambda index, _ack: not first <= index <= last)
    before = windows_before(answers, first_bytes)
    plain = with_flags(events, lambda _index, _ack: False)
    left = exit_of(plain, before, answers, unsure=True)
    end = len(events) if left is None else left.by
    return with_flags(events, lambda index, _ack: index < end and answers[index].cwnd_bytes == before[index])


def _data(recording: Recording) -> tuple[int, int]:
    quality = recording.header.quality
    if "first_data_step" not in quality or "last_data_step" not in quality:
        raise ValueError("--app-limited data: the log does not say which packets carry stream data")
    return int(quality["first_data_step"]), int(quality["last_data_step"])


def limited(recording: Recording, rule: str | None) -> Recording:
    """Return the recording with what the rule says in its events."""
    answers, first_bytes = answers_of(recording), initial_window_bytes(recording)
    events = app_limited_events(recording, answers, first_bytes, rule_of(recording, rule))
    steps = (replace(step, event=event) for step, event in zip(recording.steps, events, strict=True))
    return replace(recording, steps=tuple(steps))


def app_limited_acks(events: Sequence[Event]) -> int:
    """Return how many ACKs are app-limited."""
    return sum(isinstance(event, Ack) and event.app_limited for event in events)

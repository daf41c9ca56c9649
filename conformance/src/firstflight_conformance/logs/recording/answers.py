"""The sender's state after each event. Members that a step omits keep their last value."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from firstflight.events import Sent
from firstflight_conformance.logs.recording.recording import Recording

SLOW_START = "slow_start"


@dataclass(frozen=True, slots=True)
class Answer:
    """Known cwnd, ssthresh (``None``: infinite) and state after an event.

    ``reported``: cwnd was reported at this event. aioquic omits it for an ACK that comes with a loss.
    """

    cwnd_bytes: int
    ssthresh_bytes: int | None = None
    state: str | None = None
    reported: bool = field(default=True, compare=False)


def answers_of(recording: Recording) -> list[Answer]:
    """Return one answer for each event: cwnd, ssthresh and state of the sender after it.

    Members that the sender did not report after an event keep their last reported value.
    """
    now = Answer(initial_window_bytes(recording))
    answers = []
    for step in recording.steps:
        subject = step.subject
        now = Answer(
            subject.get("cwnd_bytes", now.cwnd_bytes),
            subject.get("ssthresh_bytes", now.ssthresh_bytes),
            subject.get("state", now.state),
            "cwnd_bytes" in subject,
        )
        answers.append(now)
    return answers


def initial_window_bytes(recording: Recording) -> int:
    """Return the window before the first event: as configured, or as recommended (RFC 9002, section 7.2)."""
    config = recording.header.config
    if config.initial_window_bytes is not None:
        return config.initial_window_bytes
    return min(10 * config.max_datagram_size_bytes, max(14720, 2 * config.max_datagram_size_bytes))


def windows_before(answers: Sequence[Answer], first_bytes: int) -> list[int]:
    """Return the window before each event in bytes: ``first_bytes`` before the first, then the previous answer's."""
    return [first_bytes, *(answer.cwnd_bytes for answer in answers)][: len(answers)]


def known_before(recording: Recording, before: Sequence[int]) -> list[int | None]:
    """Return the known window in bytes before each event of the recording, or ``None`` where it may have changed.

    ``before``: the last reported window before each event, as from :func:`windows_before`. Sending does not change the
    window. The window may have changed if any other event followed the last report of cwnd.
    """
    windows: list[int | None] = []
    known = True
    for step, window_bytes in zip(recording.steps, before, strict=True):
        windows.append(window_bytes if known else None)
        if "cwnd_bytes" in step.subject:
            known = True
        elif not isinstance(step.event, Sent):
            known = False
    return windows

"""Where a sender left slow start, as its own answers show it. It is an interval: most report it later than they decide it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from firstflight.events import Ack, Event, Sent
from firstflight_conformance.recording.recording import Recording

SLOW_START = "slow_start"


@dataclass(frozen=True, slots=True)
class Answer:
    """Window, threshold (``None``: none) and state after an event, as far as they are known.

    ``reported``: the window was, and is not that of an earlier event; of an ACK that comes with a loss, aioquic logs no window.
    """

    cwnd_bytes: int
    ssthresh_bytes: int | None = None
    state: str | None = None
    reported: bool = field(default=True, compare=False)


@dataclass(frozen=True, slots=True)
class Exit:
    """It happened after event ``after`` (-1: at any), and not later than event ``by``, at which there is ``evidence`` of it."""

    after: int
    by: int
    evidence: str

    @property
    def exact(self) -> bool:
        """Whether it is a single event."""
        return self.by == self.after + 1


def answers_of(recording: Recording) -> list[Answer]:
    """Return what the subject reported last, after each event."""
    now = Answer(initial_window_bytes(recording))
    found = []
    for step in recording.steps:
        subject = step.subject
        now = Answer(
            subject.get("cwnd_bytes", now.cwnd_bytes),
            subject.get("ssthresh_bytes", now.ssthresh_bytes),
            subject.get("state", now.state),
            "cwnd_bytes" in subject,
        )
        found.append(now)
    return found


def initial_window_bytes(recording: Recording) -> int:
    """Return the window before the first event."""
    config = recording.header.config
    if config.initial_window_bytes is not None:
        return config.initial_window_bytes
    return min(10 * config.max_datagram_size_bytes, max(14720, 2 * config.max_datagram_size_bytes))


def windows_before(answers: Sequence[Answer], first_bytes: int) -> list[int]:
    """Return the window before each event: what was reported last."""
    return [first_bytes, *(answer.cwnd_bytes for answer in answers)][: len(answers)]


def known_before(recording: Recording, before: Sequence[int]) -> list[int | None]:
    """Return the window before each event where it is known: ``None`` after an event that may have changed it unreported."""
    found: list[int | None] = []
    known = True
    for step, window_bytes in zip(recording.steps, before, strict=True):
        found.append(window_bytes if known else None)
        if "cwnd_bytes" in step.subject:
            known = True
        elif not isinstance(step.event, Sent):
            known = False
    return found


def exit_of(
    events: Sequence[Event], before: Sequence[int], answers: Sequence[Answer], *, unsure: bool = False
) -> Exit | None:
    """Return where slow start was left, ``None`` if it was not.

    ``before``: the window before each event. ``unsure``: which ACKs were app-limited is not known, so that one which does not grow the
    window shows nothing.

    It is not before the last ACK that grew the window in full, and an ACK that grew it by less shows it. Else a threshold tells the
    event itself, and a state or a smaller window the latest one.
    """
    known = _first_evidence(before, answers)
    end = len(answers) if known is None else known[0]
    grown = [_growth(*each, unsure=unsure) for each in zip(events, before[:end], answers[:end], strict=False)]
    full = max((index for index, growth in enumerate(grown) if growth == "full"), default=-1)
    earliest = max(full - 1, -1)  # the ACK that decides it may still grow the window in full, as in HyStart++
    if "reduced" in grown[full + 1 :]:
        return Exit(earliest, grown.index("reduced", full + 1), "growth")
    if known is None:
        return None
    return Exit(end - 1 if known[1] == "threshold" else earliest, *known)


def _first_evidence(before: Sequence[int], answers: Sequence[Answer]) -> tuple[int, str] | None:
    """Return the first event that shows that slow start is over. A state from which it is resumed does not."""
    left: tuple[int, str] | None = None
    for index, (old_bytes, now) in enumerate(zip(before, answers, strict=True)):
        if now.ssthresh_bytes is not None and now.cwnd_bytes >= now.ssthresh_bytes:
            return left or (index, "threshold")
        if now.cwnd_bytes < old_bytes:
            return left or (index, "smaller window")
        left = None if now.state in (None, SLOW_START) else left or (index, "state")
    return left


def _growth(event: Event, old_bytes: int, now: Answer, *, unsure: bool) -> str:
    """Return whether an ACK grew the window in ``full`` or by less (``reduced``); the empty string if it need not grow it."""
    grown_bytes = now.cwnd_bytes - old_bytes
    if not isinstance(event, Ack) or event.app_limited or not now.reported or grown_bytes < int(unsure):
        return ""
    return "full" if grown_bytes >= event.bytes else "reduced"

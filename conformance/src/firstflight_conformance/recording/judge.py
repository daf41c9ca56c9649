"""Judges a recording: the exit first, then the growth event by event, then the windows. The three are not mixed into one number."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from firstflight import profiles
from firstflight.controller import ALGORITHMS
from firstflight.events import Event, Sent
from firstflight_conformance.recording.exit import (
    Answer,
    Exit,
    answers_of,
    exit_of,
    initial_window_bytes,
    known_before,
    windows_before,
)
from firstflight_conformance.recording.follow import Run, follow
from firstflight_conformance.recording.limits import app_limited_acks, app_limited_events, rule_of
from firstflight_conformance.recording.recording import Recording


@dataclass(frozen=True, slots=True)
class Share:
    """How many of how many are equal."""

    equal: int
    of: int

    @property
    def all(self) -> bool:
        """Whether none differs."""
        return self.equal == self.of

    @property
    def differing_tenths(self) -> int:
        """The part that differs in tenths, rounded up."""
        return -(-10 * (self.of - self.equal) // self.of) if self.of else 0

    def __str__(self) -> str:
        """Return it in words."""
        return f"{self.equal} of {self.of}"


@dataclass(frozen=True, slots=True)
class Standing:
    """How a profile stands to the recording.

    ``exit``: ``same`` event as the subject's, ``inside`` the interval in which the subject left slow start, ``differs``, or ``none``
    where neither left it. ``model_exit``: the event of the profile's exit that is nearest to the subject's, ``distance`` how many
    events lie between. ``growth_after`` is that after the subject's exit. ``first``: the first event whose growth differs. ``run``: the model with
    the subject's windows, ``alone``: with its own.
    """

    profile: str
    exit: str
    model_exit: int | None
    distance: int
    growth_to_exit: Share
    growth_after: Share
    windows: Share
    first: int | None
    run: Run
    alone: Run
    rank: int = 0

    @property
    def growth(self) -> Share:
        """The growth before and after the exit."""
        to_exit, after = self.growth_to_exit, self.growth_after
        return Share(to_exit.equal + after.equal, to_exit.of + after.of)

    @property
    def key(self) -> tuple[bool, int, int, int]:
        """What profiles are ranked by, the best first. After the exit a few windows are equal by chance: there tenths count."""
        to_exit = self.growth_to_exit
        return self.exit == "differs", self.distance, to_exit.of - to_exit.equal, self.growth_after.differing_tenths


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a recording says of profiles, the best first. ``subject_exit``: where the subject left slow start.

    ``rule``: by which ACKs were taken for app-limited, ``app_limited`` how many. ``events``: what the models were given, ``before``
    the subject's window before each of them, ``given`` the same where it is known, ``begin`` the first that the algorithms saw. ``left_out``: the algorithms that were not tried, each with the reason.
    """

    recording: Recording
    events: tuple[Event, ...]
    before: tuple[int, ...]
    given: tuple[int | None, ...]
    begin: int
    answers: tuple[Answer, ...]
    subject_exit: Exit | None
    rule: str
    app_limited: int
    standings: tuple[Standing, ...]
    left_out: dict[str, str]


def fit(recording: Recording, *, start: str = "first-ack", app_limited: str | None = None) -> Judgement:
    """Rank every profile, on either base, by how well it explains the recording."""
    return judge(recording, None, start=start, app_limited=app_limited)


def judge(
    recording: Recording,
    names: Iterable[str] | None,
    *,
    start: str = "first-ack",
    app_limited: str | None = None,
) -> Judgement:
    """Judge a recording by profiles, each ``algorithm/profile``, and rank them. ``None``: by all that something in it starts.

    ``start``: ``application`` lets the algorithms begin at the first ACK of application data. ``app_limited``: a rule of
    :mod:`~firstflight_conformance.recording.limits`. Raise :class:`ValueError` where the recording does not allow what is asked.
    """
    answers, first_bytes = answers_of(recording), initial_window_bytes(recording)
    rule = rule_of(recording, app_limited)
    events = app_limited_events(recording, answers, first_bytes, rule)
    before = windows_before(answers, first_bytes)
    given = known_before(recording, before)
    left = exit_of(events, before, answers)
    subject = _Subject(recording, events, before, given, answers, left, _begin(recording, start))
    chosen, left_out = _all(events) if names is None else (list(names), {})
    standings = _ranked([subject.standing(name) for name in chosen])
    return Judgement(
        recording, events, tuple(before), tuple(given), subject.begin, tuple(answers), subject.exit, rule, app_limited_acks(events),
        standings, left_out,
    )  # fmt: skip


def _begin(recording: Recording, start: str) -> int:
    if start == "first-ack":
        return 0
    first = recording.header.quality.get("first_application_step")
    if first is None:
        raise ValueError("--start application: the recording does not say which ACK is the first of application data")
    return int(first)


def _all(events: Sequence[Event]) -> tuple[list[str], dict[str, str]]:
    chosen, left_out = [], {}
    for algorithm, known in profiles(composed=True).items():
        kind = ALGORITHMS[algorithm].started_by
        if kind is not None and not any(isinstance(event, kind) for event in events):
            left_out[algorithm] = "nothing in the recording starts it: until then it is its base controller"
        else:
            chosen += [f"{algorithm}/{profile}" for profile in known]
    return chosen, left_out


@dataclass(frozen=True, slots=True)
class _Subject:
    """The subject's side: its windows before and after each event, and where it left slow start."""

    recording: Recording
    events: tuple[Event, ...]
    before: Sequence[int]
    given: Sequence[int | None]
    answers: Sequence[Answer]
    exit: Exit | None
    begin: int

    def standing(self, name: str) -> Standing:
        config = self.recording.header.config
        labelled = any(answer.state is not None for answer in self.answers)
        run, strict = follow(name, config, self.events, self.given, begin=self.begin, labelled=labelled)
        how, nearest, distance = compare_exits(self.exit, run.exits)
        if distance is None:  # one never leaves: no other exit is farther away
            distance = len(self.events)
        end = len(self.events) if self.exit is None else self.exit.by
        grown = [index for index in self._judged() if not isinstance(self.events[index], Sent)]
        equal = {index for index in grown if index < len(run.answers) and self._grows_alike(run, index)}
        return Standing(
            name, how, nearest, distance,
            _share(equal, [index for index in grown if index < end]),
            _share(equal, [index for index in grown if index >= end]),
            self._windows(strict),
            next((index for index in grown if index not in equal), None),
            run,
            strict,
        )  # fmt: skip

    def _judged(self) -> list[int]:
        """Return the events after which the subject reported its window; packets sent only where it changed at them."""
        return [
            index
            for index, step in enumerate(self.recording.steps)
            if "cwnd_bytes" in step.subject
            and (not isinstance(step.event, Sent) or self.answers[index].cwnd_bytes != self.before[index])
        ]

    def _grows_alike(self, run: Run, index: int) -> bool:
        return run.answers[index].cwnd_bytes == self.answers[index].cwnd_bytes

    def _windows(self, strict: Run) -> Share:
        judged = self._judged()
        equal = {
            index
            for index in judged
            if index < len(strict.answers) and strict.answers[index].cwnd_bytes == self.answers[index].cwnd_bytes
        }
        return _share(equal, judged)


def _share(equal: set[int], of: Sequence[int]) -> Share:
    return Share(sum(index in equal for index in of), len(of))


def compare_exits(subject: Exit | None, exits: Sequence[int]) -> tuple[str, int | None, int | None]:
    """Return how a profile's exit stands to the subject's, its event, and how many events lie between: 0 within the interval.

    The distance is ``None`` where only one of the two left slow start.
    """
    if subject is None:
        return ("differs", exits[0], None) if exits else ("none", None, 0)
    if not exits:
        return "differs", None, None
    distance, nearest = min((_outside(subject, index), index) for index in exits)
    if subject.by in exits:
        return "same", subject.by, 0
    return ("inside" if distance == 0 else "differs"), nearest, distance


def _outside(subject: Exit, index: int) -> int:
    return max(subject.after + 1 - index, index - subject.by, 0)


def _ranked(standings: Sequence[Standing]) -> tuple[Standing, ...]:
    """Return the standings, the best first; those with the same key share a rank, and the next is counted from them on."""
    ordered = sorted(standings, key=lambda standing: (standing.key, standing.profile))
    keys = [standing.key for standing in ordered]
    return tuple(replace(standing, rank=keys.index(standing.key) + 1) for standing in ordered)

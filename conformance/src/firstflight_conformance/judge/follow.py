"""Runs a profile along a recording, with the sender's window before each event, and collects its answers.

With a compiler the C port is used (``simulator/follow.c``), otherwise the model in Python. Their answers are equal.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from ctypes import POINTER, Array, byref, c_char, c_char_p, c_size_t, c_uint64, create_string_buffer
from dataclasses import dataclass, replace
from functools import cache
from struct import Struct
from typing import Any

from firstflight import Config
from firstflight.controller import ALGORITHMS
from firstflight.delivery_rate import with_samples
from firstflight.errors import DomainError
from firstflight.events import Event, Sent
from firstflight.observables import EXITS, LEAVES, Observation, Outcome, Phase
from firstflight_conformance.judge.packed import ConfigLayout, PackedEvents, config_layout
from firstflight_conformance.replay.implementation import Model, drive
from firstflight_conformance.simulate.native import NativeError, library
from firstflight_conformance.simulate.native_events import NONE

#: Outcomes that leave slow start, possibly for a while. Profiles that drain or resume are in slow start by their phase.
LEAVING = frozenset({*EXITS, *LEAVES})
_OUTCOMES, _PHASES = tuple(Outcome), tuple(Phase)
_LEAVING = frozenset(index for index, outcome in enumerate(_OUTCOMES) if outcome in LEAVING)
_RESUMED = _OUTCOMES.index(Outcome.SLOW_START_RESUMED)
_CHANGES = _LEAVING | {_RESUMED}
_ANSWER = Struct("@QQQQ")
#: Window, ssthresh, phase and outcome after an event, as numbers of the port; ``NONE`` for absent values.
Followed = tuple[int, int, int, int]
#: Event of a way's decision to leave slow start, and event of the answer that shows it; each may be None.
Exits = tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class Question:
    """Input for every profile: the sender's events and windows.

    ``given``: the sender's window before each event, or None if unknown. ``after``: the sender's window after each
    event if it is compared. ``begin``: the first event that the algorithm sees. ``most``: stop following a profile if
    more than this number of its windows differ from ``after``. ``unit_bytes``: windows are compared in whole units,
    since TCP reports whole segments. Before each event the sender's known window replaces the profile's window, unless
    both contain the same number of whole units.
    """

    config: Config
    events: Sequence[Event]
    given: Sequence[int | None]
    after: Sequence[int | None]
    begin: int
    most: int
    unit_bytes: int = 1


@dataclass(frozen=True, slots=True)
class Way:
    """Answers of a profile to the events of a recording, with its exit from slow start.

    ``decided``: event with the outcome that leaves slow start. ``shown``: first event with a window not below ssthresh.
    Each is an index, or None without such an event.
    """

    answers: list[Followed]
    decided: int | None
    shown: int | None

    @property
    def exits(self) -> tuple[int, ...]:
        """The events that may count as the profile's exit from slow start: the decision, and the first that shows it.

        The tuple is empty if the profile does not leave slow start, and has one index if both are the same event.
        """
        return tuple(dict.fromkeys(index for index in (self.decided, self.shown) if index is not None))

    def outcome(self, index: int) -> str:
        """Return the outcome reported at an event."""
        number = self.answers[index][3]
        return "unseen" if number == NONE else _OUTCOMES[number].value

    def phase(self, index: int) -> str | None:
        """Return the phase after an event."""
        number = self.answers[index][2]
        return None if number == NONE else _PHASES[number].value


class Follower:
    """Gives the events of one recording to the models of profiles, and returns their observations."""

    def __init__(self, question: Question) -> None:
        """Store the question: the sender's events and windows.

        Load the C port of the model if a compiler is available.
        """
        self.question = question
        self._function: Any = None
        self._laid_out: dict[bool, _LaidOut] = {}
        with suppress(NativeError):
            self._function = _function()

    def follow(self, name: str) -> Way:
        """Return the answers of profile ``name``, ``algorithm/profile``, with the events of its exit from slow start.

        The answers end before an event that the profile refuses, or when too many windows differ from the sender's.
        """
        if self._function is None:
            return way_of(_in_python(asked(self.question, name), name))
        samples = _asks_for_samples(name)
        if samples not in self._laid_out:
            self._laid_out[samples] = _LaidOut(asked(self.question, name))
        return way_of(self._laid_out[samples].follow(self._function, name))


def asked(question: Question, name: str) -> Question:
    """Return the question (the sender's events and windows) for a profile.

    Delivery-rate samples are added to the events if the algorithm uses them. ``name`` is ``algorithm/profile``.
    """
    return replace(question, events=with_samples(question.events)) if _asks_for_samples(name) else question


def _asks_for_samples(name: str) -> bool:
    return ALGORITHMS[name.partition("/")[0]].samples_rate


def observed(question: Question, name: str) -> Observation | None:
    """Return the model's observation after the last event, or before the first event that is outside its domain.

    Return None without a processed event. Also return None if the last one precedes ``question.begin``, where the
    algorithm begins, and is not a sent packet. ``name``: the profile, ``algorithm/profile``.
    """
    last: Observation | None = None
    for observation in _observations(asked(question, name), name):
        last = None if isinstance(observation, int) else observation
    return last


def windows_alone(name: str, config: Config, events: Sequence[Event], begin: int = 0) -> list[int]:
    """Return the window of a profile in bytes after each event, computed by the model alone.

    In comparisons a sender's windows replace the model's window before each event; here they do not. The list ends
    before an event that the profile refuses. Before event ``begin`` the algorithm processes only sent packets.
    """
    unknown = [None] * len(events)
    way = Follower(Question(config, events, unknown, unknown, begin, len(events))).follow(name)
    return [answer[0] for answer in way.answers]


class _LaidOut:
    def __init__(self, question: Question) -> None:
        self.config: ConfigLayout = config_layout(question.config)
        self.events = PackedEvents(question.events)
        self.given, self.after = _numbers(question.given), _numbers(question.after)
        self.begin, self.most, self.unit_bytes = question.begin, question.most, question.unit_bytes
        self.answers: Array[c_char] = create_string_buffer(_ANSWER.size * max(self.events.count, 1))

    def follow(self, function: Any, name: str) -> list[Followed]:
        algorithm, _, profile = name.partition("/")
        count = function(
            algorithm.encode(), profile.encode(), byref(self.config), self.events.buffer, self.given, self.after,
            self.events.count, self.begin, self.most, self.unit_bytes, self.answers,
        )  # fmt: skip
        answers: Any = _ANSWER.iter_unpack(self.answers.raw[: _ANSWER.size * count])
        return list(answers)


def _numbers(values: Sequence[int | None]) -> Array[c_uint64]:
    return (c_uint64 * max(len(values), 1))(*(NONE if value is None else value for value in values))


@cache
def _function() -> Any:
    function = library().sim_follow
    function.argtypes = [
        c_char_p, c_char_p, POINTER(ConfigLayout), c_char_p, POINTER(c_uint64), POINTER(c_uint64), c_size_t, c_size_t, c_size_t,
        c_uint64, c_char_p,
    ]  # fmt: skip
    function.restype = c_size_t
    return function


def _in_python(question: Question, name: str) -> list[Followed]:
    answers: list[Followed] = []
    differing, unit_bytes = 0, question.unit_bytes
    for observation, after in zip(_observations(question, name), question.after, strict=False):
        answers.append(followed(observation))
        differing += after is not None and answers[-1][0] // unit_bytes != after // unit_bytes
        if differing > question.most:
            return answers
    return answers


def followed(observation: Observation | int) -> Followed:
    """Return an observation of the model as the C port reports it: four integers.

    These are window and ssthresh in bytes, and the indexes of phase and outcome. ``NONE`` replaces an infinite
    ssthresh. An ``int`` is a window alone; the other three numbers are then ``NONE``.
    """
    if isinstance(observation, int):
        return observation, NONE, NONE, NONE
    threshold = NONE if observation.ssthresh_bytes is None else observation.ssthresh_bytes
    return observation.cwnd_bytes, threshold, _PHASES.index(observation.phase), _OUTCOMES.index(observation.outcome)


def _observations(question: Question, name: str) -> Iterator[Observation | int]:
    """Yield the model's observation after each event, up to the first event that the model refuses.

    Before event ``question.begin`` the algorithm processes only sent packets. For the other events before it, yield
    only the window in bytes: the sender's if known, otherwise the model's. ``question``: the sender's events and
    windows. ``name``: the profile.
    """
    run = _GivenRun(question, name)
    with suppress(DomainError):
        yield from drive(run, question.events)


class _GivenRun:
    """A profile of the model that is given the sender's window before each event."""

    def __init__(self, question: Question, name: str) -> None:
        algorithm, _, profile = name.partition("/")
        self._run = Model(algorithm, profile).begin(question.config)
        self._question, self._index = question, 0

    def on(self, event: Event) -> Observation | int:
        question, index = self._question, self._index
        self._index += 1
        base, known_bytes, unit_bytes = self._run.controller.base, question.given[index], question.unit_bytes
        if known_bytes is not None and base.cwnd_bytes // unit_bytes != known_bytes // unit_bytes:
            base.cwnd_bytes = known_bytes
        observation: Observation | int = (
            self._run.on(event) if index >= question.begin or isinstance(event, Sent) else base.cwnd_bytes
        )
        return observation


def way_of(answers: list[Followed]) -> Way:
    """Return the way of a profile: its answers, with the events of its exit from slow start."""
    exits: Exits = None, None
    for index, answer in enumerate(answers):
        if answer[0] >= answer[1] or answer[3] in _CHANGES:
            exits = exits_after(exits, index, answer)
    return Way(answers, *exits)


def exits_after(exits: Exits, index: int, answer: Followed) -> Exits:
    """Return ``exits`` after event ``index`` with the profile's ``answer``.

    ``exits``: events of the profile's decision to leave slow start, and of its first window not below ssthresh, or None
    before these. If slow start is resumed, both are first reset to None.
    """
    cwnd, threshold, _, outcome = answer
    if outcome == _RESUMED:
        exits = None, None
    elif exits[0] is None and outcome in _LEAVING:
        exits = index, exits[1]
    return (exits[0], index) if exits[1] is None and cwnd >= threshold else exits

"""A profile beside a recording: the model takes the events, with the subject's window before each of them or with its own."""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace

from firstflight import Config, advance, create
from firstflight.errors import DomainError
from firstflight.events import Ack, Event, Sent
from firstflight.observables import EXITS, LEAVES, Outcome
from firstflight_conformance.cases.ledger import RttEstimator
from firstflight_conformance.recording.exit import Answer, Exit, exit_of
from firstflight_conformance.recording.recording import STATES

#: The outcomes with which a model leaves slow start, be it for a while; what drains or resumes is in slow start by its phase.
LEAVING = {*EXITS, *LEAVES}


@dataclass(frozen=True, slots=True)
class Run:
    """What a model answered after each event, and where it left slow start.

    ``decided``: the first event with an outcome that leaves it, and does not resume it; ``shown``: where its answers show it. ``refused``: why the model
    took no further event.
    """

    answers: tuple[Answer, ...]
    decided: int | None
    shown: Exit | None
    refused: str = ""

    @property
    def exits(self) -> tuple[int, ...]:
        """The events that may be called the exit: that of the decision, and that at which it shows.

        Empty where nobody could see it yet: what drains its flight first shows its decision at the end of that.
        """
        if self.shown is None:
            return ()
        return (self.shown.by,) if self.decided is None else tuple(dict.fromkeys((self.decided, self.shown.by)))


class _Follower:
    """A model on its way through the events."""

    def __init__(self, name: str, config: Config, *, labelled: bool = True) -> None:
        self.labelled = labelled
        algorithm, _, profile = name.partition("/")
        self.controller = create(algorithm, profile, config)
        self.before: list[int] = []
        self.answers: list[Answer] = []
        self.decided: int | None = None
        self.refused = ""

    def fork(self) -> "_Follower":
        """Return another one that has come as far."""
        other = copy(self)
        other.controller = self.controller.copy()
        other.before, other.answers = [*self.before], [*self.answers]
        return other

    def give(self, window_bytes: int) -> None:
        """Give the model another window."""
        self.controller.base.cwnd_bytes = window_bytes

    @property
    def window_bytes(self) -> int:
        """The model's window."""
        return self.controller.base.cwnd_bytes

    def take(self, event: Event, *, seen: bool) -> None:
        """Take an event; what is not ``seen`` by the algorithm changes nothing but what is sent."""
        if self.refused:
            return
        before_bytes = self.window_bytes
        if not seen and not isinstance(event, Sent):
            self.before.append(before_bytes)
            self.answers.append(Answer(before_bytes))
            return
        try:
            observation = advance(self.controller, event)
        except DomainError as error:
            self.refused = f"event {len(self.answers)}: {error}"
            return
        if observation.outcome is Outcome.SLOW_START_RESUMED:
            self.decided = None
        if self.decided is None and observation.outcome in LEAVING:
            self.decided = len(self.answers)
        phase = observation.phase.value if self.labelled else None
        self.before.append(before_bytes)
        self.answers.append(
            Answer(observation.cwnd_bytes, observation.ssthresh_bytes, phase if phase in STATES else None)
        )

    def run(self, events: Sequence[Event]) -> Run:
        """Return what it answered."""
        shown = exit_of(events, self.before, self.answers)
        return Run(tuple(self.answers), self.decided, shown, self.refused)


def follow(
    name: str,
    config: Config,
    events: Sequence[Event],
    reported: Sequence[int | None],
    *,
    begin: int = 0,
    labelled: bool = True,
) -> tuple[Run, Run]:
    """Drive the model of a profile, ``algorithm/profile``, through events, in two ways; return both runs.

    In the first it is given the subject's window, ``reported``, before each event where it is known, so that one odd rule costs its own events and no
    later ones; in the second it is left alone. ``begin``: the first event that the algorithm sees; before it, only what is sent is counted.
    ``labelled``: whether the subject reports its state; else the model's is not looked at either, or its exit would show sooner.
    """
    given = alone = _Follower(name, config, labelled=labelled)
    for index, event in enumerate(events):
        window_bytes = reported[index]
        if window_bytes is not None and window_bytes != given.window_bytes:
            given = alone.fork() if given is alone else given  # up to here both ways are the same
            given.give(window_bytes)
        if given is not alone:
            alone.take(event, seen=index >= begin)
        given.take(event, seen=index >= begin)
    return given.run(events), alone.run(events)


def decision(
    name: str, config: Config, events: Sequence[Event], reported: Sequence[int | None], *, begin: int = 0
) -> int | None:
    """Return the event at which the model decides to leave slow start when it is given the subject's windows, ``None`` if at none."""
    follower = _Follower(name, config)
    for index, event in enumerate(events):
        window_bytes = reported[index]
        if window_bytes is not None:
            follower.give(window_bytes)
        follower.take(event, seen=index >= begin)
    return follower.decided


def with_flags(events: Sequence[Event], app_limited: Callable[[int, Ack], bool]) -> tuple[Event, ...]:
    """Return the events with ``app_limited`` of each ACK decided anew."""
    return tuple(
        replace(event, app_limited=app_limited(index, event)) if isinstance(event, Ack) else event
        for index, event in enumerate(events)
    )


def with_samples(events: Sequence[Event], move: Callable[[int], int]) -> tuple[Event, ...]:
    """Return the events with each RTT sample moved, and the estimates that follow."""
    rtt = RttEstimator()
    found: list[Event] = []
    for event in events:
        if not isinstance(event, Ack) or event.latest_rtt_ns is None:
            found.append(event)
            continue
        rtt.sample(max(move(event.latest_rtt_ns), 1), event.ack_delay_ns)
        found.append(
            replace(event, latest_rtt_ns=rtt.latest_ns, min_rtt_ns=rtt.min_ns, smoothed_rtt_ns=rtt.smoothed_ns)
        )
    return tuple(found)

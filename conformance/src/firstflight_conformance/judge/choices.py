"""Tests whether a profile explains a connection with alternatives at its open points, as ``run`` does for adapters.

The model continues from the sender's window before each event, so only alternatives that affect the window or the exit
matter.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Any

from firstflight import profiles
from firstflight.events import Event, Sent
from firstflight_conformance.compare.options import Models, models_of
from firstflight_conformance.compare.position import PendingStep, Position, Walker
from firstflight_conformance.compare.profile import values_taken
from firstflight_conformance.compare.relation import (
    Answered,
    ConformingWay,
    Judgement,
    Limits,
    explained_answered,
    judge_answered,
)
from firstflight_conformance.judge.explain import ONE_OF, ComparedProfile, Explainer, ProfileComparison
from firstflight_conformance.judge.follow import Exits, Followed, Way, asked, exits_after, followed
from firstflight_conformance.judge.leaving import Left, Point
from firstflight_conformance.records.findings import Choice
from firstflight_conformance.replay.variant import Variant

#: Limits for one connection: about two seconds. Few answers require two alternatives that only act together.
_LIMITS = Limits(25_000, walks=((1, 3),), silent=0)
#: Number of profiles tried if none was requested, each of a different algorithm.
_NEAREST = 4


def with_choices(
    explainer: Explainer, explained: Sequence[ComparedProfile], sender_exit: Left, *, requested: bool
) -> tuple[tuple[ComparedProfile, ...], bool]:
    """Compare the sender with refuted profiles that take alternatives at their open points.

    An open point is a choice left to the implementer. Return all profiles, and whether the nearest refuted profile was
    tried with all alternatives. If no profile was requested, only the nearest profiles of up to four algorithms are
    tried. Profiles stay refuted if the limit of 25000 events, processed for all profiles together, is reached before
    them.
    """
    refuted = sorted(
        (compared for compared in explained if compared.refuted is not None),
        key=lambda compared: _distance(compared, sender_exit),
    )
    by_name: dict[str, ComparedProfile] = {}
    comparison, steps, complete = explainer.comparison, _LIMITS.steps, True
    for number, compared in enumerate(refuted if requested else _nearest(refuted)):
        if steps <= 0:
            break
        # Only a reduction shows the base.
        for name in _bases(compared.profile) if requested and sender_exit.evidence == "loss" else [compared.profile]:
            chosen, judged = _one(comparison, name, steps)
            steps, complete = steps - judged.steps, complete and not (judged.undecided and number == 0)
            if chosen is not None:
                by_name[compared.profile] = replace(chosen, profile=compared.profile)
            if chosen is not None or (judged.died or 0) < (sender_exit.by or 0):
                break
    return tuple(by_name.get(compared.profile, compared) for compared in explained), complete


def _nearest(refuted: Sequence[ComparedProfile]) -> list[ComparedProfile]:
    """Return the nearest profile with open points, one for each of up to four algorithms.

    An open point is a choice that a text leaves to the implementer. Only open points of the algorithm itself count:
    those in the base controller do not explain an exit from slow start. Profiles on another base (``+`` in the name)
    are skipped. ``refuted``: refuted profiles, nearest to the sender first.
    """
    nearest: dict[str, ComparedProfile] = {}
    for compared in refuted:
        algorithm, _, profile = compared.profile.partition("/")
        if len(nearest) == _NEAREST or algorithm in nearest or "+" in profile:
            continue
        if any(option.point.algorithm == algorithm for option in models_of(algorithm, profile).options.values()):
            nearest[algorithm] = compared
    return list(nearest.values())


def _distance(compared: ComparedProfile, sender_exit: Left) -> tuple[float, ...]:
    """Return the sort key of a refuted profile: distance to the sender's exit, agreement in growth, refuting event."""
    assert compared.refuted is not None
    by = sender_exit.by
    apart = (max(sender_exit.after + 1 - index, index - by, 0) for index in compared.exits if by is not None)
    return min(apart, default=inf), -compared.equal / max(compared.counted, 1), -compared.refuted.event


def _bases(name: str) -> list[str]:
    algorithm, _, profile = name.partition("/")
    cubic_profile = f"{profile}+cubic"
    return [name, *([f"{algorithm}/{cubic_profile}"] if cubic_profile in profiles(composed=True)[algorithm] else [])]


def _one(comparison: ProfileComparison, name: str, most: int) -> tuple[ComparedProfile | None, Judgement]:
    """Return a profile with alternatives that explain the sender, and the result of the search for them.

    Alternatives are permitted choices other than the model's. The profile is None if the search finds no explanation,
    or one that needs no alternative. ``comparison``: the sender's events and windows. ``name``: the profile,
    ``algorithm/profile``. ``most``: largest number of events that the search may process.
    """
    models = models_of(*name.split("/"))
    judged = judge_answered(_answered(comparison, name), models, replace(_LIMITS, steps=most))
    if not judged.ways:
        return None, judged
    (end, *_), (way, *_) = judged.ends, judged.ways
    assert isinstance(end, _Position) and end.explained is not None
    # Without choices the other comparisons of the judge decide.
    choices = tuple(_choices(models, name, way))
    return (replace(end.explained, choices=choices, settled=way.taken) if choices else None), judged


def holds(explainer: Explainer, name: str, alternatives: frozenset[str]) -> bool:
    """Return whether a profile explains the sender with exactly these alternatives, on its base controller or on CUBIC.

    ``alternatives``: ids of permitted choices other than the model's, made for the whole connection. ``name``: the
    profile, ``algorithm/profile``.
    """
    comparison = explainer.comparison
    return any(
        explained_answered(_answered(comparison, base_name), models_of(*base_name.split("/")), alternatives) is not None
        for base_name in _bases(name)
    )


def choice_json(choice: Choice) -> dict[str, str]:
    """Return a choice as JSON."""
    return {"point": choice.point.id, "choice": choice.cause, "what": choice.what, "source": choice.point.source}


def _choices(models: Models, name: str, way: ConformingWay) -> Iterator[Choice]:
    for alternative, option in models.options.items():
        if alternative in way.taken | way.moments:
            yield Choice(option.point, alternative, option.candidate.what, option.point.clauses, (name,))
    yield from values_taken({name: way.values})


def _answered(comparison: ProfileComparison, name: str) -> Answered:
    windows, thresholds = comparison.windows, comparison.thresholds
    observed: list[dict[str, Any]] = [{"cwnd_bytes": window} for window in windows]
    for answer, threshold in zip(observed, thresholds or (), strict=False):
        answer["ssthresh_bytes"] = threshold
    return Answered(asked(comparison.question, name).events, observed, partial(_Windows, comparison, name))


class _Windows(Walker):
    """A variant of the model that is given the sender's window before each event."""

    def __init__(self, comparison: ProfileComparison, name: str, variant: Variant) -> None:
        algorithm, _, profile = name.partition("/")
        super().__init__(algorithm, profile, comparison.question.config, variant)
        self.name, self.comparison = name, comparison
        self.points = {point.index: point for point in (*comparison.points, *comparison.later)}

    def begin(self) -> Position:
        """Return the position before the first event."""
        first = super().begin()
        return _Position(self, first.controller, first.bounds)

    def step(self, position: Any, event: Event) -> PendingStep:
        """Return the step of the profile's model at an event, starting from the sender's window if known.

        The profile's algorithm begins at event ``comparison.question.begin``. At earlier events the model processes
        only sent packets. The other earlier events do not change its state, except that its window becomes the
        sender's if known.
        """
        question, index = self.comparison.question, position.count
        before, known_bytes = self.before(position), question.given[index]
        if (
            known_bytes is not None
            and before.base.cwnd_bytes // question.unit_bytes != known_bytes // question.unit_bytes
        ):
            before = before.copy()
            before.base.cwnd_bytes = known_bytes
        controller = before.copy()
        unseen = index < question.begin and not isinstance(event, Sent)
        observation = controller.base.cwnd_bytes if unseen else self.variant.advance(controller, event)
        return _StepAlong(self, position, before, event, controller, observation)

    def counted(self, point: Point, position: Any, window_bytes: int) -> tuple[int, int, bool]:
        """Return the counts of differences up to the ACK ``point``, with the model's ``window_bytes`` after it.

        The result has three parts: the number of ACKs with a window other than the sender's, and the sum of these
        differences in bytes. The third part is whether the sum always stayed within one datagram. Counting restarts at
        the sender's exit from slow start.
        """
        question, index = self.comparison.question, point.index
        apart_bytes = window_bytes // question.unit_bytes * question.unit_bytes - (self.comparison.windows[index] or 0)
        # The growth after the sender's exit is counted separately.
        begins = bool(self.comparison.later) and index == self.comparison.later[0].index
        before = (0, 0, True) if begins else (position.differing, position.apart_bytes, position.within)
        sum_bytes = before[1] + apart_bytes
        within = before[2] and abs(sum_bytes) <= self.config.max_datagram_size_bytes
        return before[0] + (apart_bytes != 0), sum_bytes, within

    def agrees(self, point: Point, counted: tuple[int, int, bool]) -> bool:
        """Return whether the windows of model and sender agree up to the ACK ``point``.

        Windows may differ at one in 20 compared ACKs, or at more if the sum of the differences stays within one
        datagram. After the sender's exit from slow start this sum always suffices. Before it, the sum suffices only if
        the sender grows its window by whole datagrams (``in_sum`` of the comparison). ``counted``: the number of
        differing windows, the sum of the differences in bytes, and whether the sum stayed within one datagram.
        """
        differing, _, within = counted
        later = self._is_later(point)
        most = len(self.comparison.later if later else self.comparison.points)
        return differing * ONE_OF <= most or (within and (later or self.comparison.in_sum))

    def grows_after_exit(self, point: Point, exits: Exits) -> bool:
        """Return whether the sender still grows its window in slow start although the model has left it.

        ``point``: the ACK with the growth. ``exits``: events of the model's decision to leave slow start, and of its
        first window not below ssthresh. Both must precede the ACK and the sender's own exit.
        """
        before = [index for index in exits if index is not None and index < point.index]
        grows = len(before) == 2 and point.grown_bytes != 0 and max(before) <= self.comparison.left.after
        return grows and not self._is_later(point)

    def _is_later(self, point: Point) -> bool:
        by = self.comparison.left.by
        return by is not None and point.index >= by


@dataclass(slots=True)
class _Position(Position):
    """A position along a recording: state of the model, and its answers so far, a linked list with the last one first.

    ``exits``: events of the model's exit from slow start. ``differing``: number of ACKs with a window other than the
    sender's. ``apart_bytes``: sum of these differences. ``within``: the sum never exceeded a datagram. ``explained``:
    comparison of the profile with the sender at its exit from slow start or after the last event, None before.
    """

    count: int = 0
    answers: tuple[Followed, Any] | None = None
    exits: Exits = (None, None)
    differing: int = 0
    apart_bytes: int = 0
    within: bool = True
    explained: ComparedProfile | None = None

    def is_cut_by(self, event: Event) -> bool:
        """Return whether the comparison is complete before ``event``, so that it and later events are not compared.

        The comparison is complete when profile and sender have left slow start, or after the last event.
        """
        return self.explained is not None

    @property
    def flags(self) -> tuple[object, ...]:
        """Values that, together with the state of the model, decide whether later windows refute the model.

        The first value is the pair of events that may count as the model's exit from slow start. The others compare the
        windows of model and sender so far. They are the number of ACKs with different windows, the sum of the
        differences in bytes, and whether this sum always stayed within one datagram.
        """
        return self.exits, self.differing, self.apart_bytes, self.within


class _StepAlong(PendingStep):
    """One event processed by the model from a position, before its window is compared with the sender's window."""

    def equals(self, observed: dict[str, Any]) -> bool:
        """Return whether the sender's windows up to this event do not refute the model.

        Then no alternative at an open point is needed. ``observed``: the sender's window and ssthresh after the event.
        """
        point, observation = self.along.points.get(self.position.count), self.observation
        if point is None or isinstance(observation, int) or self._shows(observed):
            return True
        counted = self.along.counted(point, self.position, observation.cwnd_bytes)
        return bool(self.along.agrees(point, counted))

    def _shows(self, observed: dict[str, Any]) -> bool:
        unit_bytes, observation = self.along.comparison.question.unit_bytes, self.observation
        if isinstance(observation, int) or observed["cwnd_bytes"] is None:
            return True
        if observation.cwnd_bytes // unit_bytes != observed["cwnd_bytes"] // unit_bytes:
            return False
        return bool(observation.ssthresh_bytes == observed.get("ssthresh_bytes", observation.ssthresh_bytes))

    def meets(self, index: int, observed: dict[str, Any]) -> Position | None:
        """Return the position after the event, or None if the sender's windows refute the model at this event.

        A position is the state of the model with the choices made so far. ``index``: index of the event. ``observed``:
        the sender's window and ssthresh after it. If they differ from the model's, the model adopts each value of the
        sender that an interval of the specification permits.
        """
        bounds = self.bounds()
        if not self._shows(observed):
            self.follow(bounds, observed)
        if not isinstance(self.observation, int):
            self.remember(bounds)
        answer, before = followed(self.observation), self.position
        position = _Position(
            self.along, self.controller, bounds, count=index + 1, answers=(answer, before.answers),
            exits=exits_after(before.exits, index, answer),
            differing=before.differing, apart_bytes=before.apart_bytes, within=before.within,
        )  # fmt: skip
        return position if self._stands(position, index, answer[0]) else None

    def _stands(self, position: _Position, index: int, window_bytes: int) -> bool:
        """Return whether the sender's windows do not refute the model up to event ``index``.

        ``position``: state of the model after the event, with its answers so far; its counts of differences are
        updated. ``window_bytes``: the model's window after the event. At the sender's exit from slow start and at the
        last event, also compare the exits of model and sender. This includes ssthresh at the sender's exit, or the
        window there if the sender reports no ssthresh. If the model has not left slow start with the sender, this part
        waits for the last event.
        """
        comparison, point, sender_exit = self.along.comparison, self.along.points.get(index), self.along.comparison.left
        if point is not None:
            counted = self.along.counted(point, position, window_bytes)
            position.differing, position.apart_bytes, position.within = counted
            if not self.along.agrees(point, counted) or self.along.grows_after_exit(point, position.exits):
                return False
        exits_here = sender_exit.by is not None and any(
            sender_exit.after < at <= sender_exit.by for at in position.exits if at is not None
        )
        last = len(comparison.question.events) - 1
        if index not in (last, sender_exit.by):
            return True
        # If the exit decides the answer, the growth after it does not matter.
        answers = _answers(position)
        compared = comparison.judged(self.along.name, Way(answers + answers[-1:] * (last - index), *position.exits))
        if index == last or exits_here:
            position.explained = compared
            return compared.refuted is None
        return compared.refuted is None or compared.refuted.event >= (sender_exit.by or 0)


def _answers(position: _Position) -> list[Followed]:
    answers, rest = list[Followed](), position.answers
    while rest is not None:
        answer, rest = rest
        answers.append(answer)
    return answers[::-1]

"""Finds the profiles that explain a connection: its window-limited growth, and its exit from slow start."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate

from firstflight import profiles
from firstflight.controller import ALGORITHMS
from firstflight.events import Ack, Backlog, Event
from firstflight_conformance.judge.follow import Follower, Question, Way
from firstflight_conformance.judge.leaving import Left, Point
from firstflight_conformance.judge.subject import JudgedSender
from firstflight_conformance.records.findings import Choice
from firstflight_conformance.simulate.native_events import NONE

#: At most one in 20 ACKs may differ from a profile that explains the growth.
ONE_OF = 20
#: Windows and thresholds after the exit are equal within 1/50, or two datagrams.
_WITHIN, _WITHIN_DATAGRAMS = 50, 2
#: Algorithms that start when the path has approved a rate, and the only event of a recording that shows a request.
_BY_REQUEST: dict[str, type[Event]] = {"quick-start": Backlog}


@dataclass(frozen=True, slots=True)
class Refutation:
    """Refutation of a profile: the event, the expected and the observed behaviour."""

    profile: str
    event: int
    expected: str
    observed: str


@dataclass(frozen=True, slots=True)
class ComparedProfile:
    """Comparison of a profile with a sender, up to the exit from slow start.

    ``counted``: number of ACKs that changed the profile's window or grew the sender's. ``equal``: number of these with
    equal windows. ``exits``: events that may count as the profile's exit. ``refuted``: the event with expected and
    observed behaviour that refutes the profile, or ``None`` if the sender may be the profile. ``by_exit``: the exit
    refutes the profile, and the growth agrees up to the earlier of the two exits. In a capture, which does not show
    every window: the profile leaves slow start. ``choices``: alternatives at open points (choices left to the
    implementer) that explain the sender. ``settled``: ids of the alternatives that are chosen once for the whole
    connection.
    """

    profile: str
    equal: int
    counted: int
    exits: tuple[int, ...]
    refuted: Refutation | None
    by_exit: bool = False
    choices: tuple[Choice, ...] = ()
    settled: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ProfileComparison:
    """Inputs of a comparison between a sender and a profile.

    The exit is the event where the sender leaves slow start. ``question``: events and windows of the sender, the input
    for each profile. ``judged``: function that takes the answers and the exit of a profile and compares them with the
    sender. ``windows``: the sender's windows, or None where unknown. ``thresholds``: its slow start thresholds, or None
    if it reports none. ``points``: the compared ACKs up to the sender's exit. ``later``: the compared ACKs after it.
    ``left``: the sender's exit. ``in_sum``: the sender grows its window by whole datagrams. More than one in 20 windows
    before the exit may then differ, if the sum of these differences stays within one datagram.
    """

    question: Question
    judged: Callable[[str, Way], ComparedProfile]
    windows: Sequence[int | None]
    thresholds: Sequence[int | None] | None
    points: Sequence[Point]
    later: Sequence[Point]
    left: Left
    in_sum: bool


def candidates(events: Sequence[Event]) -> tuple[list[str], list[str]]:
    """Return the profiles of all algorithms that act on the events, and the names of the other algorithms.

    Some algorithms act only after an event that starts them, such as ``backlog`` for Quick-Start. Without an event of
    this kind they behave as their base controller.
    """
    chosen: list[str] = []
    unstarted: list[str] = []
    for algorithm, known in profiles(composed=True).items():
        kind = ALGORITHMS[algorithm].started_by or _BY_REQUEST.get(algorithm)
        if kind is not None and not any(isinstance(event, kind) for event in events):
            unstarted.append(algorithm)
        else:
            chosen += [f"{algorithm}/{profile}" for profile in known]
    return chosen, unstarted


class Explainer:
    """Compares profiles with one recorded sender."""

    def __init__(self, subject: JudgedSender, *, reduction: bool, events: Sequence[Event] | None = None) -> None:
        """Prepare the comparison of profiles with the sender, up to the sender's exit from slow start.

        ``reduction``: also compare the behaviour at a loss. ``events``: replace the sender's events.
        """
        self._subject, self._reduction = subject, reduction
        self._tells_thresholds = any("ssthresh_bytes" in step.subject for step in subject.recording.steps)
        sender_exit = subject.left
        by = sender_exit.by
        self._end = (
            len(subject.events)
            if by is None
            else max(by + 1, sender_exit.until if sender_exit.evidence == "growth" else 0)
        )
        self._points = [point for point in subject.limited if point.index < (self._end if by is None else by)]
        self._later = [point for point in subject.limited if by is not None and by <= point.index < self._end]
        after: list[int | None] = [None] * self._end
        for point in self._points:
            after[point.index] = subject.answers[point.index].cwnd_bytes
        events = subject.events if events is None else events
        config = subject.recording.header.config
        self._in_datagrams = not any(point.grown_bytes % config.max_datagram_size_bytes for point in self._points)
        most = len(self._points) if self._in_datagrams else len(self._points) // ONE_OF
        question = Question(config, events[: self._end], subject.given[: self._end], after, subject.begin, most)
        self._follower = Follower(question)
        # TCP counts the window in segments. A sender may or may not carry over fractions of a segment.
        whole = replace(question, most=len(self._points) // ONE_OF, unit_bytes=config.max_datagram_size_bytes)
        self._keeping = Follower(whole) if self._in_datagrams else None

    def explain(self, names: Iterable[str]) -> list[ComparedProfile]:
        """Return the comparison of each profile with the sender."""
        return [self._one(name) for name in names]

    @property
    def comparison(self) -> ProfileComparison:
        """The comparison for alternatives at open points: in segments if all windows are whole segments, or exact."""
        answers = self._subject.answers[: self._end]
        windows = [answer.cwnd_bytes if answer.reported else None for answer in answers]
        thresholds = [answer.ssthresh_bytes for answer in answers] if self._tells_thresholds else None
        follower, judged = self._follower, self._by
        size_bytes = self._follower.question.config.max_datagram_size_bytes
        if self._keeping is not None and not any(answer.cwnd_bytes % size_bytes for answer in answers):
            follower, judged = self._keeping, self._by_whole
        return ProfileComparison(
            follower.question,
            partial(judged, exact=True),
            windows,
            thresholds,
            self._points,
            self._later,
            self._subject.left,
            self._in_datagrams,
        )

    def _one(self, name: str) -> ComparedProfile:
        compared = self._by(name, self._follower.follow(name))
        if compared.refuted is None or self._keeping is None:
            return compared
        in_segments = self._by_whole(name, self._keeping.follow(name))
        return compared if in_segments.refuted is not None else in_segments

    def _by_whole(self, name: str, way: Way, *, exact: bool = False) -> ComparedProfile:
        return self._by(name, self._whole(way), exact=exact)

    def _whole(self, way: Way) -> Way:
        """Return the way of a profile, its answers to the events, with windows rounded down to whole segments."""
        size_bytes = self._subject.recording.header.config.max_datagram_size_bytes
        return replace(way, answers=[(answer[0] // size_bytes * size_bytes, *answer[1:]) for answer in way.answers])

    def _by(self, name: str, way: Way, *, exact: bool = False) -> ComparedProfile:
        """Compare a profile with the sender.

        ``way``: the profile's answers to the events, and its exit from slow start. At ACKs between the last logged
        window and the sender's exit, the window may have grown. The window or threshold at the exit may differ by this
        growth, unless ``exact``.
        """
        differing = [point for point in self._points if point.index < len(way.answers) and self._differs(way, point)]
        counted = sum(self._counts(way, point) for point in self._points)
        equal = counted - len(differing)

        def comparison(refuted: Refutation | None, *, by_exit: bool = False) -> ComparedProfile:
            return ComparedProfile(name, equal, counted, way.exits, refuted, by_exit)

        early = self._early(name, way)
        if len(differing) * ONE_OF > counted and not (self._in_datagrams and self._equal_in_sum(way, self._points)):
            first = differing[0]
            if early is not None and early.event <= first.index:
                return comparison(early, by_exit=True)
            return comparison(Refutation(name, first.index, *self._growths(way, first)))
        if len(way.answers) < self._end:
            refused = len(way.answers)
            return comparison(Refutation(name, refused, "an event in its domain", "an event outside its domain"))
        if early is not None:
            return comparison(early, by_exit=True)
        late = self._late(name, way)
        return (
            comparison(late, by_exit=True)
            if late is not None
            else comparison(self._another_end(name, way, exact=exact))
        )

    def _counts(self, way: Way, point: Point) -> bool:
        """Return whether an ACK counts in the comparison: it changed the profile's window or grew the sender's window.

        ``way``: answers of the profile. An ACK after the last answer does not count.
        """
        if point.index >= len(way.answers):
            return False
        return point.grown_bytes != 0 or way.answers[point.index][0] != self._before(point.index)

    def _differs(self, way: Way, point: Point) -> bool:
        return way.answers[point.index][0] != self._subject.answers[point.index].cwnd_bytes

    def _before(self, index: int) -> int:
        return self._subject.before[index]

    def _growths(self, way: Way, point: Point) -> tuple[str, str]:
        expected = way.answers[point.index][0] - self._before(point.index)
        return (
            f"the window grows by {expected} bytes",
            f"by {point.grown_bytes}, where {point.acked_bytes} are acknowledged",
        )

    def _early(self, name: str, way: Way) -> Refutation | None:
        """Return the refutation of a profile that leaves slow start while the sender remains in it, or None.

        ``way``: the profile's answers to the recorded events, and the events that may count as its exit from slow
        start. Return None if the profile does not leave slow start before the sender, or if one of these events is the
        sender's exit. Also return None if no compared ACK after the profile's exit changes the sender's window: the
        exit is then invisible.
        """
        sender_exit, first = self._subject.left, min(way.exits, default=None)
        if first is None or first > sender_exit.after or (sender_exit.by is not None and sender_exit.by in way.exits):
            return None
        later = [point for point in self._points if point.index > first and point.grown_bytes]
        if not later:  # without later growth the exit is invisible
            return None
        outcome = way.outcome(first)
        grows = f"the window goes on growing, by {later[0].grown_bytes} at event {later[0].index}"
        return Refutation(name, first, f"slow start is left ({outcome})", grows)

    def _late(self, name: str, way: Way) -> Refutation | None:
        """Return the refutation of a profile that remains in slow start at the sender's exit, or None."""
        sender_exit = self._subject.left
        if sender_exit.by is None or any(sender_exit.after < index <= sender_exit.by for index in way.exits):
            return None
        if way.answers[sender_exit.by][0] < self._before(sender_exit.by) and sender_exit.evidence in ("window", "loss"):
            return None
        if sender_exit.evidence == "growth" and self._grows_alike(way):
            return None  # the same slower growth, as in Limited Slow-Start and HyStart++
        return Refutation(name, sender_exit.by, "slow start goes on", f"it is left, by the {sender_exit.evidence}")

    def _grows_alike(self, way: Way) -> bool:
        """Return whether a profile has the sender's slower growth after the sender's exit from slow start.

        The windows must agree at all but one in 20 ACKs, or the sums of the growths must differ by at most a datagram.
        """
        if not self._later or self._later[-1].index >= len(way.answers):
            return False
        if ONE_OF * sum(self._differs(way, point) for point in self._later) <= len(self._later):
            return True
        return self._equal_in_sum(way, self._later)

    def _equal_in_sum(self, way: Way, points: Sequence[Point]) -> bool:
        """Return whether the cumulative growths of profile and sender differ by at most one datagram at each ACK.

        The kernel adds whole datagrams and carries the rest, so single ACKs may differ.
        """
        if points[-1].index >= len(way.answers):
            return False
        apart = accumulate(
            way.answers[point.index][0] - self._before(point.index) - point.grown_bytes for point in points
        )
        return max(map(abs, apart)) <= self._subject.recording.header.config.max_datagram_size_bytes

    def _another_end(self, name: str, way: Way, *, exact: bool) -> Refutation | None:
        """Return the refutation of a profile by its ssthresh or window at the sender's exit from slow start, or None.

        The profile agrees with the sender up to this exit. Its ssthresh is compared if the log contains the sender's,
        otherwise its window. Return None if they agree or cannot be compared, or if the sender does not leave slow
        start. Also return None at an exit by loss, unless the explainer compares the behaviour at a loss. ``exact``:
        without a tolerance for growth at ACKs between the last logged window and the exit.
        """
        sender_exit = self._subject.left
        if sender_exit.by is None or (sender_exit.evidence == "loss" and not self._reduction):
            return None
        now = self._subject.answers[sender_exit.by]
        cwnd, threshold, _, _ = way.answers[sender_exit.by]
        if self._tells_thresholds:
            expected = None if threshold == NONE else threshold
            return self._other(name, "ssthresh", expected, now.ssthresh_bytes, exact=exact)
        comparable = now.reported and (sender_exit.by in way.exits or sender_exit.evidence == "window")
        return self._other(name, "cwnd", cwnd, now.cwnd_bytes, exact=exact) if comparable else None

    def _other(
        self, name: str, quantity: str, expected: int | None, observed: int | None, *, exact: bool
    ) -> Refutation | None:
        by = self._subject.left.by
        assert by is not None
        datagram_bytes = self._subject.recording.header.config.max_datagram_size_bytes
        if expected is not None and observed is not None:
            near_bytes = max(_WITHIN_DATAGRAMS * datagram_bytes, expected // _WITHIN)
            near_bytes += 0 if exact else self._untold_bytes(by)
            if abs(expected - observed) <= near_bytes:
                return None
        elif expected is observed:
            return None
        return Refutation(name, by, f"{quantity} {_or_none(expected)}", f"{quantity} {_or_none(observed)}")

    def _untold_bytes(self, by: int) -> int:
        """Return the bytes of the ACKs between the last event with a logged window and event ``by``.

        The window may have grown by up to this number of bytes at these ACKs.
        """
        untold_bytes = 0
        for event, answer in zip(
            reversed(self._subject.events[:by]), reversed(self._subject.answers[:by]), strict=True
        ):
            if answer.reported:
                break
            untold_bytes += event.bytes if isinstance(event, Ack) else 0
        return untold_bytes


def _or_none(number: int | None) -> str:
    return "none" if number is None else str(number)

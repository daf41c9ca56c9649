"""Which profiles explain a connection of whose window only the flight is known, as in a capture: the window was no less than that.

Each profile goes by its own windows, up to two rounds after its own exit: what its base does later is not judged.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, takewhile

from firstflight.controller import ALGORITHMS
from firstflight.events import Ack, Event, Lost, Sent
from firstflight_conformance.judge.explain import ONE_OF, Explained, Refutation
from firstflight_conformance.judge.follow import Follower, Question, Way
from firstflight_conformance.judge.subject import Subject

#: A flight that comes up to the window of a profile at nine of ten bursts follows it; less is that of a paced or limited sender too.
_FOLLOWS_TENTHS = 9
#: That of a profile that paces by the delivery rate comes up to three quarters of it. Its windows follow a rate, which the times of a
#: capture give to one in 32. After its exit it drains: the flight falls to half.
_PACED_QUARTERS, _RATE_ONE_OF, _DRAINED_ONE_OF = 3, 32, 2
#: After the exit the base may be another than the sender's, but no base grows by a tenth in half a round.
_BASE_ONE_OF = 10
_ROUNDS = 2


class AtLeastExplainer:
    """Compares profiles with one subject."""

    def __init__(self, subject: Subject, *, events: Sequence[Event] | None = None) -> None:
        """Ask every profile up to the subject's exit. ``events``: others than the subject's."""
        self._subject = subject
        self._events = events = subject.events if events is None else events
        lost = (index for index, event in enumerate(events) if isinstance(event, Lost))
        end = next(lost, len(events))
        flights = ((point.index, events[point.index]) for point in subject.limited if point.index < end)
        self._flights = [(index, event.bytes_in_flight) for index, event in flights if isinstance(event, Sent)]
        config = subject.recording.header.config
        self._datagram_bytes = config.max_datagram_size_bytes
        # A sender that waits for a whole burst is short of its window by less than two datagrams: more shows the exit.
        left, points = subject.left, [point for point in subject.limited if point.index > subject.left.after]
        missing = accumulate(point.acked_bytes - point.grown_bytes for point in points)
        shown = (each.index for each, short in zip(points, missing, strict=True) if short > 2 * self._datagram_bytes)
        self._shown = max(next(shown, 0), left.by or 0)
        unknown = [None] * end
        self._follower = Follower(Question(config, events[:end], unknown, unknown, subject.begin, end))

    def explain(self, names: Iterable[str]) -> list[Explained]:
        """Return how each profile stands to the subject: where one is followed, those are refuted whose window is larger than the flight."""
        ways = [(name, self._follower.follow(name)) for name in names]
        found = [(self._one(name, way), way) for name, way in ways]
        following = [each for each, _ in found if each.refuted is None and follows(each)]
        filled = any(not _paces_by_rate(each.profile) for each in following)
        if not filled and not any(map(self._drains, following)):
            return [each for each, _ in found]
        return [
            each if each.refuted or self._holds(each, way, filled) else self._unfilled(each, way) for each, way in found
        ]

    def _holds(self, found: Explained, way: Way, filled: bool) -> bool:
        """Return whether a profile still may be it. ``filled``: the flight fills the window of another: nearly is too little then."""
        if not filled or not _paces_by_rate(found.profile):
            return follows(found)
        flights = [each for each in self._flights if each[0] <= min(way.exits, default=len(way.answers) - 1)]
        return 10 * sum(self._near(way, each) for each in flights) >= _FOLLOWS_TENTHS * len(flights)

    def _drains(self, found: Explained) -> bool:
        """Return whether the flight falls after the exit of a profile, which tells one that paces by the delivery rate from others."""
        last_sent = max((index for index, event in enumerate(self._events) if isinstance(event, Sent)), default=0)
        after = takewhile(
            lambda event: not isinstance(event, Lost), self._events[min(found.exits, default=last_sent) : last_sent]
        )
        flights = [event.bytes_in_flight for event in after if isinstance(event, Ack)]
        return any(_DRAINED_ONE_OF * each <= flights[0] for each in flights)

    def _one(self, name: str, way: Way) -> Explained:
        left, first = self._subject.left, min(way.exits, default=len(way.answers))
        paced = _paces_by_rate(name)
        last = first if left.evidence != "growth" or paced else min(first, left.by or 0)
        flights = [each for each in self._flights if each[0] <= last and each[0] < len(way.answers)]
        filled = sum(self._near(way, each) or (paced and self._nearly(way, each)) for each in flights)
        over = [each for each in flights if each[1] > way.answers[each[0]][0] and not self._near(way, each)]
        if paced:
            over = [each for each in over if each[1] * _RATE_ONE_OF > way.answers[each[0]][0] * (_RATE_ONE_OF + 1)]
        refuted: Refutation | None = None
        if len(over) * ONE_OF > len(flights):
            refuted = self._says(name, way, over[0], "at most")
        elif len(way.answers) < min(len(self._events), (left.by or len(self._events)) - 1):
            refuted = Refutation(name, len(way.answers), "an event of its domain", "one that it does not take")
        elif first < left.after and (early := self._early(name, way, first)) is not None:
            refuted = early
        elif left.evidence == "growth" and paced and 2 * filled < len(flights):
            refuted = self._says(name, way, next(each for each in flights if not self._nearly(way, each)), "about")
        elif left.evidence == "growth" and not paced and not any(index <= self._shown for index in way.exits):
            refuted = Refutation(name, left.by or 0, "slow start goes on", "the flight grows by less")
        elif left.evidence == "growth" and not paced:
            refuted = self._after(name, way, first)
        return Explained(name, filled, len(flights), way.exits, refuted, by_exit=bool(way.exits))

    def _near(self, way: Way, flight: tuple[int, int]) -> bool:
        index, flight_bytes = flight
        window_bytes = way.answers[index][0]
        return abs(window_bytes - flight_bytes) <= self._datagram_bytes

    def _nearly(self, way: Way, flight: tuple[int, int]) -> bool:
        return 4 * flight[1] >= _PACED_QUARTERS * way.answers[flight[0]][0]

    def _early(self, name: str, way: Way, first: int) -> Refutation | None:
        """Return what refutes a profile that leaves slow start where the subject goes on."""
        left, most_bytes = self._subject.left, way.answers[first][0]
        end = left.after + 1 if left.evidence == "growth" else len(self._events)
        flights = [each for each in self._flights if first < each[0] <= end]
        later = [each for each in flights if each[1] > most_bytes and not self._near(way, each)]
        if not later:
            return None
        grows = f"the flight goes on growing, to {later[0][1]} bytes at event {later[0][0]}"
        return Refutation(name, first, f"slow start is left at {most_bytes} bytes ({way.outcome(first)})", grows)

    def _after(self, name: str, way: Way, first: int) -> Refutation | None:
        """Return what refutes a profile whose window goes on growing, or stays, where the flight does not."""
        left_bytes = way.answers[first][0]
        rounds: list[list[tuple[int, int]]] = [[]]
        flights = dict(self._flights)
        for index in range(first + 1, len(way.answers)):
            event = self._events[index]
            left_bytes -= event.bytes if isinstance(event, Ack) else 0
            if index in flights:
                rounds[-1].append((index, flights[index]))
            if left_bytes <= 0:
                if len(rounds) == _ROUNDS:
                    break
                left_bytes = way.answers[index][0]
                rounds.append([])
        for each in rounds:
            half = each[len(each) // 2 :]
            if half and all(way.answers[at][0] * (_BASE_ONE_OF - 1) > _BASE_ONE_OF * flight for at, flight in half):
                return self._says(name, way, half[-1], "about")
        return None

    def _unfilled(self, found: Explained, way: Way) -> Explained:
        apart = [each for each in self._flights if each[0] < len(way.answers) and not self._near(way, each)]
        worst = next((each for each in apart if each[1] < way.answers[each[0]][0]), apart[0])
        return replace(found, refuted=self._says(found.profile, way, worst, "about"))

    def _says(self, name: str, way: Way, flight: tuple[int, int], how: str) -> Refutation:
        index, flight_bytes = flight
        return Refutation(name, index, f"{how} {way.answers[index][0]} bytes in flight", f"{flight_bytes}")


def _paces_by_rate(name: str) -> bool:
    """Return whether a profile paces by the delivery rate: its flight may grow by less before it leaves slow start."""
    return ALGORITHMS[name.partition("/")[0]].samples_rate


def follows(found: Explained) -> bool:
    """Return whether the flight comes up to the windows of a profile."""
    return 10 * found.equal >= _FOLLOWS_TENTHS * found.counted

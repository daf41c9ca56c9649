"""Finds the profiles that explain a connection with a known flight and an unknown window, as in a capture.

The flight is a lower bound of the window. Each profile uses its own windows, up to two rounds after its own exit. Its
later behaviour belongs to the base controller and is not judged.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, pairwise, takewhile

from firstflight.controller import ALGORITHMS
from firstflight.events import Ack, Ce, Event, Lost, Sent
from firstflight_conformance.judge.explain import ONE_OF, ComparedProfile, Refutation
from firstflight_conformance.judge.follow import Follower, Question, Way
from firstflight_conformance.judge.subject import JudgedSender
from firstflight_conformance.logs.recording.releases import Release

#: A flight follows a profile if it fills the window at nine of ten bursts. Paced or limited senders fill less.
_FOLLOWS_TENTHS = 9
#: The flight of a profile that paces by the delivery rate reaches 3/4 of the window. Its windows follow a rate that a
#: capture gives to 1/32. In Drain the flight falls to half.
_PACED_QUARTERS, _RATE_ONE_OF, _DRAINED_ONE_OF = 3, 32, 2
#: Least number of sends after that, which show that the flight did not fall because the data ended.
_SENT_ON = 8
#: In Drain, sent / acknowledged bytes is the pacing gain: 0.35 (Linux) to 0.5 (draft, Linux v3), here +-25 %.
_DRAIN_GAINS = Fraction(1, 4), Fraction(5, 8)
#: After the exit the base may differ from the sender's, but no base grows by a tenth in half a round.
_BASE_ONE_OF = 10
_ROUNDS = 2
#: Least number of releases ended by the window, and the tenths of the releases in slow start that it must end.
LEAST_RELEASES, _LIMITED_TENTHS = 8, 9
#: A gap of more than this time and this number of RTTs is a stall of the connection or of the clock of the capture.
_STALL_NS, _STALL_RTTS = 300_000_000, 4
#: Last round that shows the initial window. In later rounds earlier ACKs may have grown the window.
_LATEST_ROUND = 4
#: Slow start grows the window by at least half of the acknowledged bytes (RFC 5681, section 3.1, with an ACK for two
#: segments).
_GROWTH_LEAST = Fraction(2, 5)
#: A queue has formed if every RTT exceeds the least RTT by 1/16.
_QUEUED_ONE_OF = 16
APPLICATION_LIMITED = "application-limited: nothing can be concluded about slow start"
PACED = "application-limited or paced: nothing can be concluded about slow start"


class AtLeastExplainer:
    """Compares profiles with a sender whose bytes in flight (flight) are known, but not its window.

    The flight, as in a capture, is a lower bound of the window.
    """

    def __init__(self, subject: JudgedSender, *, events: Sequence[Event] | None = None) -> None:
        """Prepare the comparison of the sender's flight with profiles' windows, up to the first loss or ECN-CE mark.

        ``events``: replace the sender's events.
        """
        self._subject = subject
        self._events = events = subject.events if events is None else events
        lost = (index for index, event in enumerate(events) if isinstance(event, Lost | Ce))
        end = next(lost, len(events))
        acked = [release for release in subject.releases if release.acked_bytes and release.index < end]
        self._all = [
            (release.index, release.flight_bytes) for release in acked if subject.answers[release.index].reported
        ]
        ended = {release.index for release in acked if release.limited}
        self._limited = [flight for flight in self._all if flight[0] in ended]
        config = subject.recording.header.config
        self._datagram_bytes = config.max_datagram_size_bytes
        # A sender that waits for a whole burst leaves less than two datagrams of its window unused.
        sender_exit, points = subject.left, [point for point in subject.limited if point.index > subject.left.after]
        missing = accumulate(point.acked_bytes - point.grown_bytes for point in points)
        indices = (
            point.index for point, short in zip(points, missing, strict=True) if short > 2 * self._datagram_bytes
        )
        self._exit_index = max(next(indices, 0), sender_exit.by or 0)
        unknown = [None] * end
        self._follower = Follower(Question(config, events[:end], unknown, unknown, subject.begin, end))

    def explain(self, names: Iterable[str]) -> list[ComparedProfile]:
        """Compare each profile with the sender.

        If the flight fills the windows of one profile, the profiles with windows that it does not fill are refuted.
        """
        ways = [(name, self._follower.follow(name)) for name in names]
        pairs = [(self._one(name, way), way) for name, way in ways]
        following = [compared for compared, _ in pairs if compared.refuted is None and follows(compared)]
        filled = any(not paces_by_rate(compared.profile) for compared in following)
        if not filled and not any(map(self.drained, following)):
            return [compared for compared, _ in pairs]
        return [
            compared if compared.refuted or self._holds(compared, way, filled) else self._unfilled(compared, way)
            for compared, way in pairs
        ]

    def _holds(self, compared: ComparedProfile, way: Way, filled: bool) -> bool:
        """Return whether the flight fills the windows of a profile at nine of ten releases.

        A release is a burst of packets after ACKs. A profile that paces by the delivery rate normally needs only 3/4 of
        a window. ``filled``: the flight fills the windows of a profile without such pacing; then 3/4 does not suffice.
        """
        if not filled or not paces_by_rate(compared.profile):
            return follows(compared)
        flights = [flight for flight in self._all if flight[0] <= min(way.exits, default=len(way.answers) - 1)]
        return 10 * sum(self._near(way, flight) for flight in flights) >= _FOLLOWS_TENTHS * len(flights)

    def _flights(self, name: str) -> list[tuple[int, int]]:
        """Return the flights to compare with a profile: pairs of event index and bytes in flight.

        Each flight is measured at the end of a release, a burst of packets after ACKs. Only releases that stopped at a
        full window show the window. For a profile that paces by the delivery rate all releases count, as its pacer ends
        them earlier.
        """
        return self._all if paces_by_rate(name) else self._limited

    def drained(self, compared: ComparedProfile) -> bool:
        """Return whether the sender drains its queue after a profile's exit from slow start, which is evidence of BBR.

        The flight is the bytes in flight. Return True if it falls to half of its value at the exit, and at least eight
        sends follow this fall. Also return True if the packets from the exit to this fall are sent at the pacing gain
        of Drain. Sent / acknowledged bytes is then 1/4 to 5/8. Without the fall, all events after the exit count.
        Application-limited sends, and all events from a loss or ECN-CE mark on, are ignored. Return False if the
        profile is refuted, does not leave slow start, or does not pace by the delivery rate.
        """
        exit_ = min(compared.exits, default=None)
        if not paces_by_rate(compared.profile) or compared.refuted is not None or exit_ is None:
            return False
        after = list(takewhile(lambda event: not isinstance(event, Lost | Ce), self._events[exit_:]))
        flights = [(at, event.bytes_in_flight) for at, event in enumerate(after) if isinstance(event, Ack)]
        low = next((at for at, flight in flights if _DRAINED_ONE_OF * flight <= flights[0][1]), len(after))
        # A capture may end before the flight has fallen to half.
        return _sent_on(after[low:]) >= _SENT_ON or _drains(after[:low])

    def _one(self, name: str, way: Way) -> ComparedProfile:
        sender_exit, first = self._subject.left, min(way.exits, default=len(way.answers))
        paced = paces_by_rate(name)
        last = first if sender_exit.evidence != "growth" or paced else min(first, sender_exit.by or 0)
        flights = [flight for flight in self._flights(name) if flight[0] <= last and flight[0] < len(way.answers)]
        filled = sum(self._near(way, flight) or (paced and self._nearly(way, flight)) for flight in flights)
        over = [flight for flight in flights if flight[1] > way.answers[flight[0]][0] and not self._near(way, flight)]
        if paced:
            over = [
                flight for flight in over if flight[1] * _RATE_ONE_OF > way.answers[flight[0]][0] * (_RATE_ONE_OF + 1)
            ]
        refuted: Refutation | None = None
        if len(over) * ONE_OF > len(flights):
            refuted = self._says(name, way, over[0], "at most")
        elif len(way.answers) < min(len(self._events), (sender_exit.by or len(self._events)) - 1):
            refuted = Refutation(name, len(way.answers), "an event in its domain", "an event outside its domain")
        elif first < sender_exit.after and (early := self._early(name, way, first)) is not None:
            refuted = early
        elif sender_exit.evidence == "growth" and paced and 2 * filled < len(flights):
            refuted = self._says(
                name, way, next(flight for flight in flights if not self._nearly(way, flight)), "about"
            )
        elif (
            sender_exit.evidence == "growth" and not paced and not any(index <= self._exit_index for index in way.exits)
        ):
            refuted = Refutation(name, sender_exit.by or 0, "slow start goes on", "the flight grows by less")
        elif sender_exit.evidence == "growth" and not paced:
            refuted = self._after(name, way, first)
        return ComparedProfile(name, filled, len(flights), way.exits, refuted, by_exit=bool(way.exits))

    def _near(self, way: Way, flight: tuple[int, int]) -> bool:
        index, flight_bytes = flight
        window_bytes = way.answers[index][0]
        return abs(window_bytes - flight_bytes) <= self._datagram_bytes

    def _nearly(self, way: Way, flight: tuple[int, int]) -> bool:
        return 4 * flight[1] >= _PACED_QUARTERS * way.answers[flight[0]][0]

    def _early(self, name: str, way: Way, first: int) -> Refutation | None:
        """Return the refutation of a profile that leaves slow start while the sender's flight still grows, or None.

        ``first``: event of the profile's exit from slow start.
        """
        sender_exit, most_bytes = self._subject.left, way.answers[first][0]
        end = sender_exit.after + 1 if sender_exit.evidence == "growth" else len(self._events)
        flights = [flight for flight in self._flights(name) if first < flight[0] <= end]
        later = [flight for flight in flights if flight[1] > most_bytes and not self._near(way, flight)]
        if not later:
            return None
        grows = f"the flight goes on growing, to {later[0][1]} bytes at event {later[0][0]}"
        return Refutation(name, first, f"slow start is left at {most_bytes} bytes ({way.outcome(first)})", grows)

    def _after(self, name: str, way: Way, first: int) -> Refutation | None:
        """Return the refutation of a profile if its windows after its exit from slow start exceed the flight, or None.

        ``first``: event of the profile's exit. Two rounds after it are compared. A profile is refuted if each window in
        the later half of a round exceeds the sender's flight by more than 1/9.
        """
        remaining_bytes = way.answers[first][0]
        rounds: list[list[tuple[int, int]]] = [[]]
        flights = dict(self._limited)
        for index in range(first + 1, len(way.answers)):
            event = self._events[index]
            remaining_bytes -= event.bytes if isinstance(event, Ack) else 0
            if index in flights:
                rounds[-1].append((index, flights[index]))
            if remaining_bytes <= 0:
                if len(rounds) == _ROUNDS:
                    break
                remaining_bytes = way.answers[index][0]
                rounds.append([])
        for round_flights in rounds:
            half = round_flights[len(round_flights) // 2 :]
            if half and all(way.answers[at][0] * (_BASE_ONE_OF - 1) > _BASE_ONE_OF * flight for at, flight in half):
                return self._says(name, way, half[-1], "about")
        return None

    def _unfilled(self, compared: ComparedProfile, way: Way) -> ComparedProfile:
        apart = [
            flight
            for flight in self._flights(compared.profile)
            if flight[0] < len(way.answers) and not self._near(way, flight)
        ]
        worst = next((flight for flight in apart if flight[1] < way.answers[flight[0]][0]), apart[0])
        return replace(compared, refuted=self._says(compared.profile, way, worst, "about"))

    def _says(self, name: str, way: Way, flight: tuple[int, int], how: str) -> Refutation:
        index, flight_bytes = flight
        return Refutation(name, index, f"{how} {way.answers[index][0]} bytes in flight", f"{flight_bytes}")


def _sent_on(events: Sequence[Event]) -> int:
    return sum(isinstance(event, Sent) and not event.app_limited for event in events)


def _drains(events: Sequence[Event]) -> bool:
    """Return whether packets are sent at the pacing gain of Drain: sent / acknowledged bytes is 1/4 to 5/8.

    The upper limit applies to the first and the second half of the events separately, the lower limit to all events.
    Application-limited sends are ignored; at least eight other sends are needed.
    """
    least, most = _DRAIN_GAINS
    halves = [_sent_and_acked(events[: len(events) // 2]), _sent_and_acked(events[len(events) // 2 :])]
    slow = all(0 < sent_bytes <= most * acked_bytes for sent_bytes, acked_bytes in halves)
    sent_bytes, acked_bytes = (sum(pair) for pair in zip(*halves, strict=True))
    return slow and _sent_on(events) >= _SENT_ON and sent_bytes >= least * acked_bytes


def _sent_and_acked(events: Sequence[Event]) -> tuple[int, int]:
    sent = [run for event in events if isinstance(event, Sent) and not event.app_limited for run in event.packets]
    return sum(run.count * run.size_bytes for run in sent), sum(
        event.bytes for event in events if isinstance(event, Ack)
    )


def too_little(subject: JudgedSender, *, paced: bool = False) -> str | None:
    """Return why the capture shows too little of the window for a conclusion, or None.

    ``paced``: a profile with pacing explains the capture, so pauses do not show that the application had no data.
    """
    limited, releases = _in_slow_start(subject)
    ended_by_others = sum(not release.limited and not release.clocked for release in releases)
    reason = PACED if paced else APPLICATION_LIMITED
    if sum(release.limited for release in subject.releases) < LEAST_RELEASES:
        return reason
    if subject.recording.header.quality.get("initial_window_round", 1) > _LATEST_ROUND:
        return reason
    if 2 * limited < len(releases):
        return PACED if 2 * ended_by_others > len(releases) else reason
    return None


def grows_too_little(subject: JudgedSender) -> bool:
    """Return whether the window grew by less than 2/5 of the acknowledged bytes before the exit from slow start.

    Slow start grows faster, so the window did not limit the sender. An application that sends messages of one size also
    produces flights of one size, which look like a full window.
    """
    end = len(subject.events) if subject.left.by is None else subject.left.by
    points = [point for point in subject.limited if point.index < end]
    acked_bytes = sum(point.acked_bytes for point in points)
    return (
        bool(points)
        and sum(point.grown_bytes for point in points) * _GROWTH_LEAST.denominator
        < acked_bytes * _GROWTH_LEAST.numerator
    )


def partly_limited(subject: JudgedSender) -> str | None:
    """Return the reason why the recording does not show the end of slow start, or None if it does.

    A release is a burst of packets after ACKs. A full window must have stopped nine of ten releases, both in slow start
    and in the first round with slower growth.
    """
    limited, releases = _in_slow_start(subject)
    total = len(releases)
    if 10 * limited >= _LIMITED_TENTHS * total:
        round_ = _round_of_the_exit(subject)
        limited, total = sum(release.limited for release in round_), len(round_)
    if 10 * limited >= _LIMITED_TENTHS * total:
        return None
    return f"the window ended only {limited} of {total} releases where slow start ends: the application limits the sender, or it paces"


def _round_of_the_exit(subject: JudgedSender) -> list[Release]:
    """Return the releases (bursts of packets after ACKs) of the first round with slower growth.

    The round begins at the sender's exit from slow start, and ends when a window of data is acknowledged. The list is
    empty unless slower growth is the evidence of the exit.
    """
    sender_exit = subject.left
    if sender_exit.by is None or sender_exit.evidence != "growth":
        return []
    releases, acked_bytes = [], 0
    for release in subject.releases:
        if release.index >= sender_exit.by and acked_bytes < subject.before[sender_exit.by]:
            releases.append(release)
            acked_bytes += release.acked_bytes
    return releases


def _in_slow_start(subject: JudgedSender) -> tuple[int, list[Release]]:
    """Return the number of window-limited releases in slow start, and all releases from the first of them on.

    A release is a burst of packets after ACKs. It is window-limited if it stopped because the window was full.
    """
    first = next((release.index for release in subject.releases if release.limited), 0)
    end = len(subject.events) if subject.left.by is None else subject.left.by
    releases = [release for release in subject.releases if first <= release.index < end]
    return sum(release.limited for release in releases), releases


def stalls_ns(subject: JudgedSender) -> int | None:
    """Return the longest gap in ns between two events in slow start with data in flight, or None if it is short.

    A gap of more than 300 ms and more than four times the least RTT is a stall, or a step of the capture's clock.
    """
    end = len(subject.events) if subject.left.by is None else subject.left.by + 1
    longest_ns, flight_bytes = 0, 0
    for before, event in pairwise(subject.events[:end]):
        if isinstance(before, Ack | Sent):
            flight_bytes = before.bytes_in_flight
        if flight_bytes:
            longest_ns = max(longest_ns, event.t_ns - before.t_ns)
    least_ns = min(
        (event.latest_rtt_ns for event in subject.events if isinstance(event, Ack) and event.latest_rtt_ns), default=0
    )
    return longest_ns if longest_ns > max(_STALL_RTTS * least_ns, _STALL_NS) else None


def queued(subject: JudgedSender, index: int) -> bool:
    """Return whether a queue had formed before event ``index``: the window filled the path.

    Every RTT of the last half a window of bytes acknowledged before the event must exceed the least RTT so far by at
    least 1/16.
    """
    samples = [
        (event.bytes, event.latest_rtt_ns)
        for event in subject.events[:index]
        if isinstance(event, Ack) and event.latest_rtt_ns
    ]
    least_ns = min((rtt_ns for _, rtt_ns in samples), default=0)
    remaining_bytes, last = subject.before[index] // 2, list[int]()
    for acked_bytes, rtt_ns in reversed(samples):
        if remaining_bytes <= 0:
            break
        remaining_bytes -= acked_bytes
        last.append(rtt_ns)
    return bool(last) and min(last) * _QUEUED_ONE_OF >= least_ns * (_QUEUED_ONE_OF + 1)


def falls_unmarked(subject: JudgedSender) -> bool:
    """Return whether the flight falls after slow start, and stays lower, without a loss or mark in the capture."""
    by = subject.left.by
    if by is None or subject.left.evidence != "growth":
        return False
    most_bytes = subject.before[by]
    later = [release.flight_bytes for release in subject.releases if release.index > by and release.limited]
    return sum(8 * flight < 7 * most_bytes for flight in later) >= LEAST_RELEASES


def paces_by_rate(name: str) -> bool:
    """Return whether a profile paces by the delivery rate, as BBR does.

    Before such a sender leaves slow start, its bytes in flight may grow less than its window.
    """
    return ALGORITHMS[name.partition("/")[0]].samples_rate


def follows(compared: ComparedProfile) -> bool:
    """Return whether the sender's bytes in flight fill the windows that the model computes for a profile.

    ``compared.counted``: number of compared releases (bursts of packets after ACKs). ``compared.equal``: number of
    releases that fill the window. Nine of ten must do so.
    """
    return 10 * compared.equal >= _FOLLOWS_TENTHS * compared.counted

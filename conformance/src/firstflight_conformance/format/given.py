"""Checks whether stated facts follow from the events, so that every stack derives the same (``spec/events.md``)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from operator import attrgetter
from typing import Any

from firstflight.delivery_rate import samples_follow
from firstflight.events import Ack, DatagramSize, Event, Lost, PathChange, PersistentCongestion, Run, Sent
from firstflight_conformance.format.ledger import RttEstimator
from firstflight_conformance.format.stream import confirms_address
from firstflight_conformance.format.wire import decode_int

#: Facts that a stack may derive, and the flag of vectors with a stated fact that does not follow from the events.
FLAGS = {name: f"{name.replace('_', '-')}-given" for name in ("app_limited", "persistent_congestion", "delivery_rate")}

_MS = 1_000_000
#: RFC 9002, sections 6.1.2 and 7.6.1; RFC 9000, section 18.2: the default max_ack_delay.
GRANULARITY_NS = _MS
MAX_ACK_DELAY_NS = 25 * _MS
PERSISTENT_CONGESTION_THRESHOLD = 3

_SENT_NS = attrgetter("sent_t_ns")


def given_flags(
    events: Sequence[Event],
    config: Mapping[str, Any],
    profiles: Mapping[str, Mapping[str, Any]],
    algorithm: str = "",
) -> set[str]:
    """Return the flags of a vector for stated facts that cannot be derived from its other events.

    The facts are ``app_limited`` of ACKs, persistent congestion and delivery-rate samples. ``profiles``: the profiles
    of the vector in their JSON form. For ``app_limited``, one profile with a window that leaves the fact undetermined
    suffices. The result is a subset of the values of :data:`FLAGS`.
    """
    limits = (
        app_limited_given(
            events, windows_bytes(profile["expect"], profile["judged_events"]), config["max_datagram_size_bytes"]
        )
        for profile in profiles.values()
    )
    stated = {"app_limited": any(limits), "persistent_congestion": persistent_congestion_given(events, algorithm)}
    stated["delivery_rate"] = not samples_follow(events)
    return {FLAGS[name] for name, is_stated in stated.items() if is_stated}


def windows_bytes(expect: Sequence[Mapping[str, Any]], events: int) -> list[int]:
    """Return the window after each event of a profile, from its expected changes in their JSON form."""
    changes = {entry["at"]: decode_int(entry["cwnd_bytes"]) for entry in expect if "cwnd_bytes" in entry}
    windows = [changes[0]]
    for index in range(1, events):
        windows.append(changes.get(index, windows[-1]))
    return windows


def app_limited_given(events: Sequence[Event], windows_bytes: Sequence[int], datagram_bytes: int) -> bool:
    """Return whether the windows leave ``app_limited`` of an ACK undetermined.

    Stacks test at different times whether the window limits them; the flag is determined if all tests agree.
    ``windows_bytes``: the window after each judged event. Later events are ignored.
    """
    usage = Usage(datagram_bytes)
    return any(usage.is_given(event, window_bytes) for event, window_bytes in zip(events, windows_bytes, strict=False))


def other_limit(ack: Ack) -> Ack:
    """Return an ACK with ``app_limited`` negated."""
    return replace(ack, app_limited=not ack.app_limited)


@dataclass(slots=True)
class Usage:
    """Tracks how full the window was after packets were sent, to derive ``app_limited`` of later ACKs."""

    datagram_bytes: int
    #: The last packet sent when the window became full, and the last packet sent when it was not idle.
    full_to: int = -1
    busy_to: int = -1
    window_bytes: int = 0

    def is_given(self, event: Event, window_bytes: int) -> bool:
        """Process an event. Return whether it is an ACK with an ``app_limited`` that cannot be derived.

        ``window_bytes``: window after the event. The flag can be derived if all common tests of stacks agree with it.
        They test whether the window was full, or little used, just before the ACK or when packets were sent. Return
        False for ACKs of packets that were never in flight, and for other events.
        """
        before_bytes, self.window_bytes = self.window_bytes, window_bytes
        if isinstance(event, DatagramSize):
            self.datagram_bytes = event.max_datagram_size_bytes
        if isinstance(event, Sent | Ack) and event.not_in_flight:
            return False
        if isinstance(event, Sent):
            self._send(event, window_bytes)
        return isinstance(event, Ack) and not self._follows(event, before_bytes)

    def _send(self, event: Sent, window_bytes: int) -> None:
        last = event.packets[-1].last
        if self._full(event.bytes_in_flight, window_bytes):
            self.full_to = last
        if not self._idle(event.bytes_in_flight, window_bytes):
            self.busy_to = last

    def _follows(self, ack: Ack, window_bytes: int) -> bool:
        """Return whether all common tests for an application limit agree with the ACK's ``app_limited``.

        Stacks test just before the ACK or when packets are sent. The sends from the oldest acknowledged packet on
        count. All tests agree on true if the window was little used just before the ACK and after each of these sends:
        less than half full, with room for more than three datagrams. They agree on false if it was full, without room
        for a datagram, just before the ACK and after at least one of these sends. ``window_bytes``: window before the
        ACK.
        """
        before_bytes, oldest = ack.bytes_in_flight + ack.bytes, ack.packets[0].first
        if ack.app_limited:
            return self._idle(before_bytes, window_bytes) and self.busy_to < oldest
        return self._full(before_bytes, window_bytes) and self.full_to >= oldest

    def _full(self, flight_bytes: int, window_bytes: int) -> bool:
        return flight_bytes + self.datagram_bytes > window_bytes

    def _idle(self, flight_bytes: int, window_bytes: int) -> bool:
        return 2 * flight_bytes < window_bytes and flight_bytes + 3 * self.datagram_bytes < window_bytes


def persistent_congestion_given(events: Sequence[Event], algorithm: str = "") -> bool:
    """Return whether some stack may disagree with the stream on persistent congestion."""
    if events and isinstance(events[0], PersistentCongestion):
        return True
    history = _History()
    for index, (event, following) in enumerate(pairwise((*events, None))):
        stated = isinstance(following, PersistentCongestion)
        if isinstance(event, PathChange) and confirms_address(algorithm):
            history = _History()
        if isinstance(event, Ack):
            history.acknowledge(event)
        if isinstance(event, Lost):
            history.lost.extend(event.packets)
            lost = () if event.pmtu_probe else event.packets  # stacks may ignore probes
            durations_ns = history.durations_ns(event.t_ns, events[index + 1 :])
            if stated and history.span_ns(lost, within=True) <= max(durations_ns, default=1 << 64):
                return True
            if not stated and history.span_ns(event.packets) > min(durations_ns, default=1 << 64):
                return True
        elif stated:
            return True
    return False


@dataclass(slots=True)
class _History:
    """State of a loss detector: the RTT, and the acknowledged and lost packets."""

    rtt: RttEstimator = field(default_factory=RttEstimator)
    first_sample_t_ns: int | None = None
    acked: list[Run] = field(default_factory=list)
    lost: list[Run] = field(default_factory=list)

    def acknowledge(self, ack: Ack) -> None:
        self.acked.extend(ack.packets)
        if ack.latest_rtt_ns is not None:
            self.rtt.sample(ack.latest_rtt_ns, ack.ack_delay_ns)
            self.first_sample_t_ns = self.first_sample_t_ns or ack.t_ns

    def durations_ns(self, t_ns: int, later: Sequence[Event]) -> list[int]:
        """Return the shortest and longest persistent congestion duration that a stack may compute at a loss.

        The stack may or may not have processed the ACK frame that revealed the loss, and may or may not use the peer's
        max_ack_delay.
        """
        if self.rtt.smoothed_ns is None:
            return []
        estimators = [self.rtt]
        for event in later:
            if event.t_ns > t_ns:
                break
            if isinstance(event, Ack) and event.latest_rtt_ns is not None:
                estimators.append(replace(self.rtt))
                estimators[-1].sample(event.latest_rtt_ns, event.ack_delay_ns)
                break
        timeouts_ns = [(rtt.smoothed_ns or 0) + max(4 * rtt.variation_ns, GRANULARITY_NS) for rtt in estimators]
        return [
            PERSISTENT_CONGESTION_THRESHOLD * min(timeouts_ns),
            PERSISTENT_CONGESTION_THRESHOLD * (max(timeouts_ns) + MAX_ACK_DELAY_NS),
        ]

    def span_ns(self, newly_lost: Sequence[Run], *, within: bool = False) -> int:
        """Return the longest time in ns between the sending of two lost packets, or 0 without such a pair.

        The later packet is in ``newly_lost``, the packets that the current event declares lost. No packet between the
        two is acknowledged. ``within``: the earlier packet, and all packets between the two, are in ``newly_lost`` as
        well. An earlier packet sent before the first RTT sample does not count.
        """
        longest_ns = 0
        for newest in newly_lost:
            oldest = self._oldest(newest, newly_lost) if within else self._oldest_unacked(newest)
            if oldest is not None:
                longest_ns = max(longest_ns, newest.sent_t_ns - oldest.sent_t_ns)
        return longest_ns

    def _oldest(self, newest: Run, newly_lost: Sequence[Run]) -> Run | None:
        oldest = newest
        for run in reversed([run for run in newly_lost if run.last < newest.first]):
            if run.last + 1 < oldest.first or not self._after_first_sample(run):
                break
            oldest = run
        return oldest

    def _oldest_unacked(self, newest: Run) -> Run | None:
        floor = max((run.last for run in self.acked if run.last < newest.first), default=-1)
        candidates = [run for run in self.lost if run.first > floor and self._after_first_sample(run)]
        return min(candidates, key=_SENT_NS, default=None)

    def _after_first_sample(self, run: Run) -> bool:
        return self.first_sample_t_ns is not None and run.sent_t_ns >= self.first_sample_t_ns

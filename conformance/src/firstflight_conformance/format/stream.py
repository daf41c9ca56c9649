"""Streams of events: parsing, checks that a schema cannot express, and derived flags and granularity."""

from bisect import bisect_right
from collections.abc import Sequence
from math import gcd
from operator import attrgetter
from typing import Any

from firstflight.errors import DomainError
from firstflight.events import (
    Ack,
    Backlog,
    Ce,
    DatagramSize,
    Event,
    IdleRestart,
    Lost,
    PathChange,
    PersistentCongestion,
    Run,
    SavedPath,
    Sent,
    check,
)
from firstflight_conformance.format.ledger import DataLedger, Ledger, LedgerError, RttEstimator
from firstflight_conformance.format.wire import event_from_json, optional_members

#: An ACK of more packets is flagged: an adapter that processes packets one by one may be too slow.
HUGE_ACK_PACKETS = 100_000

_first = attrgetter("first")
_UNITS_NS = (("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000))


class StreamError(ValueError):
    """An event contradicts the format or the events before it."""

    def __init__(self, index: int, member: str, reason: str) -> None:
        """Create the message from the event's index, its member (``.name`` or an empty string) and the reason."""
        super().__init__(f"events[{index}]{member}: {reason}")
        self.index, self.member, self.reason = index, member, reason


def read_stream(raw_events: Sequence[dict[str, Any]]) -> tuple[Event, ...]:
    """Return the events of a stream in its JSON form. Raise :class:`StreamError` at the first invalid event."""
    events = []
    for index, raw in enumerate(raw_events):
        try:
            events.append(event_from_json(raw))
        except ValueError as error:
            raise StreamError(index, "", str(error)) from error
    return tuple(events)


def check_stream(events: Sequence[Event], config: dict[str, Any], algorithm: str = "") -> None:
    """Check the consistency of a stream except for RTTs. Raise :class:`StreamError` at the first inconsistent event."""
    ledger = Ledger()
    sent: list[Run] = []
    probes: list[Run] = []
    data = DataLedger() if any(map(optional_members, events)) else None
    is_sampled = any(isinstance(event, Ack | Lost) and event.rate_lost_bytes is not None for event in events)
    path_start_ns = 0
    before_ns, config = 1, dict(config)
    for index, event in enumerate(events):
        try:
            check(event)
        except DomainError as error:
            raise StreamError(index, "", str(error)) from error
        if event.t_ns < before_ns:
            raise StreamError(index, ".t_ns", f"time goes backwards: {event.t_ns} after {before_ns}")
        before_ns = event.t_ns
        try:
            if confirms_address(algorithm):
                path_start_ns = _check_path(event, path_start_ns, sent, ledger.bytes_in_flight if is_sampled else 0)
            _check_event(event, ledger, sent, config)
            _check_probes(event, probes)
            if data is not None:
                _check_data(event, ledger, data)
        except LedgerError as error:
            raise StreamError(index, ".packets", str(error)) from error
        except _MemberError as error:
            raise StreamError(index, error.member, error.reason) from error


def check_rtts(events: Sequence[Event], algorithm: str = "") -> None:
    """Check the RTTs of all ACKs in a stream. Raise :class:`StreamError` at the first wrong RTT.

    An RTT sample must be the time since the largest acknowledged packet was sent. The minimum and the smoothed RTT must
    be the values of the estimator in RFC 9002, section 5. A new path restarts the estimator, except in Careful Resume
    (``algorithm``).
    """
    rtt, path_start_ns = RttEstimator(), 0
    for index, event in enumerate(events):
        if isinstance(event, PathChange) and confirms_address(algorithm):
            rtt, path_start_ns = RttEstimator(), event.t_ns
        if isinstance(event, Ack):
            try:
                _check_rtt(event, rtt, path_start_ns)
            except _MemberError as error:
                raise StreamError(index, error.member, error.reason) from error


def confirms_address(algorithm: str) -> bool:
    """Return whether a ``PathChange`` event means that the endpoint confirmed a new address of the peer.

    Return false for Careful Resume: there the event only signals to the sender that the path changed.
    """
    return algorithm != "careful-resume"


class _MemberError(ValueError):
    def __init__(self, member: str, reason: str) -> None:
        super().__init__(reason)
        self.member, self.reason = member, reason


def _check_event(event: Event, ledger: Ledger, sent: list[Run], config: dict[str, Any]) -> None:
    """Check an event against the packets in flight, and an ECN-CE mark against all packets ever sent."""
    match event:
        case Sent(not_in_flight=True, pmtu_probe=True):
            raise _MemberError(".not_in_flight", "a PMTU probe is in flight")
        case Ack(not_in_flight=True, app_limited=True):
            raise _MemberError(".app_limited", "is true, but an ACK of packets that are not in flight has false")
        case Sent():
            largest = max(run.size_bytes for run in event.packets)
            if largest > config["max_datagram_size_bytes"] and not event.pmtu_probe:
                raise _MemberError(".packets", f"a packet of {largest} bytes is larger than max_datagram_size_bytes")
            for run in event.packets:
                ledger.send(run, not_in_flight=event.not_in_flight)
            sent.extend(event.packets)
            _equal(".bytes_in_flight", event.bytes_in_flight, ledger.bytes_in_flight)
        case Ack() | Lost():
            take = ledger.take_not_in_flight if isinstance(event, Ack) and event.not_in_flight else ledger.take
            for run in event.packets:
                _check_taken(run, take(run.first, run.last))
            _equal(".bytes_in_flight", event.bytes_in_flight, ledger.bytes_in_flight)
            _equal(".next_packet", event.next_packet, ledger.next_packet)
        case Ce():
            if event.packet >= ledger.next_packet:
                raise _MemberError(".packet", f"packet {event.packet} was never sent")
            _equal(".sent_t_ns", event.sent_t_ns, sent[bisect_right(sent, event.packet, key=_first) - 1].sent_t_ns)
        case DatagramSize():
            config["max_datagram_size_bytes"] = event.max_datagram_size_bytes
        case _:
            pass


def _check_path(event: Event, path_start_ns: int, sent: Sequence[Run], sampled_bytes: int) -> int:
    """Check that the path of each packet follows from its send time. Return the start of the current path in ns.

    The start is 0 on the first path, later the time of the last ``path_change``. Raise an error if packets are sent at
    exactly that time. ``sampled_bytes``: bytes in flight before the event in a stream with delivery-rate samples, else
    0. They must be 0 at a ``path_change``, since a sample must not mix two paths.
    """
    if isinstance(event, Sent) and event.t_ns == path_start_ns:
        raise _MemberError(".t_ns", "packets are sent at the time of a path_change: their path is not known")
    if not isinstance(event, PathChange):
        return path_start_ns
    if sent and sent[-1].sent_t_ns == event.t_ns:
        raise _MemberError(".t_ns", "packets were sent at the time of this path_change: their path is not known")
    if sampled_bytes > 0:
        raise _MemberError("", f"{sampled_bytes} bytes are in flight: delivery-rate samples would mix two paths")
    return event.t_ns


def _check_probes(event: Event, probes: list[Run]) -> None:
    """Check that the packets of a ``lost`` event are PMTU probes exactly if its flag ``pmtu_probe`` is set.

    With the flag, all its packets must have been sent as PMTU probes; without it, none of them. ``probes``: all PMTU
    probes sent so far; the packets of a ``sent`` event with the flag are added.
    """
    if isinstance(event, Sent) and event.pmtu_probe:
        probes.extend(event.packets)
    if not isinstance(event, Lost) or not (probes or event.pmtu_probe):
        return
    for run in event.packets:
        probe_packets = sum(max(min(run.last, probe.last) - max(run.first, probe.first) + 1, 0) for probe in probes)
        if probe_packets != (run.count if event.pmtu_probe else 0):
            reason = f"packets {run.first}..{run.last}: {probe_packets} of them were sent as PMTU probes"
            raise _MemberError(".pmtu_probe", reason)


def _check_rtt(ack: Ack, rtt: RttEstimator, path_start_ns: int) -> None:
    sent_t_ns = ack.packets[-1].sent_t_ns
    assert sent_t_ns is not None
    if sent_t_ns <= path_start_ns or ack.not_in_flight:
        _equal(".latest_rtt_ns", ack.latest_rtt_ns, None)
    if ack.latest_rtt_ns is not None:
        _equal(".latest_rtt_ns", ack.latest_rtt_ns, ack.t_ns - sent_t_ns)
        rtt.sample(ack.latest_rtt_ns, ack.ack_delay_ns)
    _equal(".min_rtt_ns", ack.min_rtt_ns, rtt.min_ns)
    _equal(".smoothed_rtt_ns", ack.smoothed_rtt_ns, rtt.smoothed_ns)


def repeated(event: Event) -> tuple[tuple[int, int], ...]:
    """Return the ranges of packets whose data an event repeats."""
    return event.retransmits if isinstance(event, Sent) else ()


def _check_data(event: Event, ledger: Ledger, data: DataLedger) -> None:
    match event:
        case Sent():
            try:
                first, last = event.packets[0].first, event.packets[-1].last
                data.send(first, last, event.retransmits, not_in_flight=event.not_in_flight)
            except LedgerError as error:
                raise _MemberError(".retransmits", str(error)) from error
        case Ack():
            for run in event.packets:
                data.acknowledge(run.first, run.last)
            if event.oldest_unacked_packet is not None:
                oldest = data.oldest_unacked(ledger.next_packet)
                _equal(".oldest_unacked_packet", event.oldest_unacked_packet, oldest)
        case _:
            pass


def _check_taken(run: Run, removed: list[Run]) -> None:
    if any((part.size_bytes, part.sent_t_ns) != (run.size_bytes, run.sent_t_ns) for part in removed):
        true = ", ".join(f"{p.first}..{p.last} of {p.size_bytes} bytes at {p.sent_t_ns}" for p in removed)
        raise _MemberError(".packets", f"run {run.first}..{run.last}: size or time differ from those sent: {true}")


def _equal(member: str, stated: int | None, computed: int | None) -> None:
    if stated != computed:
        texts = ["null" if value is None else value for value in (stated, computed)]
        raise _MemberError(member, f"is {texts[0]}, but the events give {texts[1]}")


def granularity_of(events: Sequence[Event]) -> str:
    """Return the largest unit that divides every time and RTT of the stream."""
    common_ns = 0
    for event in events:
        common_ns = gcd(common_ns, event.t_ns)
        if isinstance(event, Ack):
            common_ns = gcd(common_ns, event.latest_rtt_ns or 0, event.ack_delay_ns)
        elif isinstance(event, Backlog):
            common_ns = gcd(common_ns, event.latest_rtt_ns or 0)
        elif isinstance(event, SavedPath):
            common_ns = gcd(common_ns, event.saved_rtt_ns, event.expires_t_ns or 0)
    return next((unit for unit, unit_ns in _UNITS_NS if common_ns % unit_ns == 0), "ns")


def flags_of(events: Sequence[Event], algorithm: str = "") -> list[str]:
    """Return the flags of a vector, names of properties of its events such as ``loss`` or ``huge-ack``, sorted."""
    acks = [event for event in events if isinstance(event, Ack)]
    flags = {
        "app-limited": any(isinstance(event, Sent | Ack) and event.app_limited for event in events),
        "backlog": any(isinstance(event, Backlog) for event in events),
        "ce": any(isinstance(event, Ce) for event in events),
        "datagram-size": any(isinstance(event, DatagramSize) for event in events),
        "huge-ack": any(sum(run.count for run in ack.packets) > HUGE_ACK_PACKETS for ack in acks),
        "idle": any(isinstance(event, IdleRestart) for event in events),
        "loss": any(isinstance(event, Lost) for event in events),
        "not-in-flight": any(isinstance(event, Sent | Ack) and event.not_in_flight for event in events),
        "no-rtt-sample": any(ack.latest_rtt_ns is None for ack in acks),
        "path-change": confirms_address(algorithm) and any(isinstance(event, PathChange) for event in events),
        "persistent-congestion": any(isinstance(event, PersistentCongestion) for event in events),
        "pmtu-probe": any(isinstance(event, Sent | Lost) and event.pmtu_probe for event in events),
        "retransmissions": any(map(repeated, events)),
        "stretch-ack": any(sum(run.count for run in ack.packets) > 2 for ack in acks),
        "large-values": any(isinstance(e, Sent | Ack) and max(e.bytes, e.bytes_in_flight) >= 2**32 for e in events),
    }
    flags["lossless"] = not (flags["loss"] or flags["ce"] or flags["persistent-congestion"])
    return sorted(flag for flag, is_set in flags.items() if is_set)

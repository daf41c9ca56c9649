"""Delivery-rate samples: members of ``ack`` and ``lost`` events (``spec/events.md``, "The delivery-rate sample").

Source: draft-ietf-ccwg-bbr-06, section 4.1.2. Mirrors ``conformance/simulator/sampler.c``, whose path never changes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from firstflight.events import Ack, Event, Lost, PathChange, Sent


@dataclass(frozen=True, slots=True)
class _Note:
    """State recorded when a run is sent. ``first``: its first packet. ``before_bytes``: bytes in flight before it."""

    first: int
    size_bytes: int
    before_bytes: int
    delivered_bytes: int
    delivered_ns: int
    first_send_ns: int
    lost_bytes: int
    app_limited: bool

    def in_flight_bytes(self, packet: int) -> int:
        """Return the bytes in flight just after ``packet`` was sent."""
        return self.before_bytes + (packet - self.first + 1) * self.size_bytes


@dataclass(slots=True)
class RateSampler:
    """Delivery-rate sampler of one connection. It needs all its events, once and in order. A new path resets it.

    ``delivered_bytes``, ``lost_bytes``: totals, losses without PMTU probes. ``delivered_ns``: time of the last
    delivery. ``first_send_ns``: sending time of the packet that gave the last sample. ``app_limited_bytes``: total
    delivered at the end of the application-limited phase; 0 outside of one. A connection starts application-limited,
    until any delivery.
    """

    delivered_bytes: int = 0
    delivered_ns: int = 0
    first_send_ns: int = 0
    lost_bytes: int = 0
    app_limited_bytes: int = 1
    _notes: dict[int, _Note] = field(default_factory=dict, init=False)

    def hold_back(self, in_flight_bytes: int) -> None:
        """Begin an application-limited phase. It ends when more than the present bytes in flight is delivered."""
        self.app_limited_bytes = max(self.delivered_bytes + in_flight_bytes, 1)

    def sampled(self, event: Event) -> Event:
        """Process the next event. Return an ``Ack`` or ``Lost`` with its delivery-rate sample, other events unchanged.

        The sample belongs to the last packet of the event. The event stays without a sample if this packet did not
        count in flight, or was sent before the last path change.
        """
        match event:
            case Sent(not_in_flight=True) | Ack(not_in_flight=True):
                pass
            case Sent():
                self._send(event)
            case Ack():
                return self._acknowledge(event)
            case Lost():
                return self._lose(event)
            case PathChange():
                self._begin_path()
            case _:
                pass
        return event

    def _begin_path(self) -> None:
        self.delivered_bytes = self.delivered_ns = self.first_send_ns = self.lost_bytes = 0
        self.app_limited_bytes = 1
        self._notes.clear()

    def _send(self, event: Sent) -> None:
        before_bytes = event.bytes_in_flight - event.bytes
        if before_bytes == 0:
            self.first_send_ns = self.delivered_ns = event.t_ns
        for run in event.packets:
            note = _Note(
                run.first, run.size_bytes, before_bytes, self.delivered_bytes, self.delivered_ns, self.first_send_ns,
                self.lost_bytes, self.app_limited_bytes > 0,
            )  # fmt: skip
            self._notes.update(dict.fromkeys(range(run.first, run.last + 1), note))
            before_bytes += run.count * run.size_bytes
        if event.app_limited:
            self.hold_back(before_bytes)

    def _acknowledge(self, event: Ack) -> Ack:
        newest = event.packets[-1]
        note = self._take(event)
        self.delivered_bytes += event.bytes
        self.delivered_ns = event.t_ns
        self.first_send_ns = newest.sent_t_ns
        if self.delivered_bytes > self.app_limited_bytes:
            self.app_limited_bytes = 0
        if note is None:
            return event
        return replace(
            event,
            rate_delivered_bytes=self.delivered_bytes - note.delivered_bytes,
            rate_interval_ns=max(newest.sent_t_ns - note.first_send_ns, event.t_ns - note.delivered_ns),
            rate_prior_delivered_bytes=note.delivered_bytes,
            rate_app_limited=note.app_limited,
            rate_in_flight_bytes=note.in_flight_bytes(newest.last),
            rate_lost_bytes=self.lost_bytes - note.lost_bytes,
        )

    def _lose(self, event: Lost) -> Lost:
        note = self._take(event)
        if not event.pmtu_probe:
            self.lost_bytes += event.bytes
        if note is None:
            return event
        return replace(
            event,
            rate_in_flight_bytes=note.in_flight_bytes(event.packets[-1].last),
            rate_app_limited=note.app_limited,
            rate_lost_bytes=self.lost_bytes - note.lost_bytes,
        )

    def _take(self, event: Ack | Lost) -> _Note | None:
        """Remove the notes of the packets of an event; return the note of the last of these packets.

        A note is the state recorded when a packet was sent. Return None if the last packet did not count in
        flight, or was sent before the last path change.
        """
        note = None
        for run in event.packets:
            for packet in range(run.first, run.last + 1):
                note = self._notes.pop(packet, None)
        return note


def with_samples(events: Sequence[Event]) -> Sequence[Event]:
    """Return the events of a connection with samples; unchanged if any event already has a sample."""
    if any(map(_has_sample, events)):
        return events
    sampler = RateSampler()
    return [sampler.sampled(event) for event in events]


def samples_follow(events: Sequence[Event]) -> bool:
    """Return whether the delivery-rate samples of a connection's events equal those that RateSampler computes.

    The computation uses the events alone. The result is also true if no event has a sample.
    """
    if not any(map(_has_sample, events)):
        return True
    sampler = RateSampler()
    return all(sampler.sampled(event) == event for event in events)


def _has_sample(event: Event) -> bool:
    return isinstance(event, Ack | Lost) and event.rate_lost_bytes is not None

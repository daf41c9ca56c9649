"""Cases as readable text: one line per event, with the expected changes."""

from collections.abc import Iterable
from typing import Any

from firstflight.events import Ack, Backlog, Ce, Event, Lost, SavedPath, Sent
from firstflight_conformance.format.stream import repeated
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.format.wire import event_name

_NS_PER_MS = 10**6

#: Largest number of packet ranges printed for an event.
_RANGES_SHOWN = 8


def milliseconds(ns: int) -> str:
    """Return an exact time in milliseconds, without trailing zeros."""
    whole, rest = divmod(ns, _NS_PER_MS)
    return f"{whole}.{rest:06d}".rstrip("0").rstrip(".") if rest else str(whole)


def event_text(event: Event) -> str:
    """Return a short text for an event: its kind, packets, bytes and RTT sample."""
    parts = [event_name(event)]
    if isinstance(event, Sent | Ack | Lost):
        parts.append(_ranges_text([_range_text(run.first, run.last) for run in event.packets]))
        parts.append(f"{event.bytes} B, {event.bytes_in_flight} in flight")
    if ranges := repeated(event):
        parts.append(f"repeats {','.join(_range_text(*entry) for entry in ranges)}")
    if isinstance(event, Ack) and event.oldest_unacked_packet is not None:
        parts.append(f"all before {event.oldest_unacked_packet}")
    if isinstance(event, SavedPath):
        parts.append(f"{event.saved_cwnd_bytes} B, rtt {milliseconds(event.saved_rtt_ns)} ms")
        parts += [note for note in ("endpoint differs",) if not event.endpoint_matches]
        parts += [note for note in ("in use",) if event.in_use]
    if isinstance(event, Backlog):
        parts.append(f"{event.queued_bytes} B queued, {event.receive_window_bytes} B allowed")
    if isinstance(event, Ce):
        parts.append(f"packet {event.packet}, counter {event.ce_count}")
    if isinstance(event, Ack | Backlog):
        parts.append("no rtt" if event.latest_rtt_ns is None else f"rtt {milliseconds(event.latest_rtt_ns)} ms")
    if isinstance(event, Sent | Ack) and event.app_limited:
        parts.append("app-limited")
    return "  ".join(parts)


def _ranges_text(ranges: list[str]) -> str:
    """Return ranges of packets, only the first ones and the last of a long list."""
    if len(ranges) <= _RANGES_SHOWN:
        return ",".join(ranges)
    return f"{','.join(ranges[: _RANGES_SHOWN - 1])},...,{ranges[-1]} ({len(ranges)} ranges)"


def observables_text(observables: dict[str, Any]) -> str:
    """Return a short text for observables."""
    return "  ".join(_observable_text(name, value) for name, value in observables.items())


def lines(case: Case) -> list[tuple[str, str, str, str]]:
    """Return index, time in ms, event and changed observables for each judged event."""
    return event_lines(case.events, case.expected())


def event_lines(events: Iterable[Event], observed: Iterable[dict[str, Any]]) -> list[tuple[str, str, str, str]]:
    """Return index, time in ms, event and changed observables for each event."""
    rows = []
    before: dict[str, Any] = {}
    for index, (event, expected) in enumerate(zip(events, observed, strict=True)):
        changes = _changes(before, expected)
        rows.append((str(index), milliseconds(event.t_ns), event_text(event), observables_text(changes)))
        before = expected
    return rows


def _changes(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    changes = {name: value for name, value in now.items() if name not in before or before[name] != value}
    if "state" in changes and "state" in before:
        old = before["state"]
        changes["state"] = {name: n for name, n in now["state"].items() if name not in old or old[name] != n}
    return changes


def _range_text(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first}-{last}"


def _observable_text(name: str, value: Any) -> str:
    if name == "state":
        return "  ".join(f"{key}={'-' if number is None else number}" for key, number in value.items())
    if name == "ssthresh_bytes":
        return f"ssthresh {'infinite' if value is None else value}"
    if name == "next_release_ns":
        return "not paced" if value is None else f"next release {milliseconds(value)}"
    return f"{name.removesuffix('_bytes')} {value_text(value)}"


def value_text(value: object) -> str:
    """Return a readable value."""
    return "none" if value is None else str(value)

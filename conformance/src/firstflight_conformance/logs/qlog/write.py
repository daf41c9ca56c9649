"""Writes a recording as a qlog, for tools that read qlogs.

The file is a JSON text sequence with the event names of qlog 0.3, which qvis opens. It contains the headers of qlog 0.3
and of the current drafts, as in quic-go. Events without a counterpart in qlog are in the namespace ``firstflight``,
which other tools ignore.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from firstflight.events import Ack, Event, Lost, Run, Sent
from firstflight_conformance.format.timeline import milliseconds
from firstflight_conformance.format.wire import event_to_json, optional_members
from firstflight_conformance.logs.qlog.values import NS_PER_MS
from firstflight_conformance.logs.recording.answers import initial_window_bytes
from firstflight_conformance.logs.recording.recording import Recording, Step

_RECORD_SEPARATOR = "\x1e"
#: A longer run of packets is one Firstflight record: no viewer handles millions of packets.
RUN_RECORDS = 1000
#: Logged for an ssthresh that is infinite again, as in quinn.
_NO_THRESHOLD = 2**64 - 1
Record = dict[str, Any]
#: Returns further records of a step, by its index: name and data.
Extra = Callable[[int], list[tuple[str, Record]]]


@dataclass(frozen=True, slots=True)
class Ms:
    """A time in ns that is written as exact ms."""

    ns: int


def qlog_text(recording: Recording, title: str, description: str, extra: Extra = lambda _index: []) -> str:
    """Return the text of the qlog of a recording.

    ``extra``: function that returns additional records, pairs (name, data), for the event with a given index. The
    default adds no record.
    """
    return "".join(f"{_RECORD_SEPARATOR}{_line(record)}\n" for record in _records(recording, title, description, extra))


def ms(ns: int) -> "float | Ms":
    """Return a time of ``ns`` for JSON, in ms.

    Return a float below 10^15 ns, where its shortest decimal is exact, otherwise an :class:`Ms`, written as an exact
    decimal.
    """
    return ns / NS_PER_MS if ns < 10**15 else Ms(ns)


def _line(record: Record) -> str:
    try:
        return json.dumps(record)
    except TypeError:
        return _text(record)


def _text(value: Any) -> str:
    """Return JSON with times as exact decimals."""
    if isinstance(value, Ms):
        return milliseconds(value.ns)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {_text(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_text, value)) + "]"
    return json.dumps(value)


def _records(recording: Recording, title: str, description: str, extra: Extra) -> Iterator[Record]:
    yield _header(title, description)
    if recording.steps:
        yield _record(recording.steps[0].event.t_ns, "recovery:parameters_set", _parameters(recording))
    written: Record = {}
    received = 0
    for index, step in enumerate(recording.steps):
        event = step.event
        data = [*_event(event, received), *_state(written, step), *extra(index), *_members(event)]
        received += isinstance(event, Ack)
        metrics = _metrics(step, written)
        if metrics:
            data.append(("recovery:metrics_updated", metrics))
        yield from (_record(event.t_ns, name, content) for name, content in data)


def _record(t_ns: int, name: str, data: Record) -> Record:
    return {"time": ms(t_ns), "name": name, "data": data}


def _header(title: str, description: str) -> Record:
    return {
        "qlog_version": "0.3",
        "qlog_format": "JSON-SEQ",
        "file_schema": "urn:ietf:params:qlog:file:sequential",
        "serialization_format": "application/qlog+json-seq",
        "title": title,
        "description": description,
        "trace": {
            "title": title,  # qvis shows the title of the trace
            "vantage_point": {"name": "firstflight", "type": "server"},
            "event_schemas": ["urn:ietf:params:qlog:events:quic-12"],
            "common_fields": {"time_format": "relative", "reference_time": 0, "protocol_type": ["QUIC"]},
        },
    }


def _parameters(recording: Recording) -> Record:
    return {
        "max_datagram_size": recording.header.config.max_datagram_size_bytes,
        "initial_congestion_window": initial_window_bytes(recording),
    }


def _event(event: Event, received: int) -> Iterator[tuple[str, Record]]:
    """Yield the qlog records of an event as pairs (name of the qlog event, its data).

    ``received``: packet number to write for the received packet if the event is an ACK. These packets are numbered from
    0, because a recording lacks their real numbers.
    """
    match event:
        case Sent():
            for run in event.packets:
                yield from _packets("packet_sent", "transport", run, sized=True, acks_alone=event.not_in_flight)
        case Lost():
            for run in event.packets:
                yield from _packets("packet_lost", "recovery", run, sized=False)
        case Ack():
            ranges = [[run.first, run.last] if run.count > 1 else [run.first] for run in event.packets]
            frame = {"frame_type": "ack", "ack_delay": ms(event.ack_delay_ns), "acked_ranges": ranges}
            header = {"packet_type": "1RTT", "packet_number": received}
            yield "transport:packet_received", {"header": header, "frames": [frame]}
        case _:
            yield "firstflight:event", event_to_json(event)


def _packets(
    name: str, namespace: str, run: Run, *, sized: bool, acks_alone: bool = False
) -> Iterator[tuple[str, Record]]:
    size: Record = {"raw": {"length": run.size_bytes}} if sized else {}
    if acks_alone:
        size["frames"] = [{"frame_type": "ack"}]
    elif run.count > RUN_RECORDS:
        length = {"length": run.size_bytes} if sized else {}
        yield f"firstflight:{name.replace('packet', 'packets')}", {"first": run.first, "last": run.last} | length
        return
    for number in range(run.first, run.last + 1):
        yield f"{namespace}:{name}", {"header": {"packet_type": "1RTT", "packet_number": number}} | size


def _members(event: Event) -> Iterator[tuple[str, Record]]:
    """Yield a record ``firstflight:members`` for each optional member of an event that qlog cannot express.

    The member ``not_in_flight`` is omitted: the record ``packet_sent`` expresses it by an ACK as its only frame.
    """
    for name, value in optional_members(event).items():
        if name != "not_in_flight":
            yield "firstflight:members", {name: [list(pair) for pair in value] if isinstance(value, tuple) else value}


def _state(written: Record, step: Step) -> Iterator[tuple[str, Record]]:
    """Yield the record of a change of the congestion state if ``step`` reports a state other than the last one.

    ``written``: last written values by name; its ``state`` is updated.
    """
    new, old = step.subject.get("state"), written.get("state")
    if new is not None and new != old:
        yield "recovery:congestion_state_updated", {"new": new} if old is None else {"old": old, "new": new}
        written["state"] = new


def _metrics(step: Step, written: Record) -> Record:
    """Return the changed metrics, and the RTT of each sample."""
    event, subject = step.event, step.subject
    now: Record = {}
    if "cwnd_bytes" in subject:
        now["congestion_window"] = subject["cwnd_bytes"]
    if subject.get("ssthresh_bytes") is not None or "ssthresh" in written:
        threshold = subject.get("ssthresh_bytes")
        now["ssthresh"] = _NO_THRESHOLD if threshold is None else threshold
    if isinstance(event, Sent | Ack | Lost):
        now["bytes_in_flight"] = subject.get("bytes_in_flight", event.bytes_in_flight)
    if isinstance(event, Sent | Ack) and (event.app_limited or "app_limited" in written):
        now["app_limited"] = event.app_limited
    if isinstance(event, Ack):
        for name in ("min_rtt", "smoothed_rtt"):
            if (rtt_ns := getattr(event, f"{name}_ns")) is not None:
                now[name] = ms(rtt_ns)
    changed = {name: value for name, value in now.items() if written.get(name) != value}
    written |= now
    if isinstance(event, Ack) and event.latest_rtt_ns is not None:
        changed["latest_rtt"] = ms(event.latest_rtt_ns)
    return changed

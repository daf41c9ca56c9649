"""A case as a qlog, for the tools that read one: what the profile answers, as a connection would have logged it.

JSON text sequences with the event names of draft-ietf-quic-qlog-quic-events-12, and for Careful Resume
``quic:careful_resume_phase_updated`` of draft-ietf-tsvwg-careful-resume-qlog-02. That draft demands PipeSize and the numbers of the
first and the last unvalidated packet, and has no value for "none yet": they are left out then, as is a trigger for which it has no
name. Events without a counterpart are left out too.
"""

import json
from collections.abc import Iterator
from typing import Any

from firstflight.events import Ack, Event, Lost, Sent
from firstflight_conformance.cases.vectors import Case

_RECORD_SEPARATOR = "\x1e"
_BASE_PHASES = {"slow_start", "recovery", "congestion_avoidance"}
Record = dict[str, Any]


def qlog_text(case: Case) -> str:
    """Return the qlog of a case."""
    return "".join(f"{_RECORD_SEPARATOR}{json.dumps(record)}\n" for record in _records(case))


def _records(case: Case) -> Iterator[Record]:
    yield _header(case)
    shown: Record = {}
    before: Record = {}
    for event, now in zip(case.events, case.expected(), strict=True):
        time_ms = _milliseconds(event.t_ns)
        data = [*_packets(event), *_phases(before, now)]
        metrics = {name: value for name, value in _metrics(event, now).items() if shown.get(name) != value}
        if metrics:
            data.append(("recovery_metrics_updated", metrics))
        yield from ({"time": time_ms, "name": f"quic:{name}", "data": content} for name, content in data)
        shown |= metrics
        before = now


def _header(case: Case) -> Record:
    return {
        "file_schema": "urn:ietf:params:qlog:file:sequential",
        "serialization_format": "application/qlog+json-seq",
        "title": case.id,
        "description": case.vector.title,
        "trace": {
            "vantage_point": {"type": "server"},
            "event_schemas": ["urn:ietf:params:qlog:events:quic-12"],
            "common_fields": {
                "time_format": "relative_to_epoch",
                "reference_time": {"clock_type": "monotonic", "epoch": "unknown"},
            },
        },
    }


def _milliseconds(ns: int) -> float:
    """Return a time in milliseconds; qlog has no exact ones."""
    return ns / 1_000_000


def _packets(event: Event) -> Iterator[tuple[str, Record]]:
    if isinstance(event, Ack):
        numbers = [number for run in event.packets for number in range(run.first, run.last + 1)]
        yield "packets_acked", {"packet_number_space": "application_data", "packet_numbers": numbers}
    if not isinstance(event, Sent | Lost):
        return
    for run in event.packets:
        for number in range(run.first, run.last + 1):
            header: Record = {"header": {"packet_type": "1RTT", "packet_number": number}}
            if isinstance(event, Lost):
                yield "packet_lost", header
            else:
                yield "packet_sent", header | {"raw": {"length": run.size_bytes}}


def _metrics(event: Event, now: Record) -> Record:
    metrics: Record = {"congestion_window": now["cwnd_bytes"]}
    if now["ssthresh_bytes"] is not None:
        metrics["ssthresh"] = now["ssthresh_bytes"]
    if isinstance(event, Sent | Ack | Lost):
        metrics["bytes_in_flight"] = event.bytes_in_flight
    if isinstance(event, Ack):
        for name in ("latest_rtt", "min_rtt", "smoothed_rtt"):
            if (rtt_ns := getattr(event, f"{name}_ns")) is not None:
                metrics[name] = _milliseconds(rtt_ns)
    return metrics


def _phases(before: Record, now: Record) -> Iterator[tuple[str, Record]]:
    old, new = before.get("phase"), now["phase"]
    if old == new:
        return
    change = {"new": new} if old is None else {"old": old, "new": new}
    if "pipesize_bytes" in now["state"]:
        yield "careful_resume_phase_updated", change | _resume_data(now)
    elif new in _BASE_PHASES:
        yield "congestion_state_updated", change


def _resume_data(now: Record) -> Record:
    state = now["state"]
    state_data = {
        "pipesize": state["pipesize_bytes"],
        "first_unvalidated_packet": state["first_unvalidated_packet"],
        "last_unvalidated_packet": state["last_unvalidated_packet"],
        "congestion_window": now["cwnd_bytes"],
        "ssthresh": now["ssthresh_bytes"],
    }
    data: Record = {"state_data": {name: value for name, value in state_data.items() if value is not None}}
    if state["saved_cwnd_bytes"] is not None:
        saved_rtt_ms = _milliseconds(state["saved_rtt_ns"])
        data["restored_data"] = {"saved_congestion_window": state["saved_cwnd_bytes"], "saved_rtt": saved_rtt_ms}
    if now["trigger"] is not None:
        data["trigger"] = now["trigger"]
    return data

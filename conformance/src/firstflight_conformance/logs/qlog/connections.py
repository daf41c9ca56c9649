"""Chooses the records of one connection in a log with several."""

from collections import Counter
from itertools import groupby, pairwise
from pathlib import Path

from firstflight_conformance.logs.qlog.container import Record, Trace, read_traces
from firstflight_conformance.logs.qlog.values import event_name, member, space_of
from firstflight_conformance.logs.recording.files import RecordingError

Placed = tuple[str, Record]


def chosen(path: Path, traces: list[Trace], number: int | None = None, group: str | None = None) -> Trace:
    """Return the requested trace, with the records of one connection.

    Raise :class:`RecordingError` if the choice is ambiguous.
    """
    if number is None and len(traces) > 1:
        raise RecordingError(path, "file", f"has {len(traces)} traces; choose one: --trace 0 to {len(traces) - 1}")
    number = number or 0
    if number >= len(traces):
        raise RecordingError(path, "file", f"has no trace {number}; there are {len(traces)}")
    trace = traces[number]
    groups = {str(record["group_id"]) for _, record in trace.records if "group_id" in record}
    if group is None:
        if len(groups) > 1 and not _one_connection(trace.records):
            names = ", ".join(sorted(groups)[:8])
            raise RecordingError(
                path, "file", f"has {len(groups)} connections, by group_id; choose one: --group {names}"
            )
        return trace
    if group not in groups:
        raise RecordingError(path, "file", f"has no connection with the group_id {group}")
    records = [placed for placed in trace.records if str(placed[1].get("group_id", group)) == group]
    return Trace(trace.header, records, trace.notes)


def qlog_connections(path: Path, data: bytes) -> list[str]:
    """Return a line for each connection of a qlog, with the options that choose it."""
    lines = []
    for number, trace in enumerate(read_traces(path, data)):
        groups = Counter(str(record["group_id"]) for _, record in trace.records if "group_id" in record)
        if len(groups) < 2:
            lines.append(f"--trace {number}: {len(trace.records)} records")
        lines += [
            f"--trace {number} --group {name}: {count} records" for name, count in groups.items() if len(groups) > 1
        ]
    return lines


def _one_connection(records: list[Placed]) -> bool:
    """Return whether the different ``group_id`` values of the records are successive names of one connection.

    quinn uses the peer's connection ID, which a client learns with the first packet that it receives. A name then ends
    where the next begins, and only Initial packets precede the last name. No packet is sent under two names: a second
    connection would start again with packet 0.
    """
    grouped = [record for _, record in records if "group_id" in record]
    runs = [(name, list(run)) for name, run in groupby(grouped, key=lambda record: str(record["group_id"]))]
    if len({name for name, _ in runs}) < len(runs):
        return False
    sent = [{_packet(record) for record in run if event_name(record.get("name")) == "packet_sent"} for _, run in runs]
    spaces = [{_packet(record)[0] for record in run} - {None} for _, run in runs]
    return all(before <= {"initial"} for before in spaces[:-1]) and not any(a & b for a, b in pairwise(sent))


def _packet(record: Record) -> tuple[str | None, str]:
    header = member(member(record, "data"), "header")
    return space_of(header.get("packet_type")), str(header.get("packet_number"))

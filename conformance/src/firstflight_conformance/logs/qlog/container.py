"""Reads the container of a qlog: a JSON object with traces, or a sequence of records with or without separators."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from firstflight_conformance.logs.recording.files import RecordingError

_SEPARATOR = b"\x1e"
Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Trace:
    """One trace of a qlog: its header, and its events as pairs (place, record).

    The place is a text for error messages, such as ``traces[0].events[7]``. The record is the JSON object of the event.
    """

    header: Record
    records: list[tuple[str, Record]] = field(repr=False)
    #: Notes on irregularities of the container.
    notes: tuple[str, ...] = ()


def read_traces(path: Path, data: bytes) -> list[Trace]:
    """Return the traces of a file. Raise :class:`RecordingError` if it is not a qlog."""
    if not data.strip():
        raise RecordingError(path, "file", "is empty")
    if _SEPARATOR in data[:4096] or (b"\n" in data.strip() and not _is_one_object(data)):
        return [_sequence(path, data)]
    notes: tuple[str, ...] = ()
    try:
        document = _parsed(path, "file", data)
    except RecordingError:
        closed = _closed(data)
        if closed is None:
            raise
        document, notes = _parsed(path, "file", closed), ("the file is not closed; its last record was left out",)
    traces = document.get("traces", [document["trace"]] if "trace" in document else None)
    if not isinstance(traces, list) or not traces:
        raise RecordingError(path, "file", "has no traces: it is not a qlog, or a JSON-SEQ log without its events")
    return [_trace(path, number, trace, document, notes) for number, trace in enumerate(traces)]


#: Strings and brackets of JSON, and the largest depth of a list of events.
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)
_EVENTS_DEPTH = 4
_CLOSING = {b"{": b"}", b"[": b"]"}


def _closed(data: bytes) -> bytes | None:
    """Return a truncated JSON text, cut after its last complete event and closed, or None without such an event."""
    opened: list[bytes] = []
    end: tuple[int, list[bytes]] | None = None
    for token in _TOKENS.finditer(data):
        text = token[0]
        if text in _CLOSING:
            opened.append(text)
        elif text in (b"}", b"]"):
            if not opened or _CLOSING[opened.pop()] != text:
                return None
            if 1 < len(opened) <= _EVENTS_DEPTH and opened[-1] == b"[":
                end = token.end(), [*opened]
    if end is None or not opened:
        return None
    return data[: end[0]] + b"".join(_CLOSING[bracket] for bracket in reversed(end[1]))


def _is_one_object(data: bytes) -> bool:
    """Return whether a file of several lines is one JSON object, and not a sequence with one JSON record per line.

    The test: the first line alone is not a complete JSON text.
    """
    first = data.lstrip().split(b"\n", 1)[0]
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return True
    return False


def _trace(path: Path, number: int, trace: object, document: Record, notes: tuple[str, ...]) -> Trace:
    place = f"traces[{number}]"
    if not isinstance(trace, dict):
        raise RecordingError(path, place, "is not a JSON object")
    events = trace.get("events")
    if not isinstance(events, list):
        raise RecordingError(path, place, "has no list of events")
    header = {key: value for key, value in document.items() if key != "traces"} | {"trace": {**trace, "events": None}}
    return Trace(header, list(_rows(path, place, trace, events)), notes)


def _rows(path: Path, place: str, trace: Record, events: list[Any]) -> Iterator[tuple[str, Record]]:
    """Yield the events of a trace as pairs: place in the file, for error messages, and record (a JSON object).

    In old drafts of qlog an event is a list of values, with their names in ``event_fields``. Such a list is converted
    to an object. Raise :class:`RecordingError` for an event of another form.
    """
    names = trace.get("event_fields")
    common_fields = trace.get("common_fields")
    common: Record = common_fields if isinstance(common_fields, dict) else {}
    for index, event in enumerate(events):
        where = f"{place}.events[{index}]"
        if event in ([], {}):  # writers add an empty event after the trailing comma
            continue
        if isinstance(names, list) and isinstance(event, list):
            row = common | dict(zip((str(name).lower() for name in names), event, strict=False))
            time = row.get("time", row.get("relative_time"))
            name = f"{row.get('category', '')}:{row.get('event_type', row.get('event', row.get('name', '')))}"
            yield where, {"time": time, "name": name, "data": row.get("data")}
        elif isinstance(event, dict):
            yield where, event
        else:
            raise RecordingError(path, where, "is not a JSON object")


def _sequence(path: Path, data: bytes) -> Trace:
    """Return the trace of a qlog that is a sequence of JSON texts: the header of the log, then one record per event.

    The JSON texts follow record separators (byte 0x1E, as in RFC 7464) or are one per line. A truncated record at the
    end of the file is omitted, with a note in the trace. Raise :class:`RecordingError` for another text that is not a
    JSON object, or without header.
    """
    parts = data.split(_SEPARATOR) if _SEPARATOR in data[:4096] else data.splitlines()
    texts = [(f"record {number}", part) for number, part in enumerate(parts, 1) if part.strip()]
    notes: tuple[str, ...] = ()
    records = []
    for index, (place, text) in enumerate(texts):
        try:
            records.append((place, _parsed(path, place, text)))
        except RecordingError:
            if index == 0 or index + 1 < len(texts):
                raise
            notes = ("the last record is cut and was left out",)
    if not records:
        raise RecordingError(path, "file", "has no record between its separators")
    header = records[0][1]
    if "name" in header and "time" in header:
        raise RecordingError(path, records[0][0], "is an event: the header of the log is missing")
    return Trace(header, records[1:], notes)


def _parsed(path: Path, place: str, text: bytes) -> Record:
    try:
        parsed = _DECODER.decode(text.decode("utf-8"))
    except json.JSONDecodeError as error:
        where = f"{place}, line {error.lineno}, column {error.colno}"
        raise RecordingError(path, where, f"{error.msg}; is the log cut, or not a qlog?") from error
    except (ValueError, RecursionError) as error:
        raise RecordingError(path, place, f"is not JSON: {error}") from error
    if not isinstance(parsed, dict):
        raise RecordingError(path, place, "is not a JSON object")
    return parsed


def _refuse(text: str) -> None:
    raise ValueError(f"{text} is not a number")


def _decimal(text: str) -> Decimal:
    """Return the exact number. Raise :class:`ValueError` above a thousand digits: not a time or size."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise ValueError(f"{text[:40]} is outside the range of numbers in logs") from None
    if number and not -_DIGITS_MAX < number.adjusted() < _DIGITS_MAX:
        raise ValueError(f"{text[:40]} is outside the range of numbers in logs")
    return number


_DIGITS_MAX = 1000
_DECODER = json.JSONDecoder(parse_float=_decimal, parse_constant=_refuse)

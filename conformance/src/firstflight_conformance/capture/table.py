"""A table with a row per ACK as a recording: CSV from a kernel trace, a simulator, or the log of a stack."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from math import gcd
from pathlib import Path

from firstflight import Config
from firstflight_conformance.recording.files import RecordingError
from firstflight_conformance.recording.recorder import Recorder
from firstflight_conformance.recording.recording import Header, Recording

#: Columns by their names without the unit; of those with a time it is the end of the name.
_NEEDED = ("t", "rtt", "acked_bytes", "in_flight_bytes", "cwnd_bytes")
_OPTIONAL = ("ssthresh_bytes", "lost_bytes")
_UNITS_NS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
#: An ACK acknowledges no more datagrams, but one of twenty: rows with more were sampled.
_DATAGRAMS, _ONE_OF = 4, 20
_NO_THRESHOLD = 1 << 40
#: What a datagram has, if the table has to tell it.
_LEAST_BYTES, _MOST_BYTES = 400, 9000
_BEGIN_NS = 1


@dataclass(frozen=True, slots=True)
class _Row:
    """A row; ``rtt_ns`` is ``None`` for an ACK without a sample."""

    line: int
    t_ns: int
    rtt_ns: int | None
    acked_bytes: int
    in_flight_bytes: int
    cwnd_bytes: int
    ssthresh_bytes: int | None
    lost_bytes: int


def is_table(data: bytes) -> bool:
    """Return whether a file begins like a table with the columns that are needed."""
    head = data.partition(b"\n")[0].decode("ascii", "replace")
    return {"acked_bytes", "in_flight_bytes", "cwnd_bytes"} <= {each.strip() for each in head.split(",")}


def read_table(path: Path, data: bytes, datagram_bytes: int | None = None) -> Recording:
    """Return the recording of a table. The first row is the state before the first ACK: it acknowledges nothing.

    Raise :class:`RecordingError` where it cannot be judged.
    """
    rows, thresholds = _rows(path, data)
    if len(rows) < 2 or rows[0].acked_bytes:
        raise RecordingError(path, "line 2", "the first row must be the state before the first ACK, with acked_bytes 0")
    size_bytes = datagram_bytes or gcd(*(row.acked_bytes for row in rows))
    if datagram_bytes is None and not _LEAST_BYTES <= size_bytes <= _MOST_BYTES:
        raise RecordingError(path, "file", "acked_bytes are no multiples of one datagram size: state it by --datagram")
    sampled = [row for row in rows[1:] if row.acked_bytes > _DATAGRAMS * size_bytes]
    if len(sampled) * _ONE_OF > len(rows):
        raise RecordingError(
            path,
            f"line {sampled[0].line}",
            f"{len(sampled)} of {len(rows)} rows acknowledge more than {_DATAGRAMS} datagrams of {size_bytes} bytes: a row per ACK "
            "is needed, not one per interval; state the size by --datagram if it is larger",
        )
    return _Table(path, size_bytes, thresholds=thresholds).recording(rows)


class _Table:
    """Turns rows into events: what a row acknowledges or loses, then what is sent until it has so much in flight."""

    def __init__(self, path: Path, size_bytes: int, *, thresholds: bool) -> None:
        self._path, self._size_bytes, self._thresholds = path, size_bytes, thresholds
        self._recorder = Recorder()
        self._sizes: dict[int, int] = {}
        self._first = 0

    def recording(self, rows: list[_Row]) -> Recording:
        origin_ns = rows[0].t_ns - _BEGIN_NS
        for row in rows:
            t_ns = row.t_ns - origin_ns
            if row.acked_bytes:
                packets = self._take(row, row.acked_bytes, "acked_bytes")
                self._recorder.acked(t_ns, packets, sample=row.rtt_ns is not None, latest_rtt_ns=row.rtt_ns)
                self._report(row)
            if row.lost_bytes:
                self._recorder.lost(t_ns, self._take(row, row.lost_bytes, "lost_bytes"))
                self._report(row)
            self._send(row, t_ns)
        source = {"kind": "table", "name": self._path.name}
        config = Config(self._size_bytes, rows[0].cwnd_bytes)
        return self._recorder.recording(Header(source, config, 1000, 1000, {"rows": len(rows)}))

    def _take(self, row: _Row, count: int, name: str) -> list[int]:
        """Return the oldest packets in flight that have so many bytes; one that is met in part stays."""
        packets: list[int] = []
        while count > 0 and self._first in self._sizes:
            count -= self._sizes.pop(self._first)
            packets.append(self._first)
            self._first += 1
        if count > 0 or not packets:
            raise RecordingError(self._path, f"line {row.line}", f"{name}: more than is in flight by the rows before")
        return packets

    def _send(self, row: _Row, t_ns: int) -> None:
        left = row.in_flight_bytes - self._recorder.bytes_in_flight
        sizes = [self._size_bytes] * (left // self._size_bytes)
        if left > 0 and left % self._size_bytes:
            sizes.append(left % self._size_bytes)
        if sizes:
            first = self._recorder.next_packet
            self._sizes |= {first + index: size for index, size in enumerate(sizes)}
            self._recorder.sent(t_ns, sizes)
            self._report(row)

    def _report(self, row: _Row) -> None:
        told = {"ssthresh_bytes": row.ssthresh_bytes} if self._thresholds else {}
        self._recorder.report(cwnd_bytes=row.cwnd_bytes, **told)


def _rows(path: Path, data: bytes) -> tuple[list[_Row], bool]:
    """Return the rows, and whether they tell the threshold."""
    reader = csv.DictReader(data.decode("utf-8", "replace").splitlines(), skipinitialspace=True, strict=True)
    try:
        units = _units(path, [name.strip() for name in reader.fieldnames or ()])
        reader.fieldnames = [name.strip() for name in reader.fieldnames or ()]
        rows = [_row(path, number, raw, units) for number, raw in enumerate(reader, 2)]
    except csv.Error as error:
        raise RecordingError(path, f"line {reader.line_num}", f"is no CSV: {error}") from error
    for before, row in pairwise(rows):
        if row.t_ns < before.t_ns:
            raise RecordingError(path, f"line {row.line}", "t: before that of the row above")
    return rows, "ssthresh_bytes" in units


def _units(path: Path, names: list[str]) -> dict[str, tuple[str, int]]:
    """Return for each column that is known the name in the file and how many of ours one is."""
    found = {name: (name, 1) for name in names if name in (*_NEEDED, *_OPTIONAL)}
    for name in names:
        stem, _, unit = name.rpartition("_")
        if stem in ("t", "rtt") and unit in _UNITS_NS:
            found[stem] = (name, _UNITS_NS[unit])
    if missing := [name for name in _NEEDED if name not in found]:
        needed = "t_us, rtt_us (or _s, _ms, _ns), acked_bytes, in_flight_bytes, cwnd_bytes"
        raise RecordingError(path, "line 1", f"there is no column {missing[0]}; needed are {needed}")
    return found


def _row(path: Path, line: int, raw: Mapping[str, str | None], units: Mapping[str, tuple[str, int]]) -> _Row:
    def number(name: str) -> int | None:
        if name not in units:
            return None
        column, unit = units[name]
        text = (raw.get(column) or "").strip()
        if not text:
            return None
        try:
            value = int(Decimal(text) * unit)
        except (ArithmeticError, ValueError) as error:
            raise RecordingError(path, f"line {line}", f"{column}: {text[:40]!r} is no number") from error
        if not 0 <= value < 1 << 62:
            raise RecordingError(path, f"line {line}", f"{column}: {text[:40]!r} is out of range")
        return value

    def needed(name: str) -> int:
        value = number(name)
        if value is None:
            raise RecordingError(path, f"line {line}", f"{units[name][0]}: is empty")
        return value

    threshold = number("ssthresh_bytes")
    return _Row(
        line, needed("t"), number("rtt"), needed("acked_bytes"), needed("in_flight_bytes"), needed("cwnd_bytes"),
        None if threshold is None or threshold >= _NO_THRESHOLD else threshold, number("lost_bytes") or 0,
    )  # fmt: skip

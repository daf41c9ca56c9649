"""Reads a table with a row per ACK as a recording: CSV from a kernel trace, a simulator, or the log of a stack."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from math import gcd
from pathlib import Path

from firstflight import Config
from firstflight_conformance.logs.recording.files import RecordingError
from firstflight_conformance.logs.recording.recorder import Recorder
from firstflight_conformance.logs.recording.recording import Header, Recording

#: Names of columns without the unit, which ends the name of a column with times. ``srtt`` may replace ``rtt``.
_NEEDED = ("t", "rtt", "acked_bytes", "in_flight_bytes", "cwnd_bytes")
_OPTIONAL = ("srtt", "ssthresh_bytes", "lost_bytes")
_TIMES = ("t", "rtt", "srtt")
_MARK = b"\xef\xbb\xbf"
#: The kernel rounds a smoothed RTT down to a microsecond, so the RTT sample is known to eight microseconds.
_SMOOTHED_OF, _SMOOTHED_NS = 8, 8_000
#: Words in the names of columns of a sender's trace.
_WORDS = ("cwnd", "rtt", "ssthresh", "acked", "flight")
_UNITS_NS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
#: At most one in twenty ACKs acknowledges more than four datagrams; in a table with more such rows they were sampled.
_DATAGRAMS, _ONE_OF = 4, 20
_NO_THRESHOLD = 1 << 40
#: Range of a datagram size that is derived from the table.
_LEAST_BYTES, _MOST_BYTES = 400, 9000
_BEGIN_NS = 1


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table that :func:`read_table` reads: one ACK, and the state of the sender after it.

    ``line``: line number in the file. ``acked_bytes`` and ``lost_bytes``: bytes acknowledged and declared lost with the
    ACK. ``in_flight_bytes``: in flight after the ACK and the packets sent after it. ``rtt_ns``: ``None`` for an ACK
    without an RTT sample. ``ssthresh_bytes``: ``None`` if infinite or not in the table.
    """

    line: int
    t_ns: int
    rtt_ns: int | None
    acked_bytes: int
    in_flight_bytes: int
    cwnd_bytes: int
    ssthresh_bytes: int | None
    lost_bytes: int


def is_table(data: bytes) -> bool:
    """Return whether the first line of a file is the header of a sender's table (CSV with a row per ACK).

    The line must have more than two column names. At least two must contain ``cwnd``, ``rtt``, ``ssthresh``, ``acked``
    or ``flight``.
    """
    head = _head(data)
    if head.lstrip("\x1e \t")[:1] in ("{", "["):  # JSON in one line
        return False
    names = _names(head)
    return len(names) > 2 and sum(any(word in name for word in _WORDS) for name in names) > 1


def _head(data: bytes) -> str:
    return data.removeprefix(_MARK).partition(b"\n")[0].decode("utf-8", "replace")


def _names(head: str) -> list[str]:
    return [name.strip().strip('"').lower() for name in head.split(_delimiter(head))]


def _delimiter(head: str) -> str:
    return max(",;\t", key=head.count)


def read_table(
    path: Path, data: bytes, datagram_bytes: int | None = None, columns: Mapping[str, str] | None = None
) -> Recording:
    """Return the recording of a table. The first row is the state before the first ACK and acknowledges nothing.

    ``columns``: names of this module, by names in the file. Raise :class:`RecordingError` if the table cannot be
    judged.
    """
    rows, known = _rows(path, data, columns or {})
    return recording_of_rows(
        path, rows, datagram_bytes, thresholds="ssthresh_bytes" in known, smoothed="rtt" not in known
    )


def recording_of_rows(
    path: Path, rows: list[Row], datagram_bytes: int | None, *, thresholds: bool, smoothed: bool
) -> Recording:
    """Return the recording of rows. ``thresholds``: the rows report ssthresh. ``smoothed``: the RTTs are smoothed."""
    if len(rows) < 2 or rows[0].acked_bytes:
        raise RecordingError(path, "line 2", "the first row must be the state before the first ACK, with acked_bytes 0")
    size_bytes = datagram_bytes or gcd(*(row.acked_bytes for row in rows))
    if datagram_bytes is None and not _LEAST_BYTES <= size_bytes <= _MOST_BYTES:
        raise RecordingError(path, "file", "acked_bytes are not multiples of one datagram size: state it by --datagram")
    sampled = [row for row in rows[1:] if row.acked_bytes > _DATAGRAMS * size_bytes]
    if len(sampled) * _ONE_OF > len(rows):
        raise RecordingError(
            path,
            f"line {sampled[0].line}",
            f"{len(sampled)} of {len(rows)} rows acknowledge more than {_DATAGRAMS} datagrams of {size_bytes} bytes: a row per ACK "
            "is needed, not one per interval; state the size by --datagram if it is larger",
        )
    resolution_ns = _SMOOTHED_NS if smoothed else 1000
    return _Table(path, size_bytes, thresholds=thresholds).recording(
        _samples(rows) if smoothed else rows, resolution_ns
    )


def _samples(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with RTT samples in place of smoothed RTTs. A sample has a weight of 1/8 in the smoothed RTT."""
    samples = [replace(rows[0], rtt_ns=None)]
    for before, row in pairwise(rows):
        sample_ns = row.rtt_ns  # the first sample is the smoothed RTT itself
        if row.rtt_ns is not None and before.rtt_ns is not None:
            sample_ns = max(_SMOOTHED_OF * row.rtt_ns - (_SMOOTHED_OF - 1) * before.rtt_ns, 1)
        samples.append(replace(row, rtt_ns=sample_ns))
    return samples


class _Table:
    """Turns rows into events: acknowledged packets, lost packets, then packets sent up to the row's bytes in flight."""

    def __init__(self, path: Path, size_bytes: int, *, thresholds: bool) -> None:
        self._path, self._size_bytes, self._thresholds = path, size_bytes, thresholds
        self._recorder = Recorder()
        self._sizes: dict[int, int] = {}
        self._first = 0

    def recording(self, rows: Sequence[Row], resolution_ns: int) -> Recording:
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
        return self._recorder.recording(Header(source, config, 1000, resolution_ns, {"rows": len(rows)}))

    def _take(self, row: Row, count: int, name: str) -> list[int]:
        """Remove the oldest ``count`` bytes from flight, rounded up to whole packets, and return the packet numbers.

        ``name``: name of the column with ``count``, for the error message. Raise :class:`RecordingError` if fewer bytes
        are in flight.
        """
        packets: list[int] = []
        while count > 0 and self._first in self._sizes:
            count -= self._sizes.pop(self._first)
            packets.append(self._first)
            self._first += 1
        if count > 0 or not packets:
            raise RecordingError(self._path, f"line {row.line}", f"{name}: more than the previous rows have in flight")
        return packets

    def _send(self, row: Row, t_ns: int) -> None:
        sent_bytes = row.in_flight_bytes - self._recorder.bytes_in_flight
        sizes = [self._size_bytes] * (sent_bytes // self._size_bytes)
        if sent_bytes > 0 and sent_bytes % self._size_bytes:
            sizes.append(sent_bytes % self._size_bytes)
        if sizes:
            first = self._recorder.next_packet
            self._sizes |= {first + index: size for index, size in enumerate(sizes)}
            self._recorder.sent(t_ns, sizes)
            self._report(row)

    def _report(self, row: Row) -> None:
        thresholds = {"ssthresh_bytes": row.ssthresh_bytes} if self._thresholds else {}
        self._recorder.report(cwnd_bytes=row.cwnd_bytes, **thresholds)


def _rows(path: Path, data: bytes, columns: Mapping[str, str]) -> tuple[list[Row], dict[str, tuple[str, int]]]:
    """Return the rows of a table, and its known columns: for each, its name in the file and the factor to ns or bytes.

    The keys of the known columns are names of this module, such as ``rtt``. ``columns``: additional names of columns in
    the file, with the names of this module that they stand for. Raise :class:`RecordingError` for an invalid table.
    """
    text = data.removeprefix(_MARK).decode("utf-8", "replace")
    reader = csv.DictReader(text.splitlines(), delimiter=_delimiter(_head(data)), skipinitialspace=True, strict=True)
    try:
        names = [columns.get(name.strip(), name.strip()) for name in reader.fieldnames or ()]
        units = _units(path, names)
        reader.fieldnames = names
        rows = [_row(path, number, raw, units) for number, raw in enumerate(reader, 2)]
    except csv.Error as error:
        raise RecordingError(path, f"line {reader.line_num}", f"is not CSV: {error}") from error
    for before, row in pairwise(rows):
        if row.t_ns < before.t_ns:
            raise RecordingError(path, f"line {row.line}", "t: earlier than in the previous row")
    return rows, units


def _units(path: Path, names: list[str]) -> dict[str, tuple[str, int]]:
    """Return, for each known column, its name in the file and the factor to ns or bytes."""
    columns = {name: (name, 1) for name in names if name in (*_NEEDED, *_OPTIONAL)}
    for name in names:
        stem, _, unit = name.rpartition("_")
        if stem in _TIMES and unit in _UNITS_NS:
            columns[stem] = (name, _UNITS_NS[unit])
    if missing := [name for name in _NEEDED if name not in columns and not (name == "rtt" and "srtt" in columns)]:
        needed = "t_us, rtt_us (or _s, _ms, _ns; or srtt_us), acked_bytes, in_flight_bytes, cwnd_bytes"
        has = ", ".join(names[:12])
        raise RecordingError(
            path,
            "line 1",
            f"missing column {', '.join(missing)}; required are {needed}; the file has {has}: set names by --columns {missing[0]}=NAME",
        )
    return columns


def _row(path: Path, line: int, raw: Mapping[str, str | None], units: Mapping[str, tuple[str, int]]) -> Row:
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
            raise RecordingError(path, f"line {line}", f"{column}: {text[:40]!r} is not a number") from error
        if not 0 <= value < 1 << 62:
            raise RecordingError(path, f"line {line}", f"{column}: {text[:40]!r} is out of range")
        return value

    def needed(name: str) -> int:
        value = number(name)
        if value is None:
            raise RecordingError(path, f"line {line}", f"{units[name][0]}: is empty")
        return value

    threshold = number("ssthresh_bytes")
    return Row(
        line, needed("t"), number("rtt" if "rtt" in units else "srtt"), needed("acked_bytes"), needed("in_flight_bytes"), needed("cwnd_bytes"),
        None if threshold is None or threshold >= _NO_THRESHOLD else threshold, number("lost_bytes") or 0,
    )  # fmt: skip

"""Reads a connection from any known format: recording, qlog, capture, table, trace, or samples of a socket."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

from firstflight_conformance.logs.capture.container import is_capture
from firstflight_conformance.logs.capture.probe import is_probe, read_probe
from firstflight_conformance.logs.capture.read import capture_connections, read_capture
from firstflight_conformance.logs.capture.sockets import Sampled, is_sampled, read_sampled
from firstflight_conformance.logs.capture.table import is_table, read_table
from firstflight_conformance.logs.qlog.connections import qlog_connections
from firstflight_conformance.logs.qlog.read import LogOptions, read_qlog
from firstflight_conformance.logs.recording import files
from firstflight_conformance.logs.recording.files import RecordingError
from firstflight_conformance.logs.recording.recording import Recording

_READ = (
    "read are qlogs, TCP captures, CSV tables with a row per ACK, tcp_probe traces, output of ss -tinm and recordings"
)
#: Formats that are not judged: pattern of the first lines, name, and the shortest way to a supported format.
_OTHERS = (
    (re.compile(rb"^\S+ (IP6?|ARP)[ ,].*(Flags \[|length )", re.MULTILINE), "text of tcpdump", "capture with -w FILE -s 120"),
    (re.compile(rb"^\s*[\d.]+\s+\d+(\s+\d+)?\s*$", re.MULTILINE), "times and windows alone", "write a row per ACK with " + "t_s,rtt_s,acked_bytes,in_flight_bytes,cwnd_bytes"),
    (re.compile(rb"^(timeval|double|signed|dtime|title)\b", re.MULTILINE), "a plot of xplot", "judge the capture that it was made from"),
    (re.compile(rb'"(intervals|start)"\s*:'), "the report of iperf3", "capture with tcpdump -w FILE -s 120"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Source:
    """A parsed connection. ``notes``: remarks for the report.

    ``agreement``: in a qlog, the share of the logged bytes in flight that equal the values computed from its packets, 0
    to 1. None in other formats.
    """

    recording: Recording
    agreement: float | None
    notes: tuple[str, ...]


def read(path: Path, peer: Path | None = None, options: LogOptions | None = None) -> Source:
    """Read a file. Raise :class:`RecordingError` if it cannot be judged."""
    source = read_any(path, peer, options)
    if isinstance(source, Sampled):
        raise RecordingError(path, "file", "is output of ss, without events: use firstflight judge")
    return source


def read_any(path: Path, peer: Path | None = None, options: LogOptions | None = None) -> Source | Sampled:
    """Read a file as a recording or as samples of a socket. Raise :class:`RecordingError` if it cannot be judged."""
    data, missing = files.read_content(path, is_capture)
    options = options or LogOptions()
    kind = kind_of(data)
    _check_options(path, kind, peer, options)
    if missing and kind not in ("capture", "qlog"):
        data = data[: data.rfind(b"\n") + 1]  # the last line is cut
    source = _found(path, kind, data, peer, options)
    return replace(source, notes=(*source.notes, *(f"note: {note}" for note in missing)))


def _found(path: Path, kind: str, data: bytes, peer: Path | None, options: LogOptions) -> Source | Sampled:
    if kind == "recording":
        return Source(files.parse(path, data), None, ())
    if kind == "capture":
        recording, notes = read_capture(path, data, options.initial_window_bytes, options.connection)
        return Source(recording, None, tuple(notes))
    if kind == "trace":
        return Source(read_probe(path, data, options.max_datagram_size_bytes), None, ())
    if kind == "socket trace":
        return read_sampled(path, data)
    if kind == "table":
        return Source(read_table(path, data, options.max_datagram_size_bytes, options.columns), None, ())
    for pattern, name, remedy in _OTHERS:
        if pattern.search(data[:8192]) and not data.lstrip().startswith(b'{"qlog'):
            raise RecordingError(path, "file", f"is {name}; {_READ}: {remedy}")
    log = read_qlog(path, peer, options, data)
    quality = log.recording.header.quality
    agreed = f"bytes in flight as logged: {quality['in_flight_agreed']} of {quality['in_flight_logged']}"
    written = f"written by {log.recording.header.source['writer']}; {log.order}"
    return Source(log.recording, round(log.agreement, 6), (written, agreed, *(f"note: {note}" for note in log.notes)))


def kind_of(data: bytes) -> str:
    """Return the kind of a file: recording, capture, trace, socket trace, table or qlog."""
    if files.is_recording(data):
        return "recording"
    if is_capture(data):
        return "capture"
    if is_probe(data):
        return "trace"
    if is_sampled(data):
        return "socket trace"
    return "table" if is_table(data) else "qlog"


def connections(path: Path) -> list[str]:
    """Return a line for each connection of a file. Raise :class:`RecordingError` if the file is unreadable."""
    data, _ = files.read_content(path, is_capture)
    kind = kind_of(data)
    if kind == "capture":
        return capture_connections(path, data)
    if kind == "qlog":
        return qlog_connections(path, data)
    return [f"a {kind} has one connection"]


#: Kinds of files by the options that apply to them.
_APPLIES = {
    "peer": {"qlog"},
    "trace": {"qlog"},
    "group": {"qlog"},
    "initial-window": {"qlog", "capture"},
    "datagram": {"qlog", "table", "trace"},
    "connection": {"capture"},
    "columns": {"table"},
}


def _check_options(path: Path, kind: str, peer: Path | None, options: LogOptions) -> None:
    options_by_name = {
        "peer": peer, "trace": options.trace, "group": options.group, "initial-window": options.initial_window_bytes,
        "datagram": options.max_datagram_size_bytes, "connection": options.connection, "columns": options.columns or None,
    }  # fmt: skip
    for name, value in options_by_name.items():
        if value is not None and kind not in _APPLIES[name]:
            raise RecordingError(path, "file", f"is a {kind}: --{name} does not apply to it")

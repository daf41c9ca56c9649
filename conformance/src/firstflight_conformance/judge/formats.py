"""Reads a connection from a file of any kind that is known: a recording, a qlog, a capture, or a table with a row per ACK."""

from dataclasses import dataclass
from pathlib import Path

from firstflight_conformance.capture.container import is_capture
from firstflight_conformance.capture.read import read_capture
from firstflight_conformance.capture.table import is_table, read_table
from firstflight_conformance.qlog.read import Options, read_qlog
from firstflight_conformance.recording import files
from firstflight_conformance.recording.recording import Recording


@dataclass(frozen=True, slots=True)
class Source:
    """A connection that was read. ``agreement``: the share of the bytes in flight that are as logged, of a qlog."""

    recording: Recording
    agreement: float | None
    notes: tuple[str, ...]


def read(path: Path, peer: Path | None = None, options: Options | None = None) -> Source:
    """Read a file. Raise :class:`RecordingError` where it cannot be judged."""
    data = files.read_bounded(path)
    if files.is_recording(data):
        return Source(files.parse(path, data), None, ())
    options = options or Options()
    if is_capture(data):
        recording, notes = read_capture(path, data, options.initial_window_bytes)
        return Source(recording, None, tuple(notes))
    if is_table(data):
        return Source(read_table(path, data, options.max_datagram_size_bytes), None, ())
    log = read_qlog(path, peer, options)
    quality = log.recording.header.quality
    agreed = f"bytes in flight as logged: {quality['in_flight_agreed']} of {quality['in_flight_logged']}"
    written = f"written by {log.recording.header.source['writer']}; {log.order}"
    return Source(log.recording, round(log.agreement, 6), (written, agreed, *(f"note: {note}" for note in log.notes)))

"""Recordings as files: JSON lines, the header first (``spec/recording.md``, ``spec/schemas/recording.schema.json``)."""

import json
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from firstflight import Config
from firstflight_conformance.format.files import write_whole
from firstflight_conformance.format.schemas import schema_error
from firstflight_conformance.format.stream import StreamError, check_stream
from firstflight_conformance.format.wire import decode_int, encode_int, event_from_json, event_to_json
from firstflight_conformance.logs.recording.recording import FORMAT, Header, Recording, Step, Subject
from firstflight_conformance.logs.recording.unpacked import unpacked
from firstflight_conformance.text import shown

#: The largest recording or log that is read, and the longest line of a recording.
FILE_MAX_BYTES = 64 << 20
LINE_MAX_BYTES = 1 << 20

#: Longer messages are truncated.
_REASON_MAX = 1000
_SCHEMA = "urn:firstflight:recording:1"
_MARK = "firstflight_recording"


class RecordingError(ValueError):
    """A recording or log is invalid. The message contains file, place and reason."""

    def __init__(self, path: Path, place: str, reason: str) -> None:
        """Create the message from the file, the place in it and the reason."""
        self.place, self.reason = place, reason
        super().__init__(f"{shown(str(path))}: {shown(place)}: {shown(reason, _REASON_MAX)}")


def read_content(path: Path, beginning: Callable[[bytes], bool] | None = None) -> tuple[bytes, list[str]]:
    """Return the unpacked content of a file (``-``: standard input), and notes on missing parts.

    ``beginning``: returns whether the first 64 MiB are sufficient for a file with these first bytes.
    Raise :class:`RecordingError` for an unreadable or too large file.
    """
    try:
        with _opened(path) as file:
            content = unpacked(file, FILE_MAX_BYTES + 1)
    except (OSError, ImportError) as error:
        raise RecordingError(path, "file", getattr(error, "strerror", None) or str(error)) from error
    data, packing = content.data, content.packing
    if content.cut:
        if not data:
            raise RecordingError(path, "file", f"is a {packing} file that is cut before its first byte: copy it again")
        return data, [f"the {packing} file is cut: it was read up to byte {len(data)} of its content; copy it again"]
    if len(data) <= FILE_MAX_BYTES:
        return data, []
    if beginning is not None and beginning(data):
        return data[:FILE_MAX_BYTES], [f"the first {FILE_MAX_BYTES >> 20} MiB of the file were read"]
    raise RecordingError(
        path,
        "file",
        f"is larger than {FILE_MAX_BYTES >> 20} MiB; cut it by head -c {FILE_MAX_BYTES >> 20}M: the start of a connection is judged",
    )


def read_bounded(path: Path) -> bytes:
    """Return the decompressed content of a file (``-``: standard input) of at most 64 MiB.

    Raise :class:`RecordingError` if the file is unreadable or larger, or if its compressed data is truncated.
    """
    data, notes = read_content(path)
    if notes:
        raise RecordingError(path, "file", f"{notes[0]}, or unpack that part into another file")
    return data


def _opened(path: Path) -> BinaryIO:
    if str(path) == "-":
        return os.fdopen(os.dup(0), "rb")
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise RecordingError(path, "file", "is not a regular file")
    return file


def save(recording: Recording, path: Path) -> None:
    """Write a recording. Raise :class:`OSError` if the file cannot be written."""
    write_whole(path, "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines(recording)))


def lines(recording: Recording) -> Iterator[dict[str, Any]]:
    """Yield the lines of a recording in their JSON form."""
    header = recording.header
    window_bytes = header.config.initial_window_bytes
    yield {
        _MARK: FORMAT,
        "source": dict(header.source),
        "config": {
            "max_datagram_size_bytes": header.config.max_datagram_size_bytes,
            "initial_window_bytes": None if window_bytes is None else encode_int(window_bytes),
        },
        "time_resolution_ns": header.time_resolution_ns,
        "rtt_resolution_ns": header.rtt_resolution_ns,
        "quality": dict(header.quality),
    }
    for step in recording.steps:
        subject = {name: encode_int(value) if isinstance(value, int) else value for name, value in step.subject.items()}
        discarded = {"discarded_bytes": step.discarded_bytes} if step.discarded_bytes else {}
        yield {"event": event_to_json(step.event), "subject": subject} | discarded


def is_recording(data: bytes) -> bool:
    """Return whether a file starts with the first bytes of a recording."""
    return data.startswith(f'{{"{_MARK}"'.encode())


def load(path: Path) -> Recording:
    """Return the recording in a file. Raise :class:`RecordingError` if it is malformed."""
    return parse(path, read_bounded(path))


def parse(path: Path, data: bytes) -> Recording:
    """Return the recording in the content of a file. Raise :class:`RecordingError` if it is malformed."""
    header: Header | None = None
    steps: list[Step] = []
    for number, line in enumerate(data.splitlines(), 1):
        raw = _object(path, f"line {number}", line)
        kind = "step" if header is not None else "header"
        if error := schema_error(f"{_SCHEMA}#/$defs/{kind}", raw):
            raise RecordingError(path, f"line {number}{error.json_path.removeprefix('$')}", error.message)
        try:
            if header is None:
                header = _header(raw)
            else:
                discarded_bytes = raw.get("discarded_bytes", 0)
                steps.append(Step(event_from_json(raw["event"]), _subject(raw["subject"]), discarded_bytes))
        except ValueError as error_of_value:
            raise RecordingError(path, f"line {number}", str(error_of_value)) from error_of_value
    if header is None:
        raise RecordingError(path, "line 1", "the header is missing")
    recording = Recording(header, tuple(steps))
    try:  # a probe of the path may be larger than the datagrams of the controller
        # A recording is independent of an algorithm. Careful Resume accepts a path change at the time of a packet.
        check_stream(recording.in_full_flight(), {"max_datagram_size_bytes": 65535}, "careful-resume")
    except StreamError as error_of_stream:
        place = f"line {error_of_stream.index + 2}{error_of_stream.member}"
        raise RecordingError(path, place, error_of_stream.reason) from error_of_stream
    return recording


def _object(path: Path, place: str, line: bytes) -> dict[str, Any]:
    if len(line) > LINE_MAX_BYTES:
        raise RecordingError(path, place, f"is longer than {LINE_MAX_BYTES} bytes")
    try:
        raw = json.loads(line.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise RecordingError(path, place, f"is not JSON: {error}") from error
    if not isinstance(raw, dict):
        raise RecordingError(path, place, "is not a JSON object")
    return raw


def _refuse(text: str) -> None:
    raise ValueError(f"{text}: is not a number")


def _header(raw: dict[str, Any]) -> Header:
    window = raw["config"]["initial_window_bytes"]
    config = Config(raw["config"]["max_datagram_size_bytes"], None if window is None else decode_int(window))
    return Header(raw["source"], config, raw["time_resolution_ns"], raw["rtt_resolution_ns"], raw["quality"])


def _subject(raw: dict[str, Any]) -> Subject:
    decoded: Any = {
        name: value if value is None or name == "state" else decode_int(value, name) for name, value in raw.items()
    }
    subject: Subject = decoded
    return subject

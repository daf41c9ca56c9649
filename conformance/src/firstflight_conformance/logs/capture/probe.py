"""Reads the kernel's trace point ``tcp:tcp_probe`` as a table: the state of a sender before each received segment."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from firstflight_conformance.logs.capture.table import Row, recording_of_rows
from firstflight_conformance.logs.recording.files import RecordingError
from firstflight_conformance.logs.recording.recording import Recording

_NS_PER_US = 1000
_LINE = re.compile(rb"(\d+\.\d+): tcp_probe: (.*)")
_MEMBERS = ("snd_nxt", "snd_una", "snd_cwnd", "ssthresh", "srtt")
_SEQUENCES = 1 << 32
_NUMBER = re.compile(r"(?:0x[0-9a-f]+|[0-9]+)", re.IGNORECASE)
#: ssthresh of the kernel before slow start ends.
_NO_SSTHRESH = (1 << 31) - 1

_State = Mapping[str, int]


def is_probe(data: bytes) -> bool:
    """Return whether a text is a trace of ``tcp_probe``."""
    return b"tcp_probe: " in data[:4096]


def read_probe(path: Path, data: bytes, datagram_bytes: int | None = None) -> Recording:
    """Return the recording of the connection that acknowledges most, from a trace of the Linux event ``tcp_probe``.

    ``data``: content of the trace file. Raise :class:`RecordingError` if the trace cannot be judged.
    """
    flows: dict[str, list[_State]] = {}
    for number, line in enumerate(data.splitlines(), 1):
        if (match := _LINE.search(line)) is not None:
            words = dict(word.partition("=")[::2] for word in match[2].decode("ascii", "replace").split())
            state = {name: _integer(path, number, name, words) for name in _MEMBERS}
            state |= {"t_ns": _time_ns(match[1]), "line": number}
            flows.setdefault(f"{words.get('src')} {words.get('dest')}", []).append(state)
    states = max(flows.values(), key=_acked, default=[])
    if not _acked(states):
        raise RecordingError(path, "file", "no segment of the trace acknowledges data")
    return recording_of_rows(path, _rows(states, _size(states)), datagram_bytes, thresholds=True, smoothed=True)


def _time_ns(text: bytes) -> int:
    seconds, _, fraction = text.decode().partition(".")
    return int(seconds + fraction[:9].ljust(9, "0"))


def _integer(path: Path, line: int, name: str, words: Mapping[str, str]) -> int:
    text = words.get(name, "")
    if not _NUMBER.fullmatch(text):
        raise RecordingError(path, f"line {line}", f"{name}: {text[:40]!r} is not a number")
    return int(text, 0)


def _acked(states: Sequence[_State]) -> int:
    return sum(_ahead(later["snd_una"], state["snd_una"]) for state, later in pairwise(states))


def _ahead(later: int, earlier: int) -> int:
    distance = (later - earlier) % _SEQUENCES
    return distance if distance < _SEQUENCES // 2 else 0


def _size(states: Sequence[_State]) -> int:
    """Return the size of a segment: the smallest of the most frequent numbers of bytes acknowledged at once."""
    acked_bytes = [_ahead(later["snd_una"], state["snd_una"]) for state, later in pairwise(states)]
    return min(
        (size_bytes for size_bytes in acked_bytes if size_bytes > 0),
        key=lambda size_bytes: (-acked_bytes.count(size_bytes), size_bytes),
    )


def _rows(states: Sequence[_State], size_bytes: int) -> list[Row]:
    """Return table rows: the state before the first ACK, then the state after each ACK of data.

    A state was logged before its segment was processed, so the next state shows the changes by the segment.
    ``size_bytes``: size of a segment, to convert windows to bytes.
    """
    first = states[0]
    rows = [_row(first, first, 0, size_bytes)]
    for state, later in pairwise(states):
        if acked_bytes := _ahead(later["snd_una"], state["snd_una"]):
            rows.append(_row(state, later, acked_bytes, size_bytes))
    return rows


def _row(state: _State, after: _State, acked_bytes: int, size_bytes: int) -> Row:
    threshold = after["ssthresh"]
    return Row(
        state["line"], state["t_ns"], after["srtt"] * _NS_PER_US, acked_bytes, _ahead(after["snd_nxt"], after["snd_una"]),
        after["snd_cwnd"] * size_bytes, None if threshold >= _NO_SSTHRESH else threshold * size_bytes, 0,
    )  # fmt: skip

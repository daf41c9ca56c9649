"""Tables with a row per ACK get the verdict of the recording; sampled and broken rows are refused with their line."""

from functools import cache
from pathlib import Path

import pytest

from firstflight.events import Ack, Lost, Sent
from firstflight_conformance.format.vectors import Case, load
from firstflight_conformance.judge.formats import read
from firstflight_conformance.judge.verdict import judge
from firstflight_conformance.logs.recording.answers import answers_of
from firstflight_conformance.logs.recording.files import RecordingError
from firstflight_conformance.logs.recording.from_case import recording_of
from firstflight_conformance.paths import VECTORS

HEAD = "t_us,rtt_us,acked_bytes,in_flight_bytes,cwnd_bytes,ssthresh_bytes"


@cache
def rows(name: str, profile: str) -> tuple[tuple[object, ...], ...]:
    """Return the rows of a connection: each ACK, with the bytes in flight after the packets that it releases."""
    recording = recording_of(Case(load(VECTORS / f"{name}.json"), profile))
    table_rows: list[list[object]] = []
    for event, answer in zip(recording.events, answers_of(recording), strict=True):
        if not isinstance(event, Ack | Lost | Sent):
            continue
        if isinstance(event, Lost):
            break
        t_us = event.t_ns / 1000
        if isinstance(event, Ack):
            rtt = "" if event.latest_rtt_ns is None else event.latest_rtt_ns / 1000
            table_rows.append([t_us, rtt, event.bytes, 0, 0, ""])
        elif not table_rows:
            table_rows.append([t_us, "", 0, 0, 0, ""])
        table_rows[-1][3:] = [event.bytes_in_flight, answer.cwnd_bytes, answer.ssthresh_bytes or ""]
    return tuple(tuple(row) for row in table_rows)


def table(table_rows: object, head: str = HEAD) -> bytes:
    """Return the contents of a table file."""
    return "\n".join([head, *(",".join(map(str, row)) for row in table_rows)]).encode()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "profile"), [("hystart/path.deep-queue", "linux"), ("search/path.deep-queue", "linux-4")]
)
def test_a_row_per_ack_gives_the_same_answer(tmp_path: Path, name: str, profile: str) -> None:
    """A table gives the profile and exit of its recording."""
    file = tmp_path / "acks.csv"
    file.write_bytes(table(rows(name, profile)))
    verdict = judge(read(file).recording)
    plain = judge(recording_of(Case(load(VECTORS / f"{name}.json"), profile)))
    assert verdict.undecided is None
    assert f"{name.partition('/')[0]}/{profile}" in verdict.may_be
    assert set(verdict.may_be) <= set(plain.may_be)
    assert verdict.did.window_bytes == plain.did.window_bytes
    assert verdict.did.growth == plain.did.growth


def test_sampled_rows_are_refused(tmp_path: Path) -> None:
    """Rows that sum several ACKs are refused, because they do not show the exit."""
    row_per_ack = rows("hystart/path.deep-queue", "linux")
    sampled = [row_per_ack[0]]
    for at in range(1, len(row_per_ack) - 8, 8):
        part = row_per_ack[at : at + 8]
        sampled.append((*part[-1][:2], sum(int(str(row[2])) for row in part), *part[-1][3:]))
    file = tmp_path / "acks.csv"
    file.write_bytes(table(sampled))
    with pytest.raises(RecordingError, match=r"line 3: .* a row per ACK is needed"):
        read(file)


_GOOD = [(1, "", 0, 2400, 2400, ""), (100, 99, 1200, 3600, 3600, ""), (101, 99, 1200, 4800, 4800, "")]
_BROKEN = {
    "no state first": (_GOOD[1:], HEAD, "line 2: the first row must be the state before the first ACK"),
    "empty": ([], HEAD, "line 2: the first row"),
    "a column": (_GOOD, HEAD.replace("rtt_us", "rtt"), None),
    "no column": (_GOOD, HEAD.replace("rtt_us", "latency"), "line 1: missing column rtt; required are t_us, rtt_us"),
    "text": ([_GOOD[0], (100, 99, "many", 3600, 3600, "")], HEAD, "line 3: acked_bytes: 'many' is not a number"),
    "not a number": ([_GOOD[0], (100, "NaN", 1200, 3600, 3600, "")], HEAD, "line 3: rtt_us: 'NaN' is not a number"),
    "beyond all bounds": (
        [_GOOD[0], (100, 99, "1e999999999", 3600, 3600, "")],
        HEAD,
        "line 3: acked_bytes: '1e999999999' is not a number",
    ),
    "negative": ([_GOOD[0], (100, 99, 1200, -1, 3600, "")], HEAD, "line 3: in_flight_bytes: '-1' is out of range"),
    "missing": ([_GOOD[0], (100, 99, 1200)], HEAD, "line 3: in_flight_bytes: is empty"),
    "back": ([_GOOD[0], _GOOD[2], _GOOD[1]], HEAD, "line 4: t: earlier than in the previous row"),
    "odd sizes": ([_GOOD[0], (100, 99, 1201, 3600, 3600, ""), _GOOD[2]], HEAD, "file: acked_bytes are not multiples"),
    "too much": ([_GOOD[0], (100, 99, 4800, 0, 3600, "")], HEAD, "line 3: acked_bytes: more than the previous rows"),
}


@pytest.mark.parametrize("name", _BROKEN)
def test_broken_table_is_refused_with_its_line(tmp_path: Path, name: str) -> None:
    """A broken table is refused with its line."""
    table_rows, head, reason = _BROKEN[name]
    file = tmp_path / "acks.csv"
    file.write_bytes(table(table_rows, head))
    if reason is None:
        assert len(read(file).recording.steps) == 5
        return
    with pytest.raises(RecordingError, match=reason):
        read(file)

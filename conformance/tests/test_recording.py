"""Recordings are made, written, read, cut and filtered; malformed recordings are refused with their place."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firstflight import Config
from firstflight.events import Ack, Ce, Pto
from firstflight_conformance.format.ledger import LedgerError
from firstflight_conformance.logs.recording import files
from firstflight_conformance.logs.recording.recorder import Recorder
from firstflight_conformance.logs.recording.recording import Header, Recording

MS = 1_000_000
HEADER = Header({"kind": "peer", "name": "toy", "version": "1"}, Config(1200, 12000), 1000, 1000, {"runs": 1})


def made() -> Recording:
    """Return ten packets, an ACK of two, a probe timeout and a loss."""
    recorder = Recorder()
    recorder.sent(1000 * MS, [1200] * 9 + [600])
    recorder.report(cwnd_bytes=12000, ssthresh_bytes=None, bytes_in_flight=11400)
    recorder.acked(1100 * MS, [1, 0], latest_rtt_ns=99 * MS, ack_delay_ns=MS)
    recorder.report(cwnd_bytes=14400, state="slow_start", latest_rtt_ns=99 * MS)
    recorder.event(Pto(1150 * MS))
    recorder.lost(1160 * MS, [2])
    recorder.report(cwnd_bytes=2**60, ssthresh_bytes=7200, state="recovery")
    return recorder.recording(HEADER)


def test_ledger_forms_runs_and_uses_subject_rtt() -> None:
    """Packets of one size and time form a run; the subject's RTT is used, and the RTT of the times is also kept."""
    sent, ack, _, lost = made().steps
    assert [(run.first, run.last, run.size_bytes) for run in sent.event.packets] == [(0, 8, 1200), (9, 9, 600)]
    assert (sent.event.bytes, sent.event.bytes_in_flight) == (11400, 11400)
    assert (ack.event.packets[0].first, ack.event.packets[0].last, ack.event.latest_rtt_ns) == (0, 1, 99 * MS)
    assert ack.subject["computed_rtt_ns"] == 100 * MS
    assert (ack.event.min_rtt_ns, ack.event.smoothed_rtt_ns, ack.event.next_packet) == (99 * MS, 99 * MS, 10)
    assert lost.event.bytes_in_flight == 11400 - 3 * 1200


def test_ack_outside_flight_leaves_ledger_unchanged() -> None:
    """The error changes neither the ledger nor the steps."""
    recorder = Recorder()
    recorder.sent(MS, [1200, 1200])
    for packets in ([0, 2], []):
        with pytest.raises(LedgerError):
            recorder.acked(2 * MS, packets)
    assert (recorder.bytes_in_flight, len(recorder.steps)) == (2400, 1)


def test_written_and_read(tmp_path: Path) -> None:
    """Writing and reading gives an equal recording; reading checks every line against the schema."""
    path = tmp_path / "r.jsonl"
    files.save(made(), path)
    assert files.load(path) == made()
    header, *steps = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert next(iter(header)) == "firstflight_recording"
    assert steps[-1]["subject"] == {"cwnd_bytes": str(2**60), "ssthresh_bytes": 7200, "state": "recovery"}


def test_cut_keeps_the_beginning() -> None:
    """Cutting keeps the beginning, by number or by time."""
    recording = made()
    assert recording.cut(events=2).steps == recording.steps[:2]
    assert recording.cut(duration_ns=150 * MS).steps == recording.steps[:3]
    assert recording.cut(duration_ns=150 * MS - 1).steps == recording.steps[:2]


def test_filter_omits_events_and_answers() -> None:
    """Events without packets, and answers, can be left out; events with packets carry the bytes in flight."""
    recording = made().filter(events=[Pto, Ce], answers=["state", "computed_rtt_ns"])
    assert len(recording.steps) == 3
    assert recording.steps[1].subject == {"cwnd_bytes": 14400, "latest_rtt_ns": 99 * MS}
    with pytest.raises(ValueError, match="ack: later events depend on it"):
        made().filter(events=[Ack])


def test_cut_and_filtered_recordings_can_be_read(tmp_path: Path) -> None:
    """Such recordings conform to the format as well."""
    for number, recording in enumerate((made().cut(events=2), made().filter(events=[Pto]), made().cut(events=0))):
        path = tmp_path / f"{number}.jsonl"
        files.save(recording, path)
        assert files.load(path) == recording


def _with(line: int, **members: Any) -> list[Any]:
    raw = list(files.lines(made()))
    raw[line] |= members
    return raw


def _flight(bytes_in_flight: int) -> list[Any]:
    raw = list(files.lines(made()))
    raw[2]["event"]["bytes_in_flight"] = bytes_in_flight
    return raw


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ([], "line 1: the header is missing"),
        ([1], "line 1: is not a JSON object"),
        ([{"event": {}}], "line 1"),
        (_with(0, firstflight_recording=2), "line 1.firstflight_recording: 1 was expected"),
        (_with(0, source={"kind": "pcap", "name": ""}), "line 1.source.kind: 'pcap' is not one of"),
        (_with(2, subject={"cwnd": 1}), "line 3.subject: Additional properties are not allowed"),
        (_with(2, subject={"cwnd_bytes": -1}), "line 3.subject.cwnd_bytes"),
        (_with(2, more=1), "line 3: Additional properties"),
        (_flight(1), "line 3.bytes_in_flight: is 1, but the events give 9000"),
        (list(files.lines(made()))[:1] + list(files.lines(made()))[2:], "line 2.packets: packet 0 was never sent"),
    ],
)
def test_malformed_line_error_contains_place_and_reason(tmp_path: Path, raw: list[Any], reason: str) -> None:
    """The error contains the line, the member and the reason."""
    path = tmp_path / "r.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in raw), "utf-8")
    with pytest.raises(files.RecordingError, match=r"r\.jsonl: ") as error:
        files.load(path)
    assert reason in str(error.value)


@pytest.mark.parametrize("data", [b"\xff\n", b"{\n", b'{"firstflight_recording": NaN}\n', b"[" * 100_000, b"\x00"])
def test_invalid_json_error_contains_line(tmp_path: Path, data: bytes) -> None:
    """The error for any bytes contains the line."""
    path = tmp_path / "r.jsonl"
    path.write_bytes(data)
    with pytest.raises(files.RecordingError, match="line 1"):
        files.load(path)


def test_large_and_irregular_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Large and irregular files are refused before they are read."""
    path = tmp_path / "r.jsonl"
    files.save(made(), path)
    with pytest.raises(files.RecordingError, match=r"directory|regular"):
        files.load(tmp_path)
    with pytest.raises(files.RecordingError, match="No such file"):
        files.load(tmp_path / "absent")
    monkeypatch.setattr(files, "FILE_MAX_BYTES", 100)
    with pytest.raises(files.RecordingError, match="is larger than"):
        files.load(path)


def test_equality_includes_header() -> None:
    """Equality includes the header."""
    assert made() != replace(made(), header=replace(HEADER, rtt_resolution_ns=1))

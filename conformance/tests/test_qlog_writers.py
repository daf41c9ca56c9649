"""Logs of every writer's habits, read and judged: imitations, and one log that aioquic wrote itself."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firstflight.events import Ack, Ce, Lost, Sent
from firstflight_conformance.qlog.read import Log, Options, read_qlog
from firstflight_conformance.recording.files import RecordingError
from firstflight_conformance.recording.judge import judge
from firstflight_conformance.recording.recording import Recording

from aioquic_log import write_log  # isort: skip
from qlog_imitations import INITIAL_BYTES, WRITERS, written  # isort: skip
from test_recording_judge import recorded  # isort: skip

MS = 1_000_000
TRUE = "hystartpp/rfc-9406"


@pytest.fixture(scope="module")
def stream() -> Recording:
    """Return what is logged: HyStart++ on a path with losses."""
    return recorded("rfc-9406", "hystartpp", "path.deep-queue")


def read(folder: Path, log: str, peer: str | None = None, options: Options | None = None) -> Log:
    """Write a log and read it."""
    path = folder / "log.qlog"
    path.write_text(log, encoding="utf-8")
    if peer is None:
        return read_qlog(path, options=options)
    peer_path = folder / "peer.sqlog"
    peer_path.write_text(peer, encoding="utf-8")
    return read_qlog(path, peer_path, options)


@pytest.mark.parametrize("name", WRITERS)
def test_the_same_stream_in_every_habit(tmp_path: Path, stream: Recording, name: str) -> None:
    """Every byte in flight agrees, every window is equal, and the exit is that of the profile."""
    stream = stream.cut(events=700)
    log = read(tmp_path, *written(stream, WRITERS[name]))
    assert log.agreement == 1
    events = log.recording.events
    assert sum(isinstance(event, Ack) for event in events) == sum(isinstance(event, Ack) for event in stream.events)
    assert sum(isinstance(event, Lost) for event in events) == sum(isinstance(event, Lost) for event in stream.events)
    first = events[0]
    assert isinstance(first, Sent) and first.bytes == INITIAL_BYTES
    assert sum(step.discarded_bytes for step in log.recording.steps) == INITIAL_BYTES
    (standing,) = judge(log.recording, [TRUE], app_limited="never").standings
    assert standing.windows.all and standing.windows.of > 200
    assert standing.exit in ("same", "inside")


def test_the_order_is_found_by_what_is_in_flight(tmp_path: Path, stream: Recording) -> None:
    """Each writer's order is that in which its records were written."""
    found = {name: read(tmp_path, *written(stream.cut(events=300), habits)).order for name, habits in WRITERS.items()}
    for name, order in found.items():
        assert (order.sent_before, order.ack_before) == (WRITERS[name].sent_before, WRITERS[name].ack_before)


def test_units(tmp_path: Path, stream: Recording) -> None:
    """RTTs in seconds are found by the times, and said; whole milliseconds are the resolution of the recording."""
    stream = stream.cut(events=300)
    quinn = read(tmp_path, *written(stream, WRITERS["quinn"]))
    assert any("the RTTs are in s" in note for note in quinn.notes)
    ours, theirs = ([e.latest_rtt_ns for e in r.events if isinstance(e, Ack)] for r in (stream, quinn.recording))
    assert ours == theirs
    coarse = read(tmp_path, *written(stream, WRITERS["ngtcp2"])).recording.header
    assert (coarse.time_resolution_ns, coarse.rtt_resolution_ns) == (MS, MS)


def test_the_rtt_that_the_controller_was_given(tmp_path: Path, stream: Recording) -> None:
    """Aioquic logs the sample less the acknowledgement delay; its controller is given it in full."""
    steps = tuple(
        replace(step, event=replace(step.event, ack_delay_ns=5 * MS)) if isinstance(step.event, Ack) else step
        for step in stream.cut(events=200).steps
    )
    delayed = replace(stream, steps=steps)
    ours, theirs = (
        [event.latest_rtt_ns for event in recording.events if isinstance(event, Ack)]
        for recording in (delayed, read(tmp_path, *written(delayed, WRITERS["aioquic"])).recording)
    )
    assert ours == theirs


def test_without_rtts_the_times_serve(tmp_path: Path, stream: Recording) -> None:
    """It is said, and the resolution is the lateness that was measured."""
    text, _ = written(stream.cut(events=300), WRITERS["ngtcp2"])
    log = read(tmp_path, text.replace('"latest_rtt"', '"some_rtt"'))
    assert any("no RTT samples" in note for note in log.notes)
    assert log.recording.header.rtt_resolution_ns == MS


def test_the_container_may_be_cut(tmp_path: Path, stream: Recording) -> None:
    """A browser that is ended leaves half a record: it is left out, and said."""
    text, _ = written(stream.cut(events=100), WRITERS["neqo"])
    log = read(tmp_path, text[:-30])
    assert log.notes == ("the last record is cut and was left out",)


def test_congestion_experienced(tmp_path: Path, stream: Recording) -> None:
    """A counter that rises is an event before the ACK that reports it."""
    text, _ = written(stream.cut(events=60), WRITERS["ngtcp2"])
    marked, *frames = text.split('"frame_type": "ack"')
    for seen, part in enumerate(frames, 1):
        marked += f'"ce": {min(seen // 5, 2)}, "frame_type": "ack"' + part
    events = read(tmp_path, marked).recording.events
    counts = [(event.ce_count, events[index + 1]) for index, event in enumerate(events) if isinstance(event, Ce)]
    assert [count for count, _ in counts] == [1, 2]
    assert all(isinstance(following, Ack) for _, following in counts)


def test_one_connection_of_several(tmp_path: Path, stream: Recording) -> None:
    """Chosen by its trace, or by its group."""
    document: dict[str, Any] = json.loads(written(stream.cut(events=80), WRITERS["aioquic"])[0])
    (trace,) = document["traces"]
    with pytest.raises(RecordingError, match="has 2 traces; choose one: --trace 0 to 1"):
        read(tmp_path, json.dumps(document | {"traces": [trace, trace]}))
    chosen = read(tmp_path, json.dumps(document | {"traces": [trace, trace]}), options=Options(trace=1))
    assert chosen.agreement == 1
    events = [event | {"group_id": group} for event in trace["events"] for group in ("a", "b")]
    grouped = json.dumps(document | {"traces": [trace | {"events": events}]})
    with pytest.raises(RecordingError, match="has 2 connections, by group_id; choose one: --group a, b"):
        read(tmp_path, grouped)
    assert read(tmp_path, grouped, options=Options(group="b")).recording.events == chosen.recording.events


def test_a_log_of_aioquic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own log, of an upload without sockets: every byte in flight, and every window up to its exit."""
    path = write_log(tmp_path, monkeypatch)
    monkeypatch.undo()
    log = read_qlog(path)
    assert log.recording.header.source["writer"] == "aioquic"
    assert log.agreement > 0.99
    judgement = judge(log.recording, ["slow-start/rfc-9002"])
    (standing,) = judgement.standings
    assert judgement.subject_exit is not None and judgement.subject_exit.evidence == "threshold"
    assert standing.growth_to_exit.all and standing.growth_to_exit.of > 50
    assert standing.exit == "differs"  # its rule is none of ours

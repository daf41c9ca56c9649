"""The commands ``judge`` and ``record``: their reports, JSON, exit codes and conversions."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from firstflight_conformance.cli import main
from firstflight_conformance.format.vectors import Case, load
from firstflight_conformance.logs.case_qlog import case_qlog_text
from firstflight_conformance.logs.recording import files
from firstflight_conformance.logs.recording.from_case import recording_of
from firstflight_conformance.paths import VECTORS

from qlog_imitations import WRITERS, written  # isort: skip
from test_recording_judge import recorded  # isort: skip

VECTOR, PROFILE = "search/path.deep-queue", "linux-4"


def case() -> Case:
    """Return the case of these tests."""
    return Case(load(VECTORS / f"{VECTOR}.json"), PROFILE)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Return a qlog of the case."""
    path = tmp_path / "log.sqlog"
    path.write_text(case_qlog_text(case()), encoding="utf-8")
    return path


@pytest.fixture
def saved_recording(tmp_path: Path) -> Path:
    """Return a recording of the case."""
    path = tmp_path / "log.jsonl"
    files.save(recording_of(case()), path)
    return path


def run(*arguments: Any) -> Result:
    """Run the command."""
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_json_output_has_documented_members(log: Path) -> None:
    """The JSON output is one object with exactly the documented members."""
    result = run("judge", log, "--json")
    assert result.exit_code == 0
    document = json.loads(result.output)
    assert list(document) == [
        "did", "refuted", "may_be", "none_of_ours", "explained_with", "undecided", "agreement", "notes", "path", "why",
    ]  # fmt: skip
    assert document["explained_with"] == []
    assert (document["agreement"], document["none_of_ours"], document["undecided"]) == (1, False, None)
    did = document["did"]
    assert list(did) == [
        "initial_window_bytes", "initial_window_datagrams", "initial_window_range_bytes", "initial_window_round", "slow_start_growth", "exit",
        "round_flights_bytes", "first_reduction", "window_limited_acks",
    ]  # fmt: skip
    assert (did["initial_window_datagrams"], did["exit"]["evidence"]) == (10, "window")
    assert 0.98 < did["slow_start_growth"] <= 1
    assert list(did["exit"]) == [
        "event",
        "t_ms",
        "window_bytes",
        "window_range_bytes",
        "round",
        "rtt_ratio",
        "evidence",
    ]
    assert "search/linux-4" in document["may_be"]
    assert all(name.startswith("search/") and "+" not in name for name in document["may_be"])
    assert {tuple(entry) for entry in document["refuted"]} == {("profile", "event", "expected", "observed")}
    assert "quick-start/rfc-4782" not in {entry["profile"] for entry in document["refuted"]}


def test_json_of_refuted_profile_has_event_and_values(log: Path) -> None:
    """A selected profile that does not explain the connection is refuted by an event and both values."""
    result = run("judge", log, "--profile", "search/freebsd-4", "--json")
    document = json.loads(result.output)
    assert (result.exit_code, document["may_be"], document["none_of_ours"]) == (1, [], True)
    (refuted,) = document["refuted"]
    assert refuted["profile"] == "search/freebsd-4"
    assert refuted["event"] > 100


def test_report_contents_and_exit_code(log: Path) -> None:
    """The report contains actions, refuted and possible profiles, and the margin, with exit code 0."""
    result = run("judge", log)
    assert result.exit_code == 0
    text = " ".join(result.output.split())
    assert "written by firstflight; metrics after sent packets, after ACKs" in text
    assert "initial window: 12000 bytes, 10 datagrams of 1200" in text
    assert "by a smaller window" in text
    assert "may be: search/" in text
    assert "linux-4" in text.partition("may be: ")[2]
    assert "not tried, as nothing in the recording starts them: careful-resume" in text
    assert "with every RTT moved by 0.001 ms the exit of search/" in text


def test_profile_refuted_by_one_run_is_refuted(tmp_path: Path, log: Path) -> None:
    """A profile that one run refutes is refuted for all runs together."""
    other = tmp_path / "other.jsonl"
    files.save(recorded("rfc-9406", "hystartpp", "path.deep-queue"), other)
    assert "search/linux-4" in json.loads(run("judge", log, log, "--json").output)["may_be"]
    both = run("judge", log, other, "--json")
    assert (both.exit_code, json.loads(both.output)["none_of_ours"]) == (1, True)
    assert "none of ours" in run("judge", log, other).output
    assert run("judge", log, other, "--save", tmp_path / "kept").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--algorithm", "search"), 0),
        (("--profile", "search/linux-4"), 0),
        (("--algorithm", "search", "--profile", "linux-4"), 0),
        (("--profile", "search/freebsd-4"), 1),
        (("--algorithm", "hystart"), 1),
        (("--cause",), 2),
        (("--profile", "search/linux-5"), 2),
        (("--profile", "linux-4"), 2),
        (("--algorithm", "vegas"), 2),
        (("--app-limited", "data"), 2),
        (("--profile", "search/linux-4", "--start", "application"), 0),
        (("--trace", "3"), 2),
        (("--group", "x"), 2),
    ],
)
def test_exit_codes(log: Path, arguments: tuple[str, ...], code: int) -> None:
    """Exit codes are as documented."""
    assert run("judge", log, *arguments).exit_code == code


def test_recording_without_slow_start_exit(tmp_path: Path) -> None:
    """A recording without an exit from slow start gives exit code 4."""
    path = tmp_path / "start.jsonl"
    files.save(recording_of(case()).cut(events=60), path)
    result = run("judge", path, "--profile", "slow-start/rfc-9002")
    assert result.exit_code == 4
    assert "not decided: slow start is not left in this recording" in result.output


def test_log_without_frames_needs_the_peers_log(tmp_path: Path) -> None:
    """A log without frames is judged together with the peer's log, and refused without it."""
    stream = recorded("rfc-9406", "hystartpp", "path.deep-queue").cut(events=400)
    text, peer = written(stream, WRITERS["quinn"])
    assert peer is not None
    for name, content in (("a.qlog", text), ("b.sqlog", peer)):
        (tmp_path / name).write_text(content, encoding="utf-8")
    alone = run("judge", tmp_path / "a.qlog")
    assert (alone.exit_code, "--peer" in alone.output) == (2, True)
    options = ("--peer", tmp_path / "b.sqlog", "--profile", "hystartpp/rfc-9406", "--app-limited", "never")
    assert run("judge", tmp_path / "a.qlog", *options).exit_code == 0


def test_unlowered_window_is_reported_as_cause(tmp_path: Path) -> None:
    """A sender that does not lower its window at the exit differs by that reading, which is a cause with its level."""
    path = tmp_path / "linux-3.jsonl"
    files.save(recorded("linux-3"), path)
    result = run("judge", path, "--profile", "search/draft-00", "--cause", "--json")
    causes = json.loads(result.output)["causes"]
    assert "search.lower=nothing" in {cause["cause"] for cause in causes}
    assert {cause["level"] for cause in causes} == {"definition"}
    text = run("judge", path, "--profile", "search/draft-00", "--cause").output
    assert "cause: search." in text and "level: definition" in text
    right = run("judge", path, "--profile", "search/linux-3", "--cause", "--json")
    assert json.loads(right.output)["causes"] == []


def test_saved_recording_gets_the_same_verdict(tmp_path: Path, log: Path) -> None:
    """A recording saved from a log gets the same verdict as the log."""
    saved = tmp_path / "saved.jsonl"
    words = ("--algorithm", "hystart", "--json")
    document = json.loads(run("judge", log, *words, "--save", saved).output)
    assert len(document["refuted"]) > 3
    assert json.loads(run("judge", saved, *words).output) == document | {"agreement": None, "notes": []}


def test_converted_output_can_be_read_again(tmp_path: Path, saved_recording: Path) -> None:
    """The output of each conversion can be read again."""
    short, bare, again = tmp_path / "short.jsonl", tmp_path / "bare.jsonl", tmp_path / "again.sqlog"
    assert run("record", "cut", saved_recording, short, "--events", "50", "--ms", "100000").exit_code == 0
    assert len(files.load(short).steps) == 50
    assert run("record", "filter", short, bare, "--without", "ssthresh_bytes", "--without", "pto").exit_code == 0
    assert all("ssthresh_bytes" not in step.subject for step in files.load(bare).steps)
    assert run("record", "to-qlog", saved_recording, again).exit_code == 0
    assert run("judge", again, "--profile", "search/linux-4").exit_code == 0
    refused = run("record", "filter", short, bare, "--without", "ack")
    assert (refused.exit_code, "later events depend on it" in refused.output) == (2, True)
    assert run("record", "filter", short, bare, "--without", "window").exit_code == 2


def test_recording_converts_back_to_a_vector(tmp_path: Path, saved_recording: Path) -> None:
    """A recording of a vector's stream converts back to a vector with the same events and expectations."""
    path = tmp_path / "search" / "recorded.log.json"
    path.parent.mkdir()
    result = run("record", "to-vector", saved_recording, path, "--profile", "search/linux-4")
    assert result.exit_code == 0, result.output
    vector = load(path)
    assert vector.id == "search.recorded.log"
    assert vector.events == case().events
    assert vector.profiles["linux-4"].expect == case().expectation.expect


def test_log_with_handshake_converts_to_a_vector(tmp_path: Path) -> None:
    """The log of a sender with a handshake, whose packets leave flight with their keys, gives a vector."""
    stream = recorded("rfc-9406", "hystartpp", "path.deep-queue").cut(events=300)
    (tmp_path / "a.qlog").write_text(written(stream, WRITERS["neqo"])[0], encoding="utf-8")
    saved, path = tmp_path / "a.jsonl", tmp_path / "hystartpp" / "recorded.a.json"
    path.parent.mkdir()
    profile = ("--profile", "hystartpp/rfc-9406")
    assert run("judge", tmp_path / "a.qlog", *profile, "--save", saved).exit_code in (0, 1)
    result = run("record", "to-vector", saved, path, *profile)
    assert result.exit_code == 0, result.output
    assert load(path).id == "hystartpp.recorded.a"


def test_qlog_has_header_and_events_for_qvis(log: Path) -> None:
    """The qlog has the header that qvis requires, and the event names that its congestion graph draws."""
    header, *records = [json.loads(text) for text in log.read_text("utf-8").split("\x1e")[1:]]
    assert (header["qlog_version"], header["qlog_format"]) == ("0.3", "JSON-SEQ")
    assert header["trace"]["common_fields"]["time_format"] == "relative"
    assert header["trace"]["title"] == header["title"] != ""
    assert "qlog_version" in log.read_text("utf-8")[:1024]
    by_name: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        by_name.setdefault(record["name"], []).append(record["data"])
    assert all(data["raw"]["length"] > 0 for data in by_name["transport:packet_sent"])
    for data in by_name["transport:packet_received"]:
        assert data["header"]["packet_type"] == "1RTT"
        assert data["frames"][0]["frame_type"] == "ack" and data["frames"][0]["acked_ranges"]
    assert {"congestion_window", "bytes_in_flight"} <= set(by_name["recovery:metrics_updated"][0])
    assert [record["time"] for record in records] == sorted(record["time"] for record in records)

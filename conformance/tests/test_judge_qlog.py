"""The commands ``judge-qlog`` and ``record``: their reports, JSON, exit codes and conversions."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from firstflight_conformance.cases.qlog import case_qlog_text
from firstflight_conformance.cases.vectors import Case, load
from firstflight_conformance.cli import main
from firstflight_conformance.paths import VECTORS
from firstflight_conformance.recording import files
from firstflight_conformance.recording.from_case import recording_of

from qlog_imitations import WRITERS, written  # isort: skip
from test_recording_judge import recorded  # isort: skip

VECTOR, PROFILE = "search/path.paced", "linux-4"


def case() -> Case:
    """Return the case that is judged."""
    return Case(load(VECTORS / f"{VECTOR}.json"), PROFILE)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Return its log."""
    path = tmp_path / "log.sqlog"
    path.write_text(case_qlog_text(case()), encoding="utf-8")
    return path


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """Return its recording."""
    path = tmp_path / "log.jsonl"
    files.save(recording_of(case()), path)
    return path


def run(*arguments: Any) -> Result:
    """Run the command."""
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_fit_as_json(log: Path) -> None:
    """One object: the agreement, and the profiles, best first, with shared ranks; nothing else."""
    result = run("judge-qlog", log, "--fit", "--json")
    assert result.exit_code == 0
    document = json.loads(result.output)
    assert set(document) == {"in_flight_agreement", "fit"}
    assert document["in_flight_agreement"] == 1
    entries = document["fit"]
    assert {tuple(entry) for entry in entries} == {("rank", "profile", "exit", "growth", "windows")}
    assert {entry["exit"] for entry in entries} <= {"same", "inside", "differs", "none"}
    assert [entry["rank"] for entry in entries] == sorted(entry["rank"] for entry in entries)
    best = [entry for entry in entries if entry["rank"] == 1]
    assert {entry["profile"] for entry in best} == {"search/linux-4", "search/linux-4+cubic"}
    assert all(entry["exit"] == "same" and entry["growth"][0] == entry["growth"][1] > 100 for entry in best)


def test_one_profile_as_json(log: Path) -> None:
    """With the verdict, where the subject left slow start, and the margin."""
    result = run("judge-qlog", log, "--profile", "search/linux-4", "--json")
    document = json.loads(result.output)
    assert (document["verdict"], document["app_limited"]["rule"]) == ("agrees", "stated")
    assert document["subject_exit"]["evidence"] == "growth"
    assert [margin["by_ns"] for margin in document["margin"]] == [1_000, 10_000, 100_000, 1_000_000]


def test_the_report(log: Path) -> None:
    """The ranking, the verdict, the margin, and what the recording does not tell apart; exit code 0."""
    result = run("judge-qlog", log)
    assert result.exit_code == 0
    text = " ".join(result.output.split())
    assert "written by firstflight; metrics after what is sent, after what is acknowledged" in text
    assert "search/linux-4: leaves slow start where the subject did" in text
    assert "not told apart by this recording: search/linux-4, search/linux-4+cubic" in text
    assert "differ in the base, which shows after the exit" in text
    assert "not tried: careful-resume: nothing in the recording starts it" in text
    differs = " ".join(run("judge-qlog", log, "--profile", "search/freebsd-4").output.split())
    assert "search/freebsd-4: does not leave slow start where the subject did" in differs
    assert "the window grows by 2400 bytes, by the profile by 0 [search.drain" in differs


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--algorithm", "search"), 0),
        (("--profile", "search/linux-4"), 0),
        (("--profile", "search/linux-4", "--strict"), 0),
        (("--algorithm", "search", "--profile", "linux-4"), 0),
        (("--profile", "search/freebsd-4"), 1),
        (("--algorithm", "hystart", "--strict"), 1),
        (("--profile", "search/linux-5"), 2),
        (("--profile", "linux-4"), 2),
        (("--algorithm", "bbr"), 2),
        (("--fit", "--profile", "search/linux-4"), 2),
        (("--app-limited", "data"), 2),
        (("--profile", "search/linux-4", "--start", "application"), 0),
        (("--trace", "3"), 2),
        (("--group", "x"), 2),
    ],
)
def test_exit_codes(log: Path, arguments: tuple[str, ...], code: int) -> None:
    """As the page has them."""
    assert run("judge-qlog", log, *arguments).exit_code == code


def test_nothing_to_judge(tmp_path: Path) -> None:
    """Neither leaves slow start: exit code 4."""
    path = tmp_path / "start.jsonl"
    files.save(recording_of(case()).cut(events=100), path)
    result = run("record", "judge", path, "--profile", "slow-start/rfc-9002")
    assert result.exit_code == 4
    assert "of the exit nothing is judged" in result.output


def test_with_the_peers_log(tmp_path: Path) -> None:
    """A stack that logs no frames is judged with the log of the other side, and refused without."""
    stream = recorded("rfc-9406", "hystartpp", "path.deep-queue").cut(events=400)
    text, peer = written(stream, WRITERS["quinn"])
    assert peer is not None
    for name, content in (("a.qlog", text), ("b.sqlog", peer)):
        (tmp_path / name).write_text(content, encoding="utf-8")
    alone = run("judge-qlog", tmp_path / "a.qlog")
    assert (alone.exit_code, "--peer" in alone.output) == (2, True)
    options = ("--peer", tmp_path / "b.sqlog", "--profile", "hystartpp/rfc-9406", "--app-limited", "never")
    assert run("judge-qlog", tmp_path / "a.qlog", *options).exit_code == 0


def test_the_cause(tmp_path: Path) -> None:
    """A subject that lowers nothing at its exit, judged by a profile that does: the reading is named, with its level."""
    path = tmp_path / "linux-3.jsonl"
    files.save(recorded("linux-3"), path)
    result = run("record", "judge", path, "--profile", "search/draft-00", "--cause", "--json")
    causes = json.loads(result.output)["causes"]
    assert "search.lower=nothing" in {cause["cause"] for cause in causes}
    assert {cause["level"] for cause in causes} == {"definition"}
    text = run("record", "judge", path, "--profile", "search/draft-00", "--cause").output
    assert "cause: search." in text and "level: definition" in text
    right = run("record", "judge", path, "--profile", "search/linux-3", "--cause", "--json")
    assert json.loads(right.output)["causes"] == []


def test_a_recording_is_no_qlog(kept: Path) -> None:
    """It is said which command judges it."""
    result = run("judge-qlog", kept)
    assert (result.exit_code, "firstflight record judge" in result.output) == (2, True)


def test_a_recording_is_kept_and_judged_alike(tmp_path: Path, log: Path) -> None:
    """What judge-qlog saves is what record judges."""
    saved = tmp_path / "saved.jsonl"
    words = ("--algorithm", "hystart", "--fit", "--json")
    of_log = json.loads(run("judge-qlog", log, *words, "--save", saved).output)
    of_recording = json.loads(run("record", "judge", saved, *words).output)
    assert len(of_log["fit"]) > 3
    assert of_recording == {"fit": of_log["fit"]}


def test_cut_filter_and_back_to_a_qlog(tmp_path: Path, kept: Path) -> None:
    """Each conversion can be read again."""
    short, bare, again = tmp_path / "short.jsonl", tmp_path / "bare.jsonl", tmp_path / "again.sqlog"
    assert run("record", "cut", kept, short, "--events", "50", "--ms", "100000").exit_code == 0
    assert len(files.load(short).steps) == 50
    assert run("record", "filter", short, bare, "--without", "ssthresh_bytes", "--without", "pto").exit_code == 0
    assert all("ssthresh_bytes" not in step.subject for step in files.load(bare).steps)
    assert run("record", "to-qlog", kept, again).exit_code == 0
    assert run("judge-qlog", again, "--profile", "search/linux-4").exit_code == 0
    refused = run("record", "filter", short, bare, "--without", "ack")
    assert (refused.exit_code, "would not hold without it" in refused.output) == (2, True)
    assert run("record", "filter", short, bare, "--without", "window").exit_code == 2


def test_to_vector(tmp_path: Path, kept: Path) -> None:
    """A recording of a vector's stream gives the vector's expectations again; the file can be loaded as a vector."""
    path = tmp_path / "search" / "recorded.log.json"
    path.parent.mkdir()
    result = run("record", "to-vector", kept, path, "--profile", "search/linux-4")
    assert result.exit_code == 0, result.output
    vector = load(path)
    assert vector.id == "search.recorded.log"
    assert vector.events == case().events
    assert vector.profiles["linux-4"].expect == case().expectation.expect


def test_a_log_gives_a_vector(tmp_path: Path) -> None:
    """Of a sender with a handshake, whose packets leave flight with their keys."""
    stream = recorded("rfc-9406", "hystartpp", "path.deep-queue").cut(events=300)
    (tmp_path / "a.qlog").write_text(written(stream, WRITERS["neqo"])[0], encoding="utf-8")
    saved, path = tmp_path / "a.jsonl", tmp_path / "hystartpp" / "recorded.a.json"
    path.parent.mkdir()
    profile = ("--profile", "hystartpp/rfc-9406")
    assert run("judge-qlog", tmp_path / "a.qlog", *profile, "--save", saved).exit_code in (0, 1)
    result = run("record", "to-vector", saved, path, *profile)
    assert result.exit_code == 0, result.output
    assert load(path).id == "hystartpp.recorded.a"


def test_qvis_finds_what_it_looks_for(log: Path) -> None:
    """The header that qvis asks for, and the categories and names that its congestion graph draws."""
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

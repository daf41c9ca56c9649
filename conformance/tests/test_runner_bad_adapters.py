"""Adapters that misbehave: only the case in which they do is errored, and nothing is left running."""

import os
import resource
import time
from pathlib import Path

import pytest

from firstflight_conformance.run.faults import FaultKind
from firstflight_conformance.run.results import AdapterReport, Verdict
from firstflight_conformance.run.session import Options
from runner_support import IDS, command, judged, write_vectors

TARGET = 1


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The vectors."""
    return write_vectors(tmp_path_factory.mktemp("vectors"))


def assert_only_target_errored(report: AdapterReport, fault: FaultKind, reason: str) -> None:
    """Check that the middle case, and no other, is errored for the given reason."""
    assert [result.case_id for result in report.results] == list(IDS)
    assert [result.verdict for result in report.results] == [Verdict.PASS, Verdict.ERRORED, Verdict.PASS]
    assert report.results[TARGET].fault is fault
    assert reason in report.results[TARGET].reason


def assert_all_errored(report: AdapterReport, fault: FaultKind, reason: str) -> None:
    """Check that all cases are errored for the given reason."""
    assert [(result.verdict, result.fault) for result in report.results] == [(Verdict.ERRORED, fault)] * len(IDS)
    assert all(reason in result.reason for result in report.results)


@pytest.mark.parametrize(
    ("mode", "fault", "reason"),
    [
        ("garbage", FaultKind.NOT_JSON, "not JSON"),
        ("not-utf8", FaultKind.NOT_JSON, "not UTF-8"),
        ("nested", FaultKind.NOT_JSON, "nested too deeply"),
        ("many-digits", FaultKind.NOT_JSON, "not JSON"),
        ("nan", FaultKind.NOT_JSON, "NaN is no JSON number"),
        ("array", FaultKind.NOT_JSON, "not a JSON object"),
        ("member-twice", FaultKind.NOT_JSON, "a member is there twice"),
        ("no-op", FaultKind.WRONG_ANSWER, "without `op`"),
        ("wrong-op", FaultKind.WRONG_ANSWER, "event 1: answered `started`"),
        ("twice", FaultKind.WRONG_INDEX, "event 2: answered with the index 1"),
        ("wrong-index", FaultKind.WRONG_INDEX, "event 1: answered with the index 2"),
        ("index-true", FaultKind.WRONG_INDEX, "event 1: answered with the index True"),
        ("twice-at-end", FaultKind.EXTRA_ANSWER, "`observed` after the last event"),
        ("ended-twice", FaultKind.EXTRA_ANSWER, "after the case"),
        ("missing", FaultKind.MISSING_OBSERVABLE, "event 1: ssthresh_bytes was declared and is missing"),
        ("float", FaultKind.WRONG_TYPE, "event 1: cwnd_bytes: 14400.0"),
        ("huge", FaultKind.WRONG_TYPE, "9007199254740992"),
        ("huger", FaultKind.WRONG_TYPE, "18446744073709551616"),
        ("negative", FaultKind.WRONG_TYPE, "-1"),
        ("null", FaultKind.WRONG_TYPE, "None"),
        ("phase-number", FaultKind.WRONG_TYPE, "phase: 1 is not a text"),
        ("state-list", FaultKind.WRONG_TYPE, "state: [] is not an object"),
    ],
)
def test_wrong_answer(root: Path, mode: str, fault: FaultKind, reason: str) -> None:
    """A wrong answer makes its case errored; the others are judged by a fresh process."""
    assert_only_target_errored(judged(root, *command("answers", mode)), fault, reason)


@pytest.mark.parametrize(
    ("mode", "fault", "reason"),
    [
        ("crash", FaultKind.EXITED, "event 1: exited with code 3"),
        ("abort", FaultKind.EXITED, "event 1: was ended by signal 6 (SIGABRT)"),
        ("hang", FaultKind.TIMEOUT, "event 1: no answer within 3 s"),
        ("close-output", FaultKind.EXITED, "event 1: closed its output"),
        ("flood", FaultKind.TOO_MUCH_OUTPUT, "of output"),
        ("flood-lines", FaultKind.WRONG_ANSWER, "without `op`"),
    ],
)
def test_misbehaving_process(root: Path, mode: str, fault: FaultKind, reason: str) -> None:
    """A process that misbehaves is killed, and a fresh one serves the next case."""
    report = judged(root, *command("behaves", mode), options=Options(deadline_s=3.0))
    assert_only_target_errored(report, fault, reason)


@pytest.mark.parametrize("mode", ["flood", "flood-lines"])
def test_flood_costs_neither_time_nor_memory(root: Path, mode: str) -> None:
    """100 MB of output are not read."""
    before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began_s = time.monotonic()
    judged(root, *command("behaves", mode), options=Options(deadline_s=30))
    assert time.monotonic() - began_s < 10
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib < 20 << 10


def test_long_log_does_no_harm(root: Path) -> None:
    """10 MB on standard error neither block the adapter nor count against it."""
    report = judged(root, *command("behaves", "log"))
    assert [result.verdict for result in report.results] == [Verdict.PASS] * 3


@pytest.mark.parametrize("mode", ["fork", "fork-and-exit"])
def test_no_child_survives(root: Path, tmp_path: Path, mode: str) -> None:
    """A child that keeps the pipes open delays nothing and is killed with its parent."""
    report = judged(root, *command("behaves", mode, str(tmp_path / "pid")))
    if mode == "fork-and-exit":
        assert_only_target_errored(report, FaultKind.EXITED, "exited with code 5")
    else:
        assert [result.verdict for result in report.results] == [Verdict.PASS] * 3
    assert _is_gone(int((tmp_path / "pid").read_text(encoding="utf-8")))


def _is_gone(pid: int) -> bool:
    until_s = time.monotonic() + 5
    while time.monotonic() < until_s:
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z":
                return True  # killed; whoever inherited it has not reaped it yet
        except OSError:
            return True
        time.sleep(0.01)
    return False


def test_crash_at_start(root: Path) -> None:
    """If it cannot start, all cases say why; its log is quoted."""
    report = judged(root, *command("behaves", "crash-at-start"))
    assert_all_errored(report, FaultKind.EXITED, "hello: exited with code 1; its log ends: cannot find my library")


def test_no_such_program(root: Path) -> None:
    """A program that is not there is an adapter fault, not a crash of the runner."""
    assert_all_errored(judged(root, "/no/such/program"), FaultKind.START, "cannot be started")


@pytest.mark.parametrize("mode", ["mute", "dribble"])
def test_mute(root: Path, mode: str) -> None:
    """Without an answer to hello the deadline passes once, not once for each case."""
    began_s = time.monotonic()
    report = judged(root, *command("behaves", mode), options=Options(deadline_s=1.0))
    assert time.monotonic() - began_s < 2.5
    assert_all_errored(report, FaultKind.TIMEOUT, "hello: no answer within 1 s")


def test_crash_that_stays(root: Path, tmp_path: Path) -> None:
    """If it cannot be started again after a crash, the remaining cases say so."""
    report = judged(root, *command("behaves", "crash-again", str(tmp_path / "memory")))
    assert [result.verdict for result in report.results] == [Verdict.PASS, Verdict.ERRORED, Verdict.ERRORED]
    assert "code 3" in report.results[1].reason
    assert "hello: exited with code 4" in report.results[2].reason


def test_bad_exit_is_charged_to_the_last_case(root: Path) -> None:
    """A bad exit code at the end of the input (a leak found by a sanitizer, say) is not overlooked."""
    report = judged(root, *command("behaves", "fail-at-end"))
    assert [result.verdict for result in report.results] == [Verdict.PASS, Verdict.PASS, Verdict.ERRORED]
    assert "exited with code 9" in report.results[2].reason


def test_exit_after_each_case(root: Path) -> None:
    """One process serves all cases; leaving after one is a fault of that case."""
    report = judged(root, *command("behaves", "exit-after-case"))
    assert [result.fault for result in report.results] == [FaultKind.EXITED, FaultKind.EXITED, None]


def test_stubborn_process_is_killed_without_blame(root: Path) -> None:
    """A process that ignores the end of the input has answered everything."""
    report = judged(root, *command("behaves", "stubborn"), options=Options(deadline_s=3.0))
    assert [result.verdict for result in report.results] == [Verdict.PASS] * 3


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ('{"protocol": 2}', "speaks protocol 2, not 1"),
        ('{"protocol": true}', "speaks protocol True"),
        ('{"op": "ended"}', "answered `ended`"),
        ('{"name": ""}', "name: needs a text"),
        ('{"version": "absent"}', "version: needs a text"),
        ('{"algorithms": ["slow-start"]}', "algorithms: needs lists of profiles"),
        ('{"algorithms": {"slow-start": "rfc-9002"}}', "algorithms: needs lists of profiles"),
        ('{"observables": "cwnd_bytes"}', "observables: needs a list"),
        ('{"observables": ["cwnd_bytes", "mood"]}', "'mood' is not one of"),
        ('{"observables": ["phase"]}', "cwnd_bytes is the least"),
        ('{"clock": "h"}', "clock: 'h' is not one of"),
        ('{"clock": {}}', "clock: {} is not one of"),
        ('{"window": "bits"}', "window: 'bits' is not one of"),
        ('{"arithmetic": "decimal"}', "arithmetic: 'decimal' is not one of"),
    ],
)
def test_lies_in_hello(root: Path, members: str, reason: str) -> None:
    """What may not be declared is refused before the first case."""
    assert_all_errored(judged(root, *command("declares", members)), FaultKind.HELLO, reason)


def test_claims_everything(root: Path) -> None:
    """An adapter that claims to support an algorithm that does not exist is not judged."""
    assert_all_errored(judged(root, *command("declares", "{}", "claims-all")), FaultKind.PROBE, "answered `started`")


def test_garbled_probe(root: Path) -> None:
    """Garbage in answer to the probe is a fault too."""
    assert_all_errored(judged(root, *command("declares", "{}", "garbled-probe")), FaultKind.NOT_JSON, "not JSON")

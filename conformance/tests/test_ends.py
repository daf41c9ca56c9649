"""The end of a run with closed streams or killed processes."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from firstflight_conformance.adapters.faults import FaultKind
from firstflight_conformance.records.results import AdapterReport, Verdict
from firstflight_conformance.run.pool import Job, judge_all
from runner_support import QUICK, adapter, command, scripts, write_vectors

_CLI = (sys.executable, "-m", "firstflight_conformance")
#: Shell redirections that close standard output, standard error, or all three streams.
CLOSED = (">&-", "2>&-", "<&- >&- 2>&-")


def closing(closed: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command with these streams closed."""
    line = f"exec {shlex.join([*_CLI, *words])} {closed}"
    return subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False, timeout=180)


@pytest.mark.parametrize(
    ("closed", "mode", "code"),
    [*((closed, "none", 0) for closed in CLOSED), pytest.param(CLOSED[2], "half", 1, marks=pytest.mark.long)],
)
def test_closed_streams_do_not_change_the_report(tmp_path: Path, closed: str, mode: str, code: int) -> None:
    """A run with closed streams writes the report of a run with open streams and no other file."""
    root = write_vectors(tmp_path / "vectors")
    reports = []
    for name, streams in (("open", ""), ("closed", closed)):
        report = tmp_path / f"{name}.json"
        words = ("--adapter", shlex.join(command("answers", mode)), "--report-json", str(report))
        done = closing(streams, "run", "--vectors", str(root), *words)
        assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
        reports.append(report.read_bytes())
    assert reports[0] == reports[1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["closed.json", "open.json", "vectors"]


@pytest.mark.parametrize("closed", [*(pytest.param(c, marks=pytest.mark.long) for c in CLOSED[:2]), CLOSED[2]])
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("simulate", "--help"), 0),
        (("model", "--help"), 0),
        (("which", "--help"), 0),
        (("sweep", "/nowhere/rows.csv", "--algorithm", "none"), 2),
    ],
)
def test_closed_streams_never_cause_exit_code_1(closed: str, words: tuple[str, ...], code: int) -> None:
    """With closed streams, no command ends with exit code 1, which would be a verdict, or with a traceback."""
    done = closing(closed, *words)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr


def test_closed_output_is_not_written_to_opened_files(tmp_path: Path) -> None:
    """Text printed to closed output is not written to files that the command opens."""
    report = tmp_path / "report.json"
    root = write_vectors(tmp_path / "vectors")
    words = ("--adapter", shlex.join(command("answers", "none")), "--report-json", str(report))
    closing("<&- >&- 2>&-", "run", "--vectors", str(root), *words)
    assert json.loads(report.read_text("utf-8"))["exit_code"] == 0


def reports(tmp_path: Path, *modes: tuple[str, ...], jobs: int = 2) -> dict[str, AdapterReport]:
    """Judge adapters at the same time; return their reports by name."""
    chosen = [adapter(*command(*words), name=f"{words[-1]}{number}") for number, words in enumerate(modes)]
    job = Job(chosen, scripts(write_vectors(tmp_path)), QUICK, {})
    return {j.report.manifest.name: j.report for j in judge_all(job, jobs, lambda *_: None, lambda _: True) if j.whole}


RIGHT = ("answers", "none")


@pytest.mark.live
@pytest.mark.parametrize("signal", ["SIGKILL", "SIGTERM"])
def test_adapter_that_kills_its_judge_is_errored(tmp_path: Path, signal: str) -> None:
    """An adapter that kills its judge is errored in every case; the reports of other adapters are unchanged."""
    adapter_reports = reports(tmp_path / "a", RIGHT, ("ends_judge", signal), ("answers", "half"), RIGHT)
    assert [result.verdict for result in adapter_reports[f"{signal}1"].results] == [Verdict.ERRORED] * 3
    assert {result.fault for result in adapter_reports[f"{signal}1"].results} == {FaultKind.JUDGE_KILLED}
    without = reports(tmp_path / "b", RIGHT, RIGHT, ("answers", "half"), RIGHT)
    for name in ("none0", "half2", "none3"):
        assert adapter_reports[name].results == without[name].results


@pytest.mark.live
def test_each_adapter_that_kills_its_judge_is_errored(tmp_path: Path) -> None:
    """Each adapter that kills its judge is errored, and the other passes."""
    ends = ("ends_judge", "SIGKILL")
    adapter_reports = reports(tmp_path, ends, ends, RIGHT, ends, jobs=3)
    assert [report.results[0].verdict for _, report in sorted(adapter_reports.items())] == [Verdict.ERRORED] * 3 + [
        Verdict.PASS
    ]


@pytest.mark.live
def test_run_with_a_killed_judge_ends_with_a_report(tmp_path: Path) -> None:
    """A run with a killed judge ends with a report and the exit code of an adapter fault."""
    root = write_vectors(tmp_path / "vectors")
    lines = [shlex.join(command(*words)) for words in (("ends_judge", "SIGKILL"), RIGHT)]
    words = ["run", "--vectors", str(root), "--jobs", "2", "--report-json", str(tmp_path / "report.json")]
    done = closing("", *words, "--adapter", lines[0], "--adapter", lines[1])
    assert (done.returncode, "Traceback" in done.stderr) == (3, False), done.stderr
    assert "the judging process was killed" in done.stdout
    report = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert [adapter["counts"]["pass"] for adapter in report["adapters"]] == [0, 3]

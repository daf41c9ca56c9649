"""A run that was killed goes on where it was, and ends with the same bytes."""

import json
import shlex
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firstflight_conformance.cases import vectors
from firstflight_conformance.cli import main
from firstflight_conformance.run.judge import judge
from firstflight_conformance.run.progress import Progress
from firstflight_conformance.run.results import ClosedLoop, Growth, LoopRun, Moment, Result, Verdict
from firstflight_conformance.run.session import Options, Session
from runner_support import IDS, adapter, command, events, scripts, vector, write_vectors

_CLI = (sys.executable, "-c", "from firstflight_conformance.cli import main; main()")
_MOMENT = Moment(3, 1_500_000_000, 17, 24_000)
_RUN = LoopRun(40, "complete", 2 * 10**9, _MOMENT, None, 48_000, 3, 1)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Three vectors."""
    return write_vectors(tmp_path / "vectors")


def run(root: Path, report: Path, line: str, *more: str) -> int:
    """Run the program in a process of its own; return its exit code."""
    words = ["run", "--vectors", str(root), "--adapter", line, "--report-json", str(report), *more]
    return subprocess.run([*_CLI, *words], capture_output=True, check=False, timeout=180).returncode


def counting(folder: Path) -> tuple[str, Path]:
    """Return the command line of the adapter that kills the run, and the file in which it remembers what it was asked."""
    return shlex.join(command("counts", str(folder))), folder / "seen"


@pytest.mark.live
def test_a_killed_run_goes_on(root: Path, tmp_path: Path) -> None:
    """What passed is not played again; the report is that of a run that nobody killed, and nothing lies beside it."""
    report, whole = tmp_path / "out" / "report.json", tmp_path / "whole.json"
    report.parent.mkdir()
    line, seen = counting(tmp_path)
    assert run(root, report, line) == -signal.SIGKILL
    assert [path.name for path in report.parent.iterdir()] == ["report.json.part"]
    assert run(root, report, line, "--resume") == 3
    assert seen.read_text(encoding="utf-8").split() == [*IDS, *IDS[1:]]
    assert [path.name for path in report.parent.iterdir()] == ["report.json"]
    assert run(root, whole, line) == 3
    assert seen.read_text(encoding="utf-8").split() == [*IDS, *IDS[1:], *IDS]
    assert report.read_bytes() == whole.read_bytes()


def test_without_the_option_a_run_begins_anew(root: Path, tmp_path: Path) -> None:
    """What a killed run has left is not used unasked."""
    report = tmp_path / "report.json"
    line, seen = counting(tmp_path)
    assert run(root, report, line) == -signal.SIGKILL
    assert run(root, report, line) == 3
    assert seen.read_text(encoding="utf-8").split() == [*IDS, *IDS]


def test_resume_needs_a_report(root: Path) -> None:
    """Without one nothing is kept, so that there is nothing to go on with."""
    result = CliRunner().invoke(main, ["run", "--vectors", str(root), "--adapter", "null-echo", "--resume"])
    assert result.exit_code == 2
    assert "needs the --report-json" in result.output


def progress(root: Path, path: Path, *, validate: bool = False, resume: bool = True) -> Progress:
    """Return what has passed over the vectors below ``root``."""
    begun = Progress(path, vectors.cases(vectors.load_all(root)), validate=validate)
    begun.begin(resume=resume)
    return begun


@pytest.mark.parametrize(
    "result",
    [
        Result("x", Verdict.PASS),
        Result("x", Verdict.PASS, within_tolerance=True, growth=Growth(3, None)),
        Result("x", Verdict.PASS, loop=ClosedLoop(None, True, _RUN, replace(_RUN, slow_start_ended=_MOMENT))),
    ],
)
def test_a_result_comes_back_as_it_was(root: Path, tmp_path: Path, result: Result) -> None:
    progress(root, tmp_path / "part").of(adapter("a")).settle(result)
    assert progress(root, tmp_path / "part").of(adapter("a")).get("x") == result


def test_what_is_of_another_run_is_not_found(root: Path, tmp_path: Path) -> None:
    """Another command, a changed program, another vector, another way to judge: all is judged again."""
    program, part = tmp_path / "adapter.py", tmp_path / "part"
    program.write_text("1", encoding="utf-8")
    words = ("python3", str(program))
    progress(root, part).of(adapter(*words)).settle(Result("x", Verdict.PASS))
    assert progress(root, part).of(adapter(*words)).get("x") is not None
    assert progress(root, part).of(adapter(*words)).get("y") is None
    assert progress(root, part).of(adapter(*words, "-v")).get("x") is None
    assert progress(root, part, validate=True).of(adapter(*words)).get("x") is None
    program.write_text("2", encoding="utf-8")
    assert progress(root, part).of(adapter(*words)).get("x") is None
    program.write_text("1", encoding="utf-8")
    (root / "slow-start" / "more.json").write_text(json.dumps(vector("slow-start.more.small", events())), "utf-8")
    assert progress(root, part).of(adapter(*words)).get("x") is None


def test_a_new_run_finds_nothing_and_the_end_leaves_nothing(root: Path, tmp_path: Path) -> None:
    """What was kept is used when asked for only, and is gone with the report."""
    part = tmp_path / "part"
    progress(root, part).of(adapter("a")).settle(Result("x", Verdict.PASS))
    begun = progress(root, part, resume=False)
    assert begun.of(adapter("a")).get("x") is None
    assert part.read_bytes() == b""
    begun.end()
    assert not part.exists()


def test_only_what_passed_is_kept(root: Path, tmp_path: Path) -> None:
    """A failure is judged again, for its diagnosis; an error may have been an accident."""
    for verdict in (Verdict.FAIL, Verdict.ERRORED, Verdict.UNSUPPORTED):
        progress(root, tmp_path / "part").of(adapter("a")).settle(Result("x", verdict))
    assert (tmp_path / "part").read_bytes() == b""


@pytest.mark.parametrize("cut", range(2, 60, 7))
def test_half_a_line_is_no_result(root: Path, tmp_path: Path, cut: int) -> None:
    """A line that a kill has cut off is not found, nor does it spoil the next one."""
    part = tmp_path / "part"
    for case_id in ("x", "y"):
        progress(root, part).of(adapter("a")).settle(Result(case_id, Verdict.PASS))
    part.write_bytes(part.read_bytes()[:-cut])
    progress(root, part).of(adapter("a")).settle(Result("z", Verdict.PASS))
    found = progress(root, part).of(adapter("a"))
    assert [found.get(case_id) is not None for case_id in ("x", "y", "z")] == [True, False, True]


def test_a_case_is_settled_only_when_nothing_can_change_it(root: Path, tmp_path: Path) -> None:
    """An answer too many is found when the next case begins: the case before is errored, and was never kept as passed."""
    part = tmp_path / "part"
    for mode, kept in (("ended-twice", ["slow-start.first.small@rfc-9002"]), ("none", list(IDS[:2]))):
        words = command("answers", mode)
        begun = progress(root, part, resume=False)
        report = judge(adapter(*words), scripts(root), Options(), progress=begun.of(adapter(*words)))
        assert (report.results[1].verdict is Verdict.ERRORED) == (mode == "ended-twice")
        again = progress(root, part).of(adapter(*words))
        assert [case_id for case_id in IDS if again.get(case_id) is not None] == kept


def test_what_passed_is_not_played_again(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the last case is, which no other one followed."""
    part, played, play = tmp_path / "part", [], Session.play

    def noted(session: Session, script: Any, declaration: Any) -> Any:
        played.append(script.case.id)
        return play(session, script, declaration)

    monkeypatch.setattr(Session, "play", noted)
    manifest = adapter(*command("answers", "none"))
    for _ in range(2):
        report = judge(manifest, scripts(root), Options(), progress=progress(root, part).of(manifest))
        assert [result.verdict for result in report.results] == [Verdict.PASS] * 3
    assert played == [*IDS, IDS[2]]


def test_a_full_disk_stops_no_run(root: Path, tmp_path: Path) -> None:
    """What has passed cannot be kept, and is judged again if need be."""
    part = tmp_path / "part"
    begun = progress(root, part).of(adapter("a"))
    part.unlink()
    part.symlink_to("/dev/full")
    begun.settle(Result("x", Verdict.PASS))

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
from firstflight_conformance.run import named_files
from firstflight_conformance.run import progress as kept_progress
from firstflight_conformance.run.judge import judge
from firstflight_conformance.run.progress import Progress, content
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


@pytest.fixture
def seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file in which the adapter that kills the run remembers what it was asked."""
    monkeypatch.setenv("COUNTS", str(tmp_path))
    return tmp_path / "seen"


@pytest.mark.live
def test_a_killed_run_goes_on(root: Path, tmp_path: Path, seen: Path) -> None:
    """What passed is not played again; the report is that of a run that nobody killed, and nothing lies beside it."""
    report, whole = tmp_path / "out" / "report.json", tmp_path / "whole.json"
    report.parent.mkdir()
    line = shlex.join(command("counts"))
    assert run(root, report, line) == -signal.SIGKILL
    assert [path.name for path in report.parent.iterdir()] == ["report.json.part"]
    assert run(root, report, line, "--resume") == 3
    assert seen.read_text(encoding="utf-8").split() == [*IDS, *IDS[1:]]
    assert [path.name for path in report.parent.iterdir()] == ["report.json"]
    assert run(root, whole, line) == 3
    assert seen.read_text(encoding="utf-8").split() == [*IDS, *IDS[1:], *IDS]
    assert report.read_bytes() == whole.read_bytes()


def test_without_the_option_a_run_begins_anew(root: Path, tmp_path: Path, seen: Path) -> None:
    """What a killed run has left is not used unasked."""
    report = tmp_path / "report.json"
    line = shlex.join(command("counts"))
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
    progress(root, tmp_path / "part").of(adapter("true")).settle(result)
    assert progress(root, tmp_path / "part").of(adapter("true")).get("x") == result


def test_what_is_of_another_run_is_not_found(root: Path, tmp_path: Path) -> None:
    """Another command, a changed program, another vector, another way to judge: all is judged again."""
    program, part = tmp_path / "program" / "adapter.py", tmp_path / "part"
    program.parent.mkdir()  # the vectors are not beside it, as files that it may load
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


def passed(root: Path, tmp_path: Path, *words: str) -> bool:
    """Return whether what a command has passed is found again."""
    return progress(root, tmp_path / "part").of(adapter(*words)).get("x") is not None


def settled(root: Path, tmp_path: Path, *words: str) -> None:
    progress(root, tmp_path / "part").of(adapter(*words)).settle(Result("x", Verdict.PASS))
    assert passed(root, tmp_path, *words)


def program(path: Path, text: str) -> str:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path.name


@pytest.mark.parametrize("before", [(), ("env",), ("nice", "-n", "5")])
def test_a_program_on_the_path(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: tuple[str, ...]
) -> None:
    """Found by its name alone, as the first word or behind another program: one that was replaced is judged again."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    words = (*before, program(tmp_path / "bin" / "myad", "one"), "x")
    settled(root, tmp_path, *words)
    program(tmp_path / "bin" / "myad", "two")
    assert not passed(root, tmp_path, *words)


@pytest.mark.parametrize("word", ["--lib={}", "-L{}", "{}", "-cp={}:/nowhere", "/nowhere:{}"])
def test_a_file_behind_an_option(root: Path, tmp_path: Path, word: str) -> None:
    """Be it glued to the option or in a list."""
    library = tmp_path / "x.so"
    library.write_bytes(b"1")
    words = ("env", word.format(library))
    settled(root, tmp_path, *words)
    library.write_bytes(b"2")
    assert not passed(root, tmp_path, *words)


@pytest.mark.parametrize("word", ["{}", "{}/*"])
def test_a_folder_of_classes(root: Path, tmp_path: Path, word: str) -> None:
    """Each file in it, and a new one."""
    classes = tmp_path / "classes"
    classes.mkdir()
    (classes / "Adapter.class").write_bytes(b"1")
    words = ("env", "-cp", word.format(classes), "Adapter")
    settled(root, tmp_path, *words)
    (classes / "Adapter.class").write_bytes(b"2")
    assert not passed(root, tmp_path, *words)
    (classes / "Adapter.class").write_bytes(b"1")
    assert passed(root, tmp_path, *words)
    (classes / "Other.class").write_bytes(b"1")
    assert not passed(root, tmp_path, *words)


def test_what_a_script_may_load(root: Path, tmp_path: Path) -> None:
    """Scripts and what else is loaded beside it, or below; and a value that is JSON is no program."""
    (tmp_path / "parts").mkdir()
    script, module = tmp_path / "adapter.mjs", tmp_path / "parts" / "newreno.mjs"
    script.write_text("1", encoding="utf-8")
    module.write_text("1", encoding="utf-8")
    words = ("env", str(script), '{"window": 10, "of": "a|b"}')
    settled(root, tmp_path, *words)
    (tmp_path / "notes.txt").write_text("1", encoding="utf-8")
    assert passed(root, tmp_path, *words)
    module.write_text("2", encoding="utf-8")
    assert not passed(root, tmp_path, *words)
    module.write_text("1", encoding="utf-8")
    assert passed(root, tmp_path, *words)
    (tmp_path / "parts" / "sums.wasm").write_bytes(b"1")
    assert not passed(root, tmp_path, *words)


def test_what_a_link_leads_to(root: Path, tmp_path: Path) -> None:
    """A folder elsewhere that a link in a folder of classes leads to; a link that leads back is no endless folder."""
    classes, elsewhere = tmp_path / "classes", tmp_path / "elsewhere"
    for folder in (classes, elsewhere):
        folder.mkdir()
    (classes / "org").symlink_to("../elsewhere")
    (elsewhere / "back").symlink_to("../classes")
    (elsewhere / "Adapter.class").write_bytes(b"1")
    words = ("env", "-cp", str(classes), "Adapter")
    settled(root, tmp_path, *words)
    (elsewhere / "Adapter.class").write_bytes(b"2")
    assert not passed(root, tmp_path, *words)


def test_where_programs_look(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that leads to another library; others, as the size of a terminal, do not count."""
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    settled(root, tmp_path, "env")
    monkeypatch.setenv("COLUMNS", "77")
    assert passed(root, tmp_path, "env")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/nowhere")
    assert not passed(root, tmp_path, "env")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("python3", "-m", "adapter"), "-m adapter: what is run is found by its name"),
        (("sh", "-c", "myad x"), "-c myad x: what is run is found by its name"),
        (("bash", "-ec", "exec myad"), "-ec: what is run is found by its name"),
        (("node", "--eval", "import('myad')"), "--eval import('myad'): what is run is found by its name"),
        (("node", "--eval", "1"), "--eval 1: what is run is found by its name"),
        (("env", "A=1", "sh myad"), "sh myad: what is run is found by its name"),
        (("node", "--import=myad"), "--import=myad: what is run is found by its name"),
        (("python3", "-mmyad"), "-mmyad: what is run is found by its name"),
        (("python3", "-cimport myad"), "-cimport myad: what is run is found by its name"),
        (("env", "-S", "myad"), "-S myad: what is run is found by its name"),
        (("nice", "sh; myad"), "sh; myad: what is run is found by its name"),
        (("env", "cargo", "run"), "cargo: looks up what it runs"),
        (("env", "java", "Adapter"), "java: looks up what it runs"),
        (("env", "@arguments"), "@arguments: looks up what it runs"),
        (("nowhere-at-all", "x"), "nowhere-at-all: there is no such program"),
        (("env", "/dev/zero"), "/dev/zero: neither a file nor a folder"),
    ],
)
def test_what_cannot_be_compared(root: Path, tmp_path: Path, words: tuple[str, ...], reason: str) -> None:
    """Nothing of it is kept, and the run says why it begins anew."""
    assert content(adapter(*words))[1] == reason
    progress(root, tmp_path / "part").of(adapter(*words)).settle(Result("x", Verdict.PASS))
    assert not passed(root, tmp_path, *words)
    assert (tmp_path / "part").read_bytes() == b""
    line = shlex.join(words)
    options = ["--vectors", str(root), "--adapter", f"{line} ", "--report-json", str(tmp_path / "r.json"), "--resume"]
    result = CliRunner().invoke(main, ["run", *options, "--deadline-s", "2", "--timeouts", "1"])
    assert f"starts from the beginning: {reason}" in result.output


def test_a_folder_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named_files, "FILES_MAX", 2)
    for name in "abc":
        (tmp_path / name).write_bytes(b"")
    assert content(adapter("env", str(tmp_path)))[1] == f"{tmp_path}: the folder is too large to be compared"


def test_a_new_run_finds_nothing_and_the_end_leaves_nothing(root: Path, tmp_path: Path) -> None:
    """What was kept is used when asked for only, and is gone with the report."""
    part = tmp_path / "part"
    progress(root, part).of(adapter("true")).settle(Result("x", Verdict.PASS))
    begun = progress(root, part, resume=False)
    assert begun.of(adapter("true")).get("x") is None
    assert part.read_bytes() == b""
    begun.end()
    assert not part.exists()


def test_only_what_passed_is_kept(root: Path, tmp_path: Path) -> None:
    """A failure is judged again, for its diagnosis; an error may have been an accident."""
    for verdict in (Verdict.FAIL, Verdict.ERRORED, Verdict.UNSUPPORTED):
        progress(root, tmp_path / "part").of(adapter("true")).settle(Result("x", verdict))
    assert (tmp_path / "part").read_bytes() == b""


@pytest.mark.parametrize("cut", range(2, 60, 7))
def test_half_a_line_is_no_result(root: Path, tmp_path: Path, cut: int) -> None:
    """A line that a kill has cut off is not found, nor does it spoil the next one."""
    part = tmp_path / "part"
    for case_id in ("x", "y"):
        progress(root, part).of(adapter("true")).settle(Result(case_id, Verdict.PASS))
    part.write_bytes(part.read_bytes()[:-cut])
    progress(root, part).of(adapter("true")).settle(Result("z", Verdict.PASS))
    found = progress(root, part).of(adapter("true"))
    assert [found.get(case_id) is not None for case_id in ("x", "y", "z")] == [True, False, True]


def test_a_line_that_was_changed_is_no_result(root: Path, tmp_path: Path) -> None:
    """Nor one that something else wrote: it does not spoil the run."""
    part = tmp_path / "part"
    progress(root, part).of(adapter("true")).settle(Result("x", Verdict.PASS, judged_events=3))
    line = part.read_text("utf-8")
    for old, new in (
        (', "judged_events": 3', ""),
        ("3}", "[3]}"),
        ('"x"', '"y"'),
        (line, "[" * 100_000),
        (line, '{"case":"x"}\n'),
    ):
        assert old in line
        part.write_text(line.replace(old, new), encoding="utf-8")
        found = progress(root, part).of(adapter("true"))
        assert found.get("x") is found.get("y") is None
    part.write_text(line, encoding="utf-8")
    assert progress(root, part).of(adapter("true")).get("x") is not None


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
    begun = progress(root, part).of(adapter("true"))
    part.unlink()
    part.symlink_to("/dev/full")
    begun.settle(Result("x", Verdict.PASS))


def test_whether_the_code_was_changed_is_asked_once_for_several(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first is written at once, the others together; what was settled before an edit that is seen then is not kept."""
    asked: list[bool] = []
    changed = [False]
    monkeypatch.setattr(kept_progress, "was_changed", lambda: asked.append(True) or changed[0])
    monkeypatch.setattr(kept_progress.time, "monotonic", lambda: 7.0)
    begun = progress(root, tmp_path / "part").of(adapter("true"))
    for case_id in ("a", "b", "c"):
        begun.settle(Result(case_id, Verdict.PASS))
    found = progress(root, tmp_path / "part").of(adapter("true"))
    assert [found.get(case_id) is not None for case_id in ("a", "b", "c")] == [True, False, False]
    begun.write()
    begun.settle(Result("d", Verdict.PASS))
    changed[0] = True
    begun.write()
    found = progress(root, tmp_path / "part").of(adapter("true"))
    assert [found.get(case_id) is not None for case_id in ("a", "b", "c", "d")] == [True, True, True, False]
    assert len(asked) == len((tmp_path / "part").read_bytes().splitlines()) == 3

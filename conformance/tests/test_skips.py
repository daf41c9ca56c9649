"""The count of skipped tests at the end of `make test`."""

import json
import sys
from pathlib import Path

import pytest

import skips


def report_of(folder: Path, *adapters: tuple[str, str | None]) -> Path:
    """Write a report with these adapters and their reasons for skipping."""
    path = folder / "report.json"
    path.write_text(json.dumps({"adapters": [{"name": name, "skipped": why} for name, why in adapters]}))
    return path


def test_reasons_are_counted(tmp_path: Path) -> None:
    """Equal reasons of several jobs count together, the most frequent first."""
    skips.write(tmp_path / "skips" / "python", ["no valgrind", "no browser", "no\nbrowser "])
    skips.write(tmp_path / "skips" / "site", ["no browser"])
    report = report_of(tmp_path, ("c-port", None), ("tquic", "there is no cargo here"))
    line = skips.summary(tmp_path / "skips", report)
    assert line == "skipped: 3 (no browser), 1 (no valgrind), 1 (adapter tquic: there is no cargo here)"


def test_zero_skips_are_reported(tmp_path: Path) -> None:
    """Without skips the line shows 0, also if no job has written a file."""
    assert skips.summary(tmp_path / "none", report_of(tmp_path, ("c-port", None))) == "skipped: 0"


@pytest.mark.parametrize("text", [None, "", "{", '{"adapters": 3}', '{"adapters": [{}]}', "[]"])
def test_unreadable_report_is_reported(tmp_path: Path, text: str | None) -> None:
    """A missing or malformed report does not look like a run without skips."""
    if text is not None:
        (tmp_path / "report.json").write_text(text)
    assert "are not counted" in skips.summary(tmp_path, tmp_path / "report.json") or text == ""


def test_a_job_keeps_its_exit_code_and_output(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The lines and the exit code of a job are passed on; a second run replaces the reasons of the first."""
    program = "print('loaders: go: skipped: there is no go here'); print('other'); raise SystemExit(3)"
    for _ in range(2):
        assert skips.main(["run", str(tmp_path), "loaders", sys.executable, "-c", program]) == 3
    assert capfd.readouterr().out.count("other") == 2
    assert (tmp_path / "loaders").read_text() == "there is no go here\n"


def test_invalid_arguments_exit_with_code_2() -> None:
    """Other arguments end with exit code 2."""
    assert skips.main([]) == skips.main(["run", "folder", "job"]) == skips.main(["report"]) == 2

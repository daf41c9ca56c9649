"""State that an adapter keeps across cases is detected by playing a failing case alone, and is the first cause."""

import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from firstflight_conformance.cli import main
from firstflight_conformance.run.kept_state import KEPT
from runner_support import command, events, vector, write_vectors

KEEPERS = [("keeps", "static"), ("keeps", "reset")]


@pytest.mark.parametrize(("script", "form"), KEEPERS)
def test_kept_state_is_the_first_cause(tmp_path: Path, script: str, form: str) -> None:
    """For a static variable and a missing reset the first cause is kept state, with the failures that pass alone."""
    root, report = write_vectors(tmp_path / "vectors"), tmp_path / "report.json"
    words = [
        "run",
        "--vectors",
        str(root),
        "--adapter",
        shlex.join(command(script, form)),
        "--report-json",
        str(report),
    ]
    result = CliRunner().invoke(main, words, catch_exceptions=False)
    assert result.exit_code == 1
    assert f"cause: {KEPT}, explains 2 of 2 failures" in result.output
    assert "These cases pass alone, in a fresh process." in result.output
    adapter_report = json.loads(report.read_text(encoding="utf-8"))["adapters"][0]
    assert [(cause["cause"], cause["kind"], cause["explains"]) for cause in adapter_report["diagnosis"]] == [
        (KEPT, "state", 2)
    ]
    assert [case.get("cause") for case in adapter_report["results"]] == [None, KEPT, KEPT]


def test_case_that_fails_alone_is_not_kept_state(tmp_path: Path) -> None:
    """A case that also fails alone is not reported as kept state."""
    root = write_vectors(tmp_path / "vectors", vector("slow-start.target.more", events()))
    adapter = shlex.join(command("answers", "wrong"))
    result = CliRunner().invoke(main, ["run", "--vectors", str(root), "--adapter", adapter], catch_exceptions=False)
    assert result.exit_code == 1
    assert "explains" in result.output or "unknown for" in result.output
    assert KEPT not in result.output

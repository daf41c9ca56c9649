"""Refused vectors are not judged: a run is not green if only refused vectors carry out a MUST rule."""

import json
import re
import shlex
import sys
from pathlib import Path

from click.testing import CliRunner, Result

from firstflight_conformance.cli import main
from firstflight_conformance.paths import CONFORMANCE

TUTORIAL = CONFORMANCE / "adapters" / "tutorial" / "adapter_fixed.py"
#: Change that makes the adapter answer `unsupported` to every case outside slow-start/rfc-9002.
_CUBIC = (
    '"algorithms": {"slow-start": ["rfc-9002"]}',
    '"algorithms": {"slow-start": ["rfc-9002"], "cubic": ["rfc-9438"]}, "controller": "cubic"',
)
_NO_LOSS = (
    "        if not self.in_recovery(sent_time):\n            self.recovery_start",
    "        if False:\n            self.recovery_start",
)
_REFUSES_LOSS = (
    '        process(controller, message["event"])',
    '        if message["event"]["ev"] == "lost":\n            return {"op": "unsupported", "reason": "no losses"}\n        process(controller, message["event"])',
)


def adapter(tmp_path: Path, *changes: tuple[str, str]) -> str:
    """Return the command of the tutorial's adapter with changes; each replaced text occurs once."""
    text = TUTORIAL.read_text("utf-8")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path = tmp_path / "adapter.py"
    path.write_text(text, encoding="utf-8")
    return shlex.join([sys.executable, str(path)])


def run(command: str, *words: str) -> Result:
    return CliRunner().invoke(main, ["run", "--adapter", command, "--jobs", "1", *words])


def test_run_does_not_pass_if_all_cubic_cases_are_refused(tmp_path: Path) -> None:
    """The adapter ignores losses, declares CUBIC for the events after the first loss, and refuses all CUBIC cases."""
    ignores = adapter(tmp_path, _CUBIC, _NO_LOSS)
    done = run(
        ignores, "--profile", "rfc-9002", "--profile", "rfc-9438", "--algorithm", "slow-start", "--algorithm", "cubic"
    )
    assert done.exit_code == 4, done.output
    text = " ".join(done.output.split())
    assert "every case of cubic/* was refused, and none judges the rest" in text
    assert re.search(r"not exercised: .*cubic\.", text)


def test_rules_of_refused_losses_are_reported(tmp_path: Path) -> None:
    """The adapter refuses losses only: the output and the report list the rules of losses."""
    report = tmp_path / "report.json"
    words = ("--algorithm", "slow-start", "--profile", "rfc-9002")
    done = run(adapter(tmp_path, _REFUSES_LOSS), *words, "--report-json", str(report))
    assert done.exit_code == 4, done.output
    (judged,) = json.loads(report.read_text("utf-8"))["adapters"]
    assert "slow-start.persistent.collapse" in judged["not_exercised"]
    assert run(adapter(tmp_path), *words).exit_code == 0

"""NewReno without a startup algorithm, judged under the name of any profile."""

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from firstflight_conformance.commands.run import _scripts
from firstflight_conformance.compare.answers import failed
from firstflight_conformance.compare.unseen import with_unseen
from firstflight_conformance.explain.departures import of_profile
from firstflight_conformance.explain.diagnosis import diagnosed
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.records.results import AdapterReport, Verdict, exit_code
from firstflight_conformance.report.badge import badge
from firstflight_conformance.run.judge import AnyCase, judge
from firstflight_conformance.run.session import RunOptions
from runner_support import BAD, adapter

GREEN = (0, "brightgreen")


def words(algorithm: str, profile: str, refused: Path | None = None, **members: object) -> list[str]:
    """Return the command of the adapter; ``refused``: a file with the cases that it refuses."""
    hello = json.dumps({"algorithms": {algorithm: [profile]}} | members)
    return [sys.executable, str(BAD / "plain.py"), hello, *([str(refused)] if refused else [])]


def command(algorithm: str, profile: str, refused: Path | None = None) -> str:
    """Return the command of the adapter as one string."""
    return shlex.join(words(algorithm, profile, refused))


def report_of(command: Sequence[str], cases: Sequence[AnyCase], options: RunOptions) -> AdapterReport:
    """Judge and diagnose an adapter like the command; return the report."""
    cases = [case for case in cases if not isinstance(case, ComputationCase)]
    by_id = {case.id: case for case in cases}
    judged = judge(adapter(*command), _scripts(cases), options)
    return with_unseen(judged, diagnosed(judged, by_id), by_id)


def one_fails(command: Sequence[str], cases: Sequence[AnyCase], options: RunOptions) -> bool:
    """Return whether a case fails when compared alone. All cases are run, and compared up to the first failure."""
    by_id = {case.id: case for case in cases}
    judged = judge(adapter(*command), _scripts(cases), options)
    assert judged.declaration is not None
    failing = [result for result in judged.results if result.verdict is Verdict.FAIL]
    subjects = (failed(result, by_id[result.case_id], judged.declaration) for result in failing)
    return any(of_profile([subject], []).departures.failing for subject in subjects)


def refused_by(report: AdapterReport, path: Path) -> Path:
    """Write the ids of the cases that fail, which an adapter may refuse; return the file."""
    failing = [result.case_id for result in report.results if result.status in ("fail", "undecided")]
    path.write_text("\n".join(failing), encoding="utf-8")
    return path


def outcome(report: AdapterReport, *, strict: bool = False) -> tuple[int, str]:
    """Return the exit code and the colour of the badge."""
    return exit_code([report], strict=strict), badge([report])["color"]

"""The report lists unjudged observables and rules under the verdict; `--first` runs the most rejecting vectors."""

import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from firstflight.controller import ALGORITHMS
from firstflight_conformance.adapters.messages import OBSERVABLES, Declaration
from firstflight_conformance.cli import main
from firstflight_conformance.format.first import known
from firstflight_conformance.paths import ROOT, VECTORS
from firstflight_conformance.records.results import AdapterReport, ClosedLoop, Result, Verdict
from firstflight_conformance.replay.mutants import load_mutants
from firstflight_conformance.report.html_page import text as html
from firstflight_conformance.report.not_judged import not_judged, other_losses
from firstflight_conformance.report.terminal import print_report
from firstflight_conformance.simulate.loop_run import LoopRun
from runner_support import adapter

JUMP = "careful-resume.path.overshoots@rfc-9959"
LOOP = "stimulus:resume-overflow@careful-resume/rfc-9959"


def report(*observables: str, results: tuple[Result, ...] = (Result(JUMP, Verdict.PASS),)) -> AdapterReport:
    """Return the report on an adapter that declares these observables."""
    declaration = Declaration("mine", "1", {"careful-resume": ("rfc-9959", "draft-08")}, observables)
    return AdapterReport(adapter("x", name="mine"), None, declaration, results)


def ran(lost: int) -> LoopRun:
    """Return a run with this number of lost packets."""
    return LoopRun(9, "complete", 1, None, None, 12000, lost, lost)


def test_undeclared_observables_and_their_rules_are_listed() -> None:
    """Without release times pacing is not judged, without the phase the lifetime; all observables judge all rules."""
    gaps = not_judged(report("cwnd_bytes", "ssthresh_bytes", "phase", "outcome", "state"))
    assert gaps.observables == ("next_release_ns", "trigger")
    assert gaps.rules == ("careful-resume.pacing.current-rtt",)
    assert {"careful-resume.saved.lifetime", "careful-resume.retreat.threshold"} <= set(
        not_judged(report("cwnd_bytes")).rules
    )
    assert not_judged(report(*OBSERVABLES)).text() == ""
    slow_start_gaps = not_judged(report("cwnd_bytes", results=(Result("slow-start.acks.tiny@rfc-9002", Verdict.PASS),)))
    assert "next_release_ns" not in slow_start_gaps.observables


def test_refused_profiles_are_listed() -> None:
    """A profile is listed if all of its cases are refused, not if only some are."""
    refused = Result("careful-resume.path.overshoots@draft-08", Verdict.UNSUPPORTED, "no such profile here")
    too_long = Result("careful-resume.marks.none@rfc-9959", Verdict.UNSUPPORTED, "too long")
    gaps = not_judged(report(*OBSERVABLES, results=(Result(JUMP, Verdict.PASS), refused, too_long)))
    assert gaps.text() == "not judged: careful-resume/draft-08 (refused)"


def test_report_lists_undeclared_observables_and_other_losses() -> None:
    """The report has one line for undeclared observables and one for a case that passes with other losses."""
    loop = ClosedLoop(None, within_tolerance=False, stack=ran(173), model=ran(123))
    adapter_report = report("cwnd_bytes", results=(Result(JUMP, Verdict.PASS), Result(LOOP, Verdict.PASS, loop=loop)))
    losses = f"passes with other losses than the model: {LOOP}: 173 packets, the model 123"
    assert other_losses(adapter_report) == losses
    assert other_losses(report("cwnd_bytes")) == ""
    out = io.StringIO()
    print_report(Console(file=out, width=400), [adapter_report], 2, all_failures=False, lines=None)
    lines = out.getvalue().splitlines()
    assert lines[-2].startswith(
        "not judged: ssthresh_bytes, phase, outcome, next_release_ns, trigger, state (not declared); so "
    )
    assert lines[-1] == f"mine {losses}"
    assert "careful-resume.pacing.current-rtt" in html([adapter_report], 0, strict=False)


@pytest.mark.parametrize("count", [1, 3])
def test_first_option_runs_vectors_in_file_order(tmp_path: Path, count: int) -> None:
    """The first N vectors of each profile run in the order of the file."""
    path = tmp_path / "report.json"
    words = ["run", "--adapter", "python-model", "--algorithm", "hystart", "--first", str(count)]
    result = CliRunner().invoke(main, [*words, "--report-json", str(path)])
    assert result.exit_code == 0, result.output
    cases = json.loads(path.read_text("utf-8"))["cases"]
    order = [name for name, *_ in known()["hystart"]["vectors"]]
    linux_vectors = [case.partition("@")[0] for case in cases if case.endswith("@linux")]
    have = [
        n for n in order if (VECTORS / "hystart" / f"{n.removeprefix('hystart.')}.json").read_text().count('"linux"')
    ]
    assert linux_vectors == have[:count]
    profiles = {case.partition("@")[2] for case in cases}
    assert len(cases) == count * len(profiles) > count


def test_first_option_refuses_closed_loop_paths() -> None:
    """`--first` refuses closed-loop paths: only vectors are ranked."""
    result = CliRunner().invoke(main, ["run", "--adapter", "python-model", "--first", "3", "--closed-loop"])
    assert result.exit_code == 2
    assert "--first: applies to vectors" in result.stderr


def test_each_page_lists_first_vectors() -> None:
    """Each page lists its first vectors; `make mutants` checks that they match the kill matrix."""
    mutants = {mutant.id for mutant in load_mutants()}
    assert known().keys() == ALGORITHMS.keys()
    for name, cover in known().items():
        page = (ROOT / "docs" / "specification" / f"{name}.md").read_text("utf-8")
        assert f"{{first-vectors}} {name}\n" in page
        assert sum(count for _, count, _ in cover["vectors"]) == cover["mutants"]
        assert {example for *_, example in cover["vectors"]} <= mutants

"""A stack that runs CUBIC is judged by RFC 9002 up to its first reduction, and only if CUBIC is judged as well."""

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from firstflight_conformance.cli import main
from firstflight_conformance.format.schemas import schema_error
from firstflight_conformance.records.results import AdapterReport, ExitCode, Result, Verdict, exit_code
from firstflight_conformance.report.badge import badge
from firstflight_conformance.report.junit import text as junit
from firstflight_conformance.run.judge import judge
from firstflight_conformance.run.session import RunOptions
from firstflight_conformance.simulate.cases import StimulusScript, stimulus_cases
from runner_support import IDS, QUICK, adapter, command, judged, write_vectors

CUBIC = {"controller": "cubic", "algorithms": {"slow-start": ["rfc-9002"], "cubic": ["rfc-9438"]}}
#: The third event of each vector is the loss.
REDUCTION = 2


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Write the small vectors."""
    return write_vectors(tmp_path / "vectors")


def verdicts(root: Path, hello: dict[str, object], mode: str) -> list[tuple[Verdict, int | None]]:
    report = judged(root, *command("declares", json.dumps(hello), mode))
    return [(result.verdict, result.judged_events) for result in report.results if result.case_id in IDS]


def test_window_after_the_reduction_is_not_judged_for_cubic(root: Path) -> None:
    """Another window after the loss fails NewReno but not CUBIC; the cases that are judged in part are counted."""
    assert verdicts(root, {}, "collapses-at-loss") == [(Verdict.FAIL, None)] * 3
    assert verdicts(root, CUBIC, "collapses-at-loss") == [(Verdict.PASS, REDUCTION)] * 3
    assert verdicts(root, CUBIC, "") == [(Verdict.PASS, None)] * 3, "agreeing cases are judged to the end"


def test_slow_start_before_the_reduction_is_judged(root: Path) -> None:
    """Slow start is the same for both controllers: one byte too much in it fails."""
    assert verdicts(root, CUBIC, "off-by=1") == [(Verdict.FAIL, None)] * 3
    report = judged(root, *command("declares", json.dumps(CUBIC), "off-by=1"))
    recording = next(result.recording for result in report.results if result.case_id in IDS)
    assert recording is not None
    assert len(recording.events) == REDUCTION, "the diagnosis uses judged events only"


def test_declared_controller_needs_one_of_its_profiles(root: Path) -> None:
    """A declared controller without one of its profiles is refused, since it would only escape a rule."""
    report = judged(root, *command("declares", '{"controller": "cubic"}', "collapses-at-loss"))
    assert {result.verdict for result in report.results} == {Verdict.ERRORED}
    assert "also declare a profile of cubic/*" in report.results[0].reason
    report = judged(root, *command("declares", '{"controller": "reno"}'))
    assert "controller: 'reno' is not one of newreno, cubic" in report.results[0].reason


def test_declared_controller_fits_the_schema(root: Path) -> None:
    """The schema of the protocol contains the member."""
    words = command("declares", json.dumps(CUBIC))
    report = judged(root, *words, options=RunOptions(10.0, validate=True))
    assert {result.verdict for result in report.results} == {Verdict.PASS}


def loop(hello: dict[str, object], mode: str = "collapses-at-loss") -> Result:
    """Return the result of a path with losses."""
    case = next(case for case in stimulus_cases() if case.id == "stimulus:shallow-queue@slow-start/rfc-9002")
    words = command("declares", json.dumps(hello), mode)
    return judge(adapter(*words), [StimulusScript(case)], QUICK).results[0]


def test_closed_loop_is_not_judged_after_the_reduction() -> None:
    """The run continues after the reduction but is not judged there."""
    assert loop({}).verdict is Verdict.FAIL
    result = loop(CUBIC)
    assert result.verdict is Verdict.PASS
    assert result.loop is not None
    assert result.judged_events == result.loop.judged_events
    assert result.judged_events is not None
    assert 0 < result.judged_events < result.loop.stack.events


@pytest.mark.parametrize("observables", [["cwnd_bytes"], ["cwnd_bytes", "ssthresh_bytes", "phase"]])
def test_conforming_closed_loop_run_is_judged_to_the_end(observables: list[str]) -> None:
    """The result is the same with all observables that drive the sender and with the window alone."""
    result = loop(CUBIC | {"observables": observables}, "")
    assert (result.verdict, result.judged_events) == (Verdict.PASS, None)


def run(tmp_path: Path, root: Path, *options: str) -> tuple[str, dict[str, object]]:
    """Run the command; return its output and the report of the adapter."""
    words = shlex.join(command("declares", json.dumps(CUBIC), "collapses-at-loss"))
    path = tmp_path / "report.json"
    arguments = ["run", "--adapter", words, "--vectors", str(root), "--report-json", str(path), "--verbose", *options]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == ExitCode.NOTHING_RUN, done.output
    document = json.loads(path.read_text("utf-8"))
    assert schema_error("urn:firstflight:report:1", document) is None
    return done.output, document["adapters"][0]


def test_reports_count_partly_judged_cases(tmp_path: Path, root: Path) -> None:
    """Reports count such cases and state that no case of the run judges the rest."""
    text, document = run(tmp_path, root)
    assert "3 cases of slow-start/* pass up to the first reduction;" in text
    assert "no case of cubic/* in this run judges the rest" in " ".join(text.split())
    assert document["counts"]["up_to_reduction"] == 3  # type: ignore[index]
    assert document["declaration"]["controller"] == "cubic"  # type: ignore[index]
    judged_counts = [result.get("judged_events") for result in document["results"]]  # type: ignore[attr-defined]
    assert judged_counts.count(REDUCTION) == 3


def test_partly_judged_cases_count_as_passing(root: Path) -> None:
    """Cases up to the reduction are included in the passing ones."""
    report: AdapterReport = judged(root, *command("declares", json.dumps(CUBIC), "collapses-at-loss"))
    assert (report.counts["pass"], report.counts["up_to_reduction"], report.counts["unsupported"]) == (3, 3, 0)


def test_reduction_is_untested_without_a_judged_controller_case(root: Path) -> None:
    """Without a judged case of its own controller the reduction is untested, and the run is not green."""
    report = judged(root, *command("declares", json.dumps(CUBIC), "collapses-at-loss"))
    refused = Result("cubic.concave.one-ack@rfc-9438", Verdict.UNSUPPORTED, "no CUBIC today")
    judges = Result("cubic.concave.one-ack@rfc-9438", Verdict.PASS)
    alone, by_nobody, by_cubic = (
        replace(report, results=(*report.results, *more)) for more in ([], [refused], [judges])
    )
    assert [changed_report.judged_by_own_controller for changed_report in (alone, by_nobody, by_cubic)] == [None, 0, 1]
    for unseen in (alone, by_nobody):
        assert exit_code([unseen], strict=False) == ExitCode.NOTHING_RUN
        assert unseen.not_exercised == ("slow-start.recovery.begin",)
        assert badge([unseen])["color"] == "yellow"
        assert 'type="not exercised"' in junit([unseen], strict=False), "continuous integration fails as well"
    assert exit_code([by_cubic], strict=False) == ExitCode.OK
    assert "<failure" not in junit([by_cubic], strict=False)

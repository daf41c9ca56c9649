"""Passing without acting proves little: the cases that a null adapter passes exercise few of the MUST rules."""

from click.testing import CliRunner

from every import every_case
from firstflight_conformance.cli import main
from firstflight_conformance.compare.exercised import exercised_by
from firstflight_conformance.format.vectors import Case

CASES = [case for case in every_case() if (case.vector.algorithm, case.profile) == ("slow-start", "rfc-9002")]


def test_passed_cases_exercise_their_rules() -> None:
    """All cases exercise all rules, no case exercises none, and one case exercises the rules that it carries out."""
    assert exercised_by(CASES, []).missing == ()
    nothing = exercised_by([], CASES)
    assert len(nothing.missing) == nothing.rules > 3
    reduces = next(case for case in CASES if "slow-start.recovery.begin" in clauses_of(case))
    exercised = exercised_by([reduces], [case for case in CASES if case is not reduces])
    assert "slow-start.recovery.begin" not in exercised.missing
    assert set(exercised.missing) < set(nothing.missing)


def clauses_of(case: Case) -> tuple[str, ...]:
    """Return the rules that a case carries out."""
    return case.expectation.clauses


def test_run_reports_rules_exercised_by_null_adapter() -> None:
    """The line follows the row of the adapter; the run judges no case that counts."""
    done = CliRunner().invoke(main, ["run", "--adapter", "null-initial-window", "--algorithm", "slow-start"])
    assert done.exit_code == 4
    assert " rules with a MUST exercised" in done.output
    line = next(line for line in done.output.splitlines() if line.endswith("rules with a MUST exercised"))
    name, exercised, _, rules, *_ = line.split()
    assert name == "null-initial-window:"
    assert int(exercised) < int(rules) / 2

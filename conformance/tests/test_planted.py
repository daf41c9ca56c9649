"""Three controllers written from the pages alone pass; planted errors are caught, and the first cause has the rule."""

import re
from collections import Counter
from pathlib import Path

import pytest

from firstflight_conformance.format.clauses import known_clauses
from firstflight_conformance.paths import ROOT
from planted_errors import CONTROLLERS, KEPT_STATE, Diagnosed, build, errors, is_caught, judge, missing

ERRORS = {f"{error.controller}-{error.id}": error for error in errors()}
PAGE = (ROOT / "docs" / "planted.md").read_text(encoding="utf-8")
#: The numbers of planted and of caught errors, by controller.
ON_PAGE = {
    name: tuple(map(int, numbers))
    for name, *numbers in re.findall(r"^\| `(\w+)`[^|]*\| (\d+) \| (\d+) \|$", PAGE, re.M)
}
#: Errors that no case shows, with reasons on the page.
UNSEEN = {f"{controller}-{name}" for controller, name in re.findall(r"^\| `(\w+)/([\w-]+)` \|", PAGE, re.M)}
#: Some errors, each with vectors that show it.
EXAMPLES = {
    "javascript-resumes-at-the-baseline": "hystartpp.css.resume*@rfc-9406",
    "go-threshold-of-the-paper": "search.sent.equal-*@draft-09",
    "java-flight-of-pipesize-is-used": "careful-resume.unvalidated.flight-*@rfc-9959",
}


def skip_without_tools(controller: str) -> None:
    absent = missing(controller)
    if absent:
        pytest.skip(f"needs {' and '.join(absent)}")


def test_errors_break_existing_rules() -> None:
    """Each error is in one of the three controllers and breaks existing rules."""
    all_errors = list(errors())
    assert len(all_errors) == len(ERRORS) >= 60
    counted = Counter(error.controller for error in all_errors)
    assert counted.keys() == CONTROLLERS.keys()
    assert min(counted.values()) >= 18
    unseen = Counter(ERRORS[name].controller for name in UNSEEN)
    assert {name: (counted[name], counted[name] - unseen[name]) for name in counted} == ON_PAGE
    assert {rule for error in all_errors for rule in error.breaks} <= {KEPT_STATE, *known_clauses()}


@pytest.mark.parametrize("name", EXAMPLES)
def test_first_cause_of_example_contains_the_rule(name: str, tmp_path: Path) -> None:
    """The controller passes; with the error it fails, and the first cause contains the rule."""
    error = ERRORS[name]
    skip_without_tools(error.controller)
    report, selected = tmp_path / "report.json", ("--id", EXAMPLES[name])
    assert judge(build(error.controller, tmp_path / "right"), report, *selected).exit_code == 0
    verdict = judge(build(error.controller, tmp_path / "wrong", error.patches), report, *selected)
    assert verdict.exit_code == 1
    assert verdict.names(error)


@pytest.mark.long
@pytest.mark.parametrize("controller", CONTROLLERS)
def test_controllers_pass_vectors_and_closed_loop(controller: str, tmp_path: Path) -> None:
    """The controllers pass the vectors and the closed loop, without choices at open points."""
    skip_without_tools(controller)
    assert judge(build(controller, tmp_path), tmp_path / "report.json", "--strict") == Diagnosed(0, ())


@pytest.mark.long
@pytest.mark.parametrize("name", ERRORS)
def test_an_error_is_caught(name: str, tmp_path: Path) -> None:
    """A vector or a path catches the error, unless the page lists it as not shown by any case."""
    error = ERRORS[name]
    skip_without_tools(error.controller)
    assert is_caught(build(error.controller, tmp_path, error.patches)) == (name not in UNSEEN)


@pytest.mark.long
@pytest.mark.parametrize("controller", CONTROLLERS)
def test_the_first_cause_is_right(controller: str, tmp_path: Path) -> None:
    """For nine of ten errors the first cause is right or contains a broken rule; no wrong cause is exact."""
    skip_without_tools(controller)
    visible = [error for name, error in ERRORS.items() if error.controller == controller and name not in UNSEEN]
    named, wrong = 0, {}
    for error in visible:
        command = build(controller, tmp_path / error.id, error.patches)
        verdict = judge(command, tmp_path / "report.json", "--deadline-s", "100")
        named += verdict.names(error)
        if wrong_causes := verdict.wrong_exact(error):
            wrong[error.id] = wrong_causes
    assert wrong == {}
    assert 10 * named >= 9 * len(visible)

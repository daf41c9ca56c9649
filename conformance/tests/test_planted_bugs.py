"""Bugs of public reports in Python controllers are caught; the first cause has the rule and describes the change."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from firstflight_conformance.format.clauses import known_clauses
from planted_bugs import Bug, Measured, bugs, build, run, table

BUGS = {bug.id: bug for bug in bugs()}
#: Some bugs, each of another controller.
SAMPLE = ("xquic-738-threshold-after-clamp", "quicly-380-idle-counts", "quiche-835-no-limit-in-css")
#: For the first list and the others: the least number of causes that contain a rule, and that describe the change.
LEAST = {True: (21, 16), False: (28, 16)}


def controllers() -> Iterator[Bug]:
    """Yield one bug for each fixed controller."""
    seen = set()
    for bug in BUGS.values():
        key = (bug.profile, str(bug.hello), str(bug.fixed))
        if key not in seen:
            seen.add(key)
            yield bug


FIXED = {bug.id: bug for bug in controllers()}


def measured(folder: Path, name: str) -> Measured:
    return run(BUGS[name], folder / name, BUGS[name].wrong)


def test_bugs_break_existing_rules(tmp_path: Path) -> None:
    """Each bug breaks existing rules, and its patches apply."""
    assert len(BUGS) == len(list(bugs()))
    assert sum(bug.table for bug in BUGS.values()) >= 28
    assert sum(not bug.table for bug in BUGS.values()) >= 30
    for bug in BUGS.values():
        assert bug.breaks <= set(known_clauses()), bug.id
        build(tmp_path / bug.id, bug.wrong)
        for path in (tmp_path / bug.id).glob("*.py"):
            compile(path.read_text("utf-8"), path, "exec")


@pytest.mark.parametrize("name", SAMPLE)
def test_example_bug_is_caught_and_described(name: str, tmp_path: Path) -> None:
    """The bug is caught, and the first cause contains a broken rule and describes the change."""
    measurement = measured(tmp_path, name)
    assert (measurement.caught, measurement.named, measurement.described, measurement.wrong_exact) == (
        True,
        True,
        True,
        (),
    )


@pytest.mark.long
@pytest.mark.parametrize("name", FIXED)
def test_a_fixed_controller_passes(name: str, tmp_path: Path) -> None:
    """The fixed controller passes the vectors and the closed loop."""
    assert run(FIXED[name], tmp_path, FIXED[name].fixed, "--both").exit_code == 0


@pytest.mark.long
def test_forbidden_bugs_are_caught(tmp_path: Path) -> None:
    """Every bug that the text forbids is caught; no wrong cause is exact; causes contain rules and describe changes."""
    results = {name: measured(tmp_path, name) for name in BUGS}
    for first, (named, described) in LEAST.items():
        rows = [(BUGS[name], measurement) for name, measurement in results.items() if BUGS[name].table == first]
        print(table(rows))
        assert sum(measurement.named for _, measurement in rows) >= named
        assert sum(measurement.described for _, measurement in rows) >= described
    assert {name for name, measurement in results.items() if not measurement.caught and not BUGS[name].open} == set()
    assert {name: measurement.wrong_exact for name, measurement in results.items() if measurement.wrong_exact} == {}

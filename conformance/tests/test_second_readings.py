"""Open points have a second reading, by a reader other than the proposer."""

import pytest

from diagnosis_support import mutants
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.format.clauses import SECOND_READING
from firstflight_conformance.format.open_points import open_points
from firstflight_conformance.records.results import ExitCode, exit_code
from freedoms_support import WINDOWS, judged_mutant


def test_doubts_have_arguments() -> None:
    """If the second reader doubts, the point contains the argument against it."""
    doubted = [point for point in open_points() if point.second_reading.startswith("doubts")]
    assert doubted
    assert [point.id for point in doubted if not point.against] == []


@pytest.mark.parametrize("reading", ["agrees", "agrees: it does", "maybe: it does (section 1)", "doubts:  (1)"])
def test_a_malformed_second_reading(reading: str) -> None:
    """A second reading needs a verdict, a reason and a section."""
    assert not SECOND_READING.fullmatch(reading)


@pytest.mark.parametrize("name", sorted(name for point in open_points() for name in point.covers))
def test_mutants_within_a_bound_pass(name: str) -> None:
    """A mutant that conforms by an interval ends with exit code 0 or 4, not 1."""
    mutant = mutants()[name]
    report = judged_mutant(mutant, Declaration(name, "1", {mutant.algorithm: (mutant.profile,)}, WINDOWS))
    assert exit_code([report], strict=False) in (ExitCode.OK, ExitCode.NOTHING_RUN)

"""Conforming choices do not hide causes: an error combined with a choice is rejected with the rule that it breaks."""

import re

import pytest

from choice_errors import ALGORITHMS, cells, errors, judge, points, share
from firstflight_conformance.format.clauses import known_clauses
from firstflight_conformance.format.open_points import open_points
from firstflight_conformance.paths import ROOT
from test_freedoms import ON_CUBIC, STATE_ONLY

PAGE = (ROOT / "docs" / "planted.md").read_text("utf-8")
#: Numbers on the page by algorithm: implementations, rejected ones, and ones with their rule in the first cause.
ON_PAGE = {
    name: tuple(map(int, numbers))
    for name, *numbers in re.findall(r"^\| `([\w-]+)` \| \d+ \| (\d+) \| (\d+) \| (\d+) \|$", PAGE, re.M)
}
#: Measured cells of each algorithm. All cells would take an hour.
SAMPLES = {"hystartpp": slice(None, None, 7), "careful-resume": slice(None, 312, 12)}
#: An error combined with a choice, for each algorithm.
EXAMPLES = (
    ("hystartpp H9", "four-rounds"),
    ("careful-resume A4", "jump-without-maximum"),
    # In most cases the error looks like a choice at H11.
    pytest.param("hystartpp H9", "seven-samples", marks=pytest.mark.long),
)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_errors_break_rules(algorithm: str) -> None:
    """Each algorithm has 20 errors with existing rules, and every open point visible in windows has a choice."""
    all_errors = errors(algorithm)
    assert len({error.change.id for error in all_errors}) == len(all_errors) == 20
    assert {rule for error in all_errors for rule in error.breaks} <= set(known_clauses())
    point_ids = {point.id for point in points(algorithm)}
    every = {point.id for point in open_points() if point.algorithm == algorithm}
    assert every - point_ids == (STATE_ONLY | ON_CUBIC) & every


@pytest.mark.parametrize(("point", "error"), EXAMPLES)
def test_error_with_a_choice_is_rejected(point: str, error: str) -> None:
    """An error combined with a choice is rejected, and the first cause has its rule."""
    open_point = next(candidate for candidate in points(point.split()[0]) if candidate.id == point)
    judgement = judge(
        open_point, next(planted for planted in errors(open_point.algorithm) if planted.change.id == error)
    )
    assert judgement is not None
    assert (judgement.rejected, judgement.named) == (True, True), judgement.line


@pytest.mark.long
@pytest.mark.parametrize("algorithm", SAMPLES)
def test_most_errors_have_their_rule_in_the_first_cause(algorithm: str) -> None:
    """Nine of ten rejected errors of a sample have their rule in the first cause; the page has the numbers."""
    judgements = [judge(point, error) for point, error in cells(algorithm)[SAMPLES[algorithm]]]
    judged = [judgement for judgement in judgements if judgement is not None]
    print("\n".join(judgement.line for judgement in judged))
    named, rejected = share(judged)
    assert (len(judgements), rejected, named) == ON_PAGE[algorithm]
    assert 10 * named >= 9 * rejected

"""Small edits of the model in place of named mutants: the vectors reject most of them."""

import re

import pytest

from adequacy.operators import measured, score
from firstflight_conformance.paths import ROOT, VECTORS

PAGE = (ROOT / "docs" / "planted.md").read_text("utf-8")
#: By algorithm, the numbers of the page: mutants, rejected ones, those that differ in outcome or state only.
ON_PAGE = {
    name: tuple(map(int, numbers))
    for name, *numbers in re.findall(r"^\| `([\w-]+)` \| (\d+) \| (\d+) \| (\d+) \| [\d.]+ % \|$", PAGE, re.M)
}


def test_the_vectors_reject_most_edits_of_slow_start() -> None:
    """A bound that is left out is rejected; a comparison that is the same for all integers of the domain is not."""
    found = measured("slow-start", 0, VECTORS)
    by = {one.sentence: one for one in found}
    assert by["does not bound `ssthresh` to at least `minimum_window(state)`"].is_rejected
    assert not by["tests `acked <= 0` where the specification tests `acked == 0`"].is_rejected
    assert all(bool(one.by) == bool(one.case) for one in found)
    assert score("slow-start", found) == (
        f"slow-start: {sum(one.is_rejected for one in found)} of {len(found)} operator mutants rejected, "
        f"{sum(one.by == 'state' for one in found)} more differ in outcome or state only"
    )
    assert sum(one.is_rejected for one in found) >= 0.8 * len(found)


@pytest.mark.long
@pytest.mark.parametrize("algorithm", ON_PAGE)
def test_the_page_has_the_share(algorithm: str) -> None:
    """The vectors reject no smaller share than the page states."""
    found = measured(algorithm, 0, VECTORS)
    of, rejected, _ = ON_PAGE[algorithm]
    assert sum(one.is_rejected for one in found) * of >= rejected * len(found)

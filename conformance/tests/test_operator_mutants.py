"""Small edits of the model instead of named mutants: the vectors reject most of them."""

import re
from collections import Counter

import pytest

from adequacy.connections import connections
from adequacy.operators import measured, score
from firstflight_conformance.paths import ROOT, VECTORS

PAGE = (ROOT / "docs" / "planted.md").read_text("utf-8")
#: By algorithm, the numbers of the page: mutants, rejected mutants, and open mutants that only connections reject.
ON_PAGE = {
    name: tuple(map(int, numbers))
    for name, *numbers in re.findall(r"^\| `([\w-]+)` \| (\d+) \| (\d+) \| (\d+) \| [\d.]+ % \|$", PAGE, re.M)
}
#: Connections of each profile that the page states.
CONNECTIONS = int(re.search(r"`--connections (\d+)`", PAGE)[1])


def test_the_vectors_reject_most_edits_of_slow_start() -> None:
    """The vectors reject a missing bound, but not a comparison that is equivalent for all integers of the domain."""
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


@pytest.mark.parametrize(
    ("algorithm", "profile", "outcomes"),
    [
        ("slow-start", "rfc-9002", {"reduced", "collapsed", "grown_avoidance", "path_changed"}),
        ("cubic", "rfc-9438", {"restored"}),
        ("careful-resume", "rfc-9959", {"jumped", "validation_begun", "retreated", "validated"}),
        ("jumpstart", "quicly", {"jump_begun", "jump_ended", "raised_in_recovery"}),
    ],
)
def test_connections_reach_what_is_rare(algorithm: str, profile: str, outcomes: set[str]) -> None:
    """Connections are deterministic, and most are possible."""
    found, again = (list(connections(algorithm, profile, 200)) for _ in range(2))
    assert found == again
    assert len(found) >= 190
    seen = Counter(expected["outcome"] for one in found for expected in one.expected)
    assert seen.keys() >= outcomes


@pytest.mark.long
@pytest.mark.parametrize("algorithm", ON_PAGE)
def test_the_page_has_the_share(algorithm: str) -> None:
    """The vectors reject at least the share on the page, of all mutants and of those that connections reject."""
    found = measured(algorithm, 0, VECTORS, CONNECTIONS)
    edits, rejected, open_ = ON_PAGE[algorithm]
    rejected_now, open_now = sum(one.is_rejected for one in found), sum(bool(one.connection) for one in found)
    assert rejected_now * edits >= rejected * len(found)
    assert rejected_now * open_ >= rejected * open_now

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
#: Continuations of each vector that the page states.
CONTINUATIONS = int(re.search(r"`--continuations (\d+)`", PAGE)[1])


def test_the_vectors_reject_most_edits_of_slow_start() -> None:
    """The vectors reject a missing bound, but not a comparison that is equivalent for all integers of the domain."""
    edits = measured("slow-start", 0, VECTORS)
    by = {edit.sentence: edit for edit in edits}
    assert by["does not bound `ssthresh` to at least `minimum_window(state)`"].is_rejected
    assert not by["tests `acked <= 0` where the specification tests `acked == 0`"].is_rejected
    assert all(bool(edit.by) == bool(edit.case) for edit in edits)
    assert score("slow-start", edits) == (
        f"slow-start: {sum(edit.is_rejected for edit in edits)} of {len(edits)} operator mutants rejected, "
        f"{sum(edit.by == 'state' for edit in edits)} more differ in outcome or state only"
    )
    assert sum(edit.is_rejected for edit in edits) >= 0.8 * len(edits)


@pytest.mark.parametrize(
    ("algorithm", "profile", "outcomes"),
    [
        ("slow-start", "rfc-9002", {"reduced", "collapsed", "grown_avoidance", "path_changed"}),
        ("cubic", "rfc-9438", {"restored"}),
        ("careful-resume", "rfc-9959", {"jumped", "validation_begun", "retreated", "validated"}),
        ("jumpstart", "quicly", {"jump_begun", "jump_ended", "raised_in_recovery"}),
    ],
)
def test_connections_reach_rare_outcomes(algorithm: str, profile: str, outcomes: set[str]) -> None:
    """Connections are deterministic, and most are possible."""
    drawn, again = (list(connections(algorithm, profile, 200)) for _ in range(2))
    assert drawn == again
    assert len(drawn) >= 190
    outcome_counts = Counter(expected["outcome"] for connection in drawn for expected in connection.expected)
    assert outcome_counts.keys() >= outcomes


@pytest.mark.long
@pytest.mark.parametrize("algorithm", ON_PAGE)
def test_vectors_reject_at_least_share_on_page(algorithm: str) -> None:
    """The vectors reject at least the share on the page, of all mutants and of those that connections reject."""
    measured_edits = measured(algorithm, 0, VECTORS, CONNECTIONS, CONTINUATIONS)
    edits, rejected, open_ = ON_PAGE[algorithm]
    rejected_now, open_now = (
        sum(edit.is_rejected for edit in measured_edits),
        sum(bool(edit.connection) for edit in measured_edits),
    )
    assert rejected_now * edits >= rejected * len(measured_edits)
    assert rejected_now * open_ >= rejected * open_now

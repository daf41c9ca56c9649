"""Compares Careful Resume in the model and in the C port after every event: observables, state and refusals."""

import os

import pytest

from c_careful_resume import run_streams
from firstflight.observables import Outcome
from observed import outcomes_of

REACHABLE = outcomes_of("careful-resume")


def test_random_streams() -> None:
    """Model and port agree on 20000 random events with random readings, which reach every outcome."""
    total = run_streams(200, 20_000)
    rare = {Outcome.THRESHOLD_SET}  # needs a reading that no profile has
    assert [outcome.value for outcome in REACHABLE if total.outcomes.get(outcome, 0) < 2 and outcome not in rare] == []
    assert total.outcomes[None] > 20_000 // 500


@pytest.mark.long
@pytest.mark.parametrize("share", range(10))
def test_random_streams_long(share: int) -> None:
    """Model and port agree on a million events; FIRSTFLIGHT_LONG_EVENTS overrides the number of each of ten shares."""
    run_streams(2000 + share, int(os.environ.get("FIRSTFLIGHT_LONG_EVENTS", "100000")))

"""Quick-Start in the model and in the C port: every observable, the state and every refusal, after every event."""

import os

import pytest

from c_quick_start import REACHABLE, run_streams


def test_random_streams() -> None:
    """In random readings both agree on 15000 random events, and these reach every outcome."""
    total = run_streams(400, 15_000)
    assert {outcome.value for outcome in REACHABLE if total[outcome] < 2} == set()
    assert total[None] > 15_000 // 500


@pytest.mark.long
@pytest.mark.parametrize("share", range(10))
def test_random_streams_long(share: int) -> None:
    """The same on a million events; FIRSTFLIGHT_LONG_EVENTS is another number for each of ten shares."""
    run_streams(4000 + share, int(os.environ.get("FIRSTFLIGHT_LONG_EVENTS", "100000")))

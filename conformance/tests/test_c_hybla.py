"""SEARCH on Hybla in the model and in the C port: every observable, the state and every refusal, after every event."""

import os

import pytest

from c_hybla import ON_SEARCH, run_search_streams


def test_random_streams_on_search() -> None:
    """SEARCH on Hybla, both in random readings, on 10000 random events."""
    total = run_search_streams(530, 10_000)
    assert {outcome.value for outcome in ON_SEARCH if total[outcome] < 10} == set()


@pytest.mark.long
@pytest.mark.parametrize("share", range(10))
def test_random_streams_on_search_long(share: int) -> None:
    """The same on a million events."""
    run_search_streams(5000 + share, int(os.environ.get("FIRSTFLIGHT_LONG_EVENTS", "100000")))

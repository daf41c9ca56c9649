"""Compares SEARCH on Hybla in the model and in the C port after every event: observables, state and refusals."""

import os

import pytest

from c_hybla import ON_SEARCH, run_search_streams


def test_random_streams_on_search() -> None:
    """Model and port agree on 10000 random events of SEARCH on Hybla, with random readings of both."""
    total = run_search_streams(530, 10_000)
    assert {outcome.value for outcome in ON_SEARCH if total[outcome] < 10} == set()


@pytest.mark.long
@pytest.mark.parametrize("share", range(10))
def test_random_streams_on_search_long(share: int) -> None:
    """Model and port agree on a million events of SEARCH on Hybla."""
    run_search_streams(5000 + share, int(os.environ.get("FIRSTFLIGHT_LONG_EVENTS", "100000")))

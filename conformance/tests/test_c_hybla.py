"""Hybla in the model and in the C port: every observable, the state and every refusal, after every event."""

import os

import pytest

from c_hybla import ON_SEARCH, REACHABLE, run_search_streams, run_streams


def test_random_streams() -> None:
    """In random readings both agree on 10000 random events, and these reach every outcome."""
    total = run_streams(400, 10_000)
    assert {outcome.value for outcome in REACHABLE if total[outcome] < 2} == set()
    assert total[None] > 10_000 // 500


def test_random_streams_on_search() -> None:
    """SEARCH on Hybla, both in random readings, on 10000 random events."""
    total = run_search_streams(530, 10_000)
    assert {outcome.value for outcome in ON_SEARCH if total[outcome] < 10} == set()


@pytest.mark.long
@pytest.mark.parametrize("share", range(10))
def test_random_streams_long(share: int) -> None:
    """The same on a million events; FIRSTFLIGHT_LONG_EVENTS is another number for each of ten shares."""
    run_streams(4000 + share, int(os.environ.get("FIRSTFLIGHT_LONG_EVENTS", "100000")))


@pytest.mark.long
@pytest.mark.parametrize("share", range(10))
def test_random_streams_on_search_long(share: int) -> None:
    """The same on a million events."""
    run_search_streams(5000 + share, int(os.environ.get("FIRSTFLIGHT_LONG_EVENTS", "100000")))

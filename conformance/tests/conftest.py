"""Hypothesis draws the same examples in every run, and keeps none; what runs on the clock of the machine may be spoiled by it."""

import signal

import pytest
from hypothesis import Phase, settings

import firstflight_conformance  # noqa: F401 - first: it notes what is loaded

settings.register_profile("firstflight", derandomize=True, database=None, deadline=None, print_blob=False)
#: For who asks only whether a test fails: the first example that fails is not shrunk.
settings.register_profile(
    "first-failure", parent=settings.get_profile("firstflight"), phases=(Phase.explicit, Phase.generate)
)
settings.load_profile("firstflight")


def pytest_configure() -> None:
    """Undo what a job in the background or nohup passes on: who ignores a signal starts programs that ignore it, and tests send it to them."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let a test on the clock of the machine fail only if it fails three times in a row; pytest says how often one was run again."""
    for item in items:
        if item.get_closest_marker("live") is not None:
            item.add_marker(pytest.mark.flaky(reruns=2, reruns_delay=1))

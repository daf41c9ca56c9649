"""Settings of Hypothesis (same examples in every run, no database), reruns of timing tests, and the browser."""

import importlib.util
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

import skips

settings.register_profile("firstflight", derandomize=True, database=None, deadline=None, print_blob=False)
#: Only reports whether a test fails: the first failing example is not shrunk.
settings.register_profile(
    "first-failure", parent=settings.get_profile("firstflight"), phases=(Phase.explicit, Phase.generate)
)
settings.load_profile("firstflight")


def pytest_configure() -> None:
    """Restore signals that a background job or nohup ignores, because tests send them to child processes."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Write the reasons of skipped tests to the file FIRSTFLIGHT_SKIPS, for the count at the end of `make test`."""
    file = os.environ.get("FIRSTFLIGHT_SKIPS")
    if file:
        skipped = terminalreporter.stats.get("skipped", [])
        skips.write(Path(file), [str(report.longrepr[-1]).removeprefix("Skipped: ") for report in skipped])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let a test on the machine's clock fail only after three failures in a row; pytest reports the reruns."""
    for item in items:
        if item.get_closest_marker("live") is not None:
            item.add_marker(pytest.mark.flaky(reruns=2, reruns_delay=1))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Start the system's Chromium, driven by Playwright. Skip the test if one of them is missing."""
    program = shutil.which("chromium")
    requirements = {"chromium": program, "playwright (make site-extras)": importlib.util.find_spec("playwright")}
    if missing := [name for name, location in requirements.items() if not location]:
        pytest.skip(f"needs a browser: {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not here")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-component-update"]
        browser = driver.chromium.launch(executable_path=program, args=[*arguments, "--disable-background-networking"])
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium: Any) -> Iterator[Any]:
    """Open an empty page, and check that none of its scripts fails."""
    with chromium.new_context() as context:
        page = context.new_page()
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        yield page
    assert faults == []

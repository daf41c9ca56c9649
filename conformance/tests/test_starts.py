"""Plain headers in quinn: no profile is refuted by its runs over three paths, and the page has the measured times."""

import gzip
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from firstflight.events import Backlog, SavedPath
from firstflight_conformance.judge.verdict import ConnectionVerdict, judge
from firstflight_conformance.logs.recording.files import parse
from firstflight_conformance.logs.recording.recording import Recording
from pages import connections_page
from plots import starts as plot
from studies.live import starts
from studies.live.starts import CARRIED, GAINS, KEPT, PATHS, RUNS

ALGORITHMS = tuple(name for name in CARRIED if name != "slow-start")
_RUNS = list(product(ALGORITHMS, PATHS, range(1, RUNS + 1)))


def recorded(algorithm: str, path: str, number: int) -> Recording:
    """Return a stored recording."""
    file = KEPT / f"{algorithm}-{path}-{number}.jsonl.gz"
    return parse(Path(file.stem), gzip.decompress(file.read_bytes()))


@cache
def judged(algorithm: str, path: str, number: int) -> ConnectionVerdict:
    """Return the verdict on a run by the profile that it uses."""
    return judge(recorded(algorithm, path, number), [CARRIED[algorithm][0]])


def test_five_recordings_per_algorithm_and_path() -> None:
    """There are five recordings of each algorithm over each path, and their times."""
    names = {f"{name}-{path}-{number}.jsonl.gz" for name, path, number in product(CARRIED, PATHS, range(1, RUNS + 1))}
    assert {file.name for file in KEPT.iterdir()} == names
    assert {(row.algorithm, row.path) for row in starts.load()} == set(product(CARRIED, PATHS))
    assert all(len(row.took_ns) == RUNS for row in starts.load())


@pytest.mark.parametrize(("algorithm", "path", "number"), _RUNS)
def test_logged_windows_equal_the_profile(algorithm: str, path: str, number: int) -> None:
    """Every logged window equals the window of the profile after the same event."""
    verdict = judged(algorithm, path, number)
    assert verdict.refuted == []
    (explained,) = verdict.explained
    assert explained.equal == explained.counted
    assert verdict.undecided is not None or verdict.may_be == (CARRIED[algorithm][0],)


def test_page_has_the_number_of_decided_runs() -> None:
    """The page has the number of decided runs, most of them for search and hystartpp; an early loss decides nothing."""
    for row in starts.load():
        if row.algorithm in ALGORITHMS:
            undecided = (judged(row.algorithm, row.path, number).undecided for number in range(1, RUNS + 1))
            assert row.decided == sum(reason is None for reason in undecided)
        if row.algorithm in ("search", "hystartpp"):
            assert row.decided > RUNS // 2


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_true_profile_is_not_refuted(algorithm: str) -> None:
    """The true profile is not refuted, whatever else is compared."""
    verdict = judge(recorded(algorithm, "long", 1))
    assert CARRIED[algorithm][0] in verdict.may_be


def test_the_second_connection_resumes() -> None:
    """Careful Resume gets the saved window of the first and jumps to half of it; JumpStart jumps to the backlog."""
    for path, number in product(PATHS, range(1, RUNS + 1)):
        resumed = recorded("careful-resume", path, number)
        (saved,) = (event for event in resumed.events if isinstance(event, SavedPath))
        windows = [step.subject["cwnd_bytes"] for step in resumed.steps if "cwnd_bytes" in step.subject]
        assert saved.saved_cwnd_bytes // 2 in windows
        (backlog,) = (event for event in recorded("jumpstart", path, number).events if isinstance(event, Backlog))
        assert backlog.queued_bytes == starts.RESPONSE_BYTES


def test_page_and_figure_have_all_starts_and_paths(tmp_path: Path) -> None:
    """The page has a row for each start over each path; the figure has all starts and paths."""
    page = connections_page.page()
    assert page.count("careful-resume/rfc-9959") >= len(PATHS)
    plot.write_plots(tmp_path)
    text = (tmp_path / "starts.svg").read_text("utf-8")
    assert all(name in text for name in (*GAINS, *PATHS))


def test_measured_time_is_near_the_prediction() -> None:
    """Slow start of quinn and of the simulator agree, so its time is within a tenth of the prediction."""
    for row in starts.load():
        if row.algorithm == "slow-start":
            assert abs(min(row.took_ns) / starts.predicted_ns(row) - 1) < 0.1

"""`judge-kernel` for a congestion control module that is not installed: with recorded runs, or refused."""

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firstflight_conformance.cli import main
from firstflight_conformance.logs.recording.recording import Recording
from firstflight_conformance.paths import LIVE_PATHS
from firstflight_conformance.records.results import ExitCode
from studies.live import command as judge_kernel

from test_recording_judge import recorded  # isort: skip

VECTOR = "full-window.plateau-50-ms"
SOURCE = {
    "kind": "kernel",
    "name": "Linux search",
    "version": "7.0",
    "scenario": "a path",
    "ended": "stop",
    "clock": "kernel",
}


def judge(monkeypatch: pytest.MonkeyPatch, recording: Recording, *options: str) -> Result:
    """Run the command with this recording in place of the kernel's SEARCH."""
    header = replace(recording.header, source=SOURCE)

    def run(path: Path, congestion_control: str, *, exact: bool) -> Recording:
        assert (path, congestion_control, exact) == (LIVE_PATHS / "deep-queue.json", "search", True)
        return replace(recording, header=header)

    monkeypatch.setattr(judge_kernel, "record", run)
    return CliRunner().invoke(main, ["judge-kernel", "--congestion-control", "search", *options])


def test_a_kernel_with_search_is_compared_with_all_profiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an option the best profile is reported; a selected profile is judged alone, and may differ."""
    subject = recorded("linux-4", "search", VECTOR)
    result = judge(monkeypatch, subject)
    assert result.exit_code == ExitCode.OK, result.output
    assert "Linux search, kernel 7.0" in result.output
    assert "no profile describes Linux search: comparing it with all profiles" in result.output
    assert "; may be: search/" in result.output
    assert "linux-4" in result.output and "hystart" not in result.output
    alone = judge(monkeypatch, subject, "--profile", "search/draft-00")
    assert alone.exit_code == ExitCode.DIVERGENCE, alone.output
    assert "search/draft-00, event " in alone.output


def test_run_without_slow_start_exit_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of SEARCH that stays in slow start gives exit code 4, as for any other algorithm."""
    result = judge(monkeypatch, recorded("linux-4", "search", VECTOR).cut(events=20), "--profile", "search/linux-4")
    assert result.exit_code == ExitCode.NOTHING_RUN, result.output
    assert "not decided: " in result.output


@pytest.mark.live
def test_missing_search_lists_kernel_congestion_controls() -> None:
    """The message lists the congestion controls of the kernel."""
    available = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
    if not available.exists() or "search" in (names := available.read_text("ascii").split()):
        pytest.skip("there is no list of congestion controls, or SEARCH is among them")
    result = CliRunner().invoke(main, ["judge-kernel", "--congestion-control", "search"])
    assert result.exit_code == ExitCode.NOTHING_RUN
    if "namespace" in result.output or "the command ip" in result.output:
        pytest.skip(result.output.strip())
    assert "this kernel has no congestion control search" in result.output
    assert " ".join(names) in result.output
    assert "modprobe tcp_search" in result.output

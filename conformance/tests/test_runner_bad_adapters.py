"""Misbehaving adapters: only the affected case is errored, within bounds of time and memory; no process remains."""

import json
import os
import shlex
import time
from pathlib import Path

import pytest

from firstflight_conformance.adapters.faults import FaultKind
from firstflight_conformance.records.results import Verdict
from measured import Measured, measured
from misbehaving import ERRORED, MORE_MIB, TABLE, Misbehaving
from runner_support import IDS, command, judged, write_vectors


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the vectors."""
    return write_vectors(tmp_path_factory.mktemp("vectors"))


def run(root: Path, tmp_path: Path, adapter: Misbehaving) -> tuple[Measured, list[dict[str, str]]]:
    """Judge an adapter by the command line; return the measurements and the results of the report."""
    line = shlex.join(word.replace("{memory}", str(tmp_path / "memory")) for word in adapter.command)
    path = tmp_path / "report.json"
    done = measured(
        "run", "--vectors", root, "--adapter", line, "--report-json", path, "--deadline-s", adapter.deadline_s
    )
    (report,) = json.loads(path.read_text("utf-8"))["adapters"]
    return done, report["results"]


@pytest.mark.live
@pytest.mark.parametrize("adapter", TABLE, ids=[adapter.does for adapter in TABLE])
def test_only_affected_cases_are_errored(root: Path, tmp_path: Path, adapter: Misbehaving) -> None:
    """The affected cases are errored with a reason; a fresh process serves the others."""
    done, results = run(root, tmp_path, adapter)
    assert [result["case"] for result in results] == list(IDS)
    assert tuple(result["verdict"] for result in results) == adapter.verdicts
    for result in results:
        if result["verdict"] == ERRORED:
            assert adapter.fault is not None
            assert result["fault"] == adapter.fault.value
            assert adapter.reason in result["reason"]
    assert done.code == adapter.code
    assert "Traceback" not in done.stderr
    assert done.took_s < adapter.at_most_s
    assert done.more_mib < MORE_MIB
    if (tmp_path / "memory").exists() and "child" in adapter.does:
        assert _is_gone(int((tmp_path / "memory").read_text(encoding="utf-8")))


def _is_gone(pid: int) -> bool:
    until_s = time.monotonic() + 60
    while time.monotonic() < until_s:
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z":
                return True  # killed, but not yet reaped by its new parent
        except OSError:
            return True
        time.sleep(0.01)
    return False


def test_absent_program_is_an_adapter_fault(root: Path) -> None:
    """An absent program is an adapter fault, not a crash of the runner."""
    report = judged(root, "/no/such/program")
    assert [(result.verdict, result.fault) for result in report.results] == [(Verdict.ERRORED, FaultKind.START)] * 3
    assert all("cannot be started" in result.reason for result in report.results)


def test_cases_after_a_failed_restart_are_errored(root: Path, tmp_path: Path) -> None:
    """If the adapter cannot be restarted after a crash, the remaining cases are errored with that reason."""
    report = judged(root, *command("behaves", "crash-again", str(tmp_path / "memory")))
    assert "code 3" in report.results[1].reason
    assert "hello: exited with code 4" in report.results[2].reason

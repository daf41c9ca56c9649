"""Sweeps: grids, rows, and that a kill leaves no trace."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from firstflight_conformance.cli import main
from firstflight_conformance.paths import ROOT
from firstflight_conformance.sweeps.grid import cells

SMALL = ("--algorithm", "slow-start/rfc-9002", "--algorithm", "search/draft-09+cubic", "--rate", "4Mbit/s", "--rtt", "40ms",
         "--size", "300kB", "--queue", "0.5bdp", "--queue", "4bdp", "--jobs", "1")  # fmt: skip


def sweep(*arguments: object) -> str:
    result = CliRunner().invoke(main, ["sweep", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.output


def test_a_grid_is_the_product_of_its_axes() -> None:
    """The last axis varies first; a queue of bandwidth-delay products is one of bytes; what is there twice counts once."""
    grid = cells(
        "simulate", {"algorithm": ["a/b"], "rate": ["8Mbit/s"], "rtt": ["10ms", "20ms"], "queue": ["0.5bdp", "5kB"]}
    )
    # 8 Mbit/s for 10 ms are 80000 bits: 10000 bytes, half of it 5000.
    assert [(cell["rtt_ns"], cell["queue_bytes"]) for cell in grid] == [
        (10**7, 5000),
        (2 * 10**7, 10000),
        (2 * 10**7, 5000),
    ]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_a_row_is_what_simulate_says(tmp_path: Path, suffix: str) -> None:
    """Both formats, one row for each cell, in the order of the grid."""
    out = tmp_path / f"rows{suffix}"
    assert sweep(out, *SMALL).startswith(f"4 rows in {out}, 4 of them computed now, ")
    lines = out.read_text("utf-8").splitlines()
    if suffix == ".jsonl":
        rows = [json.loads(line) for line in lines]
        assert [row["queue_bytes"] for row in rows] == [10000, 80000] * 2
        assert rows[0]["ended_by"] == "reduced" and rows[0]["dropped_packets"] > 0
        # 300 kB at 4 Mbit/s take 600 ms, and at least one round trip comes on top.
        assert all(row["completed_ns"] > 640_000_000 for row in rows if row["error"] is None)
    else:
        assert lines[0].startswith("algorithm,rate_bps,rtt_ns,queue_bytes,loss_ppm,size_bytes,seed,completed_ns,")
        assert len(lines) == 5


def test_a_file_gives_the_same_as_options(tmp_path: Path) -> None:
    grid = tmp_path / "grid.toml"
    grid.write_text(
        'kind = "simulate"\nalgorithm = ["slow-start/rfc-9002", "search/draft-09+cubic"]\nrate = "4Mbit/s"\nrtt = "40ms"\n'
        'size = "300kB"\nqueue = ["0.5bdp", "4bdp"]\n',
        encoding="utf-8",
    )
    sweep(tmp_path / "a.csv", *SMALL)
    sweep(tmp_path / "b.csv", "--grid", grid, "--jobs", "1")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_the_study_of_the_page(tmp_path: Path) -> None:
    """Its command gives its table."""
    page = (ROOT / "docs" / "sweeps.md").read_text("utf-8")
    command = re.search(r"firstflight sweep losses\.csv (.*?)```", page, re.S)
    assert command is not None
    sweep(tmp_path / "rows.jsonl", *command[1].replace("\\\n", " ").split())
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text("utf-8").splitlines()]
    table = [
        [int(cell) for cell in re.findall(r"\| (\d+)(?= \|)", line)]
        for line in page.splitlines()
        if " product" in line[:16]
    ]
    assert [[row["dropped_packets"] for row in rows[depth::4]] for depth in range(4)] == [
        cells for cells in table if cells
    ]
    # The same queue of four products: CUBIC loses at 1358240000, SEARCH left at 922400000.
    assert rows[3]["slow_start_ended_ns"] - rows[11]["slow_start_ended_ns"] == 435_840_000


MODEL = ("--kind", "model", "--algorithm", "slow-start", "--algorithm", "jump-start",
         *(word for mbps in range(1, 101) for word in ("--rate", f"{mbps}Mbit/s")),
         *(word for ms in range(10, 60) for word in ("--rtt", f"{ms}ms")), "--size", "2MB")  # fmt: skip


def test_ten_thousand_cells_killed_twice(tmp_path: Path) -> None:
    """The file of a sweep that was killed twice is that of one that was not: 2 * 100 * 50 = 10000 rows."""
    whole, killed = tmp_path / "whole.csv", tmp_path / "killed.csv"
    sweep(whole, *MODEL, "--jobs", "1")
    rows_before = 0
    for enough in (500, 4000):
        command = [sys.executable, "-m", "firstflight_conformance", "sweep", str(killed), *MODEL, "--jobs", "2"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True) as process:
            while not killed.exists() or killed.read_bytes().count(b"\n") < enough:
                assert process.poll() is None, "ended before it was killed"
                time.sleep(0.005)
            os.killpg(process.pid, signal.SIGKILL)
        rows = killed.read_bytes().count(b"\n") - 1
        assert rows_before < rows < 10_000
        rows_before = rows
    with killed.open("a", encoding="utf-8") as file:
        file.write("slow-start,1000000,1000")  # what a kill in the middle of a row leaves
    last = sweep(killed, *MODEL, "--jobs", "1")
    assert f"10000 rows in {killed}, {10_000 - rows_before} of them computed now" in last
    assert killed.read_bytes() == whole.read_bytes()
    assert len(set(whole.read_text("utf-8").splitlines())) == 10_001


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are found in /proc")
def test_nothing_outlives_a_sweep_that_was_killed(tmp_path: Path) -> None:
    """Its processes end when they see that it is gone."""
    out = tmp_path / "rows.csv"
    command = [sys.executable, "-m", "firstflight_conformance", "sweep", str(out), *MODEL, "--jobs", "2"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while not out.exists() or out.read_bytes().count(b"\n") < 2:
            assert process.poll() is None, "ended before it was killed"
            time.sleep(0.005)
        listed = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text("utf-8").split()
        process.kill()
    assert len(listed) >= 2
    deadline = time.monotonic() + 20
    while any(_runs(child) for child in listed) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert [child for child in listed if _runs(child)] == []


def _runs(process: str) -> bool:
    """Return whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["x.csv", "--rate", "1Mbit/s", "--rtt", "1ms"], "algorithm: simulate needs at least one value"),
        (["x.txt", *SMALL], "needs the suffix .csv or .jsonl"),
        (["x.csv", *SMALL, "--rate", "fast"], "rate: 'fast' is no number"),
        (["x.csv", *MODEL, "--seed", "1"], "seed: model has no such axis"),
        (["there.csv", *SMALL], "has other columns"),
    ],
)
def test_what_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], reason: str) -> None:
    """With a reason, and exit code 2."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    result = CliRunner().invoke(main, ["sweep", *arguments])
    assert (result.exit_code, reason in result.output) == (2, True), result.output
    assert (tmp_path / "there.csv").read_text("utf-8") == "a,b\n1,2\n"


def test_a_cell_without_an_answer_is_a_row(tmp_path: Path) -> None:
    """A profile that there is not, and a time that the models refuse."""
    out = tmp_path / "rows.jsonl"
    said = sweep(out, "--algorithm", "search/none", "--rate", "1Mbit/s", "--rtt", "1ms", "--jobs", "1")
    (row,) = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert row["completed_ns"] is None and "none" in row["error"] and row["error"] in said

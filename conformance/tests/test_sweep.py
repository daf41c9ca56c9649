"""Sweeps: grids, rows, and recovery from kills."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firstflight import SavedPath, profiles
from firstflight.controller import ALGORITHMS
from firstflight_conformance.cli import main
from firstflight_conformance.paths import ROOT
from firstflight_conformance.sweeps import pools
from firstflight_conformance.sweeps.grid import cells

SMALL = ("--algorithm", "slow-start/rfc-9002", "--algorithm", "search/draft-09+cubic", "--rate", "4Mbit/s", "--rtt", "40ms",
         "--size", "300kB", "--queue", "0.5bdp", "--queue", "4bdp", "--jobs", "1")  # fmt: skip


MODEL = ("--kind", "model", "--algorithm", "slow-start", "--algorithm", "jump-start",
         *(word for mbps in range(1, 101) for word in ("--rate", f"{mbps}Mbit/s")),
         *(word for ms in range(10, 60) for word in ("--rtt", f"{ms}ms")), "--size", "2MB")  # fmt: skip


def sweep(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(main, ["sweep", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


def test_a_grid_is_the_product_of_its_axes() -> None:
    """The last axis varies first; queues in bandwidth-delay products become bytes; repeated values count once."""
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
def test_each_cell_has_a_row_in_grid_order(tmp_path: Path, suffix: str) -> None:
    """Both formats have one row for each cell, in the order of the grid."""
    out = tmp_path / f"rows{suffix}"
    assert sweep(out, *SMALL).startswith(f"4 rows in {out}: 4 computed now, ")
    lines = out.read_text("utf-8").splitlines()
    if suffix == ".jsonl":
        rows = [json.loads(line) for line in lines]
        assert [row["queue_bytes"] for row in rows] == [10000, 80000] * 2
        assert rows[0]["ended_by"] == "reduced" and rows[0]["dropped_packets"] > 0
        # 300 kB at 4 Mbit/s take 600 ms, plus at least one round trip.
        assert all(row["completed_ns"] > 640_000_000 for row in rows if row["error"] is None)
    else:
        assert lines[0].startswith("algorithm,rate_bps,rtt_ns,queue_bytes,loss_ppm,size_bytes,seed,completed_ns,")
        assert len(lines) == 5


def test_grid_file_and_options_give_the_same_rows(tmp_path: Path) -> None:
    grid = tmp_path / "grid.toml"
    grid.write_text(
        'kind = "simulate"\nalgorithm = ["slow-start/rfc-9002", "search/draft-09+cubic"]\nrate = "4Mbit/s"\nrtt = "40ms"\n'
        'size = "300kB"\nqueue = ["0.5bdp", "4bdp"]\n',
        encoding="utf-8",
    )
    sweep(tmp_path / "a.csv", *SMALL)
    sweep(tmp_path / "b.csv", "--grid", grid, "--jobs", "1")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


PAGE = (ROOT / "docs" / "sweeps-studies.md").read_text("utf-8")


def study(name: str, folder: Path) -> list[dict[str, Any]]:
    """Run the command of a study on the page; return its rows. A heatmap is written to the same folder."""
    command = re.search(rf"firstflight sweep {name}\.csv (.*?)```", PAGE, re.S)
    assert command is not None
    words = command[1].replace("\\\n", " ").replace("conformance/", f"{ROOT}/conformance/").split()
    words = [str(folder / word) if word.endswith(".svg") else word for word in words]
    sweep(folder / "rows.jsonl", *words)
    return [json.loads(line) for line in (folder / "rows.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("name", ["paths", "resume"])
def test_study_command_draws_the_figure_of_the_page(tmp_path: Path, name: str) -> None:
    """The command of a study draws the figure of the page, byte for byte. To update the figure, copy the output."""
    rows = study(name, tmp_path)
    assert (tmp_path / f"{name}.svg").read_bytes() == (ROOT / "docs" / "_static" / f"sweep-{name}.svg").read_bytes()
    cells = {(row["algorithm"], row["rate_bps"], row["rtt_ns"], row["size_bytes"]): row for row in rows}
    if name == "resume":
        pairs = [
            (row, cells["cubic/rfc-9438", *cell[1:]]) for cell, row in cells.items() if cell[0] != "cubic/rfc-9438"
        ]
        assert all(row["completed_ns"] < cubic["completed_ns"] for row, cubic in pairs)
        assert max(row["dropped_packets"] - cubic["dropped_packets"] for row, cubic in pairs) == 76


def test_study_command_writes_the_table_of_the_page(tmp_path: Path) -> None:
    """The command of the study gives its table."""
    rows = study("losses", tmp_path)
    table = [
        [int(cell) for cell in re.findall(r"\| (\d+)(?= \|)", line)]
        for line in PAGE.splitlines()
        if " product" in line[:16]
    ]
    assert [[row["dropped_packets"] for row in rows[depth::4]] for depth in range(4)] == [
        cells for cells in table if cells
    ]
    # The same queue of four products: CUBIC loses at 1358240000, SEARCH left at 922400000.
    assert rows[3]["slow_start_ended_ns"] - rows[11]["slow_start_ended_ns"] == 435_840_000


def test_pattern_selects_all_profiles(tmp_path: Path) -> None:
    """A pattern selects all discovered profiles, on every base; the grid needs no list.

    Algorithms that begin with a saved window get none here, and their rows contain this reason.
    """
    sweep(tmp_path / "rows.jsonl", "--algorithm", "*/*", "--rate", "4Mbit/s", "--rtt", "40ms", "--size", "60kB")
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text("utf-8").splitlines()]
    assert [row["algorithm"] for row in rows] == [f"{a}/{p}" for a, ps in profiles(composed=True).items() for p in ps]
    saved = [row for row in rows if ALGORITHMS[row["algorithm"].partition("/")[0]].started_by is SavedPath]
    assert {row["error"] for row in saved} == {
        "no saved window, so this would be slow start: the scenario's sender needs saved_cwnd_bytes"
    }
    # 60 kB take 120 ms, plus a round trip of 40 ms.
    other_rows = [row for row in rows if row not in saved]
    assert all(row["error"] is None and row["completed_ns"] > 160_000_000 for row in other_rows)


def test_jumpstart_needs_the_handshake_rtt(tmp_path: Path) -> None:
    """The page on sizes has these numbers; without the RTT the row has a reason instead of the time of slow start."""
    path = ("--rate", "20Mbit/s", "--rtt", "600ms", "--queue", "1bdp", "--size", "600kB")
    names = ("--algorithm", "slow-start/rfc-9002", "--algorithm", "jumpstart/pfldnet-2007")
    with_rtt, without_rtt = tmp_path / "told.jsonl", tmp_path / "untold.jsonl"
    sweep(with_rtt, *names, *path)
    slow, jump = (json.loads(line) for line in with_rtt.read_text("utf-8").splitlines())
    page = (ROOT / "docs" / "sizes.md").read_text("utf-8")
    for row in (slow, jump):
        row_start = f"| `{row['algorithm']}` | "
        cells = page.partition(row_start)[2].partition("\n")[0].split(" | ")
        assert f"{row['completed_ns'] / 1e6:.1f}" == cells[1]
    raw = json.loads((ROOT / "conformance" / "scenarios" / "deep-queue-paced.json").read_text("utf-8"))
    own = tmp_path / "own.json"
    own.write_text(json.dumps(raw), encoding="utf-8")
    sweep(without_rtt, "--scenario", own, *names, "--algorithm", "quick-start/rfc-4782", *path)
    errors = [json.loads(line)["error"] for line in without_rtt.read_text("utf-8").splitlines()]
    assert errors[0] is None
    assert all("no RTT before the first ACK, so this would be slow start" in error for error in errors[1:])


def test_custom_scenario(tmp_path: Path) -> None:
    """The scenario sets values without an axis; rows of another scenario are not mixed with its rows."""
    raw = json.loads((ROOT / "conformance" / "scenarios" / "start-ups.json").read_text("utf-8"))
    raw["sender"]["transfer_bytes"] = 60_000
    own, out = tmp_path / "own.json", tmp_path / "rows.csv"
    own.write_text(json.dumps(raw), encoding="utf-8")
    arguments = (out, "--scenario", own, "--algorithm", "careful-resume/rfc-9959")
    assert "1 rows" in sweep(*arguments)
    head, row = out.read_text("utf-8").splitlines()
    assert row.startswith("careful-resume/rfc-9959,20000000,100000000,750000,0,60000,1,own.json#")
    # The initial window and the jump take a round trip each, plus the time for sending.
    assert 200_000_000 < int(row.split(",")[head.split(",").index("completed_ns")]) < 240_000_000
    raw["sender"]["initial_window_bytes"] = 2400
    own.write_text(json.dumps(raw), encoding="utf-8")
    refused = CliRunner().invoke(main, ["sweep", *map(str, arguments)])
    assert refused.exit_code == 2 and "has a row that is not in the grid" in refused.output


def test_summary_compares_algorithms(tmp_path: Path) -> None:
    """The summary has a line for each algorithm; the second is compared with the first."""
    rows = tmp_path / "rows.jsonl"
    lines = sweep(rows, *MODEL[:6], "--rate", "1Mbit/s", "--rate", "2Mbit/s", "--rtt", "100ms", "--size", "10kB")
    times = [json.loads(line)["response_time_ns"] for line in rows.read_text("utf-8").splitlines()]
    sooner = sum(jump < slow for slow, jump in zip(times[:2], times[2:], strict=True))
    assert re.search(r"^slow-start +2 +\S+ ms +\S+ ms +- +- +0$", lines, re.M)
    assert re.search(rf"^jump-start +2 +\S+ ms +\S+ ms +{sooner} +0 +0$", lines, re.M)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_parquet_contains_the_rows(tmp_path: Path, suffix: str) -> None:
    """Numbers stay numbers and missing values become null, also for rows read from CSV."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow (make sweep-extras)")
    sweep(tmp_path / f"rows{suffix}", *SMALL, "--algorithm", "search/none", "--parquet", tmp_path / "rows.parquet")
    sweep(tmp_path / "again.jsonl", *SMALL, "--algorithm", "search/none")
    rows = [json.loads(line) for line in (tmp_path / "again.jsonl").read_text("utf-8").splitlines()]
    assert parquet.read_table(tmp_path / "rows.parquet").to_pylist() == rows
    assert rows[0]["completed_ns"] > 0 and rows[-1]["completed_ns"] is None


@pytest.mark.live
def test_scheduler_workers_give_the_same_rows(tmp_path: Path) -> None:
    """Two processes that reach each other by addresses only, as on several machines."""
    distributed = pytest.importorskip("distributed", reason="needs distributed (make sweep-extras)")
    local = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    sweep(tmp_path / "here.csv", *SMALL)
    with distributed.LocalCluster(**local) as cluster:
        sweep(tmp_path / "there.csv", *SMALL, "--scheduler", cluster.scheduler_address)
        sweep(tmp_path / "models.csv", *MODEL, "--scheduler", cluster.scheduler_address)
    assert (tmp_path / "there.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()
    sweep(tmp_path / "models-here.csv", *MODEL, "--jobs", "1")
    assert (tmp_path / "models.csv").read_bytes() == (tmp_path / "models-here.csv").read_bytes()


def test_scheduler_without_workers_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty or absent scheduler is an error, and nothing is computed."""
    distributed = pytest.importorskip("distributed", reason="needs distributed (make sweep-extras)")
    monkeypatch.setattr(pools, "_PATIENCE_S", 1)
    out = tmp_path / "rows.csv"
    with distributed.LocalCluster(n_workers=0, processes=True, dashboard_address=None) as cluster:
        refused = CliRunner().invoke(main, ["sweep", str(out), *SMALL, "--scheduler", cluster.scheduler_address])
        assert refused.exit_code == 2 and "no workers" in refused.output
    refused = CliRunner().invoke(main, ["sweep", str(out), *SMALL, "--scheduler", "tcp://127.0.0.1:1"])
    assert refused.exit_code == 2 and "cannot connect to a scheduler" in refused.output
    assert len(out.read_text("utf-8").splitlines()) == 1


@pytest.mark.live
def test_ten_thousand_cells_killed_twice(tmp_path: Path) -> None:
    """The file of a sweep killed twice equals the file of an uninterrupted sweep: 2 * 100 * 50 = 10000 rows."""
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
        file.write("slow-start,1000000,1000")  # a row truncated by a kill
    last = sweep(killed, *MODEL, "--jobs", "1")
    assert f"10000 rows in {killed}: {10_000 - rows_before} computed now" in last
    assert killed.read_bytes() == whole.read_bytes()
    assert len(set(whole.read_text("utf-8").splitlines())) == 10_001


@pytest.mark.live
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc to find children")
def test_killed_sweep_leaves_no_processes(tmp_path: Path) -> None:
    """The processes of a sweep end when they notice its end."""
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
    """Return whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["x.csv", "--rate", "1Mbit/s", "--rtt", "1ms"], "algorithm: simulate needs at least one value"),
        (["x.txt", *SMALL], "expected the suffix .csv or .jsonl"),
        (["x.csv", *SMALL, "--rate", "fast"], "rate: 'fast': expected a number"),
        (["x.csv", *MODEL, "--seed", "1"], "seed: unknown axis; model has"),
        (["x.csv", *SMALL, "--algorithm", "sea/*"], "sea/* does not match any profile"),
        (["x.csv", *SMALL, "--of", "error"], "--of error: unknown column; simulate has completed_ns"),
        (["x.csv", *MODEL, "--scenario", "there.csv"], "there.csv"),
        (["there.csv", *SMALL], "has other columns"),
    ],
)
def test_invalid_arguments_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], reason: str
) -> None:
    """The command ends with a reason and exit code 2."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    result = CliRunner().invoke(main, ["sweep", *arguments])
    assert (result.exit_code, reason in result.output) == (2, True), result.output
    assert (tmp_path / "there.csv").read_text("utf-8") == "a,b\n1,2\n"


def test_failed_cell_is_a_row_with_an_error(tmp_path: Path) -> None:
    """Unknown profiles and refused times are rows with an error."""
    out = tmp_path / "rows.jsonl"
    path = ("--rate", "1Mbit/s", "--rtt", "1ms", "--size", "20kB", "--jobs", "1")
    output = sweep(out, "--algorithm", "search/none", "--algorithm", "slow-start/rfc-9002", *path, code=4)
    row, _ = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert row["completed_ns"] is None and "none" in row["error"] and row["error"] in output

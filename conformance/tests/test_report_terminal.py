"""The report on a terminal: at most sixty lines unless more are requested, and readable names in narrow windows."""

import io
import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

from firstflight_conformance.adapters.manifest import Deviation, Manifest
from firstflight_conformance.cli import main
from firstflight_conformance.records.results import AdapterReport, Result, Verdict
from firstflight_conformance.report import terminal
from firstflight_conformance.report.fit import LINES, Blocks, Rank
from firstflight_conformance.report.terminal import print_report
from runner_support import adapter, command, write_vectors

EXPLAINED = [Deviation("a.*", "slow-start.grow", f"the reason with the number {number}") for number in range(90)]


def report(manifest: Manifest) -> AdapterReport:
    """Return a report with one errored case; every failing case has its own explanation."""
    results = [Result(f"a.b.c{n}@p", Verdict.FAIL, "differs", explained_by=why) for n, why in enumerate(EXPLAINED)]
    log = tuple(f"log {number}" for number in range(20))
    results.append(Result("a.b.crash@p", Verdict.ERRORED, "exited", log=log))
    return AdapterReport(manifest, results=tuple(results))


def printed(reports: list[AdapterReport], width: int, lines: int | None) -> list[str]:
    """Return the lines printed in a window of that width."""
    out = io.StringIO()
    print_report(Console(file=out, width=width), reports, 91, all_failures=False, lines=lines)
    return out.getvalue().splitlines()


def test_line_bound_keeps_the_most_important_lines() -> None:
    """The bound keeps the most important lines and counts the omitted ones; without a bound all lines are printed."""
    reports = [report(adapter("x", name="mine"))]
    short, whole = printed(reports, 120, LINES), printed(reports, 120, None)
    assert len(short) <= LINES < len(whole)
    assert "  log 19" in short  # an error comes before explanations
    note = next(line for line in short if line.startswith("not shown: "))
    count = int(note.split()[2])
    assert note == f"not shown: {count} lines: {count} on explained deviations; --verbose shows them"
    assert len(whole) - len(short) == count - 2
    assert "explanation" not in printed(reports, 120, None)[-1]


def test_line_bound_cuts_the_last_block_of_a_rank() -> None:
    """Blocks of one rank keep their order; a bound cuts the last."""
    out = Console(file=io.StringIO(), width=40)
    blocks = Blocks(out)
    for rank, name in ((Rank.LOOP, "loop"), (Rank.FAILURE, "first"), (Rank.CHANGE, "change"), (Rank.FAILURE, "second")):
        with blocks.block(rank):
            for number in range(5):
                out.print(f"{name} {number}")
    lines = blocks.fitted(10)
    assert lines[:8] == [*(f"first {n}" for n in range(5)), *(f"second {n}" for n in range(3))]
    assert lines[-1].startswith("not shown: 12 lines: 2 on failures, 5 on changes, 5 of the closed loop; ")
    assert len(lines) == 10


def test_run_prints_at_most_sixty_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound also applies to a run with a crash and failures; --verbose prints all lines."""
    calls: list[Any] = []

    def noted(out: Console, reports: list[AdapterReport], *more: Any, **options: Any) -> None:
        calls.append((reports, options["lines"]))
        print_report(out, reports, *more, **options)

    monkeypatch.setattr(terminal, "print_report", noted)
    root = write_vectors(tmp_path / "vectors")
    words = ["run", "--vectors", str(root)]
    for script, mode in (
        ("answers", "wrong"),
        ("answers", "half"),
        ("behaves", "crash"),
        ("answers", "garbage"),
        ("answers", "twice"),
        ("answers", "missing"),
    ):
        words += ["--adapter", shlex.join(command(script, mode))]
    words += ["--adapter", shlex.join(command("declares", json.dumps({"arithmetic": "float64"}), "off-by=2400"))]
    short = CliRunner().invoke(main, words).stdout.splitlines()
    whole = printed(calls[0][0], 80, None)
    assert len(short) <= LINES < len(whole)
    assert any(line.startswith("not shown: ") for line in short)
    assert not any(line.startswith("not shown: ") for line in whole)
    CliRunner().invoke(main, [*words[:3], "--adapter", shlex.join(command("declares", "{}")), "--verbose"])
    assert calls[0][1] is not None
    assert calls[1][1] is None

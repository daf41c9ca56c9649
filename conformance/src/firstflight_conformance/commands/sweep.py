"""``firstflight sweep``: compute every cell of a grid."""

import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from firstflight_conformance.commands.options import PLOT_FILE, InputError, OutputFile
from firstflight_conformance.records.results import ExitCode
from firstflight_conformance.simulate import native
from firstflight_conformance.simulate.scenario import Scenario, ScenarioError
from firstflight_conformance.sweeps.answers import COLUMNS, check
from firstflight_conformance.sweeps.code import code
from firstflight_conformance.sweeps.grid import AXES, Cell, GridError, cells, read_grid, read_scenario
from firstflight_conformance.sweeps.pools import PoolError, rows
from firstflight_conformance.sweeps.store import TEXTS, Row, Store, StoreError
from firstflight_conformance.sweeps.summary import TIME, summary
from firstflight_conformance.sweeps.table import write_parquet

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True)
class _Grid:
    """A sweep: its kind of computation (``simulate``, ``fct`` or ``model``), and its cells in order.

    A cell contains one value for each axis. ``scenario``: the values outside the axes, equal for all cells, or ``None``
    for the defaults.
    """

    kind: str
    cells: list[Cell]
    scenario: Scenario | None


@click.command("sweep")
@click.argument("out", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--grid", "grid_file", type=_FILE, help="Axes as TOML.")
@click.option("--kind", type=click.Choice(list(AXES)), help="Kind of computation.  [default: simulate]")
@click.option("--scenario", type=_FILE, help="For simulate: a scenario with the values outside the axes.")
@click.option(
    "--algorithm",
    multiple=True,
    metavar="NAME",
    help="ALGORITHM/PROFILE, or 'search/*'. fct and model have additional names.",
)
@click.option("--rate", multiple=True, metavar="RATE", help="Rate of the bottleneck: 10Mbit/s.")
@click.option("--rtt", multiple=True, metavar="TIME", help="Round-trip time without queues: 100ms.")
@click.option("--queue", multiple=True, metavar="SIZE", help="Size: 100kB, or bandwidth-delay products: 0.5bdp.")
@click.option("--loss-ppm", multiple=True, metavar="N", help="Random loss on the link, in packets per million.")
@click.option("--size", multiple=True, metavar="SIZE", help="Size of the transfer: 10MB.")
@click.option("--seed", multiple=True, metavar="N", help="Seed of random losses.")
@click.option(
    "--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, show_default="one for each core", help="Processes."
)
@click.option("--scheduler", metavar="ADDRESS", help="Compute on the workers of a Dask scheduler: tcp://host:8786.")
@click.option("--parquet", type=OutputFile(".parquet"), help="Also write the rows to this file.")
@click.option("--heatmap", type=PLOT_FILE, help="Draw a panel per algorithm over the two longest other axes.")
@click.option("--of", metavar="COLUMN", help="Column of the heatmap.  [default: the time]")
@click.option("--relative", is_flag=True, help="Show values relative to the first algorithm.")
def sweep_command(
    *,
    out: Path,
    grid_file: Path | None,
    kind: str | None,
    scenario: Path | None,
    jobs: int,
    scheduler: str | None,
    parquet: Path | None,
    **options: Any,
) -> None:
    """Compute every cell of a grid, and write one row per cell to OUT, a .csv or .jsonl file.

    Each axis is a repeatable option, or a list in a TOML file. Repeating the command resumes an interrupted sweep:
    existing rows are not computed again, and the final file is the same. A cell without an answer has an `error`.
    """
    heatmap, requested_column, relative = (options.pop(name) for name in ("heatmap", "of", "relative"))
    try:
        by = code()
        grid = _grid(grid_file, kind, scenario, {name.replace("_", "-"): v for name, v in options.items() if v})
        heatmap_column = _column(grid, requested_column)
        if grid.kind == "simulate":
            check(grid.cells, grid.scenario)
        if grid.kind != "model":
            native.library()  # built once, not by each process
        store = Store(out, list(grid.cells[0]), COLUMNS[grid.kind], by)
        with store.open() as file:
            done = store.resume(file, grid.cells)
            missing = [cell for cell in grid.cells if store.key(cell) not in done]
            with _progress(len(grid.cells), len(done)) as advance:
                for row in rows(grid.kind, missing, grid.scenario, jobs, scheduler, by=by):
                    store.add(file, row)
                    advance()
            table_rows = store.sort(grid.cells)
        if parquet is not None:
            write_parquet(table_rows, parquet)
    except (GridError, ScenarioError, StoreError, PoolError, OSError) as error:
        raise InputError(str(error)) from error
    _report(grid.kind, table_rows, out, computed=len(missing))
    if heatmap is not None:
        _draw(table_rows, heatmap_column, heatmap, relative=relative)
    if all(row["error"] for row in table_rows):
        click.echo("no cell has an answer", err=True)
        raise SystemExit(ExitCode.NOTHING_RUN)


def _grid(path: Path | None, kind: str | None, scenario: Path | None, options: dict[str, Sequence[str]]) -> _Grid:
    """Return the grid of a TOML file, of options, or of both.

    An option replaces the axis of the same name in the file. ``kind`` and ``scenario``, if given, replace the members
    of the file. A scenario path in the file is relative to the folder of the file.
    """
    settings: dict[str, Any] = read_grid(path) if path is not None else {}
    stated = settings.pop("kind", "simulate")
    if "scenario" in settings:
        scenario_path = Path(path or "").parent / str(settings.pop("scenario"))
        scenario = scenario or scenario_path
    axes = {
        name: [str(value) for value in (values if isinstance(values, list) else [values])]
        for name, values in settings.items()
    }
    kind = kind or str(stated)
    base = None if scenario is None else read_scenario(scenario)
    return _Grid(kind, cells(kind, {**axes, **options}, base), base)


def _column(grid: _Grid, requested_column: str | None) -> str:
    """Return the result column for the heatmap, a plot of one result of the sweep over two axes of the grid.

    It is ``requested_column``, or without a request the time. Raise :class:`GridError` if a requested column is unknown
    or contains texts.
    """
    known = [name for name in COLUMNS[grid.kind] if name not in TEXTS]
    if requested_column is not None and requested_column not in known:
        raise GridError(f"--of {requested_column}: unknown column; {grid.kind} has {', '.join(known)}")
    return requested_column or TIME[grid.kind]


def _draw(table_rows: Sequence[Row], column: str, path: Path, *, relative: bool) -> None:
    from firstflight_conformance.plots.sweep import write_heatmap  # matplotlib takes a second to load

    write_heatmap(table_rows, column, path, relative=relative)
    click.echo(f"heatmap written to {path}")


class _progress:  # noqa: N801 - used as a function
    """Progress bar on a terminal, with the remaining time."""

    def __init__(self, total: int, done: int) -> None:
        self._total, self._done = total, done
        self._bar: Any = None

    def __enter__(self) -> Any:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

            self._bar = Progress(MofNCompleteColumn(), BarColumn(), TimeRemainingColumn(), console=Console(stderr=True))
            self._bar.start()
            self._task = self._bar.add_task("cells", total=self._total, completed=self._done)
        return self._advance

    def _advance(self) -> None:
        if self._bar is not None:
            self._bar.advance(self._task)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()


def _report(kind: str, table_rows: Sequence[Row], out: Path, computed: int) -> None:
    errors = Counter(row["error"] for row in table_rows if row["error"])
    without = sum(errors.values())
    click.echo(f"{len(table_rows)} rows in {out}: {computed} computed now, {without} without an answer")
    for reason, count in errors.most_common(5):
        click.echo(f"  {count}: {reason}")
    click.echo("\n".join(summary(kind, table_rows)))

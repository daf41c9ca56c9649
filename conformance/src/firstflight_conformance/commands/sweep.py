"""``firstflight sweep``: the same question for every cell of a grid."""

import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import click

from firstflight_conformance.commands.options import InputError
from firstflight_conformance.sweeps.answers import COLUMNS, answer
from firstflight_conformance.sweeps.grid import AXES, Cell, GridError, cells, read_grid
from firstflight_conformance.sweeps.store import Row, Store, StoreError

#: So many cells go to a process at once: a kill costs no more than these for each.
_CHUNK = {"simulate": 1, "fct": 1, "model": 64}


@click.command("sweep")
@click.argument("out", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--grid", "grid_file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Axes as TOML.")
@click.option("--kind", type=click.Choice(list(AXES)), help="What is computed for each cell.  [default: simulate]")
@click.option("--algorithm", multiple=True, metavar="NAME", help="ALGORITHM/PROFILE; for fct and model also their own.")
@click.option("--rate", multiple=True, metavar="RATE", help="10Mbit/s.")
@click.option("--rtt", multiple=True, metavar="TIME", help="Round-trip time without queues: 100ms.")
@click.option("--queue", multiple=True, metavar="SIZE", help="100kB, or bandwidth-delay products: 0.5bdp.")
@click.option("--loss-ppm", multiple=True, metavar="N", help="Packets lost on the link, in a million.")
@click.option("--size", multiple=True, metavar="SIZE", help="What is transferred: 10MB.")
@click.option("--seed", multiple=True, metavar="N", help="Of random losses.")
@click.option("--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, help="Processes.")
def sweep_command(
    *, out: Path, grid_file: Path | None, kind: str | None, jobs: int, **options: tuple[str, ...]
) -> None:
    """Compute every cell of a grid, and write a row for each to OUT, a .csv or .jsonl file.

    Each axis is an option that may be repeated, or a list in a TOML file. A sweep that was ended goes on with the same command: rows
    that are there are not computed again, and the file ends as if nothing had happened. A cell without an answer has its `error`.
    """
    try:
        kind, axes = _axes(
            grid_file, kind, {name.replace("_", "-"): values for name, values in options.items() if values}
        )
        grid = cells(kind, axes)
        store = Store(out, list(grid[0]), COLUMNS[kind])
        done = store.resume(grid)
    except (GridError, StoreError, OSError) as error:
        raise InputError(str(error)) from error
    missing = [cell for cell in grid if store.key(cell) not in done]
    with store.open() as file, _progress(len(grid), len(done)) as advance:
        for row in _rows(kind, missing, jobs):
            store.add(file, row)
            advance()
    _summarize(store.sort(grid), out, computed=len(missing))


def _axes(
    path: Path | None, kind: str | None, options: dict[str, Sequence[str]]
) -> tuple[str, dict[str, Sequence[str]]]:
    """Return kind and axes: those of the file, which options replace."""
    given: dict[str, Any] = read_grid(path) if path is not None else {}
    stated = given.pop("kind", "simulate")
    axes = {
        name: [str(value) for value in (values if isinstance(values, list) else [values])]
        for name, values in given.items()
    }
    return kind or str(stated), {**axes, **options}


def _chunk(kind: str, chunk: Sequence[Cell]) -> list[Row]:
    return [answer(kind, cell) for cell in chunk]


def _end_with(parent: int) -> None:
    """Let a process of the pool end when the sweep was killed: nobody would ever send it anything again."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _rows(kind: str, missing: Sequence[Cell], jobs: int) -> Iterator[Row]:
    """Yield the rows of cells in the order in which they are ready."""
    size = _CHUNK[kind]
    if jobs == 1 or len(missing) <= size:
        yield from (answer(kind, cell) for cell in missing)
        return
    chunks = iter([missing[start : start + size] for start in range(0, len(missing), size)])
    with ProcessPoolExecutor(
        jobs, mp_context=get_context("spawn"), initializer=_end_with, initargs=(os.getpid(),)
    ) as pool:
        waiting = {pool.submit(_chunk, kind, chunk) for chunk in islice(chunks, 2 * jobs)}
        while waiting:
            ready, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            waiting |= {pool.submit(_chunk, kind, chunk) for chunk in islice(chunks, len(ready))}
            for future in ready:
                yield from future.result()


class _progress:  # noqa: N801 - used as a function
    """A bar on the terminal, with the time that is left."""

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


def _summarize(rows: Sequence[Row], out: Path, computed: int) -> None:
    errors = Counter(row["error"] for row in rows if row["error"])
    click.echo(f"{len(rows)} rows in {out}, {computed} of them computed now, {sum(errors.values())} without an answer")
    for reason, count in errors.most_common(5):
        click.echo(f"  {count}: {reason}")

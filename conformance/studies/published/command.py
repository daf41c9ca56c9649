"""``firstflight dev results``: recomputes published results."""

import os
import sys
from collections import Counter, defaultdict
from typing import Any

import click

from firstflight_conformance.commands.options import nothing_selected
from studies.published import registry, store
from studies.published.store import Run


@click.command("results")
@click.option(
    "--check",
    is_flag=True,
    help="Write nothing; exit with 1 if a number differs from conformance/studies/published/results.",
)
@click.option(
    "--only", multiple=True, type=click.Choice(list(registry.SCENARIOS)), help="One scenario; may be repeated."
)
@click.option("--quick", is_flag=True, help="With --check: only runs of less than a few seconds.")
@click.option(
    "--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, show_default="one for each core", help="Processes."
)
def results_command(*, check: bool, only: tuple[str, ...], quick: bool, jobs: int) -> None:
    """Run the experiments of the page of published results, and write them to conformance/studies/published/results.

    The numbers are the same on every machine: time is simulated, and the scenarios contain all seeds.
    """
    if quick and not check:
        raise click.UsageError("--quick needs --check: without all runs there is no page")
    chosen = [run for run in registry.all_runs() if (not only or run.scenario in only) and (run.quick or not quick)]
    if not chosen:
        nothing_selected("none of these scenarios has a quick run")
    computed: dict[str, store.Data] = defaultdict(dict)
    with _progress(len(chosen)) as advance:
        for run, result in store.carry_out(chosen, jobs):
            computed[run.scenario][run.name] = result
            advance(run)
    if check:
        lines = [
            line
            for scenario, data in computed.items()
            for name, result in sorted(data.items())
            for line in store.differences(scenario, name, result)
        ]
        for line in lines:
            click.echo(line)
        if lines:
            raise SystemExit(1)
        click.echo(f"{len(chosen)} runs give the numbers of conformance/studies/published/results")
        return
    for scenario, data in computed.items():
        store.write(scenario, data)
    for scenario in computed:
        counts = Counter(claim.verdict.value for claim in registry.claims_of(scenario))
        click.echo(f"{scenario:18} " + ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))


class _progress:  # noqa: N801 - used as a function
    """A progress bar that counts runs, on a terminal."""

    def __init__(self, total: int) -> None:
        self._bar: Any = None
        self._total = total

    def __enter__(self) -> Any:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import Progress

            self._bar = Progress(console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task("runs", total=self._total)
        return self._advance

    def _advance(self, run: Run) -> None:
        if self._bar is not None:
            self._bar.update(self._task, advance=1, description=f"{run.scenario}: {run.name}")

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

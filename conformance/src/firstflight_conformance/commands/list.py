"""``firstflight list``: cases or adapters."""

from collections.abc import Sequence
from pathlib import Path

import click
from rich.table import Table

from firstflight_conformance.adapters.manifest import load_manifests
from firstflight_conformance.commands.options import nothing_selected, selected_cases, selection_options, usage_errors
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.report.terminal import console
from firstflight_conformance.run.selection import Selection
from firstflight_conformance.simulate.cases import stimulus_cases


@click.command("list")
@click.option("--adapters", is_flag=True, help="List the adapters of the checkout instead.")
@click.option(
    "--closed-loop",
    "stimulus",
    is_flag=True,
    help="List the closed-loop cases instead.",
)
@selection_options
def list_command(*, adapters: bool, stimulus: bool, root: Path, **selection: tuple[str, ...]) -> None:
    """List the cases with tier, granularity and flags.

    The tier is gold (expected values derived by hand) or core (computed by the model). The granularity is the largest
    unit of time that divides all times of the case. Flags are properties of its events, such as packets of several
    sizes.

    With --adapters, list the adapters of the checkout instead. With --closed-loop, list the closed-loop (stimulus)
    cases instead, each with its title. In a closed-loop case the implementation runs on a simulated path.
    """
    if adapters:
        console().print(_adapter_table())
    elif stimulus:
        _print(stimulus_lines(Selection(**selection)))
    else:
        _print(case_lines(selected_cases(root, Selection(**selection))))


def _print(lines: list[str]) -> None:
    for line in lines:
        click.echo(line)
    if not lines:
        nothing_selected("no case matches all options")


def case_lines(cases: Sequence[Case | ComputationCase]) -> list[str]:
    """Return one line for each case."""
    width = max((len(case.id) for case in cases), default=0)
    return [
        f"{case.id:{width}}  {case.vector.tier:4}  {case.vector.granularity:2}  {' '.join(case.vector.flags)}".rstrip()
        for case in cases
    ]


def stimulus_lines(selection: Selection) -> list[str]:
    """Return one line for each selected closed-loop case."""
    with usage_errors():
        every = stimulus_cases()
        selection.check(every)
    cases = [case for case in every if selection.takes(case)]
    width = max((len(case.id) for case in cases), default=0)
    return [f"{case.id:{width}}  {case.scenario.title}" for case in cases]


def _adapter_table() -> Table:
    with usage_errors():
        manifests = load_manifests()
    table = Table(box=None, pad_edge=False)
    for name in ("adapter", "role", "language", "title", "state"):
        table.add_column(name, overflow="fold")
    for manifest in manifests.values():
        state = manifest.missing() or "ready"
        table.add_row(manifest.name, manifest.role, manifest.language, manifest.title, state)
    return table

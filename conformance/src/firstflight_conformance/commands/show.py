"""``firstflight show``: one case as a timeline."""

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from firstflight_conformance.commands import complete
from firstflight_conformance.commands.options import InputError, selected_cases, vectors_option
from firstflight_conformance.commands.show_loop import loop_cases, show_loop
from firstflight_conformance.format import timeline
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.logs.case_qlog import case_qlog_text
from firstflight_conformance.report.terminal import console
from firstflight_conformance.run.selection import Selection, near_hint
from firstflight_conformance.simulate.cases import PREFIX


@click.command("show")
@click.argument("case_id", metavar="CASE", shell_complete=complete.cases)
@click.option(
    "--qlog", is_flag=True, help="Print the case as a qlog (JSON text sequence) instead: one case with events."
)
@vectors_option
def show_command(*, case_id: str, qlog: bool, root: Path) -> None:
    """Show a case as a timeline of events and expected changes.

    CASE is the id of a case, or the id of a vector to show all its profiles.
    """
    if case_id.startswith(PREFIX):
        if qlog:
            raise InputError(f"{case_id}: --qlog needs a case with events of its own, not a closed-loop case")
        for loop in loop_cases(case_id):
            show_loop(console(), loop, _timeline)
        return
    cases = [c for c in selected_cases(root, Selection(ids=(case_id,))) if case_id in (c.id, c.vector.id)]
    if not cases:
        hint = near_hint(case_id, [case.id for case in selected_cases(root, Selection())])
        raise InputError(f"{case_id}: unknown; {hint}`firstflight list` lists all cases")
    if qlog:
        click.echo(_qlog(case_id, cases), nl=False)
        return
    out = console()
    for case in cases:
        if isinstance(case, ComputationCase):
            _show_computation(out, case)
        else:
            _show(out, case)


def _qlog(case_id: str, cases: Sequence[Case | ComputationCase]) -> str:
    case = cases[0]
    if len(cases) > 1:
        raise InputError(f"{case_id}: a qlog has one case; choose one of {', '.join(case.id for case in cases)}")
    if isinstance(case, ComputationCase):
        raise InputError(f"{case_id}: a computation has no events to log")
    return case_qlog_text(case)


def _show_computation(out: Console, case: ComputationCase) -> None:
    vector, expectation = case.vector, case.expectation
    out.print(Text(case.id, "bold"))
    out.print(Text(vector.title))
    out.print(Text(vector.why))
    out.print(Text(f"tier {vector.tier}"))
    out.print(Text(f"clauses: {', '.join(expectation.clauses)}"))
    table = Table(box=None, pad_edge=False)
    for name in ("input", "value", "output", "expected"):
        table.add_column(name, overflow="fold")
    inputs = [(name, str(value)) for name, value in case.inputs.items()]
    outputs = [(k, "/".join(v) if isinstance(v, list) else str(v)) for k, v in expectation.expect.items()]
    for left, right in zip_longest(inputs, outputs, fillvalue=("", "")):
        table.add_row(*(Text(cell) for cell in (*left, *right)))
    out.print(table)
    out.print()


def _show(out: Console, case: Case) -> None:
    vector, expectation = case.vector, case.expectation
    out.print(Text(case.id, "bold"))
    out.print(Text(vector.title))
    out.print(Text(vector.why))
    window = vector.config["initial_window_bytes"]
    out.print(
        f"tier {vector.tier}, granularity {vector.granularity}, flags {' '.join(vector.flags) or '-'}; "
        f"datagrams of {vector.config['max_datagram_size_bytes']} bytes, "
        f"initial window {'as recommended' if window is None else f'{window} bytes'}"
    )
    out.print(Text(f"clauses: {', '.join(expectation.clauses)}"))
    _timeline(out, timeline.lines(case))
    if expectation.judged_events < len(vector.events):
        out.print(f"events {expectation.judged_events} to {len(vector.events) - 1} are not judged in this profile")
    out.print()


def _timeline(out: Console, rows: Sequence[tuple[str, str, str, str]]) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column("#", justify="right")
    table.add_column("ms", justify="right")
    table.add_column("event", overflow="fold")
    table.add_column("expected", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    out.print(table)

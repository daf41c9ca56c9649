"""``firstflight dev check``: the clauses."""

from pathlib import Path

import click

from adequacy.coverage import c_gaps, gaps, traces
from firstflight_conformance.commands.options import all_cases, needs_checkout, usage_errors, vectors_option


@click.command("check")
@click.option(
    "--gcov",
    "object_folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Also measure the C port, by the coverage data in this folder.",
)
@vectors_option
def check_command(*, object_folder: Path | None, root: Path) -> None:
    """Check that every clause has Python, C and a vector, or an exemption. Exit code 1 otherwise."""
    needs_checkout("dev check")
    with usage_errors():
        cases = all_cases(root)
        lines = gaps(cases)
        if object_folder is not None:
            lines += c_gaps(object_folder, cases)
    for line in lines:
        click.echo(line)
    if lines:
        raise SystemExit(1)
    count = len(traces(cases))
    measured = "Python by tracing, C by gcov" if object_folder else "Python by tracing, C by citation"
    click.echo(f"{count} clauses: each has Python, C and a vector, or says why not (measured: {measured})")

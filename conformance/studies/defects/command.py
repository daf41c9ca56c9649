"""``firstflight report``: a known defect of a stack as a report."""

import click

from firstflight_conformance.commands.options import InputError
from firstflight_conformance.run.selection import near_hint
from studies.defects.defects import defects
from studies.defects.text import report


@click.command("report")
@click.argument("defect_id", metavar="[STACK-N]", required=False)
def report_command(defect_id: str | None) -> None:
    """Print a known defect of a stack: rule, place, smallest events, values, effect, and a text for an issue.

    Without an id list all defects. The command sends no data.
    """
    known = defects()
    if defect_id is None:
        for name, defect in known.items():
            click.echo(f"{name:12} {defect.deviation.level:10} {defect.deviation.summary}")
    elif defect_id not in known:
        hint = near_hint(defect_id, list(known))
        raise InputError(f"{defect_id}: unknown; {hint}`firstflight report` lists all defects")
    else:
        click.echo(report(known[defect_id]), nl=False)

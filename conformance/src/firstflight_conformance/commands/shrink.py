"""``firstflight shrink``: the smallest event stream that distinguishes an adapter from the model or another adapter."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from firstflight_conformance.adapters.live import Adapter, AdapterProfile
from firstflight_conformance.commands import complete
from firstflight_conformance.commands.options import (
    InputError,
    open_adapter,
    selected_cases,
    usage_errors,
    vectors_option,
)
from firstflight_conformance.format.canonical import vector_text
from firstflight_conformance.format.files import write_whole
from firstflight_conformance.format.timeline import event_text, milliseconds
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.records.results import ExitCode
from firstflight_conformance.replay.implementation import Model
from firstflight_conformance.replay.measure import config_from_json
from firstflight_conformance.run.selection import Selection, near_hint
from firstflight_conformance.shrink.shrink import Contest, Parting, is_vector, shrink
from firstflight_conformance.shrink.vector import expected_at_end, snippet, vector_of


@click.command("shrink")
@click.argument("case_id", metavar="[CASE]", required=False, shell_complete=complete.cases)
@click.option(
    "--adapter",
    required=True,
    metavar="NAME|COMMAND|SO",
    help="The implementation that differs.",
    shell_complete=complete.adapters,
)
@click.option("--against", metavar="NAME|COMMAND|SO", help="Another implementation instead of the model.")
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("shrunk"),
    help="Folder for the vector; `firstflight run --vectors FOLDER` replays it.",
)
@click.option(
    "--deadline-s", type=click.FloatRange(min=0, min_open=True), default=10.0, help="Time for the answers of a case."
)
@vectors_option
def shrink_command(
    *, case_id: str | None, adapter: str, against: str | None, output: Path, deadline_s: float, root: Path
) -> None:
    """Find the smallest stream of events that shows a difference between an adapter and the model.

    Without CASE, the search begins with the shortest case that shows a difference. The stream is written as a vector
    with the model's answers, and printed as events and as Python code that builds it. The same adapter gives the same
    stream. Exit code 0: a stream was found; 4: no difference.
    """
    cases = _cases(root, case_id)
    with ExitStack() as opened:
        subject = opened.enter_context(open_adapter(adapter, deadline_s))
        other_adapter = None if against is None else opened.enter_context(open_adapter(against, deadline_s))
        first_parting = _first_parting(cases, subject, other_adapter)
        if first_parting is None:
            click.echo(
                f"nothing to shrink: {_nothing(cases, [subject, *([other_adapter] if other_adapter else [])])}",
                err=True,
            )
            raise SystemExit(ExitCode.NOTHING_RUN)
        contest, parting, case = first_parting
        smallest = shrink(contest, parting)
        names = (_name(adapter), "the model" if against is None else _name(against))
        raw = vector_of(contest, smallest, case.id, names)
        path = output / contest.algorithm / f"{raw['id'].partition('.')[2]}.json"
        with usage_errors():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, vector_text(raw))
        _print(contest, smallest, raw["why"], case, path)


def _cases(root: Path, case_id: str | None) -> list[Case]:
    """Return the cases with this id, or all cases with events, shortest first."""
    ids = () if case_id is None else (case_id,)
    cases = [case for case in selected_cases(root, Selection(ids=ids)) if isinstance(case, Case)]
    if case_id is not None:
        cases = [case for case in cases if case_id in (case.id, case.vector.id)]
        if not cases:
            known = [case.id for case in selected_cases(root, Selection()) if isinstance(case, Case)]
            raise InputError(f"{case_id}: unknown; {near_hint(case_id, known)}`firstflight list` lists all cases")
    return sorted(cases, key=lambda case: (len(case.events), case.id))


def _first_parting(
    cases: Sequence[Case], subject: Adapter, other_adapter: Adapter | None
) -> tuple[Contest, Parting, Case] | None:
    """Return the contest, difference and case of the first case with a difference, or None.

    The contest consists of the two compared implementations: ``subject``, and ``other_adapter`` or else the model.
    Cases count only if the adapters declare their profile and the events up to the difference form a valid vector.
    """
    adapters = [subject] if other_adapter is None else [subject, other_adapter]
    for case in cases:
        if _declared(case, adapters):
            names, config = (case.vector.algorithm, case.profile), config_from_json(case.vector.config)
            right = Model(*names) if other_adapter is None else AdapterProfile(other_adapter, *names)
            contest = Contest(AdapterProfile(subject, *names), right, subject.declaration, *names, config)
            parting = contest.parting(case.events)
            if parting is not None and is_vector(contest, parting.events):
                return contest, parting, case
    return None


def _declared(case: Case, adapters: Sequence[Adapter]) -> bool:
    return all(case.profile in adapter.declaration.algorithms.get(case.vector.algorithm, ()) for adapter in adapters)


def _nothing(cases: Sequence[Case], adapters: Sequence[Adapter]) -> str:
    """Return a text with the number of cases without a difference, and of skipped cases."""
    looked_at = sum(_declared(case, adapters) for case in cases)
    undeclared = len(cases) - looked_at
    refused = f"; {undeclared} cases belong to undeclared profiles" if undeclared else ""
    return f"no difference in {looked_at} cases{refused}"


def _print(contest: Contest, smallest: Parting, why: str, case: Case, path: Path) -> None:
    click.echo(f"{case.id}: {len(case.events)} events shrunk to {len(smallest.events)}")
    for index, event in enumerate(smallest.events):
        click.echo(f"{index:3}  {milliseconds(event.t_ns):>10} ms  {event_text(event)}")
    click.echo(f"{why}\n")
    click.echo(snippet(contest, smallest, expected_at_end(contest, smallest.events)))
    click.echo(f"vector: {path}; replay it: firstflight run --vectors {path.parents[1]} --adapter ...")


def _name(adapter: str) -> str:
    """Return the name of an adapter; for a command line, the last word without its folders."""
    return Path(adapter.split()[-1]).name

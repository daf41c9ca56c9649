"""``firstflight which``: the profile that an implementation follows, and the differences from it."""

import json
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from firstflight_conformance.adapters.live import Adapter
from firstflight_conformance.commands import complete
from firstflight_conformance.commands.options import (
    InputError,
    folders_of,
    nothing_selected,
    open_adapter,
    usage_errors,
    vectors_option,
)
from firstflight_conformance.compare.subject import AnsweredCase, shortest_first
from firstflight_conformance.explain.which import Standing, nearest, standings
from firstflight_conformance.format.clauses import known_clauses
from firstflight_conformance.format.files import write_whole
from firstflight_conformance.format.vectors import load_all
from firstflight_conformance.records.findings import Diagnosis
from firstflight_conformance.report.causes import choice_texts, rule_line
from firstflight_conformance.report.terminal import console
from firstflight_conformance.run.selection import unknown_hint

#: Number of printed vectors that distinguish two profiles.
_TELLING = 3


@click.command("which")
@click.option(
    "--adapter", required=True, metavar="NAME|COMMAND|SO", help="The implementation.", shell_complete=complete.adapters
)
@click.option("--algorithm", "only", metavar="NAME", help="The algorithm, if the adapter declares several.")
@click.option(
    "--deadline-s", type=click.FloatRange(min=0, min_open=True), default=10.0, help="Time for the answers of a case."
)
@click.option(
    "--json", "json_path", type=click.Path(dir_okay=False, path_type=Path), help="Write the standings as JSON."
)
@vectors_option
def which_command(*, adapter: str, only: str | None, deadline_s: float, json_path: Path | None, root: Path) -> None:
    """List the profiles of an algorithm, nearest to the implementation first, and the differences from the nearest.

    The answers to every vector of the algorithm are compared with the answers of every profile, also of undeclared
    profiles. The observable `cwnd_bytes` is sufficient.
    """
    with open_adapter(adapter, deadline_s) as opened:
        names = _algorithms(opened, only)
        with usage_errors():
            vectors = load_all(root, folders_of(root, names))
        document: dict[str, Any] = {}
        for name in names:
            ranking = standings(opened, name, [vector for vector in vectors if vector.algorithm == name])
            if ranking:
                ranking, diagnosis = nearest(ranking, opened.declaration.algorithms[name])
                _print(ranking, diagnosis)
                document[name] = _json(ranking, diagnosis)
    if not document:
        nothing_selected(f"{adapter} supports no vector of {', '.join(names)}")
    if json_path is not None:
        with usage_errors():
            write_whole(json_path, json.dumps(document, indent=1) + "\n")


def _algorithms(adapter: Adapter, only: str | None) -> list[str]:
    declared = [name for name, profiles in adapter.declaration.algorithms.items() if profiles]
    if only is None:
        return declared
    if only not in declared:
        raise InputError(f"--algorithm {only}: the adapter does not declare it; {unknown_hint(only, declared)}")
    return [only]


def _print(ranking: list[Standing], diagnosis: Diagnosis) -> None:
    out, first = console(), ranking[0]
    table = Table("profile", "vectors that agree", "shortest that differs", "event", box=None, pad_edge=False)
    for standing in ranking:
        differing_case = _differing(standing)
        place = ("-", "-") if differing_case is None else (differing_case.case.vector.id, str(differing_case.first))
        table.add_row(f"{standing.algorithm}/{standing.profile}", f"{len(standing.agreeing)} of {standing.of}", *place)
    out.print(table)
    out.print(f"\nnearest: {first.algorithm}/{first.profile}")
    for text in choice_texts(diagnosis.choices):
        out.print(f"other choice, which conforms: {text}")
    for cause in diagnosis.causes:
        certain = "exactly" if cause.exact else f"in {cause.explains} of {cause.of} of the vectors that differ"
        known = f"differs from it by {cause.cause}, {certain}{cause.within}: {cause.what}"
        out.print(
            known if cause.kind != "rule" else f"differs from it in {len(cause.cases)} vectors for an unknown reason"
        )
        for name in cause.clauses:
            if name in known_clauses():
                out.print("  ", rule_line(known_clauses()[name]))
    for runner_up in ranking[1:3]:
        telling = [f"{subject.case.vector.id} (event {subject.first})" for subject in first.tells(runner_up)[:_TELLING]]
        if telling:
            out.print(f"not {runner_up.algorithm}/{runner_up.profile}: {', '.join(telling)}")


def _differing(standing: Standing) -> AnsweredCase | None:
    return next(iter(shortest_first(standing.differing)), None)


def _json(ranking: list[Standing], diagnosis: Diagnosis) -> dict[str, Any]:
    return {
        "nearest": ranking[0].profile,
        "profiles": [
            {
                "profile": standing.profile,
                "agree": len(standing.agreeing),
                "of": standing.of,
                "differ": [subject.case.vector.id for subject in shortest_first(standing.differing)],
            }
            for standing in ranking
        ],
        "chooses": [{"point": c.point.id, "cause": c.cause, "choice": c.what} for c in diagnosis.choices],
        "departs": [
            {
                "cause": c.cause,
                "kind": c.kind,
                "clauses": list(c.clauses),
                "explains": c.explains,
                "of": c.of,
                "exact": c.exact,
            }
            for c in diagnosis.causes
        ],
    }

"""``firstflight compare``: which vectors tell two profiles apart, and where."""

from pathlib import Path
from typing import Any

import click
from rich.table import Table

from firstflight_conformance.cases.timeline import milliseconds
from firstflight_conformance.cases.vectors import Case, Vector, load_all
from firstflight_conformance.commands.options import InputError, usage_errors, vectors_option
from firstflight_conformance.run.report_terminal import console
from firstflight_conformance.spec.readings import load_tables

#: What every stack reports, and then what only helps to find a difference.
OBSERVABLES = ("cwnd_bytes", "ssthresh_bytes", "phase", "outcome", "state")


@click.command("compare")
@click.argument("one", metavar="ALGORITHM/PROFILE")
@click.argument("other", metavar="ALGORITHM/PROFILE")
@vectors_option
def compare_command(*, one: str, other: str, root: Path) -> None:
    """Show the readings in which two profiles differ, and each vector that tells them apart with the first such event.

    Vectors that show it in window, threshold or phase come first; then those that show it only in outcome or state.
    """
    algorithm, profiles = _profiles(one, other)
    with usage_errors():
        vectors = load_all(root)
    _print_readings(algorithm, profiles)
    both = [vector for vector in vectors if vector.algorithm == algorithm and set(profiles) <= set(vector.profiles)]
    rows = [(vector, difference) for vector in both if (difference := first_difference(vector, *profiles)) is not None]
    rows.sort(key=lambda row: (OBSERVABLES.index(row[1][1]) > 2, row[0].id))
    table = Table("vector", "event", "ms", "observable", *profiles, box=None, pad_edge=False)
    for vector, (index, name, values) in rows:
        time_ms = milliseconds(vector.events[index].t_ns)
        table.add_row(vector.id, str(index), time_ms, name, *(_text(value) for value in values))
    console().print(table)
    shown = sum(OBSERVABLES.index(name) < 3 for _, (_, name, _) in rows)
    click.echo(f"{shown} of {len(both)} vectors tell them apart by the windows, {len(rows) - shown} more by the state")


def _profiles(one: str, other: str) -> tuple[str, tuple[str, str]]:
    tables = load_tables()
    known = {f"{name}/{profile.name}" for name, table in tables.items() for profile in table.profiles}
    for given in (one, other):
        if given not in known:
            raise InputError(f"{given}: no such profile; there are {', '.join(sorted(known))}")
    algorithm, first = one.split("/")
    other_algorithm, second = other.split("/")
    if algorithm != other_algorithm:
        raise InputError(f"{one} and {other} are of different algorithms")
    return algorithm, (first, second)


def _print_readings(algorithm: str, profiles: tuple[str, str]) -> None:
    table = load_tables()[algorithm]
    first, second = (next(p for p in table.profiles if p.name == name) for name in profiles)
    for name, value in first.readings.items():
        if value != second.readings[name]:
            click.echo(f"{name}: {value} / {second.readings[name]}")
    click.echo()


def first_difference(vector: Vector, one: str, other: str) -> tuple[int, str, tuple[Any, Any]] | None:
    """Return the first event at which a vector tells two profiles apart, the observable and both values.

    A difference in the windows or the phase counts before an earlier one in outcome or state.
    """
    pairs = list(zip(Case(vector, one).expected(), Case(vector, other).expected(), strict=False))
    for names in (OBSERVABLES[:3], OBSERVABLES[3:]):
        for index, (first, second) in enumerate(pairs):
            for name in names:
                if first[name] != second[name]:
                    return index, name, (first[name], second[name])
    return None


def _text(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key}={'-' if number is None else number}" for key, number in value.items())
    return "infinite" if value is None else str(value)

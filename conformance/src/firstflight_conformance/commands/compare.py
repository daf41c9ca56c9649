"""``firstflight compare``: the vectors that distinguish two profiles, with the first differing event."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from firstflight import profiles
from firstflight_conformance.commands.options import (
    InputError,
    folders_of,
    nothing_selected,
    usage_errors,
    vectors_option,
)
from firstflight_conformance.format.readings import load_tables
from firstflight_conformance.format.timeline import milliseconds
from firstflight_conformance.format.vectors import Case, Vector, load_all
from firstflight_conformance.format.wire import encode_value
from firstflight_conformance.report.terminal import console

#: Observables of every stack, followed by observables that only help to find a difference.
OBSERVABLES = ("cwnd_bytes", "ssthresh_bytes", "phase", "outcome", "state")
_SHOWN_BY_STACKS = OBSERVABLES[:3]


@dataclass(frozen=True, slots=True)
class FirstDifference:
    """The first event where two profiles differ in a vector, the observable, and its value in each profile."""

    vector: Vector
    event: int
    observable: str
    values: tuple[Any, Any]

    @property
    def in_windows(self) -> bool:
        """Whether ``observable`` is one that every stack reports: window, ssthresh or phase, not outcome or state."""
        return self.observable in _SHOWN_BY_STACKS


@click.command("compare")
@click.argument("profile", metavar="ALGORITHM/PROFILE")
@click.argument("other_profile", metavar="ALGORITHM/PROFILE")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@vectors_option
def compare_command(*, profile: str, other_profile: str, as_json: bool, root: Path) -> None:
    """Show the readings that differ between two profiles, and the vectors that distinguish them.

    A profile may have another base, as search/draft-09+cubic. Vectors are listed with the first differing event.
    Differences in window, threshold or phase come first, differences only in outcome or state last. Exit code 4 if
    no vector has both profiles.
    """
    algorithm, names = _profiles(profile, other_profile)
    with usage_errors():
        vectors = load_all(root, folders_of(root, (algorithm,)))
    both = [vector for vector in vectors if vector.algorithm == algorithm and set(names) <= set(vector.profiles)]
    if not both:
        nothing_selected(f"no vector has both {profile} and {other_profile}")
    differences = [difference for vector in both if (difference := first_difference(vector, *names)) is not None]
    differences.sort(key=lambda difference: (not difference.in_windows, difference.vector.id))
    readings = different_readings(algorithm, names)
    if as_json:
        click.echo(json.dumps(_to_json((profile, other_profile), readings, differences, len(both))))
    else:
        _print(names, readings, differences, len(both))


def _profiles(profile: str, other_profile: str) -> tuple[str, tuple[str, str]]:
    known = {f"{algorithm}/{name}" for algorithm, names in profiles(composed=True).items() for name in names}
    for requested in (profile, other_profile):
        if requested not in known:
            near = [name for name in sorted(known) if name.startswith(requested.partition("/")[0] + "/")]
            raise InputError(f"{requested}: no such profile; available: {', '.join(near or sorted(known))}")
    algorithm, first = profile.split("/")
    other_algorithm, second = other_profile.split("/")
    if algorithm != other_algorithm:
        raise InputError(f"{profile} and {other_profile} belong to different algorithms")
    return algorithm, (first, second)


def different_readings(algorithm: str, names: tuple[str, str]) -> dict[str, tuple[Any, Any]]:
    """Return the readings that differ between two profiles, with both choices; the base counts as a reading."""
    table = {profile.name: profile.readings for profile in load_tables()[algorithm].profiles}
    plain, bases = zip(*((name.partition("+")[0], name.partition("+")[2] or "newreno") for name in names), strict=True)
    first, second = (table[name] for name in plain)
    base_difference: dict[str, tuple[Any, Any]] = {"base": bases} if bases[0] != bases[1] else {}
    return base_difference | {name: (value, second[name]) for name, value in first.items() if value != second[name]}


def first_difference(vector: Vector, profile: str, other: str) -> FirstDifference | None:
    """Return the first difference between two profiles in a vector, or None.

    A difference in the windows or the phase takes precedence over an earlier difference in outcome or state.
    """
    pairs = list(zip(Case(vector, profile).expected(), Case(vector, other).expected(), strict=False))
    for names in (_SHOWN_BY_STACKS, OBSERVABLES[3:]):
        for index, (first, second) in enumerate(pairs):
            for name in names:
                if first[name] != second[name]:
                    return FirstDifference(vector, index, name, (first[name], second[name]))
    return None


def _print(
    names: tuple[str, str], readings: dict[str, tuple[Any, Any]], differences: list[FirstDifference], vectors: int
) -> None:
    for name, (first, second) in readings.items():
        click.echo(f"{name}: {first} / {second}")
    click.echo()
    table = Table(box=None, pad_edge=False)
    for column in ("vector", "event", "ms", "observable", *names):
        table.add_column(column, overflow="fold")
    for difference in differences:
        time_ms = milliseconds(difference.vector.events[difference.event].t_ns)
        values = (_text(value) for value in difference.values)
        table.add_row(difference.vector.id, str(difference.event), time_ms, difference.observable, *values)
    console().print(table)
    by_windows = sum(difference.in_windows for difference in differences)
    click.echo(
        f"{by_windows} of {vectors} vectors distinguish them by the windows, "
        f"{len(differences) - by_windows} more by the state"
    )


def _to_json(
    names: tuple[str, str], readings: dict[str, tuple[Any, Any]], differences: list[FirstDifference], vectors: int
) -> dict[str, Any]:
    return {
        "profiles": names,
        "readings": readings,
        "vectors": vectors,
        "told_apart": [
            {
                "vector": difference.vector.id,
                "event": difference.event,
                "t_ns": encode_value(difference.vector.events[difference.event].t_ns),
                "observable": difference.observable,
                "values": [encode_value(value) for value in difference.values],
            }
            for difference in differences
        ],
    }


def _text(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key}={'-' if number is None else number}" for key, number in value.items())
    return "infinite" if value is None else str(value)

"""Readings and profiles: the data, its checks, and the tables generated from it."""

import re
from dataclasses import fields
from enum import Enum
from pathlib import Path

import pytest

from firstflight import Config, Pto, create, profiles, step
from firstflight.search.profiles import PROFILES as MODEL
from firstflight.search.profiles import Readings
from firstflight_conformance.format.computations import INPUTS
from firstflight_conformance.format.open_points import open_points
from firstflight_conformance.format.readings import ProfileTable, load_table, load_tables
from firstflight_conformance.paths import SPEC
from firstflight_conformance.replay.mutants import load_mutants
from generate.tables import generated_files

SEARCH = (SPEC / "search" / "profiles.toml").read_text(encoding="utf-8")


def test_profiles_match_model() -> None:
    """The profiles and readings of the data and of the model are the same."""
    tables = load_tables()
    assert {name: tuple(p.name for p in table.profiles) for name, table in tables.items()} == {
        **profiles(),
        "transfer-time": tuple(INPUTS),
    }
    for profile in tables["search"].profiles:
        readings = MODEL[profile.name]
        values = {field.name: getattr(readings, field.name) for field in fields(Readings)}
        assert profile.readings == {n: v.value if isinstance(v, Enum) else v for n, v in values.items()}


def test_observables_match_model() -> None:
    """The model shows exactly the numbers listed in the data."""
    for name, table in load_tables().items():
        observed: set[str] = set()
        for profile in profiles().get(name, ()):
            controller = create(name, profile, Config(1200))
            observed |= set(step(controller, Pto(1))[1].state)
        assert observed == set(table.numbers), name


def test_readings_have_reasons() -> None:
    """Every reading has a question, a reason, and two choices or bounds; the page contains its number and name."""
    table = load_tables()["search"]
    page = (SPEC / "search" / "open-points.md").read_text(encoding="utf-8")
    for reading in table.readings:
        assert reading.question and reading.reason
        assert len(reading.choices) >= 2 if reading.bounds is None else not reading.choices
        assert re.search(rf"\b{reading.ambiguity}\b", page)
        assert f"`{reading.name}`" in page or f"`{reading.name}" in page


def unused_values(table: ProfileTable) -> list[str]:
    """Return the values of readings that neither a profile nor an open point uses, as ``reading=value``."""
    points = [point for point in open_points() if point.algorithm == table.algorithm]
    covered = {name for point in points for name in point.mutants}
    flips = [mutant.readings.items() for mutant in load_mutants() if mutant.id in covered]
    used = {item for profile in table.profiles for item in profile.readings.items()}
    used |= {(name, value) for point in points for name, values in point.readings.items() for value in values}
    used |= {item for flipped in flips for item in flipped}
    values = [(reading.name, value) for reading in table.readings for value in reading.choices]
    return [f"{name}={value}" for name, value in values if (name, value) not in used]


@pytest.mark.parametrize("algorithm", load_tables())
def test_every_value_is_used(algorithm: str) -> None:
    """A profile or an open point uses every value; other mistakes are mutants of the model, not readings."""
    table = load_tables()[algorithm]
    assert unused_values(table) == []
    assert [r.name for r in table.readings if r.bounds is None and len(r.choices) < 2] == []


def test_unused_value_is_found(tmp_path: Path) -> None:
    """The search for unused values finds an added value."""
    path = tmp_path / "search.toml"
    path.write_text(SEARCH.replace("[reading.choices]\n", '[reading.choices]\nsideways = "no"\n', 1), encoding="utf-8")
    table = load_table(path)
    assert unused_values(table) == [f"{table.readings[0].name}=sideways"]


def test_like_is_transitive(tmp_path: Path) -> None:
    """A profile inherits readings through the chain of `like`."""
    path = tmp_path / "search.toml"
    path.write_text(SEARCH.replace('clock = "us"', 'clock = "ms"', 1), encoding="utf-8")
    before, after = (
        {p.name: p for p in load_table(table).profiles} for table in (SPEC / "search" / "profiles.toml", path)
    )
    changed = {name for name in before if before[name].readings != after[name].readings}
    assert {"linux-3", "linux-3-1", "linux-4", "freebsd-4"} == changed
    assert all(after[name].readings["clock"] == "ms" for name in changed)
    assert after["freebsd-4"].like == "linux-4" and "clock" not in after["freebsd-4"].changed


def test_generated_tables_are_up_to_date() -> None:
    """The generated files and regions are up to date."""
    for path, text in generated_files().items():
        assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("find", "text", "reason"),
    [
        ('shift = "floor"', 'shift = "down"', "profile lanman-2024-literal: shift cannot be 'down'"),
        ("shift_maximum_bins = 15", "shift_maximum_bins = 39", "shift_maximum_bins cannot be 39"),
        ("shift_maximum_bins = 15", 'shift_maximum_bins = "15"', "shift_maximum_bins cannot be '15'"),
        ('rollback = "floor"\n', "", "profile lanman-2024-literal: readings differ: ['rollback']"),
        ('rollback = "floor"\n', 'rollback = "floor"\nextra = 1\n', "readings differ: ['extra']"),
        (
            'like = "linux-3-1"',
            'like = "linux-5"',
            "profile linux-4: like: 'linux-5' is not an earlier profile",
        ),
        (
            'like = "linux-3-1"',
            'like = "linux-4"',
            "profile linux-4: like: 'linux-4' is not an earlier profile",
        ),
        (
            'drain_unit = "bytes"\n',
            'drain_unit = "bytes"\nclock = "us"\n',
            "profile freebsd-4: clock as in linux-4: leave it out",
        ),
    ],
)
def test_missing_or_unknown_readings_are_refused(tmp_path: Path, find: str, text: str, reason: str) -> None:
    """A profile that omits a reading, or sets an unknown one, is refused."""
    assert find in SEARCH
    path = tmp_path / "search.toml"
    path.write_text(SEARCH.replace(find, text, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(reason)):
        load_table(path)

"""Readings and profiles: loaded from ``spec/profiles`` and checked."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from firstflight_conformance.paths import PROFILES


@dataclass(frozen=True, slots=True)
class Reading:
    """One choice. ``choices`` maps each value to its meaning; it is empty for an integer within ``bounds``."""

    name: str
    ambiguity: str
    question: str
    reason: str
    choices: dict[str, str]
    bounds: tuple[int, int] | None

    def allows(self, value: object) -> bool:
        """Return whether a profile may choose ``value``."""
        if self.bounds is None:
            return isinstance(value, str) and value in self.choices
        return isinstance(value, int) and not isinstance(value, bool) and self.bounds[0] <= value <= self.bounds[1]


@dataclass(frozen=True, slots=True)
class Profile:
    """A named set of readings."""

    name: str
    title: str
    sources: tuple[str, ...]
    readings: dict[str, str | int]


@dataclass(frozen=True, slots=True)
class ProfileTable:
    """What one file of ``spec/profiles`` holds. ``phases``, ``outcomes``, ``numbers``: what the algorithm adds to the observables.

    ``exits``, ``leaves``: the outcomes that end slow start, and those with which it is left for a while. ``paces``: it says when the next
    packet may leave.
    """

    algorithm: str
    readings: tuple[Reading, ...]
    profiles: tuple[Profile, ...]
    phases: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    exits: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()
    paces: bool = False


def load_table(path: Path) -> ProfileTable:
    """Load and check one file. Raise ``ValueError`` naming file and place."""
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    readings = tuple(_reading(entry) for entry in raw.get("reading", []))
    profiles = tuple(_profile(name, raw["profile"]) for name in raw["profile"])
    for profile in profiles:
        _check(path, readings, profile)
    names = {name: tuple(raw.get(name, ())) for name in ("phases", "outcomes", "numbers", "exits", "leaves")}
    return ProfileTable(raw["algorithm"], readings, profiles, paces=raw.get("paces", False), **names)


@cache
def load_tables() -> Mapping[str, ProfileTable]:
    """Load every file of ``spec/profiles``, by algorithm, once."""
    tables = [load_table(path) for path in sorted(PROFILES.glob("*.toml"))]
    return {table.algorithm: table for table in tables}


def _reading(entry: dict[str, Any]) -> Reading:
    bounds = (entry["integer"]["minimum"], entry["integer"]["maximum"]) if "integer" in entry else None
    return Reading(
        entry["name"], entry["ambiguity"], entry["question"], entry["reason"], entry.get("choices", {}), bounds
    )


def _profile(name: str, entries: dict[str, dict[str, Any]]) -> Profile:
    """Return a profile; it may name the readings in which it differs from the one that it is ``like``."""
    entry = entries[name]
    readings = entries[entry["like"]]["readings"] if "like" in entry else {}
    return Profile(name, entry["title"], tuple(entry["sources"]), readings | entry.get("readings", {}))


def _check(path: Path, readings: tuple[Reading, ...], profile: Profile) -> None:
    names = {reading.name for reading in readings}
    if set(profile.readings) != names:
        raise ValueError(f"{path}: profile {profile.name}: readings differ: {sorted(names ^ set(profile.readings))}")
    for reading in readings:
        value = profile.readings[reading.name]
        if not reading.allows(value):
            raise ValueError(f"{path}: profile {profile.name}: {reading.name} cannot be {value!r}")

"""Loads and checks readings and profiles from ``spec/NAME/profiles.toml``."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from firstflight_conformance.paths import of_algorithms


@dataclass(frozen=True, slots=True)
class Reading:
    """A question that a source leaves open, with its possible answers. Each profile contains one answer.

    ``choices``: the meaning of each answer, by its name. It is empty if the answers are integers within ``bounds``, a
    minimum and a maximum. ``ambiguity``: number of the question on the specification page.
    """

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
    """A published version of an algorithm: the answer to each reading, an open question of the sources.

    ``changed``: readings with other answers than in the profile ``like``, or all readings if ``like`` is ``None``.
    """

    name: str
    title: str
    sources: tuple[str, ...]
    readings: dict[str, str | int]
    like: str | None
    changed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProfileTable:
    """Content of ``spec/NAME/profiles.toml``: the profiles (published versions) of one algorithm.

    ``phases``, ``outcomes``, ``numbers``: names of phases, event outcomes and state values that only some algorithms
    have, including this one. ``exits``: outcomes that end slow start. ``leaves``: outcomes that leave slow start for
    a while. ``endings``: until one of these outcomes, all profiles allow the same packets to be sent. After it, one
    profile may forbid packets that another allows. ``paces``: the algorithm computes the earliest time of the next
    packet.
    """

    algorithm: str
    readings: tuple[Reading, ...]
    profiles: tuple[Profile, ...]
    phases: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    exits: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()
    paces: bool = False


def load_table(path: Path) -> ProfileTable:
    """Load and check one file. Raise ``ValueError`` with file and place."""
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    readings = tuple(_reading(entry) for entry in raw.get("reading", []))
    try:
        profiles = tuple(_profiles(raw["profile"]).values())
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    for profile in profiles:
        _check(path, readings, profile)
    names = {name: tuple(raw.get(name, ())) for name in ("phases", "outcomes", "numbers", "exits", "leaves")}
    names["endings"] = tuple(raw.get("endings", ("exited",)))
    return ProfileTable(raw["algorithm"], readings, profiles, paces=raw.get("paces", False), **names)


@cache
def load_tables() -> Mapping[str, ProfileTable]:
    """Return the content of every ``spec/NAME/profiles.toml``, by algorithm. Cached."""
    tables = [load_table(path) for path in of_algorithms("profiles.toml")]
    return {table.algorithm: table for table in tables}


def _reading(entry: dict[str, Any]) -> Reading:
    bounds = (entry["integer"]["minimum"], entry["integer"]["maximum"]) if "integer" in entry else None
    return Reading(
        entry["name"], entry["ambiguity"], entry["question"], entry["reason"], entry.get("choices", {}), bounds
    )


def _profiles(entries: dict[str, dict[str, Any]]) -> dict[str, Profile]:
    """Return the profiles by name. A profile that is ``like`` an earlier profile lists only different readings."""
    profiles: dict[str, Profile] = {}
    for name, entry in entries.items():
        like = entry.get("like")
        if like is not None and like not in profiles:
            raise ValueError(f"profile {name}: like: {like!r} is not an earlier profile")
        inherited = profiles[like].readings if like is not None else {}
        own = entry.get("readings", {})
        same = sorted(reading for reading, value in own.items() if inherited.get(reading) == value)
        if same:
            raise ValueError(f"profile {name}: {', '.join(same)} as in {like}: leave it out")
        readings = inherited | own
        profiles[name] = Profile(name, entry["title"], tuple(entry["sources"]), readings, like, tuple(own))
    return profiles


def _check(path: Path, readings: tuple[Reading, ...], profile: Profile) -> None:
    names = {reading.name for reading in readings}
    if set(profile.readings) != names:
        raise ValueError(f"{path}: profile {profile.name}: readings differ: {sorted(names ^ set(profile.readings))}")
    for reading in readings:
        value = profile.readings[reading.name]
        if not reading.allows(value):
            raise ValueError(f"{path}: profile {profile.name}: {reading.name} cannot be {value!r}")

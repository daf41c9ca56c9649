"""Loads mutants from ``spec/NAME/mutants.toml`` and applies their edits."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firstflight.controller import SUFFIXES
from firstflight_conformance.format.clauses import known_clauses
from firstflight_conformance.format.readings import ProfileTable, load_tables
from firstflight_conformance.format.vectors import COMPUTED_ALGORITHMS
from firstflight_conformance.paths import REFERENCE_PY, SPEC, of_algorithms
from firstflight_conformance.replay.fresh import mutable_files

_EDIT = {"file", "find", "replace"}
_KEYS = _EDIT | {"id", "profile", "what", "readings", "also", "equivalent", "breaks"}


class MutantError(ValueError):
    """A mutant is malformed, or its text does not occur exactly once in the model."""


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit of the model: replaces ``find``, which occurs once in the text of ``file``, by ``replace``."""

    file: str
    find: str
    replace: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """A deliberate mistake in a profile: other readings, or ``find`` replaced in the text of ``file``.

    ``readings``: the changed choices at ambiguities of the specification. ``also``: further edits, for a mistake in
    more than one place. ``equivalent``: the reason if no vector can distinguish the mutant from the model. ``breaks``:
    violated rules, if they differ from the rules cited on the changed lines. Some mutants conform, as a choice that the
    specification leaves open: the open points list them.
    """

    id: str
    algorithm: str
    profile: str
    what: str
    readings: dict[str, str | int]
    file: str
    find: str
    replace: str
    equivalent: str
    breaks: tuple[str, ...] = ()
    also: tuple[Edit, ...] = ()

    @property
    def edits(self) -> tuple[Edit, ...]:
        """All edits of the text of the model, in order."""
        return (Edit(self.file, self.find, self.replace), *self.also) if self.file else ()


def load_mutants() -> list[Mutant]:
    """Load every mutant. Raise :class:`MutantError`."""
    mutants = [mutant for path in of_algorithms("mutants*.toml", SPEC) for mutant in _load_file(path)]
    ids = [mutant.id for mutant in mutants]
    twice = sorted({name for name in ids if ids.count(name) > 1})
    if twice:
        raise MutantError(f"ids used twice: {', '.join(twice)}")
    return mutants


def _load_file(path: Path) -> Iterator[Mutant]:
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise MutantError(f"{path}: {error}") from error
    _need(str(path), raw, "algorithm", "profile", "mutant")
    table = load_tables().get(raw["algorithm"])
    if table is None:
        raise MutantError(f"{path}: unknown algorithm {raw['algorithm']}")
    for entry in raw["mutant"]:
        where = f"{path}: mutant {entry.get('id')}"
        _check(where, entry, table)
        profile = entry.get("profile", raw["profile"])
        # Mutants of code shared by all profiles of a computation have the profile `any`.
        extra = ["any"] if table.algorithm in COMPUTED_ALGORITHMS else []
        extra += [known.name + suffix for known in table.profiles for suffix in SUFFIXES]
        if profile not in [*(known.name for known in table.profiles), *extra]:
            raise MutantError(f"{where}: unknown profile {table.algorithm}/{profile}")
        yield Mutant(
            entry["id"], raw["algorithm"], profile, entry["what"],
            entry.get("readings", {}), entry.get("file", ""), entry.get("find", ""), entry.get("replace", ""),
            entry.get("equivalent", ""), tuple(entry.get("breaks", ())),
            tuple(Edit(**edit) for edit in entry.get("also", ())),
        )  # fmt: skip


def _need(where: str, table: dict[str, Any], *keys: str) -> None:
    for key in keys:
        if key not in table:
            raise MutantError(f"{where}: needs {key}")


def _check(where: str, entry: dict[str, Any], table: ProfileTable) -> None:
    _need(where, entry, "id", "what")
    if unknown := set(entry) - _KEYS:
        raise MutantError(f"{where}: unknown keys {', '.join(sorted(unknown))}")
    also = entry.get("also", [])
    if len(_EDIT & set(entry)) != (0 if "readings" in entry else 3) or ("readings" in entry and also):
        raise MutantError(f"{where}: expected either readings, or file, find and replace")
    if any(set(edit) != _EDIT for edit in also):
        raise MutantError(f"{where}: also: each edit needs file, find and replace, and nothing else")
    for edit in [] if "readings" in entry else [entry, *also]:
        if REFERENCE_PY / edit["file"] not in mutable_files():
            raise MutantError(f"{where}: {edit['file']} is not a file of the model")
    for clause in entry.get("breaks", []):
        if clause not in known_clauses():
            raise MutantError(f"{where}: unknown clause {clause}")
    for name, value in entry.get("readings", {}).items():
        reading = next((reading for reading in table.readings if reading.name == name), None)
        if reading is None or not reading.allows(value):
            raise MutantError(f"{where}: unknown reading {name} = {value!r}")


def changed_texts(*mutants: Mutant) -> dict[Path, str]:
    """Apply the edits of the mutants, one after another, and return the texts of the changed files.

    Raise :class:`MutantError` if the text that an edit replaces does not occur exactly once in its file.
    """
    texts: dict[Path, str] = {}
    for mutant in mutants:
        for edit in mutant.edits:
            path = REFERENCE_PY / edit.file
            text = texts[path] if path in texts else path.read_text(encoding="utf-8")
            if text.count(edit.find) != 1:
                raise MutantError(
                    f"{mutant.id}: its text occurs {text.count(edit.find)} times in {edit.file}, not once"
                )
            texts[path] = text.replace(edit.find, edit.replace)
    return texts

"""Mutants: loaded from ``conformance/mutants`` and made to run."""

import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import firstflight
from firstflight_conformance.paths import MUTANTS, REFERENCE_PY
from firstflight_conformance.spec.readings import load_tables

#: The modules of the model that are executed anew for a mutant, in the order of their imports.
MUTABLE = (
    "slow_start",
    "search_bins",
    "search_windows",
    "search_exit",
    "search",
    "search_startup",
    "jumpstart_state",
    "jumpstart_pacing",
    "jumpstart_loss",
    "jumpstart",
    "careful_resume_state",
    "careful_resume_saved",
    "careful_resume_unvalidated",
    "careful_resume_retreat",
    "careful_resume_validation",
    "careful_resume_recon",
    "careful_resume",
    "controller",
)


class MutantError(ValueError):
    """A mutant is malformed, or its text does not occur exactly once in the model."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A wrong implementation of a profile: readings flipped, or ``find`` replaced in the text of ``file``.

    ``equivalent`` says why no vector can tell it from the right one, where that is so.
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


def load_mutants() -> list[Mutant]:
    """Load every mutant. Raise :class:`MutantError`."""
    mutants = [mutant for path in sorted(MUTANTS.glob("*.toml")) for mutant in _load_file(path)]
    ids = [mutant.id for mutant in mutants]
    twice = sorted({name for name in ids if ids.count(name) > 1})
    if twice:
        raise MutantError(f"ids used twice: {', '.join(twice)}")
    return mutants


def _load_file(path: Path) -> Iterator[Mutant]:
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    table = load_tables()[raw["algorithm"]]
    known = {"id", "profile", "what", "readings", "file", "find", "replace", "equivalent"}
    for entry in raw["mutant"]:
        where = f"{path}: mutant {entry.get('id')}"
        if unknown := set(entry) - known:
            raise MutantError(f"{where}: unknown keys {', '.join(sorted(unknown))}")
        if ("readings" in entry) == ("file" in entry):
            raise MutantError(f"{where}: needs either readings, or file, find and replace")
        for name, value in entry.get("readings", {}).items():
            reading = next((reading for reading in table.readings if reading.name == name), None)
            if reading is None or (reading.bounds is None and value not in reading.choices):
                raise MutantError(f"{where}: there is no reading {name} = {value!r}")
        yield Mutant(
            entry["id"], raw["algorithm"], entry.get("profile", raw["profile"]), entry["what"],
            entry.get("readings", {}), entry.get("file", ""), entry.get("find", ""), entry.get("replace", ""),
            entry.get("equivalent", ""),
        )  # fmt: skip


@contextmanager
def mutated(mutant: Mutant) -> Iterator[Any]:
    """Make the mutant: yield a module like ``firstflight.controller`` that behaves like it."""
    with _fresh_modules(mutant) as controller:
        if mutant.readings:
            startup = controller.STARTUPS[mutant.algorithm]
            right = startup.PROFILES[mutant.profile]
            startup.PROFILES = startup.PROFILES | {mutant.profile: replace(right, **_choices(mutant, right))}
        yield controller


def _choices(mutant: Mutant, right: Any) -> dict[str, Any]:
    return {name: type(getattr(right, name))(value) for name, value in mutant.readings.items()}


@contextmanager
def _fresh_modules(mutant: Mutant) -> Iterator[Any]:
    """Execute the mutable modules anew, one of them changed; put the right ones back at the end."""
    before = {name: sys.modules[f"firstflight.{name}"] for name in MUTABLE}
    try:
        for name in MUTABLE:
            module = ModuleType(f"firstflight.{name}")
            _install(name, module)
            path = REFERENCE_PY / f"{name}.py"
            exec(compile(_text(path, mutant), str(path), "exec"), module.__dict__)  # noqa: S102
        yield sys.modules["firstflight.controller"]
    finally:
        for name, module in before.items():
            _install(name, module)


def _install(name: str, module: ModuleType) -> None:
    sys.modules[f"firstflight.{name}"] = module
    setattr(firstflight, name, module)


def _text(path: Path, mutant: Mutant) -> str:
    text = path.read_text(encoding="utf-8")
    if mutant.file != path.name:
        return text
    if text.count(mutant.find) != 1:
        raise MutantError(f"{mutant.id}: its text occurs {text.count(mutant.find)} times in {path.name}, not once")
    return text.replace(mutant.find, mutant.replace)

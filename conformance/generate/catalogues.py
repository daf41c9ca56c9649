"""Finds the hand-built stimuli: the modules below ``conformance/stimuli``, a folder for each algorithm."""

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any

from firstflight.controller import ALGORITHMS
from firstflight_conformance.beside import reach


@cache
def _modules() -> list[ModuleType]:
    """Load every module of stimuli. Raise :class:`FileNotFoundError` without any."""
    reach("stimuli")
    package = importlib.import_module("stimuli")
    names = [module.name for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    if not any(name.count(".") > 1 for name in names):
        raise FileNotFoundError(f"{package.__path__[0]}: has no stimuli to make vectors from")
    return [importlib.import_module(name) for name in names]


def members(name: str) -> Iterator[Any]:
    """Yield the member ``name`` of every module that has it, each object once."""
    # Load all modules first: a module may add to the catalogue of another.
    seen = set()
    for module in _modules():
        member = getattr(module, name, None)
        if member is not None and id(member) not in seen:
            seen.add(id(member))
            yield member


def also_on(algorithm: str) -> tuple[str, ...]:
    """Return the additional bases for the stimuli of an algorithm, as suffixes of a profile."""
    reach("stimuli")
    try:
        folder = importlib.import_module(f"stimuli.{ALGORITHMS[algorithm].package}")
    except ModuleNotFoundError:
        return ()  # without hand-built stimuli
    return getattr(folder, "ALSO_ON", ())

"""Finds what was built by hand: the modules in the rooms of ``vectorgen``, and what a room says of its algorithm."""

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any

import firstflight_conformance.vectorgen as package
from firstflight.controller import ALGORITHMS
from firstflight.observables import Outcome


def members(name: str) -> Iterator[Any]:
    """Yield the member ``name`` of every module that has one, each only once."""
    # All are loaded first: a module may add to the catalogue of another.
    modules = [
        importlib.import_module(found.name) for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    seen = set()
    for module in modules:
        member = getattr(module, name, None)
        if member is not None and id(member) not in seen:
            seen.add(id(member))
            yield member


def endings(algorithm: str) -> set[Outcome]:
    """Return the outcomes after which the profiles of an algorithm may differ in what they let be sent."""
    return getattr(_room(algorithm), "ENDINGS", {Outcome.EXITED})


def also_on(algorithm: str) -> tuple[str, ...]:
    """Return the bases, as suffixes of a profile, on which the stimuli of an algorithm are judged as well."""
    return getattr(_room(algorithm), "ALSO_ON", ())


@cache
def _room(algorithm: str) -> ModuleType | None:
    try:
        return importlib.import_module(f"{package.__name__}.{ALGORITHMS[algorithm].room}")
    except ModuleNotFoundError:
        return None  # nothing was built by hand for it

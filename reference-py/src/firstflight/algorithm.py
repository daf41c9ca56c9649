"""Descriptors of algorithms, and :func:`discover`, which finds them.

Each algorithm is a package of ``firstflight`` whose ``__init__`` defines ``ALGORITHM``. A new algorithm adds a package and changes no list.
"""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from firstflight.observables import Observation
from firstflight.window_rules import RulesState, WindowRules


@dataclass(frozen=True, slots=True, kw_only=True)
class Algorithm:
    """What all have: ``name`` as in vectors, ``title`` as in prose, ``package`` the package.

    ``profiles``: the readings of each profile by its name, empty where there is nothing to choose; all of them are ``readings``.
    ``started_by``: the kind of event until which nothing but the base acts, ``None`` if it acts from the first. ``samples_rate``: whether
    it asks for the delivery-rate samples of ``ack`` and ``lost`` events.
    """

    name: str
    title: str
    package: str
    readings: type | None = None
    profiles: Mapping[str, Any] = field(default_factory=dict)
    started_by: type | None = None
    samples_rate: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Base(Algorithm):
    """Controls a connection from beginning to end, and carries startup algorithms, whose profiles may be followed by ``+name``.

    ``rules``: its window rules, ``None`` for NewReno's own. ``begin``: from readings their state before the first event, ``carry``: the same
    where it carries a startup algorithm. ``carries``: the profile in which it does, ``None`` if nothing names it so.
    """

    rules: WindowRules | None = None
    begin: Callable[[Any], RulesState] | None = None
    carry: Callable[[Any], RulesState] | None = None
    carries: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Startup(Algorithm):
    """Decides how a connection starts, on top of a base.

    ``begin``: from readings and base the state before the first event. That has a method ``copy``, and
    shares nothing that changes with its copy. ``step``: from readings, state, base and event the observation; it changes both in place.
    ``on_bases``: what may be put after a profile of it, to run it on another base. ``answers_path_change``: whether it has rules of its own
    for a change of the path, which resets the others.
    """

    begin: Callable[[Any, Any], Any]
    step: Callable[[Any, Any, Any, Any], Observation]
    on_bases: tuple[str, ...] = ("+cubic",)
    answers_path_change: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Computation(Algorithm):
    """Answers questions; there are no events."""


_ORDER = (Base, Startup, Computation)


@cache
def _packages() -> tuple[str, ...]:
    """Return the names of the packages: what executes the model again and again looks for them once."""
    package = importlib.import_module("firstflight")
    return tuple(found.name for found in pkgutil.iter_modules(package.__path__) if found.ispkg)


def discover() -> dict[str, Algorithm]:
    """Return the algorithms of all packages by name: bases, startup algorithms, computations."""
    modules = (importlib.import_module(f"firstflight.{package}") for package in _packages())
    algorithms: list[Algorithm] = [module.ALGORITHM for module in modules if hasattr(module, "ALGORITHM")]
    return {
        found.name: found for found in sorted(algorithms, key=lambda found: (_ORDER.index(type(found)), found.name))
    }

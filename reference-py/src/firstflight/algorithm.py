"""Descriptors of algorithms, and :func:`discover`, which finds them.

Each algorithm is a package of ``firstflight`` whose ``__init__`` defines ``ALGORITHM``. A new algorithm needs only a
package.
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
    """Common members: ``name`` as in vectors, ``title`` as in prose, ``package`` the package.

    ``profiles``: the readings of each profile by name, instances of ``readings``; empty without choices.
    ``started_by``: the kind of event that starts the algorithm, ``None`` if it acts from the first event; until then
    only the base acts. ``samples_rate``: whether the algorithm uses the delivery-rate samples of ``ack`` and ``lost``
    events.
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
    """Base controller: runs alone or under a startup algorithm, whose profile selects it with the suffix ``+name``.

    ``rules``: the window rules, ``None`` for NewReno. ``begin``: returns the initial state of the rules for given
    readings; ``carry``: the same under a startup algorithm. ``carries``: the base's profile under a startup algorithm,
    or ``None`` if no suffix selects the base.
    """

    rules: WindowRules | None = None
    begin: Callable[[Any], RulesState] | None = None
    carry: Callable[[Any], RulesState] | None = None
    carries: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Startup(Algorithm):
    """Startup algorithm: controls the start of a connection, on top of a base.

    ``begin``: returns the initial state from readings and base. The state has a method ``copy`` and shares no mutable
    data with its copy. ``step``: returns the observation for readings, state, base and event; changes state and base in
    place. ``on_bases``: suffixes of profiles that select another base. ``answers_path_change``: whether the algorithm
    has its own rules for a path change; other algorithms are reset.
    """

    begin: Callable[[Any, Any], Any]
    step: Callable[[Any, Any, Any, Any], Observation]
    on_bases: tuple[str, ...] = ("+cubic",)
    answers_path_change: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Computation(Algorithm):
    """Computes outputs from inputs, without events."""


_ORDER = (Base, Startup, Computation)


@cache
def _packages() -> tuple[str, ...]:
    """Return the names of the packages. Cached, since callers discover algorithms repeatedly."""
    package = importlib.import_module("firstflight")
    return tuple(found.name for found in pkgutil.iter_modules(package.__path__) if found.ispkg)


def discover() -> dict[str, Algorithm]:
    """Return the algorithms of all packages by name: bases, startup algorithms, computations."""
    modules = (importlib.import_module(f"firstflight.{package}") for package in _packages())
    algorithms: list[Algorithm] = [module.ALGORITHM for module in modules if hasattr(module, "ALGORITHM")]
    return {
        found.name: found for found in sorted(algorithms, key=lambda found: (_ORDER.index(type(found)), found.name))
    }

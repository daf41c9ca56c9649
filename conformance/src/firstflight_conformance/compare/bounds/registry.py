"""Returns the bounds of a profile."""

import importlib
import pkgutil
from functools import cache

from firstflight_conformance.compare import bounds
from firstflight_conformance.compare.bounds.bound import Advance, Bound
from firstflight_conformance.format.layers import layers
from firstflight_conformance.format.open_points import Kind, OpenPoint, OpenPointError, open_points


def bounds_of(algorithm: str, profile: str, advance: Advance) -> list[Bound]:
    """Return the bounds of a profile and its base controller, before the first event of a case.

    A bound is an interval of values that a text permits. ``advance``: function of the model that processes an event in
    place. A bound uses it to try other events.
    """
    return [make(point.id, advance) for point, make in _of(algorithm, profile)]


@cache
def _of(algorithm: str, profile: str) -> tuple[tuple[OpenPoint, type[Bound]], ...]:
    below = layers(algorithm, profile)
    return tuple(
        (point, _class(point))
        for point in open_points()
        if point.kind is Kind.BOUND and any(point.algorithm == name and point.is_of(own) for name, own in below)
    )


def _class(point: OpenPoint) -> type[Bound]:
    known, name = _known(), str(point.bound)
    if name not in known:
        raise OpenPointError(f"{point.id}: unknown bound {name}; choose one of {', '.join(sorted(known))}")
    return known[name]


@cache
def _known() -> dict[str, type[Bound]]:
    names = (f"{__package__}.{module.name}" for module in pkgutil.iter_modules(bounds.__path__))
    return {
        name: made
        for module_name in names
        for name, made in getattr(importlib.import_module(module_name), "BOUNDS", {}).items()
    }

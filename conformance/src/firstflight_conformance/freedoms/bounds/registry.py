"""Which bounds a profile has."""

import importlib
import pkgutil
from functools import cache
from pathlib import Path

from firstflight_conformance.freedoms.bounds.bound import Advance, Bound
from firstflight_conformance.freedoms.layers import layers
from firstflight_conformance.freedoms.points import Kind, OpenPoint, OpenPointError, open_points


def bounds_of(algorithm: str, profile: str, advance: Advance) -> list[Bound]:
    """Return the bounds of a profile and of the base below it, before the first event of a case. ``advance``: the model that follows them."""
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
    assert point.bound is not None
    known = _known()
    if point.bound not in known:
        raise OpenPointError(f"{point.id}: there is no bound {point.bound}; there are {', '.join(sorted(known))}")
    return known[point.bound]


@cache
def _known() -> dict[str, type[Bound]]:
    folder = Path(__file__).parent
    modules = [importlib.import_module(f"{__package__}.{found.name}") for found in pkgutil.iter_modules([str(folder)])]
    return {name: made for module in modules for name, made in getattr(module, "BOUNDS", {}).items()}

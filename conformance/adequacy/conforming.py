"""Finds the mutants of the kill matrix that conform: they make another choice at an open point of the text."""

from firstflight_conformance.format.open_points import OpenPoint, open_points
from firstflight_conformance.replay.mutants import Mutant


def calls_conforming(point: OpenPoint, mutant: Mutant) -> bool:
    """Return whether a mutant is one of the choices of an open point, or within its interval."""
    chosen = mutant.algorithm == point.algorithm and any(
        value in point.readings.get(name, ()) for name, value in mutant.readings.items()
    )
    return (chosen and point.is_of(mutant.profile)) or mutant.id in (*point.mutants, *point.covers)


def conforms(mutant: Mutant) -> bool:
    """Return whether a mutant conforms by an open point."""
    return any(calls_conforming(point, mutant) for point in open_points())

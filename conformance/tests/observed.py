"""Outcomes of algorithms."""

from firstflight.observables import Outcome
from firstflight_conformance.format.readings import load_tables


def outcomes_of(*algorithms: str) -> list[Outcome]:
    """Return the outcomes that algorithms add, in their order."""
    tables = load_tables()
    return [Outcome(name) for algorithm in algorithms for name in tables[algorithm].outcomes]

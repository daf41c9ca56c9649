"""The vectors of the checkout, read and decoded once for all tests of a process. Tests must not change them."""

from functools import cache

from firstflight.events import Ack, Lost, Sent
from firstflight_conformance.format import computations, vectors
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.format.vectors import Case, Vector


@cache
def every_vector() -> tuple[Vector, ...]:
    """Return every vector with events, in the order of ids."""
    return tuple(vectors.load_all())


@cache
def vectors_by_id() -> dict[str, Vector]:
    """Return every vector by id."""
    return {vector.id: vector for vector in every_vector()}


@cache
def every_case() -> tuple[Case, ...]:
    """Return the cases of every vector."""
    return tuple(vectors.cases(every_vector()))


@cache
def _cases_of(algorithm: str) -> tuple[Case, ...]:
    return tuple(vectors.cases(vectors.load_all(algorithms=(algorithm,))))


def every_case_of(algorithm: str) -> tuple[Case, ...]:
    """Return the cases of one algorithm; load only its vectors unless all are loaded, which saves seconds."""
    if every_case.cache_info().currsize:
        return tuple(case for case in every_case() if case.vector.algorithm == algorithm)
    return _cases_of(algorithm)


def packets(case: Case) -> int:
    """Return the number of packets in the events of a case."""
    return sum(run.count for event in case.events if isinstance(event, Sent | Ack | Lost) for run in event.packets)


@cache
def every_computation() -> tuple[ComputationCase, ...]:
    """Return the cases of all computations."""
    return tuple(computations.cases(computations.load_all()))

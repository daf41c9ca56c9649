"""The rules of one profile that its vectors exercise, in the order of the pages, with the values of their readings."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from firstflight.algorithm import Base
from firstflight.controller import ALGORITHMS, DEFAULT_BASE
from firstflight_conformance.format.clauses import Clause, known_clauses
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.format.readings import ProfileTable, load_tables
from firstflight_conformance.format.vectors import Case


@dataclass(frozen=True, slots=True)
class Value:
    """The choice of a profile for a reading: name, value and meaning (empty for a number)."""

    reading: str
    value: str | int
    meaning: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A clause of a profile, with the profile's values of the readings that decide it."""

    clause: Clause
    values: tuple[Value, ...]


def rules_of(algorithm: str, profile: str, cases: Iterable[Case | ComputationCase]) -> list[Rule]:
    """Return the rules that the cases of a profile exercise: first of the algorithm, then of its base."""
    carried_out = {
        clause
        for case in cases
        if (case.vector.algorithm, case.profile) == (algorithm, profile)
        for clause in case.expectation.clauses
    }
    clauses = [
        clause for name, clause in known_clauses().items() if name in carried_out and holds(clause, algorithm, profile)
    ]
    clauses.sort(key=lambda clause: clause.page != algorithm)  # a stable order
    return [Rule(clause, tuple(_values(clause, algorithm, profile))) for clause in clauses]


def holds(clause: Clause, algorithm: str, profile: str) -> bool:
    """Return whether a clause of the algorithm, or of its base controller, applies to a profile."""
    table = load_tables().get(clause.page)
    if table is None:
        return True
    if clause.page == algorithm:
        return clause.holds(_readings(table, profile))
    base = ALGORITHMS.get(clause.page)
    return not isinstance(base, Base) or clause.holds(_readings(table, base.carries or DEFAULT_BASE[1]))


def _values(clause: Clause, algorithm: str, profile: str) -> Iterator[Value]:
    table = load_tables().get(clause.page)
    if table is None or clause.page != algorithm:
        return
    own = _readings(table, profile)
    for reading in table.readings:
        if reading.name in clause.readings and reading.name in own:
            value = own[reading.name]
            yield Value(reading.name, value, reading.choices.get(str(value), ""))


def _readings(table: ProfileTable, profile: str) -> dict[str, str | int]:
    """Return the readings of a profile: its choices where the sources are unclear, by name; empty if it is unknown.

    A suffix ``+NAME`` of ``profile`` is ignored. It selects another base controller and changes no reading.
    """
    name = profile.partition("+")[0]
    return next((table_profile.readings for table_profile in table.profiles if table_profile.name == name), {})


def by_weight(clauses: tuple[str, ...]) -> list[str]:
    """Return clauses in the order of a report: rules of the startup algorithm, then rules of its base.

    ``clauses``: ids of the rules of an event. Both groups are in the order of the specification pages; unknown ids come
    last.
    """
    order = {clause: place for place, clause in enumerate(known_clauses())}
    bases = tuple(f"{name}." for name, definition in ALGORITHMS.items() if isinstance(definition, Base))
    return sorted(clauses, key=lambda clause: (clause.startswith(bases), order.get(clause, len(order))))

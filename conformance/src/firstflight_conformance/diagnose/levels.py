"""How binding a rule is, and which parts of a cause a text leaves open."""

from enum import Enum

from firstflight_conformance.diagnose.candidates import Candidate
from firstflight_conformance.freedoms.points import OpenPoint, open_points
from firstflight_conformance.spec.clauses import Clause, known_clauses


class Level(Enum):
    """The level of a rule. The value is the name in reports; the most binding comes first."""

    MUST = "MUST"
    SHOULD = "SHOULD"
    DEFINITION = "definition"
    OPEN_POINT = "open point"


_OF_CLAUSES = {
    "MUST": Level.MUST,
    "MUST NOT": Level.MUST,
    "SHOULD": Level.SHOULD,
    "SHOULD NOT": Level.SHOULD,
    "RECOMMENDED": Level.SHOULD,
}


def level_of_clause(clause: Clause) -> Level:
    """Return the level of a rule: what only we chose is an open point, and what a text states without a keyword a definition."""
    if clause.source.startswith("ours"):
        return Level.OPEN_POINT
    return _OF_CLAUSES.get(clause.level, Level.DEFINITION)


def most_binding(clauses: tuple[str, ...]) -> Level:
    """Return the level of the most binding of the rules, a definition if there is none."""
    known = known_clauses()
    levels = [level_of_clause(known[name]) for name in clauses if name in known]
    order = list(Level)
    return min(levels, key=order.index, default=Level.DEFINITION)


def choices_of(candidate: Candidate, profiles: set[str]) -> tuple[OpenPoint, ...]:
    """Return the points at which the parts of a candidate are other choices in all these profiles; a part may be none."""
    points = (
        next((point for point in open_points() if point.leaves_open(part, profiles)), None) for part in candidate.parts
    )
    return tuple(point for point in points if point is not None)

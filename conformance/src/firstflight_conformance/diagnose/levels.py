"""How binding a rule is, and the points that a text leaves open."""

import tomllib
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from functools import cache

from firstflight_conformance.diagnose.candidates import Candidate
from firstflight_conformance.mutants.load import Mutant
from firstflight_conformance.paths import SPEC
from firstflight_conformance.spec.clauses import Clause, known_clauses

#: Where the points that the texts leave open are listed.
OPEN_POINTS = SPEC / "open-points.toml"


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


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """A point that a text leaves to the implementer: what conforms as well as what we chose."""

    number: str
    algorithm: str
    profiles: tuple[str, ...]
    why: str
    readings: dict[str, list[str | int]]
    mutants: tuple[str, ...]

    def leaves_open(self, part: Mutant, profiles: set[str]) -> bool:
        """Return whether a change is another choice at this point in all these profiles; what follows a plus is the base."""
        names = {profile.partition("+")[0] for profile in profiles}
        if not all(any(fnmatchcase(name, known) for known in self.profiles) for name in names):
            return False
        readings = part.readings.items() if part.algorithm == self.algorithm else ()
        chosen = bool(readings) and all(value in self.readings.get(name, []) for name, value in readings)
        return part.id in self.mutants or chosen


@cache
def open_points() -> tuple[OpenPoint, ...]:
    """Return the open points."""
    raw = tomllib.loads(OPEN_POINTS.read_text(encoding="utf-8"))
    return tuple(
        OpenPoint(
            entry["number"],
            entry["algorithm"],
            tuple(entry["profiles"]),
            entry["why"],
            entry.get("readings", {}),
            tuple(entry.get("mutants", ())),
        )
        for entry in raw["point"]
    )


def choices_of(candidate: Candidate, profiles: set[str]) -> tuple[OpenPoint, ...]:
    """Return the points at which the parts of a candidate are other choices in all these profiles; a part may be none."""
    points = (
        next((point for point in open_points() if point.leaves_open(part, profiles)), None) for part in candidate.parts
    )
    return tuple(point for point in points if point is not None)

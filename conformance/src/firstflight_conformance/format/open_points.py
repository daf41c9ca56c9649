"""The points that the texts leave open, as ``spec/NAME/open-points.toml`` lists them."""

import tomllib
from dataclasses import dataclass, field, fields
from enum import Enum
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from firstflight_conformance.format.clauses import SECOND_READING, known_clauses
from firstflight_conformance.paths import SPEC, of_algorithms


class OpenPointError(ValueError):
    """The list of open points is malformed."""


class Kind(Enum):
    """What is free: a choice among values, a value in an interval, or when a condition is noticed."""

    CHOICE = "choice"
    BOUND = "bound"
    MOMENT = "moment"


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """A point that a text leaves to the implementer: what conforms as well as what we chose.

    ``source``: text and section. ``conforms``: what does, in one sentence. ``why``: why the text leaves it open, ``against`` what speaks against
    that. ``readings``: the values that conform, by reading; ``mutants``: alternatives that are no reading; ``bound``: the name of the interval
    (:mod:`firstflight_conformance.compare.bounds`). ``clauses``: the rules that are part of it, beside those that its readings decide and
    its mutants break. ``covers``: mutants that conform by its interval, and that the search for choices need not try. ``second_reading``: what a
    reader of the text found who had not proposed the point, where no mutant says so. ``each_time``: an implementation may choose anew each time. ``together``: alternatives that belong to one
    decision, such as a unit; answers may show them only all together.
    """

    number: str
    algorithm: str
    profiles: tuple[str, ...]
    kind: Kind
    why: str
    source: str = ""
    conforms: str = ""
    against: str = ""
    readings: dict[str, list[str | int]] = field(default_factory=dict)
    mutants: tuple[str, ...] = ()
    bound: str | None = None
    clauses: tuple[str, ...] = ()
    covers: tuple[str, ...] = ()
    second_reading: str = ""
    each_time: bool = False
    together: tuple[tuple[str, ...], ...] = ()

    @property
    def id(self) -> str:
        """The algorithm and the number, as reports name the point."""
        return f"{self.algorithm} {self.number}"

    def is_of(self, profile: str) -> bool:
        """Return whether the text of a profile has this point; what follows a plus is the base."""
        return any(fnmatchcase(profile.partition("+")[0], known) for known in self.profiles)


@cache
def open_points() -> tuple[OpenPoint, ...]:
    """Return the open points. Raise :class:`OpenPointError` if the list is malformed."""
    files = of_algorithms("open-points.toml", SPEC)
    return tuple(_point(path, entry) for path in files for entry in tomllib.loads(path.read_text("utf-8"))["point"])


def _point(path: Path, entry: dict[str, Any]) -> OpenPoint:
    where = f"{path}: {entry.get('algorithm')} {entry.get('number')}"
    if unknown := entry.keys() - {one.name for one in fields(OpenPoint)}:
        raise OpenPointError(f"{where}: unknown keys {', '.join(sorted(unknown))}")
    if missing := {"number", "algorithm", "profiles", "why"} - entry.keys():
        raise OpenPointError(f"{where}: needs {', '.join(sorted(missing))}")
    try:
        kind = Kind(entry.get("kind", "choice"))
    except ValueError as error:
        raise OpenPointError(f"{where}: kind: {entry['kind']} is none of choice, bound, moment") from error
    if (kind is Kind.BOUND) != ("bound" in entry):
        raise OpenPointError(f"{where}: a bound names its interval in `bound`, and only a bound does")
    for clause in entry.get("clauses", ()):
        if clause not in known_clauses():
            raise OpenPointError(f"{where}: clauses: there is no clause {clause}")
    if not SECOND_READING.fullmatch(entry.get("second_reading", "agrees: x (x)")):
        raise OpenPointError(
            f"{where}: second_reading: must be `agrees: REASON (SECTION)` or `doubts: REASON (SECTION)`"
        )
    if strange := {name for names in entry.get("together", ()) for name in names} - set(entry.get("mutants", ())):
        raise OpenPointError(f"{where}: together: {', '.join(sorted(strange))} is not in `mutants`")
    made: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in entry.items()}
    made["together"] = tuple(map(tuple, entry.get("together", ())))
    return OpenPoint(**{**made, "kind": kind})

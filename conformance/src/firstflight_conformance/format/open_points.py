"""The points that the texts leave open, loaded from ``spec/NAME/open-points.toml``."""

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
    """An ``open-points.toml``, a list of choices that a text leaves to the implementer, is malformed."""


class Kind(Enum):
    """Kind of freedom: a choice among values, a value in an interval, or the moment of noticing a condition."""

    CHOICE = "choice"
    BOUND = "bound"
    MOMENT = "moment"


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """A point that a text leaves to the implementer: alternatives that conform, in addition to the model's choice.

    ``source``: text and section. ``conforms``: the conforming alternatives, in one sentence. ``why``: why the text
    leaves the point open. ``against``: arguments against that. ``readings``: conforming values, by reading.
    ``mutants``: alternatives that are not readings, as changes of the model. ``bound``: name of the interval
    (:mod:`firstflight_conformance.compare.bounds`). ``clauses``: rules of the point, in addition to those that its
    readings decide and its mutants break. ``covers``: mutants within the interval, which the search for choices can
    skip.

    ``second_reading``: opinion of a second reader of the text, ``agrees`` or ``doubts`` with a reason and a section, on
    the point and its mutants. ``each_time``: an implementation may choose differently
    each time. ``together``: groups of mutants that belong to one decision, such as a unit. It can take a model with all
    changes of a group to reproduce the answers of an implementation.
    """

    number: str
    algorithm: str
    profiles: tuple[str, ...]
    kind: Kind
    why: str
    second_reading: str
    source: str = ""
    conforms: str = ""
    against: str = ""
    readings: dict[str, list[str | int]] = field(default_factory=dict)
    mutants: tuple[str, ...] = ()
    bound: str | None = None
    clauses: tuple[str, ...] = ()
    covers: tuple[str, ...] = ()
    each_time: bool = False
    together: tuple[tuple[str, ...], ...] = ()

    @property
    def id(self) -> str:
        """Algorithm and number, as in reports."""
        return f"{self.algorithm} {self.number}"

    def is_of(self, profile: str) -> bool:
        """Return whether the text of a profile has this point. The base after a plus sign is ignored."""
        return any(fnmatchcase(profile.partition("+")[0], known) for known in self.profiles)


@cache
def open_points() -> tuple[OpenPoint, ...]:
    """Return the open points, places where a text permits several implementations, of all algorithms.

    They come from the files ``spec/NAME/open-points.toml``. Raise :class:`OpenPointError` if a file is malformed.
    """
    files = of_algorithms("open-points.toml", SPEC)
    return tuple(_point(path, entry) for path in files for entry in tomllib.loads(path.read_text("utf-8"))["point"])


def _point(path: Path, entry: dict[str, Any]) -> OpenPoint:
    where = f"{path}: {entry.get('algorithm')} {entry.get('number')}"
    if unknown := entry.keys() - {point_field.name for point_field in fields(OpenPoint)}:
        raise OpenPointError(f"{where}: unknown keys {', '.join(sorted(unknown))}")
    if missing := {"number", "algorithm", "profiles", "why", "second_reading"} - entry.keys():
        raise OpenPointError(f"{where}: needs {', '.join(sorted(missing))}")
    try:
        kind = Kind(entry.get("kind", "choice"))
    except ValueError as error:
        raise OpenPointError(f"{where}: kind: {entry['kind']} is not one of choice, bound, moment") from error
    if (kind is Kind.BOUND) != ("bound" in entry):
        raise OpenPointError(f"{where}: `bound` is required for a bound, and allowed only there")
    for clause in entry.get("clauses", ()):
        if clause not in known_clauses():
            raise OpenPointError(f"{where}: clauses: unknown clause {clause}")
    if not SECOND_READING.fullmatch(entry["second_reading"]):
        raise OpenPointError(
            f"{where}: second_reading: must be `agrees: REASON (SECTION)` or `doubts: REASON (SECTION)`"
        )
    if strange := {name for names in entry.get("together", ()) for name in names} - set(entry.get("mutants", ())):
        raise OpenPointError(f"{where}: together: {', '.join(sorted(strange))} is not in `mutants`")
    made: dict[str, Any] = {
        name: tuple(member) if isinstance(member, list) else member for name, member in entry.items()
    }
    made["together"] = tuple(map(tuple, entry.get("together", ())))
    return OpenPoint(**{**made, "kind": kind})

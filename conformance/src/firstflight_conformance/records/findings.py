"""What a diagnosis finds: causes of failures, and the points that the implementation decides otherwise and may."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from firstflight_conformance.format.levels import Level
from firstflight_conformance.format.open_points import OpenPoint
from firstflight_conformance.records.divergence import Divergence

#: A cause that explains less than this part of the failures is no more than a guess.
_SCRAP = 3
#: What the cause is called that is not known.
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision: its event, the rules that the model carries out there, and the observables of the model and of the cause after it.

    ``event_index`` is ``None`` in a computation. ``other`` is empty where no cause is known, or where it crashes.
    """

    case_id: str
    event_index: int | None
    event: dict[str, Any]
    clauses: tuple[str, ...]
    model: dict[str, Any]
    other: dict[str, Any]

    @property
    def differences(self) -> list[tuple[str, Any, Any]]:
        """The changed values: name, the model's value and the other's; a member of the state by its own name."""
        flat, other = _flat(self.model), _flat(self.other)
        return [(name, value, other.get(name)) for name, value in flat.items() if other and other.get(name) != value]


def _flat(values: dict[str, Any]) -> dict[str, Any]:
    state: dict[str, Any] = values.get("state", {})
    return {name: value for name, value in values.items() if name != "state"} | state


@dataclass(frozen=True, slots=True)
class Curve:
    """Windows in bytes after events of a case, from ``first`` on. ``decided`` and ``seen`` are the indices of two of the events."""

    first: int
    model: tuple[int, ...]
    observed: tuple[int, ...]
    decided: int
    seen: int


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice of an implementation at an open point, with its values within a bound, and the cases whose answers show it.

    ``cause`` is the id of the alternative, or of the bound. ``acts`` is false where the text allows to do nothing, and nothing was done.
    ``extreme``: a value of a bound is at an end that the text names nowhere.
    """

    point: OpenPoint
    cause: str
    what: str
    clauses: tuple[str, ...]
    cases: tuple[str, ...]
    acts: bool = True
    extreme: bool = False


@dataclass(frozen=True, slots=True)
class Exercised:
    """The rules with a MUST that vectors of some profiles carry out and no judged event did; vectors judged in part, of all that were judged.

    ``rules``: of how many rules, where that is known.
    """

    missing: tuple[str, ...] = ()
    in_part: int = 0
    of: int = 0
    rules: int = 0


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause of failures. ``cases`` are those that it explains, of ``of`` failures; for an unknown one those that nothing explains.

    ``kind``: ``base`` (the startup algorithm never acts), ``profile`` (another one), ``operator`` (an edit of the model), ``reading``, ``mutant``,
    ``pair``, ``state`` (``kept_state.py``), or ``rule`` where only the rules are known in which the decision can differ. ``title`` and ``why`` are
    those of the vector in which it is decided, empty in closed loop; ``curve`` has the windows there. In ``followed`` of the cases it explains the
    answers only by following values that a text bounds. ``divergence``: the first answer that the choices of the stack do not explain. ``notes``:
    near causes and the quantities of the event, if the cause is unknown; and whether the search stopped early.
    """

    cause: str
    kind: str
    what: str
    clauses: tuple[str, ...]
    level: Level
    cases: tuple[str, ...]
    of: int
    decision: Decision
    title: str
    why: str
    curve: Curve | None = None
    followed: int = 0
    divergence: Divergence | None = None
    notes: tuple[str, ...] = ()

    @property
    def explains(self) -> int:
        """The number of failures of which it reproduces every answer."""
        return 0 if self.kind == "rule" else len(self.cases)

    @property
    def exact(self) -> bool:
        """Whether it reproduces every answer of every failure."""
        return self.explains == self.of

    @property
    def within(self) -> str:
        """A note on what it explains only by following values that a text bounds."""
        return f" with values that a text bounds in {self.followed} of them" if self.followed else ""

    @property
    def is_scrap(self) -> bool:
        """Whether it explains so few failures that it may be a coincidence; any value of a bound explains less than the model's own."""
        alone = self.explains - self.followed
        return self.kind in ("operator", "reading", "mutant", "pair") and not self.exact and _SCRAP * alone < self.of


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What the implementation chooses otherwise and may, and the causes of what remains, best first.

    ``conforming``: the cases in which it differs and conforms, with the events that were judged, ``None`` if all of them.
    ``exercised``: rules that no judged event exercised, where vectors are judged in part. ``undecided``: cases that the budget of the relation leaves open.
    ``clashes``: failures that conform only by other choices than the run, each with a case that contradicts it; empty if only several do.
    """

    causes: tuple[Cause, ...] = ()
    choices: tuple[Choice, ...] = ()
    conforming: Mapping[str, int | None] = field(default_factory=dict)
    exercised: Exercised = field(default_factory=Exercised)
    undecided: tuple[str, ...] = ()
    clashes: Mapping[str, str] = field(default_factory=dict)

    def cause_of(self, case_id: str) -> Cause | None:
        """Return the first cause that explains a failure, else the unknown one."""
        return next((cause for cause in self.causes if case_id in cause.cases), None)

"""Results of a diagnosis: causes of failures, and conforming choices of the implementation at open points."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from firstflight_conformance.format.levels import Level
from firstflight_conformance.format.open_points import OpenPoint
from firstflight_conformance.records.divergence import Divergence

#: A cause that explains less than one in ``_SCRAP`` failures is only a guess.
_SCRAP = 3
#: Name of an unknown cause.
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision: its event, the rules applied by the model, and the observables of model and cause after the event.

    ``event_index`` is ``None`` in a computation. ``other`` is empty for an unknown cause or a crash of the cause.
    """

    case_id: str
    event_index: int | None
    event: dict[str, Any]
    clauses: tuple[str, ...]
    model: dict[str, Any]
    other: dict[str, Any]

    @property
    def differences(self) -> list[tuple[str, Any, Any]]:
        """Changed values: name, value of the model, value of the cause. Members of the state have their bare names."""
        model_values, cause_values = _flat(self.model), _flat(self.other)
        return [
            (name, value, cause_values.get(name))
            for name, value in model_values.items()
            if cause_values and cause_values.get(name) != value
        ]


def _flat(values: dict[str, Any]) -> dict[str, Any]:
    state: dict[str, Any] = values.get("state", {})
    return {name: value for name, value in values.items() if name != "state"} | state


@dataclass(frozen=True, slots=True)
class Curve:
    """Windows in bytes after the events of a case from ``first`` on.

    ``decided`` and ``seen``: event indices of the decision and of the first visible difference.
    """

    first: int
    model: tuple[int, ...]
    observed: tuple[int, ...]
    decided: int
    seen: int


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice of an implementation at an open point, with its values within a bound, and the cases that show it.

    ``cause``: id of the alternative or of the bound. ``acts`` is false if the text permits inaction and the choice is
    inaction. ``extreme``: a value is at an end of a bound that the text does not mention.
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
    """Coverage of a run.

    ``missing``: MUST rules in vectors of some profiles, but not in any judged event. ``in_part``: vectors judged in
    part, among ``of`` judged vectors. ``rules``: total number of rules, or 0 if unknown.
    """

    missing: tuple[str, ...] = ()
    in_part: int = 0
    of: int = 0
    rules: int = 0


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause of failures. ``cases``: explained failures, among ``of``; for an unknown cause, unexplained failures.

    ``kind``: ``base`` (the startup algorithm never acts), ``profile`` (another profile), ``operator`` (an edit of the
    model), ``reading``, ``mutant``, ``pair``, ``state`` (``kept_state.py``), or ``rule``. For ``rule`` the cause is
    unknown; only the possibly violated rules are known. ``title`` and ``why`` belong to the vector of the decision and
    are empty in closed loop; ``curve`` has its windows. In ``followed`` cases the cause explains the answers only with
    values within a bound of a text. ``divergence``: the first answer not explained by choices of the stack. ``notes``:
    near causes and the quantities of the event for an unknown cause, and whether the search stopped early.
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
        """Number of failures with every answer reproduced by the cause."""
        return 0 if self.kind == "rule" else len(self.cases)

    @property
    def exact(self) -> bool:
        """Whether the cause reproduces every answer of every failure."""
        return self.explains == self.of

    @property
    def within(self) -> str:
        """A note on the failures explained only with values within a bound of a text."""
        return f" with values that a text bounds in {self.followed} of them" if self.followed else ""

    @property
    def is_scrap(self) -> bool:
        """Whether the cause may be a coincidence: it explains few failures, not counting those that need a bound."""
        alone = self.explains - self.followed
        return self.kind in ("operator", "reading", "mutant", "pair") and not self.exact and _SCRAP * alone < self.of


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Conforming choices of an implementation, and the causes of the other failures, best first.

    ``conforming``: conforming cases with the number of judged events, ``None`` for all. ``exercised``: coverage of
    rules if vectors are judged in part. ``undecided``: cases left open when the step budget ended. ``clashes``:
    failures that conform only by other choices than the run, each with a contradicting case (empty if several).
    """

    causes: tuple[Cause, ...] = ()
    choices: tuple[Choice, ...] = ()
    conforming: Mapping[str, int | None] = field(default_factory=dict)
    exercised: Exercised = field(default_factory=Exercised)
    undecided: tuple[str, ...] = ()
    clashes: Mapping[str, str] = field(default_factory=dict)

    def cause_of(self, case_id: str) -> Cause | None:
        """Return the first cause with the case (the unknown cause comes last), or None."""
        return next((cause for cause in self.causes if case_id in cause.cases), None)

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
    """A decision: its event, the rules applied by the model, and observables after the event.

    ``model``: observables of the model. ``other``: observables of the cause, the model with the assumed error; empty if
    the cause is unknown or crashes. ``event_index`` is ``None`` in a computation, a case without events.
    """

    case_id: str
    event_index: int | None
    event: dict[str, Any]
    clauses: tuple[str, ...]
    model: dict[str, Any]
    other: dict[str, Any]

    @property
    def differences(self) -> list[tuple[str, Any, Any]]:
        """Observables after the event that differ between the model and the cause, the model with the assumed error.

        Each entry has a name, the value of the model, and the value of the cause. The observable ``state`` is replaced
        by its members, each under its own name.
        """
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
    """Windows in bytes of the model and of the implementation after each event of a failed case, from ``first`` on.

    ``first``: index of the first event. ``decided``: index of the event where the model with the assumed error, the
    cause of the failure, first decides differently from the model. ``seen``: index of the first event with a different
    answer of the implementation.
    """

    first: int
    model: tuple[int, ...]
    observed: tuple[int, ...]
    decided: int
    seen: int


@dataclass(frozen=True, slots=True)
class Choice:
    """A conforming choice of an implementation at an open point, where a specification permits more than one behaviour.

    The choice is an alternative, or values within a bound, an interval that the specification permits. ``cause``: id of
    the alternative, or open point and quantity of the bound. ``what``: description, with the values. ``cases``: cases
    that show the choice. ``acts`` is false if the specification permits inaction and the choice is inaction.
    ``extreme``: a value is 0, and the specification lacks a lower limit.
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

    ``missing``: MUST rules listed by vectors that are judged only in part, but applied by the model in no judged event
    of the same profile. ``in_part``: number of vectors judged in part, among ``of`` judged vectors of their profiles.
    ``rules``: total number of MUST rules, or 0 if unknown. For an adapter without congestion control, ``missing``
    contains the MUST rules that only failed cases list, and ``of`` is the number of cases.
    """

    missing: tuple[str, ...] = ()
    in_part: int = 0
    of: int = 0
    rules: int = 0


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause of failures: a change of the model whose answers equal the answers of the implementation.

    ``cases``: the failures that the cause explains. ``of``: number of all failures. The kinds ``base`` (the startup
    algorithm never acts) and ``profile`` (another version of the algorithm) replace the algorithm. The kinds
    ``operator`` (an edit of the code), ``reading`` (another interpretation), ``mutant`` (a catalogued error) and
    ``pair`` (two of these) change one or two places. The kind ``state`` is state kept from an earlier case. For the
    kind ``rule`` the cause is unknown: ``clauses`` are the possibly violated rules, and ``cases`` the unexplained
    failures.

    ``decision``: the event where the cause first differs from the model. ``title``, ``why``: title and purpose of the
    vector that contains this event, empty in closed loop. ``curve``: the windows around the event. ``followed``: number
    of cases that the cause explains only with values that the specification permits within an interval, a bound.
    ``divergence``: the first answer that permitted choices do not explain. ``notes``: for an unknown cause, changes
    that explain some failures, and the state that the model uses at the first divergence; also whether the search
    stopped early.
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
        """A note on the failures that the cause explains only with values in an interval permitted by a specification.

        Empty if no failure needs such values.
        """
        return f" with values that a text bounds in {self.followed} of them" if self.followed else ""

    @property
    def is_scrap(self) -> bool:
        """Whether the cause may be a coincidence: it explains less than a third of the failures.

        Failures explained only with values in an interval permitted by a specification are not counted as explained,
        but belong to the total. Only small changes of the model can be a coincidence. Their kinds are ``operator`` (an
        edit of the code), ``reading`` (another interpretation), ``mutant`` (a catalogued error) and ``pair`` (two of
        these). A cause that explains every failure is not a coincidence.
        """
        alone = self.explains - self.followed
        return self.kind in ("operator", "reading", "mutant", "pair") and not self.exact and _SCRAP * alone < self.of


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Conforming choices of an implementation, and the causes of the other failures, best first.

    ``conforming``: cases that differ from the model but conform by the choices, each with its number of judged events
    or ``None`` for all. ``exercised``: coverage of the rules by the judged events, if vectors are judged in part.
    ``undecided``: cases left open when the step budget ended. ``clashes``: failures that would conform alone, but only
    by choices that contradict the choices in other cases. Each has the id of a contradicting case, or an empty text if
    only several cases together contradict it.
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

"""The first answer of an adapter that differs from the expected one."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Difference:
    """An observable that differs; a member of the state is named ``state.<member>``."""

    observable: str
    expected: Any
    observed: Any


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first event after which an observable differed; of a computation the outputs that differ.

    ``event_index`` is ``None`` for a computation, and ``event`` its inputs.
    ``clauses`` are those that the model carried out on that event, ``expected`` all its observables after it.
    ``fits_float64``: the class ``float64``, which the adapter does not declare, allows the differences.
    """

    event_index: int | None
    event: dict[str, Any]
    differences: tuple[Difference, ...]
    clauses: tuple[str, ...]
    expected: dict[str, Any]
    fits_float64: bool = False

"""The first answer of an adapter that differs from the expected answer."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Difference:
    """An observable whose value in the adapter's answer (``observed``) differs from the model's (``expected``).

    ``observable``: its name. A member of the controller's state has the name ``state.<member>``.
    """

    observable: str
    expected: Any
    observed: Any


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first event with differing observables, or the differing outputs of a computation.

    For a computation ``event_index`` is ``None`` and ``event`` contains the inputs.
    ``clauses``: clauses applied by the model on the event. ``expected``: all observables of the model after the event.
    ``fits_float64``: all differences are roundings of CUBIC in the arithmetic ``float64``, double precision, but the
    adapter declares another arithmetic.
    """

    event_index: int | None
    event: dict[str, Any]
    differences: tuple[Difference, ...]
    clauses: tuple[str, ...]
    expected: dict[str, Any]
    fits_float64: bool = False

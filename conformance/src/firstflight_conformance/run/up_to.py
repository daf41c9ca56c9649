"""End of judging for a stack with another controller than NewReno.

RFC 9002, section 7, permits other controllers, for example CUBIC. The profiles of the stack's own controller judge it
from the first reduction on. The events before the reduction are slow start, equal in both.
"""

from typing import Any

from firstflight.observables import Outcome
from firstflight_conformance.adapters.messages import Declaration

#: The algorithm whose text describes NewReno.
_NEWRENO = "slow-start"
_REDUCTIONS = frozenset({Outcome.REDUCED.value, Outcome.COLLAPSED.value})


def ends_at_reduction(algorithm: str, declaration: Declaration) -> bool:
    """Return whether the cases of this algorithm judge a stack only up to the first reduction of its window.

    This is the case if the algorithm is NewReno (``slow-start``) and the stack declares another controller, such as
    CUBIC, among its algorithms. The cases of that controller judge its later behaviour.
    """
    return algorithm == _NEWRENO and declaration.controller in declaration.algorithms


def is_reduction(expected: dict[str, Any]) -> bool:
    """Return whether the model's observables after an event show a reduction. The first event never has one."""
    return expected["outcome"] in _REDUCTIONS

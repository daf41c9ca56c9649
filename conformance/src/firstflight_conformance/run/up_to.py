"""Up to where a text judges a stack that runs another controller than the text describes.

RFC 9002, section 7, lets a sender run another controller and names CUBIC. What such a stack does from its first reduction on is judged by the
profiles of its own controller, not by NewReno. What comes before it is slow start, the same in both.
"""

from typing import Any

from firstflight.observables import Outcome
from firstflight_conformance.adapters.messages import Declaration

#: The algorithm whose text describes NewReno.
_NEWRENO = "slow-start"
_REDUCTIONS = frozenset({Outcome.REDUCED.value, Outcome.COLLAPSED.value})


def ends_at_reduction(algorithm: str, declaration: Declaration) -> bool:
    """Return whether a stack is judged in this algorithm only up to its first reduction: another controller of its own judges the rest."""
    return algorithm == _NEWRENO and declaration.controller in declaration.algorithms


def is_reduction(expected: dict[str, Any]) -> bool:
    """Return whether the model reduced the window on the event after which it has these observables. It is never the first: packets are sent before."""
    return expected["outcome"] in _REDUCTIONS

"""Compares the outputs of computations."""

from typing import Any

from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.compare.values import ValueComparison
from firstflight_conformance.records.divergence import Difference

_TIMES = ("gamma_ns", "response_time_ns")
#: By class of the adapter: a time may differ by 1 ns plus the time divided by this number. Class `integer` is exact.
_PART = {"float64": 2**50, "float32": 2**21}


def compare_outputs(expected: dict[str, Any], observed: dict[str, Any], declaration: Declaration) -> ValueComparison:
    """Return the differences in the outputs of a computation, and whether agreement needed a tolerance.

    Times in ns may differ by the rounding of the declared arithmetic. All other outputs must be equal, including
    ``psi``, the number of complete rounds of growth: a neighbouring value gives another transfer time. If only one side
    is an error, or the errors differ, the result has one difference, ``refused``.
    """
    if "error" in expected or "error" in observed:
        if expected == observed:
            return ValueComparison((), within_tolerance=False)
        return ValueComparison(
            (Difference("refused", "error" in expected, "error" in observed),), within_tolerance=False
        )
    differences: list[Difference] = []
    within_tolerance = False
    for name, value in observed.items():
        if value == expected[name]:
            continue
        if name in _TIMES and _tolerated(expected[name], value, declaration.arithmetic):
            within_tolerance = True
        else:
            differences.append(Difference(name, _shown(expected[name]), _shown(value)))
    return ValueComparison(tuple(differences), within_tolerance)


def _tolerated(expected: int, observed: int, arithmetic: str) -> bool:
    return arithmetic in _PART and abs(expected - observed) <= 1 + expected // _PART[arithmetic]


def _shown(value: int | list[int]) -> int | str:
    """Return an output for a report, a fraction as text."""
    return "/".join(str(number) for number in value) if isinstance(value, list) else value

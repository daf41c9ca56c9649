"""Compares the observables of an adapter with the expected ones, within the declared class."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from firstflight.events import DatagramSize, Event
from firstflight_conformance.adapters.messages import OF_SOME_ALGORITHMS, Declaration
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.records.divergence import Difference
from firstflight_conformance.simulate.cases import StimulusCase

_WINDOWS = ("cwnd_bytes", "ssthresh_bytes")
#: Value of a missing observable in a difference.
ABSENT = "absent"
_FLOAT32_EXACT_BYTES = 2**23  # up to here neighbouring float32 values are at most one byte apart
_FLOAT32_PART = 2**22
#: Largest error of the integer model of CUBIC, and of a stack in double precision relative to it. It is 3 bytes, the
#: growth in a nanosecond after an ACK, and a byte at the start of the stage (``spec/cubic/rules.md``, *The error*).
_CUBIC_BYTES = 4
#: In one nanosecond the curve grows by less than 2 bytes and this part of the window, whatever the datagram size.
_CUBIC_PART = 2**37


@dataclass(frozen=True, slots=True)
class ValueComparison:
    """The differences after one event, and whether agreement needed a tolerance."""

    differences: tuple[Difference, ...]
    within_tolerance: bool


def agrees(expected: dict[str, Any], observed: dict[str, Any], declaration: Declaration) -> bool:
    """Return whether all declared observables are exactly the expected ones."""
    if not observed.items() <= expected.items():
        return False
    missing = len(observed) < len(expected) and any(
        name in expected and name not in observed for name in OF_SOME_ALGORITHMS if name in declaration.observables
    )
    return not missing


def compare(
    expected: dict[str, Any],
    observed: dict[str, Any],
    declaration: Declaration,
    max_datagram_size_bytes: int,
    allowed: dict[str, list[Any]] | None = None,
    *,
    avoiding: bool = False,
) -> ValueComparison:
    """Compare every observable in ``observed``. Declared and expected observables that are missing are differences.

    ``allowed``: other right values, by observable. ``avoiding``: CUBIC has been in congestion avoidance in this case,
    so that the adapter's tolerance for congestion avoidance applies to windows.
    """
    differences: list[Difference] = []
    within_tolerance = False
    absent = {name: ABSENT for name in declaration.observables if name in expected and name not in observed}
    for name, value in (observed | absent).items():
        if name not in expected and name in OF_SOME_ALGORITHMS:
            continue
        if value == expected[name] or value in (allowed or {}).get(name, ()):
            continue
        if (
            value is not ABSENT
            and name in _WINDOWS
            and _tolerated(expected[name], value, declaration, max_datagram_size_bytes, avoiding=avoiding)
        ):
            within_tolerance = True
        elif name == "state":
            differences += _state_differences(expected[name], value)
        else:
            differences.append(Difference(name, expected[name], value))
    return ValueComparison(tuple(differences), within_tolerance)


def fits_float64(
    differences: tuple[Difference, ...], declaration: Declaration, max_datagram_size_bytes: int, *, avoiding: bool
) -> bool:
    """Return whether all differences of an adapter are roundings of double precision in CUBIC congestion avoidance.

    ``avoiding``: CUBIC has been in congestion avoidance; otherwise return False. Return False also without differences,
    and if the adapter declares ``float64`` or a tolerance of a datagram in congestion avoidance.
    """
    if not avoiding or notes_avoidance(declaration) or not differences:
        return False
    wider = replace(declaration, arithmetic="float64")
    return all(
        difference.observable in _WINDOWS
        and difference.observed is not ABSENT
        and _tolerated(difference.expected, difference.observed, wider, max_datagram_size_bytes, avoiding=True)
        for difference in differences
    )


def avoids(case: Case | StimulusCase, before: dict[str, Any] | None, now: dict[str, Any]) -> bool:
    """Return whether an event shows that CUBIC is in congestion avoidance.

    This is so if the window grew at this event and is now above ssthresh. ``before``: observables before the event, or
    ``None`` at the first event; the result is then False. ``now``: observables after the event. Return False for cases
    without CUBIC.
    """
    if before is None or not (case.vector.algorithm == "cubic" or case.profile.endswith("+cubic")):
        return False
    threshold_bytes, window_bytes = now["ssthresh_bytes"], now["cwnd_bytes"]
    return threshold_bytes is not None and window_bytes > max(threshold_bytes, before["cwnd_bytes"])


def notes_avoidance(declaration: Declaration) -> bool:
    """Return whether the adapter declares a tolerance of windows that differs in the congestion avoidance of CUBIC.

    It does if its arithmetic is ``float64``, or if its windows follow CUBIC only to within a datagram.
    """
    return declaration.avoidance == "datagram" or declaration.arithmetic == "float64"


def _tolerated(
    expected: int | None,
    observed: int | None,
    declaration: Declaration,
    max_datagram_size_bytes: int,
    *,
    avoiding: bool,
) -> bool:
    if expected is None or observed is None:
        return False
    rounding_bytes = _rounding_bytes(expected, declaration.arithmetic)
    if avoiding and declaration.avoidance == "datagram":
        rounding_bytes += max_datagram_size_bytes
    elif avoiding and declaration.arithmetic == "float64":
        rounding_bytes = _CUBIC_BYTES + expected // _CUBIC_PART
    short_bytes = _short_bytes(declaration, max_datagram_size_bytes)
    return expected - short_bytes - rounding_bytes <= observed <= expected + rounding_bytes


def datagram_sizes_bytes(first_bytes: int, events: Sequence[Event]) -> list[int]:
    """Return the largest maximum datagram size up to each event: windows in packets may still use it."""
    sizes_bytes = (
        event.max_datagram_size_bytes if isinstance(event, DatagramSize) else first_bytes for event in events
    )
    return list(accumulate(sizes_bytes, max))


def slack_bytes(declaration: Declaration, max_datagram_size_bytes: int, window_bytes: int) -> int:
    """Return the largest permitted shortfall of the adapter's window, compared with the model's window, in bytes.

    A stack that counts windows in packets may be short by almost a datagram. Arithmetic other than ``integer`` adds a
    rounding error, which depends on ``window_bytes``, the largest window to compare.
    """
    return _short_bytes(declaration, max_datagram_size_bytes) + _rounding_bytes(window_bytes, declaration.arithmetic)


def _short_bytes(declaration: Declaration, max_datagram_size_bytes: int) -> int:
    return max_datagram_size_bytes - 1 if declaration.window == "packets" else 0


def _rounding_bytes(expected: int, arithmetic: str) -> int:
    if arithmetic == "integer":
        return 0
    if arithmetic == "float32" and expected > _FLOAT32_EXACT_BYTES:
        return expected // _FLOAT32_PART
    return 1


def _state_differences(expected: dict[str, Any], observed: dict[str, Any]) -> list[Difference]:
    names = [*expected, *(name for name in observed if name not in expected)]
    pairs = [(name, expected.get(name, ABSENT), observed.get(name, ABSENT)) for name in names]
    return [
        Difference(f"state.{name}", expected_value, observed_value)
        for name, expected_value, observed_value in pairs
        if expected_value != observed_value
    ]

"""The numbers in a text about a vector: each is in the vector, or in a true statement of the text."""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from firstflight_conformance.format.builder import MS, US, S
from why_arithmetic import read

#: Smallest checked number. Smaller numbers count packets, rounds and bins, and nearly all of them occur in a vector.
SMALLEST = 100
_ABOUT = ("title", "why", "source")


def unproved(text: str, values: Iterable[int]) -> list[str]:
    """Return a line for each false statement of the text, and for each number outside of vector and statements.

    ``values``: the numbers of the vector. A text may contain times in ns, us, ms or s, also relative to the origin.
    """
    wrong, alone = read(text)
    known = {Fraction(time, unit) for value in values for time in (value, value - S) for unit in (1, US, MS, S)}
    lines = [f"{statement}: does not hold" for statement in wrong]
    missing = (number for number in alone if Fraction(number) >= SMALLEST and Fraction(number) not in known)
    return lines + [f"{number}: is neither in the vector nor in a statement" for number in dict.fromkeys(missing)]


def numbers_of(vector: Mapping[str, Any]) -> set[int]:
    """Return every number in a vector, except numbers in the texts about it."""
    return set(_numbers([value for key, value in vector.items() if key not in _ABOUT]))


def _numbers(raw: Any) -> Iterator[int]:
    if isinstance(raw, dict):
        raw = list(raw.values())
    if isinstance(raw, list | tuple):
        for entry in raw:
            yield from _numbers(entry)
    elif isinstance(raw, str) and raw.isdigit():
        yield int(raw)
    elif isinstance(raw, int) and not isinstance(raw, bool):
        yield raw

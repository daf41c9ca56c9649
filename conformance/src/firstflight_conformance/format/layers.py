"""The layers of a profile: the startup algorithm and its base controller."""

from functools import cache

from firstflight.algorithm import Base, Computation
from firstflight.careful_resume.careful_resume import search_readings
from firstflight.controller import ALGORITHMS, DEFAULT_BASE, SUFFIXES


@cache
def layers(algorithm: str, profile: str) -> tuple[tuple[str, str], ...]:
    """Return algorithm and profile of each layer, the startup algorithm first. The base follows a plus sign."""
    own, plus, base = profile.partition("+")
    pairs = [(algorithm, own)]
    if algorithm == "careful-resume" and "search" in own:
        search = ALGORITHMS["search"].profiles
        pairs.append(("search", next(name for name, readings in search.items() if readings == search_readings())))
    if not isinstance(ALGORITHMS[algorithm], Base | Computation):
        pairs.append(SUFFIXES[plus + base] if plus else DEFAULT_BASE)
    return tuple(pairs)

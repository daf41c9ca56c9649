"""Units of the axes of plots."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of time or data: its name and its size in ns or bytes."""

    name: str
    base: int

    def of(self, value: float) -> float:
        """Return a number of ns or bytes in this unit."""
        return value / self.base

    def text(self, value: float) -> str:
        """Return a number of ns or bytes as text in this unit, with four significant digits."""
        return f"{self.of(value):.4g} {self.name}"


_TIMES = (Unit("s", 10**9), Unit("ms", 10**6), Unit("µs", 10**3), Unit("ns", 1))
_SIZES = (
    Unit("EB", 10**18),
    Unit("PB", 10**15),
    Unit("TB", 10**12),
    Unit("GB", 10**9),
    Unit("MB", 10**6),
    Unit("kB", 10**3),
    Unit("bytes", 1),
)


def time_unit(span_ns: int) -> Unit:
    """Return the largest unit that fits at least five times into the span."""
    return next((unit for unit in _TIMES if span_ns >= 5 * unit.base), _TIMES[-1])


def bytes_unit(largest_bytes: int) -> Unit:
    """Return the largest unit that fits at least once into the number."""
    return next((unit for unit in _SIZES if largest_bytes >= unit.base), _SIZES[-1])

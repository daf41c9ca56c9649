"""Transfer-time models over many sizes, for tables and plots."""

from dataclasses import dataclass, replace
from fractions import Fraction

from firstflight.transfer_time import transfer_time
from firstflight.transfer_time.transfer_time import Inputs, TransferTime


@dataclass(frozen=True, slots=True)
class Scheme:
    """A startup scheme, such as ``jump-start``, with the inputs of its model.

    The argument ``size_bytes`` of a method, the bytes to transfer, replaces ``size_bytes`` of the inputs.
    """

    name: str
    inputs: Inputs
    label: str = ""

    def at(self, size_bytes: int) -> TransferTime:
        """Return the transfer time for a size."""
        return transfer_time.compute(self.name, replace(self.inputs, size_bytes=size_bytes))

    def response_time_ns(self, size_bytes: int) -> Fraction:
        """Return the exact response time for a size."""
        return self.at(size_bytes).gamma + self.inputs.rtt_ns


def sizes(first_bytes: int, last_bytes: int, points: int) -> list[int]:
    """Return about ``points`` distinct sizes from first to last, spaced by equal factors."""
    if not 1 <= first_bytes < last_bytes:
        raise ValueError(f"expected increasing sizes of at least 1 byte, got {first_bytes}..{last_bytes}")
    steps = max(points - 1, 1)
    sizes_bytes = {first_bytes, last_bytes}
    for step in range(1, steps):
        # The integer root of first^(steps - step) * last^step: exact, so that every machine lists the same sizes.
        sizes_bytes.add(_root(first_bytes ** (steps - step) * last_bytes**step, steps))
    return sorted(sizes_bytes)


def _root(value: int, degree: int) -> int:
    low, high = 0, 1 << (value.bit_length() // degree + 1)
    while high - low > 1:
        middle = (low + high) // 2
        if middle**degree <= value:
            low = middle
        else:
            high = middle
    return low


def speedup(scheme: Scheme, other: Scheme, size_bytes: int) -> Fraction:
    """Return the response time of ``other`` divided by the response time of ``scheme`` (1 if the latter is 0)."""
    own = scheme.response_time_ns(size_bytes)
    return other.response_time_ns(size_bytes) / own if own else Fraction(1)

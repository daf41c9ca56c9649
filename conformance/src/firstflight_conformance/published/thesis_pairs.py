"""The thesis's two flows over one bottleneck: its completion times, and Jain's indices computed from them again."""

from dataclasses import dataclass
from fractions import Fraction

from firstflight_conformance.published.claims import Claim, Quantity, exactly, impossible


@dataclass(frozen=True, slots=True)
class Pair:
    """Two flows. ``table``: of the times; that of the index comes after it. Times in us, the index in millionths."""

    table: int
    first: str
    second: str
    first_bytes: int
    second_bytes: int
    first_us: int
    second_us: int
    index_ppm: int


PAIRS: tuple[Pair, ...] = ()
INDEX = Quantity("", 1, 6)
#: Half of the last printed digit.
TOLERANCE = Fraction(1, 2 * 10**6)


def jain(rates: list[Fraction]) -> Fraction:
    """Return Jain's index: 1 if all have the same, 1/n if one has everything."""
    return sum(rates, Fraction(0)) ** 2 / (len(rates) * sum(rate * rate for rate in rates))


def index_of(pair: Pair) -> Fraction:
    """Return the index of the bytes of the flows over their completion times."""
    return jain([Fraction(pair.first_bytes, pair.first_us), Fraction(pair.second_bytes, pair.second_us)])

"""The thesis's two flows over one bottleneck: Jain's indices, computed again from completion times."""

from dataclasses import dataclass
from fractions import Fraction

from firstflight_conformance.published.claims import Claim, Quantity, exactly, impossible


@dataclass(frozen=True, slots=True)
class Pair:
    """Two flows of the same size that begin together: their completion times in us, and the printed index in millionths."""

    algorithm: str
    first_us: int
    second_us: int
    index_ppm: int


#: Table 7, 10 MB each, with the indices of table 8. The times are what the public script prints.
PAIRS = (Pair("CUBIC", 2_207_829, 2_203_184, 999_999), Pair("JumpStart", 2_878_466, 2_896_766, 999_990))
INDEX, TIME = Quantity("", 1, 6), Quantity("s", 10**6, 6)
HALF_A_DIGIT = Fraction(1, 2 * 10**6)


def jain(rates: list[Fraction]) -> Fraction:
    """Return Jain's index: 1 if all have the same, 1/n if one has everything."""
    return sum(rates, Fraction(0)) ** 2 / (len(rates) * sum(rate * rate for rate in rates))


def index_of(pair: Pair) -> Fraction:
    """Return the index of the rates, which are as the inverse of the times."""
    return jain([Fraction(1, pair.first_us), Fraction(1, pair.second_us)])


def claims() -> list[Claim]:
    """Return what becomes of tables 3 to 8."""
    return [
        *(
            exactly(
                "Grigore 2025, tables 7 and 8",
                f"Jain's index of {pair.algorithm} with {pair.algorithm}, 10 MB each",
                Fraction(pair.index_ppm, 10**6),
                index_of(pair),
                HALF_A_DIGIT,
                unit=INDEX,
                shown=Quantity("", 1, 7),
                remark=f"From {TIME.text(pair.first_us)} and {TIME.text(pair.second_us)}, the times that the public script prints.",
            )
            for pair in PAIRS
        ),
        impossible(
            "Grigore 2025, tables 7 and 8",
            "Jain's index of BBRv3 with BBRv3, 10 MB each",
            "0.999997; the second time 2.213762 s",
            "The two numbers do not belong together: the index belongs to 2.221233 s, which the public script prints.",
        ),
        impossible(
            "Grigore 2025, tables 3 to 6",
            "Two flows that share the bottleneck: completion times and Jain's indices",
            "12 times and 6 indices",
            "The printed numbers could not be opened for this page, and which pairs of flows they are of is not clear from the script. Both flows lose packets to FQ-CoDel, where "
            "recovery as in that simulator decides: ours does not have it.",
        ),
    ]

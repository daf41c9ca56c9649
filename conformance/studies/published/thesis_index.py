"""The thesis's nine Jain indices, recomputed from its printed times without simulation; not counted as reproduced."""

from dataclasses import dataclass
from fractions import Fraction

from studies.published.claims import Quantity

MB = 10**6


@dataclass(frozen=True, slots=True)
class Printed:
    """Two flows: table of the index, sizes in bytes, printed times in us, and the printed index in millionths."""

    table: int
    flows: str
    sizes_bytes: tuple[int, int]
    times_us: tuple[int, int]
    index_ppm: int


#: Tables 4, 6 and 8, from the times of tables 3, 5 and 7.
NINE = (
    Printed(4, "JumpStart, 100 kB, beside CUBIC, 100 MB", (100 * MB, MB // 10), (9_375_789, 322_366), 529_104),
    Printed(4, "CUBIC, 100 kB, beside CUBIC, 100 MB", (100 * MB, MB // 10), (9_375_866, 528_677), 517_756),
    Printed(4, "BBRv3, 100 kB, beside CUBIC, 100 MB", (100 * MB, MB // 10), (9_375_866, 570_119), 516_466),
    Printed(6, "CUBIC and JumpStart", (10 * MB, 10 * MB), (1_468_073, 3_397_860), 863_770),
    Printed(6, "CUBIC and BBRv3", (10 * MB, 10 * MB), (2_215_472, 2_194_623), 999_980),
    Printed(6, "JumpStart and BBRv3", (10 * MB, 10 * MB), (2_972_063, 1_546_323), 909_156),
    Printed(8, "CUBIC and CUBIC", (10 * MB, 10 * MB), (2_207_829, 2_203_184), 999_999),
    Printed(8, "JumpStart and JumpStart", (10 * MB, 10 * MB), (2_878_466, 2_896_766), 999_990),
    Printed(8, "BBRv3 and BBRv3", (10 * MB, 10 * MB), (2_213_762, 2_213_762), 999_997),
)
INDEX, TIME = Quantity("", 1, 6), Quantity("s", 10**6, 6)
HALF_A_DIGIT = Fraction(1, 2 * 10**6)


def jain(rates: list[Fraction]) -> Fraction:
    """Return Jain's index: 1 for equal rates, 1/n if all but one are 0."""
    return sum(rates, Fraction(0)) ** 2 / (len(rates) * sum(rate * rate for rate in rates))


def index_of(printed: Printed) -> Fraction:
    """Return the index of the rates, each a size divided by a time."""
    return jain([Fraction(size, time) for size, time in zip(printed.sizes_bytes, printed.times_us, strict=True)])


def agrees(printed: Printed) -> bool:
    """Return whether the printed index is the computed one, rounded to six digits."""
    return abs(index_of(printed) - Fraction(printed.index_ppm, 10**6)) <= HALF_A_DIGIT


def table() -> tuple[str, tuple[str, ...], list[tuple[str, ...]]]:
    """Return the table of all nine indices, printed and recomputed."""
    rows: list[tuple[str, ...]] = [
        (
            f"{printed.flows} (table {printed.table})",
            " and ".join(TIME.text(time) for time in printed.times_us),
            INDEX.text(Fraction(printed.index_ppm, 10**6)),
            INDEX.text(index_of(printed)),
            "agrees" if agrees(printed) else "does not agree",
        )
        for printed in NINE
    ]
    count = sum(map(agrees, NINE))
    text = (
        "The thesis's own arithmetic, not one of our results: Jain's index (x + y)^2 / (2 (x^2 + y^2)) of its printed completion times, where x and y are size divided by time. "
        f"{count} of {len(NINE)} printed indices agree to half of the last digit. A public version of its script divides by the time not the size but all bytes that a flow transmitted, headers and repetitions "
        "included, which explains small differences; how many bytes were repeated is not printed. The two times of BBRv3 in table 7 are the same number, whose index is 1."
    )
    return text, ("Flows", "Printed times", "Printed index", "From these times", "Agrees"), rows

"""What a publication says, what we get, and the verdict, which follows from the numbers by rules that are stated with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

#: A number that a source gives as "about" counts as reproduced within a tenth of it, its shape within three tenths.
ABOUT, ROUGHLY = Fraction(1, 10), Fraction(3, 10)


class Verdict(Enum):
    """What became of a published result."""

    REPRODUCED = "reproduced"
    SHAPE = "shape only"
    DIFFERENT = "not reproduced"
    IMPOSSIBLE = "not reproducible"


@dataclass(frozen=True, slots=True)
class Claim:
    """One published result. ``rule``: how the verdict follows from the numbers; ``remark``: why it is as it is."""

    source: str
    what: str
    published: str
    ours: str
    difference: str
    verdict: Verdict
    rule: str
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Quantity:
    """How numbers of a kind are shown: ``scale`` of their base units are one ``unit``, with ``decimals`` digits after the point."""

    unit: str
    scale: int | Fraction
    decimals: int

    def text(self, value: int | Fraction, *, signed: bool = False) -> str:
        """Return a number with its unit."""
        number = decimal(Fraction(value) / self.scale, self.decimals)
        sign = "+" if signed and Fraction(value) > 0 else ""
        return f"{sign}{number} {self.unit}".strip()


SECONDS = Quantity("s", 10**9, 2)
MICROSECONDS = Quantity("us", 10**3, 1)
MEGABYTES = Quantity("MB", 10**6, 1)
NUMBER = Quantity("", 1, 3)
PERCENT = Quantity("%", Fraction(1, 100), 1)


def decimal(value: Fraction | int, decimals: int) -> str:
    """Return a rational as a decimal, rounded half away from zero."""
    scaled = (2 * abs(Fraction(value)) * 10**decimals + 1) // 2
    whole, rest = divmod(int(scaled), 10**decimals)
    sign = "-" if value < 0 and scaled else ""
    return f"{sign}{whole}" + (f".{rest:0{decimals}d}" if decimals else "")


def exactly(
    source: str,
    what: str,
    published: int | Fraction,
    ours: int | Fraction,
    tolerance: int | Fraction,
    *,
    unit: Quantity,
    shown: Quantity | None = None,
    remark: str = "",
) -> Claim:
    """Judge a number that a source gives with all its digits; ``shown`` is how differences are shown."""
    difference = Fraction(ours) - Fraction(published)
    shown = shown or unit
    verdict = Verdict.REPRODUCED if abs(difference) <= tolerance else Verdict.DIFFERENT
    rule = f"within {shown.text(tolerance)}"
    return Claim(
        source, what, unit.text(published), unit.text(ours), shown.text(difference, signed=True), verdict, rule, remark
    )


def about(
    source: str,
    what: str,
    published: int | Fraction,
    ours: int | Fraction | None,
    *,
    unit: Quantity,
    printed: bool = False,
    remark: str = "",
) -> Claim:
    """Judge a number that a source gives with "about"; ``None`` is for what did not happen.

    ``printed``: the source gives all digits, but of a path that is not quite ours.
    """
    rule = "to 10 %; shape to 30 %" if printed else "about, to 10 %; shape to 30 %"
    text = unit.text(published) if printed else f"about {_short(unit, published)}"
    if ours is None:
        return Claim(source, what, text, "never", "", Verdict.DIFFERENT, rule, remark)
    difference = Fraction(ours) - Fraction(published)
    verdict = Verdict.DIFFERENT
    if abs(difference) <= ABOUT * abs(Fraction(published)):
        verdict = Verdict.REPRODUCED
    elif abs(difference) <= ROUGHLY * abs(Fraction(published)):
        verdict = Verdict.SHAPE
    relative = PERCENT.text(difference / published, signed=True)
    return Claim(
        source, what, text, unit.text(ours), f"{unit.text(difference, signed=True)} ({relative})", verdict, rule, remark
    )


def _short(unit: Quantity, value: int | Fraction) -> str:
    """Return a number as a source writes it, without zeros at its end."""
    whole = Fraction(value) / unit.scale
    return f"{whole} {unit.unit}".strip() if whole.denominator == 1 else unit.text(value)


def within(
    source: str,
    what: str,
    bounds: tuple[int | Fraction, int | Fraction],
    ours: Sequence[int | Fraction],
    *,
    unit: Quantity,
    remark: str = "",
) -> Claim:
    """Judge a range: reproduced if all our numbers lie in it, shape only if more than half of them do."""
    low, high = bounds
    verdict = _of_all([low <= value <= high for value in ours])
    text = unit.text(min(ours)) if min(ours) == max(ours) else f"{unit.text(min(ours))} to {unit.text(max(ours))}"
    outside = [value for value in ours if not low <= value <= high]
    far = max((max(low - value, value - high) for value in outside), default=0)
    difference = "inside" if not outside else f"{len(outside)} of {len(ours)} outside, by up to {unit.text(far)}"
    published = f"{unit.text(low)} to {unit.text(high)}"
    return Claim(
        source, what, published, text, difference, verdict, "all of ours within; shape if more than half are", remark
    )


def _of_all(holding: Sequence[bool]) -> Verdict:
    """Return the verdict on several conditions: all of them, or most."""
    if all(holding):
        return Verdict.REPRODUCED
    return Verdict.SHAPE if 2 * sum(holding) > len(holding) else Verdict.DIFFERENT


def statement(
    source: str, what: str, published: str, ours: str, conditions: Sequence[tuple[str, bool]], remark: str = ""
) -> Claim:
    """Judge a sentence by conditions: reproduced if all hold, shape only if more than half do."""
    verdict = _of_all([holds for _, holds in conditions])
    rule = "; ".join(f"{text} ({'yes' if holds else 'no'})" for text, holds in conditions)
    return Claim(source, what, published, ours, "", verdict, rule, remark)


def impossible(source: str, what: str, published: str, why: str, ours: str = "") -> Claim:
    """State a result that cannot be held against ours, and why."""
    return Claim(source, what, published, ours, "", Verdict.IMPOSSIBLE, "", why)

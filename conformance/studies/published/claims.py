"""Published claims, our results, and verdicts that follow from the numbers by stated rules."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

#: A number that a source calls "about" is reproduced within a tenth, its shape within three tenths.
ABOUT, ROUGHLY = Fraction(1, 10), Fraction(3, 10)


class Verdict(Enum):
    """Verdict on a published result."""

    REPRODUCED = "reproduced"
    SHAPE = "shape only"
    DIFFERENT = "not reproduced"
    IMPOSSIBLE = "not reproducible"


@dataclass(frozen=True, slots=True)
class Claim:
    """A published result. ``rule``: derivation of the verdict from the numbers; ``remark``: reason for a difference."""

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
    """Format of numbers: ``scale`` base units are one ``unit``, shown with ``decimals`` digits after the point."""

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
    subject: str,
    published: int | Fraction,
    ours: int | Fraction,
    tolerance: int | Fraction,
    *,
    unit: Quantity,
    difference_unit: Quantity | None = None,
    remark: str = "",
) -> Claim:
    """Judge a number that a source gives with all digits. ``difference_unit``: format of differences."""
    difference = Fraction(ours) - Fraction(published)
    difference_unit = difference_unit or unit
    verdict = Verdict.REPRODUCED if abs(difference) <= tolerance else Verdict.DIFFERENT
    rule = f"within {difference_unit.text(tolerance)}"
    return Claim(
        source,
        subject,
        unit.text(published),
        unit.text(ours),
        difference_unit.text(difference, signed=True),
        verdict,
        rule,
        remark,
    )


def about(
    source: str,
    subject: str,
    published: int | Fraction,
    ours: int | Fraction | None,
    *,
    unit: Quantity,
    printed: bool = False,
    remark: str = "",
) -> Claim:
    """Judge a number that a source calls "about". ``None``: the event did not happen.

    ``printed``: the source gives all digits, but for a path that differs slightly from ours.
    """
    rule = "to 10 %; shape to 30 %" if printed else "about, to 10 %; shape to 30 %"
    text = unit.text(published) if printed else f"about {_short(unit, published)}"
    if ours is None:
        return Claim(source, subject, text, "never", "", Verdict.DIFFERENT, rule, remark)
    difference = Fraction(ours) - Fraction(published)
    verdict = Verdict.DIFFERENT
    if abs(difference) <= ABOUT * abs(Fraction(published)):
        verdict = Verdict.REPRODUCED
    elif abs(difference) <= ROUGHLY * abs(Fraction(published)):
        verdict = Verdict.SHAPE
    relative = PERCENT.text(difference / published, signed=True)
    return Claim(
        source,
        subject,
        text,
        unit.text(ours),
        f"{unit.text(difference, signed=True)} ({relative})",
        verdict,
        rule,
        remark,
    )


def _short(unit: Quantity, value: int | Fraction) -> str:
    """Return a number as written in a source, without trailing zeros."""
    whole = Fraction(value) / unit.scale
    return f"{whole} {unit.unit}".strip() if whole.denominator == 1 else unit.text(value)


def within(
    source: str,
    subject: str,
    bounds: tuple[int | Fraction, int | Fraction],
    ours: Sequence[int | Fraction],
    *,
    unit: Quantity,
    remark: str = "",
) -> Claim:
    """Judge a range: reproduced if all our numbers are in it, shape only if more than half of them are."""
    low, high = bounds
    verdict = _joint_verdict([low <= value <= high for value in ours])
    text = unit.text(min(ours)) if min(ours) == max(ours) else f"{unit.text(min(ours))} to {unit.text(max(ours))}"
    outside = [value for value in ours if not low <= value <= high]
    far = max((max(low - value, value - high) for value in outside), default=0)
    difference = "inside" if not outside else f"{len(outside)} of {len(ours)} outside, by up to {unit.text(far)}"
    published = f"{unit.text(low)} to {unit.text(high)}"
    return Claim(
        source, subject, published, text, difference, verdict, "all of ours within; shape if more than half are", remark
    )


def _joint_verdict(holding: Sequence[bool]) -> Verdict:
    """Return the verdict on several conditions: all of them, or most."""
    if all(holding):
        return Verdict.REPRODUCED
    return Verdict.SHAPE if 2 * sum(holding) > len(holding) else Verdict.DIFFERENT


def statement(
    source: str, subject: str, published: str, ours: str, conditions: Sequence[tuple[str, bool]], remark: str = ""
) -> Claim:
    """Judge a sentence by conditions: reproduced if all hold, shape only if more than half do."""
    verdict = _joint_verdict([holds for _, holds in conditions])
    rule = "; ".join(f"{text} ({'yes' if holds else 'no'})" for text, holds in conditions)
    return Claim(source, subject, published, ours, "", verdict, rule, remark)


def impossible(source: str, subject: str, published: str, why: str, ours: str = "") -> Claim:
    """Return a claim that cannot be compared with our results, with the reason."""
    return Claim(source, subject, published, ours, "", Verdict.IMPOSSIBLE, "", why)

"""Numbers of the SEARCH draft that follow from its rules: an ideal path, doubling up to its rate and constant after."""

from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from studies.published.claims import NUMBER, Claim, Quantity, about, impossible, statement
from studies.published.store import Data, Run

NAME, TITLE = "search-numbers", "SEARCH: numbers of the drafts"
#: Precision for exact printed digits, the same on every machine.
_EXACT = Context(prec=50)
_LN2 = _EXACT.ln(Decimal(2))
#: Differences are stored in millionths, times after the path is full in thousandths of an RTT.
MILLION, STEP = 10**6, 10
#: Thresholds of the newer drafts and of the paper.
THRESHOLDS_PPM = (260_000, 350_000)
WINDOW_RTTS = Fraction(7, 2)
DRAFT = "Draft of 2024 (draft-00)"


def delivered(rtts: Fraction) -> Decimal:
    """Return the data that arrived up to a time after the path is full, in units of rate * RTT / ln 2."""
    time = _EXACT.divide(Decimal(rtts.numerator), Decimal(rtts.denominator))
    if time <= 0:
        return _EXACT.power(Decimal(2), time)
    return _EXACT.fma(time, _LN2, Decimal(1))


def difference(rtts: Fraction) -> int:
    """Return (2 previous - current) / (2 previous) for windows one RTT apart, in millionths."""
    current = _EXACT.subtract(delivered(rtts), delivered(rtts - WINDOW_RTTS))
    previous = _EXACT.subtract(delivered(rtts - 1), delivered(rtts - 1 - WINDOW_RTTS))
    twice = _EXACT.multiply(Decimal(2), previous)
    ratio = _EXACT.divide(_EXACT.subtract(twice, current), twice)
    return int(_EXACT.multiply(ratio, Decimal(MILLION)).to_integral_value())


def compute() -> dict[str, Any]:
    """Return the difference from 2 RTTs before the path is full to 6 after it, and the times of the thresholds."""
    times = list(range(-2000, 6001, STEP))
    return {
        "after_full_milli_rtt": times,
        "difference_ppm": [difference(Fraction(t, 1000)) for t in times],
        "threshold_ppm": list(THRESHOLDS_PPM),
        "crossed_micro_rtt": [_reached(threshold) for threshold in THRESHOLDS_PPM],
    }


def _reached(threshold_ppm: int) -> int:
    """Return the time when the difference, which only rises, reaches a threshold, in millionths of an RTT."""
    low, high = 0, 6 * MILLION
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if difference(Fraction(middle, MILLION)) >= threshold_ppm else (middle + 1, high)
    return low


def runs() -> list[Run]:
    """Return the runs of this scenario."""
    return [Run(NAME, "ideal", compute, (), 500, quick=True)]


def crossing(data: Data, threshold_ppm: int) -> int:
    """Return the time when the difference reaches a threshold, in millionths of an RTT after the path is full."""
    ideal = data["ideal"]
    first: int = ideal["crossed_micro_rtt"][ideal["threshold_ppm"].index(threshold_ppm)]
    return first


def claims(data: Data) -> list[Claim]:
    """Return the verdicts on the published sentences."""
    rtts = Quantity("RTT", MILLION, 2)
    differences = dict(zip(data["ideal"]["after_full_milli_rtt"], data["ideal"]["difference_ppm"], strict=True))
    crossed = crossing(data, 350_000)
    ends = f"{NUMBER.text(Fraction(differences[-1000], MILLION))} one RTT before, {NUMBER.text(Fraction(differences[6000], MILLION))} six RTTs after"
    return [
        about(DRAFT, "The threshold of 0.35 is reached after the path is full", 2 * MILLION, crossed, unit=rtts),
        about(
            "LANMAN 2024, section III",
            "Delay of the exit after the path is full, almost exactly",
            2 * MILLION,
            crossed,
            unit=rtts,
        ),
        statement(
            "Report 2024, section 4.4",
            "Delay of the exit after the path is full",
            "at least one RTT",
            rtts.text(crossed),
            [("at least one RTT", crossed >= MILLION)],
        ),
        statement(
            DRAFT,
            "The difference before and long after the path is full",
            "0 and 0.5",
            ends,
            [
                ("0 to three digits before", abs(differences[-1000]) < 500),
                ("0.5 to a fiftieth after", abs(differences[6000] - 500_000) <= 10_000),
            ],
        ),
        impossible(
            DRAFT,
            "Windows of 3.5 RTTs chosen from spectra of RTTs; 5 to 40 bins tried",
            "3.33 (GEO), 2.8 (LTE)",
            "The measured RTTs were not published with the draft.",
        ),
        impossible(
            "Traces of the authors",
            "Exits of their code on recorded ACKs of Viasat and 4G",
            "log files",
            "The recordings carry no licence under which they could be repeated here.",
        ),
    ]

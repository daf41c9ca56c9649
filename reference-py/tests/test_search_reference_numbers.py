"""Numbers that follow from the rules: perfect doubling, a constant rate after it, and the largest evaluated RTT."""

from dataclasses import replace
from decimal import Decimal, getcontext
from fractions import Fraction

import pytest

from firstflight import Ack, Config, Run
from firstflight.controller import Controller, create_with, step
from firstflight.observables import Observation, Outcome
from firstflight.search.bins import Search
from firstflight.search.profiles import (
    PROFILES,
    Clock,
    Interpolation,
    Lower,
    MissingRtt,
    Precision,
    Readings,
    Shift,
)
from firstflight.search.rtt import Sample
from firstflight.search.windows import shift_bins

getcontext().prec = 60
RTT_NS = 100_000_000
BIN_NS = 35_000_000
#: Bytes in an RTT before the rate stops growing; large enough that rounding to bytes does not matter.
SCALE = 10**15
ORIGIN_NS = 10**12


def delivered(rtts: Fraction) -> Decimal:
    """Return the delivered data at a time in RTTs after the path is full: doubling before, a constant rate after."""
    time = Decimal(rtts.numerator) / Decimal(rtts.denominator)
    return Decimal(2) ** time if time <= 0 else 1 + time * Decimal(2).ln()


def exact_norm_diff(rtts: Fraction) -> Decimal:
    """Return the difference of two windows of 3.5 RTTs, exactly one RTT apart."""
    window = Fraction(7, 2)
    current = delivered(rtts) - delivered(rtts - window)
    previous = delivered(rtts - 1) - delivered(rtts - 1 - window)
    return (2 * previous - current) / (2 * previous)


def plain(name: str, **changes: object) -> Readings:
    """Return the readings of a profile without its limits on bins and its actions at the exit."""
    base = replace(PROFILES[name], clock=Clock.NS, precision=Precision.FULL, missing_rtt=MissingRtt.REUSE)
    base = replace(base, lower=Lower.NOTHING)
    return replace(base, **changes)  # type: ignore[arg-type]


def evaluation(readings: Readings, end: Fraction, bins: int = 40) -> Observation:
    """Return the observation at a bin end ``end`` RTTs after the path is full, without an earlier decision.

    The bytes of a bin are added just before an ACK of one byte ends it.
    """
    controller: Controller = create_with(readings, Config(1000, 2**60))
    step_rtts = Fraction(BIN_NS, RTT_NS)
    observed = None
    for index in range(bins + 1):
        last = end - (bins - index) * step_rtts
        first = last - step_rtts
        size = int(SCALE * (delivered(last) - delivered(first)))
        t_ns = ORIGIN_NS + index * BIN_NS + (1 if index else 0)
        controller, observed = _deliver(controller, t_ns, size, decide=index == bins)
    assert observed is not None
    return observed


def _deliver(controller: Controller, t_ns: int, size: int, *, decide: bool) -> tuple[Controller, Observation]:
    event = Ack(t_ns, (Run(0, 0, 1, t_ns - RTT_NS),), 1, 0, 1, False, RTT_NS, RTT_NS, RTT_NS, 0)
    sized = replace(controller, startup=_counted(controller.search, size - 1))
    before = sized if sized.search.bin_ticks else controller
    after, observed = step(before, event)
    if observed.outcome is Outcome.EXITED and not decide:
        after = replace(after, base=replace(after.base, ssthresh_bytes=None))
    return after, observed


def _counted(search: Search, size: int) -> Search:
    series = search.delivered
    return replace(
        search,
        delivered=replace(series, counter_bytes=series.counter_bytes + size, open_bytes=series.open_bytes + size),
    )


def norm_diff(observed: Observation) -> Fraction:
    """Return the difference that is compared with the threshold."""
    current, previous = observed.state["current_bytes"], observed.state["previous_bytes"]
    assert current is not None
    assert previous
    return Fraction(2 * previous - current, 2 * previous)


@pytest.mark.parametrize(
    ("readings", "expected"),
    [
        (plain("draft-00"), "0.0038"),
        (plain("linux-3"), "0.0057"),
        (plain("draft-00", interpolation=Interpolation.FORWARD), "0.342"),
        (plain("lanman-2024-literal"), "0.376"),
        (plain("lanman-2024-literal", shift=Shift.NEAREST), "0.204"),
        (plain("lanman-2024"), "-0.035"),
        (plain("lanman-2024", shift=Shift.FLOOR), "0.188"),
    ],
)
def test_norm_diff_during_doubling(readings: Readings, expected: str) -> None:
    """During doubling each arithmetic gives this difference, to the printed digits."""
    difference = norm_diff(evaluation(readings, Fraction(-5)))
    places = len(expected.split(".")[1])
    assert round(difference, places) == Fraction(expected)


@pytest.mark.parametrize(
    ("rtts", "expected"),
    [
        ("0.5", "0.0525"),
        ("1", "0.1683"),
        ("1.5", "0.2675"),
        ("2", "0.3297"),
        ("2.5", "0.3762"),
        ("3", "0.4165"),
        ("4", "0.4887"),
        ("60", "0.5000"),
    ],
)
def test_norm_diff_after_saturation(rtts: str, expected: str) -> None:
    """Differences of exact windows after the path is full; the model, with its shift in bins, is near them."""
    exact = exact_norm_diff(Fraction(rtts))
    assert round(exact, 4) == Decimal(expected)
    difference = norm_diff(evaluation(plain("draft-00"), Fraction(rtts), 240))
    assert abs(Decimal(difference.numerator) / Decimal(difference.denominator) - exact) < Decimal("0.006")


def crossing(readings: Readings, threshold: Fraction) -> Fraction:
    """Return the first crossing of the threshold, in RTTs after the path is full, to 1/512 RTT."""
    low, high = Fraction(0), Fraction(4)
    while high - low > Fraction(1, 512):
        middle = (low + high) / 2
        if norm_diff(evaluation(readings, middle)) >= threshold:
            high = middle
        else:
            low = middle
    return high


def test_crossings_of_exact_windows() -> None:
    """0.26 is reached 1.45 RTTs after the path is full, 0.35 after 2.20."""
    assert exact_norm_diff(Fraction("1.44")) < Decimal("0.26") <= exact_norm_diff(Fraction("1.46"))
    assert exact_norm_diff(Fraction("2.19")) < Decimal("0.35") <= exact_norm_diff(Fraction("2.21"))


@pytest.mark.parametrize(
    ("readings", "expected"),
    [
        (plain("lanman-2024-literal", shift=Shift.NEAREST), "1.22"),
        (plain("lanman-2024"), "2.32"),
    ],
)
def test_crossings_in_bins(readings: Readings, expected: str) -> None:
    """0.35 is reached after 1.22 RTTs with eleven bins and the nearest shift, after 2.32 with ten completed bins."""
    assert abs(crossing(readings, Fraction(7, 20)) - Fraction(expected)) <= Fraction(1, 100)


@pytest.mark.parametrize(
    ("profile", "limit"),
    [
        ("lanman-2024-literal", "5.6"),
        ("lanman-2024", "5.075"),
        ("quicly-pr583", "5.075"),
        ("neqo-2026", "5.25"),
        ("picoquic-fork", "5.25"),
        ("linux-3", "4.9"),
        ("linux-4", "13.65"),
        ("freebsd-4", "13.65"),
    ],
)
def test_rtts_above_the_inflation_limit_are_not_evaluated(profile: str, limit: str) -> None:
    """RTTs above this multiple of the initial RTT are not evaluated."""
    readings = replace(PROFILES[profile], clock=Clock.NS)
    initial = 10**9
    for over, evaluated in (
        (Fraction(limit) - Fraction(1, 10**6), True),
        (Fraction(limit) + Fraction(1, 10**6), False),
    ):
        state = Search(bin_ticks=7 * initial, sample=Sample(int(over * initial), None, None, 0))
        shift, _ = shift_bins(readings, state)
        assert (shift <= readings.shift_maximum_bins) == evaluated


@pytest.mark.parametrize(
    ("interpolation", "full", "expected"),
    [
        (Interpolation.BACKWARD, True, "0.004"),
        (Interpolation.BACKWARD, False, "0.239"),
        (Interpolation.FORWARD, True, "0.342"),
        (Interpolation.FORWARD, False, "0.498"),
    ],
)
def test_norm_diff_depends_on_bytes_in_the_open_bin(interpolation: Interpolation, full: bool, expected: str) -> None:
    """With the open bin in the later window the difference depends on the bytes in the open bin."""
    readings = plain("picoquic-fork", interpolation=interpolation, app_limited=PROFILES["draft-00"].app_limited)
    end = Fraction(-5)
    step_rtts = Fraction(BIN_NS, RTT_NS)
    controller = create_with(readings, Config(1000, 2**60))
    for index in range(41):
        last = end - (40 - index) * step_rtts
        size = int(SCALE * (delivered(last) - delivered(last - step_rtts)))
        controller, observed = _deliver(controller, ORIGIN_NS + index * BIN_NS + 1, size, decide=index == 40)
    if full:
        controller = replace(controller, base=replace(controller.base, ssthresh_bytes=None))
        size = int(SCALE * (delivered(end + step_rtts) - delivered(end)))
        _, observed = _deliver(controller, ORIGIN_NS + 40 * BIN_NS + 2, size, decide=True)
    assert round(norm_diff(observed), 3) == Fraction(expected)

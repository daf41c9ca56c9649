"""The windows of SEARCH and their comparison (``spec/search.md``, section Evaluation)."""

from dataclasses import dataclass

from firstflight.observables import Outcome
from firstflight.search.bins import RING_BINS, TICKS_PER_UNIT, Search, Series
from firstflight.search.profiles import (
    BeforeBin0,
    Compared,
    CurrentZero,
    Difference,
    Fraction,
    Guard,
    Interpolation,
    KeptBins,
    Precision,
    Readings,
    Ring,
    Shift,
    ShiftWidth,
    Threshold,
    Windows,
)
from firstflight.search.rtt import rtt_units

WINDOW_BINS = 10
#: A counter that is shifted right must fit in so many bits.
SHIFTED_BITS = 16
#: By difference and by what is compared: norm_diff reaches it iff first * earlier >= second * later.
_PRODUCTS = {
    (Difference.SEVEN_TWENTIETHS, Compared.DELIVERED): (13, 10),
    (Difference.SEVEN_TWENTIETHS, Compared.SENT): (13, 20),
    (Difference.THIRTEEN_FIFTIETHS, Compared.DELIVERED): (37, 25),
    (Difference.THIRTEEN_FIFTIETHS, Compared.SENT): (37, 50),
}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an evaluation computed; ``None`` where it did not come that far. ``previous_bytes`` is rounded down."""

    outcome: Outcome
    shift_bins: int | None = None
    current_bytes: int | None = None
    previous_bytes: int | None = None


def evaluate(readings: Readings, state: Search) -> Evaluation:
    """Compare the two windows. The order of the tests is that of the page."""
    shift, rest_ticks = shift_bins(readings, state)
    prev = state.curr - shift
    if prev < WINDOW_BINS or (readings.guard is Guard.MORE_THAN and prev == WINDOW_BINS):
        return Evaluation(Outcome.WARMING_UP, shift)  # [search.guard.warming-up]
    if shift > readings.shift_maximum_bins:
        return Evaluation(Outcome.RTT_INFLATED, shift)  # [search.guard.rtt-inflated]
    if readings.interpolation is Interpolation.FORWARD and shift == 0:
        return Evaluation(Outcome.RTT_BELOW_BIN, shift)  # [search.guard.rtt-below-bin]
    scale = scale_bits(readings, state)
    current_bytes = _window_bytes(readings, state.delivered, state.curr, state.curr, scale)
    earlier = state.sent if readings.compared is Compared.SENT else state.delivered
    previous, parts = _interpolated(readings, earlier, state, prev, rest_ticks, scale)
    if previous == 0:
        outcome = Outcome.PREVIOUS_ZERO  # [search.previous-zero]
    elif current_bytes == 0 and readings.current_zero is CurrentZero.NO_DECISION:
        outcome = Outcome.CURRENT_ZERO  # [search.current-zero]
    elif _reaches(readings, previous, parts * current_bytes):
        outcome = Outcome.EXITED
    else:
        outcome = Outcome.BELOW_THRESHOLD  # [search.threshold.below]
    return Evaluation(outcome, shift, current_bytes, previous // parts)


def shift_bins(readings: Readings, state: Search) -> tuple[int, int]:
    """Return the RTT in whole bins, and the ticks left over where the reading rounds down."""
    assert state.sample is not None
    rtt_ticks = TICKS_PER_UNIT * rtt_units(readings, state.sample)
    shift, rest_ticks = divmod(rtt_ticks, state.bin_ticks)  # [search.shift.round]
    if readings.shift is Shift.NEAREST and 2 * rest_ticks > state.bin_ticks:
        shift += 1
    if readings.shift is Shift.NEAREST_UP and 2 * rest_ticks >= state.bin_ticks:
        shift += 1
    if readings.shift_width is ShiftWidth.EIGHT_BITS:
        shift %= 256  # [search.shift.width]
    if shift < readings.shift_minimum_bins:
        shift = readings.shift_minimum_bins  # [search.shift.minimum]
    return shift, rest_ticks


def scale_bits(readings: Readings, state: Search) -> int:
    """Return by how many bits the counters are shifted right."""
    if readings.precision is Precision.FULL:
        return 0
    largest = max(series.counter_bytes - series.open_bytes for series in (state.delivered, state.sent))
    if readings.windows is Windows.LIVE:
        largest = state.delivered.counter_bytes  # [search.windows.shifted-live]
    return max(0, largest.bit_length() - SHIFTED_BITS)  # [search.windows.shifted]


def _interpolated(
    readings: Readings, series: Series, state: Search, prev: int, rest_ticks: int, scale: int
) -> tuple[int, int]:
    """Return the earlier window as a number of parts, and how many parts make a byte."""
    window_bytes = _window_bytes(readings, series, state.curr, prev, scale)
    if readings.interpolation is Interpolation.NONE:
        return window_bytes, 1
    step = -1 if readings.interpolation is Interpolation.BACKWARD else 1
    shifted_bytes = _window_bytes(readings, series, state.curr, prev + step, scale)
    parts = (state.bin_ticks - rest_ticks) * window_bytes + rest_ticks * shifted_bytes
    if readings.fraction is Fraction.EXACT:
        return parts, state.bin_ticks  # [search.interpolation.exact]
    if readings.fraction is Fraction.ROUNDED_DOWN:
        return parts // state.bin_ticks, 1  # [search.interpolation.rounded-down]
    percent = 100 * rest_ticks // state.bin_ticks
    if readings.fraction is Fraction.PERCENT:
        return ((100 - percent) * window_bytes + percent * shifted_bytes) // 100, 1  # [search.interpolation.percent]
    first, last = _bounds(readings, prev)
    dropped = last if step < 0 else first
    dropped_bytes = _sum_bytes(readings, series, state.curr, dropped, dropped, scale)
    common_bytes = window_bytes - dropped_bytes
    gained_bytes = shifted_bytes - common_bytes
    kept = dropped_bytes * (100 - percent) // 100  # [search.interpolation.percent-terms]
    return common_bytes + kept + gained_bytes * percent // 100, 1


def _window_bytes(readings: Readings, series: Series, curr: int, end: int, scale: int) -> int:
    first, last = _bounds(readings, end)
    return _sum_bytes(readings, series, curr, first, last, scale)


def _bounds(readings: Readings, end: int) -> tuple[int, int]:
    """Return the first and the last bin of the window that belongs to index ``end``."""
    if readings.windows is Windows.THROUGH_OPEN:
        return end - WINDOW_BINS, end  # [search.windows.through-open]
    if readings.windows is Windows.LIVE:
        return end - WINDOW_BINS + 1, end  # [search.windows.live]
    return end - WINDOW_BINS, end - 1  # [search.windows.completed]


def _sum_bytes(readings: Readings, series: Series, curr: int, first: int, last: int, scale: int) -> int:
    """Return what the bins first..last hold, as their slots show it."""
    if readings.kept_bins is KeptBins.NEWEST:
        first = max(first, curr - 1)  # [search.bins.newest-only]
        if first > last:
            return 0
    newest = curr if readings.ring is Ring.OPEN_BIN else curr - 1
    aliased_bytes = 0
    while readings.ring is not Ring.AMPLE and first <= min(newest - RING_BINS, last):
        slot_holds = newest - (newest - first) % RING_BINS
        aliased_bytes += bin_bytes(series, curr, slot_holds) >> scale  # [search.windows.aliased]
        first += 1
    if first > last:
        return aliased_bytes
    end, start = counter_bytes(series, curr, last + 1), counter_bytes(series, curr, first)
    if first < 0 and readings.before_bin_0 is BeforeBin0.ZERO:
        start = 0  # [search.windows.before-bin-0]
    return aliased_bytes + (end >> scale) - (start >> scale)


def bin_bytes(series: Series, curr: int, index: int) -> int:
    """Return what bin ``index`` holds."""
    return series.open_bytes if index == curr else series.completed[index - curr]


def counter_bytes(series: Series, curr: int, index: int) -> int:
    """Return the counter as it was when bin ``index`` began; now, if it has not begun."""
    if index > curr:
        return series.counter_bytes
    since = sum(series.completed[index - curr :]) if index < curr else 0
    return series.counter_bytes - series.open_bytes - since


def _reaches(readings: Readings, previous: int, current: int) -> bool:
    first, second = _PRODUCTS[readings.difference, readings.compared]
    if readings.threshold is Threshold.MORE_THAN:
        return first * previous > second * current  # [search.threshold.strict]
    return first * previous >= second * current  # [search.threshold.reached]

"""The windows of SEARCH and their comparison (``spec/search/rules.md``, section Evaluation).

Bins are identified by age: bin i has the age ``curr`` - i, from -1 to 49. Older bins have larger ages.

Mirrors ``reference-c/firstflight/search/windows.c``.
"""

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
#: Width of a shifted counter in bits.
SHIFTED_BITS = 16
#: Integer form of the threshold by difference and compared bytes: exit iff first * earlier >= second * later.
_PRODUCTS = {
    (Difference.SEVEN_TWENTIETHS, Compared.DELIVERED): (13, 10),
    (Difference.SEVEN_TWENTIETHS, Compared.SENT): (13, 20),
    (Difference.THIRTEEN_FIFTIETHS, Compared.DELIVERED): (37, 25),
    (Difference.THIRTEEN_FIFTIETHS, Compared.SENT): (37, 50),
}


@dataclass(slots=True)
class Evaluation:
    """Values of one comparison of the windows. A value is ``None`` if the comparison ended before its computation.

    ``shift_bins``: the RTT in bins. ``current_bytes``: bytes delivered in the later window. ``previous_bytes``: bytes
    of the earlier window, about one RTT before, rounded down.
    """

    shift_bins: int | None = None
    current_bytes: int | None = None
    previous_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class View:
    """A series of bytes per bin, with the values needed to sum windows of bins.

    ``curr``: index of the open bin. ``scale``: right shift of the counters in bits.
    """

    readings: Readings
    series: Series
    curr: int
    scale: int


def view_of(readings: Readings, state: Search, series: Series, scale: int) -> View:
    """Return ``series``, the delivered or sent bytes per bin of ``state``, with the values needed to sum its windows.

    ``scale``: right shift of the byte counters in bits, for profiles with counters of 16 bits.
    """
    return View(readings, series, state.curr, scale)


def bin_bytes(view: View, age: int) -> int:
    """Return the bytes of the bin ``age`` bins before the open bin, which has the age 0."""
    return view.series.open_bytes if age == 0 else view.series.completed[-age]


def counter_bytes(view: View, age: int) -> int:
    """Return the total of counted bytes at the beginning of the bin ``age`` bins before the open bin.

    The open bin has the age 0. For the age -1 return the present total.
    """
    if age < 0:
        return view.series.counter_bytes
    since_bytes = sum(view.series.completed[-age:]) if age > 0 else 0
    return view.series.counter_bytes - view.series.open_bytes - since_bytes


def delivered_bytes(readings: Readings, state: Search, age: int) -> int:
    """Return the total of delivered bytes at the beginning of the bin ``age`` bins before the open bin (age 0).

    For the age -1 return the present total.
    """
    return counter_bytes(view_of(readings, state, state.delivered, 0), age)


def bounds_of(readings: Readings, age: int) -> tuple[int, int]:
    """Return the ages of the first (oldest) and the last bin of the window with index i, for the age of bin i.

    The age of a bin is the number of bins from it to the open bin. The choice of ``windows`` determines whether bin i,
    and the tenth bin before it, belong to the window.
    """
    if readings.windows is Windows.THROUGH_OPEN:
        return age + WINDOW_BINS, age  # [search.windows.through-open]
    if readings.windows is Windows.LIVE:
        return age + WINDOW_BINS - 1, age  # [search.windows.live]
    return age + WINDOW_BINS, age + 1  # [search.windows.completed]


def sum_bytes(view: View, first: int, last: int) -> int:
    """Return the bytes of the bins from age ``first`` down to age ``last``; age 0 is the open bin.

    If ``ring`` is not ``ample``, only 25 bins are stored: each new bin overwrites the bin 25 before it. An overwritten
    bin counts with the bytes of the stored bin that replaced it. With ``ring`` = ``open_bin``, the newest stored bin is
    the open bin; with ``ring`` = ``newest_bin``, it is the last completed bin. If ``kept_bins`` is ``newest``, bins
    with an age above 1 count as empty.
    """
    readings = view.readings
    newest = 0 if readings.ring is Ring.OPEN_BIN else 1
    aliased_bytes = 0
    if readings.kept_bins is KeptBins.NEWEST and first > 1:
        first = 1  # [search.bins.newest-only]
    if readings.ring is not Ring.AMPLE:
        while first >= max(last, newest + RING_BINS):
            slot_holds = newest + (first - newest) % RING_BINS
            aliased_bytes += bin_bytes(view, slot_holds) >> view.scale  # [search.windows.aliased]
            first -= 1
    if first < last:
        return aliased_bytes
    end_bytes = counter_bytes(view, last - 1)
    start_bytes = counter_bytes(view, first)
    if first > view.curr and readings.before_bin_0 is BeforeBin0.ZERO:
        start_bytes = 0  # [search.windows.before-bin-0]
    return aliased_bytes + (end_bytes >> view.scale) - (start_bytes >> view.scale)


def window_bytes(view: View, age: int) -> int:
    """Return the bytes of the window with index i, a sum of about ten bins up to bin i.

    ``age``: number of bins from bin i to the open bin.
    """
    first, last = bounds_of(view.readings, age)
    return sum_bytes(view, first, last)


def percent_of(count_bytes: int, percent: int) -> int:
    """Return a percentage of a number of bytes, rounded down."""
    return count_bytes * percent // 100


def by_terms(window: int, shifted: int, dropped: int, percent: int) -> int:
    """Return the bytes of a window that is moved by a percentage of a bin.

    ``window`` and ``shifted`` are the bytes of two neighbouring windows, one bin apart. ``dropped``: bytes of the bin
    that only ``window`` contains. This bin counts with 100 - percent, and the bin that only ``shifted`` contains with
    ``percent``; each product is rounded down.
    """
    common = window - dropped
    kept = percent_of(dropped, 100 - percent)  # [search.interpolation.percent-terms]
    return common + kept + percent_of(shifted - common, percent)


def whole(count_bytes: int) -> tuple[int, int]:
    """Return the fraction count_bytes / 1 as a pair of numerator and denominator."""
    return count_bytes, 1


def interpolated(view: View, state: Search, age: int, rest_ticks: int) -> tuple[int, int]:
    """Return the bytes of the earlier window as a fraction: numerator and denominator.

    The window with index i is about ten bins up to bin i. ``age``: number of bins from bin i to the open bin.
    ``rest_ticks``: remainder of RTT / bin duration, in ticks. The window is moved by this time, less than a bin:
    earlier with ``interpolation`` = ``backward``, later with ``forward``. With ``none`` it is not moved.
    """
    readings = view.readings
    window = window_bytes(view, age)
    if readings.interpolation is Interpolation.NONE:
        return whole(window)
    backward = readings.interpolation is Interpolation.BACKWARD
    shifted = window_bytes(view, age + 1 if backward else age - 1)
    parts = (state.bin_ticks - rest_ticks) * window + rest_ticks * shifted
    if readings.fraction is Fraction.EXACT:
        return parts, state.bin_ticks  # [search.interpolation.exact]
    if readings.fraction is Fraction.ROUNDED_DOWN:
        return whole(parts // state.bin_ticks)  # [search.interpolation.rounded-down]
    percent = 100 * rest_ticks // state.bin_ticks
    if readings.fraction is Fraction.PERCENT:
        return whole(((100 - percent) * window + percent * shifted) // 100)  # [search.interpolation.percent]
    first, last = bounds_of(readings, age)
    leaving = last if backward else first
    return whole(by_terms(window, shifted, sum_bytes(view, leaving, leaving), percent))


def shift_bins(readings: Readings, state: Search) -> tuple[int, int]:
    """Return the RTT in whole bins, and the remainder in ticks, which is used only if the RTT was rounded down."""
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
    """Return the right shift of the byte counters in bits: 0 for profiles with exact counters.

    Otherwise it is the smallest shift that makes the largest counter fit in 16 bits.
    """
    if readings.precision is Precision.FULL:
        return 0
    largest = max(series.counter_bytes - series.open_bytes for series in (state.delivered, state.sent))
    if readings.windows is Windows.LIVE:
        largest = state.delivered.counter_bytes  # [search.windows.shifted-live]
    return max(0, largest.bit_length() - SHIFTED_BITS)  # [search.windows.shifted]


def reaches(readings: Readings, previous: int, current: int) -> bool:
    """Return whether the normalised difference of the earlier and the later window reaches the profile's threshold.

    ``previous`` and ``current``: bytes of these windows. The difference is (e - current) / e. If the earlier window
    counts sent bytes, e is ``previous``; if it counts delivered bytes, e is twice ``previous``. With ``threshold`` =
    ``more_than``, equality is not enough.
    """
    first, second = _PRODUCTS[readings.difference, readings.compared]
    if readings.threshold is Threshold.MORE_THAN:
        return first * previous > second * current  # [search.threshold.strict]
    return first * previous >= second * current  # [search.threshold.reached]


def evaluate(readings: Readings, state: Search, evaluation: Evaluation) -> Outcome:
    """Compare the bytes of the last bins (the later window) with the bins one RTT earlier (the earlier window).

    Return EXITED if slow start must end, otherwise the reason why it continues. The values of the comparison are stored
    in ``evaluation``. The tests are in the order of ``spec/search/rules.md``.
    """
    shift, rest_ticks = shift_bins(readings, state)
    evaluation.shift_bins = shift
    prev = state.curr - shift
    if prev < WINDOW_BINS or (readings.guard is Guard.MORE_THAN and prev == WINDOW_BINS):
        return Outcome.WARMING_UP  # [search.guard.warming-up]
    if shift > readings.shift_maximum_bins:
        return Outcome.RTT_INFLATED  # [search.guard.rtt-inflated]
    if readings.interpolation is Interpolation.FORWARD and shift == 0:
        return Outcome.RTT_BELOW_BIN  # [search.guard.rtt-below-bin]
    scale = scale_bits(readings, state)
    earlier = state.sent if readings.compared is Compared.SENT else state.delivered
    previous, parts = interpolated(view_of(readings, state, earlier, scale), state, shift, rest_ticks)
    current = window_bytes(view_of(readings, state, state.delivered, scale), 0)
    evaluation.current_bytes = current
    evaluation.previous_bytes = previous // parts
    if previous == 0:
        return Outcome.PREVIOUS_ZERO  # [search.previous-zero]
    if current == 0 and readings.current_zero is CurrentZero.NO_DECISION:
        return Outcome.CURRENT_ZERO  # [search.current-zero]
    if reaches(readings, previous, parts * current):
        return Outcome.EXITED
    return Outcome.BELOW_THRESHOLD  # [search.threshold.below]

"""The bins of SEARCH (``spec/search.md``): bytes counted in equal spans of time.

Time is in ticks of 1/20 of the unit of the profile's clock: the bin duration, 7/20 of the initial RTT, is then a whole number.
"""

from dataclasses import dataclass, field, replace

from firstflight.errors import DomainError
from firstflight.limits import BIN_MAX_BYTES
from firstflight.search.profiles import BinDuration, CatchUp, CrossingCredit, EndedBins, Readings
from firstflight.search.profiles import Boundary as BoundaryReading
from firstflight.search.rtt import Sample

TICKS_PER_UNIT = 20
#: Bin duration in ticks per unit of initial RTT: 20 * 0.35.
BIN_TICKS_PER_RTT = 7
RING_BINS = 25
#: The largest shift that readings may allow.
SHIFT_MAXIMUM_BINS = 38
#: Completed bins that are kept: the earlier window of a shift of 38 reaches 49 bins back.
KEPT_BINS = 49


@dataclass(frozen=True, slots=True)
class Series:
    """Bytes of one kind, delivered or sent.

    ``counter_bytes``: all that was counted. ``open_bytes``: of these, what belongs to the open bin.
    ``completed``: the bytes of the completed bins, oldest first, at most KEPT_BINS of them.
    """

    counter_bytes: int = 0
    open_bytes: int = 0
    completed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Search:
    """State of SEARCH. ``bin_ticks`` is the bin duration, 0 until the first RTT sample.

    ``bin_end_ticks``: when the open bin ends, 0 while none is open. ``curr``: its index. ``sample``: the last RTT sample of the
    connection. ``target_bytes``: what the flight is drained to, ``None`` unless it is. ``drain_acked``: packets or bytes
    acknowledged since a packet was last let go while draining.
    """

    bin_ticks: int = 0
    bin_end_ticks: int = 0
    curr: int = 0
    sample: Sample | None = None
    delivered: Series = field(default_factory=Series)
    sent: Series = field(default_factory=Series)
    target_bytes: int | None = None
    drain_acked: int = 0


def bin_duration_ticks(readings: Readings, rtt: int) -> int:
    """Return 35 % of an initial RTT in units; 0 where the reading finds no duration."""
    if readings.bin_duration is BinDuration.EXACT:
        return BIN_TICKS_PER_RTT * rtt  # [search.init.first-ack]
    whole = BIN_TICKS_PER_RTT * rtt // TICKS_PER_UNIT  # [search.init.coarse-duration]
    if whole == 0 and readings.bin_duration is BinDuration.CLOCK:
        whole = 1
    return TICKS_PER_UNIT * whole


def begin(state: Search, bin_ticks: int, now_units: int) -> Search:
    """Return the state with bin 0 opened now and every bin empty; the counters go on. None is open where the duration is 0."""
    return replace(
        state,
        bin_ticks=bin_ticks,
        bin_end_ticks=TICKS_PER_UNIT * now_units + bin_ticks if bin_ticks else 0,
        curr=0,
        delivered=Series(state.delivered.counter_bytes),
        sent=Series(state.sent.counter_bytes),
    )


def passed(readings: Readings, state: Search, now_units: int) -> int:
    """Return floor((now - bin_end) / bin duration) + 1, or 0 where the open bin has not ended."""
    late_ticks = TICKS_PER_UNIT * now_units - state.bin_end_ticks
    if late_ticks < 0 or (late_ticks == 0 and readings.boundary is BoundaryReading.AFTER):
        return 0
    return late_ticks // state.bin_ticks + 1  # [search.bins.passed]


def ended(readings: Readings, state: Search, now_units: int) -> int:
    """Return how many bins end now, the open one being among them."""
    steps = passed(readings, state, now_units)
    at_an_end = (TICKS_PER_UNIT * now_units - state.bin_end_ticks) % state.bin_ticks == 0
    if readings.ended_bins is EndedBins.EACH_TESTED and readings.boundary is BoundaryReading.AFTER and at_an_end:
        steps -= 1  # [search.bins.each-tested]
    return steps


def advance(readings: Readings, state: Search, steps: int) -> Search:
    """End ``steps`` bins, of which all but one are empty."""
    if readings.catch_up is CatchUp.ONE:
        steps = 1
    last = readings.crossing_credit is CrossingCredit.LAST_BIN
    return replace(
        state,
        bin_end_ticks=state.bin_end_ticks + steps * state.bin_ticks,  # [search.bins.advance]
        curr=state.curr + steps,
        delivered=_complete(state.delivered, steps, last),
        sent=_complete(state.sent, steps, last),
    )


def _complete(series: Series, steps: int, last: bool) -> Series:
    """End the open bin. What it holds goes to the first of the bins that end, or to the last."""
    empty = (0,) * min(steps - 1, KEPT_BINS)
    bins = (*series.completed, *empty, series.open_bytes) if last else (*series.completed, series.open_bytes, *empty)
    return Series(series.counter_bytes, 0, bins[-KEPT_BINS:])


def credit(series: Series, count_bytes: int) -> Series:
    """Count bytes in the open bin."""
    open_bytes = series.open_bytes + count_bytes  # [search.bins.credit]
    if open_bytes > BIN_MAX_BYTES:
        raise DomainError(f"the open bin holds more than {BIN_MAX_BYTES} bytes")  # [search.domain]
    return replace(series, counter_bytes=_wrap(series.counter_bytes + count_bytes), open_bytes=open_bytes)


def _wrap(counter_bytes: int) -> int:
    if counter_bytes >= 2**63:
        raise DomainError("a counter of bytes reaches 2^63")  # [search.domain]
    return counter_bytes


def count(series: Series, count_bytes: int) -> Series:
    """Count bytes that belong to no bin."""
    return replace(series, counter_bytes=_wrap(series.counter_bytes + count_bytes))

"""The bins of SEARCH (``spec/search/rules.md``): bytes counted in intervals of equal length.

Time is in ticks of 1/20 of the unit of the profile's clock. In ticks the bin duration, 7/20 of the initial RTT, is a
whole number.

Mirrors ``reference-c/firstflight/search/bins.c``.
"""

from dataclasses import dataclass, field

from firstflight.errors import DomainError
from firstflight.events import Ack
from firstflight.limits import BIN_MAX_BYTES
from firstflight.search.profiles import BinDuration, Boundary, CatchUp, CrossingCredit, EndedBins, Readings
from firstflight.search.rtt import Sample, units

TICKS_PER_UNIT = 20
#: Bin duration in ticks per unit of initial RTT: 20 * 0.35.
BIN_TICKS_PER_RTT = 7
RING_BINS = 25
#: Largest value of the reading ``shift_maximum_bins``.
SHIFT_MAXIMUM_BINS = 38
#: Completed bins kept per series: with a shift of 38 the earlier window reaches 49 bins back.
KEPT_BINS = 49


@dataclass(slots=True)
class Series:
    """Bytes of one kind, delivered or sent.

    ``counter_bytes``: all counted bytes. ``open_bytes``: counted bytes in the open bin.
    ``completed``: the bytes of each completed bin, oldest first, at most KEPT_BINS entries.
    """

    counter_bytes: int = 0
    open_bytes: int = 0
    completed: tuple[int, ...] = ()

    def copy(self) -> "Series":
        """Return a copy."""
        return Series(self.counter_bytes, self.open_bytes, self.completed)

    def check_room(self, count_bytes: int) -> None:
        """Raise :class:`DomainError` if the bytes would exceed the limit of the open bin or of the counter."""
        if self.open_bytes + count_bytes > BIN_MAX_BYTES:
            raise DomainError(f"the open bin exceeds {BIN_MAX_BYTES} bytes")  # [search.domain]
        if self.counter_bytes + count_bytes >= 2**63:
            raise DomainError("a counter of bytes reaches 2^63")  # [search.domain]

    def credit(self, count_bytes: int) -> None:
        """Add bytes to ``counter_bytes``, the total of all counted bytes, and to the open bin."""
        self.counter_bytes += count_bytes
        self.open_bytes += count_bytes  # [search.bins.credit]

    def count(self, count_bytes: int) -> None:
        """Add bytes to ``counter_bytes``, the total of all counted bytes, but to no bin."""
        self.counter_bytes += count_bytes


@dataclass(slots=True)
class Search:
    """State of SEARCH. ``bin_ticks`` is the bin duration, 0 until the first RTT sample.

    ``bin_end_ticks``: end of the open bin, 0 without an open bin. ``curr``: index of the open bin. ``sample``: the last
    RTT sample of the connection.

    With ``lower`` = ``drain``, slow start ends with a drain. One packet leaves for three acknowledged, until the window
    is at ``target_bytes``, which is ``None`` while not draining. ``drain_acked``: packets acknowledged since the drain
    last released a packet, or bytes with ``drain_unit`` = ``bytes``.
    """

    bin_ticks: int = 0
    bin_end_ticks: int = 0
    curr: int = 0
    sample: Sample | None = None
    delivered: Series = field(default_factory=Series)
    sent: Series = field(default_factory=Series)
    target_bytes: int | None = None
    drain_acked: int = 0

    def copy(self) -> "Search":
        """Return a copy without shared mutable state."""
        return Search(
            self.bin_ticks,
            self.bin_end_ticks,
            self.curr,
            self.sample,
            self.delivered.copy(),
            self.sent.copy(),
            self.target_bytes,
            self.drain_acked,
        )

    def keep_sample(self, ack: Ack) -> None:
        """Store the RTT sample of an ACK, if the ACK has one."""
        if ack.latest_rtt_ns is not None:
            sample = Sample(ack.latest_rtt_ns, ack.min_rtt_ns, ack.smoothed_rtt_ns, ack.ack_delay_ns)
            self.sample = sample  # [search.rtt.reuse]


def bin_duration_ticks(readings: Readings, rtt: int) -> int:
    """Return the bin duration, 35 % of the initial RTT, in ticks. ``rtt``: that RTT in units of the profile's clock.

    A tick is 1/20 unit, so that 35 % is a whole number of ticks. If the profile's choice ``readings.bin_duration`` is
    ``exact``, the duration is not rounded. Otherwise it is rounded down to whole units. If the result is 0, the choice
    ``clock`` makes it one unit, and the choice ``clock_or_restart`` leaves it 0.
    """
    if readings.bin_duration is BinDuration.EXACT:
        return BIN_TICKS_PER_RTT * rtt  # [search.init.first-ack]
    whole = BIN_TICKS_PER_RTT * rtt // TICKS_PER_UNIT  # [search.init.coarse-duration]
    if whole == 0 and readings.bin_duration is BinDuration.CLOCK:
        whole = 1
    return TICKS_PER_UNIT * whole


def open_first_bin(state: Search, bin_ticks: int, now_units: int) -> None:
    """Delete all bins, and open bin 0 now. With a duration of 0 no bin is open.

    ``bin_ticks``: the bin duration in ticks (1/20 unit). ``now_units``: the time in units of the profile's clock. The
    totals of all delivered and sent bytes do not change.
    """
    state.bin_ticks = bin_ticks
    state.bin_end_ticks = TICKS_PER_UNIT * now_units + bin_ticks if bin_ticks > 0 else 0
    state.curr = 0
    for series in (state.delivered, state.sent):
        series.open_bytes, series.completed = 0, ()


def forget(state: Search) -> None:
    """Reset everything except the counters of all delivered and sent bytes and the last RTT sample."""
    open_first_bin(state, 0, 0)
    state.target_bytes = None
    state.drain_acked = 0


def zero_counters(state: Search) -> None:
    """Set the counters of all delivered and sent bytes to 0. The caller resets the bins next."""
    state.delivered.counter_bytes = state.sent.counter_bytes = 0


def late_ticks(readings: Readings, state: Search, t_ns: int) -> int:
    """Return the ticks (1/20 unit of the profile's clock) since the end of the open bin, negative before its end."""
    return TICKS_PER_UNIT * units(readings, t_ns) - state.bin_end_ticks


def passed_bins(readings: Readings, state: Search, t_ns: int) -> int:
    """Return floor((now - bin_end) / bin duration) + 1; the open bin has ended."""
    return late_ticks(readings, state, t_ns) // state.bin_ticks + 1  # [search.bins.passed]


def ended_bins(readings: Readings, state: Search, t_ns: int) -> int:
    """Return the number of bins that end now, including the open bin."""
    bins = passed_bins(readings, state, t_ns)
    at_an_end = late_ticks(readings, state, t_ns) % state.bin_ticks == 0
    if readings.ended_bins is EndedBins.EACH_TESTED and readings.boundary is Boundary.AFTER and at_an_end:
        bins -= 1  # [search.bins.each-tested]
    return 1 if readings.catch_up is CatchUp.ONE else bins


def complete(readings: Readings, series: Series, bins: int) -> None:
    """End this number of bins of a series. The open bin is one of them, and the others are empty.

    The bytes of the open bin go to the first ended bin or, with the choice ``last_bin`` of ``crossing_credit``, to the
    last one.
    """
    empty = (0,) * min(bins - 1, KEPT_BINS)
    ended = (series.open_bytes, *empty)
    if readings.crossing_credit is CrossingCredit.LAST_BIN:
        ended = (*empty, series.open_bytes)
    series.completed = (*series.completed, *ended)[-KEPT_BINS:]
    series.open_bytes = 0


def advance(readings: Readings, state: Search, t_ns: int) -> None:
    """End the bins that are over, and open the next bin."""
    bins = ended_bins(readings, state, t_ns)
    complete(readings, state.delivered, bins)
    complete(readings, state.sent, bins)
    state.curr += bins
    state.bin_end_ticks += bins * state.bin_ticks  # [search.bins.advance]


def reopen(state: Search) -> None:
    """Undo the end of the last bin: reopen it with its bytes. The bin that was open until now is empty."""
    for series in (state.delivered, state.sent):
        series.open_bytes, series.completed = series.completed[-1], series.completed[:-1]
    state.curr -= 1
    state.bin_end_ticks -= state.bin_ticks

"""SEARCH as in Cronin et al., "Improving QUIC Slow Start Behavior in Wireless Networks with SEARCH" (LANMAN 2024), Algorithm 1.

What the paper leaves open is read as in its authors' code for QUIC: RTT / BIN_DURATION is rounded to the nearest integer, both windows are
sums of W completed bins and bin 0 is in none, and each boundary that has passed ends a bin, with one evaluation after the last.
Of that code, too: the shift is at least 1, one of EXTRA_BINS or more is no decision where the paper has <=, the ACK that decides grows nothing,
and the overshoot is that of 6 completed bins. Ours: no window falls below the minimum, and persistent congestion begins anew.

Times are in ticks of 1/20 ns, in which BIN_DURATION = 3.5 * Initial_RTT / 10 is an integer.
"""

from dataclasses import dataclass, field

from firstflight.events import Ack, Event, PersistentCongestion
from firstflight.newreno import plain_newreno_rfc_9002 as newreno
from firstflight.observables import Outcome, Phase

PROFILE = "search/lanman-2024"

#: Length of both windows, in bins.
W = 10
#: Bins in addition to a window: a shift of so many bins or more is not evaluated.
EXTRA_BINS = 15
#: The number of bins.
TOTAL_BINS = W + EXTRA_BINS
#: Length of the overshoot, in bins: 2 * Initial_RTT / BIN_DURATION = 40/7, to the nearest.
OVERSHOOT_BINS = 6


@dataclass(slots=True)
class Search:
    """The variables of Algorithm 1. ``bin_duration`` is 0 before it is initialised; ``rtt_ns``: the latest, 0 before the first."""

    base: newreno.NewReno
    bin_duration: int = 0
    bin_end: int = 0
    curr: int = 0
    bins: list[int] = field(default_factory=lambda: [0] * TOTAL_BINS)
    rtt_ns: int = 0


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> Search:
    """A connection begins with slow start; SEARCH is initialised when the Initial_RTT is there."""
    return Search(newreno.begin(max_datagram_size_bytes, initial_window_bytes))


def on_event(s: Search, event: Event) -> Outcome:
    """SEARCH looks at acknowledgements in slow start; all else is the base controller's."""
    match event:
        case Ack():
            return on_ack(s, event)
        case PersistentCongestion():
            s.bin_duration = 0  # [search.restart]
    return newreno.on_event(s.base, event)


def on_ack(s: Search, ack: Ack) -> Outcome:
    """Run Algorithm 1, and unless it ends slow start let the window grow."""
    if ack.latest_rtt_ns is not None:
        s.rtt_ns = max(ack.latest_rtt_ns, 1)  # [search.rtt.latest]
    if s.base.phase is not Phase.SLOW_START:
        return newreno.on_ack(s.base, ack)  # [search.slow-start-only]
    outcome = search(s, ack)
    if outcome is not Outcome.EXITED:  # [search.exit.growth]
        newreno.on_ack(s.base, ack)
    return outcome


def search(s: Search, ack: Ack) -> Outcome:
    """Algorithm 1 for one acknowledgement, whose bytes are credited to the bin in which it arrives."""
    if s.bin_duration == 0:
        return initialise(s, ack)
    outcome = Outcome.SAME_BIN  # [search.bins.same-bin]
    if 20 * ack.t_ns > s.bin_end:
        end_bins(s, 20 * ack.t_ns)
        outcome = evaluate(s)
    s.bins[s.curr % TOTAL_BINS] += ack.bytes  # [search.bins.credit]
    return outcome


def initialise(s: Search, ack: Ack) -> Outcome:
    """The Initialization, with the first RTT."""
    if s.rtt_ns == 0:
        return Outcome.NO_RTT_SAMPLE  # [search.init.wait-for-sample]
    s.bin_duration = 7 * s.rtt_ns  # [search.init.first-ack]
    s.bin_end = 20 * ack.t_ns + s.bin_duration
    s.curr = 0
    s.bins = [ack.bytes] + [0] * (TOTAL_BINS - 1)
    return Outcome.STARTED


def end_bins(s: Search, now: int) -> None:
    """While now > bin_end, the next bin begins, empty."""
    ended = (now - s.bin_end - 1) // s.bin_duration + 1  # [search.bins.advance]
    s.bin_end += ended * s.bin_duration
    for i in range(s.curr + 1, s.curr + min(ended, TOTAL_BINS) + 1):
        s.bins[i % TOTAL_BINS] = 0
    s.curr += ended


def evaluate(s: Search) -> Outcome:
    """Compare what was delivered in the window up to now with twice what was delivered in the window one RTT ago."""
    shift, remainder = divmod(20 * s.rtt_ns, s.bin_duration)
    shift = max(shift + (2 * remainder > s.bin_duration), 1)  # [search.shift.round] [search.shift.minimum]
    prev = s.curr - shift
    if prev <= W:
        return Outcome.WARMING_UP  # [search.guard.warming-up]
    if shift >= EXTRA_BINS:
        return Outcome.RTT_INFLATED  # [search.guard.rtt-inflated]
    curr_delv = delivered(s, s.curr - W, s.curr)
    prev_delv = delivered(s, prev - W, prev)
    if prev_delv == 0:
        return Outcome.PREVIOUS_ZERO  # [search.previous-zero]
    if 20 * (2 * prev_delv - curr_delv) < 7 * (2 * prev_delv):  # norm_diff < THRESH = 0.35
        return Outcome.BELOW_THRESHOLD  # [search.threshold.below]
    return exit_slow_start(s)  # [search.threshold.reached]


def delivered(s: Search, first: int, end: int) -> int:
    """The bytes of the bins from ``first`` to that before ``end``."""
    return sum(s.bins[i % TOTAL_BINS] for i in range(first, end))  # [search.windows.completed]


def exit_slow_start(s: Search) -> Outcome:
    """Take back what was delivered in the last two Initial_RTT, the delay of the detection."""
    overshoot = delivered(s, s.curr - OVERSHOOT_BINS, s.curr)  # [search.exit.overshoot]
    s.base.congestion_window = max(s.base.congestion_window - overshoot, s.base.minimum_window)  # [search.exit.floor]
    s.base.ssthresh = s.base.congestion_window  # [search.exit.lower]
    return Outcome.EXITED

"""SEARCH as in Cronin et al., "Improving QUIC Slow Start Behavior in Wireless Networks with SEARCH" (LANMAN 2024), Algorithm 1.

Open points of the paper are read as in its authors' code for QUIC. RTT / BIN_DURATION is rounded to the nearest
integer. Both windows are sums of W completed bins, and neither contains bin 0. Each passed boundary ends a bin, with
one evaluation after the last. Also from that code: the shift is at least 1, and a shift of EXTRA_BINS is not evaluated
(the paper has <=). The window does not grow on the deciding ACK, and the overshoot is 6 completed bins. Ours: the
window never falls below the minimum, and persistent congestion restarts SEARCH.

Times are in ticks of 1/20 ns: BIN_DURATION = 3.5 * Initial_RTT / 10 is an integer.
"""

from dataclasses import dataclass, field

from firstflight.events import Ack, Event, PersistentCongestion
from firstflight.newreno import plain_newreno_rfc_9002 as newreno
from firstflight.observables import Outcome, Phase

PROFILE = "search/lanman-2024"

#: Length of both windows, in bins.
W = 10
#: Bins in addition to a window. A shift of EXTRA_BINS or more is not evaluated.
EXTRA_BINS = 15
#: The number of bins.
TOTAL_BINS = W + EXTRA_BINS
#: Length of the overshoot, in bins: 2 * Initial_RTT / BIN_DURATION = 40/7, to the nearest.
OVERSHOOT_BINS = 6


@dataclass(slots=True)
class Search:
    """Variables of Algorithm 1. ``bin_duration``: 0 before Initialization. ``rtt_ns``: latest RTT, at first 0."""

    base: newreno.NewReno
    bin_duration: int = 0
    bin_end: int = 0
    curr: int = 0
    bins: list[int] = field(default_factory=lambda: [0] * TOTAL_BINS)
    rtt_ns: int = 0


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> Search:
    """Begin a connection in slow start; SEARCH is initialised with the Initial_RTT."""
    return Search(newreno.begin(max_datagram_size_bytes, initial_window_bytes))


def on_event(s: Search, event: Event) -> Outcome:
    """Process an event. SEARCH uses ACKs and persistent congestion; the base controller does the rest."""
    match event:
        case Ack():
            return on_ack(s, event)
        case PersistentCongestion():
            s.bin_duration = 0  # [search.restart]
    return newreno.on_event(s.base, event)


def on_ack(s: Search, ack: Ack) -> Outcome:
    """In slow start run Algorithm 1 of the paper; then grow the window, unless Algorithm 1 ends slow start.

    It ends slow start if too few bytes were delivered in the last ten bins, compared with the ten bins one RTT earlier.
    """
    if ack.latest_rtt_ns is not None:
        s.rtt_ns = max(ack.latest_rtt_ns, 1)  # [search.rtt.latest]
    if s.base.phase is not Phase.SLOW_START:
        return newreno.on_ack(s.base, ack)  # [search.slow-start-only]
    outcome = search(s, ack)
    if outcome is not Outcome.EXITED:  # [search.exit.growth]
        newreno.on_ack(s.base, ack)
    return outcome


def search(s: Search, ack: Ack) -> Outcome:
    """Run SEARCH, Algorithm 1 of the paper, for one ACK in slow start, and return the outcome.

    The first ACK starts SEARCH. An ACK after the end of the open bin ends bins, and SEARCH decides whether slow start
    ends (EXITED). Then the bytes of the ACK are added to the bin that is open at its arrival.
    """
    if s.bin_duration == 0:
        return initialise(s, ack)
    outcome = Outcome.SAME_BIN  # [search.bins.same-bin]
    if 20 * ack.t_ns > s.bin_end:
        end_bins(s, 20 * ack.t_ns)
        outcome = evaluate(s)
    s.bins[s.curr % TOTAL_BINS] += ack.bytes  # [search.bins.credit]
    return outcome


def initialise(s: Search, ack: Ack) -> Outcome:
    """Start SEARCH with this ACK: set the bin duration to 0.35 times the latest RTT, and open bin 0 (STARTED).

    Bin 0 contains the bytes of this ACK. Before the first RTT sample, nothing is done (NO_RTT_SAMPLE).
    """
    if s.rtt_ns == 0:
        return Outcome.NO_RTT_SAMPLE  # [search.init.wait-for-sample]
    s.bin_duration = 7 * s.rtt_ns  # [search.init.first-ack]
    s.bin_end = 20 * ack.t_ns + s.bin_duration
    s.curr = 0
    s.bins = [ack.bytes] + [0] * (TOTAL_BINS - 1)
    return Outcome.STARTED


def end_bins(s: Search, now: int) -> None:
    """While now > bin_end, begin the next bin, empty."""
    ended = (now - s.bin_end - 1) // s.bin_duration + 1  # [search.bins.advance]
    s.bin_end += ended * s.bin_duration
    for i in range(s.curr + 1, s.curr + min(ended, TOTAL_BINS) + 1):
        s.bins[i % TOTAL_BINS] = 0
    s.curr += ended


def evaluate(s: Search) -> Outcome:
    """Compare the bytes delivered in the last ten ended bins with twice the bytes in the ten bins one RTT earlier.

    If they are at least 35 % fewer, leave slow start (EXITED). The other outcomes are the reasons why it continues.
    """
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
    """Return the bytes of the bins from ``first`` up to, but not including, ``end``."""
    return sum(s.bins[i % TOTAL_BINS] for i in range(first, end))  # [search.windows.completed]


def exit_slow_start(s: Search) -> Outcome:
    """Lower the window by the bytes delivered in the last two Initial_RTT, the delay of the detection."""
    overshoot = delivered(s, s.curr - OVERSHOOT_BINS, s.curr)  # [search.exit.overshoot]
    s.base.congestion_window = max(s.base.congestion_window - overshoot, s.base.minimum_window)  # [search.exit.floor]
    s.base.ssthresh = s.base.congestion_window  # [search.exit.lower]
    return Outcome.EXITED

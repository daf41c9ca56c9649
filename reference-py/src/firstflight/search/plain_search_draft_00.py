"""SEARCH as in draft-chung-ietf-ccwg-00, "SEARCH 3.0 ALGORITHM", lines 1 to 42.

Corrected as in its authors' code: the loop of line 26 begins after the last completed bin, and fraction (line 16) is
divided by BIN_DURATION. Every index is modulo NUM_BINS. 0 / 0 (line 18) does not exit. prev_seq_num, without initial
value in the draft, is set at the beginning of the first bin. The sequence number of an ACK is the number of bytes
acknowledged so far.

Times are in ticks of 1/20 ns: BIN_DURATION = 3.5 * INITIAL_RTT / 10 is an integer.
"""

from dataclasses import dataclass, field

from firstflight.events import Ack, Event
from firstflight.newreno import plain_newreno_rfc_9002 as newreno
from firstflight.observables import Outcome, Phase

PROFILE = "search/draft-00"

#: Length of both windows, in bins.
W = 10
#: Bins in addition to a window: a larger shift is not evaluated.
EXTRA_BINS = 15
#: The number of bins.
NUM_BINS = W + EXTRA_BINS
#: Length of the overshoot, in bins: 2 * INITIAL_RTT / BIN_DURATION = 40/7, an integer division.
OVERSHOOT_BINS = 5


@dataclass(slots=True)
class Search:
    """Variables of the draft. ``bin_duration``: 0 before the first RTT. ``rtt_ns``: latest RTT, 0 before the first."""

    base: newreno.NewReno
    bin_duration: int = 0
    bin_end: int = 0
    curr_idx: int = -1
    bins: list[int] = field(default_factory=lambda: [0] * NUM_BINS)
    sequence_num: int = 0
    prev_seq_num: int = 0
    rtt_ns: int = 0


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> Search:
    """Begin a connection; the rest of the initialisation needs the INITIAL_RTT."""
    return Search(newreno.begin(max_datagram_size_bytes, initial_window_bytes))


def on_event(s: Search, event: Event) -> Outcome:
    """Process an event. SEARCH uses only ACKs; the base controller processes all other events."""
    if isinstance(event, Ack):
        return ack_arrived(s, event)
    return newreno.on_event(s.base, event)


def ack_arrived(s: Search, ack: Ack) -> Outcome:
    """Run SEARCH, then grow the window: in congestion avoidance if SEARCH has ended slow start."""
    s.sequence_num += ack.bytes  # [search.bins.credit-before] [search.bins.every-phase]
    if ack.latest_rtt_ns is not None:
        s.rtt_ns = max(ack.latest_rtt_ns, 1)  # [search.rtt.latest]
    if s.base.phase is not Phase.SLOW_START:
        return newreno.on_ack(s.base, ack)  # [search.slow-start-only]
    outcome = search(s, 20 * ack.t_ns)
    newreno.on_ack(s.base, ack)  # [search.exit.growth]
    return outcome


def search(s: Search, now: int) -> Outcome:
    """Run lines 10 to 23 of the draft's listing at an ACK: end bins that are over, and compare two windows.

    The later window is the last ten ended bins; the earlier window is ten bins long and ends one RTT earlier. Both
    contain delivered bytes. ``now`` is in ticks of 1/20 ns. Before the first bin, start SEARCH.

    If the later bytes are at least 35 % less than twice the earlier bytes, leave slow start (EXITED). The other
    outcomes are the reasons why slow start continues.
    """
    if s.bin_duration == 0:
        return initialise(s, now)
    if now <= s.bin_end:
        return Outcome.SAME_BIN  # [search.bins.same-bin]
    update_bins(s, now)
    shift, rest = divmod(20 * s.rtt_ns, s.bin_duration)  # [search.shift.round] rest = fraction * BIN_DURATION
    prev_idx = s.curr_idx - shift
    if prev_idx < W:
        return Outcome.WARMING_UP  # [search.guard.warming-up]
    if shift > EXTRA_BINS:
        return Outcome.RTT_INFLATED  # [search.guard.rtt-inflated]
    # Both sums, and so both sides of the comparison, are multiplied by BIN_DURATION.
    curr_delv = sum_bins(s, s.curr_idx - W, s.curr_idx, 0)
    prev_delv = sum_bins(s, prev_idx - W, prev_idx, rest)
    if prev_delv == 0:
        return Outcome.PREVIOUS_ZERO  # [search.previous-zero]
    if 20 * (2 * prev_delv - curr_delv) < 7 * (2 * prev_delv):  # norm_diff < THRESH = 0.35
        return Outcome.BELOW_THRESHOLD  # [search.threshold.below]
    return exit_slow_start(s)  # [search.threshold.reached]


def initialise(s: Search, now: int) -> Outcome:
    """Start SEARCH as in lines 1 to 9 of the draft's listing, once an RTT sample is known: it is INITIAL_RTT.

    The bin duration is 0.35 * INITIAL_RTT, and the first bin ends one bin duration after ``now``. Both ``now`` and the
    bin duration are in ticks of 1/20 ns.
    """
    if s.rtt_ns == 0:
        return Outcome.NO_RTT_SAMPLE  # [search.init.wait-for-sample]
    s.bin_duration = 7 * s.rtt_ns  # [search.init.first-ack]
    s.bin_end = now + s.bin_duration
    s.prev_seq_num = s.sequence_num  # [search.init.before-bin-0]
    return Outcome.STARTED


def update_bins(s: Search, now: int) -> None:
    """End all bins that are over, as in lines 24 to 31 of the draft's listing. The next bin then ends after ``now``.

    The last ended bin gets the bytes acknowledged since the previous update; skipped bins get 0. ``now`` is in ticks of
    1/20 ns.
    """
    passed_bins = (now - s.bin_end) // s.bin_duration + 1  # [search.bins.advance]
    s.bin_end += passed_bins * s.bin_duration
    for i in range(s.curr_idx + 1, s.curr_idx + 1 + min(passed_bins, NUM_BINS)):
        s.bins[i % NUM_BINS] = 0
    s.curr_idx += passed_bins
    s.bins[s.curr_idx % NUM_BINS] = s.sequence_num - s.prev_seq_num
    s.prev_seq_num = s.sequence_num


def sum_bins(s: Search, idx1: int, idx2: int, rest: int) -> int:
    """Return the bytes delivered in a window, times BIN_DURATION (lines 32 to 38 of the draft's listing).

    The window is the bins idx1 + 1 to idx2, moved back by ``rest`` ticks. So bin idx1 counts with the fraction rest /
    BIN_DURATION, bin idx2 with the remaining fraction, and the bins between count whole.
    """
    middle = sum(s.bins[i % NUM_BINS] for i in range(idx1 + 1, idx2))  # [search.windows.aliased]
    first, last = s.bins[idx1 % NUM_BINS], s.bins[idx2 % NUM_BINS]
    return s.bin_duration * middle + rest * first + (s.bin_duration - rest) * last  # [search.interpolation.exact]


def exit_slow_start(s: Search) -> Outcome:
    """Leave slow start (lines 39 to 42 of the listing): lower CWND by the overshoot, set ssthresh to the lowered CWND.

    The overshoot is the bytes of the last five bins. The draft lacks a minimum; a negative window becomes 0.
    """
    overshoot = sum_bins(s, s.curr_idx - OVERSHOOT_BINS, s.curr_idx, 0) // s.bin_duration  # [search.exit.overshoot]
    s.base.congestion_window = max(s.base.congestion_window - overshoot, 0)  # [search.exit.floor-zero]
    s.base.ssthresh = s.base.congestion_window  # [search.exit.lower]
    return Outcome.EXITED

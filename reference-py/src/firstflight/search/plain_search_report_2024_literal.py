"""SEARCH 2.0 as in Algorithm 1 of the project report of 2024, lines 1 to 36, as printed, with LOWER_CWND = TRUE.

The rounding of RTT / BIN_DURATION and 2 * Initial_RTT / BIN_DURATION is not specified: both are integer divisions here.
The copy read is a scan, where a >= can appear as >. The signs of lines 19 and 24 are therefore from the paper of the
same year, which has the same lines. The algorithm does not cover persistent congestion and the growth on the deciding
ACK: the bins are kept, and the window grows.

Times are in ticks of 1/20 ns: BIN_DURATION = 3.5 * Initial_RTT / 10 is an integer.
"""

from dataclasses import dataclass, field

from firstflight.events import Ack, Event
from firstflight.newreno import plain_newreno_rfc_9002 as newreno
from firstflight.observables import Outcome, Phase

PROFILE = "search/report-2024-literal"

#: Length of both windows, in bins.
W = 10
#: Bins in addition to a window: a larger shift is not evaluated.
EXTRA_BINS = 15
#: The number of bins.
NUM_BINS = W + EXTRA_BINS
#: Length of the overshoot, in bins: Initial_RTT * 2 / BIN_DURATION = 40/7, rounded down.
BACK = 5


@dataclass(slots=True)
class Search:
    """Variables of Algorithm 1. ``bin_duration``: 0 before Initialization. ``rtt_ns``: latest RTT, 0 without a sample."""

    base: newreno.NewReno
    bin_duration: int = 0
    bin_end: int = 0
    curr: int = 0
    bins: list[int] = field(default_factory=lambda: [0] * NUM_BINS)
    rtt_ns: int = 0


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> Search:
    """Begin a connection; the rest of the initialisation needs an RTT."""
    return Search(newreno.begin(max_datagram_size_bytes, initial_window_bytes))


def on_event(s: Search, event: Event) -> Outcome:
    """Process an event. SEARCH acts on ACKs in slow start; the base controller does the rest."""
    if not isinstance(event, Ack):
        return newreno.on_event(s.base, event)
    if event.latest_rtt_ns is not None:
        s.rtt_ns = max(event.latest_rtt_ns, 1)  # [search.rtt.latest]
    if s.base.phase is not Phase.SLOW_START:
        return newreno.on_ack(s.base, event)  # [search.slow-start-only]
    outcome = each_acknowledgement(s, event)
    newreno.on_ack(s.base, event)  # [search.exit.growth]
    return outcome


def each_acknowledgement(s: Search, ack: Ack) -> Outcome:
    """Process an ACK in slow start as in lines 9 to 17 and 36 of Algorithm 1. The first RTT starts SEARCH.

    An ACK after the end of the open bin ends this bin, opens the next one, and compares the windows. Then the bytes of
    the ACK are added to the open bin.
    """
    if s.bin_duration == 0 and s.rtt_ns == 0:
        return Outcome.NO_RTT_SAMPLE  # [search.init.wait-for-sample]
    outcome = Outcome.SAME_BIN  # [search.bins.same-bin]
    if s.bin_duration == 0:
        s.bin_duration = 7 * s.rtt_ns  # [search.init.first-ack]
        s.bin_end = 20 * ack.t_ns + s.bin_duration
        outcome = Outcome.STARTED
    elif 20 * ack.t_ns > s.bin_end:
        s.bin_end += s.bin_duration  # [search.bins.advance] one step for each acknowledgement
        s.curr += 1
        s.bins[s.curr % NUM_BINS] = 0
        outcome = check(s)
    s.bins[s.curr % NUM_BINS] += ack.bytes  # [search.bins.credit]
    return outcome


def check(s: Search) -> Outcome:
    """Compare the bytes delivered in the last eleven bins and in the eleven bins one RTT earlier (lines 18 to 33).

    The last bin is the open one, still empty. If (2 * earlier - last) / (2 * earlier) is at least 0.35, set ssthresh to
    cwnd minus the overshoot, at least 0 (EXITED); cwnd stays. The overshoot is the bytes of the last five ended bins.
    Other outcomes are the reasons why slow start continues.
    """
    shift = 20 * s.rtt_ns // s.bin_duration  # [search.shift.round]
    prev = s.curr - shift
    if prev < W:
        return Outcome.WARMING_UP  # [search.guard.warming-up]
    if shift > EXTRA_BINS:
        return Outcome.RTT_INFLATED  # [search.guard.rtt-inflated]
    curr_delv = delivered(s, s.curr - W, s.curr)
    prev_delv = delivered(s, prev - W, prev)
    if prev_delv == 0:
        return Outcome.PREVIOUS_ZERO  # ours: the text divides by it
    if 20 * (2 * prev_delv - curr_delv) < 7 * (2 * prev_delv):  # norm_diff < THRESH = 0.35
        return Outcome.BELOW_THRESHOLD  # [search.threshold.below]
    overshoot = delivered(s, s.curr - BACK, s.curr)  # [search.exit.overshoot]
    lowered = s.base.congestion_window - overshoot
    s.base.ssthresh = max(lowered, 0)  # [search.exit.lower-threshold] [search.exit.floor-zero]
    return Outcome.EXITED  # [search.threshold.reached]


def delivered(s: Search, first: int, last: int) -> int:
    """Return the bytes of the bins from ``first`` to ``last`` inclusive. Bin i is in slot i modulo 25.

    A bin 25 or more before the open bin is overwritten: its slot contains the bytes of a later bin.
    """
    numbers = range(first, last + 1)
    return sum(s.bins[i % NUM_BINS] for i in numbers)  # [search.windows.through-open] [search.windows.aliased]

"""SEARCH 2.0 as in the listing of the project report of 2024, appendix A (its code for quicly), and section 4.4.

Names are as in the listing. Times are in ns, and a bin lasts at least 1 ns. bin_shift and bin_rounds have eight bits in
the listing and are unbounded here. The surrounding code of quicly is left out: each ACK counts, and its RTT is the
sample as measured. The listing does not cover persistent congestion. Whether the exit lowers the window is open
(LOWER_CWND of Algorithm 1); the listing lowers nothing.
"""

from dataclasses import dataclass, field

from firstflight.events import Ack, Event
from firstflight.newreno import plain_newreno_rfc_9002 as newreno
from firstflight.observables import Outcome, Phase

PROFILE = "search/report-2024"

#: Length of both windows, in bins.
DELV_BIN_COUNT = 10
#: The number of bins. A shift is evaluated while both windows fit in them.
SENT_BIN_COUNT = 25


@dataclass(slots=True)
class Search:
    """State of SEARCH 2.0. The report's code for quicly calls the algorithm search20delv.

    ``bin_time``: duration of a bin in ns, 0 before SEARCH starts. ``latest``: the latest RTT in ns, 0 before the first.
    """

    base: newreno.NewReno
    delv_bins: list[int] = field(default_factory=lambda: [0] * SENT_BIN_COUNT)
    bin_end: int = 0
    bin_time: int = 0
    bin_rounds: int = 0
    latest: int = 0


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> Search:
    """Begin a connection in slow start."""
    return Search(newreno.begin(max_datagram_size_bytes, initial_window_bytes))


def on_event(s: Search, event: Event) -> Outcome:
    """Process an event. SEARCH acts on ACKs in slow start; the base controller does the rest."""
    if not isinstance(event, Ack):
        return newreno.on_event(s.base, event)
    if event.latest_rtt_ns is not None:
        s.latest = max(event.latest_rtt_ns, 1)  # [search.rtt.latest]
    if s.base.phase is not Phase.SLOW_START:
        return newreno.on_ack(s.base, event)  # [search.slow-start-only]
    outcome = search(s, event.t_ns)
    if outcome is Outcome.EXITED:
        return outcome  # [search.exit.bin-left-open] [search.exit.growth] the listing returns here
    s.delv_bins[s.bin_rounds % SENT_BIN_COUNT] += event.bytes if s.bin_time else 0  # [search.bins.credit]
    newreno.on_ack(s.base, event)
    return outcome


def search(s: Search, now: int) -> Outcome:
    """Run the report's listing at an ACK, except its last step, which adds the bytes of the ACK to the open bin.

    Start SEARCH with the first RTT, restart it after a long gap, or end the bins that are over and compare the windows.
    EXITED sets ssthresh to the window. The other outcomes are the reasons why slow start continues.
    """
    if s.latest == 0:
        return Outcome.NO_RTT_SAMPLE  # [search.init.wait-for-sample]
    if s.bin_time == 0:
        reset(s, now)
        return Outcome.STARTED
    if (now - s.bin_end) // s.bin_time > SENT_BIN_COUNT:
        reset(s, now)  # [search.missed-bins] section 4.4: a gap of more than all bins
        return Outcome.RESTARTED
    while now - s.bin_time > s.bin_end:
        roll(s)  # [search.bins.advance] section 4.4: skipped bins are 0
    if now <= s.bin_end:
        return Outcome.SAME_BIN  # [search.bins.same-bin]
    outcome = evaluate(s)
    if outcome is Outcome.EXITED:
        s.base.ssthresh = s.base.congestion_window  # [search.exit.lower-nothing]
    else:
        roll(s)
    return outcome


def reset(s: Search, now: int) -> None:
    """Start or restart SEARCH with bin 0, from ``now`` in ns.

    The duration of a bin becomes 35 % of the latest RTT, at least 1 ns. Other bins are emptied when they begin.
    """
    s.bin_time = max(35 * s.latest // 100, 1)  # [search.init.coarse-duration]
    s.bin_end = now + s.bin_time
    s.delv_bins[0] = 0
    s.bin_rounds = 0


def roll(s: Search) -> None:
    """Begin the next bin, empty."""
    s.bin_end += s.bin_time
    s.bin_rounds += 1
    s.delv_bins[s.bin_rounds % SENT_BIN_COUNT] = 0


def evaluate(s: Search) -> Outcome:
    """Compare the bytes of the last ten ended bins with the bytes of the ten bins one RTT earlier.

    Return EXITED if the normalised difference, (2 * earlier - last) / (2 * earlier), exceeds 0.35. Otherwise return the
    reason why slow start continues.
    """
    bin_shift, rest = divmod(s.latest, s.bin_time)  # [search.shift.round]
    if bin_shift == 0:
        bin_shift = 1  # [search.shift.minimum]
    elif rest > s.bin_time // 2:
        bin_shift += 1
    if s.bin_rounds < DELV_BIN_COUNT + bin_shift:
        return Outcome.WARMING_UP  # [search.guard.warming-up]
    if bin_shift >= SENT_BIN_COUNT - DELV_BIN_COUNT:
        return Outcome.RTT_INFLATED  # [search.guard.rtt-inflated]
    rounds = range(s.bin_rounds - DELV_BIN_COUNT + 1, s.bin_rounds + 1)
    delv_sum = sum(s.delv_bins[i % SENT_BIN_COUNT] for i in rounds)  # [search.windows.completed]
    shift_delv_sum = sum(s.delv_bins[(i - bin_shift) % SENT_BIN_COUNT] for i in rounds)
    if shift_delv_sum < 1:
        return Outcome.PREVIOUS_ZERO  # [search.previous-zero]
    if 20 * (2 * shift_delv_sum - delv_sum) > 7 * (2 * shift_delv_sum):  # normalized_diff > 0.35
        return Outcome.EXITED  # [search.threshold.strict]
    return Outcome.BELOW_THRESHOLD  # [search.threshold.below]

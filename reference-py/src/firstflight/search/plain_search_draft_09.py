"""SEARCH as in draft-chung-ccwg-search-09, reconstructed from implementations and their discussion.

Only the abstract of the draft was read; the rest was not found. The previous window is interpolated backward, as in
neqo: a comment there calls the forward interpolation of the text a mistake. The optional restart after missed bins is
omitted. The drain is as in Linux 4, in bytes. In ticks of 1/20 ns BIN_DURATION, 0.35 * INITIAL_RTT, is exact.
"""

from dataclasses import dataclass, field

from firstflight.events import Ack, Event, PersistentCongestion, Sent
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.newreno import plain_newreno_rfc_9002 as newreno
from firstflight.observables import Outcome, Phase

PROFILE = "search/draft-09"
#: Length of both windows, in bins.
W = 10
#: Bins of sent bytes in addition to a window. A shift of EXTRA_BINS or more is not evaluated.
EXTRA_BINS = 15
#: Threshold of norm_diff, in percent.
THRESH_PERCENT = 26
#: Times of bins are in ticks of 1/20 ns, so that BIN_DURATION is exact.
TICKS_PER_NS = 20
#: BIN_DURATION, 0.35 * INITIAL_RTT, in ticks: 20 * 0.35.
BIN_TICKS_PER_RTT_NS = 7
#: The drain target is the data acknowledged in this number of bins: INITIAL_RTT / BIN_DURATION = 20/7, rounded up.
TARGET_BINS = 3
#: The smallest drain target.
TARGET_MINIMUM_PACKETS = 10
#: Acknowledged packets per packet that the drain releases.
DRAIN_PACKETS = 3


@dataclass(slots=True)
class Search:
    """State of SEARCH and of the controller below it."""

    base: newreno.NewReno
    #: BIN_DURATION in ticks of 1/20 ns; 0 before the INITIAL_RTT is known, and after a restart.
    bin_duration: int = 0
    #: End of the open bin, in ticks of 1/20 ns.
    bin_end: int = 0
    #: Index of the last bin that has ended; the same number as ``curr`` in the rules.
    #: Bin 0 ends when SEARCH starts, so bin i here is bin i - 1 in the rules.
    curr_idx: int = 0
    #: Ring of the totals of acknowledged bytes at the ends of bins, in bytes; bin i is in slot i modulo the length.
    #: The window S(i) of the rules is the total of bin i minus the total of bin i - W.
    acked_bins: list[int] = field(default_factory=lambda: [0] * (W + 1))
    #: Ring of the totals of sent bytes at the ends of bins, in bytes.
    sent_bins: list[int] = field(default_factory=lambda: [0] * (W + 1 + EXTRA_BINS))
    #: All acknowledged bytes of the connection, in every phase.
    acked_bytes: int = 0
    #: All sent bytes of the connection, in every phase.
    sent_bytes: int = 0
    #: The latest RTT sample; 0 before the first.
    rtt_ns: int = 0
    #: Target of the drain, in bytes; 0 while not draining.
    target_cwnd: int = 0
    #: Packets acknowledged since the drain last released a packet.
    drained_packets: int = 0


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> Search:
    """Begin slow start; SEARCH waits for its INITIAL_RTT."""
    return Search(newreno.begin(max_datagram_size_bytes, initial_window_bytes))


def on_event(s: Search, event: Event) -> Outcome:
    """Process an event: SEARCH counts bytes and acts on ACKs in slow start; the base controller does the rest.

    App-limited ACKs are no exception. Bytes counted in other phases do not matter: persistent congestion, which leads
    back to slow start, restarts SEARCH. The base controller does not process the ACK that begins the drain (EXITED) and
    the ACKs of the drain. These ACKs arrive in slow start, so they cannot end a recovery period.
    """
    match event:
        case Ack():
            s.acked_bytes += event.bytes  # [search.bins.credit-before]
            s.rtt_ns = s.rtt_ns if event.latest_rtt_ns is None else max(event.latest_rtt_ns, 1)  # [search.rtt.latest]
            if s.base.phase is Phase.SLOW_START:  # [search.slow-start-only]
                outcome = drain(s, event) if s.target_cwnd > 0 else search(s, TICKS_PER_NS * event.t_ns)
                if outcome not in (Outcome.EXITED, Outcome.DRAINING, Outcome.DRAINED):
                    newreno.on_ack(s.base, event)  # after SEARCH; the window does not grow while draining
                return outcome
        case Sent():
            s.sent_bytes += event.bytes  # [search.bins.sent]
        case PersistentCongestion():
            s.bin_duration = s.target_cwnd = s.drained_packets = 0  # [search.restart] with the next ACK in slow start
    return newreno.on_event(s.base, event)


def search(s: Search, now: int) -> Outcome:
    """At the end of a bin compare the bytes sent one RTT earlier with the bytes delivered, in windows of ten bins."""
    if s.rtt_ns == 0:
        return Outcome.NO_RTT_SAMPLE  # [search.init.wait-for-sample]
    if s.bin_duration == 0:
        s.bin_duration, s.bin_end, s.curr_idx = BIN_TICKS_PER_RTT_NS * s.rtt_ns, now, -1  # [search.init.first-ack]
        update_bins(s, now)  # [search.init.before-bin-0] bin 0 ends at once
        return Outcome.STARTED
    if now <= s.bin_end:
        return Outcome.SAME_BIN  # [search.bins.same-bin]
    update_bins(s, now)
    shift, rest = divmod(TICKS_PER_NS * s.rtt_ns, s.bin_duration)  # [search.shift.round] rest = fraction * BIN_DURATION
    prev = s.curr_idx - shift
    if prev <= W:
        return Outcome.WARMING_UP  # [search.guard.warming-up]
    if shift >= EXTRA_BINS:
        return Outcome.RTT_INFLATED  # [search.guard.rtt-inflated]
    prev_sent = (s.bin_duration - rest) * window(s.sent_bins, prev) + rest * window(s.sent_bins, prev - 1)
    curr_delv = s.bin_duration * window(s.acked_bins, s.curr_idx)  # [search.interpolation.exact]
    if prev_sent == 0:
        return Outcome.PREVIOUS_ZERO  # [search.previous-zero]
    if 100 * (prev_sent - curr_delv) < THRESH_PERCENT * prev_sent:  # norm_diff < 0.26
        return Outcome.BELOW_THRESHOLD  # [search.threshold.below]
    least = TARGET_MINIMUM_PACKETS * s.base.max_datagram_size
    s.target_cwnd = max(window(s.acked_bins, s.curr_idx, TARGET_BINS), least)  # [search.drain.target]
    return Outcome.EXITED  # [search.threshold.reached] [search.drain.no-growth]


def update_bins(s: Search, now: int) -> None:
    """End the passed bins: the last with the present totals, the others with the totals of the bin before them."""
    passed_bins = (now - s.bin_end) // s.bin_duration + 1  # [search.bins.advance]
    s.bin_end += passed_bins * s.bin_duration
    end_bins(s.acked_bins, s.curr_idx, passed_bins, s.acked_bytes)
    end_bins(s.sent_bins, s.curr_idx, passed_bins, s.sent_bytes)
    s.curr_idx += passed_bins


def end_bins(bins: list[int], idx: int, passed_bins: int, total: int) -> None:
    """Write the passed bins after ``idx`` to a ring: the last with this total, the others with the total of ``idx``."""
    total_of_idx = bins[idx % len(bins)]
    for back in range(1, min(passed_bins, len(bins))):
        bins[(idx + passed_bins - back) % len(bins)] = total_of_idx
    bins[(idx + passed_bins) % len(bins)] = total


def window(bins: list[int], idx: int, size: int = W) -> int:
    """Return the bytes of the ``size`` bins up to ``idx``: a difference of totals."""
    return bins[idx % len(bins)] - bins[(idx - size) % len(bins)]  # [search.windows.completed]


def drain(s: Search, ack: Ack) -> Outcome:
    """Lower the window by releasing one packet per three acknowledged, until it is at the target; then slow start ends.

    The window becomes the bytes in flight plus the packets that this ACK releases, but at least the target,
    ``target_cwnd``. The target is the bytes acknowledged in the three bins before the drain (about one INITIAL_RTT), at
    least 10 packets. If the sum is at most the target, the drain ends with this ACK, even with its first ACK.
    """
    acked = s.drained_packets + sum(run.count for run in ack.packets)
    packets, s.drained_packets = divmod(acked, DRAIN_PACKETS)
    flight = min(ack.bytes_in_flight + packets * s.base.max_datagram_size, WINDOW_MAX_BYTES)
    s.base.congestion_window = max(flight, s.target_cwnd)  # [search.drain.step]
    if flight > s.target_cwnd:
        return Outcome.DRAINING
    s.base.ssthresh = s.target_cwnd  # [search.drain.end]
    s.bin_duration = s.target_cwnd = s.drained_packets = 0  # as in a restart
    return Outcome.DRAINED

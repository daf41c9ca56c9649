"""SEARCH as in draft-chung-ccwg-search-09, as far as code that carries it out and the discussion of that code show it.

The bins hold totals, and what was sent one RTT ago is compared with what is delivered now. The previous window is interpolated backward;
forward, as in the text, is a mistake that its authors have acknowledged. Slow start ends through a drain towards the bytes delivered in the
last INITIAL_RTT. Times are in ticks of 1/20 ns, in which BIN_DURATION = 3.5 * INITIAL_RTT / 10 is an integer.
"""

from dataclasses import dataclass, field

from firstflight.events import Ack, Ce, Event, Lost, PersistentCongestion, Sent
from firstflight.observables import Outcome, Phase
from firstflight.plain import newreno_rfc_9002 as newreno

PROFILE = "search/draft-09"

W = 10
EXTRA_BINS = 15
NUM_BINS = W + 1 + EXTRA_BINS
TARGET_BINS = 3  # INITIAL_RTT / BIN_DURATION = 20/7, rounded up


@dataclass(slots=True)
class Search:
    """``bin_duration`` is 0 before the first RTT; ``rtt_ns``: the latest. ``target_cwnd`` is 0 unless the window is drained."""

    base: newreno.NewReno
    bin_duration: int = 0
    bin_end: int = 0
    curr_idx: int = 0
    acked_bins: list[int] = field(default_factory=lambda: [0] * NUM_BINS)
    sent_bins: list[int] = field(default_factory=lambda: [0] * NUM_BINS)
    acked_bytes: int = 0
    sent_bytes: int = 0
    rtt_ns: int = 0
    target_cwnd: int = 0
    drained_packets: int = 0


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> Search:
    """A connection begins with slow start; SEARCH is initialised at the first RTT."""
    return Search(newreno.begin(max_datagram_size_bytes, initial_window_bytes))


def on_event(s: Search, event: Event) -> Outcome:
    """SEARCH counts, and acts on acknowledgements in slow start; all else is the base controller's."""
    match event:
        case Ack():
            return on_ack(s, event)
        case Sent():
            s.sent_bytes += event.bytes
        case Lost() | Ce():
            s.target_cwnd = 0
        case PersistentCongestion():
            s.bin_duration = s.target_cwnd = 0
    return newreno.on_event(s.base, event)


def on_ack(s: Search, ack: Ack) -> Outcome:
    """Run SEARCH, and unless it ends slow start let the window grow."""
    s.acked_bytes += ack.bytes
    if ack.latest_rtt_ns is not None:
        s.rtt_ns = max(ack.latest_rtt_ns, 1)
    if s.target_cwnd:
        return drain(s, ack)
    if s.base.phase is not Phase.SLOW_START:
        return newreno.on_ack(s.base, ack)
    outcome = search(s, 20 * ack.t_ns)
    if outcome is not Outcome.EXITED:
        newreno.on_ack(s.base, ack)
    return outcome


def search(s: Search, now: int) -> Outcome:
    """At the end of a bin, compare what was sent in the window one RTT ago with what was delivered in the window up to now."""
    if s.bin_duration == 0:
        return initialise(s, now)
    if now <= s.bin_end:
        return Outcome.SAME_BIN
    update_bins(s, now)
    shift, rest = divmod(20 * s.rtt_ns, s.bin_duration)  # rest: fraction * BIN_DURATION
    prev_idx = s.curr_idx - shift
    if shift >= EXTRA_BINS:
        return Outcome.RTT_INFLATED
    if prev_idx <= W:
        return Outcome.WARMING_UP
    # Both, and so both sides of the comparison, are multiplied by BIN_DURATION.
    curr_delv = s.bin_duration * window(s.acked_bins, s.curr_idx, W)
    prev_sent = rest * window(s.sent_bins, prev_idx - 1, W) + (s.bin_duration - rest) * window(s.sent_bins, prev_idx, W)
    if prev_sent == 0:
        return Outcome.PREVIOUS_ZERO
    if 100 * (prev_sent - curr_delv) < 26 * prev_sent:  # norm_diff < THRESH = 0.26
        return Outcome.BELOW_THRESHOLD
    s.target_cwnd = max(window(s.acked_bins, s.curr_idx, TARGET_BINS), 10 * s.base.max_datagram_size)
    s.drained_packets = 0
    return Outcome.EXITED


def initialise(s: Search, now: int) -> Outcome:
    """The first RTT is the INITIAL_RTT; bin 0 ends at once."""
    if s.rtt_ns == 0:
        return Outcome.NO_RTT_SAMPLE
    s.bin_duration = 7 * s.rtt_ns
    s.bin_end = now + s.bin_duration
    s.curr_idx = 0
    s.acked_bins[0], s.sent_bins[0] = s.acked_bytes, s.sent_bytes
    return Outcome.STARTED


def update_bins(s: Search, now: int) -> None:
    """End the bins that have passed: those before the last hold what the bin before them holds."""
    passed_bins = (now - s.bin_end) // s.bin_duration + 1
    s.bin_end += passed_bins * s.bin_duration
    last_acked, last_sent = s.acked_bins[s.curr_idx % NUM_BINS], s.sent_bins[s.curr_idx % NUM_BINS]
    s.curr_idx += passed_bins
    for i in range(s.curr_idx - min(passed_bins, NUM_BINS) + 1, s.curr_idx):
        s.acked_bins[i % NUM_BINS], s.sent_bins[i % NUM_BINS] = last_acked, last_sent
    s.acked_bins[s.curr_idx % NUM_BINS], s.sent_bins[s.curr_idx % NUM_BINS] = s.acked_bytes, s.sent_bytes


def window(bins: list[int], idx: int, size: int) -> int:
    """The bytes of the ``size`` bins up to ``idx``."""
    return bins[idx % NUM_BINS] - bins[(idx - size) % NUM_BINS]


def drain(s: Search, ack: Ack) -> Outcome:
    """Let one packet leave for three acknowledged, until the window is the target: the end of slow start."""
    s.drained_packets += sum(run.count for run in ack.packets)
    packets, s.drained_packets = divmod(s.drained_packets, 3)
    s.base.congestion_window = max(ack.bytes_in_flight + packets * s.base.max_datagram_size, s.target_cwnd)
    if s.base.congestion_window > s.target_cwnd:
        return Outcome.DRAINING
    s.base.ssthresh = s.target_cwnd
    s.target_cwnd = 0
    return Outcome.DRAINED

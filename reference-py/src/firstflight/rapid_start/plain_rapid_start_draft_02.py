"""draft-kazuho-ccwg-rapid-start-02, section 3: Rapid Start, on NewReno.

beta is 1/2, so the factors of 3.3.1 are 5/6, 1/3 and 5/6. rtt_floor is currentRoundMinRTT of HyStart++, one of the ways
in 3.2. Each statement of the pseudocode rounds the window down. Recovery does not stop at the initial window, which 3.3
permits, and the sender does the pacing of 3.1. "Open": the text leaves the choice to the implementer; the page gives
the reasons for the choice here.
"""

from dataclasses import dataclass

from firstflight.events import Ack, Ce, Event, Lost, PersistentCongestion
from firstflight.newreno import plain_newreno_rfc_9002 as newreno
from firstflight.observables import Outcome

PROFILE = "rapid-start/draft-02"

#: Added to the minimum RTT in the test of the delay: 4 ms.
ADDITIVE_NS = 4_000_000
#: Above every RTT, in ns.
INFINITY = 2**60


@dataclass(slots=True)
class RapidStart:
    """State of Rapid Start on the base controller NewReno; RTTs in ns, windows in bytes.

    ``startup``: before the first congestion signal. ``first_recovery``: in the recovery period that it began.
    """

    base: newreno.NewReno
    startup: bool = True
    first_recovery: bool = False
    min_rtt: int = INFINITY
    rtt_floor: int = INFINITY
    window_end: int = 0
    pre_recovery_cwnd: int = 0


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> RapidStart:
    """Begin without RTTs; the first ACK begins a round."""
    return RapidStart(newreno.begin(max_datagram_size_bytes, initial_window_bytes))  # [rapid-start.begin]


def on_event(s: RapidStart, event: Event) -> Outcome:
    """Process one event in place; return its outcome. The base controller processes events without a rule here."""
    match event:
        case Ack() if s.startup:
            return on_ack(s, event)
        case Ack() if s.first_recovery:
            return on_recovery_ack(s, event)
        case Lost(pmtu_probe=True):
            return newreno.on_event(s.base, event)
        case Lost() | Ce() if s.startup or s.first_recovery:
            return on_congestion(s, event)
        case PersistentCongestion():
            s.startup = s.first_recovery = False  # [rapid-start.persistent] open
    return newreno.on_event(s.base, event)  # [rapid-start.over]


def on_ack(s: RapidStart, ack: Ack) -> Outcome:
    """3.2: grow the window by an ACK before the first loss or CE mark; return the outcome.

    Each acknowledged byte adds two bytes while no queue is building up, and otherwise one. The RTT sample of this ACK
    already counts in the test for a queue; the draft leaves this open. An app-limited ACK does not grow the window (RFC
    9002, section 7.8).
    """
    if ack.packets[-1].last >= s.window_end:
        start_round(s, ack.next_packet)
    if ack.min_rtt_ns is not None:
        s.min_rtt = ack.min_rtt_ns  # [rapid-start.min-rtt]
    if ack.latest_rtt_ns is not None:
        s.rtt_floor = min(s.rtt_floor, ack.latest_rtt_ns)
    if ack.app_limited:
        return Outcome.APP_LIMITED  # [slow-start.app-limited]
    if no_queue(s):
        newreno.increase(s.base, 2 * ack.bytes)  # [rapid-start.grow.three]
        return Outcome.RAPID_GROWN
    newreno.increase(s.base, ack.bytes)  # [rapid-start.grow.two]
    return Outcome.GROWN


def start_round(s: RapidStart, snd_nxt: int) -> None:
    """RFC 9406, section 4.2: begin a round, once the packet windowEnd is acknowledged.

    Set windowEnd to ``snd_nxt``, the number of the next packet to be sent. Set currentRoundMinRTT, the smallest RTT
    sample of the round, to infinity.
    """
    s.window_end = snd_nxt
    s.rtt_floor = INFINITY  # [rapid-start.floor.round]


def no_queue(s: RapidStart) -> bool:
    """3.2: rtt_floor, the smallest RTT sample of the round, is at most queue_buildup_thresh.

    queue_buildup_thresh is the smaller of min_rtt + 4 ms and min_rtt * 1.10. Without an RTT sample return false.
    """
    if s.min_rtt == INFINITY:
        return False  # [rapid-start.floor.none] open
    return s.rtt_floor <= s.min_rtt + ADDITIVE_NS and 10 * s.rtt_floor <= 11 * s.min_rtt  # [rapid-start.threshold]


def on_congestion(s: RapidStart, event: Lost | Ce) -> Outcome:
    """3.3: process a loss or CE mark before or in the first recovery; return the outcome.

    The first signal begins the recovery. In it each loss of a packet sent before it reduces the window further,
    including the losses that began it. A signal for a packet sent in the recovery begins another recovery, by NewReno,
    and ends Rapid Start.
    """
    begins = s.startup
    if begins:
        enter_recovery(s)
        s.startup, s.first_recovery = False, True
        s.base.congestion_recovery_start_time, s.base.in_recovery = event.t_ns, True
    outcome = newreno.on_event(s.base, event)
    if outcome is Outcome.REDUCED:
        s.first_recovery = False  # [rapid-start.recovery.second]
    elif isinstance(event, Lost):
        outcome = on_recovery_lost(s, event)
    return Outcome.REDUCED if begins else outcome


def enter_recovery(s: RapidStart) -> None:
    """3.3: begin the first recovery: cwnd *= silence_factor, which is 5/6, but not below ``lower_bound``."""
    s.pre_recovery_cwnd = s.base.congestion_window
    s.base.congestion_window = max(5 * s.pre_recovery_cwnd // 6, lower_bound(s))  # [rapid-start.recovery.begin]
    s.base.ssthresh = s.base.congestion_window


def on_recovery_ack(s: RapidStart, ack: Ack) -> Outcome:
    """3.3: in the first recovery, reduce cwnd by ack_factor * bytes_newly_acked; ack_factor is 1/3.

    Only the bytes of packets sent before the recovery count; the draft leaves this open. The product is rounded up. The
    ACK of a packet sent in the recovery ends it; NewReno then grows the window by such packets.
    """
    old = [run for run in ack.packets if newreno.in_congestion_recovery(s.base, run.sent_t_ns)]
    reduced = Outcome.UNCHANGED
    if old:
        acked = sum(run.count * run.size_bytes for run in old)  # [rapid-start.recovery.ending-ack]
        reduced = reduce(s, -(-acked // 3))  # [rapid-start.recovery.ack]
    outcome = newreno.on_ack(s.base, ack)
    s.first_recovery = s.base.in_recovery  # [rapid-start.recovery.end]
    return reduced if s.first_recovery else outcome


def on_recovery_lost(s: RapidStart, lost: Lost) -> Outcome:
    """3.3: in the first recovery, reduce cwnd by loss_factor * bytes_newly_lost; loss_factor is 5/6."""
    return reduce(s, -(-5 * lost.bytes // 6))  # [rapid-start.recovery.lost]


def reduce(s: RapidStart, less: int) -> Outcome:
    """Subtract ``less`` bytes from the window, down to ``lower_bound``; return the outcome.

    The outcome is REDUCED_FURTHER, or LOWER_BOUND_KEPT if the bound limits the reduction. The threshold ssthresh
    becomes equal to the window, so that congestion avoidance follows the recovery; the draft leaves this open.
    """
    window = s.base.congestion_window - less
    s.base.congestion_window = max(window, lower_bound(s))
    s.base.ssthresh = s.base.congestion_window  # [rapid-start.recovery.threshold]
    return Outcome.REDUCED_FURTHER if window == s.base.congestion_window else Outcome.LOWER_BOUND_KEPT


def lower_bound(s: RapidStart) -> int:
    """Return the lowest window in the first recovery: the larger of two bounds, in bytes.

    3.3: one is pre_recovery_cwnd * beta / 3, rounded up: a sixth of the window before the recovery. The other is the
    minimum window of RFC 9002.
    """
    return max(-(-s.pre_recovery_cwnd // 6), s.base.minimum_window)  # [rapid-start.bound] [rapid-start.bound.minimum]

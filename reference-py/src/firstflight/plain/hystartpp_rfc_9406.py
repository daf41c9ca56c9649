"""RFC 9406, section 4: HyStart++ on NewReno.

Packet numbers stand for sequence numbers: SND.NXT is the number of the next packet. The sender paces, so that L is unlimited.
"""

from dataclasses import dataclass
from fractions import Fraction

from firstflight.events import Ack, Event
from firstflight.observables import Outcome, Phase
from firstflight.plain import newreno_rfc_9002 as newreno

PROFILE = "hystartpp/rfc-9406"

MIN_RTT_THRESH = 4_000_000
MAX_RTT_THRESH = 16_000_000
MIN_RTT_DIVISOR = 8
N_RTT_SAMPLE = 8
CSS_GROWTH_DIVISOR = 4
CSS_ROUNDS = 5
INFINITY = 2**60


@dataclass(slots=True)
class HyStartPP:
    """The variables of 4.2, and whether the sender is in CSS and for how many rounds."""

    base: newreno.NewReno
    last_round_min_rtt: int = INFINITY
    current_round_min_rtt: int = INFINITY
    rtt_sample_count: int = 0
    window_end: int = 0
    css_baseline_min_rtt: int = INFINITY
    in_css: bool = False
    css_rounds: int = 0

    @property
    def phase(self) -> Phase:
        """That of the base controller, or CSS."""
        return Phase.CONSERVATIVE_SLOW_START if self.in_css else self.base.phase


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> HyStartPP:
    """Nothing was sent yet: windowEnd = SND.NXT = 0."""
    return HyStartPP(newreno.begin(max_datagram_size_bytes, initial_window_bytes))


def on_event(s: HyStartPP, event: Event) -> Outcome:
    """Only the acknowledgements of the initial slow start are HyStart++'s; loss and ECN end it in the base controller."""
    if isinstance(event, Ack) and s.base.ssthresh is None:
        return on_ack(s, event)
    outcome = newreno.on_event(s.base, event)
    if s.base.ssthresh is not None:
        s.in_css = False
    return outcome


def on_ack(s: HyStartPP, ack: Ack) -> Outcome:
    """4.2: for each arriving ACK in slow start and in CSS."""
    if ack.packets[-1].last >= s.window_end:
        start_round(s, ack.next_packet)
    outcome = update_cwnd(s, ack)
    if ack.latest_rtt_ns is not None:
        s.current_round_min_rtt = min(s.current_round_min_rtt, ack.latest_rtt_ns)
        s.rtt_sample_count += 1
    if s.rtt_sample_count >= N_RTT_SAMPLE:
        if s.in_css and s.current_round_min_rtt < s.css_baseline_min_rtt:
            s.css_baseline_min_rtt = INFINITY
            s.in_css = False
            return Outcome.SLOW_START_RESUMED
        if not s.in_css and delay_increased(s):
            s.css_baseline_min_rtt = s.current_round_min_rtt
            s.in_css = True
            s.css_rounds = 0
            return Outcome.CONSERVATIVE_BEGUN
    if s.in_css and s.css_rounds == CSS_ROUNDS:
        s.base.ssthresh = s.base.congestion_window
        s.in_css = False
        return Outcome.EXITED
    return outcome


def start_round(s: HyStartPP, snd_nxt: int) -> None:
    """4.2: when windowEnd is acknowledged, the current round ends."""
    s.window_end = snd_nxt
    s.last_round_min_rtt = s.current_round_min_rtt
    s.current_round_min_rtt = INFINITY
    s.rtt_sample_count = 0
    if s.in_css:
        s.css_rounds += 1


def update_cwnd(s: HyStartPP, ack: Ack) -> Outcome:
    """4.2; RFC 9002, section 7.8, holds here too."""
    if ack.app_limited:
        return Outcome.APP_LIMITED
    if s.in_css:
        newreno.increase(s.base, ack.bytes // CSS_GROWTH_DIVISOR)
        return Outcome.CONSERVATIVE_GROWN
    newreno.increase(s.base, ack.bytes)
    return Outcome.GROWN


def delay_increased(s: HyStartPP) -> bool:
    """4.2: whether the delay increase triggers the exit from slow start."""
    if s.current_round_min_rtt == INFINITY or s.last_round_min_rtt == INFINITY:
        return False
    rtt_thresh = max(MIN_RTT_THRESH, min(Fraction(s.last_round_min_rtt, MIN_RTT_DIVISOR), MAX_RTT_THRESH))
    return s.current_round_min_rtt >= s.last_round_min_rtt + rtt_thresh

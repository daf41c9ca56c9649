"""RFC 9406, section 4: HyStart++ on NewReno.

Packet numbers replace sequence numbers: SND.NXT is the number of the next packet. The sender paces, so L is unlimited.
Written from draft -04, available in full, and from quotations of section 4 of the RFC in public code.
"""

from dataclasses import dataclass
from fractions import Fraction

from firstflight.events import Ack, Event
from firstflight.newreno import plain_newreno_rfc_9002 as newreno
from firstflight.observables import Outcome, Phase

PROFILE = "hystartpp/rfc-9406"

#: Lower bound of RttThresh (section 4.3), in ns.
MIN_RTT_THRESH = Fraction(4_000_000)
#: Upper bound of RttThresh (section 4.3), in ns.
MAX_RTT_THRESH = Fraction(16_000_000)
#: RttThresh is the minimum RTT of the last round divided by this number (section 4.3).
MIN_RTT_DIVISOR = 8
#: RTT samples per round before its delay is compared (section 4.3).
N_RTT_SAMPLE = 8
#: Conservative Slow Start divides the growth by this number (section 4.3).
CSS_GROWTH_DIVISOR = 4
#: Number of rounds of Conservative Slow Start (section 4.3).
CSS_ROUNDS = 5
#: Above every RTT, in ns.
INFINITY = 2**60


@dataclass(slots=True)
class HyStartPP:
    """The variables of section 4.2, whether the sender is in CSS, and the number of complete rounds in CSS."""

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
        """CSS, or the phase of NewReno."""
        return Phase.CONSERVATIVE_SLOW_START if self.in_css else self.base.phase


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> HyStartPP:
    """Begin before anything was sent: windowEnd = SND.NXT = 0, without RTTs."""
    return HyStartPP(newreno.begin(max_datagram_size_bytes, initial_window_bytes))  # [hystartpp.begin]


def on_event(s: HyStartPP, event: Event) -> Outcome:
    """Process ACKs while ssthresh has its initial value; NewReno processes all other events."""
    if isinstance(event, Ack) and s.base.ssthresh is None:  # [hystartpp.scope.initial]
        return on_ack(s, event)
    outcome = newreno.on_event(s.base, event)
    if s.base.ssthresh is not None:
        s.in_css = False  # [hystartpp.loss]
    return outcome


def on_ack(s: HyStartPP, ack: Ack) -> Outcome:
    """Process an arriving ACK in slow start or in CSS."""
    if ack.packets[-1].last >= s.window_end:
        start_round(s, ack.next_packet)  # [hystartpp.round.end]
    outcome = update_cwnd(s, ack)
    if ack.latest_rtt_ns is not None:  # the text does not cover ACKs without a sample; they are not tested (H8)
        s.current_round_min_rtt = min(s.current_round_min_rtt, ack.latest_rtt_ns)
        s.rtt_sample_count += 1  # [hystartpp.sample]
        if s.in_css and rtt_dropped(s):
            resume_slow_start(s)
            return Outcome.SLOW_START_RESUMED
        if not s.in_css and rtt_increased(s):
            enter_css(s)
            return Outcome.CONSERVATIVE_BEGUN
    if s.css_rounds == CSS_ROUNDS:
        enter_congestion_avoidance(s)
        return Outcome.EXITED
    return outcome


def start_round(s: HyStartPP, snd_nxt: int) -> None:
    """Start a round after windowEnd was acknowledged. The new windowEnd is ``snd_nxt``, the next packet number."""
    s.window_end = snd_nxt
    s.last_round_min_rtt = s.current_round_min_rtt
    s.current_round_min_rtt = INFINITY
    s.rtt_sample_count = 0
    if s.in_css:
        s.css_rounds += 1  # [hystartpp.css.rounds]


def update_cwnd(s: HyStartPP, ack: Ack) -> Outcome:
    """Grow the window by N, in CSS by N / 4, rounded down; N is the number of newly acknowledged bytes.

    The window does not grow while the application limits the sender (RFC 9002, section 7.8).
    """
    if ack.app_limited:
        return Outcome.APP_LIMITED
    if s.in_css:
        newreno.increase(s.base, ack.bytes // CSS_GROWTH_DIVISOR)  # [hystartpp.css.grow] [hystartpp.css.rounding]
        return Outcome.CONSERVATIVE_GROWN
    newreno.increase(s.base, ack.bytes)  # [hystartpp.grow]
    return Outcome.GROWN


def rtt_increased(s: HyStartPP) -> bool:
    """Check whether a delay increase triggers the exit from slow start."""
    if s.rtt_sample_count < N_RTT_SAMPLE:
        return False  # [hystartpp.delay.samples]
    if s.last_round_min_rtt == INFINITY:
        return False  # [hystartpp.delay.first-round]
    rtt_thresh = min(Fraction(s.last_round_min_rtt, MIN_RTT_DIVISOR), MAX_RTT_THRESH)  # [hystartpp.delay.maximum]
    rtt_thresh = max(MIN_RTT_THRESH, rtt_thresh)  # [hystartpp.delay.minimum]
    return s.current_round_min_rtt >= s.last_round_min_rtt + rtt_thresh  # [hystartpp.delay]


def enter_css(s: HyStartPP) -> None:
    """Leave slow start for CSS."""
    s.css_baseline_min_rtt = s.current_round_min_rtt  # [hystartpp.css.begin]
    s.in_css = True
    s.css_rounds = 0


def rtt_dropped(s: HyStartPP) -> bool:
    """Check whether the minimum RTT of the round is below the baseline: the exit from slow start was spurious."""
    if s.rtt_sample_count < N_RTT_SAMPLE:
        return False  # [hystartpp.css.samples]
    return s.current_round_min_rtt < s.css_baseline_min_rtt


def resume_slow_start(s: HyStartPP) -> None:
    """Resume slow start including HyStart++."""
    s.css_baseline_min_rtt = INFINITY  # [hystartpp.css.resume]
    s.in_css = False
    s.css_rounds = 0


def enter_congestion_avoidance(s: HyStartPP) -> None:
    """End CSS after its rounds."""
    s.base.ssthresh = s.base.congestion_window  # [hystartpp.css.exit]
    s.in_css = False

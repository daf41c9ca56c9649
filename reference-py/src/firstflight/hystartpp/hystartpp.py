"""HyStart++ (``spec/hystartpp/rules.md``) on top of the base controller, in every profile of ``hystartpp/profiles.py``.

Functions change the state and the base in place and return the outcome or the documented value.

Mirrors ``reference-c/firstflight/hystartpp/hystartpp.c``.
"""

from dataclasses import dataclass

from firstflight.events import Ack, Event, PersistentCongestion
from firstflight.hystartpp.profiles import PROFILES, CssSamples, Readings, Scope
from firstflight.newreno import newreno
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Observation, Outcome, Phase
from firstflight.values import copied

__all__ = ["PROFILES", "HyStartPP", "Readings", "begin", "step"]

#: N_RTT_SAMPLE: RTT samples per round before its delay is compared.
RTT_SAMPLES = 8
#: MIN_RTT_THRESH and MAX_RTT_THRESH: bounds of the rise of the RTT that begins CSS, in ns.
THRESHOLD_MIN_NS = 4_000_000
THRESHOLD_MAX_NS = 16_000_000
#: MIN_RTT_DIVISOR: the threshold between these bounds is the last round's RTT divided by this number.
RTT_DIVISOR = 8
#: CSS_GROWTH_DIVISOR: CSS divides the growth of slow start by this number.
GROWTH_DIVISOR = 4


@dataclass(slots=True)
class HyStartPP:
    """State of HyStart++. RTTs are ``None`` instead of the text's infinity.

    ``round_end_packet`` is windowEnd: the packet whose acknowledgement ends the round. ``rtt_samples``, ``current_min_ns`` and
    ``last_min_ns``: samples and minimum RTT of this round, minimum RTT of the last round. ``conservative``: in CSS.
    ``baseline_ns``: the minimum RTT that began CSS. ``css_rounds``: rounds that ended in CSS.
    """

    round_end_packet: int = 0
    rtt_samples: int = 0
    current_min_ns: int | None = None
    last_min_ns: int | None = None
    conservative: bool = False
    baseline_ns: int | None = None
    css_rounds: int = 0

    def copy(self) -> "HyStartPP":
        """Return a copy that shares no mutable state."""
        return copied(self)


def begin(_readings: Readings, _base: BaseState) -> HyStartPP:
    """Return the state before the first event."""
    return HyStartPP()  # [hystartpp.begin]


def _runs(readings: Readings, base: BaseState) -> bool:
    if newreno.phase(base) is not Phase.SLOW_START:
        return False
    if readings.scope is Scope.EVERY:
        return True  # [hystartpp.scope.every]
    return base.ssthresh_bytes is None  # [hystartpp.scope.initial]


def _leave(state: HyStartPP) -> None:
    """Clear the state of CSS (Conservative Slow Start). The caller decides which phase follows."""
    state.conservative = False
    state.baseline_ns = None
    state.css_rounds = 0


def _begin_anew(state: HyStartPP) -> None:
    """Reset the state for another slow start."""
    state.round_end_packet = 0  # [hystartpp.scope.anew]
    state.rtt_samples = 0
    state.current_min_ns = None
    state.last_min_ns = None
    _leave(state)


def _ends_round(state: HyStartPP, ack: Ack) -> bool:
    """Return whether an ACK acknowledges windowEnd."""
    return ack.packets[-1].last >= state.round_end_packet  # [hystartpp.round.acked]


def _end_round(state: HyStartPP, next_packet: int) -> None:
    """Begin a round with the ACK of windowEnd, before other processing of this ACK."""
    if state.conservative:
        state.css_rounds += 1  # [hystartpp.css.rounds]
    state.round_end_packet = next_packet  # [hystartpp.round.end] [hystartpp.round.ack]
    state.last_min_ns = state.current_min_ns
    state.current_min_ns = None
    state.rtt_samples = 0


def _grow(readings: Readings, state: HyStartPP, base: BaseState, ack: Ack) -> Outcome:
    """Grow the window by the base controller, and limit the growth by L and CSS."""
    before_bytes, ssthresh_bytes = base.cwnd_bytes, base.ssthresh_bytes
    base.ssthresh_bytes = None
    outcome = newreno.on_ack(base, ack)  # [hystartpp.grow] [hystartpp.grow.counted]
    grown_bytes = base.cwnd_bytes - before_bytes
    limit_bytes = readings.limit_datagrams * base.max_datagram_size_bytes
    if 0 < limit_bytes < grown_bytes:
        grown_bytes = limit_bytes  # [hystartpp.limit]
    if state.conservative:
        grown_bytes //= GROWTH_DIVISOR  # [hystartpp.css.grow] [hystartpp.css.rounding] [hystartpp.css.divisor]
        outcome = Outcome.CONSERVATIVE_GROWN if outcome is Outcome.GROWN else outcome
    base.cwnd_bytes = before_bytes + grown_bytes
    base.ssthresh_bytes = ssthresh_bytes
    return outcome


def _sample(state: HyStartPP, rtt_ns: int) -> None:
    state.current_min_ns = rtt_ns if state.current_min_ns is None else min(state.current_min_ns, rtt_ns)
    state.rtt_samples = min(state.rtt_samples + 1, RTT_SAMPLES)  # [hystartpp.sample] [hystartpp.sample.kind]


def _delay_increased(state: HyStartPP) -> bool:
    """Return whether CSS begins: the minimum RTT of this round exceeds the minimum of the last by the threshold."""
    if state.conservative:
        return False
    if state.rtt_samples < RTT_SAMPLES:
        return False  # [hystartpp.delay.samples]
    if state.current_min_ns is None or state.last_min_ns is None:
        return False  # [hystartpp.delay.first-round]
    # Compared in eighths of a nanosecond, without rounding.
    share = min(state.last_min_ns, RTT_DIVISOR * THRESHOLD_MAX_NS)  # [hystartpp.delay.maximum]
    threshold = max(RTT_DIVISOR * THRESHOLD_MIN_NS, share)  # [hystartpp.delay.minimum]
    bound = RTT_DIVISOR * state.last_min_ns + threshold  # [hystartpp.delay.divisor]
    return RTT_DIVISOR * state.current_min_ns >= bound  # [hystartpp.delay] [hystartpp.delay.rounding]


def _spurious(readings: Readings, state: HyStartPP) -> bool:
    """Return whether the RTT fell below the RTT that began CSS."""
    if not state.conservative or state.baseline_ns is None or state.current_min_ns is None:
        return False
    if readings.css_samples is CssSamples.EIGHT and state.rtt_samples < RTT_SAMPLES:
        return False  # [hystartpp.css.samples]
    return state.current_min_ns < state.baseline_ns


def _exit_after_rounds(readings: Readings, state: HyStartPP, base: BaseState, outcome: Outcome) -> Outcome:
    """Leave slow start after the last round of CSS; until then return the given outcome."""
    if state.conservative and state.css_rounds >= readings.css_rounds:
        base.ssthresh_bytes = base.cwnd_bytes  # [hystartpp.css.exit] [hystartpp.css.last-ack]
        _leave(state)
        return Outcome.EXITED
    return outcome


def _on_ack(readings: Readings, state: HyStartPP, base: BaseState, ack: Ack) -> Outcome:
    if _ends_round(state, ack):
        _end_round(state, ack.next_packet)
    outcome = _grow(readings, state, base, ack)
    if newreno.phase(base) is not Phase.SLOW_START:
        _leave(state)  # [hystartpp.scope.threshold]
        return outcome
    if ack.latest_rtt_ns is not None:
        _sample(state, ack.latest_rtt_ns)
        if _delay_increased(state):
            state.conservative = True  # [hystartpp.css.begin]
            state.baseline_ns = state.current_min_ns
            return Outcome.CONSERVATIVE_BEGUN
        if _spurious(readings, state):
            _leave(state)  # [hystartpp.css.resume] [hystartpp.css.anew]
            return Outcome.SLOW_START_RESUMED
    return _exit_after_rounds(readings, state, base, outcome)


def _on_event(readings: Readings, state: HyStartPP, base: BaseState, event: Event) -> Outcome:
    if isinstance(event, Ack) and _runs(readings, base):
        return _on_ack(readings, state, base, event)
    outcome = newreno.on_event(base, event)
    if outcome is Outcome.REDUCED:
        _leave(state)  # [hystartpp.loss] [hystartpp.loss.window]
    if isinstance(event, PersistentCongestion) and readings.scope is Scope.EVERY:
        _begin_anew(state)
    return outcome


def _observe(state: HyStartPP, base: BaseState, outcome: Outcome) -> Observation:
    numbers = {
        "round_end_packet": state.round_end_packet,
        "rtt_samples": state.rtt_samples,
        "current_min_rtt_ns": state.current_min_ns,
        "last_min_rtt_ns": state.last_min_ns,
        "baseline_rtt_ns": state.baseline_ns,
        "css_rounds": state.css_rounds,
    }
    phase = newreno.phase(base)
    if phase is Phase.SLOW_START and state.conservative:
        phase = Phase.CONSERVATIVE_SLOW_START
    return Observation(base.cwnd_bytes, base.ssthresh_bytes, phase, outcome, numbers)


def step(readings: Readings, state: HyStartPP, base: BaseState, event: Event) -> Observation:
    """Process one event with HyStart++, by these readings (choices for unclear points of the text)."""
    return _observe(state, base, _on_event(readings, state, base, event))

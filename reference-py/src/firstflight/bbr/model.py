"""The path model of BBR: rounds, rates, RTT, and the bounds set on losses (``spec/bbr/rules.md``).

One function for each step of the draft, in its order. They change the state in place.

Mirrors ``reference-c/firstflight/bbr/model.c``.
"""

from firstflight.bbr.packets import packets_reduced, packets_share_bytes
from firstflight.bbr.profiles import BwChanges, Losses, MaxBwWindow, MinRttWindow, Readings, Units
from firstflight.bbr.rate import INFINITE, ZERO, Kept, RoundRate, exceeds, larger, reduced, reduced_bytes, smaller
from firstflight.bbr.sample import clocked_ns
from firstflight.bbr.state import Bbr, Sample
from firstflight.events import Ack
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Phase

#: ProbeRTTInterval and MinRTTFilterLen.
PROBE_RTT_INTERVAL_NS = 5 * 10**9
MIN_RTT_FILTER_NS = 10 * 10**9
#: Length of the maximum filter of the rate in Linux, in rounds.
MAX_BW_ROUNDS = 10
#: Factor 1 - beta of a bound after losses in version 3 of Linux, in parts of 256.
LOSS_CUT = 180


def update_latest_delivery_signals(state: Bbr, sample: Sample) -> None:
    """Update the largest delivery rate and volume of the loss round, and check whether a loss round begins.

    BBR.bw_latest and BBR.inflight_latest are raised to the rate and the delivered bytes of this sample. If a loss round
    begins, it ends with the ACK of a packet sent from now on.
    """
    state.loss_round_start = False
    state.bw_latest = larger(state.bw_latest, sample.rate)  # [bbr.latest]
    state.inflight_latest_bytes = max(state.inflight_latest_bytes, sample.delivered_bytes)
    prior_bytes = sample.prior_delivered_bytes
    if prior_bytes is not None and prior_bytes >= state.loss_round_delivered_bytes:
        state.loss_round_delivered_bytes = state.delivered_bytes  # [bbr.loss-round]
        state.loss_round_start = True


def update_round(state: Bbr, sample: Sample) -> None:
    """Check whether a round begins."""
    prior_bytes = sample.prior_delivered_bytes
    state.round_start = prior_bytes is not None and prior_bytes >= state.next_round_delivered_bytes
    if state.round_start:
        state.next_round_delivered_bytes = state.delivered_bytes  # [bbr.round]
        state.round_count += 1
        if state.packet_conservation:
            state.packet_conservation = False  # [bbr.conservation.round]


def _running_max(kept: Kept, now: RoundRate) -> Kept:
    """Update the three rates of the maximum filter over ten rounds; return the rates, the maximum first."""
    first, second, third = kept
    rate = now.rate
    if not exceeds(first.rate, rate) or now.round_count - third.round_count > MAX_BW_ROUNDS:
        first = second = third = now  # [bbr.max-bw.ten.anew]
    elif not exceeds(second.rate, rate):
        second = third = now  # [bbr.max-bw.ten.second]
    elif not exceeds(third.rate, rate):
        third = now
    age = now.round_count - first.round_count
    if age > MAX_BW_ROUNDS:
        first, second, third = second, third, now  # [bbr.max-bw.ten]
        if now.round_count - first.round_count > MAX_BW_ROUNDS:
            first, second = second, third
    elif second.round_count == first.round_count and age > MAX_BW_ROUNDS // 4:
        second = third = now  # [bbr.max-bw.ten.quarter]
    elif third.round_count == second.round_count and age > MAX_BW_ROUNDS // 2:
        third = now  # [bbr.max-bw.ten.half]
    return first, second, third


def update_max_bw(readings: Readings, state: Bbr, sample: Sample) -> None:
    """Update the round, and BBR.max_bw with the delivery rate of the sample.

    BBR.max_bw is the largest rate of the connection, or of the last ten rounds with the choice ``ten_rounds`` of
    ``max_bw_window``. An app-limited sample below BBR.max_bw does not count.
    """
    update_round(state, sample)
    if sample.app_limited and exceeds(state.max_bw, sample.rate):
        return  # [bbr.max-bw.app-limited]
    if readings.max_bw_window is MaxBwWindow.TEN_ROUNDS:
        if sample.prior_delivered_bytes is not None:
            state.max_bw_kept = _running_max(state.max_bw_kept, RoundRate(state.round_count, sample.rate))
            state.max_bw = state.max_bw_kept[0].rate
        return
    state.max_bw = larger(state.max_bw, sample.rate)  # [bbr.max-bw]


def _init_lower_bounds(state: Bbr, base: BaseState) -> None:
    if state.bw_shortterm == INFINITE:
        state.bw_shortterm = state.max_bw  # [bbr.short-term.begin]
    if state.inflight_shortterm_bytes is None:
        state.inflight_shortterm_bytes = base.cwnd_bytes


def _loss_lower_bounds(readings: Readings, state: Bbr, base: BaseState) -> None:
    reduced_rate = reduced(state.bw_shortterm)
    reduced_inflight_bytes = reduced_bytes(state.inflight_shortterm_bytes or 0)
    if readings.units is Units.PACKETS_V3:
        size_bytes = base.max_datagram_size_bytes
        reduced_rate = packets_reduced(state.bw_shortterm, LOSS_CUT, size_bytes)  # [bbr.units.v3.cut]
        reduced_inflight_bytes = packets_share_bytes(state.inflight_shortterm_bytes or 0, LOSS_CUT, size_bytes)
    state.bw_shortterm = larger(state.bw_latest, reduced_rate)  # [bbr.short-term]
    state.inflight_shortterm_bytes = max(state.inflight_latest_bytes, reduced_inflight_bytes)


def adapt_lower_bounds_from_congestion(readings: Readings, state: Bbr, base: BaseState) -> None:
    """Lower the short-term bounds at the end of a loss round, outside Startup."""
    if state.phase is Phase.STARTUP:
        return  # [bbr.short-term.startup]
    if state.is_loss_in_round:
        _init_lower_bounds(state, base)
        _loss_lower_bounds(readings, state, base)


def update_congestion_signals(readings: Readings, state: Bbr, base: BaseState, sample: Sample) -> None:
    """Update BBR.max_bw with the sample, and lower the short-term bounds after a loss round with losses."""
    update_max_bw(readings, state, sample)
    if state.loss_round_start:
        adapt_lower_bounds_from_congestion(readings, state, base)
        state.is_loss_in_round = False  # [bbr.loss-round.ends]
    if readings.bw_changes is BwChanges.AT_ONCE:
        bound_bw_for_model(state)  # [bbr.bw.at-once]


def _update_min_rtt_alone(readings: Readings, state: Bbr, ack: Ack) -> None:
    """Update the smallest RTT of ten seconds, initially the minimum RTT of the connection."""
    if state.min_rtt_ns is None and ack.min_rtt_ns is not None:
        state.min_rtt_ns = clocked_ns(readings, ack.min_rtt_ns)  # [bbr.min-rtt.connection]
        state.min_rtt_stamp_ns = ack.t_ns
    expired = ack.t_ns > state.min_rtt_stamp_ns + MIN_RTT_FILTER_NS
    if ack.latest_rtt_ns is None:
        return
    rtt_ns = clocked_ns(readings, ack.latest_rtt_ns)
    if state.min_rtt_ns is None or rtt_ns < state.min_rtt_ns or expired:
        state.min_rtt_ns = rtt_ns  # [bbr.min-rtt.alone]
        state.min_rtt_stamp_ns = ack.t_ns


def update_min_rtt(readings: Readings, state: Bbr, ack: Ack) -> None:
    """Update the smallest RTT of five seconds, and of ten seconds."""
    if readings.min_rtt_window is MinRttWindow.ONE:
        _update_min_rtt_alone(readings, state, ack)
        return
    linux = readings.min_rtt_window is MinRttWindow.TWO_LINUX
    if linux and state.min_rtt_ns is None and ack.min_rtt_ns is not None:
        state.min_rtt_ns = state.probe_rtt_min_delay_ns = clocked_ns(readings, ack.min_rtt_ns)  # [bbr.min-rtt.v3]
        state.min_rtt_stamp_ns = state.probe_rtt_min_stamp_ns = ack.t_ns
    expired = ack.t_ns > state.probe_rtt_min_stamp_ns + PROBE_RTT_INTERVAL_NS
    rtt_ns, delay_ns = ack.latest_rtt_ns, state.probe_rtt_min_delay_ns
    if rtt_ns is not None:
        rtt_ns = clocked_ns(readings, rtt_ns)
    if rtt_ns is not None and (delay_ns is None or rtt_ns < delay_ns or expired):
        state.probe_rtt_min_delay_ns = delay_ns = rtt_ns  # [bbr.min-rtt.delay]
        state.probe_rtt_min_stamp_ns = ack.t_ns
    expired = ack.t_ns > state.min_rtt_stamp_ns + MIN_RTT_FILTER_NS
    smaller_rtt = delay_ns is not None and (state.min_rtt_ns is None or delay_ns < state.min_rtt_ns)
    if linux and delay_ns == state.min_rtt_ns:
        state.min_rtt_stamp_ns = state.probe_rtt_min_stamp_ns  # [bbr.min-rtt.v3.equal]
    elif smaller_rtt or expired:
        state.min_rtt_ns = delay_ns  # [bbr.min-rtt]
        state.min_rtt_stamp_ns = state.probe_rtt_min_stamp_ns


def advance_latest_delivery_signals(state: Bbr, sample: Sample) -> None:
    """When a loss round begins, set BBR.bw_latest and BBR.inflight_latest to the rate and volume of this sample."""
    if state.loss_round_start:
        state.bw_latest = sample.rate  # [bbr.latest.advance]
        state.inflight_latest_bytes = sample.delivered_bytes


def bound_bw_for_model(state: Bbr) -> None:
    """Set BBR.bw to BBR.max_bw, at most the short-term rate BBR.bw_shortterm."""
    state.bw = smaller(state.max_bw, state.bw_shortterm)  # [bbr.bw]


def reset_congestion_signals(readings: Readings, state: Bbr) -> None:
    """Reset the loss signals at the end of Startup or Drain, with the choice ``linux_v3`` of ``losses`` only.

    They are the note of a loss in this loss round, and the largest delivery rate and volume of the round
    (BBR.bw_latest, BBR.inflight_latest).
    """
    if readings.losses is Losses.LINUX_V3:
        state.is_loss_in_round = False  # [bbr.signals.v3]
        state.bw_latest = ZERO
        state.inflight_latest_bytes = 0

"""What BBR knows of the path: rounds, rates, aggregation, RTT, and the bounds that losses set (``spec/bbr/rules.md``).

One function for each step of the draft, in its order. They change the state in place.

Mirrors ``reference-c/firstflight/bbr/model.c``.
"""

from firstflight.bbr.rate import INFINITE, ZERO, Rate, exceeds, larger, reduced, reduced_bytes, smaller, volume_bytes
from firstflight.bbr.state import EXTRA_ACKED_ROUNDS, Bbr, Sample, saturate
from firstflight.events import Ack
from firstflight.newreno.newreno import NewReno
from firstflight.observables import Phase

#: ProbeRTTInterval and MinRTTFilterLen.
PROBE_RTT_INTERVAL_NS = 5 * 10**9
MIN_RTT_FILTER_NS = 10 * 10**9


def _delivery_rate(ack: Ack, delivered_bytes: int, interval_ns: int) -> Rate:
    if ack.min_rtt_ns is not None and interval_ns < ack.min_rtt_ns:
        return ZERO  # [bbr.sample.short]
    if interval_ns == 0:
        return ZERO  # [bbr.sample.no-time]
    return Rate(delivered_bytes, interval_ns)  # [bbr.sample.rate]


def generate_rate_sample(state: Bbr, ack: Ack) -> Sample:
    """Return the sample of an ACK, and keep what is delivered in all and in flight."""
    state.in_flight_bytes = saturate(ack.bytes_in_flight)
    delivered_bytes, interval_ns, prior_bytes = (
        ack.rate_delivered_bytes,
        ack.rate_interval_ns,
        ack.rate_prior_delivered_bytes,
    )
    if delivered_bytes is None or interval_ns is None or prior_bytes is None:
        state.delivered_bytes = saturate(state.delivered_bytes + ack.bytes)  # [bbr.sample.none]
        sample = Sample(ZERO, 0, None, False, 0, 0)
    else:
        state.delivered_bytes = saturate(prior_bytes + delivered_bytes)  # [bbr.sample.delivered]
        rate = _delivery_rate(ack, delivered_bytes, interval_ns)
        in_flight_bytes, lost_bytes = ack.rate_in_flight_bytes or 0, ack.rate_lost_bytes or 0
        sample = Sample(rate, delivered_bytes, prior_bytes, bool(ack.rate_app_limited), in_flight_bytes, lost_bytes)
    if state.delivered_bytes > state.app_limited_bytes:
        state.app_limited_bytes = 0  # [bbr.idle.cleared]
    return sample


def update_latest_delivery_signals(state: Bbr, sample: Sample) -> None:
    """Take the sample into the largest ones of the round, and see whether a loss round begins."""
    state.loss_round_start = False
    state.bw_latest = larger(state.bw_latest, sample.rate)  # [bbr.latest]
    state.inflight_latest_bytes = max(state.inflight_latest_bytes, sample.delivered_bytes)
    prior_bytes = sample.prior_delivered_bytes
    if prior_bytes is not None and prior_bytes >= state.loss_round_delivered_bytes:
        state.loss_round_delivered_bytes = state.delivered_bytes  # [bbr.loss-round]
        state.loss_round_start = True


def update_round(state: Bbr, sample: Sample) -> None:
    """See whether a round begins."""
    prior_bytes = sample.prior_delivered_bytes
    state.round_start = prior_bytes is not None and prior_bytes >= state.next_round_delivered_bytes
    if state.round_start:
        state.next_round_delivered_bytes = state.delivered_bytes  # [bbr.round]
        state.round_count += 1
        state.extra_acked_rounds[state.round_count % EXTRA_ACKED_ROUNDS] = 0


def update_max_bw(state: Bbr, sample: Sample) -> None:
    """Take the sample into the largest rate."""
    update_round(state, sample)
    if sample.app_limited and exceeds(state.max_bw, sample.rate):
        return  # [bbr.max-bw.app-limited]
    state.max_bw = larger(state.max_bw, sample.rate)  # [bbr.max-bw]


def _init_lower_bounds(state: Bbr, base: NewReno) -> None:
    if state.bw_shortterm == INFINITE:
        state.bw_shortterm = state.max_bw  # [bbr.short-term.begin]
    if state.inflight_shortterm_bytes is None:
        state.inflight_shortterm_bytes = base.cwnd_bytes


def _loss_lower_bounds(state: Bbr) -> None:
    state.bw_shortterm = larger(state.bw_latest, reduced(state.bw_shortterm))  # [bbr.short-term]
    reduced_inflight_bytes = reduced_bytes(state.inflight_shortterm_bytes or 0)
    state.inflight_shortterm_bytes = max(state.inflight_latest_bytes, reduced_inflight_bytes)


def _adapt_lower_bounds_from_congestion(state: Bbr, base: NewReno) -> None:
    if state.phase is Phase.STARTUP:
        return  # [bbr.short-term.startup]
    if state.is_loss_in_round:
        _init_lower_bounds(state, base)
        _loss_lower_bounds(state)


def update_congestion_signals(state: Bbr, base: NewReno, sample: Sample) -> None:
    """Take the sample into the largest rate, and losses of a round that ends into the short-term bounds."""
    update_max_bw(state, sample)
    if not state.loss_round_start:
        return
    _adapt_lower_bounds_from_congestion(state, base)
    state.is_loss_in_round = False  # [bbr.loss-round.ends]


def update_ack_aggregation(state: Bbr, base: NewReno, ack: Ack) -> None:
    """Estimate how much more is acknowledged at once than the path delivers."""
    expected_bytes = volume_bytes(state.bw, ack.t_ns - state.extra_acked_interval_start_ns)
    if state.extra_acked_delivered_bytes <= expected_bytes:
        state.extra_acked_delivered_bytes = 0  # [bbr.extra-acked.anew]
        state.extra_acked_interval_start_ns = ack.t_ns
        expected_bytes = 0
    state.extra_acked_delivered_bytes = saturate(state.extra_acked_delivered_bytes + ack.bytes)
    extra_bytes = min(state.extra_acked_delivered_bytes - expected_bytes, base.cwnd_bytes)  # [bbr.extra-acked.sample]
    slot = state.round_count % EXTRA_ACKED_ROUNDS
    state.extra_acked_rounds[slot] = max(state.extra_acked_rounds[slot], extra_bytes)
    if state.full_bw_reached:
        state.extra_acked_bytes = max(state.extra_acked_rounds)  # [bbr.extra-acked]
    else:
        state.extra_acked_bytes = state.extra_acked_rounds[slot]  # [bbr.extra-acked.startup]


def update_min_rtt(state: Bbr, ack: Ack) -> None:
    """Take the RTT into the smallest one of five seconds, and of ten."""
    expired = ack.t_ns > state.probe_rtt_min_stamp_ns + PROBE_RTT_INTERVAL_NS
    rtt_ns, delay_ns = ack.latest_rtt_ns, state.probe_rtt_min_delay_ns
    if rtt_ns is not None and (delay_ns is None or rtt_ns < delay_ns or expired):
        state.probe_rtt_min_delay_ns = delay_ns = rtt_ns  # [bbr.min-rtt.delay]
        state.probe_rtt_min_stamp_ns = ack.t_ns
    expired = ack.t_ns > state.min_rtt_stamp_ns + MIN_RTT_FILTER_NS
    smaller_rtt = delay_ns is not None and (state.min_rtt_ns is None or delay_ns < state.min_rtt_ns)
    if smaller_rtt or expired:
        state.min_rtt_ns = delay_ns  # [bbr.min-rtt]
        state.min_rtt_stamp_ns = state.probe_rtt_min_stamp_ns


def advance_latest_delivery_signals(state: Bbr, sample: Sample) -> None:
    """Begin the largest ones of a round with this sample where a loss round begins."""
    if state.loss_round_start:
        state.bw_latest = sample.rate  # [bbr.latest.advance]
        state.inflight_latest_bytes = sample.delivered_bytes


def bound_bw_for_model(state: Bbr) -> None:
    """Bound the rate by that of the short term."""
    state.bw = smaller(state.max_bw, state.bw_shortterm)  # [bbr.bw]

"""What BBR knows of the path: rounds, rates, aggregation, RTT, and the bounds that losses set (``spec/bbr/rules.md``).

One function for each step of the draft, in its order. They change the state in place.

Mirrors ``reference-c/firstflight/bbr/model.c``.
"""

from firstflight.bbr.control import delivers_bytes
from firstflight.bbr.packets import packets_rate_of, whole_ns
from firstflight.bbr.profiles import BwChanges, ExtraAcked, MaxBwWindow, MinRttWindow, Readings, ShortSample, Units
from firstflight.bbr.rate import INFINITE, ZERO, Rate, exceeds, larger, reduced, reduced_bytes, smaller
from firstflight.bbr.state import EXTRA_ACKED_ROUNDS, Bbr, RoundRate, Sample, saturate
from firstflight.events import Ack
from firstflight.newreno.newreno import NewReno
from firstflight.observables import Phase

#: ProbeRTTInterval and MinRTTFilterLen.
PROBE_RTT_INTERVAL_NS = 5 * 10**9
MIN_RTT_FILTER_NS = 10 * 10**9
#: The window of the largest rate in Linux, in rounds, and its part after which another rate is kept.
MAX_BW_ROUNDS = 10
#: The rounds of each of the two samples of the aggregation there, and the packets after which its interval begins anew.
EXTRA_ACKED_LINUX_ROUNDS = 5
EXTRA_ACKED_LINUX_PACKETS = 2**20


def _clocked_ns(readings: Readings, time_ns: int) -> int:
    if readings.units is Units.PACKETS:
        return whole_ns(time_ns)  # [bbr.units.time]
    return time_ns


def _delivery_rate(readings: Readings, base: NewReno, ack: Ack, delivered_bytes: int, interval_ns: int) -> Rate | None:
    """Return the rate of a sample, ``None`` for one that counts for nothing."""
    short = ack.min_rtt_ns is not None and interval_ns < _clocked_ns(readings, ack.min_rtt_ns)
    if readings.short_sample is ShortSample.NOTHING and (short or interval_ns == 0):
        return None  # [bbr.sample.short.nothing]
    if short:
        return ZERO  # [bbr.sample.short]
    if interval_ns == 0:
        return ZERO  # [bbr.sample.no-time]
    if readings.units is Units.PACKETS:
        return packets_rate_of(delivered_bytes, interval_ns, base.max_datagram_size_bytes)  # [bbr.units.rate]
    return Rate(delivered_bytes, interval_ns)  # [bbr.sample.rate]


def generate_rate_sample(readings: Readings, state: Bbr, base: NewReno, ack: Ack) -> Sample:
    """Return the sample of an ACK, and keep what is delivered in all and in flight."""
    state.in_flight_bytes = saturate(ack.bytes_in_flight)
    delivered_bytes, interval_ns, prior_bytes = (
        ack.rate_delivered_bytes,
        ack.rate_interval_ns,
        ack.rate_prior_delivered_bytes,
    )
    sample = Sample(ZERO, 0, None, False, 0, 0)
    rate = None
    if delivered_bytes is None or interval_ns is None or prior_bytes is None:
        state.delivered_bytes = saturate(state.delivered_bytes + ack.bytes)  # [bbr.sample.none]
    else:
        state.delivered_bytes = saturate(prior_bytes + delivered_bytes)  # [bbr.sample.delivered]
        rate = _delivery_rate(readings, base, ack, delivered_bytes, _clocked_ns(readings, interval_ns))
    if rate is not None:
        in_flight_bytes, lost_bytes = ack.rate_in_flight_bytes or 0, ack.rate_lost_bytes or 0
        sample = Sample(
            rate, delivered_bytes or 0, prior_bytes, bool(ack.rate_app_limited), in_flight_bytes, lost_bytes
        )
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
        if state.packet_conservation:
            state.packet_conservation = False  # [bbr.conservation.round]


def _running_max(state: Bbr, rate: Rate) -> Rate:
    """Return the largest rate of ten rounds, by three that are kept: the largest, and later ones that may follow it."""
    now = RoundRate(state.round_count, rate)
    first, second, third = state.max_bw_first, state.max_bw_second, state.max_bw_third
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
    state.max_bw_first, state.max_bw_second, state.max_bw_third = first, second, third
    return first.rate


def update_max_bw(readings: Readings, state: Bbr, sample: Sample) -> None:
    """Take the sample into the largest rate."""
    update_round(state, sample)
    if sample.app_limited and exceeds(state.max_bw, sample.rate):
        return  # [bbr.max-bw.app-limited]
    if readings.max_bw_window is MaxBwWindow.TEN_ROUNDS:
        if sample.prior_delivered_bytes is not None:
            state.max_bw = _running_max(state, sample.rate)
        return
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


def update_congestion_signals(readings: Readings, state: Bbr, base: NewReno, sample: Sample) -> None:
    """Take the sample into the largest rate, and losses of a round that ends into the short-term bounds."""
    update_max_bw(readings, state, sample)
    if state.loss_round_start:
        _adapt_lower_bounds_from_congestion(state, base)
        state.is_loss_in_round = False  # [bbr.loss-round.ends]
    if readings.bw_changes is BwChanges.AT_ONCE:
        bound_bw_for_model(state)  # [bbr.bw.at-once]


def _update_ack_aggregation_linux(readings: Readings, state: Bbr, base: NewReno, ack: Ack, sample: Sample) -> None:
    """Estimate it as Linux does: the larger of two samples, of five rounds each."""
    if sample.prior_delivered_bytes is None:
        return  # [bbr.extra-acked.linux.sample]
    slot = state.round_count // EXTRA_ACKED_LINUX_ROUNDS % 2
    if state.round_start and state.round_count % EXTRA_ACKED_LINUX_ROUNDS == 0:
        state.extra_acked_rounds[slot] = 0  # [bbr.extra-acked.linux]
    size_bytes = base.max_datagram_size_bytes
    time_ns = _clocked_ns(readings, ack.t_ns) - _clocked_ns(readings, state.extra_acked_interval_start_ns)
    expected_bytes = delivers_bytes(readings, state, base, time_ns)
    acked_bytes = state.extra_acked_delivered_bytes
    if acked_bytes <= expected_bytes or acked_bytes + ack.bytes >= EXTRA_ACKED_LINUX_PACKETS * size_bytes:
        acked_bytes = expected_bytes = 0  # [bbr.extra-acked.linux.anew]
        state.extra_acked_interval_start_ns = ack.t_ns
    most_bytes = (EXTRA_ACKED_LINUX_PACKETS - 1) * size_bytes
    state.extra_acked_delivered_bytes = min(acked_bytes + ack.bytes, most_bytes)
    extra_bytes = min(state.extra_acked_delivered_bytes - expected_bytes, base.cwnd_bytes)
    state.extra_acked_rounds[slot] = max(state.extra_acked_rounds[slot], extra_bytes)
    state.extra_acked_bytes = max(state.extra_acked_rounds[:2])


def update_ack_aggregation(readings: Readings, state: Bbr, base: NewReno, ack: Ack, sample: Sample) -> None:
    """Estimate how much more is acknowledged at once than the path delivers."""
    if readings.extra_acked is ExtraAcked.LINUX:
        _update_ack_aggregation_linux(readings, state, base, ack, sample)
        return
    expected_bytes = delivers_bytes(readings, state, base, ack.t_ns - state.extra_acked_interval_start_ns)
    if state.extra_acked_delivered_bytes <= expected_bytes:
        state.extra_acked_delivered_bytes = 0  # [bbr.extra-acked.anew]
        state.extra_acked_interval_start_ns = ack.t_ns
        expected_bytes = 0
    state.extra_acked_delivered_bytes = saturate(state.extra_acked_delivered_bytes + ack.bytes)
    extra_bytes = min(state.extra_acked_delivered_bytes - expected_bytes, base.cwnd_bytes)  # [bbr.extra-acked.sample]
    slot = state.round_count % EXTRA_ACKED_ROUNDS
    if state.round_start:
        state.extra_acked_rounds[slot] = 0
    state.extra_acked_rounds[slot] = max(state.extra_acked_rounds[slot], extra_bytes)
    if state.full_bw_reached:
        state.extra_acked_bytes = max(state.extra_acked_rounds)  # [bbr.extra-acked]
    else:
        state.extra_acked_bytes = state.extra_acked_rounds[slot]  # [bbr.extra-acked.startup]


def _update_min_rtt_alone(readings: Readings, state: Bbr, ack: Ack) -> None:
    """Take the RTT into the smallest one of ten seconds, which begins with that of the connection."""
    if state.min_rtt_ns is None and ack.min_rtt_ns is not None:
        state.min_rtt_ns = _clocked_ns(readings, ack.min_rtt_ns)  # [bbr.min-rtt.connection]
        state.min_rtt_stamp_ns = ack.t_ns
    expired = ack.t_ns > state.min_rtt_stamp_ns + MIN_RTT_FILTER_NS
    if ack.latest_rtt_ns is None:
        return
    rtt_ns = _clocked_ns(readings, ack.latest_rtt_ns)
    if state.min_rtt_ns is None or rtt_ns <= state.min_rtt_ns or expired:
        state.min_rtt_ns = rtt_ns  # [bbr.min-rtt.alone]
        state.min_rtt_stamp_ns = ack.t_ns


def update_min_rtt(readings: Readings, state: Bbr, ack: Ack) -> None:
    """Take the RTT into the smallest one of five seconds, and of ten."""
    if readings.min_rtt_window is MinRttWindow.ONE:
        _update_min_rtt_alone(readings, state, ack)
        return
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

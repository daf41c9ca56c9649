"""BBR as quinn-proto has it: Chromium's of 2016, with its ProbeRTT (``spec/bbr/rules.md``, section quinn).

One function for each of its own, in the order of its source. They change the state in place. The base holds the window alone.

Mirrors ``reference-c/firstflight/bbr/quinn.c``.
"""

from firstflight.bbr.ieee754 import DOUBLE_BITS, SINGLE_BITS, Number, number_of, product, quotient, truncated
from firstflight.bbr.model import running_max
from firstflight.bbr.quinn_state import INITIAL_RTT_NS, Quinn
from firstflight.bbr.rate import NONE_KEPT, Rate, RoundRate, over
from firstflight.bbr.state import saturate
from firstflight.events import Ack, Event, Lost, Sent
from firstflight.newreno.newreno import NewReno
from firstflight.observables import Observation, Outcome, Phase

_SECOND_NS = 10**9
_MICROSECOND_NS = 1000
MIN_CWND_PACKETS = 4
FULL_BW_ROUNDS = 3
PROBE_RTT_AFTER_NS = 10 * _SECOND_NS
PROBE_RTT_NS = 200 * 10**6
ONE = number_of(1, SINGLE_BITS)
_MILLION = number_of(10**6, DOUBLE_BITS)
#: K_DEFAULT_HIGH_GAIN, drain_gain, K_DERIVED_HIGH_CWNDGAIN, K_STARTUP_GROWTH_TARGET, K_MODERATE_PROBE_RTT_MULTIPLIER.
HIGH_GAIN = quotient(number_of(2885, SINGLE_BITS), number_of(1000, SINGLE_BITS), SINGLE_BITS)
DRAIN_GAIN = quotient(ONE, HIGH_GAIN, SINGLE_BITS)
PROBE_BW_CWND_GAIN = number_of(2, SINGLE_BITS)
GROWTH_TARGET = quotient(number_of(5, SINGLE_BITS), number_of(4, SINGLE_BITS), SINGLE_BITS)
PROBE_RTT_GAIN = quotient(number_of(3, SINGLE_BITS), number_of(4, SINGLE_BITS), SINGLE_BITS)
#: The least volume that is more than HIGH_GAIN.
ABOVE_HIGH_GAIN = 3


def begin(base: NewReno) -> Quinn:
    """Return the state before the first event."""
    return Quinn(base.cwnd_bytes, base.cwnd_bytes)  # [bbr.quinn]


def _scaled(rate: int, gain: Number) -> int:
    return saturate(truncated(product(number_of(rate, DOUBLE_BITS), gain, DOUBLE_BITS)))  # [bbr.quinn.float]


def _min_cwnd_bytes(base: NewReno) -> int:
    return MIN_CWND_PACKETS * base.max_datagram_size_bytes


def target_cwnd_bytes(state: Quinn, base: NewReno, gain: Number) -> int:
    """Return a multiple of the bandwidth-delay product, at least four datagrams."""
    bdp = number_of(over(state.bw, state.min_rtt_ns // _MICROSECOND_NS, 1), DOUBLE_BITS)
    cwnd_bytes = truncated(quotient(product(gain, bdp, DOUBLE_BITS), _MILLION, DOUBLE_BITS))  # [bbr.quinn.target]
    if cwnd_bytes == 0:
        return state.initial_window_bytes  # [bbr.quinn.target.none]
    return max(cwnd_bytes, _min_cwnd_bytes(base))


def _on_sent(state: Quinn, sent: Sent) -> Outcome:
    state.sent_bytes, state.prev_sent_ns, state.sent_ns = sent.bytes, state.sent_ns, sent.t_ns
    state.max_sent_packet = sent.packets[-1].last
    state.app_limited = sent.app_limited  # [bbr.quinn.app-limited]
    return Outcome.SENT


def _update_bandwidth(state: Quinn, ack: Ack) -> None:
    """Take a rate into the largest: the smaller of that of the last transmission and that of the first packet of the ACK."""
    acked_ns, state.acked_ns = state.acked_ns, ack.t_ns
    if state.sent_ns is None or state.prev_sent_ns is None or acked_ns is None or ack.t_ns == acked_ns:
        return  # [bbr.quinn.bw.none]
    rate = over(ack.packets[0].size_bytes, _SECOND_NS, ack.t_ns - acked_ns)  # [bbr.quinn.bw.acked]
    if state.sent_ns > state.prev_sent_ns:
        rate = min(rate, over(state.sent_bytes, _SECOND_NS, state.sent_ns - state.prev_sent_ns))  # [bbr.quinn.bw]
    if not state.app_limited:
        state.bw = max(state.bw, rate)  # [bbr.quinn.bw.max]


def _is_min_rtt_expired(state: Quinn, now_ns: int) -> bool:
    started_ns = state.probe_rtt_last_started_ns
    return not state.app_limited and (started_ns is None or now_ns - started_ns > PROBE_RTT_AFTER_NS)


def _update_min_rtt(state: Quinn, now_ns: int) -> None:
    if _is_min_rtt_expired(state, now_ns) or state.min_rtt_ns > state.path_min_rtt_ns:
        state.min_rtt_ns = state.path_min_rtt_ns  # [bbr.quinn.min-rtt]


def _update_ack_aggregation_bytes(state: Quinn, ack: Ack) -> int:
    """Return how much more was acknowledged than expected since the epoch began, 0 where it begins anew."""
    start_ns = ack.t_ns if state.aggregation_epoch_start_ns is None else state.aggregation_epoch_start_ns
    expected_bytes = over(state.bw, (ack.t_ns - start_ns) // _MICROSECOND_NS, 10**6)
    if state.aggregation_epoch_bytes <= expected_bytes:
        state.aggregation_epoch_bytes = ack.bytes  # [bbr.quinn.aggregation.anew]
        state.aggregation_epoch_start_ns = ack.t_ns
        return 0
    state.aggregation_epoch_bytes = saturate(state.aggregation_epoch_bytes + ack.bytes)
    excess_bytes = state.aggregation_epoch_bytes - expected_bytes  # [bbr.quinn.aggregation]
    state.max_ack_height = running_max(state.max_ack_height, RoundRate(state.round_count, Rate(excess_bytes, 1)))
    return excess_bytes


def _update_round(state: Quinn, ack: Ack) -> bool:
    """Return whether a round begins."""
    state.max_acked_packet = max(state.max_acked_packet, ack.packets[-1].last)
    if state.max_acked_packet <= state.round_end_packet:
        return False
    state.round_end_packet = state.max_sent_packet  # [bbr.quinn.round]
    state.round_count += 1
    return True


def _update_recovery_state(state: Quinn, *, round_start: bool) -> None:
    if state.lost_bytes > 0:
        state.end_recovery_packet = state.max_sent_packet
    if not state.in_recovery:
        if state.lost_bytes > 0:
            state.in_recovery = state.conservation = True  # [bbr.quinn.recovery]
            state.recovery_window_bytes = 0
            state.round_end_packet = state.max_sent_packet
        return
    if round_start:
        state.conservation = False  # [bbr.quinn.recovery.growth]
    if state.lost_bytes == 0 and state.max_acked_packet > state.end_recovery_packet:
        state.in_recovery = False  # [bbr.quinn.recovery.end]


def _maybe_exit_startup_or_drain(state: Quinn, base: NewReno, ack: Ack) -> Outcome | None:
    if state.phase is Phase.STARTUP and state.is_at_full_bandwidth:
        state.phase = Phase.DRAIN  # [bbr.quinn.drain]
    if state.phase is Phase.DRAIN and ack.bytes_in_flight <= target_cwnd_bytes(state, base, ONE):
        state.phase = Phase.PROBE_BW  # [bbr.quinn.drain.done]
        return Outcome.DRAINED
    return None


def _maybe_enter_or_exit_probe_rtt(state: Quinn, base: NewReno, ack: Ack, *, round_start: bool) -> Outcome | None:
    outcome = None
    if _is_min_rtt_expired(state, ack.t_ns) and state.phase is not Phase.PROBE_RTT:
        state.phase = Phase.PROBE_RTT  # [bbr.quinn.probe-rtt]
        state.exit_probe_rtt_ns = None
        state.probe_rtt_last_started_ns = ack.t_ns
        outcome = Outcome.PROBE_RTT_BEGUN
    if state.phase is not Phase.PROBE_RTT:
        return None
    if state.exit_probe_rtt_ns is None:
        if ack.bytes_in_flight < target_cwnd_bytes(state, base, PROBE_RTT_GAIN) + base.max_datagram_size_bytes:
            state.exit_probe_rtt_ns = ack.t_ns + PROBE_RTT_NS  # [bbr.quinn.probe-rtt.time]
    elif round_start and ack.t_ns >= state.exit_probe_rtt_ns:
        state.phase = Phase.PROBE_BW if state.is_at_full_bandwidth else Phase.STARTUP  # [bbr.quinn.probe-rtt.end]
        outcome = Outcome.PROBE_RTT_ENDED if state.is_at_full_bandwidth else Outcome.STARTUP_RESUMED
    return outcome


def _pacing_gain(state: Quinn) -> Number:
    return {Phase.STARTUP: HIGH_GAIN, Phase.DRAIN: DRAIN_GAIN}.get(state.phase, ONE)  # [bbr.quinn.steady]


def _calculate_pacing_rate(state: Quinn) -> None:
    if state.bw == 0:
        return
    target_rate = _scaled(state.bw, _pacing_gain(state))
    if state.is_at_full_bandwidth:
        state.pacing_rate = target_rate  # [bbr.quinn.pacing.full]
    elif state.pacing_rate == 0 and state.min_rtt_ns > 0:
        state.pacing_rate = over(state.initial_window_bytes, _SECOND_NS, state.min_rtt_ns)  # [bbr.quinn.pacing.initial]
    else:
        state.pacing_rate = max(state.pacing_rate, target_rate)  # [bbr.quinn.pacing]


def _calculate_cwnd(state: Quinn, base: NewReno, acked_bytes: int, excess_bytes: int) -> None:
    if state.phase is Phase.PROBE_RTT:
        return  # [bbr.quinn.cwnd.probe-rtt]
    gain = PROBE_BW_CWND_GAIN if state.phase is Phase.PROBE_BW else HIGH_GAIN  # [bbr.quinn.cwnd.gain]
    height_bytes = state.max_ack_height[0].rate.delivered_bytes
    state.extra_acked_bytes = height_bytes if state.is_at_full_bandwidth else excess_bytes
    target_bytes = saturate(target_cwnd_bytes(state, base, gain) + state.extra_acked_bytes)
    state.max_inflight_bytes = target_bytes
    if state.is_at_full_bandwidth:
        state.cwnd_bytes = min(target_bytes, saturate(state.cwnd_bytes + acked_bytes))  # [bbr.quinn.cwnd.full]
    elif target_bytes >= ABOVE_HIGH_GAIN or state.acked_bytes < state.initial_window_bytes:
        state.cwnd_bytes = saturate(state.cwnd_bytes + acked_bytes)  # [bbr.quinn.cwnd]
    state.cwnd_bytes = max(state.cwnd_bytes, _min_cwnd_bytes(base))  # [bbr.quinn.cwnd.least]


def _calculate_recovery_window(state: Quinn, base: NewReno, ack: Ack) -> None:
    if not state.in_recovery:
        return
    least_bytes = max(saturate(ack.bytes_in_flight + ack.bytes), _min_cwnd_bytes(base))
    if state.recovery_window_bytes == 0:
        state.recovery_window_bytes = least_bytes  # [bbr.quinn.recovery.window]
        return
    window_bytes = state.recovery_window_bytes - state.lost_bytes
    if window_bytes < 0:
        window_bytes = base.max_datagram_size_bytes
    if not state.conservation:
        window_bytes = saturate(window_bytes + ack.bytes)
    state.recovery_window_bytes = max(window_bytes, least_bytes)  # [bbr.quinn.recovery.window.later]


def _check_if_full_bw_reached(state: Quinn) -> Outcome:
    """Count a round without growth; the pipe is full with three, and in recovery with one."""
    if state.app_limited:
        return Outcome.APP_LIMITED  # [bbr.quinn.full-bw.app-limited]
    if state.bw >= _scaled(state.bw_at_last_round, GROWTH_TARGET):
        state.bw_at_last_round, state.round_wo_bw_gain = state.bw, 0  # [bbr.quinn.full-bw.grown]
        state.max_ack_height = NONE_KEPT
        return Outcome.BW_GROWN
    state.round_wo_bw_gain += 1
    if state.round_wo_bw_gain >= FULL_BW_ROUNDS:
        state.is_at_full_bandwidth = True  # [bbr.quinn.full-bw]
        return Outcome.EXITED_BY_PLATEAU
    if state.in_recovery:
        state.is_at_full_bandwidth = True  # [bbr.quinn.full-bw.recovery]
        return Outcome.EXITED_BY_LOSS
    return Outcome.PLATEAU_COUNTED


def _window_bytes(state: Quinn, base: NewReno) -> int:
    if state.phase is Phase.PROBE_RTT:
        return target_cwnd_bytes(state, base, PROBE_RTT_GAIN)  # [bbr.quinn.window.probe-rtt]
    if state.in_recovery and state.phase is not Phase.STARTUP:
        return min(state.cwnd_bytes, state.recovery_window_bytes)  # [bbr.quinn.window.recovery]
    return state.cwnd_bytes


def _on_end_acks(state: Quinn, base: NewReno, ack: Ack) -> Outcome | None:
    """Carry out what is done once for an ACK; return what it led to."""
    excess_bytes = _update_ack_aggregation_bytes(state, ack)
    round_start = _update_round(state, ack)
    _update_recovery_state(state, round_start=round_start)
    was_full = state.is_at_full_bandwidth
    counted = _check_if_full_bw_reached(state) if round_start and not was_full else None
    drained = _maybe_exit_startup_or_drain(state, base, ack)
    probed = _maybe_enter_or_exit_probe_rtt(state, base, ack, round_start=round_start)
    _calculate_pacing_rate(state)
    _calculate_cwnd(state, base, ack.bytes, excess_bytes)
    _calculate_recovery_window(state, base, ack)
    state.lost_bytes = 0
    return counted if state.is_at_full_bandwidth and not was_full else drained or probed or counted


def _on_ack(state: Quinn, base: NewReno, ack: Ack) -> Outcome:
    before_bytes = base.cwnd_bytes
    _update_bandwidth(state, ack)
    state.acked_bytes = saturate(state.acked_bytes + ack.bytes)
    _update_min_rtt(state, ack.t_ns)
    outcome = _on_end_acks(state, base, ack)
    if ack.min_rtt_ns is not None:
        state.path_min_rtt_ns = min(ack.min_rtt_ns, INITIAL_RTT_NS)  # [bbr.quinn.min-rtt.path]
    base.cwnd_bytes = _window_bytes(state, base)
    return outcome or (Outcome.GROWN if base.cwnd_bytes > before_bytes else Outcome.UNCHANGED)


def _on_lost(state: Quinn, lost: Lost) -> Outcome:
    first = state.lost_bytes == 0
    state.lost_bytes = saturate(state.lost_bytes + lost.bytes)  # [bbr.quinn.lost]
    return Outcome.LOSS_NOTED if first else Outcome.ALREADY_NOTED


def _on_event(state: Quinn, base: NewReno, event: Event) -> Outcome:
    match event:
        case Ack():
            return _on_ack(state, base, event)
        case Sent():
            return _on_sent(state, event)
        case Lost():
            return _on_lost(state, event)
        case _:
            return Outcome.UNCHANGED  # [bbr.quinn.others]


def step(state: Quinn, base: NewReno, event: Event) -> Observation:
    """Process one event."""
    outcome = _on_event(state, base, event)
    numbers = {
        "max_bw_delivered_bytes": state.bw,
        "max_bw_interval_ns": _SECOND_NS,
        "full_bw_delivered_bytes": state.bw_at_last_round,
        "full_bw_interval_ns": _SECOND_NS,
        "full_bw_count": state.round_wo_bw_gain,
        "round_count": state.round_count,
        "min_rtt_ns": state.min_rtt_ns or None,
        "bdp_bytes": target_cwnd_bytes(state, base, ONE),
        "extra_acked_bytes": state.extra_acked_bytes,
        "max_inflight_bytes": state.max_inflight_bytes,
        "inflight_longterm_bytes": None,
        "inflight_shortterm_bytes": state.recovery_window_bytes if state.in_recovery else None,
        "pacing_rate_bytes_per_s": state.pacing_rate,
    }
    return Observation(base.cwnd_bytes, None, state.phase, outcome, numbers, None, paces=True)

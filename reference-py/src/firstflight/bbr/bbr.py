"""Event processing of BBR's Startup and Drain (``spec/bbr/rules.md``), for all profiles of ``bbr/profiles.py``.

The path model is in ``model``, the end of Startup and Drain in ``startup``. The control parameters are in ``control``,
the response to losses is in ``recovery``. The base contains the window and the recovery period; its rules are unused.

Mirrors ``reference-c/firstflight/bbr/bbr.c``.
"""

from firstflight.bbr import aggregation, control, model, recovery, startup
from firstflight.bbr.profiles import PROFILES, AppLimitedAcks, ExtraAcked, Losses, Readings
from firstflight.bbr.rate import exceeds
from firstflight.bbr.sample import generate_rate_sample, limit_sent
from firstflight.bbr.state import Bbr, Sample, saturate
from firstflight.events import Ack, Ce, Event, Lost, PersistentCongestion, Sent, SpuriousLoss
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Observation, Outcome, Phase

__all__ = ["PROFILES", "Bbr", "Readings", "begin", "step"]


def begin(readings: Readings, base: BaseState) -> Bbr:
    """Return the state before the first event."""
    state = Bbr(base.cwnd_bytes, 0, 0)  # [bbr.begin]
    if readings.losses is Losses.LINUX_V3:
        state.loss_round_delivered_bytes = base.max_datagram_size_bytes  # [bbr.loss-round.v3]
    startup.enter_startup(readings, state)
    control.init_pacing_rate(readings, state, base, control.INITIAL_RTT_NS)  # [bbr.pacing.initial.none]
    return state


def _handle_restart_from_idle(readings: Readings, state: Bbr, sent: Sent) -> None:
    if sent.bytes_in_flight <= sent.bytes and state.app_limited_bytes > 0:
        state.extra_acked_interval_start_ns = sent.t_ns  # [bbr.idle]
        if readings.extra_acked in (ExtraAcked.LINUX, ExtraAcked.LINUX_V3):
            state.extra_acked_delivered_bytes = 0  # [bbr.idle.linux]


def _on_sent(readings: Readings, state: Bbr, sent: Sent) -> Outcome:
    _handle_restart_from_idle(readings, state, sent)
    control.pace_sent(state, sent)
    state.in_flight_bytes = saturate(sent.bytes_in_flight)
    limit_sent(state, sent)
    return Outcome.SENT


def _is_skipped(readings: Readings, state: Bbr, sample: Sample) -> bool:
    """Return whether an ACK leaves most of the model unchanged, as in BBR version 3 of Linux.

    This needs an application-limited sample with a rate below BBR.max_bw, and no loss in this round. In addition, the
    last ACK that updated the window must have found the window grown to BBR.max_inflight. Other profiles skip no ACK.
    """
    if readings.app_limited_acks is AppLimitedAcks.COUNTED or not state.window_reached:
        return False
    return not state.is_loss_in_round and sample.app_limited and exceeds(state.max_bw, sample.rate)


def _update_little(
    readings: Readings, state: Bbr, base: BaseState, ack: Ack, sample: Sample
) -> tuple[Outcome | None, bool]:
    """Update the few parts of the model that change at a skipped ACK, as in BBR version 3 of Linux.

    An ACK is skipped if its sample is application-limited with a rate below BBR.max_bw, without a loss in this round.
    In addition, the window must have reached BBR.max_inflight.

    Return the outcome, and whether the control parameters (pacing rate, send quantum, window) change.
    """
    min_rtt_ns = state.min_rtt_ns
    model.update_latest_delivery_signals(state, sample)  # [bbr.app-limited.v3]
    model.update_round(state, sample)  # [bbr.app-limited.skipped]
    limited = Outcome.APP_LIMITED if state.round_start and state.phase is Phase.STARTUP else None
    drained = startup.check_drain_done(readings, state, base, ack.t_ns, exited=False)
    startup.raise_long_term(readings, state, base, sample)
    model.update_min_rtt(readings, state, ack)
    model.advance_latest_delivery_signals(state, sample)
    return drained or limited, drained is not None or state.min_rtt_ns != min_rtt_ns


def _update_model_and_state(
    readings: Readings, state: Bbr, base: BaseState, ack: Ack, sample: Sample
) -> Outcome | None:
    """Apply the steps of an ACK in the order of the draft; return the outcome."""
    model.update_latest_delivery_signals(state, sample)  # [bbr.order]
    model.update_congestion_signals(readings, state, base, sample)
    aggregation.update_ack_aggregation(readings, state, base, ack, sample)
    counted = startup.check_full_bw_reached(readings, state, base, sample)
    exited = startup.check_startup_done(readings, state, base, sample)
    drained = startup.check_drain_done(readings, state, base, ack.t_ns, exited=exited is not None)
    startup.raise_long_term(readings, state, base, sample)
    model.update_min_rtt(readings, state, ack)
    return exited or drained or counted


def _update_control_parameters(readings: Readings, state: Bbr, base: BaseState, ack: Ack, sample: Sample) -> None:
    model.advance_latest_delivery_signals(state, sample)
    model.bound_bw_for_model(state)
    control.set_pacing_rate(readings, state, base, ack)
    control.set_send_quantum(readings, state, base)
    recovery.deduct_losses(readings, state, base)
    recovery.leave_recovery(state, base, ack)
    recovery.begin_conservation(state, base, ack)
    control.set_cwnd(readings, state, base, ack)


def _on_ack(readings: Readings, state: Bbr, base: BaseState, ack: Ack) -> Outcome:
    before_bytes = base.cwnd_bytes
    recovery.leave_recovery_first(readings, state, base, ack)
    sample = generate_rate_sample(readings, state, base, ack)
    if _is_skipped(readings, state, sample):
        outcome, changes = _update_little(readings, state, base, ack, sample)
    else:
        outcome, changes = _update_model_and_state(readings, state, base, ack, sample), True
    if changes:
        _update_control_parameters(readings, state, base, ack, sample)
    return outcome or (Outcome.GROWN if base.cwnd_bytes > before_bytes else Outcome.UNCHANGED)


def _on_event(readings: Readings, state: Bbr, base: BaseState, event: Event) -> Outcome:
    match event:
        case Ack():
            return _on_ack(readings, state, base, event)
        case Sent():
            return _on_sent(readings, state, event)
        case Lost():
            return recovery.on_lost(readings, state, base, event)
        case Ce():
            return recovery.on_ce(readings, state, base, event)
        case PersistentCongestion():
            return recovery.on_enter_rto(readings, state, base, event.t_ns)
        case SpuriousLoss():
            return recovery.handle_spurious_loss_detection(readings, state, base)
        case _:
            return Outcome.UNCHANGED


def _observe(state: Bbr, base: BaseState, outcome: Outcome) -> Observation:
    numbers = {
        "max_bw_delivered_bytes": state.max_bw.delivered_bytes,
        "max_bw_interval_ns": state.max_bw.interval_ns,
        "full_bw_delivered_bytes": state.full_bw.delivered_bytes,
        "full_bw_interval_ns": state.full_bw.interval_ns,
        "full_bw_count": state.full_bw_count,
        "round_count": state.round_count,
        "min_rtt_ns": state.min_rtt_ns,
        "bdp_bytes": state.bdp_bytes,
        "extra_acked_bytes": state.extra_acked_bytes,
        "max_inflight_bytes": state.max_inflight_bytes,
        "inflight_longterm_bytes": state.inflight_longterm_bytes,
        "inflight_shortterm_bytes": state.inflight_shortterm_bytes,
        "pacing_rate_bytes_per_s": state.pacing_rate,
    }
    return Observation(
        base.cwnd_bytes, state.ssthresh_bytes, state.phase, outcome, numbers, state.next_send_ns, paces=True
    )


def step(readings: Readings, state: Bbr, base: BaseState, event: Event) -> Observation:
    """Process one event with BBR and the given readings."""
    return _observe(state, base, _on_event(readings, state, base, event))

"""BBR of picoquic: the steps of its ``bbr.c``, in their order (``spec/bbr/rules.md``).

What is known of the path is in ``picoquic_path``. What is as in the draft is shared with it.

Mirrors ``reference-c/firstflight/bbr/picoquic.c``.
"""

from firstflight.bbr import control, model, startup
from firstflight.bbr import picoquic_path as path
from firstflight.bbr.packets import whole_ns
from firstflight.bbr.picoquic_state import Picoquic
from firstflight.bbr.profiles import Readings
from firstflight.bbr.rate import ZERO, exceeds, larger
from firstflight.bbr.state import Bbr, Sample, saturate
from firstflight.events import Ack, Event, Lost, Pto, Sent, SpuriousLoss
from firstflight.newreno.newreno import NewReno
from firstflight.observables import Outcome, Phase

#: PICOQUIC_INITIAL_RTT.
INITIAL_RTT_NS = 250 * 10**6
#: More than so many datagrams must be lost.
LOST_DATAGRAMS = 3
#: BBRRTTJitterBufferLen: more ACKs with RTTs that are too long end Startup.
EXCESS_ACKS = 7


def _is_inflight_too_high(readings: Readings, state: Bbr, base: NewReno, sample: Sample) -> bool:
    prior_bytes = sample.prior_delivered_bytes
    if prior_bytes is None or prior_bytes <= state.recovery_delivered_bytes:
        return False  # [bbr.picoquic.too-high.after]
    if sample.lost_bytes <= LOST_DATAGRAMS * base.max_datagram_size_bytes:
        return False  # [bbr.picoquic.too-high.datagrams]
    return startup.is_inflight_too_high(readings, base, sample)


def _update_congestion_signals(
    readings: Readings, state: Bbr, base: NewReno, own: Picoquic, ack: Ack, sample: Sample
) -> None:
    path.update_round(state, own, ack)
    if not (sample.app_limited and exceeds(state.max_bw, sample.rate)):
        state.max_bw = larger(state.max_bw, sample.rate)  # [bbr.picoquic.max-bw]
    if state.newly_lost_bytes > 0:
        state.is_loss_in_round = True  # [bbr.picoquic.lost.noted]
    if state.loss_round_start:
        model.adapt_lower_bounds_from_congestion(readings, state, base)
        state.is_loss_in_round = False


def _check_startup_high_loss(readings: Readings, state: Bbr, base: NewReno, own: Picoquic, sample: Sample) -> bool:
    """Return whether the losses of the round that ends are those of a full pipe."""
    state.lost_ranges += own.lost_ranges
    if _is_inflight_too_high(readings, state, base, sample):
        own.too_high_in_round = True  # [bbr.picoquic.loss-exit.any-ack]
    if not state.round_start:
        return False
    full = own.too_high_in_round and state.lost_ranges >= readings.loss_exit_count  # [bbr.picoquic.loss-exit]
    own.too_high_in_round, state.lost_ranges = False, 0
    return full


def _check_startup_done(readings: Readings, state: Bbr, base: NewReno, own: Picoquic, sample: Sample) -> Outcome | None:
    """End Startup by plateau, by losses or by delay."""
    if state.phase is not Phase.STARTUP:
        return None
    counted = startup.check_full_bw_reached(readings, state, base, sample)
    by_plateau = state.full_bw_reached
    by_loss = _check_startup_high_loss(readings, state, base, own, sample)
    if not (by_plateau or by_loss or own.rtt_excess > EXCESS_ACKS):  # [bbr.picoquic.delay-exit]
        return counted
    state.full_bw_reached, state.full_bw_count = True, 0  # [bbr.picoquic.exit]
    startup.enter_drain(readings, state)
    if by_loss:
        return Outcome.EXITED_BY_LOSS
    return Outcome.EXITED_BY_PLATEAU if by_plateau else Outcome.EXITED_BY_DELAY


def _leave_recovery(readings: Readings, state: Bbr, base: NewReno, now_ns: int) -> None:
    base.cwnd_bytes = max(base.cwnd_bytes, state.prior_cwnd_bytes)  # [bbr.picoquic.recovery.end]
    if state.timeout:
        startup.reset_full_bw(state)  # [bbr.picoquic.timeout.end]
        state.full_bw_reached = False
        startup.enter_startup(readings, state)
    state.packet_conservation = base.in_recovery = state.timeout = False
    state.recovery_delivered_bytes = state.delivered_bytes
    state.probe_rtt_min_stamp_ns = state.min_rtt_stamp_ns = whole_ns(now_ns)  # [bbr.picoquic.recovery.end.rtt]


def _check_recovery(
    readings: Readings, state: Bbr, base: NewReno, own: Picoquic, ack: Ack, sample: Sample
) -> Outcome | None:
    """Leave recovery, or enter it where too much is lost."""
    if base.in_recovery:
        if not state.timeout and own.highest_packet < own.recovery_end_packet:
            return None
        resumes = state.timeout
        _leave_recovery(readings, state, base, ack.t_ns)
        return Outcome.STARTUP_RESUMED if resumes else None
    if _is_inflight_too_high(readings, state, base, sample):
        state.prior_cwnd_bytes = base.cwnd_bytes  # [bbr.picoquic.recovery]
        least_bytes = max(base.max_datagram_size_bytes, ack.bytes)
        base.cwnd_bytes = saturate(state.in_flight_bytes + least_bytes)
        base.in_recovery = state.packet_conservation = True
        state.recovery_delivered_bytes = state.delivered_bytes
        own.recovery_end_packet = ack.next_packet
    return None


def _check_drain(readings: Readings, state: Bbr, base: NewReno, own: Picoquic, ack: Ack) -> Outcome | None:
    drained = startup.check_drain_done(readings, state, base, ack.t_ns, exited=False)
    if drained is not None:
        state.is_loss_in_round, state.bw_latest, state.inflight_latest_bytes = False, ZERO, 0  # [bbr.picoquic.drained]
        own.round_end_packet, own.rtt_excess = ack.next_packet, 0
    return drained


def _adapt_upper_bounds(readings: Readings, state: Bbr, base: NewReno, sample: Sample) -> None:
    if state.full_bw_reached and not _is_inflight_too_high(readings, state, base, sample):
        volume = max(state.inflight_longterm_bytes or 0, sample.in_flight_bytes)
        state.inflight_longterm_bytes = volume or None  # [bbr.picoquic.long-term]


def _set_cwnd(readings: Readings, state: Bbr, base: NewReno, ack: Ack) -> None:
    if state.newly_lost_bytes > 0:
        left_bytes = base.cwnd_bytes - state.newly_lost_bytes
        base.cwnd_bytes = max(left_bytes, base.max_datagram_size_bytes)  # [bbr.picoquic.lost]
    control.set_cwnd(readings, state, base, ack)
    if state.packet_conservation:
        control.bound_cwnd_for_model(readings, state, base)  # [bbr.picoquic.recovery.bounds]


def _update_on_ack(
    readings: Readings, state: Bbr, base: NewReno, own: Picoquic, ack: Ack, sample: Sample, rtt_ns: int
) -> Outcome | None:
    """Carry out the steps of an ACK; return what they led to."""
    model.update_latest_delivery_signals(state, sample)  # [bbr.picoquic.order]
    _update_congestion_signals(readings, state, base, own, ack, sample)
    path.update_ack_aggregation(state, base, ack)
    ended = _check_startup_done(readings, state, base, own, sample)
    resumed = _check_recovery(readings, state, base, own, ack, sample)
    drained = _check_drain(readings, state, base, own, ack)
    _adapt_upper_bounds(readings, state, base, sample)
    path.update_min_rtt(state, base, own, ack, rtt_ns)
    model.advance_latest_delivery_signals(state, sample)
    model.bound_bw_for_model(state)
    control.set_pacing_rate(readings, state, base, ack)
    control.set_send_quantum(readings, state, base)
    _set_cwnd(readings, state, base, ack)
    return resumed or ended or drained


def _on_ack(readings: Readings, state: Bbr, base: NewReno, own: Picoquic, ack: Ack) -> Outcome:
    before_bytes, outcome = base.cwnd_bytes, None
    rtt_ns = path.path_rtt_ns(own, ack, ack.packets[-1])
    sample = path.rate_sample(state, own, ack, rtt_ns)
    if rtt_ns > 0:  # [bbr.picoquic.rtt.none]
        outcome = _update_on_ack(readings, state, base, own, ack, sample, rtt_ns)
    state.newly_lost_bytes, own.lost_ranges, own.lost_since_ack = 0, 0, False
    return outcome or (Outcome.GROWN if base.cwnd_bytes > before_bytes else Outcome.UNCHANGED)


def _reduce_in_timeout(base: NewReno, packets: int, size_bytes: int) -> None:
    """Take the size of each of the packets off the window, as long as it is larger, down to two datagrams."""
    least_bytes = 2 * base.max_datagram_size_bytes
    whole = min(packets, max(base.cwnd_bytes - least_bytes, 0) // size_bytes)
    base.cwnd_bytes -= whole * size_bytes  # [bbr.picoquic.timeout.lost]
    if packets > whole and base.cwnd_bytes > size_bytes:
        base.cwnd_bytes = least_bytes


def _on_lost(state: Bbr, base: NewReno, own: Picoquic, lost: Lost) -> Outcome:
    state.in_flight_bytes = saturate(lost.bytes_in_flight)
    path.note_lost(state, own, lost)
    if state.timeout:
        for run in lost.packets:
            _reduce_in_timeout(base, run.count, run.size_bytes)
    first, own.lost_since_ack = not own.lost_since_ack, True
    return Outcome.LOSS_NOTED if first else Outcome.ALREADY_NOTED


def _on_enter_rto(state: Bbr, base: NewReno) -> Outcome:
    if not base.in_recovery:
        state.prior_cwnd_bytes, base.in_recovery = base.cwnd_bytes, True
    if state.timeout:
        return Outcome.UNCHANGED  # [bbr.picoquic.timeout.once]
    base.cwnd_bytes = saturate(state.in_flight_bytes + base.max_datagram_size_bytes)  # [bbr.picoquic.timeout]
    state.timeout = True
    state.recovery_delivered_bytes = state.delivered_bytes
    return Outcome.COLLAPSED


def on_event(readings: Readings, state: Bbr, base: NewReno, own: Picoquic, event: Event) -> Outcome:
    """Process one event."""
    match event:
        case Ack():
            return _on_ack(readings, state, base, own, event)
        case Sent():
            path.note_sent(state, own, event)
            control.pace_sent(state, event)
            state.in_flight_bytes = saturate(event.bytes_in_flight)
            return Outcome.SENT
        case Lost():
            return _on_lost(state, base, own, event)
        case Pto():
            return _on_enter_rto(state, base)
        case SpuriousLoss():
            if state.timeout:
                _leave_recovery(readings, state, base, event.t_ns)  # [bbr.picoquic.undo]
                return Outcome.RESTORED
    return Outcome.UNCHANGED  # [bbr.picoquic.marks]

"""The response to losses, marks and timeouts, and its undo after spurious losses (``spec/bbr/rules.md``).

One function for each step of the draft, in its order. They change the state and the base in place.

Mirrors ``reference-c/firstflight/bbr/recovery.c``.
"""

from firstflight.bbr.profiles import Losses, Readings, Saved
from firstflight.bbr.rate import ZERO, larger
from firstflight.bbr.startup import enter_startup, reset_full_bw
from firstflight.bbr.state import Bbr, larger_bound, saturate
from firstflight.events import Ack, Ce, Lost
from firstflight.newreno import newreno
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Outcome, Phase


def _save_cwnd(state: Bbr, base: BaseState) -> None:
    if base.in_recovery:
        state.prior_cwnd_bytes = max(state.prior_cwnd_bytes, base.cwnd_bytes)  # [bbr.saved.recovery]
    else:
        state.prior_cwnd_bytes = base.cwnd_bytes  # [bbr.saved.cwnd]


def _restore_cwnd(state: Bbr, base: BaseState) -> None:
    base.cwnd_bytes = max(base.cwnd_bytes, state.prior_cwnd_bytes)  # [bbr.restored.cwnd]


def _save_state_upon_loss(state: Bbr, base: BaseState) -> None:
    _save_cwnd(state, base)
    state.undo_startup = False  # [bbr.saved]
    state.undo_bw_shortterm = state.bw_shortterm
    state.undo_inflight_shortterm_bytes = state.inflight_shortterm_bytes
    state.undo_inflight_longterm_bytes = state.inflight_longterm_bytes


def _note_loss(readings: Readings, state: Bbr, base: BaseState) -> Outcome:
    first = not state.is_loss_in_round
    if first:
        state.loss_round_delivered_bytes = state.delivered_bytes  # [bbr.loss-round.begins]
        if readings.saved is Saved.ROUNDS:
            _save_state_upon_loss(state, base)  # [bbr.saved.rounds]
    state.is_loss_in_round = True
    return Outcome.LOSS_NOTED if first else Outcome.ALREADY_NOTED


def _enter_recovery(state: Bbr, base: BaseState, now_ns: int, sent_t_ns: int) -> None:
    if newreno.sent_before_recovery(base, sent_t_ns):
        return  # [bbr.recovery.once]
    if not base.in_recovery:
        _save_state_upon_loss(state, base)  # [bbr.recovery.begin]
        state.recovery_delivered_bytes = state.delivered_bytes
        base.in_recovery = True
    base.recovery_start_ns = now_ns  # [bbr.recovery.goes-on]


def _count_ranges(state: Bbr, lost: Lost) -> None:
    for run in lost.packets:
        if run.first != state.next_lost_packet or state.lost_ranges == 0:
            state.lost_ranges += 1  # [bbr.loss-exit.separate]
        state.next_lost_packet = run.last + 1


def _note_recovery(state: Bbr, *, begun: bool) -> Outcome:
    state.conservation_due = state.conservation_due or begun
    return Outcome.LOSS_NOTED if begun else Outcome.ALREADY_NOTED


def on_lost(readings: Readings, state: Bbr, base: BaseState, lost: Lost) -> Outcome:
    """Process packets declared lost."""
    state.in_flight_bytes = saturate(lost.bytes_in_flight)
    if lost.pmtu_probe:
        return Outcome.UNCHANGED  # [slow-start.loss.pmtu-probe]
    was_in_recovery = base.in_recovery
    _enter_recovery(state, base, lost.t_ns, max(run.sent_t_ns for run in lost.packets))
    _count_ranges(state, lost)
    state.newly_lost_bytes = saturate(state.newly_lost_bytes + lost.bytes)
    if readings.losses is Losses.CONSERVATION:
        return _note_recovery(state, begun=base.in_recovery and not was_in_recovery)
    return _note_loss(readings, state, base)


def on_ce(readings: Readings, state: Bbr, base: BaseState, ce: Ce) -> Outcome:
    """Process an increase of the ECN-CE counter as a loss, without counting lost bytes or lost ranges of packets.

    In the profiles of Linux, CE marks change nothing.
    """
    if readings.losses in (Losses.CONSERVATION, Losses.LINUX_V3):
        return Outcome.UNCHANGED  # [bbr.conservation.marks]
    _enter_recovery(state, base, ce.t_ns, ce.sent_t_ns)  # [bbr.ecn]
    return _note_loss(readings, state, base)  # [bbr.ecn.loss]


def _forget_losses(state: Bbr) -> None:
    state.newly_lost_bytes = 0
    state.conservation_due = False


def _collapse_linux(state: Bbr, base: BaseState) -> None:
    reset_full_bw(state)  # [bbr.timeout.v3]
    if state.phase is not Phase.STARTUP and state.inflight_shortterm_bytes is None:
        state.inflight_shortterm_bytes = max(base.cwnd_bytes, state.prior_cwnd_bytes)  # [bbr.timeout.v3.short-term]


def _saves_at_timeout(readings: Readings, base: BaseState) -> bool:
    if readings.losses in (Losses.CONSERVATION, Losses.LINUX_V3):
        return not base.in_recovery  # [bbr.timeout.linux]
    return True


def on_enter_rto(readings: Readings, state: Bbr, base: BaseState, now_ns: int) -> Outcome:
    """Process persistent congestion as a retransmission timeout."""
    if _saves_at_timeout(readings, base):
        _save_state_upon_loss(state, base)
    base.cwnd_bytes = saturate(state.in_flight_bytes + base.max_datagram_size_bytes)  # [bbr.timeout]
    base.in_recovery, base.recovery_start_ns = True, now_ns
    state.timeout = True
    if readings.losses is Losses.CONSERVATION:
        state.full_bw = ZERO  # [bbr.conservation.timeout]
        _forget_losses(state)
    if readings.losses is Losses.LINUX_V3:
        _collapse_linux(state, base)
        _forget_losses(state)
    return Outcome.COLLAPSED


def deduct_losses(readings: Readings, state: Bbr, base: BaseState) -> None:
    """Reset the count of bytes lost since the last ACK.

    With the choice ``conservation`` of ``losses`` (BBR version 1 of Linux), first subtract these bytes from the window,
    down to one datagram.
    """
    if readings.losses is Losses.CONSERVATION and state.newly_lost_bytes > 0:
        left_bytes = base.cwnd_bytes - state.newly_lost_bytes
        base.cwnd_bytes = max(left_bytes, base.max_datagram_size_bytes)  # [bbr.conservation.lost]
    state.newly_lost_bytes = 0


def _ends_recovery(base: BaseState, ack: Ack) -> bool:
    return base.in_recovery and any(not newreno.sent_before_recovery(base, run.sent_t_ns) for run in ack.packets)


def leave_recovery_first(readings: Readings, state: Bbr, base: BaseState, ack: Ack) -> None:
    """End recovery as BBR version 3 of Linux does, before any other change by the ACK.

    Recovery ends if the ACK acknowledges a packet sent after the last recovery period began. After a timeout, the
    window becomes at least the window saved before it. Other profiles change nothing.
    """
    if readings.losses is not Losses.LINUX_V3 or not _ends_recovery(base, ack):
        return
    if state.timeout:
        _restore_cwnd(state, base)  # [bbr.recovery.v3]
        state.window_reached = False
    base.in_recovery = state.timeout = False  # [bbr.recovery.v3.first]


def leave_recovery(state: Bbr, base: BaseState, ack: Ack) -> None:
    """End recovery if the ACK acknowledges a packet sent after the beginning of recovery."""
    if _ends_recovery(base, ack):
        base.in_recovery = state.timeout = False  # [bbr.recovery.end]
        state.conservation_due = state.packet_conservation = False
        _restore_cwnd(state, base)


def begin_conservation(state: Bbr, base: BaseState, ack: Ack) -> None:
    """Begin packet conservation at the first ACK of a recovery, with the choice ``conservation`` of ``losses`` only.

    The window becomes the bytes in flight plus the bytes acknowledged by this ACK. A round begins, and packet
    conservation is active until it ends.
    """
    if state.conservation_due:
        state.conservation_due, state.packet_conservation = False, True
        state.next_round_delivered_bytes = state.delivered_bytes
        base.cwnd_bytes = saturate(state.in_flight_bytes + ack.bytes)  # [bbr.conservation.begin]


def _undo_cwnd(readings: Readings, state: Bbr, base: BaseState) -> None:
    if readings.losses is not Losses.LINUX_V3:
        _restore_cwnd(state, base)
    elif state.prior_cwnd_bytes > 0:
        base.cwnd_bytes = state.prior_cwnd_bytes  # [bbr.undo.v3]
    state.window_reached = False


def handle_spurious_loss_detection(readings: Readings, state: Bbr, base: BaseState) -> Outcome:
    """Process the detection that the losses of a recovery were spurious."""
    _undo_cwnd(readings, state, base)
    base.in_recovery = state.timeout = False
    state.is_loss_in_round = False
    reset_full_bw(state)
    if readings.losses is Losses.CONSERVATION:
        state.full_bw_now = state.full_bw_reached  # [bbr.conservation.undo]
        state.packet_conservation = False
    _forget_losses(state)
    state.bw_shortterm = larger(state.bw_shortterm, state.undo_bw_shortterm)  # [bbr.undo]
    undo_shortterm, undo_longterm = state.undo_inflight_shortterm_bytes, state.undo_inflight_longterm_bytes
    state.inflight_shortterm_bytes = larger_bound(state.inflight_shortterm_bytes, undo_shortterm)
    state.inflight_longterm_bytes = larger_bound(state.inflight_longterm_bytes, undo_longterm)
    resumes = state.undo_startup and state.phase is not Phase.STARTUP
    if resumes:
        state.full_bw_reached = False  # [bbr.undo.startup]
        enter_startup(readings, state)
    state.undo_startup = False
    return Outcome.STARTUP_RESUMED if resumes else Outcome.RESTORED

"""Safe Retreat (``spec/careful-resume/rules.md``). Mirrors ``reference-c/firstflight/careful_resume/retreat.c``."""

from firstflight.careful_resume import profiles as cr
from firstflight.careful_resume.profiles import Readings
from firstflight.careful_resume.state import (
    CarefulResume,
    Normal,
    Report,
    acknowledge,
    end,
    reached,
    share,
    take_normal,
    take_unvalidated,
)
from firstflight.events import Ack, Ce, Event, Lost, PersistentCongestion
from firstflight.newreno import newreno
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Outcome, Phase, Trigger


def _floor_bytes(readings: Readings, state: CarefulResume, two_datagrams_bytes: int) -> int:
    match readings.retreat_floor:
        case cr.RetreatFloor.TWO_DATAGRAMS:
            return two_datagrams_bytes
        case cr.RetreatFloor.INITIAL_WINDOW:
            return state.initial_window_bytes


def retreat(readings: Readings, state: CarefulResume, base: BaseState, now_ns: int, trigger: Trigger) -> Report:
    """Begin Safe Retreat."""
    state.saved = None  # [careful-resume.retreat.delete]
    two_datagrams_bytes = newreno.minimum_window_bytes(base)
    half_bytes = state.pipesize_bytes // 2  # [careful-resume.retreat.window] [careful-resume.retreat.amount]
    base.cwnd_bytes = max(half_bytes, _floor_bytes(readings, state, two_datagrams_bytes))
    base.in_recovery = False
    newreno.forget_congestion(base)
    base.recovery_start_ns = now_ns  # [careful-resume.retreat.recovery]
    if state.marks.last_unvalidated is None:
        state.marks.last_unvalidated = state.marks.sent  # [careful-resume.retreat.mark]
    state.phase = Phase.SAFE_RETREAT
    return Report(Outcome.RETREATED, (trigger,))


def _bound_threshold(state: CarefulResume, base: BaseState) -> None:
    """Bound the threshold by PipeSize * Beta; a lower threshold stays."""
    used = state.used  # [careful-resume.retreat.threshold]
    bound_bytes = share(state.pipesize_bytes, used.beta_numerator, used.beta_denominator, up=False)
    if base.ssthresh_bytes is not None and base.ssthresh_bytes < bound_bytes:
        return  # [careful-resume.retreat.threshold-lower]
    base.ssthresh_bytes = bound_bytes


def stop(state: CarefulResume, base: BaseState, normal: Normal) -> Report:
    """End Careful Resume at persistent congestion; normal congestion control reacts to it."""
    report = take_normal(base, normal)  # [careful-resume.persistent]
    if state.phase is Phase.SAFE_RETREAT:
        _bound_threshold(state, base)  # [careful-resume.persistent.threshold]
    end(state)
    return report


def retreat_on_lost(readings: Readings, state: CarefulResume, base: BaseState, lost: Lost) -> Report:
    """Process a loss after the jump: Safe Retreat begins."""
    take_unvalidated(state, lost.packets)
    return retreat(readings, state, base, lost.t_ns, Trigger.PACKET_LOSS)


def _leave(state: CarefulResume, base: BaseState) -> Report:
    """End Safe Retreat; the ACK that ends it does not change the window."""
    end(state)  # [careful-resume.retreat.end]
    _bound_threshold(state, base)
    return Report(Outcome.RETREAT_ENDED, (Trigger.EXIT_RECOVERY,))


def _ack_ends(readings: Readings, state: CarefulResume) -> bool:
    if readings.retreat_end is cr.RetreatEnd.NONE_OUTSTANDING:
        return state.unvalidated_left_bytes == 0
    return reached(state.marks.acked, state.marks.last_unvalidated)


def _loss_ends(readings: Readings, state: CarefulResume) -> bool:
    """Return whether a loss ends Safe Retreat.

    It does so only with ``retreat_end`` = ``none_outstanding``, if no bytes of the Unvalidated phase remain in flight.
    """
    return readings.retreat_end is cr.RetreatEnd.NONE_OUTSTANDING and state.unvalidated_left_bytes == 0


def _on_ack(readings: Readings, state: CarefulResume, base: BaseState, ack: Ack) -> Report:
    acknowledge(readings, state, ack)  # [careful-resume.retreat.pipesize]
    if _ack_ends(readings, state):
        return _leave(state, base)
    return Report(Outcome.WINDOW_KEPT)  # [careful-resume.retreat.no-growth]


def _on_congestion(readings: Readings, base: BaseState) -> Report:
    if readings.retreat_congestion is cr.RetreatCongestion.REDUCES:
        reduced_bytes = newreno.reduced_bytes(base, base.cwnd_bytes)
        base.cwnd_bytes = max(reduced_bytes, newreno.minimum_window_bytes(base))
        return Report(Outcome.REDUCED)
    return Report(Outcome.ALREADY_REDUCED)  # [careful-resume.retreat.once]


def _on_lost(readings: Readings, state: CarefulResume, base: BaseState, lost: Lost) -> Report:
    take_unvalidated(state, lost.packets)
    if _loss_ends(readings, state):
        return _leave(state, base)
    if lost.pmtu_probe:
        return Report(Outcome.UNCHANGED)  # [careful-resume.pmtu-probe]
    return _on_congestion(readings, base)


def on_retreat(readings: Readings, state: CarefulResume, base: BaseState, event: Event, normal: Normal) -> Report:
    """Process an event in Safe Retreat."""
    match event:
        case Ack():
            return _on_ack(readings, state, base, event)
        case Lost():
            return _on_lost(readings, state, base, event)
        case Ce():
            return _on_congestion(readings, base)
        case PersistentCongestion():
            return stop(state, base, normal)
        case _:
            return Report(normal.outcome)

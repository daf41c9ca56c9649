"""Safe Retreat (``spec/careful-resume.md``). Mirrors ``reference-c/src/careful_resume/retreat.c``."""

from dataclasses import replace

from firstflight.careful_resume import profiles as cr
from firstflight.careful_resume.profiles import Readings
from firstflight.careful_resume.state import (
    CarefulResume,
    Step,
    acknowledge,
    end,
    share,
    unvalidated_bytes,
)
from firstflight.events import Ack, Ce, Event, Lost, PersistentCongestion
from firstflight.newreno import pure as newreno
from firstflight.newreno.newreno import NewReno
from firstflight.observables import Outcome, Phase, Trigger


def retreat(readings: Readings, state: CarefulResume, base: NewReno, now_ns: int, trigger: Trigger) -> Step:
    """Begin Safe Retreat."""
    if readings.saved_set is cr.SavedSet.DELETED:
        state = replace(state, saved=None)  # [careful-resume.retreat.delete]
    floors = {
        cr.RetreatFloor.TWO_DATAGRAMS: newreno.minimum_window_bytes(base),
        cr.RetreatFloor.INITIAL_WINDOW: state.initial_window_bytes,
        cr.RetreatFloor.NONE: 0,
    }
    half_bytes = state.pipesize_bytes // 2  # [careful-resume.retreat.window]
    cwnd_bytes = max(half_bytes, floors[readings.retreat_floor])
    base = newreno.forget_congestion(replace(base, cwnd_bytes=cwnd_bytes, in_recovery=False))
    if readings.growth_retreat is cr.GrowthRetreat.NONE:
        base = replace(base, recovery_start_ns=now_ns)  # [careful-resume.retreat.recovery]
    if readings.retreat_threshold is cr.RetreatThreshold.WINDOW:
        base = replace(base, ssthresh_bytes=cwnd_bytes)
    if readings.base_reduction is cr.BaseReduction.ALSO:
        base = _reduced(base)
    marks = state.marks
    if marks.last_unvalidated is None or readings.retreat_end is cr.RetreatEnd.LAST_SENT:
        marks = replace(marks, last_unvalidated=marks.sent)  # [careful-resume.retreat.mark]
    state = replace(state, phase=Phase.SAFE_RETREAT, marks=marks)
    return Step(state, base, Outcome.RETREATED, (trigger,))


def _reduced(base: NewReno) -> NewReno:
    reduced_bytes = newreno.reduced_bytes(base, base.cwnd_bytes)
    cwnd_bytes = max(reduced_bytes, newreno.minimum_window_bytes(base))
    return replace(base, cwnd_bytes=cwnd_bytes, ssthresh_bytes=reduced_bytes)


def on_event(readings: Readings, state: CarefulResume, base: NewReno, event: Event, normal: Step) -> Step:
    """Process an event in Safe Retreat. ``normal``: what normal congestion control makes of it."""
    match event:
        case Ack():
            return _on_ack(readings, state, base, event, normal)
        case Lost() | Ce():
            return _on_congestion(readings, state, base, event)
        case PersistentCongestion() if readings.persistent is cr.Persistent.STOPS:
            return stop(readings, state, normal)
        case PersistentCongestion():
            return Step(state, base, Outcome.WINDOW_KEPT)
        case _:
            return Step(state, base, normal.outcome)


def _on_ack(readings: Readings, state: CarefulResume, base: NewReno, ack: Ack, normal: Step) -> Step:
    state = acknowledge(readings, state, ack.packets)  # [careful-resume.retreat.pipesize]
    if _is_over(readings, state):
        return _exit(readings, state, base)
    if readings.growth_retreat is cr.GrowthRetreat.BASE:
        return Step(state, normal.base, normal.outcome)
    return Step(state, base, Outcome.WINDOW_KEPT)  # [careful-resume.retreat.no-growth]


def _is_over(readings: Readings, state: CarefulResume) -> bool:
    if readings.retreat_end is cr.RetreatEnd.NONE_OUTSTANDING:
        return state.unvalidated_left_bytes == 0
    acked, last = state.marks.acked, state.marks.last_unvalidated
    return acked is not None and last is not None and acked >= last


def _on_congestion(readings: Readings, state: CarefulResume, base: NewReno, event: Lost | Ce) -> Step:
    if isinstance(event, Lost):
        left_bytes = state.unvalidated_left_bytes - unvalidated_bytes(state, event.packets)
        state = replace(state, unvalidated_left_bytes=max(0, left_bytes))
        if readings.retreat_end is cr.RetreatEnd.NONE_OUTSTANDING and _is_over(readings, state):
            return _exit(readings, state, base)
    if readings.retreat_congestion is cr.RetreatCongestion.REDUCES:
        return Step(state, replace(base, cwnd_bytes=_reduced(base).cwnd_bytes), Outcome.REDUCED)
    return Step(state, base, Outcome.ALREADY_REDUCED)  # [careful-resume.retreat.once]


def _exit(readings: Readings, state: CarefulResume, base: NewReno) -> Step:
    """End Safe Retreat; the ACK that does so leaves the window alone."""
    state = end(state)  # [careful-resume.retreat.end]
    base = _with_threshold(readings, state, base)
    return Step(state, base, Outcome.RETREAT_ENDED, (Trigger.EXIT_RECOVERY,))


def _with_threshold(readings: Readings, state: CarefulResume, base: NewReno) -> NewReno:
    """Bound the threshold by what PipeSize has shown; a lower one stays."""
    if readings.retreat_threshold is cr.RetreatThreshold.WINDOW:
        return base
    bound_bytes = state.pipesize_bytes
    if readings.retreat_threshold is cr.RetreatThreshold.BETA:
        beta = state.used.beta_numerator, state.used.beta_denominator  # [careful-resume.retreat.threshold]
        bound_bytes = share(state.pipesize_bytes, *beta)
    if base.ssthresh_bytes is not None and base.ssthresh_bytes < bound_bytes:
        bound_bytes = base.ssthresh_bytes  # [careful-resume.retreat.threshold-lower]
    return replace(base, ssthresh_bytes=bound_bytes)


def stop(readings: Readings, state: CarefulResume, normal: Step) -> Step:
    """End Careful Resume at persistent congestion, to which normal congestion control reacts."""
    base = normal.base  # [careful-resume.persistent]
    if state.phase is Phase.SAFE_RETREAT:
        base = _with_threshold(readings, state, base)  # [careful-resume.persistent.threshold]
    return Step(end(state), base, normal.outcome)

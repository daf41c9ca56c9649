"""What ends the Unvalidated phase, and the Validating phase (``spec/careful-resume.md``).

Mirrors ``reference-c/src/careful_resume/validating.c``.
"""

from dataclasses import replace

from firstflight.careful_resume import profiles as cr
from firstflight.careful_resume import retreat as retreating
from firstflight.careful_resume import unvalidated as unvalidated
from firstflight.careful_resume.profiles import Readings
from firstflight.careful_resume.state import (
    CarefulResume,
    Step,
    acknowledge,
    end,
    rtt_too_high,
    rtt_too_low,
    unvalidated_bytes,
)
from firstflight.events import Ack, Ce, Event, Lost, PathChange, PersistentCongestion
from firstflight.newreno.newreno import NewReno
from firstflight.observables import Outcome, Trigger


def on_unvalidated(readings: Readings, state: CarefulResume, base: NewReno, event: Event, normal: Step) -> Step:
    """Process any event but packets sent in the Unvalidated phase."""
    match event:
        case Ack():
            return _on_ack_unvalidated(readings, state, base, event, normal)
        case Lost():
            return _on_lost(readings, state, base, event)  # [careful-resume.unvalidated.loss]
        case Ce() if readings.ce is cr.Ce.RETREATS:
            trigger = Trigger.ECN_CE  # [careful-resume.unvalidated.ce]
            return retreating.retreat(readings, state, base, event.t_ns, trigger)
        case PathChange():
            trigger = Trigger.PATH_CHANGED  # [careful-resume.unvalidated.path]
            return retreating.retreat(readings, state, base, event.t_ns, trigger)
        case PersistentCongestion():
            return _on_persistent(readings, state, base, event, normal)
        case Ce():
            return Step(state, normal.base, normal.outcome)
        case _:
            return unvalidated.leave_if(readings, state, base, event, [], normal.outcome)


def _on_ack_unvalidated(readings: Readings, state: CarefulResume, base: NewReno, ack: Ack, normal: Step) -> Step:
    state = acknowledge(readings, state, ack.packets)  # [careful-resume.unvalidated.pipesize]
    latest_ns, used = ack.latest_rtt_ns, state.used
    if rtt_too_low(readings, latest_ns, used) or rtt_too_high(readings, latest_ns, used):
        trigger = Trigger.PATH_CHANGED  # [careful-resume.unvalidated.rtt-change]
        return retreating.retreat(readings, state, base, ack.t_ns, trigger)
    state = unvalidated.pace_rtt(readings, state)
    outcome = Outcome.WINDOW_KEPT  # [careful-resume.unvalidated.no-growth]
    if readings.growth_unvalidated is cr.GrowthUnvalidated.BASE:
        base, outcome = normal.base, normal.outcome
    triggers: list[Trigger] = []
    acked, first = state.marks.acked, state.marks.first_unvalidated
    if acked is not None and first is not None and acked >= first:
        reached = Trigger.FIRST_UNVALIDATED_PACKET_ACKNOWLEDGED  # [careful-resume.unvalidated.first-acknowledged]
        triggers.append(reached)
    return unvalidated.leave_if(readings, state, base, ack, triggers, outcome)


def _on_lost(readings: Readings, state: CarefulResume, base: NewReno, lost: Lost) -> Step:
    left_bytes = state.unvalidated_left_bytes - unvalidated_bytes(state, lost.packets)
    state = replace(state, unvalidated_left_bytes=max(0, left_bytes))
    return retreating.retreat(readings, state, base, lost.t_ns, Trigger.PACKET_LOSS)


def _on_persistent(
    readings: Readings, state: CarefulResume, base: NewReno, event: PersistentCongestion, normal: Step
) -> Step:
    if readings.persistent is cr.Persistent.STOPS:
        return retreating.stop(readings, state, normal)
    return retreating.retreat(readings, state, base, event.t_ns, Trigger.PACKET_LOSS)


def on_validating(readings: Readings, state: CarefulResume, base: NewReno, event: Event, normal: Step) -> Step:
    """Process an event in the Validating phase."""
    match event:
        case Ack():
            return _on_ack_validating(readings, state, event, normal)
        case Lost():
            return _on_lost(readings, state, base, event)  # [careful-resume.validating.loss]
        case Ce() if readings.ce is cr.Ce.RETREATS:
            trigger = Trigger.ECN_CE  # [careful-resume.validating.ce]
            return retreating.retreat(readings, state, base, event.t_ns, trigger)
        case PathChange() if readings.path_validating is cr.PathValidating.RETREATS:
            return retreating.retreat(readings, state, base, event.t_ns, Trigger.PATH_CHANGED)
        case PersistentCongestion():
            return _on_persistent(readings, state, base, event, normal)
        case _:
            return Step(state, normal.base, normal.outcome)


def _on_ack_validating(readings: Readings, state: CarefulResume, ack: Ack, normal: Step) -> Step:
    state = acknowledge(readings, state, ack.packets)  # [careful-resume.validating.pipesize]
    grown = normal.base  # [careful-resume.validating.growth]
    acked, last = state.marks.acked, state.marks.last_unvalidated
    if acked is None or last is None or acked < last:
        return Step(state, grown, normal.outcome)
    state = end(state)  # [careful-resume.validating.end]
    trigger = Trigger.LAST_UNVALIDATED_PACKET_ACKNOWLEDGED
    return Step(state, grown, Outcome.VALIDATED, (trigger,))

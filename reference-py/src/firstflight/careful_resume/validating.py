"""The Validating phase (``spec/careful-resume/rules.md``). Mirrors ``reference-c/firstflight/careful_resume/validating.c``."""

from firstflight.careful_resume import profiles as cr
from firstflight.careful_resume.profiles import Readings
from firstflight.careful_resume.retreat import retreat, retreat_on_lost, stop
from firstflight.careful_resume.state import (
    CarefulResume,
    Normal,
    Report,
    acknowledge,
    end,
    reached,
    take_normal,
    take_unvalidated,
)
from firstflight.events import Ack, Ce, Event, Lost, PathChange, PersistentCongestion
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Outcome, Trigger


def _on_ack(readings: Readings, state: CarefulResume, base: BaseState, ack: Ack, normal: Normal) -> Report:
    acknowledge(readings, state, ack)  # [careful-resume.validating.pipesize]
    report = take_normal(base, normal)  # [careful-resume.validating.growth]
    if not reached(state.marks.acked, state.marks.last_unvalidated):
        return report
    end(state)  # [careful-resume.validating.end]
    return Report(Outcome.VALIDATED, (Trigger.LAST_UNVALIDATED_PACKET_ACKNOWLEDGED,))


def on_validating(readings: Readings, state: CarefulResume, base: BaseState, event: Event, normal: Normal) -> Report:
    """Process an event in the Validating phase; return the report.

    ``normal``: the result of normal congestion control for this event, computed on a copy of ``base``. It is copied to
    ``base`` unless the event begins Safe Retreat, as a loss or CE mark does.
    """
    match event:
        case Ack():
            return _on_ack(readings, state, base, event, normal)
        case Lost(pmtu_probe=True):
            take_unvalidated(state, event.packets)
            return take_normal(base, normal)  # [careful-resume.pmtu-probe]
        case Lost():
            return retreat_on_lost(readings, state, base, event)  # [careful-resume.validating.loss]
        case Ce():
            trigger = Trigger.ECN_CE  # [careful-resume.validating.ce]
            return retreat(readings, state, base, event.t_ns, trigger)
        case PathChange() if readings.path_validating is cr.PathValidating.RETREATS:
            return retreat(readings, state, base, event.t_ns, Trigger.PATH_CHANGED)
        case PersistentCongestion():
            return stop(state, base, normal)
        case _:
            return take_normal(base, normal)

"""Reconnaissance (``spec/careful-resume.md``). Mirrors ``reference-c/src/careful_resume/reconnaissance.c``."""

from dataclasses import replace

from firstflight.careful_resume import profiles as cr
from firstflight.careful_resume import retreat as retreating
from firstflight.careful_resume import saved as saving
from firstflight.careful_resume import unvalidated as unvalidated
from firstflight.careful_resume.profiles import Readings
from firstflight.careful_resume.state import (
    CarefulResume,
    Step,
    bytes_between,
    end,
    rtt_too_high,
    rtt_too_low,
    saturated,
)
from firstflight.events import Ack, Backlog, Ce, Event, Lost, PathChange, PersistentCongestion, Sent
from firstflight.observables import Outcome, Trigger


def on_event(readings: Readings, state: CarefulResume, event: Event, normal: Step) -> Step:
    """Process an event in Reconnaissance. ``normal``: what normal congestion control makes of it, as it does here."""
    if readings.lifetime is cr.Lifetime.UNTIL_JUMP and saving.expired(state.used, event.t_ns):
        state = replace(end(state), saved=None)  # [careful-resume.reconnaissance.lifetime]
        return Step(state, normal.base, Outcome.LIFETIME_EXCEEDED)
    match event:
        case Sent():
            left_bytes = saturated(state.initial.left_bytes + event.bytes)
            if state.initial.last is None:
                state = replace(state, initial=replace(state.initial, left_bytes=left_bytes))
            return replace(normal, state=state)  # [careful-resume.reconnaissance.unchanged]
        case Ack():
            return _on_ack_reconnaissance(readings, state, event, normal)
        case Lost() | Ce():
            trigger = Trigger.PACKET_LOSS if isinstance(event, Lost) else Trigger.ECN_CE
            state = end(state)  # [careful-resume.reconnaissance.congestion]
            return Step(state, normal.base, normal.outcome, (trigger,))
        case PathChange():
            return Step(end(state), normal.base, Outcome.PATH_CHANGED)  # [careful-resume.reconnaissance.path]
        case PersistentCongestion():
            return retreating.stop(readings, state, normal)
        case Backlog():
            return _jump_if_due(readings, state, event, normal)
        case _:
            return replace(normal, state=state)


def _on_ack_reconnaissance(readings: Readings, state: CarefulResume, ack: Ack, normal: Step) -> Step:
    state = _count_initial(state, ack)
    if ack.latest_rtt_ns is not None:
        low_ns, high_ns = _measured_rtts(readings, state)
        if rtt_too_low(readings, low_ns, state.used):
            return _not_validated(state, normal)  # [careful-resume.reconnaissance.rtt]
        if rtt_too_high(readings, high_ns, state.used):
            return _not_validated(state, normal)  # [careful-resume.reconnaissance.rtt-high]
    return _jump_if_due(readings, state, ack, normal)


def _not_validated(state: CarefulResume, normal: Step) -> Step:
    return Step(end(state), normal.base, Outcome.RTT_NOT_VALIDATED, (Trigger.RTT_NOT_VALIDATED,))


def _count_initial(state: CarefulResume, ack: Ack) -> CarefulResume:
    """Count what an ACK covers of the initial data, which ends with the first ACK of some of it."""
    initial = state.initial
    acked_bytes = saturated(initial.acked_bytes + ack.bytes)
    last = initial.last
    if last is None and ack.packets[-1].last >= initial.first:
        last = state.marks.sent  # [careful-resume.reconnaissance.initial-data]
    covered_bytes = 0 if last is None else bytes_between(ack.packets, initial.first, last)
    left_bytes = max(0, initial.left_bytes - covered_bytes)
    return replace(state, initial=replace(initial, last=last, left_bytes=left_bytes, acked_bytes=acked_bytes))


def _measured_rtts(readings: Readings, state: CarefulResume) -> tuple[int | None, int | None]:
    """Return the RTTs that are compared with the lower and with the upper bound."""
    rtt, measured = state.rtt, readings.rtt_measured
    low_ns = high_ns = rtt.latest_ns
    if measured is cr.RttMeasured.FIRST:
        low_ns = high_ns = rtt.phase_first_ns
    elif measured is cr.RttMeasured.MINIMUM:
        low_ns = rtt.phase_minimum_ns
    elif measured is cr.RttMeasured.SMOOTHED:
        low_ns = high_ns = rtt.smoothed_ns
    return low_ns, high_ns


def _jump_if_due(readings: Readings, state: CarefulResume, event: Ack | Backlog, normal: Step) -> Step:
    room_bytes = max(0, normal.base.cwnd_bytes - state.flight_bytes)
    limited = state.backlog_bytes > room_bytes or readings.jump_when is cr.JumpWhen.CONFIRMED
    if not (_is_confirmed(readings, state) and limited):
        return replace(normal, state=state)  # [careful-resume.reconnaissance.wait]
    if normal.base.ssthresh_bytes is not None:
        barred = readings.threshold_set is cr.ThresholdSet.STOPS  # [careful-resume.reconnaissance.hints]
        if barred:
            return Step(end(state), normal.base, Outcome.THRESHOLD_SET)
    return unvalidated.enter(readings, state, normal.base, event.t_ns)  # [careful-resume.reconnaissance.confirmed]


def _is_confirmed(readings: Readings, state: CarefulResume) -> bool:
    if state.rtt.phase_minimum_ns is None:
        return False  # [careful-resume.reconnaissance.sample]
    match readings.initial_data:
        case cr.InitialData.ALL:
            return state.initial.last is not None and state.initial.left_bytes == 0
        case cr.InitialData.WINDOW:
            return state.initial.acked_bytes >= state.initial_window_bytes
        case _:
            return True

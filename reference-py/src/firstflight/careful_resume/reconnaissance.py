"""Reconnaissance (``spec/careful-resume/rules.md``). Mirrors ``reference-c/firstflight/careful_resume/reconnaissance.c``."""

from firstflight.careful_resume import profiles as cr
from firstflight.careful_resume.profiles import Readings
from firstflight.careful_resume.retreat import stop
from firstflight.careful_resume.saved import expired, on_saved_path
from firstflight.careful_resume.state import (
    CarefulResume,
    Normal,
    Report,
    bytes_between,
    end,
    rtt_too_high,
    rtt_too_low,
    saturated,
    take_normal,
)
from firstflight.careful_resume.unvalidated import enter
from firstflight.events import Ack, Backlog, Ce, Event, Lost, PathChange, PersistentCongestion, SavedPath, Sent
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Outcome, Trigger


def _count_initial(state: CarefulResume, ack: Ack) -> None:
    """Subtract the initial data that an ACK covers from the initial data not yet acknowledged.

    The initial data consists of the packets sent before the first ACK of one of them. Later ACKs of these packets also
    count; packets sent after that ACK do not belong to it.
    """
    initial = state.initial
    if initial.last is None and ack.packets[-1].last >= initial.first:
        initial.last = state.marks.sent  # [careful-resume.reconnaissance.initial-data]
    if initial.last is not None:
        covered_bytes = bytes_between(ack.packets, initial.first, initial.last)
        initial.left_bytes = max(0, initial.left_bytes - covered_bytes)


def _measured_rtts(readings: Readings, state: CarefulResume) -> tuple[int | None, int | None]:
    """Return the RTTs in ns that are compared with the lower and the upper limit for the RTT of the saved path.

    With the choice ``minimum`` of ``rtt_measured`` these are the smallest RTT since Reconnaissance began and the latest
    RTT. With ``first`` both are the first RTT of the phase. ``None``: no sample yet.
    """
    rtt = state.rtt
    match readings.rtt_measured:
        case cr.RttMeasured.MINIMUM:
            return rtt.phase_minimum_ns, rtt.latest_ns
        case cr.RttMeasured.FIRST:
            return rtt.phase_first_ns, rtt.phase_first_ns


def _rtt_fits(readings: Readings, state: CarefulResume) -> bool:
    """Return whether the RTT fits the saved path."""
    low_ns, high_ns = _measured_rtts(readings, state)
    if rtt_too_low(readings, low_ns, state.used):
        return False  # [careful-resume.reconnaissance.rtt]
    if rtt_too_high(high_ns, state.used):  # noqa: SIM103 - a line for each clause
        return False  # [careful-resume.reconnaissance.rtt-high]
    return True


def _not_validated(state: CarefulResume) -> Report:
    end(state)
    return Report(Outcome.RTT_NOT_VALIDATED, (Trigger.RTT_NOT_VALIDATED,))


def _is_confirmed(readings: Readings, state: CarefulResume) -> bool:
    if state.rtt.phase_minimum_ns is None:
        return False  # [careful-resume.reconnaissance.sample]
    match readings.initial_data:
        case cr.InitialData.ALL:
            return state.initial.last is not None and state.initial.left_bytes == 0
        case cr.InitialData.NONE:
            return True


def _is_limited(state: CarefulResume, base: BaseState) -> bool:
    """Return whether the waiting data exceeds the room in the window."""
    room_bytes = max(0, base.cwnd_bytes - state.flight_bytes)
    return state.backlog_bytes > room_bytes


def _jump_if_due(readings: Readings, state: CarefulResume, base: BaseState, now_ns: int, report: Report) -> Report:
    if not (_is_confirmed(readings, state) and _is_limited(state, base)):
        return report  # [careful-resume.reconnaissance.wait]
    if base.ssthresh_bytes is not None:
        barred = readings.threshold_set is cr.ThresholdSet.STOPS  # [careful-resume.reconnaissance.hints]
        if barred:
            end(state)
            return Report(Outcome.THRESHOLD_SET)
    return enter(readings, state, base, now_ns)  # [careful-resume.reconnaissance.confirmed]


def _on_ack(readings: Readings, state: CarefulResume, base: BaseState, ack: Ack, report: Report) -> Report:
    _count_initial(state, ack)
    if ack.latest_rtt_ns is not None and not _rtt_fits(readings, state):
        return _not_validated(state)
    return _jump_if_due(readings, state, base, ack.t_ns, report)


def on_reconnaissance(
    readings: Readings, state: CarefulResume, base: BaseState, event: Event, normal: Normal
) -> Report:
    """Process an event in Reconnaissance, with normal congestion control until the jump."""
    report = take_normal(base, normal)
    if expired(state.used, event.t_ns):
        end(state)
        state.saved = None  # [careful-resume.reconnaissance.lifetime]
        return Report(Outcome.LIFETIME_EXCEEDED)
    match event:
        case Sent():
            if state.initial.last is None:
                state.initial.left_bytes = saturated(state.initial.left_bytes + event.bytes)
            return report  # [careful-resume.reconnaissance.unchanged]
        case Ack():
            return _on_ack(readings, state, base, event, report)
        case Backlog():
            return _jump_if_due(readings, state, base, event.t_ns, report)
        case Lost(pmtu_probe=True):
            return report  # [careful-resume.pmtu-probe]
        case Lost() | Ce():
            end(state)  # [careful-resume.reconnaissance.congestion]
            trigger = Trigger.PACKET_LOSS if isinstance(event, Lost) else Trigger.ECN_CE
            return Report(normal.outcome, (trigger,))
        case PathChange():
            end(state)  # [careful-resume.reconnaissance.path]
            return Report(Outcome.PATH_CHANGED)
        case PersistentCongestion():
            return stop(state, base, normal)
        case SavedPath():
            return Report(on_saved_path(state, event))
        case _:
            return report

"""The jump and the Unvalidated phase (``spec/careful-resume/rules.md``). Mirrors ``reference-c/firstflight/careful_resume/unvalidated.c``."""

from firstflight.careful_resume import profiles as cr
from firstflight.careful_resume.pacing import pace_rtt, pace_sent
from firstflight.careful_resume.profiles import Readings
from firstflight.careful_resume.retreat import retreat, retreat_on_lost, stop
from firstflight.careful_resume.state import (
    CarefulResume,
    Marks,
    Normal,
    Report,
    Schedule,
    acknowledge,
    end,
    reached,
    rtt_too_high,
    rtt_too_low,
    saturated,
    take_unvalidated,
)
from firstflight.events import Ack, Ce, Event, Lost, PathChange, PersistentCongestion, SavedPath, Sent
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Outcome, Phase, Trigger


def _jump_bytes(used: SavedPath) -> int:
    """Return the window of the Unvalidated phase in bytes: half of the saved cwnd, but at most ``max_jump_bytes``."""
    jump_bytes = used.saved_cwnd_bytes // 2  # [careful-resume.jump.half] [careful-resume.jump.amount]
    if used.max_jump_bytes is not None and used.max_jump_bytes < jump_bytes:
        jump_bytes = used.max_jump_bytes  # [careful-resume.jump.maximum]
    return jump_bytes


def _first_pipesize_bytes(readings: Readings, state: CarefulResume, base: BaseState) -> int:
    match readings.pipesize_start:
        case cr.PipesizeStart.FLIGHT:
            return state.flight_bytes
        case cr.PipesizeStart.WINDOW:
            return base.cwnd_bytes


def enter(readings: Readings, state: CarefulResume, base: BaseState, now_ns: int) -> Report:
    """Enter the Unvalidated phase with the jump as window, or end Careful Resume if the jump does not enlarge it.

    With the choice ``jump`` of ``jump_not_larger`` the phase begins in both cases.
    """
    jump_bytes = _jump_bytes(state.used)
    if jump_bytes <= base.cwnd_bytes and readings.jump_not_larger is cr.JumpNotLarger.STOP:
        end(state)  # [careful-resume.jump.not-larger]
        return Report(Outcome.JUMP_NOT_LARGER)
    state.phase = Phase.UNVALIDATED  # [careful-resume.jump.enter]
    state.pipesize_bytes = _first_pipesize_bytes(readings, state, base)  # [careful-resume.pipesize.begin]
    state.jump_bytes = jump_bytes
    state.limit_from_ns = now_ns
    state.schedule = Schedule(now_ns, 0, state.rtt.latest_ns or 0)  # [careful-resume.pacing.current-rtt]
    base.cwnd_bytes = jump_bytes
    return Report(Outcome.JUMPED, (Trigger.CONGESTION_WINDOW_LIMITED,))


def _limit_ns(readings: Readings, state: CarefulResume) -> int | None:
    match readings.limit_rtt:
        case cr.LimitRtt.LATEST:
            return state.rtt.latest_ns
        case cr.LimitRtt.SMOOTHED:
            return state.rtt.smoothed_ns
        case cr.LimitRtt.MINIMUM:
            return state.rtt.minimum_ns


def _time_is_over(readings: Readings, state: CarefulResume, event: Event) -> bool:
    limit_ns = _limit_ns(readings, state)
    watched = isinstance(event, Ack) or readings.limit_checked is cr.LimitChecked.EVERY_EVENT
    if limit_ns is None or not watched:
        return False
    spent_ns = event.t_ns - state.limit_from_ns  # [careful-resume.unvalidated.every-event]
    return spent_ns > limit_ns


def _rate_limited_bytes(readings: Readings, state: CarefulResume) -> int | None:
    """Return the new window in bytes if too little of the jump was used for validation, or ``None`` if enough was used.

    Too little: the bytes in flight are at most PipeSize or, with the choice ``both`` of ``flight_check``, below the
    initial window. The new window is PipeSize, with ``both`` at least the initial window.
    """
    match readings.flight_check:
        case cr.FlightCheck.BOTH:
            floor_bytes = state.initial_window_bytes
        case cr.FlightCheck.PIPESIZE:
            floor_bytes = 0
    if state.flight_bytes <= state.pipesize_bytes or state.flight_bytes < floor_bytes:
        return max(state.pipesize_bytes, floor_bytes)  # [careful-resume.unvalidated.rate-limited]
    return None


def _leave(readings: Readings, state: CarefulResume, base: BaseState, triggers: tuple[Trigger, ...]) -> Report:
    """Enter the Validating phase, or end Careful Resume if the jump was not used."""
    rate_limited_bytes = _rate_limited_bytes(readings, state)
    if rate_limited_bytes is not None:
        base.cwnd_bytes = rate_limited_bytes
        end(state)
        return Report(Outcome.RATE_LIMITED, (Trigger.RATE_LIMITED,))
    base.cwnd_bytes = state.flight_bytes  # [careful-resume.validating.begin]
    if state.marks.last_unvalidated is None:
        state.marks.last_unvalidated = state.marks.sent  # only in readings where PipeSize starts below the flight
    state.phase = Phase.VALIDATING
    return Report(Outcome.VALIDATION_BEGUN, triggers)


def _leave_if(
    readings: Readings,
    state: CarefulResume,
    base: BaseState,
    event: Event,
    triggers: tuple[Trigger, ...],
    report: Report,
) -> Report:
    """Leave the Unvalidated phase if ``triggers`` is not empty or the time limit is exceeded; else return ``report``.

    A trigger is a reason to leave the phase. The time limit is one RTT since the jump.
    """
    if _time_is_over(readings, state, event):
        triggers = (*triggers, Trigger.RTT_EXCEEDED)  # [careful-resume.unvalidated.one-rtt]
    return _leave(readings, state, base, triggers) if triggers else report


def _is_full(readings: Readings, state: CarefulResume, base: BaseState) -> bool:
    match readings.window_full:
        case cr.WindowFull.DATAGRAM:  # [careful-resume.unvalidated.room]
            return base.cwnd_bytes < state.flight_bytes + base.max_datagram_size_bytes
        case cr.WindowFull.EXACT:
            return base.cwnd_bytes <= state.flight_bytes


def _mark_sent(marks: Marks, sent: Sent) -> None:
    if marks.first_unvalidated is None:
        marks.first_unvalidated = sent.packets[0].first  # [careful-resume.marks.first]
    marks.last_unvalidated = sent.packets[-1].last  # [careful-resume.marks.last] [careful-resume.marks.probes]


def on_sent(readings: Readings, state: CarefulResume, base: BaseState, sent: Sent) -> Report:
    """Process packets sent in the Unvalidated phase; return the report.

    Record the first packet number sent in this phase and the last so far. Add the bytes to the unacknowledged bytes of
    the phase, and advance the pacing schedule. End the phase if the window is full or the time limit is exceeded.
    """
    _mark_sent(state.marks, sent)
    pace_sent(state, base, sent)
    state.unvalidated_left_bytes = saturated(state.unvalidated_left_bytes + sent.bytes)
    triggers: tuple[Trigger, ...] = ()
    if _is_full(readings, state, base):
        triggers = (Trigger.LAST_UNVALIDATED_PACKET_SENT,)  # [careful-resume.unvalidated.window-full]
    return _leave_if(readings, state, base, sent, triggers, Report(Outcome.SENT))


def _on_ack(readings: Readings, state: CarefulResume, base: BaseState, ack: Ack) -> Report:
    acknowledge(readings, state, ack)  # [careful-resume.unvalidated.pipesize]
    latest_ns, used = ack.latest_rtt_ns, state.used
    if rtt_too_low(readings, latest_ns, used) or rtt_too_high(latest_ns, used):
        trigger = Trigger.PATH_CHANGED  # [careful-resume.unvalidated.rtt-change]
        return retreat(readings, state, base, ack.t_ns, trigger)
    pace_rtt(state)
    report = Report(Outcome.WINDOW_KEPT)  # [careful-resume.unvalidated.no-growth]
    triggers: tuple[Trigger, ...] = ()
    if reached(state.marks.acked, state.marks.first_unvalidated):
        first = Trigger.FIRST_UNVALIDATED_PACKET_ACKNOWLEDGED  # [careful-resume.unvalidated.first-acknowledged]
        triggers = (first,)
    return _leave_if(readings, state, base, ack, triggers, report)


def on_unvalidated(readings: Readings, state: CarefulResume, base: BaseState, event: Event, normal: Normal) -> Report:
    """Process an event in the Unvalidated phase, other than sent packets. Return its report.

    ``normal``: the result of normal congestion control for this event.
    """
    match event:
        case Ack():
            return _on_ack(readings, state, base, event)
        case Lost(pmtu_probe=True):
            take_unvalidated(state, event.packets)
            report = Report(normal.outcome)  # [careful-resume.pmtu-probe]
            return _leave_if(readings, state, base, event, (), report)
        case Lost():
            return retreat_on_lost(readings, state, base, event)  # [careful-resume.unvalidated.loss]
        case Ce():
            trigger = Trigger.ECN_CE  # [careful-resume.unvalidated.ce]
            return retreat(readings, state, base, event.t_ns, trigger)
        case PathChange():
            trigger = Trigger.PATH_CHANGED  # [careful-resume.unvalidated.path]
            return retreat(readings, state, base, event.t_ns, trigger)
        case PersistentCongestion():
            return stop(state, base, normal)
        case _:
            return _leave_if(readings, state, base, event, (), Report(normal.outcome))

"""Reconnaissance's jump, the Unvalidated phase and its pacing (``spec/careful-resume.md``).

Mirrors ``reference-c/src/careful_resume/unvalidated.c``.
"""

from dataclasses import replace

from firstflight.careful_resume import profiles as cr
from firstflight.careful_resume.profiles import Readings
from firstflight.careful_resume.state import CarefulResume, Schedule, Step, end, saturated
from firstflight.events import Ack, Event, SavedPath, Sent
from firstflight.limits import TIME_MAX_NS
from firstflight.newreno.newreno import NewReno
from firstflight.observables import Outcome, Phase, Trigger


def jump_bytes(readings: Readings, used: SavedPath) -> int:
    """Return how large the window of the Unvalidated phase is, in bytes."""
    jump = used.saved_cwnd_bytes // 2  # [careful-resume.jump.half]
    if readings.jump is cr.Jump.WHOLE:
        jump = used.saved_cwnd_bytes
    if used.max_jump_bytes is not None and used.max_jump_bytes < jump:
        jump = used.max_jump_bytes  # [careful-resume.jump.maximum]
    return jump


def enter(readings: Readings, state: CarefulResume, base: NewReno, now_ns: int) -> Step:
    """Jump, unless that would not enlarge the window."""
    jump = jump_bytes(readings, state.used)
    if jump <= base.cwnd_bytes and readings.jump_not_larger is cr.JumpNotLarger.STOP:
        return Step(end(state), base, Outcome.JUMP_NOT_LARGER)  # [careful-resume.jump.not-larger]
    starts = {
        cr.PipesizeStart.FLIGHT: state.flight_bytes,
        cr.PipesizeStart.WINDOW: base.cwnd_bytes,
        cr.PipesizeStart.ZERO: 0,
    }
    state = replace(
        state,
        phase=Phase.UNVALIDATED,  # [careful-resume.jump.enter]
        pipesize_bytes=starts[readings.pipesize_start],  # [careful-resume.pipesize.begin]
        jump_bytes=jump,
        limit_from_ns=now_ns if readings.limit_from is cr.LimitFrom.ENTRY else None,
        schedule=Schedule(now_ns, 0, state.rtt.latest_ns or 0),
    )
    return Step(state, replace(base, cwnd_bytes=jump), Outcome.JUMPED, (Trigger.CONGESTION_WINDOW_LIMITED,))


def duration_ns(readings: Readings, state: CarefulResume, total_bytes: int, rtt_ns: int) -> int:
    """Return how long so many bytes take at the jump per RTT, in ns, rounded up."""
    numerator, denominator = (4, 5) if readings.pacing_gain is cr.PacingGain.FIVE_QUARTERS else (1, 1)
    divisor = denominator * max(state.jump_bytes, 1)
    return min(-(-total_bytes * numerator * rtt_ns // divisor), TIME_MAX_NS)  # [careful-resume.pacing.schedule]


def next_release_ns(readings: Readings, state: CarefulResume) -> int | None:
    """Return the earliest time for the next packet, ``None`` outside the Unvalidated phase."""
    if state.phase is not Phase.UNVALIDATED:
        return None
    schedule = state.schedule
    return min(schedule.t_ns + duration_ns(readings, state, schedule.bytes, schedule.rtt_ns), TIME_MAX_NS)


def pace_sent(readings: Readings, state: CarefulResume, base: NewReno, sent: Sent) -> CarefulResume:
    """Advance the schedule by packets sent; what a late sender may catch up is no more than an initial window."""
    release_ns = next_release_ns(readings, state) or 0
    burst_bytes = max(0, state.initial_window_bytes - base.max_datagram_size_bytes)
    lag_ns = duration_ns(readings, state, burst_bytes, state.schedule.rtt_ns)
    schedule = state.schedule
    if sent.t_ns > release_ns + lag_ns:
        schedule = Schedule(sent.t_ns - lag_ns, 0, schedule.rtt_ns)  # [careful-resume.pacing.burst]
    return replace(state, schedule=replace(schedule, bytes=saturated(schedule.bytes + sent.bytes)))


def pace_rtt(readings: Readings, state: CarefulResume) -> CarefulResume:
    """Let packets after the next one follow each other by the current RTT."""
    latest_ns = state.rtt.latest_ns or 0
    if latest_ns == state.schedule.rtt_ns:
        return state
    release_ns = next_release_ns(readings, state) or 0
    return replace(state, schedule=Schedule(release_ns, 0, latest_ns))  # [careful-resume.pacing.current-rtt]


def on_sent(readings: Readings, state: CarefulResume, base: NewReno, sent: Sent, before: int | None) -> Step:
    """Mark the packets sent, and leave the phase if the window is full. ``before``: the highest packet sent until now."""
    marks = state.marks
    if marks.first_unvalidated is None:
        first = sent.packets[0].first  # [careful-resume.marks.first]
        if readings.first_mark is cr.FirstMark.LAST_BEFORE and before is not None:
            first = before
        marks = replace(marks, first_unvalidated=first)
    marks = replace(marks, last_unvalidated=sent.packets[-1].last)  # [careful-resume.marks.last]
    state = replace(
        pace_sent(readings, state, base, sent),
        marks=marks,
        unvalidated_left_bytes=saturated(state.unvalidated_left_bytes + sent.bytes),
        limit_from_ns=sent.t_ns if state.limit_from_ns is None else state.limit_from_ns,
    )
    triggers: list[Trigger] = []
    if _is_full(readings, state, base):
        triggers.append(Trigger.LAST_UNVALIDATED_PACKET_SENT)  # [careful-resume.unvalidated.window-full]
    return leave_if(readings, state, base, sent, triggers, Outcome.SENT)


def _is_full(readings: Readings, state: CarefulResume, base: NewReno) -> bool:
    room_bytes = base.cwnd_bytes - state.flight_bytes
    if readings.window_full is cr.WindowFull.DATAGRAM:
        return room_bytes < base.max_datagram_size_bytes
    return readings.window_full is cr.WindowFull.EXACT and room_bytes <= 0


def leave_if(
    readings: Readings, state: CarefulResume, base: NewReno, event: Event, triggers: list[Trigger], outcome: Outcome
) -> Step:
    """Leave the phase if any of the triggers holds, or its time is over."""
    if _time_is_over(readings, state, event):
        triggers.append(Trigger.RTT_EXCEEDED)  # [careful-resume.unvalidated.one-rtt]
    return _leave(readings, state, base, event, tuple(triggers)) if triggers else Step(state, base, outcome)


def _time_is_over(readings: Readings, state: CarefulResume, event: Event) -> bool:
    limits_ns = {
        cr.LimitRtt.LATEST: state.rtt.latest_ns,
        cr.LimitRtt.SMOOTHED: state.rtt.smoothed_ns,
        cr.LimitRtt.MINIMUM: state.rtt.minimum_ns,
        cr.LimitRtt.NONE: None,
    }
    limit_ns = limits_ns[readings.limit_rtt]
    unwatched = readings.limit_checked is cr.LimitChecked.ACKS and not isinstance(event, Ack)
    if limit_ns is None or state.limit_from_ns is None or unwatched:
        return False
    spent_ns = event.t_ns - state.limit_from_ns
    return spent_ns > limit_ns or (spent_ns == limit_ns and readings.limit_equal is cr.LimitEqual.EXITS)


def _leave(
    readings: Readings, state: CarefulResume, base: NewReno, event: Event, triggers: tuple[Trigger, ...]
) -> Step:
    """Go on to the Validating phase, or end Careful Resume if the jump was not used."""
    flight_bytes = state.flight_bytes
    if readings.flight_at_check is cr.FlightAtCheck.GROSS and isinstance(event, Ack):
        flight_bytes = saturated(flight_bytes + event.bytes)
    pipesize_bytes = state.pipesize_bytes
    check = readings.flight_check
    unused = check is not cr.FlightCheck.NONE and flight_bytes <= pipesize_bytes
    if unused or (check is cr.FlightCheck.BOTH and flight_bytes < state.initial_window_bytes):
        floor_bytes = state.initial_window_bytes if check is cr.FlightCheck.BOTH else 0
        cwnd_bytes = max(pipesize_bytes, floor_bytes)  # [careful-resume.unvalidated.rate-limited]
        return Step(end(state), replace(base, cwnd_bytes=cwnd_bytes), Outcome.RATE_LIMITED, (Trigger.RATE_LIMITED,))
    base = replace(base, cwnd_bytes=flight_bytes)  # [careful-resume.validating.begin]
    marks = state.marks
    if readings.last_mark is cr.LastMark.NEXT_PACKET:
        marks = replace(marks, last_unvalidated=(marks.sent or 0) + 1)
    elif marks.last_unvalidated is None:
        marks = replace(marks, last_unvalidated=marks.sent)  # only a reading in which PipeSize starts below the flight
    state = replace(state, phase=Phase.VALIDATING, marks=marks)
    return Step(state, base, Outcome.VALIDATION_BEGUN, triggers)

"""Careful Resume: one event at a time, over the base controller (``spec/careful-resume/rules.md``; RFC 9959).

The result of normal congestion control for an event is computed first, on a copy of the base; the phase decides whether
it counts. Mirrors ``reference-c/firstflight/careful_resume/careful_resume.c``.
"""

from dataclasses import dataclass

from firstflight.careful_resume import profiles as cr
from firstflight.careful_resume.pacing import next_release_ns
from firstflight.careful_resume.profiles import PROFILES, Readings
from firstflight.careful_resume.reconnaissance import on_reconnaissance
from firstflight.careful_resume.retreat import on_retreat
from firstflight.careful_resume.saved import measure, on_saved_path
from firstflight.careful_resume.state import CarefulResume, Normal, Report, highest, saturated, take_normal
from firstflight.careful_resume.unvalidated import on_sent, on_unvalidated
from firstflight.careful_resume.validating import on_validating
from firstflight.events import Ack, Backlog, Event, Lost, SavedPath, Sent
from firstflight.newreno import newreno
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Observation, Phase
from firstflight.search import startup
from firstflight.search.search import Search

__all__ = ["PROFILES", "Readings", "Resuming", "begin", "search_readings", "step"]


@dataclass(slots=True)
class Resuming:
    """The state of Careful Resume and, in profiles with it, of SEARCH."""

    resume: CarefulResume
    search: Search | None

    def copy(self) -> "Resuming":
        """Return a copy that shares no mutable state."""
        return Resuming(self.resume.copy(), None if self.search is None else self.search.copy())


def search_readings() -> startup.Readings:
    """Return the readings of SEARCH, the algorithm that ends slow start in some profiles of Careful Resume.

    Readings are the choices where a specification is open. The result has the choices of the profile ``lanman-2024``.
    """
    return startup.PROFILES["lanman-2024"]


def begin(readings: Readings, base: BaseState) -> Resuming:
    """Return the state of a new connection. The state stores the present window of ``base`` as the initial window."""
    return Resuming(CarefulResume(base.cwnd_bytes), None if readings.search is cr.Search.NONE else Search())


def _run_normal(state: Resuming, base: BaseState, event: Event) -> Normal:
    """Process the event with normal congestion control, which changes ``base``; return the result.

    Normal congestion control is the base controller, in some profiles with SEARCH. SEARCH then processes the events,
    and counts bytes in its bins, in every phase of Careful Resume.
    """
    if state.search is None:
        return Normal(base, newreno.on_event(base, event))
    seen = startup.step(search_readings(), state.search, base, event)
    return Normal(base, seen.outcome, seen.state["bin"], seen.state["open_bin_bytes"])


def _compute_normal(readings: Readings, state: Resuming, base: BaseState, event: Event) -> Normal:
    """Return the result of normal congestion control for the event; the phase decides whether it counts."""
    copy, ssthresh_bytes = base.copy(), base.ssthresh_bytes
    at_threshold = isinstance(event, Ack) and ssthresh_bytes == base.cwnd_bytes
    if not (at_threshold and readings.at_threshold is cr.AtThreshold.SLOW_START):
        return _run_normal(state, copy, event)
    copy.ssthresh_bytes = base.cwnd_bytes + 1  # [careful-resume.normal.at-threshold]
    normal = _run_normal(state, copy, event)
    if normal.base.ssthresh_bytes == base.cwnd_bytes + 1:
        normal.base.ssthresh_bytes = ssthresh_bytes
    return normal


def _note_sent(state: CarefulResume, sent: Sent) -> None:
    state.flight_bytes = saturated(sent.bytes_in_flight)
    state.marks.sent = highest(state.marks.sent, sent.packets[-1].last)
    state.backlog_bytes = 0 if sent.app_limited else max(0, state.backlog_bytes - sent.bytes)


def _note_ack(state: CarefulResume, ack: Ack) -> None:
    state.flight_bytes = saturated(ack.bytes_in_flight)
    state.marks.acked = highest(state.marks.acked, ack.packets[-1].last)
    latest_ns, rtt = ack.latest_rtt_ns, state.rtt
    if latest_ns is None:
        return
    rtt.latest_ns = latest_ns
    rtt.smoothed_ns = ack.smoothed_rtt_ns
    rtt.minimum_ns = ack.min_rtt_ns
    if rtt.phase_first_ns is None:
        rtt.phase_first_ns = latest_ns
    if rtt.phase_minimum_ns is None or latest_ns < rtt.phase_minimum_ns:
        rtt.phase_minimum_ns = latest_ns


def _note_backlog(state: CarefulResume, backlog: Backlog) -> None:
    state.backlog_bytes = backlog.queued_bytes
    if backlog.receive_window_bytes < state.backlog_bytes:
        state.backlog_bytes = backlog.receive_window_bytes  # [careful-resume.flow-control]


def _note(state: CarefulResume, event: Event) -> None:
    """Record the values that every phase needs: bytes in flight, bytes waiting to be sent, packet numbers, and RTTs.

    ``Sent``, ``Ack`` and ``Lost`` update the bytes in flight; ``Sent`` and ``Backlog`` update the waiting bytes.
    ``Sent`` updates the highest packet number sent. ``Ack`` updates the highest packet number acknowledged, and the
    RTTs if it has a sample. All other events leave these values unchanged.
    """
    match event:
        case Sent():
            _note_sent(state, event)
        case Ack():
            _note_ack(state, event)
        case Lost():
            state.flight_bytes = saturated(event.bytes_in_flight)
        case Backlog():
            _note_backlog(state, event)


def _on_normal(readings: Readings, state: CarefulResume, base: BaseState, event: Event, normal: Normal) -> Report:
    if isinstance(event, Ack):
        measure(readings, state, normal.base, event)
    return take_normal(base, normal)  # [careful-resume.normal]


def _on_event(readings: Readings, state: CarefulResume, base: BaseState, event: Event, normal: Normal) -> Report:
    _note(state, event)
    if isinstance(event, SavedPath) and state.phase is not Phase.RECONNAISSANCE:
        return Report(on_saved_path(state, event))
    match state.phase:
        case Phase.RECONNAISSANCE:
            return on_reconnaissance(readings, state, base, event, normal)
        case Phase.UNVALIDATED:
            if isinstance(event, Sent):
                return on_sent(readings, state, base, event)
            return on_unvalidated(readings, state, base, event, normal)
        case Phase.VALIDATING:
            return on_validating(readings, state, base, event, normal)
        case Phase.SAFE_RETREAT:
            return on_retreat(readings, state, base, event, normal)
        case _:
            return _on_normal(readings, state, base, event, normal)


def _observe(state: CarefulResume, base: BaseState, normal: Normal, report: Report) -> Observation:
    jumped, saved = state.jump_bytes > 0, state.saved
    numbers = {
        "pipesize_bytes": state.pipesize_bytes if jumped else None,
        "first_unvalidated_packet": state.marks.first_unvalidated,
        "last_unvalidated_packet": state.marks.last_unvalidated,
        "jump_bytes": state.jump_bytes if jumped else None,
        "saved_cwnd_bytes": saved.cwnd_bytes if saved else None,
        "saved_rtt_ns": saved.rtt_ns if saved else None,
        "saved_in_use": int(saved.in_use) if saved else None,
        "bin": normal.bin,
        "open_bin_bytes": normal.open_bin_bytes,
    }
    return Observation(
        base.cwnd_bytes,
        base.ssthresh_bytes,
        state.phase,
        report.outcome,
        numbers,
        next_release_ns(state),
        paces=True,
        triggers=report.triggers,
    )


def step(readings: Readings, state: Resuming, base: BaseState, event: Event) -> Observation:
    """Process one event."""
    normal = _compute_normal(readings, state, base, event)
    report = _on_event(readings, state.resume, base, event, normal)
    return _observe(state.resume, base, normal, report)

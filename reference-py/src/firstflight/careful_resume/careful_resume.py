"""Careful Resume: one event at a time, over the base controller (``spec/careful-resume.md``; RFC 9959).

The caller computes what normal congestion control makes of the event; here it is decided whether that counts.
Mirrors ``reference-c/src/careful_resume/careful_resume.c``.
"""

from dataclasses import dataclass, replace

from firstflight.careful_resume import profiles as cr
from firstflight.careful_resume import reconnaissance as recon
from firstflight.careful_resume import retreat as retreating
from firstflight.careful_resume import saved as saving
from firstflight.careful_resume import unvalidated as unvalidated
from firstflight.careful_resume import validating as validation
from firstflight.careful_resume.profiles import PROFILES, Readings
from firstflight.careful_resume.state import CarefulResume, Marks, Rtt, Step, saturated
from firstflight.events import Ack, Backlog, Event, Lost, SavedPath, Sent
from firstflight.newreno import pure as newreno
from firstflight.newreno.newreno import NewReno
from firstflight.observables import Observation, Outcome, Phase
from firstflight.search import startup
from firstflight.search.search import Search

__all__ = ["PROFILES", "Readings", "Resuming", "begin", "step"]

SEARCH_READINGS = startup.PROFILES["lanman-2024"]


@dataclass(frozen=True, slots=True)
class Resuming:
    """The state of Careful Resume and, in profiles with it, of SEARCH."""

    resume: CarefulResume
    search: Search | None


def begin(readings: Readings, base: NewReno) -> Resuming:
    """Return the state of a new connection; what its initial window was stays known."""
    return Resuming(CarefulResume(base.cwnd_bytes), None if readings.search is cr.Search.NONE else Search())


def step(readings: Readings, state: Resuming, base: NewReno, event: Event) -> tuple[Resuming, NewReno, Observation]:
    """Process one event."""
    search, normal_base, outcome = _normal(readings, state.search, base, event)
    done = on_event(readings, state.resume, base, event, normal_base, outcome)
    return Resuming(done.state, search), done.base, _observe(readings, done, search)


def _normal(
    readings: Readings, search: Search | None, base: NewReno, event: Event
) -> tuple[Search | None, NewReno, Outcome]:
    """Return what normal congestion control makes of the event; whether that counts is for the phase to say."""
    raised = base
    at_threshold = isinstance(event, Ack) and base.ssthresh_bytes == base.cwnd_bytes
    if at_threshold and readings.at_threshold is cr.AtThreshold.SLOW_START:
        raised = replace(base, ssthresh_bytes=base.cwnd_bytes + 1)  # [careful-resume.normal.at-threshold]
    if search is None:
        after, outcome = newreno.on_event(raised, event)
    else:
        # The bins fill in every phase; where the window is frozen, an exit is computed and dropped.
        search, after, seen = startup.step(SEARCH_READINGS, search, raised, event)
        outcome = seen.outcome
    if raised is not base and after.ssthresh_bytes == raised.ssthresh_bytes:
        after = replace(after, ssthresh_bytes=base.ssthresh_bytes)
    return search, after, outcome


def _observe(readings: Readings, done: Step, search: Search | None) -> Observation:
    state, base = done.state, done.base
    jumped, saved = state.jump_bytes > 0, state.saved
    numbers = {
        "pipesize_bytes": state.pipesize_bytes if jumped else None,
        "first_unvalidated_packet": state.marks.first_unvalidated,
        "last_unvalidated_packet": state.marks.last_unvalidated,
        "jump_bytes": state.jump_bytes if jumped else None,
        "saved_cwnd_bytes": saved.cwnd_bytes if saved else None,
        "saved_rtt_ns": saved.rtt_ns if saved else None,
        "saved_in_use": int(saved.in_use) if saved else None,
        "bin": search.curr if search else None,
        "open_bin_bytes": search.delivered.open_bytes if search else None,
    }
    release_ns = unvalidated.next_release_ns(readings, state)
    return Observation(
        base.cwnd_bytes,
        base.ssthresh_bytes,
        state.phase,
        done.outcome,
        numbers,
        release_ns,
        paces=True,
        triggers=done.triggers,
    )


def on_event(
    readings: Readings, state: CarefulResume, base: NewReno, event: Event, normal_base: NewReno, outcome: Outcome
) -> Step:
    """Process one event. ``normal_base``, ``outcome``: what normal congestion control makes of it."""
    sent_before = state.marks.sent
    state = _note(state, event)
    normal = Step(state, normal_base, outcome)
    if isinstance(event, SavedPath):
        state, outcome = saving.on_saved_path(readings, state, event)
        return Step(state, base, outcome)
    match state.phase:
        case Phase.RECONNAISSANCE:
            return recon.on_event(readings, state, event, normal)
        case Phase.UNVALIDATED if isinstance(event, Sent):
            return unvalidated.on_sent(readings, state, base, event, sent_before)
        case Phase.UNVALIDATED:
            return validation.on_unvalidated(readings, state, base, event, normal)
        case Phase.VALIDATING:
            return validation.on_validating(readings, state, base, event, normal)
        case Phase.SAFE_RETREAT:
            return retreating.on_event(readings, state, base, event, normal)
        case _:
            observed = saving.observe(readings, state, normal_base, event) if isinstance(event, Ack) else state
            return Step(observed, normal_base, outcome)  # [careful-resume.normal]


def _note(state: CarefulResume, event: Event) -> CarefulResume:
    """Note what every phase needs: bytes in flight and waiting, the highest packets, the RTTs."""
    if isinstance(event, Sent | Ack | Lost):
        state = replace(state, flight_bytes=saturated(event.bytes_in_flight))
    match event:
        case Sent():
            waiting = 0 if event.app_limited else max(0, state.backlog_bytes - event.bytes)
            return replace(state, marks=_sent(state.marks, event), backlog_bytes=waiting)
        case Ack():
            acked = max(event.packets[-1].last, state.marks.acked or 0)
            return replace(state, marks=replace(state.marks, acked=acked), rtt=_rtt(state, event))
        case Backlog():
            waiting = event.queued_bytes
            if event.receive_window_bytes < waiting:
                waiting = event.receive_window_bytes  # [careful-resume.flow-control]
            return replace(state, backlog_bytes=waiting)
        case _:
            return state


def _sent(marks: Marks, sent: Sent) -> Marks:
    return replace(marks, sent=max(sent.packets[-1].last, marks.sent or 0))


def _rtt(state: CarefulResume, ack: Ack) -> Rtt:
    latest_ns, rtt = ack.latest_rtt_ns, state.rtt
    if latest_ns is None:
        return rtt
    lowest_ns = latest_ns if rtt.phase_minimum_ns is None else min(rtt.phase_minimum_ns, latest_ns)
    first_ns = latest_ns if rtt.phase_first_ns is None else rtt.phase_first_ns
    return Rtt(latest_ns, ack.smoothed_rtt_ns, ack.min_rtt_ns, first_ns, lowest_ns)

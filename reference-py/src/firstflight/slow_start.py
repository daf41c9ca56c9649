"""The base controller ``slow-start/rfc-9002``: NewReno in bytes (``spec/slow-start.md``; RFC 9002, section 7, appendix B)."""

from dataclasses import dataclass, replace

from firstflight.events import (
    Ack,
    Backlog,
    Ce,
    Event,
    IdleRestart,
    Lost,
    PathChange,
    PersistentCongestion,
    Pto,
    Run,
    SavedPath,
    Sent,
    SpuriousLoss,
)
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.observables import Observation, Outcome, Phase


@dataclass(frozen=True, slots=True)
class SlowStart:
    """State of the base controller. ``ssthresh_bytes`` is ``None`` while infinite.

    ``recovery_start_ns``: start of the last recovery period, ``None`` if there was none since the start or since
    persistent congestion. ``in_recovery``: no packet sent after it has been acknowledged yet.
    """

    max_datagram_size_bytes: int
    cwnd_bytes: int
    ssthresh_bytes: int | None = None
    recovery_start_ns: int | None = None
    in_recovery: bool = False


def recommended_initial_window_bytes(max_datagram_size_bytes: int) -> int:
    """Return the initial window of RFC 9002, section 7.2, in bytes."""
    return min(10 * max_datagram_size_bytes, max(14720, 2 * max_datagram_size_bytes))  # [slow-start.window.initial]


def minimum_window_bytes(state: SlowStart) -> int:
    """Return the smallest window that a reduction leaves, in bytes."""
    return 2 * state.max_datagram_size_bytes  # [slow-start.window.minimum]


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> SlowStart:
    """Return the state of a new connection. ``initial_window_bytes`` is ``None`` for the recommended one."""
    if initial_window_bytes is None:
        initial_window_bytes = recommended_initial_window_bytes(max_datagram_size_bytes)
    return SlowStart(max_datagram_size_bytes, initial_window_bytes)  # [slow-start.begin]


def phase(state: SlowStart) -> Phase:
    """Return the phase: recovery, else slow start below the threshold, else congestion avoidance."""
    if state.in_recovery:
        return Phase.RECOVERY
    if state.ssthresh_bytes is None or state.cwnd_bytes < state.ssthresh_bytes:
        return Phase.SLOW_START
    return Phase.CONGESTION_AVOIDANCE


def on_sent(state: SlowStart) -> tuple[SlowStart, Outcome]:
    """Process packets being sent."""
    return state, Outcome.SENT  # [slow-start.sent]


def on_pto(state: SlowStart) -> tuple[SlowStart, Outcome]:
    """Process an expired probe timer."""
    return state, Outcome.UNCHANGED  # [slow-start.pto]


def on_ack(state: SlowStart, ack: Ack) -> tuple[SlowStart, Outcome]:
    """Process the newly acknowledged packets, in rising order; the outcome is that of the last."""
    if ack.app_limited:
        return _end_recovery(state, ack.packets), Outcome.APP_LIMITED  # [slow-start.app-limited]
    outcome = Outcome.UNCHANGED
    for run in ack.packets:
        state, outcome = _on_run_acked(state, run)
    return state, outcome


def _on_run_acked(state: SlowStart, run: Run) -> tuple[SlowStart, Outcome]:
    if sent_before_recovery(state, run.sent_t_ns):
        return state, Outcome.IN_RECOVERY  # [slow-start.recovery.no-growth]
    state = _end_recovery(state, (run,))
    cwnd_bytes, growing = state.cwnd_bytes, 0
    if phase(state) is Phase.SLOW_START:
        growing = _packets_to_threshold(state, run)
        cwnd_bytes = _saturate(cwnd_bytes + growing * run.size_bytes)  # [slow-start.grow]
    if growing == run.count:
        return replace(state, cwnd_bytes=cwnd_bytes), Outcome.GROWN
    cwnd_bytes = _grow_avoidance(state, run, cwnd_bytes, run.count - growing)
    return replace(state, cwnd_bytes=cwnd_bytes), Outcome.GROWN_AVOIDANCE


def _grow_avoidance(state: SlowStart, run: Run, cwnd_bytes: int, packets: int) -> int:
    """Return the window after so many packets of the run were acknowledged in congestion avoidance."""
    share_bytes = state.max_datagram_size_bytes * run.size_bytes  # [slow-start.avoidance.grow]
    for _ in range(packets):
        if share_bytes < cwnd_bytes or cwnd_bytes == 0:
            break  # nothing for this packet, nor for those left; only a startup algorithm can leave a window of 0
        cwnd_bytes = _saturate(cwnd_bytes + share_bytes // cwnd_bytes)
    return cwnd_bytes


def _packets_to_threshold(state: SlowStart, run: Run) -> int:
    """Return how many packets of the run are acknowledged in slow start: the first that reaches ssthresh is the last."""
    if state.ssthresh_bytes is None:
        return run.count
    missing_bytes = state.ssthresh_bytes - state.cwnd_bytes
    return min(run.count, (missing_bytes + run.size_bytes - 1) // run.size_bytes)


def _saturate(window_bytes: int) -> int:
    if window_bytes > WINDOW_MAX_BYTES:
        return WINDOW_MAX_BYTES  # [slow-start.window.maximum]
    return window_bytes


def sent_before_recovery(state: SlowStart, sent_t_ns: int) -> bool:
    """Return whether a packet was sent no later than the start of the last recovery period."""
    return state.recovery_start_ns is not None and sent_t_ns <= state.recovery_start_ns


def _end_recovery(state: SlowStart, acked: tuple[Run, ...]) -> SlowStart:
    if state.in_recovery and any(not sent_before_recovery(state, run.sent_t_ns) for run in acked):
        return replace(state, in_recovery=False)  # [slow-start.recovery.end]
    return state


def on_lost(state: SlowStart, lost: Lost) -> tuple[SlowStart, Outcome]:
    """Process packets declared lost."""
    latest_sent_t_ns = max(run.sent_t_ns for run in lost.packets)  # [slow-start.loss.latest]
    return _on_congestion(state, lost.t_ns, latest_sent_t_ns)


def on_ce(state: SlowStart, ce: Ce) -> tuple[SlowStart, Outcome]:
    """Process a rise of the ECN-CE counter."""
    return _on_congestion(state, ce.t_ns, ce.sent_t_ns)  # [slow-start.ce]


def _on_congestion(state: SlowStart, now_ns: int, sent_t_ns: int) -> tuple[SlowStart, Outcome]:
    if sent_before_recovery(state, sent_t_ns):
        return state, Outcome.ALREADY_REDUCED  # [slow-start.recovery.once]
    ssthresh_bytes = state.cwnd_bytes // 2  # [slow-start.recovery.begin]
    cwnd_bytes = max(ssthresh_bytes, minimum_window_bytes(state))
    state = replace(
        state, cwnd_bytes=cwnd_bytes, ssthresh_bytes=ssthresh_bytes, recovery_start_ns=now_ns, in_recovery=True
    )
    return state, Outcome.REDUCED


def on_persistent_congestion(state: SlowStart) -> tuple[SlowStart, Outcome]:
    """Process persistent congestion."""
    state = replace(
        state,
        cwnd_bytes=minimum_window_bytes(state),  # [slow-start.persistent.collapse]
        recovery_start_ns=None,
        in_recovery=False,
    )
    return state, Outcome.COLLAPSED


def on_event(state: SlowStart, event: Event) -> tuple[SlowStart, Outcome]:
    """Process any event. Those of which RFC 9002 does not speak change nothing."""
    match event:
        case Sent():
            return on_sent(state)
        case Ack():
            return on_ack(state, event)
        case Lost():
            return on_lost(state, event)
        case Ce():
            return on_ce(state, event)
        case PersistentCongestion():
            return on_persistent_congestion(state)
        case Pto():
            return on_pto(state)
        case Backlog() | IdleRestart() | SavedPath() | PathChange() | SpuriousLoss():
            return state, Outcome.UNCHANGED


def observe(state: SlowStart, outcome: Outcome) -> Observation:
    """Return the observables of the base controller alone."""
    numbers = {"recovery_start_ns": state.recovery_start_ns}
    return Observation(state.cwnd_bytes, state.ssthresh_bytes, phase(state), outcome, numbers)

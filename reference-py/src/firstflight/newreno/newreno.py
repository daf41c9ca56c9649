"""The base controllers: NewReno in bytes (``spec/slow-start.md``; RFC 9002, section 7, appendix B), or with the law of CUBIC.

Slow start and recovery periods are the same for both. Where the state carries one of CUBIC, ``cubic`` says how the window grows in
congestion avoidance and what a reduction leaves.
"""

from dataclasses import dataclass, replace

from firstflight.cubic import cubic as cubic_law
from firstflight.cubic.cubic import Cubic, Saved
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
from firstflight.newreno.profiles import PROFILES, Growth, Readings
from firstflight.observables import Observation, Outcome, Phase

__all__ = [
    "PROFILES",
    "NewReno",
    "Readings",
    "begin",
    "begin_recovery",
    "forget_congestion",
    "minimum_window_bytes",
    "observe",
    "on_ack",
    "on_ce",
    "on_event",
    "on_lost",
    "on_persistent_congestion",
    "on_pto",
    "on_sent",
    "on_spurious_loss",
    "phase",
    "recommended_initial_window_bytes",
    "reduced_bytes",
    "sent_before_recovery",
]


@dataclass(frozen=True, slots=True)
class NewReno:
    """State of the base controller. ``ssthresh_bytes`` is ``None`` while infinite.

    ``recovery_start_ns``: start of the last recovery period, ``None`` if there was none since the start or since
    persistent congestion. ``in_recovery``: no packet sent after it has been acknowledged yet. ``growth``: what the growth counts.
    ``cubic``: the state of CUBIC where that is the base.
    """

    max_datagram_size_bytes: int
    cwnd_bytes: int
    ssthresh_bytes: int | None = None
    recovery_start_ns: int | None = None
    in_recovery: bool = False
    growth: Growth = Growth.BYTES
    cubic: Cubic | None = None


def recommended_initial_window_bytes(max_datagram_size_bytes: int) -> int:
    """Return the initial window of RFC 9002, section 7.2, in bytes."""
    return min(10 * max_datagram_size_bytes, max(14720, 2 * max_datagram_size_bytes))  # [slow-start.window.initial]


def minimum_window_bytes(state: NewReno) -> int:
    """Return the smallest window that a reduction leaves, in bytes."""
    return 2 * state.max_datagram_size_bytes  # [slow-start.window.minimum]


def begin(
    max_datagram_size_bytes: int, initial_window_bytes: int | None, law: Readings | cubic_law.Readings | None = None
) -> NewReno:
    """Return the state of a new connection. ``initial_window_bytes`` is ``None`` for the recommended one.

    ``law``: the readings of the base, those of RFC 9002 if ``None``.
    """
    if initial_window_bytes is None:
        initial_window_bytes = recommended_initial_window_bytes(max_datagram_size_bytes)
    state = NewReno(max_datagram_size_bytes, initial_window_bytes)  # [slow-start.begin]
    if isinstance(law, cubic_law.Readings):
        return replace(state, cubic=cubic_law.begin(law))  # [cubic.begin]
    return state if law is None else replace(state, growth=law.growth)


def phase(state: NewReno) -> Phase:
    """Return the phase: recovery, else slow start below the threshold, else congestion avoidance."""
    if state.in_recovery:
        return Phase.RECOVERY
    if state.ssthresh_bytes is None or state.cwnd_bytes < _slow_start_end_bytes(state, state.ssthresh_bytes):
        return Phase.SLOW_START
    return Phase.CONGESTION_AVOIDANCE


def _slow_start_end_bytes(state: NewReno, ssthresh_bytes: int) -> int:
    """Return the smallest window that is not in slow start."""
    if state.cubic is not None and state.cubic.readings.slow_start_end is cubic_law.SlowStartEnd.ABOVE:
        return ssthresh_bytes + 1  # [cubic.slow-start.at-threshold]
    return ssthresh_bytes


def on_sent(state: NewReno, sent: Sent) -> tuple[NewReno, Outcome]:
    """Process packets being sent."""
    if state.cubic is not None:
        state = replace(state, cubic=cubic_law.on_sent(state.cubic, sent))
    return state, Outcome.SENT  # [slow-start.sent]


def on_pto(state: NewReno) -> tuple[NewReno, Outcome]:
    """Process an expired probe timer."""
    return state, Outcome.UNCHANGED  # [slow-start.pto]


def on_ack(state: NewReno, ack: Ack) -> tuple[NewReno, Outcome]:
    """Process the newly acknowledged packets, in rising order; the outcome is that of the last."""
    if ack.app_limited:
        return _grow_by_ack(_end_recovery(state, ack.packets), ack, 0), Outcome.APP_LIMITED  # [slow-start.app-limited]
    outcome, left_bytes = Outcome.UNCHANGED, 0
    for run in ack.packets:
        state, outcome, run_bytes = _on_run_acked(state, run)
        left_bytes += run_bytes
    return _grow_by_ack(state, ack, left_bytes), outcome


def _on_run_acked(state: NewReno, run: Run) -> tuple[NewReno, Outcome, int]:
    """Let a run grow the window packet by packet; return as well how many of its bytes the ACK as a whole shall grow it for."""
    if sent_before_recovery(state, run.sent_t_ns):
        return state, Outcome.IN_RECOVERY, 0  # [slow-start.recovery.no-growth]
    state = _end_recovery(state, (run,))
    cwnd_bytes, growing = state.cwnd_bytes, 0
    slow = phase(state) is Phase.SLOW_START
    if state.growth is Growth.ACKS:
        return state, Outcome.GROWN if slow else Outcome.GROWN_AVOIDANCE, run.count * run.size_bytes
    if slow:
        growing = _packets_to_threshold(state, run)
        cwnd_bytes = _saturate(cwnd_bytes + growing * run.size_bytes)  # [slow-start.grow]
    if growing == run.count:
        return replace(state, cwnd_bytes=cwnd_bytes), Outcome.GROWN, 0
    if state.cubic is not None:
        left_bytes = (run.count - growing) * run.size_bytes
        return replace(state, cwnd_bytes=cwnd_bytes), Outcome.GROWN_AVOIDANCE, left_bytes
    cwnd_bytes = _grow_avoidance(state, run, cwnd_bytes, run.count - growing)
    return replace(state, cwnd_bytes=cwnd_bytes), Outcome.GROWN_AVOIDANCE, 0


def _grow_by_ack(state: NewReno, ack: Ack, acked_bytes: int) -> NewReno:
    """Let an ACK grow the window where packets do not: that of CUBIC in congestion avoidance, and where ACKs are counted."""
    if state.cubic is not None:
        cubic, cwnd_bytes = cubic_law.on_acked(
            state.cubic, ack, state.max_datagram_size_bytes, state.cwnd_bytes, acked_bytes
        )
        return replace(state, cubic=cubic, cwnd_bytes=cwnd_bytes)
    if acked_bytes == 0:
        return state
    datagram_bytes, cwnd_bytes = state.max_datagram_size_bytes, state.cwnd_bytes
    if phase(state) is Phase.SLOW_START:
        increase_bytes = min(acked_bytes, datagram_bytes)  # [slow-start.acks.grow]
    else:
        increase_bytes = datagram_bytes * datagram_bytes // cwnd_bytes  # [slow-start.acks.avoidance]
        if increase_bytes == 0:
            increase_bytes = 1  # [slow-start.acks.avoidance.least]
    return replace(state, cwnd_bytes=_saturate(cwnd_bytes + increase_bytes))


def _grow_avoidance(state: NewReno, run: Run, cwnd_bytes: int, packets: int) -> int:
    """Return the window after so many packets of the run were acknowledged in congestion avoidance."""
    share_bytes = state.max_datagram_size_bytes * run.size_bytes  # [slow-start.avoidance.grow]
    for _ in range(packets):
        if share_bytes < cwnd_bytes or cwnd_bytes == 0:
            break  # nothing for this packet, nor for those left; only a startup algorithm can leave a window of 0
        cwnd_bytes = _saturate(cwnd_bytes + share_bytes // cwnd_bytes)  # [slow-start.avoidance.limit]
    return cwnd_bytes


def _packets_to_threshold(state: NewReno, run: Run) -> int:
    """Return how many packets of the run are acknowledged in slow start: the first that ends it is the last."""
    if state.ssthresh_bytes is None:
        return run.count
    missing_bytes = _slow_start_end_bytes(state, state.ssthresh_bytes) - state.cwnd_bytes
    return min(run.count, (missing_bytes + run.size_bytes - 1) // run.size_bytes)


def _saturate(window_bytes: int) -> int:
    if window_bytes > WINDOW_MAX_BYTES:
        return WINDOW_MAX_BYTES  # [slow-start.window.maximum]
    return window_bytes


def sent_before_recovery(state: NewReno, sent_t_ns: int) -> bool:
    """Return whether a packet was sent no later than the start of the last recovery period."""
    return state.recovery_start_ns is not None and sent_t_ns <= state.recovery_start_ns


def _end_recovery(state: NewReno, acked: tuple[Run, ...]) -> NewReno:
    if state.in_recovery and any(not sent_before_recovery(state, run.sent_t_ns) for run in acked):
        return replace(state, in_recovery=False)  # [slow-start.recovery.end]
    return state


def on_lost(state: NewReno, lost: Lost) -> tuple[NewReno, Outcome]:
    """Process packets declared lost."""
    latest_sent_t_ns = max(run.sent_t_ns for run in lost.packets)  # [slow-start.loss.latest]
    flight_bytes = min(lost.bytes_in_flight + lost.bytes, WINDOW_MAX_BYTES)
    state, outcome = _on_congestion(state, lost.t_ns, latest_sent_t_ns, flight_bytes, ce=False)
    if state.cubic is not None:
        state = replace(state, cubic=cubic_law.with_flight(state.cubic, lost.bytes_in_flight))
    return state, outcome


def on_ce(state: NewReno, ce: Ce) -> tuple[NewReno, Outcome]:
    """Process a rise of the ECN-CE counter."""
    flight_bytes = state.cubic.flight_bytes if state.cubic is not None else 0
    return _on_congestion(state, ce.t_ns, ce.sent_t_ns, flight_bytes, ce=True)  # [slow-start.ce]


def _on_congestion(
    state: NewReno, now_ns: int, sent_t_ns: int, flight_bytes: int, *, ce: bool
) -> tuple[NewReno, Outcome]:
    if sent_before_recovery(state, sent_t_ns):
        return state, Outcome.ALREADY_REDUCED  # [slow-start.recovery.once]
    if state.cubic is not None:
        before = Saved(state.cwnd_bytes, state.ssthresh_bytes, state.recovery_start_ns, state.in_recovery)
        cubic, cwnd_bytes, ssthresh_bytes = cubic_law.reduce(
            state.cubic, now_ns, state.max_datagram_size_bytes, before, flight_bytes, ce=ce
        )
        state = replace(state, cubic=cubic)
    else:
        ssthresh_bytes = reduced_bytes(state, state.cwnd_bytes)  # [slow-start.recovery.begin]
        cwnd_bytes = max(ssthresh_bytes, minimum_window_bytes(state))  # [slow-start.recovery.at-once]
    state = replace(
        state, cwnd_bytes=cwnd_bytes, ssthresh_bytes=ssthresh_bytes, recovery_start_ns=now_ns, in_recovery=True
    )
    return state, Outcome.REDUCED


def reduced_bytes(state: NewReno, window_bytes: int) -> int:
    """Return what congestion leaves of a window by the law of the base: half, or with CUBIC seven tenths, rounded down."""
    if state.cubic is not None:
        return cubic_law.seven_tenths(window_bytes)  # [cubic.startup.reduce]
    return window_bytes // 2


def begin_recovery(state: NewReno, now_ns: int, window_bytes: int, prior_bytes: int) -> NewReno:
    """Begin a recovery period with a window that a startup algorithm has computed from ``prior_bytes``."""
    if state.cubic is not None:
        state = replace(state, cubic=cubic_law.note_reduction(state.cubic, now_ns, prior_bytes))  # [cubic.startup.note]
    return replace(
        state, cwnd_bytes=window_bytes, ssthresh_bytes=window_bytes, recovery_start_ns=now_ns, in_recovery=True
    )


def forget_congestion(state: NewReno) -> NewReno:
    """Let CUBIC begin its next stage as if there had been no congestion: a startup algorithm starts again from below."""
    return state if state.cubic is None else replace(state, cubic=cubic_law.forget(state.cubic))


def on_spurious_loss(state: NewReno) -> tuple[NewReno, Outcome]:
    """Process the news that the losses which caused the last reduction were none. NewReno keeps the reduction."""
    undone = None if state.cubic is None else cubic_law.restored(state.cubic, state.cwnd_bytes)
    if undone is None:
        return state, Outcome.UNCHANGED
    cubic, saved = undone
    state = replace(
        state,
        cubic=cubic,
        cwnd_bytes=saved.cwnd_bytes,
        ssthresh_bytes=saved.ssthresh_bytes,
        recovery_start_ns=saved.recovery_start_ns,  # [cubic.spurious.recovery]
        in_recovery=state.in_recovery and saved.in_recovery,
    )
    return state, Outcome.RESTORED


def on_persistent_congestion(state: NewReno) -> tuple[NewReno, Outcome]:
    """Process persistent congestion."""
    state = replace(
        state,
        cwnd_bytes=minimum_window_bytes(state),  # [slow-start.persistent.collapse]
        recovery_start_ns=None,
        in_recovery=False,  # [slow-start.persistent.forget]
        cubic=None if state.cubic is None else cubic_law.collapse(state.cubic),
    )
    return state, Outcome.COLLAPSED


def on_event(state: NewReno, event: Event) -> tuple[NewReno, Outcome]:
    """Process any event. Those of which RFC 9002 does not speak change nothing."""
    match event:
        case Sent():
            return on_sent(state, event)
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
        case SpuriousLoss():
            return on_spurious_loss(state)
        case Backlog() | IdleRestart() | SavedPath() | PathChange():
            return state, Outcome.UNCHANGED


def observe(state: NewReno, outcome: Outcome) -> Observation:
    """Return the observables of the base controller alone."""
    numbers: dict[str, int | None] = {"recovery_start_ns": state.recovery_start_ns}
    if state.cubic is not None:
        epoch = state.cubic.epoch
        numbers |= {
            "w_max_bytes": state.cubic.w_max_bytes,
            "cwnd_prior_bytes": state.cubic.cwnd_prior_bytes,
            "epoch_start_ns": None if epoch is None else epoch.start_ns,
            "k_ns": None if epoch is None else epoch.k_ns,
            "w_est_bytes": None if epoch is None else epoch.w_est_bytes,
        }
    return Observation(state.cwnd_bytes, state.ssthresh_bytes, phase(state), outcome, numbers)

"""NewReno in bytes (``spec/slow-start/rules.md``; RFC 9002, section 7, appendix B), with parts that every base uses.

Recovery periods are the same for all bases. Growth and reductions of the window follow NewReno unless the ``rules`` of
the base define them (``window_rules``). Functions change the state in place and return the outcome.

Mirrors ``reference-c/firstflight/newreno/newreno.c``.
"""

from dataclasses import dataclass

from firstflight.events import (
    Ack,
    Backlog,
    Ce,
    DatagramSize,
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
from firstflight.window_rules import NEWRENO, RulesState, WindowRules, Windows

__all__ = [
    "PROFILES",
    "BaseState",
    "Readings",
    "begin",
    "begin_recovery",
    "forget_congestion",
    "minimum_window_bytes",
    "observe",
    "on_ack",
    "on_ce",
    "on_datagram_size",
    "on_event",
    "on_idle_restart",
    "on_lost",
    "on_persistent_congestion",
    "on_pto",
    "on_sent",
    "on_spurious_loss",
    "phase",
    "recommended_initial_window_bytes",
    "reduced_bytes",
    "reset",
    "sent_before_recovery",
    "use_rules",
]


@dataclass(slots=True)
class BaseState:
    """State of the base controller. ``ssthresh_bytes`` is ``None`` while infinite.

    ``recovery_start_ns``: start of the last recovery period, ``None`` before the first and after persistent congestion.
    ``in_recovery``: a recovery period has begun, and no packet sent after its start has been acknowledged yet.
    ``growth``: whether the window grows by acknowledged bytes, or once per ACK by at most one datagram. ``rules``:
    rules of the base. ``rules_state``: their state, ``None`` for NewReno.
    """

    max_datagram_size_bytes: int
    cwnd_bytes: int
    ssthresh_bytes: int | None = None
    recovery_start_ns: int | None = None
    in_recovery: bool = False
    growth: Growth = Growth.BYTES
    rules: WindowRules = NEWRENO
    rules_state: RulesState | None = None

    def copy(self) -> "BaseState":
        """Return a copy that shares no mutable state. Used for each event: ``replace`` takes several times as long."""
        return BaseState(
            self.max_datagram_size_bytes,
            self.cwnd_bytes,
            self.ssthresh_bytes,
            self.recovery_start_ns,
            self.in_recovery,
            self.growth,
            self.rules,
            None if self.rules_state is None else self.rules_state.copy(),
        )


def recommended_initial_window_bytes(max_datagram_size_bytes: int) -> int:
    """Return the initial window of RFC 9002, section 7.2, in bytes."""
    return min(10 * max_datagram_size_bytes, max(14720, 2 * max_datagram_size_bytes))  # [slow-start.window.initial]


def minimum_window_bytes(state: BaseState) -> int:
    """Return the smallest window that a reduction leaves, in bytes."""
    return 2 * state.max_datagram_size_bytes  # [slow-start.window.minimum]


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> BaseState:
    """Return the state of a new connection. ``initial_window_bytes`` is ``None`` for the recommended window."""
    if initial_window_bytes is None:
        initial_window_bytes = recommended_initial_window_bytes(max_datagram_size_bytes)
    return BaseState(max_datagram_size_bytes, initial_window_bytes)  # [slow-start.begin]


def use_rules(state: BaseState, rules: WindowRules, rules_state: RulesState) -> None:
    """Switch a connection before its first event to the rules of another base."""
    state.rules = rules
    state.rules_state = rules_state


def reset(state: BaseState, initial_window_bytes: int | None) -> None:
    """Reset windows and recovery. ``initial_window_bytes`` is ``None`` for the recommended window."""
    if initial_window_bytes is None:
        size_bytes = state.max_datagram_size_bytes
        initial_window_bytes = recommended_initial_window_bytes(size_bytes)  # [slow-start.datagram-size.initial]
    state.cwnd_bytes = initial_window_bytes  # [slow-start.path.reset]
    state.ssthresh_bytes = None
    state.recovery_start_ns = None
    state.in_recovery = False
    forget_congestion(state)


def _slow_start_end_bytes(state: BaseState) -> int | None:
    """Return the smallest window outside slow start, or ``None`` for an infinite threshold."""
    if state.ssthresh_bytes is None:
        return None
    if state.rules.slow_start_end_bytes is not None:
        return state.rules.slow_start_end_bytes(state.rules_state, state.ssthresh_bytes)
    return state.ssthresh_bytes


def phase(state: BaseState) -> Phase:
    """Return the phase: recovery, else slow start below the threshold, else congestion avoidance."""
    if state.in_recovery:
        return Phase.RECOVERY
    end_bytes = _slow_start_end_bytes(state)
    return Phase.SLOW_START if end_bytes is None or state.cwnd_bytes < end_bytes else Phase.CONGESTION_AVOIDANCE


def on_sent(state: BaseState, sent: Sent) -> Outcome:
    """Process packets being sent."""
    state.rules.on_sent(state.rules_state, sent)
    return Outcome.SENT  # [slow-start.sent]


def on_pto(_state: BaseState) -> Outcome:
    """Process an expired probe timer."""
    return Outcome.UNCHANGED  # [slow-start.pto]


def _packets_to_threshold(state: BaseState, run: Run) -> int:
    """Return the number of packets of the run acknowledged in slow start, including the packet that ends slow start."""
    end_bytes = _slow_start_end_bytes(state)
    if end_bytes is None:
        return run.count
    missing_bytes = end_bytes - state.cwnd_bytes
    return min(run.count, (missing_bytes + run.size_bytes - 1) // run.size_bytes)


def _saturate(window_bytes: int) -> int:
    if window_bytes > WINDOW_MAX_BYTES:
        return WINDOW_MAX_BYTES  # [slow-start.window.maximum]
    return window_bytes


def sent_before_recovery(state: BaseState, sent_t_ns: int) -> bool:
    """Return whether a packet was sent no later than the start of the last recovery period."""
    return state.recovery_start_ns is not None and sent_t_ns <= state.recovery_start_ns


def _end_recovery(state: BaseState, acked: tuple[Run, ...]) -> None:
    if state.in_recovery and any(not sent_before_recovery(state, run.sent_t_ns) for run in acked):
        state.in_recovery = False  # [slow-start.recovery.end]


def _grow_avoidance(state: BaseState, size_bytes: int, packets: int) -> None:
    """Grow by a number of packets in congestion avoidance."""
    share_bytes = state.max_datagram_size_bytes * size_bytes  # [slow-start.avoidance.grow]
    for _ in range(packets):
        if share_bytes < state.cwnd_bytes or state.cwnd_bytes == 0:  # [slow-start.avoidance.rounding]
            return  # no growth for this and the remaining packets; only a startup algorithm can leave a window of 0
        state.cwnd_bytes = _saturate(state.cwnd_bytes + share_bytes // state.cwnd_bytes)  # [slow-start.avoidance.limit]


def _on_run_acked(state: BaseState, run: Run) -> tuple[Outcome, int]:
    """Grow the window by a run of acknowledged packets, packet by packet.

    Return the outcome of its last packet, and the bytes that have not grown the window and will do so once per ACK.

    With the reading ``growth`` = ``acks`` these are all bytes of the run. With a base that has its own window
    rules, they are the bytes acknowledged in congestion avoidance. Otherwise they are 0. Packets sent before the last
    recovery period began neither grow the window nor count.
    """
    if sent_before_recovery(state, run.sent_t_ns):
        return Outcome.IN_RECOVERY, 0  # [slow-start.recovery.no-growth]
    _end_recovery(state, (run,))
    packets = run.count
    slow = phase(state) is Phase.SLOW_START
    if state.growth is Growth.ACKS:
        return Outcome.GROWN if slow else Outcome.GROWN_AVOIDANCE, packets * run.size_bytes
    if slow:
        growing = _packets_to_threshold(state, run)
        state.cwnd_bytes = _saturate(state.cwnd_bytes + growing * run.size_bytes)  # [slow-start.grow]
        packets -= growing
        if packets == 0:
            return Outcome.GROWN, 0
    if state.rules.on_acked is not None:
        return Outcome.GROWN_AVOIDANCE, packets * run.size_bytes
    _grow_avoidance(state, run.size_bytes, packets)
    return Outcome.GROWN_AVOIDANCE, 0


def _grow_by_ack(state: BaseState, ack: Ack, acked_bytes: int) -> None:
    """Grow the window once per ACK, after its packets were processed one by one.

    ``acked_bytes``: acknowledged bytes that have not grown the window yet.

    - A base with its own rules for congestion avoidance computes the window from them.
    - With the reading ``growth`` = ``acks``, slow start adds ``acked_bytes``, at most one datagram. Congestion
      avoidance adds the square of the datagram size divided by the window, at least one byte. With 0 ``acked_bytes``
      the window stays.
    - In all other cases ``acked_bytes`` is 0, and the window stays.
    """
    datagram_bytes, cwnd_bytes = state.max_datagram_size_bytes, state.cwnd_bytes
    if state.rules.on_acked is not None:
        state.cwnd_bytes = state.rules.on_acked(state.rules_state, ack, datagram_bytes, cwnd_bytes, acked_bytes)
        return
    if acked_bytes == 0:
        return
    if phase(state) is Phase.SLOW_START:
        increase_bytes = min(acked_bytes, datagram_bytes)  # [slow-start.acks.grow]
    else:
        increase_bytes = datagram_bytes * datagram_bytes // cwnd_bytes  # [slow-start.acks.avoidance]
        if increase_bytes == 0:
            increase_bytes = 1  # [slow-start.acks.avoidance.least]
    state.cwnd_bytes = _saturate(cwnd_bytes + increase_bytes)


def _windows(state: BaseState) -> Windows:
    """Return cwnd, ssthresh and the last recovery period, as the window rules of a base need them."""
    return Windows(state.cwnd_bytes, state.ssthresh_bytes, state.recovery_start_ns, state.in_recovery)


def on_ack(state: BaseState, ack: Ack) -> Outcome:
    """Process the newly acknowledged packets, in increasing order; return the outcome of the last packet."""
    if state.rules.on_ack is not None:
        slow = phase(state) is Phase.SLOW_START
        done = state.rules.on_ack(state.rules_state, ack, state.max_datagram_size_bytes, _windows(state), slow)
        if done is not None:
            state.cwnd_bytes, outcome = done
            return outcome
    if ack.app_limited:
        _end_recovery(state, ack.packets)
        _grow_by_ack(state, ack, 0)
        return Outcome.APP_LIMITED  # [slow-start.app-limited]
    outcome, left_bytes = Outcome.UNCHANGED, 0
    for run in ack.packets:
        outcome, run_bytes = _on_run_acked(state, run)
        left_bytes += run_bytes
    _grow_by_ack(state, ack, left_bytes)
    return outcome


def _on_congestion(state: BaseState, now_ns: int, sent_t_ns: int, flight_bytes: int | None, *, ce: bool) -> Outcome:
    if sent_before_recovery(state, sent_t_ns):
        return Outcome.ALREADY_REDUCED  # [slow-start.recovery.once]
    if state.rules.reduce is not None:
        state.cwnd_bytes, state.ssthresh_bytes = state.rules.reduce(
            state.rules_state, now_ns, state.max_datagram_size_bytes, _windows(state), flight_bytes, ce
        )
    else:
        state.ssthresh_bytes = reduced_bytes(state, state.cwnd_bytes)  # [slow-start.recovery.begin]
        state.cwnd_bytes = max(state.ssthresh_bytes, minimum_window_bytes(state))  # [slow-start.recovery.at-once]
    state.recovery_start_ns = now_ns
    state.in_recovery = True
    return Outcome.REDUCED


def on_lost(state: BaseState, lost: Lost) -> Outcome:
    """Process packets declared lost."""
    if lost.pmtu_probe:
        state.rules.set_flight(state.rules_state, lost.bytes_in_flight)
        return Outcome.UNCHANGED  # [slow-start.loss.pmtu-probe]
    latest_sent_t_ns = max(run.sent_t_ns for run in lost.packets)  # [slow-start.loss.latest]
    flight_bytes = min(lost.bytes_in_flight + lost.bytes, WINDOW_MAX_BYTES)
    outcome = _on_congestion(state, lost.t_ns, latest_sent_t_ns, flight_bytes, ce=False)
    state.rules.set_flight(state.rules_state, lost.bytes_in_flight)
    return outcome


def on_ce(state: BaseState, ce: Ce) -> Outcome:
    """Process a rise of the ECN-CE counter."""
    return _on_congestion(state, ce.t_ns, ce.sent_t_ns, None, ce=True)  # [slow-start.ce]


def reduced_bytes(state: BaseState, window_bytes: int) -> int:
    """Return a window after a reduction by the rules of the base; by default half of it, rounded down."""
    if state.rules.reduced_bytes is not None:
        return state.rules.reduced_bytes(state.rules_state, window_bytes)
    return window_bytes // 2  # [slow-start.recovery.rounding]


def begin_recovery(state: BaseState, now_ns: int, window_bytes: int, prior_bytes: int) -> None:
    """Begin a recovery period: cwnd and ssthresh become ``window_bytes``, which a startup algorithm has computed.

    ``prior_bytes``: the window before this reduction, or another quantity that the algorithm has reduced. Window
    rules that need the window before a reduction store it.
    """
    state.rules.note_startup_reduction(state.rules_state, now_ns, prior_bytes)
    state.cwnd_bytes = window_bytes
    state.ssthresh_bytes = window_bytes
    state.recovery_start_ns = now_ns
    state.in_recovery = True


def forget_congestion(state: BaseState) -> None:
    """Reset the state of the window rules, such as the window before the last reduction; cwnd and ssthresh stay."""
    state.rules.forget(state.rules_state)


def on_spurious_loss(state: BaseState) -> Outcome:
    """Process the event that the losses of the last reduction were spurious. NewReno keeps the reduction."""
    replaced = state.rules.restore(state.rules_state, state.cwnd_bytes)
    if replaced is None:
        return Outcome.UNCHANGED
    state.cwnd_bytes = replaced.cwnd_bytes
    state.ssthresh_bytes = replaced.ssthresh_bytes
    state.recovery_start_ns = replaced.recovery_start_ns
    state.in_recovery = state.in_recovery and replaced.in_recovery
    return Outcome.RESTORED


def on_persistent_congestion(state: BaseState) -> Outcome:
    """Process persistent congestion."""
    state.cwnd_bytes = minimum_window_bytes(state)  # [slow-start.persistent.collapse]
    state.recovery_start_ns = None  # [slow-start.persistent.forget]
    state.in_recovery = False
    state.rules.collapse(state.rules_state)
    return Outcome.COLLAPSED


def on_datagram_size(state: BaseState, event: DatagramSize) -> None:
    """Change the maximum datagram size; the window in bytes stays, but a decrease in the handshake may reduce it."""
    size_bytes = event.max_datagram_size_bytes
    state.rules.change_datagram_size(state.rules_state)
    if not event.handshake or size_bytes >= state.max_datagram_size_bytes:
        state.max_datagram_size_bytes = size_bytes  # [slow-start.datagram-size.minimum]
        return  # [slow-start.datagram-size.growth] [slow-start.datagram-size.window] [slow-start.datagram-size.kept]
    state.max_datagram_size_bytes = size_bytes
    initial_window_bytes = recommended_initial_window_bytes(size_bytes)
    state.cwnd_bytes = min(state.cwnd_bytes, initial_window_bytes)  # [slow-start.datagram-size.handshake]


def on_idle_restart(_state: BaseState) -> Outcome:
    """Process the end of an idle period."""
    return Outcome.UNCHANGED  # [slow-start.idle.window] [slow-start.idle.kept]


def on_event(state: BaseState, event: Event) -> Outcome:
    """Process any event. Events outside RFC 9002 change nothing."""
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
        case IdleRestart():
            return on_idle_restart(state)  # [slow-start.idle.threshold] [slow-start.idle.recovery]
        case Backlog() | SavedPath() | PathChange() | DatagramSize():
            return Outcome.UNCHANGED


def observe(state: BaseState, outcome: Outcome) -> Observation:
    """Return the observables of the base controller alone."""
    numbers = {"recovery_start_ns": state.recovery_start_ns, **state.rules.numbers(state.rules_state)}
    return Observation(state.cwnd_bytes, state.ssthresh_bytes, phase(state), outcome, numbers)

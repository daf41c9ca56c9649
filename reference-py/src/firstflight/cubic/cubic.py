"""The window rules of CUBIC (``spec/cubic/rules.md``; RFC 9438): growth in congestion avoidance, and reductions.

``newreno`` keeps the windows and calls the hooks of ``RULES``; functions change the state in place. All numbers are
integers: bytes, ns, and fractions of a byte in units of 2^-32. Mirrors ``reference-c/firstflight/cubic/cubic.c``.
"""

from dataclasses import dataclass

from firstflight.cubic.profiles import (
    PROFILES,
    CeMinimum,
    Growth,
    Readings,
    ReductionBasis,
    SlowStartEnd,
    Spurious,
)
from firstflight.cubic.window import (
    FRACTION,
    cube_time_ns,
    friendly_increase,
    seven_tenths,
    seventeen_twentieths,
    share,
    window_bytes,
)
from firstflight.events import Ack, Sent
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.values import copied
from firstflight.window_rules import WindowRules, Windows

__all__ = ["PROFILES", "RULES", "Cubic", "Epoch", "Readings", "Saved", "begin", "carry", "on_acked"]


@dataclass(slots=True)
class Epoch:
    """A congestion avoidance stage.

    ``start_ns``: its beginning, moved later by its application-limited time and its idle time (no bytes in flight).
    ``k_ns``: K. ``cwnd_bytes``, ``cwnd_fraction``: the window after the last growth. ``w_est_bytes``,
    ``w_est_fraction``: W_est.
    """

    start_ns: int
    k_ns: int
    cwnd_bytes: int
    w_est_bytes: int
    cwnd_fraction: int = 0
    w_est_fraction: int = 0


@dataclass(slots=True)
class Saved:
    """State of the base and of CUBIC before a reduction."""

    base: Windows
    w_max_bytes: int | None
    cwnd_prior_bytes: int | None
    epoch: Epoch | None

    def copy(self) -> "Saved":
        """Return a copy that shares no mutable state."""
        copy = copied(self)
        copy.epoch = None if self.epoch is None else copied(self.epoch)
        return copy


@dataclass(slots=True)
class Cubic:
    """State of CUBIC. ``w_max_bytes`` and ``cwnd_prior_bytes`` are ``None`` until set.

    ``epoch``: the congestion avoidance stage, ``None`` until it begins. ``flight_bytes``: in flight after the last
    event. The clock that measures the time since the beginning of the stage stops while the sender is
    application-limited or idle. ``stopped_ns``: when it stopped, ``None`` while it runs. ``idle``: it stopped only
    because no bytes are in flight. ``saved``: the state before the last reduction, if a loss caused the reduction.
    """

    readings: Readings
    w_max_bytes: int | None = None
    cwnd_prior_bytes: int | None = None
    epoch: Epoch | None = None
    flight_bytes: int = 0
    stopped_ns: int | None = None
    idle: bool = False
    saved: Saved | None = None

    def copy(self) -> "Cubic":
        """Return a copy that shares no mutable state."""
        copy = copied(self)
        copy.epoch = None if self.epoch is None else copied(self.epoch)
        copy.saved = None if self.saved is None else self.saved.copy()
        return copy


def begin(readings: Readings) -> Cubic:
    """Return the state of a new connection."""
    return Cubic(readings)  # [cubic.begin]


def carry(readings: Readings) -> Cubic:
    """Return the state of a new connection under a startup algorithm."""
    return begin(readings)  # [cubic.startup.compose]


def slow_start_end_bytes(state: Cubic, ssthresh_bytes: int) -> int:
    """Return the smallest window outside slow start, in bytes: ``ssthresh_bytes``, or one byte more.

    One byte more applies with the reading ``slow_start_end`` = ``above``: slow start then includes cwnd = ssthresh.
    """
    if state.readings.slow_start_end is SlowStartEnd.ABOVE:
        return ssthresh_bytes + 1  # [cubic.slow-start.at-threshold]
    return ssthresh_bytes


def set_flight(state: Cubic, bytes_in_flight: int) -> None:
    """Store the bytes in flight, at most ``WINDOW_MAX_BYTES``."""
    state.flight_bytes = min(bytes_in_flight, WINDOW_MAX_BYTES)


def _resume(state: Cubic, now_ns: int) -> None:
    """Let the clock of the congestion avoidance stage run again, if it was stopped.

    The beginning of the current stage, and of the stage saved before the last reduction, moves later by the time that
    the clock was stopped. This time then does not count as time since the beginning.
    """
    if state.stopped_ns is None:
        return
    passed_ns = now_ns - state.stopped_ns
    state.stopped_ns = None
    state.idle = False
    if state.epoch is not None:
        state.epoch.start_ns += passed_ns  # [cubic.limited.time]
    if state.saved is not None and state.saved.epoch is not None:
        state.saved.epoch.start_ns += passed_ns  # [cubic.spurious.limited]


def on_sent(state: Cubic, sent: Sent) -> None:
    """Process packets being sent: store the bytes in flight, and end an idle time.

    The clock of a stage of congestion avoidance stops while no bytes are in flight. If it stopped for this reason
    alone, it now continues from its value at the stop: the start of the stage moves later by the idle time.
    """
    set_flight(state, sent.bytes_in_flight)
    if state.idle:
        _resume(state, sent.t_ns)  # [cubic.limited.idle]


def _stop(state: Cubic, now_ns: int, *, idle: bool) -> None:
    """Stop the clock of the congestion avoidance stage, if there is a current or a saved stage.

    ``idle``: no bytes are in flight; otherwise the sender is application-limited. The state counts as idle only if
    every call since the clock stopped had ``idle``.
    """
    if state.epoch is None and state.saved is None:
        return
    if state.stopped_ns is None:
        state.stopped_ns = now_ns
        state.idle = idle
    else:
        state.idle = state.idle and idle


def _continue_epoch(state: Cubic, now_ns: int, datagram_bytes: int, cwnd_bytes: int) -> Epoch:
    """Return the current stage; begin one if none exists or the window has changed since its last growth."""
    if state.epoch is not None and state.epoch.cwnd_bytes == cwnd_bytes:
        return state.epoch
    if state.w_max_bytes is None:
        state.w_max_bytes = cwnd_bytes  # [cubic.epoch.no-maximum]
    elif state.w_max_bytes < cwnd_bytes:
        state.w_max_bytes = cwnd_bytes  # [cubic.epoch.low-maximum]
    if state.cwnd_prior_bytes is None:
        state.cwnd_prior_bytes = cwnd_bytes  # [cubic.epoch.no-prior]
    k_ns = cube_time_ns(state.w_max_bytes - cwnd_bytes, datagram_bytes)  # [cubic.k]
    state.epoch = Epoch(now_ns, k_ns, cwnd_bytes, cwnd_bytes)  # [cubic.epoch.begin] [cubic.friendly.begin]
    return state.epoch


def _grow_estimate(state: Cubic, epoch: Epoch, datagram_bytes: int, cwnd_bytes: int, acked_bytes: int) -> None:
    """Grow W_est, the window of a Reno sender in the same time, by alpha * datagram * acked / cwnd bytes.

    ``alpha`` is 9/17, or 1 once W_est has reached cwnd_prior, the window before the last reduction.
    """
    reached = epoch.w_est_bytes >= (state.cwnd_prior_bytes or 0)
    increase = friendly_increase(datagram_bytes, acked_bytes, cwnd_bytes, reached=reached)  # [cubic.friendly.estimate]
    fraction = epoch.w_est_fraction + increase % FRACTION
    w_est_bytes = epoch.w_est_bytes + increase // FRACTION + fraction // FRACTION
    epoch.w_est_bytes = min(w_est_bytes, WINDOW_MAX_BYTES)
    epoch.w_est_fraction = fraction % FRACTION


def _follow_estimate(epoch: Epoch) -> None:
    """Raise the window to W_est; never lower it."""
    if epoch.w_est_bytes <= epoch.cwnd_bytes:
        return  # [cubic.friendly.never-lowers]
    epoch.cwnd_bytes = epoch.w_est_bytes  # [cubic.friendly.region]
    epoch.cwnd_fraction = epoch.w_est_fraction


def _approach(epoch: Epoch, acked_bytes: int, target_bytes: int) -> None:
    """Grow the window by acked_bytes / cwnd of its distance to the target; keep fractions of a byte.

    The target is limited to 1.5 times the window. A target below the window does not change it.
    """
    cwnd_bytes = epoch.cwnd_bytes
    most_bytes = cwnd_bytes + cwnd_bytes // 2
    if target_bytes > most_bytes:
        target_bytes = most_bytes  # [cubic.target.most]
    if target_bytes <= cwnd_bytes:
        return  # [cubic.target.least]
    whole_bytes, fraction = share(acked_bytes, target_bytes - cwnd_bytes, cwnd_bytes)  # [cubic.grow.share]
    fraction += epoch.cwnd_fraction
    epoch.cwnd_bytes = min(cwnd_bytes + whole_bytes + fraction // FRACTION, WINDOW_MAX_BYTES)
    epoch.cwnd_fraction = fraction % FRACTION  # [cubic.grow.fraction]


def _grow(state: Cubic, ack: Ack, datagram_bytes: int, cwnd_bytes: int, acked_bytes: int) -> int:
    _resume(state, ack.t_ns)
    epoch = _continue_epoch(state, ack.t_ns, datagram_bytes, cwnd_bytes)
    counted_bytes = min(acked_bytes, cwnd_bytes)  # [cubic.grow.at-most-a-window]
    _grow_estimate(state, epoch, datagram_bytes, cwnd_bytes, counted_bytes)
    elapsed_ns = ack.t_ns - epoch.start_ns
    w_max_bytes = state.w_max_bytes or 0
    if window_bytes(w_max_bytes, epoch.k_ns, datagram_bytes, elapsed_ns) < epoch.w_est_bytes:
        _follow_estimate(epoch)
    else:
        grown_for_bytes = counted_bytes  # [cubic.grow]
        if state.readings.growth is Growth.ACKS:
            grown_for_bytes = min(datagram_bytes, cwnd_bytes)  # [cubic.grow.per-ack]
        ahead_ns = elapsed_ns + (ack.smoothed_rtt_ns or 0)
        target_bytes = window_bytes(w_max_bytes, epoch.k_ns, datagram_bytes, ahead_ns)  # [cubic.target]
        _approach(epoch, grown_for_bytes, target_bytes)
    return epoch.cwnd_bytes


def on_acked(state: Cubic, ack: Ack, datagram_bytes: int, cwnd_bytes: int, acked_bytes: int) -> int:
    """Process an ACK; return the window. ``acked_bytes``: bytes that may grow the window in congestion avoidance."""
    set_flight(state, ack.bytes_in_flight)
    if ack.app_limited:
        _stop(state, ack.t_ns, idle=False)  # [cubic.limited.growth]
    elif acked_bytes > 0 and cwnd_bytes > 0:
        cwnd_bytes = _grow(state, ack, datagram_bytes, cwnd_bytes, acked_bytes)
    if ack.bytes_in_flight == 0:
        _stop(state, ack.t_ns, idle=True)
    return cwnd_bytes


def reduce(
    state: Cubic, _now_ns: int, datagram_bytes: int, base: Windows, flight_bytes: int | None, ce: bool
) -> tuple[int, int]:
    """Process a loss, or a CE mark if ``ce``; return the new window and ssthresh in bytes.

    ``base``: window and ssthresh before the event. ``flight_bytes``: bytes in flight before a loss, including the lost
    packets; ``None`` for a CE mark. A profile that reduces the bytes in flight uses ``flight_bytes`` at a loss, and the
    stored bytes in flight at a CE mark, because the mark leaves them unchanged. Other profiles reduce the window.
    """
    prior = Saved(base, state.w_max_bytes, state.cwnd_prior_bytes, state.epoch)
    note_reduction(state, base.cwnd_bytes)
    if not ce:
        state.saved = prior  # [cubic.spurious.save]
    basis_bytes = base.cwnd_bytes  # [cubic.reduce.basis]
    if state.readings.reduction_basis is ReductionBasis.FLIGHT:
        basis_bytes = state.flight_bytes if flight_bytes is None else flight_bytes  # [cubic.reduce.flight]
    reduced_bytes = seven_tenths(basis_bytes)  # [cubic.reduce] [cubic.reduce.rounding]
    two_bytes = least_bytes = 2 * datagram_bytes  # [cubic.reduce.minimum]
    if ce and state.readings.ce_minimum is CeMinimum.ONE_DATAGRAM:
        least_bytes = datagram_bytes  # [cubic.reduce.minimum-ce]
    return max(reduced_bytes, least_bytes), max(reduced_bytes, two_bytes)  # [cubic.reduce.at-once]


def note_reduction(state: Cubic, cwnd_bytes: int) -> None:
    """Set W_max and cwnd_prior from the window before a reduction, by CUBIC or by a startup algorithm."""
    last_bytes = state.w_max_bytes
    state.w_max_bytes = cwnd_bytes  # [cubic.maximum]
    if last_bytes is not None and cwnd_bytes < last_bytes:
        state.w_max_bytes = seventeen_twentieths(cwnd_bytes)  # [cubic.maximum.fast-convergence]
    state.cwnd_prior_bytes = cwnd_bytes
    state.saved = None
    state.epoch = None


def reduced_bytes(_state: Cubic, window_bytes: int) -> int:
    """Return the window that a reduction by a startup algorithm makes of ``window_bytes``."""
    return seven_tenths(window_bytes)  # [cubic.startup.reduce]


def note_startup_reduction(state: Cubic, _now_ns: int, cwnd_bytes: int) -> None:
    """Set W_max and cwnd_prior at a reduction by a startup algorithm.

    ``cwnd_bytes``: the window before the reduction. If the algorithm reduces another number of bytes, such as the bytes
    in flight, this number is used as the window.
    """
    note_reduction(state, cwnd_bytes)  # [cubic.startup.note]


def collapse(state: Cubic) -> None:
    """Process persistent congestion: forget W_max and end the stage of congestion avoidance.

    Also discard the state saved for undoing the last reduction, so that this reduction cannot be undone any more.
    The next stage then begins with W_max equal to its first window. The caller sets the window.
    """
    state.saved = None  # [cubic.spurious.persistent]
    state.w_max_bytes = None  # [cubic.persistent]
    state.epoch = None


def change_datagram_size(state: Cubic) -> None:
    """End the stage of congestion avoidance after a change of the maximum datagram size; RFC 9438 leaves this open.

    The next growth begins another stage, since K is computed for one segment size.
    """
    state.epoch = None
    if state.saved is not None:
        state.saved.epoch = None


def forget(state: Cubic) -> None:
    """Forget all congestion: a startup algorithm begins again from a small window."""
    state.w_max_bytes = state.cwnd_prior_bytes = state.stopped_ns = None  # [cubic.startup.forget]
    state.idle = False
    state.epoch = state.saved = None


def restore(state: Cubic, cwnd_bytes: int) -> Windows | None:
    """Undo the last reduction and return the windows before it, or ``None`` without a reduction to undo."""
    saved = state.saved
    if saved is None or state.readings.spurious is Spurious.KEPT:
        return None
    if cwnd_bytes >= saved.base.cwnd_bytes:  # the window before the reduction, which is cwnd_prior
        return None  # [cubic.spurious.late]
    state.w_max_bytes = saved.w_max_bytes  # [cubic.spurious]
    state.cwnd_prior_bytes = saved.cwnd_prior_bytes
    state.epoch = saved.epoch
    state.saved = None
    return saved.base  # [cubic.spurious.recovery]


def numbers(state: Cubic) -> dict[str, int | None]:
    """Return the observables."""
    epoch = state.epoch
    return {
        "w_max_bytes": state.w_max_bytes,
        "cwnd_prior_bytes": state.cwnd_prior_bytes,
        "epoch_start_ns": None if epoch is None else epoch.start_ns,
        "k_ns": None if epoch is None else epoch.k_ns,
        "w_est_bytes": None if epoch is None else epoch.w_est_bytes,
    }


RULES = WindowRules(
    beta_tenths=7,
    slow_start_end_bytes=slow_start_end_bytes,
    on_sent=on_sent,
    on_acked=on_acked,
    reduce=reduce,
    set_flight=set_flight,
    reduced_bytes=reduced_bytes,
    note_startup_reduction=note_startup_reduction,
    forget=forget,
    restore=restore,
    collapse=collapse,
    change_datagram_size=change_datagram_size,
    numbers=numbers,
)

"""The law of CUBIC (``spec/cubic.md``; RFC 9438): how the base controller grows in congestion avoidance, and how it reduces.

``slow_start`` carries the windows and asks here. All numbers are integers: bytes, ns, and fractions of a byte in units of 2^-32.
Mirrors ``reference-c/src/cubic/cubic.c``.
"""

from dataclasses import dataclass, replace

from firstflight.cubic.profiles import (
    PROFILES,
    CeMinimum,
    EpochStart,
    FastConvergence,
    Growth,
    LimitedTime,
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

__all__ = [
    "PROFILES",
    "Cubic",
    "Epoch",
    "Readings",
    "Saved",
    "SlowStartEnd",
    "begin",
    "collapse",
    "forget",
    "note_reduction",
    "on_acked",
    "on_sent",
    "reduce",
    "restored",
    "seven_tenths",
    "with_flight",
]


@dataclass(frozen=True, slots=True)
class Epoch:
    """A congestion avoidance stage.

    It began at ``start_ns``, later by the time that does not count; ``k_ns`` is K. ``cwnd_bytes`` is the window as the last growth left it,
    with ``cwnd_fraction`` beside it; ``w_est_bytes`` and ``w_est_fraction`` are W_est.
    """

    start_ns: int
    k_ns: int
    cwnd_bytes: int
    w_est_bytes: int
    cwnd_fraction: int = 0
    w_est_fraction: int = 0


@dataclass(frozen=True, slots=True)
class Saved:
    """What a reduction replaced, of the base and of CUBIC. A caller leaves the numbers of CUBIC to :func:`reduce`."""

    cwnd_bytes: int
    ssthresh_bytes: int | None
    recovery_start_ns: int | None
    in_recovery: bool
    w_max_bytes: int | None = None
    cwnd_prior_bytes: int | None = None
    epoch: Epoch | None = None


@dataclass(frozen=True, slots=True)
class Cubic:
    """State of CUBIC. ``w_max_bytes`` and ``cwnd_prior_bytes`` are ``None`` while nothing has set them.

    ``epoch``: the congestion avoidance stage, ``None`` until it begins. ``reduced_ns``: when the reduction was after which it is
    still to begin. ``flight_bytes``: in flight after the last event. While time does not count, ``stopped_ns`` says since when, and
    ``idle`` whether only because nothing is in flight. ``saved``: what the last reduction replaced, if it was after a loss.
    """

    readings: Readings
    w_max_bytes: int | None = None
    cwnd_prior_bytes: int | None = None
    epoch: Epoch | None = None
    reduced_ns: int | None = None
    flight_bytes: int = 0
    stopped_ns: int | None = None
    idle: bool = False
    saved: Saved | None = None


def begin(readings: Readings) -> Cubic:
    """Return the state of a new connection."""
    return Cubic(readings)


def with_flight(state: Cubic, bytes_in_flight: int) -> Cubic:
    """Return the state with so much in flight; it saturates as windows do."""
    return replace(state, flight_bytes=min(bytes_in_flight, WINDOW_MAX_BYTES))


def on_sent(state: Cubic, sent: Sent) -> Cubic:
    """Process packets being sent: an idle time ends."""
    state = with_flight(state, sent.bytes_in_flight)
    if not state.idle:
        return state
    return _resumed(state, sent.t_ns)  # [cubic.limited.idle]


def on_acked(state: Cubic, ack: Ack, datagram_bytes: int, cwnd_bytes: int, acked_bytes: int) -> tuple[Cubic, int]:
    """Process an ACK, of which so many bytes may grow the window in congestion avoidance; return the window as well."""
    state = with_flight(state, ack.bytes_in_flight)
    if ack.app_limited:
        state = _stopped(state, ack.t_ns, idle=False)  # [cubic.limited.growth]
    elif acked_bytes > 0 and cwnd_bytes > 0:
        state, cwnd_bytes = _grow(state, ack, datagram_bytes, cwnd_bytes, acked_bytes)
    if ack.bytes_in_flight == 0:
        state = _stopped(state, ack.t_ns, idle=True)
    return state, cwnd_bytes


def _stopped(state: Cubic, now_ns: int, *, idle: bool) -> Cubic:
    """Return the state in which time does not count from now on, if the reading says so and there is a stage."""
    spared = (LimitedTime.ACKS_AND_IDLE, LimitedTime.IDLE if idle else LimitedTime.ACKS)
    if state.readings.limited_time not in spared or (state.epoch is None and state.saved is None):
        return state
    if state.stopped_ns is None:
        return replace(state, stopped_ns=now_ns, idle=idle)
    return replace(state, idle=state.idle and idle)


def _resumed(state: Cubic, now_ns: int) -> Cubic:
    """Return the state in which time counts again, with the time that did not taken out of the stages."""
    if state.stopped_ns is None:
        return state
    passed_ns = now_ns - state.stopped_ns
    state = replace(state, stopped_ns=None, idle=False)
    if state.epoch is not None:
        state = replace(state, epoch=_moved(state.epoch, passed_ns))  # [cubic.limited.time]
    if state.saved is not None and state.saved.epoch is not None:
        saved_epoch = _moved(state.saved.epoch, passed_ns)  # [cubic.spurious.limited]
        state = replace(state, saved=replace(state.saved, epoch=saved_epoch))
    return state


def _moved(epoch: Epoch, passed_ns: int) -> Epoch:
    return replace(epoch, start_ns=epoch.start_ns + passed_ns)


def _grow(state: Cubic, ack: Ack, datagram_bytes: int, cwnd_bytes: int, acked_bytes: int) -> tuple[Cubic, int]:
    state, epoch = _current_epoch(_resumed(state, ack.t_ns), ack.t_ns, datagram_bytes, cwnd_bytes)
    counted_bytes = min(acked_bytes, cwnd_bytes)  # [cubic.grow.at-most-a-window]
    prior_bytes = state.cwnd_prior_bytes
    epoch = _grow_estimate(epoch, datagram_bytes, cwnd_bytes, counted_bytes, prior_bytes or 0)
    t_ns = ack.t_ns - epoch.start_ns
    w_max_bytes = state.w_max_bytes or 0
    if window_bytes(w_max_bytes, epoch.k_ns, datagram_bytes, t_ns) < epoch.w_est_bytes:
        epoch = _follow_estimate(epoch, cwnd_bytes)
    else:
        if state.readings.growth is Growth.ACKS:
            counted_bytes = min(datagram_bytes, cwnd_bytes)  # [cubic.grow.per-ack]
        rtt_ns = ack.smoothed_rtt_ns or 0
        target_bytes = window_bytes(w_max_bytes, epoch.k_ns, datagram_bytes, t_ns + rtt_ns)  # [cubic.target]
        epoch = _approach(epoch, cwnd_bytes, counted_bytes, target_bytes)
    return replace(state, epoch=epoch), epoch.cwnd_bytes


def _current_epoch(state: Cubic, now_ns: int, datagram_bytes: int, cwnd_bytes: int) -> tuple[Cubic, Epoch]:
    """Return the stage at hand, or a new one if there is none or something else has changed the window since it last grew."""
    epoch = state.epoch
    if epoch is not None and epoch.cwnd_bytes == cwnd_bytes:
        return state, epoch
    start_ns = now_ns  # [cubic.epoch.begin]
    if state.readings.epoch_start is EpochStart.RECOVERY and state.reduced_ns is not None:
        start_ns = state.reduced_ns  # [cubic.epoch.at-recovery]
    w_max_bytes, prior_bytes = state.w_max_bytes, state.cwnd_prior_bytes
    if w_max_bytes is None:
        w_max_bytes = cwnd_bytes  # [cubic.epoch.no-maximum]
    elif w_max_bytes < cwnd_bytes:
        w_max_bytes = cwnd_bytes  # [cubic.epoch.low-maximum]
    if prior_bytes is None:
        prior_bytes = cwnd_bytes  # [cubic.epoch.no-prior]
    k_ns = cube_time_ns(w_max_bytes - cwnd_bytes, datagram_bytes)  # [cubic.k]
    state = replace(state, w_max_bytes=w_max_bytes, cwnd_prior_bytes=prior_bytes, reduced_ns=None)
    return state, Epoch(start_ns, k_ns, cwnd_bytes, cwnd_bytes)  # [cubic.friendly.begin]


def _grow_estimate(epoch: Epoch, datagram_bytes: int, cwnd_bytes: int, acked_bytes: int, prior_bytes: int) -> Epoch:
    """Return the stage with W_est grown as Reno grows."""
    reached = epoch.w_est_bytes >= prior_bytes
    increase = friendly_increase(datagram_bytes, acked_bytes, cwnd_bytes, reached=reached)  # [cubic.friendly.estimate]
    fraction = epoch.w_est_fraction + increase % FRACTION
    w_est_bytes = epoch.w_est_bytes + increase // FRACTION + fraction // FRACTION
    return replace(epoch, w_est_bytes=min(w_est_bytes, WINDOW_MAX_BYTES), w_est_fraction=fraction % FRACTION)


def _follow_estimate(epoch: Epoch, cwnd_bytes: int) -> Epoch:
    """Return the stage with the window at W_est, never lower than it is."""
    if epoch.w_est_bytes <= cwnd_bytes:
        return replace(epoch, cwnd_bytes=cwnd_bytes)  # [cubic.friendly.never-lowers]
    return replace(epoch, cwnd_bytes=epoch.w_est_bytes, cwnd_fraction=epoch.w_est_fraction)  # [cubic.friendly.region]


def _approach(epoch: Epoch, cwnd_bytes: int, acked_bytes: int, target_bytes: int) -> Epoch:
    """Return the stage with the window grown by its share of the way to the target."""
    most_bytes = cwnd_bytes + cwnd_bytes // 2
    if target_bytes > most_bytes:
        target_bytes = most_bytes  # [cubic.target.most]
    if target_bytes <= cwnd_bytes:
        return replace(epoch, cwnd_bytes=cwnd_bytes)  # [cubic.target.least]
    whole_bytes, fraction = share(acked_bytes, target_bytes - cwnd_bytes, cwnd_bytes)  # [cubic.grow]
    fraction += epoch.cwnd_fraction
    cwnd_bytes = min(cwnd_bytes + whole_bytes + fraction // FRACTION, WINDOW_MAX_BYTES)
    return replace(epoch, cwnd_bytes=cwnd_bytes, cwnd_fraction=fraction % FRACTION)


def reduce(
    state: Cubic, now_ns: int, datagram_bytes: int, base: Saved, flight_bytes: int, *, ce: bool
) -> tuple[Cubic, int, int]:
    """Process a sign of congestion; return the new window and threshold as well. ``base``: what the base was before it."""
    cwnd_bytes = base.cwnd_bytes
    prior = replace(base, w_max_bytes=state.w_max_bytes, cwnd_prior_bytes=state.cwnd_prior_bytes, epoch=state.epoch)
    state = note_reduction(state, now_ns, cwnd_bytes)
    if not ce:
        state = replace(state, saved=prior)  # [cubic.spurious.save]
    reduced_bytes = seven_tenths(cwnd_bytes)  # [cubic.reduce]
    if state.readings.reduction_basis is ReductionBasis.FLIGHT:
        reduced_bytes = seven_tenths(flight_bytes)  # [cubic.reduce.flight]
    two_bytes = least_bytes = 2 * datagram_bytes  # [cubic.reduce.minimum]
    if ce and state.readings.ce_minimum is CeMinimum.ONE_DATAGRAM:
        least_bytes = datagram_bytes  # [cubic.reduce.minimum-ce]
    return state, max(reduced_bytes, least_bytes), max(reduced_bytes, two_bytes)  # [cubic.reduce.at-once]


def note_reduction(state: Cubic, now_ns: int, cwnd_bytes: int) -> Cubic:
    """Remember the window at a reduction, whoever computes the new one."""
    w_max_bytes = cwnd_bytes  # [cubic.maximum]
    last_bytes = state.w_max_bytes
    if last_bytes is not None and cwnd_bytes < last_bytes and state.readings.fast_convergence is FastConvergence.ON:
        w_max_bytes = seventeen_twentieths(cwnd_bytes)  # [cubic.maximum.fast-convergence]
    return replace(
        state, w_max_bytes=w_max_bytes, cwnd_prior_bytes=cwnd_bytes, epoch=None, reduced_ns=now_ns, saved=None
    )


def collapse(state: Cubic) -> Cubic:
    """Process persistent congestion: the next stage begins as if there had been no maximum."""
    state = replace(state, saved=None)  # [cubic.spurious.persistent]
    return replace(state, w_max_bytes=None, epoch=None, reduced_ns=None)  # [cubic.persistent]


def forget(state: Cubic) -> Cubic:
    """Forget all congestion, because a startup algorithm begins anew below what it has found."""
    return replace(begin(state.readings), flight_bytes=state.flight_bytes)  # [cubic.startup.forget]


def restored(state: Cubic, cwnd_bytes: int) -> tuple[Cubic, Saved] | None:
    """Return the state before the last reduction, and what it replaced; ``None`` if there is nothing to restore."""
    saved = state.saved
    if saved is None or state.readings.spurious is Spurious.KEPT:
        return None
    if cwnd_bytes >= saved.cwnd_bytes:  # the window before the reduction, which is cwnd_prior
        return None  # [cubic.spurious.late]
    state = replace(
        state,
        w_max_bytes=saved.w_max_bytes,  # [cubic.spurious]
        cwnd_prior_bytes=saved.cwnd_prior_bytes,
        epoch=saved.epoch,
        reduced_ns=None,
        saved=None,
    )
    return state, saved

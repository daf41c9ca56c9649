"""The first recovery of Rapid Start: reduction factors, their use, and the lower bound (``spec/rapid-start/rules.md``).

Functions change the state and the base in place and return the outcome or the documented value.

Mirrors ``reference-c/firstflight/rapid_start/recovery.c``.
"""

from firstflight.events import Ack, Ce, Lost
from firstflight.newreno import newreno
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Outcome
from firstflight.rapid_start.profiles import (
    Beta,
    CountedLosses,
    EndingAck,
    FactorK,
    LateLosses,
    LowerBound,
    Readings,
    Ssthresh,
)
from firstflight.rapid_start.state import RapidStart, Stage

#: Factors are integers in units of 1/180, since K is in eighteenths and beta in tenths.
PARTS = 180


def _beta_tenths(readings: Readings, base: BaseState) -> int:
    if readings.beta is Beta.SEVEN_TENTHS or base.rules.beta_tenths == 7:
        return 7
    return 5  # [rapid-start.beta]


def _ack_parts(readings: Readings, base: BaseState) -> int:
    """Return the ack factor in units of 1/180: K (1 - beta), the window's reduction for each acknowledged byte.

    ``readings``: the choices of a profile. They select K, 2/3 or 11/18. The factor beta is 7/10 if the readings select
    it or the base controller is CUBIC, otherwise 1/2.
    """
    k_eighteenths = 12 if readings.factor_k is FactorK.TWO_THIRDS else 11  # [rapid-start.factor.k]
    return k_eighteenths * (10 - _beta_tenths(readings, base))  # [rapid-start.factor.ack]


def _loss_parts(readings: Readings, base: BaseState) -> int:
    """Return the silence factor, also the loss factor, in units of 1/180: beta + K (1 - beta).

    The first recovery begins with the window times this factor; then each lost byte lowers the window by this
    fraction of a byte. ``readings``: the choices of a profile. They select K, 2/3 or 11/18. The factor beta is 7/10 if
    the readings select it or the base controller is CUBIC, otherwise 1/2.
    """
    return 18 * _beta_tenths(readings, base) + _ack_parts(readings, base)  # [rapid-start.factor.loss]


def _down(amount: int, parts: int) -> int:
    return amount * parts // PARTS


def _up(amount: int, parts: int) -> int:
    return -(-amount * parts // PARTS)


def _bound_bytes(readings: Readings, state: RapidStart, base: BaseState) -> int:
    """Return the lower bound of the window in the recovery that begins now, in bytes.

    It is beta/3 of the current window. Some ``readings``, the choices of a profile, raise it to at least beta times the
    initial window, or half the initial window. The factor beta is 7/10 if the readings select it or the base controller
    is CUBIC, otherwise 1/2. The bound may be below the minimum window, which :func:`with_minimum` applies.
    """
    beta_parts = 18 * _beta_tenths(readings, base)
    if readings.lower_bound is LowerBound.THIRD_OR_HALF_INITIAL:
        third_bytes = _down(base.cwnd_bytes, beta_parts // 3)
        bound_bytes = max(third_bytes, state.initial_window_bytes // 2)  # [rapid-start.bound.half-initial]
    else:
        bound_bytes = _up(base.cwnd_bytes, beta_parts // 3)  # [rapid-start.bound]
        if readings.lower_bound is LowerBound.THIRD_OR_INITIAL:
            initial_bytes = _up(state.initial_window_bytes, beta_parts)
            bound_bytes = max(bound_bytes, initial_bytes)  # [rapid-start.bound.initial]
    return bound_bytes


def with_minimum(bound_bytes: int, base: BaseState) -> int:
    """Return the lowest window in recovery, in bytes: the larger of the bound and the minimum window.

    The minimum window is two datagrams of the current size.
    """
    return max(bound_bytes, newreno.minimum_window_bytes(base))  # [rapid-start.bound.minimum]


def _begin(readings: Readings, state: RapidStart, base: BaseState, now_ns: int) -> None:
    """Begin the first recovery period: multiply the window by the silence factor.

    The silence factor is beta + K (1 - beta). The reduction factor beta is 1/2 or 7/10, and the constant K is 2/3 or
    11/18. The result is rounded down. It is at least the minimum window and the lower bound of the recovery. This bound
    is beta/3 of the window before the recovery, or more with some ``readings``, the choices of a profile.
    """
    prior_bytes = base.cwnd_bytes
    state.lower_bound_bytes = _bound_bytes(readings, state, base)
    bound_bytes = with_minimum(state.lower_bound_bytes, base)
    window_bytes = max(_down(prior_bytes, _loss_parts(readings, base)), bound_bytes)
    newreno.begin_recovery(base, now_ns, window_bytes, prior_bytes)  # [rapid-start.recovery.begin]
    state.stage = Stage.RECOVERY


def _reduce(state: RapidStart, base: BaseState, less_bytes: int) -> Outcome:
    """Subtract ``less_bytes`` from the window, and return whether the limit was applied, as an outcome.

    The limit is the lower bound stored in ``state`` when the recovery began, or the minimum window if larger. The
    window does not fall below this limit.
    """
    bound_bytes = with_minimum(state.lower_bound_bytes or 0, base)  # not None: a recovery has begun
    left_bytes = max(base.cwnd_bytes - less_bytes, 0)
    base.cwnd_bytes = max(left_bytes, bound_bytes)
    return Outcome.LOWER_BOUND_KEPT if left_bytes < bound_bytes else Outcome.REDUCED_FURTHER


def _old_bytes(base: BaseState, ack: Ack) -> int:
    """Return the acknowledged bytes of packets sent before the recovery."""
    old = [run for run in ack.packets if newreno.sent_before_recovery(base, run.sent_t_ns)]
    return sum(run.count * run.size_bytes for run in old)  # [rapid-start.recovery.ending-ack]


def _on_ack_as_a_whole(base: BaseState, ack: Ack) -> Outcome:
    """Grow the window by all packets of an ACK, including packets sent before the recovery."""
    start_ns = base.recovery_start_ns
    base.recovery_start_ns = None
    outcome = newreno.on_ack(base, ack)  # [rapid-start.recovery.ending-ack.whole]
    base.recovery_start_ns = start_ns
    return outcome


def on_recovery_ack(readings: Readings, state: RapidStart, base: BaseState, ack: Ack) -> Outcome:
    """Process an ACK in the first recovery; return the outcome.

    Acknowledged bytes of packets sent before the recovery reduce the window. With ``late_losses`` = ``counted`` the
    function is also called after the recovery, until the next reduction; ACKs then do not reduce the window.
    """
    old_bytes = _old_bytes(base, ack)
    ends = old_bytes < ack.bytes
    counts = base.in_recovery and old_bytes > 0 and (not ends or readings.ending_ack is EndingAck.COUNTED)
    reduced = Outcome.IN_RECOVERY
    if counts:
        reduced = _reduce(state, base, _up(old_bytes, _ack_parts(readings, base)))  # [rapid-start.recovery.ack]
        if readings.ssthresh is Ssthresh.FOLLOWS:
            base.ssthresh_bytes = base.cwnd_bytes  # [rapid-start.recovery.threshold]
    whole = ends and readings.ending_ack is EndingAck.AS_A_WHOLE
    outcome = _on_ack_as_a_whole(base, ack) if whole else newreno.on_ack(base, ack)
    if not base.in_recovery and readings.late_losses is LateLosses.NOT_COUNTED:
        state.stage = Stage.OVER  # [rapid-start.recovery.end]
    return reduced if counts and not ends else outcome


def _lost_bytes(readings: Readings, base: BaseState, lost: Lost, *, first: bool) -> int:
    """Return the bytes to subtract from the window for lost packets: their bytes times the loss factor.

    The loss factor is beta + K (1 - beta), 5/6 for beta = 1/2 and K = 2/3. The ``readings`` (the choices of a profile)
    select one of two rules. ``all``: the bytes of all packets count, and the product is rounded up once.
    ``after_first``: the product is rounded up for each packet, and the packet whose loss began the recovery does not
    count. ``first``: ``lost`` began the recovery, with its first packet.
    """
    parts = _loss_parts(readings, base)
    if readings.counted_losses is CountedLosses.ALL:
        return _up(lost.bytes, parts)  # [rapid-start.recovery.lost]
    less_bytes = sum(run.count * _up(run.size_bytes, parts) for run in lost.packets)
    return less_bytes - (_up(lost.packets[0].size_bytes, parts) if first else 0)  # [rapid-start.recovery.lost.each]


def on_lost(readings: Readings, state: RapidStart, base: BaseState, lost: Lost) -> Outcome:
    """Process packets declared lost, before or in the first recovery; return the outcome.

    The first loss begins the recovery; losses in it reduce the window by the loss factor, beta + K (1 - beta), times
    their bytes. The ``readings`` (the choices of a profile) select the constant K, 2/3 or 11/18. The reduction factor
    beta is 7/10 if the readings select it or the base controller is CUBIC, otherwise 1/2. A lost packet that was sent
    in the recovery begins another, and ends Rapid Start. If the reading ``late_losses`` is ``counted``, the function is
    also called after the recovery, until the next reduction. Losses of packets sent before the recovery then still
    reduce the window.
    """
    first = state.stage is Stage.STARTUP
    if first:
        _begin(readings, state, base, lost.t_ns)
    outcome = newreno.on_lost(base, lost)
    if outcome is Outcome.REDUCED:
        state.stage = Stage.OVER  # [rapid-start.recovery.second]
        return outcome
    if not base.in_recovery and readings.late_losses is LateLosses.NOT_COUNTED:
        return outcome
    reduced = _reduce(state, base, _lost_bytes(readings, base, lost, first=first))  # [rapid-start.recovery.late]
    base.ssthresh_bytes = base.cwnd_bytes
    return Outcome.REDUCED if first else reduced


def on_ce(readings: Readings, state: RapidStart, base: BaseState, ce: Ce) -> Outcome:
    """Process a rise of the ECN-CE counter, before or in the first recovery; return the outcome.

    The first mark begins the recovery. A mark of a packet sent in or after it begins another, and ends Rapid Start. A
    mark of an earlier packet does not reduce the window. With ``late_losses`` = ``counted`` the function is also called
    after the recovery, with the same effects, until the next reduction.
    """
    if state.stage is Stage.STARTUP:
        _begin(readings, state, base, ce.t_ns)  # [rapid-start.recovery.ce]
        return Outcome.REDUCED
    outcome = newreno.on_ce(base, ce)
    if outcome is Outcome.REDUCED:
        state.stage = Stage.OVER
    elif readings.ssthresh is Ssthresh.AT_SIGNALS:
        base.ssthresh_bytes = base.cwnd_bytes  # [rapid-start.recovery.threshold.signals]
    return outcome

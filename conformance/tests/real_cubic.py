"""CUBIC of RFC 9438 in real numbers: the window rules of ``firstflight.cubic`` with exact fractions, or in double precision.

The model rounds to whole bytes and ns. These rules never round a window: base and reports get its whole bytes, and
``held`` has the fraction as well.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from firstflight.controller import Controller
from firstflight.cubic.cubic import Readings
from firstflight.cubic.profiles import CeMinimum, Growth, ReductionBasis, SlowStartEnd, Spurious
from firstflight.events import Ack, Sent
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.newreno import newreno
from firstflight.window_rules import WindowRules, Windows

#: Number of binary digits after the point in exact numbers, to keep fractions short. The error is negligible.
_BITS = 256
SECOND_NS = 10**9


def _short(number: Any) -> Fraction:
    return Fraction(int(number * 2**_BITS), 2**_BITS)


def _root(number: Fraction) -> Fraction:
    """Return the cube root, rounded down to 2^-:data:`_BITS`."""
    scaled = int(number * 2 ** (3 * _BITS))
    low, high = 0, 1 << (scaled.bit_length() // 3 + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**3 <= scaled else (low, middle)
    return Fraction(low, 2**_BITS)


@dataclass(frozen=True, slots=True)
class Numbers:
    """A kind of number: functions for quotient and cube root. ``time_ns``: the sender's time resolution in ns."""

    quotient: Callable[[Any, Any], Any]
    root: Callable[[Any], Any]


EXACT = Numbers(lambda dividend, divisor: _short(Fraction(dividend) / Fraction(divisor)), _root)
DOUBLE = Numbers(lambda dividend, divisor: float(dividend) / float(divisor), lambda number: float(number) ** (1 / 3))


@dataclass
class Stage:
    """A congestion avoidance stage: times in ns and seconds, windows in bytes."""

    start_ns: int
    k: Any
    w_est: Any
    cwnd_bytes: int


@dataclass
class Saved:
    """The state before a reduction."""

    base: Windows
    held: Any
    w_max: Any
    cwnd_prior: Any
    stage: Stage | None


@dataclass
class RealCubic:
    """The variables of RFC 9438, section 4.1.2, as real numbers. ``held``: the window, if its bytes are the base's."""

    readings: Readings
    numbers: Numbers
    held: Any = 0
    w_max: Any = None
    cwnd_prior: Any = None
    stage: Stage | None = None
    flight_bytes: int = 0
    stopped_ns: int | None = None
    idle: bool = False
    saved: Saved | None = None

    def copy(self) -> "RealCubic":
        """Return a copy that shares no mutable state."""
        made = copy(self)
        made.stage = copy(self.stage)
        made.saved = copy(self.saved)
        if made.saved is not None:
            made.saved.stage = copy(made.saved.stage)
        return made

    def window(self, cwnd_bytes: int) -> Any:
        """Return the window with its fraction."""
        return self.held if int(self.held) == cwnd_bytes else cwnd_bytes

    def hold(self, window: Any) -> int:
        """Store a window, and return its whole bytes."""
        self.held = min(window, WINDOW_MAX_BYTES)
        return int(self.held)


def _slow_start_end_bytes(state: RealCubic, ssthresh_bytes: int) -> int:
    return ssthresh_bytes + (state.readings.slow_start_end is SlowStartEnd.ABOVE)


def _set_flight(state: RealCubic, bytes_in_flight: int) -> None:
    state.flight_bytes = bytes_in_flight


def _resume(state: RealCubic, now_ns: int) -> None:
    if state.stopped_ns is not None:
        for stage in (state.stage, state.saved.stage if state.saved else None):
            if stage is not None:
                stage.start_ns += now_ns - state.stopped_ns
    state.stopped_ns, state.idle = None, False


def _on_sent(state: RealCubic, sent: Sent) -> None:
    _set_flight(state, sent.bytes_in_flight)
    if state.idle:
        _resume(state, sent.t_ns)


def _stop(state: RealCubic, now_ns: int, *, idle: bool) -> None:
    if state.stage is None and state.saved is None:
        return
    state.idle = idle and (state.idle or state.stopped_ns is None)
    state.stopped_ns = now_ns if state.stopped_ns is None else state.stopped_ns


def _begin_stage(state: RealCubic, now_ns: int, datagram_bytes: int, cwnd: Any, cwnd_bytes: int) -> Stage:
    if state.w_max is None or state.w_max < cwnd:
        state.w_max = cwnd
    if state.cwnd_prior is None:
        state.cwnd_prior = cwnd
    k = state.numbers.root(state.numbers.quotient(5 * (state.w_max - cwnd), 2 * datagram_bytes))
    return Stage(now_ns, k, cwnd, cwnd_bytes)


def _curve(state: RealCubic, stage: Stage, datagram_bytes: int, t_ns: int) -> Any:
    """Return W_cubic, at most the largest window of the model."""
    distance = state.numbers.quotient(t_ns, SECOND_NS) - stage.k
    window = state.w_max + state.numbers.quotient(2 * datagram_bytes * distance * distance * distance, 5)
    return min(window, WINDOW_MAX_BYTES)


def _on_acked(state: RealCubic, ack: Ack, datagram_bytes: int, cwnd_bytes: int, acked_bytes: int) -> int:
    _set_flight(state, ack.bytes_in_flight)
    if ack.app_limited:
        _stop(state, ack.t_ns, idle=False)
    elif acked_bytes > 0 and cwnd_bytes > 0:
        cwnd_bytes = _grow(state, ack, datagram_bytes, cwnd_bytes, acked_bytes)
    if ack.bytes_in_flight == 0:
        _stop(state, ack.t_ns, idle=True)
    return cwnd_bytes


def _grow(state: RealCubic, ack: Ack, datagram_bytes: int, cwnd_bytes: int, acked_bytes: int) -> int:
    _resume(state, ack.t_ns)
    quotient, cwnd = state.numbers.quotient, state.window(cwnd_bytes)
    if state.stage is None or state.stage.cwnd_bytes != cwnd_bytes:
        state.stage = _begin_stage(state, ack.t_ns, datagram_bytes, cwnd, cwnd_bytes)
    stage, counted = state.stage, min(acked_bytes, cwnd)
    alpha = (1, 1) if stage.w_est >= state.cwnd_prior else (9, 17)
    stage.w_est += quotient(alpha[0] * datagram_bytes * counted, alpha[1] * cwnd)
    t_ns = ack.t_ns - stage.start_ns
    if _curve(state, stage, datagram_bytes, t_ns) < stage.w_est:
        cwnd = max(cwnd, stage.w_est)
    else:
        target = _curve(state, stage, datagram_bytes, t_ns + (ack.smoothed_rtt_ns or 0))
        target = min(max(target, cwnd), quotient(3 * cwnd, 2))
        counted = min(datagram_bytes, cwnd) if state.readings.growth is Growth.ACKS else counted
        cwnd += quotient(counted * (target - cwnd), cwnd)
    stage.cwnd_bytes = state.hold(cwnd)
    return stage.cwnd_bytes


def _reduce(
    state: RealCubic, _now_ns: int, datagram_bytes: int, base: Windows, flight_bytes: int | None, ce: bool
) -> tuple[int, int]:
    cwnd = state.window(base.cwnd_bytes)
    prior = Saved(base, state.held, state.w_max, state.cwnd_prior, state.stage)
    _note(state, cwnd)
    state.saved = None if ce else prior
    basis = cwnd
    if state.readings.reduction_basis is ReductionBasis.FLIGHT:
        basis = state.flight_bytes if flight_bytes is None else flight_bytes
    reduced = state.numbers.quotient(7 * basis, 10)
    least = datagram_bytes if ce and state.readings.ce_minimum is CeMinimum.ONE_DATAGRAM else 2 * datagram_bytes
    return state.hold(max(reduced, least)), int(max(reduced, 2 * datagram_bytes))


def _note(state: RealCubic, cwnd: Any) -> None:
    converges = state.w_max is not None and cwnd < state.w_max
    state.w_max = state.numbers.quotient(17 * cwnd, 20) if converges else cwnd
    state.cwnd_prior, state.saved, state.stage = cwnd, None, None


def _note_startup_reduction(state: RealCubic, _now_ns: int, cwnd_bytes: int) -> None:
    _note(state, state.window(cwnd_bytes))


def _reduced_bytes(state: RealCubic, window_bytes: int) -> int:
    return state.hold(state.numbers.quotient(7 * state.window(window_bytes), 10))


def _forget(state: RealCubic) -> None:
    state.w_max = state.cwnd_prior = state.stopped_ns = state.stage = state.saved = None
    state.idle = False


def _restore(state: RealCubic, cwnd_bytes: int) -> Windows | None:
    saved = state.saved
    if saved is None or state.readings.spurious is Spurious.KEPT or cwnd_bytes >= saved.base.cwnd_bytes:
        return None
    state.held, state.w_max, state.cwnd_prior, state.stage = saved.held, saved.w_max, saved.cwnd_prior, saved.stage
    state.saved = None
    return saved.base


def _collapse(state: RealCubic) -> None:
    state.saved = state.w_max = state.stage = None


RULES = WindowRules(
    beta_tenths=7,
    slow_start_end_bytes=_slow_start_end_bytes,
    on_sent=_on_sent,
    on_acked=_on_acked,
    reduce=_reduce,
    set_flight=_set_flight,
    reduced_bytes=_reduced_bytes,
    note_startup_reduction=_note_startup_reduction,
    forget=_forget,
    restore=_restore,
    collapse=_collapse,
)


def use_real_numbers(controller: Controller, numbers: Numbers) -> Controller:
    """Replace the rules of a new controller on CUBIC by these rules; return the controller."""
    newreno.use_rules(controller.base, RULES, RealCubic(controller.base.rules_state.readings, numbers))
    return controller

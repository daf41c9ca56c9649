"""Limited Slow-Start (``spec/limited-slow-start/rules.md``) on top of the base controller, in every profile of its ``profiles.py``.

Functions change the state and the base in place and return the outcome or the documented value.

Mirrors ``reference-c/firstflight/limited_slow_start/limited_slow_start.c``.
"""

from dataclasses import dataclass

from firstflight.events import Ack, Event, Run
from firstflight.limited_slow_start.profiles import PROFILES, Readings, Share, Unit
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.newreno import newreno
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Observation, Outcome, Phase
from firstflight.values import copied

__all__ = ["PROFILES", "LimitedSlowStart", "Readings", "begin", "step"]


@dataclass(slots=True)
class LimitedSlowStart:
    """State, used only with the choice ``remainder`` of ``share``, which grows the window by whole datagrams.

    ``credit_bytes``: the sum of half of max_ssthresh for each ACK, minus the window for each datagram of growth.
    """

    credit_bytes: int = 0

    def copy(self) -> "LimitedSlowStart":
        """Return a copy that shares no mutable state."""
        return copied(self)


def begin(_readings: Readings, _base: BaseState) -> LimitedSlowStart:
    """Return the state before the first event."""
    return LimitedSlowStart()  # [limited-slow-start.begin]


def _max_ssthresh_bytes(readings: Readings, base: BaseState) -> int:
    return readings.max_ssthresh_datagrams * base.max_datagram_size_bytes  # [limited-slow-start.maximum]


def _take_credit(readings: Readings, state: LimitedSlowStart, base: BaseState) -> int:
    """Add half of max_ssthresh to the credit; return the growth of the window in bytes.

    If the credit reaches the window, the window is subtracted from the credit, and the growth is a datagram. Otherwise
    the growth is 0.
    """
    state.credit_bytes += _max_ssthresh_bytes(readings, base) // 2  # [limited-slow-start.remainder]
    if state.credit_bytes < base.cwnd_bytes:
        return 0
    state.credit_bytes -= base.cwnd_bytes
    return base.max_datagram_size_bytes


def _share_bytes(readings: Readings, state: LimitedSlowStart, base: BaseState, unit_bytes: int) -> int:
    """Return the growth, in bytes, of a window above max_ssthresh for an ACK or packet worth ``unit_bytes``.

    It is about unit_bytes * max_ssthresh / (2 * cwnd); the choice of ``share`` determines the rounding.
    """
    max_bytes = _max_ssthresh_bytes(readings, base)
    if readings.share is Share.REMAINDER:
        return _take_credit(readings, state, base)
    if readings.share is Share.NEAREST:
        return (unit_bytes * max_bytes + base.cwnd_bytes) // (2 * base.cwnd_bytes)  # [limited-slow-start.nearest]
    k = 2 * base.cwnd_bytes // max_bytes  # [limited-slow-start.k]
    return unit_bytes // k  # [limited-slow-start.share]


def _grow(readings: Readings, state: LimitedSlowStart, base: BaseState, unit_bytes: int) -> bool:
    """Grow the window for an ACK or packet worth ``unit_bytes``; return whether the growth was limited.

    Up to max_ssthresh the window grows by ``unit_bytes``, above it by a share of them.
    """
    limited = base.cwnd_bytes > _max_ssthresh_bytes(readings, base)
    more_bytes = unit_bytes  # [limited-slow-start.full]
    if limited:
        more_bytes = _share_bytes(readings, state, base, unit_bytes)  # [limited-slow-start.limited]
    base.cwnd_bytes = min(base.cwnd_bytes + more_bytes, WINDOW_MAX_BYTES)
    return limited


def _grow_by_packets(readings: Readings, state: LimitedSlowStart, base: BaseState, acked: list[Run]) -> bool:
    limited = False
    for run in acked:
        for _ in range(run.count):
            limited = _grow(readings, state, base, run.size_bytes)  # [limited-slow-start.unit.packet]
    return limited


def _grow_by_ack(readings: Readings, state: LimitedSlowStart, base: BaseState, _acked: list[Run]) -> bool:
    unit_bytes = base.max_datagram_size_bytes  # [limited-slow-start.unit.ack]
    return _grow(readings, state, base, unit_bytes)


def _on_ack(readings: Readings, state: LimitedSlowStart, base: BaseState, ack: Ack) -> Outcome:
    """Let the base controller process the ACK as if ssthresh were infinite, then undo its growth of the window.

    Instead grow the window by limited slow start: as in slow start up to max_ssthresh, and more slowly above. An
    application-limited ACK, or an ACK only of packets sent before recovery began, does not grow the window.
    """
    before_bytes, ssthresh_bytes = base.cwnd_bytes, base.ssthresh_bytes
    base.ssthresh_bytes = None
    outcome = newreno.on_ack(base, ack)
    base.cwnd_bytes, base.ssthresh_bytes = before_bytes, ssthresh_bytes  # [limited-slow-start.threshold]
    acked = [run for run in ack.packets if not newreno.sent_before_recovery(base, run.sent_t_ns)]
    if ack.app_limited:
        return outcome
    if not acked:
        return outcome  # [limited-slow-start.ending-ack]
    grow = _grow_by_packets if readings.unit is Unit.PACKET else _grow_by_ack
    limited = grow(readings, state, base, acked)
    return Outcome.LIMITED_GROWN if limited else Outcome.GROWN


def _in_slow_start(base: BaseState) -> bool:
    """Return whether cwnd is at most ssthresh; the base controller ends slow start one byte earlier."""
    return base.ssthresh_bytes is None or base.cwnd_bytes <= base.ssthresh_bytes  # [limited-slow-start.at-threshold]


def _on_event(readings: Readings, state: LimitedSlowStart, base: BaseState, event: Event) -> Outcome:
    if isinstance(event, Ack) and _in_slow_start(base):
        return _on_ack(readings, state, base, event)  # [limited-slow-start.scope] [limited-slow-start.scope.every]
    outcome = newreno.on_event(base, event)  # [limited-slow-start.loss]
    if outcome in {Outcome.COLLAPSED, Outcome.REDUCED}:
        state.credit_bytes = 0  # [limited-slow-start.remainder.forget]
    return outcome


def _phase(base: BaseState) -> Phase:
    """Return the phase of the base controller, but slow start, not congestion avoidance, if cwnd equals ssthresh."""
    return Phase.SLOW_START if not base.in_recovery and _in_slow_start(base) else newreno.phase(base)


def _observe(readings: Readings, state: LimitedSlowStart, base: BaseState, outcome: Outcome) -> Observation:
    credit_bytes = state.credit_bytes if readings.share is Share.REMAINDER else None
    numbers = {"credit_bytes": credit_bytes}
    return Observation(base.cwnd_bytes, base.ssthresh_bytes, _phase(base), outcome, numbers)


def step(readings: Readings, state: LimitedSlowStart, base: BaseState, event: Event) -> Observation:
    """Process one event with Limited Slow-Start; return the observables after it.

    ``readings``: the choices of the profile for open questions.
    """
    return _observe(readings, state, base, _on_event(readings, state, base, event))

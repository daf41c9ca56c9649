"""Rapid Start (``spec/rapid-start/rules.md``) on top of the base controller, in every profile of ``rapid_start/profiles.py``: the flow of an event.

``rtt`` detects a queue, ``recovery`` contains the first recovery. Functions change the state and the base in place and
return the outcome or the documented value.

Mirrors ``reference-c/firstflight/rapid_start/rapid_start.c``.
"""

from firstflight.events import Ack, Ce, Event, Lost, PersistentCongestion
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.newreno import newreno
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Observation, Outcome
from firstflight.rapid_start import recovery, rtt
from firstflight.rapid_start.profiles import PROFILES, Growth, Readings
from firstflight.rapid_start.state import RapidStart, Stage, floor_ns

__all__ = ["PROFILES", "RapidStart", "Readings", "begin", "step"]


def begin(_readings: Readings, base: BaseState) -> RapidStart:
    """Return the state before the first event."""
    return RapidStart(base.cwnd_bytes)  # [rapid-start.begin]


def _grown_bytes(readings: Readings, state: RapidStart, base: BaseState, acked_bytes: int, *, fast: bool) -> int:
    """Return the growth of the window in bytes for ``acked_bytes``, the acknowledged bytes.

    ``fast``: no queue is building up. The growth is then twice the acknowledged bytes, otherwise equal to them. Some
    ``readings``, the choices of a profile, add whole datagrams only: one for each half datagram acknowledged if
    ``fast``, otherwise for each whole one. The remaining bytes count at later ACKs.
    """
    if readings.growth is Growth.BYTES:
        if fast:
            return 2 * acked_bytes  # [rapid-start.grow.three]
        return acked_bytes  # [rapid-start.grow.two]
    datagram_bytes = base.max_datagram_size_bytes
    unit_bytes = max(datagram_bytes // 2, 1) if fast else datagram_bytes
    state.credit_bytes += acked_bytes
    units = state.credit_bytes // unit_bytes
    state.credit_bytes -= units * unit_bytes
    return units * datagram_bytes  # [rapid-start.grow.datagrams]


def _on_startup_ack(readings: Readings, state: RapidStart, base: BaseState, ack: Ack) -> Outcome:
    """Process an ACK before the first loss or CE mark; return the outcome.

    The window grows by twice the acknowledged bytes without a queue, otherwise by the acknowledged bytes. Some
    ``readings``, the choices of a profile, add whole datagrams only. The rule of the base controller applies instead if
    the application limits the sender. It also applies if the ACK ends Rapid Start: with some readings, a min_rtt below
    4 ms does.
    """
    rtt.sample(readings, state, ack)
    before_bytes = base.cwnd_bytes
    outcome = newreno.on_ack(base, ack)
    if ack.app_limited or state.stage is Stage.OVER:
        return outcome
    fast = rtt.no_queue(readings, state)
    grown_bytes = _grown_bytes(readings, state, base, ack.bytes, fast=fast)
    base.cwnd_bytes = min(before_bytes + grown_bytes, WINDOW_MAX_BYTES)
    return Outcome.RAPID_GROWN if fast else outcome


def _on_event(readings: Readings, state: RapidStart, base: BaseState, event: Event) -> Outcome:
    if state.stage is not Stage.OVER:
        match event:
            case Ack() if state.stage is Stage.STARTUP:
                return _on_startup_ack(readings, state, base, event)
            case Ack():
                return recovery.on_recovery_ack(readings, state, base, event)
            case Lost(pmtu_probe=False):
                return recovery.on_lost(readings, state, base, event)
            case Ce():
                return recovery.on_ce(readings, state, base, event)
            case PersistentCongestion():
                state.stage = Stage.OVER  # [rapid-start.persistent]
            case _:
                pass
    return newreno.on_event(base, event)  # [rapid-start.over]


def _observe(readings: Readings, state: RapidStart, base: BaseState, outcome: Outcome) -> Observation:
    bound_bytes = state.lower_bound_bytes
    numbers = {
        "min_rtt_ns": state.min_rtt_ns,
        "rtt_floor_ns": floor_ns(readings, state),
        "credit_bytes": state.credit_bytes if readings.growth is Growth.DATAGRAMS else None,
        "lower_bound_bytes": None if bound_bytes is None else recovery.with_minimum(bound_bytes, base),
        "recovery_start_ns": base.recovery_start_ns,
    }
    return Observation(base.cwnd_bytes, base.ssthresh_bytes, newreno.phase(base), outcome, numbers)


def step(readings: Readings, state: RapidStart, base: BaseState, event: Event) -> Observation:
    """Process one event, change ``state`` and ``base`` in place, and return the observables after it.

    ``readings``: the choices of a profile, one version of Rapid Start.
    """
    return _observe(readings, state, base, _on_event(readings, state, base, event))

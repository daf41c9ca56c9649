"""Toy: slow start ends at a window that is known beforehand."""

from dataclasses import replace

from firstflight.events import Event
from firstflight.newreno import newreno
from firstflight.newreno.newreno import NewReno
from firstflight.observables import Observation, Outcome
from firstflight.toy.profiles import PROFILES, Readings

__all__ = ["PROFILES", "Readings", "begin", "step"]


def begin(readings: Readings, base: NewReno) -> int:
    """Return the window at which slow start ends."""
    return readings.limit_datagrams * base.max_datagram_size_bytes


def step(_readings: Readings, limit_bytes: int, base: NewReno, event: Event) -> tuple[int, NewReno, Observation]:
    """Process one event."""
    base, outcome = newreno.on_event(base, event)
    if base.ssthresh_bytes is None and base.cwnd_bytes >= limit_bytes:
        base, outcome = replace(base, ssthresh_bytes=base.cwnd_bytes), Outcome.EXITED  # [toy.exit]
    seen = Observation(base.cwnd_bytes, base.ssthresh_bytes, newreno.phase(base), outcome, {"limit_bytes": limit_bytes})
    return limit_bytes, base, seen

"""Toy: slow start ends at a fixed window."""

from dataclasses import dataclass, replace

from firstflight.events import Event
from firstflight.newreno import newreno
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Observation, Outcome
from firstflight.toy.profiles import PROFILES, Readings

__all__ = ["PROFILES", "Readings", "Toy", "begin", "step"]


@dataclass(slots=True)
class Toy:
    """State: the window that ends slow start."""

    limit_bytes: int

    def copy(self) -> "Toy":
        """Return a copy."""
        return replace(self)


def begin(readings: Readings, base: BaseState) -> Toy:
    """Return the state before the first event."""
    return Toy(readings.limit_datagrams * base.max_datagram_size_bytes)


def step(_readings: Readings, state: Toy, base: BaseState, event: Event) -> Observation:
    """Process one event."""
    outcome = newreno.on_event(base, event)
    if base.ssthresh_bytes is None and base.cwnd_bytes >= state.limit_bytes:
        base.ssthresh_bytes, outcome = base.cwnd_bytes, Outcome.EXITED  # [toy.exit]
    numbers = {"limit_bytes": state.limit_bytes}
    return Observation(base.cwnd_bytes, base.ssthresh_bytes, newreno.phase(base), outcome, numbers)

"""Controllers in the loop: the interface and the model. ``run`` contains stacks behind adapters."""

from dataclasses import dataclass
from typing import Protocol

from firstflight import Controller, Observation, Phase, advance, samples_rate
from firstflight.events import Event

_SLOW_STARTS = frozenset((Phase.SLOW_START, Phase.CONSERVATIVE_SLOW_START, Phase.STARTUP))


@dataclass(slots=True)
class SenderLimits:
    """Limits of the sender: window, earliest time of the next packet (``None``: not paced), and slow start."""

    cwnd_bytes: int
    next_release_ns: int | None = None
    in_slow_start: bool = True


class InLoop(Protocol):
    """A controller in a closed loop: its answers limit a simulated sender, whose events it gets.

    ``samples_rate``: whether it uses delivery-rate samples.
    """

    samples_rate: bool

    @property
    def initial_window_bytes(self) -> int:
        """The window before the first event."""

    def on_event(self, event: Event) -> SenderLimits:
        """Process an event; return the limits for sending after it."""


class ModelInLoop:
    """A controller of the model in a closed loop: its answers limit a simulated sender, whose events it gets.

    ``observations`` has all observations if ``keep`` is set.
    """

    def __init__(self, controller: Controller, *, keep: bool = True) -> None:
        """Store a copy of ``controller``. ``keep``: store the observations of all events, not only of the last."""
        self.controller = controller.copy()
        self.observations: list[Observation] = []
        self.last: Observation | None = None
        self.samples_rate = samples_rate(controller)
        self._keep = keep

    @property
    def initial_window_bytes(self) -> int:
        """The window before the first event."""
        return self.controller.base.cwnd_bytes

    def on_event(self, event: Event) -> SenderLimits:
        """Process an event; return the limits for sending after it.

        Raise :class:`DomainError` if the model refuses the event: a number is out of range, or its time or packet
        numbers precede earlier events.
        """
        observation = self.last = advance(self.controller, event)
        if self._keep:
            self.observations.append(observation)
        return SenderLimits(observation.cwnd_bytes, observation.next_release_ns, observation.phase in _SLOW_STARTS)

"""Limit of the search for causes, in replayed events instead of time, so that reports are equal on every machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

#: Events to replay for the causes of one adapter and profile. One CPU second replays 70,000 events of HyStart++.
EVENTS = 800_000
#: Events reserved for the rules near an unknown cause.
RESERVE = 60_000
#: Cost of a copy of the model, and of a compiled function, in events.
BUILT, COMPILED = 150, 15
#: Cost of an event in percent, for algorithms with slower events.
_WEIGHTS = {
    "bbr": 400, "careful-resume": 200, "cubic": 120, "jumpstart": 150, "limited-slow-start": 400, "quick-start": 120,
    "rapid-start": 150, "search": 150, "slow-start": 120, "tcb-sharing": 200,
}  # fmt: skip


@dataclass
class Budget:
    """Limit of one search for causes, in replayed events.

    ``left``: remaining events. ``floor``: events that must remain for the steps after this search. ``weight``: cost of
    one replayed event in percent; with 200 it costs two events of the budget. ``stopped``: the search has reached the
    floor.
    """

    left: int = EVENTS
    floor: int = RESERVE
    weight: int = 100
    stopped: bool = False

    @classmethod
    def of(cls, algorithm: str) -> "Budget":
        """Return the budget for one profile of an algorithm."""
        weight = _WEIGHTS.get(algorithm, 100)
        floor = RESERVE * weight // 100
        return cls(left=EVENTS - RESERVE + floor, floor=floor, weight=weight)

    def spend(self, events: int) -> None:
        """Subtract the cost of replayed events: their number times ``weight`` percent."""
        self.left -= events * self.weight // 100

    @property
    def is_spent(self) -> bool:
        """Whether at most ``floor`` events are left, the events reserved for the steps after this search.

        If so, the search is marked as stopped early (``stopped``).
        """
        self.stopped = self.stopped or self.left <= self.floor
        return self.left <= self.floor

    @contextmanager
    def at_most(self, events: int) -> Iterator[None]:
        """Limit the search within the context to this number of replayed events.

        The search stops when ``floor`` events are left of the whole budget. ``floor`` is raised for this context.
        """
        before = self.floor
        self.floor = max(before, self.left - events * self.weight // 100)
        try:
            yield
        finally:
            self.floor = before

    @contextmanager
    def to_the_end(self) -> Iterator[None]:
        """Set ``floor`` to 0 within the context, so that the last steps of the search can use all remaining events.

        Outside the context, ``floor`` is the number of events that must remain in the budget for these last steps.
        """
        before, self.floor = self.floor, 0
        try:
            yield
        finally:
            self.floor = before

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
    """Remaining events of a search. ``floor``: events reserved for others; ``weight``: cost of an event in percent."""

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
        """Subtract the cost of events."""
        self.left -= events * self.weight // 100

    @property
    def is_spent(self) -> bool:
        """Whether the budget is down to the floor; if so, the search is marked as stopped early."""
        self.stopped = self.stopped or self.left <= self.floor
        return self.left <= self.floor

    @contextmanager
    def at_most(self, events: int) -> Iterator[None]:
        """Limit the search within the context to a number of events."""
        before = self.floor
        self.floor = max(before, self.left - events * self.weight // 100)
        try:
            yield
        finally:
            self.floor = before

    @contextmanager
    def to_the_end(self) -> Iterator[None]:
        """Make the reserve available within the context."""
        before, self.floor = self.floor, 0
        try:
            yield
        finally:
            self.floor = before

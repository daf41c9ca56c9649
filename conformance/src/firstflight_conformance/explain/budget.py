"""The limit of the search for causes, in events of the model: counted, not timed, so that a report is the same on every machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

#: Events that the causes of one adapter and profile may replay. A second of CPU replays 70,000 of HyStart++.
EVENTS = 800_000
#: Events for the rules near an unknown cause, which the search for causes leaves.
RESERVE = 60_000
#: Events as which a copy of the model counts, and as which a compiled function counts.
BUILT, COMPILED = 150, 15
#: The cost of an event in percent, for algorithms whose events take longer.
_WEIGHTS = {
    "bbr": 400, "careful-resume": 200, "cubic": 120, "jumpstart": 150, "limited-slow-start": 400, "quick-start": 120,
    "rapid-start": 150, "search": 150, "slow-start": 120, "tcb-sharing": 200,
}  # fmt: skip


@dataclass
class Budget:
    """Events that a search may still replay. ``floor``: events that others need; ``weight``: the cost of an event in percent."""

    left: int = EVENTS
    floor: int = RESERVE
    weight: int = 100
    stopped: bool = False

    @classmethod
    def of(cls, algorithm: str) -> "Budget":
        """Return the budget of a profile of an algorithm."""
        weight = _WEIGHTS.get(algorithm, 100)
        floor = RESERVE * weight // 100
        return cls(left=EVENTS - RESERVE + floor, floor=floor, weight=weight)

    def spend(self, events: int) -> None:
        """Take events off."""
        self.left -= events * self.weight // 100

    @property
    def is_spent(self) -> bool:
        """Whether nothing is left above the floor. A search that asks this stops early."""
        self.stopped = self.stopped or self.left <= self.floor
        return self.left <= self.floor

    @contextmanager
    def at_most(self, events: int) -> Iterator[None]:
        """Limit a part of the search to some events."""
        before = self.floor
        self.floor = max(before, self.left - events * self.weight // 100)
        try:
            yield
        finally:
            self.floor = before

    @contextmanager
    def to_the_end(self) -> Iterator[None]:
        """Let the last part use the reserve."""
        before, self.floor = self.floor, 0
        try:
            yield
        finally:
            self.floor = before

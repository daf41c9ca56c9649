"""The clock of a run: what happens when, in the order of time and, at one time, of scheduling."""

import heapq
from collections.abc import Callable
from typing import Any

#: The number of events after which the progress of a run is reported.
REPORT_EVENTS = 1 << 14


class Clock:
    """Simulated time, in ns, and the actions that wait for theirs.

    ``tick_ns``: actions run at multiples of it, rounded up, for a controller whose clock is coarser than one ns. ``events``: how many ran.
    """

    __slots__ = ("_queue", "_scheduled", "events", "now_ns", "report", "tick_ns")

    def __init__(self, origin_ns: int = 0, tick_ns: int = 1, report: Callable[[int], None] | None = None) -> None:
        """Begin at ``origin_ns``. ``report`` is told the time now and then."""
        self.now_ns = origin_ns
        self.tick_ns = tick_ns
        self.report = report
        self.events = 0
        self._queue: list[tuple[int, int, Callable[[Any], None], Any]] = []
        self._scheduled = 0

    def at(self, t_ns: int, action: Callable[[Any], None], argument: Any = None) -> None:
        """Schedule ``action(argument)``."""
        if self.tick_ns != 1:
            t_ns = -(-t_ns // self.tick_ns) * self.tick_ns
        heapq.heappush(self._queue, (t_ns, self._scheduled, action, argument))
        self._scheduled += 1

    def run(self, stop_ns: int, finished: Callable[[], bool]) -> bool:
        """Run until ``finished`` says so or ``stop_ns`` has passed. Return whether it did; otherwise nothing was left to do."""
        queue, pop = self._queue, heapq.heappop
        while queue and not finished():
            self.now_ns, _, action, argument = pop(queue)
            if self.now_ns > stop_ns:
                return True
            self.events += 1
            if self.report is not None and self.events % REPORT_EVENTS == 0:
                self.report(self.now_ns)
            action(argument)
        return finished()

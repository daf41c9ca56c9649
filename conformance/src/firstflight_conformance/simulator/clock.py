"""The clock of a run: what happens when, in the order of time and, at one time, of scheduling."""

import heapq
from collections import deque
from collections.abc import Callable
from typing import Any, TypeAlias

#: The number of events after which the progress of a run is reported.
REPORT_EVENTS = 1 << 14


_Action: TypeAlias = Callable[[Any], None]


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
        self._queue: list[_Entry] = []
        self._scheduled = 0

    def at(self, t_ns: int, action: _Action, argument: Any = None) -> None:
        """Schedule ``action(argument)``."""
        heapq.heappush(self._queue, self.entry(t_ns, action, argument))

    def entry(self, t_ns: int, action: _Action, argument: Any, lane: "Lane | None" = None) -> "_Entry":
        """Return what waits for its time: entries compare by time, then by the order in which they were made."""
        if self.tick_ns != 1:
            t_ns = -(-t_ns // self.tick_ns) * self.tick_ns
        self._scheduled += 1
        return t_ns, self._scheduled, action, argument, lane

    def push(self, entry: "_Entry") -> None:
        """Let an entry wait."""
        heapq.heappush(self._queue, entry)

    def run(self, stop_ns: int, finished: Callable[[], bool]) -> bool:
        """Run until ``finished`` says so or ``stop_ns`` has passed. Return whether it did; otherwise nothing was left to do."""
        queue, pop, replace = self._queue, heapq.heappop, heapq.heapreplace
        while queue and not finished():
            self.now_ns, _, action, argument, lane = queue[0]
            if self.now_ns > stop_ns:
                return True
            if lane is None:
                pop(queue)
            else:
                waiting = lane.waiting
                waiting.popleft()
                if waiting:
                    replace(queue, waiting[0])
                else:
                    pop(queue)
            self.events += 1
            if self.report is not None and self.events % REPORT_EVENTS == 0:
                self.report(self.now_ns)
            action(argument)
        return finished()


class Lane:
    """An action at times that never fall, as the arrivals of a link: only the first of them waits in the queue of the clock.

    It runs exactly when and in the order in which the clock itself would run it.
    """

    __slots__ = ("_action", "_clock", "waiting")

    def __init__(self, clock: Clock, action: _Action) -> None:
        """Begin with nothing scheduled."""
        self._clock = clock
        self._action = action
        self.waiting: deque[_Entry] = deque()

    def at(self, t_ns: int, argument: Any) -> None:
        """Schedule the action, not before it was scheduled last."""
        entry = self._clock.entry(t_ns, self._action, argument, self)
        if not self.waiting:
            self._clock.push(entry)
        self.waiting.append(entry)


_Entry: TypeAlias = tuple[int, int, _Action, Any, Lane | None]

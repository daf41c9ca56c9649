"""Random events for Rapid Start: RTTs at the threshold of a queue, times at the ends of slots, recoveries."""

from firstflight.controller import Config, Controller
from firstflight.events import Ce, Event, Lost, PersistentCongestion
from firstflight.limits import TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight_conformance.prng import SplitMix64
from stimuli.streams import AckStream, Compared

MS = 10**6


class Stream(AckStream):
    """A sender with RTTs at the threshold of a queue."""

    def __init__(self, rng: SplitMix64) -> None:
        """Draw the parameters of the connection."""
        super().__init__(rng)
        self.size = self.pick((1, 2, 3, 100, 1000, 1001, 1200, 65535))
        window = self.pick((1, 2, 10, 100, 10**6)) * self.size + self.pick((0, 0, 1, self.size - 1))
        self.min_ns = self.pick((0, 1, 4 * MS - 1, 4 * MS, 30 * MS, 40 * MS, 100 * MS, 320 * MS, TIME_MAX_NS // 2))
        self.patient = self.pick((False, True))
        self.config = Config(self.size, self.pick((None, max(window, 1), window + self.size, WINDOW_MAX_BYTES)))
        self.begin()

    def event(self, model: Controller) -> Event:
        """Return the next event; in half of the connections congestion signals come late, and times jump."""
        event = super().event(model)
        if self.patient and isinstance(event, Lost | Ce | PersistentCongestion) and self.pick((True, True, False)):
            event = self._sent()
        self.t_ns = min(self.t_ns + self.pick((0, 0, self.min_ns // 4, self.min_ns // 4 - 1, self.min_ns)), TIME_MAX_NS)
        return event

    def samples(self) -> tuple[int | None, int | None, int | None]:
        """Return a sample at the threshold of a queue, and the minimum, which sometimes falls."""
        if self.pick((False,) * 30 + (True,)):
            self.min_ns -= self.min_ns // 9
        bounds = (0, 4 * MS, self.min_ns // 10, 3 * self.min_ns // 32, self.min_ns)
        latest_ns = self.min_ns + self.pick(bounds) + self.pick((0, 0, 1))
        latest_ns = min(latest_ns - self.pick((0, 0, 1)) if latest_ns else 0, TIME_MAX_NS)
        return self.pick((None, *(latest_ns,) * 9)), self.pick((None, *(self.min_ns,) * 9)), None


#: For the reference implementations, and to compare model and port: see stimuli/streams.py.
STREAMS = {"rapid-start": (lambda rng, profile: Stream(rng), 150, 0)}
COMPARED = Compared(500, 20_000, ("slow-start", "rapid-start"))

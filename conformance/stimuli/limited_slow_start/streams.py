"""Random events for Limited Slow-Start: windows near max_ssthresh, steps of K, and the end of growth."""

from firstflight.controller import Config
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight_conformance.prng import SplitMix64
from stimuli.streams import AckStream, Compared


class Stream(AckStream):
    """A sender with windows near max_ssthresh and the end of growth."""

    def __init__(self, rng: SplitMix64) -> None:
        """Draw the parameters of the connection."""
        super().__init__(rng)
        self.size = self.pick((1, 2, 100, 1000, 1001, 1200, 65535))
        steps = (2, 99, 100, 101, 150, 200, 210, 50 * self.size, 51 * self.size, 10**6)
        window = self.pick(steps) * self.size + self.pick((0, 0, 1, self.size - 1)) - self.pick((0, 1))
        self.config = Config(self.size, self.pick((None, max(window, 1), window + self.size, WINDOW_MAX_BYTES)))
        self.begin()


#: For the reference implementations, and to compare model and port: see stimuli/streams.py.
STREAMS = {"limited-slow-start": (lambda rng, profile: Stream(rng), 150, 0)}
COMPARED = Compared(300, 10_000, ("slow-start", "limited-slow-start"))

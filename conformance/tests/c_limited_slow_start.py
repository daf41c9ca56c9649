"""Random events for Limited Slow-Start: windows near max_ssthresh, the steps of K and the end of growth."""

from collections import Counter

from c_room import AckStream, compare_streams
from firstflight.controller import Config
from firstflight.limited_slow_start import limited_slow_start
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.observables import Outcome
from firstflight_conformance.prng import SplitMix64
from observed import outcomes_of


class Stream(AckStream):
    """Windows near max_ssthresh and where growth ends."""

    def __init__(self, rng: SplitMix64) -> None:
        """Draw the nature of the connection."""
        super().__init__(rng)
        self.size = self.pick((1, 2, 100, 1000, 1001, 1200, 65535))
        steps = (2, 99, 100, 101, 150, 200, 210, 50 * self.size, 51 * self.size, 10**6)
        window = self.pick(steps) * self.size + self.pick((0, 0, 1, self.size - 1)) - self.pick((0, 1))
        self.config = Config(self.size, self.pick((None, max(window, 1), window + self.size, WINDOW_MAX_BYTES)))
        self.begin()


def run_streams(seed: int, events: int) -> Counter[Outcome | None]:
    """Compare model and port on a number of random events; return how often each outcome came."""
    return compare_streams(limited_slow_start, Stream, seed, events)


#: Every outcome that the algorithm can have.
REACHABLE = outcomes_of("slow-start", "limited-slow-start")
#: For the plain programs: plain_streams.py says what.
STREAMS = {"limited-slow-start": (lambda rng, profile: Stream(rng), 150, 0)}

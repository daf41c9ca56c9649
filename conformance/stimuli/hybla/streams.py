"""Random events for Hybla: RTTs at the bounds of eighths and of rho, windows of all sizes."""

from firstflight.controller import Config
from firstflight.limits import TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight_conformance.prng import SplitMix64
from stimuli.streams import AckStream, Compared


class Stream(AckStream):
    """A sender with RTTs at the bounds of eighths and of rho."""

    def __init__(self, rng: SplitMix64) -> None:
        """Draw the parameters of the connection."""
        super().__init__(rng)
        self.size = self.pick((1, 2, 100, 1000, 1001, 1200, 65535))
        window = self.pick((1, 2, 10, 100, 65_534, 65_535, 10**6)) * self.size + self.pick((0, 0, 1, self.size - 1))
        self.rtt_ns = self.pick(
            (0, 10**7, 25 * 10**6, 37_500_000, 5 * 10**7, 10**8, 6 * 10**8, 10**10, TIME_MAX_NS - 10**9)
        )
        self.config = Config(self.size, self.pick((None, max(window, 1), window + self.size, WINDOW_MAX_BYTES)))
        self.begin()

    def samples(self) -> tuple[int | None, int | None, int | None]:
        """Return RTTs, not necessarily consistent; the latest RTT equals the smoothed RTT or the minimum."""
        smoothed_ns = self._rtt()
        minimum_ns = self._rtt()
        return smoothed_ns or minimum_ns, minimum_ns, smoothed_ns

    def _rtt(self) -> int | None:
        """Return an RTT, sometimes at a bound of an eighth of rho and smaller than earlier RTTs."""
        if self.pick((False, False, False, True)):
            self.rtt_ns = self.pick((self.rtt_ns, self.rtt_ns - self.rtt_ns // 9, self.rtt_ns // 3_125_000 * 3_125_000))
        near_ns = self.rtt_ns + self.pick((0, 0, 1, 999_999)) - self.pick((0, 0, 1))
        return self.pick((None, *(max(near_ns, 0),) * 9))


#: For the reference implementations, and to compare model and port: see stimuli/streams.py.
STREAMS = {"hybla": (lambda rng, profile: Stream(rng), 150, 0)}
COMPARED = Compared(400, 10_000, ("slow-start", "hybla"))

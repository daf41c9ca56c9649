"""Random events for Hybla: RTTs at the borders of eighths and of rho, windows of all sizes; and for SEARCH on it."""

from collections import Counter

from c_port import Port, step_both
from c_port_streams import Stream as SearchStream
from c_port_streams import any_readings as any_search
from c_port_streams import full_bins
from c_room import AckStream, any_readings, compare_streams
from firstflight.controller import Config, create_with
from firstflight.hybla import hybla
from firstflight.limits import TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight.newreno import newreno
from firstflight.observables import Outcome
from firstflight.search.profiles import PROFILES as SEARCH_PROFILES
from firstflight_conformance.prng import SplitMix64
from observed import outcomes_of


class Stream(AckStream):
    """RTTs at the borders of eighths and of rho."""

    def __init__(self, rng: SplitMix64) -> None:
        """Draw the nature of the connection."""
        super().__init__(rng)
        self.size = self.pick((1, 2, 100, 1000, 1001, 1200, 65535))
        window = self.pick((1, 2, 10, 100, 65_534, 65_535, 10**6)) * self.size + self.pick((0, 0, 1, self.size - 1))
        self.rtt_ns = self.pick(
            (0, 10**7, 25 * 10**6, 37_500_000, 5 * 10**7, 10**8, 6 * 10**8, 10**10, TIME_MAX_NS - 10**9)
        )
        self.config = Config(self.size, self.pick((None, max(window, 1), window + self.size, WINDOW_MAX_BYTES)))
        self.begin()

    def samples(self) -> tuple[int | None, int | None, int | None]:
        """Return RTTs that need not fit each other; the latest is the smoothed one, or the minimum."""
        smoothed_ns = self._rtt()
        minimum_ns = self._rtt()
        return smoothed_ns or minimum_ns, minimum_ns, smoothed_ns

    def _rtt(self) -> int | None:
        """Return an RTT, now and then at a border of an eighth of rho and smaller than those before."""
        if self.pick((False, False, False, True)):
            self.rtt_ns = self.pick((self.rtt_ns, self.rtt_ns - self.rtt_ns // 9, self.rtt_ns // 3_125_000 * 3_125_000))
        near_ns = self.rtt_ns + self.pick((0, 0, 1, 999_999)) - self.pick((0, 0, 1))
        return self.pick((None, *(max(near_ns, 0),) * 9))


def run_streams(seed: int, events: int) -> Counter[Outcome | None]:
    """Compare model and port on a number of random events; return how often each outcome came."""
    return compare_streams(hybla, Stream, seed, events)


def run_search_streams(seed: int, events: int) -> Counter[Outcome | None]:
    """Compare SEARCH on Hybla, both in random readings, on so many random events; return how often each outcome came."""
    rng = SplitMix64(seed)
    total: Counter[Outcome | None] = Counter()
    while total.total() < events:
        readings, law = any_search(rng, SEARCH_PROFILES), any_readings(rng, hybla)
        stream = SearchStream(rng, readings)
        model, port = create_with(readings, stream.config, law), Port(readings, stream.config, law=law)
        length = stream.pick((40, 150, 400))
        if stream.chance(60):  # bins at their bound and windows at the threshold decide at once
            model = full_bins(stream, readings)
            newreno.use_hybla(model.base, law)
            port.load(model)
            length = 20
        for _ in range(length):
            event = stream.event(model)
            answers = step_both(model, port.step, event)
            if answers is not None:
                model, expected, seen = answers
                assert seen == expected, event
            total[None if answers is None else expected.outcome] += 1
            assert not port.differs(model), event
    return total


#: Every outcome that the algorithm can have.
REACHABLE = outcomes_of("slow-start", "hybla")
#: What SEARCH on Hybla does; on an ACK in slow start the outcome is that of SEARCH.
ON_SEARCH = {
    Outcome.EXITED,
    Outcome.DRAINED,
    Outcome.GROWN_AVOIDANCE,
    Outcome.REDUCED,
    Outcome.COLLAPSED,
    Outcome.IN_RECOVERY,
}
#: For the plain programs: plain_streams.py says what.
STREAMS = {"hybla": (lambda rng, profile: Stream(rng), 150, 0)}

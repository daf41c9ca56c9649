"""Random events for Hybla: RTTs at the borders of eighths and of rho, windows of all sizes."""

from collections import Counter
from typing import TypeVar

from c_room import Pair, any_readings
from firstflight.controller import Config, Controller
from firstflight.events import Ack, Ce, Event, Lost, PersistentCongestion, Pto, Run, Sent
from firstflight.hybla import hybla
from firstflight.limits import PACKET_MAX, TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight.observables import Outcome
from firstflight_conformance.prng import SplitMix64
from observed import outcomes_of

T = TypeVar("T")


class Stream:
    """The events of one connection: mostly ACKs in order, of several packets and sizes."""

    def __init__(self, rng: SplitMix64) -> None:
        """Draw the nature of the connection."""
        self.rng = rng
        self.size = self.pick((1, 2, 100, 1000, 1001, 1200, 65535))
        window = self.pick((1, 2, 10, 100, 65_534, 65_535, 10**6)) * self.size + self.pick((0, 0, 1, self.size - 1))
        self.rtt_ns = self.pick(
            (0, 10**7, 25 * 10**6, 37_500_000, 5 * 10**7, 10**8, 6 * 10**8, 10**10, TIME_MAX_NS - 10**9)
        )
        self.config = Config(self.size, self.pick((None, max(window, 1), window + self.size, WINDOW_MAX_BYTES)))
        self.t_ns = self.pick((1, 10**9, 2**58))
        self.packet = self.pick((0, 0, 1, PACKET_MAX - 4000))
        self.acked = self.packet

    def pick(self, choices: tuple[T, ...]) -> T:
        """Return one of the choices."""
        return choices[self.rng.below(len(choices))]

    def event(self, model: Controller) -> Event:
        """Return the next event, one in a hundred of them outside the domain."""
        self.t_ns = min(max(self.t_ns, model.t_ns) + self.pick((0, 1, 10**6)), TIME_MAX_NS)
        draw = self.rng.below(1000)
        if draw < 250 or self.acked >= self.packet:
            return self._sent()
        if draw < 960:
            return self._ack(model)
        if draw < 968:
            runs = (self._run(model),)
            return Lost(self.t_ns, runs, _total(runs), 0, self.packet)
        if draw < 974:
            return Ce(self.t_ns, self.acked, self._sent_t_ns(model), 1)
        if draw < 980:
            return PersistentCongestion(self.t_ns)
        if draw < 990:
            return PersistentCongestion(0)
        return Pto(self.t_ns)

    def _sent(self) -> Sent:
        count = min(self.pick((1, 2, 10, 40)), max(PACKET_MAX - self.packet, 1))
        run = Run(self.packet, self.packet + count - 1, self.size, self.t_ns)
        self.packet = min(self.packet + count, PACKET_MAX)
        return Sent(self.t_ns, (run,), count * self.size, 0, False)

    def _run(self, model: Controller) -> Run:
        last = min(self.acked + self.pick((1, 1, 2, 30)) - 1, PACKET_MAX)
        size = self.pick((self.size, self.size, 1 + self.rng.below(self.size)))
        return Run(min(self.acked, last), last, size, self._sent_t_ns(model))

    def _sent_t_ns(self, model: Controller) -> int:
        start = model.base.recovery_start_ns
        return self.pick((self.t_ns, self.t_ns if start is None else start, self.t_ns))

    def _ack(self, model: Controller) -> Ack:
        runs = [self._run(model)]
        self.acked = min(runs[0].last + 1, PACKET_MAX)
        if self.pick((False, True)) and self.acked + 30 < PACKET_MAX:
            runs.append(self._run(model))
            self.acked = runs[-1].last + 1
        app_limited = self.rng.chance_ppm(50_000)
        smoothed_ns = self._rtt()
        minimum_ns = self._rtt()
        latest_ns = smoothed_ns or minimum_ns
        return Ack(
            *(self.t_ns, tuple(runs), _total(tuple(runs)), 0, self.packet, app_limited),
            *(latest_ns, minimum_ns, smoothed_ns, 0, None),
        )

    def _rtt(self) -> int | None:
        """Return an RTT, now and then at a border of an eighth of rho and smaller than those before."""
        if self.pick((False, False, False, True)):
            self.rtt_ns = self.pick((self.rtt_ns, self.rtt_ns - self.rtt_ns // 9, self.rtt_ns // 3_125_000 * 3_125_000))
        near_ns = self.rtt_ns + self.pick((0, 0, 1, 999_999)) - self.pick((0, 0, 1))
        return self.pick((None, *(max(near_ns, 0),) * 9))


def _total(runs: tuple[Run, ...]) -> int:
    return sum(run.count * run.size_bytes for run in runs)


def run_streams(seed: int, events: int) -> Counter[Outcome | None]:
    """Compare model and port on so many random events; return how often each outcome came."""
    rng = SplitMix64(seed)
    total: Counter[Outcome | None] = Counter()
    while total.total() < events:
        stream = Stream(rng)
        pair = Pair.of(hybla, any_readings(rng, hybla), stream.config)
        for _ in range(stream.pick((40, 150, 400))):
            pair.step(stream.event(pair.model))
        total += pair.outcomes
    return total


#: Every outcome that the algorithm can have.
REACHABLE = outcomes_of("slow-start", "hybla")
#: For the plain programs: plain_streams.py says what.
STREAMS = {"hybla": (lambda rng, profile: Stream(rng), 150, 0)}

"""Random streams of events: the part that the algorithms share."""

from dataclasses import dataclass
from typing import TypeVar

from firstflight.controller import Config, Controller
from firstflight.events import Ack, Ce, Event, Lost, PersistentCongestion, Pto, Run, Sent
from firstflight.limits import PACKET_MAX, TIME_MAX_NS
from firstflight_conformance.prng import SplitMix64

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Compared:
    """Comparison of model and port on streams: ``events`` events reach every outcome of the algorithms ``outcomes_of``.

    ``STREAMS`` of the same module also drive self-contained reference implementations. An entry has the stream of a
    profile, its number of events, and the chance in percent that an event after slow start ends it.
    """

    seed: int
    events: int
    outcomes_of: tuple[str, ...]


class AckStream:
    """The events of one connection: mostly ACKs in order, of several packets and sizes.

    A subclass draws ``size``, ``config`` and the other inputs of its algorithm, then calls :meth:`begin`.
    """

    size: int
    config: Config

    def __init__(self, rng: SplitMix64) -> None:
        """Draw from a generator."""
        self.rng = rng

    def begin(self) -> None:
        """Draw the first time and packet number."""
        self.t_ns = self.pick((1, 10**9, 2**58))
        self.packet = self.pick((0, 0, 1, PACKET_MAX - 4000))
        self.acked = self.packet

    def samples(self) -> tuple[int | None, int | None, int | None]:
        """Return the latest, the minimum and the smoothed RTT of the next ACK."""
        return 1, 1, 1

    def pick(self, choices: tuple[T, ...]) -> T:
        """Return one of the choices."""
        return choices[self.rng.below(len(choices))]

    def event(self, model: Controller) -> Event:
        """Return the next event; one in a hundred is outside the domain."""
        self.t_ns = min(max(self.t_ns, model.t_ns) + self.pick((0, 1, 10**6)), TIME_MAX_NS)
        draw = self.rng.below(1000)
        if draw < 250 or self.acked >= self.packet:
            return self._sent()
        if draw < 960:
            return self._ack(model)
        if draw < 968:
            runs = (self._run(model),)
            return Lost(self.t_ns, runs, total(runs), 0, self.packet)
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
        latest_ns, minimum_ns, smoothed_ns = self.samples()
        return Ack(
            *(self.t_ns, tuple(runs), total(tuple(runs)), 0, self.packet, app_limited),
            *(latest_ns, minimum_ns, smoothed_ns, 0, None),
        )


def total(runs: tuple[Run, ...]) -> int:
    """Return the bytes of packets."""
    return sum(run.count * run.size_bytes for run in runs)

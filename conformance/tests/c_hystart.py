"""Compares HyStart++ and HyStart of the C port with the model on random events."""

from collections import Counter
from dataclasses import replace
from types import ModuleType
from typing import TypeVar

from c_compare import Pair, any_readings
from firstflight.controller import Config, Controller
from firstflight.events import Ack, Ce, Event, Lost, PathChange, PersistentCongestion, Pto, Run, Sent
from firstflight.hystart import hystart
from firstflight.hystartpp import hystartpp
from firstflight.limits import PACKET_MAX, TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight.observables import Outcome
from firstflight_conformance.prng import SplitMix64
from observed import outcomes_of
from quic_changes import in_flight_or_not, next_size, probe_or_not

T = TypeVar("T")


class Stream:
    """The events of one connection: mostly ACKs in order, with RTTs and times near the thresholds of the algorithms."""

    def __init__(self, rng: SplitMix64) -> None:
        """Draw the parameters of the connection."""
        self.rng = rng
        self.size = self.pick((1, 100, 536, 1001, 1200, 65535))
        self.rtt_ns = self.pick((0, 1, 999, 3_000_000, 10**7, 10**8, 10**8 + 1, 2**40, TIME_MAX_NS - 2**30))
        self.config = Config(self.size, self.pick((None, None, 2 * self.size, 10**6, WINDOW_MAX_BYTES)))
        self.t_ns = self.pick((1, 10**9, 10**9 + 999, 2**58))
        self.packet = self.pick((0, 0, 0, 1, PACKET_MAX - 4000))
        self.acked = self.packet
        self.gap_ns = self.pick((0, 1, 10**5, 10**6, 2_000_000, 3_000_000))
        self.drift_ns = 0
        #: Whether losses occur only after slow start.
        self.calm = self.chance(70)

    def pick(self, choices: tuple[T, ...]) -> T:
        """Return one of the choices."""
        return choices[self.rng.below(len(choices))]

    def chance(self, percent: int) -> bool:
        """Return ``True`` with this probability in percent."""
        return self.rng.chance_ppm(percent * 10_000)

    def event(self, model: Controller) -> Event:
        """Return the next event; one in a hundred is outside the domain."""
        wait_ns = self.gap_ns if self.chance(80) else self.pick((0, 1, 1999, 2_000_000, 2_000_001, 10**8))
        self.t_ns = min(max(self.t_ns, model.t_ns) + wait_ns, TIME_MAX_NS)
        event = self._event(model)
        return self._spoilt(event) if self.chance(1) else event

    def _event(self, model: Controller) -> Event:
        draw = self.rng.below(1000)
        if draw < 200 or self.acked >= self.packet:
            return self._sent()
        if draw < 970 or (self.calm and model.base.ssthresh_bytes is None):
            return self._ack(model)
        if draw < 976:
            return Lost(self.t_ns, (run := self._runs(model, 1)), _total(run), 0, self.packet)
        if draw < 980:
            return Ce(self.t_ns, self.acked, self._sent_t_ns(model), 1)
        if draw < 990:
            return PersistentCongestion(self.t_ns)
        if draw < 999:
            return Pto(self.t_ns)
        self.t_ns = min(self.t_ns + 2, TIME_MAX_NS)  # no packet is sent at the time of the change
        return PathChange(self.t_ns - 1)

    def _sent(self) -> Sent:
        count = min(self.pick((1, 2, 10, 16, 40)), max(PACKET_MAX - self.packet, 1))
        run = Run(self.packet, self.packet + count - 1, self.size, self.t_ns)
        self.packet = min(self.packet + count, PACKET_MAX)
        return Sent(self.t_ns, (run,), count * self.size, 0, self.chance(5))

    def _runs(self, model: Controller, most: int) -> tuple[Run, ...]:
        count = self.pick((1, 1, 1, 2, 9)) if most > 1 else 1
        first = self.acked
        often = 30 if getattr(model.startup, "conservative", False) else 10
        if self.chance(often) and model.startup.round_end_packet is not None:
            first = max(model.startup.round_end_packet - self.pick((0, 1)), 0)  # at the end of the round
        last = min(first + count - 1, PACKET_MAX)
        self.acked = min(last + 1, PACKET_MAX)
        size = self.pick((self.size, self.size, 1 + self.rng.below(self.size)))
        return (Run(min(first, last), last, size, self._sent_t_ns(model)),)

    def _sent_t_ns(self, model: Controller) -> int:
        start = model.base.recovery_start_ns
        choices = [self.t_ns, self.t_ns, *([start, min(start + 1, self.t_ns)] if start is not None else [])]
        return self.pick(tuple(choices))

    def _rtt(self, model: Controller) -> int:
        """Return the RTT of the round, or an RTT at a threshold of the state."""
        state = model.startup
        if state.round_end_packet is None or self.acked > state.round_end_packet:
            rises = (0, 10**6, 4_000_000, 4_001_000, 12_500_000, 17_000_000, self.rtt_ns // 2)
            self.drift_ns = self.drift_ns + self.pick(rises) if self.chance(80) else 0
        rtt_ns = self.rtt_ns + self.drift_ns
        known = getattr(state, "last_min_ns", None) or getattr(state, "min_ns", None)
        if known is not None and self.chance(2):
            rise_ns = max(4_000_000, min(known // 8, 16_000_000))
            rtt_ns = known + rise_ns + self.pick((0, 1, 1000)) - self.pick((0, 1, 1000))
        baseline_ns = getattr(state, "baseline_ns", None)
        if baseline_ns is not None and self.chance(40):
            rtt_ns = baseline_ns + self.pick((0, 0, 0, 0, 1)) - (1 if self.chance(4) else 0)
        return max(min(rtt_ns, TIME_MAX_NS), 0)

    def _ack(self, model: Controller) -> Ack:
        runs = self._runs(model, 9)
        rtt_ns = None if self.chance(3) else self._rtt(model)
        delay_ns = self.pick((0, 0, 0, 1, 10**6, 2**64 - 1))
        return Ack(
            *(self.t_ns, runs, _total(runs), 0, self.packet, self.chance(5), rtt_ns, rtt_ns, rtt_ns, delay_ns, None)
        )

    def _spoilt(self, event: Event) -> Event:
        if self.chance(40):
            return replace(event, t_ns=self.pick((0, TIME_MAX_NS + 1, 2**64 - 1)))
        match event:
            case Ack() if self.chance(50):
                return replace(event, latest_rtt_ns=self.pick((TIME_MAX_NS + 1, 2**64 - 2)))
            case Sent() | Ack() | Lost():
                return replace(event, bytes=event.bytes + 1)
            case Ce():
                return replace(event, packet=PACKET_MAX + 1)
        return event


def _total(runs: tuple[Run, ...]) -> int:
    return sum(run.count * run.size_bytes for run in runs)


def run_streams(module: ModuleType, seed: int, events: int) -> Counter[Outcome | None]:
    """Compare model and port on ``events`` random events; return the number of each outcome."""
    rng = SplitMix64(seed)
    total: Counter[Outcome | None] = Counter()
    while total.total() < events:
        stream = Stream(rng)
        pair = Pair.of(module, any_readings(rng, module), stream.config)
        for _ in range(stream.pick((40, 150, 400))):
            if size := next_size(rng, pair.model):
                pair.step(size)
            pair.step(in_flight_or_not(probe_or_not(rng, stream.event(pair.model))))
            if pair.model.base.ssthresh_bytes is not None and stream.chance(3):
                break  # later events add little coverage
        total += pair.outcomes
    return total


#: All outcomes of each algorithm.
REACHABLE = {
    hystartpp: outcomes_of("slow-start", "hystartpp"),
    hystart: outcomes_of("slow-start", "hystart"),
}

#: Streams for the plain programs, in the format of plain_streams.py.
STREAMS = {"hystartpp": (lambda rng, profile: Stream(rng), 200, 3)}

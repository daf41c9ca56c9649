"""HyStart++ and HyStart in the C port, compared with the model, and random events for both."""

from collections import Counter
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from types import ModuleType
from typing import Any, TypeVar

from c_port import event_to_c, ffi, lib, optional, step_both
from firstflight.controller import Config, Controller, create_with
from firstflight.errors import DomainError
from firstflight.events import Ack, Ce, Event, Lost, PathChange, PersistentCongestion, Pto, Run, Sent
from firstflight.hystart import hystart
from firstflight.hystart.hystart import HyStart
from firstflight.hystartpp import hystartpp
from firstflight.hystartpp.hystartpp import HyStartPP
from firstflight.limits import PACKET_MAX, TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight.observables import Observation, Outcome, Phase
from firstflight_conformance.prng import SplitMix64

_OUTCOMES, _PHASES = list(Outcome), list(Phase)
#: Of each module: its name in C, the type of its state, and the numbers that it shows.
_NAMES: dict[ModuleType, tuple[str, Any, tuple[str, ...]]] = {
    hystartpp: (
        "hystartpp",
        HyStartPP,
        ("round_end_packet", "rtt_samples", "current_min_rtt_ns", "last_min_rtt_ns", "baseline_rtt_ns", "css_rounds"),
    ),
    hystart: (
        "hystart",
        HyStart,
        ("round_end_packet", "rtt_samples", "current_min_rtt_ns", "min_rtt_ns", "round_start_ns", "train_ns"),
    ),
}
T = TypeVar("T")


class Port:
    """A controller of the C port with HyStart++ or HyStart."""

    def __init__(self, module: ModuleType, readings: Any, config: Config) -> None:
        """Begin in the given readings."""
        self._name, self._state, self._shown = _NAMES[module]
        values = {f.name: getattr(readings, f.name) for f in fields(readings)}
        c_readings = ffi.new(
            f"struct ff_{self._name}_readings *",
            {name: list(type(v)).index(v) if isinstance(v, Enum) else v for name, v in values.items()},
        )
        self._controller = ffi.new("struct ff_controller *")
        self._observation = ffi.new("struct ff_observation *")
        c_config = ffi.new("struct ff_config *", (config.max_datagram_size_bytes, config.initial_window_bytes or 0))
        begin = getattr(lib, f"ff_controller_init_{self._name}")
        if begin(self._controller, c_readings, c_config) != lib.FF_OK:
            raise DomainError("configuration")

    def step(self, event: Event) -> Observation:
        """Process one event. Raise :class:`DomainError` where the port answers FF_ERR_DOMAIN."""
        c_event, borrowed = event_to_c(ffi, lib, event)
        if lib.ff_controller_step(self._controller, c_event, self._observation) != lib.FF_OK:
            raise DomainError("event")
        del borrowed
        seen = self._observation
        return Observation(
            seen.cwnd_bytes,
            optional(seen.ssthresh_bytes),
            _PHASES[seen.phase],
            _OUTCOMES[seen.outcome],
            {name: optional(getattr(seen, name)) for name in self._shown},
        )

    def state(self) -> Any:
        """Return the state of the algorithm in the model's form."""
        c_state = getattr(self._controller, self._name)
        return self._state(**{f.name: optional(getattr(c_state, f.name)) for f in fields(self._state)})


@dataclass
class Pair:
    """The model and the port side by side. A refused event counts as outcome ``None``."""

    model: Controller
    port: Port
    outcomes: Counter[Outcome | None] = field(default_factory=Counter)

    @staticmethod
    def of(module: ModuleType, readings: Any, config: Config) -> "Pair":
        """Begin both."""
        return Pair(create_with(readings, config), Port(module, readings, config))

    def step(self, event: Event) -> None:
        """Let both process the event, and compare observables and state."""
        outcome: Outcome | None = None
        answers = step_both(self.model, self.port.step, event)
        if answers is not None:
            model, expected, seen = answers
            assert seen == expected, event
            self.model, outcome = model, expected.outcome
        self.outcomes[outcome] += 1
        assert self.port.state() == self.model.startup, event


def any_readings(rng: SplitMix64, module: ModuleType) -> Any:
    """Return a profile, near a profile, or a random combination."""
    profiles = list(module.PROFILES.values())
    base = profiles[rng.below(len(profiles))]
    percent = (0, 15, 100)[rng.below(3)]
    changes: dict[str, Any] = {}
    for reading in fields(base):
        value = getattr(base, reading.name)
        if rng.chance_ppm(percent * 10_000):
            choices = list(type(value)) if isinstance(value, Enum) else [1, 2, 5, 8, 255]
            changes[reading.name] = choices[rng.below(len(choices))]
    return replace(base, **changes)


class Stream:
    """The events of one connection: mostly ACKs in order, with RTTs and times near the borders of the algorithms."""

    def __init__(self, rng: SplitMix64) -> None:
        """Draw the nature of the connection."""
        self.rng = rng
        self.size = self.pick((1, 100, 536, 1001, 1200, 65535))
        self.rtt_ns = self.pick((0, 1, 999, 3_000_000, 10**7, 10**8, 10**8 + 1, 2**40, TIME_MAX_NS - 2**30))
        self.config = Config(self.size, self.pick((None, None, 2 * self.size, 10**6, WINDOW_MAX_BYTES)))
        self.t_ns = self.pick((1, 10**9, 10**9 + 999, 2**58))
        self.packet = self.pick((0, 0, 0, 1, PACKET_MAX - 4000))
        self.acked = self.packet
        self.gap_ns = self.pick((0, 1, 10**5, 10**6, 2_000_000, 3_000_000))
        self.drift_ns = 0
        #: Without losses until slow start is over.
        self.calm = self.chance(70)

    def pick(self, choices: tuple[T, ...]) -> T:
        """Return one of the choices."""
        return choices[self.rng.below(len(choices))]

    def chance(self, percent: int) -> bool:
        """Return whether something happens."""
        return self.rng.chance_ppm(percent * 10_000)

    def event(self, model: Controller) -> Event:
        """Return the next event, one in a hundred of them outside the domain."""
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
        return Pto(self.t_ns) if draw < 995 else PathChange(self.t_ns)

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
            first = max(model.startup.round_end_packet - self.pick((0, 1)), 0)  # at the border of the round
        last = min(first + count - 1, PACKET_MAX)
        self.acked = min(last + 1, PACKET_MAX)
        size = self.pick((self.size, self.size, 1 + self.rng.below(self.size)))
        return (Run(min(first, last), last, size, self._sent_t_ns(model)),)

    def _sent_t_ns(self, model: Controller) -> int:
        start = model.base.recovery_start_ns
        choices = [self.t_ns, self.t_ns, *([start, min(start + 1, self.t_ns)] if start is not None else [])]
        return self.pick(tuple(choices))

    def _rtt(self, model: Controller) -> int:
        """Return an RTT: that of the round, or at a border of the state."""
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
    """Compare model and port on so many random events; return how often each outcome came."""
    rng = SplitMix64(seed)
    total: Counter[Outcome | None] = Counter()
    while total.total() < events:
        stream = Stream(rng)
        pair = Pair.of(module, any_readings(rng, module), stream.config)
        for _ in range(stream.pick((40, 150, 400))):
            pair.step(stream.event(pair.model))
            if pair.model.base.ssthresh_bytes is not None and stream.chance(3):
                break  # little that is new follows
        total += pair.outcomes
    return total


_BASE = list(Outcome)[: list(Outcome).index(Outcome.UNCHANGED) + 1]
#: Every outcome that the algorithms can have.
REACHABLE = {
    hystartpp: [
        *_BASE,
        Outcome.EXITED,
        Outcome.CONSERVATIVE_BEGUN,
        Outcome.CONSERVATIVE_GROWN,
        Outcome.SLOW_START_RESUMED,
    ],
    hystart: [*_BASE, Outcome.EXITED_BY_TRAIN, Outcome.EXITED_BY_DELAY],
}

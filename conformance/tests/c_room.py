"""A room of the C port whose algorithm has the common form, compared with the model."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from types import ModuleType
from typing import Any, TypeVar

from c_port import event_to_c, ffi, lib, optional, step_both
from firstflight.algorithm import Base
from firstflight.controller import ALGORITHMS, Config, Controller, create_with
from firstflight.errors import DomainError
from firstflight.events import Ack, Ce, Event, Lost, PersistentCongestion, Pto, Run, Sent
from firstflight.limits import PACKET_MAX, TIME_MAX_NS
from firstflight.observables import Observation, Outcome, Phase
from firstflight_conformance.prng import SplitMix64
from firstflight_conformance.spec.readings import load_tables

T = TypeVar("T")
_OUTCOMES, _PHASES = list(Outcome), list(Phase)


def begin_model(readings: Any, config: Config) -> Controller:
    """Return the model of a startup algorithm, or of a base, in the given readings."""
    found = next(found for found in ALGORITHMS.values() if found.readings is type(readings))
    return create_with(None, config, readings) if isinstance(found, Base) else create_with(readings, config)


def _state_of(model: Controller, room: str) -> Any:
    """Return the state of the room: that of the startup algorithm, or of the law of the base."""
    return getattr(model.base, room) if model.startup is None else model.startup


class Port:
    """A controller of the C port with an algorithm that it enters in the common form, or with a base."""

    def __init__(self, module: ModuleType, readings: Any, config: Config) -> None:
        """Begin in the given readings."""
        algorithm = next(found for found in ALGORITHMS.values() if found.readings is module.Readings)
        table = load_tables()[algorithm.name]
        self._name, self._shown, self._paces = algorithm.room, table.numbers, table.paces
        self._is_base = isinstance(algorithm, Base)
        self._like = _state_of(begin_model(readings, config), algorithm.room)
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
            optional(seen.next_release_ns) if self._paces else None,
            paces=self._paces,
        )

    def state(self) -> Any:
        """Return the state of the algorithm in the model's form."""
        holder = self._controller.base if self._is_base else self._controller
        return _as_model(self._like, getattr(holder, self._name))

    def state_of(self, model: Controller) -> Any:
        """Return the same state of the model."""
        return _state_of(model, self._name)


def _as_model(like: Any, seen: Any) -> Any:
    """Return what the port holds in the form of what the model does: a number, a list of them, a choice by its number or place, or a state of these."""
    if is_dataclass(like):
        return type(like)(**{f.name: _as_model(getattr(like, f.name), getattr(seen, f.name)) for f in fields(like)})
    if isinstance(like, Enum):
        return type(like)(seen) if isinstance(like.value, int) else list(type(like))[seen]
    return [optional(entry) for entry in seen] if isinstance(like, list) else optional(seen)


@dataclass
class Pair:
    """The model and the port side by side. A refused event counts as outcome ``None``."""

    model: Controller
    port: Port
    outcomes: Counter[Outcome | None] = field(default_factory=Counter)

    @staticmethod
    def of(module: ModuleType, readings: Any, config: Config) -> "Pair":
        """Begin both."""
        return Pair(begin_model(readings, config), Port(module, readings, config))

    def step(self, event: Event) -> None:
        """Let both process the event, and compare observables and state."""
        outcome: Outcome | None = None
        answers = step_both(self.model, self.port.step, event)
        if answers is not None:
            model, expected, seen = answers
            assert seen == expected, event
            self.model, outcome = model, expected.outcome
        self.outcomes[outcome] += 1
        assert self.port.state() == self.port.state_of(self.model), event


def any_readings(rng: SplitMix64, module: ModuleType) -> Any:
    """Return a profile, near a profile, or a random combination."""
    profiles = list(module.PROFILES.values())
    name = next(found.name for found in ALGORITHMS.values() if found.readings is module.Readings)
    largest = {reading.name: reading.bounds[1] for reading in load_tables()[name].readings if reading.bounds}
    base = profiles[rng.below(len(profiles))]
    percent = (0, 15, 100)[rng.below(3)]
    changes: dict[str, Any] = {}
    for reading in fields(base):
        value = getattr(base, reading.name)
        if rng.chance_ppm(percent * 10_000):
            numbers = [min(number, largest.get(reading.name, 255)) for number in (1, 2, 5, 8, 255)]
            choices = list(type(value)) if isinstance(value, Enum) else numbers
            changes[reading.name] = choices[rng.below(len(choices))]
    return replace(base, **changes)


class AckStream:
    """The events of one connection: mostly ACKs in order, of several packets and sizes.

    A room draws ``size``, ``config`` and whatever else its algorithm looks at, then calls :meth:`begin`.
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
        latest_ns, minimum_ns, smoothed_ns = self.samples()
        return Ack(
            *(self.t_ns, tuple(runs), _total(tuple(runs)), 0, self.packet, app_limited),
            *(latest_ns, minimum_ns, smoothed_ns, 0, None),
        )


def _total(runs: tuple[Run, ...]) -> int:
    return sum(run.count * run.size_bytes for run in runs)


def compare_streams(
    module: ModuleType, begin: Callable[[SplitMix64], AckStream], seed: int, events: int
) -> Counter[Outcome | None]:
    """Compare model and port on a number of random events, in random readings; return how often each outcome came."""
    rng = SplitMix64(seed)
    total: Counter[Outcome | None] = Counter()
    while total.total() < events:
        stream = begin(rng)
        pair = Pair.of(module, any_readings(rng, module), stream.config)
        for _ in range(stream.pick((40, 150, 400))):
            pair.step(stream.event(pair.model))
        total += pair.outcomes
    return total

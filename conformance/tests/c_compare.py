"""Compares an algorithm of the C port that has the common form with the model."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from types import ModuleType
from typing import Any

from c_port import event_to_c, ffi, lib, optional, step_both
from firstflight.algorithm import Base
from firstflight.controller import ALGORITHMS, Config, Controller, create_with
from firstflight.errors import DomainError
from firstflight.events import Event, PathChange
from firstflight.limits import TIME_MAX_NS
from firstflight.observables import Observation, Outcome, Phase
from firstflight_conformance.format.readings import load_tables
from firstflight_conformance.prng import SplitMix64
from quic_changes import in_flight_or_not, next_size, probe_or_not
from stimuli.streams import AckStream

_OUTCOMES, _PHASES = list(Outcome), list(Phase)
#: Probability of a path change per event, in millionths.
PATH_CHANGE_PPM = 2_000
#: Probability of a datagram size change per event, in millionths: low, because the streams' packets keep their size.
SIZE_PPM = 2_000


def begin_model(readings: Any, config: Config) -> Controller:
    """Return the model of a startup algorithm, or of a base, with these readings."""
    algorithm = next(algorithm for algorithm in ALGORITHMS.values() if algorithm.readings is type(readings))
    return create_with(None, config, readings) if isinstance(algorithm, Base) else create_with(readings, config)


def _state_of(model: Controller) -> Any:
    """Return the state of the startup algorithm, or the state of the base's window rules."""
    return model.base.rules_state if model.startup is None else model.startup


class Port:
    """A controller of the C port with a startup algorithm of the common form, or with a base."""

    def __init__(self, module: ModuleType, readings: Any, config: Config) -> None:
        """Initialise the controller with these readings."""
        algorithm = next(algorithm for algorithm in ALGORITHMS.values() if algorithm.readings is module.Readings)
        table = load_tables()[algorithm.name]
        self._name, self._shown, self._paces = algorithm.package, table.numbers, table.paces
        self._is_base = isinstance(algorithm, Base)
        self._like = _state_of(begin_model(readings, config))
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
        """Process one event. Raise :class:`DomainError` if the port returns an error."""
        c_event, borrowed = event_to_c(ffi, lib, event)
        if lib.ff_controller_step(self._controller, c_event, self._observation) != lib.FF_OK:
            raise DomainError("event")
        del borrowed
        observation = self._observation
        return Observation(
            observation.cwnd_bytes,
            optional(observation.ssthresh_bytes),
            _PHASES[observation.phase],
            _OUTCOMES[observation.outcome],
            {name: optional(getattr(observation, name)) for name in self._shown},
            optional(observation.next_release_ns) if self._paces else None,
            paces=self._paces,
        )

    def state(self) -> Any:
        """Return the state of the algorithm in the model's form."""
        holder = self._controller.base.rules_state if self._is_base else self._controller
        return _as_model(self._like, getattr(holder, self._name))

    def state_of(self, model: Controller) -> Any:
        """Return the same state of the model."""
        return _state_of(model)


def _as_model(like: Any, c_value: Any) -> Any:
    """Convert a C value to the type of ``like``: a number, list or tuple, a choice by value or index, or a state."""
    if is_dataclass(like):
        return type(like)(**{f.name: _as_model(getattr(like, f.name), getattr(c_value, f.name)) for f in fields(like)})
    if isinstance(like, Enum):
        return type(like)(c_value) if isinstance(like.value, int) else list(type(like))[c_value]
    if isinstance(like, tuple):
        return tuple(_as_model(*both) for both in zip(like, c_value, strict=True))
    return [optional(entry) for entry in c_value] if isinstance(like, list) else optional(c_value)


@dataclass
class Pair:
    """A model and a port that process the same events. A refused event counts as outcome ``None``."""

    model: Controller
    port: Port
    outcomes: Counter[Outcome | None] = field(default_factory=Counter)

    @staticmethod
    def of(module: ModuleType, readings: Any, config: Config) -> "Pair":
        """Return a pair of model and port with these readings."""
        return Pair(begin_model(readings, config), Port(module, readings, config))

    def step(self, event: Event) -> None:
        """Let both process the event, and compare observables and state."""
        outcome: Outcome | None = None
        answers = step_both(self.model, self.port.step, event)
        if answers is not None:
            model, expected, observed = answers
            assert observed == expected, event
            self.model, outcome = model, expected.outcome
        self.outcomes[outcome] += 1
        assert self.port.state() == self.port.state_of(self.model), event


def any_readings(rng: SplitMix64, module: ModuleType) -> Any:
    """Return a profile, near a profile, or a random combination."""
    profiles = list(module.PROFILES.values())
    name = next(algorithm.name for algorithm in ALGORITHMS.values() if algorithm.readings is module.Readings)
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


def compare_streams(
    module: ModuleType, begin: Callable[[SplitMix64], AckStream], seed: int, events: int
) -> Counter[Outcome | None]:
    """Compare model and port on random events, with random readings; return the number of each outcome."""
    rng = SplitMix64(seed)
    total: Counter[Outcome | None] = Counter()
    while total.total() < events:
        stream = begin(rng)
        pair = Pair.of(module, any_readings(rng, module), stream.config)
        for _ in range(stream.pick((40, 150, 400))):
            if size := next_size(rng, pair.model, SIZE_PPM):
                pair.step(size)
            pair.step(in_flight_or_not(probe_or_not(rng, stream.event(pair.model))))
            if rng.chance_ppm(PATH_CHANGE_PPM):
                pair.step(PathChange(min(pair.model.t_ns + 1, TIME_MAX_NS)))
        total += pair.outcomes
    return total

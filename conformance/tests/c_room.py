"""A room of the C port whose algorithm has the common form, compared with the model."""

from collections import Counter
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from types import ModuleType
from typing import Any

from c_port import event_to_c, ffi, lib, optional, step_both
from firstflight.controller import ALGORITHMS, Config, Controller, create_with
from firstflight.errors import DomainError
from firstflight.events import Event
from firstflight.observables import Observation, Outcome, Phase
from firstflight_conformance.prng import SplitMix64
from firstflight_conformance.spec.readings import load_tables

_OUTCOMES, _PHASES = list(Outcome), list(Phase)


class Port:
    """A controller of the C port with a startup algorithm that it enters in the common form."""

    def __init__(self, module: ModuleType, readings: Any, config: Config) -> None:
        """Begin in the given readings."""
        algorithm = next(found for found in ALGORITHMS.values() if found.readings is module.Readings)
        self._name, self._shown = algorithm.room, load_tables()[algorithm.name].numbers
        self._state = type(create_with(readings, config).startup)
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

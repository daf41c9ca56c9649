"""Compares JumpStart of the C port with the model on random events."""

from dataclasses import dataclass, field, fields, replace
from enum import Enum
from typing import Any, TypeVar

from c_port import event_to_c, ffi, lib, optional, step_both
from firstflight.controller import Config, Controller, create_with
from firstflight.errors import DomainError
from firstflight.events import (
    Ack,
    Backlog,
    Ce,
    Event,
    IdleRestart,
    Lost,
    PathChange,
    PersistentCongestion,
    Pto,
    Run,
    Sent,
)
from firstflight.jumpstart import jumpstart
from firstflight.jumpstart.profiles import PROFILES, Readings
from firstflight.jumpstart.state import JumpStart
from firstflight.limits import PACKET_MAX, TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight.observables import Observation, Outcome, Phase
from firstflight_conformance.prng import SplitMix64
from observed import outcomes_of
from quic_changes import in_flight_or_not, next_size, probe_or_not

_STATE = ("planned_packets", "sent_packets", "repeated_packets", "acked_bytes", "recovery_start_ns")
_OUTCOMES, _PHASES = list(Outcome), list(Phase)
T = TypeVar("T")


class Port:
    """A controller of the C port with JumpStart."""

    def __init__(self, readings: Readings, config: Config) -> None:
        """Initialise the controller with these readings."""
        values = {f.name: getattr(readings, f.name) for f in fields(Readings)}
        c_readings = ffi.new(
            "struct ff_jumpstart_readings *",
            {name: list(type(v)).index(v) if isinstance(v, Enum) else v for name, v in values.items()},
        )
        self._controller = ffi.new("struct ff_controller *")
        self._observation = ffi.new("struct ff_observation *")
        c_config = ffi.new("struct ff_config *", (config.max_datagram_size_bytes, config.initial_window_bytes or 0))
        if lib.ff_controller_init_jumpstart(self._controller, c_readings, c_config) != lib.FF_OK:
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
            {name: optional(getattr(observation, name)) for name in _STATE},
            optional(observation.next_release_ns),
            paces=True,
        )

    def state(self) -> JumpStart:
        """Return the state of JumpStart in the model's form."""
        c_state = self._controller.jumpstart
        may_be_unset = ("flight_first", "flight_end", "smoothed_rtt_ns")
        values: dict[str, Any] = {f.name: getattr(c_state, f.name) for f in fields(JumpStart)}
        return JumpStart(**{name: optional(v) if name in may_be_unset else v for name, v in values.items()})


@dataclass
class Pair:
    """A model and a port that process the same events. A refused event counts as outcome ``None``."""

    model: Controller
    port: Port
    outcomes: dict[Outcome | None, int] = field(default_factory=dict)

    @staticmethod
    def of(readings: Readings, config: Config) -> "Pair":
        """Return a pair of model and port with these readings."""
        return Pair(create_with(readings, config), Port(readings, config))

    def step(self, event: Event) -> None:
        """Let both process the event, and compare observables and state."""
        outcome: Outcome | None = None
        answers = step_both(self.model, self.port.step, event)
        if answers is not None:
            model, expected, observed = answers
            assert observed == expected, event
            self.model, outcome = model, expected.outcome
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1
        assert self.port.state() == self.model.startup, event


def any_readings(rng: SplitMix64) -> Readings:
    """Return a profile, near a profile, or a random combination."""
    base = list(PROFILES.values())[rng.below(len(PROFILES))]
    percent = (0, 15, 100)[rng.below(3)]
    changes: dict[str, Any] = {}
    for reading in fields(Readings):
        value = getattr(base, reading.name)
        if rng.chance_ppm(percent * 10_000):
            choices = list(type(value)) if isinstance(value, Enum) else [0, 1, 20, 64, 255]
            if reading.name == "rate_mbit":  # a rate of 0 is invalid
                choices = choices[1:]
            changes[reading.name] = choices[rng.below(len(choices))]
    return replace(base, **changes)


class Stream:
    """The events of one connection: many corner cases, but consistent enough to reach every outcome."""

    def __init__(self, rng: SplitMix64) -> None:
        """Draw the parameters of the connection."""
        self.rng = rng
        self.size = self.pick((1, 100, 536, 1000, 1200, 1448, 9000, 65535))
        self.rtt_ns = self.pick((0, 1, 7, 10**6, 10**8, 10**8, 2**40, TIME_MAX_NS))
        self.config = Config(self.size, self.pick((None, None, 1, 12_000, 10**6, WINDOW_MAX_BYTES)))
        self.t_ns = self.pick((1, 10**9, 10**9, 2**58))
        self.packet = self.pick((0, 0, 0, 1, 2**40, PACKET_MAX - 2000))
        self.tracked = self.chance(70)
        self.late = self.chance(50)

    def pick(self, choices: tuple[T, ...]) -> T:
        """Return one of the choices."""
        return choices[self.rng.below(len(choices))]

    def chance(self, percent: int) -> bool:
        """Return ``True`` with this probability in percent."""
        return self.rng.chance_ppm(percent * 10_000)

    def event(self, model: Controller) -> Event:
        """Return the next event; one in a hundred is outside the domain."""
        self.t_ns = min(max(self.t_ns, model.t_ns) + self._wait_ns(), TIME_MAX_NS)
        event = self._event(model)
        return self._spoilt(event) if self.chance(1) else event

    def _wait_ns(self) -> int:
        return self.pick((0, 0, 1, 2, self.rng.below(self.rtt_ns + 1) // 16, 10**6))

    def _event(self, model: Controller) -> Event:
        draw = self.rng.below(100)
        if draw < (12 if not model.startup.spent else 3):
            return self._backlog()
        if draw < 42:
            return self._sent(model)
        if draw < 80:
            return self._ack(model)
        if draw < 88:
            return self._lost(model)
        if draw < 91:
            return Ce(self.t_ns, self._old_packet(model), self._sent_t_ns(model), 1)
        if draw < 93:
            return PersistentCongestion(self.t_ns)
        return IdleRestart(self.t_ns) if draw < 96 else Pto(self.t_ns)

    def _backlog(self) -> Backlog:
        amounts = (
            0,
            1,
            700,
            4380,
            4381,
            20 * self.size,
            20 * self.size + 1,
            65536,
            10**6,
            2**29,
            2**40,
            WINDOW_MAX_BYTES,
        )
        rtt_ns = None if self.chance(10) else self.pick((self.rtt_ns, self.rtt_ns, 10**8, self.rng.below(2**59)))
        return Backlog(self.t_ns, self.pick(amounts), self.pick((*amounts, WINDOW_MAX_BYTES)), rtt_ns)

    def _sent(self, model: Controller) -> Sent:
        count = self.pick((1, 1, 1, 2, 10, 20, 1 + self.rng.below(65535)))
        count = min(count, max(PACKET_MAX - self.packet, 1))
        size = self.pick((self.size, self.size, 1 + self.rng.below(self.size)))
        run = Run(self.packet, self.packet + count - 1, size, self.t_ns)
        self.packet = min(self.packet + count, PACKET_MAX)
        ranges = tuple(self._range(model) for _ in range(self.pick((0, 0, 1, 2))))
        return Sent(self.t_ns, (run,), count * size, self._in_flight(model), self.chance(10), ranges)

    def _range(self, model: Controller) -> tuple[int, int]:
        first = self._old_packet(model)
        return first, min(first + self.pick((0, 0, 1, 5, 65534)), PACKET_MAX)

    def _old_packet(self, model: Controller) -> int:
        state = model.startup
        choices = [0, self.packet, max(self.packet - 1, 0), max(self.packet - self.rng.below(40), 0)]
        for border in (state.flight_first, state.flight_end):
            if border is not None:
                choices += [max(border - 1, 0), border]
        return min(self.pick(tuple(choices)), PACKET_MAX)

    def _in_flight(self, model: Controller) -> int:
        cwnd = model.base.cwnd_bytes
        return self.pick((0, cwnd, max(cwnd - self.size, 0), cwnd // 2, 20 * self.size, 2**64 - 1))

    def _sent_t_ns(self, model: Controller) -> int:
        choices = [self.t_ns, max(self.t_ns - self.rtt_ns, 1), self.rng.below(self.t_ns) + 1]
        if model.base.recovery_start_ns is not None:
            choices += [model.base.recovery_start_ns, min(model.base.recovery_start_ns + 1, self.t_ns)]
        return self.pick(tuple(choices))

    def _runs(self, model: Controller) -> tuple[Run, ...]:
        runs = []
        for _ in range(self.pick((1, 1, 2))):
            first = self._old_packet(model)
            last = min(first + self.pick((0, 0, 1, 7, 19, self.rng.below(100))), PACKET_MAX)
            runs.append(Run(first, last, self.size, self._sent_t_ns(model)))
        return tuple(runs)

    def _ack(self, model: Controller) -> Ack:
        runs = self._runs(model)
        oldest = None
        if self.tracked:
            oldest = self.pick((0, model.startup.recovery_point, self.packet, PACKET_MAX + 1, self._old_packet(model)))
        smoothed = None if self.chance(10) else self.pick((self.rtt_ns, 3, TIME_MAX_NS))
        return Ack(
            *(self.t_ns, runs, _total(runs), self._in_flight(model), self.packet, self.chance(5)),
            *(smoothed, smoothed, smoothed, 0, oldest),
        )

    def _lost(self, model: Controller) -> Lost:
        runs = self._runs(model)
        return Lost(self.t_ns, runs, _total(runs), self._in_flight(model), self.packet)

    def _spoilt(self, event: Event) -> Event:
        draw = self.rng.below(5)
        if draw == 0:
            return replace(event, t_ns=self.pick((0, TIME_MAX_NS + 1, 2**64 - 1)))
        match event:
            case Backlog():
                name = self.pick(("queued_bytes", "receive_window_bytes"))
                return replace(event, **{name: self.pick((WINDOW_MAX_BYTES + 1, 2**64 - 1))})
            case Sent() if draw < 3:
                bad = self.pick(((3, 2), (0, 65535), (PACKET_MAX + 1, PACKET_MAX + 1)))
                return replace(event, retransmits=(*event.retransmits, bad))
            case Ack() if draw < 3:
                return replace(event, oldest_unacked_packet=self.pick((PACKET_MAX + 2, 2**64 - 2)))
            case Sent() | Ack() | Lost():
                return replace(event, bytes=event.bytes + 1)
            case Ce():
                return replace(event, packet=PACKET_MAX + 1)
        return event


def _total(runs: tuple[Run, ...]) -> int:
    return sum(run.count * run.size_bytes for run in runs)


def run_streams(seed: int, events: int) -> dict[Outcome | None, int]:
    """Compare model and port on ``events`` random events; return the number of each outcome."""
    rng = SplitMix64(seed)
    total: dict[Outcome | None, int] = {}
    while sum(total.values()) < events:
        stream = Stream(rng)
        pair = Pair.of(any_readings(rng), stream.config)
        for _ in range(60 if stream.late else 25):
            if size := next_size(rng, pair.model):
                pair.step(size)
            pair.step(in_flight_or_not(probe_or_not(rng, stream.event(pair.model))))
            if stream.chance(1):
                pair.step(PathChange(min(pair.model.t_ns + 1, TIME_MAX_NS)))
        for outcome, count in pair.outcomes.items():
            total[outcome] = total.get(outcome, 0) + count
    return total


#: All outcomes of JumpStart.
REACHABLE = outcomes_of("slow-start", "jumpstart")
assert jumpstart.PROFILES is PROFILES

#: Streams for the plain programs, in the format of plain_streams.py.
STREAMS = {"jumpstart": (lambda rng, profile: Stream(rng), 60, 0)}

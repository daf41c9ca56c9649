"""Compares Careful Resume of the C port with the model on random events."""

from dataclasses import dataclass, field, fields, replace
from enum import Enum
from typing import TypeVar

from c_port import NONE, event_to_c, ffi, lib, optional, step_both
from firstflight.careful_resume.profiles import PROFILES, Readings
from firstflight.careful_resume.state import CarefulResume
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
    SavedPath,
    Sent,
    SpuriousLoss,
)
from firstflight.limits import PACKET_MAX, TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight.observables import Observation, Outcome, Phase, Trigger
from firstflight_conformance.prng import SplitMix64
from quic_changes import in_flight_or_not, next_size

T = TypeVar("T")

_STATE = (
    *("pipesize_bytes", "first_unvalidated_packet", "last_unvalidated_packet", "jump_bytes"),
    *("saved_cwnd_bytes", "saved_rtt_ns", "saved_in_use", "bin", "open_bin_bytes"),
)
_OUTCOMES, _PHASES, _TRIGGERS = list(Outcome), list(Phase), list(Trigger)


class Port:
    """A controller of the C port with Careful Resume."""

    def __init__(self, readings: Readings, config: Config) -> None:
        """Initialise the controller with these readings."""
        values = {f.name: getattr(readings, f.name) for f in fields(Readings)}
        c_readings = ffi.new(
            "struct ff_careful_resume_readings *", {name: list(type(v)).index(v) for name, v in values.items()}
        )
        self._controller = ffi.new("struct ff_controller *")
        self._observation = ffi.new("struct ff_observation *")
        c_config = ffi.new("struct ff_config *", (config.max_datagram_size_bytes, config.initial_window_bytes or 0))
        if lib.ff_controller_init_careful_resume(self._controller, c_readings, c_config) != lib.FF_OK:
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
            triggers=(_TRIGGERS[observation.trigger],) if observation.trigger < len(_TRIGGERS) else (),
        )

    def differs(self, model: CarefulResume) -> str:
        """Return the differences between the port's state and the model's, or an empty string."""
        state = self._controller.careful_resume
        pairs = {
            name: (getattr(model, name), getattr(state, name))
            for name in ("initial_window_bytes", "flight_bytes", "backlog_bytes", "jump_bytes", "pipesize_bytes")
        }
        pairs["limit_from_ns"] = (model.limit_from_ns, state.limit_from_ns)
        pairs["left"] = (model.unvalidated_left_bytes, state.unvalidated_left_bytes)
        for group in ("marks", "initial", "rtt", "schedule", "round_trip"):
            part = getattr(model, group)
            for f in fields(part):
                pairs[f"{group}.{f.name}"] = (getattr(part, f.name), getattr(getattr(state, group), f.name))
        return ", ".join(f"{name}: {a} {b}" for name, (a, b) in pairs.items() if a != b and (a, b) != (None, NONE))


@dataclass
class Pair:
    """A model and a port that process the same events. A refused event counts as outcome ``None``."""

    model: Controller
    port: Port
    outcomes: dict[Outcome | None, int] = field(default_factory=dict)
    edges: set[tuple[Phase, Trigger | None, Phase]] = field(default_factory=set)

    @staticmethod
    def of(readings: Readings, config: Config) -> "Pair":
        """Return a pair of model and port with these readings."""
        return Pair(create_with(readings, config), Port(readings, config))

    def step(self, event: Event) -> None:
        """Let both process the event, and compare observables and state."""
        outcome: Outcome | None = None
        before = self.model.startup.resume.phase
        answers = step_both(self.model, self.port.step, event)
        if answers is not None:
            model, expected, observed = answers
            triggers = expected.triggers or ()
            assert observed == replace(expected, triggers=triggers[:1]), event
            self.model, outcome = model, expected.outcome
            if expected.phase is not before:
                self.edges.add((before, triggers[0] if triggers else None, expected.phase))
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1
        assert self.port.differs(self.model.startup.resume) == "", event


def any_readings(rng: SplitMix64) -> Readings:
    """Return a profile, near a profile, or a random combination."""
    base = list(PROFILES.values())[rng.below(len(PROFILES))]
    percent = (0, 0, 10, 50)[rng.below(4)]
    changes: dict[str, Enum] = {}
    for reading in fields(Readings):
        if rng.chance_ppm(percent * 10_000):
            choices = list(type(getattr(base, reading.name)))
            changes[reading.name] = choices[rng.below(len(choices))]
    return replace(base, **changes)  # type: ignore[arg-type]


class Stream:
    """The events of one connection, chosen to advance the current phase, with a ledger of packets."""

    def __init__(self, rng: SplitMix64) -> None:
        """Draw the parameters of the connection."""
        self.rng = rng
        self.size = self.pick((1, 100, 1200, 1200, 1448, 65535))
        self.rtt_ns = self.pick((1, 7, 100_000_000, 100_000_000, 600_000_001, 2**50))
        self.config = Config(
            self.size, self.pick((None, None, 10 * self.size, 1, 40 * self.size, WINDOW_MAX_BYTES // 2))
        )
        self.t_ns = self.pick((1, 10**9, 10**9, TIME_MAX_NS - 40 * self.rtt_ns if self.rtt_ns < 2**50 else 10**9))
        self.flight: list[Run] = []
        #: Whether the path matches the saved set until the jump.
        self.friendly = self.chance(75)
        self.packet = self.pick((0, 0, 0, 10, PACKET_MAX - 100_000))

    def pick(self, choices: tuple[T, ...]) -> T:
        """Return one of the choices."""
        return choices[self.rng.below(len(choices))]

    def chance(self, percent: int) -> bool:
        """Return ``True`` with this probability in percent."""
        return self.rng.chance_ppm(percent * 10_000)

    def event(self, model: Controller) -> Event:
        """Return the next event; one in a hundred is outside the domain."""
        event = self._valid(model)
        if self.chance(1):
            return replace(event, t_ns=self.pick((0, TIME_MAX_NS + 1)))
        return event

    def _valid(self, model: Controller) -> Event:
        state: CarefulResume = model.startup.resume
        self.t_ns = max(self.t_ns, model.t_ns)
        if self.friendly and state.phase in (Phase.NORMAL, Phase.RECONNAISSANCE) and state.jump_bytes == 0:
            return self._towards_the_jump(model)
        if state.used.saved_cwnd_bytes == 0 and self.chance(30):
            return self._offer()
        if state.phase is Phase.RECONNAISSANCE and self.chance(1):
            return PathChange(self.t_ns)
        if state.phase is Phase.RECONNAISSANCE and self.chance(25):
            return self._backlog(model)
        draw = self.rng.below(1000)
        if draw < 4:
            return self._offer()
        if draw < 16:
            return self.pick((PathChange(self.t_ns), SpuriousLoss(self.t_ns), Pto(self.t_ns), IdleRestart(self.t_ns)))
        if draw < 19:
            return PersistentCongestion(self.t_ns)
        if draw < 30 and self.flight:
            run = self.pick(tuple(self.flight))
            return Ce(self.t_ns, run.first, min(run.sent_t_ns, self.t_ns), 1)
        if draw < (120 if state.phase is Phase.UNVALIDATED else 60):
            return Pto(self._later(state))
        if draw < 130:
            return self._backlog(model)
        if draw < 155 and self.flight:
            return self._lost()
        if (draw < 570 or not self.flight) and self.packet < PACKET_MAX - 100:
            return self._sent(model)
        return self._ack(state) if self.flight else Pto(self.t_ns)

    def _towards_the_jump(self, model: Controller) -> Event:
        """Offer a matching set, send and acknowledge a few packets, and report a backlog."""
        state: CarefulResume = model.startup.resume
        if state.used.saved_cwnd_bytes == 0:
            saved_bytes = (2 + self.rng.below(60)) * self.size + 6 * model.base.cwnd_bytes
            saved_bytes = min(saved_bytes, WINDOW_MAX_BYTES)
            return SavedPath(self.t_ns, saved_bytes, self.rtt_ns, True, False, None, None, 1, 2)
        if state.phase is Phase.NORMAL or self.chance(3):
            self.friendly = False
        if not self.flight and self.packet < PACKET_MAX - 100 and self.chance(70):
            return self._sent(model)
        if self.flight and self.chance(60):
            run = self.flight.pop(0)
            self.t_ns = min(max(self.t_ns, run.sent_t_ns + self.rtt_ns), TIME_MAX_NS)
            total = run.count * run.size_bytes
            return Ack(self.t_ns, (run,), total, self._in_flight(), self.packet, False, *(3 * [self.rtt_ns]), 0)
        return Backlog(self.t_ns, self.pick((0, 10**9, WINDOW_MAX_BYTES)), WINDOW_MAX_BYTES, self.rtt_ns)

    def _later(self, state: CarefulResume) -> int:
        if state.jump_bytes > 0 and state.rtt.latest_ns is not None and self.chance(50):
            self.t_ns = max(self.t_ns, state.limit_from_ns + state.rtt.latest_ns + self.rng.below(2))
        elif self.chance(40):
            self.t_ns += self.rng.below(self.rtt_ns // 8 + 2)
        self.t_ns = min(self.t_ns, TIME_MAX_NS)
        return self.t_ns

    def _offer(self) -> SavedPath:
        cwnd_bytes = self.pick((0, 1, 41 * self.size, 200 * self.size, 401 * self.size + 1, 10**9, WINDOW_MAX_BYTES))
        rtt_ns = self.pick((self.rtt_ns, self.rtt_ns, self.rtt_ns, 2 * self.rtt_ns, 0, 3, TIME_MAX_NS))
        denominator = self.pick((1, 2, 10, 65535))
        numerator = self.pick((denominator, (denominator + 1) // 2))
        expires = self.pick((None, None, None, self.t_ns, self.t_ns + 3 * self.rtt_ns, TIME_MAX_NS))
        jump = self.pick((None, None, 1, 30 * self.size, WINDOW_MAX_BYTES))
        matches, in_use = not self.chance(15), self.chance(20)
        return SavedPath(
            self.t_ns, cwnd_bytes, min(rtt_ns, TIME_MAX_NS), matches, in_use, expires, jump, numerator, denominator
        )

    def _backlog(self, model: Controller) -> Backlog:
        queued = self.pick((0, self.size, model.base.cwnd_bytes, 10**9, WINDOW_MAX_BYTES))
        return Backlog(self.t_ns, queued, self.pick((WINDOW_MAX_BYTES, WINDOW_MAX_BYTES, 20 * self.size)), self.rtt_ns)

    def _sent(self, model: Controller) -> Sent:
        if self.chance(50):
            self.t_ns = min(self.t_ns + self.rng.below(self.rtt_ns // 16 + 2), TIME_MAX_NS)
        room = max(1, (model.base.cwnd_bytes - self._in_flight()) // self.size)
        count = min(
            self.pick((1, 2, 10, 30, room, room + 1)), 40 if self.chance(90) else 65535, PACKET_MAX - self.packet
        )
        size = self.size if self.chance(90) else 1 + self.rng.below(self.size)
        run = Run(self.packet, self.packet + count - 1, size, self.t_ns)
        self.packet += count
        self.flight.append(run)
        in_flight = 2**64 - 1 if self.rng.chance_ppm(2_000) else self._in_flight()
        return Sent(self.t_ns, (run,), count * size, in_flight, self.chance(5))

    def _ack(self, state: CarefulResume) -> Ack:
        if self.chance(60):
            self._later(state)
        elif self.chance(50):
            self.t_ns = min(max(self.t_ns, self.flight[0].sent_t_ns + self.rtt_ns), TIME_MAX_NS)
        runs = self._take()
        sample = self.pick(
            (self.t_ns - runs[-1].sent_t_ns, self.rtt_ns, self.rtt_ns, self.rtt_ns, None, self.rtt_ns // 2)
        )
        if self.chance(2):
            sample = self.pick((0, 11 * self.rtt_ns, TIME_MAX_NS))
        sample = None if sample is None else min(sample, TIME_MAX_NS)
        low = self.pick((sample, self.rtt_ns, None))
        total = sum(run.count * run.size_bytes for run in runs)
        return Ack(
            *(self.t_ns, runs, total, self._in_flight(), self.packet, self.chance(5)),
            *(sample, low, self.pick((sample, self.rtt_ns)), 0),
        )

    def _lost(self) -> Lost:
        runs = self._take()
        total = sum(run.count * run.size_bytes for run in runs)
        return Lost(self.t_ns, runs, total, self._in_flight(), self.packet, pmtu_probe=self.packet % 10 == 0)

    def _take(self) -> tuple[Run, ...]:
        """Remove packets of the oldest run, or of another run, from flight; return them."""
        index = 0 if self.chance(80) else self.rng.below(len(self.flight))
        run = self.flight.pop(index)
        count = run.count if self.chance(60) else 1 + self.rng.below(run.count)
        if count < run.count:
            self.flight.insert(index, replace(run, first=run.first + count))
        return (replace(run, last=run.first + count - 1),)

    def _in_flight(self) -> int:
        return sum(run.count * run.size_bytes for run in self.flight)


def run_streams(seed: int, events: int) -> Pair:
    """Compare model and port on ``events`` random events, in connections of about sixty; return the counts."""
    rng = SplitMix64(seed)
    total: Pair | None = None
    remaining_events = events
    while remaining_events > 0:
        stream = Stream(rng)
        pair = Pair.of(any_readings(rng), stream.config)
        for _ in range(min(remaining_events, 30 + rng.below(60))):
            if size := next_size(rng, pair.model):
                pair.step(size)
            pair.step(in_flight_or_not(stream.event(pair.model)))
            remaining_events -= 1
        if total is None:
            total = pair
        else:
            total.edges |= pair.edges
            for outcome, count in pair.outcomes.items():
                total.outcomes[outcome] = total.outcomes.get(outcome, 0) + count
    assert total is not None
    return total


#: Streams for the plain programs, in the format of plain_streams.py.
STREAMS = {"careful-resume": (lambda rng, profile: Stream(rng), 90, 0)}

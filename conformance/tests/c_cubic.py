"""Compares the base controllers of the C port, alone and below startup algorithms, with the model on random events."""

from dataclasses import dataclass, field, fields, replace
from enum import Enum
from typing import Any, TypeVar

from c_port import NONE, event_to_c, ffi, hybla_of, lib, step_both
from firstflight.algorithm import Base
from firstflight.controller import ALGORITHMS, Config, Controller, create, create_with, profiles
from firstflight.cubic.cubic import PROFILES, Cubic, Epoch, Readings
from firstflight.errors import DomainError
from firstflight.events import (
    Ack,
    Backlog,
    Ce,
    DatagramSize,
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
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Outcome, Phase
from firstflight_conformance.prng import SplitMix64
from quic_changes import in_flight_or_not

T = TypeVar("T")

_OUTCOMES, _PHASES = list(Outcome), list(Phase)
_EPOCH = [f.name for f in fields(Epoch)]


def _plain(value: Any) -> int:
    return NONE if value is None else int(value)


class Port:
    """A controller of the C port: CUBIC with given readings, or a profile by its name."""

    def __init__(self, readings_or_profile: Readings | tuple[str, str], config: Config) -> None:
        """Initialise the controller."""
        self._controller = ffi.new("struct ff_controller *")
        self._observation = ffi.new("struct ff_observation *")
        c_config = ffi.new("struct ff_config *", (config.max_datagram_size_bytes, config.initial_window_bytes or 0))
        if isinstance(readings_or_profile, tuple):
            status = lib.ff_controller_init(
                self._controller, readings_or_profile[0].encode(), readings_or_profile[1].encode(), c_config
            )
        else:
            values = {f.name: getattr(readings_or_profile, f.name) for f in fields(Readings)}
            choices = {name: list(type(value)).index(value) for name, value in values.items()}
            c_readings = ffi.new("struct ff_cubic_readings *", choices)
            status = lib.ff_controller_init_cubic(self._controller, c_readings, c_config)
        if status != lib.FF_OK:
            raise DomainError("configuration")

    def step(self, event: Event) -> tuple[int, int, Phase, Outcome]:
        """Process one event; return the windows, the phase and the outcome."""
        c_event, borrowed = event_to_c(ffi, lib, event)
        if lib.ff_controller_step(self._controller, c_event, self._observation) != lib.FF_OK:
            raise DomainError("event")
        del borrowed
        observation = self._observation
        return (
            observation.cwnd_bytes,
            observation.ssthresh_bytes,
            _PHASES[observation.phase],
            _OUTCOMES[observation.outcome],
        )

    def state(self) -> dict[str, int]:
        """Return the CUBIC members of the last observation."""
        names = ("recovery_start_ns", "w_max_bytes", "cwnd_prior_bytes", "epoch_start_ns", "k_ns", "w_est_bytes")
        return {name: getattr(self._observation, name) for name in names}

    def differs(self, base: BaseState) -> str:
        """Return the differences between the port's rule state and the model's, or an empty string."""
        model, port = base.rules_state, self._controller.base
        if not isinstance(model, Cubic):
            return "" if hybla_of(port) == model and port.base != lib.FF_BASE_CUBIC else f"rules: {model}, {port.base}"
        if port.base != lib.FF_BASE_CUBIC:
            return f"base: {port.base}"
        state = port.rules_state.cubic
        names = ("w_max_bytes", "cwnd_prior_bytes", "flight_bytes", "stopped_ns", "idle")
        pairs = {name: (_plain(getattr(model, name)), getattr(state, name)) for name in names}
        pairs |= _epochs("epoch", model.epoch, state.epoch)
        pairs["saved"] = (int(model.saved is not None), int(state.saved.there))
        if model.saved is not None:
            for name in ("cwnd_bytes", "ssthresh_bytes", "recovery_start_ns", "in_recovery"):
                pairs[f"saved.{name}"] = (_plain(getattr(model.saved.base, name)), getattr(state.saved.base, name))
            for name in ("w_max_bytes", "cwnd_prior_bytes"):
                pairs[f"saved.{name}"] = (_plain(getattr(model.saved, name)), getattr(state.saved, name))
            pairs |= _epochs("saved.epoch", model.saved.epoch, state.saved.epoch)
        return ", ".join(f"{name}: {a} {b}" for name, (a, b) in pairs.items() if a != b)


def _cubic_of(model: Controller) -> Cubic | None:
    """Return the state of CUBIC, or ``None`` for another base."""
    return model.base.rules_state if isinstance(model.base.rules_state, Cubic) else None


def _epochs(name: str, model: Epoch | None, port: Any) -> dict[str, tuple[int, int]]:
    pairs = {name: (int(model is not None), int(port.begun))}
    if model is not None:
        pairs |= {f"{name}.{part}": (_plain(getattr(model, part)), int(getattr(port, part))) for part in _EPOCH}
    return pairs


@dataclass
class Pair:
    """A model and a port that process the same events; refused events have outcome ``None``. ``seen``: CUBIC states."""

    model: Controller
    port: Port
    outcomes: dict[Outcome | None, int] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)

    @staticmethod
    def of(readings_or_profile: Readings | tuple[str, str], config: Config) -> "Pair":
        """Return a pair of model and port."""
        model = (
            create(*readings_or_profile, config)
            if isinstance(readings_or_profile, tuple)
            else create_with(None, config, readings_or_profile)
        )
        return Pair(model, Port(readings_or_profile, config))

    def step(self, event: Event) -> None:
        """Let both process the event, and compare observables and state."""
        outcome: Outcome | None = None
        answers = step_both(self.model, self.port.step, event)
        if answers is not None:
            model, expected, observed = answers
            windows = expected.cwnd_bytes, _plain(expected.ssthresh_bytes)
            assert observed == (*windows, expected.phase, expected.outcome), event
            before, after = _cubic_of(self.model), _cubic_of(model)
            if self.model.readings is None and before is not None:
                assert self.port.state() == {name: _plain(value) for name, value in expected.state.items()}, event
            self._note(before, after, event)
            self.model, outcome = model, expected.outcome
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1
        assert self.port.differs(self.model.base) == "", event

    def _note(self, before: Cubic | None, after: Cubic | None, event: Event) -> None:
        if before is None or after is None or after.epoch is None:
            return
        epoch, t_ns = after.epoch, event.t_ns
        happened = {
            "concave": t_ns - epoch.start_ns < epoch.k_ns,
            "convex": t_ns - epoch.start_ns > epoch.k_ns > 0,
            "stopped": after.stopped_ns is not None,
            "resumed": before.stopped_ns is not None and after.stopped_ns is None,
            "friendly": epoch.cwnd_bytes == epoch.w_est_bytes and before.epoch not in (None, epoch),
            "target": epoch.cwnd_bytes > epoch.w_est_bytes,
            "alpha": epoch.w_est_bytes >= (after.cwnd_prior_bytes or 0),
            "largest": epoch.cwnd_bytes == WINDOW_MAX_BYTES,
        }
        for name, holds in happened.items():
            self.seen[name] = self.seen.get(name, 0) + holds


def any_readings(rng: SplitMix64) -> Readings:
    """Return a profile, near a profile, or a random combination."""
    base = list(PROFILES.values())[rng.below(len(PROFILES))]
    percent = (0, 0, 15, 50)[rng.below(4)]
    changes: dict[str, Enum] = {}
    for reading in fields(Readings):
        if rng.chance_ppm(percent * 10_000):
            choices = list(type(getattr(base, reading.name)))
            changes[reading.name] = choices[rng.below(len(choices))]
    return replace(base, **changes)  # type: ignore[arg-type]


def any_composition(rng: SplitMix64) -> tuple[str, str]:
    """Return a startup algorithm on CUBIC or Hybla, or a base controller by its name."""
    fitting = {
        algorithm: [name for name in named if "+" in name or isinstance(ALGORITHMS[algorithm], Base)]
        for algorithm, named in profiles(composed=True).items()
    }
    composed = {algorithm: names for algorithm, names in fitting.items() if names}  # BBR runs without a base
    algorithm = list(composed)[rng.below(len(composed))]
    return algorithm, composed[algorithm][rng.below(len(composed[algorithm]))]


class Stream:
    """The events of one connection, with a ledger of its packets and times near K."""

    def __init__(self, rng: SplitMix64) -> None:
        """Draw the parameters of the connection."""
        self.rng = rng
        self.size = self.pick((1, 100, 1200, 1200, 1448, 65535))
        self.rtt_ns = self.pick((1, 7, 10_000, 100_000_000, 100_000_000, 600_000_001, 2**50))
        windows = (None, None, 10 * self.size, 1, 400 * self.size, 2**40, WINDOW_MAX_BYTES // 2, WINDOW_MAX_BYTES)
        self.config = Config(self.size, self.pick(windows))
        late_ns = TIME_MAX_NS - 40 * self.rtt_ns if self.rtt_ns < 2**50 else 10**9
        self.t_ns = self.pick((1, 10**9, 10**9, late_ns))
        self.flight: list[Run] = []
        self.packet = self.pick((0, 0, 0, 10, PACKET_MAX - 100_000))
        self.lossy = self.pick((2, 5, 15))

    def pick(self, choices: tuple[T, ...]) -> T:
        """Return one of the choices."""
        return choices[self.rng.below(len(choices))]

    def chance(self, percent: int) -> bool:
        """Return ``True`` with this probability in percent."""
        return self.rng.chance_ppm(percent * 10_000)

    def event(self, model: Controller) -> Event:
        """Return the next event; one in two hundred is outside the domain."""
        self.t_ns = max(self.t_ns, model.t_ns)
        event = self._valid(model)
        return replace(event, t_ns=self.pick((0, TIME_MAX_NS + 1))) if self.rng.chance_ppm(5_000) else event

    def _valid(self, model: Controller) -> Event:
        draw = self.rng.below(100)
        if draw < 2:
            size: Event = DatagramSize(self.t_ns, self.pick((1200, 1400, 1500, 9000)), self.chance(20))
            path = PathChange(min(self.t_ns + 1, TIME_MAX_NS))  # no packet is sent at the time of the change
            event = self.pick((SpuriousLoss(self.t_ns), Pto(self.t_ns), IdleRestart(self.t_ns), size, path))
            self.t_ns = min(self.t_ns + 2, TIME_MAX_NS) if event is path else self.t_ns
            return event
        if draw < 4:
            return self.pick((PersistentCongestion(self.t_ns), SpuriousLoss(self.t_ns)))
        if draw < 6 and model.readings is not None:
            return self._offer(model)
        if draw < 6 + self.lossy and self.flight:
            return self._congestion()
        if (draw < 50 or not self.flight) and self.packet < PACKET_MAX - 100:
            return self._sent(model)
        return self._ack(model) if self.flight else Pto(self.t_ns)

    def _offer(self, model: Controller) -> Event:
        """Return a backlog or a saved path, which startup algorithms wait for."""
        if self.chance(50):
            return Backlog(self.t_ns, self.pick((0, 50 * self.size, 10**9)), WINDOW_MAX_BYTES, self.rtt_ns)
        saved_bytes = min(6 * model.base.cwnd_bytes + 40 * self.size, WINDOW_MAX_BYTES)
        return SavedPath(self.t_ns, saved_bytes, min(self.rtt_ns, TIME_MAX_NS), True, False, None, None, 1, 2)

    def _congestion(self) -> Event:
        if self.chance(30):
            run = self.pick(tuple(self.flight))
            return Ce(self.t_ns, run.first, min(run.sent_t_ns, self.t_ns), 1)
        runs = self._take()
        return Lost(self.t_ns, runs, _total(runs), self._in_flight(), self.packet, pmtu_probe=self.chance(10))

    def _sent(self, model: Controller) -> Sent:
        if self.chance(50):
            self.t_ns = min(self.t_ns + self.rng.below(self.rtt_ns // 16 + 2), TIME_MAX_NS)
        room = max(1, (model.base.cwnd_bytes - self._in_flight()) // self.size)
        count = min(self.pick((1, 2, 10, room, room + 1)), 40 if self.chance(60) else 65535, PACKET_MAX - self.packet)
        size = self.size if self.chance(90) else 1 + self.rng.below(self.size)
        run = Run(self.packet, self.packet + count - 1, size, self.t_ns)
        self.packet += count
        self.flight.append(run)
        in_flight = 2**64 - 1 if self.rng.chance_ppm(2_000) else self._in_flight()
        return Sent(self.t_ns, (run,), count * size, in_flight, self.chance(5))

    def _ack(self, model: Controller) -> Ack:
        self.t_ns = min(max(self.t_ns, self._when(model)), TIME_MAX_NS)
        runs = self._take()
        while self.flight and self.chance(20):
            runs = tuple(sorted((*runs, *self._take()), key=lambda run: run.first))
        sample = self.pick((self.t_ns - runs[-1].sent_t_ns, self.rtt_ns, self.rtt_ns, None))
        smoothed = self.pick((self.rtt_ns, self.rtt_ns, self.rtt_ns, None, 0, TIME_MAX_NS))
        smoothed = None if smoothed is None else min(smoothed, TIME_MAX_NS)
        return Ack(
            *(self.t_ns, runs, _total(runs), self._in_flight(), self.packet, self.chance(8)),
            *(sample, self.rtt_ns, smoothed, self.rng.below(1000)),
        )

    def _when(self, model: Controller) -> int:
        cubic = _cubic_of(model)
        epoch = None if cubic is None else cubic.epoch
        draw = self.rng.below(100)
        if draw < 40:
            return self.t_ns + self.rng.below(self.rtt_ns // 8 + 2)
        if draw < 60:
            return self.flight[0].sent_t_ns + self.rtt_ns
        if epoch is None or draw < 70:
            return self.t_ns + self.rng.below(4 * self.rtt_ns + 10**8)
        at_k_ns = epoch.start_ns + epoch.k_ns
        if draw < 90:  # near the plateau, with and without the added RTT
            return at_k_ns - self.pick((0, self.rtt_ns)) + self.rng.below(3) - 1
        return at_k_ns + self.rng.below(epoch.k_ns + 10**9)

    def _take(self) -> tuple[Run, ...]:
        """Remove packets of the oldest run, or of another run, from flight; return them."""
        index = 0 if self.chance(80) else self.rng.below(len(self.flight))
        run = self.flight.pop(index)
        count = run.count if self.chance(60) else 1 + self.rng.below(run.count)
        if count < run.count:
            self.flight.insert(index, replace(run, first=run.first + count))
        return (replace(run, last=run.first + count - 1),)

    def _in_flight(self) -> int:
        return _total(tuple(self.flight))


def _total(runs: tuple[Run, ...]) -> int:
    return sum(run.count * run.size_bytes for run in runs)


def run_streams(seed: int, events: int, *, composed: bool = False) -> Pair:
    """Compare model and port on ``events`` random events in connections of 50 to 149; return the counts."""
    rng = SplitMix64(seed)
    total: Pair | None = None
    remaining_events = events
    while remaining_events > 0:
        stream = Stream(rng)
        pair = Pair.of(any_composition(rng) if composed else any_readings(rng), stream.config)
        for _ in range(min(remaining_events, 50 + rng.below(100))):
            pair.step(in_flight_or_not(stream.event(pair.model)))
            remaining_events -= 1
        if total is None:
            total = pair
            continue
        for counts, more in ((total.outcomes, pair.outcomes), (total.seen, pair.seen)):
            for name, count in more.items():  # type: ignore[attr-defined]
                counts[name] = counts.get(name, 0) + count  # type: ignore[index, attr-defined]
    assert total is not None
    return total


#: Streams for the plain programs, in the format of plain_streams.py.
STREAMS = {"cubic": (lambda rng, profile: Stream(rng), 150, 0)}

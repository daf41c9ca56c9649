"""Random streams for the self-contained reference implementations: the streams that compare model and port."""

import importlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

from firstflight.controller import Config, Controller, create, samples_rate, step
from firstflight.errors import DomainError
from firstflight.events import Ack, Event, Lost, PathChange, Sent
from firstflight.limits import TIME_MAX_NS
from firstflight.observables import Observation
from firstflight_conformance.paths import STIMULI
from firstflight_conformance.prng import SplitMix64
from plain.headers import Header
from plain.judge import Run, judge_event
from quic_changes import next_size, probe_or_not
from stimuli.initial_window import OF_QUIC
from stimuli.new_path import BASES, STARTUPS

#: Probability of a path change per event, in millionths.
PATH_CHANGE_PPM = 5_000
#: QUIC profiles with a new controller on a new path.
RESET = {f"{name}/{profile}" for name, profiles in (BASES | STARTUPS).items() for profile in profiles}
#: Profiles with path changes, in a fifth of their events. JumpStart of 2007 has vectors of a first jump on a new path.
MIGRATING = RESET | {"jumpstart/pfldnet-2007"}
#: QUIC profiles, whose streams have PMTU probes and changes of the datagram size in the same fifth.
QUIC = RESET | {f"careful-resume/{profile}" for profile in OF_QUIC["careful-resume"]}


def _streams() -> dict[str, tuple[Callable[[SplitMix64, str], Any], int, int]]:
    """Return the streams of every algorithm, from its folder of stimuli and from its comparison with the port.

    Each entry has a function that begins a stream of a profile, and the number of events to play. Its third number is
    the chance in percent that an event after slow start is the last.
    """
    names = [f"stimuli.{path.parent.name}.streams" for path in STIMULI.glob("*/streams.py")]
    names += [path.stem for path in Path(__file__).parent.glob("c_*.py")]
    modules = map(importlib.import_module, sorted(names))
    return {name: stream for module in modules for name, stream in getattr(module, "STREAMS", {}).items()}


STREAMS = _streams()


@dataclass
class Connection:
    """A played connection: the events that the model accepted, with its answers."""

    config: Config
    steps: list[tuple[Event, Observation]] = field(default_factory=list)


def connections(
    name: str, seed: int, events: int, *, migrates: bool = False, changes: bool = False
) -> Iterator[Connection]:
    """Play random streams of a profile until the model has accepted ``events`` events. ``migrates``: the path changes.

    ``changes``: lost packets may be PMTU probes, and the datagram size changes.
    """
    algorithm, profile = name.split("/")
    begin, length, last = STREAMS[algorithm]
    rng = SplitMix64(seed)
    while events > 0:
        stream = begin(rng, profile)
        model = create(algorithm, profile, stream.config)
        connection = Connection(stream.config)
        due = False
        for _ in range(length):
            if changes and (size := next_size(rng, model)):
                model, observation = step(model, size)
                connection.steps.append((size, observation))
            event = stream.event(model)
            event = probe_or_not(rng, event) if changes else event
            due = due or (migrates and rng.chance_ppm(PATH_CHANGE_PPM))
            # No packet is sent at the time of the change.
            if due and model.t_ns + 1 < event.t_ns <= TIME_MAX_NS and _may_change(model, connection):
                due = False
                change = PathChange(model.t_ns + 1)
                model, observation = step(model, change)
                connection.steps.append((change, observation))
            if isinstance(event, Sent) and event.t_ns == model.path_start_ns:
                break  # packets sent at the time of the path change would belong to neither path
            try:
                model, observation = step(model, event)
            except DomainError:
                if isinstance(event, Sent):
                    break  # later events would acknowledge packets that were never sent
                continue
            connection.steps.append((event, observation))
            if observation.ssthresh_bytes is not None and rng.chance_ppm(last * 10_000):
                break
        events -= len(connection.steps)
        yield connection


def _may_change(model: Controller, connection: Connection) -> bool:
    """Return whether the path may change: with packets in flight, delivery-rate samples would mix two paths."""
    flight = next((e.bytes_in_flight for e, _ in reversed(connection.steps) if isinstance(e, Sent | Ack | Lost)), 0)
    return flight == 0 or not samples_rate(model)


def run_streams(program: ModuleType | Header, seed: int, events: int) -> Counter[str]:
    """Compare a program with the model on this number of accepted random events; return the number of each outcome."""
    outcomes: Counter[str] = Counter()
    played = connections(program.PROFILE, seed, events)
    migrates, changes = program.PROFILE in MIGRATING, program.PROFILE in QUIC
    if migrates or changes:
        played = chain(played, connections(program.PROFILE, seed, events // 4, migrates=migrates, changes=changes))
    if isinstance(program, Header):
        played = iter(known := list(played))
        program.answer((connection.config, [event for event, _ in connection.steps]) for connection in known)
    for connection in played:
        run = Run(program, connection.config)
        for index, (event, observation) in enumerate(connection.steps):
            differing = judge_event(run, observation, event)
            assert not differing, f"seed {seed}, event {index} of {connection.config}: {event}: {differing}"
            outcomes[observation.outcome.value] += 1
    return outcomes

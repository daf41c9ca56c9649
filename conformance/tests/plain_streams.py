"""Random streams for the plain programs: those that compare model and port, each algorithm with its own."""

import importlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from firstflight.controller import create, step
from firstflight.errors import DomainError
from firstflight.events import Sent
from firstflight_conformance.plain_judge import Run, judge_event
from firstflight_conformance.prng import SplitMix64


def _streams() -> dict[str, tuple[Callable[[SplitMix64, str], Any], int, int]]:
    """Return the streams of the modules that compare a room of the model with the port.

    By algorithm: a stream for a profile, how many events of it are played, and the chance in percent that one is the last after slow start.
    """
    modules = (importlib.import_module(path.stem) for path in sorted(Path(__file__).parent.glob("c_*.py")))
    return {name: one for module in modules for name, one in getattr(module, "STREAMS", {}).items()}


STREAMS = _streams()


def run_streams(program: ModuleType, seed: int, events: int) -> Counter[str]:
    """Hold a program against the model on so many random events that the model accepts; return how often each outcome came."""
    algorithm, profile = program.PROFILE.split("/")
    begin, length, last = STREAMS[algorithm]
    rng = SplitMix64(seed)
    outcomes: Counter[str] = Counter()
    while outcomes.total() < events:
        stream = begin(rng, profile)
        model = create(algorithm, profile, stream.config)
        run = Run(program, stream.config)
        for index in range(length):
            event = stream.event(model)
            try:
                model, observation = step(model, event)
            except DomainError:
                if isinstance(event, Sent):
                    break  # what follows would acknowledge packets that were never sent
                continue
            differing = judge_event(run, observation, event)
            assert not differing, f"seed {seed}, event {index} of {stream.config}: {event}: {differing}"
            outcomes[observation.outcome.value] += 1
            if observation.ssthresh_bytes is not None and rng.chance_ppm(last * 10_000):
                break
    return outcomes

"""Random streams for the plain programs: those that compare model and port, each algorithm with its own."""

from collections import Counter
from collections.abc import Callable
from types import ModuleType
from typing import Any

import c_careful_resume
import c_cubic
import c_hystart
import c_jumpstart
import c_port_streams
from firstflight.controller import create, step
from firstflight.errors import DomainError
from firstflight.events import Sent
from firstflight.search.profiles import PROFILES as SEARCH
from firstflight_conformance.plain_judge import Run, judge_event
from firstflight_conformance.prng import SplitMix64

#: By algorithm: a stream for a profile, how many events of it are played, and the chance in percent that one is the last after slow start.
STREAMS: dict[str, tuple[Callable[[SplitMix64, str], Any], int, int]] = {
    "slow-start": (lambda rng, profile: c_port_streams.Stream(rng), 400, 2),
    "search": (lambda rng, profile: c_port_streams.Stream(rng, SEARCH[profile]), 400, 20),
    "hystartpp": (lambda rng, profile: c_hystart.Stream(rng), 200, 3),
    "cubic": (lambda rng, profile: c_cubic.Stream(rng), 150, 0),
    "jumpstart": (lambda rng, profile: c_jumpstart.Stream(rng), 60, 0),
    "careful-resume": (lambda rng, profile: c_careful_resume.Stream(rng), 90, 0),
}


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

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
from firstflight.events import Event, Sent, SpuriousLoss
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


def is_open(program: Run, event: Event) -> bool:
    """Return whether the text leaves open what follows from an event.

    RFC 9438 restores t_epoch after a spurious loss (4.9.2) and does not count app-limited time (4.2). It does not say what a restored stage makes of
    such time between the loss and the report. There the plain program leaves out all of it, the model what its stage knows of.
    """
    now = program.state
    if not isinstance(event, SpuriousLoss) or getattr(now, "undo", None) is None:
        return False
    stands_still = (now.limited_since, now.idle_since, now.undo.limited_since, now.undo.idle_since) != (None,) * 4
    return stands_still or now.left_out != now.undo.left_out


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
            if algorithm == "cubic" and is_open(run, event):
                continue
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

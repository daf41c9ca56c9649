"""Closed-loop cases over paths drawn from a seed for one run, with neutral ids.

An adapter with hard-coded answers to the vectors, or to the closed loop of the checkout, fails them.
Paths without any action of the startup algorithm do not test it: paths are drawn until it acts on enough of them.
"""

import secrets
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any
from zlib import crc32

from firstflight import Config
from firstflight_conformance.compare.base import base_of
from firstflight_conformance.prng import SplitMix64
from firstflight_conformance.replay.implementation import Model, drive
from firstflight_conformance.simulate.cases import (
    LoopScenario,
    StimulusCase,
    StimulusScript,
    is_for_profile,
    scenarios_for,
)
from firstflight_conformance.simulate.model_run import model_run
from firstflight_conformance.simulate.scenario import Scenario

#: Limits per profile: paths with an action of the algorithm, other judged paths, and draws.
ACTING, OTHERS, DRAWS = 5, 5, 100
_DATAGRAMS_BYTES = (1200, 1252, 1350, 1452)


@dataclass(frozen=True, slots=True)
class Drawn:
    """The closed-loop cases of a profile (one version of an algorithm), each with a network path drawn at random.

    ``acting``: number of paths, among ``draws`` drawn paths, where the algorithm acts. The algorithm acts if its window
    differs at any event from the window of its base controller alone.
    """

    algorithm: str
    profile: str
    cases: tuple[StimulusCase, ...]
    acting: int
    draws: int

    @property
    def numbers(self) -> dict[str, Any]:
        """The members for the JSON report: ``profile``, ``acting``, ``draws``, and ``judged``, the number of cases.

        ``draws``: number of network paths drawn. ``acting``: number of these where the algorithm acts.
        """
        name = f"{self.algorithm}/{self.profile}"
        return {"profile": name, "acting": self.acting, "draws": self.draws, "judged": len(self.cases)}

    @property
    def text(self) -> str:
        """A sentence with the profile, the number of network paths drawn, and the number where the algorithm acts.

        The sentence for a profile of a base controller has only the number of paths drawn.
        """
        name = f"{self.algorithm}/{self.profile}"
        if base_of(self.algorithm, self.profile) is None:
            return f"{name}: {self.draws} paths drawn"
        return f"{name}: the algorithm acts on {self.acting} of {self.draws} paths drawn"


def new_seed() -> int:
    """Return an unpredictable seed."""
    return secrets.randbelow(2**32)


def blind_cases(seed: int, algorithm: str, profile: str) -> Drawn:
    """Return closed-loop cases for a profile, each with a network path drawn at random; equal seeds give equal cases.

    A path is a scenario of the checkout with newly drawn rate, delays, queue, losses, and sizes. Draws end with five
    paths where the algorithm acts, or after 100. The cases are these paths and up to five others.

    The algorithm acts if its window differs at any event from its base controller's. A base controller acts on every
    path.
    """
    acting: list[StimulusCase] = []
    idle: list[StimulusCase] = []
    draws = 0
    for number, scenario in enumerate(_paths(seed, algorithm), 1):
        draws = number
        if is_for_profile(scenario, algorithm, profile):
            case = StimulusCase(LoopScenario(scenario, algorithm), profile)
            (acting if _acts(case) else idle).append(case)
        if len(acting) == ACTING or draws == DRAWS:
            break
    cases = sorted((*acting, *idle[:OTHERS]), key=lambda case: case.scenario.name)
    return Drawn(algorithm, profile, tuple(cases), len(acting), draws)


def _acts(case: StimulusCase) -> bool:
    """Return whether the algorithm acts: its window in the model's run differs at any event from the base controller's.

    The base controller alone processes the same events. A base controller as the algorithm always acts.
    """
    base = base_of(case.vector.algorithm, case.profile)
    if base is None:
        return True
    run = model_run(StimulusScript(case), 1)
    base_observations = drive(Model(*base).begin(case.scenario.config), run.events)
    return any(
        alone.cwnd_bytes != observed["cwnd_bytes"]
        for alone, observed in zip(base_observations, run.observed, strict=True)
    )


def _paths(seed: int, algorithm: str) -> Iterator[Scenario]:
    """Yield 100 network paths drawn for an algorithm.

    They depend only on seed and algorithm; all profiles get the same sequence.
    """
    known = _known_paths(seed, algorithm)
    for number in range(DRAWS):
        yield known.path(number)


class _Paths:
    """Random network paths for an algorithm, each a scenario with newly drawn rate, delays, queue, and sizes.

    The seed determines the sequence. A path is drawn when it is first requested, and cached.
    """

    def __init__(self, seed: int, algorithm: str) -> None:
        self._draw = SplitMix64(seed ^ crc32(algorithm.encode()))
        kinds: dict[tuple[bool, tuple[str, ...]], list[Scenario]] = defaultdict(list)
        for scenario in scenarios_for(algorithm):
            kinds[scenario.saved_cwnd_bytes is not None, tuple(scenario.algorithms)].append(scenario)
        self._kinds = list(kinds.values())
        self._drawn: list[Scenario] = []

    def path(self, number: int) -> Scenario:
        """Return the path with index ``number`` in the sequence, from 0; kinds of scenarios alternate in the sequence.

        Scenarios of one kind list the same algorithms and either all or none of them have a saved window.
        """
        while len(self._drawn) <= number:
            scenarios = self._kinds[len(self._drawn) % len(self._kinds)]
            self._drawn.append(_drawn(scenarios[self._draw.below(len(scenarios))], len(self._drawn) + 1, self._draw))
        return self._drawn[number]


@cache
def _known_paths(seed: int, algorithm: str) -> _Paths:
    return _Paths(seed, algorithm)


def _drawn(like: Scenario, number: int, draw: SplitMix64) -> Scenario:
    """Return a copy of the scenario ``like`` with newly drawn rate, delays, queue, losses, and sizes."""

    def about(value: int) -> int:
        """Return a random number from 0.5 to 1.5 times the value."""
        return value * (500 + draw.below(1001)) // 1000

    size_bytes = _DATAGRAMS_BYTES[draw.below(len(_DATAGRAMS_BYTES))]
    link = replace(
        like.link,
        rate_bps=about(like.link.rate_bps),
        forward_delay_ns=about(like.link.forward_delay_ns),
        return_delay_ns=about(like.link.return_delay_ns),
        queue_bytes=max(about(like.link.queue_bytes), 2 * size_bytes),
        loss_ppm=draw.below(5000) if draw.below(3) == 0 else like.link.loss_ppm,
        steps=tuple((about(at_ns), about(longer_ns)) for at_ns, longer_ns in like.link.steps),
    )
    return replace(
        like,
        name=f"blind-{number:03}.json",
        title=f"drawn path {number}",
        seed=draw.next() % 2**53,
        config=Config(size_bytes, size_bytes * (2 + draw.below(31))),
        transfer_bytes=about(like.transfer_bytes or 1_000_000),
        saved_cwnd_bytes=None if like.saved_cwnd_bytes is None else max(about(like.saved_cwnd_bytes), 4 * size_bytes),
        receiver=replace(like.receiver, ack_every_packets=1 + draw.below(4)),
        link=link,
        vectors=(),
    )

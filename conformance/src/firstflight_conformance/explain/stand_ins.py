"""Correct implementations of another profile as candidates: the base controller alone, and other profiles."""

from collections.abc import Iterator
from typing import Any

from firstflight import Config
from firstflight.algorithm import Computation, Startup
from firstflight.controller import ALGORITHMS, DEFAULT_BASE, SUFFIXES
from firstflight_conformance.compare.base import base_of
from firstflight_conformance.replay.candidates import Candidate
from firstflight_conformance.replay.variant import Variant


class StandIn(Variant):
    """The model of one profile (a version of an algorithm) that runs in place of the profile of a case.

    The stand-in may be the base controller alone, without the startup algorithm. It ignores choices at open points of
    the startup algorithm.
    """

    def __init__(self, profile: tuple[str, str], choices: Candidate | None) -> None:
        """Build the model that replaces the profile of a case.

        ``profile``: algorithm and profile to run instead. ``choices``: permitted choices at open points, part of the
        model.
        """
        super().__init__(choices)
        self._stand_in = profile
        self.key = self.key[0], f"{self.key[1]} {profile}"

    def stands_for(self, algorithm: str, profile: str) -> tuple[str, str]:
        """Return the algorithm and profile that run in place of ``algorithm`` and ``profile``."""
        return self._stand_in

    def create(self, algorithm: str, profile: str, config: Config) -> Any:
        """Return a new controller of the profile that replaces the given profile."""
        return super().create(*self._stand_in, config)


def stand_ins(algorithm: str, profile: str, choices: Candidate | None) -> Iterator[tuple[Candidate, Variant]]:
    """Yield candidates that run another profile in place of the given one, each with its model.

    For a startup algorithm, first come the base controllers alone, without the algorithm: the base of the profile
    first. Then come the other profiles of the algorithm on the same base. The last are the same profile on each other
    base. For a computation, yield nothing. ``choices``: permitted choices at open points, part of each model.
    """
    own, plus, suffix = profile.partition("+")
    definition = ALGORITHMS[algorithm]
    if isinstance(definition, Computation):
        return
    if isinstance(definition, Startup):
        bases = [base_of(algorithm, profile), DEFAULT_BASE, *SUFFIXES.values()]
        for base in dict.fromkeys(base for base in bases if base is not None):
            sentence = f"the startup algorithm never acts: {base[0]}/{base[1]} alone gives the answers"
            yield Candidate("never-acts", "base", sentence, ()), StandIn((base[0], str(base[1])), choices)
    names = [name + plus + suffix for name in definition.profiles if name != own]
    if isinstance(definition, Startup):
        names += [own + other_suffix for other_suffix in ("", *definition.on_bases) if other_suffix != plus + suffix]
    for other_profile in names:
        sentence = f"the profile {algorithm}/{other_profile} gives the answers"
        yield (
            Candidate(f"{algorithm}/{other_profile}", "profile", sentence, ()),
            StandIn((algorithm, other_profile), choices),
        )

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
    """The model of one profile in place of another profile.

    Choices at open points of the algorithm do not affect the base alone.
    """

    def __init__(self, of: tuple[str, str], choices: Candidate | None) -> None:
        """Build the model with ``choices``. ``of``: algorithm and profile of the stand-in."""
        super().__init__(choices)
        self._of = of
        self.key = self.key[0], f"{self.key[1]} {of}"

    def stands_for(self, algorithm: str, profile: str) -> tuple[str, str]:
        """Return algorithm and profile of the stand-in."""
        return self._of

    def create(self, algorithm: str, profile: str, config: Config) -> Any:
        """Return a new controller of the stand-in instead of the given profile."""
        return super().create(*self._of, config)


def stand_ins(algorithm: str, profile: str, choices: Candidate | None) -> Iterator[tuple[Candidate, Variant]]:
    """Yield the bases alone (the profile's own first), the other profiles of the algorithm, and the other bases."""
    own, plus, suffix = profile.partition("+")
    found = ALGORITHMS[algorithm]
    if isinstance(found, Computation):
        return
    if isinstance(found, Startup):
        bases = [base_of(algorithm, profile), DEFAULT_BASE, *SUFFIXES.values()]
        for base in dict.fromkeys(base for base in bases if base is not None):
            what = f"the startup algorithm never acts: {base[0]}/{base[1]} alone gives the answers"
            yield Candidate("never-acts", "base", what, ()), StandIn((base[0], str(base[1])), choices)
    others = [name + plus + suffix for name in found.profiles if name != own]
    if isinstance(found, Startup):
        others += [own + other for other in ("", *found.on_bases) if other != plus + suffix]
    for other in others:
        what = f"the profile {algorithm}/{other} gives the answers"
        yield Candidate(f"{algorithm}/{other}", "profile", what, ()), StandIn((algorithm, other), choices)

"""The kill matrix of the closed loop: which paths reject which mutant, with the mutant in the loop.

Until its first different answer, a mutant in the loop receives the events of the model's run. Replaying that run
rejects a mutant if and only if the closed loop does, so the later events need no simulation.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from adequacy.kill import Kills, Replay, by_profile, replay_all
from adequacy.mutated import mutated
from firstflight_conformance.adapters.messages import OBSERVABLES
from firstflight_conformance.format.vectors import COMPUTED_ALGORITHMS
from firstflight_conformance.format.wire import observables
from firstflight_conformance.paths import SPEC, of_algorithms
from firstflight_conformance.replay.mutants import Mutant, MutantError
from firstflight_conformance.simulate import native
from firstflight_conformance.simulate.cases import StimulusCase, stimulus_cases
from firstflight_conformance.simulate.model_run import observed_run


@dataclass(frozen=True, slots=True)
class Survivors:
    """Mutants that no path rejects, and why. ``needs``: an event in every vector that rejects one, but in no path."""

    why: str
    needs: str | None
    mutants: tuple[str, ...]


def load_survivors() -> list[Survivors]:
    """Load the groups of survivors, without mutants argued equivalent. Raise :class:`MutantError` for duplicates."""
    groups = [group for path in of_algorithms("survivors.toml") for group in _load_file(path)]
    names = [name for group in groups for name in group.mutants]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise MutantError(f"{SPEC}: survivors named twice: {', '.join(twice)}")
    return groups


def _load_file(path: Path) -> list[Survivors]:
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise MutantError(f"{path}: {error}") from error
    return [Survivors(group["why"], group.get("needs"), tuple(group["mutants"])) for group in raw["survivors"]]


def reasons() -> dict[str, str]:
    """Return the reason why no path rejects a mutant, by mutant."""
    return {name: group.why for group in load_survivors() for name in group.mutants}


def loop_matrix(mutants: Sequence[Mutant], jobs: int) -> list[Kills]:
    """Judge mutants in closed loop. Mutants of computations are skipped."""
    judged = sorted((m for m in mutants if m.algorithm not in COMPUTED_ALGORITHMS), key=_profile)
    native.library()  # built once, not by each process
    return by_profile(loop_kills_of, judged, jobs)


def loop_kills_of(mutant: Mutant) -> Kills:
    """Return the paths that reject a mutant."""
    kills = Kills(mutant)
    replays = _replays(*_profile(mutant))
    with mutated(mutant) as controller:
        replay_all(kills, controller, replays)
    return kills


def _profile(mutant: Mutant) -> tuple[str, str]:
    return mutant.algorithm, mutant.profile


@lru_cache(1)
def _replays(algorithm: str, profile: str) -> tuple[Replay, ...]:
    cases = [case for case in stimulus_cases() if (case.vector.algorithm, case.profile) == (algorithm, profile)]
    return tuple(replay(case) for case in cases)


def replay(case: StimulusCase) -> Replay:
    """Return the model's run of a case, with the observables of an adapter that declares all of them."""
    run = observed_run(case, 1, OBSERVABLES)
    expected = [observables(observation) for _, observation in run]
    allowed = [
        {"trigger": [trigger.value for trigger in observation.triggers]} if observation.triggers else {}
        for _, observation in run
    ]
    events = tuple(event for event, _ in run)
    return Replay(case.id, case.vector.algorithm, case.profile, case.scenario.config, events, expected, allowed)

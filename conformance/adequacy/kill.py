"""The kill matrix: the vectors that reject each mutant, and the observables that differ."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache, partial
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

from adequacy.mutated import mutated
from firstflight import Config
from firstflight.events import Event
from firstflight.observables import Outcome, Phase
from firstflight_conformance.format import computations
from firstflight_conformance.format.computations import ComputationCase, decode_inputs
from firstflight_conformance.format.vectors import COMPUTED_ALGORITHMS, Case, cases, load_all
from firstflight_conformance.replay.answers import CRASHES, check_types
from firstflight_conformance.replay.measure import config_from_json
from firstflight_conformance.replay.mutants import Mutant

#: The observables of every stack, and the release time if the algorithm paces. Not every adapter detects a mutant that
#: differs only in other observables.
WINDOWS = ("cwnd_bytes", "ssthresh_bytes", "phase", "next_release_ns")
#: The observable that every adapter declares.
EVERYWHERE = "cwnd_bytes"
#: The compared values of an observation, except the trigger.
_observed = attrgetter(*WINDOWS, "outcome", "state")


@dataclass(frozen=True)
class Replay:
    """Events and the right answers: the observables after each event, and alternative values."""

    id: str
    algorithm: str
    profile: str
    config: Config
    events: Sequence[Event]
    expected: Sequence[dict[str, Any]]
    allowed: Sequence[dict[str, list[Any]]]

    @cached_property
    def right(self) -> list[tuple[Any, ...] | None]:
        """The compared values of a fully right observation, for a fast check; ``None`` if a trigger is expected."""
        return [None if expected.get("trigger") else _as_observed(expected) for expected in self.expected]


def _as_observed(expected: dict[str, Any]) -> tuple[Any, ...]:
    cwnd_bytes, ssthresh_bytes, phase, next_release_ns = map(expected.get, WINDOWS)
    windows = cwnd_bytes, ssthresh_bytes, Phase(phase), next_release_ns
    return *windows, Outcome(expected["outcome"]), expected["state"]


@dataclass(slots=True)
class Kills:
    """The cases that reject a mutant: by the windows, the phase or a computed output, or only by outcome or state.

    ``by_crash``: cases that crash it before a wrong answer. They do not count: a stale mutant crashes as well.
    ``shown_by``: observables that reject it. A replay stops once ``cwnd_bytes``, which every adapter has, is included.
    """

    mutant: Mutant
    by_windows: list[str] = field(default_factory=list)
    by_state: list[str] = field(default_factory=list)
    by_crash: list[str] = field(default_factory=list)
    shown_by: set[str] = field(default_factory=set)

    @property
    def survives(self) -> bool:
        """Whether no case rejects it by the windows."""
        return not self.by_windows

    def is_explained(self, why: str) -> bool:
        """Return whether it is either rejected or has a reason to survive."""
        return self.survives == bool(why)


def kill_matrix(mutants: Sequence[Mutant], root: Path, jobs: int, *, whole: bool = True) -> list[Kills]:
    """Replay the vectors below ``root`` with every mutant; without ``whole``, stop at the first rejecting case."""
    return by_profile(partial(kills_of, root, whole=whole), mutants, jobs)


def by_profile(judge: Callable[[Mutant], Kills], mutants: Sequence[Mutant], jobs: int) -> list[Kills]:
    """Judge mutants. One process judges all mutants of a profile, so that its cases are read once."""
    groups: dict[tuple[str, str], list[Mutant]] = {}
    for mutant in mutants:
        groups.setdefault((mutant.algorithm, mutant.profile), []).append(mutant)
    largest_first = sorted(groups.values(), key=len, reverse=True)
    if jobs == 1:
        judged = [_judge_all(judge, group) for group in largest_first]
    else:
        with ProcessPoolExecutor(jobs) as pool:
            judged = list(pool.map(partial(_judge_all, judge), largest_first))
    kills_by_id = {kills.mutant.id: kills for group in judged for kills in group}
    return [kills_by_id[mutant.id] for mutant in mutants]


def _judge_all(judge: Callable[[Mutant], Kills], mutants: Sequence[Mutant]) -> list[Kills]:
    return [judge(mutant) for mutant in mutants]


def kills_of(root: Path, mutant: Mutant, *, whole: bool = True) -> Kills:
    """Return the cases that reject a mutant; without ``whole``, only the first."""
    kills = Kills(mutant)
    with mutated(mutant) as controller:
        if mutant.algorithm in COMPUTED_ALGORITHMS:
            model = _fresh_computation(mutant.algorithm)
            for case in computations_below(root):
                differs = _answers_differently(model, case)
                (kills.by_crash if differs is None else kills.by_windows if differs else []).append(case.id)
            return kills
        replays = replays_below(root, mutant.algorithm, mutant.profile)
        replay_all(kills, controller, replays) if whole else _replay_some(kills, controller, replays)
    return kills


def _replay_some(kills: Kills, controller: Any, replays: list[Replay]) -> None:
    """Replay until a case rejects the mutant. Move that case to the front: it often rejects the next mutant, too."""
    for index, replay in enumerate(replays):
        replay_all(kills, controller, [replay])
        if not kills.survives:
            replays.insert(0, replays.pop(index))
            return


def replay_all(kills: Kills, controller: Any, replays: Iterable[Replay]) -> None:
    """Record the replays that reject the mutant ``controller``."""
    for replay in replays:
        by = difference(controller, replay, kills.shown_by)
        if by == "windows":
            kills.by_windows.append(replay.id)
        elif by == "state":
            kills.by_state.append(replay.id)
        elif by == "crash":
            kills.by_crash.append(replay.id)


def _fresh_computation(algorithm: str) -> ModuleType:
    """Return the model of a computation. The package's descriptor does not import it, so this import is mutated."""
    package = algorithm.replace("-", "_")
    return import_module(f"firstflight.{package}.{package}")


@lru_cache(1)
def replays_below(root: Path, algorithm: str, profile: str) -> list[Replay]:
    """Return the cases of a profile. The cache holds one entry: mutants of a profile are judged consecutively."""
    return [
        Replay(
            case.id,
            algorithm,
            profile,
            config_from_json(case.vector.config),
            case.events,
            case.expected(),
            case.allowed(),
        )
        for case in _cases(root).get((algorithm, profile), ())
    ]


@cache
def _cases(root: Path) -> dict[tuple[str, str], list[Case]]:
    grouped: dict[tuple[str, str], list[Case]] = {}
    for case in cases(load_all(root)):
        grouped.setdefault((case.vector.algorithm, case.profile), []).append(case)
    return grouped


@cache
def computations_below(root: Path) -> list[ComputationCase]:
    """Return the computations below a folder."""
    return list(computations.cases(computations.load_all(root)))


def _answers_differently(model: Any, case: ComputationCase) -> bool | None:
    """Return whether a computation rejects the mutant, or ``None`` if the mutant crashes."""
    try:
        return computations.answer(case.profile, decode_inputs(case.inputs), model) != case.expectation.expect
    except CRASHES:
        return None


def difference(controller: Any, replay: Replay, shown_by: set[str]) -> str:
    """Return how a replay rejects a mutant: ``windows``, ``state``, ``crash`` or empty. Extend ``shown_by``."""
    rejection = ""
    try:
        state = controller.create(replay.algorithm, replay.profile, replay.config)
        for event, right, expected, allowed in zip(
            replay.events, replay.right, replay.expected, replay.allowed, strict=True
        ):
            observation = controller.advance(state, event)
            if _observed(observation) == right and not observation.triggers:
                continue
            check_types(observation)
            differing = _differing(observation, expected, allowed)
            shown_by.update(differing)
            rejection = "windows" if differing else rejection
            if rejection == "windows":
                if EVERYWHERE in shown_by:
                    return rejection
            elif _value(observation, "outcome") != expected["outcome"] or observation.state != expected["state"]:
                rejection = "state"
    except CRASHES:
        return rejection or "crash"
    return rejection


def _differing(observation: Any, expected: dict[str, Any], allowed: dict[str, list[Any]]) -> list[str]:
    """Return the names of the wrong observables among windows, phase, release time and trigger."""
    right = {name: allowed.get(name, [expected.get(name)]) for name in (*WINDOWS, "trigger", *allowed)}
    return [name for name, values in right.items() if _value(observation, name) not in values]


def _value(observation: Any, name: str) -> Any:
    if name == "trigger":
        return observation.triggers[0].value if observation.triggers else None
    return _plain(getattr(observation, name))


def _plain(value: Any) -> Any:
    return getattr(value, "value", value)

"""The kill matrix: which vectors reject which mutant, and by what."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from firstflight_conformance.cases import computations
from firstflight_conformance.cases.computations import ComputationCase, decode_inputs
from firstflight_conformance.cases.measure import config_from_json
from firstflight_conformance.cases.vectors import COMPUTED_ALGORITHMS, Case, cases, load_all
from firstflight_conformance.mutants.load import Mutant, mutated

#: What every stack reports, and when packets leave where the algorithm paces. A mutant that shows only in the others is told
#: apart, but not by all adapters.
WINDOWS = ("cwnd_bytes", "ssthresh_bytes", "phase", "next_release_ns")


@dataclass(slots=True)
class Kills:
    """The cases that reject a mutant: by the windows, the phase or a computed output, or only by outcome or state."""

    mutant: Mutant
    by_windows: list[str] = field(default_factory=list)
    by_state: list[str] = field(default_factory=list)

    @property
    def survives(self) -> bool:
        """Whether no case rejects it by the windows."""
        return not self.by_windows

    @property
    def explained(self) -> bool:
        """Whether it is rejected, or argued to be equivalent."""
        return bool(self.by_windows) != bool(self.mutant.equivalent)


def kill_matrix(mutants: Sequence[Mutant], root: Path, jobs: int) -> list[Kills]:
    """Replay the vectors below ``root`` with every mutant."""
    if jobs == 1:
        return [kills_of(root, mutant) for mutant in mutants]
    with ProcessPoolExecutor(jobs) as pool:
        return list(pool.map(partial(kills_of, root), mutants))


def kills_of(root: Path, mutant: Mutant) -> Kills:
    """Return the cases that reject a mutant."""
    kills = Kills(mutant)
    with mutated(mutant) as controller:
        if mutant.algorithm in COMPUTED_ALGORITHMS:
            model = _fresh_computation(mutant.algorithm)
            kills.by_windows += [case.id for case in _computations(root) if _answers_differently(model, case)]
            return kills
        for case in _cases(root):
            if (case.vector.algorithm, case.profile) == (mutant.algorithm, mutant.profile):
                difference = _difference(controller, case)
                if difference == "windows":
                    kills.by_windows.append(case.id)
                elif difference == "state":
                    kills.by_state.append(case.id)
    return kills


def _fresh_computation(algorithm: str) -> ModuleType:
    """Return the model of a computation. The descriptor of its room does not import it, so nothing has while mutated."""
    room = algorithm.replace("-", "_")
    return import_module(f"firstflight.{room}.{room}")


@cache
def _cases(root: Path) -> list[Case]:
    return list(cases(load_all(root)))


@cache
def _computations(root: Path) -> list[ComputationCase]:
    return list(computations.cases(computations.load_all(root)))


def _answers_differently(model: Any, case: ComputationCase) -> bool:
    """Return whether a computation rejects the mutant. A crash is a rejection."""
    try:
        return computations.answer(case.profile, decode_inputs(case.inputs), model) != case.expectation.expect
    except (ArithmeticError, ValueError, LookupError, TypeError):
        return True


def _difference(controller: Any, case: Case) -> str:
    """Return by what the case rejects the mutant: ``windows``, ``state`` or nothing. A crash is a rejection."""
    seen = ""
    try:
        state = controller.create(case.vector.algorithm, case.profile, config_from_json(case.vector.config))
        allowed = case.allowed()
        for index, (event, expected) in enumerate(zip(case.events, case.expected(), strict=True)):
            state, observation = controller.step(state, event)
            if any(
                _plain(getattr(observation, name)) != expected.get(name)
                for name in WINDOWS
                if name not in allowed[index]
            ):
                return "windows"
            if any(_value(observation, name) not in values for name, values in allowed[index].items()):
                return "windows"
            if "trigger" not in allowed[index] and _value(observation, "trigger") != expected.get("trigger"):
                return "windows"
            if _value(observation, "outcome") != expected["outcome"] or observation.state != expected["state"]:
                seen = "state"
    except (ArithmeticError, ValueError, LookupError, TypeError):
        return "windows"
    return seen


def _value(observation: Any, name: str) -> Any:
    if name == "trigger":
        return observation.triggers[0].value if observation.triggers else None
    return _plain(getattr(observation, name))


def _plain(value: Any) -> Any:
    return getattr(value, "value", value)

"""Closed-loop cases: a scenario of the path simulator, judged for one profile (``spec/adapter-protocol.md``)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from firstflight import Controller, create, profiles
from firstflight.controller import ALGORITHMS
from firstflight.events import SavedPath
from firstflight_conformance.adapters.messages import Message
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.format.wire import encode_int
from firstflight_conformance.simulate.native_bounds import check_scenario
from firstflight_conformance.simulate.scenario import Scenario, ScenarioError, load_scenario, scenario_files

#: Folder name of closed-loop scenarios, in the folder of common scenarios and of each algorithm.
CLOSED_LOOP = "closed-loop"
#: Prefix of the ids of closed-loop cases.
PREFIX = "stimulus:"
TIER = "stimulus"


@dataclass(frozen=True, slots=True)
class LoopScenario:
    """A scenario of the path simulator for one algorithm. Cases are selected by ``id``, ``tier`` and ``flags``.

    ``tier``: ``stimulus``, the tier of all scenarios; vectors have other tiers. ``flags``: keywords for the contents of
    a case, such as ``loss``.
    """

    scenario: Scenario
    algorithm: str
    tier: str = TIER
    flags: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Id without the profile."""
        return f"{PREFIX}{Path(self.scenario.name).stem}@{self.algorithm}"


@dataclass(frozen=True, slots=True)
class StimulusCase:
    """A scenario judged for one profile, with the adapter in the loop."""

    vector: LoopScenario
    profile: str

    @property
    def id(self) -> str:
        """Id of the case in selections and reports."""
        return f"{self.vector.id}/{self.profile}"

    @property
    def scenario(self) -> Scenario:
        """The path and the transfer."""
        return self.vector.scenario

    def controller(self) -> Controller:
        """Return a new controller of the model."""
        return create(self.vector.algorithm, self.profile, self.scenario.config)

    @property
    def config(self) -> dict[str, Any]:
        """The configuration of the controller in its JSON form."""
        config = self.scenario.config
        window_bytes = config.initial_window_bytes
        return {
            "max_datagram_size_bytes": config.max_datagram_size_bytes,
            "initial_window_bytes": None if window_bytes is None else encode_int(window_bytes),
        }


AnyCase = Case | ComputationCase | StimulusCase


class StimulusScript:
    """A closed-loop case as the runner plays it."""

    def __init__(self, case: StimulusCase) -> None:
        """Store the case."""
        self.case = case

    @cached_property
    def start(self) -> Message:
        """The message that starts the case."""
        case = self.case
        return {
            "op": "start",
            "case": case.id,
            "algorithm": case.vector.algorithm,
            "profile": case.profile,
            "config": case.config,
        }


def load_stimulus(path: Path) -> Scenario:
    """Load a closed-loop scenario. Raise :class:`ScenarioError` if it is malformed or its data is unlimited."""
    scenario = load_scenario(path)
    check_scenario(scenario)
    if scenario.transfer_bytes is None:
        raise ScenarioError(
            f"{path}: $.sender.transfer_bytes: closed loop needs a number, to limit the data if windows are wrong"
        )
    return scenario


def stimulus_cases(paths: Sequence[Path] = (), scenarios: Sequence[Scenario] = ()) -> list[StimulusCase]:
    """Return a case for each scenario and each profile of an algorithm that processes events, if the scenario fits it.

    ``paths`` and ``scenarios``: the scenarios; without both, the scenarios of the checkout. Algorithms that only
    compute numbers, such as transfer times, are omitted. A scenario with a saved window applies to Careful Resume only.
    Other scenarios may list algorithms that they apply to and profiles that they do not apply to.
    """
    selected = [*map(load_stimulus, paths), *scenarios] or list(scenarios_of_the_checkout())
    return [
        StimulusCase(LoopScenario(scenario, algorithm), profile)
        for scenario in selected
        for algorithm, names in profiles(composed=True).items()
        if _is_for(scenario, algorithm)
        for profile in names
        if is_for_profile(scenario, algorithm, profile)
    ]


def is_for_profile(scenario: Scenario, algorithm: str, profile: str) -> bool:
    """Return whether a profile models all events of the scenario: BBR's ProbeRTT, for example, is not modelled for Linux."""
    return f"{algorithm}/{profile}" not in scenario.not_for


def _is_for(scenario: Scenario, algorithm: str) -> bool:
    named = not scenario.algorithms or algorithm in scenario.algorithms
    return named and (scenario.saved_cwnd_bytes is None or ALGORITHMS[algorithm].started_by is SavedPath)


def scenarios_for(algorithm: str) -> list[Scenario]:
    """Return the scenarios of the checkout for an algorithm."""
    return [scenario for scenario in scenarios_of_the_checkout() if _is_for(scenario, algorithm)]


@cache
def scenarios_of_the_checkout() -> tuple[Scenario, ...]:
    """Return the closed-loop scenarios of the checkout, sorted by name."""
    return tuple(load_stimulus(path) for path in scenario_files(CLOSED_LOOP).values())

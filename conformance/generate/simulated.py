"""Stimuli recorded from the path simulator, as listed in the scenarios."""

from typing import Any

from firstflight import create
from firstflight_conformance.replay.stimulus import Stimulus
from firstflight_conformance.simulate.loop import simulate
from firstflight_conformance.simulate.scenario import Scenario, load_scenario, scenario_files


def load_scenarios() -> list[Scenario]:
    """Load every scenario that defines vectors, by name."""
    return [load_scenario(path) for path in scenario_files().values()]


def stimuli() -> list[Stimulus]:
    """Run the scenarios and return the stimuli."""
    return [_stimulus(scenario, entry) for scenario in load_scenarios() for entry in scenario.vectors]


def _stimulus(scenario: Scenario, entry: dict[str, Any]) -> Stimulus:
    algorithm = entry["id"].split(".", 1)[0]
    recording = simulate(scenario, create(algorithm, entry["loop"], scenario.config))
    return Stimulus(
        id=entry["id"],
        title=entry["title"],
        why=entry["why"],
        tier="core",
        profiles=tuple(entry["profiles"]),
        source={"kind": "simulator", "scenario": scenario.name, "loop": entry["loop"], "sources": entry["sources"]},
        config=scenario.config,
        events=recording.events,
        flags=("paced",) if scenario.paced else (),
        alternatives=tuple(entry.get("alternatives", ())),
    )

"""``firstflight simulate``: run a scenario of the path simulator."""

import json
from pathlib import Path
from typing import Any

import click

from firstflight import DomainError, create, profiles
from firstflight_conformance.commands.options import PLOT_FILE, InputError
from firstflight_conformance.format.wire import event_to_json, observation_to_json
from firstflight_conformance.run.selection import unknown_hint
from firstflight_conformance.simulate.loop import ModelLoopRun, simulate, summarize
from firstflight_conformance.simulate.scenario import ScenarioError, load_scenario


@click.command("simulate")
@click.argument("scenario_file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--algorithm", default="search", help="Algorithm of the controller.")
@click.option(
    "--profile",
    help="Profile of the controller. Default: lanman-2024, or the first profile of another algorithm.",
)
@click.option("--json", "as_json", is_flag=True, help="Print each event with its observables as a JSON line.")
@click.option("--plot", type=PLOT_FILE, help="Draw window, flight and bins to this SVG or PNG file.")
def simulate_command(
    *, scenario_file: Path, algorithm: str, profile: str | None, as_json: bool, plot: Path | None
) -> None:
    """Simulate a controller over the path of SCENARIO_FILE and print a summary."""
    if algorithm not in profiles():
        raise InputError(f"--algorithm {algorithm}: {unknown_hint(algorithm, list(profiles()))}")
    profile = profile or _default_profile(algorithm)
    try:
        scenario = load_scenario(scenario_file)
        recording = simulate(scenario, create(algorithm, profile, scenario.config))
    except (ScenarioError, DomainError) as error:
        raise InputError(str(error)) from error
    if as_json:
        for event, observation in zip(recording.events, recording.observations, strict=True):
            click.echo(json.dumps({"event": event_to_json(event), "observed": observation_to_json(observation)}))
    else:
        for name, value in summary(recording).items():
            click.echo(f"{name:28} {value}")
    if plot is not None:
        _draw(recording, profile, f"{scenario.title}: {algorithm}/{profile}", plot)


def _default_profile(algorithm: str) -> str:
    return "lanman-2024" if algorithm == "search" else profiles()[algorithm][0]


def _draw(recording: ModelLoopRun, profile: str, title: str, plot: Path) -> None:
    from firstflight_conformance.plots.vectors import plot_recording  # matplotlib takes a second to load

    plot_recording(recording.events, recording.observations, plot, profile=profile, title=title)
    click.echo(f"plot written to {plot}")


def summary(recording: ModelLoopRun) -> dict[str, Any]:
    """Return the summary: duration, end of slow start, windows and lost packets."""
    run_summary = summarize(recording)
    return {
        "events": run_summary.events,
        "duration_ms": run_summary.duration_ns // 1_000_000,
        "slow_start_ended_ms": "never"
        if run_summary.slow_start_ended_ns is None
        else run_summary.slow_start_ended_ns // 1_000_000,
        "by": "-" if run_summary.ended_by is None else run_summary.ended_by.value,
        "largest_cwnd_bytes": run_summary.largest_cwnd_bytes,
        "final_cwnd_bytes": run_summary.final_cwnd_bytes,
        "dropped_by_queue_packets": run_summary.dropped_packets,
        "lost_on_link_packets": run_summary.lost_packets,
    }

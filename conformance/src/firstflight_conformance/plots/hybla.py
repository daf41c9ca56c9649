"""Slow start and Hybla on one path, drawn: the window of each, and what it loses."""

from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

from firstflight import create
from firstflight_conformance.cases.measure import replay
from firstflight_conformance.paths import SCENARIOS
from firstflight_conformance.plots.careful_resume import STYLE
from firstflight_conformance.simulator.loop import simulate
from firstflight_conformance.simulator.scenario import load_scenario

#: Algorithm, profile, colour, what the legend says.
FLOWS = (
    ("slow-start", "rfc-9002", "#999999", "slow start"),
    ("hybla", "ns-3", "#009e73", "Hybla in ns-3"),
    ("hybla", "linux", "#d55e00", "Hybla on Linux"),
    ("hybla", "picoquic", "#0072b2", "Hybla in picoquic"),
)


def plot_path(path: Path) -> None:
    """Draw the window of each flow over the scenario of its vectors."""
    scenario = load_scenario(SCENARIOS / "hybla.json")
    figure = Figure(figsize=(7.6, 3.6), layout="constrained")
    axes = figure.subplots()
    for algorithm, profile, colour, label in FLOWS:
        controller = create(algorithm, profile, scenario.config)
        recording = simulate(scenario, controller)
        seen = replay(controller, list(recording.events))
        seconds = [(event.t_ns - recording.events[0].t_ns) / 1e9 for event in recording.events]
        lost = recording.dropped_packets
        axes.step(
            [*seconds, scenario.stop_ns / 1e9],
            [one.cwnd_bytes / 1000 for one in [*seen, seen[-1]]],
            where="post",
            color=colour,
            linewidth=1.2,
            label=f"{label}: {lost or 'nothing'} lost",
        )
    axes.set(xlim=(0, scenario.stop_ns / 1e9), ylim=(0, None), xlabel="time (s)", ylabel="congestion window (kB)")
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None, "Creator": None} if path.suffix == ".svg" else None)


def write_plots(folder: Path) -> None:
    """Draw the plot of the specification page."""
    with matplotlib.rc_context(STYLE):
        plot_path(folder / "path.svg")

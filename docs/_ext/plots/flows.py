"""Plots of several controllers on one path: their windows and losses."""

from collections.abc import Callable, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from firstflight import create
from firstflight_conformance.plots.style import save, styled
from firstflight_conformance.simulate.loop import simulate
from firstflight_conformance.simulate.scenario import Scenario, load_scenario, scenario_files

#: Algorithm, profile, colour, label in the legend.
Flow = tuple[str, str, str, str]


def plot_flows(
    scenario_name: str, flows: Sequence[Flow], path: Path, mark: Callable[[Axes, Scenario], None] | None = None
) -> None:
    """Draw the window of each flow over a scenario, and the additions of ``mark``; write SVG or PNG by suffix."""
    with styled():
        scenario = load_scenario(scenario_files()[f"{scenario_name}.json"])
        figure = Figure(figsize=(7.6, 3.6), layout="constrained")
        axes = figure.subplots()
        for algorithm, profile, colour, label in flows:
            recording = simulate(scenario, create(algorithm, profile, scenario.config))
            observations = recording.observations
            seconds = [(event.t_ns - recording.events[0].t_ns) / 1e9 for event in recording.events]
            lost = recording.dropped_packets
            axes.step(
                [*seconds, scenario.stop_ns / 1e9],
                [observation.cwnd_bytes / 1000 for observation in [*observations, observations[-1]]],
                where="post",
                color=colour,
                linewidth=1.2,
                label=f"{label}: {lost or 'nothing'} lost",
            )
        axes.set(xlim=(0, scenario.stop_ns / 1e9), ylim=(0, None), xlabel="time (s)", ylabel="congestion window (kB)")
        if mark is not None:
            mark(axes, scenario)
        axes.legend()
        save(figure, path)

"""One simulated path under every profile of SEARCH: a panel and a row of results for each."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from firstflight import create
from firstflight.events import Ack, Lost, Sent
from firstflight.observables import Outcome
from firstflight.search.profiles import PROFILES
from firstflight_conformance.paths import SCENARIOS
from firstflight_conformance.plots.style import save, styled
from firstflight_conformance.simulate.loop import ModelLoopRun, simulate
from firstflight_conformance.simulate.scenario import load_scenario

SCENARIO = "deep-queue-paced"
#: Below the folder of the documentation, outside the folder of the vectors' plots, where unknown files are deleted.
_FOLDER = "_generated/paths"
RESULTS = f"{_FOLDER}/results.json"
PLOT = f"{_FOLDER}/profiles.svg"
_COLUMNS = 3
_ENDS = {Outcome.EXITED: "SEARCH", Outcome.REDUCED: "a loss", Outcome.COLLAPSED: "persistent congestion"}
_MARKS = {Outcome.EXITED: "D", Outcome.DRAINED: "s", Outcome.REDUCED: "v"}


@dataclass(frozen=True, slots=True)
class _Run:
    profile: str
    recording: ModelLoopRun

    @property
    def pairs(self) -> list[tuple[Any, Any]]:
        return list(zip(self.recording.events, self.recording.observations, strict=True))


def write_paths(folder: Path) -> None:
    """Run the scenario under every profile; write the plot and the results below the folder of the documentation."""
    scenario = load_scenario(SCENARIOS / f"{SCENARIO}.json")
    runs = [_Run(profile, simulate(scenario, create("search", profile, scenario.config))) for profile in PROFILES]
    (folder / _FOLDER).mkdir(parents=True, exist_ok=True)
    (folder / RESULTS).write_text(json.dumps([_result(run) for run in runs], indent=1) + "\n", "utf-8")
    with styled():
        save(_draw(runs), folder / PLOT)


def _result(run: _Run) -> dict[str, Any]:
    rtts_ns = [e.latest_rtt_ns for e in run.recording.events if isinstance(e, Ack) and e.latest_rtt_ns is not None]
    rtt_ns, before = rtts_ns[0], run.recording.observations[0]
    for event, observation in run.pairs:
        if isinstance(event, Ack) and event.latest_rtt_ns is not None:
            rtt_ns = event.latest_rtt_ns
        if observation.outcome in _ENDS:
            return {
                "profile": run.profile,
                "by": _ENDS[observation.outcome],
                "end_ms": round((event.t_ns - run.recording.events[0].t_ns) / 1e6),
                "cwnd_bytes": before.cwnd_bytes,
                "rtt_ratio": f"{rtt_ns / rtts_ns[0]:.2f}",
                "after_bytes": run.recording.observations[-1].cwnd_bytes,
                "dropped_packets": run.recording.dropped_packets,
            }
        before = observation
    raise ValueError(f"{run.profile}: slow start does not end in {SCENARIO}")


def _draw(runs: list[_Run]) -> Figure:
    rows = -(-len(runs) // _COLUMNS)
    figure = Figure(figsize=(7.6, 1.75 * rows + 0.3), layout="constrained")
    panels = list(figure.subplots(rows, _COLUMNS, sharex=True, sharey=True).flat)
    for axes, run in zip(panels, runs, strict=False):
        _draw_run(axes, run)
    for index in range(len(runs), len(panels)):
        panels[index].set_visible(False)
        panels[index - _COLUMNS].tick_params(labelbottom=True)  # the lowest panel of its column now
    figure.supxlabel("time since the first event (s)", fontsize=9)
    figure.supylabel("kB", fontsize=9)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper left", ncols=len(labels), columnspacing=1.2, handletextpad=0.5)
    return figure


def _draw_run(axes: Axes, run: _Run) -> None:
    origin_ns = run.recording.events[0].t_ns
    times = [(event.t_ns - origin_ns) / 1e9 for event in run.recording.events]
    flights = [
        ((e.t_ns - origin_ns) / 1e9, e.bytes_in_flight / 1e3)
        for e in run.recording.events
        if isinstance(e, Sent | Ack | Lost)
    ]
    observations = run.recording.observations
    axes.step(*zip(*flights, strict=True), where="post", color="#999999", linewidth=0.8, label="bytes in flight")
    axes.step(
        times,
        [observation.cwnd_bytes / 1e3 for observation in observations],
        where="post",
        color="#0072b2",
        linewidth=1.6,
        label="cwnd",
    )
    thresholds = [
        float("nan") if observation.ssthresh_bytes is None else observation.ssthresh_bytes / 1e3
        for observation in observations
    ]
    axes.step(times, thresholds, "--", where="post", color="#d55e00", linewidth=1.1, label="ssthresh")
    targets = [
        float("nan") if (t := observation.state["target_bytes"]) is None else t / 1e3 for observation in observations
    ]
    axes.step(times, targets, ":", where="post", color="#009e73", linewidth=1.6, label="target of the drain")
    for outcome, marker in _MARKS.items():
        label = {Outcome.EXITED: "exit", Outcome.DRAINED: "drained", Outcome.REDUCED: "loss"}[outcome]
        points = [
            (x, observation.cwnd_bytes / 1e3)
            for x, observation in zip(times, observations, strict=True)
            if observation.outcome is outcome
        ]
        xs, ys = zip(*points, strict=True) if points else ((), ())
        axes.plot(
            xs, ys, marker, color="#e69f00", markersize=5.5, markeredgecolor="black", markeredgewidth=0.7,
            linestyle="none", label=label, zorder=5,
        )  # fmt: skip
    axes.set_title(run.profile, fontsize=9, loc="left", pad=3)
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.yaxis.set_major_locator(MaxNLocator(4))

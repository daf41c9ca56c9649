"""Two plots of Careful Resume: a resumption from start to end, and one that ends in Safe Retreat; phases are shaded."""

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from firstflight import Observation, Phase, create
from firstflight.events import Ack, Event, Lost, Sent
from firstflight_conformance.plots.style import save, styled
from firstflight_conformance.simulate.loop import simulate
from firstflight_conformance.simulate.scenario import load_scenario, scenario_files

_SHADES = {
    Phase.RECONNAISSANCE: "#e8f1fa",
    Phase.UNVALIDATED: "#fdebd0",
    Phase.VALIDATING: "#e3f4e8",
    Phase.SAFE_RETREAT: "#f9dcdc",
}
_S = 10**9


def plot_resumption(scenario_name: str, path: Path, until_s: int) -> None:
    """Simulate a scenario and draw window, bytes in flight and PipeSize of the first seconds."""
    scenario = load_scenario(scenario_files()[f"{scenario_name}.json"])
    recording = simulate(scenario, create("careful-resume", "rfc-9959", scenario.config))
    steps = [
        (event, seen)
        for event, seen in zip(recording.events, recording.observations, strict=True)
        if event.t_ns - _S <= until_s * _S
    ]
    figure = Figure(figsize=(7.6, 3.6), layout="constrained")
    axes = figure.subplots()
    _shade(axes, steps)
    times = [_seconds(event) for event, _ in steps]
    _line(axes, times, [seen.cwnd_bytes for _, seen in steps], "#0072b2", "congestion window")
    flight = [(_seconds(e), e.bytes_in_flight) for e, _ in steps if isinstance(e, Sent | Ack | Lost)]
    _line(axes, [t for t, _ in flight], [size for _, size in flight], "#009e73", "bytes in flight")
    pipe = [(_seconds(e), s.state["pipesize_bytes"]) for e, s in steps if s.state["pipesize_bytes"] is not None]
    _line(axes, [t for t, _ in pipe], [size or 0 for _, size in pipe], "#d55e00", "PipeSize")
    axes.set_xlabel("time since the first event (s)")
    axes.set_ylabel("kB")
    axes.set_xlim(0, max(times))
    axes.set_ylim(bottom=0)
    figure.legend(loc="outside upper center", ncols=4)  # above the axes: it would cover the jump
    save(figure, path)


def _seconds(event: Event) -> float:
    return (event.t_ns - _S) / _S


def _line(axes: Axes, times: list[float], sizes: list[int], colour: str, label: str) -> None:
    axes.step(times, [size / 1000 for size in sizes], where="post", color=colour, linewidth=1.2, label=label)


def _shade(axes: Axes, steps: list[tuple[Event, Observation]]) -> None:
    begin, phase = 0.0, steps[0][1].phase
    for event, seen in [*steps, (steps[-1][0], None)]:
        if seen is not None and seen.phase is phase:
            continue
        end = _seconds(event)
        if phase in _SHADES:
            axes.axvspan(begin, end, color=_SHADES[phase], linewidth=0, label=phase.value.replace("_", " "))
        if seen is not None:
            begin, phase = end, seen.phase


def write_plots(folder: Path) -> None:
    """Draw both plots."""
    with styled():
        plot_resumption("resume-fits", folder / "resume.svg", 3)
        plot_resumption("resume-overshoots", folder / "retreat.svg", 6)

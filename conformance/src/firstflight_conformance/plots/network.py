"""Plots of networks: windows, flights, queue, rates and phases over time; for a single flow, the bins of SEARCH."""

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from firstflight import DomainError, create
from firstflight.observables import Phase
from firstflight.search.profiles import PROFILES
from firstflight_conformance.plots.bins import Bins, follow
from firstflight_conformance.plots.bins_panels import draw_bins
from firstflight_conformance.plots.style import save, styled
from firstflight_conformance.plots.units import Unit, bytes_unit, time_unit
from firstflight_conformance.simulate.dumbbell import FlowResult, NetworkResult

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
_PHASE_COLOURS = {
    Phase.SLOW_START: "#9ecae1",
    Phase.RECOVERY: "#de2d26",
    Phase.CONGESTION_AVOIDANCE: "#a1d99b",
    Phase.JUMP: "#fdae6b",
    Phase.NORMAL: "#a1d99b",
    Phase.RECONNAISSANCE: "#9ecae1",
    Phase.UNVALIDATED: "#fdae6b",
    Phase.VALIDATING: "#bcbddc",
    Phase.SAFE_RETREAT: "#de2d26",
}
_WIDTH_INCHES = 7.6


def plot_network(result: NetworkResult, path: Path) -> None:
    """Draw a result and write the plot as SVG or PNG by suffix. Equal results give equal SVG files."""
    with styled():
        figure = _draw(result)
        save(figure, path)


def _draw(result: NetworkResult) -> Figure:
    bins = _bins(result)
    heights = [2.6, 1.4, 1.6, 0.25 + 0.3 * len(result.flows)] + ([1.8] if bins is not None else [])
    figure = Figure(figsize=(_WIDTH_INCHES, sum(heights) + 1.1), layout="constrained")
    panels = list(figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0])
    unit = time_unit(result.ended_ns)
    times = [unit.of((n + 1) * result.network.sample_ns) for n in range(len(result.queue_bytes))]
    _draw_windows(panels[0], result, times)
    _draw_queue(panels[1], result, times)
    _draw_rates(panels[2], result, times)
    _draw_phases(panels[3], result, unit)
    if bins is not None:
        draw_bins(panels[4], bins, unit)
    panels[0].set_xlim(0, unit.of(result.ended_ns))
    panels[-1].set_xlabel(f"time since the start ({unit.name})")
    figure.suptitle(result.network.title, fontsize=10, wrap=True)
    return figure


def _draw_windows(axes: Axes, result: NetworkResult, times: list[float]) -> None:
    highest = max((max(flow.samples.bytes_in_flight, default=0) for flow in result.flows), default=0)
    size = bytes_unit(highest or 1)
    for number, flow in enumerate(result.flows):
        colour = _COLOURS[number % len(_COLOURS)]
        label = flow.name if len(result.flows) > 1 else flow.controller
        windows = [size.of(value) for value in flow.samples.cwnd_bytes]
        flights = [size.of(value) for value in flow.samples.bytes_in_flight]
        axes.step(times, windows, where="post", color=colour, linewidth=1.6, label=f"cwnd, {label}")
        axes.step(times, flights, where="post", color=colour, linewidth=0.8, alpha=0.7, label=f"in flight, {label}")
        if flow.first_loss_ns is not None and times:
            where = flow.first_loss_ns / result.network.sample_ns * times[0]
            axes.plot([where], [0.045], "x", color="#c00000", transform=axes.get_xaxis_transform(), clip_on=False)
    axes.set_ylabel(f"window ({size.name})")
    # The window of an idle flow may be far above the bytes in flight.
    axes.set_ylim(0, 1.6 * size.of(highest or 1))
    axes.legend(loc="upper left", ncols=2)


def _draw_queue(axes: Axes, result: NetworkResult, times: list[float]) -> None:
    size = bytes_unit(max(result.queue_bytes, default=0) or 1)
    axes.fill_between(times, [size.of(value) for value in result.queue_bytes], step="post", color="#7f8c99")
    axes.set_ylabel(f"queue ({size.name})")
    axes.set_ylim(bottom=0)


def _draw_rates(axes: Axes, result: NetworkResult, times: list[float]) -> None:
    for number, flow in enumerate(result.flows):
        rates = [rate / 1e6 for rate in flow.samples.rates_bps(result.network.sample_ns)]
        axes.step(times, rates, where="pre", color=_COLOURS[number % len(_COLOURS)], linewidth=1.2)
    axes.axhline(result.network.link.rate_bps / 1e6, color="#555555", linewidth=0.8, linestyle=":")
    axes.set_ylabel("delivered (Mbit/s)")
    axes.set_ylim(bottom=0)


def _draw_phases(axes: Axes, result: NetworkResult, unit: Unit) -> None:
    phases: dict[Phase, None] = {}
    for row, flow in enumerate(result.flows):
        for phase, begin_ns, end_ns in _phases(flow, result.ended_ns):
            phases[phase] = None
            axes.barh(row, unit.of(end_ns - begin_ns), left=unit.of(begin_ns), height=0.7, color=_colour(phase))
    axes.set_yticks(range(len(result.flows)), [flow.name for flow in result.flows])
    axes.invert_yaxis()
    axes.grid(False)
    names: dict[str, list[str]] = {}
    for phase in phases:
        names.setdefault(_colour(phase), []).append(phase.value.replace("_", " "))
    handles = [Patch(color=colour, label=", ".join(words)) for colour, words in names.items()]
    axes.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 1), ncols=3, borderaxespad=0.2)


def _colour(phase: Phase) -> str:
    return _PHASE_COLOURS.get(phase, "#b4b4b4")


def _phases(flow: FlowResult, ended_ns: int) -> list[tuple[Phase, int, int]]:
    """Return the phases of a flow with begin and end. The last phase ends when the flow completes."""
    last_ns = ended_ns if flow.acknowledged_ns is None else flow.acknowledged_ns
    ends = [turn.t_ns for turn in flow.turns[1:]] + [last_ns]
    return [(turn.phase, turn.t_ns, end_ns) for turn, end_ns in zip(flow.turns, ends, strict=True)]


def _bins(result: NetworkResult) -> Bins | None:
    """Return the bins of SEARCH in the first flow, or None without recorded events or without SEARCH."""
    flow, plan = result.flows[0], result.network.flows[0]
    algorithm, _, profile = plan.controller.partition("/")
    readings = PROFILES.get(profile.partition("+")[0])
    if not flow.events or algorithm != "search" or readings is None:
        return None
    config = plan.transfer.config
    try:
        _, bins = follow(profile, readings, config, flow.events, create(algorithm, profile, config))
    except DomainError:
        return None
    return bins

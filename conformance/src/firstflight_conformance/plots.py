"""Plots of vectors and simulator recordings: windows over time, and for SEARCH the bins that decide when it exits.

A plot depends on nothing but its arguments: the same input gives the same SVG, byte for byte.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from firstflight import create
from firstflight.events import Ack, Ce, Event, Lost, PersistentCongestion, Pto, Sent
from firstflight.observables import Observation, Outcome
from firstflight_conformance.measure import config_from_json, replay
from firstflight_conformance.plot_bins import Bins, bins_of, draw_bins, draw_differences
from firstflight_conformance.plot_units import Unit, bytes_unit, time_unit
from firstflight_conformance.vectors import Case, Vector
from firstflight_conformance.wire import event_from_json

_STYLE: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": "#555555",
    "axes.grid": True,
    "axes.labelsize": 9,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.family": "sans-serif",
    "font.size": 9,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "savefig.facecolor": "white",
    "svg.fonttype": "none",
    "svg.hashsalt": "firstflight",
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
}
#: Colours that readers with colour vision deficiencies tell apart.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
_WIDTH_INCHES = 7.6
#: How long a stream of one moment is taken to be, to choose a unit.
_MOMENT_NS = 10**7
#: Up to so many events are drawn with a marker each.
_FEW_EVENTS = 24
#: Turns of the window: label, marker, outcomes.
_TURNS = (("exit", "D", (Outcome.EXITED,)), ("reduction", "v", (Outcome.REDUCED, Outcome.COLLAPSED)))


@dataclass(frozen=True, slots=True)
class Trace:
    """One controller's answers to a stream. ``profile`` names the line in the legend."""

    profile: str
    events: Sequence[Event]
    observations: Sequence[Observation]


def plot_vector(vector: Vector, path: Path) -> None:
    """Draw every profile of a vector, each up to its last judged event, and write the plot as SVG or PNG by suffix."""
    traces = []
    for profile in vector.profiles:
        events = [event_from_json(raw) for raw in Case(vector, profile).events]
        controller = create(vector.algorithm, profile, config_from_json(vector.config))
        traces.append(Trace(profile, events, replay(controller, events)))
    _write(traces, "", path)


def plot_recording(
    events: Sequence[Event], observations: Sequence[Observation], path: Path, *, profile: str = "cwnd", title: str = ""
) -> None:
    """Draw a recording of the path simulator and write the plot as SVG or PNG by suffix.

    ``profile`` names the profile in the loop; a profile of SEARCH makes the windows of its last evaluation exact.
    """
    _write([Trace(profile, events, observations)], title, path)


def _write(traces: Sequence[Trace], title: str, path: Path) -> None:
    with matplotlib.rc_context(_STYLE):
        figure = _draw(traces, title)
        metadata = {"Date": None, "Creator": None} if path.suffix == ".svg" else {"Software": None}
        figure.savefig(path, dpi=150, metadata=metadata)


def _draw(traces: Sequence[Trace], title: str) -> Figure:
    scale = _scale(traces)
    bins = _deciding_bins(traces, scale.origin_ns)
    heights = [2.5 if len(traces[0].events) > _FEW_EVENTS or bins else 1.9]
    if bins is not None:
        heights += [1.9] + ([1.2] if len(bins.evaluations) > 2 else [])
    figure = Figure(figsize=(_WIDTH_INCHES, sum(heights) + 0.5), layout="constrained")
    panels: list[Axes] = list(figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0])
    _draw_windows(panels[0], traces, scale)
    if bins is not None:
        _draw_search(panels[1:], bins, scale.unit)
    panels[-1].set_xlabel(f"time since the first event ({scale.unit.name})")
    panels[-1].xaxis.set_major_locator(MaxNLocator(10))
    if title:
        figure.suptitle(title, fontsize=11)
    return figure


@dataclass(frozen=True, slots=True)
class _Scale:
    """Where the axes begin and what their units are. ``zoomed``: the vertical axis does not begin at 0."""

    origin_ns: int
    last_ns: int
    unit: Unit
    size: Unit
    zoomed: bool

    def x(self, t_ns: int) -> float:
        return self.unit.of(t_ns - self.origin_ns)

    @property
    def last(self) -> float:
        return self.x(self.last_ns)

    @property
    def end(self) -> float:
        """A little after the last event, so that what follows it shows."""
        return self.last * 1.03 or 1.0


def _scale(traces: Sequence[Trace]) -> _Scale:
    origin_ns = traces[0].events[0].t_ns
    last_ns = max(trace.events[-1].t_ns for trace in traces)
    windows = [seen.cwnd_bytes for trace in traces for seen in trace.observations]
    in_flight = [e.bytes_in_flight for trace in traces for e in trace.events if isinstance(e, Sent | Ack | Lost)]
    # A window that is far above what is in flight moves little: show how it moves.
    zoomed = 2 * max(in_flight, default=0) < min(windows) and min(windows) > 0.8 * max(windows)
    return _Scale(origin_ns, last_ns, time_unit(last_ns - origin_ns or _MOMENT_NS), bytes_unit(max(windows)), zoomed)


def _deciding_bins(traces: Sequence[Trace], origin_ns: int) -> Bins | None:
    """Return the bins of the first profile that compared windows, else those of the first profile."""
    found = [bins_of(trace.profile, trace.events, trace.observations, origin_ns) for trace in traces]
    return next((bins for bins in found if bins is not None and bins.decision is not None), found[0])


def _draw_search(panels: Sequence[Axes], bins: Bins, unit: Unit) -> None:
    draw_bins(panels[0], bins, unit)
    if len(panels) > 1:
        draw_differences(panels[1], bins, unit)
    decision = bins.decision
    if decision is not None:
        for panel in panels:
            panel.axvline(unit.of(decision.t_ns), color="#333333", linewidth=0.8, linestyle=":")


def _draw_windows(axes: Axes, traces: Sequence[Trace], scale: "_Scale") -> None:
    for number, trace in enumerate(traces):
        _draw_trace(axes, trace, number, len(traces), scale)
    if not scale.zoomed:
        _draw_in_flight(axes, max(traces, key=lambda trace: len(trace.events)), scale)
        axes.set_ylim(0, axes.get_ylim()[1] * 1.04)
    for label, marker, outcomes in _TURNS:
        _mark(axes, traces, label, marker, outcomes, scale)
    _draw_events(axes, max((trace.events for trace in traces), key=len), scale)
    axes.set_ylabel(f"window ({scale.size.name})")
    axes.yaxis.set_major_locator(MaxNLocator(6))
    axes.yaxis.get_major_formatter().set_useOffset(False)  # type: ignore[attr-defined]
    handles, labels = axes.get_legend_handles_labels()
    columns = 3 if len(handles) > 5 else 5
    axes.legend(
        handles, labels, loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncols=columns, columnspacing=1.4,
        handletextpad=0.5,
    )  # fmt: skip


def _draw_in_flight(axes: Axes, trace: Trace, scale: "_Scale") -> None:
    points = [(e.t_ns, e.bytes_in_flight) for e in trace.events if isinstance(e, Sent | Ack | Lost)]
    axes.step(
        [scale.x(t_ns) for t_ns, _ in points] + [scale.end],
        [scale.size.of(in_flight_bytes) for _, in_flight_bytes in [*points, points[-1]]],
        where="post",
        color="#999999",
        linewidth=0.8,
        label="bytes in flight",
        zorder=1.8,
    )


def _draw_trace(axes: Axes, trace: Trace, number: int, count: int, scale: "_Scale") -> None:
    colour = _COLOURS[number % len(_COLOURS)]
    times = [scale.x(event.t_ns) for event in trace.events]
    tail = [scale.end] if times[-1] == scale.last else []
    seen = [*trace.observations, *([trace.observations[-1]] if tail else [])]
    # The first of several lines is the widest, so that it shows where another one lies on it.
    width = 1.6 + 1.6 * (count - 1 - number)
    windows = [scale.size.of(one.cwnd_bytes) for one in seen]
    axes.step(times + tail, windows, where="post", color=colour, linewidth=width, label=f"cwnd {trace.profile}")
    if len(times) <= _FEW_EVENTS:
        axes.plot(times, windows[: len(times)], "o", color=colour, markersize=3.5 + width)
    if any(one.ssthresh_bytes is not None for one in seen):
        thresholds = [float("nan") if s.ssthresh_bytes is None else scale.size.of(s.ssthresh_bytes) for s in seen]
        style = (0, (4, 2))
        axes.step(times + tail, thresholds, where="post", color=colour, linewidth=0.7 * width, linestyle=style)
        if number == 0:
            axes.plot([], [], color="black", linewidth=1, linestyle=style, label="ssthresh")


def _mark(
    axes: Axes, traces: Sequence[Trace], label: str, marker: str, outcomes: Sequence[Outcome], scale: "_Scale"
) -> None:
    drawn = False
    for number, trace in enumerate(traces):
        hits = [
            (scale.x(event.t_ns), scale.size.of(seen.cwnd_bytes))
            for event, seen in zip(trace.events, trace.observations, strict=True)
            if seen.outcome in outcomes
        ]
        if hits:
            axes.plot(
                [x for x, _ in hits], [y for _, y in hits], marker, color=_COLOURS[number % len(_COLOURS)],
                markersize=8, markeredgecolor="black", markeredgewidth=0.8, linestyle="none", zorder=5, clip_on=False,
            )  # fmt: skip
            drawn = True
    if drawn:
        axes.plot([], [], marker, color="white", markeredgecolor="black", markersize=7, linestyle="none", label=label)


#: Events other than packets sent and acknowledged: kind, marker, colour, label.
_EVENT_MARKS: tuple[tuple[type[Event], str, str, str], ...] = (
    (Lost, "x", "#c00000", "lost"),
    (Ce, "*", "#b8860b", "ECN-CE"),
    (PersistentCongestion, "X", "#7b1fa2", "persistent congestion"),
    (Pto, "+", "#333333", "PTO"),
)


def _draw_events(axes: Axes, events: Sequence[Event], scale: "_Scale") -> None:
    height = 0.045
    for kind, marker, colour, label in _EVENT_MARKS:
        times = [scale.x(event.t_ns) for event in events if isinstance(event, kind)]
        if times:
            axes.plot(
                times, [height] * len(times), marker, color=colour, markersize=6, linestyle="none", label=label,
                transform=axes.get_xaxis_transform(), zorder=6, clip_on=False,
            )  # fmt: skip
            height += 0.09  # so that events at one time do not hide each other

"""Plots of vectors and simulator recordings: windows over time, and for SEARCH the bins that decide when it exits.

A plot depends on nothing but its arguments: the same input gives the same SVG, byte for byte.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from firstflight import Config, create
from firstflight.errors import DomainError
from firstflight.events import Ack, Ce, Event, Lost, PersistentCongestion, Pto, Sent
from firstflight.observables import Observation, Outcome
from firstflight.search.profiles import PROFILES
from firstflight_conformance.cases.measure import config_from_json
from firstflight_conformance.cases.vectors import Case, Vector
from firstflight_conformance.plots.bins import Bins, draw_bins, draw_differences, follow
from firstflight_conformance.plots.units import Unit, bytes_unit, time_unit

#: How all plots of the site look.
STYLE: Any = {
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
#: Colours that readers with colour vision deficiencies tell apart, and that of all lines beyond them.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
_REST_COLOUR = "#b4b4b4"
_WIDTH_INCHES = 7.6
_LEGEND_ROW_INCHES = 0.19
#: How many characters a row of the legend holds, and up to how many profiles of a line it names.
_LEGEND_CHARACTERS, _NAMED_PROFILES = 104, 6
#: How long a stream of one moment is taken to be, to choose a unit.
_MOMENT_NS = 10**7
#: Up to so many events are drawn with a marker each.
_FEW_EVENTS = 24
#: Turns of the window: label, marker, outcomes.
_TURNS = (
    ("exit", "D", (Outcome.EXITED,)),
    ("drained", "s", (Outcome.DRAINED,)),
    ("reduction", "v", (Outcome.REDUCED, Outcome.COLLAPSED)),
)
#: How the text of a vector names profiles other than by their name.
_CALLED = {"Literal": "lanman-2024-literal", "Recommended": "lanman-2024"}


@dataclass(frozen=True, slots=True)
class _Trace:
    """One controller's answers to a stream. ``names`` are the profiles that answer so; ``bins`` are those of the first."""

    names: tuple[str, ...]
    events: Sequence[Event]
    observations: Sequence[Observation]
    bins: Bins | None = None

    @property
    def label(self) -> str:
        """What the legend says of the line."""
        return "cwnd" if self.names == ("cwnd",) else f"cwnd {', '.join(self.names)}"

    def same_line(self, other: "_Trace") -> bool:
        """Return whether the lines and marks of two traces coincide."""
        return len(self.events) == len(other.events) and all(
            (one.cwnd_bytes, one.ssthresh_bytes) == (two.cwnd_bytes, two.ssthresh_bytes)
            and _turn(one.outcome) == _turn(two.outcome)
            for one, two in zip(self.observations, other.observations, strict=True)
        )


def _turn(outcome: Outcome) -> str | None:
    return next((label for label, _, outcomes in _TURNS if outcome in outcomes), None)


def plot_vector(vector: Vector, path: Path) -> None:
    """Draw every profile of a vector, each up to its last judged event, and write the plot as SVG or PNG by suffix."""
    traces = []
    config = config_from_json(vector.config)
    for profile in vector.profiles:
        mine = Case(vector, profile).events
        readings = PROFILES[profile.partition("+")[0]] if vector.algorithm == "search" else None
        observations, bins = follow(profile, readings, config, mine, create(vector.algorithm, profile, config))
        traces.append(_Trace((profile,), mine, observations, bins))
    shown = _shown_bins([trace.bins for trace in traces if trace.bins is not None], vector.why)
    groups = _grouped(traces)
    # If there are more lines than colours, the profile whose bins are shown and the largest groups have one.
    if len(groups) > len(_COLOURS):
        groups.sort(key=lambda group: (shown is None or shown.profile not in group.names, -len(group.names)))
    _write(groups, shown, "", path)


def _shown_bins(bins: Sequence[Bins], why: str) -> Bins | None:
    """Return the bins to be drawn: of the profiles that the text is about, the first that left slow start, or compared.

    The text comes first, and then the order of the profiles, since no panel has room for more than one.
    """
    places = {profile: re.search(rf"(?<![\w-]){profile}(?![\w-])", why) for profile in (one.profile for one in bins)}
    places |= {profile: places.get(profile) or re.search(rf"{word}\b", why) for word, profile in _CALLED.items()}
    named = sorted((m.start(), one.profile) for one in bins if (m := places[one.profile]) is not None)
    by_name = {one.profile: one for one in bins}
    about = [by_name[profile] for _, profile in named] or list(bins)
    exited = [one for one in about if one.decision is not None and one.decision.outcome is Outcome.EXITED]
    compared = [one for one in [*about, *bins] if one.decision is not None]
    return next(iter([*exited, *compared, *bins]), None)


def _grouped(traces: Sequence[_Trace]) -> list[_Trace]:
    """Return one trace for all profiles whose lines coincide."""
    groups: list[_Trace] = []
    for trace in traces:
        place = next((n for n, group in enumerate(groups) if group.same_line(trace)), None)
        if place is None:
            groups.append(trace)
        else:
            group = groups[place]
            groups[place] = _Trace(group.names + trace.names, group.events, group.observations, group.bins)
    return groups


def plot_recording(
    events: Sequence[Event], observations: Sequence[Observation], path: Path, *, profile: str = "cwnd", title: str = ""
) -> None:
    """Draw a recording of the path simulator and write the plot as SVG or PNG by suffix.

    ``profile`` names the profile in the loop; the bins of a profile of SEARCH are drawn if it answers again as recorded.
    """
    trace = _Trace((profile,), events, observations, _bins_again(events, observations, profile))
    _write([trace], trace.bins, title, path)


def _bins_again(events: Sequence[Event], observations: Sequence[Observation], profile: str) -> Bins | None:
    sizes = [run.size_bytes for event in events if isinstance(event, Sent) for run in event.packets]
    if profile not in PROFILES or not sizes:
        return None
    config = Config(max(sizes), observations[0].cwnd_bytes)
    try:
        again, bins = follow(profile, PROFILES[profile], config, events)
    except DomainError:
        return None
    return bins if again == list(observations) else None


def _write(traces: Sequence[_Trace], bins: Bins | None, title: str, path: Path) -> None:
    with matplotlib.rc_context(STYLE):
        figure = _draw(traces, bins, title)
        metadata = {"Date": None, "Creator": None} if path.suffix == ".svg" else {"Software": None}
        figure.savefig(path, dpi=150, metadata=metadata)


def _draw(traces: Sequence[_Trace], bins: Bins | None, title: str) -> Figure:
    scale = _scale(traces)
    legend = _legend_lines(traces)
    rows = sum(text.count("\n") + 1 for text in legend) + 1
    heights = [_LEGEND_ROW_INCHES * rows, 2.5 if len(traces[0].events) > _FEW_EVENTS or bins else 1.9]
    if bins is not None:
        heights += [1.9] + ([1.2] if len(bins.evaluations) > 2 else [])
    figure = Figure(figsize=(_WIDTH_INCHES, sum(heights) + 0.6), layout="constrained")
    panels: list[Axes] = list(figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0])
    _draw_windows(panels[1], traces, scale)
    _draw_legend(panels[0], panels[1], legend)
    if bins is not None:
        _draw_search(panels[2:], bins, scale.unit)
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


def _scale(traces: Sequence[_Trace]) -> _Scale:
    origin_ns = traces[0].events[0].t_ns
    last_ns = max(trace.events[-1].t_ns for trace in traces)
    windows = [seen.cwnd_bytes for trace in traces for seen in trace.observations]
    in_flight = [e.bytes_in_flight for trace in traces for e in trace.events if isinstance(e, Sent | Ack | Lost)]
    # A window that is far above what is in flight moves little: show how it moves.
    zoomed = 2 * max(in_flight, default=0) < min(windows) and min(windows) > 0.8 * max(windows)
    return _Scale(origin_ns, last_ns, time_unit(last_ns - origin_ns or _MOMENT_NS), bytes_unit(max(windows)), zoomed)


def _draw_search(panels: Sequence[Axes], bins: Bins, unit: Unit) -> None:
    draw_bins(panels[0], bins, unit)
    if len(panels) > 1:
        draw_differences(panels[1], bins, unit)
    decision = bins.decision
    if decision is not None:
        for panel in panels:
            panel.axvline(unit.of(decision.t_ns), color="#333333", linewidth=0.8, linestyle=":")


def _draw_windows(axes: Axes, traces: Sequence[_Trace], scale: "_Scale") -> None:
    for number, trace in enumerate(traces):
        _draw_trace(axes, trace, number, len(traces), scale)
    _draw_targets(axes, traces, scale)
    if not scale.zoomed:
        _draw_in_flight(axes, max(traces, key=lambda trace: len(trace.events)), scale)
        axes.set_ylim(0, axes.get_ylim()[1] * 1.04)
    for label, marker, outcomes in _TURNS:
        _mark(axes, traces, label, marker, outcomes, scale)
    _draw_events(axes, max((trace.events for trace in traces), key=len), scale)
    axes.set_ylabel(f"window ({scale.size.name})")
    axes.yaxis.set_major_locator(MaxNLocator(6))
    axes.yaxis.get_major_formatter().set_useOffset(False)  # type: ignore[attr-defined]


def _legend_lines(traces: Sequence[_Trace]) -> list[str]:
    """Return what the legend says of the lines: one text for each colour."""
    texts = [_legend_text(trace, len(traces)) for trace in traces[: len(_COLOURS)]]
    rest = traces[len(_COLOURS) :]
    if rest:
        texts.append(f"cwnd of the others: {'; '.join(', '.join(trace.names) for trace in rest)}")
    return ["\n".join(wrap(text, _LEGEND_CHARACTERS, break_on_hyphens=False)) for text in texts]


def _legend_text(trace: _Trace, groups: int) -> str:
    many = len(trace.names)
    if many > _NAMED_PROFILES:
        return f"cwnd of all {many} profiles" if groups == 1 else f"cwnd of the other {many} profiles"
    return trace.label


def _draw_legend(axes: Axes, panel: Axes, texts: Sequence[str]) -> None:
    """Draw the legend of a panel: lines one below the other, then marks and all the rest in one row."""
    axes.set_axis_off()
    handles, labels = panel.get_legend_handles_labels()
    lines = [handle for handle, label in zip(handles, labels, strict=True) if label.startswith("cwnd")]
    others = [(handle, label) for handle, label in zip(handles, labels, strict=True) if not label.startswith("cwnd")]
    style: Any = {"borderaxespad": 0.0, "borderpad": 0.0, "labelspacing": 0.25, "handletextpad": 0.5}
    axes.add_artist(axes.legend(lines, texts, loc="upper left", **style))
    axes.legend(
        [handle for handle, _ in others], [label for _, label in others], loc="lower left", ncols=len(others) or 1,
        columnspacing=1.4, **style,
    )  # fmt: skip


def _draw_targets(axes: Axes, traces: Sequence[_Trace], scale: "_Scale") -> None:
    """Draw what each flight is drained to, while it is."""
    drawn = False
    for number, trace in enumerate(traces):
        targets = [seen.state.get("target_bytes") for seen in trace.observations]
        if any(target is not None for target in targets):
            times = [scale.x(event.t_ns) for event in trace.events]
            sizes = [float("nan") if target is None else scale.size.of(target) for target in targets]
            tail = ([scale.end], sizes[-1:]) if times[-1] == scale.last else ([], [])
            axes.step(times + tail[0], sizes + tail[1], ":", where="post", color=_colour(number), linewidth=1.8)
            drawn = True
    if drawn:
        axes.plot([], [], ":", color="black", linewidth=1.8, label="target of the drain")


def _draw_in_flight(axes: Axes, trace: _Trace, scale: "_Scale") -> None:
    points = [(e.t_ns, e.bytes_in_flight) for e in trace.events if isinstance(e, Sent | Ack | Lost)]
    if not points:  # nothing was ever sent
        return
    axes.step(
        [scale.x(t_ns) for t_ns, _ in points] + [scale.end],
        [scale.size.of(in_flight_bytes) for _, in_flight_bytes in [*points, points[-1]]],
        where="post",
        color="#999999",
        linewidth=0.8,
        label="bytes in flight",
        zorder=1.8,
    )


def _colour(number: int) -> str:
    return _COLOURS[number] if number < len(_COLOURS) else _REST_COLOUR


def _draw_trace(axes: Axes, trace: _Trace, number: int, count: int, scale: "_Scale") -> None:
    rest = number >= len(_COLOURS)
    colour = _colour(number)
    times = [scale.x(event.t_ns) for event in trace.events]
    tail = [scale.end] if times[-1] == scale.last else []
    seen = [*trace.observations, *([trace.observations[-1]] if tail else [])]
    # The first of several lines is the widest, so that it shows where another one lies on it.
    width = 1.2 if rest else 1.5 + 0.6 * (min(count, len(_COLOURS)) - 1 - number)
    windows = [scale.size.of(one.cwnd_bytes) for one in seen]
    label = trace.label if number <= len(_COLOURS) else "_"
    order = 1.9 if rest else 2
    axes.step(times + tail, windows, where="post", color=colour, linewidth=width, label=label, zorder=order)
    if len(times) <= _FEW_EVENTS:
        axes.plot(times, windows[: len(times)], "o", color=colour, markersize=3.5 + width, zorder=order)
    if any(one.ssthresh_bytes is not None for one in seen):
        thresholds = [float("nan") if s.ssthresh_bytes is None else scale.size.of(s.ssthresh_bytes) for s in seen]
        style = (0, (4, 2))
        axes.step(
            times + tail, thresholds, where="post", color=colour, linewidth=max(0.5 * width, 0.8), linestyle=style
        )
        if "ssthresh" not in axes.get_legend_handles_labels()[1]:
            axes.plot([], [], color="black", linewidth=1, linestyle=style, label="ssthresh")


def _mark(
    axes: Axes, traces: Sequence[_Trace], label: str, marker: str, outcomes: Sequence[Outcome], scale: "_Scale"
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
                [x for x, _ in hits], [y for _, y in hits], marker, color=_colour(number),
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

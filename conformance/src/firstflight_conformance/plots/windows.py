"""The panel of windows over time in a plot, with its legend."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from firstflight.events import Ack, Ce, Event, Lost, PersistentCongestion, Pto, Sent
from firstflight.observables import Observation, Outcome
from firstflight_conformance.plots.bins import Bins
from firstflight_conformance.plots.units import Unit, bytes_unit, time_unit

#: Colours distinguishable with colour vision deficiencies, and the colour of all further lines.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
_REST_COLOUR = "#b4b4b4"
#: Maximum number of characters in a row of the legend, and of listed profiles of a line.
_LEGEND_CHARACTERS, _NAMED_PROFILES = 104, 6
#: Width of a mark in the legend with its padding, in characters.
_MARK_CHARACTERS = 5
#: Maximum number of events drawn with a marker each.
FEW_EVENTS = 24
#: Assumed duration, for the choice of a unit, of a stream with a single time.
_MOMENT_NS = 10**7
#: Turns of the window: label, marker, outcomes.
TURNS = (
    ("exit", "D", (Outcome.EXITED,)),
    ("drained", "s", (Outcome.DRAINED,)),
    ("reduction", "v", (Outcome.REDUCED, Outcome.COLLAPSED)),
)


@dataclass(frozen=True, slots=True)
class WindowTrace:
    """The observations of a controller after each event of a stream. ``names``: profiles with these observations.

    ``bins``: bins of SEARCH in the first of these profiles, or None without bins.
    """

    names: tuple[str, ...]
    events: Sequence[Event]
    observations: Sequence[Observation]
    bins: Bins | None = None

    @property
    def label(self) -> str:
        """Text of the line in the legend."""
        return "cwnd" if self.names == ("cwnd",) else f"cwnd {', '.join(self.names)}"


@dataclass(frozen=True, slots=True)
class Scale:
    """Origin and units of the axes. ``zoomed``: the vertical axis does not begin at 0."""

    origin_ns: int
    last_ns: int
    unit: Unit
    size: Unit
    zoomed: bool

    def x(self, t_ns: int) -> float:
        """Return the position of a time on the axis."""
        return self.unit.of(t_ns - self.origin_ns)

    @property
    def last(self) -> float:
        """Position of the last event."""
        return self.x(self.last_ns)

    @property
    def end(self) -> float:
        """End of the axis, a little after the last event so that its effect is visible."""
        return self.last * 1.03 or 1.0


def scale_of(traces: Sequence[WindowTrace]) -> Scale:
    """Return the common scale of all traces."""
    origin_ns = traces[0].events[0].t_ns
    last_ns = max(trace.events[-1].t_ns for trace in traces)
    windows = [observation.cwnd_bytes for trace in traces for observation in trace.observations]
    in_flight = [e.bytes_in_flight for trace in traces for e in trace.events if isinstance(e, Sent | Ack | Lost)]
    # A window far above the bytes in flight changes little: zoom in on the changes.
    zoomed = 2 * max(in_flight, default=0) < min(windows) and min(windows) > 0.8 * max(windows)
    return Scale(origin_ns, last_ns, time_unit(last_ns - origin_ns or _MOMENT_NS), bytes_unit(max(windows)), zoomed)


def draw_windows(axes: Axes, traces: Sequence[WindowTrace], scale: Scale) -> None:
    """Draw cwnd and ssthresh of all traces, the window targets of SEARCH's drain, bytes in flight, and marks.

    Marks show exits from slow start, ends of drains, reductions of the window, losses, ECN-CE marks, persistent
    congestion and PTOs.
    """
    for number, trace in enumerate(traces):
        _draw_trace(axes, trace, number, len(traces), scale)
    _draw_targets(axes, traces, scale)
    if not scale.zoomed:
        _draw_in_flight(axes, max(traces, key=lambda trace: len(trace.events)), scale)
        axes.set_ylim(0, axes.get_ylim()[1] * 1.04)
    for label, marker, outcomes in TURNS:
        _mark(axes, traces, label, marker, outcomes, scale)
    _draw_events(axes, max((trace.events for trace in traces), key=len), scale)
    axes.set_ylabel(f"window ({scale.size.name})")
    axes.yaxis.set_major_locator(MaxNLocator(6))
    axes.yaxis.get_major_formatter().set_useOffset(False)  # type: ignore[attr-defined]


def legend_lines(traces: Sequence[WindowTrace]) -> list[str]:
    """Return the texts of the lines in the legend, one for each colour."""
    texts = [_legend_text(trace, len(traces)) for trace in traces[: len(COLOURS)]]
    rest = traces[len(COLOURS) :]
    if rest:
        texts.append(f"cwnd of the others: {'; '.join(', '.join(trace.names) for trace in rest)}")
    return ["\n".join(wrap(text, _LEGEND_CHARACTERS, break_on_hyphens=False)) for text in texts]


def _legend_text(trace: WindowTrace, groups: int) -> str:
    many = len(trace.names)
    if many > _NAMED_PROFILES:
        return f"cwnd of all {many} profiles" if groups == 1 else f"cwnd of the other {many} profiles"
    return trace.label


def draw_legend(axes: Axes, panel: Axes, texts: Sequence[str]) -> None:
    """Draw the legend of a panel: the lines below each other, then the marks in one or two rows."""
    axes.set_axis_off()
    handles, labels = panel.get_legend_handles_labels()
    lines = [handle for handle, label in zip(handles, labels, strict=True) if label.startswith("cwnd")]
    marks = [(handle, label) for handle, label in zip(handles, labels, strict=True) if not label.startswith("cwnd")]
    style: Any = {"borderaxespad": 0.0, "borderpad": 0.0, "labelspacing": 0.25, "handletextpad": 0.5}
    axes.add_artist(axes.legend(lines, texts, loc="upper left", **style))
    rows = 1 if sum(len(label) + _MARK_CHARACTERS for _, label in marks) <= _LEGEND_CHARACTERS else 2
    axes.legend(
        [handle for handle, _ in marks], [label for _, label in marks], loc="lower left", ncols=-(-len(marks) // rows) or 1,
        columnspacing=1.4 if len(marks) <= rows * 6 else 0.6, **style,
    )  # fmt: skip


def _draw_targets(axes: Axes, traces: Sequence[WindowTrace], scale: Scale) -> None:
    """Draw the target window of each drain of SEARCH, the window that ends it, while the drain lasts."""
    drawn = False
    for number, trace in enumerate(traces):
        targets = [observation.state.get("target_bytes") for observation in trace.observations]
        if any(target is not None for target in targets):
            times = [scale.x(event.t_ns) for event in trace.events]
            sizes = [float("nan") if target is None else scale.size.of(target) for target in targets]
            tail = ([scale.end], sizes[-1:]) if times[-1] == scale.last else ([], [])
            axes.step(times + tail[0], sizes + tail[1], ":", where="post", color=_colour(number), linewidth=1.8)
            drawn = True
    if drawn:
        axes.plot([], [], ":", color="black", linewidth=1.8, label="target of the drain")


def _draw_in_flight(axes: Axes, trace: WindowTrace, scale: Scale) -> None:
    points = [(e.t_ns, e.bytes_in_flight) for e in trace.events if isinstance(e, Sent | Ack | Lost)]
    if not points:  # a stream without packets
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
    return COLOURS[number] if number < len(COLOURS) else _REST_COLOUR


def _draw_trace(axes: Axes, trace: WindowTrace, number: int, count: int, scale: Scale) -> None:
    rest = number >= len(COLOURS)
    colour = _colour(number)
    times = [scale.x(event.t_ns) for event in trace.events]
    tail = [scale.end] if times[-1] == scale.last else []
    observations = [*trace.observations, *([trace.observations[-1]] if tail else [])]
    # Earlier lines are wider, so that they stay visible below later ones.
    width = 1.2 if rest else 1.5 + 0.6 * (min(count, len(COLOURS)) - 1 - number)
    windows = [scale.size.of(observation.cwnd_bytes) for observation in observations]
    label = trace.label if number <= len(COLOURS) else "_"
    order = 1.9 if rest else 2
    axes.step(times + tail, windows, where="post", color=colour, linewidth=width, label=label, zorder=order)
    if len(times) <= FEW_EVENTS:
        axes.plot(times, windows[: len(times)], "o", color=colour, markersize=3.5 + width, zorder=order)
    if any(observation.ssthresh_bytes is not None for observation in observations):
        thresholds = [
            float("nan") if s.ssthresh_bytes is None else scale.size.of(s.ssthresh_bytes) for s in observations
        ]
        style = (0, (4, 2))
        axes.step(
            times + tail, thresholds, where="post", color=colour, linewidth=max(0.5 * width, 0.8), linestyle=style
        )
        if "ssthresh" not in axes.get_legend_handles_labels()[1]:
            axes.plot([], [], color="black", linewidth=1, linestyle=style, label="ssthresh")


def _mark(
    axes: Axes, traces: Sequence[WindowTrace], label: str, marker: str, outcomes: Sequence[Outcome], scale: Scale
) -> None:
    drawn = False
    for number, trace in enumerate(traces):
        hits = [
            (scale.x(event.t_ns), scale.size.of(observation.cwnd_bytes))
            for event, observation in zip(trace.events, trace.observations, strict=True)
            if observation.outcome in outcomes
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


def _draw_events(axes: Axes, events: Sequence[Event], scale: Scale) -> None:
    height = 0.045
    for kind, marker, colour, label in _EVENT_MARKS:
        times = [scale.x(event.t_ns) for event in events if isinstance(event, kind)]
        if times:
            axes.plot(
                times, [height] * len(times), marker, color=colour, markersize=6, linestyle="none", label=label,
                transform=axes.get_xaxis_transform(), zorder=6, clip_on=False,
            )  # fmt: skip
            height += 0.09  # keeps simultaneous events visible

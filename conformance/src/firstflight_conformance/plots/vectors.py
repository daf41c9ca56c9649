"""Plots of recordings of the path simulator and of vectors: windows over time, and for SEARCH the deciding bins.

A plot depends only on its arguments: equal input gives equal SVG files.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from firstflight import Config
from firstflight.errors import DomainError
from firstflight.events import Event, Sent
from firstflight.observables import Observation
from firstflight.search.profiles import PROFILES
from firstflight_conformance.plots.bins import Bins, follow
from firstflight_conformance.plots.bins_panels import draw_bins, draw_differences
from firstflight_conformance.plots.panels import fit_left, stacked
from firstflight_conformance.plots.style import save, styled
from firstflight_conformance.plots.units import Unit
from firstflight_conformance.plots.windows import (
    FEW_EVENTS,
    WindowTrace,
    draw_legend,
    draw_windows,
    legend_lines,
    scale_of,
)

_LEGEND_ROW_INCHES = 0.175
_TITLE_INCHES = 0.35


def plot_recording(
    events: Sequence[Event], observations: Sequence[Observation], path: Path, *, profile: str = "cwnd", title: str = ""
) -> None:
    """Draw a recording of the path simulator and write the plot as SVG or PNG by suffix.

    ``profile``: the profile in the loop. The bins of SEARCH are drawn if the profile gives the recorded answers again.
    """
    trace = WindowTrace((profile,), events, observations, _bins_again(events, observations, profile))
    write([trace], trace.bins, title, path)


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


def write(traces: Sequence[WindowTrace], bins: Bins | None, title: str, path: Path, own: Any = None) -> None:
    """Write a plot of traces. ``own``: draws additional content next to the windows and in panels below them."""
    with styled():
        figure = _draw(traces, bins, title, own)
        save(figure, path)


def _draw(traces: Sequence[WindowTrace], bins: Bins | None, title: str, own: Any) -> Figure:
    scale = scale_of(traces)
    legend = legend_lines(traces)
    rows = sum(text.count("\n") + 1 for text in legend) + 1
    heights = [_LEGEND_ROW_INCHES * rows, 2.2 if len(traces[0].events) > FEW_EVENTS or bins else 1.6]
    if bins is not None:
        heights += [1.6] + ([1.1] if len(bins.evaluations) > 2 else [])
    above = [0.0, 0.12, 0.42, 0.14][: len(heights)]
    if own is not None:
        heights, above = [heights[0] + own.legend_inches, *heights[1:], *own.heights], above + [0.14] * len(own.heights)
    figure, panels = stacked(heights, above, _TITLE_INCHES if title else 0.08)
    draw_windows(panels[1], traces, scale)
    if own is not None:
        own.draw([panels[1], *panels[len(panels) - len(own.heights) :]], traces, scale)
    draw_legend(panels[0], panels[1], legend)
    if bins is not None:
        _draw_search(panels[2:], bins, scale.unit)
    panels[-1].set_xlabel(f"time since the first event ({scale.unit.name})")
    panels[-1].xaxis.set_major_locator(MaxNLocator(10))
    fit_left(figure, panels[1:])
    if title:
        figure.suptitle(title, fontsize=11)
    return figure


def _draw_search(panels: Sequence[Axes], bins: Bins, unit: Unit) -> None:
    draw_bins(panels[0], bins, unit)
    if len(panels) > 1:
        draw_differences(panels[1], bins, unit)
    decision = bins.decision
    if decision is not None:
        for panel in panels:
            panel.axvline(unit.of(decision.t_ns), color="#333333", linewidth=0.8, linestyle=":")

"""Plots of vectors and simulator recordings: windows over time, and for SEARCH the bins that decide when it exits.

A plot depends on nothing but its arguments: the same input gives the same SVG, byte for byte.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from firstflight import Config, create
from firstflight.errors import DomainError
from firstflight.events import Event, Sent
from firstflight.observables import Observation, Outcome
from firstflight.search.profiles import PROFILES
from firstflight_conformance.cases.measure import config_from_json
from firstflight_conformance.cases.vectors import Case, Vector
from firstflight_conformance.plots.bins import Bins, follow
from firstflight_conformance.plots.bins_panels import draw_bins, draw_differences
from firstflight_conformance.plots.panels import fit_left, stacked
from firstflight_conformance.plots.style import save, styled
from firstflight_conformance.plots.units import Unit
from firstflight_conformance.plots.windows import (
    COLOURS,
    FEW_EVENTS,
    Trace,
    draw_legend,
    draw_windows,
    legend_lines,
    scale_of,
)

_LEGEND_ROW_INCHES = 0.175
_TITLE_INCHES = 0.35
#: How the text of a vector names profiles other than by their name.
_CALLED = {"Literal": "lanman-2024-literal", "Recommended": "lanman-2024"}


def plot_vector(vector: Vector, path: Path, own: Any = None) -> None:
    """Draw every profile of a vector, each up to its last judged event, and write the plot as SVG or PNG by suffix.

    ``own``: what else is drawn, beside the windows and in panels below them; it says their heights.
    """
    traces = []
    config = config_from_json(vector.config)
    for profile in vector.profiles:
        mine = Case(vector, profile).events
        readings = PROFILES[profile.partition("+")[0]] if vector.algorithm == "search" else None
        observations, bins = follow(profile, readings, config, mine, create(vector.algorithm, profile, config))
        traces.append(Trace((profile,), mine, observations, bins))
    shown = _shown_bins([trace.bins for trace in traces if trace.bins is not None], vector.why)
    groups = _grouped(traces)
    # If there are more lines than colours, the profile whose bins are shown and the largest groups have one.
    if len(groups) > len(COLOURS):
        groups.sort(key=lambda group: (shown is None or shown.profile not in group.names, -len(group.names)))
    _write(groups, shown, "", path, own)


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


def _grouped(traces: Sequence[Trace]) -> list[Trace]:
    """Return one trace for all profiles whose lines coincide."""
    groups: list[Trace] = []
    for trace in traces:
        place = next((n for n, group in enumerate(groups) if group.same_line(trace)), None)
        if place is None:
            groups.append(trace)
        else:
            group = groups[place]
            groups[place] = Trace(group.names + trace.names, group.events, group.observations, group.bins)
    return groups


def plot_recording(
    events: Sequence[Event], observations: Sequence[Observation], path: Path, *, profile: str = "cwnd", title: str = ""
) -> None:
    """Draw a recording of the path simulator and write the plot as SVG or PNG by suffix.

    ``profile`` names the profile in the loop; the bins of a profile of SEARCH are drawn if it answers again as recorded.
    """
    trace = Trace((profile,), events, observations, _bins_again(events, observations, profile))
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


def _write(traces: Sequence[Trace], bins: Bins | None, title: str, path: Path, own: Any = None) -> None:
    with styled():
        figure = _draw(traces, bins, title, own)
        save(figure, path)


def _draw(traces: Sequence[Trace], bins: Bins | None, title: str, own: Any) -> Figure:
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

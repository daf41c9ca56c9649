"""Duration of an upload with each start in quinn, run by run, compared with the path simulator."""

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from firstflight_conformance.plots.style import save, styled
from studies.live.starts import GAINS, PATHS, Took, load, predicted_ns

_COLOURS = {"slow-start": "#555555", "careful-resume": "#0072b2", "jumpstart": "#d55e00"}
_MS = 10**6


def draw(rows: list[Took]) -> Figure:
    """Return the figure: a panel for each path, in it the runs of each start as points and the prediction as a line."""
    figure = Figure(figsize=(9.2, 2.8), layout="constrained")
    panels = figure.subplots(1, len(PATHS))
    for axes, path in zip(panels, PATHS, strict=True):
        _draw_path(axes, path, [row for row in rows if row.path == path])
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure


def _draw_path(axes: Axes, path: str, rows: list[Took]) -> None:
    for place, row in enumerate(sorted(rows, key=lambda row: GAINS.index(row.algorithm))):
        colour, predicted_ms = _COLOURS[row.algorithm], predicted_ns(row) / _MS
        spread = [place + 0.12 * (number - (len(row.took_ns) - 1) / 2) for number in range(len(row.took_ns))]
        measured = [took / _MS for took in row.took_ns]
        axes.plot(measured, spread, "o", color=colour, markersize=4, label="_" if place else "measured")
        axes.vlines(predicted_ms, place - 0.4, place + 0.4, color=colour, label="_" if place else "simulated")
    axes.set(title=path, xlabel="ms", ylim=(len(GAINS) - 0.5, -0.5), yticks=range(len(GAINS)), yticklabels=GAINS)
    axes.set_xlim(0, 1.1 * max(max(row.took_ns) for row in rows) / _MS)


def write_plots(folder: Path) -> None:
    """Write the figure as SVG; the same numbers give the same bytes."""
    rows = [row for row in load() if row.algorithm in GAINS]
    if rows:
        with styled():
            save(draw(rows), folder / "starts.svg")

"""Heatmap of a sweep: one panel per algorithm, over the two axes with the most values."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize, TwoSlopeNorm
from matplotlib.figure import Figure

from firstflight_conformance.plots.style import save, styled
from firstflight_conformance.quantities import readable_rate, readable_time
from firstflight_conformance.sweeps.store import Row

#: Possible axes of a panel, with their labels and the formats of their values.
_AXES: dict[str, tuple[str, Any]] = {
    "rate_bps": ("rate", readable_rate),
    "rtt_ns": ("RTT", readable_time),
    "queue_bytes": ("queue (bytes)", lambda value: f"{value:,}"),
    "queue_products": ("queue (bandwidth-delay products)", lambda value: f"{value / 100:g}"),
    "loss_ppm": ("loss in a million", str),
    "size_bytes": ("size (bytes)", lambda value: f"{value:,}"),
}
_PANEL_INCHES, _COLUMN_INCHES, _ROW_INCHES = 2.4, 0.44, 0.36
#: Units of columns on the scale, by suffix, with their factors.
_SCALES = {"_ns": ("ms", 10**6), "_bytes": ("kB", 10**3), "_packets": ("packets", 1)}
Panel = dict[tuple[Any, Any], float]
Colours = Callable[[float], tuple[float, float, float]]


def write_heatmap(rows: Sequence[Row], column: str, path: Path, *, relative: bool) -> None:
    """Write a heatmap of the values of ``column`` to a file, with one panel per algorithm. Equal rows give equal files.

    The axes of each panel are the two parameters of the sweep (such as rate and RTT) with the most distinct values.
    ``relative``: draw ratios to the values of the first algorithm in the rows, and omit its panel.
    """
    with styled(grid=False):
        save(_draw(rows, column, relative=relative), path)


def longest_axes(rows: Sequence[Row]) -> tuple[str, str]:
    """Return the two columns with the most distinct values, the column with more distinct values first.

    The queue is given in bytes and in bandwidth-delay products. Only the form with fewer distinct values is
    considered, bytes if both are equal: in the other form each rate and RTT gives another value.
    """
    count = {axis: len({_at(row, axis) for row in rows}) for axis in _AXES if _at(rows[0], axis) is not None}
    if "queue_bytes" in count:
        del count["queue_products" if count["queue_bytes"] <= count["queue_products"] else "queue_bytes"]
    first, second = sorted(count, key=lambda axis: -count[axis])[:2]
    return first, second


def _at(row: Row, axis: str) -> Any:
    """Return the value of a row in the column ``axis``, or None without a value.

    For ``queue_products`` the result is computed from the queue in bytes, in hundredths of the bandwidth-delay product.
    """
    if axis == "queue_products" and row.get("queue_bytes") is not None:
        product = row["rate_bps"] * row["rtt_ns"] or 1
        return round(Fraction(100 * 8 * 10**9 * row["queue_bytes"], product))
    return row.get(axis)


def panels(rows: Sequence[Row], column: str, *, relative: bool) -> dict[str, Panel]:
    """Return the panel of each algorithm: the value of ``column`` at each position, a pair (x, y).

    x and y are the values of the two columns with the most distinct values. If several rows have the same position, the
    panel has the median of ``column`` over these rows. Rows without a value in ``column`` are ignored. ``relative``:
    divide by the value of the first algorithm, and omit its panel.
    """
    x, y = longest_axes(rows)
    values: dict[str, dict[tuple[Any, Any], list[int]]] = {}
    for row in rows:
        places = values.setdefault(row["algorithm"], {})
        if row[column] is not None:
            places.setdefault((_at(row, x), _at(row, y)), []).append(int(row[column]))
    medians = {name: {place: float(median(at)) for place, at in places.items()} for name, places in values.items()}
    if not relative:
        return medians
    reference, *algorithms = medians
    return {
        name: {at: v / b for at, v in medians[name].items() if (b := medians[reference].get(at))} for name in algorithms
    }


def _draw(rows: Sequence[Row], column: str, *, relative: bool) -> Figure:
    x, y = longest_axes(rows)
    xs, ys = (sorted({_at(row, axis) for row in rows}) for axis in (x, y))
    drawn = panels(rows, column, relative=relative)
    unit, base = next((scale for end, scale in _SCALES.items() if column.endswith(end)), ("", 1))
    if relative:
        unit, base = f"times that of {rows[0]['algorithm']}", 1
    colours = _colours([value / base for panel in drawn.values() for value in panel.values()], relative=relative)
    width = 0.9 + max(_PANEL_INCHES, _COLUMN_INCHES * len(xs)) * max(len(drawn), 1)
    figure = Figure((width, 1.35 + _ROW_INCHES * len(ys)), layout="constrained")
    for axes, (name, panel) in zip(
        figure.subplots(1, max(len(drawn), 1), squeeze=False)[0], drawn.items(), strict=False
    ):
        axes.set_title(name, fontsize=9)
        for (here_x, here_y), value in panel.items():
            _write(axes, xs.index(here_x), ys.index(here_y), value / base, colours)
        axes.set(xlim=(-0.5, len(xs) - 0.5), ylim=(-0.5, len(ys) - 0.5), xlabel=_AXES[x][0])
        axes.set_xticks(range(len(xs)), [_AXES[x][1](value) for value in xs], rotation=35, ha="right")
        axes.set_yticks(
            range(len(ys)), [_AXES[y][1](value) for value in ys] if axes.get_subplotspec().is_first_col() else []
        )
        if axes.get_subplotspec().is_first_col():
            axes.set_ylabel(_AXES[y][0])
    figure.suptitle(
        f"{column.rpartition('_')[0].replace('_', ' ') or column} ({unit})" if unit else column, fontsize=9.5
    )
    return figure


def _colours(values: Sequence[float], *, relative: bool) -> Colours:
    """Return a function that gives the colour of a value as (red, green, blue), each from 0 to 1.

    The scale covers ``values``. ``relative``: the values are ratios to the first algorithm. The scale is then centred
    at 1: blue is below 1, red above. Otherwise larger values are darker; the scale is logarithmic if the largest value
    is at least ten times the smallest.
    """
    low, high = min(values, default=0.0), max(values, default=1.0)
    norm: Normalize = Normalize(low, max(high, low + 1))
    if relative:  # blue is less than the first, red is more
        span = max(1 - low, high - 1, 0.01)
        norm = TwoSlopeNorm(1, 1 - span, 1 + span)
    elif low > 0 and high >= 10 * low:
        norm = LogNorm(low, high)
    colours = matplotlib.colormaps["RdBu_r" if relative else "YlOrBr"]
    return lambda value: colours(float(norm(value)))[:3]


def _write(axes: Axes, column: int, row: int, value: float, colours: Colours) -> None:
    """Fill a position with its colour and write its value in a contrasting colour."""
    red, green, blue = colours(value)
    axes.fill_between([column - 0.5, column + 0.5], row - 0.5, row + 0.5, color=(red, green, blue), linewidth=0)
    dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
    text = f"{value:.3g}" if value < 1000 else f"{value:,.0f}"
    axes.text(column, row, text, ha="center", va="center", fontsize=8, color="white" if dark else "black")

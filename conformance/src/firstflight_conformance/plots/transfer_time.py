"""Plots of response time and speedup over the size of the response."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from firstflight_conformance.plots.style import save, styled
from firstflight_conformance.sweep import Scheme, speedup

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
_STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1)), (0, (1, 1)))


def plot(
    schemes: Sequence[Scheme],
    reference: Scheme | None,
    sizes: Sequence[int],
    path: Path,
    *,
    title: str,
    times: bool = True,
) -> None:
    """Draw response times over size (if ``times``) and, with a reference, the speedup against it below."""
    with styled():
        panels = times + (reference is not None)
        figure = Figure(figsize=(7.2, 3.2 * panels if times else 3.6), layout="constrained")
        axes = figure.subplots(panels, 1, sharex=True, squeeze=False)
        drawn_schemes = [*schemes] if reference is None else [reference, *schemes]
        if times:
            _draw_times(axes[0][0], drawn_schemes, sizes)
        if reference is not None:
            _draw_speedups(axes[-1][0], schemes, reference, sizes)
        _finish(figure, axes[-1][0], title)
        save(figure, path)


def _draw_times(axes: Axes, schemes: Sequence[Scheme], sizes: Sequence[int]) -> None:
    for number, scheme in enumerate(schemes):
        times_ms = [float(scheme.response_time_ns(size) / 10**6) for size in sizes]
        axes.plot(sizes, times_ms, color=_COLOURS[number % 6], linestyle=_STYLES[number % 6], label=_label(scheme))
    axes.set_ylabel("response time (ms)")
    axes.set_yscale("log")  # keeps the steps of slow start visible next to large responses
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.legend()


def _draw_speedups(axes: Axes, schemes: Sequence[Scheme], reference: Scheme, sizes: Sequence[int]) -> None:
    for number, scheme in enumerate(schemes, 1):
        values = [float(speedup(scheme, reference, size)) for size in sizes]
        axes.plot(sizes, values, color=_COLOURS[number % 6], linestyle=_STYLES[number % 6], label=_label(scheme))
    axes.axhline(1, color="#7f8c99", linewidth=0.8)
    axes.set_ylabel(f"speedup over {_label(reference)}")
    axes.set_ylim(bottom=0)
    axes.legend()


def _finish(figure: Figure, axes: Axes, title: str) -> None:
    axes.set_xscale("log")
    axes.set_xlabel("size of the response")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _size(value)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    figure.suptitle(title, fontsize=10)


def _size(value: float) -> str:
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if value >= factor:
            return f"{value / factor:g} {unit}"
    return f"{value:g} B"


def _label(scheme: Scheme) -> str:
    return scheme.label or scheme.name

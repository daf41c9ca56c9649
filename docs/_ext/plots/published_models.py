"""Plots of response times, of the cells of the thesis, and of two flows over one bottleneck."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from firstflight_conformance import sweep
from firstflight_conformance.sweep import Scheme
from plots.published import COLOURS, MB, MBPS, PUBLISHED, Draw, S, figure, steps
from studies.published import load, scharf, sharing, thesis
from studies.published.load_runs import LOADS, MEANS_KB, name_of
from studies.published.scharf_runs import (
    GIGABIT,
    LAJW_SEGMENTS,
    MSS_BYTES,
    SEGMENTS,
    SIMULATED,
    TEN,
    model,
)
from studies.published.store import Data

_POINTS = 300


def _sizes_axis(axes: Axes) -> None:
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(
        FuncFormatter(lambda value, _: f"{value / 1e6:g} MB" if value >= 1e6 else f"{value / 1e3:g} kB")
    )
    axes.xaxis.set_minor_formatter(NullFormatter())


def cells(data: Data) -> Figure:
    """Draw the published cells over our cells, and the differences."""
    drawn = figure(3.4)
    left, right = drawn.subplots(1, 2, width_ratios=(3, 2))
    kilobytes = [1000 * size for size in thesis.COMPARED_KB]
    for name in ("cubic", "jumpstart"):
        left.plot(
            kilobytes, [t / S for t in data["sizes"][f"{name}_fct_ns"]], color=COLOURS[name], label=f"{name}, ours"
        )
        points = [
            (1000 * size, us)
            for _, algorithm, rate, delay, size, us in thesis.CELLS
            if (algorithm, rate, delay) == (name, 100, 25)
        ]
        left.plot(
            [x for x, _ in points],
            [us / 1e6 for _, us in points],
            "o",
            color=PUBLISHED,
            markerfacecolor="white",
            markersize=6,
            label="published" if name == "cubic" else None,
        )
        both = [
            (n, fct - 1000 * cell[5])
            for n, (cell, fct) in enumerate(zip(thesis.CELLS, data["cells"]["fct_ns"], strict=True))
            if cell[1] == name
        ]
        right.plot([n for n, _ in both], [d / 1000 for _, d in both], "o", color=COLOURS[name], label=name)
    right.axhspan(-0.5, 0.5, color="#eeeeee", zorder=0, label="last printed digit")
    right.set_ylim(-1, 1)
    right.set_ylabel("ours less published (us)")
    right.set_xlabel("cell, in the order of the table")
    right.legend(loc="lower right")
    _sizes_axis(left)
    left.set_xlabel("size, at 100 Mbit/s and 25 ms")
    left.set_ylabel("flow completion time (s)")
    left.set_ylim(bottom=0)
    left.legend()
    return drawn


def _schemes(rate_bps: int) -> list[tuple[str, Scheme, str]]:
    approved = 5_120_000 if rate_bps == TEN else 655_360_000
    return [
        ("slow-start", model("slow-start", rate_bps), "slow start, w = 3"),
        ("initial-start", model("initial-start", rate_bps, initial_window_segments=10), "Initial-Start, w = 10"),
        ("jump-start", model("jump-start", rate_bps), "Jump-Start, 64 KiB"),
        (
            "quick-start",
            model("quick-start", rate_bps, approved_rate_bps=approved),
            f"Quick-Start, {approved / 1e6:g} Mbit/s",
        ),
        ("more-start", model("more-start", rate_bps, approved_rate_bps=rate_bps), "More-Start, rate of the link"),
    ]


def times(data: Data) -> Figure:
    """Draw closed forms as lines and simulated responses as points, with the speedups below."""
    drawn = figure(5.8)
    grid = drawn.subplots(2, 2, sharex="col")
    for column, (rate, last, title) in enumerate(
        ((TEN, 3 * MB, "10 Mbit/s, 200 ms"), (GIGABIT, 3 * MB, "1 Gbit/s, 200 ms"))
    ):
        top, bottom = grid[0][column], grid[1][column]
        x = sweep.sizes(1000, last, _POINTS)
        reference = _schemes(rate)[0][1]
        for name, scheme, label in _schemes(rate):
            top.plot(
                x,
                [float(scheme.response_time_ns(size)) / S for size in x],
                color=COLOURS[name],
                label=label,
                linewidth=1.2,
            )
            if name != "slow-start":
                bottom.plot(
                    x, [float(sweep.speedup(scheme, reference, size)) for size in x], color=COLOURS[name], linewidth=1.2
                )
        _points(top, bottom, data, rate)
        top.set_title(title, fontsize=9)
        bottom.axhline(1, color="#7f8c99", linewidth=0.8)
        _sizes_axis(bottom)
        bottom.set_xlabel("size of the response")
        top.set_ylim(bottom=0)
        bottom.set_ylim(bottom=0)
    grid[0][0].set_ylabel("response time (s)")
    grid[1][0].set_ylabel("speedup over slow start")
    grid[0][0].plot([], [], "o", color="#666666", markersize=4, label="the same, simulated")
    grid[0][0].legend(loc="upper left")
    return drawn


def _points(top: Axes, bottom: Axes, data: Data, rate: int) -> None:
    x = [n * MSS_BYTES for n in SEGMENTS]
    slow = data[f"slow-start-{rate // 10**6}"]["response_ns"]
    names = [*SIMULATED, *(("quick-start", "more-start") if rate == TEN else ())]
    for name in names:
        response_ns = data[f"{name}-{rate // 10**6}"]["response_ns"]
        style: Any = {"color": COLOURS[name], "markersize": 4, "linestyle": "none", "marker": "o"}
        top.plot(x, [t / S for t in response_ns], **style)
        if name != "slow-start":
            bottom.plot(x, [a / b for a, b in zip(slow, response_ns, strict=True)], **style)


def jump_start(data: Data) -> Figure:
    """Draw the gain of Jump Start in the setting of 2007."""
    drawn = figure(3.0)
    axes = drawn.subplots()
    gain = [100 * float(ratio) for ratio in scharf.gains(data)]
    axes.axhspan(10, 50, color="#eeeeee", zorder=0, label="published for more than 2 segments: 10 to 40 and more")
    axes.plot(
        LAJW_SEGMENTS,
        gain,
        "o-",
        color=COLOURS["jump-start"],
        markersize=4,
        label="Jump Start against slow start, ours",
    )
    axes.axhline(0, color="#7f8c99", linewidth=0.8)
    axes.axvline(87.5, color="#c00000", linewidth=0.8, linestyle=":")
    axes.annotate(
        "drops from 88 on",
        (87.5, 3),
        fontsize=7.5,
        color="#c00000",
        ha="right",
        xytext=(-3, 0),
        textcoords="offset points",
    )
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_xlabel("segments of the response")
    axes.set_ylabel("shorter by (%)")
    axes.legend(loc="lower right")
    return drawn


def beside(data: Data) -> Figure:
    """Draw the response and the competing flow, for each start."""
    drawn = figure(1.4 * len(sharing.SCHEMES))
    grid = drawn.subplots(len(sharing.SCHEMES), 1, sharex=True)
    for axes, scheme in zip(grid, sharing.SCHEMES, strict=True):
        competing_bps, own = data[f"beside-{scheme}-50"]["rates_bps"]
        steps(axes, competing_bps, sharing.SAMPLE_NS, MBPS, "#999999", "flow without end, CUBIC")
        steps(axes, own, sharing.SAMPLE_NS, MBPS, _SCHEME_COLOURS[scheme], sharing.LABELS[scheme])
        axes.axhline(5, color=PUBLISHED, linewidth=0.8, linestyle=":", label="half of the link")
        axes.set_ylim(0, 13)
        axes.set_xlim(5, None)
        axes.set_ylabel("Mbit/s")
        axes.legend(loc="upper right", ncols=3)
    grid[-1].set_xlabel("time since the first flow began (s)")
    return drawn


_SCHEME_COLOURS = {
    "slow-start": COLOURS["slow-start"],
    "initial-10": COLOURS["initial-start"],
    "initial-83": "#009e73",
    "jump-start": COLOURS["jump-start"],
    "more-start": COLOURS["more-start"],
    "quick-start": COLOURS["quick-start"],
    "quick-start-denied": "#cc79a7",
}


def completion(data: Data) -> Figure:
    """Draw the duration of the response."""
    drawn = figure(3.2)
    panels = drawn.subplots(1, 2, sharey=True)
    for axes, queue in zip(panels, sharing.QUEUES, strict=True):
        for number, (place, shade) in enumerate((("alone", "#56b4e9"), ("beside", "#0072b2"))):
            seconds = [data[f"{place}-{scheme}-{queue}"]["completed_ns"] / S for scheme in sharing.SCHEMES]
            places = [n + 0.38 * (number - 0.5) for n in range(len(seconds))]
            bars = axes.bar(places, seconds, 0.36, color=shade, label=place)
            axes.bar_label(bars, [f"{value:.1f}" for value in seconds], fontsize=6)
        names = [name.replace("-", "\n") for name in sharing.SCHEMES]
        axes.set_xticks(range(len(sharing.SCHEMES)), names, fontsize=6.5)
        axes.set_title(f"a queue of {queue} packets", fontsize=9)
    panels[0].set_ylabel("response time (s)")
    panels[0].legend(loc="upper left")
    return drawn


def busy(data: Data) -> Figure:
    """Draw the mean response time and the losses over the load, for each start."""
    drawn = figure(3.2)
    left, right = drawn.subplots(1, 2)
    for scheme, label in load.LABELS.items():
        names = [name_of(MEANS_KB[0], percent, scheme, scheme) for percent in LOADS]
        style: Any = {"color": _SCHEME_COLOURS[scheme], "markersize": 4, "label": label}
        left.plot(LOADS, [float(load.mean_ns(data, name)) / S for name in names], "o-", **style)
        lost = [100 * sum(data[name]["lost_packets"]) / sum(data[name]["sent_packets"]) for name in names]
        right.plot(LOADS, lost, "o-", **style)
    for axes, axis_label in ((left, "mean response time (s)"), (right, "packets lost (%)")):
        axes.set_xlabel("load of the link (%)")
        axes.set_ylabel(axis_label)
        axes.set_ylim(bottom=0)
    right.legend(loc="upper left")
    return drawn


DRAW: dict[str, dict[str, Draw]] = {
    "thesis": {"cells": cells},
    "scharf": {"times": times, "2007": jump_start},
    "sharing": {"beside": beside, "completion": completion},
    "load": {"load": busy},
}

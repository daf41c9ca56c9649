"""Plots of Careful Resume: times over sizes, the four panels of figure 2, and the competing flow."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plots.published import COLOURS, MB, MBPS, Draw, S, figure, steps
from studies.published.resume_runs import ALGORITHMS, PANELS, PATHS, SIZES
from studies.published.store import Data

_SAMPLE_NS = S // 10
_LABELS = {"slow-start": "slow start", "hystart": "HyStart", "careful-resume": "Careful Resume"}
_STYLES = {"slow-start": "-", "hystart": "--", "careful-resume": "-"}
_TITLES = {
    "a": "a: HyStart",
    "b": "b: initial window of 10 BDP",
    "c": "c: Careful Resume, saved window 1 BDP",
    "d": "d: Careful Resume, jump of 10 BDP",
}
_SHADES = {
    "reconnaissance": "#e8f1fa",
    "unvalidated": "#fdebd0",
    "validating": "#e3f4e8",
    "safe_retreat": "#f9dcdc",
}


def sizes(data: Data) -> Figure:
    """Draw the transfer time over the size, and the gain of Careful Resume in RTTs."""
    drawn = figure(5.2)
    panels = drawn.subplots(2, 2, sharex=True)
    x = [size / MB for size in SIZES]
    for column, (path, rtt_s, title) in enumerate(
        zip(PATHS, (0.6, 0.04), ("GEO: 50/5 Mbit/s, 600 ms", "LEO: 480/100 Mbit/s, 40 ms"), strict=True)
    ):
        top, bottom = panels[0][column], panels[1][column]
        own = data[f"{path}-careful-resume"]["completed_ns"]
        for name in ALGORITHMS:
            completed_ns = data[f"{path}-{name}"]["completed_ns"]
            top.plot(
                x,
                [t / S for t in completed_ns],
                _STYLES[name],
                marker="o",
                markersize=2.5,
                color=COLOURS[name],
                label=_LABELS[name],
            )
            if name != "careful-resume":
                gain = [(t_ns - mine) / S / rtt_s for t_ns, mine in zip(completed_ns, own, strict=True)]
                bottom.plot(
                    x,
                    gain,
                    _STYLES[name],
                    marker="o",
                    markersize=2.5,
                    color=COLOURS[name],
                    label=f"over {_LABELS[name]}",
                )
        bottom.axhspan(3, 4, color="#eeeeee", zorder=0, label="published: 3 to 4 RTTs")
        top.set_title(title, fontsize=9)
        top.set_ylim(bottom=0)
        bottom.set_ylim(0, 6)
        bottom.set_xlabel("size of the object (MB)")
    panels[0][0].set_ylabel("transfer time (s)")
    panels[1][0].set_ylabel("gain (RTT)")
    panels[0][0].legend()
    panels[1][0].legend(loc="lower right")
    return drawn


def _shade(axes: Axes, phases: list[list[int | str]], end_s: float) -> None:
    """Shade the phases of Careful Resume."""
    for number, (t_ns, phase) in enumerate(phases):
        after = int(phases[number + 1][0]) / S if number + 1 < len(phases) else end_s
        if phase in _SHADES:
            axes.axvspan(int(t_ns) / S, min(after, end_s), color=_SHADES[str(phase)], linewidth=0, zorder=0)


def panels(data: Data) -> Figure:
    """Draw the four first flights: window, flight and queue."""
    drawn = figure(6.2)
    grid = drawn.subplots(2, 2, sharex=True)
    end_s = 12.0
    for axes, name in zip(grid.flat, PANELS, strict=True):
        panel = data[f"panel-{name}"]
        steps(axes, panel["cwnd_bytes"], _SAMPLE_NS, MB, COLOURS[PANELS[name][0]], "window")
        steps(axes, panel["bytes_in_flight"], _SAMPLE_NS, MB, "#666666", "in flight", alpha=0.8)
        steps(axes, panel["queue_bytes"], _SAMPLE_NS, MB, "#cc79a7", "queue", alpha=0.8)
        _shade(axes, panel["phases"], end_s)
        losses = [t_ns / S for t_ns, _ in panel["reductions"] if t_ns / S <= end_s]
        if panel["first_loss_ns"] is not None:
            losses.append(panel["first_loss_ns"] / S)
        axes.plot(
            losses,
            [0.97] * len(losses),
            "v",
            color="#c00000",
            markersize=5,
            transform=axes.get_xaxis_transform(),
            linestyle="none",
            label="window reduced or first loss",
        )
        if panel["exit_ns"] is not None:
            axes.axvline(panel["exit_ns"] / S, color="#333333", linewidth=0.9, linestyle=":", label="exit")
        axes.set_title(_TITLES[name], fontsize=9)
        axes.set_xlim(0, end_s)
        axes.set_ylim(bottom=0)
    for axes in grid[1]:
        axes.set_xlabel("time since the first packet (s)")
    for axes in grid[:, 0]:
        axes.set_ylabel("MB")
    lines = grid[0][0].get_legend_handles_labels()
    for phase, colour in _SHADES.items():
        grid[1][1].axvspan(-2, -1, color=colour, label=phase.replace("_", " "))
    handles, labels = grid[1][1].get_legend_handles_labels()
    shaded = [(h, text) for h, text in zip(handles, labels, strict=True) if text.replace(" ", "_") in _SHADES]
    last = grid[1][1]
    last.add_artist(last.legend([h for h, _ in shaded], [text for _, text in shaded], loc="upper right"))
    last.legend(*lines, loc="center right", bbox_to_anchor=(1, 0.42))
    return drawn


def cross(data: Data) -> Figure:
    """Draw the object and a competing flow."""
    drawn = figure(5.6)
    grid = drawn.subplots(3, 1, sharex=True)
    end_s = max(data[f"cross-{name}"]["completed_ns"] for name in ALGORITHMS) / S + 4
    for axes, name in zip(grid, ALGORITHMS, strict=True):
        run = data[f"cross-{name}"]
        shift = 5 * S // _SAMPLE_NS  # the samples begin 5 s before the object
        steps(axes, run["rates_bps"][shift:], _SAMPLE_NS, MBPS, COLOURS[name], _LABELS[name])
        steps(axes, run["competing_rates_bps"][shift:], _SAMPLE_NS, MBPS, "#999999", "competing flow (CUBIC)")
        axes.axvline(run["completed_ns"] / S, color="#333333", linewidth=0.9, linestyle=":")
        axes.annotate(
            f"complete: {run['completed_ns'] / S:.1f} s",
            (run["completed_ns"] / S, 52),
            fontsize=7.5,
            xytext=(3, 0),
            textcoords="offset points",
        )
        _shade(axes, run["phases"], end_s)
        axes.set_xlim(0, end_s)
        axes.set_ylim(0, 60)
        axes.set_ylabel("Mbit/s")
        axes.legend(loc="center right")
    grid[-1].set_xlabel("time since the object's first packet (s)")
    return drawn


DRAW: dict[str, dict[str, Draw]] = {"careful-resume": {"sizes": sizes, "panels": panels, "cross": cross}}

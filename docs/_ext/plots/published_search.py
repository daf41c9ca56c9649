"""Plots of SEARCH: on the emulated path, on the path like the real one, and on an ideal one."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from firstflight.search.profiles import PROFILES
from plots.published import COLOURS, MB, MBPS, PUBLISHED, Draw, S, figure, steps
from studies.published import search_factors, search_gateway, search_max_data
from studies.published.search_geo import SHOWN
from studies.published.store import Data

_SAMPLE_NS = S // 2
_ARMS = {"without": ("slow-start", "without SEARCH"), "search": ("search", "SEARCH, window kept"), "lowered": ("lowered", "SEARCH, window lowered")}  # fmt: skip


def _mark(axes: Axes, t_ns: int | None, colour: str, text: str) -> None:
    if t_ns is not None:
        axes.axvline(t_ns / S, color=colour, linewidth=0.9, linestyle=":")
        axes.annotate(
            text, (t_ns / S, 1), xycoords=("data", "axes fraction"), rotation=90, fontsize=7.5, color=colour,
            ha="right", va="top", xytext=(-1, -2), textcoords="offset points",
        )  # fmt: skip


def _label(name: str) -> str:
    return "slow start (CUBIC)" if name == "slow-start" else f"SEARCH {name}"


def rates(data: Data) -> Figure:
    """Draw throughput, window and queue."""
    drawn = figure(6.4)
    top, middle, bottom = drawn.subplots(3, 1, sharex=True)
    for number, name in enumerate(SHOWN):
        run, style = data[name], ("-", "--", ":")[number]
        steps(top, run["rates_bps"], _SAMPLE_NS, MBPS, COLOURS[name], _label(name), linestyle=style)
        steps(middle, run["cwnd_bytes"], _SAMPLE_NS, MB, COLOURS[name], _label(name))
        steps(bottom, run["queue_bytes"], _SAMPLE_NS, MB, COLOURS[name], _label(name))
    for axes in (top, middle, bottom):
        for name in SHOWN[1:]:
            _mark(axes, data[name]["exit_ns"], COLOURS[name], "exit" if axes is not middle else "")
        _mark(axes, data["slow-start"]["first_loss_ns"], PUBLISHED, "first loss seen" if axes is not middle else "")
    middle.axhline(18.75 * 0.6, color="#7f8c99", linewidth=0.8, linestyle="--")
    middle.annotate("150 Mbit/s times 600 ms", (0.2, 12.4), fontsize=7.5, color="#666666")
    top.set_ylabel("delivered (Mbit/s)")
    middle.set_ylabel("window (MB)")
    bottom.set_ylabel("queue (MB)")
    bottom.set_xlabel("time since the first packet (s)")
    for axes in (top, middle, bottom):
        axes.set_ylim(bottom=0)
    top.legend(loc="center left")
    return drawn


def exits(data: Data) -> Figure:
    """Draw when each profile leaves slow start."""
    drawn = figure(3.6)
    axes = drawn.subplots()
    names = list(reversed(list(PROFILES)))
    for place, name in enumerate(names):
        exit_ns, loss_ns = data[name]["exit_ns"], data["slow-start"]["first_loss_ns"]
        end_ns = loss_ns if exit_ns is None else exit_ns
        axes.plot([0, end_ns / S], [place, place], color="#dddddd", linewidth=1, zorder=1)
        marker = "x" if exit_ns is None else "o"
        axes.plot(end_ns / S, place, marker, color=COLOURS["search"], markersize=6, zorder=3)
    axes.axvline(9, color=PUBLISHED, linewidth=0.9, linestyle="--")
    axes.axvline(11, color=PUBLISHED, linewidth=0.9, linestyle="--")
    axes.axvline(data["slow-start"]["first_loss_ns"] / S, color=COLOURS["slow-start"], linewidth=1.2)
    for x, text, align in ((9, "published exit: about 9 s", "right"), (11, "published loss: 11 s", "left")):
        axes.annotate(text, (x, len(names) - 0.4), fontsize=7.5, color=PUBLISHED, ha=align, xytext=(3 if align == "left" else -3, 0), textcoords="offset points")  # fmt: skip
    axes.plot([], [], "o", color=COLOURS["search"], label="leaves slow start")
    axes.plot([], [], "x", color=COLOURS["search"], label="leaves only at the loss")
    axes.plot([], [], color=COLOURS["slow-start"], label="first loss seen, ours")
    axes.set_yticks(range(len(names)), names)
    axes.set_xlim(0, 13.5)
    axes.set_ylim(-0.6, len(names) + 0.2)
    axes.set_xlabel("time since the first packet (s)")
    axes.legend(loc="lower left", bbox_to_anchor=(0.02, 0.42), frameon=True, edgecolor="none")
    return drawn


def windows(data: Data) -> Figure:
    """Draw the delivered and the expected bytes of the later window."""
    drawn = figure(3.4)
    panels = drawn.subplots(1, 2)
    for axes, name, factor, label in (
        (panels[0], "lanman-2024", 2, "expected: twice the earlier window"),
        (panels[1], "draft-09", 1, "sent in the earlier window"),
    ):
        compared = [window for window in data[name]["windows"] if window[1] and window[2]]
        x = [t_ns / S for t_ns, _, _ in compared]
        axes.plot(x, [window[1] / MB for window in compared], "o-", color="#0072b2", markersize=3, label="delivered")
        axes.plot(
            x, [factor * window[2] / MB for window in compared], "s--", color="#e69f00", markersize=3, label=label
        )
        _mark(axes, data[name]["exit_ns"], COLOURS[name], "exit")
        axes.set_yscale("log")
        axes.set_title(name, fontsize=9)
        axes.set_xlabel("time since the first packet (s)")
        axes.legend(loc="lower right")
    panels[0].set_ylabel("in a window of 3.5 RTTs (MB)")
    return drawn


def gateway_times(data: Data) -> Figure:
    """Draw the time to deliver a number of bytes: medians and quartiles."""
    drawn = figure(3.9)
    panels = drawn.subplots(1, 2, sharey=True)
    sizes = range(search_gateway.STEP_BYTES, 200 * MB + 1, search_gateway.STEP_BYTES)
    for axes, way, title in (
        (panels[0], "readable_ns", "in order, as an application reads"),
        (panels[1], "arrived_ns", "in any order"),
    ):
        for arm, (name, label) in _ARMS.items():
            quartiles = [search_gateway.times(data, arm, way, size) for size in sizes]
            x = [size / MB for size in sizes]
            axes.fill_between(
                x,
                [low / S for low, _, _ in quartiles],
                [high / S for _, _, high in quartiles],
                color=COLOURS[name],
                alpha=0.25,
                linewidth=0,
            )
            axes.plot(
                x,
                [mid / S for _, mid, _ in quartiles],
                color=COLOURS[name],
                label=label,
                linestyle={"without": "-", "search": "--", "lowered": ":"}[arm],
            )
        axes.axvspan(130, 200, color="#f4f4f4", zorder=0)
        axes.axvline(160, color=PUBLISHED, linewidth=0.8, linestyle=":")
        axes.set_title(title, fontsize=9)
        axes.set_xlabel("delivered (MB)")
        axes.set_xlim(0, 200)
    panels[0].annotate(
        "published gain\nabove 130 MB,\nlargest at 160", (132, 0.6), fontsize=7.5, color=PUBLISHED, va="bottom"
    )
    panels[0].set_ylabel("time since the first packet (s)")
    panels[0].set_ylim(bottom=0)
    panels[0].legend(loc="lower left")
    return drawn


def gateway_rates(data: Data) -> Figure:
    """Draw window and queue of one run with each."""
    drawn = figure(4.4)
    top, bottom = drawn.subplots(2, 1, sharex=True)
    for arm, (name, label) in _ARMS.items():
        run = data[f"{arm}-{search_gateway.SEEDS[0]}"]
        steps(top, run["cwnd_bytes"], _SAMPLE_NS, MB, COLOURS[name], label)
        steps(bottom, run["queue_bytes"], _SAMPLE_NS, MB, COLOURS[name], label)
        _mark(top, run["exit_ns"], COLOURS[name], "exit" if arm == "search" else "")
    _mark(top, data["without-1"]["first_loss_ns"], PUBLISHED, "")
    top.annotate("first loss seen", (data["without-1"]["first_loss_ns"] / S, 0.02), xycoords=("data", "axes fraction"), fontsize=7.5, rotation=90, va="bottom", xytext=(2, 0), textcoords="offset points")  # fmt: skip
    bottom.axhline(18, color="#7f8c99", linewidth=0.8, linestyle="--")
    bottom.annotate("above 18 MB a quarter is dropped", (0.2, 18.6), fontsize=7.5, color="#666666")
    top.set_ylabel("window (MB)")
    bottom.set_ylabel("queue (MB)")
    bottom.set_xlabel("time since the first packet (s)")
    top.set_ylim(bottom=0)
    bottom.set_ylim(0, 25)
    top.legend(loc="upper left")
    return drawn


_FACTORS = {
    "none": PUBLISHED,
    "queue": COLOURS["search"],
    "ACK ratio": COLOURS["cubic"],
    "baseline": COLOURS["hystart"],
    "after the exit": COLOURS["lowered"],
    "receive window": COLOURS["careful-resume"],
    "jitter": COLOURS["initial-start"],
}


def factor_gains(data: Data) -> Figure:
    """Draw the gain of SEARCH over the delivered bytes at each level of each factor."""
    drawn = figure(3.9)
    panels = drawn.subplots(1, 2, sharey=True)
    for axes, way, title in ((panels[0], "readable_ns", "in order"), (panels[1], "arrived_ns", "in any order")):
        labelled: set[str] = set()
        for level in search_factors.LEVELS:
            gains = search_factors.gains(data[level.name], way)
            label = None if level.factor in labelled else level.factor
            labelled.add(level.factor)
            axes.plot(
                [size / MB for _, size in gains],
                [gain / S for gain, _ in gains],
                color=_FACTORS[level.factor],
                linewidth=1,
                label=label,
            )
        axes.plot(160, 3, "*", color=PUBLISHED, markersize=9, label="published")
        axes.axhline(0, color="#7f8c99", linewidth=0.8)
        axes.set_title(title, fontsize=9)
        axes.set_xlabel("delivered (MB)")
        axes.set_xlim(0, 200)
    panels[0].set_ylabel("gain of SEARCH (s)")
    panels[1].legend(loc="lower left")
    return drawn


def max_data_rates(data: Data) -> Figure:
    """Draw throughput and RTT with both windows."""
    drawn = figure(4.4)
    top, bottom = drawn.subplots(2, 1, sharex=True)
    for name, colour, label in (("256", COLOURS["cubic"], "256 MiB"), ("16", COLOURS["search"], "16 MiB")):
        steps(top, data[name]["rates_bps"], search_max_data.SAMPLE_NS, MBPS, colour, label)
        steps(bottom, data[name]["rtt_ns"], search_max_data.SAMPLE_NS, S, colour, label)
    top.set_ylabel("delivered (Mbit/s)")
    bottom.set_ylabel("RTT (s)")
    bottom.set_xlabel("time since the first packet (s)")
    top.set_ylim(bottom=0)
    bottom.set_ylim(bottom=0)
    bottom.legend(loc="upper left")
    return drawn


def difference(data: Data) -> Figure:
    """Draw the normalised difference on an ideal path."""
    drawn = figure(2.9)
    axes = drawn.subplots()
    ideal = data["ideal"]
    x = [t / 1000 for t in ideal["after_full_milli_rtt"]]
    axes.plot(
        x,
        [v / 10**6 for v in ideal["difference_ppm"]],
        color=COLOURS["search"],
        label="(expected - delivered) / expected",
    )
    for threshold, text in ((0.35, "0.35 (paper, draft-00)"), (0.26, "0.26 (draft-09)")):
        crossed = next(t for t, v in zip(x, ideal["difference_ppm"], strict=True) if v >= threshold * 10**6)
        axes.plot([x[0], crossed, crossed], [threshold, threshold, 0], color=PUBLISHED, linewidth=0.8, linestyle=":")
        axes.annotate(f"{text}: {crossed:.2f} RTT", (-1.95, threshold + 0.01), fontsize=7.5)
    axes.set_xlabel("time since the path is full (RTT)")
    axes.set_ylabel("difference")
    axes.set_ylim(-0.02, 0.55)
    axes.legend(loc="lower right")
    return drawn


DRAW: dict[str, dict[str, Draw]] = {
    "search-geo": {"rates": rates, "exits": exits, "windows": windows},
    "search-gateway": {"times": gateway_times, "rates": gateway_rates},
    "search-factors": {"gains": factor_gains},
    "search-max-data": {"rates": max_data_rates},
    "search-numbers": {"difference": difference},
}

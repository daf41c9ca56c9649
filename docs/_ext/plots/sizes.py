"""Response time under every startup algorithm, over the size, on a terrestrial and on a geostationary path."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from firstflight import Config
from firstflight.algorithm import Computation
from firstflight.controller import ALGORITHMS
from firstflight_conformance.plots.style import save, styled
from firstflight_conformance.simulate.network import FlowPlan, Network
from firstflight_conformance.simulate.scenario import Link
from firstflight_conformance.simulate.transfer import Handshake, Receiver, Transfer
from studies.published.networks import MS, S
from studies.published.scharf_runs import response_ns

DATAGRAM_BYTES, WINDOW_BYTES = 1200, 12_000
SIZES = (12_000, 24_000, 60_000, 120_000, 240_000, 600_000, 1_200_000, 3_000_000)
BASE = "slow-start/rfc-9002"
#: The drawn profiles of an algorithm, if not only its first profile.
CHOSEN = {
    "jumpstart": ("pfldnet-2007", "more-start"),
    "quick-start": ("rfc-4782", "rfc-4782-data"),
    "search": ("draft-09",),
}
#: Thirteen colours and twelve markers: no two of 156 curves share both.
_COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#8c564b",
    "#7f7f7f",
    "#bcbd22",
    "#17becf",
    "#332288",
    "#117733",
    "#aa4499",
)
#: One fewer than the colours, so that no two controllers share both.
_MARKERS = "osv^D<>Xph*8"
#: Number of names that fit next to a panel.
_NAMES_BESIDE = 18


@dataclass(frozen=True, slots=True)
class Place:
    """A path with a queue of one bandwidth-delay product and a link without losses."""

    title: str
    rate_bps: int
    rtt_ns: int

    @property
    def product_bytes(self) -> int:
        """The bandwidth-delay product."""
        return self.rate_bps * self.rtt_ns // (8 * S)


PLACES = (Place("100 Mbit/s, 40 ms", 100 * 10**6, 40 * MS), Place("20 Mbit/s, 600 ms", 20 * 10**6, 600 * MS))


def controllers() -> list[str]:
    """Return a profile of every discovered algorithm, also of added packages, except those that start with slow start."""
    starts = (
        algorithm
        for algorithm in ALGORITHMS.values()
        if not isinstance(algorithm, Computation) and algorithm.name not in ("slow-start", "cubic")
    )
    return [
        f"{algorithm.name}/{profile}"
        for algorithm in starts
        for profile in CHOSEN.get(algorithm.name, (next(iter(algorithm.profiles)),))
    ]


@cache
def response(controller: str, place: Place, size_bytes: int) -> int:
    """Return the time from the request to the last byte, in ns, with known RTT and data and a saved window of one BDP."""
    link = Link(place.rate_bps, place.rtt_ns // 2, place.rtt_ns // 2, place.product_bytes, 0, 0)
    transfer = Transfer(
        Config(DATAGRAM_BYTES, WINDOW_BYTES),
        size_bytes,
        named_data=True,
        probes=True,
        max_ack_delay_ns=25 * MS,
        announced=True,
        saved_cwnd_bytes=place.product_bytes,
        saved_rtt_ns=place.rtt_ns,
        connection=Handshake(0),
    )
    flow = FlowPlan("response", controller, 0, transfer, Receiver(2, 25 * MS))
    net = Network("response", "one response", ("this page",), 1, 600 * S, S, link, None, (flow,))
    return response_ns(net, place.rtt_ns)[0]


def draw() -> Figure:
    """Return the figure: for each path the time over the size, divided by the time of slow start."""
    figure = Figure(figsize=(7.6, 6.8), layout="constrained")
    panels = figure.subplots(len(PLACES), 1, sharex=True, sharey=True)
    curves = [_draw_place(axes, place) for axes, place in zip(panels, PLACES, strict=True)]
    for axes, ends in zip(panels, curves, strict=True):
        axes.set_ylabel("response time / that of slow start")
        _name_ends(axes, ends)
    panels[-1].set_xlabel("response (kB)")
    return figure


def _name_ends(axes: Axes, ends: list[tuple[float, str, str]]) -> None:
    """Write the name of each curve next to its end, with a connecting line; names of close ends are stacked."""
    bottom, top = axes.get_ylim()
    ends = sorted(ends)
    for (ratio, name, colour), y in zip(
        ends, _apart([end[0] for end in ends], (top - bottom) / _NAMES_BESIDE), strict=True
    ):
        axes.annotate(
            name,
            (SIZES[-1] / 1000, ratio),
            (1.06, (y - bottom) / (top - bottom)),
            textcoords="axes fraction",
            va="center",
            fontsize=8.5,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.8, "shrinkA": 2, "shrinkB": 3, "relpos": (0, 0.5)},
        )  # fmt: skip


def _apart(places: list[float], step: float) -> list[float]:
    """Return places in rising order, at least a step apart; close places are spread around their middle."""
    groups: list[list[float]] = []
    for place in places:
        groups.append([place])
        while (
            len(groups) > 1 and fmean(groups[-1]) - fmean(groups[-2]) < step * (len(groups[-1]) + len(groups[-2])) / 2
        ):
            last = groups.pop()
            groups[-1] += last
    return [fmean(group) + (n - (len(group) - 1) / 2) * step for group in groups for n in range(len(group))]


def _draw_place(axes: Axes, place: Place) -> list[tuple[float, str, str]]:
    """Draw the curves; return the end, the name and the colour of each."""
    ends = []
    for index, controller in enumerate(controllers()):
        ratios = [response(controller, place, size) / response(BASE, place, size) for size in SIZES]
        ends.append((ratios[-1], controller, _COLOURS[index % len(_COLOURS)]))
        axes.plot(
            [size / 1000 for size in SIZES],
            ratios,
            color=_COLOURS[index % len(_COLOURS)],
            marker=_MARKERS[index % len(_MARKERS)],
            markersize=4,
            linewidth=1.2,
            label=controller,
        )
    axes.axhline(1, color="#555555", linewidth=0.8, linestyle="--")
    axes.set(xscale="log", title=place.title)
    return ends


def write_plots(folder: Path) -> None:
    """Write the figure as SVG; the same model gives the same bytes."""
    with styled():
        save(draw(), folder / "sizes.svg")

"""Slow start and Hybla on one path, drawn."""

from pathlib import Path

from matplotlib.axes import Axes

from firstflight_conformance.simulate.scenario import Scenario
from plots.flows import plot_flows

FLOWS = (
    ("slow-start", "rfc-9002", "#999999", "slow start"),
    ("hybla", "ns-3", "#009e73", "Hybla in ns-3"),
    ("hybla", "linux", "#d55e00", "Hybla on Linux"),
)
ON_SEARCH = (
    ("hybla", "linux", "#d55e00", "Hybla on Linux"),
    ("search", "lanman-2024", "#999999", "SEARCH (LANMAN 2024)"),
    ("search", "lanman-2024+hybla", "#0072b2", "SEARCH (LANMAN 2024) on Hybla"),
    ("search", "draft-09+hybla", "#009e73", "SEARCH (draft -09) on Hybla"),
)


def write_plots(folder: Path) -> None:
    """Draw the plots of the specification page."""
    plot_flows("hybla", FLOWS, folder / "hybla-path.svg")
    plot_flows("search-on-hybla", ON_SEARCH, folder / "on-search.svg")
    plot_flows("search-on-hybla-geo", ON_SEARCH[:3], folder / "on-search-geo.svg", _logarithmic)


def _logarithmic(axes: Axes, _scenario: Scenario) -> None:
    """Show both ends of the range: the largest window is thousands of times the initial one."""
    axes.set(ylim=(5, None), yscale="log")

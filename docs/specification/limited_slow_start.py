"""Slow start and Limited Slow-Start on one path, drawn."""

from pathlib import Path

from matplotlib.axes import Axes

from firstflight_conformance.simulate.scenario import Scenario
from plots.flows import plot_flows

FLOWS = (
    ("slow-start", "rfc-9002", "#999999", "slow start"),
    ("limited-slow-start", "rfc-3742-packets", "#0072b2", "limited, counting packets"),
    ("limited-slow-start", "rfc-3742", "#d55e00", "limited, as printed"),
    ("limited-slow-start", "linux", "#009e73", "limited, as on Linux"),
)


def write_plots(folder: Path) -> None:
    """Draw the plot of the specification page."""
    plot_flows("limited-slow-start", FLOWS, folder / "limited-slow-start-path.svg", _mark_maximum)


def _mark_maximum(axes: Axes, scenario: Scenario) -> None:
    maximum_kb = 100 * scenario.config.max_datagram_size_bytes / 1000
    axes.axhline(maximum_kb, color="#777777", linewidth=0.8, linestyle="--")
    axes.text(0.02, maximum_kb, "max_ssthresh", va="bottom", color="#555555", fontsize=8.5)

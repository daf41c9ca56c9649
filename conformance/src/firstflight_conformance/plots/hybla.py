"""Slow start and Hybla on one path, drawn."""

from pathlib import Path

from firstflight_conformance.plots.flows import plot_flows

FLOWS = (
    ("slow-start", "rfc-9002", "#999999", "slow start"),
    ("hybla", "ns-3", "#009e73", "Hybla in ns-3"),
    ("hybla", "linux", "#d55e00", "Hybla on Linux"),
    ("hybla", "picoquic", "#0072b2", "Hybla in picoquic"),
)


def write_plots(folder: Path) -> None:
    """Draw the plot of the specification page."""
    plot_flows("hybla", FLOWS, folder / "path.svg")

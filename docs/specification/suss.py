"""Slow start, HyStart and SUSS on one path, drawn."""

from pathlib import Path

from plots.flows import plot_flows

FLOWS = (
    ("slow-start", "rfc-9002", "#999999", "slow start"),
    ("hystart", "linux", "#0072b2", "HyStart"),
    ("suss", "linux-6-8", "#d55e00", "SUSS, Linux 6.8"),
    ("suss", "linux-5-19", "#009e73", "SUSS, Linux 5.19"),
)


def write_plots(folder: Path) -> None:
    """Draw the plot of the specification page."""
    plot_flows("suss", FLOWS, folder / "suss-path.svg")

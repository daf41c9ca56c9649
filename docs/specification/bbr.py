"""Slow start, HyStart++ and BBR on one path, drawn."""

from pathlib import Path

from plots.flows import plot_flows

FLOWS = (
    ("slow-start", "rfc-9002", "#999999", "slow start"),
    ("hystartpp", "rfc-9406", "#0072b2", "HyStart++"),
    ("bbr", "draft-06", "#d55e00", "BBR, draft -06"),
)


def write_plots(folder: Path) -> None:
    """Draw the plot of the specification page."""
    plot_flows("bbr", FLOWS, folder / "bbr-path.svg")

"""Slow start and Quick-Start on one path, drawn."""

from pathlib import Path

from plots.flows import plot_flows

FLOWS = (
    ("slow-start", "rfc-9002", "#999999", "slow start"),
    ("quick-start", "rfc-4782-refused", "#cc79a7", "refused"),
    ("quick-start", "rfc-4782-data", "#d55e00", "requested with the first data"),
    ("quick-start", "rfc-4782", "#0072b2", "requested in the handshake"),
)


def write_plots(folder: Path) -> None:
    """Draw the plot of the specification page."""
    plot_flows("quick-start", FLOWS, folder / "quick-start-path.svg")

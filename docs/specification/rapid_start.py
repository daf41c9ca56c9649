"""Slow start and Rapid Start on one path, drawn."""

from pathlib import Path

from plots.flows import plot_flows

FLOWS = (
    ("slow-start", "rfc-9002", "#999999", "slow start"),
    ("rapid-start", "draft-02", "#d55e00", "draft -02"),
    ("rapid-start", "draft-02+cubic", "#0072b2", "draft -02, on CUBIC"),
    ("rapid-start", "quicly", "#009e73", "the decisions of quicly"),
)


def write_plots(folder: Path) -> None:
    """Draw the plot of the specification page."""
    plot_flows("rapid-start", FLOWS, folder / "rapid-start-path.svg")

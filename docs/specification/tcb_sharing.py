"""Plots of a saved set, used at once or carefully, on the same path and on a path with less capacity."""

from pathlib import Path

from plots.flows import plot_flows

FLOWS = (
    ("slow-start", "rfc-9002", "#999999", "slow start"),
    ("tcb-sharing", "linux", "#009e73", "saved threshold, as on Linux"),
    ("tcb-sharing", "rfc-9040", "#d55e00", "saved window, as printed"),
    ("tcb-sharing", "stateful-tcp", "#cc79a7", "saved window, paced"),
    ("careful-resume", "rfc-9959", "#0072b2", "Careful Resume"),
)


def write_plots(folder: Path) -> None:
    """Draw the plots of the specification page."""
    plot_flows("saved-right", FLOWS, folder / "right.svg")
    plot_flows("saved-too-high", FLOWS, folder / "too-high.svg")

"""Common code for plots of published results, from their data in ``conformance/studies/published/results``."""

from collections.abc import Callable, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from studies.published.store import Data

S, MB, MBPS = 10**9, 10**6, 10**6
#: The colour of each algorithm on all plots.
COLOURS = {
    "slow-start": "#0072b2",
    "cubic": "#0072b2",
    "search": "#d55e00",
    "lanman-2024": "#d55e00",
    "lowered": "#cc79a7",
    "draft-09": "#cc79a7",
    "hystart": "#009e73",
    "careful-resume": "#e69f00",
    "jump-start": "#882255",
    "jumpstart": "#882255",
    "initial-start": "#56b4e9",
    "quick-start": "#999933",
    "more-start": "#44aa99",
}
PUBLISHED = "#333333"


def figure(height: float = 3.4) -> Figure:
    """Return an empty figure as wide as the page."""
    return Figure(figsize=(7.6, height), layout="constrained")


def steps(axes: Axes, values: Sequence[int], sample_ns: int, unit: int, colour: str, label: str, **style: Any) -> None:
    """Draw one value for each interval."""
    edges = [sample_ns * n / S for n in range(len(values) + 1)]
    axes.stairs(
        [value / unit for value in values], edges, color=colour, label=label, linewidth=1.3, baseline=None, **style
    )


Draw = Callable[[Data], Figure]

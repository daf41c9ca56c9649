"""Style and output of all plots: equal data gives equal bytes."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

_STYLE: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": "#555555",
    "axes.labelsize": 9,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.family": "sans-serif",
    "font.size": 9,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "path.simplify_threshold": 0.3,
    "savefig.facecolor": "white",
    "svg.fonttype": "none",
    "svg.hashsalt": "firstflight",
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
}


def styled(*, grid: bool = True) -> AbstractContextManager[None]:
    """Return the context for drawing and saving a plot."""
    return matplotlib.rc_context({**_STYLE, "axes.grid": grid})


def save(drawn: Figure, path: Path) -> None:
    """Write a plot as SVG or PNG, by suffix."""
    path.parent.mkdir(parents=True, exist_ok=True)
    metadata = {"Date": None, "Creator": None} if path.suffix == ".svg" else {"Software": None}
    drawn.savefig(path, dpi=150, metadata=metadata)

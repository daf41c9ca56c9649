"""The plots on the page of each algorithm. The module next to the page, named after the package, draws them."""

import importlib
from importlib.util import find_spec
from pathlib import Path

from firstflight.controller import ALGORITHMS


def write_plots(folder: Path) -> None:
    """Draw the plots of every algorithm with plots, each in a folder of its name."""
    for algorithm in ALGORITHMS.values():
        name = f"specification.{algorithm.package}"
        if find_spec(name) and hasattr(module := importlib.import_module(name), "write_plots"):
            module.write_plots(folder / algorithm.name)

"""The plots on the page of each algorithm: drawn by the module beside the page that has the name of its package."""

import importlib
from importlib.util import find_spec
from pathlib import Path

from firstflight.controller import ALGORITHMS


def write_plots(folder: Path) -> None:
    """Draw the plots of every algorithm that has some, each in a folder of its name."""
    for algorithm in ALGORITHMS.values():
        name = f"specification.{algorithm.package}"
        if find_spec(name) and hasattr(module := importlib.import_module(name), "write_plots"):
            module.write_plots(folder / algorithm.name)

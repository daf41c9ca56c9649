"""The plots on the page of each algorithm: drawn by the module of ``plots`` that has the name of its room."""

import importlib
from importlib.util import find_spec
from pathlib import Path

import firstflight_conformance.plots as package
from firstflight.controller import ALGORITHMS


def write_plots(folder: Path) -> None:
    """Draw the plots of every algorithm that has some, each in a folder of its name."""
    for algorithm in ALGORITHMS.values():
        name = f"{package.__name__}.{algorithm.room}"
        if find_spec(name) and hasattr(module := importlib.import_module(name), "write_plots"):
            module.write_plots(folder / algorithm.name)

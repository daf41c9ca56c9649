"""Every plot of published results."""

from pathlib import Path

from firstflight_conformance.plots.style import save, styled
from plots.published_models import DRAW as MODELS
from plots.published_resume import DRAW as RESUME
from plots.published_search import DRAW as SEARCH
from studies.published.store import load


def write_published_plots(folder: Path, suffix: str = ".svg") -> None:
    """Draw every plot of the page from the existing data."""
    with styled():
        for scenario, plots in {**SEARCH, **RESUME, **MODELS}.items():
            for name, draw in plots.items():
                save(draw(load(scenario)), folder / f"{scenario}-{name}{suffix}")

"""The legend of the plots of Careful Resume is outside the axes, so that it does not cover the jump."""

from pathlib import Path

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from specification import careful_resume


def test_the_legend_is_outside_the_axes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    figures: list[Figure] = []
    monkeypatch.setattr(careful_resume, "save", lambda figure, path: figures.append(figure))
    careful_resume.write_plots(tmp_path)
    assert len(figures) == 2
    for figure in figures:
        renderer = FigureCanvasAgg(figure).get_renderer()
        figure.draw(renderer)
        (legend,) = figure.legends
        assert all(
            not legend.get_window_extent(renderer).overlaps(axes.get_window_extent(renderer)) for axes in figure.axes
        )
        assert all(axes.get_legend() is None for axes in figure.axes)

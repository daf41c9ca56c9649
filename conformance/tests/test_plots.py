"""The plots of vectors show the expected values of the vectors."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from every import every_vector
from firstflight_conformance.format.vectors import Case, Vector
from firstflight_conformance.plots import vectors as written
from plots import vectors as drawn


def one_of_each() -> Iterator[Vector]:
    """Yield a vector of each algorithm, and of each base controller below a startup algorithm."""
    seen: set[tuple[str, bool]] = set()
    for vector in every_vector():
        kind = vector.algorithm, any("+" in profile for profile in vector.profiles)
        if kind not in seen:
            seen.add(kind)
            yield vector


@pytest.mark.parametrize("vector", [*one_of_each()], ids=lambda vector: vector.id)
def test_plot_lines_match_expected_windows(vector: Vector, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line of a plot has the windows that its profiles expect."""
    traces: list[Any] = []
    monkeypatch.setattr(written, "write", lambda groups, *_: traces.extend(groups))
    drawn.plot_vector(vector, Path("unused.svg"))
    assert {name for trace in traces for name in trace.names} == set(vector.profiles)
    for trace in traces:
        for name in trace.names:
            windows = [answer["cwnd_bytes"] for answer in Case(vector, name).expected()]
            assert [observation.cwnd_bytes for observation in trace.observations] == windows


#: Some vectors, with the vector that has the longest legend.
LAID_OUT = [
    vector for n, vector in enumerate(every_vector()) if n % 120 == 40 or vector.id == "search.restart.then-double"
]


@pytest.mark.parametrize("vector", LAID_OUT, ids=lambda vector: vector.id)
def test_panels_fit_into_figure(vector: Vector, monkeypatch: pytest.MonkeyPatch) -> None:
    """Panels have fixed places: their content fits into the figure."""
    figures: list[Figure] = []
    monkeypatch.setattr(written, "save", lambda figure, _: figures.append(figure))
    drawn.plot_vector(vector, Path("unused.svg"))
    box = figures[0].get_tightbbox(FigureCanvasAgg(figures[0]).get_renderer())
    width, height = figures[0].get_size_inches()
    assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height


@pytest.mark.parametrize(
    ("name", "label", "member", "unit"),
    [
        ("hystartpp.css.ack-of-several", "minimum RTT of the round", "current_min_rtt_ns", 1e6),
        ("careful-resume.retreat.floor", "PipeSize rfc-9959", "pipesize_bytes", 1e3),
        ("cubic.rounds.sawtooth", "W_max", "w_max_bytes", 1e3),
        ("bbr.drain.at-once", "BDP", "bdp_bytes", 1e3),
    ],
)
def test_plot_shows_algorithm_state(
    name: str, label: str, member: str, unit: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plot shows the expected state of the algorithm in addition to the windows."""
    figures: list[Figure] = []
    monkeypatch.setattr(written, "save", lambda figure, _: figures.append(figure))
    vector = next(vector for vector in every_vector() if vector.id == name)
    drawn.plot_vector(vector, Path("unused.svg"))
    (line,) = (line for axes in figures[0].axes for line in axes.lines if line.get_label() == label)
    expected = [answer["state"][member] for answer in Case(vector, next(iter(vector.profiles))).expected()]
    plotted = [None if y != y else round(y * unit) for y in map(float, line.get_ydata())]
    assert plotted[: len(expected)] == expected
    assert any(expected)

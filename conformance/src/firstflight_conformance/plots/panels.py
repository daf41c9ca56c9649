"""Stacked panels at fixed positions: automatic layout would take half the time of drawing hundreds of plots."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

_WIDTH_INCHES = 7.6
#: Margins: right of the panels for labels, and below the last panel for its numbers and label.
_RIGHT_INCHES, _BOTTOM_INCHES = 0.36, 0.5
#: Left margin: axis label with its padding, plus the width of each character of the numbers.
_LABEL_INCHES, _CHARACTER_INCHES = 0.34, 0.078
_FEWEST_CHARACTERS = 3


def stacked(heights: Sequence[float], above: Sequence[float], top: float) -> tuple[Figure, list[Axes]]:
    """Return a figure with panels of these heights and the space above each, in inches.

    The first panel is a legend; the others share the time axis.
    """
    whole = top + sum(above) + sum(heights) + _BOTTOM_INCHES
    figure = Figure(figsize=(_WIDTH_INCHES, whole))
    panels: list[Axes] = []
    y = whole - top
    for height, room in zip(heights, above, strict=True):
        y -= room + height
        place = (0.1, y / whole, 0.8, height / whole)
        panels.append(figure.add_axes(place, sharex=panels[-1] if len(panels) > 1 else None))
    for panel in panels[1:]:
        # No ticks: the grid lines mark the positions.
        panel.tick_params(bottom=False, left=False, labelbottom=panel is panels[-1])
    return figure, panels


def fit_left(figure: Figure, panels: Sequence[Axes]) -> None:
    """Set the left margin of every panel to fit the longest number on a vertical axis of ``panels``."""
    texts = [text for panel in panels for text in _numbers(panel)]
    longest = max([_FEWEST_CHARACTERS, *map(len, texts)])
    left = (_LABEL_INCHES + _CHARACTER_INCHES * longest) / _WIDTH_INCHES
    for panel in figure.axes:
        place = panel.get_position()
        panel.set_position((left, place.y0, 1 - _RIGHT_INCHES / _WIDTH_INCHES - left, place.height))


def _numbers(panel: Axes) -> list[str]:
    places = [*map(float, panel.yaxis.get_majorticklocs())]
    return panel.yaxis.get_major_formatter().format_ticks(places)

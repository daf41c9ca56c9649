"""The page of response times over sizes: every algorithm is on its figure, and its table matches the simulator."""

import re

import pytest

from firstflight.algorithm import Computation
from firstflight.controller import ALGORITHMS
from firstflight_conformance.paths import ROOT
from plots import sizes

PAGE = (ROOT / "docs" / "sizes.md").read_text("utf-8")
ROWS = re.findall(r"^\| `([^`]+)` \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", PAGE, re.M)


def test_figure_contains_every_algorithm() -> None:
    drawn = {controller.split("/")[0] for controller in sizes.controllers()}
    start = {name for name, algorithm in ALGORITHMS.items() if not isinstance(algorithm, Computation)}
    assert drawn == start - {"slow-start", "cubic"}


def test_table_has_at_least_nine_rows() -> None:
    assert len(ROWS) >= 9


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_table_has_times_on_the_second_path(row: tuple[str, ...]) -> None:
    """The table has the times on the second path, in milliseconds."""
    times_ns = [sizes.response(row[0], sizes.PLACES[1], size) for size in (60_000, 600_000, 3_000_000)]
    assert [f"{t_ns / 10**6:.1f}" for t_ns in times_ns] == list(row[1:])


def test_quick_start_is_slower_on_the_terrestrial_path() -> None:
    later = [
        size
        for size in sizes.SIZES[1:]
        if sizes.response("quick-start/rfc-4782", sizes.PLACES[0], size)
        > sizes.response(sizes.BASE, sizes.PLACES[0], size)
    ]
    assert later == [1_200_000, 3_000_000]

"""The tables on the page of BBR follow from the rule of the draft."""

import re
from fractions import Fraction

import pytest

from firstflight_conformance.paths import ROOT

PAGE = (ROOT / "docs" / "bbr.md").read_text("utf-8")
ROUND = re.compile(r"^\| (\d+) \| (\d+) \| (yes|no) \| ([\d.]+) \| (\d+) \| (\d+) \|$", re.M)


def tables() -> list[list[tuple[str, ...]]]:
    """Return the tables of rounds; each table begins with round 1."""
    page_tables: list[list[tuple[str, ...]]] = []
    for row in ROUND.findall(PAGE):
        if row[0] == "1":
            page_tables.append([])
        page_tables[-1].append(row)
    return page_tables


def plateau(rounds: list[tuple[int, bool]], *, strictly: bool = False) -> list[tuple[Fraction, int, int]]:
    """Return threshold, and later baseline and count, of each round until the pipe is full."""
    baseline = counted = 0
    states = []
    for sample, app_limited in rounds:
        threshold = Fraction(5 * baseline, 4)
        grows = sample > threshold if strictly else sample >= threshold
        if not app_limited:
            baseline, counted = (sample, 0) if grows else (baseline, counted + 1)
        states.append((threshold, baseline, counted))
        if counted == 3:
            break
    return states


def samples(rows: list[tuple[str, ...]]) -> list[tuple[int, bool]]:
    """Return the samples of a table and whether they are app-limited."""
    return [(int(row[1]), row[2] == "yes") for row in rows]


@pytest.mark.parametrize("rows", tables())
def test_table_rows_follow_from_the_rule(rows: list[tuple[str, ...]]) -> None:
    """Every row follows from the rule, and the pipe is full first in the last row."""
    page_rows = [(Fraction(row[3]), int(row[4]), int(row[5])) for row in rows]
    assert plateau(samples(rows)) == page_rows
    assert [int(row[0]) for row in rows] == list(range(1, len(rows) + 1))
    assert page_rows[-1][2] == 3


def test_there_are_two_tables() -> None:
    assert [len(rows) for rows in tables()] == [8, 4]


def test_strict_growth_threshold_leaves_startup_earlier() -> None:
    """A sender that requires growth by more than 5/4 leaves Startup one round earlier."""
    rounds = samples(tables()[0])
    assert len(plateau(rounds, strictly=True)) == len(rounds) - 1


def test_worked_sample_uses_the_longer_interval() -> None:
    """The delivery rate of the worked sample uses the longer interval and is rounded down."""
    row = re.search(r"^\| (\d+) \| (\d+) \| (\d+) - (\d+) ms \| (\d+) - (\d+) ms \| (\d+) \|$", PAGE, re.M)
    assert row
    delivered, noted, sent, first_sent, acked, noted_at, rate = map(int, row.groups())
    interval_ms = max(sent - first_sent, acked - noted_at)
    assert (delivered - noted) * 1000 // interval_ms == rate == int(tables()[0][0][1])
    assert delivered == 11 * 1200

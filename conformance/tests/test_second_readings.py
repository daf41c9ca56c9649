"""Conforming mutants and open points have a second reading, by a reader other than the proposer."""

from dataclasses import replace
from functools import cache

import pytest

from adequacy.conforming import calls_conforming, conforms
from diagnosis_support import mutants
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.format.clauses import SECOND_READING
from firstflight_conformance.format.open_points import OpenPoint, open_points
from firstflight_conformance.records.results import ExitCode, exit_code
from firstflight_conformance.replay.mutants import Mutant
from freedoms_support import WINDOWS, judged_mutant


@cache
def conforming() -> list[Mutant]:
    """Return the mutants that conform by an open point."""
    return [mutant for mutant in mutants().values() if conforms(mutant)]


def unread(points: tuple[OpenPoint, ...], conforming_mutants: list[Mutant]) -> list[str]:
    """Return the mutants that a point makes conforming without a second reading, and points without any reading."""
    named = [mutant.id for mutant in conforming_mutants if not mutant.second_reading]
    bare = [point for point in points if not point.second_reading]
    return named + [
        point.id for point in bare if not any(calls_conforming(point, mutant) for mutant in conforming_mutants)
    ]


def test_all_is_read_twice() -> None:
    """Every conforming mutant has a second reading, and so has every point without such a mutant."""
    assert unread(open_points(), conforming()) == []
    assert {mutant.id for mutant in mutants().values() if mutant.second_reading} == {
        mutant.id for mutant in conforming()
    }


def test_what_was_not_read_is_found() -> None:
    """A mutant or a point without second reading is reported."""
    changed = [
        replace(mutant, second_reading="") if mutant.id == "resume-beta-half" else mutant for mutant in conforming()
    ]
    assert unread(open_points(), changed) == ["resume-beta-half"]
    points = tuple(replace(point, second_reading="") for point in open_points())
    assert "careful-resume A45" in unread(points, conforming())


def test_who_doubts_is_heard() -> None:
    """If the second reader doubts, the point contains the argument against it."""
    for point in open_points():
        readings = [
            point.second_reading,
            *(mutant.second_reading for mutant in conforming() if calls_conforming(point, mutant)),
        ]
        if any(reading.startswith("doubts") for reading in readings):
            assert point.against, point.id


@pytest.mark.parametrize("reading", ["agrees", "agrees: it does", "maybe: it does (section 1)", "doubts:  (1)"])
def test_what_is_no_second_reading(reading: str) -> None:
    """A second reading needs a verdict, a reason and a section."""
    assert not SECOND_READING.fullmatch(reading)


@pytest.mark.parametrize("name", sorted(name for point in open_points() for name in point.covers))
def test_what_a_bound_covers_passes(name: str) -> None:
    """A mutant that conforms by an interval ends with exit code 0 or 4, not 1."""
    mutant = mutants()[name]
    report = judged_mutant(mutant, Declaration(name, "1", {mutant.algorithm: (mutant.profile,)}, WINDOWS))
    assert exit_code([report], strict=False) in (ExitCode.OK, ExitCode.NOTHING_RUN)

"""Every rule of ours is part of an open point, cannot be observed, or excludes all alternatives."""

from pathlib import Path

import pytest

from diagnosis_support import mutants
from firstflight_conformance.explain.breaks import rules_of
from firstflight_conformance.format.clauses import Author, Clause, known_clauses
from firstflight_conformance.format.open_points import OpenPoint, OpenPointError, open_points
from firstflight_conformance.format.readings import load_tables
from firstflight_conformance.replay.mutants import load_mutants

#: Readings that decide no rule: they select the algorithm below.
NOT_A_RULE = {("careful-resume", "search")}


def covers(point: OpenPoint, clause: Clause) -> bool:
    """Return whether a point covers a rule: by its id, by a reading that decides it, or by a mutant that breaks it."""
    decided = clause.page == point.algorithm and not point.readings.keys().isdisjoint(clause.readings)
    broken = any(clause.id in rules_of(mutants()[name]) for name in point.mutants)
    return decided or broken or clause.id in point.clauses


def is_decided(clause: Clause) -> bool:
    """Return whether a rule has a source text, an open point, or a reason for excluding all alternatives."""
    reason = clause.author is Author.TEXT or clause.unobservable or clause.no_alternative
    return bool(reason) or any(covers(point, clause) for point in open_points())


def test_rules_of_ours_have_an_open_point_or_a_reason() -> None:
    """A rule of ours needs an open point, or a reason why no alternative conforms or can be observed."""
    undecided = [clause.id for clause in known_clauses().values() if not is_decided(clause)]
    assert undecided == [], "give it :no-alternative:, :unobservable: or an open point"


def test_author_alone_does_not_decide_a_rule() -> None:
    """A text, a reason, a reading, a mutant or an id decides; an author alone does not."""
    ours = Clause("cubic.new", "-", "ours", "New.", "cubic", {}, Author.OURS)
    by_reading = Clause("cubic.new", "-", "ours", "New.", "cubic", {}, Author.OURS, ("growth",))
    other_page = Clause("search.new", "-", "ours", "New.", "search", {}, Author.OURS, ("growth",))
    assert [is_decided(clause) for clause in (ours, by_reading, other_page)] == [False, True, False]
    assert is_decided(Clause("cubic.new", "-", "RFC 9438", "New.", "cubic", {}))
    assert is_decided(Clause("cubic.new", "-", "ours", "New.", "cubic", {}, Author.OURS, (), "no event", ""))
    assert is_decided(Clause("cubic.new", "-", "ours", "New.", "cubic", {}, Author.OURS, (), "", "0 / 0"))
    assert is_decided(known_clauses()["hystartpp.css.rounding"])


def test_open_point_with_unknown_clause_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unknown clause in an open point is refused with its place."""
    path = tmp_path / "cubic" / "open-points.toml"
    path.parent.mkdir()
    path.write_text(
        '[[point]]\nnumber = "X1"\nalgorithm = "cubic"\nprofiles = ["*"]\nwhy = "x"\n'
        'second_reading = "agrees: x (x)"\nclauses = ["cubic.none"]\n',
        encoding="utf-8",
    )
    monkeypatch.setattr("firstflight_conformance.format.open_points.SPEC", tmp_path)
    open_points.cache_clear()
    with pytest.raises(OpenPointError, match=r"cubic X1: clauses: unknown clause cubic\.none"):
        open_points()
    monkeypatch.undo()
    open_points.cache_clear()


def test_every_reading_decides_a_rule() -> None:
    """A changed reading then breaks the rules that it decides, not other rules carried out at the same event."""
    named = {(clause.page, name) for clause in known_clauses().values() for name in clause.readings}
    silent = {(table.algorithm, reading.name) for table in load_tables().values() for reading in table.readings} - named
    assert silent == NOT_A_RULE


def test_every_mutant_breaks_a_rule() -> None:
    """Mutants equivalent to the model break no rule; all others list their rules, or their line cites one."""
    silent = [mutant.id for mutant in load_mutants() if not mutant.equivalent and not rules_of(mutant)]
    assert silent == []

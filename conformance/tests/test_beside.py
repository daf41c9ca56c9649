"""Rows of plain programs by clause: each line occurs once, and both languages have the same clauses."""

import pytest

from pages import beside
from plain.judge import programs

NAMES = sorted(programs())


@pytest.mark.parametrize("name", NAMES)
def test_rows_contain_every_line_once(name: str) -> None:
    """The rows contain all nonempty lines of the files, each once."""
    rows = beside.rows(name)
    for path, side in ((beside.python_path(name), "python"), (beside.c_path(name), "c")):
        if path is None:
            assert all(row.c == () for row in rows)
            continue
        lines_of_rows = sorted(
            (piece.first + offset, line)
            for row in rows
            for piece in getattr(row, side)
            for offset, line in enumerate(piece.lines)
            if line.strip()
        )
        whole = enumerate(path.read_text("utf-8").splitlines(), 1)
        assert lines_of_rows == [(number, line) for number, line in whole if line.strip()]


@pytest.mark.parametrize("name", NAMES)
def test_every_clause_has_one_row(name: str) -> None:
    """Every cited clause has one row, with the line that cites it."""
    rows = beside.rows(name)
    clauses = [clause for row in rows for clause in row.clauses]
    assert len(clauses) == len(set(clauses)) > 10
    for row in rows:
        for clause in row.clauses:
            assert any(f"[{clause}]" in line for piece in (*row.python, *row.c) for line in piece.lines)


def test_row_has_python_and_c_statements() -> None:
    """The rounding of the shift is one statement in Python and one in C."""
    row = next(row for row in beside.rows("search_draft_09") if row.clauses == ("search.shift.round",))
    assert any(
        "divmod(TICKS_PER_NS * s.rtt_ns, s.bin_duration)" in line for piece in row.python for line in piece.lines
    )
    assert any("20 * s->rtt_ns / s->bin_duration" in line for piece in row.c for line in piece.lines)


def test_literal_profile_differs_in_shift_rounding() -> None:
    """The literal profile of LANMAN differs from our reading at the clause that rounds the shift."""
    differences = beside.otherwise("search_lanman_2024")
    literal = {
        difference.reading.name: (difference.here, difference.there)
        for difference in differences
        if difference.profile == "lanman-2024-literal"
    }
    assert literal["shift"] == ("nearest", "floor")
    row = next(row for row in beside.rows("search_lanman_2024") if "search.shift.round" in row.clauses)
    assert "lanman-2024-literal" in {difference.profile for difference in beside.differing(row, differences)}

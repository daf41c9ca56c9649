"""Numbers in texts: each number of a ``why`` is in its vector, or in an equation that holds."""

import json
from pathlib import Path

import pytest

from firstflight_conformance.paths import ROOT, VECTORS
from page_numbers import unproved_on_page
from why_arithmetic import read
from why_numbers import numbers_of, unproved

GOLD = {
    path.relative_to(VECTORS).as_posix(): vector
    for path in sorted(VECTORS.glob("*/*.json"))
    if (vector := json.loads(path.read_text("utf-8")))["tier"] == "gold"
}


@pytest.mark.parametrize("name", GOLD)
def test_gold_vector_numbers_are_in_vector_or_computed(name: str) -> None:
    """Every number in the derivation of a gold vector is in the vector or computed."""
    assert unproved(GOLD[name]["why"], numbers_of(GOLD[name])) == []


@pytest.mark.parametrize("name", ["slow-start/growth.doubling.json", "careful-resume/retreat.floor.json"])
def test_a_wrong_number_is_found(name: str) -> None:
    """Adding 1 to the first number that counts is an error."""
    vector = GOLD[name]
    number = next(word for word in vector["why"].replace(",", " ").split() if word.isdigit() and int(word) >= 1000)
    assert unproved(vector["why"].replace(number, str(int(number) + 1)), numbers_of(vector))


@pytest.mark.parametrize(
    "text",
    [
        "12000 + 2 * 1200 = 14400",
        "floor((20 - 1) / 2) = 9 packets",
        "25200 + (9/17) * 1000 * 10000 / 25200 = 25410",
        "max(0, 12000) = 12000 and 13 * 100000 >= 10 * 100000",
        "12.5 ms = 12500 us, and 1200 * 600 s / 3221225472 = 223517.4 ns",
        "7/8 + 4/8 = 1.375",
        "1000 * 100 / 8999 ms = 11.112345 ms and 1 / (2 * 327680) s = 1525 + 225/256 ns",
        "3 * 5 ms / 2 = 7.5 ms",
        "It grows by (35600 - 25221) * 1000 / 25221 = 411.522",
    ],
)
def test_true_statements_are_accepted(text: str) -> None:
    """Expressions, functions, units and rounded results are accepted."""
    assert read(text) == ([], [])


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("1.5 * 300 = 450. The target is 450", []),
        ("1.5 * 300 = 450. The target is 451", ["451"]),
        ("450 = 450, and the target is 450", ["450"]),
        ("1.5 * 300 < 500, and the target is 500", ["500"]),
    ],
)
def test_only_computed_results_may_be_repeated(text: str, alone: list[str]) -> None:
    """The result of an expression may be repeated; a number that was only compared may not."""
    assert read(text) == ([], alone)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("12000 + 2 * 1200 = 14401", "12000 + 2 * 1200 = 14401"),
        ("13 * 100000 < 10 * 100000", "13 * 100000 < 10 * 100000"),
        ("12.5 ms = 12501 us", "12.5 ms = 12501 us"),
        ("300 / 7 = 42.85 = 43.1", "42.85 = 43.1"),
    ],
)
def test_wrong_statements_are_reported(text: str, wrong: str) -> None:
    """Each wrong statement is reported as it was read."""
    assert wrong in read(text)[0]


@pytest.mark.parametrize(
    "text", ["W(4000) = 3000", "W(2 * 4000) + 1 = 3000", "scharf-2009 of RFC 9002", "t * 1200 = 2400", "cwnd = 12000"]
)
def test_text_with_names_is_not_a_statement(text: str) -> None:
    """A side that contains more than numbers makes no statement, and a number within a name does not count."""
    assert read(text)[0] == []


PAGES = sorted(
    [*(ROOT / "spec").glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "docs/specification").glob("*.md")]
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_page_numbers_match_vectors(page: Path) -> None:
    """The numbers in a section agree with the vectors of the section."""
    assert unproved_on_page(page) == []


def test_a_wrong_number_on_a_page_is_found(tmp_path: Path) -> None:
    """A wrong digit on the errata page of SEARCH is found."""
    page = tmp_path / "errata.md"
    text = (ROOT / "spec/search/errata.md").read_text("utf-8")
    assert "110000" in text
    page.write_text(text.replace("110000", "110007"), "utf-8")
    assert any("110007" in line for line in unproved_on_page(page))

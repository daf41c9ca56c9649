"""Each clause is a whole sentence with a subject, and its condition is data that agrees with the model."""

import re

import pytest

from firstflight_conformance.commands.options import all_cases
from firstflight_conformance.explain.breaks import broken_by, rules_of
from firstflight_conformance.format.clauses import Clause, all_clauses, known_clauses
from firstflight_conformance.format.open_points import open_points
from firstflight_conformance.format.profile_rules import holds
from firstflight_conformance.format.readings import load_tables
from firstflight_conformance.paths import VECTORS
from firstflight_conformance.records.findings import Decision
from firstflight_conformance.replay.candidates import Candidate
from firstflight_conformance.replay.mutants import Mutant

#: Words that refer to an earlier sentence: pronouns, conjunctions and adverbs.
DEPENDENT = re.compile(
    r"(?:it|its|they|their|them|this|these|that|those|such|then|otherwise|so|nor|and|but|or|yet|also|thus|hence|else|therefore|"
    r"likewise|instead)\b",
    re.I,
)
#: A value of a reading as the condition of the sentence.
PROSE_CONDITION = re.compile(r"\b(?:with|where|under|unless|when|if|not|for)\b(?: \w+){0,5} `(\w+)`", re.I)


def dependent(text: str) -> bool:
    """Return whether a text depends on the clause before it."""
    return DEPENDENT.match(text) is not None


def fragment(text: str) -> bool:
    """Return whether a text lacks a full stop at its end, or a capital letter, number or symbol at its beginning."""
    words = re.match(r"[a-z]+\b(?![_(])", text)
    symbols = ("cwnd", "min_rtt", "norm_diff", "rho", "psi", "beta", "rtt_floor")
    return not text.endswith((".", ".)")) or (words is not None and not text.startswith(symbols))


def conditions_in_prose(clause: Clause) -> list[str]:
    """Return the values of the clause's readings that its text uses as a condition of the whole sentence."""
    tables = load_tables()
    if clause.page not in tables:
        return []
    values = {
        value
        for reading in tables[clause.page].readings
        if reading.name in clause.readings
        for value in reading.choices
    }
    first = re.split(r"(?<=[.;:]) ", clause.text)[0]
    return [value for value in PROSE_CONDITION.findall(first) if value in values]


CLAUSES = list(all_clauses().values())


def test_no_clause_begins_with_a_pronoun_or_conjunction() -> None:
    assert [clause.id for clause in CLAUSES if dependent(clause.text)] == []


def test_no_clause_is_a_fragment() -> None:
    assert [clause.id for clause in CLAUSES if fragment(" ".join(clause.text.split()))] == []


def test_no_clause_has_its_condition_in_prose_only() -> None:
    assert [clause.id for clause in CLAUSES if conditions_in_prose(clause)] == []


@pytest.mark.parametrize(
    ("text", "is_dependent", "is_fragment"),
    [
        ("It is at most the short-term volume,", True, True),
        ("the pipe is full,", False, True),
        ("Otherwise a recovery period starts.", True, False),
        ("So does a mark.", True, False),
        ("The window is halved.", False, False),
        ("cwnd is halved.", False, False),
        ("Sorted packets count.", False, False),
    ],
)
def test_dependent_clauses_and_fragments_are_found(text: str, is_dependent: bool, is_fragment: bool) -> None:
    assert (dependent(text), fragment(text)) == (is_dependent, is_fragment)


@pytest.mark.parametrize(
    "text", ["With `more_than` it does not.", "Where the reading is `more_than`, no exit follows."]
)
def test_a_condition_in_prose_is_found(text: str) -> None:
    clause = Clause("search.x", "-", "x", text, "search", {}, readings=("threshold",))
    assert conditions_in_prose(clause) == ["more_than"]


def test_exercised_clauses_are_rules_of_the_profile() -> None:
    """Each clause that a case exercises is a rule of its profile, so that `:when:` agrees with the model."""
    known = all_clauses()
    wrong = {
        (clause, case.profile)
        for case in all_cases(VECTORS)
        for clause in case.expectation.clauses
        if not holds(known[clause], case.vector.algorithm, case.profile)
    }
    assert wrong == set()


def test_conditional_clauses_are_exercised_or_exempt() -> None:
    """Each clause with a condition is exercised or exempt, and does not hold in some profile or open point."""
    carried = {clause for case in all_cases(VECTORS) for clause in case.expectation.clauses}
    open_values = [(point.algorithm, point.readings) for point in open_points()]
    for clause in CLAUSES:
        if not clause.when:
            continue
        met = [clause.holds(profile.readings) for profile in load_tables()[clause.page].profiles]
        assert clause.id in carried or "vector" in clause.exempt, clause.id
        met += [
            clause.holds({reading: value})
            for algorithm, readings in open_values
            if algorithm == clause.page
            for reading, values in readings.items()
            for value in values
        ]
        assert not all(met), f"{clause.id}: every profile and open point meets its condition"


def test_report_cites_only_rules_of_the_profile() -> None:
    """A report cites only rules of the profile, even if a mutant changes a rule of another value of a reading."""
    mutant = Mutant("x", "search", "draft-09", "x", {"kept_bins": "newest"}, "", "", "", "")
    decision = Decision("x", 0, {}, ("search.bins.advance",), {}, {})
    assert "search.bins.newest-only" in rules_of(mutant)
    cited = broken_by(Candidate("x", "reading", "x", (mutant,)), decision, ("search", "draft-09"))
    assert cited and all(holds(known_clauses()[name], "search", "draft-09") for name in cited)

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from adequacy.mutated import mutated
from every import every_vector, vectors_by_id
from firstflight import create
from firstflight.controller import ALGORITHMS
from firstflight.search.profiles import PROFILES
from firstflight_conformance.format import computations
from firstflight_conformance.format.clauses import all_clauses, page_name, pages
from firstflight_conformance.format.readings import load_tables
from firstflight_conformance.format.vectors import Case, Vector
from firstflight_conformance.format.wire import observation_to_json
from firstflight_conformance.paths import ROOT, SPEC
from firstflight_conformance.replay.measure import config_from_json, replay
from firstflight_conformance.replay.mutants import load_mutants

PAGES = sorted([*pages(), *(ROOT / "docs").glob("*.md")])
#: A vector, a clause or a group of vectors of any algorithm; `cubic.c` is a file.
DOTTED = re.compile(rf"`((?:{'|'.join(ALGORITHMS)})\.(?!c`)[a-z0-9.-]+)(?:@([a-z0-9+-]+))?`")
MUTANTS = re.compile(r"mutants? ((?:`[a-z0-9-]+`(?:, | and )?)+)")
#: A case, one of its events, and the values on the page.
NUMBERS = re.compile(r"`([a-z0-9.-]+)@([a-z0-9-]+)`, event (\d+): ((?:`\w+` \w+(?:, )?)+)")
#: A source in the sections of the BBR draft that its editor's copy makes normative.
_NORMATIVE = re.compile(r"draft-06, sections? (?:2\.13 and )?5\.[1-6]")
#: The two vectors of docs/search-profiles.md.
TELLING = ("search.path.deep-queue", "search.missed-bins.5")


def one_line(page: Path) -> str:
    """Return the text of a page without line breaks."""
    return " ".join(page.read_text("utf-8").split())


@cache
def profiles_of() -> dict[str, set[str]]:
    """Return the profiles of every vector, including computations."""
    return {vector.id: set(vector.profiles) for vector in [*every_vector(), *computations.load_all()]}


@cache
def mutants() -> frozenset[str]:
    return frozenset(mutant.id for mutant in load_mutants())


def rows(page: str) -> dict[str, list[str]]:
    """Return the rows of the first table of a page of SEARCH by number."""
    section = (SPEC / "search" / f"{page}.md").read_text("utf-8").partition("\n## Open points\n")[0]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in section.splitlines() if "|" in line]
    return {row[0].strip("| "): row for row in cells[2:]}


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_every_id_in_code_font_exists(page):
    groups = {".".join(name.split(".")[:2]) for name in profiles_of()}
    known = {*profiles_of(), *all_clauses(), *groups}
    text = page.read_text("utf-8")
    missing = [name for name, _ in DOTTED.findall(text) if name not in known]
    assert not missing
    cases = [(name, profile) for name, profile in DOTTED.findall(text) if profile]
    assert [f"{name}@{profile}" for name, profile in cases if profile not in profiles_of()[name]] == []


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_every_mutant_in_code_font_exists(page):
    named = [name for match in MUTANTS.findall(page.read_text("utf-8")) for name in re.findall(r"`([^`]+)`", match)]
    assert set(named) <= mutants()


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_event_values_on_pages_match_the_vectors(page):
    for name, profile, at, statement in NUMBERS.findall(one_line(page)):
        expected = Case(vectors_by_id()[name], profile).expected()[int(at)]
        observed = {**expected.get("state", {}), **expected}
        for key, value in re.findall(r"`(\w+)` (\w+)", statement):
            assert str(observed[key]) == value, f"{name}@{profile}, event {at}"


def test_careful_resume_errata_cite_events_in_checked_form():
    text = one_line(SPEC / "careful-resume" / "errata.md")
    numbers = NUMBERS.findall(text)
    assert len(numbers) > 30
    # Each mention of an event is in the form that is checked.
    assert len(numbers) == len(re.findall(r"\bevent \d", text))


def test_search_errata_contain_ids_and_mutants():
    text = (SPEC / "search" / "errata.md").read_text("utf-8")
    assert len(DOTTED.findall(text)) > 40
    assert len(MUTANTS.findall(text)) >= 5


def test_every_ambiguity_is_listed_with_its_readings():
    table = rows("open-points")
    assert list(table) == [f"A{number}" for number in range(1, 26)]
    for reading in load_tables()["search"].readings:
        assert f"`{reading.name}`" in table[reading.ambiguity][2], reading.name


def test_ambiguity_lists_profiles_with_other_readings():
    readings = load_tables()["search"].readings
    profiles = {profile.name: profile for profile in load_tables()["search"].profiles}
    for number, row in rows("open-points").items():
        names = {reading.name for reading in readings if reading.ambiguity == number} & set(
            re.findall(r"`(\w+)`", row[2])
        )
        if "all others" in row[4]:
            continue
        differ = {
            name
            for name, profile in profiles.items()
            if any(profile.readings[reading] != profiles["lanman-2024"].readings[reading] for reading in names)
        }
        listed = {name for name in profiles if re.search(rf"(?<![\w-]){name}(?![\w-])", row[4])}
        assert listed == differ, number


def test_every_edge_case_has_vectors_or_a_reason():
    table = rows("edge-cases")
    assert list(table) == [f"E{number:02}" for number in range(1, 61)]
    for number, row in table.items():
        exempt = row[2].startswith(("none", "cannot occur"))
        assert exempt or any(name in vectors_by_id() for name, _ in DOTTED.findall(row[2])), number


def test_every_erratum_is_in_the_table_of_errata():
    text = (SPEC / "search" / "errata.md").read_text("utf-8")
    headings = re.findall(r"^## (S\d+\. .*)$", text, re.M)
    slugs = [re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings]
    assert re.findall(r"\]\(#(s[^)]*)\)", text) == slugs


def windows(profile: str, vector: Vector) -> list[int]:
    events = list(vector.events)
    observations = replay(create("search", profile, config_from_json(vector.config)), events)
    return [observation.cwnd_bytes for observation in observations]


def test_two_vectors_distinguish_all_profiles_by_window():
    expected = {
        (name, profile): [observation["cwnd_bytes"] for observation in Case(vectors_by_id()[name], profile).expected()]
        for name in TELLING
        for profile in PROFILES
    }
    for profile in PROFILES:
        answers = {name: windows(profile, vectors_by_id()[name]) for name in TELLING}
        passed = {
            candidate
            for candidate in PROFILES
            if all(answers[name][: len(right)] == right for name in TELLING for right in [expected[name, candidate]])
        }
        assert passed == {profile}


def test_erratum_s12_has_bin_and_shift_of_the_exit():
    """The bin and the shift of the exit in S12 are the values of the vector at that event."""
    text = (SPEC / "search" / "errata.md").read_text("utf-8")
    (vector, profile, at, exit_bin, shift), *_ = re.findall(
        r"`(search\.clock\.[\w.-]+)@([\w.-]+)`: it exits at event (\d+), in its bin (\d+) and with a shift of (\d+)",
        text,
    )
    expected = Case(vectors_by_id()[vector], profile).expected()[int(at)]
    assert {expected["state"][name] for name in ("bin", "shift_bins")} == {int(exit_bin), int(shift)}


def test_bbr_clauses_have_the_level_of_the_editors_copy():
    """Exactly the clauses from sections 5.1 to 5.6 have MUST by the editor's copy in addition to the level of -06."""
    clauses = [clause for clause in all_clauses().values() if clause.page == "bbr"]
    section_clauses = {
        clause.id
        for clause in clauses
        if not clause.ours and clause.level == "-" and re.match(_NORMATIVE, clause.source)
    }
    assert len(section_clauses) > 60
    assert {clause.id for clause in clauses if clause.newer_level} == section_clauses
    assert {clause.newer_level for clause in clauses if clause.newer_level} == {"MUST"}


def test_bbr_page_counts_clauses_by_level():
    """docs/bbr.md has the number of clauses from the draft by their level in the tag and in the editor's copy."""
    named = {"-": "no keyword"}
    levels = [
        (clause.level, clause.newer_level or clause.level)
        for clause in all_clauses().values()
        if clause.page == "bbr" and not clause.ours and clause.source.startswith("draft-06")
    ]
    table = (ROOT / "docs" / "bbr.md").read_text("utf-8").partition("| clauses of the draft |")[2].partition("\n\n")[0]
    listed = {(tag, copy): int(count) for count, tag, copy in re.findall(r"\| (\d+) .*? \| (.*?) \| (.*?) \|", table)}
    counts = Counter((named.get(tag, tag), named.get(copy, copy)) for tag, copy in levels)
    assert listed == counts


def test_bbr_errata_have_the_values_of_the_mutants():
    """B-1 to B-3: the mutant has the values of the line at the event of the vector before it."""
    text = (SPEC / "bbr" / "errata.md").read_text("utf-8")
    lines = [line for line in text.splitlines() if "With the mutant" in line]
    assert len(lines) == 3
    for line in lines:
        vector_part, _, mutant_part = line.partition("With the mutant ")
        ((name, profile, at, _),) = NUMBERS.findall(vector_part)
        mutant = next(mutant for mutant in load_mutants() if mutant.id == mutant_part.split("`")[1])
        vector = vectors_by_id()[name]
        with mutated(mutant) as models:
            run = models.create("bbr", profile, config_from_json(vector.config))
            answers = [models.advance(run, event) for event in vector.events]
        observed = observation_to_json(answers[int(at)])
        values = {**observed.get("state", {}), **observed}
        named = re.findall(r"`(\w+)` (\w+)", mutant_part.partition(": ")[2])
        assert named
        for key, value in named:
            assert str(values[key]) == value, line


def test_bbr_open_points_are_compared_with_the_editors_copy():
    """Each of B1 to B19 is closed by the copy or stays open, except B7, a reading of implementations."""
    text = (SPEC / "bbr" / "open-points.md").read_text("utf-8")
    judged = text.partition("were judged again by the editor's copy 4ce5e87")[2]
    numbers = {int(number) for number in re.findall(r"\bB(\d+)\b", judged)}
    assert numbers == {*range(1, 20)} - {7}

"""The flat form contains the data of the vectors, without values that a reader has to compute."""

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from every import every_computation
from firstflight_conformance.flat import form as flat
from firstflight_conformance.flat.form import AnyCase
from firstflight_conformance.format import computations, vectors
from firstflight_conformance.format.clauses import all_clauses
from firstflight_conformance.format.schemas import schema_error
from firstflight_conformance.paths import CONFORMANCE, VECTORS
from freedoms_support import Variant, answers_of, program_of, scripts_of, variants
from test_broken_files import module


@cache
def cases() -> list[AnyCase]:
    all_cases: list[AnyCase] = []
    for algorithm in ("slow-start", "hystartpp", "jumpstart", "careful-resume"):
        all_cases += vectors.cases(vectors.load(path) for path in sorted((VECTORS / algorithm).glob("*.json")))
    return [*all_cases, *every_computation()]


@cache
def written() -> dict[str, list[dict[str, Any]]]:
    """Return the lines of every profile of these algorithms."""
    known = all_clauses()
    return {
        f"{algorithm}/{profile}": [json.loads(line) for line in flat.lines(group, known)]
        for (algorithm, profile), group in flat.by_profile(cases()).items()
    }


def test_every_line_matches_the_schema() -> None:
    """Every line matches the schema, and all kinds of lines except idle restarts occur."""
    kinds: Counter[str] = Counter()
    for lines in written().values():
        for line in lines:
            assert schema_error("urn:firstflight:flat:2", line) is None
            kinds[line.get("ev", line["line"])] += 1
    assert {"profile", "case", "computation", "sent", "ack", "lost", "ce", "backlog", "saved_path"} <= set(kinds)


def test_members_have_the_order_of_the_schema() -> None:
    """Members have the order of the schema, so that scanners can rely on it."""
    schema = json.loads((Path(VECTORS.parent) / "spec" / "schemas" / "flat.schema.json").read_text("utf-8"))
    for lines in written().values():
        for line in lines:
            assert list(line) == list(schema["$defs"][line.get("ev", line["line"])]["properties"])
            if line["line"] == "event":
                assert list(line["expect"]) == list(schema["$defs"]["expect"]["properties"])


def test_lines_contain_events_and_expectations() -> None:
    """The lines alone contain events, expectations and allowed alternatives of every case."""
    lines_by_case = {
        line["case"]: (lines, number)
        for lines in written().values()
        for number, line in enumerate(lines)
        if "case" in line
    }
    assert len(lines_by_case) == len(cases())
    for case in cases():
        lines, number = lines_by_case[case.id]
        head = lines[number]
        if isinstance(case, computations.ComputationCase):
            assert (head["expect"] is None) == ("error" in case.expected())
            continue
        header = lines[0]
        events = lines[number + 1 : number + 1 + head["events"]]
        for line, event, expected, allowed in zip(events, case.events, case.expected(), case.allowed(), strict=True):
            assert (line["line"], line["t_ns"]) == ("event", event.t_ns)
            listed = {
                name: value for name, value in line["expect"].items() if name in (*header["observables"], "state")
            }
            assert listed == expected
            assert list(line["expect"]["state"]) == header["state"]
            assert line["allowed"] == allowed
        assert number + 1 + head["events"] == len(lines) or "case" in lines[number + 1 + head["events"]]


def test_lines_have_53_bits_if_all_numbers_fit_doubles() -> None:
    """Lines have 53 bits if every number of events and expectations fits a double, else 64."""
    widths = set()
    for lines in written().values():
        bits = 64
        for line in lines:
            bits = line.get("bits", bits)
            widths.add(bits)
            if line["line"] == "event" and bits == 53:
                assert json.loads(json.dumps(line), parse_int=lambda digits: int(float(digits))) == line
    assert widths == {53, 64}


def verdicts(profile: str, name: str) -> Counter[str]:
    """Return the number of cases that agree, differ and are open for a changed program, by the Python loader."""
    loader = module(CONFORMANCE / "loaders" / "python" / "flat.py")
    variant = next(variant for variant in variants() if (variant.profile, variant.id) == (profile, name))
    program, counts = program_of(variant), Counter[str]()
    lines = written()[profile]
    for script in scripts_of(profile):
        number = next(number for number, line in enumerate(lines) if line.get("case") == script.case.id)
        events = lines[number + 1 : number + 1 + lines[number]["events"]]
        answers = answers_of(program, script, variant.declaration.observables).observed
        text = loader.first_difference(lines[number], events, lambda event, observed=answers: observed[event["i"]])
        counts["agrees" if text is None else "open" if text.startswith("not decided: ") else "differs"] += 1
    return counts


@pytest.mark.parametrize(
    ("variant", "verdict"),
    [
        ("jumps-at-once", {"agrees"}),
        ("limit-noticed-at-acks", {"agrees"}),
        ("threshold-at-entry", {"agrees", "open"}),
        ("jump-two-fifths", {"agrees", "open"}),
        ("jump-one-byte-more", {"agrees", "differs"}),
        ("jumps-after-a-loss", {"agrees", "differs"}),
    ],
)
def test_only_programs_that_break_a_rule_differ(variant: str, verdict: set[str]) -> None:
    """A program with another choice at an open point never differs in the flat form; one that breaks a rule does."""
    assert set(verdicts("careful-resume/rfc-9959", variant)) == verdict


@pytest.mark.long
@pytest.mark.parametrize(
    "variant",
    [variant for variant in variants() if variant.profile == "careful-resume/rfc-9959" and variant.conforms],
    ids=lambda variant: variant.id,
)
def test_conforming_careful_resume_variants_never_differ(variant: Variant) -> None:
    """Every conforming variant of Careful Resume agrees or is undecided."""
    assert set(verdicts(variant.profile, variant.id)) <= {"agrees", "open"}


def test_a_way_differs_from_way_0() -> None:
    """Each way of a case differs from the expectations at some event, and way 0 has intervals around its values."""
    for lines in written().values():
        head, differing = lines[0], set[int]()
        for line in [*lines[1:], {"line": "case", "ways": []}]:
            if line["line"] == "case":
                assert differing == set(range(1, len(head.get("ways", ()))))
                head, differing = line, set()
            for way in line.get("ways", ()) if line["line"] == "event" else ():
                values = {name: value for name, value in way.items() if name != "way"}
                right = line["expect"] | line["expect"]["state"]
                if way["way"] == 0:
                    assert all(
                        least < most and (right[name] is None or least <= right[name] <= most)
                        for name, (least, most) in values.items()
                    )
                else:
                    assert not any(right[name] == value for name, value in values.items())
                    differing.add(way["way"])


@pytest.mark.parametrize(
    ("case", "level", "ours"),
    [
        ("slow-start.avoidance.per-packet@rfc-9002", "MUST", True),
        ("slow-start.app-limited.no-growth@rfc-9002", "SHOULD", False),
        ("slow-start.acks.ack-of-two@rfc-9002", None, False),
        ("hystartpp.css.loss@rfc-9406", "MUST", True),
    ],
)
def test_case_has_the_strongest_level_of_its_clauses(case: str, level: str | None, ours: bool) -> None:
    """A case has the strongest level of its clauses and a list of the clauses that are ours."""
    line = next(line for lines in written().values() for line in lines if line.get("case") == case)
    assert (line["level"], bool(line["ours"])) == (level, ours)
    assert set(line["ours"]) <= set(line["clauses"])

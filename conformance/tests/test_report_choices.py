"""Choices at open points in a report: each choice lists its cases, and an extreme value has a warning."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from firstflight_conformance.explain.departures import Choice
from firstflight_conformance.format.clauses import known_clauses
from firstflight_conformance.format.open_points import open_points
from firstflight_conformance.records.findings import Diagnosis
from firstflight_conformance.records.results import AdapterReport, Result, Verdict
from firstflight_conformance.report import json_document
from firstflight_conformance.report.causes import choice_texts, rule_line
from firstflight_conformance.report.terminal import print_report
from freedoms_support import judged, variants
from runner_support import adapter

POINT = next(point for point in open_points() if point.id == "careful-resume A3")
NEVER = Choice(POINT, "A3 jump never", "jump: never", (), ("careful-resume.one@rfc-9959",), acts=False)


def printed(report: AdapterReport) -> str:
    """Return the printed report."""
    out = io.StringIO()
    print_report(Console(file=out, width=400), [report], 1, all_failures=False, lines=None)
    return out.getvalue()


def test_a_choice_lists_its_cases() -> None:
    (text,) = choice_texts([NEVER])
    assert text.startswith("jump: never, in 1 case: careful-resume.one@rfc-9959; careful-resume A3 is open")


def test_the_same_choice_in_two_profiles_is_listed_once() -> None:
    other = replace(NEVER, cases=("careful-resume.two@draft-10", "careful-resume.one@rfc-9959"))
    (text,) = choice_texts([NEVER, other])
    assert "in 2 cases, such as careful-resume.one@rfc-9959;" in text


@pytest.mark.parametrize("conforms", [True, False])
def test_choices_are_printed_only_with_conforming_cases(conforms: bool) -> None:
    result = Result("careful-resume.one@rfc-9959", Verdict.FAIL, "differs", conforms=conforms)
    adapter_report = AdapterReport(adapter("x", name="mine"), results=(result,), diagnosis=Diagnosis((), (NEVER,)))
    assert ("1 case with other choices, which conform:" in printed(adapter_report)) is conforms
    assert "0 cases with other choices" not in printed(adapter_report)


def test_one_failure_is_singular() -> None:
    result = Result("slow-start.one@rfc-9002", Verdict.FAIL, "differs", cause="x")
    assert "mine: 1 failure; --all-failures" in printed(AdapterReport(adapter("x", name="mine"), results=(result,)))


def test_a_threshold_of_zero_has_a_warning() -> None:
    """RFC 9959, section 3.5, only limits the threshold from above: 0 conforms, and the report asks for a check."""
    variant = next(v for v in variants() if v.id == "threshold-of-zero")
    report = judged(variant, whole=False)
    assert report.diagnosis is not None
    texts = choice_texts(report.diagnosis.choices)
    warned = [text for text in texts if "0 conforms, but check whether it is intended" in text]
    assert [text.split(":")[0] for text in warned] == ["threshold of Safe Retreat"]


@pytest.mark.parametrize(
    ("members", "status"), [({"conforms": True}, "choice"), ({"undecided": True}, "undecided"), ({}, None)]
)
def test_the_json_report_distinguishes_conforming_cases_from_failures(
    members: dict[str, bool], status: str | None
) -> None:
    """The verdict is `fail` for all of them, as in format 1."""
    result = Result("careful-resume.one@rfc-9959", Verdict.FAIL, "differs", **members)
    document = json_document.to_json([AdapterReport(adapter("x"), results=(result,))], [], 0, strict=False)
    (written,) = document["adapters"][0]["results"]
    assert (written["verdict"], written.get("status")) == ("fail", status)


def test_all_sentences_of_a_rule_are_printed() -> None:
    """A clause is printed with all of its sentences, since a difference may be in any of them."""
    clause = known_clauses()["search.drain.step"]
    assert " ".join(clause.text.split()) in rule_line(clause).plain

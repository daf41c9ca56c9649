"""Cases that the step budget leaves undecided and cases with inconsistent choices, in every report."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from firstflight_conformance.compare import relation
from firstflight_conformance.format.schemas import validator
from firstflight_conformance.records.results import AdapterReport, ExitCode, exit_code
from firstflight_conformance.report import badge, html_page, json_document, junit, terminal
from freedoms_support import Variant, changed, judged, judged_programs, program_of, scripts_of, variants

#: A variant of slow-start/rfc-9002 that differs in several cases.
_CHOICE = "half-rounded-up"


def _variant(name: str) -> Variant:
    return next(variant for variant in variants() if variant.id == name)


def _texts(report: AdapterReport) -> dict[str, str]:
    """Return the report in each form."""
    code = exit_code([report], strict=False)
    document = json_document.to_json([report], [result.case_id for result in report.results], code, strict=False)
    written = json_document.text(document)
    validator("urn:firstflight:report:1").validate(json.loads(written))
    out = StringIO()
    console = Console(highlight=False, markup=False, emoji=False, file=out, width=400)
    terminal.print_report(console, [report], len(report.results), all_failures=False, lines=None)
    return {
        "text": out.getvalue(),
        "json": written,
        "html": html_page.text([report], code, strict=False),
        "junit": junit.text([report], strict=False),
        "badge": badge.text([report], Path("badge.json")),
    }


def test_case_with_exhausted_step_budget_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    """A case whose budget ends is not green, and every report contains the reason."""
    variant = _variant(_CHOICE)
    assert exit_code([judged(variant, whole=False)], strict=False) == ExitCode.OK
    monkeypatch.setattr(relation, "STEPS", 3)
    report = judged(variant, whole=False)
    undecided = [result.case_id for result in report.results if result.status == "undecided"]
    assert undecided and report.counts["undecided"] == len(undecided)
    assert exit_code([report], strict=False) == ExitCode.NOTHING_RUN
    texts = _texts(report)
    assert f"undecided: {', '.join(undecided)}" in texts["text"]
    adapter = json.loads(texts["json"])["adapters"][0]
    assert adapter["counts"]["undecided"] == len(undecided)
    assert [result["case"] for result in adapter["results"] if result.get("undecided")] == undecided
    assert "undecided: the step budget ended before a verdict" in texts["html"]
    assert texts["junit"].count('type="undecided"') == len(undecided)
    badge: dict[str, Any] = json.loads(texts["badge"])
    assert badge["color"] == "yellow" and f"{len(undecided)} undecided" in badge["message"]


def test_inconsistent_choices_are_reported_with_both_cases() -> None:
    """A case with a choice that another case contradicts fails, and every report contains both cases."""
    variant = _variant(_CHOICE)
    right = changed(variant.program, [], f"plain_{variant.program}")
    choice_cases = {result.case_id for result in judged(variant, whole=False).results if result.status == "choice"}
    scripts = scripts_of(variant.profile, whole=False)
    contradicting = next(script.case.id for script in scripts if script.case.id in choice_cases)
    turns = [right if script.case.id == contradicting else program_of(variant) for script in scripts]
    report = judged_programs(variant.profile, variant.declaration, turns, whole=False)
    clashing = [result for result in report.results if result.clash is not None]
    assert {result.case_id for result in clashing} == choice_cases - {contradicting}
    assert exit_code([report], strict=False) == ExitCode.DIVERGENCE
    assert {result.clash for result in clashing} == {contradicting}
    case = clashing[0].case_id
    line = f"inconsistent choices: conforms only by choices that contradict {contradicting}"
    texts = _texts(report)
    assert all(line in texts[form] for form in ("text", "html", "junit"))
    results = json.loads(texts["json"])["adapters"][0]["results"]
    assert [result["clash"] for result in results if result["case"] == case] == [contradicting]
    assert json.loads(texts["badge"])["color"] == "red"

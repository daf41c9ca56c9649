"""Cases that the step budget leaves undecided and cases with inconsistent choices, in every report."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from firstflight_conformance.compare import relation
from firstflight_conformance.paths import SPEC
from firstflight_conformance.run import report_badge, report_html, report_json, report_junit, report_terminal
from firstflight_conformance.run.results import AdapterReport, ExitCode, exit_code
from freedoms_support import Variant, judged, judged_programs, program_of, variants
from jsonschema import Draft202012Validator

_SCHEMA = json.loads((SPEC / "schemas/report.schema.json").read_text("utf-8"))


def _variant(name: str) -> Variant:
    return next(one for one in variants() if one.id == name)


def _texts(report: AdapterReport) -> dict[str, str]:
    """Return the report in each form."""
    code = exit_code([report], strict=False)
    document = report_json.to_json([report], [result.case_id for result in report.results], code, strict=False)
    Draft202012Validator(_SCHEMA).validate(document)
    out = StringIO()
    console = Console(highlight=False, markup=False, emoji=False, file=out, width=400)
    report_terminal.print_report(console, [report], len(report.results), all_failures=False, lines=None)
    return {
        "text": out.getvalue(),
        "json": report_json.text(document),
        "html": report_html.text([report], code, strict=False),
        "junit": report_junit.text([report], strict=False),
        "badge": report_badge.text([report], Path("badge.json")),
    }


def test_a_budget_of_few_steps_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    """A case whose budget ends is not green, and every report contains that."""
    one = _variant(_CHOICE)
    assert exit_code([judged(one, whole=False)], strict=False) == ExitCode.OK
    monkeypatch.setattr(relation, "STEPS", 3)
    report = judged(one, whole=False)
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

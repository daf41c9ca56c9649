"""The implementation status of a draft agrees with the report."""

from typing import Any

from firstflight.controller import ALGORITHMS
from firstflight_conformance.report.json_document import complete
from pages import status_page

RESULTS = [
    {"case": "cubic.rounds.a@rfc-9438", "verdict": "pass"},
    {"case": "cubic.rounds.b@rfc-9438", "verdict": "fail"},
    {"case": "cubic.rounds.c@rfc-9438", "verdict": "unsupported"},
    {"case": "slow-start.growth.a@rfc-9002", "verdict": "pass"},
]
ADAPTER: dict[str, Any] = {
    "role": "third-party",
    "skipped": "",
    "title": "A stack 1.0",
    "declaration": {"algorithms": {"cubic": ["rfc-9438"], "slow-start": ["rfc-9002"]}},
    "results": RESULTS,
    "explained": [
        {"kind": "defect", "notice": "It grows in recovery.", "explanation": "-", "cases": ["cubic.rounds.b@rfc-9438"]},
        {"kind": "open", "explanation": "-", "cases": ["cubic.rounds.b@rfc-9438"]},
    ],
}
REPORT: dict[str, Any] = {
    "adapters": [ADAPTER, {**ADAPTER, "title": "Not here", "skipped": "there is no go"}, {**ADAPTER, "role": "reference"}],
    "checkout": {"commit": "0123456789abcdef", "date": "2026-11-01"},
}  # fmt: skip


def sections() -> dict[str, str]:
    section_texts = status_page.page_of(complete(REPORT)).split("\n## ")[1:]
    return {section.partition("\n")[0]: section for section in section_texts}


def test_each_declared_algorithm_has_a_section() -> None:
    assert set(sections()) == {ALGORITHMS[name].title for name in ("cubic", "slow-start")}


def test_section_has_coverage_and_deviations() -> None:
    text = " ".join(sections()["CUBIC"].split())
    assert "Coverage: 1 of 2 judged cases agree to the end; one departure may show in many cases; 1 need" in text
    assert "Implementation experience: 1 departure from the text: It grows in recovery. 1 choice that" in text
    assert "commit 0123456789ab of 2026-11-01" in text
    assert text.count("A stack 1.0") == 1
    assert "Not here" not in text


def test_lines_have_at_most_72_characters() -> None:
    lines = [line for text in sections().values() for line in text.partition("```text\n")[2].splitlines()]
    assert max(map(len, lines)) <= 72

"""Reports of defects: every defect has a permanent id, the members of its report, and a text for an issue."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from firstflight_conformance.adapters.manifest import OF_REPORTS, ManifestError, load_manifest, load_manifests
from firstflight_conformance.cli import main
from firstflight_conformance.paths import ADAPTERS
from studies.defects.defects import ID, by_id, defects
from studies.defects.streams import STREAMS
from studies.defects.text import issue, on_path

NEEDED = OF_REPORTS[:4]


def test_every_defect_has_the_required_members() -> None:
    """Each defect has an id with stack and number, and a summary, rule, upstream state and search date."""
    adapters_by_id = by_id(load_manifests())
    assert len(adapters_by_id) >= 37
    for name, adapters in adapters_by_id.items():
        assert ID.fullmatch(name), name
        for entries in adapters.values():
            assert [member for member in NEEDED if not getattr(entries[0], member)] == [], name
            assert re.fullmatch(r"20\d\d-\d\d-\d\d", entries[0].searched or ""), name
            assert (entries[0].upstream or "").startswith(("unknown", "known: ", "fixed in ")), name


def test_adapters_with_a_shared_id_run_the_same_code() -> None:
    """Adapters that share an id run the same code."""
    for name, adapters in by_id(load_manifests()).items():
        places = {(entries[0].where, entries[0].summary, entries[0].rule) for entries in adapters.values()}
        assert len(places) == 1, name


def test_every_defect_was_measured() -> None:
    """`python conformance/studies defects.measure` has an entry per defect, with a case and different values."""
    assert list(defects()) == list(by_id(load_manifests()))
    for name, defect in defects().items():
        assert defect.measured["case"] in defect.cases, name
        assert defect.differences, name
        assert all(expected != observed for expected, observed in defect.differences.values()), name
        assert defect.deviation.example in (None, defect.measured["case"]), name


@pytest.mark.parametrize("name", list(defects()))
def test_issue_text_is_short_and_complete(name: str) -> None:
    """The text of an issue has at most 200 words apart from code blocks, with rule, effect and command."""
    defect = defects()[name]
    text = issue(defect)
    assert len(re.sub(r"```.*?```", "", text, flags=re.S).split()) <= 200
    assert defect.deviation.notice is not None and defect.deviation.notice in text
    assert "RFC " in text and defect.deviation.rule is not None and defect.deviation.rule in text
    command = "Similar" if name in STREAMS else "Reproduce"
    assert f"defect {name}. {command}: `firstflight run" in text.splitlines()[-1]
    assert "smallest events" not in text or "```text" in text
    if defect.measured["events"]:
        before = defect.measured["initial_window_bytes"] is None
        assert "At the start, with " in text if before else all(line in text for line in defect.measured["events"])
        assert ("would not produce this exact sequence" in text) == (bool(defect.measured["broken"]) and not before)
        assert all(str(value) in text for pair in defect.differences.values() for value in pair if value is not None)
    else:
        assert on_path(defect) or "firstflight run" in text


def test_arithmetic_sentence_contains_an_expected_value() -> None:
    """The sentence contains an expected value, and the text of the issue contains the sentence."""
    with_arithmetic = {name: defect for name, defect in defects().items() if defect.deviation.arithmetic}
    assert len(with_arithmetic) >= 30
    for name, defect in with_arithmetic.items():
        expected = {str(value) for value, _ in defect.differences.values()}
        assert expected & set(re.findall(r"\d+", defect.deviation.arithmetic or "")), name
        assert f"Expected: {defect.deviation.arithmetic}" in issue(defect), name


def test_command_prints_a_report_and_lists_defects() -> None:
    """The command prints a report, lists all defects, and refuses an unknown id."""
    run = CliRunner()
    name, defect = next(iter(defects().items()))
    assert issue(defect) in run.invoke(main, ["report", name]).output
    assert [line.split()[0] for line in run.invoke(main, ["report"]).output.splitlines()] == list(defects())
    refused = run.invoke(main, ["report", f"{name}9"])
    assert refused.exit_code == 2
    assert "unknown" in refused.output


def test_report_members_are_refused_for_choices(tmp_path: Path) -> None:
    """The loader refuses members of a report for open and documented choices."""
    text = (ADAPTERS / "aioquic" / "manifest.toml").read_text("utf-8")
    assert 'kind = "by design"\n' in text
    path = tmp_path / "manifest.toml"
    path.write_text(text.replace('kind = "by design"\n', 'kind = "by design"\nsummary = "x"\n'), "utf-8")
    with pytest.raises(ManifestError, match="summary: unknown key"):
        load_manifest(path)

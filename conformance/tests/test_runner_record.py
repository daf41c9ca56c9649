"""The record of first divergences: recorded divergences are explained, all others count as changed."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from junitparser import Failure, JUnitXml

from firstflight_conformance.adapters.manifest import OTHER_VERSION, Deviation, Manifest, load_manifests
from firstflight_conformance.cli import main
from firstflight_conformance.commands.options import judged_cases
from firstflight_conformance.format.schemas import validator
from firstflight_conformance.paths import VECTORS
from firstflight_conformance.records import record_file, results
from firstflight_conformance.records.record_file import Record, RecordError
from firstflight_conformance.run.selection import Selection
from runner_support import IDS, adapter, command, write_vectors

KNOWN = Deviation("slow-start.target.*", "slow-start.grow", "departs from the window")
HALVED = {"event": 1, "cwnd_bytes": [14400, 7200], "outcome": ["grown", "unchanged"]}
TARGET = IDS[1]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the vectors."""
    return write_vectors(tmp_path_factory.mktemp("vectors"))


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Manifest]:
    """Replace the adapters of the checkout by one with an explained deviation and a path for its record."""
    stack = adapter(*command("answers", "half"), deviations=(KNOWN,), name="stack")
    manifests = {"stack": replace(stack, record=tmp_path / "record.json")}
    monkeypatch.setattr("firstflight_conformance.commands.run_request.load_manifests", lambda: manifests)
    return manifests


def run(root: Path, *words: object) -> Result:
    """Run ``firstflight run``."""
    return CliRunner().invoke(main, [str(word) for word in ("run", "--vectors", root, *words)])


def becomes(known: dict[str, Manifest], mode: str) -> None:
    """Replace the stack by another that misbehaves in this mode."""
    known["stack"] = replace(known["stack"], command=command("answers", mode))


def test_a_deviation_must_be_recorded_to_be_explained(root: Path, known: dict[str, Manifest]) -> None:
    """A deviation without a record has changed, and the report contains the command to record it."""
    first = run(root)
    assert first.exit_code == 1
    assert f"stack: changed: {TARGET}" in first.output
    assert "recorded: no divergence; now: event 1: cwnd_bytes: expected 14400, observed 7200" in first.output
    assert "firstflight run --both --record --adapter stack" in first.output
    written = run(root, "--record")
    assert written.exit_code == 0
    assert "record.json: 1 cases" in written.output
    assert known["stack"].record is not None
    assert json.loads(known["stack"].record.read_text(encoding="utf-8"))["cases"] == {TARGET: HALVED}
    second = run(root)
    assert second.exit_code == 0
    assert "changed:" not in second.output


@pytest.mark.parametrize(
    ("mode", "now"),
    [
        ("wrong", "now: event 1: cwnd_bytes: expected 14400, observed 14401"),
        ("late-divergence", "now: event 2: cwnd_bytes: expected 7200, observed 7201"),
        ("none", "now: pass"),
        ("unsupported", "now: unsupported"),
    ],
)
def test_changed_deviation_fails_until_recorded(root: Path, known: dict[str, Manifest], mode: str, now: str) -> None:
    """A new number or a disappeared divergence fails the run until it is recorded too."""
    known["stack"] = replace(
        known["stack"], deviations=(KNOWN, Deviation(KNOWN.case, "slow-start.recovery.begin", "of the loss"))
    )
    assert run(root, "--record").exit_code == 1  # the second deviation has disappeared: it does not exist yet
    becomes(known, mode)
    result = run(root)
    assert result.exit_code == 1
    assert f"stack: changed: {TARGET}" in result.output
    assert now in " ".join(result.output.split())
    run(root, "--record")
    assert "changed:" not in run(root).output


def test_record_alone_does_not_explain_a_failure(root: Path, known: dict[str, Manifest]) -> None:
    """A record alone explains nothing."""
    known["stack"] = replace(known["stack"], deviations=())
    assert run(root, "--record").exit_code == 1
    result = run(root)
    assert result.exit_code == 1
    assert f"stack: fail: {TARGET}" in result.output
    becomes(known, "wrong")
    assert "recorded: event 1: cwnd_bytes: expected 14400, observed 7200" in run(root).output


def test_recorded_differences_of_other_version_are_explained(
    root: Path, known: dict[str, Manifest], tmp_path: Path
) -> None:
    """Recorded first differences are explained. Reports contain neither a rule nor a cause for them."""
    entry = Deviation("slow-start.*@rfc-9002", None, "is another version", OTHER_VERSION)
    known["stack"] = replace(known["stack"], deviations=(entry,))
    assert run(root, "--record").exit_code == 0
    result = run(root, "--verbose", "--report-json", tmp_path / "report.json", "--junit", tmp_path / "report.xml")
    assert result.exit_code == 0
    assert "stack: explained deviation: other-version: 1 case" in result.output
    assert f"for example {TARGET}: event 1: cwnd_bytes: expected 14400, observed 7200" in " ".join(
        result.output.split()
    )
    document = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    validator("urn:firstflight:report:1").validate(document)
    stack = document["adapters"][0]
    assert stack["explained"] == [
        {"kind": OTHER_VERSION, "explanation": "is another version", "clauses": [], "cases": [TARGET]}
    ]
    assert (stack["diagnosis"], stack["choices"]) == ([], [])
    becomes(known, "wrong")
    changed = run(root)
    assert changed.exit_code == 1
    assert f"stack: changed: {TARGET}" in changed.output


def test_errors_are_not_recorded(root: Path, known: dict[str, Manifest]) -> None:
    """A broken conversation keeps the entry and its own exit code."""
    run(root, "--record")
    becomes(known, "garbage")
    assert run(root).exit_code == 3
    assert run(root, "--record").exit_code == 3
    becomes(known, "half")
    assert run(root).exit_code == 0
    assert record_file.change(results.Result(TARGET, results.Verdict.ERRORED), Record("1", {TARGET: HALVED})) is None


def test_a_selection_keeps_the_other_entries(root: Path, known: dict[str, Manifest]) -> None:
    """Only judged cases are recorded anew."""
    run(root, "--record")
    becomes(known, "none")
    assert run(root, "--record", "--id", IDS[0]).exit_code == 0
    path = known["stack"].record
    assert path is not None
    assert list(record_file.load(path).cases) == [TARGET]
    run(root, "--record", "--id", TARGET)
    assert record_file.load(path).cases == {}
    assert path.read_text(encoding="utf-8") == '{\n "format": 1,\n "version": "1",\n "cases": {}\n}\n'


def test_reports_show_the_change(root: Path, tmp_path: Path, known: dict[str, Manifest]) -> None:
    """JSON and JUnit reports show the change, like the exit code."""
    run(root, "--record")
    becomes(known, "wrong")
    run(root, "--report-json", tmp_path / "report.json", "--junit", tmp_path / "report.xml")
    document = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    validator("urn:firstflight:report:1").validate(document)
    assert document["adapters"][0]["counts"]["changed"] == 1
    assert document["adapters"][0]["results"][1]["change"].startswith("recorded: event 1: cwnd_bytes: expected 14400")
    suite = next(iter(JUnitXml.fromfile(str(tmp_path / "report.xml"))))
    assert [[type(element) for element in case.result] for case in suite] == [[], [Failure], []]


@pytest.mark.parametrize("words", [("--adapter", "python-model"), ("--scenario", __file__)])
def test_recording_references_or_foreign_paths_is_refused(root: Path, words: tuple[str, ...]) -> None:
    """References, command lines and foreign paths cannot have a record."""
    assert run(root, "--record", *words).exit_code == 2


def test_entries_of_unknown_cases_are_dropped() -> None:
    """A run that covers all cases drops entries of unknown cases."""
    old = Record("1", {"gone": HALVED, "stays": HALVED})
    report = record_file.AdapterReport(adapter("x"))
    assert list(record_file.updated(old, report, {"stays"}).cases) == ["stays"]
    assert list(record_file.updated(old, report, None).cases) == ["gone", "stays"]


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        '{"format": 2, "version": "1", "cases": {}}',
        '{"format": 1, "version": "1", "cases": {"x": {}}}',
        '{"format": 1, "version": "1", "cases": {"x": {"event": 1}}}',
        '{"format": 1, "version": "1", "cases": {"x": {"event": 1, "cwnd_bytes": [1]}}}',
        '{"format": 1, "version": "1", "cases": {"x": {"event": 1, "cwnd_bytes": [1.5, 2]}}}',
    ],
)
def test_malformed_records(root: Path, known: dict[str, Manifest], content: str) -> None:
    """A record with a wrong edit is refused with its file."""
    path = known["stack"].record
    assert path is not None
    path.write_text(content, encoding="utf-8")
    with pytest.raises(RecordError, match=str(path)):
        record_file.load(path)
    result = run(root)
    assert result.exit_code == 2
    assert str(path) in result.output


def test_records_of_the_checkout() -> None:
    """Every record is in canonical form and has only existing cases, which the manifest explains."""
    cases = {case.id for case in judged_cases(VECTORS, Selection(), vectors=True, stimulus=True)}
    case_count = 0
    for manifest in load_manifests().values():
        if manifest.record is None:
            continue
        recorded = record_file.load(manifest.record)
        assert manifest.record.read_text(encoding="utf-8") == record_file.text(recorded), manifest.name
        unknown = set(recorded.cases) - cases
        assert not unknown, manifest.name
        for case_id in recorded.cases:
            assert any(deviation.matches(case_id) for deviation in manifest.deviations), (manifest.name, case_id)
        case_count += len(recorded.cases)
    assert case_count > 0

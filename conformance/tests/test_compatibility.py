"""Files of version 0.1 can still be read: vectors, report, record, scenario and adapter (docs/compatibility.md)."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import firstflight
import firstflight_conformance
from firstflight_conformance.cli import main
from firstflight_conformance.format import computations, vectors
from firstflight_conformance.format.schemas import schema_error
from firstflight_conformance.paths import ROOT, SPEC, VECTORS
from firstflight_conformance.records import record_file
from firstflight_conformance.simulate.scenario import load_scenario
from generate.tables import version_files

OLD = Path(__file__).parent / "release_0_1"


@pytest.mark.parametrize("path", sorted((OLD / "vectors").glob("*/*.json")), ids=lambda path: path.stem)
def test_old_vectors_load_with_the_same_events(path: Path) -> None:
    """An old vector loads, and its id still has the same events: events never change under an id."""
    load = computations.load if path.parent.name == "transfer-time" else vectors.load
    old, new = load(path), load(VECTORS / path.relative_to(OLD / "vectors"))
    assert old.id == new.id
    if isinstance(old, vectors.Vector) and isinstance(new, vectors.Vector):
        assert old.events == new.events
        assert set(old.profiles) <= set(new.profiles)


def test_a_report_is_valid() -> None:
    report = json.loads((OLD / "report.json").read_text("utf-8"))
    assert schema_error("urn:firstflight:report:1", report) is None
    assert [adapter["declaration"]["version"] for adapter in report["adapters"]] == ["0.1", "0.1.0"]


def test_case_ids_of_an_old_report_still_exist() -> None:
    """All case ids of an old report still exist, because ids are permanent."""
    known = {case.id for path in VECTORS.glob("*/*.json") if path.parent.name in ("slow-start", "careful-resume")
             for case in vectors.cases([vectors.load(path)])}  # fmt: skip
    assert set(json.loads((OLD / "report.json").read_text("utf-8"))["cases"]) <= known


def test_a_record_and_a_scenario_load() -> None:
    assert record_file.load(OLD / "record.json") is not None
    assert load_scenario(OLD / "scenario.json") is not None


def test_old_adapter_passes(tmp_path: Path) -> None:
    """An old adapter passes the current vectors and the vectors of its release."""
    shutil.copytree(OLD / "vectors", tmp_path / "vectors")
    adapter = f"{sys.executable} {OLD / 'adapter.py'}"
    for selection in (["--id", "slow-start.avoidance.*"], ["--vectors", str(tmp_path / "vectors")]):
        result = CliRunner().invoke(main, ["run", "--adapter", adapter, "--profile", "rfc-9002", *selection])
        assert result.exit_code == 0, result.output


def test_protocol_1_adapter_gets_no_vectors_with_a_new_path() -> None:
    """An adapter of protocol 1 gets no vectors with a new path, which it would fail."""
    adapter = f"{sys.executable} {OLD / 'adapter.py'}"
    selection = ["--id", "slow-start.avoidance.*", "--id", "slow-start.path.*"]
    result = CliRunner().invoke(main, ["run", "--adapter", adapter, "--profile", "rfc-9002", *selection])
    assert result.exit_code == 0, result.output


def test_all_parts_have_the_same_version() -> None:
    """Changelog and all parts have the version of one file."""
    version = (SPEC / "VERSION").read_text("utf-8").strip()
    headings = re.findall(r"(?m)^## .*$", (ROOT / "CHANGELOG.md").read_text("utf-8"))
    heading = next(heading for heading in headings if heading != "## Unreleased")
    assert heading.split()[1] == version == firstflight.__version__ == firstflight_conformance.__version__
    assert all(path.read_text("utf-8") == text for path, text in version_files(version).items())
    assert f'version = "{version}"' in (ROOT / "conformance" / "loaders" / "rust" / "Cargo.toml").read_text("utf-8")

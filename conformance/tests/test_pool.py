"""Several adapters at the same time give the reports of a sequential run, and each starts when it is built."""

import json
import shlex
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from firstflight_conformance.adapters import builds
from firstflight_conformance.adapters.builds import Builds
from firstflight_conformance.adapters.manifest import Manifest, ManifestError, load_manifest, load_manifests
from firstflight_conformance.cli import main
from firstflight_conformance.records.results import AdapterReport
from firstflight_conformance.run.pool import Job, judge_all
from firstflight_conformance.run.session import RunOptions
from runner_support import QUICK, adapter, command, scripts, write_vectors
from runner_support import judged as judge_alone

MODES = ("right", "half", "crash")
WORDS = {"right": ("declares", "{}"), "half": ("answers", "half"), "crash": ("behaves", "crash")}


def job(root: Path, manifests: Sequence[Manifest]) -> Job:
    return Job(manifests, scripts(root), QUICK, {})


def manifests() -> list[Manifest]:
    return [adapter(*command(*WORDS[mode]), name=mode) for mode in MODES]


@pytest.mark.parametrize("jobs", [1, 2, 8])
def test_reports_do_not_depend_on_process_count(tmp_path: Path, jobs: int) -> None:
    counts: dict[int, int] = {}
    done = judge_all(job(write_vectors(tmp_path), manifests()), jobs, counts.__setitem__, lambda _: True)
    reports = {judged.adapter: judged.report for judged in done}
    assert [reports[index].manifest.name for index in range(3)] == list(MODES)
    alone = [judge_alone(tmp_path, *command(*WORDS[mode])) for mode in MODES]
    assert [reports[index].results for index in range(3)] == [report.results for report in alone]
    assert counts == {0: 3, 1: 3, 2: 3}


@pytest.mark.live
@pytest.mark.parametrize("jobs", [1, 2])
def test_adapters_do_not_wait_for_unready_adapter(tmp_path: Path, jobs: int) -> None:
    """The second adapter is ready only after the others are done; the others do not wait for it."""
    done: list[str] = []

    def ready(manifest: Manifest) -> bool:
        return manifest.name != "last" or len(done) == 2

    chosen = [manifests()[0], manifests()[1], adapter(*command("declares", "{}"), name="last")]
    for judged in judge_all(job(write_vectors(tmp_path), chosen), jobs, lambda *_: None, ready):
        done.append(judged.report.manifest.name)
    assert done[-1] == "last"


@pytest.mark.live
def test_stacks_wait_for_references(tmp_path: Path) -> None:
    """A stack waits for an unbuilt reference, and is not built while references need all processes."""
    queried: list[str] = []
    done: list[str] = []

    def ready(manifest: Manifest) -> bool:
        queried.append(manifest.name)
        return queried.count(manifest.name) > 2

    words = command("declares", "{}")
    roles = {"stack": "third-party", "port": "reference", "model": "reference", "third": "reference"}
    chosen = [adapter(*words, name=name, role=role) for name, role in roles.items()]
    for judged in judge_all(job(write_vectors(tmp_path), chosen), 2, lambda *_: None, ready):
        assert chosen[judged.adapter].name == judged.report.manifest.name
        if not done:
            assert "stack" not in queried
        done.append(judged.report.manifest.name)
    assert done[-1] == "stack"
    assert queried.index("stack") > max(queried.index(name) for name in ("port", "model", "third"))


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder whose Makefile builds one target and fails at another."""
    (tmp_path / "Makefile").write_text(
        "good:\n\ttouch good\nbad:\n\t@echo no such compiler\n\t@exit 1\n", encoding="utf-8"
    )
    monkeypatch.setattr(builds, "ROOT", tmp_path)
    return tmp_path


def test_targets_are_built_in_order(made: Path) -> None:
    chosen = [
        replace(manifest, build=target) for manifest, target in zip(manifests(), ("bad", "good", None), strict=True)
    ]
    builder = Builds(chosen)
    assert builder.ready(chosen[2])
    assert builder._make is None
    assert not builder.ready(chosen[0])
    assert not (made / "good").exists()
    until_s = time.monotonic() + 30
    while not all(map(builder.ready, chosen)) and time.monotonic() < until_s:
        time.sleep(0.01)
    assert (made / "good").exists()
    assert list(builder.failures) == ["bad"]
    assert "no such compiler" in builder.failures["bad"]


def test_adapter_with_missing_program_is_not_built(made: Path) -> None:
    """A machine without Rust or clang skips the adapters that need them, since a build would fail there."""
    absent, here = (replace(manifest, build="bad") for manifest in list(manifests())[:2])
    absent = replace(absent, requires=("no-such-program",))
    builder = Builds([absent])
    assert builder.ready(absent)
    assert builder.failures == {}
    assert absent.missing() == "needs the program no-such-program"
    assert not Builds([absent, here]).ready(here)


def test_failed_build_is_a_fault(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = adapter(*command("declares", "{}"), name="right")
    monkeypatch.setattr(
        "firstflight_conformance.commands.run_request.load_manifests", lambda: {"right": replace(right, build="bad")}
    )
    words = [
        "run",
        "--build",
        "--vectors",
        str(write_vectors(tmp_path / "vectors")),
        "--badge",
        str(tmp_path / "badge"),
    ]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 3
    assert "make bad failed" in result.output
    assert "no such compiler" in result.output
    # A program left by an earlier build may differ from the sources.
    assert json.loads((tmp_path / "badge").read_text("utf-8"))["message"] == "nothing judged"


def test_reference_table_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = {
        "stack": adapter(*command("declares", "{}"), name="stack"),
        "model": adapter(*command("declares", "{}"), name="model", role="reference"),
    }
    monkeypatch.setattr("firstflight_conformance.commands.run_request.load_manifests", lambda: chosen)
    result = CliRunner().invoke(main, ["run", "--vectors", str(write_vectors(tmp_path / "vectors"))])
    assert result.exit_code == 0
    first, _, rest = result.output.partition("3 cases")
    assert "References" in first
    assert "\nstack" not in first
    assert "\nstack" in rest


def test_progress_is_printed_without_terminal(tmp_path: Path) -> None:
    root = write_vectors(tmp_path / "vectors")
    adapters = [word for mode in MODES[:2] for word in ("--adapter", shlex.join(command(*WORDS[mode])))]
    result = CliRunner().invoke(main, ["run", *adapters, "--vectors", str(root)])
    assert "judged 1 of 2: " in result.output
    assert "judged 2 of 2: " in result.output


@pytest.mark.live
def test_a_manifest_may_set_the_deadline(tmp_path: Path) -> None:
    """The adapter that never answers is as silent in one second as in ten."""
    assert load_manifests()["null-silent"].deadline_s == 1
    silent = replace(load_manifests()["null-silent"], deadline_s=0.2)
    began_s = time.monotonic()
    report = next(
        iter(judge_all(Job([silent], scripts(write_vectors(tmp_path)), RunOptions(60.0), {}), 1, _no, _yes))
    ).report
    assert isinstance(report, AdapterReport)
    assert time.monotonic() - began_s < 30
    assert all("no answer within 0.2 s" in result.reason for result in report.results)


def _no(_index: int, _count: int) -> None:
    return None


def _yes(_manifest: Manifest) -> bool:
    return True


@pytest.mark.parametrize("value", ["0", "-1", "true", '"1"', "inf"])
def test_invalid_deadline_is_refused(tmp_path: Path, value: str) -> None:
    text = 'name = "x"\ntitle = "x"\nlanguage = "x"\nrole = "null"\ncommand = ["x"]\ndeadline_s = '
    (tmp_path / "manifest.toml").write_text(text + value + "\n", encoding="utf-8")
    with pytest.raises(ManifestError, match="deadline_s"):
        load_manifest(tmp_path / "manifest.toml")

"""A stateless adapter split over several processes gives the report of one process, whatever fails in a part."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from firstflight_conformance.adapters.manifest import Manifest, ManifestError, load_manifest, load_manifests
from firstflight_conformance.adapters.script import Script
from firstflight_conformance.cli import main
from firstflight_conformance.records.results import AdapterReport, Verdict
from firstflight_conformance.report import terminal
from firstflight_conformance.report.fit import LINES
from firstflight_conformance.run.parts import parts, whole
from firstflight_conformance.run.pool import Job, PoolReport, judge_all
from firstflight_conformance.run.session import AnyScript, RunOptions
from firstflight_conformance.simulate.cases import StimulusScript, stimulus_cases
from runner_support import IDS, adapter, command, events, scripts, vector, write_vectors

FOURTH = "slow-start.zero.small"
#: The deadline is longer than three processes of Python need to start on a busy machine.
OPTIONS = RunOptions(deadline_s=5.0)


def stateless(*words: str, role: str = "reference") -> Manifest:
    return replace(adapter(*command(*words), role=role), stateless=True)


def judged(
    manifests: Sequence[Manifest], chosen: Sequence[AnyScript], jobs: int, counts: dict[int, int] | None = None
) -> list[PoolReport]:
    count = {} if counts is None else counts
    return list(judge_all(Job(manifests, chosen, OPTIONS, {}), jobs, count.__setitem__, lambda _: True))


@pytest.fixture
def vectors(tmp_path: Path) -> list[Script]:
    """Write four cases: with two processes each process gets two."""
    return scripts(write_vectors(tmp_path / "vectors", vector(FOURTH, events())))


@pytest.fixture
def loops() -> list[StimulusScript]:
    """Return two paths for the adapter that declares one profile."""
    chosen = ("stimulus:deep-queue@slow-start/rfc-9002", "stimulus:long-path@slow-start/rfc-9002")
    return [StimulusScript(case) for case in stimulus_cases() if case.id in chosen]


def test_cases_are_split_between_processes(tmp_path: Path, vectors: list[Script]) -> None:
    counts: dict[int, int] = {}
    (done,) = judged([stateless("parts", str(tmp_path), "right")], vectors, 2, counts)
    case_ids = sorted(path.read_text("utf-8").split() for path in tmp_path.iterdir() if path.is_file())
    assert case_ids == [[IDS[0], IDS[2]], [IDS[1], f"{FOURTH}@rfc-9002"]]
    assert counts == {0: 4}
    assert [result.case_id for result in done.report.results] == [script.case.id for script in vectors]
    assert {result.verdict for result in done.report.results} == {Verdict.PASS}


WRONG = [
    *(("answers", mode) for mode in ("garbage", "half", "ended-twice", "twice", "unsupported")),
    *(("behaves", mode) for mode in ("crash", "hang", "fail-at-end", "exit-after-case", "crash-at-start")),
    ("declares", '{"version": 1}'),
    ("declares", "{}", "claims-all"),
    ("declares", "{}", "off-by=1"),
]


@pytest.mark.live
@pytest.mark.parametrize("words", WRONG, ids=" ".join)
def test_faults_give_same_report_as_one_process(vectors: list[Script], words: tuple[str, ...]) -> None:
    """Faults give the report of one process, although each part has a last case to charge a bad exit to."""
    chosen = stateless(*words)
    (alone,), (split,) = (judged([chosen], vectors, jobs) for jobs in (1, 2))
    assert split == alone
    assert {result.verdict for result in alone.report.results} != {Verdict.PASS} or words[1] == "exit-after-case"


def test_parts_with_different_declarations_are_discarded(tmp_path: Path, vectors: list[Script]) -> None:
    (done,) = judged([stateless("parts", str(tmp_path), "other")], vectors, 2)
    case_ids = [path.read_text("utf-8").split() for path in tmp_path.iterdir() if path.is_file()]
    assert sorted(map(len, case_ids)) == [2, 2, 4]
    assert {result.verdict for result in done.report.results} == {Verdict.PASS}


def test_a_reference_is_judged_by_the_vectors_first(vectors: list[Script], loops: list[StimulusScript]) -> None:
    """The report by the vectors appears first for the reference only; the complete reports of both adapters follow."""
    chosen = [stateless("declares", "{}", role="third-party"), stateless("declares", "{}")]
    reports = judged(chosen, [*loops, *vectors], 2)
    assert [(done.adapter, done.whole) for done in reports[:1]] == [(1, False)]
    assert sorted((done.adapter, done.whole) for done in reports[1:]) == [(0, True), (1, True)]
    by_vectors, first, second = (done.report for done in (reports[0], *reports[1:]))
    assert [result.case_id for result in by_vectors.results] == [script.case.id for script in vectors]
    assert first.results == second.results
    assert [result.case_id for result in first.results] == [script.case.id for script in [*loops, *vectors]]


@pytest.mark.live
def test_crashing_reference_has_no_vector_report(vectors: list[Script], loops: list[StimulusScript]) -> None:
    reports = judged([stateless("behaves", "crash"), stateless("declares", "{}")], [*vectors, *loops], 2)
    assert [done.whole for done in reports if done.adapter == 0] == [True]
    assert [done.whole for done in reports if done.adapter == 1] == [False, True]
    assert [_errored(done.report) for done in reports if done.whole and done.adapter == 0] == [1]


def _errored(report: AdapterReport) -> int:
    return sum(result.verdict is Verdict.ERRORED for result in report.results)


def test_other_adapters_are_judged_by_one_process(vectors: list[Script]) -> None:
    """Only the references declare `stateless`; all other adapters are judged by one process."""
    assert parts(3, adapter("x"), vectors, 8) == [whole(3, vectors)]
    assert parts(3, stateless("x"), vectors, 1) == [whole(3, vectors)]
    assert {m.name for m in load_manifests().values() if m.stateless} == {
        "c-port",
        "c-port-so",
        "c-port-wasm",
        "python-model",
    }


@pytest.mark.parametrize("processes", [2, 3, 8, 100])
def test_every_case_is_in_one_part(vectors: list[Script], loops: list[StimulusScript], processes: int) -> None:
    """Cases of one vector stay together, closed-loop cases form separate parts, and no part is empty."""
    twice = [*vectors, *loops, *vectors]
    dealt = parts(0, stateless("x"), twice, processes)
    assert sorted(place for part in dealt for place in part.cases) == list(range(len(twice)))
    assert all({isinstance(twice[i], StimulusScript) for i in part.cases} == {part.looped} for part in dealt)
    assert len([part for part in dealt if part.looped]) == min(processes, 2)


def test_adapter_with_missing_file_is_skipped(tmp_path: Path, vectors: list[Script]) -> None:
    (done,) = judged([replace(stateless("x"), files=(tmp_path / "none",))], vectors, 2)
    assert done.whole
    assert done.report.skipped is not None
    assert "does not exist" in done.report.skipped


def test_two_tables_of_the_references(monkeypatch: pytest.MonkeyPatch) -> None:
    """The title of the first table states that it is by the vectors and that the closed loop follows."""
    chosen = {
        "stack": adapter(*command("declares", "{}"), name="stack"),
        "model": replace(stateless("declares", "{}"), name="model"),
    }
    monkeypatch.setattr("firstflight_conformance.commands.run_request.load_manifests", lambda: chosen)
    words = ["run", "--both", "--jobs", "2", "--algorithm", "slow-start", "--profile", "rfc-9002"]
    result = CliRunner().invoke(main, [*words, "--id", "*deep-queue*", "--id", "*per-packet*"])
    assert result.exit_code == 0, result.output
    titles = [line.strip() for line in result.output.splitlines() if line.startswith(("References", "Adapters"))]
    assert titles == ["References, by the vectors; closed loop follows", "References", "Adapters"]
    # Each table prints its title, its column names and one row, which leaves fewer lines for the report.
    first, second = (terminal.lines_left(rows) for rows in ([1], [1, 1]))
    lines = [line.split()[0] for line in result.stdout.splitlines()[: LINES - second]]
    assert lines == ["References,", "adapter", "model", "References", "adapter", "model"]
    assert LINES - first == first - second == 3


@pytest.mark.parametrize("value", ["1", '"true"', "[]"])
def test_non_boolean_stateless_is_refused(tmp_path: Path, value: str) -> None:
    text = 'name = "x"\ntitle = "x"\nlanguage = "x"\nrole = "null"\ncommand = ["x"]\nstateless = '
    (tmp_path / "manifest.toml").write_text(text + value + "\n", encoding="utf-8")
    with pytest.raises(ManifestError, match="stateless: needs true or false"):
        load_manifest(tmp_path / "manifest.toml")

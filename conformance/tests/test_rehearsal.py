"""A rehearsal only spares work: with it and without, every result of the closed loop is the same."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firstflight_conformance import kept
from firstflight_conformance.kept import Store
from firstflight_conformance.run import closed_loop, rehearsal
from firstflight_conformance.run.judge import judge
from firstflight_conformance.run.manifest import load_manifests
from firstflight_conformance.run.messages import OBSERVABLES
from firstflight_conformance.run.pool import Job, judge_all
from firstflight_conformance.run.rehearsal import rehearsed
from firstflight_conformance.run.results import AdapterReport, Verdict
from firstflight_conformance.run.session import Options
from firstflight_conformance.run.stimulus import CLOSED_LOOP, StimulusCase, StimulusScript, stimulus_cases
from firstflight_conformance.simulator.loop import Simulation
from firstflight_conformance.simulator.scenario import scenario_files
from runner_support import adapter, command

WORDS = {
    "right": ("declares", "{}"),
    "little declared": ("declares", json.dumps({"observables": ["cwnd_bytes"]})),
    "no threshold": ("declares", json.dumps({"observables": ["cwnd_bytes", "phase"]})),
    "coarse clock": ("declares", json.dumps({"clock": "ms"})),
    "packets": ("declares", json.dumps({"window": "packets"})),
    "off by one": ("declares", "{}", "off-by=1"),
    "off by one, tolerated": ("declares", json.dumps({"arithmetic": "float64"}), "off-by=1"),
    "wrong once": ("answers", "half"),
    "another member": ("answers", "extra-member"),
    "unsupported": ("answers", "unsupported"),
    "an answer twice": ("answers", "twice"),
    "an end twice": ("answers", "ended-twice"),
    "crash": ("behaves", "crash"),
    "garbage": ("answers", "garbage"),
}


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[StimulusCase]:
    """Return a scenario of half a second under three names, with the base controller."""
    raw: dict[str, Any] = json.loads(scenario_files(CLOSED_LOOP)["shallow-queue.json"].read_text(encoding="utf-8"))
    raw |= {"stop_ns": 500_000_000, "after_slow_start_ns": 500_000_000}
    raw["link"]["rate_bps"] = 4_999_999  # times that are no whole ms
    paths = [tmp_path_factory.mktemp("scenarios") / f"path.{name}.x.json" for name in ("first", "target", "third")]
    for path in paths:
        path.write_text(json.dumps(raw), encoding="utf-8")
    return [case for case in stimulus_cases(paths) if case.id.endswith("@slow-start/rfc-9002")]


@pytest.fixture(autouse=True)
def _own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what is computed in a folder of the test."""
    monkeypatch.setattr(kept, "CACHE", tmp_path / "cache")
    rehearsal._store.cache_clear()


def judged(cases: list[StimulusCase], words: tuple[str, ...]) -> AdapterReport:
    return judge(adapter(*command(*words)), [StimulusScript(case) for case in cases], Options())


@pytest.mark.parametrize("words", WORDS.values(), ids=list(WORDS))
def test_the_results_are_those_without_a_rehearsal(
    cases: list[StimulusCase], words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_it = judged(cases, words)
    monkeypatch.setattr(closed_loop, "rehearse", lambda *_: None)
    assert judged(cases, words).results == with_it.results


def test_a_right_adapter_needs_no_simulator(cases: list[StimulusCase], monkeypatch: pytest.MonkeyPatch) -> None:
    first = judged(cases, WORDS["right"])
    monkeypatch.setattr(closed_loop, "Simulation", None)
    monkeypatch.setattr(rehearsal, "Simulation", None)
    assert {result.verdict for result in first.results} == {Verdict.PASS}
    assert judged(cases, WORDS["right"]).results == first.results


def test_what_the_sender_is_not_told_makes_another_run(cases: list[StimulusCase]) -> None:
    """Without threshold and phase nothing says that slow start is over, so that the scenario goes on."""
    everything, windows = rehearsed(cases[0], 1, OBSERVABLES), rehearsed(cases[0], 1, ["cwnd_bytes", "state"])
    assert everything.run.slow_start_ended is not None
    assert windows.run.slow_start_ended is None
    assert rehearsed(cases[0], 1_000_000, OBSERVABLES).run != everything.run


def test_a_kept_run_is_the_computed_one(cases: list[StimulusCase], monkeypatch: pytest.MonkeyPatch) -> None:
    computed = rehearsed(cases[0], 1, OBSERVABLES)
    with monkeypatch.context() as patch:
        patch.setattr(rehearsal, "Simulation", None)
        assert rehearsed(cases[0], 1, OBSERVABLES) == computed
    for path in kept.CACHE.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:-5])
    assert rehearsed(cases[0], 1, OBSERVABLES) == computed


def test_references_do_not_compute_the_same_run(
    cases: list[StimulusCase], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two that are judged at the same time need every run at the same time: each is computed once, before."""
    log = tmp_path / "computed"

    def noted(scenario: Any, *rest: Any) -> Simulation:
        with log.open("a", encoding="utf-8") as file:
            file.write(f"{scenario.name}\n")
        return Simulation(scenario, *rest)

    monkeypatch.setattr(rehearsal, "Simulation", noted)
    references = [replace(load_manifests()["python-model"], name=name) for name in ("one", "two")]
    job = Job(references, [StimulusScript(case) for case in cases], Options(), {})
    done = judge_all(job, 2, lambda *_: None, lambda _: True)
    reports = [judged.report for judged in done if judged.whole]
    assert [{result.verdict for result in report.results} for report in reports] == [{Verdict.PASS}] * 2
    assert sorted(log.read_text(encoding="utf-8").split()) == sorted(case.scenario.name for case in cases)


def test_what_other_code_kept_is_deleted() -> None:
    Store("runs", "1" * 64).put("key", [1])
    Store("other", "1" * 64).put("key", [2])
    assert Store("runs", "1" * 64).get("key") == [1]
    assert Store("runs", "2" * 64).get("key") is None
    assert Store("runs", "1" * 64).get("key") is None
    assert Store("other", "1" * 64).get("key") == [2]

"""Turns of the closed loop: an adapter gets no event that depends on an answer it has not yet given."""

import json
import multiprocessing
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firstflight import Ack, Sent, profiles
from firstflight.events import Event
from firstflight_conformance.adapters import children
from firstflight_conformance.adapters.conversation import Conversation
from firstflight_conformance.adapters.manifest import load_manifests
from firstflight_conformance.adapters.messages import OBSERVABLES
from firstflight_conformance.records.results import AdapterReport, Verdict
from firstflight_conformance.run import closed_loop
from firstflight_conformance.run.blind import blind_cases
from firstflight_conformance.run.judge import judge
from firstflight_conformance.run.pool import Job, judge_all
from firstflight_conformance.run.session import RunOptions
from firstflight_conformance.simulate import model_run
from firstflight_conformance.simulate.cases import CLOSED_LOOP, StimulusCase, StimulusScript, stimulus_cases
from firstflight_conformance.simulate.in_loop import SenderLimits
from firstflight_conformance.simulate.loop import Simulation
from firstflight_conformance.simulate.model_run import ModelLoop, observed_run
from firstflight_conformance.simulate.scenario import scenario_files
from runner_support import adapter, command

WORDS = {
    "right": ("declares", "{}"),
    "all declared": ("declares", json.dumps({"observables": [*OBSERVABLES]})),
    "little declared": ("declares", json.dumps({"observables": ["cwnd_bytes"]})),
    "no threshold": ("declares", json.dumps({"observables": ["cwnd_bytes", "phase"]})),
    "coarse clock": ("declares", json.dumps({"clock": "ms"})),
    "packets": ("declares", json.dumps({"window": "packets"})),
    "off by one": ("declares", json.dumps({"observables": [*OBSERVABLES]}), "off-by=1"),
    "off by one, tolerated": ("declares", json.dumps({"arithmetic": "float64"}), "off-by=1"),
    "wrong once": ("answers", "half"),
    "another member": ("answers", "extra-member"),
    "unsupported": ("answers", "unsupported"),
    "an answer twice": ("answers", "twice"),
    "an end twice": ("answers", "ended-twice"),
    "crash": ("behaves", "crash"),
    "garbage": ("answers", "garbage"),
}
#: Scenarios for HyStart of Linux: rising delay, a train of ACKs, and a path without an early exit.
PEEKED = ("ack-train", "deep-queue", "delay-rise", "long-path", "random-loss")


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[StimulusCase]:
    """Return cases of a scenario of half a second under three names, with the base controller."""
    raw: dict[str, Any] = json.loads(scenario_files(CLOSED_LOOP)["shallow-queue.json"].read_text(encoding="utf-8"))
    raw |= {"stop_ns": 500_000_000, "after_slow_start_ns": 500_000_000}
    raw["link"]["rate_bps"] = 4_999_999  # times that are not whole ms
    paths = [tmp_path_factory.mktemp("scenarios") / f"path.{name}.x.json" for name in ("first", "target", "third")]
    for path in paths:
        path.write_text(json.dumps(raw), encoding="utf-8")
    return [case for case in stimulus_cases(paths) if case.id.endswith("@slow-start/rfc-9002")]


def judged(cases: Sequence[StimulusCase], words: tuple[str, ...]) -> AdapterReport:
    return judge(adapter(*command(*words)), [StimulusScript(case) for case in cases], RunOptions())


def verdicts(cases: Sequence[StimulusCase], *words: str) -> list[tuple[str, Verdict, int | None]]:
    """Return the verdict and the first different event of each case."""
    return [
        (result.case_id, result.verdict, result.divergence and result.divergence.event_index)
        for result in judged(cases, ("peeks", "hystart", "linux", *words)).results
    ]


@pytest.mark.parametrize("observables", ["cwnd_bytes", "cwnd_bytes,ssthresh_bytes,phase,next_release_ns"])
@pytest.mark.parametrize("blind", [False, True])
def test_reading_ahead_does_not_change_verdicts(observables: str, blind: bool) -> None:
    """An adapter that reads later events, without rules of HyStart, gets the same verdicts as NewReno."""
    all_cases = blind_cases(1, "hystart", "linux").cases if blind else stimulus_cases()
    chosen = [case for case in all_cases if (case.vector.algorithm, case.profile) == ("hystart", "linux")]
    if not blind:
        chosen = [case for case in chosen if case.id.removeprefix("stimulus:").startswith(PEEKED)]
    ahead = verdicts(chosen, observables, "ahead")
    assert ahead == verdicts(chosen, observables)
    assert [verdict for _, verdict, _ in ahead].count(Verdict.FAIL) >= 3


@pytest.mark.parametrize("words", WORDS.values(), ids=list(WORDS))
def test_model_run_does_not_change_messages_or_results(
    cases: list[StimulusCase], words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The adapter gets the same messages and results with and without the model's run."""
    turns: list[tuple[int, bytes]] = []
    send = Conversation.turn

    def turn(self: Conversation, first: int, sent: bytes, remaining_s: float) -> Any:
        turns.append((first, sent))
        return send(self, first, sent, remaining_s)

    monkeypatch.setattr(Conversation, "turn", turn)
    following, followed = judged(cases, words), turns.copy()
    turns.clear()
    monkeypatch.setattr(closed_loop, "_may_follow", lambda *_: False)
    assert without_time(judged(cases, words)) == without_time(following)
    assert turns == followed


def without_time(report: AdapterReport) -> AdapterReport:
    return replace(report, results=tuple(replace(result, seconds=0.0) for result in report.results))


def test_only_wrong_answers_need_a_simulation(cases: list[StimulusCase], monkeypatch: pytest.MonkeyPatch) -> None:
    """An adapter with right answers uses the model's run to the end; a wrong one needs a simulation."""
    ended: list[Conversation] = []
    end = Conversation.finish_case
    monkeypatch.setattr(Conversation, "finish_case", lambda self: ended.append(self) or end(self))  # type: ignore[func-returns-value]
    monkeypatch.setattr(closed_loop, "Simulation", None)
    for words in ("right", "all declared"):
        assert {result.verdict for result in judged(cases, WORDS[words]).results} == {Verdict.PASS}
    assert len(ended) == 2 * len(cases)
    with pytest.raises(TypeError):
        judged(cases, WORDS["off by one"])


def test_adapter_in_packets_has_a_separate_summary() -> None:
    """An adapter in packets has its own summary, because partial packets hide reduced growth in matching answers."""
    case = next(
        case for case in stimulus_cases() if case.id == "stimulus:deep-queue@limited-slow-start/rfc-3742-packets"
    )
    hello = {"window": "packets", "algorithms": {"limited-slow-start": ["rfc-3742-packets"]}}
    (result,) = judged([case], ("declares", json.dumps(hello))).results
    assert result.loop is not None
    assert result.verdict is Verdict.PASS
    assert result.loop.stack.events == result.loop.model.events
    assert result.loop.stack.growth_reduced != result.loop.model.growth_reduced


class EveryEvent(ModelLoop):
    """The model in the loop, with an immediate answer to each event."""

    def on_event(self, event: Event) -> SenderLimits:
        """Process an event."""
        super().on_event(event)
        observation = self.observations[-1]
        paces, last = observation.paces, self.observed[-1]
        return SenderLimits(
            last["cwnd_bytes"],
            last.get("next_release_ns") if paces else None,
            self.trace.slow_start_ended is None
            or self.trace.slow_start_ended.event_index != len(self.trace.events) - 1,
        )


@pytest.mark.parametrize("algorithm", profiles(composed=True))
def test_turns_do_not_change_the_run_of_the_model(algorithm: str) -> None:
    """Applying the answer to `sent` only at the end of its turn changes no event of any path."""
    profile = profiles()[algorithm][0]
    cases = [case for case in stimulus_cases() if (case.vector.algorithm, case.profile) == (algorithm, profile)]
    assert cases
    for case in cases:
        at_once = EveryEvent(case, OBSERVABLES)
        closed_loop.run(Simulation(case.scenario, at_once, 1))
        assert at_once.trace.events == [event for event, _ in observed_run(case, 1, OBSERVABLES)], case.id


def test_turn_contents_depend_on_pacing() -> None:
    """A turn has sent packets and the next event for algorithms without pacing, and one event for pacing ones."""
    for name, together in (("hystart/linux", True), ("suss/linux-6-8", False)):
        case = next(case for case in stimulus_cases() if case.id == f"stimulus:deep-queue@{name}")
        own = model_run.model_run(StimulusScript(case), 1)
        ends = [*own.starts[1:], len(own.events)]
        turns = [own.events[start:end] for start, end in zip(own.starts, ends, strict=True)]
        assert all(isinstance(event, Sent) for turn in turns for event in turn[:-1])
        assert (max(map(len, turns)) > 1) is together
        assert [turn for turn in turns if isinstance(turn[-1], Ack)]
        assert [turn.count(b"\n") for turn in own.turns] == list(map(len, turns))


def test_runs_depend_on_observables_and_clock(cases: list[StimulusCase]) -> None:
    """Runs without threshold and phase do not show the end of slow start; a coarse clock gives other times."""

    def ended(declared: Sequence[str]) -> bool:
        model = ModelLoop(cases[0], declared)
        closed_loop.run(Simulation(cases[0].scenario, model, 1))
        return model.trace.slow_start_ended is not None

    assert ended(OBSERVABLES)
    assert ended(["cwnd_bytes", "phase"])
    assert not ended(["cwnd_bytes", "state"])
    assert observed_run(cases[0], 1_000_000, OBSERVABLES) != observed_run(cases[0], 1, OBSERVABLES)


@pytest.mark.parametrize("jobs", [1, 2])
def test_references_share_model_runs(
    cases: list[StimulusCase], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    """Each run is computed once for all references, on one core and on several."""
    log = tmp_path / "computed"

    def noted(scenario: Any, *rest: Any) -> Simulation:
        with log.open("a", encoding="utf-8") as file:
            file.write(f"{scenario.name}\n")
        return Simulation(scenario, *rest)

    monkeypatch.setattr(model_run, "Simulation", noted)
    references = [replace(load_manifests()["python-model"], name=name) for name in ("one", "two")]
    job = Job(references, [StimulusScript(case) for case in cases], RunOptions(), {})
    done = judge_all(job, jobs, lambda *_: None, lambda _: True)
    reports = [judged.report for judged in done if judged.whole]
    assert [{result.verdict for result in report.results} for report in reports] == [{Verdict.PASS}] * 2
    assert sorted(log.read_text(encoding="utf-8").split()) == sorted(case.scenario.name for case in cases)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system binds no process to a processor")
def test_a_process_stays_on_one_processor() -> None:
    """Each process stays on one processor; processes with different numbers use different ones if available."""
    processors = os.sched_getaffinity(0)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        processor_sets = [pool.apply(_processors, (number,)) for number in range(len(processors))]
    assert sorted(processor_sets) == [[processor] for processor in sorted(processors)]
    assert children.stay_on_one_processor(0) == processors
    children.return_to(processors)
    assert os.sched_getaffinity(0) == processors


def _processors(number: int) -> list[int]:
    before = children.stay_on_one_processor(number)
    bound_processors = sorted(os.sched_getaffinity(0))
    children.return_to(before)
    return bound_processors

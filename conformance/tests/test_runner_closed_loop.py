"""The closed loop: the adapter sets the window, the model follows, and a fault of the adapter affects one case."""

import json
import shlex
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from firstflight import Ack, Sent
from firstflight_conformance.adapters.conversation import Conversation
from firstflight_conformance.adapters.faults import FaultKind
from firstflight_conformance.adapters.manifest import Deviation, load_manifests
from firstflight_conformance.adapters.messages import OBSERVABLES
from firstflight_conformance.cli import main
from firstflight_conformance.format.schemas import validator
from firstflight_conformance.format.stream import check_stream
from firstflight_conformance.format.wire import event_from_json
from firstflight_conformance.records.results import AdapterReport, Verdict
from firstflight_conformance.run import closed_loop
from firstflight_conformance.run.judge import judge
from firstflight_conformance.run.session import RunOptions
from firstflight_conformance.simulate.cases import (
    CLOSED_LOOP,
    StimulusCase,
    StimulusScript,
    load_stimulus,
    stimulus_cases,
)
from firstflight_conformance.simulate.loop_run import LoopTrace
from firstflight_conformance.simulate.model_run import model_run, observed_run
from firstflight_conformance.simulate.scenario import ScenarioError, scenario_files
from runner_support import QUICK, adapter, command, write_vectors

NAMES = ("path.first.x", "path.target.x", "path.third.x")
IDS = tuple(f"stimulus:{name}@slow-start/rfc-9002" for name in NAMES)


def scenario(**changes: Any) -> dict[str, Any]:
    """Return a small scenario: 12 packets in the queue, so that some are lost; ``changes`` replaces members."""
    raw: dict[str, Any] = json.loads(scenario_files(CLOSED_LOOP)["shallow-queue.json"].read_text(encoding="utf-8"))
    raw |= {"stop_ns": 600_000_000, "after_slow_start_ns": 600_000_000}
    for name, value in changes.items():
        part = next((raw[p] for p in ("sender", "link", "receiver") if name in raw[p]), raw)
        part[name] = value
    return raw


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Write three scenario files."""
    folder = tmp_path_factory.mktemp("scenarios")
    written = [folder / f"{name}.json" for name in NAMES]
    for path in written:
        path.write_text(json.dumps(scenario()), encoding="utf-8")
    return written


def cases(paths: list[Path]) -> list[StimulusCase]:
    """Return the cases of the base controller."""
    return [case for case in stimulus_cases(paths) if case.id.endswith("@slow-start/rfc-9002")]


def judged(
    paths: list[Path], *words: str, options: RunOptions = QUICK, deviations: tuple[Deviation, ...] = ()
) -> AdapterReport:
    """Judge a command over the scenarios."""
    scripts = [StimulusScript(case) for case in cases(paths)]
    return judge(adapter(*words, deviations=deviations), scripts, options)


def declared(**members: object) -> tuple[str, ...]:
    """Return the command of a right adapter with this declaration."""
    return command("declares", json.dumps(members))


def assert_only_target(report: AdapterReport, verdict: Verdict) -> None:
    """Check that the middle case has the verdict and the others pass."""
    assert [result.case_id for result in report.results] == list(IDS)
    assert [result.verdict for result in report.results] == [Verdict.PASS, verdict, Verdict.PASS]


def test_right_adapter_passes(paths: list[Path]) -> None:
    """A right adapter passes exactly, with schema validation; its run equals the run of the model, including losses."""
    report = judged(paths, *declared(), options=RunOptions(10.0, validate=True))
    assert [(r.verdict, r.within_tolerance) for r in report.results] == [(Verdict.PASS, False)] * 3
    for result in report.results:
        assert result.loop is not None
        assert result.loop.stack == result.loop.model
        assert result.loop.stack.lost_packets > 0
        assert result.loop.stack.end == "stopped"


@cache
def paths_for_all() -> tuple[str, ...]:
    """Return the names of the scenarios that every algorithm is judged on."""
    loaded = [load_stimulus(path) for path in scenario_files(CLOSED_LOOP).values()]
    special = [scenario for scenario in loaded if scenario.algorithms or scenario.saved_cwnd_bytes is not None]
    assert len(special) > 5
    return tuple(Path(scenario.name).stem for scenario in loaded if scenario not in special)


def test_scenario_is_judged_only_for_its_algorithms() -> None:
    """A scenario with a list of algorithms is judged for these alone, in each of their profiles."""
    judged_on = {case.vector.algorithm for case in stimulus_cases() if case.id.startswith("stimulus:delay-below@")}
    assert judged_on == {"hystart", "hystartpp"}
    assert {case.vector.algorithm for case in stimulus_cases() if case.id.startswith("stimulus:jump@")} == {"jumpstart"}


def test_excluded_profiles_are_not_judged(tmp_path: Path) -> None:
    """The other profiles of the algorithm are judged on it; an unknown profile is an error."""
    judged_on = {case.profile for case in stimulus_cases() if case.id.startswith("stimulus:bbr-delay@")}
    assert judged_on == {"draft-06"}
    text = scenario_files(CLOSED_LOOP)["bbr-delay.json"].read_text("utf-8")
    path = tmp_path / "wrong.json"
    path.write_text(text.replace("bbr/linux-v1", "bbr/linux-v2"), "utf-8")
    with pytest.raises(ScenarioError, match=r"\$\.not_for: unknown profile bbr/linux-v2"):
        load_stimulus(path)


def test_announced_data_makes_jumpstart_jump() -> None:
    """If the sender announces its backlog, the first flight is the jump: over the initial window in the first RTT."""
    case = next(c for c in stimulus_cases() if c.id == "stimulus:jump@jumpstart/pfldnet-2007")
    events = [event for event, _ in observed_run(case, 1, OBSERVABLES)]
    first_ack = next(index for index, event in enumerate(events) if isinstance(event, Ack))
    assert sum(event.bytes for event in events[:first_ack] if isinstance(event, Sent)) > 12_000


def test_python_adapter_equals_the_model() -> None:
    """On every path of the checkout the adapter equals the model at every event, for all selected profiles."""
    profiles = {"slow-start/rfc-9002", "search/draft-09", "jumpstart/quicly", "careful-resume/rfc-9959"}
    chosen = [case for case in stimulus_cases() if case.id.partition("@")[2] in profiles]
    report = judge(load_manifests()["python-model"], [StimulusScript(case) for case in chosen], QUICK)
    assert {result.verdict for result in report.results} == {Verdict.PASS}
    assert {result.case_id.partition("@")[2] for result in report.results} == profiles
    loops = {result.case_id: result.loop for result in report.results}
    assert all(loop is not None and loop.stack == loop.model for loop in loops.values())
    # The paths have their purpose: a queue left in time only by a startup algorithm, an overflow, a complete transfer.
    deep = {profile: loops[f"stimulus:deep-queue@{profile}"] for profile in ("slow-start/rfc-9002", "search/draft-09")}
    assert deep["slow-start/rfc-9002"].stack.lost_packets > 0 == deep["search/draft-09"].stack.lost_packets  # type: ignore[union-attr]
    assert loops["stimulus:app-limited@slow-start/rfc-9002"].stack.end == "complete"  # type: ignore[union-attr]


def test_adapter_window_limits_bytes_in_flight(paths: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes in flight never exceed the adapter's window, even after a divergence; the events form a valid stream."""
    traces: list[LoopTrace] = []
    summarize = closed_loop.summary
    monkeypatch.setattr(
        closed_loop,
        "summary",
        lambda *words: traces.append(words[0]) or summarize(*words),  # type: ignore[func-returns-value]
    )
    report = judged(paths[:1], *command("declares", "{}", "off-by=2400"))
    assert [r.verdict for r in report.results] == [Verdict.FAIL]
    trace = traces[0]
    check_stream(trace.events, {"max_datagram_size_bytes": 1200})
    window = 12_000  # the adapter's initial window
    for event, answered in zip(trace.events, trace.windows, strict=True):
        if isinstance(event, Sent):
            assert event.bytes_in_flight <= window
        window = answered
    in_flight = [event.bytes_in_flight for event in trace.events if isinstance(event, Sent)]
    assert in_flight[1] == 12_000 + 2 * 2400  # after the first ACK of two the right window plus 2400


def test_first_divergence(paths: list[Path]) -> None:
    """A failure contains the event, the differences, the clause and the state of the model, and the run continues."""
    result = judged(paths, *command("answers", "half")).results[1]
    assert result.case_id == IDS[1]
    assert result.reason == "event 1: cwnd_bytes: expected 14400, observed 7200"
    divergence = result.divergence
    assert divergence is not None
    assert (divergence.event_index, divergence.event["ev"]) == (1, "ack")
    assert [d.observable for d in divergence.differences] == ["cwnd_bytes", "outcome"]
    assert divergence.clauses == ("slow-start.grow",)
    assert divergence.expected["cwnd_bytes"] == 14400
    loop = result.loop
    assert loop is not None
    assert loop.stack.growth_reduced is not None
    assert loop.model.growth_reduced is not None
    assert (loop.stack.growth_reduced.event_index, loop.stack.growth_reduced.cwnd_bytes) == (1, 7200)
    assert loop.model.growth_reduced.event_index > 1
    assert (loop.stack.end, loop.model.end) == ("stopped", "stopped")


@pytest.mark.parametrize(
    ("members", "mode", "verdict", "within_tolerance"),
    [
        ({}, "off-by=1", Verdict.FAIL, False),
        ({"arithmetic": "float64"}, "off-by=1", Verdict.PASS, True),
        ({"window": "packets"}, "off-by=-1199", Verdict.PASS, True),
        ({"window": "packets"}, "off-by=-1200", Verdict.FAIL, False),
    ],
)
def test_class_tolerance_is_the_same_as_for_vectors(
    paths: list[Path], members: dict[str, object], mode: str, verdict: Verdict, within_tolerance: bool
) -> None:
    """The tolerance of a class is the same for vectors and in the loop."""
    results = judged(paths, *command("declares", json.dumps(members), mode)).results
    assert [(r.verdict, r.within_tolerance) for r in results] == [(verdict, within_tolerance)] * 3


@pytest.mark.parametrize(("clock", "unit_ns"), [("us", 1000), ("ms", 1_000_000)])
def test_coarse_clock_applies_to_both_runs(tmp_path: Path, clock: str, unit_ns: int) -> None:
    """Both runs use the clock of the adapter, so every clock is allowed."""
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(scenario(rate_bps=4_999_999, jitter_ns=12_345, paced=True)), encoding="utf-8")
    report = judged([path], *declared(clock=clock))
    loop = report.results[0].loop
    assert report.results[0].verdict is Verdict.PASS
    assert loop is not None
    assert loop.stack == loop.model
    assert loop.stack.end_t_ns is not None
    assert loop.stack.end_t_ns % unit_ns == 0
    exact = judged([path], *declared()).results[0].loop
    assert exact is not None
    assert exact.stack != loop.stack


@pytest.mark.parametrize("members", [{"observables": ["cwnd_bytes"]}, {"observables": ["cwnd_bytes", "phase"]}])
def test_end_of_slow_start_needs_phase_or_threshold(paths: list[Path], members: dict[str, object]) -> None:
    """Every stack reports its reduced growth by its windows; the end of slow start needs phase or threshold."""
    loop = judged(paths[:1], *declared(**members)).results[0].loop
    assert loop is not None
    assert loop.stack.growth_reduced == loop.model.growth_reduced
    assert loop.stack.growth_reduced is not None
    assert loop.stack.slow_start_ended == (loop.model.slow_start_ended if len(members["observables"]) > 1 else None)  # type: ignore[arg-type]
    assert loop.model.slow_start_ended == loop.model.growth_reduced


@pytest.mark.parametrize(
    ("script", "mode", "fault", "reason"),
    [
        ("answers", "garbage", FaultKind.NOT_JSON, "not JSON"),
        ("answers", "wrong-op", FaultKind.WRONG_ANSWER, "event 1: answered `started`"),
        ("answers", "twice", FaultKind.WRONG_INDEX, "event 2: answered with the index 1"),
        ("answers", "missing", FaultKind.MISSING_OBSERVABLE, "event 1: ssthresh_bytes is declared but missing"),
        ("answers", "negative", FaultKind.WRONG_TYPE, "-1"),
        ("answers", "ended-twice", FaultKind.EXTRA_ANSWER, "after the case"),
        ("behaves", "crash", FaultKind.EXITED, "event 1: exited with code 3"),
        ("behaves", "abort", FaultKind.EXITED, "event 1: was ended by signal 6 (SIGABRT)"),
        ("behaves", "hang", FaultKind.TIMEOUT, "event 1: no answer within 3 s"),
        ("behaves", "close-output", FaultKind.EXITED, "event 1: closed its output"),
        ("behaves", "flood", FaultKind.TOO_MUCH_OUTPUT, "of output"),
        ("behaves", "flood-lines", FaultKind.WRONG_ANSWER, "without `op`"),
    ],
)
def test_misbehaving_adapter(paths: list[Path], script: str, mode: str, fault: FaultKind, reason: str) -> None:
    """Only the affected case is errored; a fresh process serves the next."""
    report = judged(paths, *command(script, mode), options=RunOptions(deadline_s=3.0))
    assert_only_target(report, Verdict.ERRORED)
    assert report.results[1].fault is fault
    assert reason in report.results[1].reason


@pytest.mark.parametrize("mode", ["huge-window", "no-window", "flapping-window"])
def test_absurd_window_diverges_and_the_run_ends(paths: list[Path], mode: str) -> None:
    """An absurd window is a divergence at the first event, and the run still ends."""
    report = judged(paths, *command("lies", mode))
    assert_only_target(report, Verdict.FAIL)
    assert report.results[1].divergence is not None
    assert report.results[1].divergence.event_index == 0


@pytest.mark.parametrize("mode", ["never-release", "release-in-the-past"])
def test_false_release_time_is_ignored_or_a_divergence(paths: list[Path], mode: str) -> None:
    """A false release time is ignored if the algorithm has none; otherwise it is a divergence."""
    results = {}
    for algorithm in ("slow-start", "jumpstart"):
        chosen = [c for c in stimulus_cases(paths[1:2]) if c.vector.algorithm == algorithm][:1]
        report = judge(adapter(*command("lies", mode)), [StimulusScript(case) for case in chosen], QUICK)
        results[algorithm] = report.results[0]
    assert results["slow-start"].verdict is Verdict.PASS
    assert results["slow-start"].loop is not None
    assert results["slow-start"].loop.stack == results["slow-start"].loop.model
    assert results["jumpstart"].verdict is Verdict.FAIL
    assert results["jumpstart"].divergence is not None
    assert results["jumpstart"].divergence.event_index == 0


def test_huge_window_sends_all_and_empty_window_stalls(paths: list[Path]) -> None:
    """A huge window sends all data, an empty window stalls; the true answers pass."""
    huge = judged(paths, *command("lies", "huge-window")).results[1].loop
    assert huge is not None
    assert huge.stack.largest_cwnd_bytes == 2**64 - 1
    assert huge.stack.dropped_packets > 900  # out of 1000
    none = judged(paths, *command("lies", "no-window")).results[1].loop
    assert none is not None
    assert none.stack.end == "stalled"
    assert {r.verdict for r in judged(paths, *command("lies", "true")).results} == {Verdict.PASS}


def test_crash_after_a_divergence_is_not_judged(paths: list[Path]) -> None:
    """The first divergence is the verdict; the end of the run is reported, and the next case has a fresh process."""
    report = judged(paths, *command("answers", "late-divergence"))
    assert_only_target(report, Verdict.FAIL)
    loop = report.results[1].loop
    assert loop is not None
    assert loop.stack.end == "errored"


def test_event_can_be_unsupported(paths: list[Path]) -> None:
    """An adapter may refuse a case at an event; the conversation stays in order."""
    report = judged(paths, *command("answers", "unsupported"))
    assert_only_target(report, Verdict.UNSUPPORTED)
    assert report.results[1].reason == "event 1: not today"


def test_deviations_explain_cases_of_the_closed_loop(paths: list[Path]) -> None:
    """The manifest may contain deviations of the closed loop; deviations that disappeared are reported."""
    known = Deviation("stimulus:path.target.*", "slow-start.grow", "halves the window")
    gone = Deviation("stimulus:path.first.*", "slow-start.grow", "used to")
    vector_deviation = Deviation("slow-start.first.*", "slow-start.grow", "not run here")
    report = judged(paths, *command("answers", "half"), deviations=(known, gone, vector_deviation))
    assert report.results[1].explained_by is known
    assert report.disappeared == (gone,)


def test_deadline_applies_to_the_whole_case(paths: list[Path]) -> None:
    """The deadline applies to all answers of a case together, not to each."""
    remaining_times_s: list[float] = []
    ask = Conversation.turn

    def turn(self: Conversation, first: int, sent: bytes, remaining_s: float) -> object:
        remaining_times_s.append(remaining_s)
        return ask(self, first, sent, remaining_s)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Conversation, "turn", turn)
        judged(paths[:1], *command("declares", "{}", "off-by=1"))
    assert remaining_times_s[0] == 10.0
    assert remaining_times_s == sorted(remaining_times_s, reverse=True)
    assert remaining_times_s[-1] < remaining_times_s[0]


# The command


def run(*words: object) -> Result:
    """Run ``firstflight run``."""
    return CliRunner().invoke(main, ["run", *map(str, words)])


def with_paths(paths: list[Path]) -> list[object]:
    """Return the options that select the scenarios."""
    return [word for path in paths for word in ("--scenario", path)]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("declares", "{}"), 0),
        (("answers", "half"), 1),
        (("behaves", "crash"), 3),
        (("declares", '{"algorithms": {}}'), 4),
    ],
)
def test_exit_codes(paths: list[Path], words: tuple[str, ...], code: int) -> None:
    """The exit codes are the same as for vectors."""
    line = shlex.join(command(*words))
    assert run("--adapter", line, "--profile", "rfc-9002", *with_paths(paths)).exit_code == code


def test_selection(tmp_path: Path) -> None:
    """Algorithm, profile and id select; vectors are judged only with --both."""
    line = shlex.join(declared())
    report, root = tmp_path / "report.json", write_vectors(tmp_path / "vectors")

    def judged_ids(*words: object) -> list[str]:
        assert run("--adapter", line, "--report-json", report, "--vectors", root, *words).exit_code == 0
        document = json.loads(report.read_text(encoding="utf-8"))
        validator("urn:firstflight:report:1").validate(document)
        return [str(case_id) for case_id in document["cases"]]

    every = judged_ids("--closed-loop", "--profile", "rfc-9002")
    assert every == [f"stimulus:{name}@slow-start/rfc-9002" for name in paths_for_all()]
    assert judged_ids("--closed-loop", "--id", "stimulus:app*rfc-9002") == ["stimulus:app-limited@slow-start/rfc-9002"]
    assert judged_ids("--both", "--id", "*app-l*", "--id", "slow-start.first.*", "--profile", "rfc-9002") == [
        "slow-start.first.small@rfc-9002", "stimulus:app-limited@slow-start/rfc-9002",
    ]  # fmt: skip
    assert not any(case_id.startswith("stimulus:") for case_id in judged_ids("--profile", "rfc-9002"))
    assert run("--closed-loop", "--tier", "gold").exit_code == 2


def test_list() -> None:
    """`firstflight list` shows the cases of the closed loop with their paths."""
    result = CliRunner().invoke(main, ["list", "--closed-loop", "--profile", "rfc-9002"])
    assert [line.split()[0] for line in result.output.splitlines()] == [
        f"stimulus:{name}@slow-start/rfc-9002" for name in paths_for_all()
    ]
    assert "one packet in a hundred lost" in result.output


def test_report_contains_both_runs(paths: list[Path], tmp_path: Path) -> None:
    """The report contains both runs and is independent of adapters that run in parallel; the table shows both runs."""
    texts = []
    for jobs in (1, 2):
        path = tmp_path / f"{jobs}.json"
        adapters = [word for mode in ("half", "wrong") for word in ("--adapter", shlex.join(command("answers", mode)))]
        result = run(*adapters, "--jobs", jobs, "--report-json", path, "--profile", "rfc-9002", *with_paths(paths))
        texts.append(path.read_text(encoding="utf-8"))
    assert texts[0] == texts[1]
    document = json.loads(texts[0])
    validator("urn:firstflight:report:1").validate(document)
    loop = document["adapters"][0]["results"][1]["loop"]
    assert (loop["stack"]["growth_reduced"]["event_index"], loop["model"]["end"]) == (1, "stopped")
    assert event_from_json(document["adapters"][0]["results"][1]["divergence"]["event"]).t_ns > 10**9
    assert "1104.000" in result.output
    assert " 7200 " in result.output


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "Expecting"),
        (scenario(transfer_bytes=None), "transfer_bytes: closed loop needs a number"),
        (scenario(seed=-1), "seed"),
    ],
)
def test_malformed_or_unbounded_scenario_is_refused(tmp_path: Path, content: object, reason: str) -> None:
    """A malformed or unbounded scenario is refused with its place."""
    path = tmp_path / "scenario.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    with pytest.raises(ScenarioError, match=reason):
        load_stimulus(path)
    result = run("--scenario", path)
    assert result.exit_code == 2
    assert reason in result.output
    assert str(path) in result.output


def test_paths_of_one_name_have_separate_runs(paths: list[Path]) -> None:
    """Two paths of one name, or two clocks, are two runs."""
    case = cases(paths)[0]
    shorter = replace(case.scenario, stop_ns=300_000_000)
    other = StimulusCase(replace(case.vector, scenario=shorter), case.profile)
    runs = {model_run(StimulusScript(stimulus), 1).run for stimulus in (case, other)}
    assert len(runs) == 2

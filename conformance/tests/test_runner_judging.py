"""Verdicts on adapters that speak the protocol."""

import json
from pathlib import Path

import pytest

from firstflight_conformance.run.faults import FaultKind
from firstflight_conformance.run.judge import judge
from firstflight_conformance.run.manifest import OTHER_VERSION, Deviation
from firstflight_conformance.run.results import Verdict
from firstflight_conformance.run.session import Options
from runner_support import (
    BAD,
    IDS,
    QUICK,
    adapter,
    command,
    events,
    judged,
    vector,
    write_vectors,
)

FINE = "slow-start.fine.microseconds@rfc-9002"
WINDOW_ONLY = {"observables": ["cwnd_bytes"]}
CLAUSE = "slow-start.grow"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The vectors, one of them with times in microseconds."""
    fine = vector("slow-start.fine.microseconds", events(100_001_000))
    return write_vectors(tmp_path_factory.mktemp("vectors"), fine)


def verdicts(root: Path, hello: dict[str, object], mode: str = "") -> list[tuple[Verdict, bool]]:
    """Judge an adapter that declares this."""
    report = judged(root, *command("declares", json.dumps(hello), mode))
    return [(result.verdict, result.within_tolerance) for result in report.results]


def test_right_adapter_passes(root: Path) -> None:
    """A right adapter passes everything, exactly; also when both sides are held to the schema."""
    report = judged(root, *command("declares", "{}"), options=Options(10.0, validate=True))
    assert report.declaration is not None
    assert report.declaration.name == "bad"
    assert [(r.verdict, r.within_tolerance) for r in report.results] == [(Verdict.PASS, False)] * 4


@pytest.mark.parametrize(
    ("hello", "mode", "passes"),
    [
        ({}, "off-by=1", False),
        ({"arithmetic": "float64"}, "off-by=1", True),
        ({"arithmetic": "float64"}, "off-by=2", False),
        ({"window": "packets"}, "off-by=-1199", True),
        ({"window": "packets"}, "off-by=-1200", False),
        ({"window": "packets"}, "off-by=1", False),
    ],
)
def test_tolerance_must_be_declared(root: Path, hello: dict[str, object], mode: str, passes: bool) -> None:
    """Only a declared class tolerates, and a pass by it is marked."""
    expected = (Verdict.PASS, True) if passes else (Verdict.FAIL, False)
    assert verdicts(root, hello, mode) == [expected] * 4


def test_only_declared_observables_are_judged(root: Path) -> None:
    """What is reported without being declared is not judged."""
    report = judged(root, *command("declares", json.dumps(WINDOW_ONLY)))
    assert {result.verdict for result in report.results} == {Verdict.PASS}


def test_clock_rules_out_finer_cases(root: Path) -> None:
    """A clock in milliseconds is not sent a case in microseconds; one in microseconds is."""
    report = judged(root, *command("declares", '{"clock": "ms"}'))
    by_id = {result.case_id: result for result in report.results}
    assert by_id[FINE].verdict is Verdict.UNSUPPORTED
    assert by_id[FINE].reason == "computes in ms, the case needs us"
    assert all(by_id[case_id].verdict is Verdict.PASS for case_id in IDS)
    assert {verdict for verdict, _ in verdicts(root, {"clock": "us"})} == {Verdict.PASS}


@pytest.mark.parametrize(
    ("algorithms", "reason"),
    [
        ({"search": ["draft-09"]}, "does not declare the algorithm slow-start"),
        ({"slow-start": ["cubic"]}, "does not declare the profile slow-start/rfc-9002"),
    ],
)
def test_undeclared_is_unsupported(root: Path, algorithms: dict[str, list[str]], reason: str) -> None:
    """What is not declared is not sent."""
    report = judged(root, *command("declares", json.dumps({"algorithms": algorithms})))
    assert {(result.verdict, result.reason) for result in report.results} == {(Verdict.UNSUPPORTED, reason)}


def test_event_can_be_unsupported(root: Path) -> None:
    """An adapter may find out at an event that it cannot go on."""
    report = judged(root, *command("answers", "unsupported"))
    by_id = {result.case_id: result for result in report.results}
    assert by_id[IDS[1]].verdict is Verdict.UNSUPPORTED
    assert by_id[IDS[1]].reason == "event 1: not today"
    assert [by_id[case_id].verdict for case_id in (IDS[0], IDS[2])] == [Verdict.PASS] * 2


def test_first_divergence(root: Path) -> None:
    """A failure names the first event, what differed, the clauses and the state of the model."""
    report = judged(root, *command("answers", "half"))
    result = next(result for result in report.results if result.verdict is Verdict.FAIL)
    assert result.case_id == IDS[1]
    assert result.reason == "event 1: cwnd_bytes: expected 14400, observed 7200"
    divergence = result.divergence
    assert divergence is not None
    assert (divergence.event_index, divergence.event["ev"]) == (1, "ack")
    assert [d.observable for d in divergence.differences] == ["cwnd_bytes", "outcome"]
    assert CLAUSE in divergence.clauses
    assert divergence.expected["phase"] == "slow_start"
    assert divergence.expected["cwnd_bytes"] == 14400


def test_divergence_comes_before_a_later_crash(root: Path) -> None:
    """What happens after the first divergence is not judged; the process is replaced nevertheless."""
    report = judged(root, *command("answers", "late-divergence"))
    by_id = {result.case_id: result for result in report.results}
    assert by_id[IDS[1]].verdict is Verdict.FAIL
    assert by_id[IDS[2]].verdict is Verdict.PASS


def test_validating_refuses_unknown_members(root: Path) -> None:
    """A member that the schema does not know passes by default, and is a fault when validating."""
    words = command("answers", "extra-member")
    assert {result.verdict for result in judged(root, *words).results} == {Verdict.PASS}
    report = judged(root, *words, options=Options(10.0, validate=True))
    result = next(result for result in report.results if result.verdict is Verdict.ERRORED)
    assert (result.case_id, result.fault) == (IDS[1], FaultKind.SCHEMA)
    assert "window" in result.reason


def test_deviations_explain_and_disappear(root: Path) -> None:
    """An entry explains the failures it matches; one that no judged case shows any more is reported."""
    explains = Deviation("slow-start.target.*", CLAUSE, "halves the window")
    gone = Deviation("slow-start.first.*@rfc-9002", CLAUSE, "used to halve the window")
    not_selected = Deviation("search.*", CLAUSE, "speaks of cases that are not run")
    report = judged(root, *command("answers", "half"), deviations=(gone, explains, not_selected))
    assert [r.explained_by for r in report.results if r.verdict is Verdict.FAIL] == [explains]
    assert report.disappeared == (gone,)
    assert report.counts["explained"] == 1
    assert report.counts["fail"] == 0


def test_deviation_where_nothing_should_have_happened() -> None:
    """On an event on which the model carries out no clause any entry for the case explains; otherwise its clause must be among them."""
    entry = Deviation("slow-start.*", CLAUSE, "does something")
    assert entry.explains("slow-start.a@rfc-9002", ())
    assert entry.explains("slow-start.a@rfc-9002", ("slow-start.sent", CLAUSE))
    assert not entry.explains("slow-start.a@rfc-9002", ("slow-start.sent",))
    assert not entry.explains("search.a@draft-09", ())


def test_another_version_explains_divergences_alone(root: Path) -> None:
    """Each failing case is explained at any rule. Errors and refusals are not explained, and nothing disappears."""
    entry = Deviation("slow-start.*@rfc-9002", None, "is another version", OTHER_VERSION)
    report = judged(root, *command("answers", "half"), deviations=(entry,))
    assert [result.explained_by for result in report.results if result.verdict is Verdict.FAIL] == [entry]
    assert report.disappeared == ()
    for mode, status in (("garbage", "errored"), ("unsupported", "unsupported")):
        other = judged(root, *command("answers", mode), deviations=(entry,))
        assert other.counts[status] > 0
        assert other.counts["explained"] == 0


def test_deviation_of_unsupported_cases_has_not_disappeared(root: Path) -> None:
    """A case that was not judged says nothing about a deviation."""
    entry = Deviation("slow-start.fine.*", CLAUSE, "in microseconds only")
    assert judged(root, *command("declares", '{"clock": "ms"}'), deviations=(entry,)).disappeared == ()


def test_missing_program_skips(root: Path) -> None:
    """An adapter that cannot be run here is skipped with its reason."""
    manifest = adapter(*command("declares", "{}"))
    for missing, reason in (
        ({"requires": ("no-such-program",)}, "needs the program no-such-program"),
        ({"files": (BAD / "absent",), "build": "things"}, "absent does not exist: run `make things`"),
    ):
        changed = type(manifest)(**{name: getattr(manifest, name) for name in manifest.__dataclass_fields__} | missing)
        report = judge(changed, [], QUICK)
        assert report.skipped is not None
        assert report.skipped.endswith(reason)

"""Verdicts on adapters that implement the protocol."""

import json
from pathlib import Path

import pytest

from firstflight_conformance.adapters import messages
from firstflight_conformance.adapters.faults import ConversationError, FaultKind
from firstflight_conformance.adapters.manifest import OTHER_VERSION, Deviation
from firstflight_conformance.records.results import Verdict
from firstflight_conformance.run.judge import judge
from firstflight_conformance.run.session import RunOptions
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
    """Write the vectors, one of them with times in microseconds."""
    fine = vector("slow-start.fine.microseconds", events(100_001_000))
    return write_vectors(tmp_path_factory.mktemp("vectors"), fine)


def verdicts(root: Path, hello: dict[str, object], mode: str = "") -> list[tuple[Verdict, bool]]:
    """Judge an adapter with this declaration."""
    report = judged(root, *command("declares", json.dumps(hello), mode))
    return [(result.verdict, result.within_tolerance) for result in report.results]


def test_right_adapter_passes(root: Path) -> None:
    """A right adapter passes everything exactly, also with schema validation of both sides."""
    report = judged(root, *command("declares", "{}"), options=RunOptions(10.0, validate=True))
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
    """Only a declared class adds tolerance, and a pass that uses it is marked."""
    expected = (Verdict.PASS, True) if passes else (Verdict.FAIL, False)
    assert verdicts(root, hello, mode) == [expected] * 4


def test_only_declared_observables_are_judged(root: Path) -> None:
    """Reported but undeclared observables are not judged."""
    report = judged(root, *command("declares", json.dumps(WINDOW_ONLY)))
    assert {result.verdict for result in report.results} == {Verdict.PASS}


def test_clock_rules_out_finer_cases(root: Path) -> None:
    """A clock in milliseconds does not receive a case in microseconds; a clock in microseconds does."""
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
def test_undeclared_algorithm_or_profile_is_unsupported(
    root: Path, algorithms: dict[str, list[str]], reason: str
) -> None:
    """Cases of undeclared algorithms and profiles are not sent."""
    report = judged(root, *command("declares", json.dumps({"algorithms": algorithms})))
    assert {(result.verdict, result.reason) for result in report.results} == {(Verdict.UNSUPPORTED, reason)}


def test_event_can_be_unsupported(root: Path) -> None:
    """An adapter may refuse a case at an event."""
    report = judged(root, *command("answers", "unsupported"))
    by_id = {result.case_id: result for result in report.results}
    assert by_id[IDS[1]].verdict is Verdict.UNSUPPORTED
    assert by_id[IDS[1]].reason == "event 1: not today"
    assert [by_id[case_id].verdict for case_id in (IDS[0], IDS[2])] == [Verdict.PASS] * 2


def test_first_divergence(root: Path) -> None:
    """A failure contains the first event, the differences, the clauses and the state of the model."""
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
    """Events after the first divergence are not judged; the process is still replaced."""
    report = judged(root, *command("answers", "late-divergence"))
    by_id = {result.case_id: result for result in report.results}
    assert by_id[IDS[1]].verdict is Verdict.FAIL
    assert by_id[IDS[2]].verdict is Verdict.PASS


def test_validating_refuses_unknown_members(root: Path) -> None:
    """A member outside the schema passes by default, and is a fault when validating."""
    words = command("answers", "extra-member")
    assert {result.verdict for result in judged(root, *words).results} == {Verdict.PASS}
    report = judged(root, *words, options=RunOptions(10.0, validate=True))
    result = next(result for result in report.results if result.verdict is Verdict.ERRORED)
    assert (result.case_id, result.fault) == (IDS[1], FaultKind.SCHEMA)
    assert "window" in result.reason


def test_deviations_explain_and_disappear(root: Path) -> None:
    """An entry explains its matching failures; an entry that no judged case shows any more is reported."""
    explains = Deviation("slow-start.target.*", CLAUSE, "halves the window")
    gone = Deviation("slow-start.first.*@rfc-9002", CLAUSE, "used to halve the window")
    not_selected = Deviation("search.*", CLAUSE, "speaks of cases that are not run")
    report = judged(root, *command("answers", "half"), deviations=(gone, explains, not_selected))
    assert [r.explained_by for r in report.results if r.verdict is Verdict.FAIL] == [explains]
    assert report.disappeared == (gone,)
    assert report.counts["explained"] == 1
    assert report.counts["fail"] == 0


def test_deviation_explains_events_without_clauses() -> None:
    """An entry explains events without clauses; at other events its clause must be among the clauses of the event."""
    entry = Deviation("slow-start.*", CLAUSE, "does something")
    assert entry.explains("slow-start.a@rfc-9002", ())
    assert entry.explains("slow-start.a@rfc-9002", ("slow-start.sent", CLAUSE))
    assert not entry.explains("slow-start.a@rfc-9002", ("slow-start.sent",))
    assert not entry.explains("search.a@draft-09", ())


def test_other_version_explains_only_divergences(root: Path) -> None:
    """Each failing case is explained for any rule. Errors and refusals are not explained, and nothing disappears."""
    entry = Deviation("slow-start.*@rfc-9002", None, "is another version", OTHER_VERSION)
    report = judged(root, *command("answers", "half"), deviations=(entry,))
    assert [result.explained_by for result in report.results if result.verdict is Verdict.FAIL] == [entry]
    assert report.disappeared == ()
    for mode, status in (("garbage", "errored"), ("unsupported", "unsupported")):
        mode_report = judged(root, *command("answers", mode), deviations=(entry,))
        assert mode_report.counts[status] > 0
        assert mode_report.counts["explained"] == 0


def test_deviation_of_unsupported_cases_has_not_disappeared(root: Path) -> None:
    """A case that was not judged gives no information about a deviation."""
    entry = Deviation("slow-start.fine.*", CLAUSE, "in microseconds only")
    assert judged(root, *command("declares", '{"clock": "ms"}'), deviations=(entry,)).disappeared == ()


def test_missing_program_skips_the_adapter(root: Path) -> None:
    """An adapter that cannot run on this machine is skipped with its reason."""
    manifest = adapter(*command("declares", "{}"))
    for missing, reason in (
        ({"requires": ("no-such-program",)}, "needs the program no-such-program"),
        ({"files": (BAD / "absent",), "build": "things"}, "absent does not exist: run `make things`"),
    ):
        changed = type(manifest)(**{name: getattr(manifest, name) for name in manifest.__dataclass_fields__} | missing)
        report = judge(changed, [], QUICK)
        assert report.skipped is not None
        assert report.skipped.endswith(reason)


@pytest.mark.parametrize("mode", ["compact", "spaced", "sorted", "odd", "more", "at"])
def test_verdict_is_independent_of_answer_formatting(tmp_path: Path, mode: str) -> None:
    report = judged(write_vectors(tmp_path), *command("writes", mode))
    assert [result.verdict for result in report.results] == [Verdict.PASS] * 3
    assert all(
        result.growth is not None and result.growth.expected == result.growth.observed == 2 for result in report.results
    )


@pytest.mark.parametrize("mode", ["compact", "odd"])
@pytest.mark.parametrize("event", [0, 1, 3])
def test_first_wrong_number_is_found_in_any_formatting(tmp_path: Path, mode: str, event: int) -> None:
    report = judged(write_vectors(tmp_path), *command("writes", mode, str(event)))
    for result in report.results:
        assert result.divergence is not None
        assert result.divergence.event_index == event
        assert [difference.observable for difference in result.divergence.differences] == ["cwnd_bytes"]


@pytest.mark.parametrize(
    "line",
    [
        b'{"op":"observed","op":"observed"}',
        b'{"op":"observed","i":0,"state":{"a":1,"a":1}}',
        b'{"op":"observed","i":0,"i":0,"state":{}}',
        b'{"op":"observed","i":0,"i":0,"state":[1]}',
        b'{"op":"observed","i":0,"more":{"a":{"b":1,"b":1}}}',
        b'{"op":"observed"}x',
        b'{"op":"observed"}{"i":0}',
        b'{"op":"observed","i":NaN}',
        b'[{"op":"observed"}',
    ],
)
def test_invalid_line_is_refused(line: bytes) -> None:
    """A duplicate member, text after the value, or invalid JSON is refused."""
    with pytest.raises(ConversationError, match="not JSON") as fault:
        messages.decode(line)
    assert fault.value.kind is FaultKind.NOT_JSON


@pytest.mark.parametrize(
    "line",
    [
        b' {"op":"observed"}\t',
        b'{ "op" : "observed" }',
        b'{"op":"obs\\u0065rved"}',
        b'{"op":"observed","why":"a:b"}',
        b'{"op":"observed","state":{"a":1},"more":{"b":[{"c":1}]}}',
    ],
)
def test_valid_line_is_accepted(line: bytes) -> None:
    """Spaces, escapes, colons in texts and further members are valid."""
    assert messages.decode(line) == json.loads(line)


@pytest.mark.parametrize("value", ["true", "1.0", "-1", '"1"', "9007199254740992", "null", "[]"])
@pytest.mark.parametrize("member", ["cwnd_bytes", "state"])
def test_windows_and_state_numbers_must_be_integers(member: str, value: str) -> None:
    """A window and a number of the state must be integers; the number may also be null."""
    text = f'{{"op":"observed","i":0,"cwnd_bytes":{value if member == "cwnd_bytes" else 1},"state":{{"a":{value}}}}}'
    observables = (member,) if member == "cwnd_bytes" else ("cwnd_bytes", "state")
    if (member, value) == ("state", "null"):
        assert messages.read_answer(text.encode(), 0, observables) == {"cwnd_bytes": 1, "state": {"a": None}}
        return
    with pytest.raises(ConversationError, match="is not an integer") as fault:
        messages.read_answer(text.encode(), 0, observables)
    assert fault.value.kind is FaultKind.WRONG_TYPE

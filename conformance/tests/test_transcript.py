"""The expected answers as lines: they are what an adapter would write, and no other line is taken for right."""

import json
from pathlib import Path

import pytest

from firstflight_conformance.cases import vectors
from firstflight_conformance.cases.vectors import Case
from firstflight_conformance.cases.wire import encode_value
from firstflight_conformance.kept import code_digest, digest
from firstflight_conformance.paths import VECTORS
from firstflight_conformance.run.results import Verdict
from firstflight_conformance.run.script import Script
from firstflight_conformance.run.transcript import Style, style_of, transcript
from runner_support import command, judged, write_vectors

FILES = ("search/drain.loss.json", "careful-resume/retreat.floor.json", "cubic/concave.one-ack.json")
SEPARATORS = [(",", ":"), (", ", ": ")]


def cases() -> list[Case]:
    return list(vectors.cases(vectors.load(VECTORS / name) for name in FILES))


def answers(case: Case, separators: tuple[str, str]) -> list[bytes]:
    """Return what the model would answer, written anew from all its observables."""
    observed = [{name: encode_value(value) for name, value in step.items()} for step in case.expected()]
    written = [{"op": "observed", "i": index, **step} for index, step in enumerate(observed)]
    return [json.dumps(answer, separators=separators).encode() for answer in written]


@pytest.mark.parametrize("separators", SEPARATORS)
@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_the_transcript_is_what_the_model_answers(case: Case, separators: tuple[str, str]) -> None:
    lines = answers(case, separators)
    style = style_of(lines[0], json.loads(lines[0]))
    assert style is not None
    assert transcript(case.expectation.expect, case.expectation.judged_events, style) == lines


def test_the_order_of_members_is_that_of_the_adapter() -> None:
    case = cases()[0]
    style = Style(("cwnd_bytes", "i", "op"), (), ",", ":")
    lines = transcript(case.expectation.expect, case.expectation.judged_events, style)
    assert [json.loads(line) for line in lines] == [
        {"cwnd_bytes": encode_value(step["cwnd_bytes"]), "i": index, "op": "observed"}
        for index, step in enumerate(case.expected())
    ]


@pytest.mark.parametrize(
    "style",
    [
        Style(("op", "i", "cwnd_bytes", "temperature"), (), ",", ":"),
        Style(("op", "cwnd_bytes"), (), ",", ":"),
        Style(("op", "i", "at", "cwnd_bytes"), (), ",", ":"),
        Style(("op", "i", "allowed"), (), ",", ":"),
        Style(("op", "i", "state"), (), ",", ":"),
        Style(("op", "i", "state"), ("no_such_number",), ",", ":"),
    ],
)
def test_no_line_is_expected_of_an_adapter_that_answers_something_else(style: Style) -> None:
    case = next(case for case in cases() if case.expectation.expect[0]["state"])
    assert transcript(case.expectation.expect, case.expectation.judged_events, style) == []


@pytest.mark.parametrize("lines", [[], [b""], [b"", b"", b"", b""]])
def test_nothing_is_not_what_is_expected_in_no_style(lines: list[bytes]) -> None:
    """How an adapter wrote another case of the profile may be no way to answer this one; then no answer at all is not the right one."""
    case = cases()[0]
    for style in (None, Style(("op", "i", "cwnd_bytes", "temperature"), (), ",", ":")):
        assert not Script(case).answers_are(lines, style)
        assert not Script(case).answers_are(answers(case, (",", ":")), style)


def test_the_answers_to_a_case_are_those_of_its_profile() -> None:
    """Digests are kept for all profiles of a vector together."""
    case, other = (
        case for case in cases() if case.vector.id == cases()[0].vector.id and case.profile in ("draft-09", "neqo-2026")
    )
    lines = answers(case, (",", ":"))
    style = style_of(lines[0], json.loads(lines[0]))
    assert Script(case).answers_are([*lines, b"more"], style)
    assert not Script(case).answers_are(lines[:-1], style)
    assert not Script(other).answers_are(lines, style)


def test_a_number_of_state_that_comes_later_is_expected() -> None:
    """Were it left out, an adapter that never reports it would be right."""
    first = {"at": 0, "cwnd_bytes": 1, "state": {"a": 1}}
    changes = [first, {"at": 1, "state": {"b": 2}}]
    assert transcript(changes, 2, Style(("op", "i", "state"), ("a",), ",", ":")) == []
    assert transcript([first | {"state": {}}, changes[1]], 2, Style(("op", "i", "state"), (), ",", ":")) == []


def test_a_number_that_is_not_expected_is_in_no_line() -> None:
    changes = [{"at": 0, "state": {"a": 1}}]
    assert transcript(changes, 1, Style(("op", "i", "state"), ("a", "b"), ",", ":")) == []


def test_a_name_is_written_as_it_is() -> None:
    changes = [{"at": 0, "cwnd_bytes": 1, "phase": "100 %", "state": {"%s": None}}]
    style = Style(("op", "i", "phase", "state"), ("%s",), ",", ":")
    assert transcript(changes, 1, style) == [b'{"op":"observed","i":0,"phase":"100 %","state":{"%s":null}}']


@pytest.mark.parametrize(
    "line", [b'{"op":"observed", "i":0}', b'{"op":"observed","i":0} ', b'{"op":"\\u006fbserved","i":0}']
)
def test_what_is_written_in_another_way_has_no_style(line: bytes) -> None:
    assert style_of(line, json.loads(line)) is None


@pytest.mark.parametrize("mode", ["compact", "spaced", "sorted", "odd", "more", "at"])
def test_the_verdict_does_not_depend_on_how_the_answers_are_written(tmp_path: Path, mode: str) -> None:
    report = judged(write_vectors(tmp_path), *command("writes", mode))
    assert [result.verdict for result in report.results] == [Verdict.PASS] * 3
    assert all(
        result.growth is not None and result.growth.expected == result.growth.observed == 2 for result in report.results
    )


@pytest.mark.parametrize("mode", ["compact", "odd"])
@pytest.mark.parametrize("event", [0, 1, 3])
def test_the_first_wrong_number_is_found_however_it_is_written(tmp_path: Path, mode: str, event: int) -> None:
    report = judged(write_vectors(tmp_path), *command("writes", mode, str(event)))
    for result in report.results:
        assert result.divergence is not None
        assert result.divergence.event_index == event
        assert [difference.observable for difference in result.divergence.differences] == ["cwnd_bytes"]


def test_the_digest_tells_parts_apart() -> None:
    assert digest(["ab", "c"]) != digest(["a", "bc"])
    assert code_digest("cases") != code_digest("cases", "run")

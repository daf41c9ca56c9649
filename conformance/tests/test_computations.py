"""Computations: their files, and how the runner judges them."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from firstflight_conformance.adapters.compute import ComputationScript, read_outputs
from firstflight_conformance.adapters.faults import ConversationError
from firstflight_conformance.adapters.manifest import resolve
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.compare.outputs import compare_outputs
from firstflight_conformance.format import computations
from firstflight_conformance.format.clauses import known_clauses
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.format.parse import VectorError
from firstflight_conformance.paths import VECTORS
from firstflight_conformance.records.results import Result, Verdict
from firstflight_conformance.replay import measure
from firstflight_conformance.run.judge import judge
from firstflight_conformance.run.session import RunOptions
from generate import computation

SIZE = "slow-start.size-64-kib.json"
ADAPTER = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["op"] == "hello":
        answer = {"op": "hello", "protocol": 1, "name": "n", "version": "1", "observables": ["cwnd_bytes"],
                  "algorithms": {"transfer-time": ["slow-start"]}, "arithmetic": "ARITHMETIC"}
    elif message["op"] == "compute":
        answer = ANSWER
    else:
        answer = {"op": "unsupported", "reason": "only computes"}
    print(json.dumps(answer), flush=True)
"""
RIGHT: dict[str, Any] = {
    "op": "computed", "psi": 4, "gamma": ["145725200000", "181"], "gamma_ns": 805111602, "response_time_ns": 1005111602,
}  # fmt: skip


def script(name: str = SIZE, profile: str = "slow-start") -> ComputationScript:
    return ComputationScript(ComputationCase(computations.load(VECTORS / "transfer-time" / name), profile))


def judged(tmp_path: Path, answer: Any, arithmetic: str = "integer", name: str = SIZE) -> Result:
    program = tmp_path / "adapter.py"
    program.write_text(ADAPTER.replace("ANSWER", repr(answer)).replace("ARITHMETIC", arithmetic), encoding="utf-8")
    manifest = resolve(f"{sys.executable} {program}", {})
    return judge(manifest, [script(name)], RunOptions(5.0, validate=True)).results[0]


def without(*names: str, **changes: Any) -> dict[str, Any]:
    return {key: value for key, value in (RIGHT | changes).items() if key not in names}


@pytest.mark.parametrize("path", sorted((VECTORS / "transfer-time").glob("*.json")), ids=lambda path: path.stem)
def test_checkout_files_are_canonical(path: Path) -> None:
    """A file is canonical, its id is its path, and the model gives its answers and clauses."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    assert computation.text(raw).encode() == path.read_bytes()
    assert raw["id"] == f"transfer-time.{path.stem}"
    for case in computations.cases([computations.load(path)]):
        inputs = computations.decode_inputs(case.inputs)
        assert computations.answer(case.profile, inputs) == case.expectation.expect
        assert measure.clauses_of_computation(case.profile, inputs) == case.expectation.clauses
        assert set(case.expectation.clauses) <= set(known_clauses())


def test_the_right_answer_passes(tmp_path: Path) -> None:
    assert judged(tmp_path, RIGHT).verdict is Verdict.PASS
    assert judged(tmp_path, without("gamma")).verdict is Verdict.PASS


@pytest.mark.parametrize(
    "change",
    [{"psi": 5}, {"gamma": ["145725200001", "181"]}, {"gamma_ns": 805111603}, {"response_time_ns": 805111602}],
)
def test_a_wrong_output_fails(tmp_path: Path, change: dict[str, Any]) -> None:
    result = judged(tmp_path, RIGHT | change)
    assert result.verdict is Verdict.FAIL
    assert next(iter(change)) in result.reason
    assert result.divergence is not None
    assert result.divergence.event_index is None
    assert "transfer-time.slow-start.gamma" in result.divergence.clauses


def test_floating_point_is_judged_with_a_tolerance(tmp_path: Path) -> None:
    near = without("gamma", gamma_ns=805111603)
    assert judged(tmp_path, near, "float64").within_tolerance
    assert judged(tmp_path, without("gamma", gamma_ns=805111604), "float64").verdict is Verdict.FAIL
    assert judged(tmp_path, without("gamma", psi=5), "float32").verdict is Verdict.FAIL


def test_refusals_pass_only_outside_the_domain(tmp_path: Path) -> None:
    refused = {"op": "refused", "reason": "no"}
    assert judged(tmp_path, refused).verdict is Verdict.FAIL
    assert judged(tmp_path, refused, name="domain.mss-zero.json").verdict is Verdict.PASS
    assert judged(tmp_path, RIGHT, name="domain.mss-zero.json").verdict is Verdict.FAIL
    assert judged(tmp_path, {"op": "unsupported", "reason": "no"}).verdict is Verdict.UNSUPPORTED


@pytest.mark.parametrize(
    "answer",
    [
        {"op": "observed"},
        without("psi"),
        without(psi="4"),
        without(psi=4.0),
        without(psi=True),
        without(gamma=["1", 2]),
        without(gamma="1/2"),
        without(gamma=["1", "-2"]),
        without(gamma=["9" * 401, "1"]),
    ],
)
def test_malformed_answer_is_refused(answer: dict[str, Any]) -> None:
    with pytest.raises(ConversationError):
        read_outputs(answer, "slow-start")


def test_answer_without_outputs_is_an_error(tmp_path: Path) -> None:
    assert judged(tmp_path, {"op": "observed", "i": 0, "cwnd_bytes": 1}).verdict is Verdict.ERRORED


def test_a_missing_fraction_is_not_compared() -> None:
    declaration = Declaration("n", "1", {}, ())
    expected = script().expected
    assert not compare_outputs(expected, {"psi": 4, "gamma_ns": 805111602}, declaration).differences


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"extra": 1}, "file"),
        ({"kind": "events"}, "kind"),
        ({"inputs": {"rate_bps": 1}}, "inputs"),
        ({"gamma": ["290", "362"]}, "gamma"),
        ({"gamma": ["1", "0"]}, "gamma"),
        ({"gamma_ns": 5}, "gamma_ns"),
        ({"response_time_ns": 5}, "response_time_ns"),
        ({"psi": -1}, "expect"),
    ],
)
def test_a_malformed_file_is_refused(tmp_path: Path, change: dict[str, Any], place: str) -> None:
    folder = tmp_path / "transfer-time"
    folder.mkdir()
    raw = json.loads((VECTORS / "transfer-time" / SIZE).read_text(encoding="utf-8"))
    for name, value in change.items():
        target = raw["profiles"]["slow-start"]["expect"] if name in raw["profiles"]["slow-start"]["expect"] else raw
        target[name] = value
    (folder / SIZE).write_text(json.dumps(raw), encoding="utf-8")
    with pytest.raises(VectorError, match=place):
        computations.load_all(tmp_path)


def test_duplicate_id_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "transfer-time"
    folder.mkdir()
    for name in ("a.json", "b.json"):
        shutil.copy(VECTORS / "transfer-time" / SIZE, folder / name)
    with pytest.raises(VectorError, match="already the id"):
        computations.load_all(tmp_path)

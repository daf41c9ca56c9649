"""What is kept of vectors and of right answers only spares work: with it and without, every vector and verdict is the same."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from firstflight_conformance import kept
from firstflight_conformance.cases import vectors
from firstflight_conformance.cases.json_lines import lines_of
from firstflight_conformance.cases.vectors import Case
from firstflight_conformance.paths import VECTORS
from firstflight_conformance.run import messages, right
from firstflight_conformance.run.conversation import Conversation
from firstflight_conformance.run.judge import judge
from firstflight_conformance.run.results import AdapterReport, Verdict
from firstflight_conformance.run.script import Script
from firstflight_conformance.run.session import Options
from runner_support import adapter, command, write_vectors

RIGHT = ("writes", "compact")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Keep what is kept in a folder of the test."""
    folder = tmp_path / "cache"
    monkeypatch.setattr(kept, "CACHE", folder)
    stores = (right._store, vectors._checked)
    for store in stores:
        store.cache_clear()
    yield folder
    for store in stores:
        store.cache_clear()


@pytest.fixture
def cases(tmp_path: Path) -> list[Case]:
    """Return three cases as if their files were of the checkout."""
    loaded = vectors.load_all(write_vectors(tmp_path / "vectors"))
    return list(vectors.cases(replace(vector, digest=vector.id) for vector in loaded))


def judged(cases: list[Case], *words: str, validate: bool = False) -> AdapterReport:
    return judge(adapter(*command(*words)), [Script(case) for case in cases], Options(validate=validate))


def compared(monkeypatch: pytest.MonkeyPatch, cases: list[Case], *words: str, validate: bool = False) -> list[str]:
    """Return the cases whose answers are compared."""
    found = []
    compare = Conversation._event_answers

    def spy(self: Conversation, script: Script, *others: object) -> None:
        found.append(script.case.id)
        compare(self, script, *others)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(Conversation, "_event_answers", spy)
        judged(cases, *words, validate=validate)
    return found


def test_right_answers_are_compared_once(cases: list[Case], monkeypatch: pytest.MonkeyPatch) -> None:
    everything = [case.id for case in cases]
    assert compared(monkeypatch, cases, *RIGHT) == everything
    assert compared(monkeypatch, cases, *RIGHT) == []
    assert compared(monkeypatch, cases, "writes", "spaced") == everything
    assert compared(monkeypatch, cases, *RIGHT, validate=True) == everything


def test_the_results_are_the_same(cases: list[Case]) -> None:
    first = judged(cases, *RIGHT).results
    assert {result.verdict for result in first} == {Verdict.PASS}
    assert all(result.growth is not None and result.growth.expected == 2 for result in first)
    assert judged(cases, *RIGHT).results == first


@pytest.mark.parametrize("event", [0, 1, 3])
def test_wrong_answers_are_found_beside_right_ones(cases: list[Case], event: int) -> None:
    judged(cases, *RIGHT)
    for _ in range(2):
        divergences = [result.divergence for result in judged(cases, *RIGHT, str(event)).results]
        assert [found and found.event_index for found in divergences] == [event] * 3


def test_what_is_right_depends_on_the_vector(cases: list[Case]) -> None:
    judged(cases, *RIGHT)
    vector = cases[0].vector
    profile = vector.profiles["rfc-9002"]
    expect = [{**change, "cwnd_bytes": change.get("cwnd_bytes", 0) + 1} for change in profile.expect]
    other = replace(vector, digest="another", profiles={"rfc-9002": replace(profile, expect=expect)})
    (result,) = judged([Case(other, "rfc-9002")], *RIGHT).results
    assert result.verdict is Verdict.FAIL


def test_what_is_right_depends_on_what_is_declared(cases: list[Case], monkeypatch: pytest.MonkeyPatch) -> None:
    little = ("declares", json.dumps({"observables": ["cwnd_bytes"]}))
    assert compared(monkeypatch, cases, "declares", "{}")
    assert compared(monkeypatch, cases, *little) == [case.id for case in cases]
    assert compared(monkeypatch, cases, *little) == []


def test_nothing_is_kept_of_vectors_from_elsewhere(cases: list[Case], cache: Path) -> None:
    strange = [Case(replace(case.vector, digest=""), case.profile) for case in cases]
    judged(strange, *RIGHT)
    assert not cache.exists()


def test_what_is_spoiled_is_not_known(cases: list[Case], cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judged(cases, *RIGHT)
    for path in cache.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:-5])
    assert len(compared(monkeypatch, cases, *RIGHT)) == 3


def test_where_nothing_can_be_written_nothing_is_kept(cases: list[Case], cache: Path) -> None:
    cache.write_text("a file where the folder should be", encoding="utf-8")
    assert {result.verdict for result in judged(cases, *RIGHT).results} == {Verdict.PASS}


@pytest.mark.parametrize("name", ["search/drain.loss", "careful-resume/retreat.floor", "jumpstart/growth.clean"])
def test_a_kept_vector_is_the_checked_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = VECTORS / f"{name}.json"
    checked = vectors.load(path)
    monkeypatch.setattr(vectors, "_check_events", None)
    again = vectors.load(path)
    assert again == checked
    assert again.events == checked.events
    assert [case.expected() for case in vectors.cases([again])] == [
        case.expected() for case in vectors.cases([checked])
    ]
    assert list(lines_of(again.raw_events)) == lines_of(checked.raw_events)


def test_a_line_is_the_message() -> None:
    vector = vectors.load(VECTORS / "search/drain.loss.json")
    for index, (event, line) in enumerate(zip(vector.raw_events, lines_of(vector.raw_events), strict=True)):
        assert messages.event_line(index, line) == messages.encode(messages.event_message(index, event))

"""Malformed vectors are refused with file, place and reason; the command ends with exit code 2."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hostile_page
import misbehaving
from firstflight import create
from firstflight.events import check
from firstflight_conformance.cli import main
from firstflight_conformance.format import vectors
from firstflight_conformance.format.parse import VectorError
from firstflight_conformance.format.schemas import validator
from firstflight_conformance.format.vectors import load, load_all
from firstflight_conformance.format.wire import event_from_json
from firstflight_conformance.replay.measure import config_from_json
from malformed import AT_MOST_S, CODE, FILES, GONE, MORE_MIB, TABLE, change, good, places, write
from measured import measured

VECTOR = "urn:firstflight:vector:1"
EVENT = "urn:firstflight:event:1"
PLACES = list(places(good()))


def test_unmodified_vector_is_valid(tmp_path: Path) -> None:
    """Loader and schema accept the vector before a test breaks it."""
    assert load(write(tmp_path, good())).id == "slow-start.every.kind"
    validator(VECTOR).validate(good())


def has(text: str, reasons: str) -> bool:
    """Return whether the text contains one of the reasons, which are separated by bars."""
    return any(reason in text for reason in reasons.split("|"))


@pytest.mark.parametrize("name", TABLE)
def test_malformed_member_is_refused_at_its_place(tmp_path: Path, name: str) -> None:
    """A wrong member is refused at its place. The schema refuses it as well if it can express the rule."""
    bad = TABLE[name]
    raw = change(good(), bad.place, bad.value)
    path = write(tmp_path, raw)
    with pytest.raises(VectorError) as refusal:
        load(path)
    assert refusal.value.path == path
    assert bad.where in refusal.value.place
    assert has(refusal.value.reason, bad.reason)
    assert str(refusal.value).startswith(f"{path}: {refusal.value.place}: ")
    assert validator(VECTOR).is_valid(raw) != bad.schema


@pytest.mark.parametrize("name", FILES)
def test_malformed_json_is_refused(tmp_path: Path, name: str) -> None:
    """Invalid JSON, and JSON with several interpretations, is refused before its members are checked."""
    content, where, reason = FILES[name]
    path = write(tmp_path, content)
    with pytest.raises(VectorError) as refusal:
        load(path)
    assert where in refusal.value.place
    assert has(refusal.value.reason + refusal.value.place, reason)
    assert len(str(refusal.value)) < 4000


@pytest.mark.parametrize("name", [*TABLE, *FILES])
def test_malformed_vector_exits_with_code_2(tmp_path: Path, name: str) -> None:
    """The command reports the file and ends with 2, without traceback or adapter, in bounded time and memory."""
    content = FILES[name][0] if name in FILES else change(good(), TABLE[name].place, TABLE[name].value)
    path = write(tmp_path, content)
    done = measured("run", "--vectors", tmp_path, "--adapter", "false --at-all")
    assert (done.code, done.stdout) == (CODE, "")
    assert f"Error: {path}: " in done.stderr
    assert done.took_s < AT_MOST_S
    assert done.more_mib < MORE_MIB


def test_hostile_pages_are_up_to_date() -> None:
    """``python conformance/tests/hostile_page.py`` writes them; each malformed vector and each adapter has one row."""
    pages = hostile_page.pages()
    assert {name: (hostile_page.FOLDER / name).read_text("utf-8") for name in pages} == pages
    names = {
        "hostile-vectors.md": [*TABLE, *FILES],
        "hostile-adapters.md": [adapter.does for adapter in misbehaving.TABLE],
    }
    for page, rows in names.items():
        assert [pages[page].count(f"| {row} |") for row in rows] == [1] * len(rows)


@pytest.mark.parametrize(
    "command", [("run",), ("list",), ("show", "x"), ("dev", "check"), ("dev", "mutants", "--jobs", "1")]
)
def test_every_command_refuses_malformed_vectors(tmp_path: Path, command: tuple[str, ...]) -> None:
    """Every command that reads vectors refuses them in the same way."""
    path = write(tmp_path, b"{}")
    result = CliRunner().invoke(main, [*command, "--vectors", str(tmp_path)])
    assert result.exit_code == 2
    assert f"Error: {path}: " in result.stderr


def test_duplicate_id_is_refused(tmp_path: Path) -> None:
    """Two files with one id are refused, and the message contains both."""
    first, second = write(tmp_path, good(), "a"), write(tmp_path, good(), "b")
    with pytest.raises(VectorError) as refusal:
        load_all(tmp_path)
    assert str(refusal.value) == f"{second}: id: slow-start.every.kind is already the id of {first}"


def test_missing_file_and_folder_are_refused(tmp_path: Path) -> None:
    """An absent file and a folder are refused as well."""
    (tmp_path / "slow-start" / "x.json").mkdir(parents=True)
    for path in (tmp_path / "slow-start" / "x.json", tmp_path / "absent.json"):
        with pytest.raises(VectorError, match=f"{re.escape(str(path))}: file: "):
            load(path)


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 13_000),
    st.sampled_from([2**53 - 1, 2**53, 2**59, 2**62, 2**64, 10**30, -(2**63), 1.0, 0.5, 1e9]),
    st.sampled_from(
        ["", "0", "1", "pto", "sent", str(10**15), str(2**53), str(2**53 - 1), str(2**63), str(2**64), "1e9"]
    ),
    st.sampled_from([[], {}, [0], [[0, 9, 1200]], {"at": 0}]),
    st.just(GONE),
)


@settings(max_examples=600, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.sampled_from(PLACES), value=scalars)
def test_any_change_is_refused_or_harmless(tmp_path: Path, place: tuple[str | int, ...], value: object) -> None:
    """After any change of one value the vector is refused properly, or all tools work with it.

    The loader refuses everything that the schema refuses.
    """
    raw = change(good(), place, value)
    path = write(tmp_path, raw)
    try:
        vector = load(path)
    except VectorError:
        return
    assert validator(VECTOR).is_valid(raw)
    for case in vectors.cases([vector]):
        assert len(case.expected()) == len(case.events)
        create("slow-start", "rfc-9002", config_from_json(vector.config))


@settings(max_examples=600)
@given(place=st.sampled_from([place[1:] for place in PLACES if place[0] == "events" and len(place) > 2]), value=scalars)
def test_hand_written_event_check_is_as_strict_as_the_schema(place: tuple[int, ...], value: object) -> None:
    """The hand-written check of an event, which the loader uses, accepts nothing that the schema refuses."""
    index, *rest = place
    raw = change(good()["events"][index], tuple(rest), value)
    try:
        check(event_from_json(raw))
    except ValueError:
        return
    validator(EVENT).validate(raw)


@pytest.mark.parametrize(
    "break_it", [lambda raw: raw["events"].pop(), lambda raw: raw["events"].insert(0, raw["events"][0])]
)
def test_removed_or_repeated_event_is_refused(
    tmp_path: Path, break_it: Callable[[dict[str, list[object]]], object]
) -> None:
    """A stream with an event too few or too many contradicts itself or its expectations."""
    raw = json.loads(json.dumps(good()))
    break_it(raw)
    with pytest.raises(VectorError):
        load(write(tmp_path, raw))

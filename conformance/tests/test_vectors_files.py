"""The vectors of the checkout: each file against schema, canonical form, hash and model."""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from every import every_vector
from firstflight import create, profiles, step
from firstflight.algorithm import Startup
from firstflight.controller import ALGORITHMS
from firstflight.events import Ack, Sent
from firstflight_conformance.format.canonical import vector_text
from firstflight_conformance.format.clauses import known_clauses
from firstflight_conformance.format.schemas import schema_error
from firstflight_conformance.format.stream import flags_of
from firstflight_conformance.format.vectors import COMPUTED_ALGORITHMS, Case, Vector, cases, load, load_all
from firstflight_conformance.format.wire import decode_int, observables
from firstflight_conformance.paths import VECTORS
from firstflight_conformance.replay.measure import ClauseTracer, clauses_at, clauses_of, config_from_json, replay
from firstflight_conformance.simulate.scenario import scenario_files

FILES = sorted(
    path.relative_to(VECTORS).as_posix()
    for path in VECTORS.rglob("*.json")
    if path.parent != VECTORS and path.parent.name not in COMPUTED_ALGORITHMS
)
every_file = pytest.mark.parametrize("name", FILES)


@cache
def everything() -> dict[str, Vector]:
    """Return the vectors by file."""
    return {vector.path.relative_to(VECTORS).as_posix(): vector for vector in every_vector()}


def raw_of(name: str) -> dict[str, Any]:
    """Return a file as JSON."""
    raw: dict[str, Any] = json.loads((VECTORS / name).read_text(encoding="utf-8"))
    return raw


@every_file
def test_file_matches_the_schema(name: str) -> None:
    """The file obeys the schema, with every event; the loader checks events by hand."""
    assert schema_error("urn:firstflight:vector:1", raw_of(name)) is None


@every_file
def test_canonical_form(name: str) -> None:
    """Writing the parsed file gives the same bytes."""
    assert vector_text(raw_of(name)).encode() == (VECTORS / name).read_bytes()


def test_non_ascii_letters_are_written_unescaped() -> None:
    """Text stays readable: letters beyond ASCII are written unescaped."""
    assert '"title": "é"' in vector_text({"title": "é", "events": [], "profiles": {}})


@every_file
def test_id_is_the_path(name: str) -> None:
    """The id matches the path; the algorithm, profiles, clauses and scenarios of the file exist."""
    raw = raw_of(name)
    algorithm, _, rest = raw["id"].partition(".")
    assert (name, raw["algorithm"]) == (f"{algorithm}/{rest}.json", algorithm)
    assert set(raw["profiles"]) <= set(profiles(composed=True)[algorithm])
    assert {clause for entry in raw["profiles"].values() for clause in entry["clauses"]} <= set(known_clauses())
    if raw["source"]["kind"] == "simulator":
        assert raw["source"]["scenario"] in scenario_files()
        assert raw["source"]["loop"] in raw["profiles"]
        assert raw["tier"] == "core"


@every_file
def test_model_answers_as_expected(name: str) -> None:
    """The decoded expectations equal the answers of the model."""
    vector = everything()[name]
    for case in cases([vector]):
        controller = create(vector.algorithm, case.profile, config_from_json(vector.config))
        expected = case.expected()
        assert {"cwnd_bytes", "ssthresh_bytes", "phase", "outcome", "state"} <= set(expected[0])
        assert expected == [observables(observation) for observation in replay(controller, list(case.events))]


@every_file
def test_streams_are_closed_loop(name: str) -> None:
    """Sent packets fit the window that the profile expects, in every case."""
    for case in cases([everything()[name]]):
        for event, expected in zip(case.events, case.expected(), strict=True):
            if isinstance(event, Sent):
                assert event.bytes_in_flight <= expected["cwnd_bytes"]


@every_file
def test_expectations_contain_only_changes(name: str) -> None:
    """An entry contains only changed values; `allowed` applies to its own event alone."""
    for case in cases([everything()[name]]):
        now: dict[str, Any] = {}
        for entry in case.expectation.expect:
            changed = {key: value for key, value in entry.items() if key not in ("at", "allowed")}
            assert changed or entry["allowed"]
            assert all(key not in now or now[key] != value for key, value in changed.items())
            now |= changed


def test_code_of_the_specification_page_gives_the_same_windows() -> None:
    """The code of the specification page gives the same windows as the loader."""
    for name, vector in everything().items():
        raw = raw_of(name)
        for profile_name, profile in raw["profiles"].items():
            now: dict[str, Any] = {}
            changes = {entry["at"]: entry for entry in profile["expect"]}
            windows = []
            for index, _ in enumerate(raw["events"][: profile["judged_events"]]):
                now |= changes.get(index, {})
                windows.append(decode_int(now["cwnd_bytes"]))
            assert windows == [step["cwnd_bytes"] for step in Case(vector, profile_name).expected()]


def test_manifest_lists_files_and_hashes() -> None:
    """The manifest lists exactly the files, with their hashes."""
    manifest = json.loads((VECTORS / "manifest.json").read_text(encoding="utf-8"))
    every = [path for path in sorted(VECTORS.rglob("*.json")) if path.parent != VECTORS]
    hashes = {path.relative_to(VECTORS).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in every}
    assert manifest == {"format": 1, "sha256": hashes}


def test_judged_events_include_event_kinds_and_flags() -> None:
    """The judged events of every profile include each kind of event of the vector and all of its flags."""
    for vector in everything().values():
        for count in {expectation.judged_events for expectation in vector.profiles.values()}:
            judged = vector.events[:count]
            assert {type(event) for event in judged} == {type(event) for event in vector.events}, vector.id
            assert set(flags_of(judged, vector.algorithm)) >= set(flags_of(vector.events, vector.algorithm)), vector.id


def test_number_of_stimuli() -> None:
    """There are at least 12 stimuli for slow start, 24 for SEARCH, and 12 that can be derived by hand."""
    vectors = list(everything().values())
    assert sum(vector.algorithm == "slow-start" for vector in vectors) >= 12
    assert sum(vector.algorithm == "search" for vector in vectors) >= 24
    assert sum(vector.tier == "gold" for vector in vectors) >= 12


def test_every_profile_is_judged() -> None:
    """Every profile has a case, startup algorithms on other bases have one on CUBIC, and every flag occurs."""
    judged = {(case.vector.algorithm, case.profile) for case in cases(everything().values())}
    assert {case for case in judged if "+" not in case[1]} == {
        (algorithm, name) for algorithm, names in profiles().items() for name in names
    }
    assert {algorithm for algorithm, name in judged if "+" in name} == {
        name for name, algorithm in ALGORITHMS.items() if isinstance(algorithm, Startup) and algorithm.on_bases
    }
    schema = json.loads((VECTORS.parent / "spec" / "schemas" / "vector.schema.json").read_text(encoding="utf-8"))
    flags = {flag for vector in everything().values() for flag in vector.flags}
    assert flags == set(schema["properties"]["flags"]["items"]["enum"])


def test_literal_text_exits_at_first_evaluation() -> None:
    """Under perfect doubling only the literal text exits at the first outcome that is an evaluation."""
    vector = everything()["search/doubling.first-evaluation.json"]
    outcomes = {
        case.profile: [step["outcome"] for event, step in zip(case.events, case.expected(), strict=True)
                       if isinstance(event, Ack)]
        for case in cases([vector])
    }  # fmt: skip
    waiting = ("started", "same_bin", "warming_up")
    first = {
        profile: next(o for o in profile_outcomes if o not in waiting) for profile, profile_outcomes in outcomes.items()
    }
    assert first["lanman-2024-literal"] == "exited"
    assert first["lanman-2024"] == "below_threshold"
    assert "exited" not in outcomes["lanman-2024"]


def test_vectors_are_loaded_in_order_of_ids(tmp_path: Path) -> None:
    """Vectors are loaded in the order of their ids, whatever their file names; the manifest is not a vector."""
    folder = tmp_path / "x" / "y"
    folder.mkdir(parents=True)
    for number, name in enumerate(("slow-start/sent.no-change.json", "search/bins.same-bin.json")):
        (folder / f"{number}.json").write_bytes((VECTORS / name).read_bytes())
    (tmp_path / "manifest.json").write_text("no JSON", encoding="utf-8")
    assert [vector.id for vector in load_all(tmp_path)] == ["search.bins.same-bin", "slow-start.sent.no-change"]
    with pytest.raises(FileNotFoundError):  # an unreadable folder is an error and not empty
        load_all(tmp_path / "x" / "z")


def test_clauses_of_events_add_up_to_the_case() -> None:
    """The clauses of the events of a case add up to the clauses of the case; the first event includes the beginning."""
    vector = load(VECTORS / "slow-start" / "recovery.once-per-period.json")
    (case,) = cases([vector])
    single = [clauses_at(case, index) for index in range(len(case.events))]
    assert sorted({clause for clauses in single for clause in clauses}) == list(case.expectation.clauses)
    assert "slow-start.begin" in single[0]
    reductions = [step["outcome"] for step in case.expected()]
    assert [("slow-start.recovery.begin" in clauses) for clauses in single] == [o == "reduced" for o in reductions]
    assert [("slow-start.recovery.once" in clauses) for clauses in single] == [
        o == "already_reduced" for o in reductions
    ]


@pytest.mark.parametrize("algorithm", sorted({name.partition("/")[0] for name in FILES}))
def test_copying_the_state_changes_no_answer(algorithm: str) -> None:
    """Copying the state at each event, or resuming from a copy, changes no answer; vectors test profiles in turn."""
    vectors = [vector for name, vector in everything().items() if name.startswith(f"{algorithm}/")]
    for number, vector in enumerate(vectors):
        profile = list(vector.profiles)[number % len(vector.profiles)]
        controller = create(algorithm, profile, config_from_json(vector.config))
        events = list(vector.events)
        right = replay(controller.copy(), events)
        states, observations = [], []
        for event in events:
            states.append(controller)
            controller, observation = step(controller, event)
            observations.append(observation)
        assert observations == right
        middle = len(events) // 2
        assert replay(states[middle], events[middle:]) == right[middle:]


def test_tracer_sees_only_the_model() -> None:
    """The tracer measures only the model, and only within its context."""
    vector = everything()["slow-start/growth.ack-of-two.json"]
    events = list(vector.events)
    with ClauseTracer() as tracer:
        load(vector.path)
    assert tracer.clauses <= {"slow-start.begin", "slow-start.window.initial"}  # by the check of the loader
    replay(create("slow-start", "rfc-9002", config_from_json(vector.config)), events)
    assert "slow-start.grow" not in tracer.clauses
    assert clauses_of("slow-start", "rfc-9002", config_from_json(vector.config), events) == (
        "slow-start.begin", "slow-start.grow", "slow-start.sent",
    )  # fmt: skip

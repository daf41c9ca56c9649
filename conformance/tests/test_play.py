"""*Watch it start*: its rules and outcomes exist, and in a browser it agrees with the simulator."""

import gzip
import json
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from firstflight import create
from firstflight.controller import ALGORITHMS, profiles
from firstflight.observables import Outcome
from firstflight_conformance.format import vectors
from firstflight_conformance.format.clauses import all_clauses
from firstflight_conformance.format.vectors import Case, Vector
from firstflight_conformance.format.wire import observation_to_json
from firstflight_conformance.judge.verdict import judge
from firstflight_conformance.logs.capture.table import read_table
from firstflight_conformance.paths import BUILD, ROOT
from firstflight_conformance.simulate.loop import simulate
from firstflight_conformance.simulate.scenario import load_scenario
from pages import parts, play, site, vector_files

from served import served  # isort: skip

SOURCES = ROOT / "docs" / "_static" / "play"
MODULE = BUILD / "wasm" / "firstflight.wasm"
PATHS = ("rate=20&rtt=100&queue=3&loss=0&jitter=0&every=2&paced=0&size=0&iw=10&saved=0",
         "rate=10&rtt=600&queue=1&loss=0&jitter=0&every=1&paced=1&size=2&iw=10&saved=1")  # fmt: skip
CONTROLLERS = [f"{algorithm}/{profiles()[algorithm][0]}" for algorithm in ALGORITHMS if algorithm in profiles()]
ROWS = (
    "[...document.querySelectorAll('#play-state tr')].map((row) => [...row.children].map((cell) => cell.textContent))"
)

needs_module = pytest.mark.skipif(
    shutil.which("node") is None or not MODULE.exists(),
    reason="needs node and build/wasm/firstflight.wasm (make wasm)",
)


def test_page_rules_are_clauses() -> None:
    named = re.findall(r'clause: "([^"]+)"', (SOURCES / "rules.js").read_text("utf-8"))
    assert len(named) >= 4
    assert set(named) <= set(all_clauses())


def test_decision_outcomes_have_rules() -> None:
    """Each outcome of a decision has one rule, except outcomes without a rule or with several."""
    by_algorithm = play.outcomes()
    named = {outcome for by_outcome in by_algorithm.values() for outcome in by_outcome}
    assert {outcome.value for outcome in Outcome} - named <= {"sent", "unchanged", "threshold_set", "tcb_shared"}
    assert by_algorithm["search"]["exited"] == "search.threshold.reached"
    assert by_algorithm["slow-start"]["collapsed"] == "slow-start.persistent.collapse"


def test_routine_outcomes_exist() -> None:
    text = (SOURCES / "model.js").read_text("utf-8")
    routine = re.search(r"ROUTINE = new Set\(\[(.*?)\]\)", text, re.DOTALL)
    assert routine is not None
    names = re.findall(r'"([^"]+)"', routine[1])
    assert names
    assert set(names) <= {outcome.value for outcome in Outcome}


def test_page_without_module_shows_notice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "MODULE", tmp_path / "none")
    written(tmp_path)
    assert 'FIRSTFLIGHT_WASM = "";' in (tmp_path / "_static" / "play" / "module.js").read_text("utf-8")
    assert "This page needs JavaScript" in (SOURCES / "play.html").read_text("utf-8")


def written(folder: Path) -> Path:
    """Write the page as the site has it, without the theme."""
    shutil.copytree(SOURCES, folder / "_static" / "play")
    play.write_module(SimpleNamespace(builder=SimpleNamespace(name="html"), outdir=folder), None)  # type: ignore[arg-type]
    page = folder / "play.html"
    page.write_text(
        f"<!doctype html><meta charset=utf-8>{(SOURCES / 'play.html').read_text('utf-8')}", encoding="utf-8"
    )
    return page


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of the page, opened from a file as a reader may open it."""
    return written(tmp_path_factory.mktemp("play")).as_uri()


def opened(tab: Any, address: str, values: str) -> Any:
    tab.goto("about:blank")
    tab.goto(f"{address}#{values}")
    tab.wait_for_selector("#play-position:not(:empty)")
    return tab


def scenario_of(address: str, algorithm: str, tmp_path: Path) -> Any:
    """Return the scenario that the page derives from an address, computed in node by the page's own function."""
    script = (
        "globalThis.window = globalThis; require(process.argv[1]); const values = new URLSearchParams(process.argv[2]);"
        "const path = Object.fromEntries([...values].map(([name, value]) => [name, Number(value)]));"
        "console.log(JSON.stringify(Play.scenarioOf(path, process.argv[3])));"
    )
    command = ("node", "-e", script, str(SOURCES / "model.js"), address, algorithm)
    path = tmp_path / "scenario.json"
    path.write_bytes(subprocess.run(command, capture_output=True, check=True).stdout)
    assert json.loads(path.read_text("utf-8"))["format"] == 1
    return load_scenario(path)


def simulated(controller: str, path: str, tmp_path: Path) -> list[dict[str, Any]]:
    """Return the observations of the model after each event of a path."""
    algorithm, _, profile = controller.partition("/")
    scenario = scenario_of(path, algorithm, tmp_path)
    run = simulate(scenario, create(algorithm, profile, scenario.config))
    return [observation_to_json(observation) for observation in run.observations]


def page_values(tab: Any) -> dict[str, str]:
    """Return the state after the current event."""
    return {name: after for name, _, after in tab.evaluate(ROWS)}


def as_shown(observed: dict[str, Any]) -> dict[str, str]:
    values = {"cwnd_bytes": observed["cwnd_bytes"], "phase": observed["phase"], **observed["state"]}
    texts = {name: "none" if value is None else str(value) for name, value in values.items()}
    return texts | {"ssthresh_bytes": "infinite" if observed["ssthresh_bytes"] is None else str(observed["ssthresh_bytes"])}  # fmt: skip


@needs_module
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("controller", CONTROLLERS)
def test_final_state_matches_simulator(controller: str, path: str, address: str, tab: Any, tmp_path: Path) -> None:
    observed = simulated(controller, path, tmp_path)
    opened(tab, address, f"a={controller}&{path}&step=99999999")
    assert tab.text_content("#play-position").startswith(f"event {len(observed) - 1} of 0 to {len(observed) - 1}, ")
    assert page_values(tab) == as_shown(observed[-1])
    assert tab.text_content("#play-outcome") == f"outcome: {observed[-1]['outcome'].replace('_', ' ')}"


@needs_module
def test_address_leads_to_decision(address: str, tab: Any, tmp_path: Path) -> None:
    """The page steps to the decision of SEARCH to leave slow start; its address leads a second reader there."""
    observed = simulated("search/draft-09", PATHS[0], tmp_path)
    exit_at = next(i for i, observation in enumerate(observed) if observation["outcome"] == "exited")
    opened(tab, address, f"a=search/draft-09&{PATHS[0]}")
    for _ in range(20):
        tab.click("#play-next")
        if "exited" in tab.text_content("#play-outcome"):
            break
    assert tab.text_content("#play-position").startswith(f"event {exit_at} of 0 to {len(observed) - 1}, ")
    rule = tab.text_content("#play-rule")
    assert re.fullmatch(r"search\.threshold\.reached: norm_diff = \(([\d,]+ B) \u2212 [\d,]+ B\) / \(\1\) = 0\.[2-9]\d+, threshold 0\.26: slow start ends", rule)  # fmt: skip
    links = tab.eval_on_selector_all("#play-rule a, #play-traces a", "(all) => all.map((each) => each.getAttribute('href'))")  # fmt: skip
    assert links[0] == "specification/search.html#clause-search-threshold-reached"
    assert any("source/search/windows-py.html#L-" in link for link in links)
    assert any("source/search/windows-c.html#L-" in link for link in links)
    assert links[-1] == "find.html#clause=search.threshold.reached"
    assert f"step={exit_at}" in tab.url
    before = (tab.url, page_values(tab), tab.text_content("#play-position"))
    tab.reload()
    tab.wait_for_selector("#play-position:not(:empty)")
    assert (tab.url, page_values(tab), tab.text_content("#play-position")) == before


@needs_module
def test_first_difference_of_controllers_matches_python(address: str, tab: Any, tmp_path: Path) -> None:
    pair = ("search/draft-09", "search/neqo-2026")
    first, second = (simulated(name, PATHS[0], tmp_path) for name in pair)
    opened(tab, address, f"a={pair[0]}&b={pair[1]}&{PATHS[0]}")
    tab.click("#play-diverge")
    at = int(re.match(r"event (\d+) of", tab.text_content("#play-position"))[1])  # type: ignore[index]
    assert at == next(
        i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a["cwnd_bytes"] != b["cwnd_bytes"]
    )


@needs_module
def test_keyboard_and_reduced_motion_steps(address: str, tab: Any) -> None:
    opened(tab, address, f"a=hystartpp/rfc-9406&{PATHS[0]}")
    tab.focus("#play-windows")
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
        tab.keyboard.press(key)
    assert tab.text_content("#play-position").startswith("event 1 of")
    tab.keyboard.press("PageDown")
    decision = tab.text_content("#play-position")
    tab.keyboard.press("Home")
    tab.emulate_media(reduced_motion="reduce")
    tab.keyboard.press("Space")
    tab.wait_for_function("!document.getElementById('play-position').textContent.startsWith('event 0 of')")
    tab.keyboard.press("Space")
    assert tab.text_content("#play-position") == decision


@needs_module
@pytest.mark.parametrize(("controller", "path"), [("search/draft-09", PATHS[0]), ("careful-resume/rfc-9959", PATHS[1]), ("cubic/rfc-9438", PATHS[0])])  # fmt: skip
def test_saved_files_match_the_run(controller: str, path: str, address: str, tab: Any, tmp_path: Path) -> None:
    """The saved vector loads and expects the answers of the model; scenario and table agree with the run."""
    opened(tab, address, f"a={controller}&{path}")
    downloads = {}
    for name in ("vector", "scenario", "csv"):
        with tab.expect_download() as download:
            tab.click(f"#play-save-{name}")
        downloads[name] = tmp_path / download.value.suggested_filename
        download.value.save_as(downloads[name])
    observed = simulated(controller, path, tmp_path)
    vector = vectors.load(downloads["vector"])
    profile = controller.partition("/")[2]
    expected = Case(vector, profile).expected()
    named = ("cwnd_bytes", "ssthresh_bytes", "phase", "outcome", "state")
    assert [{name: observation[name] for name in named} for observation in expected] == [{name: observation[name] for name in named} for observation in observed]  # fmt: skip
    assert load_scenario(downloads["scenario"]) == scenario_of(path, controller.partition("/")[0], tmp_path)
    rows = downloads["csv"].read_text("utf-8").splitlines()
    assert len(rows) == len(observed) + 1
    assert [int(row.split(",")[5]) for row in rows[1:]] == [observation["cwnd_bytes"] for observation in observed]
    recording = read_table(downloads["csv"], downloads["csv"].read_bytes())
    # A table does not contain the saved window that Careful Resume needs for its jump.
    assert (controller in judge(recording, [controller]).may_be) == (controller != "careful-resume/rfc-9959")


@needs_module
def test_run_with_handshake_rtt_cannot_be_saved_as_vector(address: str, tab: Any) -> None:
    opened(tab, address, f"a=jumpstart/pfldnet-2007&{PATHS[0]}")
    assert tab.is_visible("#play-save-scenario") and not tab.is_visible("#play-save-vector")


def vector_page(vector: Vector, folder: Path, packed: bytes) -> None:
    written(folder)
    target = folder / vector_files.file_of(vector.path)
    target.parent.mkdir(parents=True)
    target.write_bytes(packed)


@needs_module
def test_played_vector_shows_windows_of_stack_and_model(tab: Any, tmp_path: Path) -> None:
    """At the event where a stack diverges, the page shows the windows of the stack and of the model."""
    vector = site.vectors_by_id()["search.bins.boundary-decides"]
    case = Case(vector, "draft-09")
    expected = case.expected()[-1]
    assert case.expectation.judged_events == len(vector.events)
    vector_page(vector, tmp_path, gzip.compress(vector.path.read_bytes()))
    at = len(vector.events) - 1
    with served(tmp_path) as (root, _):
        values = vector_files.play(vector, "draft-09", step=at, of="a stack", cwnd=4711, at=at).partition("#")[2]
        opened(tab, f"{root}/play.html", values)
    summary = tab.text_content("#play-summary")
    assert f"answers as the vector expects at all {len(vector.events)} judged events" in summary
    assert page_values(tab) == as_shown(expected)
    assert f"a stack has a window of 4711 bytes here, the model {expected['cwnd_bytes']}" in tab.text_content("#play-outcome")  # fmt: skip


@needs_module
def test_divergence_from_vector_is_shown(tab: Any, tmp_path: Path) -> None:
    vector = site.vectors_by_id()["search.bins.boundary-decides"]
    raw = json.loads(vector.path.read_text("utf-8"))
    raw["profiles"]["draft-09"]["expect"].append({"at": 4, "cwnd_bytes": 1})
    vector_page(vector, tmp_path, json.dumps(raw).encode())  # a server that has unpacked it
    with served(tmp_path) as (root, _):
        opened(tab, f"{root}/play.html", vector_files.play(vector, "draft-09").partition("#")[2])
    assert "diverges from the vector at event 4, in cwnd_bytes" in tab.text_content("#play-summary")


@needs_module
def test_unknown_profile_and_wrong_numbers_are_reported(address: str, tab: Any) -> None:
    """A stale link shows a near profile, the nearest valid numbers and a notice; a wrong number hides the results."""
    opened(tab, address, "a=hystartpp/foo&b=foo/bar&rate=abc&rtt=5000&queue=1")
    assert tab.text_content("#play-notice") == (
        "rate, Mbit/s: abc is not a number; 20 is used.RTT, ms: 5000 is outside 1 to 2000; 2000 is used."
        "There is no profile hystartpp/foo: hystartpp/rfc-9406 is shown.There is no profile foo/bar: nothing is compared."
    )
    assert "a=hystartpp%2Frfc-9406" in tab.url or "a=hystartpp/rfc-9406" in tab.url
    tab.fill("#play-rtt", "0")
    tab.dispatch_event("#play-rtt", "change")
    assert tab.text_content("#play-error") == "RTT, ms: must be from 1 to 2000"
    assert not tab.is_visible("#play-summary")
    tab.fill("#play-rtt", "100")
    tab.dispatch_event("#play-rtt", "change")
    assert tab.is_visible("#play-summary") and not tab.is_visible("#play-error")


@needs_module
def test_queue_in_packets_and_loss_in_percent(address: str, tab: Any) -> None:
    """208 packets are 1 BDP and 50 ms half a BDP; the summary has RTT, goodput and the window at the exit."""
    opened(tab, address, "a=search/draft-09&rate=20&rtt=100&queue=1&loss=1000")
    assert tab.input_value("#play-loss") == "0.1"
    whole = {}
    for unit, queue in {"bdp": 0.5, "packets": 625 / 6, "ms": 50, "bytes": 125_000}.items():
        tab.fill("#play-queue", str(queue))
        tab.select_option("#play-unit", unit)
        whole[unit] = tab.text_content("#play-summary")
    assert len({*whole.values()}) == 1, whole
    assert "unit=bytes" in tab.url
    assert re.search(
        r"leaves slow start after [\d.]+ ms at [\d.]+ BDP; RTT 100\.\d to 1\d\d\.\d ms; goodput [\d.]+ Mbit/s;",
        whole["bdp"],
    )

"""*Watch it start*: its rules are rules, its outcomes are outcomes, and in a browser it ends as the simulator does."""

import gzip
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest

from firstflight import create
from firstflight.controller import ALGORITHMS, profiles
from firstflight.observables import Outcome
from firstflight_conformance.cases.vectors import Case, Vector
from firstflight_conformance.paths import BUILD, ROOT
from firstflight_conformance.simulator.loop import simulate
from firstflight_conformance.simulator.scenario import load_scenario
from firstflight_conformance.spec.clauses import all_clauses
from pages import play, site, vector_files

SOURCES = ROOT / "docs" / "_static" / "play"
MODULE = BUILD / "wasm" / "firstflight.wasm"
PATHS = ("rate=20&rtt=100&queue=3&loss=0&jitter=0&every=2&paced=0&size=0&iw=10&saved=0",
         "rate=10&rtt=600&queue=1&loss=0&jitter=0&every=1&paced=1&size=2&iw=10&saved=1")  # fmt: skip
CONTROLLERS = [f"{algorithm}/{profiles()[algorithm][0]}" for algorithm in ALGORITHMS if algorithm in profiles()]


def test_its_rules_are_clauses() -> None:
    named = re.findall(r'clause: "([^"]+)"', (SOURCES / "rules.js").read_text("utf-8"))
    assert len(named) >= 6
    assert set(named) <= set(all_clauses())


def test_its_routine_outcomes_are_outcomes() -> None:
    text = (SOURCES / "model.js").read_text("utf-8")
    routine = re.search(r"ROUTINE = new Set\(\[(.*?)\]\)", text, re.DOTALL)
    assert routine is not None
    names = re.findall(r'"([^"]+)"', routine[1])
    assert names
    assert set(names) <= {outcome.value for outcome in Outcome}


def test_without_the_module_the_page_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "_MODULE", tmp_path / "none")
    written(tmp_path)
    assert 'FIRSTFLIGHT_WASM = "";' in (tmp_path / "_static" / "play" / "module.js").read_text("utf-8")
    assert "make wasm docs" in (SOURCES / "play.html").read_text("utf-8")


def written(folder: Path) -> Path:
    """Write the page as the site has it, without the theme, and what reads its scenario and its last state."""
    shutil.copytree(SOURCES, folder / "_static" / "play")
    play.write_module(SimpleNamespace(builder=SimpleNamespace(name="html"), outdir=folder), None)  # type: ignore[arg-type]
    page = folder / "play.html"
    page.write_text(
        f"<!doctype html><meta charset=utf-8>{(SOURCES / 'play.html').read_text('utf-8')}", encoding="utf-8"
    )
    return page


def in_browser(page: Path | str, address: str, tmp_path: Path) -> str:
    command = ("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=60000", "--dump-dom")
    profile = f"--user-data-dir={tmp_path / 'browser'}"
    done = subprocess.run(
        (*command, profile, f"{page if isinstance(page, str) else page.as_uri()}#{address}"),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return done.stdout


def scenario_of(address: str, algorithm: str, tmp_path: Path) -> Any:
    """Return the scenario that the page makes of an address, by the page's own function in node."""
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


def plays_as_simulated(controller: str, address: str, tmp_path: Path) -> None:
    algorithm, _, profile = controller.partition("/")
    scenario = scenario_of(address, algorithm, tmp_path)
    expected = simulate(scenario, create(algorithm, profile, scenario.config)).observations[-1]
    dom = in_browser(written(tmp_path), f"a={controller}&{address}&step=99999999", tmp_path)
    row = re.search(r"<th>cwnd_bytes</th><td>\d+</td><td>(\d+)</td>", dom)
    phase = re.search(r"<th>phase</th><td>\w+</td><td>(\w+)</td>", dom)
    assert row is not None, re.search(r'id="play-error".*?</p>', dom)
    assert phase is not None
    assert (int(row[1]), phase[1]) == (expected.cwnd_bytes, expected.phase.value)


browser = pytest.mark.skipif(
    any(shutil.which(tool) is None for tool in ("chromium", "node")) or not MODULE.exists(),
    reason="needs chromium, node and build/wasm/firstflight.wasm (make wasm), of which not all are here",
)


@browser
@pytest.mark.parametrize("controller", ["search/draft-09", "careful-resume/rfc-9959"])
def test_it_ends_as_the_simulator_does(controller: str, tmp_path: Path) -> None:
    plays_as_simulated(controller, PATHS[1], tmp_path)


@browser
@pytest.mark.long
@pytest.mark.parametrize("address", PATHS)
@pytest.mark.parametrize("controller", CONTROLLERS)
def test_every_algorithm_ends_as_the_simulator_does(controller: str, address: str, tmp_path: Path) -> None:
    plays_as_simulated(controller, address, tmp_path)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on loopback: a page that is opened from a file cannot read another."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def vector_page(vector: Vector, folder: Path) -> None:
    written(folder)
    target = folder / vector_files.file_of(vector.path)
    target.parent.mkdir(parents=True)
    target.write_bytes(gzip.compress(vector.path.read_bytes()))


@browser
def test_a_vector_played_to_its_end_shows_its_answers(tmp_path: Path) -> None:
    """With another event at which a stack departs: its window stands beside the model's."""
    vector = site.vectors_by_id()["search.bins.boundary-decides"]
    case = Case(vector, "draft-09")
    expected = case.expected()[-1]
    assert case.expectation.judged_events == len(vector.events)
    vector_page(vector, tmp_path)
    at = len(vector.events) - 1
    with served(tmp_path) as root:
        address = vector_files.play(vector, "draft-09", step=at, of="a stack", cwnd=4711, at=at).partition("#")[2]
        dom = in_browser(f"{root}/play.html", address, tmp_path)
    assert f"answers as the vector expects at all {len(vector.events)} judged events" in dom
    row = re.search(r"<th>cwnd_bytes</th><td>\d+</td><td>(\d+)</td>", dom)
    assert row is not None
    assert int(row[1]) == expected["cwnd_bytes"]
    assert f"a stack has a window of 4711 bytes here, the model {expected['cwnd_bytes']}" in dom


@browser
def test_a_vector_that_expects_something_else_is_departed_from(tmp_path: Path) -> None:
    vector = site.vectors_by_id()["search.bins.boundary-decides"]
    raw = json.loads(vector.path.read_text("utf-8"))
    raw["profiles"]["draft-09"]["expect"].append({"at": 4, "cwnd_bytes": 1})
    written(tmp_path)
    target = tmp_path / vector_files.file_of(vector.path)
    target.parent.mkdir(parents=True)
    target.write_bytes(json.dumps(raw).encode())  # a server that has unpacked it
    with served(tmp_path) as root:
        dom = in_browser(f"{root}/play.html", vector_files.play(vector, "draft-09").partition("#")[2], tmp_path)
    assert "departs from the vector at event 5, in cwnd_bytes" in dom

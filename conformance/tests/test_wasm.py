"""The port and the simulator in WebAssembly: the same bytes as native code, and refusals with a reason."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from firstflight import create
from firstflight_conformance.format.wire import event_to_json
from firstflight_conformance.paths import BUILD, CONFORMANCE, REFERENCE_C, ROOT, SCENARIOS
from firstflight_conformance.simulate.loop import simulate
from firstflight_conformance.simulate.scenario import load_scenario, scenario_files

sys.path.insert(0, str(CONFORMANCE / "cross"))
import questions

COMPILER = all(map(shutil.which, ("clang", "wasm-ld"))) or (ROOT / ".venv" / "bin" / "python-zig").exists()
pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or not COMPILER,
    reason="needs node, and clang with wasm-ld or zig (make wasm-extras)",
)
MODULE = BUILD / "wasm" / "firstflight.wasm"
ADAPTER = ("node", str(CONFORMANCE / "adapters" / "c-port-wasm" / "adapter.mjs"), str(MODULE))
NATIVE = (str(BUILD / "adapters" / "firstflight-c"),)
#: Scenarios with different features: pacing, loss, jitter, steps of the delay, a saved path, a handshake.
RUNS = [
    ("shallow-queue.json", "search", "draft-09"),
    ("deep-queue-paced.json", "hystartpp", "rfc-9406+cubic"),
    ("random-loss.json", "slow-start", "rfc-9002"),
    ("jitter.json", "cubic", "rfc-9438"),
    ("resume-overshoots.json", "careful-resume", "rfc-9959"),
    ("rapid-start.json", "rapid-start", "quicly"),
]
_SIMULATE = """
import { readFileSync } from "node:fs";
import { load } from "%s/wasm/firstflight.mjs";
const firstflight = await load(readFileSync("%s"));
for (const [scenario, algorithm, profile] of JSON.parse(readFileSync(0))) {
  let found;
  try { found = firstflight.simulate(scenario, algorithm, profile); } catch (error) { found = { error: error.message }; }
  console.log(JSON.stringify(found));
}
"""


@pytest.fixture(scope="module", autouse=True)
def module() -> None:
    subprocess.run(["make", "--silent", "wasm"], cwd=ROOT, check=True, capture_output=True)


def answers(command: tuple[str, ...], messages: bytes) -> bytes:
    return subprocess.run(command, input=messages, capture_output=True, check=True).stdout


def simulated(runs: list[tuple[Any, str, str]], tmp_path: Path) -> list[Any]:
    script = tmp_path / "simulate.mjs"
    script.write_text(_SIMULATE % (REFERENCE_C, MODULE), encoding="utf-8")
    done = subprocess.run(["node", script], input=json.dumps(runs).encode(), capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_answers_equal_the_native_port_for_every_vector() -> None:
    messages = questions.of_adapter()
    assert messages.count(b"\n") > 200_000
    assert answers(ADAPTER, messages) == answers(NATIVE, messages)


def test_simulator_runs_equal_python(tmp_path: Path) -> None:
    raw = [(json.loads(scenario_files()[name].read_text("utf-8")), *controller) for name, *controller in RUNS]
    for (name, algorithm, profile), run in zip(RUNS, simulated(raw, tmp_path), strict=True):
        scenario = load_scenario(scenario_files()[name])
        expected = simulate(scenario, create(algorithm, profile, scenario.config))
        assert run["events"] == [event_to_json(event) for event in expected.events], name
        assert run["summary"]["final_cwnd_bytes"] == expected.observations[-1].cwnd_bytes


def test_refusal_has_a_reason_and_the_module_continues(tmp_path: Path) -> None:
    good = json.loads((SCENARIOS / "shallow-queue.json").read_text("utf-8"))
    bad = {**good, "link": {**good["link"], "rate_bps": 10}}
    runs = [(bad, "search", "draft-09"), (good, "search", "no-such"), (good, "search", "draft-09")]
    first, second, third = simulated(runs, tmp_path)
    assert "rate_bps" in first["error"]
    assert "no such profile" in second["error"]
    assert third["events"]


def test_malformed_message_ends_the_adapter_with_line_number() -> None:
    done = subprocess.run(ADAPTER, input=b'{"op":"hello","protocol":1}\n{"op":\n', capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(b"line 2: no JSON")


def test_readme_example_runs_in_an_empty_folder(tmp_path: Path) -> None:
    """The example of the README has at most 20 lines and runs in a folder without other files."""
    shutil.copytree(MODULE.parent, tmp_path / "node_modules" / "firstflight-wasm")
    (example,) = re.findall(r"```js\n(.*?)```", (MODULE.parent / "README.md").read_text("utf-8"), re.DOTALL)
    assert len(example.splitlines()) <= 20
    (tmp_path / "example.mjs").write_text(example, encoding="utf-8")
    done = subprocess.run(["node", "example.mjs"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^left slow start at \d+ ns with 1420800 bytes$", done.stdout, re.MULTILINE)

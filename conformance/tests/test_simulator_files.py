"""Scenario files, and the command that runs them."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from firstflight import create
from firstflight_conformance.cli import main
from firstflight_conformance.format.schemas import validator
from firstflight_conformance.format.wire import event_to_json
from firstflight_conformance.paths import SCENARIOS
from firstflight_conformance.simulate.loop import ModelLoopRun, simulate
from firstflight_conformance.simulate.scenario import (
    Scenario,
    ScenarioError,
    load_scenario,
    scenario_files,
)
from generate.simulated import load_scenarios

NAMES = list(scenario_files())


def run(scenario: Scenario, loop: tuple[str, str] = ("slow-start", "rfc-9002")) -> ModelLoopRun:
    """Run a scenario with a controller in the loop."""
    return simulate(scenario, create(*loop, scenario.config))


def raw() -> dict[str, Any]:
    """Return a scenario file."""
    content: dict[str, Any] = json.loads((SCENARIOS / "shallow-queue.json").read_text(encoding="utf-8"))
    return copy.deepcopy(content)


def write(folder: Path, content: object) -> Path:
    """Write a scenario file."""
    path = folder / "scenario.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def simulate_command(*words: object) -> Result:
    """Run ``firstflight simulate``."""
    return CliRunner().invoke(main, ["simulate", *map(str, words)])


BAD: dict[str, tuple[str, str, object]] = {
    "no format": ("", "format", None),
    "format 2": ("", "format", 2),
    "unknown key": ("", "loss", 1),
    "no seed": ("", "seed", None),
    "negative seed": ("", "seed", -1),
    "seed with fraction": ("", "seed", 1.0),
    "seed above 2^53": ("", "seed", 2**53),
    "stop 0": ("", "stop_ns", 0),
    "short title": ("", "title", "short"),
    "size 0": ("sender", "max_datagram_size_bytes", 0),
    "size above 65535": ("sender", "max_datagram_size_bytes", 65536),
    "window 0": ("sender", "initial_window_bytes", 0),
    "transfer 0": ("sender", "transfer_bytes", 0),
    "paced 1": ("sender", "paced", 1),
    "unknown key of the sender": ("sender", "pacing", True),
    "rate 0": ("link", "rate_bps", 0),
    "rate as text": ("link", "rate_bps", "4000000"),
    "rate with fraction": ("link", "rate_bps", 4e6),
    "negative delay": ("link", "forward_delay_ns", -1),
    "no queue": ("link", "queue_bytes", None),
    "loss above a million": ("link", "loss_ppm", 1_000_001),
    "unknown key of the link": ("link", "ecn", True),
    "a rise without its time": ("link", "rise_ns", 1),
    "no steps": ("link", "delay_steps", []),
    "a step without its time": ("link", "delay_steps", [{"longer_ns": 1}]),
    "an algorithm that is none": ("", "algorithms", ["hystart++"]),
    "no ACKs": ("receiver", "ack_every_packets", 0),
    "unknown key of the receiver": ("receiver", "delay", 1),
}


@pytest.mark.parametrize("name", BAD)
def test_malformed_scenarios(tmp_path: Path, name: str) -> None:
    """A malformed scenario is refused with its file and place; the command ends with exit code 2."""
    part, key, value = BAD[name]
    content = raw()
    inner = content[part] if part else content
    if value is None:
        del inner[key]
    else:
        inner[key] = value
    path = write(tmp_path, content)
    with pytest.raises(ScenarioError, match=f"^{path}: ") as refusal:
        load_scenario(path)
    assert key in str(refusal.value) or "integer" in str(refusal.value)
    result = simulate_command(path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"Error: {path}: " in result.stderr


def test_a_rise_is_a_single_step(tmp_path: Path) -> None:
    """The older members mean one step, and are refused next to steps; steps are sorted by their time."""
    content = raw()
    content["link"] |= {"rise_at_ns": 5, "rise_ns": 7}
    assert load_scenario(write(tmp_path, content)).link.steps == ((5, 7),)
    content["link"]["delay_steps"] = [{"at_ns": 9, "longer_ns": 0}, {"at_ns": 5, "longer_ns": 7}]
    with pytest.raises(ScenarioError, match="rise_"):
        load_scenario(write(tmp_path, content))
    del content["link"]["rise_at_ns"], content["link"]["rise_ns"]
    assert load_scenario(write(tmp_path, content)).link.steps == ((5, 7), (9, 0))


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"format": 1, "seed": NaN}', "[" * 100_000])
def test_file_without_json_object_is_refused(tmp_path: Path, content: str) -> None:
    """A file other than a JSON object is refused in the same way."""
    path = write(tmp_path, content)
    with pytest.raises(ScenarioError, match=f"^{path}: "):
        load_scenario(path)
    assert simulate_command(path).exit_code == 2


def test_scenarios_of_the_checkout() -> None:
    """All scenarios load in order of name and obey the schema; the ids of their vectors are unique."""
    loaded = load_scenarios()
    assert [scenario.name for scenario in loaded] == NAMES
    ids = [entry["id"] for scenario in loaded for entry in scenario.vectors]
    assert len(ids) == len(set(ids)) >= len(NAMES)


# The command


def test_summary() -> None:
    """Without options the command prints the end of slow start, its reason, and the losses."""
    result = simulate_command(SCENARIOS / "shallow-queue.json", "--algorithm", "slow-start", "--profile", "rfc-9002")
    assert result.exit_code == 0
    summary = dict(line.split() for line in result.stdout.splitlines())
    scenario = load_scenario(SCENARIOS / "shallow-queue.json")
    loop_run = run(scenario)
    assert summary["events"] == str(len(loop_run.events))
    assert summary["by"] == "reduced"
    assert summary["dropped_by_queue_packets"] == str(loop_run.dropped_packets) != "0"
    assert summary["lost_on_link_packets"] == "0"
    assert summary["final_cwnd_bytes"] == str(loop_run.observations[-1].cwnd_bytes)
    assert int(summary["largest_cwnd_bytes"]) == max(o.cwnd_bytes for o in loop_run.observations)
    assert 0 < int(summary["slow_start_ended_ms"]) <= int(summary["duration_ms"])


def test_summary_of_a_transfer_without_exit() -> None:
    """The summary reports a transfer that ends in slow start."""
    result = simulate_command(SCENARIOS / "delayed-acks.json")
    summary = dict(line.split() for line in result.stdout.splitlines())
    assert (summary["slow_start_ended_ms"], summary["by"]) == ("never", "-")


def test_json_lines() -> None:
    """With --json every line is an event with the observation after it."""
    result = simulate_command(SCENARIOS / "shallow-queue.json", "--json")
    assert result.exit_code == 0
    scenario = load_scenario(SCENARIOS / "shallow-queue.json")
    loop_run = run(scenario, ("search", "lanman-2024"))
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["event"] for line in lines] == [event_to_json(event) for event in loop_run.events]
    for line in lines:
        validator("urn:firstflight:event:1").validate(line["event"])
        assert list(line["observed"]) == ["cwnd_bytes", "ssthresh_bytes", "phase", "outcome", "state"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--profile", "lanman-2042"), "search/lanman-2042: no such profile"),
        (("--algorithm", "slow-start", "--profile", "lanman-2024"), "slow-start/lanman-2024: no such profile"),
    ],
)
def test_unknown_controllers(words: tuple[str, ...], reason: str) -> None:
    """An unknown controller is a usage error."""
    result = simulate_command(SCENARIOS / "deep-queue.json", *words)
    assert result.exit_code == 2
    assert reason in result.stderr


def test_command_refuses_a_stall(tmp_path: Path) -> None:
    """A scenario that stalls ends with exit code 2 and the time of the stall."""
    content = raw()
    content["link"]["loss_ppm"] = 1_000_000
    result = simulate_command(write(tmp_path, content))
    assert result.exit_code == 2
    assert "scenario.json: stalls at 1000000000 ns" in result.stderr

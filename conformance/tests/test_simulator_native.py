"""The C simulator against the plain program: events and observations on every scenario and random paths, refusals."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firstflight import Config, DomainError, create, profiles
from firstflight.events import Event, Sent
from firstflight_conformance.cli import main
from firstflight_conformance.paths import NETWORKS, SCENARIOS
from firstflight_conformance.prng import SplitMix64
from firstflight_conformance.simulate import native
from firstflight_conformance.simulate import native_bounds as bounds
from firstflight_conformance.simulate.in_loop import SenderLimits
from firstflight_conformance.simulate.loop import Simulation, StallError, run_port, simulate, summarize
from firstflight_conformance.simulate.scenario import (
    Link,
    Receiver,
    Scenario,
    ScenarioError,
    load_scenario,
    scenario_files,
)
from simulated import c_port, observed, plain_scenario

S = 1_000_000_000
CONTROLLERS = [(name, profile) for name, names in profiles(composed=True).items() for profile in names]
NAMES = list(scenario_files())


def check_same(scenario: Scenario, algorithm: str, profile: str, *, trace: bool = True) -> bool:
    """Check that both programs agree; return whether the run completed without stall or refusal."""
    try:
        recording = plain_scenario(scenario, create(algorithm, profile, scenario.config))
    except StallError as stalled:
        with pytest.raises(StallError, match=str(stalled)):
            run_port(scenario, algorithm, profile)
        return False
    except DomainError as refusal:
        with pytest.raises(DomainError, match=re.escape(str(refusal))):
            run_port(scenario, algorithm, profile)
        return False
    assert run_port(scenario, algorithm, profile) == summarize(recording)
    if trace:
        events, observations, _, _ = c_port(scenario, algorithm, profile)
        assert (events, observations) == (list(recording.events), list(map(observed, recording.observations)))
        assert simulate(scenario, create(algorithm, profile, scenario.config)) == recording
    return True


@pytest.mark.parametrize("name", NAMES)
def test_programs_agree_on_every_scenario(name: str) -> None:
    """Every event agrees with three controllers: one that never paces, one that jumps and one that resumes.

    Endless announced data would be one jump until the run stops, so the transfer is then limited.
    """
    scenario = load_scenario(scenario_files()[name])
    scenario = replace(scenario, stop_ns=min(scenario.stop_ns, 3 * S))
    endless = scenario.announced and scenario.transfer_bytes is None
    jumped = replace(scenario, transfer_bytes=10_000_000) if endless else scenario
    assert check_same(scenario, "search", "lanman-2024")
    assert check_same(jumped, "jumpstart", "pfldnet-2007")
    assert check_same(scenario, "careful-resume", "rfc-9959+cubic")


def random_scenario(random: SplitMix64) -> Scenario:
    """Return a path with queue overflows and losses, for a transfer of up to 600 packets."""
    size_bytes = 500 + random.below(1000)
    rate_bps, rtt_ns = 100_000 << random.below(9), 1_000_000 + random.below(300_000_000)
    queue_bytes = size_bytes * (1 + random.below(60))
    jitter_ns = random.below(2) * random.below(20_000_000)
    steps = ((random.below(S), random.below(100_000_000)),) if random.below(3) == 0 else ()
    link = Link(rate_bps, rtt_ns // 3, rtt_ns - rtt_ns // 3, queue_bytes, random.below(3) * 10_000, jitter_ns, steps)
    if random.below(4) == 0:
        link = replace(
            link, queue_packets=random.below(60), early_drop_above_bytes=queue_bytes // 2, early_drop_ppm=50_000
        )
    return Scenario(
        name="random", title="", seed=random.next(), stop_ns=20 * S, after_slow_start_ns=1 + random.below(20 * S),
        config=Config(size_bytes, size_bytes * (1 + random.below(12))), transfer_bytes=1 + random.below(600 * size_bytes),
        paced=random.below(3) == 0, saved_cwnd_bytes=None if random.below(2) else size_bytes * (1 + random.below(200)), link=link,
        receiver=Receiver(1 + random.below(8), random.below(50_000_000), random.below(2) == 0), vectors=(), announced=random.below(2) == 0,
    )  # fmt: skip


@pytest.mark.parametrize("controller", CONTROLLERS, ids="/".join)
def test_programs_agree_on_random_paths(controller: tuple[str, str]) -> None:
    """Every controller agrees on three random paths."""
    random = SplitMix64(sum(map(ord, "/".join(controller))))
    ended = [check_same(random_scenario(random), *controller) for _ in range(3)]
    assert any(ended)


@pytest.mark.parametrize(
    "beyond",
    [
        {"stop_ns": bounds.TIME_END_NS}, {"transfer_bytes": bounds.SIZE_MAX_BYTES + 1}, {"seed": -1}, {"link": {"rate_bps": 999}},
        {"link": {"jitter_ns": bounds.TIME_END_NS}}, {"link": {"steps": ((1, bounds.TIME_END_NS),)}}, {"link": {"loss_ppm": -1}},
        {"link": {"rate_bps": bounds.SIZE_MAX_BYTES + 1}}, {"receiver": {"max_ack_delay_ns": -1}}, {"receiver": {"ack_every_packets": 0}},
        {"config": {"max_datagram_size_bytes": 0}}, {"link": {"rate_bps": 1000, "queue_bytes": bounds.SIZE_MAX_BYTES}},
    ],
    ids=str,
)  # fmt: skip
def test_values_beyond_the_bounds_are_refused(beyond: dict[str, Any]) -> None:
    """One step beyond each bound of the C code: the message contains the bound."""
    scenario = random_scenario(SplitMix64(1))
    bounds.check_scenario(scenario)
    parts = {
        name: replace(getattr(scenario, name), **value) if isinstance(value, dict) else value
        for name, value in beyond.items()
    }
    for run in (run_port, lambda *arguments: simulate(arguments[0], create(*arguments[1:], scenario.config))):
        with pytest.raises(ScenarioError, match=r"random: .* is outside \d+\.\.\d+, the bounds of the simulator"):
            run(replace(scenario, **parts), "search", "draft-09")


CELLS = ("--algorithm", "search/draft-*", "--algorithm", "search/none", "--rate", "2Mbit/s", "--rtt", "40ms", "--size", "100kB", "--queue", "0.5bdp",
         "--loss-ppm", "0", "--loss-ppm", "200000", "--seed", "1", "--seed", "2")  # fmt: skip


def sweep(*arguments: object, code: int = 0, **environment: str) -> str:
    result = CliRunner(env=environment).invoke(main, ["sweep", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def forgotten() -> Iterator[None]:
    """Build and load the simulator again, before and after the test."""
    native.library.cache_clear()
    yield
    native.library.cache_clear()


SCENARIO = SCENARIOS / "shallow-queue.json"
FCT = ("fct", "--algorithm", "cubic", "--rate-mbps", "10", "--one-way-delay-ms", "5", "--size-bytes", "1kB")
COMMANDS: dict[str, tuple[object, ...]] = {
    "simulate": ("simulate", SCENARIO),
    "network": ("network", NETWORKS / "two-flows.json"),
    "fct": FCT,
    "sweep": ("sweep", "rows.csv", *CELLS),
    "sweep of fct": ("sweep", "rows.csv", "--kind", "fct", "--algorithm", "cubic", *CELLS[4:10]),
    "run": ("run", "--closed-loop", "--adapter", "python-model"),
    "run of both": ("run", "--both", "--algorithm", "hybla", "--adapter", "python-model"),
    "blind run": ("run", "--blind", "1", "--adapter", "python-model"),
    "own scenario": ("run", "--scenario", SCENARIOS / "closed-loop/deep-queue.json", "--adapter", "python-model"),
    "show": ("show", "stimulus:deep-queue@search/draft-09"),
    "vectors": ("dev", "vectors", "--check"),
    "mutants": ("dev", "mutants", "--closed-loop", "--algorithm", "hybla"),
    "results": ("dev", "results", "--check", "--only", "search-geo", "--jobs", "1"),
}


@pytest.mark.usefixtures("forgotten")
@pytest.mark.parametrize("name", COMMANDS)
def test_without_a_compiler(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command that simulates ends with exit code 2 and the remedy."""
    monkeypatch.chdir(tmp_path)
    result = CliRunner(env={"CC": "no-such-compiler"}).invoke(main, list(map(str, COMMANDS[name])))
    assert result.exit_code == 2
    assert (
        "the path simulator needs a C compiler: C compiler not found: no-such-compiler; install one, or set CC to its command"
        in result.stderr
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("forgotten")
def test_closed_form_sweep_works_without_a_compiler(tmp_path: Path) -> None:
    """A sweep of the closed form needs no compiler."""
    output = sweep(
        tmp_path / "rows.csv", "--kind", "model", "--algorithm", "slow-start", "--rate", "1Mbit/s", "--rtt", "1ms", "--size", "1kB",
        CC="no-such-compiler",
    )  # fmt: skip
    assert "1 rows in" in output


@pytest.mark.usefixtures("forgotten")
def test_output_of_failing_compiler_is_reported(tmp_path: Path) -> None:
    """The message contains the output of the compiler."""
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\necho out of order >&2\nexit 1\n", encoding="utf-8")
    compiler.chmod(0o755)
    output = sweep(tmp_path / "none.csv", *CELLS, code=2, CC=str(compiler))
    assert f"needs a C compiler: {compiler}: out of order; install one, or set CC to its command" in output


WIDE = {"link": ("rate_bps", 500), "receiver": ("max_ack_delay_ns", 2**42), "": ("stop_ns", 2**42)}


@pytest.mark.parametrize("part", WIDE, ids=lambda part: part or "scenario")
def test_commands_refuse_scenarios_beyond_the_bounds(part: str, tmp_path: Path) -> None:
    """The commands that read a scenario end with exit code 2, the place and the bound."""
    name, value = WIDE[part]
    content = json.loads(SCENARIO.read_text("utf-8"))
    content["sender"]["transfer_bytes"] = 100_000
    (content[part] if part else content)[name] = value
    path = tmp_path / "wide.json"
    path.write_text(json.dumps(content), "utf-8")
    place = f"wide.json: {part}: {name}" if part else f"wide.json: {name}"
    for words in (("simulate", path), ("run", "--adapter", "python-model", "--scenario", path)):
        result = CliRunner().invoke(main, list(map(str, words)))
        assert result.exit_code == 2
        assert re.search(rf"{place} {value} is outside \d+\.\.\d+, the bounds of the simulator", result.stderr)


def test_sweep_refuses_cells_beyond_the_bounds(tmp_path: Path) -> None:
    """A cell beyond the bounds ends the sweep before its first computation."""
    output = sweep(tmp_path / "rows.csv", *CELLS, "--rate", "500bit/s", code=2)
    assert "rate_bps 500 is outside 1000..1099511627776, the bounds of the simulator" in output
    assert not (tmp_path / "rows.csv").exists()


class _Failing:
    """A controller that fails at an event."""

    samples_rate = False
    initial_window_bytes = 12_000

    def __init__(self, error: BaseException) -> None:
        self.error, self.events = error, 0

    def on_event(self, _event: Event) -> SenderLimits:
        self.events += 1
        if self.events == 5:
            raise self.error
        return SenderLimits(self.initial_window_bytes)


@pytest.mark.parametrize("error", [ValueError("no answer"), KeyboardInterrupt()], ids=repr)
def test_controller_error_ends_the_run(error: BaseException) -> None:
    """The run ends at that event, and the simulator raises the error of the controller."""
    controller = _Failing(error)
    simulation = Simulation(load_scenario(SCENARIO), controller)
    with pytest.raises(type(error)) as raised:
        simulation.run()
    assert raised.value is error
    assert (controller.events, len(simulation.events), simulation.done) == (5, 5, False)


@pytest.mark.parametrize("window_bytes", [0, 2**64 - 1])
def test_zero_window_stalls_and_largest_window_sends_all(window_bytes: int) -> None:
    """A window of 0 stalls the sender; the largest window sends all data at once, in one event."""
    controller = _Failing(ValueError())
    controller.initial_window_bytes = window_bytes
    scenario = replace(load_scenario(SCENARIO), transfer_bytes=12_000)
    simulation = Simulation(scenario, controller)
    if window_bytes == 0:
        with pytest.raises(StallError):
            simulation.run()
        assert simulation.events == []
        return
    with pytest.raises((StallError, ValueError)):
        simulation.run()
    sent = simulation.events[0]
    assert isinstance(sent, Sent) and sent.bytes == 12_000

"""The compiled simulator against that in Python: every event and what the controller observed after it, on every scenario and on random paths."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firstflight import Config, DomainError, create, profiles
from firstflight.events import Event
from firstflight.observables import Observation, Outcome, Phase
from firstflight_conformance.cli import main
from firstflight_conformance.prng import SplitMix64
from firstflight_conformance.simulator import native
from firstflight_conformance.simulator import native_bounds as bounds
from firstflight_conformance.simulator import native_layout as layout
from firstflight_conformance.simulator.loop import StallError, simulate, summarize
from firstflight_conformance.simulator.native_events import NONE, RawObservation, event_of
from firstflight_conformance.simulator.scenario import Link, Receiver, Scenario, load_scenario, scenario_files

pytestmark = pytest.mark.skipif(
    not any(os.access(Path(folder) / "cc", os.X_OK) for folder in os.environ["PATH"].split(os.pathsep)),
    reason="there is no C compiler here",
)

S = 1_000_000_000
CONTROLLERS = [(name, profile) for name, found in profiles(composed=True).items() for profile in found]
NAMES = list(scenario_files())
_PHASES, _OUTCOMES = tuple(Phase), tuple(Outcome)


def _observed(raw: RawObservation) -> tuple[object, ...]:
    ssthresh, release = (None if value == NONE else value for value in (raw.ssthresh_bytes, raw.next_release_ns))
    return raw.cwnd_bytes, ssthresh, _PHASES[raw.phase], _OUTCOMES[raw.outcome], release


def _of(seen: Observation) -> tuple[object, ...]:
    return seen.cwnd_bytes, seen.ssthresh_bytes, seen.phase, seen.outcome, seen.next_release_ns


def traced(scenario: Scenario, algorithm: str, profile: str) -> list[tuple[Event, tuple[object, ...]]]:
    """Run the compiled simulator; return every event and what was observed."""
    found: list[tuple[Event, tuple[object, ...]]] = []

    def note(_: object, __: int, event: Any, observation: Any) -> None:
        found.append((event_of(event.contents), _observed(observation.contents)))

    watch = layout.Watch(event=layout.ON_EVENT(note))
    native.simulate(scenario, algorithm, profile, layout.SummaryLayout(), watch)
    return found


def check_same(scenario: Scenario, algorithm: str, profile: str, *, trace: bool = True) -> bool:
    """Check that both say the same; return whether the run went to an end of its own."""
    assert bounds.takes_scenario(scenario)
    try:
        recording = simulate(scenario, create(algorithm, profile, scenario.config))
    except StallError as stalled:
        with pytest.raises(StallError, match=str(stalled)):
            native.summarize(scenario, algorithm, profile)
        return False
    except DomainError:
        assert native.summarize(scenario, algorithm, profile) is None
        return False
    assert native.summarize(scenario, algorithm, profile) == summarize(recording)
    if trace:
        seen = [(event, _of(found)) for event, found in zip(recording.events, recording.observations, strict=True)]
        assert traced(scenario, algorithm, profile) == seen
    return True


@pytest.mark.parametrize("name", NAMES)
def test_every_scenario(name: str) -> None:
    """Every event, with three controllers: one that never paces, one that jumps and one that resumes.

    Data without end that is announced as a whole would be one jump until the run stops: there the transfer has an end.
    """
    scenario = load_scenario(scenario_files()[name])
    scenario = replace(scenario, stop_ns=min(scenario.stop_ns, 3 * S))
    endless = scenario.announced and scenario.transfer_bytes is None
    jumped = replace(scenario, transfer_bytes=10_000_000) if endless else scenario
    assert check_same(scenario, "search", "lanman-2024")
    assert check_same(jumped, "jumpstart", "pfldnet-2007")
    assert check_same(scenario, "careful-resume", "rfc-9959+cubic")


def random_scenario(random: SplitMix64) -> Scenario:
    """Return a path on which queues overflow and packets are lost, for a transfer of up to 600 packets."""
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
def test_random_paths(controller: tuple[str, str]) -> None:
    """Every controller that there is, on three paths of its own."""
    random = SplitMix64(sum(map(ord, "/".join(controller))))
    ended = [check_same(random_scenario(random), *controller) for _ in range(3)]
    assert any(ended)


@pytest.mark.long
def test_many_random_paths() -> None:
    """Two thousand of them."""
    random = SplitMix64(20)
    ended = [
        check_same(random_scenario(random), *CONTROLLERS[number % len(CONTROLLERS)], trace=False)
        for number in range(2_000)
    ]
    assert sum(ended) > 1000


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
def test_what_is_left_to_python(beyond: dict[str, Any]) -> None:
    """One step beyond each bound that the C code relies on."""
    scenario = random_scenario(SplitMix64(1))
    assert bounds.takes_scenario(scenario)
    parts = {
        name: replace(getattr(scenario, name), **value) if isinstance(value, dict) else value
        for name, value in beyond.items()
    }
    assert not bounds.takes_scenario(replace(scenario, **parts))
    assert native.summarize(replace(scenario, **parts), "search", "draft-09") is None


CELLS = ("--algorithm", "search/draft-*", "--algorithm", "search/none", "--rate", "2Mbit/s", "--rtt", "40ms", "--size", "100kB", "--queue", "0.5bdp",
         "--loss-ppm", "0", "--loss-ppm", "200000", "--seed", "1", "--seed", "2")  # fmt: skip


def sweep(*arguments: object, code: int = 0, **environment: str) -> str:
    result = CliRunner(env=environment).invoke(main, ["sweep", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


def test_a_sweep_by_either_has_the_same_rows(tmp_path: Path) -> None:
    """Also where a transfer stalls and where there is no such profile; what computed is said."""
    said = sweep(tmp_path / "native.csv", *CELLS, "--engine", "native", "--jobs", "2")
    assert "without an answer (compiled simulator)\n" in said
    assert "compiled" not in sweep(tmp_path / "python.csv", *CELLS, "--engine", "python", "--jobs", "1")
    rows = (tmp_path / "native.csv").read_text("utf-8")
    assert rows == (tmp_path / "python.csv").read_text("utf-8")
    assert "stalls at" in rows and "search/none" in rows


@pytest.fixture
def forgotten() -> Iterator[None]:
    """Look for the compiled simulator again, now and afterwards."""
    native.library.cache_clear()
    yield
    native.library.cache_clear()


@pytest.mark.usefixtures("forgotten")
def test_without_a_compiler(tmp_path: Path) -> None:
    """Python computes, unless the compiled simulator is asked for."""
    no_compiler = {"CC": "no-such-compiler"}
    assert "compiled" not in sweep(tmp_path / "rows.csv", *CELLS, "--jobs", "1", **no_compiler)
    said = sweep(tmp_path / "none.csv", *CELLS, "--engine", "native", code=2, **no_compiler)
    assert "--engine native: there is no C compiler no-such-compiler" in said
    assert "--engine native: model has no compiled simulator" in sweep(
        tmp_path / "none.csv", "--kind", "model", "--algorithm", "slow-start", "--rate", "1Mbit/s", "--rtt", "1ms", "--size", "1kB", "--engine", "native",
        code=2,
    )  # fmt: skip


@pytest.mark.usefixtures("forgotten")
def test_a_compiler_that_fails(tmp_path: Path) -> None:
    """Its own words are in the message."""
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\necho out of order >&2\nexit 1\n", encoding="utf-8")
    compiler.chmod(0o755)
    said = sweep(tmp_path / "none.csv", *CELLS, "--engine", "native", code=2, CC=str(compiler))
    assert f"--engine native: {compiler}: out of order" in said

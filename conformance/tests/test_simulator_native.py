"""The compiled simulator against that in Python: every event and what the controller observed after it, on every scenario and on random paths."""

import os
import subprocess
from collections.abc import Iterator
from ctypes import CFUNCTYPE, POINTER, Structure, Union, c_bool, c_int, c_size_t, c_uint64, c_void_p
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firstflight import Config, DomainError, create, profiles
from firstflight.events import Ack, Backlog, Event, Lost, Run, SavedPath, Sent
from firstflight.observables import Observation, Outcome, Phase
from firstflight_conformance.cli import main
from firstflight_conformance.paths import CONFORMANCE, REFERENCE_C, SCENARIOS
from firstflight_conformance.prng import SplitMix64
from firstflight_conformance.simulator import native
from firstflight_conformance.simulator.loop import StallError, simulate, summarize
from firstflight_conformance.simulator.scenario import Link, Receiver, Scenario, load_scenario

pytestmark = pytest.mark.skipif(
    not any(os.access(Path(folder) / "cc", os.X_OK) for folder in os.environ["PATH"].split(os.pathsep)),
    reason="there is no C compiler here",
)

S = 1_000_000_000
CONTROLLERS = [(name, profile) for name, found in profiles(composed=True).items() for profile in found]
NAMES = [path.name for path in sorted(SCENARIOS.glob("*.json"))]


class _Run(Structure):
    _fields_ = [(name, c_uint64) for name in ("first", "last", "size_bytes", "sent_t_ns")]


class _Sent(Structure):
    _fields_ = [("packets", POINTER(_Run)), ("run_count", c_size_t), ("bytes", c_uint64), ("bytes_in_flight", c_uint64),
                ("app_limited", c_bool), ("retransmits", c_void_p), ("retransmit_count", c_size_t)]  # fmt: skip


class _Ack(Structure):
    _fields_ = [("packets", POINTER(_Run)), ("run_count", c_size_t), ("bytes", c_uint64), ("bytes_in_flight", c_uint64),
                ("next_packet", c_uint64), ("app_limited", c_bool), ("latest_rtt_ns", c_uint64), ("min_rtt_ns", c_uint64),
                ("smoothed_rtt_ns", c_uint64), ("ack_delay_ns", c_uint64), ("oldest_unacked_packet", c_uint64)]  # fmt: skip


class _Lost(Structure):
    _fields_ = [("packets", POINTER(_Run)), ("run_count", c_size_t), ("bytes", c_uint64), ("bytes_in_flight", c_uint64),
                ("next_packet", c_uint64)]  # fmt: skip


class _Backlog(Structure):
    _fields_ = [(name, c_uint64) for name in ("queued_bytes", "receive_window_bytes", "latest_rtt_ns")]


class _SavedPath(Structure):
    _fields_ = [("saved_cwnd_bytes", c_uint64), ("saved_rtt_ns", c_uint64), ("endpoint_matches", c_bool), ("in_use", c_bool),
                ("expires_t_ns", c_uint64), ("max_jump_bytes", c_uint64), ("beta_numerator", c_uint64), ("beta_denominator", c_uint64)]  # fmt: skip


class _Kinds(Union):
    _fields_ = [("sent", _Sent), ("ack", _Ack), ("lost", _Lost), ("backlog", _Backlog), ("saved_path", _SavedPath)]


class _Event(Structure):
    """``struct ff_event``."""

    _fields_ = [("kind", c_int), ("t_ns", c_uint64), ("of", _Kinds)]


class _Observation(Structure):
    """The first members of ``struct ff_observation``: those by which the sender goes."""

    _fields_ = [
        ("cwnd_bytes", c_uint64),
        ("ssthresh_bytes", c_uint64),
        ("phase", c_int),
        ("outcome", c_int),
        ("next_release_ns", c_uint64),
    ]


#: By the number of its kind: which member holds an event.
_KINDS: dict[int, tuple[str, type[Any]]] = {
    0: ("sent", Sent), 1: ("ack", Ack), 2: ("lost", Lost), 6: ("backlog", Backlog), 8: ("saved_path", SavedPath),
}  # fmt: skip
_PHASES, _OUTCOMES = tuple(Phase), tuple(Outcome)


def _event(raw: _Event) -> Event:
    name, kind = _KINDS[raw.kind]
    of = getattr(raw.of, name)
    values = {}
    for member in kind.__dataclass_fields__:
        if member == "packets":
            values[member] = tuple(
                Run(run.first, run.last, run.size_bytes, run.sent_t_ns) for run in of.packets[: of.run_count]
            )
        elif member not in ("t_ns", "retransmits"):
            value = getattr(of, member)
            values[member] = None if value == native.NONE else value
    event: Event = kind(t_ns=raw.t_ns, **values)
    return event


def _observed(raw: _Observation) -> tuple[object, ...]:
    ssthresh, release = (None if value == native.NONE else value for value in (raw.ssthresh_bytes, raw.next_release_ns))
    return raw.cwnd_bytes, ssthresh, _PHASES[raw.phase], _OUTCOMES[raw.outcome], release


def _of(seen: Observation) -> tuple[object, ...]:
    return seen.cwnd_bytes, seen.ssthresh_bytes, seen.phase, seen.outcome, seen.next_release_ns


_TRACE = CFUNCTYPE(None, c_void_p, POINTER(_Event), POINTER(_Observation))


def traced(scenario: Scenario, algorithm: str, profile: str) -> list[tuple[Event, tuple[object, ...]]]:
    """Run the compiled simulator; return every event and what was observed."""
    found: list[tuple[Event, tuple[object, ...]]] = []

    def note(_: object, event: Any, observation: Any) -> None:
        found.append((_event(event.contents), _observed(observation.contents)))

    native.simulate(native._scenario(scenario), algorithm, profile, native._Summary(), _TRACE(note))
    return found


def check_same(scenario: Scenario, algorithm: str, profile: str, *, trace: bool = True) -> bool:
    """Check that both say the same; return whether the run went to an end of its own."""
    assert native.supports(scenario)
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
    """Every event, with three controllers: one that never paces, one that jumps and one that resumes."""
    scenario = load_scenario(SCENARIOS / name)
    scenario = replace(scenario, stop_ns=min(scenario.stop_ns, 3 * S))
    for controller in (("search", "lanman-2024"), ("jumpstart", "pfldnet-2007"), ("careful-resume", "rfc-9959+cubic")):
        assert check_same(scenario, *controller)


def random_scenario(random: SplitMix64) -> Scenario:
    """Return a path on which queues overflow and packets are lost, for a transfer of up to 600 packets."""
    size_bytes = 500 + random.below(1000)
    rate_bps, rtt_ns = 100_000 << random.below(9), 1_000_000 + random.below(300_000_000)
    queue_bytes = size_bytes * (1 + random.below(60))
    jitter_ns = random.below(2) * random.below(20_000_000)
    steps = ((random.below(S), random.below(100_000_000)),) if random.below(3) == 0 else ()
    link = Link(rate_bps, rtt_ns // 3, rtt_ns - rtt_ns // 3, queue_bytes, random.below(3) * 10_000, jitter_ns, steps)
    return Scenario(
        name="random", title="", seed=random.next(), stop_ns=20 * S, after_slow_start_ns=1 + random.below(20 * S),
        config=Config(size_bytes, size_bytes * (1 + random.below(12))), transfer_bytes=1 + random.below(600 * size_bytes),
        paced=random.below(3) == 0, saved_cwnd_bytes=None if random.below(2) else size_bytes * (1 + random.below(200)), link=link,
        receiver=Receiver(1 + random.below(8), random.below(50_000_000)), vectors=(), announced=random.below(2) == 0,
    )  # fmt: skip


@pytest.mark.parametrize("controller", CONTROLLERS, ids="/".join)
def test_random_paths(controller: tuple[str, str]) -> None:
    """Every controller that there is, on paths of its own."""
    random = SplitMix64(sum(map(ord, "/".join(controller))))
    ended = [check_same(random_scenario(random), *controller) for _ in range(4)]
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
        {"stop_ns": native.TIME_END_NS}, {"transfer_bytes": native.SIZE_MAX_BYTES + 1}, {"seed": -1}, {"link": {"rate_bps": 999}},
        {"link": {"jitter_ns": native.TIME_END_NS}}, {"link": {"steps": ((1, native.TIME_END_NS),)}}, {"link": {"queue_packets": 1}},
        {"link": {"early_drop_ppm": 1}}, {"receiver": {"first_at_once": True}}, {"receiver": {"ack_every_packets": 0}},
        {"config": {"max_datagram_size_bytes": 0}}, {"link": {"rate_bps": 1000, "queue_bytes": native.SIZE_MAX_BYTES}},
    ],
    ids=str,
)  # fmt: skip
def test_what_is_left_to_python(beyond: dict[str, Any]) -> None:
    """One step beyond each bound that the C code relies on."""
    scenario = random_scenario(SplitMix64(1))
    assert native.supports(scenario)
    parts = {
        name: replace(getattr(scenario, name), **value) if isinstance(value, dict) else value
        for name, value in beyond.items()
    }
    assert not native.supports(replace(scenario, **parts))
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


def test_no_warning_and_no_undefined_behaviour(tmp_path: Path) -> None:
    """Strict C11; and a run of a transfer with losses under the sanitizers ends as without."""
    program = tmp_path / "run.c"
    program.write_text(_PROGRAM, encoding="utf-8")
    sources = sorted([program, *(CONFORMANCE / "simulator").glob("*.c"), *REFERENCE_C.glob("src/**/*.c")])
    flags = ("-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror", "-O1", "-g",
             "-fsanitize=address,undefined", "-fno-sanitize-recover=all")  # fmt: skip
    include = [f"-I{REFERENCE_C / 'include'}", f"-I{CONFORMANCE / 'simulator'}"]
    subprocess.run(["cc", *flags, *include, *map(str, sources), "-o", str(tmp_path / "run")], check=True)
    said = subprocess.run([tmp_path / "run"], check=True, capture_output=True, text=True).stdout
    link = Link(4_000_000, 20_000_000, 20_000_000, 10_000, 10_000, 1_000_000)
    scenario = Scenario(
        "run", "", 7, 600 * S, 600 * S, Config(1200, 12000), 3_000_000, False, None, link, Receiver(2, 25_000_000), ()
    )
    found = native.summarize(scenario, "search", "draft-09+cubic")
    assert (
        found is not None
        and said == f"{found.events} {found.duration_ns} {found.dropped_packets} {found.lost_packets}\n"
    )
    assert found.dropped_packets > 0 and found.lost_packets > 0


_PROGRAM = """
#include <inttypes.h>
#include <stdio.h>
#include "simulator.h"

int main(void)
{
    struct sim_scenario scenario = {
        .seed = 7, .stop_ns = UINT64_C(600000000000), .after_slow_start_ns = UINT64_C(600000000000), .max_datagram_size_bytes = 1200,
        .initial_window_bytes = 12000, .transfer_bytes = 3000000, .saved_cwnd_bytes = SIM_NONE, .rate_bps = 4000000,
        .forward_delay_ns = 20000000, .return_delay_ns = 20000000, .queue_bytes = 10000, .loss_ppm = 10000, .jitter_ns = 1000000,
        .ack_every_packets = 2, .max_ack_delay_ns = 25000000,
    };
    struct sim_summary summary;
    enum sim_status status = sim_simulate(&scenario, "search", "draft-09+cubic", NULL, NULL, &summary);
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\\n", summary.events, summary.ended_ns - summary.began_ns,
           summary.dropped_packets, summary.lost_packets);
    return status != SIM_OK;
}
"""


def test_the_layouts_are_those_of_c(tmp_path: Path) -> None:
    """The structures that Python fills have the members and sizes of the header."""
    header = (CONFORMANCE / "simulator" / "simulator.h").read_text("utf-8")
    for name, structure in (
        ("sim_scenario", native._Scenario),
        ("sim_summary", native._Summary),
        ("sim_step", native._Step),
    ):
        body = header.partition(f"struct {name} {{")[2].partition("\n};")[0]
        names = [line.split(";")[0].split()[-1].lstrip("*") for line in body.splitlines() if ";" in line]
        assert names == [field[0] for field in structure._fields_]
    for constant, value in (("TIME_END_NS", native.TIME_END_NS), ("RATE_MIN_BPS", native.RATE_MIN_BPS),
                            ("SIZE_MAX_BYTES", native.SIZE_MAX_BYTES), ("DRAIN_MAX_NS", native.DRAIN_MAX_NS)):  # fmt: skip
        text = header.partition(f"SIM_{constant} ")[2].partition("\n")[0]
        assert eval(text.replace("UINT64_C", ""), {}) == value

"""The plain headers of the C port (``reference-c/plain``): clean as C and C++, and judged like the plain programs they are twins of."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest

from firstflight.events import Ack, Event, PersistentCongestion, Sent
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.observables import Outcome, Phase
from firstflight.plain import newreno_rfc_9002 as newreno
from firstflight_conformance.cases.vectors import cases, load_all
from firstflight_conformance.paths import REFERENCE_C
from firstflight_conformance.plain_judge import cases_of, judge_case, programs
from plain_streams import run_streams

WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror")
C = ("gcc", "-std=c11")
CXX = ("g++", "-std=c++17", "-x", "c++")
SANITIZE = ("-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
#: By header: the most bytes of state, and the outcomes in the order of its enumeration.
SEARCH = (
    "same_bin",
    "no_rtt_sample",
    "started",
    "warming_up",
    "rtt_inflated",
    "previous_zero",
    "below_threshold",
    "exited",
)
HEADERS = {
    "search_lanman_2024": (256, SEARCH),
    "search_draft_09": (420, (*SEARCH, "draining", "drained")),
}
ENDS = {"search_lanman_2024": Outcome.EXITED, "search_draft_09": Outcome.DRAINED}
STILL = (Outcome.EXITED, Outcome.DRAINING, Outcome.DRAINED)


class Header:
    """A plain header with the door of a plain program: the base is the plain NewReno, SEARCH is the process that has the header."""

    def __init__(self, name: str, program: Path) -> None:
        """Start the process."""
        self.PROFILE = programs()[name].PROFILE
        self._outcomes = [Outcome(outcome) for outcome in HEADERS[name][1]]
        self._end = ENDS[name]
        self._process = subprocess.Popen([program, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def begin(self, max_datagram_size_bytes: int, initial_window_bytes: int | None) -> SimpleNamespace:
        """Begin a connection."""
        self._write(f"begin {max_datagram_size_bytes}")
        return SimpleNamespace(base=newreno.begin(max_datagram_size_bytes, initial_window_bytes))

    def on_event(self, state: SimpleNamespace, event: Event) -> Outcome:
        """Process an event as the comment of the header tells a stack to."""
        match event:
            case Ack():
                return self._on_ack(state.base, event)
            case Sent():
                self._write(f"sent {event.bytes}")
            case PersistentCongestion():
                self._write("restart")
        return newreno.on_event(state.base, event)

    def _on_ack(self, base: newreno.NewReno, ack: Ack) -> Outcome:
        slow_start = base.phase is Phase.SLOW_START
        packets = sum(run.count for run in ack.packets)
        rtt = f"{ack.latest_rtt_ns or 0} {int(ack.latest_rtt_ns is not None)}"
        numbers = f"{ack.bytes} {packets} {ack.bytes_in_flight} {base.congestion_window} {int(slow_start)}"
        self._write(f"ack {ack.t_ns} {rtt} {numbers}")
        if not slow_start:
            return newreno.on_ack(base, ack)
        number, cwnd = map(int, cast(Any, self._process.stdout).readline().split())
        outcome = self._outcomes[number]
        base.congestion_window = min(cwnd, WINDOW_MAX_BYTES)
        if outcome is self._end:
            base.ssthresh = base.congestion_window
        if outcome not in STILL:
            newreno.on_ack(base, ack)
        return outcome

    def _write(self, line: str) -> None:
        stdin = cast(Any, self._process.stdin)
        stdin.write(line + "\n")
        stdin.flush()

    def close(self) -> None:
        """End the process; it must have found nothing wrong."""
        self._process.communicate()
        assert self._process.returncode == 0


def compiled(directory: Path, *command: str) -> Path:
    """Return the test program, compiled so."""
    program = directory / "drive"
    source = REFERENCE_C / "plain" / "drive.c"
    subprocess.run([*command, *WARNINGS, str(source), "-o", str(program)], check=True)
    return program


@pytest.fixture(scope="module", params=[(*C, *SANITIZE), (*CXX, "-O2")], ids=["c11", "c++17"])
def drive(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("plain"), *request.param)


@pytest.fixture(params=HEADERS)
def header(request: pytest.FixtureRequest, drive: Path) -> Iterator[ModuleType]:
    program = Header(request.param, drive)
    yield cast(ModuleType, program)
    program.close()


def test_vectors(header: ModuleType) -> None:
    """A header answers every judged event of its profile as the vectors expect."""
    judged = {case.id: judge_case(header, case) for case in cases_of(header, list(cases(load_all())))}
    assert len(judged) > 100
    assert {case: difference for case, difference in judged.items() if difference} == {}


def test_random_streams(header: ModuleType) -> None:
    """A header agrees with the model on random events."""
    run_streams(header, 700, 10_000)


def test_size(drive: Path) -> None:
    """The state of a connection fits where a stack has little room."""
    sizes = subprocess.run([drive, "sizes"], capture_output=True, text=True, check=True).stdout.split()
    for size, (most, _) in zip(sizes, HEADERS.values(), strict=True):
        assert int(size) <= most

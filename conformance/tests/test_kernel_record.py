"""Recordings of the kernel: conversion of captures to events, and short runs of the kernel itself."""

import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firstflight import create, step
from firstflight.events import Ack, Lost, Run, Sent
from firstflight_conformance.adapters.children import descendants
from firstflight_conformance.cli import main
from firstflight_conformance.logs.recording import files
from firstflight_conformance.logs.recording.recording import Recording
from firstflight_conformance.paths import STUDIES
from firstflight_conformance.records.results import ExitCode
from firstflight_conformance.simulate.scenario import load_scenario, scenario_files
from studies.live.kernel.capture import Noted
from studies.live.kernel.namespace import UnavailableError
from studies.live.kernel.record import RunError, record, recording_of
from studies.live.kernel.tcp_info import State, TcpInfo

pytestmark = pytest.mark.live

US, MS = 1000, 1_000_000
CLOSED_LOOP = scenario_files("closed-loop")
SET_UP = {"release": "6.18", "exact": True, "initial_window": 10, "parameters": {"hystart": "1"}}
OPEN = TcpInfo(State.OPEN, 11, None, 2, 0, 60_000, 60_000, 0)


def sent(t_ns: int, first_byte: int, payload_bytes: int = 1200, *, app_limited: bool = False) -> Noted:
    return Noted("sent", t_ns, t_ns, first_byte, payload_bytes, app_limited)


def ack(t_ns: int, end_ns: int, next_byte: int, info: TcpInfo = OPEN) -> Noted:
    return Noted("ack", t_ns, end_ns, next_byte, info=info)


def recorded(*noted: Noted, name: str = "cubic") -> Recording:
    """Return the recording of captured segments and ACKs."""
    return recording_of(load_scenario(CLOSED_LOOP["deep-queue.json"]), name, SET_UP, list(noted), {"ended": "stop"})


def test_packets_sent_together_form_one_event() -> None:
    """Packets sent at one time form one event; packets are numbered from 0, in runs of one size."""
    events = recorded(sent(5 * MS, 0), sent(5 * MS, 1200), sent(6 * MS, 2400, 700, app_limited=True)).events
    assert events == (
        Sent(5 * MS, (Run(0, 1, 1200, 5 * MS),), 2400, 2400, False),
        Sent(6 * MS, (Run(2, 2, 700, 6 * MS),), 700, 3100, True),
    )


def test_ack_has_the_time_of_the_released_packet() -> None:
    """An ACK has the time of the packet that it released, or without one the middle of its bracket in whole us."""
    first = [sent(5 * MS, 0), sent(5 * MS, 1200)]
    released = recorded(*first, ack(10 * MS, 10 * MS + 40 * US, 1200), sent(10 * MS + 13 * US, 2400))
    assert [event.t_ns for event in released.events] == [5 * MS, 10 * MS + 13 * US, 10 * MS + 13 * US]
    assert isinstance(released.events[1], Ack)
    assert released.events[1].latest_rtt_ns == 5 * MS + 13 * US
    alone = recorded(*first, ack(10 * MS, 10 * MS + 41 * US, 1200), sent(10 * MS + 50 * US, 2400))
    assert [event.t_ns for event in alone.events] == [5 * MS, 10 * MS + 20 * US, 10 * MS + 50 * US]


def test_packet_sent_before_an_ack_precedes_the_ack() -> None:
    """A packet sent before an ACK precedes it, even if the capture recorded the packet late."""
    events = recorded(sent(5 * MS, 0), ack(10 * MS, 10 * MS + 40 * US, 1200), sent(9 * MS, 1200)).events
    assert [type(event) for event in events] == [Sent, Sent, Ack]


def test_bbr_rate_interval_follows_from_the_kernel_rate() -> None:
    """The interval follows from the kernel's rate if it fits the sample (1200 bytes at 239043 B/s take 5020 us)."""
    first = [sent(5 * MS, 0), sent(5 * MS, 1200)]
    known = replace(OPEN, min_rtt_us=5010, delivery_rate=239_043)
    acks = ack(10 * MS, 10 * MS, 1200, known), ack(10 * MS, 10 * MS, 1200, replace(known, delivery_rate=100_000))
    events = [recorded(*first, segment, name="bbr").events[1] for segment in acks]
    assert all(isinstance(event, Ack) for event in events)
    samples = [
        (event.rate_interval_ns, event.latest_rtt_ns, event.min_rtt_ns) for event in events if isinstance(event, Ack)
    ]
    assert samples == [(5020 * US, 5010 * US, 5010 * US), (5 * MS, 5010 * US, 5010 * US)]


def test_windows_are_converted_to_bytes() -> None:
    """Window and ssthresh are converted from packets of the scenario's size; the state follows from ssthresh."""
    exited = replace(OPEN, cwnd=30, ssthresh=30)
    steps = recorded(sent(MS, 0), ack(5 * MS, 6 * MS, 600), ack(7 * MS, 8 * MS, 1200, exited)).steps
    assert len(steps) == 2  # the first ACK acknowledged only a part of a packet
    assert steps[1].subject["cwnd_bytes"] == steps[1].subject["ssthresh_bytes"] == 36_000
    assert (steps[1].subject["state"], steps[1].subject["bytes_in_flight"]) == ("congestion_avoidance", 2400)


def test_recording_ends_with_the_first_loss() -> None:
    """Repeated ACKs give no event; the ACK that starts recovery becomes the loss of the oldest packet."""
    recovering = TcpInfo(State.RECOVERY, 5, 5, 4, 1, 60_000, 60_000, 0)
    recording = recorded(
        sent(MS, 0), sent(MS, 1200), ack(5 * MS, 6 * MS, 1200), ack(7 * MS, 8 * MS, 1200),
        ack(9 * MS, 9 * MS, 1200, recovering), sent(10 * MS, 2400),
    )  # fmt: skip
    assert [type(event) for event in recording.events] == [Sent, Ack, Lost]
    assert recording.events[2] == Lost(9 * MS, (Run(1, 1, 1200, MS),), 1200, 0, 2)
    assert recording.steps[2].subject["state"] == "recovery"


_NO_CLOCK = (
    "this kernel stamps no segments in microseconds (Linux 6.7 does): on a busy machine runs may differ for that alone"
)


def path_of(folder: Path, name: str, **changes: Any) -> Path:
    """Write a closed-loop scenario, cut to two seconds, with these changes of sender and link; return its path."""
    raw = json.loads(CLOSED_LOOP[f"{name}.json"].read_text(encoding="utf-8")) | {"stop_ns": 2000 * MS}
    raw["after_slow_start_ns"] = 50 * MS
    for key, value in changes.items():
        raw["sender" if key in raw["sender"] else "link"][key] = value
    (folder / f"{name}.json").write_text(json.dumps(raw), encoding="utf-8")
    return folder / f"{name}.json"


def test_advancing_ack_acknowledges_its_sack_blocks() -> None:
    """An ACK of the first packet with a block for the third acknowledges both."""
    moved = replace(ack(5 * MS, 5 * MS, 1200), blocks=((2400, 3600),))
    event = recorded(sent(MS, 0), sent(MS, 1200), sent(2 * MS, 2400), moved).events[-1]
    assert isinstance(event, Ack)
    assert event.packets == (Run(0, 0, 1200, MS), Run(2, 2, 1200, 2 * MS))
    assert event.latest_rtt_ns == 3 * MS


def kernel(path: Path, congestion_control: str, *, exact: bool = True) -> Recording:
    """Record the kernel; skip the test if the kernel cannot be recorded."""
    try:
        recording = record(path, congestion_control, exact=exact)
    except UnavailableError as reason:
        pytest.skip(str(reason))
    if exact and recording.header.source["clock"] != "kernel":
        pytest.skip(_NO_CLOCK)
    return recording


def exits(recording: Recording, algorithm: str, profile: str) -> tuple[int | None, int | None, list[int]]:
    """Return the steps when kernel and model leave slow start, and earlier steps with different windows."""
    controller = create(algorithm, profile, recording.header.config)
    subject = model = None
    differing = []
    for index, recorded_step in enumerate(recording.steps):
        controller, observation = step(controller, recorded_step.event)
        if model is None and observation.outcome.value.startswith(("exited", "reduced")):
            model = index
        if subject is None and recorded_step.subject.get("ssthresh_bytes") is not None:
            subject = index
        if (
            subject is None
            and recorded_step.subject.get("cwnd_bytes", observation.cwnd_bytes) != observation.cwnd_bytes
        ):
            differing.append(index)
    return subject, model, differing


FAST = {"rate_bps": 20_000_000, "queue_bytes": 1_000_000, "transfer_bytes": None}


@pytest.mark.parametrize(
    ("name", "changes", "congestion_control", "profile", "exact"),
    [
        ("deep-queue", FAST, "cubic", "hystart/linux", True),
        ("deep-queue", FAST | {"paced": True}, "cubic", "hystart/linux-paced", True),
        ("shallow-queue", {}, "reno", "slow-start/rfc-9002", False),
    ],
    ids=["cubic", "cubic-paced", "reno"],
)
def test_kernel_and_profile_exit_slow_start_at_the_same_event(
    tmp_path: Path, name: str, changes: dict[str, Any], congestion_control: str, profile: str, exact: bool
) -> None:
    """Kernel and profile leave slow start at the same event, with equal windows before; the recording can be loaded."""
    recording = kernel(path_of(tmp_path, name, **changes), congestion_control, exact=exact)
    subject, model, differing = exits(recording, *profile.split("/"))
    assert subject is not None
    assert (subject, differing) == (model, [])
    files.save(recording, tmp_path / "kernel.jsonl")
    assert files.load(tmp_path / "kernel.jsonl") == recording


def namespaces() -> set[Path]:
    """Return the network namespaces of all processes that this user may inspect."""
    identifiers = set()
    for entry in Path("/proc").glob("[0-9]*/ns/net"):
        with suppress(OSError):
            identifiers.add(entry.readlink())
    return identifiers


def test_runs_leave_no_process_or_namespace(tmp_path: Path) -> None:
    """Complete and interrupted runs leave neither a process nor a namespace behind."""
    before = set(descendants(os.getpid())), namespaces()
    kernel(path_of(tmp_path, "shallow-queue"), "reno")
    with pytest.raises(RunError, match="no result after"):
        record(path_of(tmp_path, "deep-queue", transfer_bytes=None, forward_delay_ns=900 * MS), "cubic", deadline_s=1)
    assert set(descendants(os.getpid())) <= before[0]
    until_s = time.monotonic() + 20
    while (new := namespaces() - before[1]) and time.monotonic() < until_s:
        time.sleep(0.1)  # namespaces of other tests come and go
    assert not new


@pytest.mark.skipif(shutil.which("unshare") is None, reason="there is no command unshare")
def test_reason_for_unavailable_recording_is_reported(tmp_path: Path) -> None:
    """A missing congestion control and a machine without user namespaces are reported as reasons."""
    path = path_of(tmp_path, "shallow-queue")
    kernel(path, "reno")
    with pytest.raises(UnavailableError, match="this kernel has no congestion control nonesuch"):
        record(path, "nonesuch")
    capture = f"{sys.executable} {STUDIES} live.kernel.capture {path} reno kernel"
    forbidden = ["unshare", "-rU", "sh", "-c", f"echo 0 > /proc/sys/user/max_user_namespaces && exec {capture}"]
    done = subprocess.run(forbidden, capture_output=True, text=True, check=False, timeout=120)
    assert '{"unavailable": "own user and network namespaces: ' in done.stdout, done.stderr


def judge_kernel(*words: object) -> tuple[int, str]:
    """Run the command; return its exit code and output. Skip the test if the kernel cannot be recorded."""
    result = CliRunner().invoke(main, ["judge-kernel", *map(str, words)])
    if "skipped: the kernel cannot be recorded here: this kernel has no" not in result.output:
        assert result.exit_code != ExitCode.FAULT, result.output
        if result.output.startswith("skipped: "):
            pytest.skip(result.output.strip())
    return result.exit_code, result.output


def test_command_judges_and_saves_the_recording(tmp_path: Path) -> None:
    """The output has one line for the kernel and one for the run; the saved recording can be loaded."""
    path = path_of(tmp_path, "deep-queue", **FAST)
    code, output = judge_kernel("--scenario", path, "--record", tmp_path / "kept")
    if "clock: calls" in output:
        pytest.skip(_NO_CLOCK)
    assert (code, output.count("\n")) == (ExitCode.OK, 2), output
    assert f"kernel {os.uname().release}, clock: " in output
    assert "run 1: slow start is left by event " in output
    assert "may be: hystart/linux" in output
    recording = files.load(tmp_path / "kept" / "deep-queue-cubic-1.jsonl")
    assert recording.header.source["version"] == os.uname().release


def test_slow_start_without_hystart_differs_from_the_kernel(tmp_path: Path) -> None:
    """Slow start without HyStart does not exit where the kernel's CUBIC does: exit code 1."""
    path = path_of(tmp_path, "deep-queue", **FAST)
    code, output = judge_kernel("--scenario", path, "--profile", "slow-start/rfc-9002", "--json")
    run = json.loads(output)
    assert (code, run["may_be"], run["none_of_ours"]) == (ExitCode.DIVERGENCE, [], True)
    assert run["refuted"][0]["event"] == run["did"]["exit"]["event"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--congestion-control", "nonesuch"], ExitCode.NOTHING_RUN, "has no congestion control nonesuch"),
        (["--profile", "hystart/nonesuch"], ExitCode.USAGE, "hystart/nonesuch: no such profile"),
        (["--scenario", CLOSED_LOOP["resume.json"]], ExitCode.USAGE, "saved_cwnd_bytes: the kernel takes none"),
    ],
)
def test_unusable_arguments_are_reported(words: list[object], code: int, message: str) -> None:
    """The message comes with the exit code of its kind and without a traceback."""
    exit_code, output = judge_kernel(*words)
    assert (exit_code, "Traceback" in output) == (code, False)
    assert message in output

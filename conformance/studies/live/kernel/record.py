"""Captures the kernel in a child process, and converts its output lines to a recording."""

import json
import subprocess
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from firstflight import Config
from firstflight_conformance.adapters import children
from firstflight_conformance.logs.recording.recorder import Recorder
from firstflight_conformance.logs.recording.recording import Header, Recording
from firstflight_conformance.paths import STUDIES
from firstflight_conformance.simulate.scenario import Scenario, load_scenario
from studies.live.kernel.capture import Noted
from studies.live.kernel.namespace import UnavailableError
from studies.live.kernel.rates import Rates
from studies.live.kernel.tcp_info import State, TcpInfo

_SET_UP_S = 60  # for the interpreter, the namespaces and the handshake, on a busy machine


_DATAGRAM_BYTES = (512, 9000)
#: Congestion controls that use delivery-rate samples: the kernel's BBR and ours.
_BY_RATE = frozenset({"bbr", "ff_bbr"})
#: The recorder sees an ACK when the first segment leaves; the kernel's RTT sample is some tens of us earlier.
_LATE_NS = 100_000


class RunError(Exception):
    """The capture failed, without a result about the kernel; the text is the reason."""


def refusal(scenario: Scenario) -> str | None:
    """Return the reason why the kernel cannot run a scenario, or ``None``."""
    low, high = _DATAGRAM_BYTES
    if not low <= scenario.config.max_datagram_size_bytes <= high:
        return f"max_datagram_size_bytes: the kernel's segments have {low} to {high} bytes here"
    return "saved_cwnd_bytes: the kernel takes none" if scenario.saved_cwnd_bytes is not None else None


def record(
    scenario_file: Path,
    congestion_control: str,
    *,
    exact: bool = True,
    deadline_s: int | None = None,
) -> Recording:
    """Record one connection of the kernel over the path of the scenario.

    ``exact``: use the kernel's times if available, otherwise the times of the calls. ``deadline_s``: limit of the run,
    by default a while after the end of its scenario. Raise :class:`UnavailableError` if the kernel cannot be recorded
    on this machine, :class:`RunError` if the run failed.
    """
    scenario = load_scenario(scenario_file)
    command = [sys.executable, str(STUDIES), "live.kernel.capture"]
    command += [str(scenario_file.resolve()), congestion_control, "kernel" if exact else "calls"]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=deadline_s or scenario.stop_ns // 1_000_000_000 + _SET_UP_S,
            preexec_fn=children.die_with_parent,
        )
    except subprocess.TimeoutExpired as error:
        raise RunError(f"no result after {int(error.timeout)} s") from error
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode or not lines:
        raise RunError(f"the capture ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    if "unavailable" in lines[0]:
        raise UnavailableError(lines[0]["unavailable"])
    if "error" in lines[0]:
        raise RunError(lines[0]["error"])
    set_up, *noted, end = lines
    return recording_of(scenario, congestion_control, set_up, [_noted(line) for line in noted], end)


def _noted(raw: dict[str, Any]) -> Noted:
    if info := raw.get("info"):
        raw |= {"info": TcpInfo(**info | {"state": State(info["state"])})}
    return Noted(**raw | {"blocks": tuple((first, end) for first, end in raw["blocks"])})


def recording_of(
    scenario: Scenario, congestion_control: str, set_up: dict[str, Any], noted: list[Noted], end: dict[str, Any]
) -> Recording:
    """Return the recording of the captured bursts and ACKs."""
    size_bytes = scenario.config.max_datagram_size_bytes
    source = {"kind": "kernel", "name": f"Linux {congestion_control}", "version": set_up["release"]}
    source |= {"scenario": scenario.title, "ended": end["ended"], "clock": "kernel" if set_up["exact"] else "calls"}
    source |= {name: int(value) for name, value in set_up["parameters"].items() if value.isdigit()}
    acks = [entry for entry in noted if entry.kind == "ack"]
    quality = {"acks": len(acks), "longest_write_ns": max((entry.end_ns - entry.t_ns for entry in acks), default=0)}
    header = Header(
        source,
        Config(size_bytes, set_up["initial_window"] * size_bytes),
        time_resolution_ns=1000,
        rtt_resolution_ns=_LATE_NS if set_up["exact"] else max(quality["longest_write_ns"], _LATE_NS),
        quality=quality,
    )
    return _Following(size_bytes, rates=congestion_control in _BY_RATE).follow(_in_order(noted)).recording(header)


def _in_order(noted: list[Noted]) -> Iterator[Noted]:
    """Yield the records in order of time, each ACK at a time within its write.

    An ACK is placed at the first segment sent during its write, which it released; without one, in the middle.
    """
    sent_ns = sorted(entry.t_ns for entry in noted if entry.kind == "sent")
    timed: list[tuple[int, int, Noted]] = []
    for entry in noted:
        t_ns = entry.t_ns
        if entry.kind == "ack":
            low, high = bisect_left(sent_ns, entry.t_ns), bisect_right(sent_ns, entry.end_ns)
            t_ns = sent_ns[low] if low < high else (entry.t_ns + entry.end_ns) // 2000 * 1000
        timed.append((t_ns, entry.kind == "sent", entry))
    timed.sort(key=lambda item: item[:2])  # an ACK precedes the segments that it released
    for t_ns, _, entry in timed:
        yield replace(entry, t_ns=t_ns)


class _Following:
    """Converts bytes to packets, and TCP_INFO to events and answers.

    The judge decides whether an ACK was application-limited: the kernel has its own rule, which is not visible.
    """

    def __init__(self, size_bytes: int, *, rates: bool) -> None:
        self._size_bytes = size_bytes
        self._recorder = Recorder()
        self._rates = Rates(self._recorder) if rates else None
        self._ends: list[int] = []  # ends of the packets, in bytes of data
        self._acked_packets = 0

    def follow(self, noted: Iterable[Noted]) -> Recorder:
        """Record everything up to the first congestion event."""
        burst: list[Noted] = []
        for entry in noted:
            if burst and (entry.kind == "ack" or entry.t_ns != burst[0].t_ns):
                self._sent(burst)
                burst = []
            if entry.kind == "sent":
                burst.append(entry)
            elif not self._ack(entry):
                return self._recorder
        if burst:
            self._sent(burst)
        return self._recorder

    def _sent(self, burst: list[Noted]) -> None:
        self._ends += [entry.first_byte + entry.payload_bytes for entry in burst]
        self._recorder.sent(burst[0].t_ns, [entry.payload_bytes for entry in burst], app_limited=burst[-1].app_limited)
        if self._rates is not None:
            self._rates.sample()

    def _ack(self, entry: Noted) -> bool:
        """Record an ACK; return whether to continue."""
        assert entry.info is not None
        acked = bisect_right(self._ends, entry.first_byte)
        recorder, info = self._recorder, entry.info
        if info.state >= State.CWR:
            self._lost(entry.t_ns, info)
            return False
        if acked == self._acked_packets:
            return True  # a repeated ACK: its blocks do not grow TCP's window
        blocks = [packet for first, end in entry.blocks for packet in self._within(first, end)]
        recorder.acked(entry.t_ns, [*range(self._acked_packets, acked), *blocks])
        if self._rates is not None:
            self._rates.sample(info)
        self._acked_packets = acked
        self._report(info)
        return True

    def _within(self, first_byte: int, end_byte: int) -> range:
        """Return the packets of a block."""
        return range(bisect_right(self._ends, first_byte), bisect_right(self._ends, end_byte))

    def _lost(self, t_ns: int, info: TcpInfo) -> None:
        """Record the congestion event. The kernel does not report the lost packets; the oldest is always among them."""
        if self._acked_packets < self._recorder.next_packet:
            self._recorder.lost(t_ns, [self._acked_packets])
            if self._rates is not None:
                self._rates.sample()
            self._report(info)

    def _report(self, info: TcpInfo) -> None:
        threshold = info.ssthresh
        self._recorder.report(
            cwnd_bytes=info.cwnd * self._size_bytes,
            ssthresh_bytes=None if threshold is None else threshold * self._size_bytes,
            state=_state(info),
            bytes_in_flight=info.unacked * self._size_bytes,
        )


def _state(info: TcpInfo) -> str:
    if info.state >= State.CWR:
        return "recovery"
    return "slow_start" if info.ssthresh is None or info.cwnd < info.ssthresh else "congestion_avoidance"

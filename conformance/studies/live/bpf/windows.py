"""Compare the windows of a kernel connection with the model's windows on the events that the BPF program recorded.

The program is compiled with ``FIRSTFLIGHT_TRACE``: it records its inputs and the window after each ACK. The model gets
the same inputs as events, up to the exit from slow start or the first loss.
"""

import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from firstflight import Config, advance, create
from firstflight.controller import Controller
from firstflight.events import Ack, Backlog, Event, Run, SavedPath, Sent
from firstflight_conformance.logs.recording.recording import Recording
from firstflight_conformance.paths import ROOT
from studies.live.bpf.objects import BPF, BpfError, Object, available, build, one_at_a_time

#: Kinds of ``trace.h``.
ACK, SENT, BACKLOG, SAVED, RATE, LOSS = range(6)
INFINITE_SSTHRESH = 0x7FFFFFFF
NONE = 2**64 - 1
_CA_CWR = 2
_FIELDS = (
    "kind",
    "socket",
    "now_ns",
    "rtt_ns",
    "sent",
    "acked",
    "in_flight",
    "cwnd",
    "rest",
    "ssthresh",
    "state",
    "mss",
    "srtt_us",
)


@dataclass(frozen=True, slots=True)
class Record:
    """A record of ``trace.h``."""

    kind: int
    socket: int
    now_ns: int
    rtt_ns: int
    sent: int
    acked: int
    in_flight: int
    cwnd: int
    rest: int
    ssthresh: int
    state: int
    mss: int
    srtt_us: int
    values: tuple[int, ...]


@dataclass(frozen=True)
class Windows:
    """Result of a comparison. acks: compared; ended: why; difference: the first, or None."""

    acks: int
    ended: str
    difference: str | None


@contextmanager
def tracing(control: Object) -> Iterator[list[Record]]:
    """Register an object that records; at the end the list contains its records."""
    out = ROOT / "build" / "bpf-trace"
    subprocess.run(["make", "--silent", "-C", str(BPF), f"OUT={out}", str(out / "trace")], check=True)
    records: list[Record] = []
    with (out / f"{control.name}.records").open("w+", encoding="ascii") as file:
        reader = _registered(control, out / "trace", file)
        try:
            yield records
        finally:
            reader.communicate(timeout=60)
        file.seek(0)
        assert file.readline() == "registered\n"
        for line in file:
            numbers = [int(word) for word in line.split()]
            members: dict[str, Any] = dict(zip(_FIELDS, numbers, strict=False))
            records.append(Record(**members, values=tuple(numbers[len(_FIELDS) :])))


def _registered(control: Object, trace: Path, file: TextIO) -> "subprocess.Popen[bytes]":
    """Start the reader that registers an object; return it when the kernel lists the name. A load at the same time waits."""
    with one_at_a_time():
        if control.name in available():
            raise BpfError(
                f"{control.name} is loaded already; unload it first: firstflight kernel unload {control.name}"
            )
        reader = subprocess.Popen([trace, build(control, trace=True)], stdin=subprocess.PIPE, stdout=file)
        while control.name not in available():
            if reader.poll() is not None:
                raise BpfError(f"{control.name} was refused; `make bpf` and `firstflight kernel load` show the log")
    return reader


def connections(records: Sequence[Record]) -> list[list[Record]]:
    """Return the records of each socket, those with most records first."""
    by_socket: dict[int, list[Record]] = {}
    for record in records:
        by_socket.setdefault(record.socket, []).append(record)
    return sorted(by_socket.values(), key=len, reverse=True)


def with_inputs(recording: Recording, records: Sequence[Record]) -> Recording:
    """Return the recording of a connection with the times, RTT and rate samples that the kernel took for its ACKs.

    The recorder sees an ACK when the first segment leaves: some microseconds later, on a busy machine milliseconds. An
    ACK without a record keeps its own, as the RTT of an algorithm that uses none.
    """
    inputs: dict[int, dict[str, Any]] = {}
    min_rtt_ns: int | None = None
    samples: dict[str, Any] = {}
    for record in records:
        if record.kind == RATE:
            samples = _rate(record)
        if record.kind == ACK:
            if record.rtt_ns != NONE:
                min_rtt_ns = min(record.rtt_ns, min_rtt_ns or record.rtt_ns)
                samples |= {"latest_rtt_ns": record.rtt_ns, "min_rtt_ns": min_rtt_ns}
            inputs.setdefault(-(-record.acked // record.mss), {"t_ns": record.now_ns, **samples})
            samples = {}
    steps, last_ns = [], 0
    for step in recording.steps:
        event = step.event
        if isinstance(event, Ack) and (measured := inputs.get(event.packets[-1].last + 1)) is not None:
            event = replace(event, **measured | {"t_ns": max(last_ns, min(measured["t_ns"], event.t_ns))})
        last_ns = event.t_ns
        steps.append(replace(step, event=event))
    return replace(recording, steps=tuple(steps))


def _rate(record: Record) -> dict[str, Any]:
    """Return the delivery-rate sample of a record as members of an ACK."""
    delivered, interval, prior, in_flight, lost, limited = record.values
    if prior == NONE:
        return {}
    return {
        "rate_delivered_bytes": delivered, "rate_interval_ns": interval, "rate_prior_delivered_bytes": prior,
        "rate_in_flight_bytes": in_flight, "rate_lost_bytes": lost, "rate_app_limited": bool(limited),
    }  # fmt: skip


class Replay:
    """The model behind a connection: turns records into events."""

    def __init__(self, control: Object, first: Record) -> None:
        """Begin with the window of the connection before its first ACK."""
        algorithm, _, profile = control.profile.partition("/")
        self.mss = first.mss
        window = first.values[0] if first.kind == ACK else first.cwnd
        self.begin: Callable[[], Controller] = partial(create, algorithm, profile, Config(self.mss, window * self.mss))
        self.model = self.begin()
        self.reports_sent = control.profile.startswith("suss/")
        self.sent_packets = self.acked_packets = 0
        self.sent_ns: list[int] = []
        self.min_rtt_ns: int | None = None
        self.rate: dict[str, Any] = {}

    def events(self, record: Record) -> Iterator[Event]:
        """Yield the events of a record."""
        if record.kind == SAVED:
            cwnd, rtt, expires = record.values[:3]
            yield SavedPath(
                t_ns=record.now_ns, saved_cwnd_bytes=cwnd, saved_rtt_ns=rtt, endpoint_matches=True, in_use=False,
                expires_t_ns=expires, max_jump_bytes=None, beta_numerator=1, beta_denominator=2,
            )  # fmt: skip
            return
        if record.kind == RATE:
            self.rate = _rate(record)
            return
        if record.kind == BACKLOG and record.values[3]:  # the jump begins anew, with more data
            self.model, self.sent_packets = self.begin(), 0
            yield self._backlog(record)
        if record.kind == SENT or not self.reports_sent:
            yield from self._sent(record)
        if record.kind == BACKLOG and not record.values[3]:
            yield self._backlog(record)
        if record.kind == ACK:
            yield from self._ack(record)

    def _backlog(self, record: Record) -> Event:
        waiting, allowed, rtt = record.values[:3]
        return Backlog(record.now_ns, waiting, allowed, None if rtt == NONE else rtt)

    def _sent(self, record: Record) -> Iterator[Event]:
        packets = -(-record.sent // self.mss) - self.sent_packets
        if packets > 0:
            run = Run(self.sent_packets, self.sent_packets + packets - 1, self.mss, record.now_ns)
            self.sent_packets += packets
            yield Sent(record.now_ns, (run,), packets * self.mss, record.in_flight, app_limited=False)

    def _ack(self, record: Record) -> Iterator[Event]:
        last = -(-record.acked // self.mss)
        packets, self.rate, rate = last - self.acked_packets, {}, self.rate
        if packets <= 0:
            return
        rtt = None if record.rtt_ns == NONE else record.rtt_ns
        if rtt is not None:
            self.min_rtt_ns = min(rtt, self.min_rtt_ns or rtt)
        run = Run(self.acked_packets, last - 1, self.mss, max(record.now_ns - (rtt or 1), 1))
        self.acked_packets = last
        yield Ack(
            record.now_ns, (run,), packets * self.mss, record.in_flight, next_packet=-(-record.sent // self.mss),
            app_limited=bool(record.values[2]), latest_rtt_ns=rtt, min_rtt_ns=self.min_rtt_ns,
            smoothed_rtt_ns=record.srtt_us * 1000 or None, ack_delay_ns=0, **rate,
        )  # fmt: skip


def compare(control: Object, records: Sequence[Record]) -> Windows:
    """Replay a connection in the model until slow start ends or a loss comes."""
    replay = Replay(control, records[0])
    acks = acked = 0
    for record in records:
        if record.kind == LOSS or record.state >= _CA_CWR:
            return Windows(acks, "loss", None)
        if record.kind == ACK:
            in_order, acked = -(-record.acked // record.mss) - acked, -(-record.acked // record.mss)
            if record.values[1] != in_order:  # segments arrive behind a lost one
                return Windows(acks, "loss", None)
        observed = None
        for event in replay.events(record):
            observed = advance(replay.model, event)
        if record.kind != ACK or observed is None:
            continue
        acks += 1
        kernel, unit = record.cwnd * record.mss + record.rest, 1
        exited = record.ssthresh < INFINITE_SSTHRESH and record.cwnd >= record.ssthresh
        if exited:  # the kernel's congestion avoidance counts segments, the model's bytes
            kernel, unit = record.cwnd, record.mss
            if observed.ssthresh_bytes is None or observed.ssthresh_bytes // record.mss != record.ssthresh:
                text = f"ACK {acks}: threshold {record.ssthresh * record.mss}, model {observed.ssthresh_bytes}"
                return Windows(acks, "difference", text)
        if observed.cwnd_bytes // unit != kernel:
            model = f"model {observed.cwnd_bytes} ({observed.outcome})"
            text = f"ACK {acks}, {record.now_ns} ns: window {kernel * unit}, {model}"
            return Windows(acks, "difference", text)
        if exited:
            return Windows(acks, "exit", None)
    return Windows(acks, "end", None)

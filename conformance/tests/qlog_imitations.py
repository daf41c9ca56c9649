"""Writes a recording in the styles of several qlog writers: imitations of their measured habits, not their logs.

The recording follows a handshake with one Initial packet, which leaves flight when its keys are discarded.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from firstflight.events import Ack, Lost, Run, Sent
from firstflight_conformance.logs.recording.recording import Recording, Step

Record = dict[str, Any]
INITIAL_BYTES, INITIAL_LENGTH = 1200, 310
_RTT_NS = 50_000_000


@dataclass(frozen=True)
class Habits:
    """Habits of a writer. ``container``: json, seq, lines or rows. ``time``: relative, absolute, delta or whole ms.

    ``initial_rtt``: the default RTT is logged like a sample. ``coalesced``: the datagram of each ACK has a packet
    without an ACK, before the metrics. ``renamed``: the ``group_id`` changes after the first packet.
    """

    container: str
    title: str
    time: str = "relative"
    transport: str = "transport"
    recovery: str = "recovery"
    metrics: str = "metrics_updated"
    window: str = "congestion_window"
    changed_only: bool = False
    sent_before: bool = False
    ack_before: bool = False
    frames: bool = True
    packets_acked: bool = False
    rtt_in_s: bool = False
    rtt_less_delay: bool = False
    no_threshold: int | None = None
    first_number: int = 0
    skipped: int = 0
    padded: bool = False
    keys: bool = True
    parameters: str | None = None
    threshold: bool = True
    state: bool = False
    length_in: str = "raw"
    after_each_lost: bool = False
    initial_rtt: bool = False
    coalesced: bool = False
    renamed: bool = False
    tag_bytes: int = 0
    upper_case: bool = False


WRITERS = {
    "aioquic": Habits("json", "aioquic", "absolute", window="cwnd", sent_before=True, rtt_less_delay=True, keys=False, after_each_lost=True),
    "quic-go": Habits("seq", "quic-go qlog", ack_before=True, skipped=17, parameters="quic:recovery_parameters_set", threshold=False, state=True),
    "quinn": Habits("seq", "quinn", changed_only=True, frames=False, rtt_in_s=True, no_threshold=2**64 - 1, keys=False, length_in="header", initial_rtt=True, coalesced=True, renamed=True),
    "neqo": Habits("seq", "neqo-Client", transport="quic", recovery="quic", metrics="recovery_metrics_updated", changed_only=True, packets_acked=True, first_number=9000, padded=True, parameters="quic:recovery_parameters_set"),
    "ngtcp2": Habits("seq", "ngtcp2", "whole ms", keys=True),
    "quiche": Habits("seq", "quiche-client qlog", transport="quic", recovery="quic", metrics="recovery_metrics_updated", changed_only=True, state=True),
    "differences": Habits("lines", "some stack", "delta"),
    "rows of an old draft": Habits("rows", "some stack", keys=False),
    "picoquic": Habits("rows", "picoquic", tag_bytes=16, keys=False),
    "aioquic of 2019": Habits("rows", "aioquic", metrics="metric_update", window="cwnd", sent_before=True, rtt_less_delay=True, keys=False, after_each_lost=True),
    "mvfst": Habits("json", "mvfst", metrics="congestion_metric_update", window="current_cwnd"),
    "upper case": Habits("rows", "some stack", keys=False, upper_case=True),
}  # fmt: skip


def written(recording: Recording, habits: Habits) -> tuple[str, str | None]:
    """Return the log, and the peer's log if the log omits frames."""
    records = list(_Log(recording, habits).records())
    vantage = {"name": habits.title, "type": "client"}
    peer = None
    if not habits.frames:
        peer = _text(replace_container(habits), _peer(records), {"type": "server"})
        records = [_without_frames(record) for record in records]
    if habits.renamed:
        first = next(index for index, record in enumerate(records) if "1RTT" in str(record))
        records = [record | {"group_id": "b" if index >= first else "a"} for index, record in enumerate(records)]
    return _text(habits, records, vantage), peer


def replace_container(habits: Habits) -> Habits:
    """Return the habits of a peer that logs frames."""
    return Habits("seq", "a peer", habits.time)


def _without_frames(record: Record) -> Record:
    return record | {"data": {key: value for key, value in record["data"].items() if key != "frames"}}


def _peer(records: list[Record]) -> list[Record]:
    opposite = {"packet_sent": "transport:packet_received", "packet_received": "transport:packet_sent"}
    names = [(record, opposite.get(record["name"].partition(":")[2])) for record in records]
    return [record | {"name": name} for record, name in names if name is not None]


def _text(habits: Habits, records: list[Record], vantage: Record) -> str:
    records = _timed(habits, records)
    trace = {"vantage_point": vantage, "title": habits.title, "common_fields": {}}
    if habits.time == "delta":
        trace["common_fields"] = {"time_format": "delta"}
    if habits.container == "json":
        events = {"traces": [trace | {"events": records}], "qlog_version": "0.3", "qlog_format": "JSON"}
        return json.dumps(events, indent=1)
    if habits.container == "rows":
        rows = [*([r["time"], *r["name"].split(":"), r["data"]] for r in records), []]
        fields = ["relative_time", "category", "event", "data"]
        if habits.upper_case:
            fields = ["relative_time", "CATEGORY", "EVENT_TYPE", "DATA"]
        return json.dumps({"qlog_version": "draft-01", "traces": [trace | {"event_fields": fields, "events": rows}]})
    separator = "\x1e" if habits.container == "seq" else ""
    lines = [{"qlog_version": "0.3", "qlog_format": "JSON-SEQ", "title": habits.title, "trace": trace}, *records]
    return "".join(f"{separator}{json.dumps(line)}\n" for line in lines)


def _timed(habits: Habits, records: list[Record]) -> list[Record]:
    timed_records, before_ns = [], 0
    for record in records:
        t_ns = record["time"]
        time: int | float = t_ns / 10**6
        if habits.time == "absolute":
            time += 1_700_000_000_000
        elif habits.time == "whole ms":
            time = t_ns // 10**6
        elif habits.time == "delta":
            time, before_ns = (t_ns - before_ns) / 10**6, t_ns
        timed_records.append(record | {"time": time})
    return timed_records


class _Log:
    """Writes one recording with the habits of one writer. Times stay in ns until the end."""

    def __init__(self, recording: Recording, habits: Habits) -> None:
        self.recording, self.habits = recording, habits
        self.shown: Record = {}
        self.initial_bytes = 0
        self.acks = 0
        self.least_ns = 2**63
        self.packets = 0

    def records(self) -> Iterator[Record]:
        """Yield the records."""
        habits, steps = self.habits, self.recording.steps
        begin_ns = steps[0].event.t_ns - _RTT_NS
        if habits.parameters:
            config = self.recording.header.config
            data = {"initial_congestion_window": config.initial_window_bytes, "max_datagram_size": 1200}
            yield self._record(begin_ns, habits.parameters, data)
        self.initial_bytes = INITIAL_BYTES
        length = INITIAL_LENGTH if habits.padded else INITIAL_BYTES
        initial = {"packet_type": "initial", "packet_number": habits.first_number}
        sent = self._record(
            begin_ns, f"{habits.transport}:packet_sent", self._packet(initial, length, [{"frame_type": "crypto"}])
        )
        window = {
            habits.window: self.recording.header.config.initial_window_bytes,
            "bytes_in_flight": INITIAL_BYTES + habits.tag_bytes,
        }
        if habits.initial_rtt:
            window["latest_rtt"] = self._rtt(333 * 10**6)
        metrics = self._record(begin_ns, f"{habits.recovery}:{habits.metrics}", window)
        yield from (metrics, sent) if habits.sent_before else (sent, metrics)
        if habits.keys:
            self.initial_bytes = 0
            yield self._record(begin_ns + _RTT_NS, "security:key_discarded", {"key_type": "client_initial_secret"})
        for step in steps:
            yield from self._step(step)

    def _step(self, step: Step) -> Iterator[Record]:
        event, habits = step.event, self.habits
        metrics = self._metrics
        match event:
            case Sent():
                flight = event.bytes_in_flight - event.bytes
                for number, size in _each(event.packets):
                    flight += size
                    self.packets += 1
                    name = f"{habits.transport}:packet_sent"
                    frames = [{"frame_type": "stream", "stream_id": 0, "offset": number * 1000, "length": 1000}]
                    sent = self._record(event.t_ns, name, self._packet(self._one_rtt(number), size, frames))
                    both = [sent, *metrics(step, flight)]
                    yield from reversed(both) if habits.sent_before else both
            case Ack():
                self.packets -= sum(run.count for run in event.packets)
                self.initial_bytes = 0  # the keys are discarded by now, with or without a record
                after = list(metrics(step, event.bytes_in_flight))
                yield from [*after, *self._ack(event)] if habits.ack_before else [*self._ack(event), *after]
            case Lost():
                self.packets -= sum(run.count for run in event.packets)
                lost = f"{habits.recovery}:packet_lost"
                for number, _ in _each(event.packets):
                    header = self._one_rtt(number)
                    yield self._record(event.t_ns, lost, {"header": header, "trigger": "time_threshold"})
                    if habits.after_each_lost:
                        name = f"{habits.recovery}:{habits.metrics}"
                        yield self._record(event.t_ns, name, {"bytes_in_flight": event.bytes_in_flight + event.bytes})
                yield from metrics(step, event.bytes_in_flight)

    def _ack(self, event: Ack) -> Iterator[Record]:
        self.acks += 1
        ranges = [[self._number(packet)] * 2 for packet, _ in _each(event.packets)]
        frame = {"frame_type": "ack", "ack_delay": event.ack_delay_ns / 10**6, "acked_ranges": ranges}
        header = {"packet_type": "1RTT", "packet_number": self.acks}
        data = {"header": header, "raw": {"length": 40}, "frames": [frame]}
        yield self._record(event.t_ns, f"{self.habits.transport}:packet_received", data)
        if self.habits.packets_acked:
            numbers = [self._number(number) for number, _ in _each(event.packets)]
            data = {"packet_number_space": "application_data", "packet_numbers": numbers}
            yield self._record(event.t_ns, f"{self.habits.recovery}:packets_acked", data)
        if self.habits.coalesced:
            self.acks += 1
            data = {"header": header | {"packet_number": self.acks}, "frames": [{"frame_type": "stream"}]}
            yield self._record(event.t_ns, f"{self.habits.transport}:packet_received", data)

    def _metrics(self, step: Step, flight_bytes: int) -> Iterator[Record]:
        habits, subject, event = self.habits, step.subject, step.event
        now: Record = {habits.window: subject["cwnd_bytes"], "bytes_in_flight": self._flight(flight_bytes)}
        threshold = subject.get("ssthresh_bytes")
        threshold = habits.no_threshold if threshold is None else threshold
        if threshold is not None and habits.threshold:
            now["ssthresh"] = threshold
        if isinstance(event, Ack) and event.latest_rtt_ns is not None:
            rtt_ns = event.latest_rtt_ns
            self.least_ns = min(self.least_ns, rtt_ns)
            if habits.rtt_less_delay and rtt_ns > self.least_ns + event.ack_delay_ns:
                rtt_ns -= event.ack_delay_ns
            now["latest_rtt"] = self._rtt(rtt_ns)
        written = {k: v for k, v in now.items() if not habits.changed_only or self.shown.get(k) != v}
        self.shown |= now
        state = subject.get("state")
        if habits.state and state is not None and state != self.shown.get("state"):
            self.shown["state"] = state
            yield self._record(event.t_ns, f"{habits.recovery}:congestion_state_updated", {"new": state})
        if written:
            yield self._record(event.t_ns, f"{habits.recovery}:{habits.metrics}", written)

    def _flight(self, flight_bytes: int) -> int:
        """Return the bytes in flight as the writer counts them."""
        tags = self.packets + (self.initial_bytes > 0)
        return flight_bytes + self.initial_bytes + self.habits.tag_bytes * tags

    def _rtt(self, rtt_ns: int) -> float:
        if self.habits.time == "whole ms":
            rtt_ns = rtt_ns // 10**6 * 10**6
        return rtt_ns / (10**9 if self.habits.rtt_in_s else 10**6)

    def _number(self, packet: int) -> int:
        """Return the number of a packet in this log, with an offset and skipped numbers."""
        skipped = packet // self.habits.skipped if self.habits.skipped else 0
        return self.habits.first_number + packet + skipped

    def _one_rtt(self, packet: int) -> Record:
        return {"packet_type": "1RTT", "packet_number": self._number(packet)}

    def _packet(self, header: Record, length: int, frames: list[Record]) -> Record:
        if self.habits.length_in == "header":
            return {"header": header | {"length": length}, "frames": frames}
        return {"header": header, "raw": {"length": length}, "frames": frames}

    def _record(self, t_ns: int, name: str, data: Record) -> Record:
        if (
            self.habits.upper_case
        ):  # gQUIC has one packet number space: packets with ACKs, and losses, are without a type
            name = name.upper()
            if "RECEIVED" in name:
                data = data | {"packet_type": "UNKNOWN", "header": {"packet_number": data["header"]["packet_number"]}}
            elif "LOST" in name:
                data = {"packet_number": str(data["header"]["packet_number"])}
            frames = [frame | {"frame_type": frame["frame_type"].upper()} for frame in data.get("frames", [])]
            data = data | ({"frames": frames} if frames else {})
        return {"time": t_ns, "name": name, "data": data}


def _each(runs: tuple[Run, ...]) -> Iterator[tuple[int, int]]:
    for run in runs:
        for number in range(run.first, run.last + 1):
            yield number, run.size_bytes

"""Reads a qlog as a recording, in the order of records that agrees most often with the logged bytes in flight."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from statistics import median_low
from typing import Any

from firstflight import Config
from firstflight.events import Ack as AckEvent
from firstflight.events import Sent as SentEvent
from firstflight.limits import DATAGRAM_MAX_BYTES
from firstflight_conformance.format.timeline import milliseconds
from firstflight_conformance.logs.qlog.build import Build
from firstflight_conformance.logs.qlog.clock import ORIGIN_NS, Clock, resolution_ns
from firstflight_conformance.logs.qlog.connections import chosen
from firstflight_conformance.logs.qlog.container import Trace, read_traces
from firstflight_conformance.logs.qlog.groups import ORDERS, Order, groups_of
from firstflight_conformance.logs.qlog.items import Acked, Item, Lost, Metrics, Parameters, Reader, Received, Sent
from firstflight_conformance.logs.qlog.peer import frames_of, joined
from firstflight_conformance.logs.qlog.values import NS_PER_MS, FieldError, member
from firstflight_conformance.logs.qlog.writers import Writer, writer_of
from firstflight_conformance.logs.recording.files import RecordingError, is_recording, read_bounded
from firstflight_conformance.logs.recording.recording import Recording

#: Uncertainty of RTTs from the times, in logs without samples. Event loops were measured up to this late at the median.
_LATENESS_NS = 200_000
_RTT_UNITS_NS = (NS_PER_MS, 1_000_000_000, 1000)


@dataclass(frozen=True, slots=True)
class LogOptions:
    """Options of the user for reading a log.

    ``trace`` and ``group``: select one connection of a qlog. ``connection``: number of a connection in a capture.
    ``columns``: for a table, maps the name of a column in the file to the name that the reader expects.
    """

    trace: int | None = None
    group: str | None = None
    initial_window_bytes: int | None = None
    max_datagram_size_bytes: int | None = None
    connection: int | None = None
    columns: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Log:
    """A parsed qlog. ``agreement``: share of the logged bytes in flight that agree with the recording."""

    recording: Recording
    agreement: float
    order: Order
    notes: tuple[str, ...]


def read_qlog(
    path: Path, peer: Path | None = None, options: LogOptions | None = None, data: bytes | None = None
) -> Log:
    """Read a qlog, with missing frames from the qlog of the peer.

    Raise :class:`RecordingError` if it cannot be judged.

    ``data``: content of the file, if already read.
    """
    options = options or LogOptions()
    data = read_bounded(path) if data is None else data
    if is_recording(data):
        raise RecordingError(path, "file", "is a recording; judge it with `firstflight judge`")
    traces = read_traces(path, data)
    with _at(path, "events"):
        trace = chosen(path, traces, options.trace, options.group)
    writer = writer_of(trace.header, trace.records)
    items, clock = _items(path, trace, writer)
    if peer is not None:
        traces = read_traces(peer, read_bounded(peer))
        with _at(peer, "events"):
            records = chosen(peer, traces).records
            items = joined(items, frames_of(records, "packet_sent"), frames_of(records, "packet_received"))
    if not writer.every_window:  # a qlog of Firstflight may contain any valid vector
        _check_items(path, items, peer)
    with _at(path, "events"):
        build, order = _best(items, writer)
        _check_build(path, build, order)
        recording = _recording(path, items, build, options, _name(trace, writer))
        if order.prior:
            quality = {**recording.header.quality, "order_inferred": True}
            recording = replace(recording, header=replace(recording.header, quality=quality))
    notes = [*trace.notes, *_version_notes(trace), *clock.notes]
    if clock.early:
        by_ms = milliseconds(clock.earliest_ns)
        notes.append(f"{clock.early} records were before an earlier one, by up to {by_ms} ms, and were moved to it")
    if build.unlogged_loss:
        notes.append("the log has no record of a loss: it is read up to the first reduction of the window")
    if build.rtt_unit_ns is None:
        notes.append(
            "the RTT samples of the log fit no unit (perhaps without the ACK delay): RTTs from the times are used"
        )
    elif build.rtt_unit_ns != NS_PER_MS:
        unit, time_unit = ("s", "us") if build.rtt_unit_ns > NS_PER_MS else ("us", "s")
        notes.append(
            f"the RTTs are in {unit}, or the times in {time_unit}: the times are used, in the unit of the header"
        )
    if not build.rtts and build.rtt_unit_ns is not None:
        notes.append("the log has no RTT samples: RTTs from the times are used; see the margin")
    return Log(recording, build.agreement, order, tuple(notes))


def _version_notes(trace: Trace) -> list[str]:
    version = trace.header.get("qlog_version")
    if version is None or re.fullmatch(r"(draft-)?\d\d\S*|0\.\d\S*", str(version)):
        return []
    return [f"qlog_version: {str(version)[:40]!r} is unknown, and is read as a known version"]


def _items(path: Path, trace: Trace, writer: Writer) -> tuple[list[Item], Clock]:
    reader, items = Reader(), []
    with _at(path, "header"):
        clock = Clock(trace.header, as_logged=writer.every_window)
    for place, record in trace.records:
        with _at(path, place):
            item = reader.item(clock.ns(record.get("time")), record.get("name"), member(record, "data"))
            if item is not None:
                items.append(item)
    with _at(path, "time"):
        clock.check()
    return items, clock


@contextmanager
def _at(path: Path, place: str) -> Iterator[None]:
    """Raise errors of the block as :class:`RecordingError` with this place."""
    try:
        yield
    except (FieldError, ArithmeticError) as error:
        raise RecordingError(path, place, str(error)) from error


def _check_items(path: Path, items: Sequence[Item], peer: Path | None) -> None:
    if not any(isinstance(item, Sent) for item in items):
        raise RecordingError(path, "events", "no packet_sent with a packet number: the log contains no sent packets")
    if not any(isinstance(item, Acked) or (isinstance(item, Received) and item.ranges) for item in items):
        blind = any(isinstance(item, Received) and item.ranges is None for item in items)
        if blind and peer is None:
            raise RecordingError(
                path, "events", "packets are logged without frames; give the log of the peer by --peer"
            )
        raise RecordingError(path, "events", "no ACKs: neither frames of packet_received nor packets_acked hold any")
    if not any(isinstance(item, Metrics) and "cwnd_bytes" in item.values for item in items):
        raise RecordingError(path, "events", "no congestion_window: let the stack log its recovery metrics")
    if not any(isinstance(item, Metrics) and "bytes_in_flight" in item.values for item in items):
        raise RecordingError(path, "events", "no bytes_in_flight: it is needed to check that the log is complete")


def _best(items: Sequence[Item], writer: Writer) -> tuple[Build, Order]:
    """Return the best order of records (metrics before or after their packet or ACK), and the recording built with it.

    In the best order, the largest share of logged bytes in flight agrees with the values computed from the packets. The
    first order without a difference wins.
    """
    if any(isinstance(item, Received) and item.ranges for item in items):  # they contain more than packets_acked
        items = [item for item in items if not isinstance(item, Acked)]
    silent = not any(isinstance(item, Lost) for item in items)
    best: tuple[Build, Order] | None = None
    for order in ORDERS:
        build = Build(writer, silent=silent)
        build.run(groups_of(items, order, writer))
        if best is None or _better(build, best[0]):
            best = build, order
        if build.agreed == build.logged and not build.unlogged_loss:
            break
    assert best is not None
    unit_ns = _rtt_unit_ns(best[0].rtts)
    if unit_ns != NS_PER_MS:
        build = Build(writer, unit_ns, silent=silent)
        build.run(groups_of(items, best[1], writer))
        best = build, best[1]
    return best


def _better(build: Build, than: Build) -> bool:
    """Return whether ``build`` fits the logged bytes in flight better than ``than``, another order of the records.

    The larger share of agreeing values wins. Exception: if either build ends at an unlogged loss, a share of at least
    95% (:attr:`Build.whole`) counts first, then the number of agreeing values.
    """
    if build.unlogged_loss or than.unlogged_loss:
        return (build.whole, build.agreed) > (than.whole, than.agreed)
    return build.agreement > than.agreement


def _rtt_unit_ns(rtts: Sequence[tuple[Decimal, int]]) -> int | None:
    """Return the unit of the logged RTTs in ns (1 ms, 1 s or 1 us) that fits the times of the log.

    ``rtts``: pairs of a logged RTT and the RTT computed from the times, in ns. A unit fits if the medians of both
    differ by at most a factor of 4. Return None if no unit fits, perhaps because the log subtracts the ACK delay.
    Return 1 ms without pairs.
    """
    if not rtts:
        return NS_PER_MS
    logged, computed_ns = median_low([rtt for rtt, _ in rtts]), median_low([rtt_ns for _, rtt_ns in rtts])
    for unit_ns in _RTT_UNITS_NS:
        if computed_ns <= 4 * logged * unit_ns and logged * unit_ns <= 4 * max(computed_ns, 250_000):
            return unit_ns
    return None


def _check_build(path: Path, build: Build, order: Order) -> None:
    if not build.whole and build.first_mismatch is not None:
        place, t_ns, logged_bytes, bytes_in_flight = build.first_mismatch
        raise RecordingError(
            path,
            "bytes_in_flight",
            f"only {build.agreed} of {build.logged} agree with the packets, in the best order ({order}): nothing is judged "
            f"below 95 %. The first difference is number {place}, at {milliseconds(t_ns - ORIGIN_NS)} ms: {logged_bytes} bytes are logged, and the packets "
            f"give {bytes_in_flight}. Are records missing, several connections in the log, or frames that only the peer's log has (--peer)?",
        )
    if build.acks == 0 and not build.writer.every_window:
        raise RecordingError(path, "events", "no ACK acknowledges a packet that was logged as sent")


def _recording(path: Path, items: Sequence[Item], build: Build, options: LogOptions, name: str) -> Recording:
    """Return the recording of ``build``, with initial window and datagram size in its header.

    Both come from the user's ``options``, otherwise from parameters in the log. Defaults: the first logged window, and
    the most frequent packet size. Raise :class:`FieldError` for a datagram size out of range.
    """
    parameters: dict[str, int] = {}
    for item in items:
        if isinstance(item, Parameters):
            parameters = {**item.values, **parameters}
    first = _first_window(items)
    window = options.initial_window_bytes or parameters.get("initial_window_bytes", first)
    datagram = options.max_datagram_size_bytes or parameters.get("max_datagram_size_bytes") or _largest(build)
    if not 0 < datagram <= DATAGRAM_MAX_BYTES:
        raise FieldError(f"max_datagram_size: {datagram} is not within 1..{DATAGRAM_MAX_BYTES}")
    times_ns = resolution_ns([step.event.t_ns for step in build.recorder.steps], 1)
    rtts_ns = resolution_ns([logged for logged, _ in build.rtts], build.rtt_unit_ns or NS_PER_MS)
    if not build.rtts:
        rtts_ns = max(times_ns, _LATENESS_NS)
    source: dict[str, Any] = {"kind": "qlog", "name": path.name, "writer": name}
    recording = build.recording(source, Config(datagram, window), (times_ns, rtts_ns))
    window_is_known = options.initial_window_bytes or "initial_window_bytes" in parameters
    return recording if window_is_known else _with_range(recording)


def _with_range(recording: Recording) -> Recording:
    """Return the recording with an interval of initial windows if the first logged window may include growth by an ACK.

    A whole number of datagrams does not include growth.
    """
    header = recording.header
    window_bytes, datagram_bytes = header.config.initial_window_bytes, header.config.max_datagram_size_bytes
    first = next((index for index, step in enumerate(recording.steps) if "cwnd_bytes" in step.subject), 0)
    acks = [step.event for step in recording.steps[: first + 1] if isinstance(step.event, AckEvent)]
    if window_bytes is None or not acks or window_bytes % datagram_bytes == 0:
        return recording
    least_bytes = window_bytes - sum(event.bytes for event in acks)
    if least_bytes < datagram_bytes:
        return recording
    quality = dict(header.quality) | {"initial_window_range": [least_bytes, window_bytes]}
    return replace(recording, header=replace(header, quality=quality))


def _first_window(items: Sequence[Item]) -> int | None:
    """Return the initial window in bytes, or None without a logged window.

    It is the smallest window logged before the second sent packet and before the first received packet. Without a
    window up to then, it is the first logged window. quiche adapts its window to the datagram size until it sends the
    first packet.
    """
    first_bytes: int | None = None
    sent = 0
    for item in items:
        sent += isinstance(item, Sent)
        if first_bytes is not None and (sent > 1 or isinstance(item, Received | Acked)):
            break
        window = item.values.get("cwnd_bytes") if isinstance(item, Metrics) else None
        if window is not None and (first_bytes is None or window < first_bytes):
            first_bytes = window
    return first_bytes


def _largest(build: Build) -> int:
    """Return the most frequent size of packets in bytes, not the largest: the largest packet is often a probe."""
    sizes: Counter[int] = Counter()
    for step in build.recorder.steps:
        if isinstance(step.event, SentEvent):
            for run in step.event.packets:
                sizes[run.size_bytes] += run.count
    return max(sizes, key=lambda size: (sizes[size], size))


def _name(trace: Trace, writer: Writer) -> str:
    """Return the writer of the log, with its logged version."""
    inner = member(trace.header, "trace")
    version = member(inner, "vantage_point").get("name") or inner.get("title") or trace.header.get("title")
    return (
        writer.name if not isinstance(version, str) or writer.name in version.lower() else f"{writer.name} ({version})"
    )

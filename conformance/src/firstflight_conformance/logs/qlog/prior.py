"""Orders logs of quic-go of 2020: metrics show the state before an ACK, and an ACK is logged at its arrival.

Packets that were sent between the arrival and the processing of an ACK follow its record. The bytes in flight before
the ACK identify these packets.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from firstflight_conformance.logs.qlog.items import Discarded, Item, Lost, Metrics, Received, Sent

#: Largest delay from the arrival of an ACK to its processing.
_LATE_NS = 50_000_000


class _Flight:
    """Bytes in flight after the records so far."""

    def __init__(self) -> None:
        self._sizes: dict[tuple[str, int], int] = {}
        self.bytes = 0

    def take(self, item: Item) -> None:
        """Process a record."""
        match item:
            case Sent() if item.in_flight and item.size_bytes is not None:
                for number in range(item.first, item.last + 1):
                    self._sizes[item.space, number] = item.size_bytes
                    self.bytes += item.size_bytes
            case Received() if item.ranges:
                self._leave(item.space, item.ranges)
            case Lost():
                self._leave(item.space, [(item.first, item.last)])
            case Discarded():
                self._leave(item.space, [(0, 1 << 62)])
            case _:
                pass

    def _leave(self, space: str, ranges: Sequence[tuple[int, int]]) -> None:
        gone = [key for key in self._sizes if key[0] == space and any(a <= key[1] <= b for a, b in ranges)]
        self.bytes -= sum(self._sizes.pop(key) for key in gone)


def as_processed(items: Sequence[Item]) -> list[Item]:
    """Return the items in the order of processing, each ACK followed by its RTT and the window after it.

    The log has the RTT of an ACK in the metrics before its record, and the window after the ACK in the next metrics.
    Metrics without bytes in flight are omitted.
    """
    ordered = _in_order([item for item in items if not isinstance(item, Metrics) or "bytes_in_flight" in item.values])
    processed: list[Item] = []
    ack: int | None = None  # index for the metrics of the last ACK
    for index, item in enumerate(ordered):
        before = ordered[index - 1] if index else None
        if isinstance(item, Metrics):
            window: dict[str, Any] = {
                name: item.values[name] for name in ("cwnd_bytes", "ssthresh_bytes") if name in item.values
            }
            if ack is not None:
                processed.insert(ack, Metrics(item.t_ns, window))
            processed.append(Metrics(item.t_ns, {"bytes_in_flight": item.values["bytes_in_flight"]}))
            ack = None
            continue
        processed.append(item)
        if isinstance(item, Received) and item.ranges:
            if isinstance(before, Metrics) and "latest_rtt" in before.values:
                processed.append(Metrics(item.t_ns, {"latest_rtt": before.values["latest_rtt"]}))
            ack = len(processed)
    return processed


def _in_order(items: Sequence[Item]) -> list[Item]:
    """Return the items in the order of processing: some sent packets are moved before the metrics of an ACK.

    The metrics report the bytes in flight before the processing of the ACK. This value may exceed the bytes in flight
    computed from the earlier records by exactly the next sent packets, within 50 ms. These packets were sent before the
    processing: they are moved before the metrics, and get the time of the metrics.
    """
    flight, processed, rest = _Flight(), list[Item](), list(items)
    index = 0
    while index < len(rest):
        item = rest[index]
        if isinstance(item, Metrics):
            early = _early(rest[index + 1 :], item, item.values["bytes_in_flight"] - flight.bytes)
            for packet in early:
                flight.take(packet)
                processed.append(replace(packet, t_ns=item.t_ns))
                rest.remove(packet)
        flight.take(item)
        processed.append(item)
        index += 1
    return processed


def _early(behind: Sequence[Item], metrics: Metrics, missing_bytes: int) -> list[Sent]:
    """Return the first sent packets in ``behind`` if their sizes add up to exactly ``missing_bytes``.

    ``behind``: the items after ``metrics`` in the log. ``missing_bytes``: bytes in flight in ``metrics``, less those
    computed from the earlier items. Return an empty list without such packets within 50 ms after the metrics.
    """
    packets: list[Sent] = []
    for item in behind:
        if missing_bytes <= 0 or item.t_ns - metrics.t_ns > _LATE_NS:
            break
        if isinstance(item, Sent) and item.in_flight and item.size_bytes is not None:
            packets.append(item)
            missing_bytes -= item.size_bytes * (item.last - item.first + 1)
    return packets if missing_bytes == 0 else []

"""Describes events for the text of an issue."""

from collections.abc import Iterator, Sequence

from firstflight.events import Ack, Ce, Event, Lost, Pto, Run, Sent, SpuriousLoss
from firstflight_conformance.format.timeline import event_text, milliseconds

_VERBS: dict[type[Event], str] = {Sent: "send", Ack: "ACK of", Lost: "declare lost"}

_NAMES: dict[type[Event], str] = {Pto: "the probe timer expires", SpuriousLoss: "the last loss is found to be spurious"}


def described(event: Event) -> str:
    """Return the description of an event for readers of an issue."""
    if isinstance(event, Ce):
        return f"ACK of packet {event.packet} raises the ECN-CE count to {event.ce_count}"
    if not isinstance(event, Sent | Ack | Lost):
        return _NAMES.get(type(event)) or event_text(event).replace("_", " ")
    parts = [f"{_VERBS[type(event)]} {_packets(event.packets)}", f"{event.bytes_in_flight} in flight"]
    if isinstance(event, Ack):
        rtt_ns = event.latest_rtt_ns
        parts.append("without an RTT sample" if rtt_ns is None else f"RTT {milliseconds(rtt_ns)} ms")
    if not isinstance(event, Lost) and event.app_limited:
        parts.append("application-limited")
    return ", ".join(parts)


def _packets(runs: Sequence[Run]) -> str:
    """Return packet numbers and bytes, with consecutive packets of equal size grouped."""
    groups = list(_equal_size_ranges(runs))
    return ", ".join(f"{','.join(ranges)} ({size} bytes)" for ranges, size in groups)


def _equal_size_ranges(runs: Sequence[Run]) -> Iterator[tuple[list[str], int]]:
    """Yield ranges of packets of one size, and their bytes."""
    joined: list[tuple[int, int, int]] = []
    for run in runs:
        if joined and joined[-1][1] + 1 == run.first and joined[-1][2] == run.size_bytes:
            joined[-1] = (joined[-1][0], run.last, run.size_bytes)
        else:
            joined.append((run.first, run.last, run.size_bytes))
    while joined:
        size = joined[0][2]
        same = []
        while joined and joined[0][2] == size:
            same.append(joined.pop(0))
        texts = [str(first) if first == last else f"{first}-{last}" for first, last, _ in same]
        yield texts, size * sum(last - first + 1 for first, last, _ in same)

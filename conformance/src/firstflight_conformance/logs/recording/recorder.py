"""Builds a recording event by event. The ledger fills in the derived members of events."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias

from firstflight.events import Ack, Event, Lost, Run, Sent
from firstflight.limits import RUN_MAX_PACKETS
from firstflight_conformance.format.ledger import Ledger, LedgerError, RttEstimator
from firstflight_conformance.logs.recording.recording import Header, Recording, Step, Subject

#: Packet numbers, and ranges of them, both ends included.
Packets: TypeAlias = Iterable[int | tuple[int, int]]


class Recorder:
    """Records packets as they are sent, acknowledged and lost, in the order of time.

    Packets are numbered from 0 in the order of sending. Raise :class:`LedgerError`, without a change, for a packet that
    is not in flight. ``t_ns`` is the time of an event: at least 1.
    """

    def __init__(self) -> None:
        """Start with an empty flight."""
        self.steps: list[Step] = []
        self._ledger, self._rtt, self._discarded_bytes = Ledger(), RttEstimator(), 0
        self.packets_in_flight = 0

    @property
    def next_packet(self) -> int:
        """The number of the next packet sent."""
        return self._ledger.next_packet

    @property
    def bytes_in_flight(self) -> int:
        """Bytes in flight after the events so far."""
        return self._ledger.bytes_in_flight

    def oldest_in_flight(self) -> Iterator[tuple[int, int]]:
        """Yield the packets in flight with their sizes, the oldest first."""
        for run in self._ledger.in_flight:
            for packet in range(run.first, run.last + 1):
                yield packet, run.size_bytes

    def in_flight(self, packet: int) -> bool:
        """Return whether a packet is in flight."""
        return self._ledger.find(packet) is not None

    def sent_t_ns(self, packet: int) -> int:
        """Return the send time of a packet in flight."""
        run = self._ledger.find(packet)
        if run is None:
            raise LedgerError(f"packet {packet} is not in flight")
        return run.sent_t_ns

    def sent(self, t_ns: int, sizes_bytes: Iterable[int | tuple[int, int]], *, app_limited: bool = False) -> None:
        """Record packets sent at one time. An entry is the size of one packet, or (packets, size) for equal sizes.

        ``app_limited``: after them the sender had window left and nothing to send.
        """
        runs: list[Run] = []
        for entry in sizes_bytes:
            packets, size_bytes = entry if isinstance(entry, tuple) else (1, entry)
            first = self._ledger.next_packet
            self._ledger.send(Run(first, first + packets - 1, size_bytes, t_ns))
            self.packets_in_flight += packets
            _append(runs, Run(first, first + packets - 1, size_bytes, t_ns))
        self.event(Sent(t_ns, _split(runs), _bytes(runs), self._ledger.bytes_in_flight, app_limited))

    def acked(
        self,
        t_ns: int,
        packets: Packets,
        *,
        sample: bool = True,
        latest_rtt_ns: int | None = None,
        ack_delay_ns: int = 0,
        app_limited: bool = False,
        **optional: Any,
    ) -> None:
        """Record an ACK of these packets, or ranges of packets.

        ``latest_rtt_ns``: the RTT that the sender used; default: computed from the times. ``optional``: optional
        members of an ACK. ``sample``: the ACK gives an RTT sample: the largest packet that the frame acknowledges is
        newly acknowledged.
        """
        runs = self._take(packets)
        computed_ns = t_ns - runs[-1].sent_t_ns
        latest_ns = (latest_rtt_ns if latest_rtt_ns is not None else computed_ns) if sample else None
        if latest_ns is not None:
            self._rtt.sample(latest_ns, ack_delay_ns)
        self.event(
            Ack(
                t_ns, _split(runs), _bytes(runs), self._ledger.bytes_in_flight, self._ledger.next_packet, app_limited,
                latest_ns, self._rtt.min_ns, self._rtt.smoothed_ns, ack_delay_ns, **optional,
            )
        )  # fmt: skip
        if sample:
            self.report(computed_rtt_ns=computed_ns)

    def lost(self, t_ns: int, packets: Packets) -> None:
        """Record packets declared lost."""
        runs = self._take(packets)
        self.event(Lost(t_ns, _split(runs), _bytes(runs), self._ledger.bytes_in_flight, self._ledger.next_packet))

    def discarded(self, packets: Packets) -> None:
        """Remove packets that are neither acknowledged nor lost: their keys were discarded, or they probed the path."""
        self._discarded_bytes += _bytes(self._take(packets))

    def event(self, event: Event) -> None:
        """Append an event unchanged: for events that change no packets in flight, such as ``Ce`` or ``PathChange``.

        ``Sent``, ``Ack`` and ``Lost`` are recorded by :meth:`sent`, :meth:`acked` and :meth:`lost`.
        """
        self.steps.append(Step(event, discarded_bytes=self._discarded_bytes))
        self._discarded_bytes = 0

    def amend(self, **members: Any) -> None:
        """Change members of the last event."""
        step = self.steps[-1]
        self.steps[-1] = replace(step, event=replace(step.event, **members))

    def report(self, **answers: Any) -> None:
        """Add values that the sender reported after the last event, such as ``cwnd_bytes``, named as in :class:`Subject`."""
        step = self.steps[-1]
        subject: Any = {**step.subject, **answers}
        typed_subject: Subject = subject
        self.steps[-1] = replace(step, subject=typed_subject)

    def recording(self, header: Header) -> Recording:
        """Return the recording up to now."""
        return Recording(header, tuple(self.steps))

    def _take(self, packets: Packets) -> list[Run]:
        """Remove packets from flight. Return them as runs of consecutive packets with equal size and send time."""
        ranges = _ranges(packets)
        if not ranges:
            raise LedgerError("an event needs packets")
        for first, last in ranges:
            if self._ledger.missing(first, last) is not None:
                raise LedgerError(f"packets {first}..{last} are not all in flight")
        runs: list[Run] = []
        for first, last in ranges:
            self.packets_in_flight -= last - first + 1
            for run in self._ledger.take(first, last):
                _append(runs, run)
        return runs


def _ranges(packets: Packets) -> list[tuple[int, int]]:
    """Return packets as maximal ranges in rising order."""
    sorted_ranges = sorted((packet, packet) if isinstance(packet, int) else packet for packet in packets)
    ranges: list[tuple[int, int]] = []
    for first, last in sorted_ranges:
        if ranges and ranges[-1][1] + 1 == first:
            first = ranges.pop()[0]  # noqa: PLW2901 - the range grows to the left
        ranges.append((first, last))
    return ranges


def _append(runs: list[Run], run: Run) -> None:
    """Append ``run`` to ``runs``, or extend the last run by it.

    The last run is extended if the packet numbers of ``run`` follow it directly, with equal size and send time.
    """
    if runs and runs[-1] == Run(runs[-1].first, run.first - 1, run.size_bytes, run.sent_t_ns):
        run = Run(runs.pop().first, run.last, run.size_bytes, run.sent_t_ns)
    runs.append(run)


def _split(runs: list[Run]) -> tuple[Run, ...]:
    """Return the packet runs of an event, with longer runs split into runs of at most 65535 packets.

    A run is a range of consecutive packets with equal size and send time.
    """
    return tuple(
        Run(first, min(first + RUN_MAX_PACKETS - 1, run.last), run.size_bytes, run.sent_t_ns)
        for run in runs
        for first in range(run.first, run.last + 1, RUN_MAX_PACKETS)
    )


def _bytes(runs: list[Run]) -> int:
    return sum(run.count * run.size_bytes for run in runs)

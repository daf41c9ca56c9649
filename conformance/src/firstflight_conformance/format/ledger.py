"""The ledger of a sender: its packets in flight, and the RTT estimator."""

from bisect import bisect_right
from dataclasses import dataclass, field
from operator import attrgetter

from firstflight.events import Run

_first = attrgetter("first")
#: Largest number of free entries at the front of the list of runs.
_SPARE_RUNS = 1024


class LedgerError(ValueError):
    """A stream acknowledges or loses a packet that is not in flight, or has invalid packet numbers."""


@dataclass(slots=True)
class Ledger:
    """Packets in flight, as runs in rising order."""

    next_packet: int = 0
    bytes_in_flight: int = 0
    #: The runs in flight start at ``_head``. Runs nearly always leave at the front, without moving the rest of the
    #: list.
    _runs: list[Run] = field(default_factory=list)
    _head: int = 0
    #: Unacknowledged packets that were sent without being in flight.
    _not_in_flight: "Ledger | None" = None

    @property
    def in_flight(self) -> list[Run]:
        """A copy of the packets in flight."""
        return self._runs[self._head :]

    @property
    def oldest(self) -> Run | None:
        """The first run in flight, or ``None``."""
        return self._runs[self._head] if self._head < len(self._runs) else None

    def send(self, run: Run, *, not_in_flight: bool = False) -> None:
        """Record sent packets. Raise :class:`LedgerError` unless their numbers are the next ones."""
        if run.first != self.next_packet or run.last < run.first:
            raise LedgerError(f"packets {run.first}..{run.last}: the next packet number is {self.next_packet}")
        self.next_packet = run.last + 1
        if not_in_flight:
            self._not_in_flight = self._not_in_flight or Ledger()
            self._not_in_flight.next_packet = run.first
            self._not_in_flight.send(run)
            return
        self._runs.append(run)
        self.bytes_in_flight += run.count * run.size_bytes

    def find(self, packet: int) -> Run | None:
        """Return the run in flight that contains ``packet``, or ``None``."""
        start, stop = self._touched(packet, packet)
        return self._runs[start] if start < stop else None

    def missing(self, first: int, last: int) -> int | None:
        """Return the first of the packets that is not in flight, or ``None``."""
        packet = self._end(*self._touched(first, last), first)
        return packet if packet <= last else None

    def _end(self, start: int, stop: int, first: int) -> int:
        """Return the smallest packet number, at least ``first``, outside the runs ``start`` to ``stop`` - 1.

        The two numbers are indices in the ledger's list of runs. A run is a range of consecutive packets in flight.
        """
        packet = first
        for run in self._runs[start:stop]:
            if run.first > packet:
                break
            packet = run.last + 1
        return packet

    def take(self, first: int, last: int) -> list[Run]:
        """Remove packets from flight. Return them as runs. Raise :class:`LedgerError` if a packet is not in flight."""
        _rising(first, last)
        start, stop = self._touched(first, last)
        packet = self._end(start, stop, first)
        if packet <= last:
            never = "was never sent" if packet >= self.next_packet else "is not in flight any more"
            raise LedgerError(f"packet {packet} {never}")
        return self._remove(start, stop, first, last)

    def take_not_in_flight(self, first: int, last: int) -> list[Run]:
        """Remove unacknowledged packets sent with ``not_in_flight`` (only ACKs). Return them as runs.

        These packets are recorded separately and are not part of bytes in flight. Raise :class:`LedgerError` if a
        packet of first..last was sent in another way, or is already acknowledged.
        """
        _rising(first, last)
        if self._not_in_flight is None or self._not_in_flight.missing(first, last) is not None:
            raise LedgerError(
                f"packets {first}..{last}: not all were sent with not_in_flight and are not acknowledged yet"
            )
        return self._not_in_flight.take(first, last)

    def _touched(self, first: int, last: int) -> tuple[int, int]:
        """Return the indices (start, stop) of the runs that contain a packet of first..last; ``stop`` is excluded."""
        runs, start = self._runs, self._head
        if start < len(runs) and runs[start].first < first:
            start = bisect_right(runs, first, start, key=_first) - 1
            if runs[start].last < first:
                start += 1
        stop = start
        while stop < len(runs) and runs[stop].first <= last:
            stop += 1
        return start, stop

    def _remove(self, start: int, stop: int, first: int, last: int) -> list[Run]:
        """Remove packets first..last from the runs with indices ``start`` to ``stop`` - 1. Return them as runs."""
        runs, head = self._runs, self._head
        low, high = runs[start], runs[stop - 1]
        removed = runs[start:stop]
        rest = []
        if low.first < first:
            removed[0] = _part(low, first, last)
            rest.append(_part(low, low.first, first - 1))
        if high.last > last:
            removed[-1] = _part(high, first, last)
            rest.append(_part(high, last + 1, high.last))
        new_head = head + stop - start - len(rest)
        if new_head >= 0 and start - head <= len(runs) - stop:
            runs[new_head:stop] = [*runs[head:start], *rest]
            self._head = new_head
        else:
            runs[start:stop] = rest
        if self._head > _SPARE_RUNS and 2 * self._head > len(runs):
            del runs[: self._head]
            self._head = 0
        for part in removed:
            self.bytes_in_flight -= part.count * part.size_bytes
        return removed


def _rising(first: int, last: int) -> None:
    """Raise :class:`LedgerError` for a falling range."""
    if last < first:
        raise LedgerError(f"packets {first}..{last}: expected a rising range")


def _part(run: Run, first: int, last: int) -> Run:
    """Return the packets of a run in first..last."""
    if run.first >= first and run.last <= last:
        return run
    return Run(max(run.first, first), min(run.last, last), run.size_bytes, run.sent_t_ns)


@dataclass(slots=True)
class DataLedger:
    """Record of sent and acknowledged data.

    Packets may repeat data. The id of data is the number of the packet that carried it first.
    """

    #: Data by the packet that repeats it.
    repeats: dict[int, int] = field(default_factory=dict)
    #: Unacknowledged data.
    open_data: set[int] = field(default_factory=set)
    #: Packets sent with ``not_in_flight``, which carry no data.
    without_data: set[int] = field(default_factory=set)

    def send(
        self, first: int, last: int, repeated: tuple[tuple[int, int], ...], *, not_in_flight: bool = False
    ) -> None:
        """Record sent packets first..last. The first of them carry data of earlier packets again, in order.

        ``repeated``: ranges (first, last) of packets that carried this data first. Raise :class:`LedgerError` if such a
        packet was not sent before, carries no data, or itself repeats data. Raise it also if ``repeated`` has more
        packets than first..last, or any with ``not_in_flight``: sent packets that are not in flight carry no data.
        """
        named = [packet for low, high in repeated for packet in range(low, high + 1)]
        if not_in_flight:
            if named:
                raise LedgerError(f"packets {first}..{last}: packets that are not in flight carry no data")
            self.without_data.update(range(first, last + 1))
            return
        if len(named) > last - first + 1:
            raise LedgerError(f"{len(named)} packets are repeated by {last - first + 1}")
        for packet, data in zip(range(first, first + len(named)), named, strict=True):
            if data >= first:
                raise LedgerError(f"packet {data} was not sent before")
            if data in self.without_data:
                raise LedgerError(f"packet {data} carries no data: it was not in flight")
            if data in self.repeats:
                raise LedgerError(f"packet {data} carries data of packet {self.repeats[data]}: name that one")
            self.repeats[packet] = data
        self.open_data.update(range(first + len(named), last + 1))

    def acknowledge(self, first: int, last: int) -> None:
        """Record that packets first..last arrived."""
        self.open_data -= {self.repeats.get(packet, packet) for packet in range(first, last + 1)}

    def oldest_unacked(self, next_packet: int) -> int:
        """Return the first packet whose data is not acknowledged, or ``next_packet``."""
        return min(self.open_data, default=next_packet)


@dataclass(slots=True)
class RttEstimator:
    """RFC 9002, section 5, in ns. Divisions round down. ``None`` before the first sample."""

    latest_ns: int | None = None
    min_ns: int | None = None
    smoothed_ns: int | None = None
    variation_ns: int = 0

    def sample(self, latest_ns: int, ack_delay_ns: int) -> None:
        """Process one RTT sample."""
        self.latest_ns = latest_ns
        if self.min_ns is None or self.smoothed_ns is None:
            self.min_ns = self.smoothed_ns = latest_ns
            self.variation_ns = latest_ns // 2
            return
        self.min_ns = min(self.min_ns, latest_ns)
        adjusted_ns = latest_ns - ack_delay_ns if latest_ns >= self.min_ns + ack_delay_ns else latest_ns
        self.variation_ns = (3 * self.variation_ns + abs(self.smoothed_ns - adjusted_ns)) // 4
        self.smoothed_ns = (7 * self.smoothed_ns + adjusted_ns) // 8

"""The ledger of a sender: which packets are in flight, and the RTT estimator."""

from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import islice
from operator import attrgetter

from firstflight.events import Run

_first = attrgetter("first")


class LedgerError(ValueError):
    """A stream acknowledges or loses a packet that is not in flight, or numbers packets wrongly."""


@dataclass(slots=True)
class Ledger:
    """Packets in flight, as runs in rising order."""

    next_packet: int = 0
    bytes_in_flight: int = 0
    in_flight: list[Run] = field(default_factory=list)

    def send(self, run: Run) -> None:
        """Record packets being sent. Raise :class:`LedgerError` unless their numbers follow."""
        if run.first != self.next_packet or run.last < run.first:
            raise LedgerError(f"packets {run.first}..{run.last}: the next packet number is {self.next_packet}")
        self.in_flight.append(run)
        self.next_packet = run.last + 1
        self.bytes_in_flight += run.count * run.size_bytes

    def find(self, packet: int) -> Run | None:
        """Return the run in flight that holds ``packet``, or ``None``."""
        index = bisect_right(self.in_flight, packet, key=_first) - 1
        run = self.in_flight[index] if index >= 0 else None
        return run if run is not None and packet <= run.last else None

    def within(self, first: int, last: int) -> list[tuple[int, int]]:
        """Return the ranges of the packets first..last that are in flight, rising, as long as they can be."""
        ranges: list[tuple[int, int]] = []
        index = max(bisect_right(self.in_flight, first, key=_first) - 1, 0)
        for run in islice(self.in_flight, index, None):
            if run.first > last:
                break
            if run.last >= first:
                low, high = max(first, run.first), min(last, run.last)
                if ranges and ranges[-1][1] == low - 1:
                    ranges[-1] = (ranges[-1][0], high)
                else:
                    ranges.append((low, high))
        return ranges

    def take(self, first: int, last: int) -> list[Run]:
        """Remove the packets from flight; return them as runs. Raise :class:`LedgerError` if one is not in flight."""
        taken = []
        packet = first
        while packet <= last:
            run = self.find(packet)
            if run is None:
                never = "was never sent" if packet >= self.next_packet else "is not in flight any more"
                raise LedgerError(f"packet {packet} {never}")
            part = Run(packet, min(last, run.last), run.size_bytes, run.sent_t_ns)
            self._remove(run, part)
            taken.append(part)
            packet = part.last + 1
        return taken

    def _remove(self, run: Run, part: Run) -> None:
        index = bisect_right(self.in_flight, part.first, key=_first) - 1
        rest = []
        if run.first < part.first:
            rest.append(Run(run.first, part.first - 1, run.size_bytes, run.sent_t_ns))
        if part.last < run.last:
            rest.append(Run(part.last + 1, run.last, run.size_bytes, run.sent_t_ns))
        self.in_flight[index : index + 1] = rest
        self.bytes_in_flight -= part.count * part.size_bytes


@dataclass(slots=True)
class DataLedger:
    """Which data is acknowledged, where packets repeat the data of others. Data is named by the packet that carried it first."""

    #: Packets that repeat data, and whose.
    repeats: dict[int, int] = field(default_factory=dict)
    #: Data that is not acknowledged.
    open_data: set[int] = field(default_factory=set)

    def send(self, first: int, last: int, retransmits: tuple[tuple[int, int], ...]) -> None:
        """Record packets first..last; those at the front repeat the named data in its order."""
        named = [packet for low, high in retransmits for packet in range(low, high + 1)]
        if len(named) > last - first + 1:
            raise LedgerError(f"{len(named)} packets are repeated by {last - first + 1}")
        for packet, data in zip(range(first, first + len(named)), named, strict=True):
            if data >= first:
                raise LedgerError(f"packet {data} was not sent before")
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
    """RFC 9002, section 5, in ns, each division rounded down; ``None`` before the first sample."""

    latest_ns: int | None = None
    min_ns: int | None = None
    smoothed_ns: int | None = None
    variation_ns: int = 0

    def sample(self, latest_ns: int, ack_delay_ns: int) -> None:
        """Take one sample."""
        self.latest_ns = latest_ns
        if self.min_ns is None or self.smoothed_ns is None:
            self.min_ns = self.smoothed_ns = latest_ns
            self.variation_ns = latest_ns // 2
            return
        self.min_ns = min(self.min_ns, latest_ns)
        adjusted_ns = latest_ns - ack_delay_ns if latest_ns >= self.min_ns + ack_delay_ns else latest_ns
        self.variation_ns = (3 * self.variation_ns + abs(self.smoothed_ns - adjusted_ns)) // 4
        self.smoothed_ns = (7 * self.smoothed_ns + adjusted_ns) // 8

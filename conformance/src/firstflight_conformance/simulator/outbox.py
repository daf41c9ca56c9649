"""The data of a transfer on the sender's side: what waits to be sent, for the first time or again."""

from collections import deque
from dataclasses import dataclass, field

from firstflight.events import Run
from firstflight_conformance.simulator.transfer import Transfer


@dataclass(slots=True)
class Outbox:
    """Data without names: what was lost adds to what is left. ``left_bytes`` is ``None`` for a transfer without end."""

    left_bytes: int | None

    @property
    def empty(self) -> bool:
        """Whether everything was sent, and what was lost of it again."""
        return self.left_bytes == 0

    def next_size_bytes(self, full_bytes: int) -> int:
        """Return the size of the next packet, 0 if there is nothing to send now."""
        return full_bytes if self.left_bytes is None else min(full_bytes, self.left_bytes)

    def count_alike(self, size_bytes: int, most: int) -> int:
        """Return how many of the next packets, up to ``most``, have the size of the next one."""
        return most if self.left_bytes is None else min(most, self.left_bytes // size_bytes)

    def take(self, _packet: int, size_bytes: int, count: int) -> int | None:
        """Put data into so many packets. Return the packet whose data the one repeats, ``None`` if their data is new or nameless."""
        if self.left_bytes is not None:
            self.left_bytes -= count * size_bytes
        return None

    def lost(self, runs: list[Run]) -> None:
        """Take back the data of lost packets."""
        if self.left_bytes is not None:
            self.left_bytes += sum(run.count * run.size_bytes for run in runs)

    def acked(self, ranges: list[tuple[int, int]], new_bytes: int) -> None:
        """Process packets that arrived; ``new_bytes`` of them were in flight."""

    def probe(self, oldest: Run | None) -> None:
        """Make sure that there is something to send: the data of the oldest packet in flight."""
        if self.left_bytes == 0 and oldest is not None:
            self.left_bytes += oldest.size_bytes

    def oldest_unacked(self, _next_packet: int) -> int | None:
        """Return the first packet whose data is not acknowledged, ``None`` if data has no names."""
        return None


@dataclass(slots=True)
class NamedOutbox(Outbox):
    """Data is named by the packet that carried it first, so that packets say whose data they repeat.

    With a send buffer the application writes ``write_bytes`` at a time, as soon as a write fits into it.
    """

    transfer: Transfer
    #: Lost data that waits to be sent again: its name and size.
    again: deque[tuple[int, int]] = field(default_factory=deque)
    #: Packets that repeat data, and whose; only those whose data is not acknowledged.
    repeats: dict[int, int] = field(default_factory=dict)
    #: Names above ``oldest`` whose data is acknowledged, and packet numbers that name nothing.
    closed: set[int] = field(default_factory=set)
    oldest: int = 0
    sent_bytes: int = 0
    acked_bytes: int = 0
    #: Whether what waits first is a probe, which leaves although its data has arrived.
    probing: bool = False
    #: How much the application has written, ``None`` without end.
    written_bytes: int | None = field(init=False)

    def __post_init__(self) -> None:
        """Let the application write what the buffer takes."""
        self._write()

    @property
    def empty(self) -> bool:
        """Whether everything was sent, and what was lost of it again."""
        return self.left_bytes == 0 and not self.again

    def next_size_bytes(self, full_bytes: int) -> int:
        """Return the size of the next packet, 0 if there is nothing to send now."""
        while self.again and not self.probing and self._is_acked(self.again[0][0]):
            self.again.popleft()
        if self.again:
            return self.again[0][1]
        if self.written_bytes is None:
            return full_bytes
        return min(full_bytes, self.written_bytes - self.sent_bytes)

    def _write(self) -> None:
        """Let the application write: everything, or whole writes as far as the buffer holds them."""
        transfer = self.transfer
        self.written_bytes = transfer.transfer_bytes
        if transfer.send_buffer_bytes is not None:
            room_bytes = self.acked_bytes + transfer.send_buffer_bytes
            if transfer.transfer_bytes is None or transfer.transfer_bytes > room_bytes:
                self.written_bytes = room_bytes // transfer.write_bytes * transfer.write_bytes

    def count_alike(self, size_bytes: int, most: int) -> int:
        """Return how many of the next packets, up to ``most``, have the size of the next one. Those that repeat data go one by one."""
        if self.again:
            return min(most, 1)
        return most if self.written_bytes is None else min(most, (self.written_bytes - self.sent_bytes) // size_bytes)

    def take(self, packet: int, size_bytes: int, count: int) -> int | None:
        """Put data into so many packets. Return the packet whose data the one repeats, ``None`` if their data is new."""
        if self.again:
            name, _ = self.again.popleft()
            self.probing = False
            self.repeats[packet] = name
            self._close(packet)
            return name
        if self.left_bytes is not None:
            self.left_bytes -= count * size_bytes
        self.sent_bytes += count * size_bytes
        return None

    def lost(self, runs: list[Run]) -> None:
        """Take back the data of lost packets that has not arrived otherwise."""
        for run in runs:
            for packet in range(run.first, run.last + 1):
                name = self.repeats.get(packet, packet)
                if not self._is_acked(name):
                    self.again.append((name, run.size_bytes))

    def acked(self, ranges: list[tuple[int, int]], new_bytes: int) -> None:
        """Process packets that arrived; ``new_bytes`` of them were in flight."""
        self.acked_bytes += new_bytes
        self._write()
        for first, last in ranges:
            for packet in range(first, last + 1):
                self._close(self.repeats.pop(packet, packet))

    def probe(self, oldest: Run | None) -> None:
        """Make sure that there is something to send: the data of the oldest packet in flight, even if it has arrived otherwise."""
        if oldest is None or self.next_size_bytes(1) > 0:
            return
        name = self.repeats.get(oldest.first, oldest.first)
        self.probing = self._is_acked(name)
        self.again.append((oldest.first if self.probing else name, oldest.size_bytes))

    def oldest_unacked(self, next_packet: int) -> int:
        """Return the first packet whose data is not acknowledged, or ``next_packet``."""
        return min(self.oldest, next_packet)

    def _is_acked(self, name: int) -> bool:
        return name < self.oldest or name in self.closed

    def _close(self, name: int) -> None:
        if name > self.oldest:
            self.closed.add(name)
        elif name == self.oldest:
            self.oldest += 1
            while self.oldest in self.closed:
                self.closed.remove(self.oldest)
                self.oldest += 1

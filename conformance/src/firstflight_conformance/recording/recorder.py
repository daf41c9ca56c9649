"""Makes a recording event by event: the ledger fills in what follows from the rest."""

from collections.abc import Iterable
from typing import Any

from firstflight.events import Ack, Event, Lost, Run, Sent
from firstflight_conformance.cases.ledger import Ledger, LedgerError, RttEstimator
from firstflight_conformance.recording.recording import Header, Recording, Step, Subject


class Recorder:
    """Takes packets as they are sent, acknowledged and lost, in the order of time; packets are numbered from 0 in the order of sending.

    A packet that is not in flight raises :class:`LedgerError`, with nothing changed. Times are the ``t_ns`` of the events: at least 1.
    """

    def __init__(self) -> None:
        """Begin with nothing in flight."""
        self.steps: list[Step] = []
        self._ledger, self._rtt = Ledger(), RttEstimator()

    @property
    def next_packet(self) -> int:
        """The number of the packet that is sent next."""
        return self._ledger.next_packet

    @property
    def bytes_in_flight(self) -> int:
        """What is in flight by the events so far."""
        return self._ledger.bytes_in_flight

    def in_flight(self, packet: int) -> bool:
        """Return whether a packet is in flight."""
        return self._ledger.find(packet) is not None

    def sent(self, t_ns: int, sizes_bytes: Iterable[int], *, app_limited: bool = False) -> None:
        """Record packets of these sizes being sent at once."""
        runs: list[Run] = []
        for size_bytes in sizes_bytes:
            packet = self._ledger.next_packet
            run = Run(packet, packet, size_bytes, t_ns)
            self._ledger.send(run)
            if runs and runs[-1].size_bytes == size_bytes:
                run = Run(runs.pop().first, packet, size_bytes, t_ns)
            runs.append(run)
        self.event(Sent(t_ns, tuple(runs), _bytes(runs), self._ledger.bytes_in_flight, app_limited))

    def acked(
        self,
        t_ns: int,
        packets: Iterable[int],
        *,
        sample: bool = True,
        latest_rtt_ns: int | None = None,
        ack_delay_ns: int = 0,
        app_limited: bool = False,
    ) -> None:
        """Record an ACK of these packets. ``latest_rtt_ns``: the RTT that the subject took, by default that of the times.

        ``sample``: whether there was one at all: the largest packet that the frame acknowledges is newly acknowledged.
        """
        runs = self._take(packets)
        computed_ns = t_ns - runs[-1].sent_t_ns
        latest_ns = (latest_rtt_ns if latest_rtt_ns is not None else computed_ns) if sample else None
        if latest_ns is not None:
            self._rtt.sample(latest_ns, ack_delay_ns)
        self.event(
            Ack(
                t_ns, tuple(runs), _bytes(runs), self._ledger.bytes_in_flight, self._ledger.next_packet, app_limited,
                latest_ns, self._rtt.min_ns, self._rtt.smoothed_ns, ack_delay_ns,
            )
        )  # fmt: skip
        if sample:
            self.report(computed_rtt_ns=computed_ns)

    def lost(self, t_ns: int, packets: Iterable[int]) -> None:
        """Record packets being declared lost."""
        runs = self._take(packets)
        self.event(Lost(t_ns, tuple(runs), _bytes(runs), self._ledger.bytes_in_flight, self._ledger.next_packet))

    def event(self, event: Event) -> None:
        """Record any other event as it is."""
        self.steps.append(Step(event))

    def report(self, **answers: Any) -> None:
        """Add what the subject reported after the last event: members of :class:`Subject`."""
        step = self.steps[-1]
        subject: Any = {**step.subject, **answers}
        found: Subject = subject
        self.steps[-1] = Step(step.event, found)

    def recording(self, header: Header) -> Recording:
        """Return what was recorded so far."""
        return Recording(header, tuple(self.steps))

    def _take(self, packets: Iterable[int]) -> list[Run]:
        """Take packets out of flight, joined where they follow each other and were sent alike."""
        numbers = sorted(packets)
        missing = [packet for packet in numbers if not self.in_flight(packet)]
        if missing or not numbers:
            raise LedgerError(f"packet {missing[0]} is not in flight" if missing else "an event needs packets")
        runs: list[Run] = []
        for packet in numbers:
            (run,) = self._ledger.take(packet, packet)
            if runs and runs[-1] == Run(runs[-1].first, packet - 1, run.size_bytes, run.sent_t_ns):
                run = Run(runs.pop().first, packet, run.size_bytes, run.sent_t_ns)
            runs.append(run)
        return runs


def _bytes(runs: list[Run]) -> int:
    return sum(run.count * run.size_bytes for run in runs)

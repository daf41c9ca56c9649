"""One flow: a sender, a receiver, their timers, and where the scenario has them handshake and teardown.

Packets are tuples: size on the wire, kind, and what the kind needs.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from firstflight.enums import Enum
from firstflight.events import Run
from firstflight_conformance.simulator import recovery
from firstflight_conformance.simulator.clock import Clock, Lane
from firstflight_conformance.simulator.in_loop import InLoop
from firstflight_conformance.simulator.links import AnyLink, Packet, chain
from firstflight_conformance.simulator.path import AckPolicy
from firstflight_conformance.simulator.sender import Sender
from firstflight_conformance.simulator.transfer import Connection, Receiver, Transfer

#: Data at the receiver: when, in which packet, whose data that repeats, and its size.
Arrival: TypeAlias = tuple[int, int, int | None, int]
#: A SYN or FIN is repeated so often, each time after twice as long.
MOST_REPEATS = 10


class Kind(Enum):
    """What a packet is. The packets of the receiver are those from ``SYN_ACK`` on."""

    DATA = 0  #: data of the response
    SYN = 1  #: begins the handshake
    SYN_ACKED = 2  #: acknowledges the SYN of the receiver
    FIN_ACKED = 3  #: acknowledges the FIN of the receiver
    SYN_ACK = 4  #: answers a SYN
    ACK = 5  #: acknowledges data
    FIN = 6  #: ends the connection


@dataclass(slots=True)
class Delivered:
    """What has arrived at the receiver. Data counts once, however often it was sent."""

    bytes: int = 0
    largest: int = -1
    missing: set[int] = field(default_factory=set)

    def add(self, packet: int, name: int | None, size_bytes: int) -> None:
        """Count a packet; ``name`` is the packet whose data it repeats."""
        if packet > self.largest:
            if packet > self.largest + 1:
                self.missing.update(range(self.largest + 1, packet))
            self.largest = packet
            new = name is None
        else:
            new = name is None and packet in self.missing
            self.missing.discard(packet)
        if name is not None and name in self.missing:
            self.missing.remove(name)
            new = True
        if new:
            self.bytes += size_bytes


class NotedDelivered(Delivered):
    """Notes when what arrived."""

    def __init__(self, clock: Clock, arrivals: list[Arrival]) -> None:
        """Add to ``arrivals``; times are since ``clock`` was at its time now."""
        super().__init__()
        self._clock = clock
        self._origin_ns = clock.now_ns
        self._arrivals = arrivals

    def add(self, packet: int, name: int | None, size_bytes: int) -> None:
        """Count a packet and note it."""
        super().add(packet, name, size_bytes)
        self._arrivals.append((self._clock.now_ns - self._origin_ns, packet, name, size_bytes))


class Flow:
    """A sender and a receiver with links between them.

    Times of its life, ``None`` until they have come: ``started_ns``, ``established_ns`` (the SYN-ACK arrived), ``completed_ns`` (the last
    byte arrived at the receiver), ``acknowledged_ns`` (the sender knows), ``finished_ns`` (after the teardown, if there is one).
    """

    def __init__(
        self,
        clock: Clock,
        transfer: Transfer,
        receiver: Receiver,
        controller: InLoop,
        links: tuple[list[AnyLink], list[AnyLink]],
        *,
        keep_events: bool = True,
    ) -> None:
        """Set up a flow; ``links`` are those towards the receiver and those back."""
        self.clock = clock
        self.transfer = transfer
        self.sender = Sender(transfer, controller, keep_events)
        self.acks = AckPolicy(receiver)
        self.delivered = Delivered()
        self.started_ns: int | None = None
        self.established_ns: int | None = None
        self.completed_ns: int | None = None
        self.acknowledged_ns: int | None = None
        self.finished_ns: int | None = None
        self.on_finished: Callable[[Flow], None] | None = None
        self._forward = chain(clock, links[0], self._at_receiver)
        self._back = chain(clock, links[1], self._at_sender)
        self._deadlines = Lane(clock, self._delayed_ack)
        self._names = self.transfer.named_data
        self._loss_timer_ns: int | None = None
        self._probe_timer_ns: int | None = None
        self._pacer_ns: int | None = None
        self._syn_repeats = self._fin_repeats = 0
        self._fin_arrived = False

    def start(self, _: None = None) -> None:
        """Begin now: with the handshake, if there is one."""
        self.started_ns = self.clock.now_ns
        if self.transfer.connection is None:
            self._send()
        else:
            self._send_syn()

    # Handshake and teardown

    def _send_syn(self, _: None = None) -> None:
        connection = self.transfer.connection
        assert connection is not None
        if self.established_ns is None and self._syn_repeats <= MOST_REPEATS:
            self.clock.at(self.clock.now_ns + (connection.retry_ns << self._syn_repeats), self._send_syn)
            self._syn_repeats += 1
            self._forward((connection.syn_bytes, Kind.SYN))

    def _on_syn_ack(self) -> None:
        connection = self.transfer.connection
        assert connection is not None and self.started_ns is not None
        if self.established_ns is not None:
            return
        self.established_ns = self.clock.now_ns
        if self._syn_repeats == 1:  # otherwise nobody knows which one was answered
            self.sender.sample_handshake(self.clock.now_ns, self.started_ns)
        self._forward((self.transfer.ack_bytes, Kind.SYN_ACKED))
        self.clock.at(self.clock.now_ns + connection.data_after_ns, self._send)

    def _send_fin(self, acked: tuple[list[tuple[int, int]], int] | None = None) -> None:
        """Send a FIN, which may carry an ACK."""
        connection = self.transfer.connection
        assert connection is not None
        if self.finished_ns is None and self._fin_repeats <= MOST_REPEATS:
            self.clock.at(self.clock.now_ns + (connection.retry_ns << self._fin_repeats), self._send_fin)
            self._fin_repeats += 1
            self._back((self.transfer.ack_bytes, Kind.FIN, *(acked or ())))

    def _finish(self) -> None:
        if self.finished_ns is None:
            self.finished_ns = self.clock.now_ns
            if self.on_finished is not None:
                self.on_finished(self)

    # Data towards the receiver

    def _send(self, _: None = None) -> None:
        self._forward_runs(self.sender.send(self.clock.now_ns))
        if self._pacer_ns is None and self.sender.wants_pacer():
            self._pacer_ns = max(self.sender.release_ns, self.clock.now_ns)
            self.clock.at(self._pacer_ns, self._paced)

    def _forward_runs(self, runs: list[Run]) -> None:
        if not runs:
            return
        sender, forward = self.sender, self._forward
        names = sender.repeated if self._names else None
        header_bytes = self.transfer.header_bytes
        last = runs[-1].last if sender.outbox.empty else -1
        for run in runs:
            size_bytes = run.size_bytes
            for packet in range(run.first, run.last + 1):
                name = names.get(packet) if names else None
                forward((size_bytes + header_bytes, Kind.DATA, packet, name, size_bytes, packet == last))
        self._set_probe_timer()

    def _paced(self, _: None) -> None:
        self._pacer_ns = None
        self._send()

    def _at_receiver(self, packet: Packet) -> None:
        kind = packet[1]
        if kind is Kind.DATA:
            self._on_data(packet[2], packet[3], packet[4], last=packet[5])
        elif kind is Kind.SYN:
            connection = self.transfer.connection
            assert connection is not None
            self._back((connection.syn_bytes, Kind.SYN_ACK))
        elif kind is Kind.FIN_ACKED:
            self._finish()

    def _on_data(self, packet: int, name: int | None, size_bytes: int, *, last: bool) -> None:
        delivered, acks = self.delivered, self.acks
        delivered.add(packet, name, size_bytes)
        at_once = acks.arrived(self.clock.now_ns, packet)
        fills_gap = self._fin_arrived
        self._fin_arrived |= last
        if delivered.bytes == self.transfer.transfer_bytes and self.completed_ns is None:
            self.completed_ns = self.clock.now_ns
        if self._fin_arrived and self.completed_ns is not None and self.transfer.connection is not None:
            self._close(self.transfer.connection, fills_gap=fills_gap)
        elif at_once:
            self._acknowledge()
        elif acks.deadline_ns is not None and len(acks.pending) == 1:
            self._deadlines.at(acks.deadline_ns, acks.deadline_ns)

    def _close(self, connection: Connection, *, fills_gap: bool) -> None:
        """Answer the FIN, now that all data is there. ``fills_gap``: the FIN had come before the data that was missing."""
        if self._fin_repeats > 0:
            self._acknowledge()
        elif fills_gap and connection.fin_acknowledges:
            self._send_fin(self.acks.acknowledge(self.clock.now_ns))
        else:
            self._acknowledge()
            self._send_fin()

    def _delayed_ack(self, deadline_ns: int) -> None:
        if self.acks.deadline_ns == deadline_ns:
            self._acknowledge()

    def _acknowledge(self) -> None:
        ranges, delay_ns = self.acks.acknowledge(self.clock.now_ns)
        self._back((self.transfer.ack_bytes, Kind.ACK, ranges, delay_ns))

    # ACKs towards the sender

    def _at_sender(self, packet: Packet) -> None:
        kind = packet[1]
        if kind is Kind.ACK:
            self._on_ack(packet[2], packet[3])
        elif kind is Kind.SYN_ACK:
            self._on_syn_ack()
        elif kind is Kind.FIN:
            if len(packet) > 2:
                self._on_ack(packet[2], packet[3])
            self._forward((packet[0], Kind.FIN_ACKED))

    def _on_ack(self, ranges: list[tuple[int, int]], ack_delay_ns: int) -> None:
        self.sender.on_ack(self.clock.now_ns, ranges, ack_delay_ns)
        self._after_losses()
        if self.acknowledged_ns is None and self.sender.done:
            self.acknowledged_ns = self.clock.now_ns
            if self.transfer.connection is None:
                self._finish()

    # Timers of the sender

    def _after_losses(self) -> None:
        timer_ns = recovery.loss_timer_ns(self.sender)
        if timer_ns is not None and timer_ns != self._loss_timer_ns:
            self._loss_timer_ns = timer_ns
            self.clock.at(max(timer_ns, self.clock.now_ns), self._on_loss_timer, timer_ns)
        self._send()
        self._set_probe_timer()

    def _on_loss_timer(self, timer_ns: int) -> None:
        if timer_ns == self._loss_timer_ns:
            self._loss_timer_ns = None
            self.sender.check_app_limited()
            recovery.detect_losses(self.sender, self.clock.now_ns)
            self._after_losses()

    def _set_probe_timer(self) -> None:
        """Have one action waiting for the probe timer; it looks again when it is its turn."""
        if self._probe_timer_ns is None:
            self._probe_timer_ns = recovery.probe_timer_ns(self.sender)
            if self._probe_timer_ns is not None:
                self._probe_timer_ns = max(self._probe_timer_ns, self.clock.now_ns)
                self.clock.at(self._probe_timer_ns, self._on_probe_timer)

    def _on_probe_timer(self, _: None) -> None:
        self._probe_timer_ns = None
        due_ns = recovery.probe_timer_ns(self.sender)
        if due_ns is not None and due_ns <= self.clock.now_ns:
            recovery.on_probe_timeout(self.sender, self.clock.now_ns)
            self._forward_runs(self.sender.probe(self.clock.now_ns))
        self._set_probe_timer()

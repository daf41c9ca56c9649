"""Builds a stream of events by hand. The ledger fills in the derived members of events."""

from dataclasses import dataclass, field, replace
from typing import Any

from firstflight.delivery_rate import RateSampler
from firstflight.events import (
    Ack,
    Backlog,
    Ce,
    DatagramSize,
    Event,
    IdleRestart,
    Lost,
    PathChange,
    PersistentCongestion,
    Pto,
    Run,
    Sent,
    SpuriousLoss,
)
from firstflight_conformance.format.ledger import DataLedger, Ledger, RttEstimator
from firstflight_conformance.format.oracle import Expectation

US = 1_000
MS = 1_000_000
S = 1_000_000_000


@dataclass(slots=True)
class StreamBuilder:
    """Builder of the list ``events``; its methods append events. Times are in ns after ``origin_ns``, the start."""

    max_datagram_size_bytes: int = 1200
    initial_window_bytes: int | None = 12000
    origin_ns: int = S
    events: list[Event] = field(default_factory=list)
    ledger: Ledger = field(default_factory=Ledger)
    rtt: RttEstimator = field(default_factory=RttEstimator)
    ce_count: int = 0
    #: Time of the last confirmed path change, or 0.
    path_start_ns: int = 0
    #: Set for streams with the acknowledged data.
    data: DataLedger | None = None
    #: Set for streams with delivery-rate samples.
    sampler: RateSampler | None = None
    expectations: list[Expectation] = field(default_factory=list)

    def expect(self, *, at: int | None = None, profile: str | tuple[str, ...] | None = None, **values: Any) -> None:
        """Add values derived by hand: observables or members of ``state`` after event ``at`` (default: the last event).

        ``profile``: profiles with these values, by default all of the stimulus. Raise ``ValueError`` for an unknown
        event.
        """
        at = len(self.events) - 1 if at is None else at
        if not 0 <= at < len(self.events):
            raise ValueError(f"expect: event {at} is not among {len(self.events)} events")
        profiles = (profile,) if isinstance(profile, str) else profile
        self.expectations.append(Expectation(at, values, profiles))

    def acked(self, packet: int) -> int:
        """Return the index of the event that acknowledges the packet, for :meth:`expect`."""
        for number, event in enumerate(self.events):
            if isinstance(event, Ack) and any(run.first <= packet <= run.last for run in event.packets):
                return number
        raise ValueError(f"expect: packet {packet} is not acknowledged")

    def send(
        self,
        t_ns: int,
        packets: int,
        size_bytes: int | None = None,
        *,
        app_limited: bool = False,
        repeats: tuple[tuple[int, int], ...] = (),
        pmtu_probe: bool = False,
        not_in_flight: bool = False,
    ) -> None:
        """Send packets in one event, each of ``size_bytes``, by default of the maximum datagram size.

        ``t_ns``: time after ``origin_ns``. ``app_limited``: after the packets the sender has window left and no data.
        ``repeats``: ranges (first, last) of earlier packets; the first packets of this event carry their data again.
        ``pmtu_probe``: all packets are PMTU probes. ``not_in_flight``: all packets contain only ACKs.
        """
        sizes = [(packets, size_bytes or self.max_datagram_size_bytes)]
        flags = {"app_limited": app_limited, "pmtu_probe": pmtu_probe, "not_in_flight": not_in_flight}
        self.send_sizes(t_ns, sizes, repeats=repeats, **flags)

    def send_sizes(
        self,
        t_ns: int,
        sizes: list[tuple[int, int]],
        *,
        app_limited: bool = False,
        repeats: tuple[tuple[int, int], ...] = (),
        pmtu_probe: bool = False,
        not_in_flight: bool = False,
    ) -> None:
        """Send runs of (packets, size in bytes) in one event.

        ``t_ns``: time after ``origin_ns``. ``app_limited``: after the packets the sender has window left and no data.
        ``repeats``: ranges (first, last) of earlier packets; the first packets of this event carry their data again.
        ``pmtu_probe``: all packets are PMTU probes. ``not_in_flight``: all packets contain only ACKs.
        """
        t_ns += self.origin_ns
        runs = []
        for packets, size_bytes in sizes:
            first = self.ledger.next_packet
            run = Run(first, first + packets - 1, size_bytes, t_ns)
            self.ledger.send(run, not_in_flight=not_in_flight)
            runs.append(run)
        if self.data is not None:
            self.data.send(runs[0].first, runs[-1].last, repeats, not_in_flight=not_in_flight)
        in_flight_bytes = self.ledger.bytes_in_flight
        sent = Sent(t_ns, tuple(runs), _bytes(runs), in_flight_bytes, app_limited, repeats, pmtu_probe)
        self._add(replace(sent, not_in_flight=not_in_flight))

    def send_bytes(self, t_ns: int, total_bytes: int) -> None:
        """Send a number of bytes as full packets and one smaller packet for the rest."""
        full, rest = divmod(total_bytes, self.max_datagram_size_bytes)
        sizes = [(min(full - done, 65535), self.max_datagram_size_bytes) for done in range(0, full, 65535)]
        self.send_sizes(t_ns, sizes + ([(1, rest)] if rest else []))

    def ack(
        self, t_ns: int, *ranges: tuple[int, int], sample: bool = True, ack_delay_ns: int = 0, app_limited: bool = False
    ) -> None:
        """Acknowledge ranges (first, last). The largest packet gives the RTT sample, unless ``sample`` is off."""
        t_ns += self.origin_ns
        runs = [run for first, last in ranges for run in self.ledger.take(first, last)]
        sample = sample and runs[-1].sent_t_ns > self.path_start_ns
        latest_ns = t_ns - runs[-1].sent_t_ns if sample else None
        if latest_ns is not None:
            self.rtt.sample(latest_ns, ack_delay_ns)
        oldest_unacked = None
        if self.data is not None:
            for first, last in ranges:
                self.data.acknowledge(first, last)
            oldest_unacked = self.data.oldest_unacked(self.ledger.next_packet)
        self._add(
            Ack(
                t_ns, tuple(runs), _bytes(runs), self.ledger.bytes_in_flight, self.ledger.next_packet, app_limited,
                latest_ns, self.rtt.min_ns, self.rtt.smoothed_ns, ack_delay_ns, oldest_unacked,
            )
        )  # fmt: skip

    def ack_not_in_flight(self, t_ns: int, *ranges: tuple[int, int]) -> None:
        """Acknowledge ranges (first, last) of packets that were sent with ``not_in_flight``, without an RTT sample."""
        t_ns += self.origin_ns
        runs = [run for first, last in ranges for run in self.ledger.take_not_in_flight(first, last)]
        self._add(
            Ack(
                t_ns, tuple(runs), _bytes(runs), self.ledger.bytes_in_flight, self.ledger.next_packet, False,
                None, self.rtt.min_ns, self.rtt.smoothed_ns, 0, not_in_flight=True,
            )
        )  # fmt: skip

    def _add(self, event: Event) -> None:
        self.events.append(event if self.sampler is None else self.sampler.sampled(event))

    def resample(self, **members: int | bool) -> None:
        """Replace members of the last event's delivery-rate sample, for a sender that samples differently."""
        self.events[-1] = replace(self.events[-1], **members)  # type: ignore[arg-type]

    def ack_bytes(self, t_ns: int, total_bytes: int) -> None:
        """Acknowledge the oldest packets in flight, which must add up to ``total_bytes``."""
        first = self.ledger.in_flight[0].first
        last, remaining_bytes = first - 1, total_bytes
        for run in self.ledger.in_flight:
            packets = min(run.count, remaining_bytes // run.size_bytes)
            last = run.first + packets - 1 if packets else last
            remaining_bytes -= packets * run.size_bytes
            if packets < run.count:
                break
        if remaining_bytes:
            raise ValueError(f"{total_bytes} bytes end within packet {last + 1}")
        self.ack(t_ns, (first, last))

    def lose(self, t_ns: int, *ranges: tuple[int, int], pmtu_probe: bool = False) -> None:
        """Declare ranges (first, last) lost; ``pmtu_probe``: they were sent as PMTU probes."""
        t_ns += self.origin_ns
        runs = [run for first, last in ranges for run in self.ledger.take(first, last)]
        lost = Lost(t_ns, tuple(runs), _bytes(runs), self.ledger.bytes_in_flight, self.ledger.next_packet)
        self._add(replace(lost, pmtu_probe=pmtu_probe))

    def ce(self, t_ns: int, packet: int, sent_t_ns: int) -> None:
        """Append a ``ce`` event: an ACK frame raised the ECN-CE counter by one.

        ``packet``: the largest packet that the frame acknowledges, sent ``sent_t_ns`` after ``origin_ns``.
        """
        self.ce_count += 1
        self.events.append(Ce(t_ns + self.origin_ns, packet, sent_t_ns + self.origin_ns, self.ce_count))

    def persistent_congestion(self, t_ns: int) -> None:
        """Append a ``persistent_congestion`` event: the loss detector established persistent congestion."""
        self.events.append(PersistentCongestion(t_ns + self.origin_ns))

    def spurious_loss(self, t_ns: int) -> None:
        """Append a ``spurious_loss`` event: packets declared lost were acknowledged after all."""
        self.events.append(SpuriousLoss(t_ns + self.origin_ns))

    def pto(self, t_ns: int) -> None:
        """Append a ``pto`` event: the probe timer expired."""
        self.events.append(Pto(t_ns + self.origin_ns))

    def backlog(
        self, t_ns: int, queued_bytes: int, receive_window_bytes: int = 100_000, rtt_ns: int | None = 100 * MS
    ) -> None:
        """Append a ``backlog`` event: data became ready to send, or the receive window changed."""
        self.events.append(Backlog(t_ns + self.origin_ns, queued_bytes, receive_window_bytes, rtt_ns))

    def path_change(self, t_ns: int) -> None:
        """Append a ``path_change`` event: a new address of the peer is confirmed.

        The RTT estimator and the delivery-rate sampler, if any, restart.
        """
        self.path_start_ns = t_ns + self.origin_ns
        self.rtt = RttEstimator()
        self._add(PathChange(self.path_start_ns))

    def datagram_size(self, t_ns: int, max_datagram_size_bytes: int, *, handshake: bool = False) -> None:
        """Append a ``datagram_size`` event: the maximum datagram size changed. Later packets are sent with it."""
        self.max_datagram_size_bytes = max_datagram_size_bytes
        self.events.append(DatagramSize(t_ns + self.origin_ns, max_datagram_size_bytes, handshake))

    def idle_restart(self, t_ns: int) -> None:
        """Append an ``idle_restart`` event: after a long idle time the window is not validated any more."""
        self.events.append(IdleRestart(t_ns + self.origin_ns))


def _bytes(runs: list[Run]) -> int:
    return sum(run.count * run.size_bytes for run in runs)

"""Any profile of the model as congestion controller of aioquic, over its public interface: its verdict is known."""

import time
from collections.abc import Iterable
from typing import Any

from aioquic.quic.congestion.base import QuicCongestionControl, register_congestion_control
from aioquic.quic.logger import QuicLogger, QuicLoggerTrace
from aioquic.quic.packet_builder import QuicSentPacket

from firstflight import Config, create, step
from firstflight_conformance.logs.recording.recorder import Recorder

#: The registered name of the controller.
NAME = "firstflight"


class Clock:
    """The clock of aioquic's log, from one second on. ``received_ns``: log time of the packet being processed."""

    def __init__(self) -> None:
        """Start the clock now."""
        self._begun_ns = time.time_ns() - 1_000_000_000
        self.received_ns = 0

    def now_ns(self) -> int:
        """Return the time."""
        return time.time_ns() - self._begun_ns


class Trace(QuicLoggerTrace):
    """A log of one connection that reports the receipt of packets to its clock."""

    def __init__(self, clock: Clock, *, is_client: bool, odcid: bytes) -> None:
        """Begin an empty log."""
        super().__init__(is_client=is_client, odcid=odcid)
        self._clock = clock

    def log_event(self, *, category: str, event: str, data: dict[str, Any]) -> None:
        """Log an event with the current time."""
        if event == "packet_received":
            self._clock.received_ns = self._clock.now_ns()
        super().log_event(category=category, event=event, data=data)


class Log(QuicLogger):
    """The log of the one connection of a sender, and its clock."""

    def __init__(self) -> None:
        """Begin without a connection."""
        super().__init__()
        self.clock = Clock()
        self._only: Trace | None = None

    def start_trace(self, is_client: bool, odcid: bytes) -> QuicLoggerTrace:
        """Begin the log of the connection."""
        self._only = Trace(self.clock, is_client=is_client, odcid=odcid)
        return self._only

    def end_trace(self, trace: QuicLoggerTrace) -> None:
        """Leave the log as it is."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as aioquic writes it."""
        return super().to_dict() | {"traces": [] if self._only is None else [self._only.to_dict()]}


class ModelControl(QuicCongestionControl):
    """Passes aioquic's calls to the model as events.

    aioquic reports each packet of an ACK separately, then the RTT if the ACK gave a sample; together they are one
    event. It reports neither the acknowledgement delay nor application limits to its controllers; the events contain 0
    and ``false``.

    Events have the times of the log: the receipt of the packet for an ACK, the time of the call for other events. The
    time that aioquic passes is earlier: it then builds a burst of packets, which takes milliseconds on a busy machine.
    """

    def __init__(self, algorithm: str, profile: str, *, max_datagram_size: int, clock: Clock | None = None) -> None:
        """Begin a connection with the model in this profile."""
        self._clock = Clock() if clock is None else clock
        super().__init__(max_datagram_size=max_datagram_size)
        self._controller = create(algorithm, profile, Config(max_datagram_size))
        self.congestion_window = self._controller.base.cwnd_bytes
        self._recorder = Recorder()
        self._numbers: dict[tuple[int, int], int] = {}
        self._acked: list[int] = []

    def on_packet_sent(self, *, packet: QuicSentPacket) -> None:
        """Record a sent packet. Packets of all number spaces are numbered in the order of sending."""
        self._end_ack()
        self.bytes_in_flight += packet.sent_bytes
        self._numbers[_key(packet)] = self._recorder.next_packet
        self._recorder.sent(self._t_ns(self._clock.now_ns()), [packet.sent_bytes])
        self._step()

    def on_packet_acked(self, *, now: float, packet: QuicSentPacket) -> None:
        """Add a packet to the ACK being processed."""
        self.bytes_in_flight -= packet.sent_bytes
        self._acked.append(self._numbers.pop(_key(packet)))

    def on_rtt_measurement(self, *, now: float, rtt: float) -> None:
        """Process the ACK, which is complete, with its sample."""
        if self._acked:
            self._acknowledge(round(rtt * 1_000_000_000))

    def on_packets_lost(self, *, now: float, packets: Iterable[QuicSentPacket]) -> None:
        """Record a loss. A loss found by an ACK comes after the ACK."""
        self._end_ack()
        lost = self._leave(packets)
        if lost:
            self._recorder.lost(self._t_ns(self._clock.now_ns()), lost)
            self._step()

    def on_packets_expired(self, *, packets: Iterable[QuicSentPacket]) -> None:
        """Discard packets: their keys are gone, or their data is sent again. The model gets no event."""
        self._end_ack()
        if gone := self._leave(packets):
            self._recorder.discarded(gone)

    def on_persistent_congestion(self) -> None:
        """Ignore the call: the model's own ledger detects persistent congestion by RFC 9002."""

    def get_log_data(self) -> dict[str, object]:
        """Return the data for aioquic's log, which is written after every ACK."""
        self._end_ack()
        return super().get_log_data()

    def _leave(self, packets: Iterable[QuicSentPacket]) -> list[int]:
        gone = list(packets)
        self.bytes_in_flight -= sum(packet.sent_bytes for packet in gone)
        return [self._numbers.pop(_key(packet)) for packet in gone]

    def _end_ack(self) -> None:
        """Process a pending ACK without a sample, if any."""
        if self._acked:
            self._acknowledge(None)

    def _acknowledge(self, rtt_ns: int | None) -> None:
        t_ns = self._t_ns(self._clock.received_ns)
        self._recorder.acked(t_ns, self._acked, sample=rtt_ns is not None, latest_rtt_ns=rtt_ns)
        self._acked = []
        self._step()

    def _step(self) -> None:
        self._controller, observation = step(self._controller, self._recorder.steps.pop().event)
        self.congestion_window = observation.cwnd_bytes
        self.ssthresh = observation.ssthresh_bytes

    def _t_ns(self, t_ns: int) -> int:
        return max(t_ns, self._controller.t_ns)


def register(algorithm: str, profile: str, clock: Clock) -> None:
    """Let a connection choose the model in this profile by :data:`NAME`."""

    def begin(*, max_datagram_size: int) -> QuicCongestionControl:
        return ModelControl(algorithm, profile, max_datagram_size=max_datagram_size, clock=clock)

    register_congestion_control(NAME, begin)


def _key(packet: QuicSentPacket) -> tuple[int, int]:
    return packet.epoch.value, packet.packet_number

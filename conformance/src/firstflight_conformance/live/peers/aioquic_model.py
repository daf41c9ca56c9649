"""Any profile of the model as the congestion controller of aioquic, over its public interface: a sender whose answer is known."""

import time
from collections.abc import Callable, Iterable

from aioquic.quic.congestion.base import QuicCongestionControl, register_congestion_control
from aioquic.quic.packet_builder import QuicSentPacket

from firstflight import Config, create, step
from firstflight_conformance.recording.recorder import Recorder

#: The name under which the controller is registered.
NAME = "firstflight"


class ModelControl(QuicCongestionControl):
    """Hands aioquic's calls to the model as events.

    aioquic tells of each packet of an ACK by itself, then of the RTT if the ACK gave a sample: together they are one event. It tells its
    controllers neither the acknowledgement delay nor whether it was application-limited; the events say 0 and ``false``.

    The time of an event is that of the call. What aioquic hands over was read before a burst of packets
    was made, which takes milliseconds; its log has the time of each.
    """

    def __init__(
        self, algorithm: str, profile: str, *, max_datagram_size: int, clock: Callable[[], int] = time.monotonic_ns
    ) -> None:
        """Begin a connection with the model in this profile."""
        self._clock = clock
        super().__init__(max_datagram_size=max_datagram_size)
        self._controller = create(algorithm, profile, Config(max_datagram_size))
        self.congestion_window = self._controller.base.cwnd_bytes
        self._recorder = Recorder()
        self._numbers: dict[tuple[int, int], int] = {}
        self._acked: list[int] = []
        self._acked_ns = 0

    def on_packet_sent(self, *, packet: QuicSentPacket) -> None:
        """Packets of all number spaces are numbered in the order of sending."""
        self._end_ack()
        self.bytes_in_flight += packet.sent_bytes
        self._numbers[_key(packet)] = self._recorder.next_packet
        self._recorder.sent(self._t_ns(), [packet.sent_bytes])
        self._step()

    def on_packet_acked(self, *, now: float, packet: QuicSentPacket) -> None:
        """One packet of the ACK that is being processed."""
        self.bytes_in_flight -= packet.sent_bytes
        self._acked.append(self._numbers.pop(_key(packet)))
        self._acked_ns = self._acked_ns if len(self._acked) > 1 else self._t_ns()

    def on_rtt_measurement(self, *, now: float, rtt: float) -> None:
        """The ACK is complete, and gave a sample."""
        if self._acked:
            self._acknowledge(round(rtt * 1_000_000_000))

    def on_packets_lost(self, *, now: float, packets: Iterable[QuicSentPacket]) -> None:
        """A loss; one that comes with an ACK comes after it."""
        self._end_ack()
        lost = self._leave(packets)
        if lost:
            self._recorder.lost(self._t_ns(), lost)
            self._step()

    def on_packets_expired(self, *, packets: Iterable[QuicSentPacket]) -> None:
        """Packets are forgotten: their keys are gone, or their data is sent again. No event tells a controller so."""
        self._end_ack()
        if gone := self._leave(packets):
            self._recorder.discarded(gone)

    def on_persistent_congestion(self) -> None:
        """Left out: that this comes is left to the model's own ledger, which follows RFC 9002."""

    def get_log_data(self) -> dict[str, object]:
        """Return what aioquic writes into its log, which it does after every ACK."""
        self._end_ack()
        return super().get_log_data()

    def _leave(self, packets: Iterable[QuicSentPacket]) -> list[int]:
        gone = list(packets)
        self.bytes_in_flight -= sum(packet.sent_bytes for packet in gone)
        return [self._numbers.pop(_key(packet)) for packet in gone]

    def _end_ack(self) -> None:
        """Process the ACK that gave no sample, if there is one."""
        if self._acked:
            self._acknowledge(None)

    def _acknowledge(self, rtt_ns: int | None) -> None:
        self._recorder.acked(self._acked_ns, self._acked, sample=rtt_ns is not None, latest_rtt_ns=rtt_ns)
        self._acked = []
        self._step()

    def _step(self) -> None:
        self._controller, observation = step(self._controller, self._recorder.steps.pop().event)
        self.congestion_window = observation.cwnd_bytes
        self.ssthresh = observation.ssthresh_bytes

    def _t_ns(self) -> int:
        return max(self._clock(), self._controller.t_ns, 1)


def register(algorithm: str, profile: str) -> None:
    """Let a connection choose the model in this profile by :data:`NAME`."""

    def begin(*, max_datagram_size: int) -> QuicCongestionControl:
        return ModelControl(algorithm, profile, max_datagram_size=max_datagram_size)

    register_congestion_control(NAME, begin)


def _key(packet: QuicSentPacket) -> tuple[int, int]:
    return packet.epoch.value, packet.packet_number

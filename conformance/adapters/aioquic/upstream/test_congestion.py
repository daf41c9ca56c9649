"""Tests for aioquic that fail in 1.7.2, for the defects aioquic-1 to aioquic-3."""

from unittest import TestCase

from aioquic import tls
from aioquic.quic.congestion import cubic, reno  # noqa: F401  (they register themselves)
from aioquic.quic.congestion.base import create_congestion_control
from aioquic.quic.packet import QuicPacketType
from aioquic.quic.packet_builder import QuicSentPacket
from aioquic.quic.rangeset import RangeSet
from aioquic.quic.recovery import QuicPacketRecovery, QuicPacketSpace


def packet(number: int, sent_time: float) -> QuicSentPacket:
    """Return a full packet of application data."""
    return QuicSentPacket(
        epoch=tls.Epoch.ONE_RTT,
        in_flight=True,
        is_ack_eliciting=True,
        is_crypto_packet=False,
        packet_number=number,
        packet_type=QuicPacketType.ONE_RTT,
        sent_bytes=1200,
        sent_time=sent_time,
    )


class CongestionTest(TestCase):
    """Windows after few events."""

    def test_aioquic_1(self) -> None:
        """RFC 9002, section 7.8: a window of 12000 bytes with 1200 bytes in use does not grow."""
        recovery = QuicPacketRecovery(
            congestion_control_algorithm="reno",
            initial_rtt=0.1,
            max_datagram_size=1200,
            peer_completed_address_validation=True,
            send_probe=lambda: None,
        )
        space = QuicPacketSpace()
        recovery.spaces = [space]
        recovery.on_packet_sent(packet=packet(0, 1.0), space=space)
        recovery.on_ack_received(ack_rangeset=RangeSet([range(1)]), ack_delay=0.0, now=1.1, space=space)
        self.assertEqual(recovery.congestion_window, 12000)

    def test_aioquic_2(self) -> None:
        """RFC 9002, section 7.2: at most 14720 bytes, or two datagrams."""
        for name in ("reno", "cubic"):
            for datagram, window in ((1200, 12000), (1500, 14720), (9000, 18000)):
                control = create_congestion_control(name, max_datagram_size=datagram)
                self.assertEqual(control.congestion_window, window)

    def test_aioquic_3(self) -> None:
        """RFC 9002, section 7.3.2: the ACK of a packet that was sent before the loss grows nothing."""
        control = create_congestion_control("cubic", max_datagram_size=1200)
        packets = [packet(number, 1.0) for number in range(10)]
        for one in packets:
            control.on_packet_sent(packet=one)
        control.on_packets_lost(now=1.1, packets=packets[:1])
        reduced = control.congestion_window
        control.on_packet_acked(now=1.1, packet=packets[1])
        self.assertEqual(control.congestion_window, reduced)

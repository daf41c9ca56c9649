"""Shared by the stimuli of HyStart++: profiles, the sender in the loop with the model, and its rounds.

Defaults: packets of 1200 bytes and an initial window of ten. At every ACK the sender fills the
window: two packets in slow start.
"""

from firstflight_conformance.format.builder import MS, StreamBuilder
from stimuli.clocked import Clocked, constant

RFC, UNPACED, NGTCP2 = "rfc-9406", "rfc-9406-unpaced", "ngtcp2"


def clocked(b: StreamBuilder, profile: str = RFC) -> Clocked:
    """Return a sender in the loop with HyStart++."""
    return Clocked(b, "hystartpp", profile)


def in_css(b: StreamBuilder, *later: tuple[int, int], profile: str = RFC) -> Clocked:
    """Bring a connection with an initial window of eight packets into CSS; the last acknowledged packet is 15."""
    return clocked(b, profile).run((8, 130 * MS), *later, until=15)


def round_end(c: Clocked) -> int:
    """Return the packet whose ACK ends the round."""
    _ = c.cwnd_bytes
    return int(c.controller.startup.round_end_packet)


def finish_round(c: Clocked, later_ns: int | None = None, packets: int = 1) -> None:
    """Acknowledge packets up to the packet that ends the round.

    ``later_ns``: another RTT for packets sent from then on, in the round after the next.
    """
    c.ack_until(round_end(c) - 1, packets)
    if later_ns is not None:
        c.rtt = constant(later_ns)
    c.ack()

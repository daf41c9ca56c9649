"""The state of Quick-Start, and the range of Quick-Start packets (``spec/quick-start/rules.md``).

Mirrors ``reference-c/firstflight/quick_start/state.c``.
"""

from dataclasses import dataclass

from firstflight.events import Run
from firstflight.limits import JUMP_MAX_BYTES, WINDOW_MAX_BYTES
from firstflight.quick_start.profiles import Readings
from firstflight.values import copied

#: A rate is 40000 * 2^N bit/s: a byte takes 200000 / 2^N ns.
BYTE_NS = 200_000


@dataclass(slots=True)
class QuickStart:
    """State of Quick-Start.

    The request: ``at_handshake`` until the first data is ready, ``armed`` until the next packet, which carries the
    request. ``request_packet``: the packet with the pending request. ``barred`` once Quick-Start was reverted.

    Quick-Start mode: ``quick`` while it is in progress, since ``start_ns``, with a window of ``window_bytes``, that is
    ``planned_packets``; ``sent_packets`` of them have been sent. ``usual_bytes``: the window without Quick-Start.
    ``midway``: the last mode began with the ACK of a packet with a request, in the middle of the connection.

    Quick-Start packets: from ``first_quick`` up to, not including, ``end_quick``, which is ``None`` until the mode
    ends; ``lost_packets`` of them were declared lost. ``limited``: slow start grows by Limited Slow-Start (RFC 3742).
    It does from the use of an approved rate until Quick-Start is reverted, if ``growth`` of the readings requires it.

    The connection: ``in_flight_bytes`` and ``next_packet`` after the last event.
    """

    at_handshake: bool
    armed: bool
    request_packet: int | None = None
    barred: bool = False
    quick: bool = False
    midway: bool = False
    start_ns: int = 0
    window_bytes: int = 0
    planned_packets: int = 0
    sent_packets: int = 0
    usual_bytes: int = 0
    first_quick: int | None = None
    end_quick: int | None = None
    lost_packets: int = 0
    limited: bool = False
    in_flight_bytes: int = 0
    next_packet: int = 0

    def copy(self) -> "QuickStart":
        """Return a copy that shares no mutable state."""
        return copied(self)


def set_in_flight(state: QuickStart, bytes_in_flight: int) -> None:
    """Store the bytes in flight, at most the largest window of 2^62 - 1 bytes."""
    state.in_flight_bytes = min(bytes_in_flight, WINDOW_MAX_BYTES)


def packet_ns(readings: Readings, datagram_bytes: int) -> int:
    """Return the time of a packet with its headers at 40000 bit/s, in ns.

    ``readings``: the profile's choices, with the bytes of the headers. ``datagram_bytes``: size without headers.
    """
    return (datagram_bytes + readings.header_bytes) * BYTE_NS


def window_packets(readings: Readings, datagram_bytes: int, rtt_ns: int) -> int:
    """Return QS-cwnd, the number of packets per RTT at the approved rate, rounded down.

    The rate is 40000 * 2^N bit/s; ``readings``, the choices of a profile, contain N and the bytes of a packet's
    headers. A packet has ``datagram_bytes`` and these headers. The result is limited to the whole packets in
    ``JUMP_MAX_BYTES``.
    """
    scaled_ns = rtt_ns << readings.rate_code  # [quick-start.window]
    packets = scaled_ns // packet_ns(readings, datagram_bytes)  # [quick-start.window.whole]
    if packets > JUMP_MAX_BYTES // datagram_bytes:
        return JUMP_MAX_BYTES // datagram_bytes  # [quick-start.window.maximum]
    return packets


def next_release_ns(readings: Readings, state: QuickStart, datagram_bytes: int) -> int | None:
    """Return the earliest time of the next packet in Quick-Start mode, in ns, or ``None`` without a packet.

    The time may be past. Packets are paced at the approved rate from the beginning of the mode. Return ``None`` outside
    the mode and after all its planned packets.
    """
    if not state.quick or state.sent_packets >= state.planned_packets:
        return None
    offset_ns = state.sent_packets * packet_ns(readings, datagram_bytes) >> readings.rate_code
    return state.start_ns + offset_ns  # [quick-start.pacing] [quick-start.pacing.times]


def end_mode(state: QuickStart) -> None:
    """End Quick-Start mode: packets sent from now on are not Quick-Start packets."""
    if state.quick:
        state.quick = False
        state.end_quick = state.next_packet


def quick_packets(state: QuickStart, first: int, last: int) -> int:
    """Return the number of Quick-Start packets in first..last."""
    if state.first_quick is None:
        return 0
    end = last + 1 if state.end_quick is None else min(last + 1, state.end_quick)
    return max(end - max(first, state.first_quick), 0)


def quick_packets_of(state: QuickStart, runs: tuple[Run, ...]) -> int:
    """Return the number of Quick-Start packets in the runs."""
    return sum(quick_packets(state, run.first, run.last) for run in runs)


def delivered_packets(state: QuickStart) -> int:
    """Return the number of Quick-Start packets sent and not declared lost so far."""
    if state.first_quick is None:
        return 0
    end = state.next_packet if state.end_quick is None else state.end_quick
    return max(end - state.first_quick - state.lost_packets, 0)

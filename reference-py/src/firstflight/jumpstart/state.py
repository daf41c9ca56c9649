"""The state of JumpStart, and the packets of a first flight (``spec/jumpstart/rules.md``).

Mirrors ``reference-c/firstflight/jumpstart/state.c``.
"""

from dataclasses import dataclass

from firstflight.events import Run
from firstflight.jumpstart.profiles import Ends, Readings
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.values import copied


@dataclass(slots=True)
class JumpStart:
    """State of JumpStart.

    The jump: ``jumping`` while it lasts, ``spent`` once it has begun. It sends ``amount_bytes`` in ``planned_packets``
    packets of ``packet_bytes`` over ``rtt_ns`` from ``start_ns`` on. ``limit_packets``: the packets that it may send,
    ``planned_packets`` or fewer after the receive window became smaller. ``at_once``: it is not paced.

    The flight: packets from ``flight_first`` up to, not including, ``flight_end``; ``sent_packets`` of them have been
    sent. The range may be larger, because packets not in flight use packet numbers, too.

    The loss accounting sets the window to (D - R) / 2 packets at the end of a recovery. ``accounting``: it waits for
    this end. ``accounted``: it is done. D is ``sent_packets``. R is ``repeats``: packets of this recovery that repeat
    data sent earlier. ``recovery_point``: the next packet number when recovery began. ``acked_bytes``: bytes
    acknowledged of the flight.

    The connection: ``in_flight_bytes``, ``next_packet`` and ``smoothed_rtt_ns`` after the last event. ``window_full``:
    the last packets sent left room for less than one packet. ``reduced``: the window has been reduced.
    ``counted_packets``: packets acknowledged since the last growth of one packet, in the reading ``one_in_twenty``.
    """

    initial_window_bytes: int
    jumping: bool = False
    spent: bool = False
    at_once: bool = False
    start_ns: int = 0
    rtt_ns: int = 0
    amount_bytes: int = 0
    planned_packets: int = 0
    packet_bytes: int = 0
    limit_packets: int = 0
    sent_packets: int = 0
    flight_first: int | None = None
    flight_end: int | None = None
    accounting: bool = False
    accounted: bool = False
    repeats: int = 0
    recovery_point: int = 0
    acked_bytes: int = 0
    in_flight_bytes: int = 0
    next_packet: int = 0
    smoothed_rtt_ns: int | None = None
    window_full: bool = False
    reduced: bool = False
    counted_packets: int = 0

    def copy(self) -> "JumpStart":
        """Return a copy that shares no mutable state."""
        return copied(self)


def set_in_flight(state: JumpStart, bytes_in_flight: int) -> None:
    """Store the bytes in flight, at most ``WINDOW_MAX_BYTES``, the upper limit of windows."""
    state.in_flight_bytes = min(bytes_in_flight, WINDOW_MAX_BYTES)


def add_to_flight(readings: Readings, state: JumpStart, runs: tuple[Run, ...]) -> None:
    """Count packets sent in the jump as packets of the first flight.

    ``sent_packets`` counts up to ``limit_packets``, the number that the jump may send. Packets beyond this limit do not
    belong to the flight, except with the reading ``ends`` = ``ack``. The flight then lasts until an ACK ends the jump:
    it includes these packets, but they are not counted.
    """
    if state.sent_packets == 0:
        state.flight_first = runs[0].first  # packets not in flight may have been sent since the jump began
    for run in runs:
        packets = run.count
        if readings.ends is not Ends.ACK:
            packets = min(packets, state.limit_packets - state.sent_packets)  # [jumpstart.flight]
        state.sent_packets = min(state.sent_packets + packets, state.limit_packets)
        if packets > 0:
            state.flight_end = run.first + packets


def in_flight(state: JumpStart, packet: int) -> bool:
    """Return whether a packet belongs to the first flight, the packets sent in the jump."""
    if state.flight_first is None or state.flight_end is None:
        return False
    return state.flight_first <= packet < state.flight_end


def overlap(state: JumpStart, first: int, last: int) -> int:
    """Return the number of packets first..last that belong to the first flight, the packets sent in the jump."""
    if state.flight_first is None or state.flight_end is None:
        return 0
    return max(min(last + 1, state.flight_end) - max(first, state.flight_first), 0)


def packets_in_flight(state: JumpStart, runs: tuple[Run, ...]) -> int:
    """Return the number of packets of the runs that belong to the first flight, the packets sent in the jump."""
    return sum(overlap(state, run.first, run.last) for run in runs)

"""The state of JumpStart, and what a first flight consists of (``spec/jumpstart/rules.md``).

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

    The jump: ``jumping`` while it lasts, ``spent`` once there was one; it began at ``start_ns`` to send ``amount_bytes`` in
    ``planned_packets`` of ``packet_bytes`` over ``rtt_ns``, of which ``limit_packets`` may leave; ``at_once`` if they are not paced. The flight: packets from
    ``flight_first`` up to, not including, ``flight_end``, the packet after the last one so far; ``sent_packets`` of it have left.
    The range of numbers may be larger, because packets that are not in flight use numbers as well.

    The loss accounting: ``accounting`` while it waits for the end of recovery, ``accounted`` after it acted, ``repeats`` is R,
    ``recovery_point`` the next packet number when recovery began, ``acked_bytes`` what was acknowledged of the flight.

    The connection: ``in_flight_bytes``, ``next_packet`` and ``smoothed_rtt_ns`` after the last event; ``window_full`` if the last
    packets sent left less than one in the window; ``reduced`` once there was a reduction; ``counted_packets`` towards the next growth.
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
        """Return a copy that shares nothing that changes."""
        return copied(self)


def set_in_flight(state: JumpStart, bytes_in_flight: int) -> None:
    """Note how much is in flight; the number saturates as windows do."""
    state.in_flight_bytes = min(bytes_in_flight, WINDOW_MAX_BYTES)


def add_to_flight(readings: Readings, state: JumpStart, runs: tuple[Run, ...]) -> None:
    """Count packets sent in the jump; packets beyond those that were planned are not part of the flight."""
    if state.sent_packets == 0:
        state.flight_first = runs[0].first  # packets that are not in flight may have left since the jump began
    for run in runs:
        packets = run.count
        if readings.ends is not Ends.ACK:
            packets = min(packets, state.limit_packets - state.sent_packets)  # [jumpstart.flight]
        state.sent_packets = min(state.sent_packets + packets, state.limit_packets)
        if packets > 0:
            state.flight_end = run.first + packets


def in_flight(state: JumpStart, packet: int) -> bool:
    """Return whether a packet number is one of the flight."""
    if state.flight_first is None or state.flight_end is None:
        return False
    return state.flight_first <= packet < state.flight_end


def overlap(state: JumpStart, first: int, last: int) -> int:
    """Return how many of the packets first..last are of the flight."""
    if state.flight_first is None or state.flight_end is None:
        return 0
    return max(min(last + 1, state.flight_end) - max(first, state.flight_first), 0)


def packets_in_flight(state: JumpStart, runs: tuple[Run, ...]) -> int:
    """Return how many packets of the runs are of the flight."""
    return sum(overlap(state, run.first, run.last) for run in runs)

"""The state of Quick-Start, and which packets are Quick-Start packets (``spec/quick-start/rules.md``).

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

    The request: ``at_handshake`` until the first data is ready, ``armed`` until the next packet carries one, ``request_packet`` carries
    it; ``barred`` once Quick-Start was reverted. Quick-Start mode: ``quick`` while it lasts; it began at ``start_ns`` with a
    window of ``window_bytes``, ``planned_packets``, of which ``sent_packets`` have left. ``usual_bytes`` is the window without it,
    ``midway`` if it began in the middle of the connection.

    Quick-Start packets: from ``first_quick`` up to, not including, ``end_quick``, which is ``None`` until the mode ends; ``lost_packets`` of
    them were declared lost. ``limited``: slow start is limited.

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
        """Return a copy that shares nothing that changes."""
        return copied(self)


def set_in_flight(state: QuickStart, bytes_in_flight: int) -> None:
    """Note how much is in flight; the number saturates as windows do."""
    state.in_flight_bytes = min(bytes_in_flight, WINDOW_MAX_BYTES)


def packet_ns(readings: Readings, datagram_bytes: int) -> int:
    """Return how long a packet with its headers takes at 40000 bit/s, in ns."""
    return (datagram_bytes + readings.header_bytes) * BYTE_NS


def window_packets(readings: Readings, datagram_bytes: int, rtt_ns: int) -> int:
    """Return how many packets the approved rate sends in an RTT, rounded down."""
    scaled_ns = rtt_ns << readings.rate_code  # [quick-start.window]
    packets = scaled_ns // packet_ns(readings, datagram_bytes)  # [quick-start.window.whole]
    if packets > JUMP_MAX_BYTES // datagram_bytes:
        return JUMP_MAX_BYTES // datagram_bytes  # [quick-start.window.maximum]
    return packets


def next_release_ns(readings: Readings, state: QuickStart, datagram_bytes: int) -> int | None:
    """Return when the next packet of Quick-Start mode may leave, ``None`` if there is none; it may be past."""
    if not state.quick or state.sent_packets >= state.planned_packets:
        return None
    offset_ns = state.sent_packets * packet_ns(readings, datagram_bytes) >> readings.rate_code
    return state.start_ns + offset_ns  # [quick-start.pacing] [quick-start.pacing.times]


def end_mode(state: QuickStart) -> None:
    """End Quick-Start mode: what is sent from now on is no Quick-Start packet."""
    if state.quick:
        state.quick = False
        state.end_quick = state.next_packet


def quick_packets(state: QuickStart, first: int, last: int) -> int:
    """Return how many of the packets first..last are Quick-Start packets."""
    if state.first_quick is None:
        return 0
    end = last + 1 if state.end_quick is None else min(last + 1, state.end_quick)
    return max(end - max(first, state.first_quick), 0)


def quick_packets_of(state: QuickStart, runs: tuple[Run, ...]) -> int:
    """Return how many packets of the runs are Quick-Start packets."""
    return sum(quick_packets(state, run.first, run.last) for run in runs)


def delivered_packets(state: QuickStart) -> int:
    """Return how many Quick-Start packets were sent and not declared lost, as far as is known."""
    if state.first_quick is None:
        return 0
    end = state.next_packet if state.end_quick is None else state.end_quick
    return max(end - state.first_quick - state.lost_packets, 0)

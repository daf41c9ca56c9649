"""The first flight of JumpStart: its size, and the release time of each packet (``spec/jumpstart/rules.md``).

Mirrors ``reference-c/firstflight/jumpstart/pacing.c``.
"""

from firstflight.events import Backlog
from firstflight.jumpstart.profiles import (
    Amount,
    Burst,
    Gain,
    Gap,
    MissingRtt,
    Readings,
    ReceiveWindow,
    Rtt,
    SmallAmount,
)
from firstflight.jumpstart.state import JumpStart
from firstflight.limits import JUMP_MAX_BYTES

#: Largest payload that the reading `at_once` does not pace: the initial window of RFC 3390.
SMALL_BYTES = 4380
#: The RTT of the reading `default` without a sample.
DEFAULT_RTT_NS = 100_000_000
#: The largest packet size of the reading `packets`.
JUMP_PACKET_MAX_BYTES = 1472
#: The time of a byte at 1 Mbit/s, in ns.
MBIT_BYTE_NS = 8000
#: quicly's pacer: packets of the first burst, and packets that each later burst is ahead of the rate.
BURST_HIGH_PACKETS = 10
BURST_LOW_PACKETS = 8


def rtt_ns(readings: Readings, state: JumpStart, backlog: Backlog) -> int | None:
    """Return the RTT for spreading the flight, or ``None`` if a jump is not possible."""
    if readings.rtt is Rtt.SMOOTHED and state.smoothed_rtt_ns is not None:
        return state.smoothed_rtt_ns  # [jumpstart.start.smoothed]
    if backlog.latest_rtt_ns is None and readings.missing_rtt is MissingRtt.DEFAULT:
        return DEFAULT_RTT_NS  # [jumpstart.start.default-rtt]
    return backlog.latest_rtt_ns


def packets_of(count_bytes: int, packet_bytes: int) -> int:
    """Return the number of packets for the bytes; the last packet may be short."""
    return -(-count_bytes // packet_bytes)


def receive_window_bytes(readings: Readings, packet_bytes: int, backlog: Backlog) -> int | None:
    """Return the bytes that the receiver allows, or ``None`` if the reading ignores the receive window."""
    match readings.receive_window:
        case ReceiveWindow.DOWN:
            packets = backlog.receive_window_bytes // packet_bytes  # [jumpstart.amount.whole-packets]
            return packets * packet_bytes  # [jumpstart.amount.receive-window]
        case ReceiveWindow.BYTES:
            return backlog.receive_window_bytes  # [jumpstart.amount.receive-window-bytes]
        case ReceiveWindow.IGNORED:
            return None


def _wanted_bytes(readings: Readings, packet_bytes: int, backlog: Backlog, spread_ns: int) -> int:
    match readings.amount:
        case Amount.QUEUED:
            return packets_of(backlog.queued_bytes, packet_bytes) * packet_bytes  # [jumpstart.amount.queued]
        case Amount.QUEUED_TO_CAP:
            return min(backlog.queued_bytes, 1024 * readings.cap_kib)  # [jumpstart.amount.capped]
        case Amount.CAP:
            return 1024 * readings.cap_kib  # [jumpstart.amount.constant]
        case Amount.PACKETS:
            return readings.jump_packets * min(packet_bytes, JUMP_PACKET_MAX_BYTES)  # [jumpstart.amount.packets]
        case Amount.RATE:
            rate_bytes = spread_ns * readings.rate_mbit // MBIT_BYTE_NS  # [jumpstart.amount.headers]
            return min(backlog.queued_bytes, rate_bytes)  # [jumpstart.amount.rate]


def amount_bytes(readings: Readings, packet_bytes: int, backlog: Backlog, spread_ns: int) -> int:
    """Return the bytes of the first flight, which lasts ``spread_ns``; ``packet_bytes`` is the maximum datagram size."""
    flight_bytes = _wanted_bytes(readings, packet_bytes, backlog, spread_ns)
    allowed_bytes = receive_window_bytes(readings, packet_bytes, backlog)
    if allowed_bytes is not None:
        # [jumpstart.amount.receive-window] [jumpstart.amount.receive-window-bytes]
        flight_bytes = min(flight_bytes, allowed_bytes)
    if flight_bytes > JUMP_MAX_BYTES:
        return JUMP_MAX_BYTES  # [jumpstart.amount.maximum]
    return flight_bytes


def sent_at_once(readings: Readings, flight_bytes: int) -> bool:
    """Return whether the flight is too small to be paced."""
    return readings.small_amount is SmallAmount.AT_ONCE and flight_bytes <= SMALL_BYTES


def _burst_index(index: int) -> int:
    """Return the index of the packet whose time without bursts is the send time of packet ``index`` with bursts.

    Indexes count the packets of the flight from 0. Packets 0 to 9 leave at the time of packet 0. Later packets leave in
    pairs: packets 10 and 11 at the time of packet 2, packets 12 and 13 at the time of packet 4.
    """
    if index < BURST_HIGH_PACKETS:
        return 0
    return (index - BURST_LOW_PACKETS) // 2 * 2  # [jumpstart.pacing.burst]


def _offset_ns(readings: Readings, state: JumpStart, packet_bytes: int) -> int:
    """Return the time in ns from the start of the flight to its next packet, rounded down.

    The time is RTT * sent amount / planned amount of the flight. ``gap`` selects the unit: packets, intervals or bytes.
    With ``Gap.RATE`` the time is the duration of the sent bytes at ``rate_mbit``. With ``Burst.TEN_THEN_PAIRS`` the
    packets of a burst have the same time. Rounding errors do not add up. ``packet_bytes``: size of a packet.
    """
    index = state.sent_packets
    if readings.burst is Burst.TEN_THEN_PAIRS:
        index = _burst_index(index)
    match readings.gap:
        case Gap.PACKETS:
            part, whole = index, state.planned_packets  # [jumpstart.pacing.packets] [jumpstart.pacing.times]
        case Gap.INTERVALS:
            part, whole = index, max(state.planned_packets - 1, 1)
        case Gap.BYTES:
            part, whole = index * packet_bytes, state.amount_bytes  # [jumpstart.pacing.bytes]
        case Gap.RATE:
            bits_ns = index * packet_bytes * MBIT_BYTE_NS  # [jumpstart.pacing.rate]
            return bits_ns // readings.rate_mbit  # [jumpstart.pacing.rate-times]
    if readings.gain is Gain.SIX_FIFTHS:
        part, whole = 5 * part, 6 * whole  # [jumpstart.pacing.gain]
    return state.rtt_ns * part // whole


def next_release_ns(readings: Readings, state: JumpStart, packet_bytes: int) -> int | None:
    """Return the earliest time of the next packet of the flight, which may be past, or ``None`` without a packet."""
    if not state.jumping or state.sent_packets >= state.limit_packets:
        return None
    if state.at_once:
        return state.start_ns  # [jumpstart.pacing.at-once]
    return state.start_ns + _offset_ns(readings, state, packet_bytes)

"""Rates and volumes in the units of Linux: packets, us, and packets per us times 2^24 (``spec/bbr/rules.md``).

A packet is a maximum datagram; a smaller datagram counts as a part. A rate stays a fraction: packets times 2^24 in
bytes, over 2^24 microseconds.

Mirrors ``reference-c/firstflight/bbr/packets.c``.
"""

from firstflight.bbr.profiles import Readings, Units
from firstflight.bbr.rate import ZERO, Rate, over
from firstflight.limits import WINDOW_MAX_BYTES

MICROSECOND_NS = 1000
#: Unit of a rate, largest rate (32 bits), and interval of the fraction.
BW_UNIT = 2**24
BW_MAX = 2**32 - 1
BW_INTERVAL_NS = BW_UNIT * MICROSECOND_NS
#: Parts of a gain of 1 in Linux, and the size of a part in parts of ``state.GAIN_UNIT``.
GAIN_PARTS = 256
PART = 250
#: 5/4, in parts of GAIN_PARTS.
FULL_BW_THRESH = 320
#: TCP_INIT_CWND.
INIT_CWND_PACKETS = 10
#: Upper bound of the initial window in version 3, in packets.
INIT_CWND_MOST_PACKETS = 127
#: Bytes per second of one byte per microsecond, with the margin subtracted (99 %).
PACED_PER_SECOND = 990_000
#: A send quantum is the bytes of 2^-10 s, limited by the segment size of the host and by a number of packets.
PACING_SHIFT = 10
GSO_MAX_BYTES = 65_536 - 1 - 320
QUANTUM_MAX_PACKETS = 127
#: Below this pacing rate, 1.2 Mbit/s, a send quantum may be one packet.
MIN_TSO_RATE = 150_000
#: Version 3: smallest send quantum, and an addition of 64 KBytes, halved for each 512 us of the smallest RTT.
MIN_TSO_PACKETS = 2
GSO_LEGACY_BYTES = 65_536
TSO_RTT_SHIFT = 9


def in_packets(readings: Readings) -> bool:
    """Return whether the readings count rates and volumes in packets."""
    return readings.units in (Units.PACKETS, Units.PACKETS_V3)


def whole_ns(time_ns: int) -> int:
    """Return a time in ns, rounded down to whole microseconds."""
    return time_ns - time_ns % MICROSECOND_NS


def _bw_of(rate: Rate, size_bytes: int) -> int:
    return rate.delivered_bytes // size_bytes


def packets_rate_of(volume_bytes: int, time_ns: int, size_bytes: int) -> Rate:
    """Return the rate of a volume in a time, rounded down to whole units of 2^-24 packets per microsecond.

    ``time_ns``: at least 1000; only whole microseconds count. ``size_bytes``: size of a packet. The rate is at most
    2^32 - 1 units.
    """
    bw = min(over(over(volume_bytes, BW_UNIT, size_bytes), 1, time_ns // MICROSECOND_NS), BW_MAX)
    return Rate(bw * size_bytes, BW_INTERVAL_NS) if bw else ZERO


def packets_rate_up(volume_bytes: int, time_ns: int, size_bytes: int) -> Rate:
    """Return the rate of a volume in a time, rounded up to whole units of 2^-24 packets per microsecond.

    ``time_ns``: at least 1000; only whole microseconds count. ``size_bytes``: size of a packet. The rate is at most
    2^32 - 1 units.
    """
    divisor = time_ns // MICROSECOND_NS * size_bytes
    bw = min((volume_bytes * BW_UNIT + divisor - 1) // divisor, BW_MAX)
    return Rate(bw * size_bytes, BW_INTERVAL_NS) if bw else ZERO


def packets_reduced(rate: Rate, parts: int, size_bytes: int) -> Rate:
    """Return ``parts`` / 256 of a rate, rounded down to whole units of 2^-24 packets per microsecond.

    The result is at least one unit. ``size_bytes``: size of a packet.
    """
    bw = max(_bw_of(rate, size_bytes) * parts // GAIN_PARTS, 1)
    return Rate(bw * size_bytes, BW_INTERVAL_NS)


def packets_share_bytes(volume_bytes: int, parts: int, size_bytes: int) -> int:
    """Return ``parts`` / 256 of a volume, rounded down to whole packets."""
    return over(volume_bytes, parts, GAIN_PARTS * size_bytes) * size_bytes


def packets_has_grown(rate: Rate, baseline: Rate, size_bytes: int) -> bool:
    """Return whether a rate is at least 5/4 of a baseline rate.

    Both rates are counted in units of 2^-24 packets per microsecond; 5/4 of the baseline is rounded down to whole
    units. ``size_bytes``: size of a packet.
    """
    return _bw_of(rate, size_bytes) >= _bw_of(baseline, size_bytes) * FULL_BW_THRESH // GAIN_PARTS


def packets_delivered_bytes(rate: Rate, time_ns: int, size_bytes: int) -> int:
    """Return the bytes that a rate delivers in a time, rounded down to whole packets of ``size_bytes``.

    Only whole microseconds of the time count.
    """
    return over(over(_bw_of(rate, size_bytes), time_ns // MICROSECOND_NS, BW_UNIT), size_bytes, 1)


def packets_bdp_bytes(rate: Rate, min_rtt_ns: int, gain: int, size_bytes: int) -> int:
    """Return the bandwidth-delay product times a gain in bytes, rounded up to whole packets. ``gain``: in 1/64,000."""
    scaled = _bw_of(rate, size_bytes) * (gain // PART) * (min_rtt_ns // MICROSECOND_NS) // GAIN_PARTS
    packets = (scaled + BW_UNIT - 1) // BW_UNIT
    return min(packets * size_bytes, WINDOW_MAX_BYTES)


def packets_pacing_rate(rate: Rate, gain: int) -> int:
    """Return a rate times a gain, minus the pacing margin of 1 %, in bytes per second. ``gain``: in 1/64,000."""
    return over(rate.delivered_bytes * (gain // PART) // GAIN_PARTS, PACED_PER_SECOND, BW_UNIT)


def packets_send_quantum_bytes(pacing: int, size_bytes: int) -> int:
    """Return the send quantum in bytes, a number of whole packets."""
    packets = min(pacing >> PACING_SHIFT, GSO_MAX_BYTES) // size_bytes
    least = 1 if pacing < MIN_TSO_RATE else 2
    return min(max(packets, least), QUANTUM_MAX_PACKETS) * size_bytes


def packets_burst_bytes(pacing: int, min_rtt_ns: int | None, size_bytes: int) -> int:
    """Return the send quantum of version 3 in bytes, whole packets: larger for a shorter RTT."""
    near_bytes = 0
    if min_rtt_ns is not None:
        near_bytes = GSO_LEGACY_BYTES >> min(min_rtt_ns // MICROSECOND_NS >> TSO_RTT_SHIFT, 31)
    packets = min((pacing >> PACING_SHIFT) + near_bytes, GSO_MAX_BYTES) // size_bytes
    return max(packets, MIN_TSO_PACKETS) * size_bytes


def packets_even_bytes(volume_bytes: int, size_bytes: int) -> int:
    """Return a volume, rounded up to an even number of packets."""
    pair_bytes = 2 * size_bytes
    return min((volume_bytes + pair_bytes - 1) // pair_bytes * pair_bytes, WINDOW_MAX_BYTES)

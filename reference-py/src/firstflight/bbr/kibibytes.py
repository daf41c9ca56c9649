"""Rates as s2n-quic counts them: whole nanoseconds for 1024 bytes (``spec/bbr/rules.md``).

A rate stays a fraction: 1024 bytes over these nanoseconds. The fewer nanoseconds, the higher the rate.

Mirrors ``reference-c/firstflight/bbr/kibibytes.c``.
"""

from firstflight.bbr.rate import ZERO, Rate, over

KIBIBYTE_BYTES = 1024
#: The send quantum is at most MAX_BURST_PACKETS, and may be one packet below 1.2 Mbit/s.
MAX_BURST_PACKETS = 10
SEND_QUANTUM_THRESHOLD = 150_000


def _rate_of(ns_per_kibibyte: int) -> Rate:
    return Rate(KIBIBYTE_BYTES, max(ns_per_kibibyte, 1))


def kibibytes_rate_of(volume_bytes: int, time_ns: int) -> Rate:
    """Return the rate of a volume in a time."""
    if volume_bytes == 0 or time_ns == 0:
        return ZERO
    return _rate_of(over(time_ns, KIBIBYTE_BYTES, volume_bytes))


def kibibytes_scaled(rate: Rate, numerator: int, denominator: int) -> Rate:
    """Return a multiple of a rate: its nanoseconds over the factor, rounded down."""
    if rate.delivered_bytes == 0:
        return ZERO
    return _rate_of(over(rate.interval_ns, denominator, numerator))


def kibibytes_quantum_bytes(pacing: int, size_bytes: int) -> int:
    """Return how much may leave at once."""
    least_bytes = size_bytes if pacing < SEND_QUANTUM_THRESHOLD else 2 * size_bytes
    return min(max(pacing // 1000, least_bytes), MAX_BURST_PACKETS * size_bytes)

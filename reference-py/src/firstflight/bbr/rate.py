"""Rates as fractions, and their arithmetic (``spec/bbr/rules.md``).

Mirrors ``reference-c/firstflight/bbr/rate.c``.
"""

from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.values import value


@value
class Rate:
    """Bytes per time, compared exactly. A rate with an interval of 0 is infinite."""

    delivered_bytes: int
    interval_ns: int


ZERO = Rate(0, 1)
INFINITE = Rate(1, 0)


@value
class RoundRate:
    """A rate, and the round of its sample."""

    round_count: int
    rate: Rate


#: Rates of the last ten rounds, the largest first.
Kept = tuple[RoundRate, RoundRate, RoundRate]
NONE_KEPT: Kept = (RoundRate(0, ZERO), RoundRate(0, ZERO), RoundRate(0, ZERO))


def over(amount: int, factor: int, divisor: int) -> int:
    """Return amount * factor / divisor, rounded down, at most the largest window."""
    return min(amount * factor // divisor, WINDOW_MAX_BYTES)  # [bbr.rounding.down]


def exceeds(rate: Rate, other: Rate) -> bool:
    """Return whether a rate is larger than another."""
    return rate.delivered_bytes * other.interval_ns > other.delivered_bytes * rate.interval_ns


def larger(rate: Rate, other: Rate) -> Rate:
    """Return the larger of two rates, the first of two equal ones."""
    return other if exceeds(other, rate) else rate


def smaller(rate: Rate, other: Rate) -> Rate:
    """Return the smaller of two rates, the first of two equal ones."""
    return other if exceeds(rate, other) else rate


def has_grown(rate: Rate, baseline: Rate) -> bool:
    """Return whether a rate is at least 5/4 of a baseline."""
    return 4 * rate.delivered_bytes * baseline.interval_ns >= 5 * baseline.delivered_bytes * rate.interval_ns


def volume_bytes(rate: Rate, time_ns: int) -> int:
    """Return the bytes that a finite rate delivers in a time."""
    return over(rate.delivered_bytes, time_ns, rate.interval_ns)


def reduced_bytes(volume: int) -> int:
    """Return a volume times Beta, 7/10, rounded down."""
    return volume * 7 // 10  # [bbr.short-term.beta]


def reduced(rate: Rate) -> Rate:
    """Return a rate times Beta, 7/10: its interval stays, its delivered bytes times 7/10 are rounded down."""
    return Rate(reduced_bytes(rate.delivered_bytes), rate.interval_ns)  # [bbr.rounding.beta]

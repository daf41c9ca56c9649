"""The growth of a window or a rate by (b + 1) / b in each round (``spec/transfer-time/rules.md``), b being ``segments_per_ack``.

The power is kept as two integers, so that every test compares integers. Mirrors
``reference-c/firstflight/transfer_time/growth.c``.
"""

from dataclasses import dataclass


@dataclass(slots=True)
class Growth:
    """The factor of growth after ``rounds``: ``numerator`` / ``denominator`` is ((b + 1) / b) to the power of ``rounds``."""

    segments_per_ack: int
    rounds: int = 0
    numerator: int = 1
    denominator: int = 1


def begin_growth(segments_per_ack: int) -> Growth:
    """Begin before the first round."""
    return Growth(segments_per_ack)


def next_round(growth: Growth) -> None:
    """Advance by one round."""
    growth.rounds += 1
    growth.numerator *= growth.segments_per_ack + 1
    growth.denominator *= growth.segments_per_ack


def sum_to_next(growth: Growth) -> int:
    """Return the sum of the factors of all rounds up to the next one, times b to the power of ``rounds``."""
    b = growth.segments_per_ack
    return (b + 1) * growth.numerator - b * growth.denominator


def sum_so_far(growth: Growth) -> int:
    """Return the sum of the factors of the rounds so far, times b to the power of ``rounds``."""
    return growth.segments_per_ack * (growth.numerator - growth.denominator)

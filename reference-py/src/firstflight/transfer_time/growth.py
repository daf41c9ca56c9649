"""The growth of a window or a rate by (b + 1) / b in each round (``spec/transfer-time/rules.md``), b being ``segments_per_ack``.

The power is kept as two integers, so that every test compares integers. Mirrors
``reference-c/firstflight/transfer_time/growth.c``.
"""

from dataclasses import dataclass


@dataclass(slots=True)
class Growth:
    """The growth of a window or rate after some rounds: the factor ((b + 1) / b) to the power of ``rounds``.

    The factor is the fraction ``numerator`` / ``denominator``. b is ``segments_per_ack``, the segments that one ACK
    acknowledges.
    """

    segments_per_ack: int
    rounds: int = 0
    numerator: int = 1
    denominator: int = 1


def begin_growth(segments_per_ack: int) -> Growth:
    """Return the growth of a window or rate after 0 rounds, when the window or rate is 1 times its initial value.

    Each later round multiplies it by (b + 1) / b, where b is ``segments_per_ack``.
    """
    return Growth(segments_per_ack)


def next_round(growth: Growth) -> None:
    """Advance by one round: multiply the growth since round 0 by (b + 1) / b, where b is ``segments_per_ack``.

    The growth is the fraction ``numerator`` / ``denominator``.
    """
    growth.rounds += 1
    growth.numerator *= growth.segments_per_ack + 1
    growth.denominator *= growth.segments_per_ack


def sum_to_next(growth: Growth) -> int:
    """Return the sum of the factors of rounds 0 to ``rounds``, times b to the power of ``rounds``.

    The factor of round k is ((b + 1) / b) to the power of k, where b is ``segments_per_ack``. The multiplication makes
    the result an integer.
    """
    b = growth.segments_per_ack
    return (b + 1) * growth.numerator - b * growth.denominator


def sum_so_far(growth: Growth) -> int:
    """Return the sum of the factors of rounds 0 to ``rounds`` - 1, times b to the power of ``rounds``.

    The factor of round k is ((b + 1) / b) to the power of k, where b is ``segments_per_ack``. The multiplication makes
    the result an integer.
    """
    return growth.segments_per_ack * (growth.numerator - growth.denominator)

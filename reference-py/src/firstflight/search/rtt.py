"""The clock and the RTT of SEARCH (``spec/search/rules.md``, sections Start and Evaluation).

Mirrors ``reference-c/firstflight/search/rtt.c``.
"""

from dataclasses import dataclass

from firstflight.search.profiles import AckDelay, Clock, Readings, Rtt

_NS_PER_UNIT = {Clock.NS: 1, Clock.US: 1_000, Clock.MS: 1_000_000}


@dataclass(frozen=True, slots=True)
class Sample:
    """The last RTT sample of the connection, as its ACK reported it."""

    latest_ns: int
    minimum_ns: int | None
    smoothed_ns: int | None
    ack_delay_ns: int


def ns_per_unit(readings: Readings) -> int:
    """Return the length of a unit of the profile's clock in ns."""
    return _NS_PER_UNIT[readings.clock]


def units(readings: Readings, time_ns: int) -> int:
    """Return a time or an RTT in units of the profile's clock, rounded down."""
    return time_ns // ns_per_unit(readings)  # [search.clock]


def at_least_one(rtt: int) -> int:
    """Return the RTT, or 1 instead of 0, so that it can be a divisor."""
    if rtt == 0:
        rtt = 1  # [search.init.rtt-zero]
    return rtt


def rtt_units(readings: Readings, sample: Sample) -> int:
    """Return the RTT of an evaluation in units of the profile's clock."""
    samples_ns = {Rtt.LATEST: None, Rtt.SMOOTHED: sample.smoothed_ns, Rtt.MINIMUM: sample.minimum_ns}
    other_ns = samples_ns[readings.rtt]  # [search.rtt.latest]
    return latest_units(readings, sample) if other_ns is None else at_least_one(units(readings, other_ns))


def delay_units(readings: Readings, delay_ns: int) -> int:
    """Return an acknowledgement delay in units of the profile's clock, rounded down.

    With the choice ``off_above_nearest`` of ``ack_delay`` it is rounded to the nearest unit.
    """
    if readings.ack_delay is AckDelay.OFF_ABOVE_NEAREST:
        delay_ns += ns_per_unit(readings) // 2
    return units(readings, delay_ns)


def minimum_units(readings: Readings, minimum_ns: int) -> int:
    """Return the minimum RTT in units of the clock, for the test whether to subtract the acknowledgement delay.

    The delay is subtracted if the rest of the latest sample is at least this minimum or, with some choices, more than
    it. With the choice ``off_above_nearest`` of ``ack_delay``, the minimum is at least one unit.
    """
    minimum = units(readings, minimum_ns)
    return at_least_one(minimum) if readings.ack_delay is AckDelay.OFF_ABOVE_NEAREST else minimum


def latest_units(readings: Readings, sample: Sample) -> int:
    """Return the latest RTT in units of the clock, at least 1.

    Unless ``ack_delay`` is ``kept``, the acknowledgement delay is subtracted if the rest is at least the minimum RTT
    (``off_at_least``) or more than it.
    """
    rtt = units(readings, sample.latest_ns)
    if readings.ack_delay is not AckDelay.KEPT and sample.minimum_ns is not None:
        delay = delay_units(readings, sample.ack_delay_ns)
        least = delay + minimum_units(readings, sample.minimum_ns)
        if rtt > least or (rtt == least and readings.ack_delay is AckDelay.OFF_AT_LEAST):
            rtt -= delay  # [search.rtt.ack-delay]
    return at_least_one(rtt)

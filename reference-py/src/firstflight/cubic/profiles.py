"""Readings and profiles of CUBIC. Generated from spec/cubic/profiles.toml by `make generate`; do not edit."""

from dataclasses import dataclass, replace

from firstflight.enums import Enum


class Growth(Enum):
    """For what does the window grow by its share of the way to the target?"""

    BYTES = "bytes"
    ACKS = "acks"


class ReductionBasis(Enum):
    """What does congestion reduce to seven tenths?"""

    WINDOW = "window"
    FLIGHT = "flight"


class CeMinimum(Enum):
    """What is the smallest window that a CE mark leaves?"""

    ONE_DATAGRAM = "one_datagram"
    TWO_DATAGRAMS = "two_datagrams"


class Spurious(Enum):
    """What does a loss that turns out to be spurious leave behind?"""

    RESTORED = "restored"
    KEPT = "kept"


class SlowStartEnd(Enum):
    """At which window does slow start end?"""

    AT = "at"
    ABOVE = "above"


@dataclass(frozen=True, slots=True)
class Readings:
    """A choice for every reading."""

    growth: Growth
    reduction_basis: ReductionBasis
    ce_minimum: CeMinimum
    spurious: Spurious
    slow_start_end: SlowStartEnd


RFC_9438 = Readings(
    growth=Growth.BYTES,
    reduction_basis=ReductionBasis.WINDOW,
    ce_minimum=CeMinimum.ONE_DATAGRAM,
    spurious=Spurious.RESTORED,
    slow_start_end=SlowStartEnd.AT,
)

RFC_9438_LITERAL = replace(
    RFC_9438,
    growth=Growth.ACKS,
    reduction_basis=ReductionBasis.FLIGHT,
    slow_start_end=SlowStartEnd.ABOVE,
)

PROFILES = {
    "rfc-9438": RFC_9438,
    "rfc-9438-literal": RFC_9438_LITERAL,
}

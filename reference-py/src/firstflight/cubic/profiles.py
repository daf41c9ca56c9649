"""Readings and profiles of CUBIC. Generated from spec/cubic/profiles.toml by `make generate`; do not edit."""

from dataclasses import dataclass, replace

from firstflight.enums import Enum


class Growth(Enum):
    """For what does the window grow by its share of the way to the target?"""

    BYTES = "bytes"
    ACKS = "acks"


class EpochStart(Enum):
    """When does a congestion avoidance stage begin?"""

    AVOIDANCE = "avoidance"
    RECOVERY = "recovery"


class ReductionBasis(Enum):
    """Of what does congestion leave seven tenths?"""

    WINDOW = "window"
    FLIGHT = "flight"


class CeMinimum(Enum):
    """What is the smallest window that a CE mark leaves?"""

    ONE_DATAGRAM = "one_datagram"
    TWO_DATAGRAMS = "two_datagrams"


class FastConvergence(Enum):
    """Does a flow whose window did not come back to the last maximum release bandwidth?"""

    ON = "on"
    OFF = "off"


class LimitedTime(Enum):
    """Which time does not count because the application limited the sender?"""

    ACKS_AND_IDLE = "acks_and_idle"
    ACKS = "acks"
    IDLE = "idle"
    NONE = "none"


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
    epoch_start: EpochStart
    reduction_basis: ReductionBasis
    ce_minimum: CeMinimum
    fast_convergence: FastConvergence
    limited_time: LimitedTime
    spurious: Spurious
    slow_start_end: SlowStartEnd


RFC_9438 = Readings(
    growth=Growth.BYTES,
    epoch_start=EpochStart.AVOIDANCE,
    reduction_basis=ReductionBasis.WINDOW,
    ce_minimum=CeMinimum.ONE_DATAGRAM,
    fast_convergence=FastConvergence.ON,
    limited_time=LimitedTime.ACKS_AND_IDLE,
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

"""Readings and profiles of CUBIC. Generated from spec/cubic/profiles.toml by `make generate`; do not edit."""

from dataclasses import dataclass, replace

from firstflight.enums import Enum


class Growth(Enum):
    """Does the window grow towards its target for each acknowledged datagram or for each ACK?"""

    BYTES = "bytes"
    ACKS = "acks"


class ReductionBasis(Enum):
    """Which quantity does congestion reduce to seven tenths?"""

    WINDOW = "window"
    FLIGHT = "flight"


class CeMinimum(Enum):
    """What is the smallest window that a CE mark leaves?"""

    ONE_DATAGRAM = "one_datagram"
    TWO_DATAGRAMS = "two_datagrams"


class Spurious(Enum):
    """Which state does a spurious loss leave behind?"""

    RESTORED = "restored"
    KEPT = "kept"


class SlowStartEnd(Enum):
    """At which window does slow start end?"""

    AT = "at"
    ABOVE = "above"


@dataclass(frozen=True, slots=True)
class Readings:
    """The value that one profile (one version of the algorithm) has for each open question of the text."""

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

"""Readings and profiles of Hybla. Generated from spec/hybla/profiles.toml by `make generate`; do not edit."""

from dataclasses import dataclass

from firstflight.enums import Enum


class Arithmetic(Enum):
    """In which units are rho and 2^rho known?"""

    EIGHTHS = "eighths"
    FIXED = "fixed"


class Rtt(Enum):
    """Which RTT determines rho?"""

    SMOOTHED = "smoothed"
    MINIMUM = "minimum"


class Unit(Enum):
    """What does growth count?"""

    ACK = "ack"
    MIXED = "mixed"


class Gain(Enum):
    """How is growth collected?"""

    DATAGRAMS = "datagrams"
    MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class Readings:
    """A choice for every reading."""

    arithmetic: Arithmetic
    rtt: Rtt
    reference_ms: int
    unit: Unit
    gain: Gain


LINUX = Readings(
    arithmetic=Arithmetic.EIGHTHS,
    rtt=Rtt.SMOOTHED,
    reference_ms=25,
    unit=Unit.ACK,
    gain=Gain.DATAGRAMS,
)

NS_3 = Readings(
    arithmetic=Arithmetic.FIXED,
    rtt=Rtt.MINIMUM,
    reference_ms=50,
    unit=Unit.MIXED,
    gain=Gain.MIXED,
)

PROFILES = {
    "linux": LINUX,
    "ns-3": NS_3,
}

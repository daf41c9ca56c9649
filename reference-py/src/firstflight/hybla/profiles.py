"""Readings and profiles of Hybla. Generated from spec/hybla/profiles.toml by `make generate`; do not edit."""

from dataclasses import dataclass

from firstflight.enums import Enum


class Arithmetic(Enum):
    """In which units are rho, the RTT divided by the reference RTT, and 2^rho computed?"""

    EIGHTHS = "eighths"
    FIXED = "fixed"


class Rtt(Enum):
    """Which RTT determines rho, the RTT divided by the reference RTT?"""

    SMOOTHED = "smoothed"
    MINIMUM = "minimum"


class Unit(Enum):
    """Does the window grow for each ACK or for each acknowledged packet?"""

    ACK = "ack"
    MIXED = "mixed"


class Gain(Enum):
    """Does the window grow by whole datagrams or bytes, and is the rest kept for later ACKs?"""

    DATAGRAMS = "datagrams"
    MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class Readings:
    """The value that one profile (one version of the algorithm) has for each open question of the text."""

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

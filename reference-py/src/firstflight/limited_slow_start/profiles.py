"""Readings and profiles of Limited Slow-Start. Generated from spec/limited-slow-start/profiles.toml by `make generate`; do not edit."""

from dataclasses import dataclass, replace

from firstflight.enums import Enum


class Unit(Enum):
    """Does slow start grow the window for each ACK or for each acknowledged packet?"""

    ACK = "ack"
    PACKET = "packet"


class Share(Enum):
    """How is the growth above max_ssthresh, 1/K of a datagram with K = 2 * cwnd / max_ssthresh, rounded?"""

    FLOOR = "floor"
    REMAINDER = "remainder"
    NEAREST = "nearest"


@dataclass(frozen=True, slots=True)
class Readings:
    """The value that one profile (one version of the algorithm) has for each open question of the text."""

    unit: Unit
    share: Share
    max_ssthresh_datagrams: int


RFC_3742 = Readings(
    unit=Unit.ACK,
    share=Share.FLOOR,
    max_ssthresh_datagrams=100,
)

RFC_3742_PACKETS = replace(
    RFC_3742,
    unit=Unit.PACKET,
)

LINUX = replace(
    RFC_3742,
    share=Share.REMAINDER,
)

TOR = replace(
    RFC_3742,
    share=Share.NEAREST,
)

PROFILES = {
    "rfc-3742": RFC_3742,
    "rfc-3742-packets": RFC_3742_PACKETS,
    "linux": LINUX,
    "tor": TOR,
}

"""Readings and profiles of Limited Slow-Start. Generated from spec/limited-slow-start/profiles.toml by `make generate`; do not edit."""

from dataclasses import dataclass, replace

from firstflight.enums import Enum


class Unit(Enum):
    """What replaces an arriving ACK?"""

    ACK = "ack"
    PACKET = "packet"


class Share(Enum):
    """How is the share 1/K of a datagram computed?"""

    FLOOR = "floor"
    REMAINDER = "remainder"
    NEAREST = "nearest"


@dataclass(frozen=True, slots=True)
class Readings:
    """A choice for every reading."""

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

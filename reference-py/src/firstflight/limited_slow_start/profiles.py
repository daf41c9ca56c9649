"""Readings and profiles of Limited Slow-Start. Generated from spec/profiles/limited-slow-start.toml by `make generate`; do not edit."""

from dataclasses import dataclass

from firstflight.enums import Enum


class Unit(Enum):
    """What takes the place of an arriving ACK?"""

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


PROFILES = {
    "rfc-3742": Readings(
        unit=Unit.ACK,
        share=Share.FLOOR,
        max_ssthresh_datagrams=100,
    ),
    "rfc-3742-packets": Readings(
        unit=Unit.PACKET,
        share=Share.FLOOR,
        max_ssthresh_datagrams=100,
    ),
    "linux": Readings(
        unit=Unit.ACK,
        share=Share.REMAINDER,
        max_ssthresh_datagrams=100,
    ),
    "tor": Readings(
        unit=Unit.ACK,
        share=Share.NEAREST,
        max_ssthresh_datagrams=100,
    ),
}

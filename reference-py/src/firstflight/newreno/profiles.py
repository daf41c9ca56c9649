"""Readings and profiles of NewReno. Generated from spec/profiles/slow-start.toml by `make generate`; do not edit."""

from dataclasses import dataclass

from firstflight.enums import Enum


class Growth(Enum):
    """What does the growth of the window count?"""

    BYTES = "bytes"
    ACKS = "acks"


@dataclass(frozen=True, slots=True)
class Readings:
    """A choice for every reading."""

    growth: Growth


PROFILES = {
    "rfc-9002": Readings(
        growth=Growth.BYTES,
    ),
    "ack-counting": Readings(
        growth=Growth.ACKS,
    ),
}

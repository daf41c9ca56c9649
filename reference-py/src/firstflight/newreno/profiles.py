"""Readings and profiles of NewReno. Generated from spec/slow-start/profiles.toml by `make generate`; do not edit."""

from dataclasses import dataclass, replace

from firstflight.enums import Enum


class Growth(Enum):
    """What is counted for the growth of the window: acknowledged bytes or ACKs?"""

    BYTES = "bytes"
    ACKS = "acks"


@dataclass(frozen=True, slots=True)
class Readings:
    """The value that one profile (one version of the algorithm) has for each open question of the text."""

    growth: Growth


RFC_9002 = Readings(
    growth=Growth.BYTES,
)

ACK_COUNTING = replace(
    RFC_9002,
    growth=Growth.ACKS,
)

PROFILES = {
    "rfc-9002": RFC_9002,
    "ack-counting": ACK_COUNTING,
}

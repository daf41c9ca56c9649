"""Readings and profiles of Quick-Start. Generated from spec/quick-start/profiles.toml by `make generate`; do not edit."""

from dataclasses import dataclass, replace

from firstflight.enums import Enum


class FirstRequest(Enum):
    """Which packet carries the first request?"""

    HANDSHAKE = "handshake"
    DATA = "data"


class Growth(Enum):
    """How does slow start continue after an approved rate was used?"""

    LIMITED = "limited"
    STANDARD = "standard"


class LeastUsed(Enum):
    """What is the smallest window after the end of Quick-Start mode?"""

    MINIMUM_WINDOW = "minimum_window"
    USUAL_WINDOW = "usual_window"


class LossThreshold(Enum):
    """What becomes of the threshold when a Quick-Start packet is lost?"""

    HALF_DELIVERED = "half_delivered"
    KEPT = "kept"


@dataclass(frozen=True, slots=True)
class Readings:
    """The value that one profile (one version of the algorithm) has for each open question of the text."""

    rate_code: int
    first_request: FirstRequest
    header_bytes: int
    growth: Growth
    least_used: LeastUsed
    loss_threshold: LossThreshold


RFC_4782 = Readings(
    rate_code=7,
    first_request=FirstRequest.HANDSHAKE,
    header_bytes=40,
    growth=Growth.LIMITED,
    least_used=LeastUsed.MINIMUM_WINDOW,
    loss_threshold=LossThreshold.HALF_DELIVERED,
)

RFC_4782_REFUSED = replace(
    RFC_4782,
    rate_code=0,
)

RFC_4782_DATA = replace(
    RFC_4782,
    first_request=FirstRequest.DATA,
)

NETWORKING_2009 = replace(
    RFC_4782,
    header_bytes=52,
    growth=Growth.STANDARD,
)

NS_2 = replace(
    RFC_4782,
    growth=Growth.STANDARD,
    least_used=LeastUsed.USUAL_WINDOW,
    loss_threshold=LossThreshold.KEPT,
)

PROFILES = {
    "rfc-4782": RFC_4782,
    "rfc-4782-refused": RFC_4782_REFUSED,
    "rfc-4782-data": RFC_4782_DATA,
    "networking-2009": NETWORKING_2009,
    "ns-2": NS_2,
}

"""Readings and profiles of Quick-Start. Generated from spec/profiles/quick-start.toml by `make generate`; do not edit."""

from dataclasses import dataclass

from firstflight.enums import Enum


class FirstRequest(Enum):
    """Which packet carries the first request?"""

    HANDSHAKE = "handshake"
    DATA = "data"


class Growth(Enum):
    """How does slow start go on after an approved rate was used?"""

    LIMITED = "limited"
    STANDARD = "standard"


class LeastUsed(Enum):
    """What is the least window that the end of Quick-Start mode leaves?"""

    MINIMUM_WINDOW = "minimum_window"
    USUAL_WINDOW = "usual_window"


class LossThreshold(Enum):
    """What becomes of the threshold when a Quick-Start packet is lost?"""

    HALF_DELIVERED = "half_delivered"
    KEPT = "kept"


@dataclass(frozen=True, slots=True)
class Readings:
    """A choice for every reading."""

    rate_code: int
    first_request: FirstRequest
    header_bytes: int
    growth: Growth
    least_used: LeastUsed
    loss_threshold: LossThreshold


PROFILES = {
    "rfc-4782": Readings(
        rate_code=7,
        first_request=FirstRequest.HANDSHAKE,
        header_bytes=40,
        growth=Growth.LIMITED,
        least_used=LeastUsed.MINIMUM_WINDOW,
        loss_threshold=LossThreshold.HALF_DELIVERED,
    ),
    "rfc-4782-refused": Readings(
        rate_code=0,
        first_request=FirstRequest.HANDSHAKE,
        header_bytes=40,
        growth=Growth.LIMITED,
        least_used=LeastUsed.MINIMUM_WINDOW,
        loss_threshold=LossThreshold.HALF_DELIVERED,
    ),
    "rfc-4782-data": Readings(
        rate_code=7,
        first_request=FirstRequest.DATA,
        header_bytes=40,
        growth=Growth.LIMITED,
        least_used=LeastUsed.MINIMUM_WINDOW,
        loss_threshold=LossThreshold.HALF_DELIVERED,
    ),
    "networking-2009": Readings(
        rate_code=7,
        first_request=FirstRequest.HANDSHAKE,
        header_bytes=52,
        growth=Growth.STANDARD,
        least_used=LeastUsed.MINIMUM_WINDOW,
        loss_threshold=LossThreshold.HALF_DELIVERED,
    ),
    "ns-2": Readings(
        rate_code=7,
        first_request=FirstRequest.HANDSHAKE,
        header_bytes=40,
        growth=Growth.STANDARD,
        least_used=LeastUsed.USUAL_WINDOW,
        loss_threshold=LossThreshold.KEPT,
    ),
}

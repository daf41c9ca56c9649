"""Readings and profiles of HyStart++. Generated from spec/hystartpp/profiles.toml by `make generate`; do not edit."""

from dataclasses import dataclass, replace

from firstflight.enums import Enum


class CssSamples(Enum):
    """How many RTT samples of a round are needed before slow start may resume?"""

    EIGHT = "eight"
    ANY = "any"


class Scope(Enum):
    """In which slow starts does HyStart++ run?"""

    INITIAL = "initial"
    EVERY = "every"


@dataclass(frozen=True, slots=True)
class Readings:
    """The value that one profile (one version of the algorithm) has for each open question of the text."""

    limit_datagrams: int
    css_samples: CssSamples
    css_rounds: int
    scope: Scope


RFC_9406 = Readings(
    limit_datagrams=0,
    css_samples=CssSamples.EIGHT,
    css_rounds=5,
    scope=Scope.INITIAL,
)

RFC_9406_UNPACED = replace(
    RFC_9406,
    limit_datagrams=8,
)

NGTCP2 = replace(
    RFC_9406,
    css_samples=CssSamples.ANY,
    css_rounds=4,
    scope=Scope.EVERY,
)

PROFILES = {
    "rfc-9406": RFC_9406,
    "rfc-9406-unpaced": RFC_9406_UNPACED,
    "ngtcp2": NGTCP2,
}

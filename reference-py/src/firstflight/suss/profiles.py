"""Readings and profiles of SUSS. Generated from spec/suss/profiles.toml by `make generate`; do not edit."""

from dataclasses import dataclass

from firstflight.enums import Enum


class Rounds(Enum):
    """From which window on does HyStart count rounds and test the delay?"""

    EVERY_WINDOW = "every_window"
    SIXTEEN = "sixteen"


class Red(Enum):
    """For how many doublings of the window does a round send additional, paced (red) packets?"""

    ROUND = "round"
    JUMPS = "jumps"


class Guard(Enum):
    """At which step is the guard interval (wait before pacing) rounded down to microseconds?"""

    DIFFERENCE = "difference"
    HALVES = "halves"


@dataclass(frozen=True, slots=True)
class Readings:
    """The value that one profile (one version of the algorithm) has for each open question of the text."""

    rounds: Rounds
    red: Red
    guard: Guard


LINUX_6_8 = Readings(
    rounds=Rounds.EVERY_WINDOW,
    red=Red.ROUND,
    guard=Guard.DIFFERENCE,
)

LINUX_5_19 = Readings(
    rounds=Rounds.SIXTEEN,
    red=Red.JUMPS,
    guard=Guard.HALVES,
)

PROFILES = {
    "linux-6-8": LINUX_6_8,
    "linux-5-19": LINUX_5_19,
}

"""Readings and profiles of BBR. Generated from spec/bbr/profiles.toml by `make generate`; do not edit."""

from dataclasses import dataclass, replace

from firstflight.enums import Enum


class GrowthOf(Enum):
    """What is held against 5/4 of the baseline at the start of a round?"""

    SAMPLE = "sample"
    MAX_BW = "max_bw"


class InitialRate(Enum):
    """What is the initial pacing rate computed from, where the connection began without an RTT?"""

    FIRST_SAMPLE = "first_sample"
    ONCE = "once"


class DrainRounds(Enum):
    """After how many rounds does Drain end whatever is in flight?"""

    FOURTH = "fourth"
    THIRD = "third"
    NEVER = "never"


class DrainCap(Enum):
    """Which bounds limit the window in Drain?"""

    SHORT_TERM = "short_term"
    BOTH = "both"


class Saved(Enum):
    """When is the state saved that a spurious recovery restores?"""

    ROUNDS = "rounds"
    EPISODES = "episodes"


@dataclass(frozen=True, slots=True)
class Readings:
    """A choice for every reading."""

    growth_of: GrowthOf
    initial_rate: InitialRate
    offload_quanta: int
    drain_rounds: DrainRounds
    drain_cap: DrainCap
    saved: Saved
    loss_exit_count: int


DRAFT_06 = Readings(
    growth_of=GrowthOf.SAMPLE,
    initial_rate=InitialRate.FIRST_SAMPLE,
    offload_quanta=1,
    drain_rounds=DrainRounds.FOURTH,
    drain_cap=DrainCap.SHORT_TERM,
    saved=Saved.ROUNDS,
    loss_exit_count=6,
)

DRAFT_06_PROSE = replace(
    DRAFT_06,
    drain_rounds=DrainRounds.THIRD,
    drain_cap=DrainCap.BOTH,
    saved=Saved.EPISODES,
)

PROFILES = {
    "draft-06": DRAFT_06,
    "draft-06-prose": DRAFT_06_PROSE,
}
